"""The folder of a class: which files it has, and reading and writing them.

source/ release/ submitted/ autograded/ gradebook.db      nbgrader's
roster.csv key.json collected/ results/ report/ personal/ ours, one folder a chapter in each
"""

import json
import os
from pathlib import Path

from book.chapter import code, read

from .chapter import Unclear, number_of
from .roster import read_roster


def write_file(path, data):
    """Write a file as a whole or not at all, whatever happens meanwhile."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(path.name + ".part")
    with draft.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def write_json(path, value):
    write_file(path, json.dumps(value, ensure_ascii=False, indent=1).encode())


def read_json(path):
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def require(condition, problem, command, course):
    """Refuse with the problem, and name the command that comes before."""
    if not condition:
        option = "" if course == Path("class") else f" --course {course}"
        raise Unclear(f"{problem}; first: python -m homework {command}{option}")


def read_students(course, exported=None):
    """{key: Student} of the roster, which is kept with the class as it was exported."""
    kept = course / "roster.csv"
    students = read_roster(exported or kept) if exported or kept.exists() else {}
    if exported:
        write_file(kept, exported.read_bytes())
    return students


def read_class(course, kind, stem):
    """A notebook of the class as it was when it was released, without outputs."""
    path = course / kind / stem / f"{stem}.ipynb"
    require(path.exists(), f"{path} is missing", f"release {number_of(stem)}", course)
    return without_outputs(read(path))


def without_outputs(notebook):
    for cell in code(notebook):
        cell.outputs = []
    return notebook


def read_collected(course, stem):
    path = course / "collected" / stem / "collected.json"
    require(path.exists(), f"{path} is missing", f"collect {number_of(stem)} FOLDER-OR-ZIP", course)
    return read_json(path)


def read_results(course, stem):
    """{student: result} of everybody who was graded."""
    return {path.stem: read_json(path) for path in sorted((course / "results" / stem).glob("*.json"))}
