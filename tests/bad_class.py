"""A class of submissions as bad as they come, made from chapter 01: what each handed in, and what it should get.

`bad_class.toml` is the one table of expectations. `test_homework_class.py` sends it through all commands, and
`test_homework_restore.py` restores some of it without running anything.
"""

import copy
import json
import tomllib
from pathlib import Path
from textwrap import indent
from typing import NamedTuple

from classroom import cell_of, chapter
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from book.chapter import grade_id

ATTENTION, DOUBLED, MEND = EXERCISES = "ex01-attention", "ex01-doubled", "ex01-mend"
STATUSES = {"r": "right", "p": "partly right", "w": "wrong", "n": "not attempted", "u": "unclear"}
SIGNATURE = "def my_attention(query, key, value):\n"
BODY = """s = query @ key.T / np.sqrt(key.shape[-1])
e = np.exp(s - s.max(-1, keepdims=True))
w = e / e.sum(-1, keepdims=True)
return w @ value, w
"""
WRONG = {"attention": SIGNATURE + "    return value, query @ key.T\n", "doubled": "weight_on_itself = 0.5"}
WRONG["mend"] = WRONG["attention"].replace("my_attention", "mended").rstrip()


class Entry(NamedTuple):
    """What a student handed in and what is due."""

    changes: dict  # of the solved notebook, as `bad_class.toml` explains
    statuses: str = "rrr"  # of the three exercises, by their first letters; none where nothing could be judged
    person: str = ""  # words of what a person is told; without any, nothing is for a person
    noted: str = ""  # words of what is noted besides, also of what a check said

    @property
    def score(self):
        """The points due; None is a blank: a person has to look."""
        if not self.statuses or "u" in self.statuses:
            return None
        shares = {"r": 1, "p": 0.5}
        return sum(points * shares.get(status, 0) for status, points in zip(self.statuses, (3, 1, 2), strict=True))

    @property
    def verdicts(self):
        return dict(zip(EXERCISES, map(STATUSES.get, self.statuses), strict=False))


CELLS = "wrong untouched answer above body replace prepend append kind add below lost text_below".split()


def read_entry(row, statuses):
    due = {field: row.pop(field) for field in Entry._fields[1:] if field in row}
    unknown = row.keys() - {*CELLS, "spoil", "file", "times", "code", "ends", "chapter", "cut"}
    assert not unknown, f"bad_class.toml does not explain {unknown}"
    return Entry(row, **{"statuses": statuses} | due)


TABLE = tomllib.loads((Path(__file__).parent / "bad_class.toml").read_text("utf-8"))
QUICK = TABLE.pop("quick")
GROUPS = {
    group: {name: read_entry(row, "" if group == "unreadable" else "rrr") for name, row in rows.items()}
    for group, rows in TABLE.items()
}
CLASS = {name: entry for entries in GROUPS.values() for name, entry in entries.items()}
QUICK += GROUPS["elsewhere"]


def submission(name, solved=None, folder=None):
    """What a student makes of the solved notebook, as bytes."""
    changes = CLASS[name].changes
    if not solved or "chapter" in changes:
        solved = chapter(changes.get("chapter", 1)).solved()
    notebook = copy.deepcopy(solved)
    if "file" in changes:
        return changes["file"].encode(changes.get("code", "utf-8")) * changes.get("times", 1)
    change(notebook, changes)
    for spoil in changes.get("spoil", ()):
        notebook = globals()[spoil](notebook) or notebook
    if isinstance(notebook, bytes):
        return notebook
    text = json.dumps(notebook, ensure_ascii="code" not in changes).replace(r"\n", changes.get("ends", r"\n"))
    if folder:
        text = text.replace("FOLDER", str(folder)).replace("PORT", (folder / "port").read_text())
    return text.encode(changes.get("code", "utf-8"), "replace")[: changes.get("cut")]


