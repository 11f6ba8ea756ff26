"""Student copies: no solution, no hidden check, everything else kept; with the solutions put back, full marks."""

import re
import sys
from copy import deepcopy
from types import SimpleNamespace

import pytest
from classroom import Chapter, cell_of, needs_sandbox, notebook, release, statuses

from book.chapter import fold_answers, grade_id, make_student_copy, read
from book.repository import find_address
from homework.chapter import ASSIGNMENTS, Unclear, find_chapter, read_calls
from homework.release import find_version, hand_out

STEMS = [path.stem for path in ASSIGNMENTS]


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    course = tmp_path_factory.mktemp("class")
    release(course, *STEMS)
    return course


@pytest.mark.parametrize("stem", STEMS)
def test_every_solution_has_its_stub_and_no_check_has_a_seed_or_an_output(course, stem):
    source, copy = (filter(grade_id, notebook(course, kind, stem).cells) for kind in ("source", "release"))
    cells = [*copy]
    text = "\n".join(cell.source for cell in cells)
    assert "SOLUTION" not in (course / "release" / stem / f"{stem}.ipynb").read_text()
    for cell in source:
        for region in re.findall(r"### BEGIN SOLUTION\n(.*?)### END", cell.source, re.S):
            assert max((line.strip() for line in region.splitlines()), key=len) not in text
    assert all("raise NotImplementedError()" in cell.source for cell in cells[::2])
    assert all(not cell.outputs for cell in cells)
    assert [option for cell in cells[1::2] for call in read_calls(cell.source) for option in call.options] == []


@pytest.mark.parametrize("stem", STEMS)
def test_everything_else_is_as_in_the_chapter_its_answers_folded_and_as_on_the_site(course, stem):
    chapter, copy = read(find_chapter(stem)), notebook(course, "release", stem)
    site, chapter = (fold_answers(one) for one in (make_student_copy(deepcopy(chapter)), chapter))
    install, *rest = [pair for pair in zip(chapter.cells, copy.cells, strict=False) if not grade_id(pair[0])][1:]
    assert len(chapter.cells) == len(copy.cells) - 1 and all(cell == copied for cell, copied in rest)
    book = f"git+{find_address()}"
    assert install[1].source == install[0].source.replace(book, "attention-src")
    assert [cell.source for cell in site.cells][2:] == [cell.source for cell in copy.cells][2:-1]


@needs_sandbox
@pytest.mark.parametrize("number", range(1, len(STEMS) + 1))
def test_solved_is_right_untouched_is_not_attempted_and_nothing_is_odd(number):
    chapter = Chapter(number)
    for handed_in, status in ((chapter.solved(), "right"), (chapter.release, "not attempted")):
        result = chapter.graded(handed_in)
        assert (set(statuses(result).values()), result["notes"]) == ({status}, []), result


@needs_sandbox
def test_what_the_prompt_does_not_forbid_is_noticed_and_no_work_for_a_person():
    chapter = Chapter(6)
    submission = chapter.solved()
    cell_of(submission, "ex06-heads").source = """from attention_src import scaled_dot_product_attention


def my_heads(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    parts = [(X @ W).reshape(len(X), num_heads, -1).swapaxes(0, 1) for W in (W_q, W_k, W_v)]
    output, weights = scaled_dot_product_attention(*parts, mask)
    return output.swapaxes(0, 1).reshape(len(X), -1) @ W_o, weights"""
    result = chapter.graded(submission)
    assert set(statuses(result).values()) == {"right"}
    (note,) = result["notes"]
    assert note["text"].startswith("calls scaled_dot_product_attention") and not note["person"]


@pytest.mark.parametrize(("beside", "asked"), [(True, 0), (False, 1)])
@pytest.mark.parametrize("number", [1, 12])
def test_colab_asks_for_the_package_of_an_offline_copy(tmp_path, monkeypatch, number, beside, asked):
    """The cell as it is, with its one line for pip in the form of a function; Colab's module is what is not here."""
    wheel, uploaded, installed = "attention_src-9-py3-none-any.whl", [], []
    source = hand_out(Chapter(number).release, STEMS[number - 1], wheel).cells[1].source
    colab = SimpleNamespace(files=SimpleNamespace(upload=lambda: uploaded.append(wheel)))
    monkeypatch.setitem(sys.modules, "google.colab", colab)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.chdir(tmp_path)
    if beside:
        (tmp_path / wheel).touch()
    exec(re.sub(r"%pip install -q (.+)", r"install('\1')", source), {"install": installed.append})
    assert (len(uploaded), [name.strip('"').partition("[")[0] for name in installed]) == (asked, [wheel])


@needs_sandbox
def test_the_commit_is_pinned_and_another_version_is_noted():
    chapter = Chapter()
    address = "git+https://github.com/you/your-fork@"
    handed_in = hand_out(chapter.solved(), "01_definition", address + "a" * 40)
    chapter.release = hand_out(chapter.release, "01_definition", address + "b" * 40)
    assert find_version(handed_in.cells) == "a" * 40
    notes = [note["text"] for note in chapter.graded(handed_in)["notes"]]
    assert notes == ["installs version aaaaaaaaaa of the package; bbbbbbbbbb was handed out"]


@pytest.mark.parametrize(
    "source",
    ["assert my_attention", "checks.nothing(f)", "checks.attention(lambda q: q)", "print(checks.attention(f))"],
)
def test_a_check_cell_that_is_more_than_calls_of_checks_is_refused(source):
    with pytest.raises(Unclear, match=r"expected checks\.NAME"):
        read_calls(source)


def test_a_chapter_that_does_not_exist_is_named():
    with pytest.raises(Unclear, match="There is no chapter '77'; expected one of 01, 02"):
        find_chapter("77")
