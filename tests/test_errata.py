"""The pages about the source notes: the package recomputes their numbers, and no chapter repeats a misprint.

The pages are plain Markdown, edited by hand. What they say of a printed number is read from the page and judged again.
"""

import re
from collections import Counter
from decimal import Decimal
from math import exp, log

import numpy as np
import pytest
from test_worked_examples import SIX, right_values

from attention_src import scaled_dot_product_attention
from book.chapter import CHAPTERS, ROOT, printed, read
from book.nbval_bound.bindings import without_bindings

PAGE, GUIDE = (ROOT / "pages" / f"{name}.md" for name in ("errata", "from_the_notes"))
TEXT, GUIDE_TEXT = PAGE.read_text("utf-8"), GUIDE.read_text("utf-8")
WORDS = {"The cat": ["The", "cat"], "journey": ["journey"], "I play": ["I", "play"]}
WORDS["Six words"] = ["Your", "journey", "starts", "with", "one", "step"]
ROW = re.compile(r"^\*(.+)\*: printed `(.+)`, right `(.+)`$", re.M)
FAULT = re.compile(r"^- (\S+) is (misrounded|wrong): (\S+), rounded (\S+); (.+)$", re.M)
SUMMARY = re.compile(r"^\| (.+), (weights|output) \| (\d+) \| (\d+) \| (\d+) \|$", re.M)


def judge(token, value):
    """'right', 'misrounded' or 'wrong', by how many units of its last digit the printed number is off."""
    off = abs(float(token) - value) / 10.0 ** Decimal(token).as_tuple().exponent
    return "right" if off <= 0.5 + 1e-9 else "misrounded" if off <= 1 else "wrong"


def rounded(token, value):
    """The right value with as many decimals as the printed one."""
    return f"{value:.{-Decimal(token).as_tuple().exponent}f}"


def sections(text):
    """Yield the example, the part and the text of each section of numbers."""
    for section in re.split(r"^### ", text, flags=re.M)[1:]:
        title, part = re.match(r"(.+): (weights|output) \(\d{3}:\d+\)$", section, re.M).groups()
        yield title, part, section.partition("\n## ")[0]


PRINTED = {(title, part): {w: row.split() for w, row, _ in ROW.findall(text)} for title, part, text in sections(TEXT)}


def list_problems(text):
    """Yield what the page says of a printed number that the package contradicts."""
    found = Counter()
    for title, part, section in sections(text):
        pieces = ROW.split(section)[1:]
        for word, row, right, faults in zip(*[iter(pieces)] * 4, strict=True):
            values = right_values()[title][part][WORDS[title].index(word)]
            if right.split() != [rounded(token, value) for token, value in zip(row.split(), values, strict=True)]:
                yield f"{title}, {part}, {word}: right is {values}"
            named = iter(FAULT.findall(faults))
            for token, value in zip(row.split(), values, strict=True):
                if (verdict := judge(token, value)) == "right":
                    continue
                found[title, part, verdict] += 1
                *said, why = next(named, [""] * 5)
                if said != [token, verdict, f"{value:.6f}", rounded(token, value)]:
                    yield f"{title}, {part}, {word}: {token} is {verdict}, {value:.6f}, and the page says {said}"
                off = f"{abs(float(token) - value):.{1 - Decimal(token).as_tuple().exponent}f}"
                if why.startswith("off by") and why.split("; ")[0] != f"off by {off}":
                    yield f"{title}, {part}, {word}: {token} is off by {off}"
            yield from (f"{title}, {part}, {word}: {fault} is right" for fault in named)
    for title, part, *counts in SUMMARY.findall(text):
        wrong = [found.pop((title, part, verdict), 0) for verdict in ("misrounded", "wrong")]
        if [right_values()[title][part].size - sum(wrong), *wrong] != [*map(int, counts)]:
            yield f"{title}, {part}: the summary says {counts}"
    if found:
        yield f"the summary lacks {found}"


def test_the_errata_say_what_the_package_computes():
    assert [*list_problems(TEXT)] == []
    assert len(SUMMARY.findall(TEXT)) == 8 and len(FAULT.findall(TEXT)) == TEXT.count("\n- ")


def test_the_errata_count_what_they_list():
    bad, sizes = len(FAULT.findall(TEXT)), [value.size for parts in right_values().values() for value in parts.values()]
    statements = TEXT.partition("## Statements")[2].count(" says: ")
    assert f"**{bad} numbers that are not right, of {sum(sizes)}**" in TEXT
    assert f"make {statements} other statements that are wrong" in " ".join(TEXT.split())
    assert f"For {TEXT.count('would give it')} other numbers one of these slips" in TEXT


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


