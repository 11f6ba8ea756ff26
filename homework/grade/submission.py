"""Reading what a student handed in, whatever it is: cells, or the reason why there are none."""

import json
import re
from dataclasses import dataclass

MOST_CELL = 200_000  # characters; a longer cell is no answer
LARGEST = 50 * 2**20  # bytes of a notebook
MOST_CELLS = 2000


class Unreadable(Exception):
    """There is no notebook in the file; the message says what there is."""


@dataclass(eq=False)
class Cell:
    """What of a submitted cell matters: kind, source, and the marks by which it may be known again."""

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
    try:
        notebook = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise Unreadable(f"not a notebook: it begins with the bytes {data[:8]!r}") from None
    except (ValueError, RecursionError) as error:
        beginning = data[:40].decode(errors="replace")
        what = f"not a notebook: {type(error).__name__} in what begins with {beginning!r}"
        raise Unreadable(f"{what}; the .ipynb file itself is needed") from None
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if cells is None and isinstance(notebook, dict) and isinstance(notebook.get("worksheets"), list):
        cells = [c for sheet in notebook["worksheets"] if isinstance(sheet, dict) for c in sheet.get("cells") or []]
    if not isinstance(cells, list):
        raise Unreadable("not a notebook: it has no list of cells")
    if len(cells) > MOST_CELLS:
        raise Unreadable(f"the notebook has {len(cells):,} cells, more than {MOST_CELLS:,}")
    found = [_cell(cell) for cell in cells if isinstance(cell, dict)]
    if not any(cell.kind == "code" and cell.source.strip() for cell in found):
        raise Unreadable("the notebook has no code")
    return found


def _cell(cell):
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
