"""The pages about the notes say what the inputs of the notes say today, and no chapter repeats a misprint."""

import re
from collections import Counter

import numpy as np
import pytest

from tools import notes
from tools.chapter import CHAPTERS, printed, read, tags
from tools.errata_page import CLAIMS, GUIDE, PAGES, computed, headings, link, path_of
from tools.notes import GIVES, ROWS, findings, judge, misprints, reason, slips
from tools.passages import LETTERS, NOTES, PASSAGES, REASONS, WORDS

# what was found to be wrong or imprecise when every claim of the notes was checked
WRONG = """LUO-03 QKV-10 QKV-11 SCO-09 SMX-06 SMX-07 SMX-11 SMX-14 SVC-07 WEX-03 WEX-05 WEX-06 WEX-08 WEX-11
WEX-12""".split()
IMPRECISE = """API-02 API-04 API-07 DEF-01 DEF-03 DEF-05 DEF-07 DEF-08 DEF-10 KOR-01 KOR-03 LUO-02 LUO-05 LUO-08 LUO-10
LUO-11 QKV-01 QKV-03 QKV-16 REF-03 REF-04 REF-05 RET-07 SCL-03 SCL-06 SCO-01 SCO-02 SCO-06 SCO-07 SMX-05 SMX-08 SMX-10
SMX-12 SMX-13 SMX-15 SVC-01 VIT-01 WEX-01 WEX-02 WEX-07 WEX-10""".split()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_the_committed_page_is_what_the_generator_writes(path):
    assert path.read_text(encoding="utf-8") == PAGES[path](), "run: python -m tools.errata_page"


def test_every_claim_that_is_wrong_or_imprecise_is_among_the_passages():
    verdicts = {passage.claim: passage.verdict for passage in PASSAGES if passage.verdict != "right"}
    assert len(WRONG) == 15 and len(IMPRECISE) == 41
    assert sorted(name for name, verdict in verdicts.items() if verdict == "imprecise") == IMPRECISE
    assert sorted(name for name, verdict in verdicts.items() if verdict in ("wrong", "misrounded")) == WRONG


def test_what_is_wrong_stands_once_as_a_number_or_as_a_statement():
    assert sorted([*CLAIMS, "WEX-03", "WEX-05", "WEX-08", "WEX-11", "WEX-12"]) == WRONG


def test_a_claim_is_judged_once():
    named = [passage.claim for passage in PASSAGES if passage.claim]
    assert len(named) == len(set(named))


def test_the_passages_stand_in_the_order_of_the_notes():
    places = [(note, int(line)) for note, line in (passage.where.split(":") for passage in PASSAGES)]
    assert places == sorted(places) and {note for note, _ in places} == set(NOTES)
    assert {p.where for p in PASSAGES if p.reason} == {"002:11"}
    assert {p.reason for p in PASSAGES} - {""} == set(REASONS)


@pytest.mark.parametrize("passage", PASSAGES, ids=lambda passage: passage.where)
def test_a_passage_is_short_and_leads_to_a_section_that_is_there(passage):
    assert 0 < len(passage.quote) <= 80 and "\n" not in passage.quote
    assert passage.right or passage.verdict == "right"
    assert len(passage.right.split()) <= 45
    if passage.page:
        assert path_of(passage.page).is_file()
        assert not passage.heading or passage.heading in headings(path_of(passage.page))
    else:
        assert passage.claim in ("API-07", "REF-05")


def test_the_numbers_of_the_passages_are_computed():
    typed = [p.where for p in PASSAGES if re.search(r"\d\.\d", re.sub(r"%\(\w+\)\.?\d?[dfs]|\(\d\.\d\)", "", p.right))]
    assert typed == []
    used = {name for passage in PASSAGES for name in re.findall(r"%\((\w+)\)", passage.right)}
    assert used == set(computed())


def test_a_heading_that_its_chapter_does_not_have_is_named():
    with pytest.raises(LookupError, match="No such thing"):
        link("01", "No such thing")
    assert link("01", "").endswith("(chapters/01_definition.ipynb)")


