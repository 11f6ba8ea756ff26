"""Predict, then see: each prediction is followed by its answer, which is folded, and offers choices."""

import re

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from book.chapter import CHAPTERS, code, is_figure, read, tags, with_answers_folded

CHOICE = re.compile(r'<details class="(choice[^"]*)">\n?<summary>[^\n]+</summary>\n\n')
each_chapter = pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)


def list_problems(notebook):
    """Yield what is wrong with the predictions of a chapter."""
    cells, offered, answered = notebook.cells, 0, False
    for i, cell in enumerate(cells):
        predicts = cell.cell_type == "markdown" and "**Predict" in cell.source
        is_answer = "answer" in tags(cell)
        name = repr(cell.source[-70:])
        if predicts and not (i + 1 < len(cells) and "answer" in tags(cells[i + 1])):
            yield f"no answer follows {name}"
        if is_answer and not answered and not (i and "**Predict" in cells[i - 1].source):
            yield f"an answer without a prediction before it: {name}"
        if is_answer and (predicts or re.search("^#", cell.source, re.M)) and cell.cell_type == "markdown":
            yield f"an answer that predicts, or opens a section: {name}"
        choices = CHOICE.findall(cell.source)
        if len(choices) != cell.source.count('<details class="choice'):
            yield f"a choice without a summary and a blank line: {name}"
        if choices and not (predicts and 2 <= len(choices) <= 4 and choices.count("choice right") == 1):
            yield f"choices that are not two to four, one of them right, after a prediction: {name}"
        offered, answered = offered + bool(choices), is_answer
    if offered < 3:
        yield f"{offered} predictions offer choices, not at least 3"
    figures = sum(map(is_figure, code(notebook)))
    if not 3 <= figures <= 8:
        yield f"{figures} figures, not 3 to 8"


@each_chapter
def test_each_prediction_has_its_choices_and_its_answer(path):
    assert list(list_problems(read(path))) == []


QUESTION = "**Predict.** More?\n\n" + "".join(
    f'<details class="choice{right}">\n<summary>{text}</summary>\n\nSo.\n\n</details>\n\n'
    for text, right in (("yes", ""), ("no", " right"))
)


def find_problems(*cells):
    """Return what is found in a chapter of such cells, apart from what is too few."""
    return [
        problem.split(":")[0] for problem in list_problems(new_notebook(cells=cells)) if "not at least" not in problem
    ][:-1]


def tag_as_answer(cell):
    cell.metadata.tags = ["answer"]
    return cell


@pytest.mark.parametrize(
    ("cells", "found"),
    [
        ([new_markdown_cell(QUESTION), tag_as_answer(new_code_cell("1"))], []),
        ([new_markdown_cell("**Predict.** More?"), new_code_cell("1")], ["no answer follows '**Predict.** More?'"]),
        ([tag_as_answer(new_code_cell("1"))], ["an answer without a prediction before it"]),
        (
            [new_markdown_cell(QUESTION.replace(" right", "")), tag_as_answer(new_code_cell("1"))],
            ["choices that are not two to four, one of them right, after a prediction"],
        ),
        (
            [new_markdown_cell(QUESTION.replace("</summary>\n", "</summary>")), tag_as_answer(new_code_cell("1"))],
            ["a choice without a summary and a blank line"],
        ),
    ],
)
def test_a_planted_fault_is_found(cells, found):
    assert find_problems(*cells) == found


def test_a_copy_that_is_handed_out_shows_no_answer():
    for path in CHAPTERS:
        copy = with_answers_folded(read(path))
        for cell in (cell for cell in copy.cells if "answer" in tags(cell)):
            assert cell.source.startswith("<details>") if cell.cell_type == "markdown" else cell.outputs == []
