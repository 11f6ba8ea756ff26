"""Grading one submission. Its way, each step a module that is left for good:

    READ      read.py      the file's bytes -> cells, or the reason why there are none
    RESTORE   restore.py   cells -> which one answers which exercise, and what is odd about them
    RUN       run.py       the student's cells, one after the other, in a sandbox (sandbox.py, walls.py, inside.py)
    JUDGE     judge.py     each answer, as soon as its cell has run -> a verdict (proxies.py, likeness.py)
    WRITE     write.py     verdicts and notes -> plain data, and a notebook for nbgrader

`batch.py` sends a whole class this way.
"""

import time
from dataclasses import dataclass

import nbformat

from attention_course import checks
from book.chapter import language

from .. import release as releasing
from ..chapter import read_exercises
from .judge import Judge
from .read import Unreadable, printable, read
from .restore import restore
from .run import Run
from .sandbox import choose_kind
from .write import write_result


@dataclass
class Task:
    """What grading one submission needs, as plain data that can travel to another machine."""

    student: str
    data: bytes
    source: dict  # the chapter with its solutions
    release: dict  # the student copy, with the student's own numbers if there are any
    seeds: list[int]
    seconds: float
    kind: str | None = None  # of sandbox; by itself the best there is


def grade(task):
    """Grade a submission and return plain data: verdicts, notes, and a notebook for nbgrader.

    Whatever goes wrong becomes an `unjudged` reason for a person to read; only a missing sandbox is raised.
    """
    kind = task.kind or choose_kind()
    start, result = time.monotonic(), {"student": task.student, "exercises": {}, "notes": [], "notebook": None}
    try:
        cells = read(task.data)
        result["language"] = language(cell.source for cell in cells) or "en"
        result |= _grade(task, kind, cells, result["language"])
    except Unreadable as reason:
        result |= {"unjudged": str(reason), "unreadable": True}
        # of a file that is broken off, what there is of it tells; of others, whatever was handed out
        result.setdefault("language", language([task.data.decode(errors="replace").replace('\\"', '"')]))
    except Exception as error:
        result["unjudged"] = f"grading stopped with {type(error).__name__}: {printable(str(error))[:300]}"
        result["again"] = True
    return result | {"seconds": round(time.monotonic() - start, 2)}


def _grade(task, kind, cells, spoken):
    source, release = (nbformat.from_dict(notebook) for notebook in (task.source, task.release))
    exercises = read_exercises(source, release)
    restored = restore(cells, release, exercises)
    _compare_versions(cells, release, restored)
    with checks.speaking(spoken):
        judge = Judge(restored, exercises, task.seeds)
        Run(source, restored, task.seconds, kind).run(judge)
    return write_result(release, restored, exercises, judge.verdicts)


def _compare_versions(cells, release, restored):
    """Note a notebook that installs another version of the package than the one that was handed out."""
    theirs, ours = releasing.find_version(cells), releasing.find_version(release.cells)
    if theirs and ours and theirs != ours:
        restored.note(f"installs version {theirs[:10]} of the package; {ours[:10]} was handed out")
