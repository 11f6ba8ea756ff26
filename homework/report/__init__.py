"""Reporting: what the instructor and the students read, and the tables that platforms take back."""

import shutil
import zipfile
from collections import Counter, defaultdict
from pathlib import Path, PurePosixPath

from jinja2 import Environment, FileSystemLoader

from book import chapter

from ..chapter import find_chapter, read_exercises
from ..course import read_class, read_collected, read_results, read_students, require
from . import tables

PAGES = Environment(loader=FileSystemLoader(Path(__file__).parent / "templates"), autoescape=True, trim_blocks=True)


def command(chapter, course, environment):
    """Write the scores, a page for each student and one for the class."""
    from . import gradebook  # loads nbgrader, as one notebook's check need not

    stem = find_chapter(chapter).stem
    results, folder = read_results(course, stem), course / "report" / stem
    require(results, f"Nothing is graded in {course / 'results' / stem}", f"grade {chapter}", course)
    collected, roster = read_collected(course, stem), read_students(course)
    write(folder, read_class(course, "release", stem), collected, results, gradebook.scores(course, stem), roster)
    print(f"The report is {folder / 'index.html'}, the scores are in {folder / 'scores.csv'}.")
    for table in folder.glob("scores-*.csv"):
        print(f"For the platform: {table} and {folder / 'feedback.zip'}.")


def write(folder, release, collected, results, scores, roster=()):
    """Write the tables of scores, `index.html`, `students/NAME.html` and `feedback.zip`.

    Pages need no other file and no network, and whatever a student wrote is shown as text.
    """
    exercises = read_exercises(release, release)
    people = sorted(collected.items(), key=lambda entry: entry[1]["name"].casefold())
    students = [_student(key, about, results.get(key), scores.get(key) or {}, exercises) for key, about in people]
    page = {"title": chapter.title(release), "exercises": exercises, "of": sum(one.points for one in exercises)}
    shutil.rmtree(folder / "students", ignore_errors=True)
    (folder / "students").mkdir(parents=True)
    tables.write(folder, page, students, roster)
    summary = [_summarise(one, students) for one in exercises]
    text = PAGES.get_template("class.html").render(students=students, summary=summary, **page)
    (folder / "index.html").write_text(text, "utf-8")
    with zipfile.ZipFile(folder / "feedback.zip", "w", zipfile.ZIP_DEFLATED) as feedback:
        for student in [student for student in students if student["file"]]:
            text = PAGES.get_template("student.html").render(student=student, **page)
            (folder / "students" / f"{student['key']}.html").write_text(text, "utf-8")
            if student["sent"]:  # the platform takes it back under the name that it gave to what was handed in
                feedback.writestr(str(PurePosixPath(student["sent"]).with_suffix(".html")), text)


def _student(key, about, result, points, exercises):
    """Everything about one student that a page or a table shows; a score of None is a blank, never a 0."""
    result = result or {"exercises": {}, "notes": [], "unjudged": "not graded yet" if about["file"] else ""}
    notes, unjudged = about["notes"] + result["notes"], result.get("unjudged")
    titles = {one.name: one.title for one in exercises}
    texts = [
        ((f"{titles[name]}: " if (name := note.get("exercise")) in titles else "") + note["text"], note["person"])
        for note in notes
    ]
    rows = [
        {
            **vars(one),
            "score": _score(one, result, points),
            "answer": result.get("answers", {}).get(one.name),
            **result["exercises"].get(one.name, {"status": "", "message": ""}),
        }
        for one in exercises
    ]
    points = [row["score"] for row in rows]
    return {
        **about,
        "key": key,
        "rows": rows,
        "total": None if None in points else sum(points),
        "unjudged": unjudged,
        "person": [unjudged] * bool(unjudged) + [text for text, person in texts if person],
        "noticed": [text for text, person in texts if not person],
    }


def _score(exercise, result, points):
    """Points as nbgrader has them. What no check could judge has none, unless a person gave some in the formgrader."""
    score, by_person = points.get(exercise.check_name, (None, False))
    judged = result["exercises"].get(exercise.name, {}).get("status", "unclear") != "unclear"
    return score if judged or by_person else None


def _summarise(exercise, students):
    """How an exercise went: counts, and the messages that were given, equal ones together, most frequent first."""
    rows = [row for student in students for row in student["rows"] if row["name"] == exercise.name]
    groups = defaultdict(list)
    for row in rows:
        if row["status"] in ("wrong", "partly right"):
            groups[tuple(map(_kind, row.get("parts", {}).values())) or row["message"]].append(row["message"])
    most = sorted(groups.values(), key=len, reverse=True)[:5]
    statuses = Counter(row["status"] for row in rows if row["status"])
    return {**vars(exercise), "statuses": statuses, "messages": [(len(alike), alike[0]) for alike in most]}


def _kind(part):
    """What alike messages have in common: templates, and names of functions and errors; not numbers and other texts."""
    values = part["values"].values()
    names = [value for value in values if isinstance(value, str) and value.isidentifier()]
    return part["template"], *names, *(_kind(value) for value in values if isinstance(value, dict))
