"""Answers to the exercises of chapter 05."""

import numpy as np
import torch

from attention_course import checks
from attention_course.museum._parts import exponentiate, mix_by, normalise, normalise_with_care, weigh_by
from attention_course.museum.exhibits import EXHIBITS
from attention_src import causal_mask, padding_mask, scaled_dot_product_attention, softmax

from . import Exercise
from .ch01 import take_wrong


def comparisons(lengths, n):
    key = np.arange(n)
    return (key <= key[:, None]) & (key < lengths[:, None, None])


def loops(lengths, n):
    return np.array([[[j <= i and j < length for j in range(n)] for i in range(n)] for length in lengths])


def in_torch(lengths, n):
    return torch.ones(n, n).tril().bool() & (torch.arange(n) < torch.tensor(lengths)[:, None, None])


def from_the_package(lengths, n):
    return causal_mask(n) & padding_mask(lengths, n)


def make_mask(condition):
    """A mask from a condition on query i, key j and length, all arrays of (batch, n, n)."""

    def answer(lengths, n):
        i, j = np.arange(n)[:, None], np.arange(n)
        return np.broadcast_to(condition(i, j, lengths[:, None, None]), (len(lengths), n, n))

    return answer


WRONG_MASKS = {
    "opposite": (make_mask(lambda i, j, k: (j > i) | (j >= k)), "What does True mean in yours"),
    "no padding": (make_mask(lambda i, j, k: j <= i), "sentence of two words"),
    "not causal": (make_mask(lambda i, j, k: j < k), "May query 0 look at key 1"),
    "transposed": (make_mask(lambda i, j, k: (j >= i) & (j < k)), "which is the key"),
    "one too many": (make_mask(lambda i, j, k: (j <= i) & (j <= k)), "the last key of two words"),
    "not oneself": (make_mask(lambda i, j, k: (j < i) & (j < k)), "May a token look at itself"),
    "askers padded": (make_mask(lambda i, j, k: (j <= i) & (i < k)), "query or the key"),
    "or": (make_mask(lambda i, j, k: (j <= i) | (j < k)), "Both conditions"),
    "keys after the eighth hidden": (make_mask(lambda i, j, k: (j <= i) & (j < k) & (j < 8)), "Is j ≤ i there"),
    "nobody": (make_mask(lambda i, j, k: (i < 0) & (j < k)), "Is j ≤ i there"),
    "numbers": (lambda lengths, n: comparisons(lengths, n).astype(float), {"dtype": "float64"}),
    "minus infinity": (lambda lengths, n: np.where(comparisons(lengths, n), 0, -np.inf), {"dtype": "float64"}),
    "torch's triangle of floats": (
        lambda lengths, n: torch.ones(n, n).tril() & (torch.arange(n) < torch.tensor(lengths)[:, None, None]),
        {"error": "NotImplementedError"},
    ),
    "no batch": (lambda lengths, n: np.tri(n, dtype=bool), "Which axis should remain"),
    "a list of lists": (lambda lengths, n: [["yes"] * n] * n, "Can np.array turn"),
}


def package(query, key, value, mask):
    return scaled_dot_product_attention(query, key, value, mask)


def minus_infinity(query, key, value, mask):
    scores = np.where(mask, query @ key.T / np.sqrt(key.shape[1]), -np.inf)
    raised = np.exp(scores - np.where(mask.any(-1), scores.max(-1), 0)[:, None])
    weights = raised / np.maximum(raised.sum(-1, keepdims=True), 1e-300)
    return weights @ value, weights


def row_by_row(query, key, value, mask):
    weights = np.zeros(mask.shape)
    for i, may in enumerate(mask):
        if may.any():
            weights[i, may] = softmax(key[may] @ query[i] / key.shape[1] ** 0.5)
    return weights @ value, weights


def nan_to_zero(query, key, value, mask):
    q, k, v, may = map(torch.tensor, (query, key, value, mask))
    weights = (q @ k.T / k.shape[1] ** 0.5).masked_fill(~may, -torch.inf).softmax(-1).nan_to_num(0)
    return weights @ v, weights


def large_penalty(query, key, value, mask):
    scores = query @ key.T / np.sqrt(key.shape[1]) - 1e9 * ~mask
    weights = softmax(scores) * mask.any(-1, keepdims=True)
    return weights @ value, weights


RIGHT = {
    "the package": package,
    "minus infinity": minus_infinity,
    "row by row": row_by_row,
    "torch, NaN made 0": nan_to_zero,
    "-1e9, and zeros for a row of nothing": large_penalty,
}


def transpose_mask(scores, mask):
    return softmax(scores, mask.T if mask.T.shape == scores.shape else mask)


