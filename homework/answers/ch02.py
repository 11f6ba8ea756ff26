"""Answers to the exercises of chapter 02."""

from math import log

import numpy as np
import torch

from attention_course import checks
from attention_course.museum._parts import exponentiate, normalise, normalise_with_care
from attention_src import softmax as package

from . import Exercise


def infinity(scores, mask=None):
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    top = scores.max(axis=-1, keepdims=True)
    raised = np.exp(scores - np.where(np.isfinite(top), top, 0))
    total = raised.sum(axis=-1, keepdims=True)
    return raised / np.where(total == 0, 1, total)


def large_penalty(scores, mask=None):
    if mask is None:
        return package(scores)
    return package(np.where(mask, scores, -1e9)) * mask.any(axis=-1, keepdims=True)


RIGHT = {
    "minus infinity": infinity,
    "-1e9, and zeros for a row of nothing": large_penalty,
    "the package": lambda scores, mask=None: package(scores, mask),
}


def with_mask(weigh):
    """A softmax weigh(scores, mask), whose mask is True everywhere if none is given."""
    return lambda scores, mask=None: weigh(scores, np.ones(scores.shape, bool) if mask is None else mask)


def fill(change):
    """A softmax whose forbidden scores are changed, change(scores, mask); nothing else is done for the mask."""
    return with_mask(lambda s, mask: normalise(exponentiate(change(s, mask))))


WRONG = {
    "less the mean": lambda s, mask=None: normalise(np.exp(s - s.mean(axis=-1, keepdims=True))),
    "-1e9, a row of nothing is even": fill(lambda s, mask: np.where(mask, s, -1e9)),
    "-3e4 added, and zeros for a row of nothing": with_mask(
        lambda s, mask: package(s - 3e4 * ~mask) * mask.any(axis=-1, keepdims=True)
    ),
    "keys after the eighth ignored": with_mask(lambda s, mask: package(s, mask & (np.arange(s.shape[-1]) < 8))),
    "the weight of a single key doubled": with_mask(lambda s, mask: package(s, mask) * (2 if s.shape[-1] == 1 else 1)),
    "minus infinity, NaN in a row of nothing": fill(lambda s, mask: np.where(mask, s, -np.inf)),
    "score set to 0": fill(lambda s, mask: s * mask),
    "mask ignored": lambda scores, mask=None: package(scores),
    "mask the other way round": lambda s, mask=None: package(s, None if mask is None else ~mask),
    "mask after, not divided again": with_mask(lambda s, mask: package(s) * mask),
    "mask after, divided again": with_mask(lambda s, mask: normalise(package(s) * mask)),
    "mask after, divided again with care": with_mask(lambda s, mask: normalise_with_care(package(s) * mask)),
    "no maximum": lambda s, mask=None: normalise(np.exp(s)),
    "one maximum for all rows": lambda s, mask=None: normalise(np.exp(s - s.max())),
    "scores clipped": lambda scores, mask=None: normalise(np.exp(np.clip(scores, -700, 700))),
    "no exponential": lambda scores, mask=None: normalise(abs(scores)),
    "softmax twice": lambda scores, mask=None: package(package(scores, mask), mask),
    "down the columns": lambda scores, mask=None: package(scores.T).T,
    "over everything": lambda s, mask=None: normalise(np.exp(s - s.max()), None),
    "sum without keepdims": lambda scores, mask=None: np.exp(scores) / np.exp(scores).sum(-1),
    "one number a row": lambda scores, mask=None: package(scores).max(-1),
    "no mask taken": lambda scores: package(scores),
}


def as_handed_out(scores):
    raised = np.exp(scores - scores.max())
    return raised / raised.sum(axis=-1)


EXERCISES = {
    "ex02-softmax": Exercise(checks.softmax, RIGHT, WRONG, results=1),
    "ex02-temperature": Exercise(
        checks.temperature_for_ratio,
        formula=lambda first, second, ratio: ((first - second) / log(ratio),),
    ),
    "ex02-mend": Exercise(
        checks.mended_softmax,
        {
            "keepdims": lambda scores: normalise(exponentiate(scores)),
            "a new axis": lambda scores: package(scores) / package(scores).sum(-1)[..., None],
            "logarithms": lambda scores: np.exp(scores - np.logaddexp.reduce(scores, axis=-1)[..., None]),
        },
        {
            "as handed out": as_handed_out,
            "only keepdims mended": WRONG["one maximum for all rows"],
            "the transpose": lambda s: (np.exp(s - s.max()).T / np.exp(s - s.max()).sum(-1)).T,
            "two axes only": lambda s: package(s) if s.ndim == 2 else package(s[0]),
            "down the columns": WRONG["down the columns"],
            "over everything": WRONG["over everything"],
            "no maximum": WRONG["no maximum"],
        },
        results=1,
    ),
    "ex02-undo": Exercise(
        checks.without_divisor,
        {
            "powers": lambda c, rate: (c**-0.5, rate / c**0.5),
            "roots": lambda c, rate: (1 / np.sqrt(c), rate / np.sqrt(c)),
            "torch": lambda c, rate: (torch.tensor(c).rsqrt(), rate * torch.tensor(c).rsqrt()),
        },
        {
            "the rate of plain gradient descent": lambda c, rate: (c**-0.5, rate / c),
            "the rate kept": lambda c, rate: (c**-0.5, rate),
            "each matrix divided by c": lambda c, rate: (1 / c, rate / c**0.5),
            "the start kept": lambda c, rate: (1.0, rate / c**0.5),
            "right for c = 4 alone": lambda c, rate: (0.5, rate / 2),
            "no rate": lambda c, rate: (c**-0.5, 0),
        },
        results=2,
    ),
}
