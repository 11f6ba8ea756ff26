"""The bad class is graded in one batch: right answers get full marks, cheats get nothing, everything odd is named.

`make test` grades a part of it, `make test-slow` all.
"""

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
from classroom import SECRET, homework, needs_sandbox, release, solved

from homework.report import gradebook
from tools.bad_class import CLASS, submission
from tools.chapter import ROOT

DEPENDS_ON = ("homework/", "tools/", "attention_src/", "chapters/01", "chapters/02")
pytestmark = needs_sandbox
STEM = "01_definition"
QUICK = """ann all-marks-gone through-colab cells-duplicated second-thoughts checks-edited format-3 endless-loop
crashes deletes-files reads-another opens-a-socket talks-on-the-line does-not-parse writes-a-script
types-it-in patches-the-check patches-the-package lets-the-package-work empty ends-nine-processes
mounts-a-drive named-no-test took-scipy""".split()
SPECIALS = {
    "two-files": (6, []),
    "wrong-chapter": (None, ["this is chapter 02_softmax_and_scaling"]),
    "a-picture": (None, ["not a notebook"]),
    "1-1": (6, []),
    "unknown-1": (6, ["'Copy of 01_definition.ipynb' names nobody"]),
}
ALL = {name: (score, said) for name, (_, score, said) in CLASS.items()} | SPECIALS


@pytest.fixture(scope="module", params=["quick", pytest.param("all", marks=pytest.mark.slow)])
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


@pytest.fixture
def expected(course):
    names = {path.name.partition(".")[0] for path in (course / "collected" / STEM).glob("*.ipynb")}
    return {name: ALL[name] for name in names}


@pytest.fixture
def scores(course):
    with (course / "report" / STEM / "scores.csv").open(newline="", encoding="utf-8-sig") as lines:
        return {row["student"]: row for row in csv.DictReader(lines)}


def test_everybody_gets_what_is_due_and_every_problem_is_named(scores, expected):
    assert sorted(scores) == sorted(expected) and len(expected) >= len(QUICK) + len(SPECIALS)
    faults = []
    for name, (score, said) in expected.items():
        told = f"{scores[name]['needs a person']}; {scores[name]['notes']}"
        if scores[name]["total"] != ("" if score is None else str(score)) or [
            text for text in said if text not in told
        ]:
            faults.append((name, scores[name]["total"], score, told[:500]))
    assert faults == []


def test_a_blank_score_always_has_a_reason_and_nobody_is_accused(scores):
    assert [name for name, row in scores.items() if row["total"] == "" and not row["needs a person"]] == []
    words = re.compile("cheat|suspicious|looks like a mark|was changed|plagiar", re.I)
    assert [name for name, row in scores.items() if words.search(row["needs a person"] + row["notes"])] == []


def test_no_field_is_a_formula_to_a_spreadsheet(scores):
    assert scores["1-1"]["file"] == "'=1+1/x.ipynb"
    assert [value for row in scores.values() for value in row.values() if value.startswith(tuple("=+-@"))] == []


def test_nothing_odd_is_said_of_a_plain_right_answer(scores):
    assert (scores["ann"]["needs a person"], scores["ann"]["notes"]) == ("", "")


def test_no_file_of_the_class_was_touched_and_no_process_is_left(course, expected):
    assert (course / "gradebook.db").stat().st_size > 0
    assert len(list((course / "collected" / STEM).glob("*.ipynb"))) == len(expected) + 1
    assert [p.pid for p in psutil.process_iter(["cmdline"]) if "98765" in (p.info["cmdline"] or [])] == []


def test_the_secret_is_nowhere_in_what_was_written(course):
    files = [path for kind in ("results", "report", "submitted", "autograded") for path in (course / kind).rglob("*")]
    assert len(files) > 100
    assert [path for path in files if path.is_file() and SECRET.encode() in path.read_bytes()] == []


def test_nbgraders_gradebook_agrees_with_the_report(course, scores):
    kept = gradebook.scores(course, STEM)
    totals = {name: float(row["total"]) for name, row in scores.items() if row["total"]}
    assert totals == {name: sum(points for points, _ in kept[name].values()) for name in totals}


def test_the_pages_show_what_students_wrote_as_text_and_load_nothing(course, expected):
    pages = list((course / "report" / STEM).rglob("*.html"))
    assert len(pages) == len(expected) + 1
    for page in pages:
        text = page.read_text()
        assert "<script" not in text and "<img" not in text and not re.search(r"<[^>]*(src|href)=\W?http", text)
    assert "&lt;script&gt;alert(1)" in (course / "report" / STEM / "students" / "writes-a-script.html").read_text()


def test_a_submission_takes_three_seconds_and_a_hostile_one_ends(course):
    taken = sorted(
        json.loads(path.read_text()).get("seconds", 0) for path in (course / "results" / STEM).glob("*.json")
    )
    print(f"{taken[len(taken) // 2]} seconds in the median, {taken[-1]} at most")
    if os.getloadavg()[0] < 2 * (os.cpu_count() or 1):  # the machine does nothing else
        assert taken[len(taken) // 2] <= 3 and taken[-1] <= 60
    assert not Path(course).is_relative_to(ROOT)
