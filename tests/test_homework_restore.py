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

TABLE = tomllib.loads((ROOT / "tests" / "names.toml").read_text("utf-8"))
LONG = [" " * 100_000 + "a" * 99_000 + " $", "!l\n" * 60_000]  # which would take IPython too long
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
    first = "import numpy as np\nimport torch\nfrom math import log, sqrt\n\n"
    cells = [f"{first}np.set_printoptions(precision=3)\ntorch.manual_seed(0)", "def helper(x):\n    return sqrt(x)"]
    cells += ["print(helper(2))", "value = helper(4)\nother = np.zeros(3)"]
    assert names.needed(cells, {"value"}) == f"from math import sqrt\n{cells[1]}\nvalue = helper(4)"
    assert names.needed(cells, {"np"}).splitlines() == ["import numpy as np", "np.set_printoptions(precision=3)"]
    assert names.needed(cells, {"nothing"}) == ""


@pytest.mark.parametrize(("source", "bound", "used"), TABLE["bound"])
def test_names_are_read_from_code(source, bound, used):
    assert names.find_bound_and_used(source) == ({*bound}, {*used})


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


@pytest.mark.parametrize(("source", "plain"), TABLE["plain"] + [(source, source) for source in LONG])
def test_magic_is_left_out_and_what_it_times_is_run(source, plain):
    assert names.python_only(source) == plain
