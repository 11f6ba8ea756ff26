"""Answers to the exercises of chapter 02."""

from math import log

import numpy as np
import torch

from attention_course import checks
from attention_course.machine import softmax
from attention_course.museum._parts import exponentiate, normalise
from attention_src import softmax as package

from . import Exercise

RIGHT = {
    "the part": softmax,
    "divided first": lambda s, T=1: normalise(np.exp(s / T - (s / T).max(axis=-1, keepdims=True))),
    "the package": lambda scores, temperature=1: package(scores / temperature),
    "logarithms": lambda s, T=1: np.exp(s / T - np.logaddexp.reduce(s / T, axis=-1)[..., None]),
}


def of_scores(weigh):
    """A softmax with a temperature from one without."""
    return lambda scores, temperature=1: weigh(scores / temperature)


WRONG = {
    "less the mean": of_scores(lambda s: normalise(np.exp(s - s.mean(axis=-1, keepdims=True)))),
    "temperature ignored": lambda scores, temperature=1: package(scores),
    "temperature multiplied": lambda scores, temperature=1: package(scores * temperature),
    "temperature after": lambda scores, temperature=1: normalise(package(scores) / temperature),
    "weights divided": lambda scores, temperature=1: package(scores) / temperature,
    "maximum of the scores that are not divided": lambda s, T=1: normalise(np.exp(s / T - s.max(-1, keepdims=True))),
    "divided twice": lambda scores, temperature=1: package(scores / temperature**2),
    "no temperature taken": lambda scores: package(scores),
    "−∞ replaced by 0": of_scores(lambda s: package(np.where(np.isneginf(s), 0, s))),
    "−∞ times 0": of_scores(lambda s: package(s + 0 * s)),
    "keys after the eighth ignored": of_scores(lambda s: package(s, np.arange(s.shape[-1]) < 8 + 0 * s)),
    "the weight of a single key doubled": of_scores(lambda s: package(s) * (2 if s.shape[-1] == 1 else 1)),
    "no maximum": of_scores(lambda s: normalise(np.exp(s))),
    "one maximum for all rows": of_scores(lambda s: normalise(np.exp(s - s.max()))),
    "scores clipped": of_scores(lambda s: normalise(np.exp(np.clip(s, -700, 700)))),
    "no exponential": of_scores(lambda s: normalise(abs(s))),
    "softmax twice": of_scores(lambda s: package(package(s))),
    "down the columns": of_scores(lambda s: package(s.T).T),
    "over everything": of_scores(lambda s: normalise(np.exp(s - s.max()), None)),
    "sum without keepdims": of_scores(lambda s: np.exp(s) / np.exp(s).sum(-1)),
    "one number a row": of_scores(lambda s: package(s).max(-1)),
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
