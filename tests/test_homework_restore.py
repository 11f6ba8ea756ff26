"""Restoring: by id, by nbgrader's name, by the names it defines, by likeness; what is less than certain is noted."""

import copy
import json
import tomllib

import nbformat
import pytest
from nbformat.v4 import new_code_cell

from book import names
from book.chapter import CHAPTERS, ROOT, grade_id, read, student_copy
from homework.chapter import read_exercises
from homework.grade.judge import Verdict
from homework.grade.read import Unreadable, find_other_chapter
from homework.grade.read import read as read_cells
from homework.grade.restore import restore
from homework.grade.write import write_notebook

DEPENDS_ON = ("homework/", "attention_course/checks/", "chapters/01", "chapters/02", "chapters/03", "pyproject.toml")
ANSWER = "def my_attention(query, key, value):\n    return 1, 2"
RENAMED = ANSWER.replace("my_attention", "attend") + "\n    raise NotImplementedError()"


@pytest.fixture(scope="module")
def chapter():
    """Chapter 01 and a student copy of it."""
    source = read(CHAPTERS[0])
    return source, student_copy(copy.deepcopy(source))


@pytest.fixture
def handed_in(chapter):
    return copy.deepcopy(chapter[1])


def restored(chapter, submission):
    source, release = chapter
    return restore(read_cells(json.dumps(submission).encode()), release, read_exercises(source, release))


def cell_of(submission, name):
    return next(cell for cell in submission.cells if grade_id(cell) == name)


def notes(result):
    return {(note.exercise, note.text, note.person) for note in result.notes}


def test_an_answer_is_found_by_its_id_and_nothing_is_noted(chapter, handed_in):
    cell_of(handed_in, "ex01-attention").source = ANSWER
    result = restored(chapter, handed_in)
    assert (result.own, result.answers, result.notes) == ([ANSWER], {"ex01-attention": 0}, [])


@pytest.mark.parametrize(
    ("answer", "lost", "way", "person"),
    [
        (ANSWER, {"id"}, "nbgrader's name", False),
        (ANSWER, {"id", "metadata"}, "the name it defines", False),
        (RENAMED, {"id", "metadata"}, "likeness", True),
    ],
)
def test_an_answer_that_lost_its_marks_is_found_another_way(chapter, handed_in, answer, lost, way, person):
    cell = cell_of(handed_in, "ex01-attention")
    cell.source = answer
    if "id" in lost:
        cell.id = "other"
    if "metadata" in lost:
        cell.metadata.clear()
    result = restored(chapter, handed_in)
    assert result.answers == {"ex01-attention": 0}
    assert [note.person for note in result.notes] == ([True] if person else [])


def test_of_two_different_answers_the_last_counts_and_a_person_looks(chapter, handed_in):
    cell_of(handed_in, "ex01-attention").source = ANSWER
    handed_in.cells.append(copy.deepcopy(cell_of(handed_in, "ex01-attention")))
    handed_in.cells[-1].source = ANSWER.replace("1, 2", "3, 4")
    result = restored(chapter, handed_in)
    assert result.own[result.answers["ex01-attention"]].endswith("3, 4")
    assert ("ex01-attention", "2 different answers; the last one counts", True) in notes(result)


def test_an_edited_check_is_not_taken_for_an_answer(chapter, handed_in):
    cell_of(handed_in, "ex01-doubled-check").source = "checks.doubled_query(0.804)"
    result = restored(chapter, handed_in)
    assert result.answers == {} and result.notes == []


def test_nbgraders_notebook_has_the_chapters_form_whatever_was_handed_in(chapter, handed_in):
    cell_of(handed_in, "ex01-attention").source = ANSWER
    handed_in.cells.reverse()
    handed_in.cells.insert(0, new_code_cell("x = 1"))
    source, release = chapter
    tasks = read_exercises(source, release)
    result = restored(chapter, handed_in)
    made = write_notebook(release, result, tasks, {task.name: Verdict("right", "ok") for task in tasks})
    assert [*filter(None, map(grade_id, made.cells))] == [*filter(None, map(grade_id, release.cells))]
    assert cell_of(made, "ex01-attention").source == ANSWER
    assert cell_of(made, "ex01-attention-check").source == cell_of(release, "ex01-attention-check").source
    assert sum(cell.source.endswith("x = 1") for cell in made.cells) == 1
    nbformat.validate(made)


