"""`make run` leaves the right numbers in both editions, and lists what is to be read again."""

import nbformat
import polib
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tools import run_chapters

BINDING = '<!-- right, right, a, b; "At least", bool(right < 1) -->'
SENTENCES = f"At least 0.90 is right, or 90 %; it keeps 0.25 and 0.25.\n\n{BINDING}"
OPENING = "It ends at 0.1.\n\n<!-- end: loss -->"


@pytest.fixture
def chapter(tmp_path, monkeypatch):
    """The path of a small chapter that promises other numbers than it computes, and that of its catalogue."""
    monkeypatch.setattr(run_chapters, "ROOT", tmp_path)
    monkeypatch.setattr(run_chapters, "find_catalogue", lambda page: tmp_path / "ko.po")
    cells = ["right, a, b = 0.95, 0.5, 0.75\nprint(right)", SENTENCES, "loss = 0.26"]
    make = [new_code_cell, new_markdown_cell, new_code_cell]
    cells = [new_markdown_cell(OPENING), *(one(text) for one, text in zip(make, cells, strict=True))]
    nbformat.write(new_notebook(cells=cells), tmp_path / "page.ipynb")
    known = {
        "At least 0.90 is right, or 90 %; it keeps 0.25 and 0.25.": "적어도 0.90이 맞고 90 %예요. 0.25와 0.25예요.",
        "It ends at 0.1.": "0.1로 끝나요.",
    }
    po = polib.POFile(wrapwidth=0)
    po.extend(polib.POEntry(msgid=english, msgstr=korean) for english, korean in known.items())
    po.save(str(tmp_path / "ko.po"))
    return tmp_path / "page.ipynb", tmp_path / "ko.po"


def test_numbers_that_have_changed_are_rewritten_in_both_editions_and_listed(chapter):
    path, po = chapter
    listed = run_chapters.run(path)
    texts = [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "markdown"]
    now = "At least 0.95 is right, or 95 %; it keeps 0.50 and 0.75."
    assert texts == [OPENING.replace("0.1", "0.3"), SENTENCES.replace(SENTENCES.partition("\n")[0], now)]
    korean = {entry.msgid: entry.msgstr for entry in polib.pofile(str(po))}
    assert korean[now] == "적어도 0.95가 맞고 95 %예요. 0.50과 0.75예요."
    assert korean["It ends at 0.3."] == "0.3으로 끝나요."
    assert all(any(words in line for line in listed) for words in ("0.90 is now 0.95", "0.1 is now 0.3"))


@pytest.mark.slow
def test_a_second_run_changes_nothing(chapter):
    path, po = chapter
    run_chapters.run(path)
    before = path.read_text(), po.read_text()
    assert run_chapters.run(path) == [] and (path.read_text(), po.read_text()) == before


@pytest.mark.slow
def test_a_condition_that_no_longer_holds_and_an_expression_that_fails_are_listed(chapter):
    path, _ = chapter
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[2].source = SENTENCES.replace("right < 1", "right < 0.9").replace("a, b", "a, c")
    nbformat.write(notebook, path)
    listed = "\n".join(run_chapters.run(path))
    assert "bool(right < 0.9)) is False" in listed and "NameError" in listed


def test_a_translation_in_another_order_is_left_to_the_translator_if_it_is_not_clear_which_number_is_which():
    old, new = "From 0.25 to 0.25, by 0.5.", "From 0.25 to 0.75, by 0.5."
    assert run_chapters.translate_numbers(old, new, "0.25에서 0.25까지 0.5") == "0.25에서 0.75까지 0.5"
    assert run_chapters.translate_numbers(old, new, "0.5로 0.25에서 0.25까지") is None
