"""Checking one notebook, without a class: for a person, for a program, for Gradescope, for a page of GitHub Actions."""

import json
import os
from dataclasses import replace

from tools.chapter import CHAPTERS, is_check, read, student_copy, with_last_cell

from .chapter import Unclear, find, title_of
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
        print(json.dumps(for_gradescope(task, environment), ensure_ascii=False, indent=1))
        return
    if unsafe:
        without_secret(environment)
    result = summary(task, grade(replace(task, kind="none" if unsafe else None)))
    if forms["json"]:
        print(json.dumps(result, ensure_ascii=False, indent=1))
    else:
        print(markdown(result))


def prepared(data, chapter=None, seconds=20):
    """A Task for one notebook, of the chapter that it shows; its seeds are the visible one alone."""
    path = find(chapter) if chapter else CHAPTERS[0]
    if not chapter:
        try:
            stem = other_chapter(read_cells(data), read(path))
            path = find(stem) if stem else path
        except Unreadable:
            pass  # which grading will say
    source, copy = without_outputs(read(path)), with_last_cell(student_copy(without_outputs(read(path))), path.stem)
    return Task(path.stem, data, source, copy, [], seconds)


def summary(task, result):
    """The verdicts as plain data."""
    points = {
        cell.metadata.nbgrader.grade_id: cell.metadata.nbgrader.points for cell in task.release.cells if is_check(cell)
    }
    parts = [
        {
            "name": name,
            "title": title_of(task.release, name),
            "status": verdict["status"],
            "points": verdict["share"] * points[f"{name}-check"] if verdict["status"] != "unclear" else None,
            "of": points[f"{name}-check"],
            "message": verdict["message"],
        }
        for name, verdict in result["exercises"].items()
    ]
    known = [part["points"] for part in parts]
    total = None if None in known or not parts else sum(known)
    about = {"chapter": task.student, "points": total, "of": sum(points.values()), "exercises": parts}
    return about | ({"unjudged": result["unjudged"]} if result.get("unjudged") else {})


def markdown(result):
    """The verdicts as Markdown, which reads well as text."""
    if "unjudged" in result:
        return f"Not judged: {result['unjudged']}."
    lines = [
        f"{MARKS[part['status']]} **{part['title']}** ({part['status']}): {part['message']}"
        for part in result["exercises"]
    ]
    return "\n\n".join(["What the checks on the page say:", *lines])


def for_gradescope(task, environment):
    """Gradescope's results: what the visible checks say, and the points, with hidden trials, after the due date."""
    if os.getuid() != 0:
        raise Unclear("--gradescope is for Gradescope's machine, where root starts student code as another user.")
    seeds = personal.hidden_seeds(personal.secret_from(environment), task.student, 4)
    seen, judged = (
        summary(task, result)
        for result in (grade(replace(task, kind="user")), grade(replace(task, kind="user", seeds=seeds)))
    )
    if "unjudged" in judged:
        return {
            "score": 0,
            "output": f"There is no score yet: {judged['unjudged']}. Hand in the .ipynb file of the chapter.",
        }
    tests = []
    for part in seen["exercises"]:
        status = "passed" if part["status"] == "right" else "failed"
        tests.append({"name": part["title"], "status": status, "output": part["message"], "visibility": "visible"})
    for part in judged["exercises"]:
        test = {
            "name": f"{part['title']}, also with other numbers",
            "score": part["points"] or 0,
            "max_score": part["of"],
        }
        tests.append(test | {"output": part["message"], "visibility": "after_due_date"})
    return {"tests": tests, "stdout_visibility": "hidden"}
