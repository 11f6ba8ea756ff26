"""Grading a class: who is to be graded, at once over processes or machines, each result kept as it arrives."""

import hashlib
import os
import secrets
import sys
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from importlib.util import find_spec

import nbformat
import psutil
from joblib import Parallel, delayed, parallel_config
from tqdm import tqdm

from book.chapter import ROOT

from ..chapter import Unclear, find_chapter, read_exercises
from ..collect import print_open_questions
from ..course import read_class, read_collected, read_results, write_file, write_json
from ..release import check_or_store_secret, personal
from . import Task, grade, sandbox
from .write import write_unjudged

TRIALS = 8  # secret seeds for each check
WITHOUT_NUMBERS = "no copy with numbers of their own was made under this name; was it collected with the roster?"


def command(chapter, course, jobs, dask, timeout, unsafe, again, environment, **options):
    """Run and score every notebook that was collected and has not been graded as it is."""
    if timeout < 1 or jobs < 1:
        raise Unclear(f"--timeout is {timeout:g} and --jobs {jobs}; expected 1 or more of each.")
    stem = find_chapter(chapter).stem
    source, release = (read_class(course, kind, stem) for kind in ("source", "release"))
    collected = read_collected(course, stem)
    if options["personal"] and unsafe:
        raise Unclear("--personal needs the secret, and --unsafe would let student code read it.")
    if unsafe:
        drop_secret(environment)
        secret, seeds = None, [secrets.randbits(64) for _ in range(TRIALS)]  # which nobody has to keep
    else:
        secret = personal.secret_from(environment)
        seeds = personal.hidden_seeds(secret, stem, TRIALS)
        print("Student code runs", sandbox.describe())
    handed_in = [student for student, about in collected.items() if about["file"]]
    data = {student: (course / "collected" / stem / f"{student}.ipynb").read_bytes() for student in handed_in}
    without_numbers = _without_numbers(course, stem, options["personal"], secret, data)
    digests = _digests(source, release, seeds, timeout, data)
    before, tasks, keep = read_results(course, stem), [], partial(_keep, course, stem, release)
    for student in before.keys() - data.keys():
        (course / "results" / stem / f"{student}.json").unlink()
    for student in data:
        if student in without_numbers:
            empty = {"student": student, "exercises": {}, "notes": [], "unjudged": WITHOUT_NUMBERS}
            keep(empty, None)
        elif again or before.get(student, {}).get("made_from") != digests[student]:
            copy = personal.personalise(release, secret, student) if options["personal"] else release
            tasks.append(Task(student, data[student], source, copy, seeds, timeout, "none" if unsafe else None))
    for result in grade_all(tasks, jobs, dask):
        keep(result, digests[result["student"]])
    from ..report import describe_students, gradebook  # loads nbgrader

    results, exercises = read_results(course, stem), read_exercises(source, release)
    unclear = {
        student: {exercise.check_name for exercise in exercises if exercise.is_unclear(result)}
        for student, result in results.items()
    }
    gradebook.record(course, stem, unclear, {task.student for task in tasks})
    students = describe_students(release, collected, results, gradebook.scores(course, stem))
    for_person = sum(bool(student["file"] and student["person"]) for student in students)
    where = ", as the report says." if for_person else ""
    print(f"{len(tasks)} graded now, {len(results) - len(tasks)} before; {for_person} for a person{where}")
    print_open_questions(stem, collected)


def grade_all(tasks, jobs=1, dask=None):
    """Yield the result of each submission as it arrives, once, whatever happens to the workers on the way.

    Dask gives a dead worker's submissions to the others. A broken pool is made again, and what is left goes through it
    one by one: what ends its process again is left to a person.
    """
    if dask and not find_spec("distributed"):
        raise Unclear("--dask needs the extra for clusters: pip install --constraint requirements-dev.txt -e '.[dask]'")
    workers = {"backend": "dask", "scheduler_host": dask} if dask else {"n_jobs": jobs}
    done, batches = set(), [tasks]
    with parallel_config(**workers), tqdm(total=len(tasks), disable=None) as bar:
        for batch in batches:
            try:
                for result in Parallel(return_as="generator_unordered", batch_size=1)(map(delayed(grade), batch)):
                    done.add(result["student"])
                    yield result
                    bar.update()
            except Exception as death:
                if not isinstance(death, BrokenProcessPool) and type(death).__name__ != "KilledWorker":  # Dask's
                    raise
                if len(batch) > 1:
                    batches += [[task] for task in batch if task.student not in done]
                else:
                    why = f"it ended the process that graded it: {type(death).__name__}"
                    empty = {"student": batch[0].student, "exercises": {}, "notes": [], "seconds": 0}
                    yield empty | {"unjudged": why, "again": True}


def drop_secret(environment):
    """Refuse to run student code as oneself while a process of one's own holds the secret."""
    holders = [process for process in psutil.Process().parents() if holds_secret(process)]
    if holders:
        raise Unclear(
            f"{holders[0].name()} holds ATTENTION_SEED, and without a sandbox student code could read it there. "
            "`unset ATTENTION_SEED` first: --unsafe draws hidden trials of its own."
        )
    if "ATTENTION_SEED" in environment:  # of this process alone: begin again without it
        clean = {name: value for name, value in environment.items() if name != "ATTENTION_SEED"}
        os.execve(sys.executable, [sys.executable, "-m", "homework", *sys.argv[1:]], clean)


def holds_secret(process):
    try:
        return "ATTENTION_SEED" in process.environ()
    except psutil.Error:  # somebody else's
        return False


def _digests(source, release, seeds, timeout, data):
    """{student: digest of all that their result is made from}: whoever has another one is graded again."""
    packages = (path for name in ("attention_src", "attention_course") for path in sorted((ROOT / name).rglob("*.py")))
    books = [nbformat.writes(notebook).encode() for notebook in (source, release)]
    shared = b"\0".join([*books, *(path.read_bytes() for path in packages)]) + repr((seeds, timeout)).encode()
    return {student: hashlib.sha256(shared + data[student]).hexdigest() for student in data}


def _keep(course, stem, release, result, made_from):
    """Write a result, and the notebook for nbgrader, as soon as it arrives.

    Results that a person may fix are graded again next time.
    """
    student, notebook = result["student"], result.pop("notebook", None)
    text = nbformat.writes(nbformat.from_dict(notebook or write_unjudged(release, result["unjudged"])))
    write_file(course / "submitted" / student / stem / f"{stem}.ipynb", text.encode())
    result["made_from"] = None if result.get("again") else made_from
    write_json(course / "results" / stem / f"{student}.json", result)


def _without_numbers(course, stem, wanted, secret, students):
    """The students for whom no copy with their own numbers was made; refuses what would grade by other numbers."""
    folder = course / "personal" / stem
    personal_copies = folder.exists()
    if personal_copies != wanted:
        was = "" if personal_copies else "not "
        raise Unclear(f"{stem} was {was}released with --personal; expected the same of grade.")
    if personal_copies and not check_or_store_secret(course, secret):
        raise Unclear("ATTENTION_SEED is not the one with which the students' own numbers were made.")
    return {student for student in students if personal_copies and not (folder / f"{student}.ipynb").exists()}
