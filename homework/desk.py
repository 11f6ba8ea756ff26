"""What each command does, on the folder of a class.

source/ release/ submitted/ autograded/ gradebook.db      nbgrader's
personal/ collected/ results/ report/                     ours, one folder a chapter in each
"""

import json
import shutil

import nbformat
from tqdm import tqdm

from tools.chapter import CHAPTERS

from . import collecting, fan_out, gradebook, personal, reports
from .chapter import Unclear, find
from .grading import Task
from .roster import read_roster

TRIALS = 8  # secret seeds for each check


def release(chapter, course, roster, environment, **options):
    """Make student copies; with `personal` one for each student of the roster too."""
    for path in tqdm([find(number) for number in chapter] or CHAPTERS, unit="chapter", disable=None):
        made = gradebook.release(course, path)
        if options["personal"]:
            _release_personal(made, course / "personal" / path.stem, roster, environment)
    print(f"Student copies are in {course / 'release'}.")


def _release_personal(made, folder, roster, environment):
    secret = personal.secret_from(environment)
    if not roster:
        raise Unclear("--personal needs --roster FILE: for whom are the numbers?")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "secret").write_text(personal.fingerprint(secret))
    copy = nbformat.read(made, as_version=4)
    for student in read_roster(roster):
        nbformat.write(personal.personalise(copy, secret, student), folder / f"{student}.ipynb")


def collect(chapter, place, course, roster, environment):
    """Sort what came back into one notebook for each student."""
    stem, folder = find(chapter).stem, course / "collected" / find(chapter).stem
    students = read_roster(roster) if roster else {}
    found = collecting.collect(place, stem, students)
    collecting.store(found, folder, students)
    unknown = sum(name.startswith("unknown-") and name not in students for name in found)
    said = f"{len(found) - unknown} students handed something in"
    said += f", {len(students.keys() - found.keys())} of the roster did not" if students else ""
    said += f"; {unknown} files name nobody" if unknown else ""
    print(f"{said}. What was odd is in {folder / 'collected.json'}.")


def grade(chapter, course, jobs, dask, timeout, unsafe, environment, **options):
    """Run and score every notebook that was collected."""
    if timeout < 1 or jobs < 1:
        raise Unclear(f"--timeout is {timeout:g} and --jobs {jobs}; expected 1 or more of each.")
    stem = find(chapter).stem
    source, release = (read_class(course, kind, stem) for kind in ("source", "release"))
    collected = read_collected(course, stem)
    secret, tasks = personal.secret_from(environment), []
    seeds = personal.hidden_seeds(secret, stem, TRIALS)
    students = [student for student, about in collected.items() if about["file"]]
    without = _without_numbers(course / "personal" / stem, options["personal"], secret, students)
    for student in [student for student in students if student not in without]:
        data = (course / "collected" / stem / f"{student}.ipynb").read_bytes()
        copy = personal.personalise(release, secret, student) if options["personal"] else release
        tasks.append(Task(student, data, source, copy, seeds, timeout, unsafe))
    results = fan_out.graded(tasks, jobs, dask)
    for student in without:
        unjudged = "no copy with numbers of their own was made under this name; was it collected with the roster?"
        results[student] = {"exercises": {}, "notes": [], "notebook": None, "unjudged": unjudged, "seconds": 0}
    notebooks = {student: result.pop("notebook") for student, result in sorted(results.items())}
    gradebook.record(course, stem, {student: made for student, made in notebooks.items() if made})
    _store(results, course / "results" / stem)
    read = [r for r in results.values() if r.get("unjudged") or any(note["person"] for note in r["notes"])]
    print(f"{len(results)} graded, {len(read)} of them for a person to read; the report says why.")


def _without_numbers(folder, wanted, secret, students):
    """The students for whom no copy with their own numbers was made; refuses what would grade by other numbers."""
    made = folder.exists()
    if made != wanted:
        seen = "was released with --personal" if made else "was not released with --personal"
        raise Unclear(f"{folder.name} {seen}; expected the same of grade.")
    if made and (folder / "secret").read_text() != personal.fingerprint(secret):
        raise Unclear("ATTENTION_SEED is not the one with which the students' own numbers were made.")
    return {student for student in students if made and not (folder / f"{student}.ipynb").exists()}


def report(chapter, course, environment):
    """Write the scores, a page for each student and one for the class."""
    stem = find(chapter).stem
    results = {path.stem: json.loads(path.read_text("utf-8")) for path in (course / "results" / stem).glob("*.json")}
    if not results:
        raise Unclear(f"Nothing is graded in {course / 'results' / stem}; first: python -m homework grade {chapter}")
    release = read_class(course, "release", stem)
    folder = course / "report" / stem
    reports.write(folder, release, read_collected(course, stem), results, gradebook.scores(course, stem))
    print(f"The report is {folder / 'index.html'}, the scores are in {folder / 'scores.csv'}.")


def read_class(course, kind, stem):
    """A notebook of the class as it was when it was released, without outputs."""
    path = course / kind / stem / f"{stem}.ipynb"
    if not path.exists():
        raise Unclear(f"{path} is missing; first: python -m homework release {stem[:2]}")
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    return notebook


def read_collected(course, stem):
    path = course / "collected" / stem / "collected.json"
    if not path.exists():
        raise Unclear(f"{path} is missing; first: python -m homework collect {stem[:2]} FOLDER-OR-ZIP")
    return json.loads(path.read_text("utf-8"))


def _store(results, folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for student, result in results.items():
        (folder / f"{student}.json").write_text(json.dumps(result, ensure_ascii=False, indent=1), "utf-8")
