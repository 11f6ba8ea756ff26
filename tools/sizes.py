"""Print how long each chapter is: `python -m tools.sizes`.

Sizes are advice. Tests refuse only what breaks a page: code lines that it cuts off, and files that load slowly.
"""

import re
from itertools import takewhile
from statistics import median

from book.chapter import CHAPTERS, code, is_figure, prose, read, tags
from book.nbval_bound.bindings import list_numbers

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


def measure(path):
    """Return the sizes of the chapter in this file; words, cells and figures are those before its exercises."""
    notebook = read(path)
    lines = [len(cell.source.splitlines()) for cell in code(notebook)[1:]]  # the first is not on the page
    text = "\n\n".join(prose(notebook)).partition("\n## Exercises\n")[0]
    cells = [*takewhile(lambda cell: not re.search("^## Exercises", cell.source, re.MULTILINE), notebook.cells)]
    figures = [cell for cell in cells if cell.cell_type == "code" and is_figure(cell)]
    return {
        "words": count_words(text),
        "cells": len(cells),
        "figures": len(figures),
        "open": sum("answer" not in tags(cell) for cell in figures),  # and not behind a prediction
        "median": median(lines),  # lines of a code cell
        "unbound": sum(line.startswith("unbound") for line in list_numbers(notebook)),  # whole numbers
        "KB": round(path.stat().st_size / 1000),
    }


def write_row(name, sizes):
    return f"{name:32}" + "".join(f"{size:>9}" for size in sizes)


if __name__ == "__main__":
    rows = {path.stem: measure(path) for path in CHAPTERS}
    print(write_row("chapter", rows[CHAPTERS[0].stem]))
    print(*(write_row(name, sizes.values()) for name, sizes in rows.items()), "", ADVICE, sep="\n")
