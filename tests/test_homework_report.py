"""Scores are nbgrader's; what could not be judged is blank; a person's points stand; alike messages are one."""

import csv
import json
import re

import pytest
from classroom import SECRET, graded, notebook, solved

from attention_src.checks import Part, Wrong
from homework import checking, desk, gradebook, grading, reports
from homework.chapter import Call, Exercise, exercises
from homework.grading import Verdict
from homework.restore import Restored
from homework.restore import notebook as made_notebook
from homework.sandbox import why_not

STEM, NAMES = "01_definition", ("ex01-attention", "ex01-doubled", "ex01-mend")
needs_sandbox = pytest.mark.skipif(bool(why_not()), reason=f"no sandbox: {why_not()}")


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    course = tmp_path_factory.mktemp("class")
    desk.release(["01"], course, None, {}, personal=False)
    return course


def judged(course, *statuses):
    """A notebook for nbgrader, and the result it goes with."""
    source, release = (notebook(course, kind, STEM) for kind in ("source", "release"))
    verdicts = {name: Verdict(status, f"{name} is {status}") for name, status in zip(NAMES, statuses, strict=True)}
    result = {"exercises": {name: vars(verdict) for name, verdict in verdicts.items()}, "notes": []}
    return made_notebook(release, Restored([]), exercises(source, release), verdicts), result


def table(course, folder, results):
    collected = {name: {"file": f"{name}.ipynb", "notes": []} for name in results}
    reports.write(folder, notebook(course, "release", STEM), collected, results, gradebook.scores(course, STEM))
    with (folder / "scores.csv").open(newline="", encoding="utf-8-sig") as lines:
        return {row["student"]: [row[name] for name in (*NAMES, "total")] for row in csv.DictReader(lines)}


def test_the_points_are_nbgraders_and_what_is_unclear_is_blank(course, tmp_path):
    made = {
        "all": judged(course, "right", "right", "right"),
        "some": judged(course, "right", "not attempted", "wrong"),
        "odd": judged(course, "right", "unclear", "wrong"),
    }
    gradebook.record(course, STEM, {name: book for name, (book, _) in made.items()})
    results = {name: result for name, (_, result) in made.items()}
    results["none"] = {"exercises": {}, "notes": [], "unjudged": "the file is empty"}
    assert table(course, tmp_path, results) == {
        "all": ["3", "1", "2", "6"],
        "some": ["3", "0", "0", "3"],
        "odd": ["3", "", "0", ""],
        "none": ["", "", "", ""],
    }


def test_points_that_a_person_gave_stand_after_grading_again(course, tmp_path):
    book, result = judged(course, "right", "unclear", "wrong")
    gradebook.record(course, STEM, {"odd": book})
    with gradebook._open(course) as kept:
        kept.find_grade("ex01-doubled-check", STEM, STEM, "odd").manual_score = 0.5
        kept.db.commit()
    gradebook.record(course, STEM, {"odd": book})
    assert table(course, tmp_path, {"odd": result}) == {"odd": ["3", "0.5", "0", "3.5"]}


def test_who_has_no_notebook_any_more_is_forgotten(course):
    book, _ = judged(course, "right", "right", "right")
    gradebook.record(course, STEM, {"ann": book, "ben": book})
    gradebook.record(course, STEM, {"ben": book})
    assert list(gradebook.scores(course, STEM)) == ["ben"]
    assert not (course / "submitted" / "ann" / STEM).exists()


