"""What tests of the homework commands share: the commands as an instructor gives them, and solved copies."""

import copy
import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stdout
from functools import cache
from unittest import mock

import nbformat
import nbgrader.api
import pytest

from book.chapter import ROOT, fill_in_answers, grade_id, make_student_copy, read
from homework import release as releasing
from homework.__main__ import main
from homework.chapter import ASSIGNMENTS, read_exercises
from homework.course import without_outputs
from homework.grade import Task, grade
from homework.grade.sandbox import WAY, NoSandbox, choose_kind, find_obstacle

SECRET = "wombat-in-the-attic"
nbgrader.api.get_alembic_version = cache(nbgrader.api.get_alembic_version)  # a process for each new gradebook


try:
    choose_kind()
    obstacle = ""
except NoSandbox as reason:
    assert "NEEDS_SANDBOX" not in os.environ, reason
    obstacle = str(reason)
needs_sandbox = pytest.mark.skipif(bool(obstacle), reason=f"a sandbox ({find_obstacle('bubblewrap')}; {WAY})")
is_root = hasattr(os, "getuid") and os.getuid() == 0
needs_root = pytest.mark.skipif(not is_root, reason="root, who starts student code as another user (sudo)")


def homework(*arguments, fails=False):
    """Run a command and return what it printed; with `fails`, what it said when it refused."""
    printed = io.StringIO()
    with mock.patch.dict(os.environ, {"ATTENTION_SEED": SECRET}), redirect_stdout(printed):
        try:
            main([*map(str, arguments)])
        except SystemExit as reason:
            assert fails, reason
            return str(reason)
    assert not fails
    return printed.getvalue()


def start_homework(*arguments, **environment):
    """Start a command in a process group of its own, with a change of the environment."""
    command = [sys.executable, "-m", "homework", *map(str, arguments)]
    environment = os.environ | {"ATTENTION_SEED": SECRET} | environment
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True, **pipes)


def by_itself(*arguments, **environment):
    """Run a command in a process of its own and return what it printed."""
    process = start_homework(*arguments, **environment)
    printed, errors = process.communicate()
    assert process.returncode == 0, errors[-3000:]
    return printed


def release(course, *chapters, roster=None, environment=(), personal=False):
    """Release chapters as a book would that has an address of its own."""
    with mock.patch.object(releasing, "find_package", return_value="attention-src"):
        options = {"personal": personal, "offline": False}
        releasing.command([*chapters], course, roster, dict(environment), **options)


def collect_class(course, handed_in):
    """Release chapter 01 for a class and collect what `handed_in` makes of the course: {student: notebook}."""
    release(course, "01")
    for name, submission in handed_in(course).items():
        (course / "in" / name).mkdir(parents=True)
        (course / "in" / name / "x.ipynb").write_text(json.dumps(submission))
    homework("collect", "01", course / "in", "--course", course)
    return course


def notebook(course, kind, stem):
    """The chapter as it was released ('release'), or with its solutions ('source')."""
    return nbformat.read(course / kind / stem / f"{stem}.ipynb", as_version=4)


def solved(course, stem):
    """The student copy with the solutions put back."""
    return fill_in_answers(notebook(course, "release", stem), notebook(course, "source", stem))


def cell_of(notebook, name):
    """The cell of an exercise by nbgrader's name for it."""
    return next(cell for cell in notebook.cells if grade_id(cell) == name)


class Chapter:
    """A chapter without a class: its parts as grading needs them, and a solved copy."""

    def __init__(self, number=1):
        self.source = without_outputs(read(ASSIGNMENTS[number - 1]))
        self.release = make_student_copy(copy.deepcopy(self.source))

    @property
    def exercises(self):
        return read_exercises(self.source, self.release)

    def solved(self):
        return fill_in_answers(copy.deepcopy(self.release), self.source)

    def graded(self, submission, **options):
        """Grade a notebook, or a file's bytes, and return the result."""
        data = submission if isinstance(submission, bytes) else nbformat.writes(submission).encode()
        task = {"seeds": [1, 2], "seconds": 20} | options
        return grade(Task("ann", data, self.source, self.release, **task))


chapter = cache(Chapter)


def statuses(result):
    return {name: verdict["status"] for name, verdict in result["exercises"].items()}
