"""Write errata.md: `python -m tools.errata_page`. Every right number in it is computed, by way of tools/notes.py."""

from collections import Counter
from math import exp, log
from pathlib import Path

import numpy as np

from tools.notes import PRINTED, ROWS, findings, printed, reason, right_values, rounded

PAGE = Path(__file__).parent.parent / "errata.md"

OPENING = """# Errata of the source notes

This book grew from five study notes on attention, in Korean, numbered 000 to 004. They are good notes: they ask the
right questions and work examples by hand. They also print **{bad} numbers that are not right, of {all}** in their worked
examples, and {claims} statements that are wrong. We list them all, for two reasons. You may have met the same numbers
elsewhere. And nothing about them *looked* wrong; that is why every number in this book is computed by a cell and compared
by a test.

"Misrounded" is off by at most one unit of the last printed digit, "wrong" is off by more. The right numbers on this page
are computed from the inputs when the page is made.

## Numbers

| example | right | misrounded | wrong |
|---|---|---|---|
{summary}
"""

# ruff: noqa: E501
# (where, what the note says, what is right, source); numbers in braces are computed
CLAIMS = [
    ("000:53", "The weights of *The* are 0.669 and 0.331.", "They are {w:.3f} and {v:.3f}; the first was cut off.", "recomputed"),
    ("000:64", "The output for *The* is (3.648, 4.316).", "It is ({o[0]:.3f}, {o[1]:.3f}).", "recomputed"),
    ("000:71", "*The* attends to *cat*.", "It gives itself {w:.3f}, *cat* {v:.3f}.", "recomputed"),
    ("002:4", "The key is always made from an input that contains the position.",
     "In the first Transformer position is added once, below the first layer. RoPE turns queries and keys after the projection, "
     "ALiBi and T5 add to the score, and decoders without any position code also learn.",
     "[Vaswani et al.](https://arxiv.org/abs/1706.03762) §3.5, [RoPE](https://arxiv.org/abs/2104.09864), "
     "[ALiBi](https://arxiv.org/abs/2108.12409), [Haviv et al.](https://arxiv.org/abs/2203.16634)"),
    ("002:6", "In practice queries and keys are the inputs themselves.",
     "Only in a teaching example; in practice each is a learned projection of them.",
     "[Vaswani et al.](https://arxiv.org/abs/1706.03762) §3.2.2"),
    ("002:11", "Softmax brings numerical stability.",
     "exp is the unstable part: it overflows above {f32:.2f} in 32 bits, {f64:.2f} in 64. Subtracting the largest score brings stability.",
     "[Deep Learning](https://www.deeplearningbook.org/contents/numerical.html) §4.1"),
    ("002:11", "Softmax greatly amplifies tiny differences.",
     "The ratio of two weights is e to the gap: for the note's own gap of 0.0196 it is {ratio:.3f}.", "equation (2.1) of chapter 2"),
    ("002:11", "Softmax maximises the difference of the weights.",
     "Picking the largest (argmax) does that; softmax is its smooth form, and dividing by √d reduces the contrast on purpose.",
     "[Deep Learning](https://www.deeplearningbook.org/contents/mlp.html) §6.2.2.3, [Vaswani et al.](https://arxiv.org/abs/1706.03762) §3.2.1"),
    ("002:34", "The printed weights are a probability distribution.",
     "Printed, *journey* sums to {journey:.4f} and the rows of the matrix to {sums}.", "recomputed"),
    ("002:35", "The weights of *journey* are 0.1386, 0.2379, 0.2331, …", "They are {weights}.", "recomputed"),
    ("002:58", "The 6 × 6 matrix of weights.", "{m_wrong} entries are wrong and {m_mis} misrounded; see above.", "recomputed"),
    ("002:97", "The 6 × 3 matrix of context vectors.", "{c_wrong} entries are wrong and {c_mis} misrounded; see above.", "recomputed"),
    ("002:106", "“Self-attention” (inputs used as they are) against “general attention” (inputs times weights).",
     "Both are self-attention, without and with trained weights. Its opposite is cross-attention; *general* is a score of Luong's.",
     "[Luong et al.](https://arxiv.org/abs/1508.04025) §3.1"),
    ("004:26", "The decoder receives the input sequence passed through softmax.",
     "Softmax is applied to the scores; what the decoder receives is the weighted sum of the encoder states.",
     "[Luong et al.](https://arxiv.org/abs/1508.04025) §3.1"),
    ("004:46", "The last score of step t is $s_T^\\top h_N$.", "It is $s_t^\\top h_N$: all scores of a step use one decoder state.",
     "[Luong et al.](https://arxiv.org/abs/1508.04025) §3.1"),
]  # fmt: skip


def computed():
    """The numbers that stand in braces in CLAIMS."""
    right, counts = right_values(), Counter((title, part, verdict) for title, part, *_, verdict in findings())
    cat = right["The cat"]
    sums = (sum(map(float, row)) for row in printed("Six words", "weights"))
    return {
        "w": cat["weights"][0, 0],
        "v": cat["weights"][0, 1],
        "o": cat["output"][0],
        "f32": log(np.finfo(np.float32).max),
        "f64": log(np.finfo(np.float64).max),
        "ratio": exp(0.0196),
        "journey": sum(map(float, printed("journey", "weights")[0])),
        "sums": ", ".join(f"{total:.2f}" for total in sums),
        "weights": ", ".join(f"{w:.4f}" for w in right["journey"]["weights"][0]),
        "m_wrong": counts["Six words", "weights", "wrong"],
        "m_mis": counts["Six words", "weights", "misrounded"],
        "c_wrong": counts["Six words", "output", "wrong"],
        "c_mis": counts["Six words", "output", "misrounded"],
    }


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


def page():
    found = list(findings())
    bad = sum(verdict != "right" for *_, verdict in found)
    parts = [OPENING.format(bad=bad, all=len(found), claims=len(CLAIMS), summary="\n".join(summary()))]
    for title, pieces in PRINTED.items():
        for part, (where, _) in pieces.items():
            lines = list(numbers(title, part))
            if lines:
                parts.append(f"### {title}: {part} ({where})\n\n" + "\n".join(lines))
    parts.append("## Statements\n")
    values = computed()
    for where, says, right, source in CLAIMS:
        parts.append(f"**{where}** says: {says}\n: {right.format(**values)}\n  Source: {source}.\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
