"""Checking one notebook, without a class: for a person, for a program, for Gradescope, for a page of GitHub Actions."""

import json
import os
from contextlib import suppress
from dataclasses import replace

from book.chapter import CHAPTERS, read, student_copy, with_last_cell

from .chapter import Unclear, exercises, find
from .course import without_outputs
from .grade import without_secret
from .grade.grading import Task, grade
from .grade.restore import other_chapter
from .grade.submission import Unreadable
from .grade.submission import read as read_cells
from .release import personal

MARKS = {"right": "✅", "partly right": "🟡", "wrong": "❌", "not attempted": "⬜", "unclear": "❔"}


def command(file, chapter, timeout, unsafe, environment, **forms):
    """Check a notebook and print what the checks say."""
    task = prepared(file.read_bytes(), chapter, timeout)
    if forms["gradescope"]:
        result = for_gradescope(task, environment)
    else:
        if unsafe:
            without_secret(environment)
        result = summary(task, grade(replace(task, kind="none" if unsafe else None)))
    as_text = not forms["gradescope"] and not forms["json"]
    print(markdown(result) if as_text else json.dumps(result, ensure_ascii=False, indent=1))


def prepared(data, chapter=None, seconds=20):
    """A Task for one notebook, of the chapter that it shows; its seeds are the visible one alone."""
    path = find(chapter) if chapter else CHAPTERS[0]
    if not chapter:
        with suppress(Unreadable):  # which grading will say
            path = find(other_chapter(read_cells(data), read(path)) or path.stem)
    copy = with_last_cell(student_copy(without_outputs(read(path))), path.stem)
    return Task(path.stem, data, without_outputs(read(path)), copy, [], seconds)


def summary(task, result):
    """The verdicts as plain data."""
    of = {one.name: one for one in exercises(task.source, task.release)}
    parts = [
        {
            "name": name,
            "title": of[name].title,
            "status": verdict["status"],
            "points": verdict["share"] * of[name].points if verdict["status"] != "unclear" else None,
            "of": of[name].points,
            "message": verdict["message"],
        }
        for name, verdict in result["exercises"].items()
    ]
    known = [part["points"] for part in parts]
    total = None if None in known or not parts else sum(known)
    about = {"chapter": task.student, "points": total, "of": sum(one.points for one in of.values()), "exercises": parts}
    return about | ({"unjudged": result["unjudged"]} if result.get("unjudged") else {})


def markdown(result):
    """The verdicts as Markdown, which reads well as text."""
    if "unjudged" in result:
        return f"Not judged: {result['unjudged']}."
    told = "{mark} **{title}** ({status}): {message}"
    lines = [told.format(mark=MARKS[part["status"]], **part) for part in result["exercises"]]
    return "\n\n".join(["What the checks on the page say:", *lines])


def for_gradescope(task, environment):
    """Gradescope's results: what the visible checks say, and the points, with hidden trials, after the due date."""
    if os.getuid() != 0:
        raise Unclear("--gradescope is for Gradescope's machine, where root starts student code as another user.")
    hidden = personal.hidden_seeds(personal.secret_from(environment), task.student, 4)
    tasks = [replace(task, kind="user", seeds=seeds) for seeds in ([], hidden)]
    seen, judged = (summary(task, grade(task)) for task in tasks)
    if "unjudged" in judged:
        output = f"There is no score yet: {judged['unjudged']}. Hand in the .ipynb file of the chapter."
        return {"score": 0, "output": output}
    tests = []
    for part in seen["exercises"]:
        told = {"name": part["title"], "output": part["message"], "visibility": "visible"}
        tests.append(told | {"status": "passed" if part["status"] == "right" else "failed"})
    for part in judged["exercises"]:
        name = f"{part['title']}, also with other numbers"
        told = {"name": name, "output": part["message"], "visibility": "after_due_date"}
        tests.append(told | {"score": part["points"] or 0, "max_score": part["of"]})
    return {"tests": tests, "stdout_visibility": "hidden"}
