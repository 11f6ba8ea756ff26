"""Answers to the exercises of chapter 01."""

from math import exp, sqrt

import numpy as np
import torch

from attention_course import checks
from attention_course.machine import attention
from attention_course.museum._parts import exchange_part, exponentiate, mix_by, normalise, score_by, weigh_by
from attention_course.museum.exhibits import EXHIBITS
from attention_src import scaled_dot_product_attention, softmax

from . import Exercise


def in_32_bits(query, key, value):
    query, key, value = (torch.tensor(x, dtype=torch.float32) for x in (query, key, value))
    weights = torch.softmax(query @ key.mT / key.shape[-1] ** 0.5, dim=-1)
    return torch.nn.functional.scaled_dot_product_attention(query, key, value), weights


RIGHT = {"the part": attention, "torch, 32 bits": in_32_bits, "the package": scaled_dot_product_attention}
RIGHT["no maximum"] = EXHIBITS["the maximum forgotten"]  # chapter 2 asks for it
SHOWN = ("not scaled", "queries ask queries", "keys ask keys", "keys ask queries", "softmax over the queries")
SHOWN += ("sum without keepdims", "no softmax", "softmax twice", "powers of two", "mixes the keys", "mixes the queries")
SHOWN += ("mixes by columns",)
SOFTMAXES = {
    "keys after the eighth ignored": lambda s, mask: softmax(s, mask & (np.arange(s.shape[-1]) < 8)),
    "the weight of a single key doubled": lambda s, mask: softmax(s, mask) * (2 if s.shape[-1] == 1 else 1),
}
WRONG = {name: EXHIBITS[name] for name in SHOWN} | {name: weigh_by(weigh) for name, weigh in SOFTMAXES.items()}
WRONG |= {
    "scaled by the root of n": score_by(lambda q, k, v: q @ k.T / np.sqrt(len(q))),
    "scaled by the root of m": EXHIBITS["scaled by the root of n"],
    "scaled by the root of d_v": score_by(lambda q, k, v: q @ k.T / np.sqrt(v.shape[1])),
    "scaled by the root of 2": score_by(lambda q, k, v: q @ k.T / np.sqrt(2)),
    "scaled by d_k": EXHIBITS["scaled by d"],
    "multiplied by the root of d_k": EXHIBITS["scaled the wrong way round"],
    "keys reshaped, not transposed": score_by(lambda q, k, v: q @ k.reshape(-1, len(k))),
    "less the largest of each column": weigh_by(lambda s, mask: normalise(np.exp(np.minimum(s - s.max(axis=0), 700)))),
    "small weights cut off": weigh_by(lambda s, mask: normalise(softmax(s) * (softmax(s) > 0.01))),
    "the best value alone": mix_by(lambda w, q, k, v: v[w.argmax(-1)]),
    "nothing is mixed": mix_by(lambda w, q, k, v: 0 * (w @ v)),
    "weights of one query alone": lambda q, k, v: (attention(q, k, v)[0], attention(q, k, v)[1][0]),
    "an error": lambda q, k, v: q @ k,
    "words": lambda q, k, v: ("output", "weights"),
    "no function": 3,
}


def take_some(around, *names):
    """Some of these attentions, each as a part of another answer, by their names."""
    return {name: around((WRONG | RIGHT)[name]) for name in names}


as_handed_out = exchange_part(
    score=lambda q, k, v: q @ k.T / np.sqrt(len(k)), weigh=lambda s, mask: normalise(exponentiate(s), axis=0)
)
WRITE = Exercise(checks.attention, RIGHT, WRONG, results=2)
EXERCISES = {
    "ex01-attention": WRITE,
    "ex01-doubled": Exercise(
        checks.doubled_query,
        formula=lambda times: (exp(times / sqrt(2)) / (exp(times / sqrt(2)) + 1),),
    ),
    "ex01-mend": Exercise(
        checks.mended_attention,
        RIGHT,
        {
            "as handed out": as_handed_out,
            "only the axis mended": EXHIBITS["scaled by the root of n"],
            "only the root mended": EXHIBITS["softmax over the queries"],
            "sum without keepdims": EXHIBITS["sum without keepdims"],
        },
        like=WRITE,
    ),
}
