"""The commands. `python -m homework COMMAND --help` explains each."""

import argparse
import os
import sys
from pathlib import Path

from book.chapter import TRANSLATED

from . import check, collect, grade, release, report
from .chapter import Unclear
from .grade.sandbox import NoSandbox
from .release import gradescope

COMMANDS = {
    "release": (release.command, "make the student copies of chapters"),
    "collect": (collect.command, "sort what came back: one notebook for each student"),
    "assign": (collect.assign, "say whose a file is that named nobody"),
    "grade": (grade.command, "run every student's notebook in a sandbox and score it"),
    "report": (report.command, "write scores, a page for each student, and one for the class"),
    "check": (check.command, "check one notebook, without a class"),
    "gradescope": (gradescope.command, "pack a chapter's checks as an autograder of Gradescope"),
}


def parser():
    main = argparse.ArgumentParser(prog="python -m homework", description="Assign a chapter, get it back, grade it.")
    commands = main.add_subparsers(dest="command", required=True)
    made = {name: commands.add_parser(name, help=what, description=what) for name, (_, what) in COMMANDS.items()}
    for name in ("release", "collect", "grade", "report", "gradescope"):
        made[name].add_argument("chapter", nargs="*" if name == "release" else None, help="01 or 01_definition")
    made["collect"].add_argument("place", type=Path, metavar="FROM", help="folder or zip archive, files named anyhow")
    made["assign"].add_argument("name", help="as collect calls it: unknown-3")
    made["assign"].add_argument("student", help="id or name on the roster")
    made["assign"].add_argument("chapter", nargs="?", help="where several chapters have such a file")
    for name in ("release", "collect", "assign", "grade", "report", "gradescope"):
        made[name].add_argument("--course", type=Path, default=Path("class"), help="folder of the class (class)")
    for name in ("release", "collect"):
        made[name].add_argument("--roster", type=Path, help="CSV as the platform exports it; it is kept with the class")
    made["release"].add_argument("--personal", action="store_true", help="own numbers for the roster's students")
    made["release"].add_argument("--offline", action="store_true", help="pack the package beside the copies")
    made["release"].add_argument("--language", choices=("en", TRANSLATED), default="en", help="of the copies (en)")
    made["grade"].add_argument("--jobs", type=int, default=1, metavar="N", help="submissions side by side (1)")
    made["grade"].add_argument("--dask", metavar="ADDRESS", help="hand them out to this Dask cluster: tcp://host:8786")
    made["grade"].add_argument("--personal", action="store_true", help="grade by each student's own numbers")
    made["grade"].add_argument("--again", action="store_true", help="also those that are graded and have not changed")
    made["check"].add_argument("file", type=Path, help="a notebook")
    form = made["check"].add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="the verdicts as JSON")
    form.add_argument("--markdown", action="store_true", help="the verdicts as Markdown")
    form.add_argument("--gradescope", action="store_true", help="the verdicts as Gradescope's results.json")
    made["check"].add_argument("--chapter", help="01, where the notebook does not show it")
    for name in ("grade", "check"):
        seconds = "processor seconds for one cell or check (20)"
        made[name].add_argument("--timeout", type=float, default=20, metavar="S", help=seconds)
        made[name].add_argument("--unsafe", action="store_true", help="run student code without a sandbox, as yourself")
    return main


def main(arguments=None):
    options = vars(parser().parse_args(arguments))
    try:
        COMMANDS[options.pop("command")][0](**options, environment=dict(os.environ))
    except (Unclear, NoSandbox, OSError) as reason:
        sys.exit(str(reason))
    except KeyboardInterrupt:
        sys.exit("Stopped. What was graded is kept; the same command goes on from there.")


if __name__ == "__main__":
    main()
