"""Answers to the exercises of chapter 08."""

import numpy as np

from attention_course import checks
from attention_src import scaled_dot_product_attention, softmax
from attention_src.patches import patchify as from_the_package
from attention_src.patches import unpatchify

from . import Exercise


def loops(image, p):
    H, W, _ = image.shape
    return np.array([image[i : i + p, j : j + p].ravel() for i in range(0, H, p) for j in range(0, W, p)])


def reorder(*axes):
    """Patches whose five axes (patch row, row, patch column, column, colour) are put in another order."""

    def answer(image, p):
        H, W, C = image.shape
        cut = image.reshape(H // p, p, W // p, p, C)
        return cut.transpose(axes).reshape(H // p * (W // p), p * p * C)

    return answer


five_axes = reorder(0, 2, 1, 3, 4)
RIGHT = {"five axes": five_axes, "loops": loops, "the package": from_the_package}
WRONG = {
    "strips": reorder(0, 1, 2, 3, 4),
    "counted down columns": reorder(2, 0, 1, 3, 4),
    "columns within a patch": reorder(0, 2, 3, 1, 4),
    "colours apart": reorder(0, 2, 4, 1, 3),
    "patches not laid flat": lambda image, p: five_axes(image, p).reshape(-1, p, p, image.shape[2]),
    "square pictures only": lambda image, p: five_axes(image[: image.shape[1]], p),
    "height and width exchanged": lambda image, p: five_axes(image.swapaxes(0, 1), p),
    "an error": lambda image, p: image.reshape(p, p, p, p, p, p),
}
WRITE = Exercise(checks.patchify, RIGHT, WRONG, results=1)


def back_by_loops(patches, p, H, W):
    image = np.zeros((H, W, patches.shape[1] // p**2))
    for k, patch in enumerate(patches):
        i, j = divmod(k, W // p)
        image[i * p : i * p + p, j * p : j * p + p] = patch.reshape(p, p, -1)
    return image


def reorder_back(*axes):
    """Pictures put together from five axes (patch row, patch column, row, column, colour) in another order."""

    def answer(patches, p, H, W):
        return patches.reshape(H // p, W // p, p, p, -1).transpose(axes).reshape(H, W, -1)

    return answer


def exchange(rows, one, other):
    order = np.arange(len(rows))
    order[[one, other]] = other, one
    return rows[order]


def mislead(part="V", what="positions"):
    """Attention whose queries, keys and values (Q, K, V) are made of tokens, some of which are misled."""

    def answer(looks, positions, W_q, W_k, W_v, one, other):
        parts, truth = {"looks": looks, "positions": positions}, looks + positions
        lie = sum(exchange(rows, one, other) if name in what else rows for name, rows in parts.items())
        made = [(lie if name in part else truth) @ W for name, W in zip("QKV", (W_q, W_k, W_v), strict=True)]
        return scaled_dot_product_attention(*made)[0]

    return answer


def step_by_step(looks, positions, W_q, W_k, W_v, one, other):
    tokens, lie = looks + positions, np.array(looks + positions)
    lie[one], lie[other] = looks[one] + positions[other], looks[other] + positions[one]
    scores = (tokens @ W_q) @ (tokens @ W_k).T / W_k.shape[1] ** 0.5
    return softmax(scores) @ (lie @ W_v)


def overwrite_one(looks, positions, W_q, W_k, W_v, one, other):
    tokens, lie = looks + positions, np.array(looks + positions)
    lie[one] = looks[one] + positions[other]
    return scaled_dot_product_attention(tokens @ W_q, tokens @ W_k, lie @ W_v)[0]


def cut_before(query, key, value, i, j):
    mask = np.ones((len(query), len(key)), dtype=bool)
    mask[i, j] = False
    return scaled_dot_product_attention(query, key, value, mask)


def weigh_cut(change):
    """Attention whose scores, or whose weights, are changed by change(scores, i, j)."""

    def answer(query, key, value, i, j):
        weights = change(query @ key.T / key.shape[1] ** 0.5, i, j)
        return weights @ value, weights

    return answer


def put(table, where, number):
    table = np.array(table)
    table[where] = number
    return table


def renormalise(scores, i, j):
    weights = put(softmax(scores), (i, j), 0)
    return weights / weights.sum(axis=1, keepdims=True)


back = reorder_back(0, 2, 1, 3, 4)
EXERCISES = {
    "ex08-patchify": WRITE,
    "ex08-count": Exercise(
        checks.patch_numbers,
        formula=lambda size, patch: ((size // patch) ** 2 + 1, patch * patch * 3, ((size // patch) ** 2 + 1) ** 2),
    ),
    "ex08-mend": Exercise(
        checks.mended_unpatchify,
        {"five axes": back, "loops": back_by_loops, "the package": unpatchify},
        {
            "as handed out": lambda patches, p, H, W: patches.reshape(H, W, -1),
            "columns within a patch": reorder_back(0, 3, 1, 2, 4),
            "height and width exchanged": lambda patches, p, H, W: back(patches, p, W, H),
            "upside down": lambda *given: back(*given)[::-1],
            "colours lost": lambda *given: back(*given)[..., 0],
            "not put together": lambda patches, *_: patches,
            "an error": lambda patches, p, H, W: patches.reshape(p, p, p, p, p, p, p),
        },
    ),
    "ex08-mislead": Exercise(
        checks.false_position,
        {"a swap": mislead(), "step by step": step_by_step, "values told apart": lambda *given: mislead("V")(*given)},
        {
            "no swap": mislead(""),
            "in the keys": mislead("K"),
            "in keys and values": mislead("KV"),
            "everywhere": mislead("QKV"),
            "in the queries": mislead("Q"),
            "the looks": mislead(what="looks"),
            "whole tokens": mislead(what="looks and positions"),
            "rows of the output": lambda *given: exchange(mislead("")(*given), *given[-2:]),
            "one overwritten": overwrite_one,
            "an error": lambda looks, *_: looks @ looks,
        },
        results=1,
    ),
    "ex08-cut": Exercise(
        checks.cut_arrow,
        {
            "a mask": cut_before,
            "minus infinity": weigh_cut(lambda s, i, j: softmax(put(s, (i, j), -np.inf))),
            "divided again": weigh_cut(renormalise),
        },
        {
            "after the softmax": weigh_cut(lambda s, i, j: put(softmax(s), (i, j), 0)),
            "a score of 0": weigh_cut(lambda s, i, j: softmax(put(s, (i, j), 0))),
            "for every query": weigh_cut(lambda s, i, j: softmax(put(s, (slice(None), j), -np.inf))),
            "nothing cut": weigh_cut(lambda s, i, j: softmax(s)),
            "not scaled": weigh_cut(lambda s, i, j: softmax(put(s * 2, (i, j), -np.inf))),
            "the weights of before": lambda *given: (
                scaled_dot_product_attention(*given[:3])[0],
                cut_before(*given)[1],
            ),
            "the value removed": lambda q, k, v, i, j: scaled_dot_product_attention(q, k, put(v, j, 0)),
            "an error": lambda q, k, v, i, j: q @ k,
        },
        results=2,
    ),
}