def sentences():
    """The parts of sentences that show numbers, as they should be."""
    right, six = right_values(), np.array(SIX)
    (w, v), (o0, o1) = right["The cat"]["weights"][0], right["The cat"]["output"][0]
    (play, *_), weights = right["I play"]["weights"], right["Six words"]["weights"]
    journey, printed_rows = weights[1], PRINTED["Six words", "weights"]
    gap = six[1] @ six[1] - six[1] @ six[2]
    slopes = [p * (1 - p) for p in (1 / (1 + exp(-distance)) for distance in (10, 0))]
    note = np.array(PRINTED["journey", "weights"]["journey"], dtype=float)
    sums = ", ".join(f"{sum(map(float, row)):.2f}" for row in printed_rows.values())
    own = sum(row.argmax() == i for i, row in enumerate(weights))
    counts = [
        re.search(rf"Six words, {part} \| \d+ \| (\d+) \| (\d+)", TEXT).groups() for part in ("weights", "output")
    ]
    misrounded, wrong = zip(*counts, strict=True)  # as the test above has compared them
    return [
        f"only {own} of the six words of note 002 look most at themselves",
        f"They are {w:.3f} and {v:.3f}. The first was cut off",
        f"It is ({o0:.3f}, {o1:.3f}).",
        f"*The* gives itself {w:.3f}, *cat* {v:.3f}.",
        f"attention brings {w:.3f} of the first and {v:.3f} of the second",
        f"its largest weight, {journey[1]:.4f}, to itself",
        f"{log(np.finfo(np.float32).max):.2f} in 32 bits, {log(np.finfo(np.float64).max):.2f} in 64",
        f"for the note's own gap of {gap:.4f} it is {exp(gap):.3f}",
        f"The weights of *journey* run from {journey.min():.3f} to {journey[1]:.3f}",
        f"Of two weights with the gap 10, the slope is {slopes[0]:.5f}; with equal scores it is {slopes[1]:.2f}",
        f"the weights of *journey* are {join(scaled_dot_product_attention(six, six, six)[1][1])}",
        f"Printed, *journey* sums to {note.sum():.4f} and the rows of the matrix to {sums}",
        f"They are {join(journey)}.",
        f"*starts* gives more, {journey[2] * six[2, 0]:.3f} against {journey[1] * six[1, 0]:.3f}",
        f"those give ({join(note @ six)})",
        f"Of the 36 numbers below it {wrong[0]} are wrong and {misrounded[0]} misrounded",
        f"Of the 18 numbers in this box {wrong[1]} are wrong and {misrounded[1]} misrounded",
        f"the first row of weights is {w:.3f}, {v:.3f}; without it {play[0]:.3f}, {play[1]:.3f}",
    ]


def join(values):
    return ", ".join(f"{value:.4f}" for value in values)


def test_the_numbers_in_the_sentences_are_computed():
    said = "\n".join(re.findall(r"^: .*$", GUIDE_TEXT + TEXT, re.M))
    assert [sentence for sentence in sentences() if sentence not in GUIDE_TEXT] == []
    for sentence in sentences():
        said = said.replace(sentence, "")
    assert re.findall(r"\d+\.\d\d+", said) == []


def test_the_guide_counts_its_verdicts():
    counts = Counter(re.findall(r"^: \*(\w+)\*\.", GUIDE_TEXT, re.M))
    said = "{} passages, {right} are right, {imprecise} imprecise, {misrounded} misrounded and {wrong} wrong"
    assert f"Of the {said.format(counts.total(), **counts)}." in GUIDE_TEXT


def test_the_korean_of_both_pages_is_marked_as_korean():
    rest = re.sub(r'<span lang="ko">.*?</span>', "", GUIDE_TEXT + TEXT, flags=re.DOTALL)
    assert re.findall("[가-힣]", rest) == []


def misprints():
    """The printed numbers that no chapter may show as a result: not right, and too long to be right elsewhere."""
    return sorted({token for token, *_ in FAULT.findall(TEXT) if len(token.partition(".")[2]) > 2})


def repeated(notebook):
    """Misprints that a cell shows."""
    shown = [
        without_bindings(cell.source) if cell.cell_type == "markdown" else printed(cell) for cell in notebook.cells
    ]
    return [token for token in misprints() for text in shown if re.search(rf"(?<![\d.]){re.escape(token)}(?!\d)", text)]


def test_the_misprints_are_the_long_ones():
    assert misprints() == ["0.1237", "0.1386", "0.2331", "0.331", "0.669", "3.648", "4.316"]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_no_chapter_shows_a_misprint_as_a_result(path):
    assert repeated(read(path)) == []


def test_a_planted_misprint_is_found():
    notebook = read(CHAPTERS[0])
    notebook.cells[-1].source += " The output is 3.648."
    assert repeated(notebook) == ["3.648"]
