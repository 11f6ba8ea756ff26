"""The worked examples of the source notes: their inputs, what the notes print (as printed), and what is right.

What is right is computed here from the inputs by attention_src. A printed number is *right* within half a unit of its
last digit, *misrounded* within one unit, otherwise *wrong*.
"""

from decimal import ROUND_DOWN, ROUND_UP, Decimal
from itertools import product

import numpy as np

from attention_src.attention import attention
from attention_src.scores import dot_score, scaled_dot_score
from attention_src.weights import softmax

CAT = {"query": [[1, 0], [0, 1]], "key": [[1, 1], [0, 1]], "value": [[1, 2], [9, 8]]}
SIX = [
    [0.43, 0.15, 0.89],
    [0.55, 0.87, 0.66],
    [0.57, 0.85, 0.64],
    [0.22, 0.58, 0.33],
    [0.77, 0.25, 0.1],
    [0.05, 0.8, 0.55],
]
PLAY = {"X": [[1, 0], [0, 1]], "W_q": [[1, 0], [0, 1]], "W_k": [[1, 1], [0, 1]], "W_v": [[1, 0], [0, 1]]}
WORDS = ["Your", "journey", "starts", "with", "one", "step"]


def compute(query, key, value, score):
    query, key, value = (np.array(x, dtype=float) for x in (query, key, value))
    return attention(query, key, value, score=score)


def right_values():
    """The outputs and weights of the examples: title -> {part: array}."""
    cat_output, cat_weights = compute(**CAT, score=scaled_dot_score)
    six_output, six_weights = compute(SIX, SIX, SIX, dot_score)
    X, W_q, W_k, W_v = (np.array(PLAY[name], dtype=float) for name in ("X", "W_q", "W_k", "W_v"))
    play_output, play_weights = compute(X @ W_q, X @ W_k, X @ W_v, dot_score)
    return {
        "The cat": {"weights": cat_weights, "output": cat_output},
        "journey": {"weights": six_weights[1:2], "output": six_output[1:2]},
        "Six words": {"weights": six_weights, "output": six_output},
        "I play": {"weights": play_weights, "output": play_output},
    }


# title -> part -> (first line in the note, the rows as printed)
PRINTED = {
    "The cat": {"weights": ("000:53", "0.669 0.331|0.5 0.5"), "output": ("000:64", "3.648 4.316|5.0 5.0")},
    "journey": {
        "weights": ("002:35", "0.1386 0.2379 0.2331 0.1237 0.1082 0.1581"),
        "output": ("002:49", "0.4419 0.6515 0.5683"),
    },
    "Six words": {
        "weights": (
            "002:59",
            "0.19 0.18 0.18 0.12 0.11 0.13|0.14 0.24 0.23 0.12 0.10 0.15|0.14 0.24 0.23 0.12 0.10 0.15|"
            "0.16 0.19 0.19 0.14 0.13 0.16|0.16 0.20 0.20 0.13 0.18 0.14|0.15 0.23 0.23 0.14 0.12 0.19",
        ),
        "output": (
            "002:98",
            "0.44 0.59 0.64|0.44 0.65 0.57|0.44 0.65 0.56|0.43 0.62 0.60|0.45 0.61 0.58|0.44 0.65 0.58",
        ),
    },
    "I play": {"weights": ("003:62", "0.73 0.27|0.5 0.5"), "output": ("003:78", "0.73 0.27|0.5 0.5")},
}
ROWS = {"The cat": ["The", "cat"], "journey": ["journey"], "Six words": WORDS, "I play": ["I", "play"]}

EVEN = "even the printed weights give"
GIVES = "would give it, though not the whole row"
# why a number went wrong, where more is known than that it was cut off or is off by so much
REASONS = {
    ("The cat", "weights", 0, 1): "taken as 1 minus the first weight, which had been cut off",
    ("The cat", "output", 0, 0): "computed with the weights after they were cut off",
    ("The cat", "output", 0, 1): f"9 used again in place of 8: {EVEN} {0.669 * 2 + 0.331 * 8:.3f}",
    ("Six words", "weights", 2, 4): "the row *starts* repeats the row *journey*",
}


def printed(title, part):
    """The numbers of one part as printed, row by row."""
    return [row.split() for row in PRINTED[title][part][1].split("|")]


def judge(token, value):
    """'right', 'misrounded' or 'wrong', by how many units of its last digit the printed number is off."""
    off = abs(float(token) - value) / 10.0 ** Decimal(token).as_tuple().exponent
    return "right" if off <= 0.5 + 1e-9 else "misrounded" if off <= 1 else "wrong"


def rounded(token, value):
    """The right value with as many decimals as the printed one."""
    return f"{value:.{-Decimal(token).as_tuple().exponent}f}"


def slips(part):
    """The weights or the outputs of the six words by the usual slips: {slip: array}."""
    scores = np.array(SIX) @ np.transpose(SIX)
    weights = {
        "dividing the scores by √3": softmax(scores / np.sqrt(3)),
        "dividing the scores by the sum of their row": scores / scores.sum(axis=1, keepdims=True),
        "softmax over columns": softmax(scores.T).T,
    }
    if part == "weights":
        return weights
    weights["mixing with the printed weights"] = np.array(printed("Six words", "weights"), dtype=float)
    return {slip: by_slip @ SIX for slip, by_slip in weights.items()}


def shortened(token, value, how):
    """Whether the value has this token with as many decimals, the others taken away in this direction."""
    unit = Decimal(1).scaleb(Decimal(token).as_tuple().exponent)
    return Decimal(repr(float(value))).quantize(unit, rounding=how) == Decimal(token)


def reason(title, part, i, j, token, value):
    """Why this number is not right."""
    if (title, part, i, j) in REASONS:
        return REASONS[title, part, i, j]
    if shortened(token, value, ROUND_DOWN):
        return "cut off instead of rounded"
    if shortened(token, value, ROUND_UP):
        return "rounded up instead of to the nearest"
    row = WORDS.index(ROWS[title][i])
    same = [slip for slip, by_slip in slips(part).items() if rounded(token, by_slip[row, j]) == token]
    off = f"off by {abs(float(token) - value):.{1 - Decimal(token).as_tuple().exponent}f}"
    return f"{off}; {' or '.join(same)} {GIVES}" if same else off


def findings():
    """Yield (title, part, i, j, printed token, right value, verdict) for every number the notes print."""
    right = right_values()
    for title, parts in PRINTED.items():
        for part in parts:
            rows = printed(title, part)
            for i, j in product(range(len(rows)), range(len(rows[0]))):
                value = right[title][part][i, j]
                yield title, part, i, j, rows[i][j], value, judge(rows[i][j], value)


def misprints():
    """The printed tokens that no chapter may show as a result: not right, and too long to be right elsewhere."""
    bad = {token for *_, token, _, verdict in findings() if verdict != "right"}
    return sorted(token for token in bad if len(token.partition(".")[2]) > 2)
