"""Checking one notebook, without a class: for a person, for a program, for Gradescope, for a page of GitHub Actions."""

import json
import os
from dataclasses import replace

from book.chapter import CHAPTERS, read, student_copy, with_last_cell

from .chapter import Unclear, find_chapter, read_exercises
from .course import without_outputs
from .grade import Task, grade
from .grade.batch import drop_secret
from .grade.read import recognise
from .release import personal

MARKS = {"right": "✅", "partly right": "🟡", "wrong": "❌", "not attempted": "⬜", "unclear": "❔"}


def command(file, chapter, timeout, unsafe, environment, **forms):
    """Check a notebook and print what the checks say."""
    task = prepare(file.read_bytes(), chapter, timeout)
    if forms["gradescope"]:
        result = grade_for_gradescope(task, environment)
    else:
        if unsafe:
            drop_secret(environment)
        result = summarise(task, grade(replace(task, kind="none" if unsafe else None)))
    as_text = not forms["gradescope"] and not forms["json"]
    print(as_markdown(result) if as_text else json.dumps(result, ensure_ascii=False, indent=1))


def prepare(data, chapter=None, seconds=20):
    """Return the Task for one notebook, of the chapter that it shows; its seeds are the visible one alone."""
    path = find_chapter(chapter or recognise(data) or CHAPTERS[0].stem)
    copy = with_last_cell(student_copy(without_outputs(read(path))), path.stem)
    return Task(path.stem, data, without_outputs(read(path)), copy, [], seconds)


def summarise(task, result):
    """Return the verdicts as plain data."""
    exercises = {one.name: one for one in read_exercises(task.source, task.release)}
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


def grade_for_gradescope(task, environment):
    """Gradescope's results: what the visible checks say, and the points, with hidden trials, after the due date."""
    if os.getuid() != 0:
        raise Unclear("--gradescope is for Gradescope's machine, where root starts student code as another user.")
    seeds = personal.hidden_seeds(personal.secret_from(environment), task.student, 4)
    visible, hidden = (summarise(task, grade(replace(task, kind="user", seeds=some))) for some in ([], seeds))
    if "unjudged" in hidden:
        output = f"There is no score yet: {hidden['unjudged']}. Hand in the .ipynb file of the chapter."
        return {"score": 0, "output": output}
    tests = [
        {
            "name": part["title"],
            "output": part["message"],
            "visibility": "visible",
            "status": "passed" if part["status"] == "right" else "failed",
        }
        for part in visible["exercises"]
    ]
    tests += [
        {
            "name": f"{part['title']}, also with other numbers",
            "output": part["message"],
            "visibility": "after_due_date",
            "score": part["points"] or 0,
            "max_score": part["of"],
        }
        for part in hidden["exercises"]
    ]
    return {"tests": tests, "stdout_visibility": "hidden"}
