"""Checking one notebook, without a class: for a person, for a program, for Gradescope, for a page of GitHub Actions."""

import json
import os
from dataclasses import replace

import nbformat

from book.chapter import CHAPTERS, add_last_cell, make_student_copy, read

from .chapter import Unclear, find_chapter, in_language, read_exercises
from .collect import Collected
from .collect.files import read_files
from .course import without_outputs
from .grade import Task, grade
from .grade.batch import drop_secret
from .grade.read import recognise
from .release import personal

HIDDEN = {"en": "{}, also with other numbers", "ko": "{}, 다른 수로도"}
MARKS = {"right": "✅", "partly right": "🟡", "wrong": "❌", "not attempted": "⬜", "unclear": "❔"}


def command(file, chapter, timeout, unsafe, environment, **forms):
    """Check a notebook, or the one in a folder that counts, and print what the checks say."""
    data, notes = read_submission(file, chapter)
    task = prepare(data, chapter, timeout)
    if forms["gradescope"]:
        result = grade_for_gradescope(task, notes, environment)
    else:
        if unsafe:
            drop_secret(environment)
        result = summarise(task, grade(replace(task, kind="none" if unsafe else None)))
    as_text = not forms["gradescope"] and not forms["json"]
    print(as_markdown(result) if as_text else json.dumps(result, ensure_ascii=False, indent=1))


def read_submission(place, chapter=None):
    """Return the bytes of a file, or of the one in a folder that counts, and what a person should know of it."""
    if place.is_file():
        return place.read_bytes(), []
    collected = Collected([*read_files(place)])
    if not collected.files:
        return b"", ["there is no file in this submission"]
    collected.put_newest_first(find_chapter(chapter or CHAPTERS[0].stem).stem)
    return collected.files[0].data, collected.notes


def prepare(data, chapter=None, seconds=20):
    """Return the Task for one notebook, of the chapter that it shows; its seeds are the visible one alone."""
    path = find_chapter(chapter or recognise(data) or CHAPTERS[0].stem)
    copy = add_last_cell(make_student_copy(without_outputs(read(path))), path.stem)
    return Task(path.stem, data, without_outputs(read(path)), copy, [], seconds)


def summarise(task, result):
    """Return the verdicts as plain data."""
    release = in_language(nbformat.from_dict(task.release), result.get("language"))
    exercises = {one.name: one for one in read_exercises(task.source, release)}
    parts = [
        {
            "name": name,
            "title": exercises[name].title,
            "status": verdict["status"],
            "points": verdict["share"] * exercises[name].points if verdict["status"] != "unclear" else None,
            "of": exercises[name].points,
            "message": verdict["message"],
        }
        for name, verdict in result["exercises"].items()
    ]
    points = [part["points"] for part in parts]
    summary = {
        "chapter": task.student,
        "points": None if None in points or not parts else sum(points),
        "of": sum(one.points for one in exercises.values()),
        "exercises": parts,
    }
    return summary | ({"unjudged": result["unjudged"]} if result.get("unjudged") else {})


def as_markdown(summary):
    """Return the verdicts as Markdown, which reads well as text."""
    if "unjudged" in summary:
        return f"Not judged: {summary['unjudged']}."
    line = "{mark} **{title}** ({status}): {message}"
    lines = [line.format(mark=MARKS[part["status"]], **part) for part in summary["exercises"]]
    return "\n\n".join(["What the checks on the page say:", *lines])


def grade_for_gradescope(task, notes, environment):
    """Gradescope's results: what the visible checks say, and the points, with hidden trials, after the due date.

    Unjudged exercises get no score, not 0. A hidden test lists what a person has to look at.
    """
    if os.getuid() != 0:
        raise Unclear("--gradescope is for Gradescope's machine, where root starts student code as another user.")
    seeds = personal.hidden_seeds(personal.secret_from(environment), task.student, 4)
    graded = [grade(replace(task, kind="user", seeds=some)) for some in ([], seeds)]
    visible, hidden = (summarise(task, result) for result in graded)
    name = HIDDEN[graded[1].get("language") or "en"]
    tests = []
    for part in visible["exercises"]:
        said = {} if part["status"] == "unclear" else {"status": "passed" if part["status"] == "right" else "failed"}
        tests.append(_write_test(part["title"], part["message"], "visible", **said))
    for part in hidden["exercises"]:
        scored = {} if part["points"] is None else {"score": part["points"], "max_score": part["of"]}
        tests.append(_write_test(name.format(part["title"]), part["message"], "after_due_date", **scored))
    if all("score" not in test for test in tests):  # Gradescope wants one
        output = "There is no score yet. Whoever teaches you will look at what you handed in."
        tests.append(_write_test("Not graded yet", output, "visible", score=0, max_score=0))
    if for_person := [*notes, *_list_for_person(task, graded, hidden)]:
        tests.append(_write_test("Needs a person", "\n".join(for_person), "hidden"))
    return {"tests": tests, "stdout_visibility": "hidden"}


def _write_test(name, output, visibility, **scored):
    return {"name": name, "output": output, "visibility": visibility, **scored}


def _list_for_person(task, graded, hidden):
    """What a person is for: every note that asks for one, and what has no score."""
    titles = {one.name: f"{one.title}: " for one in read_exercises(task.source, task.release)}
    notes = [note for result in graded for note in result["notes"] if note["person"]]
    texts = [titles.get(note["exercise"], "") + note["text"] for note in notes]
    texts += [f"{part['title']}: no score" for part in hidden["exercises"] if part["points"] is None]
    return dict.fromkeys([*texts, *filter(None, [hidden.get("unjudged")])])