def change(notebook, changes):
    """Change the cells of the solved notebook."""

    def cell(name, notebook=notebook):
        return cell_of(notebook, f"ex01-{name}")

    sources = {**WRONG} if changes.get("wrong") else {}
    sources |= {name: cell(name, chapter(1).release).source for name in changes.get("untouched", ())}
    sources |= changes.get("answer", {})
    if "body" in changes or "above" in changes:
        above = changes.get("above", "").rstrip("\n") + "\n"
        sources |= {"attention": above.lstrip("\n") + SIGNATURE + indent(changes.get("body", BODY), "    ")}
    for name, source in sources.items():
        cell(name).source = source.rstrip("\n")
    for name, (old, new) in changes.get("replace", {}).items():
        assert old in cell(name).source
        cell(name).source = cell(name).source.replace(old, new)
    for name, text in changes.get("prepend", {}).items():
        cell(name).source = text.rstrip("\n") + "\n" + cell(name).source
    for name, text in changes.get("append", {}).items():
        cell(name).source += "\n" + text
    for name, kind in changes.get("kind", {}).items():
        cell(name).cell_type = kind
    if "add" in changes:
        first = next(i for i, cell in enumerate(notebook.cells) if grade_id(cell))
        added = (changes["add"].rstrip("\n").replace("NUMBER", str(i)) for i in range(changes.get("times", 1)))
        notebook.cells[first:first] = map(new_code_cell, added)
    if "below" in changes:
        notebook.cells.append(new_code_cell(changes["below"]))
    for name in changes.get("lost", ()):
        notebook.cells.remove(cell(name))
    for name, text in changes.get("text_below", {}).items():
        place = notebook.cells.index(cell(name))
        notebook.cells.insert(place + 1, new_markdown_cell(text))


# what `spoil` names: each changes a notebook, or returns what is handed in instead


def lose_metadata(notebook):
    for cell in notebook.cells:
        cell.metadata.clear()


def lose_ids(notebook):
    for cell in notebook.cells:
        del cell["id"]
    notebook.nbformat_minor = 0


def go_through_colab(notebook):
    for cell in notebook.cells:
        cell.metadata = NotebookNode(id=cell.pop("id"), outputId="1")
    notebook.nbformat_minor = 0


def repeat_cells(notebook):
    notebook.cells += [copy.deepcopy(cell) for cell in notebook.cells if grade_id(cell)]


def repeat_stub(notebook):
    """The first exercise's stub stands once more at the end, with the marks of the answer."""
    notebook.cells.append(copy.deepcopy(cell_of(notebook, ATTENTION)))
    notebook.cells[-1].source = cell_of(chapter(1).release, ATTENTION).source


def answer_twice(notebook):
    """A wrong answer stands first; the last one counts."""
    notebook.cells.insert(0, copy.deepcopy(cell_of(notebook, ATTENTION)))
    notebook.cells[0].source = WRONG["attention"]


def lose_the_rest(notebook):
    notebook.cells = [cell for cell in notebook.cells if grade_id(cell) in EXERCISES]


def to_format_3(notebook):
    cells = [{"cell_type": c.cell_type, "input": c.source, "source": c.source} for c in notebook.cells]
    return json.dumps({"nbformat": 3, "metadata": {}, "worksheets": [{"cells": cells}]}).encode()


def store_50_mb(notebook):
    cell_of(notebook, ATTENTION).outputs = [{"output_type": "stream", "name": "stdout", "text": "x" * 50_000_000}]


def add_strange_cells(notebook):
    strange = {"cell_type": 7, "source": {"a": 1}, "metadata": []}
    notebook.cells += [NotebookNode(strange), 5, NotebookNode(cell_type="code", id=[])]
    cell_of(notebook, DOUBLED).source += "\n# no file can hold \ud800 and \0"


def import_root(notebook):
    """An import of the chapter's is edited."""
    cell = next(cell for cell in notebook.cells if "import numpy as np" in cell.source)
    cell.source += "\nfrom math import sqrt as root"


def write_into_prompt(notebook):
    place = notebook.cells.index(cell_of(notebook, DOUBLED))
    notebook.cells[place - 1].source += "\n\n0.804"


def reverse_cells(notebook):
    notebook.cells.reverse()
