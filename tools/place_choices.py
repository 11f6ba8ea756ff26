"""Put the right choice of each prediction at a place drawn from its question: python -m tools.place_choices [PATH ...]

A place is drawn once for each question, so running this again changes nothing. The other choices keep their order, and
the comment that binds the numbers of the cell follows the text.
"""

import re
import sys
from hashlib import sha256
from itertools import permutations
from pathlib import Path

import nbformat

from book.chapter import CHAPTERS, ROOT, read
from book.nbval_bound.bindings import find_numbers, list_problems, take_apart

CHOICE = re.compile(r'<details class="choice( right)?">.*?</details>', re.S)
SEED = 1437  # with which no place is right in much more than a third of the book, nor in half of a chapter
MOST_TRIED = 7  # conditions of a comment, whose orders are tried


def draw_place(source, number):
    """Return the place of the right one among so many choices, which hangs on the question alone."""
    question = source.partition('<details class="choice')[0].rstrip().rpartition("\n\n")[2]
    return int(sha256(f"{SEED} {question}".encode()).hexdigest(), 16) % number


def place_choices(source):
    """Return the source of a cell with its right choice at its place."""
    found = [*CHOICE.finditer(source)]
    if not found:
        return source
    order = [choice for choice in found if not choice[1]]
    order.insert(draw_place(source, len(found)), *(choice for choice in found if choice[1]))
    if order == found:
        return source
    bound = take_apart(source)
    slots = [(old.span(), new.start()) for old, new in zip(order, found, strict=True)]
    text = bound.text
    for old, new in reversed([*zip(found, order, strict=True)]):
        text = text[: old.start()] + new[0] + text[old.end() :]
    starts = [number.start for number in find_numbers(bound.text)]
    keys = [next(((new, start) for old, new in slots if start in range(*old)), (start, start)) for start in starts]
    expressions = [one for _, one in sorted(zip(keys, bound.expressions, strict=True), key=lambda pair: pair[0])]
    if expressions == bound.expressions and not list_problems(text + bound.comment):
        return text + bound.comment
    first = ", ".join(expressions)
    for conditions in permutations(bound.conditions[:MOST_TRIED]):
        every = [first, *conditions, *bound.conditions[MOST_TRIED:]]
        comment = f"\n\n<!-- {'end: ' * bound.at_end}{'; '.join(every)} -->"
        if not list_problems(text.rstrip() + comment):
            return text.rstrip() + comment
    raise SystemExit(f"Write a new comment by hand, since its conditions don't follow the text: {source[-200:]!r}")


def main(names):
    """Place the choices of the notebooks that are named, or of all, and name the cells in which one has moved."""
    for path in map(Path, names or [*CHAPTERS, ROOT / "pages" / "warm_up.ipynb"]):
        notebook = read(path)
        for cell in notebook.cells:
            if cell.cell_type == "markdown" and (placed := place_choices(cell.source)) != cell.source:
                cell.source = placed
                print(f"{path}: the choices of {cell.id} have moved")
        nbformat.write(notebook, path)


if __name__ == "__main__":
    main(sys.argv[1:])
