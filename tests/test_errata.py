"""The pages about the source notes: the package recomputes their numbers, and no chapter repeats a misprint.

The pages are plain Markdown, edited by hand. What they say of a printed number is read from the page and judged again.
"""

import re
from collections import Counter
from decimal import Decimal
from math import exp, log

import numpy as np
import pytest

from attention_src import scaled_dot_product_attention
from attention_src.attention import attention
from attention_src.scores import dot_score
from book.chapter import CHAPTERS, ROOT, read, read_outputs
from book.nbval_bound.bindings import without_bindings

PAGE, GUIDE = (ROOT / "pages" / f"{name}.md" for name in ("errata", "from_the_notes"))
TEXT, GUIDE_TEXT = PAGE.read_text("utf-8"), GUIDE.read_text("utf-8")
WORDS = {"The cat": ["The", "cat"], "journey": ["journey"], "I play": ["I", "play"]}
WORDS["Six words"] = ["Your", "journey", "starts", "with", "one", "step"]
ROW = re.compile(r"^\*(.+)\*: printed `(.+)`, right `(.+)`$", re.M)
FAULT = re.compile(r"^- ((\S+) is .+?, rounded \S+); (.+)$", re.M)
CAT = [np.array(matrix, dtype=float) for matrix in ([[1, 0], [0, 1]], [[1, 1], [0, 1]], [[1, 2], [9, 8]])]
SIX = np.array([
    [0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
    [0.22, 0.58, 0.33], [0.77, 0.25, 0.1], [0.05, 0.8, 0.55],
])  # fmt: skip
SUMMARY = re.compile(r"^\| (.+), (weights|output) \| (\d+) \| (\d+) \| (\d+) \|$", re.M)


def right_values():
    """What the package computes of the examples of the notes: {title: {"output": array, "weights": array}}."""
    six = attention(SIX, SIX, SIX, score=dot_score)
    computed = {
        "The cat": scaled_dot_product_attention(*CAT),
        "journey": [values[1:2] for values in six],
        "Six words": six,
        "I play": attention(*CAT[:2], np.eye(2), score=dot_score),
    }
    return {title: dict(zip(("output", "weights"), values, strict=True)) for title, values in computed.items()}


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
            pairs = [*zip(row.split(), values, strict=True)]
            if right.split() != [rounded(*pair) for pair in pairs]:
                yield f"{title}, {part}, {word}: right is {values}"
            off = [pair for pair in pairs if judge(*pair) != "right"]
            expected = [f"{t} is {judge(t, value)}: {value:.6f}, rounded {rounded(t, value)}" for t, value in off]
            named = FAULT.findall(faults)
            if (said := [fault for fault, *_ in named]) != expected:
                yield f"{title}, {part}, {word}: the page says {said}, right is {expected}"
            for (_, token, why), (_, value) in zip(named, off, strict=False):
                distance = f"off by {abs(float(token) - value):.{1 - Decimal(token).as_tuple().exponent}f}"
                if why.startswith("off by") and why.split("; ")[0] != distance:
                    yield f"{title}, {part}, {word}: {token} is {distance}"
            found.update((title, part, judge(*pair)) for pair in off)
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


def compute_quoted_numbers():
    """Return the numbers that the verdicts may quote: of the examples, and what the package makes of them."""
    right, six = right_values(), SIX
    journey, scaled = right["Six words"]["weights"][1], scaled_dot_product_attention(six, six, six)[1][1]
    printed_rows = [np.array(row, dtype=float) for row in PRINTED["Six words", "weights"].values()]
    note = np.array(PRINTED["journey", "weights"]["journey"], dtype=float)
    gap = six[1] @ six[1] - six[1] @ six[2]
    slopes = [p * (1 - p) for p in (1 / (1 + exp(-distance)) for distance in (10, 0))]
    limits = [log(np.finfo(kind).max) for kind in (np.float32, np.float64)]
    sums = [row.sum() for row in (note, *printed_rows)]
    found = [*right["The cat"].values(), *right["I play"].values(), journey, journey[:, None] * six, scaled, note @ six]
    return np.concatenate([[gap, exp(gap)], slopes, limits, sums, *map(np.ravel, found)])


def test_the_numbers_in_the_verdicts_are_computed():
    numbers, said = compute_quoted_numbers(), "\n".join(re.findall(r"^: .*$", GUIDE_TEXT + TEXT, re.M))
    tokens = re.findall(r"\d+\.\d\d+", said)
    assert [token for token in tokens if not any(judge(token, number) == "right" for number in numbers)] == []
    counts = re.findall(r"Of the (\d+) numbers .*? (\d+) are wrong and (\d+) misrounded", said)
    rows = {(wrong, off) for name, _, _, off, wrong in SUMMARY.findall(TEXT) if name == "Six words"}
    assert len(counts) == 2 and {(wrong, off) for _, wrong, off in counts} == rows


def test_the_guide_counts_its_verdicts():
    counts = Counter(re.findall(r"^: \*(\w+)\*\.", GUIDE_TEXT, re.M))
    said = "{} passages, {right} are right, {imprecise} imprecise, {misrounded} misrounded and {wrong} wrong"
    assert f"Of the {said.format(counts.total(), **counts)}." in GUIDE_TEXT


def misprints():
    """The printed numbers that no chapter may show as a result: not right, and too long to be right elsewhere."""
    return sorted({token for _, token, _ in FAULT.findall(TEXT) if len(token.partition(".")[2]) > 2})


def repeated(notebook):
    """Misprints that a cell shows."""
    shown = [
        without_bindings(cell.source) if cell.cell_type == "markdown" else read_outputs(cell) for cell in notebook.cells
    ]
    return [token for token in misprints() for text in shown if re.search(rf"(?<![\d.]){re.escape(token)}(?!\d)", text)]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_no_chapter_shows_a_misprint_as_a_result(path):
    assert repeated(read(path)) == []
