"""Answers to the exercises of chapter 05."""

import numpy as np
import torch

from attention_course import checks
from attention_course.machine import mask as decoder_mask
from attention_course.museum._parts import exponentiate, mix_by, normalise, normalise_with_care, scale_dots, weigh_by
from attention_course.museum.exhibits import EXHIBITS
from attention_src import causal_mask, padding_mask, softmax
from attention_src import scaled_dot_product_attention as package

from . import Exercise
from .ch01 import take_some


def loops(lengths, n):
    return np.array([[[j <= i and j < length for j in range(n)] for i in range(n)] for length in lengths])


def from_the_package(lengths, n):
    return causal_mask(n) & padding_mask(lengths, n)


def make_mask(condition):
    """A mask from a condition on query i, key j and length, all arrays of (batch, n, n)."""

    def answer(lengths, n):
        i, j = np.arange(n)[:, None], np.arange(n)
        return np.broadcast_to(condition(i, j, lengths[:, None, None]), (len(lengths), n, n))

    return answer


WRONG_MASKS = {
    "opposite": make_mask(lambda i, j, k: (j > i) | (j >= k)),
    "no padding": make_mask(lambda i, j, k: j <= i),
    "not causal": make_mask(lambda i, j, k: j < k),
    "transposed": make_mask(lambda i, j, k: (j >= i) & (j < k)),
    "one too many": make_mask(lambda i, j, k: (j <= i) & (j <= k)),
    "not oneself": make_mask(lambda i, j, k: (j < i) & (j < k)),
    "askers padded": make_mask(lambda i, j, k: (j <= i) & (i < k)),
    "or": make_mask(lambda i, j, k: (j <= i) | (j < k)),
    "keys after the eighth hidden": make_mask(lambda i, j, k: (j <= i) & (j < k) & (j < 8)),
    "numbers": lambda lengths, n: decoder_mask(lengths, n).astype(float),
    "minus infinity": lambda lengths, n: np.where(decoder_mask(lengths, n), 0, -np.inf),
    "torch's triangle of floats": lambda lengths, n: (
        torch.ones(n, n).tril() & (torch.arange(n) < torch.tensor(lengths)[:, None, None])
    ),
    "no batch": lambda lengths, n: np.tri(n, dtype=bool),
    "a list of lists": lambda lengths, n: [["yes"] * n] * n,
}


def row_by_row(query, key, value, mask):
    weights = np.zeros(mask.shape)
    for i, may in enumerate(mask):
        if may.any():
            scores = key[may] @ query[i] / key.shape[1] ** 0.5
            weights[i, may] = normalise(np.exp(scores - scores.max()))
    return weights @ value, weights


RIGHT = {
    "row by row": row_by_row,
    "-1e9, and zeros for a row of nothing": weigh_by(
        lambda s, mask: normalise(exponentiate(np.where(mask, s, -1e9))) * mask.any(-1, keepdims=True)
    ),
    "a total of nothing is 1": weigh_by(
        lambda s, mask: normalise_with_care(
            np.exp(np.where(mask, s - np.where(mask, s, s.min()).max(-1, keepdims=True), -np.inf))
        )
    ),
}


def replace_nan(where):
    """Attention whose NaN, for a query with no visible keys, is replaced by 0 in the weights or in the output alone."""

    def attend(query, key, value, mask):
        with np.errstate(all="ignore"):
            scores = np.where(mask, scale_dots(query, key), -np.inf)
            weights = normalise(np.exp(scores - scores.max(-1, keepdims=True)))
        output = np.nan_to_num(weights @ value if where == "output" else np.nan_to_num(weights) @ value)
        return output, np.nan_to_num(weights)

    return attend


SHOWN = ("mask ignored", "mask after the softmax")
SOFTMAXES = {
    "mask after, divided again": lambda s, mask: normalise(softmax(s) * mask),
    "mask after, divided again with care": lambda s, mask: normalise_with_care(softmax(s) * mask),
    "-1e9, a row of nothing is even": lambda s, mask: softmax(np.where(mask, s, -1e9)),
    "-3e4 added, and zeros for a row of nothing": lambda s, mask: (
        softmax(s - 3e4 * ~mask) * mask.any(-1, keepdims=True)
    ),
    "minus infinity, NaN in a row of nothing": lambda s, mask: normalise(exponentiate(np.where(mask, s, -np.inf))),
}
WRONG = {name: EXHIBITS[name] for name in SHOWN} | {name: weigh_by(weigh) for name, weigh in SOFTMAXES.items()}
WRONG |= {
    "the package": package,
    "NaN replaced in the weights": replace_nan("weights"),
    "NaN replaced in the output": replace_nan("output"),
    "mask the other way round": EXHIBITS["mask with the opposite meaning"],
    "score times mask": EXHIBITS["mask multiplied into the scores"],
    "zero weights, but the mean as output": mix_by(
        lambda w, q, k, v: w @ v + (w.sum(-1, keepdims=True) == 0) * v.mean(0)
    ),
    "zeros for all if one may look nowhere": lambda q, k, v, mask: (
        package(q, k, v, mask)[0] * mask.any(-1).all(),
        package(q, k, v, mask)[1],
    ),
    "one maximum for all rows": weigh_by(lambda s, mask: normalise(np.exp(s - s[mask].max()) * mask)),
    "scores clipped": weigh_by(lambda s, mask: normalise(np.exp(np.clip(s, -700, 700)) * mask)),
    "all zeros if one row is": weigh_by(lambda s, mask: softmax(s, mask) * mask.any(-1).all()),
    "weights of one query alone": lambda *given: (package(*given)[0], package(*given)[1][0]),
}
SAME = ("not scaled", "scaled by the root of m", "softmax over the queries", "no softmax", "no maximum")
SAME += ("mixes the keys", "nothing is mixed", "keys after the eighth ignored", "the weight of a single key doubled")
WRONG |= take_some(lambda attend: attend, *SAME)


as_handed_out = weigh_by(lambda s, mask: softmax(np.where(mask, -1e9, s)))
EXERCISES = {
    "ex05-mask": Exercise(
        checks.decoder_mask,
        {"the part": decoder_mask, "loops": loops, "the package": from_the_package},
        WRONG_MASKS,
        results=1,
    ),
    "ex05-count": Exercise(
        checks.who_may_look,
        formula=lambda source, places, written: (source * written, sum(range(written + 1)), written),
    ),
    "ex05-attention": Exercise(checks.masked_attention, RIGHT, WRONG, results=2),
    "ex05-mend": Exercise(
        checks.mended_mask,
        RIGHT | {"the package": package, "-1e9": weigh_by(lambda s, mask: softmax(np.where(mask, s, -1e9)))},
        {
            "as handed out": as_handed_out,
            "-3e4 added": weigh_by(lambda s, mask: softmax(s - 3e4 * ~mask)),
            "no mask": EXHIBITS["mask ignored"],
            "after the softmax": EXHIBITS["mask after the softmax"],
            "transposed": weigh_by(lambda s, mask: softmax(s, mask.T if mask.T.shape == s.shape else mask)),
            "the scale lost": EXHIBITS["not scaled"],
        },
        results=2,
    ),
}
