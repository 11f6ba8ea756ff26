"""A notebook in another language is graded like one in English."""

from dataclasses import replace
from functools import cache

import nbformat
from classroom import homework, needs_sandbox

from book.catalogue import translate_copy
from book.chapter import CHAPTERS, add_last_cell, language, make_student_copy, read
from homework import grade as grading
from homework import release as releasing
from homework.check import prepare
from homework.grade import grade


@needs_sandbox
def test_where_grading_stops_it_costs_nobody_else_and_the_language_of_the_notebook_is_known(monkeypatch):
    chapter = CHAPTERS[0]
    copy = translate_copy(make_student_copy(read(chapter)), f"chapters/{chapter.stem}")
    task = prepare(nbformat.writes(copy).encode())
    monkeypatch.setattr(grading, "Run", None)  # which cannot be called
    stopped, cut = grade(task), grade(replace(task, data=task.data[:20_000]))
    assert stopped["unjudged"] == "grading stopped with TypeError: 'NoneType' object is not callable"
    assert stopped["again"] and not stopped.get("unreadable")
    assert "broken off" in cut["unjudged"] and cut["unreadable"]
    assert stopped["language"] == cut["language"] == "ko"


def test_a_book_without_an_address_is_handed_out_offline_in_both_languages(tmp_path, monkeypatch):
    """Copies in the first language stay where they are, the others are in a folder beside them."""
    monkeypatch.setattr(releasing, "find_address", lambda: "https://github.com/OWNER/book")
    monkeypatch.setattr(releasing, "find_package", cache(releasing.find_package))  # packs it once
    refusal = homework("release", "01", "--course", tmp_path, fails=True)
    assert all(words in refusal for words in ("https://github.com/OWNER/", "make repository URL=", "--offline"))
    for name in ("ko", "en", "ko", "en"):
        homework("release", "01", "--course", tmp_path, "--offline", "--language", name)
    release, own = tmp_path / "release" / "01_definition", add_last_cell(make_student_copy(read(CHAPTERS[0])), "01")
    copies = {path.parent.name: read(path) for path in release.rglob("*.ipynb")}
    found = {place: language(cell.source for cell in copy.cells) for place, copy in copies.items()}
    assert found == {release.name: "ko", "en": None}
    for copy in copies.values():
        codes = ([cell.id for cell in one.cells if cell.cell_type == "code"] for one in (copy, own))
        assert next(codes) == next(codes)
    korean, english = copies[release.name].cells, copies["en"].cells
    assert "어텐션" in korean[0].source and 'ATTENTION_LANG", "ko"' in korean[1].source
    assert "'1. 써 보기': lambda: checks.attention(my_attention)" in korean[-1].source
    wheel, beside = release.rglob("attention_src-*.whl")
    assert wheel.name == beside.name and english[1].source.endswith(f"    %pip install -q {wheel.name}")
