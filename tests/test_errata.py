"""The errata page says what the inputs of the notes say today, and no chapter repeats a misprint."""

import re
from collections import Counter

import pytest

from tools.chapter import CHAPTERS, printed, read, tags
from tools.errata_page import CLAIMS, PAGE, page
from tools.notes import findings, judge, misprints


def test_the_committed_page_is_what_the_generator_writes():
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m tools.errata_page"


def test_the_counts_of_the_recomputation():
    counts = Counter((title, part, verdict) for title, part, *_, verdict in findings())
    assert [counts["Six words", "weights", v] for v in ("wrong", "misrounded", "right")] == [15, 7, 14]
    assert [counts["Six words", "output", v] for v in ("wrong", "misrounded", "right")] == [7, 2, 9]
    assert [counts["journey", "weights", v] for v in ("wrong", "misrounded", "right")] == [2, 1, 3]
    assert [counts["The cat", "weights", v] for v in ("wrong", "misrounded", "right")] == [0, 2, 2]
    assert [counts["The cat", "output", v] for v in ("wrong", "misrounded", "right")] == [2, 0, 2]
    assert {verdict for title, *_, verdict in findings() if title == "I play"} == {"right"}
    assert len(CLAIMS) == 15


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