def test_messages_that_differ_in_numbers_only_are_one(course, tmp_path):
    results = {}
    seen = {
        "a": Part("{entry} sums to {sum}", entry=Part("weights{index}", index=[1]), sum=0.8),
        "b": Part("{entry} sums to {sum}", entry=Part("weights{index}", index=[2]), sum=6.61),
        "c": Part("{function} raised {error}: {text}", function="mine", error="KeyError", text="size 3"),
        "d": Part("{function} raised {error}: {text}", function="mine", error="KeyError", text="size {5}"),
        "e": Part("{function} raised {error}: {text}", function="mine", error="TypeError", text="size 3"),
    }
    for name, part in seen.items():
        results[name] = judged(course, "wrong", "right", "right")[1]
        verdict = vars(Verdict.of("wrong", Wrong(part, question="Which axis?")))
        results[name]["exercises"]["ex01-attention"] = json.loads(json.dumps(verdict))
    table(course, tmp_path, results)
    page = (tmp_path / "index.html").read_text()
    rows = re.findall(r'<td class="number">(\d)</td><td class="message">(.*)</td>', page)
    assert rows == [
        ("2", "weights[1] sums to 0.8. Which axis?"),
        ("2", "mine raised KeyError: size 3. Which axis?"),
        ("1", "mine raised TypeError: size 3. Which axis?"),
    ]


class Says:
    """A sandbox whose one function raises what it is told to."""

    def __init__(self, kind, text):
        self.reply = {"raised": kind, "message": text, "printed": "", "odd": []}

    def ask(self, do, *_, **__):
        return {"mine": {"function": "my {name}"}} if do == "names" else self.reply


@pytest.mark.parametrize("kind", ["Wrong", "ValueError", "{0}", "Exception"])
def test_what_a_student_wrote_travels_as_a_value_and_as_text_that_every_file_can_hold(kind):
    exercise = Exercise("ex01-attention", "", 1, "", [Call("attention", ["mine"])], set())
    with pytest.raises(Wrong) as refused:
        checking.check(Says(kind, "{x} {0} \udc80 \x00 }"), exercise, [], Restored([]))
    verdict = Verdict.of("wrong", refused.value)
    assert "{x} {0} ?  }" in verdict.message and "{x}" not in verdict.parts["seen"]["template"]
    assert verdict.parts["seen"]["values"]["text"] == "{x} {0} ?  }"
    json.dumps(vars(verdict), ensure_ascii=False).encode()


@needs_sandbox
def test_a_check_that_fails_by_itself_is_for_a_person(course, monkeypatch):
    def broken(answer):
        raise ZeroDivisionError("in the check")

    monkeypatch.setattr(grading.checks, "attention", broken)
    result = graded(course, STEM, solved(course, STEM))
    assert result["exercises"]["ex01-attention"]["status"] == "unclear"
    assert any(note["person"] and "ZeroDivisionError: in the check" in note["text"] for note in result["notes"])


@needs_sandbox
def test_a_notebook_that_takes_too_long_in_all_is_cut_short(course, monkeypatch):
    monkeypatch.setattr(grading, "TOTAL", 0.01)
    submission = solved(course, STEM)
    for cell in submission.cells[-4:]:
        cell.source = cell.source.replace("mended(", "my_mended(")
    submission.cells[0].update(
        cell_type="code", source="import time\n\ntime.sleep(1)", outputs=[], execution_count=None
    )
    result = graded(course, STEM, submission)
    assert any(note["person"] and "took too long in all" in note["text"] for note in result["notes"])


@needs_sandbox
def test_what_goes_wrong_in_grading_itself_is_for_a_person_and_costs_nobody_else(course, monkeypatch):
    monkeypatch.setattr(grading, "restore", lambda *_: 1 / 0)
    assert graded(course, STEM, solved(course, STEM))["unjudged"] == (
        "grading stopped with ZeroDivisionError: division by zero"
    )


def test_a_student_without_a_file_is_listed(course, tmp_path):
    folder = course / "collected" / STEM
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "collected.json").write_text('{"late": {"file": null, "notes": []}}')
    desk.grade("01", course, 1, None, 20, True, {"ATTENTION_SEED": SECRET}, personal=False)
    reports.write(tmp_path, notebook(course, "release", STEM), desk._collected(course, STEM), {}, {})
    assert "nothing was handed in" in (tmp_path / "scores.csv").read_text()
