"""What the instructor and the students read: scores as CSV, a page for the class, a feedback page for each student.

Pages need no other file and no network, and whatever a student wrote is shown as text.
"""

import csv
import re
import shutil
from collections import Counter
from pathlib import Path

from jinja2 import Environment, FileSystemLoader

from tools import chapter

PAGES = Environment(loader=FileSystemLoader(Path(__file__).parent / "templates"), autoescape=True, trim_blocks=True)


def write(folder, release, collected, results, scores):
    """Write `scores.csv`, `index.html` and `students/NAME.html`."""
    title = release.cells[0].source.splitlines()[0].lstrip("# ")
    exercises = _exercises(release)
    students = [
        _student(name, collected[name], results.get(name), scores.get(name), exercises) for name in sorted(collected)
    ]
    shutil.rmtree(folder / "students", ignore_errors=True)
    (folder / "students").mkdir(parents=True)
    _write_scores(folder / "scores.csv", exercises, students)
    page = {"title": title, "exercises": exercises, "of": sum(e["points"] for e in exercises)}
    summary = [_summary(exercise, students) for exercise in exercises]
    (folder / "index.html").write_text(
        PAGES.get_template("class.html").render(students=students, summary=summary, **page), "utf-8"
    )
    for student in students:
        text = PAGES.get_template("student.html").render(student=student, **page)
        (folder / "students" / f"{student['name']}.html").write_text(text, "utf-8")


def _exercises(release):
    """Name, name of the check and points of each exercise, in their order."""
    found = chapter.exercises(release)
    return [{"name": one.name, "check": chapter.grade_id(one.check), "points": one.points} for one in found]


def _student(name, about, result, points, exercises):
    """Everything about one student that a page or the table shows; a score of None is a blank, never a 0."""
    result = result or {"exercises": {}, "notes": [], "unjudged": "nothing was handed in"}
    notes = [{"text": text, "person": True, "exercise": None} for text in about["notes"]] + result["notes"]
    unjudged = result.get("unjudged")
    rows = [
        {
            **exercise,
            "score": _score(exercise, result, points or {}),
            "answer": result.get("answers", {}).get(exercise["name"]),
            **result["exercises"].get(exercise["name"], {"status": "", "message": ""}),
        }
        for exercise in exercises
    ]
    known = [row["score"] for row in rows if row["score"] is not None]
    return {
        "name": name,
        "file": about["file"],
        "rows": rows,
        "total": sum(known) if len(known) == len(rows) else None,
        "unjudged": unjudged,
        "seconds": result.get("seconds"),
        "person": ([unjudged] if unjudged else []) + [_said(note) for note in notes if note["person"]],
        "notes": [_said(note) for note in notes if not note["person"]],
    }


def _score(exercise, result, points):
    """Points as nbgrader has them. What no check could judge has none, unless a person gave some in the formgrader."""
    score, by_person = points.get(exercise["check"], (None, False))
    judged = result["exercises"].get(exercise["name"], {}).get("status", "unclear") != "unclear"
    return score if judged or by_person else None


def _said(note):
    return f"{note['exercise']}: {note['text']}" if note["exercise"] else note["text"]


def _summary(exercise, students):
    """How an exercise went: counts, and the messages that were seen, alike ones together, most frequent first."""
    rows = [row for student in students for row in student["rows"] if row["name"] == exercise["name"]]
    seen, example = Counter(), {}
    for row in rows:
        if row["status"] in ("wrong", "unclear"):
            kind = tuple(map(_kind, row.get("parts", {}).values())) or row["message"]
            seen[kind] += 1
            example.setdefault(kind, row["message"])
    statuses = Counter(row["status"] for row in rows)
    return {**exercise, "statuses": statuses, "messages": [(n, example[kind]) for kind, n in seen.most_common(5)]}


def _kind(part):
    """What alike messages have in common: templates, and names of functions and errors; not numbers and other texts."""
    values = part["values"].values()
    names = [value for value in values if isinstance(value, str) and value.isidentifier()]
    return part["template"], *names, *(_kind(value) for value in values if isinstance(value, dict))


def _write_scores(path, exercises, students):
    """A blank score means that a person has to look; the last columns say why."""
    with path.open("w", newline="", encoding="utf-8-sig") as lines:
        table = csv.writer(lines)
        names = [exercise["name"] for exercise in exercises]
        table.writerow(["student", *names, "total", "of", "needs a person", "notes", "file"])
        of = sum(exercise["points"] for exercise in exercises)
        for student in students:
            scores = ["" if row["score"] is None else f"{row['score']:g}" for row in student["rows"]]
            total = "" if student["total"] is None else f"{student['total']:g}"
            lost = [f"{row['name']}: {row['status']}, {row['message']}" for row in student["rows"] if row["score"] == 0]
            texts = ["; ".join(student["person"]), "; ".join(student["notes"] + lost), student["file"] or ""]
            table.writerow([_harmless(student["name"]), *scores, total, f"{of:g}", *map(_harmless, texts)])


def _harmless(text):
    """A text that no spreadsheet takes for a formula, even one that begins a new cell at each semicolon."""
    return re.sub(r"(^|[;\n])(\s*[=+@\t\r-])", r"\1'\2", text)
