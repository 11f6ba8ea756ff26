"""What tests of the homework commands share: the commands as an instructor gives them, and solved copies."""

import os
import subprocess
import sys

import nbformat
import pytest

from homework import desk, personal
from homework.grading import Task, grade
from homework.sandbox import why_not
from tools.chapter import ROOT, answered

SECRET = "wombat-in-the-attic"
needs_sandbox = pytest.mark.skipif(bool(why_not()), reason=f"no sandbox: {why_not()}")


def homework(*arguments, environment=None, fails=False):
    """Run a command and return what it printed; with `fails`, what it said when it refused."""
    command = [sys.executable, "-m", "homework", *map(str, arguments)]
    environment = os.environ | {"ATTENTION_SEED": SECRET} | (environment or {})
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)
    assert bool(done.returncode) == fails, done.stderr[-3000:]
    return done.stderr if fails else done.stdout


def notebook(course, kind, stem):
    """The chapter as it was released ('release'), or with its solutions ('source')."""
    return nbformat.read(course / kind / stem / f"{stem}.ipynb", as_version=4)


def solved(course, stem):
    """The student copy with the solutions put back."""
    return answered(notebook(course, "release", stem), notebook(course, "source", stem))


def graded(course, stem, submission, **options):
    """Grade one submission in this process and return its result."""
    source, release = (desk.read_class(course, kind, stem) for kind in ("source", "release"))
    task = {"source": source, "release": release, "seeds": personal.hidden_seeds(SECRET, stem, 2), "seconds": 30}
    return grade(Task("ann", nbformat.writes(submission).encode(), **task | options))


def statuses(result):
    return {name: verdict["status"] for name, verdict in result["exercises"].items()}
