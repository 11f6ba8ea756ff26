"""Every decimal in a chapter's text was printed by a cell of that chapter, or stands inside a link to its source."""

import re
from decimal import Decimal
from itertools import chain

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tools.chapter import CHAPTERS, alternatives, code, printed, prose, read

DECIMAL = re.compile(r"(?<![\w.])-?\d+(?:,\d{3})*\.\d+(?:e[-+]?\d+)?(?![\w.]*\d)")
PERCENT = re.compile(r"(?<![\w.,])(\d+(?:\.\d+)?)\s?(?:%|per cent)")
LINK, TAG = re.compile(r"\[[^]]*\]\([^)]*\)"), re.compile(r"\\tag\{[^}]*\}|[Ee]quation \(\d+\.\d+\)")


def decimals(text):
    return [Decimal(token.replace(",", "")) for token in DECIMAL.findall(text)]


def is_rightly_rounded(claim, values):
    """Whether some value, printed with at least as many decimals, is nearer to the claim than to its neighbours."""
    unit = Decimal(1).scaleb(claim.as_tuple().exponent)
    for value in values:
        finer = value.as_tuple().exponent - claim.as_tuple().exponent
        if (finer == 0 and value == claim) or (finer < 0 and abs(value - claim) < unit / 2):
            return True
    return False


def unproved(notebook):
    """The decimals and percentages of the prose that no output of the notebook prints."""
    values = [abs(value) for cell in code(notebook) for value in decimals(printed(cell))]
    shares = [value.scaleb(2) for value in values]
    found = []
    for source in prose(notebook) + alternatives(notebook):
        text = TAG.sub(" ", LINK.sub(" ", source)).replace("−", "-")
        percents = [Decimal(token) for token in PERCENT.findall(text)]
        claims = [abs(claim) for claim in decimals(PERCENT.sub(" ", text))]
        found += [claim for claim in claims if not is_rightly_rounded(claim, values)]
        found += [f"{claim} %" for claim in percents if not is_rightly_rounded(claim, chain(shares, values))]
    return [str(claim) for claim in found]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_every_decimal_in_the_prose_was_printed_by_a_cell(path):
    assert unproved(read(path)) == []


def page(text, output="weights [0.669762 0.330238] and -1.5"):
    cell = new_code_cell("w", outputs=[new_output("stream", text=output)])
    return new_notebook(cells=[new_markdown_cell(text), cell])


PROVED = """0.669762|about 0.67 of it|$0.670$|(0.6698).|67 % of it|67.0 per cent|down to −1.5|equation \\tag{2.1}
[28.4 BLEU](https://example.org/1.2)|chapter 12, 3 heads|version 2.13.0"""


@pytest.mark.parametrize("text", re.split(r"[|\n]", PROVED))
def test_a_number_that_was_printed_or_linked_passes(text):
    assert unproved(page(text)) == []


@pytest.mark.parametrize(
    "text", ["0.669", "0.66", "0.669763", "0.331", "68 %", "28.4 BLEU", "$w = 0.68$", "1.50001", "-1.6"]
)
def test_a_number_that_was_not_printed_is_found(text):
    assert len(unproved(page(text))) == 1


def test_more_decimals_than_were_printed_are_not_proved():
    assert unproved(page("0.500", output="0.5")) == ["0.500"]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_decimal_typed_into_the_prose_of_a_chapter_is_found(path):
    notebook = read(path)
    next(cell for cell in notebook.cells if cell.cell_type == "markdown").source += " The answer is 0.123457."
    assert unproved(notebook) == ["0.123457"]