@pytest.mark.parametrize("path", CHAPTERS[1:3], ids=lambda path: path.stem)
def test_another_chapter_is_recognised_also_without_ids(chapter, path):
    other = read(path)
    for cell in other.cells:
        cell.id = f"x{hash(cell.source) % 10**9}"
    assert find_other_chapter(read_cells(nbformat.writes(other).encode()), chapter[1]) == path.stem


def test_a_few_cells_of_ones_own_are_noother_chapter(chapter):
    assert find_other_chapter(read_cells(json.dumps({"cells": [new_code_cell(ANSWER)]}).encode()), chapter[1]) is None


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the file is empty"),
        (b"\xff\xfe\x00", "begins with the bytes"),
        (b"hello", "JSONDecodeError in what begins with 'hello'"),
        (b"[" * 100_000, "RecursionError"),
        (b"[]", "no list of cells"),
        (b'{"cells": []}', "has no code"),
    ],
)
def test_what_is_no_notebook_is_named(data, reason):
    with pytest.raises(Unreadable, match=reason):
        read_cells(data)


def test_strange_cells_lose_what_no_file_could_hold():
    cells = [{"cell_type": "code", "source": ["a = '\ud800'\r\n", 5, "b\x00"]}, {"cell_type": 3}, "x", {}]
    cell, *others = read_cells(json.dumps({"cells": cells}).encode())
    assert cell.source == "a = '?'\nb" and [other.source for other in others] == ["", ""]


def test_of_a_chapter_only_what_is_wanted_runs_and_what_that_needs():
    cells = [
        "import numpy as np\nimport torch\nfrom math import log, sqrt\n\nnp.set_printoptions(precision=3)\n"
        "torch.manual_seed(0)",
        "def helper(x):\n    return sqrt(x)",
        "print(helper(2))",
        "value = helper(4)\nother = np.zeros(3)",
    ]
    assert names.needed(cells, {"value"}) == f"from math import sqrt\n{cells[1]}\nvalue = helper(4)"
    assert names.needed(cells, {"np"}).splitlines() == ["import numpy as np", "np.set_printoptions(precision=3)"]
    assert names.needed(cells, {"nothing"}) == ""


@pytest.mark.parametrize(
    ("source", "bound", "used"),
    [
        ("x = y + 1", {"x"}, {"y"}),
        ("def f(a):\n    return a + g(h)", {"f"}, {"g", "h"}),
        ("class A:\n    def m(self):\n        return z", {"A"}, {"z"}),
        ("for i in range(n):\n    t += i", {"i", "t"}, {"range", "n", "i"}),
        ("import a.b as c\nfrom d import e", {"c", "e"}, set()),
        ("x[0] = 1", set(), {"x"}),
        ("x = await f(y)", {"x"}, {"f", "y"}),
        ("this is no Python", set(), set()),
    ],
)
def test_names_are_read_from_code(source, bound, used):
    assert names.bound_and_used(source) == (bound, used)


@pytest.mark.parametrize(
    ("source", "plain"),
    [
        ("%matplotlib inline\nx = 1", "pass\nx = 1"),
        ("if a:\n    !ls\n", "if a:\n    pass\n"),
        ("np.exp?\nx = 1", "pass\nx = 1"),
        ("x = 5 % 3", "x = 5 % 3"),
        ("%%time\nx = 1", "pass\nx = 1"),
        ("%time x = 1", "x = 1"),
        ("x = !ls\n  y = %pwd", "x = []\n  y = []"),
        ("!ls\nx = (7\n  % 5)", "pass\nx = (7\n  % 5)"),
        (" " * 100_000 + "a" * 99_000 + " $", " " * 100_000 + "a" * 99_000 + " $"),
    ],
)
def test_magic_is_left_out(source, plain):
    assert names.python_only(source) == plain


def test_the_packages_functions_are_known_by_their_own_names():
    sources = ["from attention_src import softmax as soft, plots", "from attention_src.scores import dot_score"]
    assert names.package_names([*sources, "import numpy"]) == {
        "soft": "softmax",
        "plots": "plots",
        "dot_score": "dot_score",
    }


def test_homework_is_no_part_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert project["tool"]["setuptools"]["packages"]["find"]["include"] == ["attention_src*", "attention_course*"]
