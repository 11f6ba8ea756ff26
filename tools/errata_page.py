"""Write errata.md and from_the_notes.md: `python -m tools.errata_page`.

Every right number in them is computed, by way of tools/notes.py. Sections of chapters are linked by their headings
(tools/passages.py); a heading that its chapter does not have is an error that names it.
"""

import re
from collections import Counter
from functools import cache
from math import exp, log
from pathlib import Path

import numpy as np

from attention_src.scores import scaled_dot_score
from tools.chapter import CHAPTERS, address, prose, read
from tools.notes import GIVES, PRINTED, ROWS, SIX, compute, findings, printed, reason, right_values, rounded
from tools.passages import LETTERS, NOTES, PASSAGES, REASONS, WORDS

ROOT = Path(__file__).parent.parent
ERRATA, GUIDE = ROOT / "errata.md", ROOT / "from_the_notes.md"
KOREAN = re.compile("[가-힣]")

OPENING = """# Errata of the source notes

This book grew from five study notes on attention, in Korean, numbered 000 to 004. They are good notes: they ask the
right questions and work examples by hand. They also print **{bad} numbers that are not right, of {all}** in their worked
examples, and make {claims} other statements that are wrong. We list them all, for two reasons. You may have met the same
numbers elsewhere. And nothing about them *looked* wrong; that is why every number in this book is computed by a cell and
compared by a test.

If you studied the notes, [*From the notes*](from_the_notes.md) leads you from each passage to the section that shows it.

"Misrounded" is off by at most one unit of the last printed digit, "wrong" is off by more. The right numbers on this page
are computed from the inputs when the page is made.

Where it says only "off by", we found no cause: none of the usual slips by itself gives the printed number. We tried
dividing the scores by √3, dividing them by the sum of their row without softmax, softmax over columns, cutting digits off
and, for outputs, mixing with the printed weights. For {by_slip} other numbers one of these slips gives the number. We name
it there, but no slip gives the whole row, so we do not call it the cause.

## Numbers

| example | right | misrounded | wrong |
|---|---|---|---|
{summary}
"""

GUIDE_OPENING = """# From the notes

Did you study the five Korean notes, numbered 000 to 004, from which this book grew? This page leads you from each passage
to the section of the book that shows it. It quotes a few words of the passage, says what we found, and links the section.
The number in front is the line of the note.

<span lang="ko">어텐션 노트 다섯 편을 공부하셨나요? 이 페이지는 노트의 각 구절에서 그 내용을 보여 주는 이 책의 절로 안내합니다. 구절마다 판정이 있습니다:
맞음(right), 부정확함(imprecise), 반올림 오류(misrounded), 틀림(wrong).</span>

Of the {all} passages, {counts}.
*Imprecise* means that a condition or a step is missing, or that a word promises too much. The [errata](errata.md) list
every printed number that is not right, and the sources for what is wrong.

## Their words and letters

{words}

{letters}

The [glossary](glossary.md) and the [notation](notation.md) have the others.
"""

# ruff: noqa: E501
# what is wrong beside the numbers: what the note says, and the source for what is right
CLAIMS = {
    "WEX-06": ("*The* attends to *cat*.", "recomputed"),
    "QKV-10": ("The key is always made from an input that contains the position.",
     "[Vaswani et al.](https://arxiv.org/abs/1706.03762) §3.5, [RoPE](https://arxiv.org/abs/2104.09864), "
     "[ALiBi](https://arxiv.org/abs/2108.12409), [Haviv et al. 2022](https://arxiv.org/abs/2203.16634)"),
    "QKV-11": ("In practice queries and keys are the inputs themselves.", "[Vaswani et al.](https://arxiv.org/abs/1706.03762) §3.2.2"),
    "SMX-06": ("Softmax brings numerical stability.", "[Deep Learning](https://www.deeplearningbook.org/contents/numerical.html) §4.1"),
    "SMX-07": ("Softmax greatly amplifies tiny differences.", "equation (2.1) of chapter 2"),
    "SMX-11": ("Softmax maximises the difference of the weights.",
     "[Deep Learning](https://www.deeplearningbook.org/contents/mlp.html) §6.2.2.3, [Vaswani et al.](https://arxiv.org/abs/1706.03762) §3.2.1"),
    "SMX-14": ("The printed weights are a probability distribution.", "recomputed"),
    "SVC-07": ("“Self-attention” (inputs used as they are) against “general attention” (inputs times weights).",
     "[Luong et al.](https://arxiv.org/abs/1508.04025) §3.1"),
    "LUO-03": ("The decoder receives the input sequence passed through softmax.", "[Luong et al.](https://arxiv.org/abs/1508.04025) §3.1"),
    "SCO-09": ("The last score of step t is $s_T^\\top h_N$.", "[Luong et al.](https://arxiv.org/abs/1508.04025) §3.1"),
}  # fmt: skip


