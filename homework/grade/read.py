"""READ: the cells of what a student handed in, whatever it is, or the reason why there are none."""

import json
import re
from dataclasses import dataclass
from functools import cache

from book import chapter
from book.chapter import CHAPTERS

from ..chapter import ASSIGNMENTS

MOST_CELL = 200_000  # characters; a longer cell is no answer
LARGEST = 50 * 2**20  # bytes of a notebook
MOST_CELLS = 2000
KINDS = {b"%pdf": "a PDF", b"pk\3\4": "a zip archive, or made by an office program", b"\x89png": "a picture"}
KINDS |= {b"\xff\xd8\xff": "a picture", b"<!doctype html": "a web page", b"<html": "a web page"}
SHARE = 0.3  # of a chapter's cells: a notebook with so many of them is of that chapter


class Unreadable(Exception):
    """There is no notebook of the chapter in the file; the message says what there is."""


@dataclass(eq=False)
class Cell:
    """What matters of a submitted cell: its kind, its source, and the marks by which it can be recognised."""

    kind: str
    source: str
    id: str | None = None
    grade_id: str | None = None


def read(data):
    """Return the cells of a submitted file, given as bytes. Raises Unreadable if it is no notebook."""
    if not data.strip():
        raise Unreadable("the file is empty")
    if len(data) > LARGEST:
        raise Unreadable(f"the file has {len(data) // 2**20} MB, more than {LARGEST // 2**20}")
    problem = None
    for code in ("utf-8-sig", json.detect_encoding(data), "cp949", "latin-1"):  # as other editors save it
        try:
            notebook = json.loads(data.decode(code))
            break
        except (ValueError, RecursionError) as error:
            problem = problem or error
    else:
        raise Unreadable(f"not a notebook: {_describe(data, problem)}; the .ipynb file itself is needed")
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if cells is None and isinstance(notebook, dict) and isinstance(notebook.get("worksheets"), list):
        cells = [c for sheet in notebook["worksheets"] if isinstance(sheet, dict) for c in sheet.get("cells") or []]
    if not isinstance(cells, list):
        raise Unreadable("not a notebook: it has no list of cells")
    if len(cells) > MOST_CELLS:
        raise Unreadable(f"the notebook has {len(cells):,} cells, more than {MOST_CELLS:,}")
    cells = [_read_cell(cell) for cell in cells if isinstance(cell, dict)]
    if not any(cell.kind == "code" and cell.source.strip() for cell in cells):
        raise Unreadable("the notebook has no code")
    return cells


def _describe(data, error):
    """Say in plain words what a file is that is no JSON."""
    for beginning, kind in KINDS.items():
        if data.lstrip()[: len(beginning)].lower() == beginning:
            return kind
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, UnicodeDecodeError):
        return f"it begins with the bytes {data[:8]!r}"
    if data.lstrip().startswith(b"{"):
        return f"it begins like one, and is broken off or damaged near character {error.pos:,}"
    return f"it begins with {printable(data[:40].decode(errors='replace'))!r}"


def _read_cell(cell):
    metadata = cell.get("metadata") if isinstance(cell.get("metadata"), dict) else {}
    nbgrader = metadata.get("nbgrader") if isinstance(metadata.get("nbgrader"), dict) else {}
    source = cell.get("source", cell.get("input", ""))  # "input" was its name in format 3
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    marks = (cell.get("id", metadata.get("id")), nbgrader.get("grade_id"))
    kind = cell.get("cell_type")
    return Cell(
        kind if isinstance(kind, str) else "",
        printable(source if isinstance(source, str) else "")[:MOST_CELL],
        *(mark if isinstance(mark, str) else None for mark in marks),
    )


def printable(text):
    """Return text that every file and page can hold: no lone surrogates, NULs or other control characters."""
    text = text.replace("\r\n", "\n").encode("utf-8", "replace").decode("utf-8")
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", "", text)


def normalise(source):
    """Return a source without the white space that editors change, so that two can be compared."""
    return "\n".join(line.rstrip() for line in source.strip().splitlines())


def find_marks(cells):
    """Return all ids and sources of some cells: two notebooks that share any have cells of the same chapter."""
    return {cell.id for cell in cells} | {normalise(cell.source) for cell in cells}


@cache
def _marks_of_chapters():
    return {path.stem: find_marks(chapter.read(path).cells) for path in ASSIGNMENTS}


def find_other_chapter(cells, release):
    """Name the chapter from which a submission was made if it is not this one; None if it is of no other."""
    marks = find_marks(cells)
    here = len(marks & find_marks(release.cells))
    if here >= SHARE * len(release.cells):
        return None
    shared = {stem: len(marks & theirs) for stem, theirs in _marks_of_chapters().items()}
    best = max(shared, key=shared.get)
    return best if shared[best] > here + 3 else None


def recognise(data):
    """Name the chapter that a submitted file shows; None for the first chapter, and where the file shows none."""
    try:
        return find_other_chapter(read(data), chapter.read(CHAPTERS[0]))
    except Unreadable:  # which grading will say
        return None
