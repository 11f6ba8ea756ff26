"""The commands: release, collect, grade, report. `python -m homework COMMAND --help` explains each."""

import argparse
import os
import sys
from pathlib import Path

from . import desk
from .chapter import Unclear
from .sandbox import NoSandbox


def parser():
    main = argparse.ArgumentParser(prog="python -m homework", description="Assign a chapter, get it back, grade it.")
    commands = main.add_subparsers(dest="command", required=True)
    made = {}
    for name, what in (
        ("release", "make the student copies of chapters"),
        ("collect", "sort what came back: one notebook for each student"),
        ("grade", "run every student's notebook in a sandbox and score it"),
        ("report", "write scores, feedback for each student, and a page for the class"),
    ):
        made[name] = commands.add_parser(name, help=what, description=what)
        made[name].add_argument("chapter", nargs="*" if name == "release" else None, help="01 or 01_definition")
        made[name].add_argument("--course", type=Path, default=Path("class"), help="folder of the class (class)")
    made["release"].add_argument(
        "--personal", action="store_true", help="numbers of their own for the roster's students"
    )
    made["release"].add_argument("--roster", type=Path, help="CSV, first column the student's id")
    made["collect"].add_argument("place", type=Path, metavar="FROM", help="folder or zip archive, files named anyhow")
    made["collect"].add_argument("--roster", type=Path, help="CSV: id, then anything a file's name may contain")
    made["grade"].add_argument("--jobs", type=int, default=1, metavar="N", help="submissions side by side (1)")
    made["grade"].add_argument("--dask", metavar="ADDRESS", help="hand them out to this Dask cluster: tcp://host:8786")
    made["grade"].add_argument(
        "--timeout", type=float, default=20, metavar="S", help="processor seconds for one cell or check (20)"
    )
    made["grade"].add_argument("--personal", action="store_true", help="grade by each student's own numbers")
    made["grade"].add_argument("--unsafe", action="store_true", help="run student code without a sandbox, as yourself")
    return main


def main(arguments=None):
    options = vars(parser().parse_args(arguments))
    try:
        getattr(desk, options.pop("command"))(**options, environment=os.environ)
    except (Unclear, NoSandbox, OSError) as reason:
        sys.exit(str(reason))
    except KeyboardInterrupt:
        sys.exit("Stopped. Scores are as they were before.")


if __name__ == "__main__":
    main()