def computed():
    """The numbers that stand as %(name)s in the passages."""
    right, counts = right_values(), Counter((title, part, verdict) for title, part, *_, verdict in findings())
    cat, six, journey = right["The cat"], right["Six words"]["weights"], right["journey"]["weights"][0]
    sums = (sum(map(float, row)) for row in printed("Six words", "weights"))
    by_printed = np.array(printed("journey", "weights")[0], dtype=float) @ SIX
    gap = np.dot(SIX[1], SIX[1]) - np.dot(SIX[1], SIX[2])
    first = {gap: 1 / (1 + exp(-gap)) for gap in (0, 10)}  # of two weights, by the gap of their scores
    return {
        "w": cat["weights"][0, 0],
        "v": cat["weights"][0, 1],
        "o0": cat["output"][0, 0],
        "o1": cat["output"][0, 1],
        "p0": right["I play"]["weights"][0, 0],
        "p1": right["I play"]["weights"][0, 1],
        "own": sum(row.argmax() == i for i, row in enumerate(six)),
        "self": journey[1],
        "low": journey.min(),
        "own_part": journey[1] * SIX[1][0],
        "starts": journey[2] * SIX[2][0],
        "f32": log(np.finfo(np.float32).max),
        "f64": log(np.finfo(np.float64).max),
        "gap": gap,
        "ratio": exp(gap),
        "flat": first[10] * (1 - first[10]),
        "steep": first[0] * (1 - first[0]),
        "journey": sum(map(float, printed("journey", "weights")[0])),
        "sums": ", ".join(f"{total:.2f}" for total in sums),
        "weights": ", ".join(f"{w:.4f}" for w in journey),
        "scaled": ", ".join(f"{w:.4f}" for w in compute(SIX, SIX, SIX, scaled_dot_score)[1][1]),
        "by_printed": "({})".format(", ".join(f"{z:.4f}" for z in by_printed)),
        "m_wrong": counts["Six words", "weights", "wrong"],
        "m_mis": counts["Six words", "weights", "misrounded"],
        "c_wrong": counts["Six words", "output", "wrong"],
        "c_mis": counts["Six words", "output", "misrounded"],
    }


def path_of(page):
    """The file of a page: of a chapter by its number, of another page by its name."""
    return next((path for path in CHAPTERS if path.stem.startswith(page)), ROOT / f"{page}.md")


@cache
def headings(path):
    """The headings of a page that can be linked, its title first."""
    text = "\n\n".join(prose(read(path))) if path.suffix == ".ipynb" else path.read_text("utf-8")
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"^#{1,3} (.+)$", text, re.MULTILINE)


def link(page, heading):
    """A link to a section, or to the whole page if no heading is given."""
    path = path_of(page)
    known = headings(path)
    if heading and heading not in known:
        raise LookupError(f"{path.name} has no heading “{heading}”: change it in tools/passages.py")
    number = int(page) if page.isdecimal() else ""
    return f"[{number}{' · ' if number else ''}{heading or known[0]}]({address(path, heading)})"


def korean(text):
    """The text, marked as Korean if it is, so that it is read aloud as Korean; its quotation marks are curled here,
    for right after a tag an opening one would be taken for a closing one."""
    if not KOREAN.search(text):
        return text
    text = re.sub(r"'([^']*)'", r"‘\1’", re.sub(r'"([^"]*)"', r"“\1”", text))
    return f'<span lang="ko">{text}</span>'


def verdicts():
    counts = Counter(passage.verdict for passage in PASSAGES)
    return "{right} are right, {imprecise} imprecise, {misrounded} misrounded and {wrong} wrong".format(**counts)


