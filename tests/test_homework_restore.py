"""Restoring the bad class without running it: answers are found whatever happened to them; what is odd is noted.

Then how names are read from code (`book/names.py`), on which restoring depends.
"""

import ast
import re
import tomllib

import pytest
from bad_class import CLASS, GROUPS, submission
from bad_class import EXERCISES as ANSWERS
from classroom import cell_of, chapter

from book import names
from book.chapter import ROOT
from homework.grade.read import Unreadable, normalise, read
from homework.grade.restore import restore

RIGHT = GROUPS["right"]
RENAMED = ("known-by-its-id-alone", "known-by-nbgraders-name-alone")
ODD = ("looks-alike", "answers-in-words", "answers-in-words-and-code")


def restore_submission(name):
    return restore(read(submission(name)), chapter(1).release, chapter(1).exercises)


@pytest.mark.parametrize("name", [*RIGHT, *RENAMED, *ODD])
def test_answers_are_found_whatever_happened_and_a_person_looks_where_it_is_less_than_certain(name):
    restored, right = restore_submission(name), chapter(1).solved()
    for_person = "; ".join(note.text for note in restored.notes if note.person)
    assert bool(for_person) == bool(CLASS[name].person) and CLASS[name].person in for_person
    if name in (*ODD, "defines-it-elsewhere"):
        return  # other answers than those of the chapter
    if name in RENAMED:
        cell_of(right, "ex01-attention").source = cell_of(right, "ex01-attention").source.replace("my_attention", "f")
    assert restored.answers.keys() == {exercise.name for exercise in chapter(1).exercises}
    for exercise, place in restored.answers.items():
        assert normalise(restored.own[place]).startswith(normalise(cell_of(right, exercise).source))
        assert "\r" not in restored.own[place]


def test_nothing_is_taken_for_an_answer_in_an_untouched_copy_or_an_edited_check():
    chapter_1 = chapter(1)
    cells = read(submission("checks-edited"))
    for cell in cells:
        cell.source = cell_of(chapter_1.release, cell.grade_id).source if cell.grade_id in ANSWERS else cell.source
    restored = restore(cells, chapter_1.release, chapter_1.exercises)
    assert (restored.answers, restored.notes, restored.own) == ({}, [], ["print('Right: all of it')"])


@pytest.mark.parametrize("name", GROUPS["unreadable"])
def test_what_cannot_be_judged_has_a_reason(name):
    with pytest.raises(Unreadable, match=f"^(?s:.*){re.escape(CLASS[name].person)}"):
        restore_submission(name)


def test_strange_cells_lose_what_no_file_could_hold():
    (source,) = [cell.source for cell in read(submission("strange-cells")) if "no file can hold" in cell.source]
    assert source.endswith("# no file can hold ? and ")


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
        ("for i in range(n):\n    t += i", {"i", "t"}, {"range", "n", "i", "t"}),
        ("y = [x for x in data]", {"y"}, {"data"}),
        ("y = {k: v for k, v in data if v > k}, {z for z in y}", {"y"}, {"data", "y"}),
        ("import a.b as c\nfrom d import e", {"c", "e"}, set()),
        ("x[0] = 1", set(), {"x"}),
        ("x = await f(y)", {"x"}, {"f", "y"}),
        ("async with a as b:\n    c = [d async for d in e]", {"b", "c"}, {"a", "e"}),
        ("async for i in y:\n    q = await r(i)", {"i", "q"}, {"y", "r", "i"}),
        ("this is no Python", set(), set()),
    ],
)
def test_names_are_read_from_code(source, bound, used):
    assert names.find_bound_and_used(source) == (bound, used)


def test_no_comprehension_reaches_the_tables_of_symbols(monkeypatch):
    """From Python 3.12 they count its variables to the code around, so that a chapter would run too much."""
    given, real = [], names.symtable.symtable
    monkeypatch.setattr(names.symtable, "symtable", lambda source, *how: given.append(source) or real(source, *how))
    names.find_bound_and_used("x = [a for a in {b for b in {c: d for c, d in e}}]\ndef f():\n    return [g for g in h]")
    inlined = ast.ListComp | ast.SetComp | ast.DictComp
    assert given and not [node for node in ast.walk(ast.parse("\n".join(given))) if isinstance(node, inlined)]
    cells = ["x = costly()", "squares = [x for x in range(3)]"]
    names.statements.cache_clear()
    assert names.needed(cells, {"squares"}) == cells[1]


@pytest.mark.parametrize(
    ("source", "plain"),
    [
        ("%matplotlib inline\nx = 1", "pass\nx = 1"),
        ("if a:\n    !ls\n", "if a:\n    pass"),
        ("np.exp?\nx = 1\n?np", "pass\nx = 1\npass"),
        ("x = 5 % 3", "x = 5 % 3"),
        ("%%time\nx = 1", "pass\nx = 1"),
        ("%%capture out\n%%time\n%time x = 1", "pass\nx = 1"),
        ("%%bash\nls -l", "pass"),
        ("%time x = 1", "x = 1"),
        ("%timeit -n 1 -r 2 f(x)", "f(x)"),
        ("out = %time f(x)", "out = f(x)"),
        ("x: int = %time f()", "x: int = f()"),
        ("x = !ls\ny = %pwd", "x = []\ny = []"),
        ("!ls\nx = (7\n  % 5)", "pass\nx = 7 % 5"),
        ("%load_ext a\nprint('%d'\n  '%d' % (1, 2))", "pass\nprint('%d%d' % (1, 2))"),
        ("%%time\n'''what\nis this?\n'''", "pass\n'''what\nis this?\n'''"),
        ("!pip install a \\\n  b\nx = 1", "pass\nx = 1"),
        (
            "for i in y:\n    %time await f(i)\n    if i:\n        !ls\n  # b",
            "for i in y:\n    await f(i)\n    if i:\n        pass",
        ),
        ("!ls (\nx = 1\n!echo it's\ny = 2", "pass\nx = 1\npass\ny = 2"),
        (">>> x = 1\n>>> !ls", "x = 1\npass"),
        (" " * 100_000 + "a" * 99_000 + " $", " " * 100_000 + "a" * 99_000 + " $"),
        ("!l\n" * 60_000, "!l\n" * 60_000),
    ],
)
def test_magic_is_left_out_and_what_it_times_is_run(source, plain):
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
