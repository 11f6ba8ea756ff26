"""The machine with all its parts as an assignment: the chapters' exercises again, and each part judged by itself."""

import csv
import json
import re

import numpy as np
import pytest
from classroom import cell_of, chapter, homework, needs_sandbox, release, solved, statuses

from attention_course import checks
from attention_course.machine import PARTS, Machine
from book.catalogue import translate_copy
from book.chapter import CHAPTERS, TITLE, exercises, last_cell, make_student_copy, read
from homework.chapter import ASSIGNMENTS

WRONG = {  # part: what is changed in its solution, and where the machine finds it
    "attention": ("axis=-1, keepdims=True)", "axis=0)", "attention, letter 2, block 1, head 1: output[0, 0] is "),
    "softmax": ("= scores / temp", "= 2 * scores / temp", "softmax, letter 1: weights[0] is "),
    "projections": ("X @ W_q, X @ W_k", "X @ W_k, X @ W_q", "projections, letter 1, block 1, head 1: query[0, 0] is "),
    "mask": ("return causal &", "return", "mask: mask has shape (3, 1, 13); expected (3, 13, 13)."),
    "heads": ("(weights @ v)", "(weights @ v[::-1])", "heads, letter 1, block 1: output[0, 0] is "),
    "block": ("x = x + attend", "x = attend", "block, letter 1, block 1: x[0, 0] is "),
    "loss": ("words[:, 1:]", "words[:, :-1]", "loss, letter 1: surprise[0, 0] is "),
    "merge": ("shrink @ total", "total.sum()", "merge, letter 2, block 1, head 1: output[0] is "),
    "tokenize": ("list(text)", "text.split()", "tokenize: the pieces are ['ada'], the package's ['a', 'd', 'a']"),
    "loop": ("append(number)", "insert(0, number)", "loop: yours writes 'dam', the package's 'mad'"),
}


def machine():
    return chapter(len(ASSIGNMENTS))


def break_part(copy, name):
    old, new, _ = WRONG[name]
    cell = cell_of(copy, f"exmachine-{name}")
    assert old in cell.source
    cell.source = cell.source.replace(old, new)
    return copy


def list_forms(copy):
    """{stub: its prompt without the number, its check and its points} of a student copy."""
    forms = {}
    for one in exercises(copy):
        above = reversed(copy.cells[: copy.cells.index(one.solution)])
        prompt = next(cell.source for cell in above if cell.cell_type == "markdown" and TITLE.search(cell.source))
        call = one.check.source.rpartition("\n\n")[2]
        forms[one.solution.source] = re.split(r"^\*\*\d+", prompt, flags=re.M)[1].strip(), call, one.points
    return forms


def test_its_exercises_are_those_of_the_chapters():
    theirs, own = {}, list_forms(machine().release)
    for path in CHAPTERS:
        theirs |= list_forms(make_student_copy(read(path)))
    assert {stub: theirs.get(stub) for stub in [*own][:-1]} == dict([*own.items()][:-1])
    assert [one.name.partition("-")[2] for one in machine().exercises] == [*PARTS, "all"]


def test_the_last_cell_of_a_copy_calls_all_checks(capsys):
    exec("import numpy as np", names := {})
    for one in exercises(machine().source)[:-1]:
        exec(one.solution.source, names)
    exec(last_cell(machine().release, "machine"), names)
    *right, last, _ = capsys.readouterr().out.splitlines()
    assert [line[:6] for line in right] == ["Right:"] * 10
    assert last.startswith("11. Write it is still open. name 'names'")


@needs_sandbox
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_part_costs_its_own_points_and_the_report_says_where_it_differs(name):
    result = machine().graded(break_part(machine().solved(), name))
    wrong = {one for one, status in statuses(result).items() if status != "right"}
    last = result["exercises"]["exmachine-all"]
    users = {"exmachine-heads"} if name == "softmax" else set()  # whose solution calls it
    assert wrong == {f"exmachine-{name}", "exmachine-all"} | users
    assert (last["status"], last["share"]) == ("partly right", 1 - len(wrong - {"exmachine-all"}) / 10)
    assert last["message"].startswith(f"Not yet. {WRONG[name][2]}")
    json.dumps(result)


@needs_sandbox
def test_the_desk_hands_it_out_and_grades_it(tmp_path):
    release(tmp_path, "machine")
    eun, cho = (break_part(solved(tmp_path, "machine"), "attention"), solved(tmp_path, "machine"))
    cell_of(cho, "exmachine-loss").source = cell_of(machine().release, "exmachine-loss").source
    made = {"eun": translate_copy(eun, "homework/machine"), "cho": cho, "dan": machine().release}
    for name, copy in made.items():
        (tmp_path / "in" / name).mkdir(parents=True)
        (tmp_path / "in" / name / "machine.ipynb").write_text(json.dumps(copy))
    for command, place in (("collect", [tmp_path / "in"]), ("grade", []), ("report", [])):
        homework(command, "machine", *place, "--course", tmp_path)
    folder = tmp_path / "report" / "machine"
    rows = csv.DictReader((folder / "scores.csv").read_text("utf-8-sig").splitlines())
    scores = {row["student"]: row for row in rows}
    assert {name: row["total"] for name, row in scores.items()} == {"eun": "35", "cho": "35", "dan": "0"}
    assert {(row["of"], row["needs a person"]) for row in scores.values()} == {("39", "")}
    assert scores["dan"]["notes"].count("not attempted") == 11
    page = (folder / "students" / "eun.html").read_text()
    assert "attention, 글자 2, " in page and "11. 써 보기" in page


PACKAGE = Machine()
RIGHT = PACKAGE.write(6), "emmy", PACKAGE.read(["emmy"])
OWN = [*PARTS.values()]


@pytest.mark.parametrize(
    ("handed_in", "tenths", "said"),
    [
        ((RIGHT[0][::-1], *RIGHT[1:]), 9, "The names are not those"),
        ((7, *RIGHT[1:]), 9, "The names are not those"),
        ((*RIGHT[:2], RIGHT[2][0] + 1e-3), 9, "The surprise is not that of 'emmy'; expected an array with 5 numbers"),
        ((RIGHT[0], "anna", RIGHT[2]), 9, "The surprise is not that of 'anna'"),
        ((*RIGHT[:2], ["a", [1]]), 9, "The surprise is not that of"),
        ((RIGHT[0], "Emmy", RIGHT[2]), 9, "Your name can't be read: 'Emmy' has 'E'"),
        ((RIGHT[0], None, RIGHT[2]), 9, "Your name can't be read"),
        ((RIGHT[0][1:], "anna", None), 8, "The names are not those"),
    ],
)
def test_what_was_handed_in_is_what_the_machine_writes_and_reads(handed_in, tenths, said):
    with pytest.raises(checks.Wrong, match=re.escape(said)) as reply:
        checks.machine(*handed_in, *OWN)
    assert reply.value.share == tenths / 10


def test_right_results_in_other_forms_are_right_and_missing_ones_are_not_attempted(capsys):
    names, name, surprise = RIGHT
    for form in (surprise, surprise[0], surprise[0].round(5).tolist()):
        checks.machine(np.array(names), name, form, *OWN)
    assert capsys.readouterr().out.count("Right: all ten parts fit, and your machine writes mad, ") == 3
    for place in range(3):
        with pytest.raises(checks.NotAttempted):
            checks.machine(*RIGHT[:place], ..., *RIGHT[place + 1 :], *OWN)
    with pytest.raises(checks.Wrong, match="Your part loop is missing") as reply:
        checks.machine(*RIGHT, *OWN[:-1], ...)
    assert reply.value.share == 9 / 10
