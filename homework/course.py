"""The folder of a class: what lies where, and reading and writing it.

source/ release/ submitted/ autograded/ gradebook.db      nbgrader's
roster.csv key.json collected/ results/ report/ personal/ ours, one folder a chapter in each
"""

import json
import os
from pathlib import Path

import nbformat

from .chapter import Unclear
from .roster import read_roster


def written(path, data):
    """Write a file as a whole or not at all, whatever happens meanwhile."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(path.name + ".part")
    with draft.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def first(command, course):
    """What to run before."""
    return f"first: python -m homework {command}" + ("" if course == Path("class") else f" --course {course}")


def save_roster(course, path):
    """Keep the roster with the class, as it was exported, and return its students."""
    students = read_roster(path)
    if path.resolve() != (course / "roster.csv").resolve():
        written(course / "roster.csv", path.read_bytes())
    return students


def read_saved_roster(course):
    return read_roster(course / "roster.csv") if (course / "roster.csv").exists() else {}


def read_class(course, kind, stem):
    """A notebook of the class as it was when it was released, without outputs."""
    path = course / kind / stem / f"{stem}.ipynb"
    if not path.exists():
        raise Unclear(f"{path} is missing; {first(f'release {stem[:2]}', course)}")
    return without_outputs(nbformat.read(path, as_version=4))


def without_outputs(notebook):
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    return notebook


def read_collected(course, stem):
    path = course / "collected" / stem / "collected.json"
    if not path.exists():
        raise Unclear(f"{path} is missing; {first(f'collect {stem[:2]} FOLDER-OR-ZIP', course)}")
    return json.loads(path.read_text("utf-8"))


def read_results(course, stem):
    """{student: result} of everybody who was graded."""
    return {
        path.stem: json.loads(path.read_text("utf-8")) for path in sorted((course / "results" / stem).glob("*.json"))
    }
