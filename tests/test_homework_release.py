"""Student copies: no solution, no hidden check, everything else kept; with the solutions put back, full marks."""

import re

import pytest
from classroom import graded, needs_sandbox, notebook, solved, statuses
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from homework import desk
from homework.chapter import Unclear, calls, find
from tools.chapter import CHAPTERS, ROOT, grade_id, read, student_copy

STEMS = [path.stem for path in CHAPTERS]


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    course = tmp_path_factory.mktemp("class")
    desk.release([], course, None, {}, personal=False)
    return course


def graded_cells(notebook):
    return [cell for cell in notebook.cells if grade_id(cell)]


@pytest.mark.parametrize("stem", STEMS)
def test_no_solution_is_in_the_student_copy(course, stem):
    text = (course / "release" / stem / f"{stem}.ipynb").read_text()
    assert "BEGIN SOLUTION" not in text and "END SOLUTION" not in text
    copy = "\n".join(cell.source for cell in graded_cells(notebook(course, "release", stem)))
    for cell in graded_cells(notebook(course, "source", stem)):
        for region in re.findall(r"### BEGIN SOLUTION\n(.*?)### END", cell.source, re.S):
            assert max((line.strip() for line in region.splitlines()), key=len) not in copy


@pytest.mark.parametrize("stem", STEMS)
def test_every_solution_cell_has_its_stub_and_no_check_has_a_seed(course, stem):
    cells = graded_cells(notebook(course, "release", stem))
    assert all("raise NotImplementedError()" in cell.source and not cell.outputs for cell in cells[::2])
    assert all(not cell.outputs for cell in cells)
    assert [option for cell in cells[1::2] for call in calls(cell.source) for option in call.options] == []


@pytest.mark.parametrize("stem", STEMS)
def test_everything_else_is_as_in_the_chapter_outputs_included(course, stem):
    chapter, copy = read(ROOT / "chapters" / f"{stem}.ipynb"), notebook(course, "release", stem)
    assert len(chapter.cells) == len(copy.cells)
    for cell, copied in zip(chapter.cells, copy.cells, strict=True):
        if not grade_id(cell):
            assert cell == copied


@pytest.mark.parametrize("stem", STEMS)
def test_the_student_copy_on_the_site_has_the_same_cells(course, stem):
    site = student_copy(read(ROOT / "chapters" / f"{stem}.ipynb"))
    copy = notebook(course, "release", stem)
    assert [cell.source for cell in site.cells] == [cell.source for cell in copy.cells]


def test_the_student_copy_runs_up_to_the_first_exercise(course):
    copy = notebook(course, "release", "01_definition")
    with pytest.raises(CellExecutionError, match="NotImplementedError"):
        NotebookClient(copy, resources={"metadata": {"path": str(ROOT / "chapters")}}, timeout=120).execute()
    last = max(i for i, cell in enumerate(copy.cells) if cell.cell_type == "code" and cell.execution_count)
    assert grade_id(copy.cells[last]).startswith("ex01-attention")


@needs_sandbox
@pytest.mark.parametrize("stem", STEMS)
def test_with_the_solutions_put_back_every_exercise_is_right_and_nothing_is_odd(course, stem):
    result = graded(course, stem, solved(course, stem))
    assert (set(statuses(result).values()), result["notes"]) == ({"right"}, []), result


@needs_sandbox
@pytest.mark.parametrize("stem", STEMS)
def test_an_untouched_student_copy_is_not_attempted_and_not_wrong(course, stem):
    result = graded(course, stem, notebook(course, "release", stem))
    assert set(statuses(result).values()) == {"not attempted"}, result


@pytest.mark.parametrize(
    "source",
    ["assert my_attention", "checks.nothing(f)", "checks.attention(lambda q: q)", "print(checks.attention(f))"],
)
def test_a_check_cell_that_is_more_than_calls_of_checks_is_refused(source):
    with pytest.raises(Unclear, match=r"expected checks\.NAME"):
        calls(source)


def test_a_chapter_that_does_not_exist_is_named():
    with pytest.raises(Unclear, match="There is no chapter '77'; expected one of 01, 02"):
        find("77")
