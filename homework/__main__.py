"""The commands. `python -m homework COMMAND --help` explains each."""

import argparse
import os
import sys
from pathlib import Path

from book.chapter import TRANSLATED

from . import check, collect, release, report
from .chapter import Unclear
from .grade import batch
from .grade.sandbox import NoSandbox
from .release import gradescope

COMMANDS = {
    "release": (release.command, "make the student copies of chapters"),
    "collect": (collect.command, "sort what came back: one notebook for each student"),
    "assign": (collect.assign, "say whose a file is that names nobody"),
    "grade": (batch.command, "run every student's notebook in a sandbox and score it"),
    "report": (report.command, "write scores, a page for each student, and one for the class"),
    "check": (check.command, "check one notebook, without a class"),
    "gradescope": (gradescope.command, "pack a chapter's checks as an autograder of Gradescope"),
}
CLASS = ("release", "collect", "assign", "grade", "report", "gradescope")
SWITCH = {"action": "store_true"}
OPTIONS = [  # commands that take it, its name, what argparse needs to know
    (("collect", "grade", "report", "gradescope"), "chapter", {"help": "01 or 01_definition"}),
    (("release",), "chapter", {"nargs": "*", "help": "01 or 01_definition"}),
    (("collect",), "place", {"type": Path, "metavar": "FROM", "help": "folder or zip archive, files named anyhow"}),
    (("assign",), "name", {"help": "as collect calls it: unknown-3"}),
    (("assign",), "student", {"help": "id or name on the roster"}),
    (("assign",), "chapter", {"nargs": "?", "help": "where several chapters have such a file"}),
    (CLASS, "--course", {"type": Path, "default": Path("class"), "help": "folder of the class (class)"}),
    (("release", "collect"), "--roster", {"type": Path, "help": "CSV from the platform; it is kept with the class"}),
    (("release",), "--personal", SWITCH | {"help": "own numbers for the roster's students"}),
    (("release",), "--offline", SWITCH | {"help": "pack the package beside the copies"}),
    (("release",), "--language", {"choices": ("en", TRANSLATED), "default": "en", "help": "of the copies (en)"}),
    (("grade",), "--jobs", {"type": int, "default": 1, "metavar": "N", "help": "submissions side by side (1)"}),
    (("grade",), "--dask", {"metavar": "ADDRESS", "help": "hand them out to this Dask cluster: tcp://host:8786"}),
    (("grade",), "--personal", SWITCH | {"help": "grade by each student's own numbers"}),
    (("grade",), "--again", SWITCH | {"help": "also those that are graded and have not changed"}),
    (("check",), "file", {"type": Path, "help": "a notebook"}),
    (("check",), "--chapter", {"help": "01, where the notebook does not show it"}),
    (
        ("grade", "check"),
        "--timeout",
        {"type": float, "default": 20, "metavar": "S", "help": "processor seconds for one cell or check (20)"},
    ),
    (("grade", "check"), "--unsafe", SWITCH | {"help": "run student code without a sandbox, as yourself"}),
]


def make_parser():
    parser = argparse.ArgumentParser(prog="python -m homework", description="Assign a chapter, get it back, grade it.")
    commands = parser.add_subparsers(dest="command", required=True)
    parsers = {name: commands.add_parser(name, help=what, description=what) for name, (_, what) in COMMANDS.items()}
    for names, option, settings in OPTIONS:
        for name in names:
            parsers[name].add_argument(option, **settings)
    form = parsers["check"].add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="the verdicts as JSON")
    form.add_argument("--gradescope", action="store_true", help="the verdicts as Gradescope's results.json")
    return parser


def main(arguments=None):
    options = vars(make_parser().parse_args(arguments))
    try:
        COMMANDS[options.pop("command")][0](**options, environment=dict(os.environ))
    except (Unclear, NoSandbox, OSError) as reason:
        sys.exit(str(reason))
    except KeyboardInterrupt:
        sys.exit("Stopped. What was graded is kept; the same command goes on from there.")


if __name__ == "__main__":
    main()
