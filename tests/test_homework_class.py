"""The bad class is graded in one batch: right answers get full marks, cheats get nothing, everything odd is named."""

import csv
import json
import os
import re
import shutil
import socket
import time
from pathlib import Path

import psutil
import pytest
from classroom import SECRET, homework, solved

from homework import gradebook
from homework.sandbox import why_not
from tools.bad_class import CLASS, submission
from tools.chapter import ROOT

pytestmark = pytest.mark.skipif(bool(why_not()), reason=f"no sandbox: {why_not()}")
STEM = "01_definition"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """The folder of the class after release, collect, grade and report; how long a submission took; the listener."""
    course, handed_in = tmp_path_factory.mktemp("class"), tmp_path_factory.mktemp("handed-in")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        (course / "port").write_text(str(listener.getsockname()[1]))
        homework("release", "01", "--course", course)
        notebook = solved(course, STEM)
        for name in CLASS:
            (handed_in / name).mkdir()
            (handed_in / name / f"Copy of {STEM} (1).ipynb").write_bytes(submission(name, notebook, course))
        hand_in_specials(handed_in, notebook)
        homework("collect", "01", handed_in, "--course", course)
        homework("grade", "01", "--course", course, "--jobs", 2, "--timeout", 8)
        homework("report", "01", "--course", course)
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


EXPECTED = {name: (score, said) for name, (_, score, said) in CLASS.items()} | {
    "two-files": (6, ["two files: 'two-files/new.ipynb' counts"]),
    "wrong-chapter": (None, ["this is chapter 02_softmax_and_scaling"]),
    "a-picture": (None, ["not a notebook"]),
    "1-1": (6, []),
    "unknown-2": (6, ["nobody is named by 'Copy of 01_definition.ipynb'"]),
}


@pytest.fixture(scope="module")
def scores(course):
    with (course / "report" / STEM / "scores.csv").open(newline="", encoding="utf-8-sig") as lines:
        return {row["student"]: row for row in csv.DictReader(lines)}


def test_everybody_is_in_the_table_once(scores):
    assert len(EXPECTED) >= 40 and sorted(scores) == sorted(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_everybody_gets_what_is_due_and_every_problem_is_named(scores, name):
    score, said = EXPECTED[name]
    row = scores[name]
    told = f"{row['needs a person']}; {row['notes']}"
    assert (row["total"], [text for text in said if text not in told]) == ("" if score is None else str(score), []), (
        told
    )


def test_a_blank_score_always_has_a_reason(scores):
    assert [name for name, row in scores.items() if row["total"] == "" and not row["needs a person"]] == []


def test_no_field_is_a_formula_to_a_spreadsheet(scores):
    assert scores["1-1"]["file"] == "'=1+1/x.ipynb"
    assert [value for row in scores.values() for value in row.values() if value.startswith(tuple("=+-@"))] == []


def test_nothing_odd_is_said_of_a_plain_right_answer(scores):
    assert (scores["ann"]["needs a person"], scores["ann"]["notes"]) == ("", "")


def test_no_file_of_the_class_was_touched_and_no_process_is_left(course):
    assert (course / "gradebook.db").stat().st_size > 0
    assert len(list((course / "collected" / STEM).glob("*.ipynb"))) == len(EXPECTED) + 1
    assert [p.pid for p in psutil.process_iter(["cmdline"]) if "98765" in (p.info["cmdline"] or [])] == []


def test_the_secret_is_nowhere_in_what_was_written(course):
    files = [path for kind in ("results", "report", "submitted", "autograded") for path in (course / kind).rglob("*")]
    assert len(files) > 100
    assert [path for path in files if path.is_file() and SECRET in path.read_text()] == []


def test_nbgraders_gradebook_agrees_with_the_report(course, scores):
    kept = gradebook.scores(course, STEM)
    totals = {name: float(row["total"]) for name, row in scores.items() if row["total"]}
    assert totals == {name: sum(points for points, _ in kept[name].values()) for name in totals}
    assert set(kept) - set(totals) == {"ends-nine-processes"}  # blank in the report: what is unclear is no 0


def test_the_pages_show_what_students_wrote_as_text_and_load_nothing(course):
    pages = list((course / "report" / STEM).rglob("*.html"))
    assert len(pages) == len(EXPECTED) + 1
    for page in pages:
        text = page.read_text()
        assert "<script" not in text and "<img" not in text and not re.search(r"<[^>]*(src|href)=\W?http", text)
    assert "&lt;script&gt;alert(1)" in (course / "report" / STEM / "students" / "writes-a-script.html").read_text()


def test_the_class_page_says_what_was_most_often_wrong(course):
    text = (course / "report" / STEM / "index.html").read_text()
    assert "What was most often wrong" in text
    for name in EXPECTED:
        assert f"students/{name}.html" in text


def test_a_submission_takes_no_longer_than_five_seconds(course):
    taken = [json.loads(path.read_text())["seconds"] for path in (course / "results" / STEM).glob("*.json")]
    print(f"{sorted(taken)[len(taken) // 2]} seconds in the median")
    assert sorted(taken)[len(taken) // 2] <= 5


def test_the_folder_of_the_class_may_lie_anywhere(course):
    assert not Path(course).is_relative_to(ROOT)
