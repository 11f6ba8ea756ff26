"""Print how long each chapter is: `python -m tools.sizes`.

Sizes are advice. Tests refuse only what breaks a page: code lines that it cuts off, and files that load slowly.
"""

import re
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
    """Return the sizes of the chapter in this file; words, cells and figures are those before its exercises."""
    lines = [len(cell.source.splitlines()) for cell in code(read(path))[1:]]  # the first is not on the page
    part = before_exercises(read(path))
    figures = [cell for cell in code(part) if is_figure(cell)]
    return {
        "words": count_words("\n\n".join(prose(part))),
        "cells": len(part.cells),
        "figures": len(figures),
        "open": sum("answer" not in tags(cell) for cell in figures),  # and not behind a prediction
        "median": median(lines),  # lines of a code cell
        "longest": max(lines),
        "KB": round(path.stat().st_size / 1000),
    }


def write_row(name, sizes):
    return f"{name:32}" + "".join(f"{size:>9}" for size in sizes)


if __name__ == "__main__":
    rows = {path.stem: measure(path) for path in CHAPTERS}
    print(write_row("chapter", rows[CHAPTERS[0].stem]))
    print(*(write_row(name, sizes.values()) for name, sizes in rows.items()), "", ADVICE, sep="\n")