def entry(passage, values):
    """A passage as a term, its verdict and where it is shown as the definition."""
    line = int(passage.where.partition(":")[2])
    why = {"": "", "summary": " (summary)"}.get(passage.reason, f" (reason {passage.reason})")
    parts = [
        f"*{passage.verdict}*.",
        passage.right % values,
        passage.page and f"→ {link(passage.page, passage.heading)}",
    ]
    return f"**{line}**{why} {korean(passage.quote)}\n: {' '.join(filter(None, parts))}\n"


def reasons():
    """The four reasons for softmax as a list."""
    yield "Line 11 gives four reasons for softmax and a summary:\n"
    for number, (quote, english, verdict) in REASONS.items():
        mark = f"{number}." if number.isdecimal() else "\nThen"
        yield f"{mark} {korean(quote)}, *{english}*: {verdict}."
    yield "\nThe passages marked with a reason take them apart.\n"


def guide():
    """The page that leads from the notes into the book."""
    values = computed()
    words = ["| the notes say | note: line | this book says | in English |", "|---|---|---|---|"]
    words += [f"| {korean(theirs)} | {where} | {korean(ours)} | {english} |" for theirs, where, ours, english in WORDS]
    letters = ["| the notes write | note: line | this book writes | what it is |", "|---|---|---|---|"]
    letters += [f"| {' | '.join(row)} |" for row in LETTERS]
    parts = [
        GUIDE_OPENING.format(all=len(PASSAGES), counts=verdicts(), words="\n".join(words), letters="\n".join(letters))
    ]
    for note, about in NOTES.items():
        parts.append(f"## Note {note}: {about}\n")
        if note == "002":
            parts.append("\n".join(reasons()))
        parts += [entry(passage, values) for passage in PASSAGES if passage.where.startswith(note)]
    return "\n".join(parts)


def summary():
    counts = Counter((title, part, verdict) for title, part, *_, verdict in findings())
    for title, parts in PRINTED.items():
        for part in parts:
            numbers = [str(counts[title, part, verdict]) for verdict in ("right", "misrounded", "wrong")]
            yield f"| {title}, {part} | " + " | ".join(numbers) + " |"


def numbers(title, part):
    """One line for each row of numbers that has a fault: printed, right, and the reason for each fault."""
    rows, faults = printed(title, part), {}
    for name, piece, i, j, token, value, verdict in findings():
        if (name, piece) == (title, part) and verdict != "right":
            faults.setdefault(i, []).append((token, value, verdict, reason(title, part, i, j, token, value)))
    values = right_values()[title][part]
    for i, found in faults.items():
        right = " ".join(rounded(t, v) for t, v in zip(rows[i], values[i], strict=True))
        yield f"*{ROWS[title][i]}*: printed `{' '.join(rows[i])}`, right `{right}`\n"
        for token, value, verdict, why in found:
            yield f"- {token} is {verdict}: {value:.6f}, rounded {rounded(token, value)}; {why}"
        yield ""


def statements():
    """What is wrong beside the numbers, with its source and where the book shows what is right."""
    values, known = computed(), {passage.claim: passage for passage in PASSAGES}
    for claim, (says, source) in CLAIMS.items():
        _, quote, _, right, page, heading, *_ = passage = known[claim]
        yield f"**{passage.where}** says: {says} “{korean(quote.replace('**', ''))}”\n: {right % values}"
        yield f"  Shown in {link(page, heading)}. Source: {source}.\n"


def errata():
    found = list(findings())
    whys = [reason(*number) for *number, verdict in found if verdict != "right"]
    counts = {"bad": len(whys), "all": len(found), "by_slip": sum(why.endswith(GIVES) for why in whys)}
    parts = [OPENING.format(**counts, claims=len(CLAIMS), summary="\n".join(summary()))]
    for title, pieces in PRINTED.items():
        for part, (where, _) in pieces.items():
            lines = list(numbers(title, part))
            if lines:
                parts.append(f"### {title}: {part} ({where})\n\n" + "\n".join(lines))
    return "\n".join([*parts, "## Statements\n", *statements()])


PAGES = {ERRATA: errata, GUIDE: guide}

if __name__ == "__main__":
    for path, make in PAGES.items():
        path.write_text(make(), encoding="utf-8")
