"""Grading a class: who is to be graded, one after the other or side by side, each result kept as it arrives."""

import hashlib
import os
import secrets
import sys

import nbformat
import psutil

from book.chapter import ROOT

from ..chapter import Unclear, find
from ..collect import open_questions
from ..course import read_class, read_collected, read_results, write_json, written
from ..release import is_secret_of, personal
from . import fan_out, sandbox
from .grading import Task

TRIALS = 8  # secret seeds for each check


def command(chapter, course, jobs, dask, timeout, unsafe, again, environment, **options):
    """Run and score every notebook that was collected and has not been graded as it is."""
    if timeout < 1 or jobs < 1:
        raise Unclear(f"--timeout is {timeout:g} and --jobs {jobs}; expected 1 or more of each.")
    stem = find(chapter).stem
    source, release = (read_class(course, kind, stem) for kind in ("source", "release"))
    collected = read_collected(course, stem)
    if options["personal"] and unsafe:
        raise Unclear("--personal needs the secret, and --unsafe would let student code read it.")
    if unsafe:
        without_secret(environment)
        secret, seeds = None, [secrets.randbits(64) for _ in range(TRIALS)]  # which nobody has to keep
    else:
        secret = personal.secret_from(environment)
        seeds = personal.hidden_seeds(secret, stem, TRIALS)
        print("Student code runs", sandbox.told())
    handed_in = [student for student, about in collected.items() if about["file"]]
    data = {student: (course / "collected" / stem / f"{student}.ipynb").read_bytes() for student in handed_in}
    without = _without_numbers(course, stem, options["personal"], secret, data)
    files = (path for name in ("attention_src", "attention_course") for path in sorted((ROOT / name).rglob("*.py")))
    code = [path.read_bytes() for path in files]
    books = [nbformat.writes(notebook).encode() for notebook in (source, release)]
    book = b"\0".join([*books, *code]) + repr((seeds, timeout)).encode()
    made_from = {student: hashlib.sha256(book + data[student]).hexdigest() for student in data}
    before, tasks = read_results(course, stem), []
    for name in before.keys() - data.keys():
        (course / "results" / stem / f"{name}.json").unlink()
    for student in data:
        if student in without:
            unjudged = "no copy with numbers of their own was made under this name; was it collected with the roster?"
            _keep(course, stem, {"student": student, "exercises": {}, "notes": [], "unjudged": unjudged}, None)
        elif again or before.get(student, {}).get("made_from") != made_from[student]:
            copy = personal.personalise(release, secret, student) if options["personal"] else release
            tasks.append(Task(student, data[student], source, copy, seeds, timeout, "none" if unsafe else None))
    for result in fan_out.graded(tasks, jobs, dask):
        _keep(course, stem, result, made_from[result["student"]])
    from ..report import gradebook  # loads nbgrader

    results = read_results(course, stem)
    gradebook.record(course, stem, {name for name, result in results.items() if not result.get("unjudged")})
    read = [r for r in results.values() if r.get("unjudged") or any(note["person"] for note in r["notes"])]
    where = ", as the report says." if read else ""
    print(f"{len(tasks)} graded now, {len(results) - len(tasks)} before; {len(read)} for a person{where}")
    open_questions(course, stem, collected)


def without_secret(environment):
    """Refuse to run student code as oneself while a process of one's own holds the secret."""
    holders = [process for process in psutil.Process().parents() if _holds_secret(process)]
    if holders:
        raise Unclear(
            f"{holders[0].name()} holds ATTENTION_SEED, and without a sandbox student code could read it there. "
            "`unset ATTENTION_SEED` first: --unsafe draws hidden trials of its own."
        )
    if "ATTENTION_SEED" in environment:  # of this process alone: begin again without it
        clean = {name: value for name, value in environment.items() if name != "ATTENTION_SEED"}
        os.execve(sys.executable, [sys.executable, "-m", "homework", *sys.argv[1:]], clean)


def _holds_secret(process):
    try:
        return "ATTENTION_SEED" in process.environ()
    except psutil.Error:  # somebody else's
        return False


def _keep(course, stem, result, made_from):
    """Write a result, and the notebook for nbgrader, as soon as it is there; what a person may mend is tried again."""
    student, notebook = result["student"], result.pop("notebook", None)
    if notebook:
        text = nbformat.writes(nbformat.from_dict(notebook))
        written(course / "submitted" / student / stem / f"{stem}.ipynb", text.encode())
    result["made_from"] = None if result.get("again") else made_from
    write_json(course / "results" / stem / f"{student}.json", result)


def _without_numbers(course, stem, wanted, secret, students):
    """The students for whom no copy with their own numbers was made; refuses what would grade by other numbers."""
    folder = course / "personal" / stem
    made = folder.exists()
    if made != wanted:
        raise Unclear(f"{stem} was {'' if made else 'not '}released with --personal; expected the same of grade.")
    if made and not is_secret_of(course, secret):
        raise Unclear("ATTENTION_SEED is not the one with which the students' own numbers were made.")
    return {student for student in students if made and not (folder / f"{student}.ipynb").exists()}
