"""Reporting: what the instructor and the students read, and the tables that platforms take back."""

import shutil
import zipfile
from collections import Counter, defaultdict
from functools import cache, partial
from pathlib import Path, PurePosixPath

from jinja2 import Environment, FileSystemLoader

from book import chapter
from book.chapter import TRANSLATED

from ..chapter import find_chapter, in_language, language_of, read_exercises
from ..course import read_class, read_collected, read_results, read_students, require
from ..roster import tell_apart
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
    students = describe_students(release, collected, results, scores)
    exercises = read_exercises(release, release)
    page = {"title": chapter.title(release), "exercises": exercises, "of": sum(one.points for one in exercises)}
    shutil.rmtree(folder / "students", ignore_errors=True)
    (folder / "students").mkdir(parents=True)
    tables.write(folder, page, students, roster)
    summary = [_summarise(one, students) for one in exercises]
    text = PAGES.get_template("class.html").render(students=students, summary=summary, **page)
    (folder / "index.html").write_text(text, "utf-8")
    languages = Counter(student["language"] for student in students if student["language"])
    of_most = max(languages, key=languages.get, default=None)  # for a file that shows none
    find_page = cache(partial(_find_page, release, page["of"]))
    with zipfile.ZipFile(folder / "feedback.zip", "w", zipfile.ZIP_DEFLATED) as feedback:
        for student in [student for student in students if student["file"]]:
            text = find_page(student["language"] or of_most)(student=student)
            (folder / "students" / f"{student['key']}.html").write_text(text, "utf-8")
            if student["sent"]:  # the platform takes it back under the name that it gave to what was handed in
                feedback.writestr(str(PurePosixPath(student["sent"]).with_suffix(".html")), text)


def describe_students(release, collected, results, scores):
    """Return everything that pages and tables show of each student, by name."""
    exercises = read_exercises(release, release)
    labels = tell_apart({key: about["name"] for key, about in collected.items()})
    return [
        _describe_student(key, about | {"label": labels[key]}, results.get(key), scores.get(key) or {}, exercises)
        for key, about in sorted(collected.items(), key=lambda entry: entry[1]["name"].casefold())
    ]


def _find_page(release, of, language):
    """Return what writes a student's page in a language, with the titles that the student knows."""
    copy = in_language(release, language)
    titles = {one.name: one.title for one in read_exercises(copy, copy)}
    template = PAGES.get_template("student.ko.html" if language_of(copy) == TRANSLATED else "student.html")
    return partial(template.render, title=chapter.title(copy), titles=titles, of=of)


def _describe_student(key, about, result, given, exercises):
    """Everything about one student that a page or a table shows; a score of None is a blank, never a 0."""
    result = result or {"exercises": {}, "notes": [], "unjudged": "not graded yet" if about["file"] else ""}
    rows = [_row(one, result, given.get(one.check_name)) for one in exercises]
    settled = {row["name"] for row in rows if row["by_person"]}
    points = [row["score"] for row in rows]
    unjudged = result.get("unjudged") if None in points else ""
    titles = {one.name: one.title for one in exercises}
    person, noticed = [unjudged] * bool(unjudged), []
    for note in about["notes"] + result["notes"]:
        name = note.get("exercise")
        text = f"{titles[name]}: {note['text']}" if name in titles else note["text"]
        # a person has seen to it: to this exercise, or to all of them
        seen_to = name in settled or settled == {*titles}
        (person if note["person"] and (about.get("nobody") or not seen_to) else noticed).append(text)
    person += [f"{row['title']}: graded again since a person gave {row['score']:g}" for row in rows if row["again"]]
    return {
        **about,
        "key": key,
        "language": result.get("language"),
        "rows": rows,
        "total": None if None in points else sum(points),
        "unjudged": unjudged,
        "unreadable": result.get("unreadable", False),
        "person": person,
        "noticed": noticed,
    }


def _row(exercise, result, given):
    """An exercise of a student's: points as nbgrader has them, and what the check and whoever teaches said.

    What no check could judge has no points, unless a person gave some in the formgrader.
    """
    by_person = bool(given and given.by_person)
    verdict = result["exercises"].get(exercise.name, {"status": "", "message": ""})
    return {
        **vars(exercise),
        "score": given.points if given and (by_person or not exercise.is_unclear(result)) else None,
        "by_person": by_person,
        "again": by_person and given.waits,
        "comment": given.comment if given else "",
        "answer": result.get("answers", {}).get(exercise.name),
        **verdict,
        "english": verdict.get("english") or verdict["message"],  # for whoever teaches, on one page for all
    }


def _summarise(exercise, students):
    """How an exercise went: counts, and the messages that were given, equal ones together, most frequent first."""
    rows = [row for student in students for row in student["rows"] if row["name"] == exercise.name]
    groups = defaultdict(list)
    for row in rows:
        if row["status"] in ("wrong", "partly right"):
            groups[tuple(map(_kind, row.get("parts", {}).values())) or row["message"]].append(row["english"])
    most = sorted(groups.values(), key=len, reverse=True)[:5]
    statuses = Counter(row["status"] for row in rows if row["status"])
    return {**vars(exercise), "statuses": statuses, "messages": [(len(alike), alike[0]) for alike in most]}


def _kind(part):
    """What alike messages have in common: templates, and names of functions and errors; not numbers and other texts."""
    values = part["values"].values()
    names = [value for value in values if isinstance(value, str) and value.isidentifier()]
    return part["template"], *names, *(_kind(value) for value in values if isinstance(value, dict))
