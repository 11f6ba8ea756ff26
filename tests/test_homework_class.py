"""The bad class is graded in one batch: right answers get full marks, cheats get nothing, everything odd is named.

`make test` grades a few of it; the whole class is the proof `class`, whose rows have the points of each, what was said,
and the seconds.
"""

import csv
import json
import os
import re
import shutil
import socket
import time

import psutil
import pytest
from bad_class import CLASS, submission
from classroom import SECRET, by_itself, homework, needs_sandbox, release, solved

from book.chapter import ROOT
from homework.report import gradebook

DEPENDS_ON = ("homework/", "attention_src/", "chapters/01", "chapters/02")
pytestmark = needs_sandbox
STEM = "01_definition"
QUICK = ["ann", "talks-on-the-line", "patches-the-check", "writes-a-script", "empty"]
SPECIALS = {
    "two-files": (6, []),
    "wrong-chapter": (None, ["this is chapter 02_softmax_and_scaling"]),
    "a-picture": (None, ["not a notebook"]),
    "1-1": (6, []),
    "unknown-1": (6, ["'Copy of 01_definition.ipynb' names nobody"]),
}
ALL = {name: (score, said) for name, (_, score, said) in CLASS.items()} | SPECIALS
KINDS = ["quick", pytest.param("whole", marks=pytest.mark.slow)]
EACH = [("quick", name) for name in (*QUICK, *SPECIALS)]
EACH += [pytest.param("whole", name, marks=pytest.mark.slow) for name in ALL]


@pytest.fixture(scope="module", params=KINDS)
def course(request, tmp_path_factory):
    """The folder of the class after release, collect, grade and report."""
    course, handed_in = tmp_path_factory.mktemp("class"), tmp_path_factory.mktemp("handed-in")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        (course / "port").write_text(str(listener.getsockname()[1]))
        release(course, "01")
        notebook = solved(course, STEM)
        for name in QUICK if request.param == "quick" else CLASS:
            (handed_in / name).mkdir()
            (handed_in / name / f"Copy of {STEM} (1).ipynb").write_bytes(submission(name, notebook, course))
        hand_in_specials(handed_in, notebook)
        run, jobs = (homework, 1) if request.param == "quick" else (by_itself, 2)
        run("collect", "01", handed_in, "--course", course)
        run("grade", "01", "--course", course, "--jobs", jobs, "--timeout", 8)
        run("report", "01", "--course", course)
        yield course
        with pytest.raises(BlockingIOError):
            listener.accept()


def hand_in_specials(folder, notebook):
    """Who handed in two files, another chapter, or something by another name."""
    (folder / "two-files").mkdir()
    for name, made, age in (("old", {"cells": []}, 100), ("new", notebook, 0)):
        path = folder / "two-files" / f"{name}.ipynb"
        path.write_text(json.dumps(made))
        os.utime(path, (time.time() - age, time.time() - age))
    (folder / "wrong-chapter").mkdir()
    shutil.copy(ROOT / "chapters" / "02_softmax_and_scaling.ipynb", folder / "wrong-chapter" / f"{STEM}.ipynb")
    (folder / "a-picture").mkdir()
    (folder / "a-picture" / "page.pdf").write_bytes(b"%PDF-1.7")
    (folder / "Copy of 01_definition.ipynb").write_text(json.dumps(notebook))
    (folder / "=1+1").mkdir()
    (folder / "=1+1" / "x.ipynb").write_text(json.dumps(notebook))


@pytest.fixture
def handed_in(course):
    """The names of everybody who handed something in."""
    return {path.name.partition(".")[0] for path in (course / "collected" / STEM).glob("*.ipynb")}


@pytest.fixture
def scores(course):
    with (course / "report" / STEM / "scores.csv").open(newline="", encoding="utf-8-sig") as lines:
        return {row["student"]: row for row in csv.DictReader(lines)}


@pytest.mark.parametrize(("course", "name"), EACH, indirect=["course"], scope="module")
def test_everybody_gets_what_is_due_and_every_problem_is_named(course, name, scores):
    row, (score, said) = scores[name], ALL[name]
    told = f"{row['needs a person']}; {row['notes']}"
    assert row["total"] == ("" if score is None else str(score)), told
    assert [text for text in said if text not in told] == [], told


def test_everybody_who_handed_something_in_is_scored_and_nobody_else(scores, handed_in):
    assert {*scores} == handed_in and handed_in in ({*ALL}, {*QUICK, *SPECIALS})


def test_a_blank_score_always_has_a_reason_and_nobody_is_accused(scores):
    assert [name for name, row in scores.items() if row["total"] == "" and not row["needs a person"]] == []
    words = re.compile("cheat|suspicious|looks like a mark|was changed|plagiar", re.I)
    assert [name for name, row in scores.items() if words.search(row["needs a person"] + row["notes"])] == []


def test_no_field_is_a_formula_to_a_spreadsheet(scores):
    assert scores["1-1"]["file"] == "'=1+1/x.ipynb"
    assert [value for row in scores.values() for value in row.values() if value.startswith(tuple("=+-@"))] == []


def test_nothing_odd_is_said_of_a_plain_right_answer(scores):
    assert (scores["ann"]["needs a person"], scores["ann"]["notes"]) == ("", "")


def test_no_file_of_the_class_was_touched_and_no_process_is_left(course, handed_in):
    assert (course / "gradebook.db").stat().st_size > 0
    assert len(list((course / "collected" / STEM).glob("*.ipynb"))) == len(handed_in) + 1
    assert [p.pid for p in psutil.process_iter(["cmdline"]) if "98765" in (p.info["cmdline"] or [])] == []


def test_the_secret_is_nowhere_in_what_was_written(course, handed_in):
    files = [path for kind in ("results", "report", "submitted", "autograded") for path in (course / kind).rglob("*")]
    assert len(files) > 4 * len(handed_in)
    assert [path for path in files if path.is_file() and SECRET.encode() in path.read_bytes()] == []


def test_nbgraders_gradebook_agrees_with_the_report(course, scores):
    kept = gradebook.scores(course, STEM)
    totals = {name: float(row["total"]) for name, row in scores.items() if row["total"]}
    assert totals == {name: sum(points for points, _ in kept[name].values()) for name in totals}


def test_the_pages_show_what_students_wrote_as_text_and_load_nothing(course, handed_in):
    pages = list((course / "report" / STEM).rglob("*.html"))
    assert len(pages) == len(handed_in) + 1
    for page in pages:
        text = page.read_text()
        assert "<script" not in text and "<img" not in text and not re.search(r"<[^>]*(src|href)=\W?http", text)
    assert "&lt;script&gt;alert(1)" in (course / "report" / STEM / "students" / "writes-a-script.html").read_text()


def test_a_submission_takes_three_seconds_in_the_median_and_a_hostile_one_at_most_a_minute(course, handed_in):
    """Of a quiet machine, with two jobs: seconds are divided by how busy this one was with other things."""
    busy = max(1, os.getloadavg()[1] / os.cpu_count())
    files = [course / "results" / STEM / f"{name}.json" for name in handed_in]
    seconds = sorted(json.loads(file.read_text())["seconds"] / busy for file in files if file.is_file())
    assert seconds[len(seconds) // 2] <= 3 and seconds[-1] <= 60, seconds