WRONG = {
    "mask ignored": (EXHIBITS["mask ignored"], "of a hidden score"),
    "mask the other way round": (EXHIBITS["mask with the opposite meaning"], "It sees *only* those"),
    "mask after the softmax": (EXHIBITS["mask after the softmax"], "before the softmax, or after"),
    "after, divided again": (weigh_by(lambda s, mask: normalise(softmax(s) * mask)), "maximum, or after"),
    "after, divided again with care": (
        weigh_by(lambda s, mask: normalise_with_care(softmax(s) * mask)),
        "maximum, or after",
    ),
    "maximum over hidden scores, too": (
        weigh_by(lambda s, mask: normalise_with_care(exponentiate(s) * mask)),
        "maximum, or after",
    ),
    "score times mask": (EXHIBITS["mask multiplied into the scores"], "of a hidden score"),
    "penalty too small": (weigh_by(lambda s, mask: softmax(s - 2 * ~mask)), "of a hidden score"),
    "-1e4, and zeros for a row of nothing": (
        weigh_by(lambda s, mask: softmax(np.where(mask, s, -1e4)) * mask.any(-1, keepdims=True)),
        "of a hidden score",
    ),
    "-3e4 added, and zeros for a row of nothing": (
        weigh_by(lambda s, mask: softmax(s - 3e4 * ~mask) * mask.any(-1, keepdims=True)),
        "of a hidden score",
    ),
    "-1e9, a row of nothing is even": (
        weigh_by(lambda s, mask: softmax(np.where(mask, s, -1e9))),
        "equally low scores",
    ),
    "minus infinity, NaN in a row of nothing": (
        weigh_by(lambda s, mask: normalise(exponentiate(s, mask))),
        "What is 0 / 0",
    ),
    "zero weights, but the mean as output": (
        mix_by(lambda w, q, k, v: w @ v + (w.sum(-1, keepdims=True) == 0) * v.mean(0)),
        "What do weights of 0 fetch",
    ),
    "zeros for all if one may look nowhere": (
        lambda q, k, v, mask: (package(q, k, v, mask)[0] * mask.any(-1).all(), package(q, k, v, mask)[1]),
        "other queries fetch",
    ),
    "one row of zeros if one may look nowhere": (
        lambda q, k, v, mask: package(q, k, v, mask) if mask.any(-1).all() else (0 * v[0], 0 * mask[0]),
        "Which axis should remain",
    ),
    "one maximum for all rows": (
        weigh_by(lambda s, mask: normalise(np.exp(s - s[mask].max()) * mask)),
        "lower by 1,000",
    ),
    "scores clipped": (
        weigh_by(lambda s, mask: normalise(np.exp(np.clip(s, -700, 700)) * mask)),
        "gap in your weights",
    ),
    "all zeros if one row is": (weigh_by(lambda s, mask: softmax(s, mask) * mask.any(-1).all()), "What happened to"),
    "weights of one query alone": (lambda *given: (package(*given)[0], package(*given)[1][0]), "Which axis should"),
}
SAME = ("not scaled", "scaled by the root of m", "softmax over the queries", "no softmax", "no maximum")
SAME += ("mixes the keys", "nothing is mixed", "keys after the eighth ignored", "the weight of a single key doubled")
SAME += ("mixes the keys where values have their shape",)
WRONG |= take_wrong(lambda attend: attend, *SAME)


as_handed_out = weigh_by(lambda s, mask: softmax(np.where(mask, -1e9, s)))
COUNTED = (5 * 4, causal_mask(5).sum(), torch.tensor(5))
EXERCISES = {
    "ex05-mask": Exercise(
        checks.decoder_mask,
        "S002-1 S000-14",
        {"comparisons": comparisons, "loops": loops, "torch": in_torch, "the package": from_the_package},
        WRONG_MASKS,
        results=1,
    ),
    "ex05-count": Exercise(
        checks.who_may_look,
        "S000-14 S001-19",
        {"whole": (20, 15, 5), "as floats": (20.0, np.int64(15), 5), "counted": COUNTED},
        {
            "cross 30": ((30, 15, 5), "Is a padded position a word"),
            "cross 25": ((25, 15, 5), "keys in cross-attention"),
            "cross 16": ((16, 15, 5), "let the source look at itself"),
            "cross 24": ((24, 15, 5), "its own positions"),
            "cross 14": ((14, 15, 5), "first word is written"),
            "cross 10": ((10, 15, 5), "first word is written"),
            "cross 22": ((22, 15, 5), "How many queries"),
            "causal 25": ((20, 25, 5), "May word 1 look at word 2"),
            "causal 20": ((20, 20, 5), "let every word look"),
            "causal 10": ((20, 10, 5), "on the diagonal"),
            "causal 21": ((20, 21, 5), "count one word too many"),
            "causal 14": ((20, 14, 5), "How many words may"),
            "react 4": ((20, 15, 4), "from the second on"),
            "react 3": ((20, 15, 3), "after the second"),
            "react 1": ((20, 15, 1), "word 2 alone"),
            "react 0": ((20, 15, 0), "look at the source"),
            "react 6": ((20, 15, 6), "the padded positions"),
            "react 2": ((20, 15, 2), "Which written words"),
        },
        formula=lambda source, places, written: (source * written, sum(range(written + 1)), written),
    ),
    "ex05-attention": Exercise(checks.masked_attention, "S000-14 S002-7", RIGHT, WRONG, results=2),
    "ex05-mend": Exercise(
        checks.mended_mask,
        "S000-14 S002-1",
        RIGHT | {"-1e9": weigh_by(lambda s, mask: softmax(np.where(mask, s, -1e9)))},
        {
            "as handed out": (as_handed_out, "It sees *only* those"),
            "-1e4": (weigh_by(lambda s, mask: softmax(np.where(mask, s, -1e4))), "of a hidden score"),
            "-3e4 added": (weigh_by(lambda s, mask: softmax(s - 3e4 * ~mask)), "of a hidden score"),
            "no mask": (EXHIBITS["mask ignored"], "of a hidden score"),
            "0 for a forbidden score": (weigh_by(lambda s, mask: softmax(np.where(mask, s, 0))), "of a hidden score"),
            "after the softmax": (EXHIBITS["mask after the softmax"], "before the softmax, or after"),
            "transposed": (weigh_by(transpose_mask), "its rows or its columns"),
            "the scale lost": (EXHIBITS["not scaled"], "between the scores and the softmax"),
        },
        results=2,
        named=3,
        names={1: "where `mask` is True", 2: "equally low", 4: "three outputs"},
    ),
}