def test_korean_on_the_page_is_marked_as_korean():
    text = re.sub(r'<span lang="ko">.*?</span>', "", GUIDE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert re.findall("[가-힣]", text) == []


def test_their_words_and_letters_have_an_entry_each():
    assert {"맥락 벡터", "어텐션 값", "유사도"} <= {theirs for theirs, *_ in WORDS}
    assert {"$a_t$", "$e_t$", "$W_Q$, $W_K$, $W_V$"} <= {theirs for theirs, *_ in LETTERS}


def test_the_counts_of_the_recomputation():
    counts = Counter((title, part, verdict) for title, part, *_, verdict in findings())
    assert [counts["Six words", "weights", v] for v in ("wrong", "misrounded", "right")] == [15, 7, 14]
    assert [counts["Six words", "output", v] for v in ("wrong", "misrounded", "right")] == [7, 2, 9]
    assert [counts["journey", "weights", v] for v in ("wrong", "misrounded", "right")] == [2, 1, 3]
    assert [counts["The cat", "weights", v] for v in ("wrong", "misrounded", "right")] == [0, 2, 2]
    assert [counts["The cat", "output", v] for v in ("wrong", "misrounded", "right")] == [2, 0, 2]
    assert {verdict for title, *_, verdict in findings() if title == "I play"} == {"right"}
    assert len(CLAIMS) == 10


def test_the_usual_slips_are_those_that_were_tried_when_the_notes_were_checked():
    tried = [
        [0.030096, 0.033024, 0.033603, 0.015166, 0.019164, 0.036396],
        [0.034103, 0.015582, 0.013655, 0.041328, 0.047887, 0.057192],
        [0.042611, 0.095839, 0.097491, 0.066008, 0.091818, 0.073536],
    ]  # the largest distance to the printed weights of each row
    rows = np.array(notes.printed("Six words", "weights"), dtype=float)
    assert [np.abs(by_slip - rows).max(axis=1).tolist() for by_slip in slips("weights").values()] == [
        pytest.approx(row, abs=1e-6) for row in tried
    ]


def test_no_usual_slip_gives_a_number_that_is_only_off_or_the_row_of_one_that_it_gives():
    counts = Counter()
    for title, part, i, j, token, value, verdict in findings():
        if verdict == "right" or not (why := reason(title, part, i, j, token, value)).startswith("off by"):
            continue
        row, tokens = notes.WORDS.index(ROWS[title][i]), notes.printed(title, part)[i]
        verdicts = {slip: list(map(judge, tokens, by_slip[row])) for slip, by_slip in slips(part).items()}
        giving = [slip for slip, found in verdicts.items() if found[j] == "right"]
        assert verdict == "wrong" and all("wrong" in found for found in verdicts.values())
        assert [slip for slip in verdicts if slip in why] == giving and why.endswith(GIVES) == bool(giving)
        counts[bool(giving)] += 1
    assert counts == {False: 13, True: 10}


@pytest.mark.parametrize(
    ("token", "value", "verdict"),
    [
        ("0.67", 0.669762, "right"),
        ("0.669", 0.669762, "misrounded"),
        ("0.668", 0.669762, "wrong"),
        ("5.0", 5.0, "right"),
    ],
)
def test_the_verdict_follows_the_distance_in_units_of_the_last_digit(token, value, verdict):
    assert judge(token, value) == verdict


def test_the_misprints_are_the_long_ones():
    assert misprints() == ["0.1237", "0.1386", "0.2331", "0.331", "0.669", "3.648", "4.316"]


def repeated(notebook):
    """Misprints that a cell shows without being tagged as the one that has the error to find."""
    shown = [
        cell.source if cell.cell_type == "markdown" else printed(cell)
        for cell in notebook.cells
        if "misprint" not in tags(cell)
    ]
    return [token for token in misprints() for text in shown if re.search(rf"(?<![\d.]){re.escape(token)}(?!\d)", text)]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_no_chapter_shows_a_misprint_as_a_result(path):
    assert repeated(read(path)) == []


def test_a_misprint_without_its_tag_is_found():
    notebook = read(CHAPTERS[0])
    for cell in notebook.cells:
        cell.metadata.pop("tags", None)
    assert "3.648" in repeated(notebook)
