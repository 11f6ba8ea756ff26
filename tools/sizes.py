"""Print how long each chapter is: `python -m tools.sizes`.

Sizes are advice. Tests refuse only what breaks a page: code lines that it cuts off, and files that load slowly.
"""

import re
from dataclasses import astuple, dataclass, fields
from statistics import median

from book.chapter import CHAPTERS, code, is_figure, prose, read, tags

ADVICE = (
    "Advice: 1,600 to 2,300 words and 35 to 50 cells before the exercises, cells of about 5 lines, "
    "4 to 9 figures, most of them open."
)
NOISE = re.compile(  # what is not read as words
    r"<details[^>]*>.*?</details>|```.*?```|\$\$.*?\$\$|\$[^$]*\$|^\|[^\n]*$|\]\([^)]*\)|<[^>]*>",
    re.DOTALL | re.MULTILINE,
)


def count_words(text):
    """Count the words of Markdown: no code, mathematics, tables, addresses of links or folded hints.

    >>> count_words("The **query** asks $q$ [here](https://example.org), 2 times.")
    5
    """
    return len(re.findall(r"[A-Za-z가-힣][\w'’-]*", NOISE.sub(" ", text)))


@dataclass
class Sizes:
    """What a chapter holds; words, cells and figures are those before its exercises."""

    chapter: str
    words: int
    cells: int
    figures: int
    open: int  # figures that stand open, and not behind a prediction
    median: float  # lines of a code cell
    longest: int
    KB: int


def before_exercises(notebook):
    """Return the notebook, changed in place, without its cells from the heading of the exercises on.

    A cell that holds both keeps what stands above the heading.
    """
    for i, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown" and (heading := re.search(r"^## Exercises", cell.source, re.MULTILINE)):
            cell.source = cell.source[: heading.start()]
            notebook.cells = notebook.cells[: i + bool(cell.source.strip())]
            break
    return notebook


def measure(path):
    """Return the sizes of the chapter in this file."""
    lines = [len(cell.source.splitlines()) for cell in code(read(path))[1:]]  # the first is not on the page
    part = before_exercises(read(path))
    figures = [cell for cell in code(part) if is_figure(cell)]
    shown = [cell for cell in figures if "answer" not in tags(cell)]
    words = count_words("\n\n".join(prose(part)))
    size = round(path.stat().st_size / 1000)
    return Sizes(path.stem, words, len(part.cells), len(figures), len(shown), median(lines), max(lines), size)


def table(rows):
    """Return the rows as lines of text, each column as wide as its widest entry."""
    head = [field.name for field in fields(Sizes)]
    written = [
        head,
        *([f"{value:,}" if isinstance(value, int) else f"{value}" for value in astuple(row)] for row in rows),
    ]
    widths = [max(map(len, column)) for column in zip(*written, strict=True)]
    lines = [[line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])] for line in written]
    return "\n".join(map("  ".join, lines))


if __name__ == "__main__":
    print(table(map(measure, CHAPTERS)), ADVICE, sep="\n\n")
