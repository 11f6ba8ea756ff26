"""Answers to the exercises of chapter 10; the exhibits of its museum are wrong answers, too."""

import numpy as np
import torch

from attention_src import checks, detectors
from attention_src.checks.symptoms import ASKS, SYMPTOMS
from attention_src.exhibits import EXHIBITS

from . import Exercise, definition, masks


def first(q, k, v):
    e = np.exp(q @ k.T / np.sqrt(q.shape[-1]))
    w = e / e.sum(axis=-1)
    return w @ v, w


def after(query, key, value, mask):
    weights = masks.softmax(query @ key.T / np.sqrt(key.shape[-1])) * mask
    return weights @ value, weights


def exhibits(check):
    """The exhibits that the check refuses for what they are, whatever the question."""
    mask_alone = {name for name in EXHIBITS if "mask" in name}
    return {name: (answer, "") for name, answer in EXHIBITS.items() if check == "masked" or name not in mask_alone}


PLACES = {
    "a slice": lambda table, x: x + table[: x.shape[1]],
    "by index": lambda table, x: x + table[None, np.arange(x.shape[1])],
    "sentence by sentence": lambda table, x: np.stack([sentence + table[: len(sentence)] for sentence in x]),
    "torch": lambda table, x: torch.tensor(x) + torch.tensor(table)[: x.shape[1]],
}


def in_place(table, x):
    x += table[: x.shape[1]]
    return x


WRONG_PLACES = {
    "as handed out": (
        lambda table, x: x + table[: x.shape[0], None],
        "Along which axis",
        "Which axis of (batch, n, d) is which was not asked; both slices run.",
    ),
    "the first place for all": (lambda table, x: x + table[0], "Along which axis"),
    "nothing added": (lambda table, x: x, "What was to be added"),
    "along both axes": (lambda table, x: x + table[: x.shape[0], None] + table[: x.shape[1]], "What does it depend on"),
    "places run on through the batch": (
        lambda table, x: x + np.resize(table, (x.shape[0] * x.shape[1], x.shape[2])).reshape(x.shape),
        "What does it depend on",
    ),
    "counted from 1": (lambda table, x: x + table[1 : 1 + x.shape[1]], "Counting starts at 0"),
    "backwards": (lambda table, x: x + table[: x.shape[1]][::-1], "and which to the second"),
    "taken away": (lambda table, x: x - table[: x.shape[1]], "or taken away"),
    "multiplied": (lambda table, x: x * table[: x.shape[1]], "What does it depend on"),
    "the places alone": (
        lambda table, x: np.broadcast_to(table[: x.shape[1]], x.shape),
        "Where are the tokens themselves",
    ),
    "one sentence alone": (lambda table, x: (x + table[: x.shape[1]])[0], "Every token of every sentence"),
    "writes into x": (in_place, {"argument": "x"}),
}
RIGHT_DETECTORS = {name: detector for name, (detector, _) in SYMPTOMS.items()}


def symptoms():
    """Every other detector for every symptom."""
    for name, right in RIGHT_DETECTORS.items():
        for other in ASKS:
            if other != right:
                yield (
                    f"names “{other}” for {name}",
                    (tuple((RIGHT_DETECTORS | {name: other}).values()), {"symptom": name, "answer": other}),
                )


EXERCISES = {
    "ex10-rows": Exercise(
        checks.attention,
        "S000-11 SALL-3",
        definition.RIGHT,
        {"as handed out": (first, "By what is each row divided")} | exhibits("plain"),
        like=definition.WRITE,
    ),
    "ex10-places": Exercise(checks.mended_places, "S002-2", PLACES, WRONG_PLACES, results=1),
    "ex10-mask": Exercise(
        checks.masked_attention,
        "S000-14 S002-1",
        masks.RIGHT,
        {"as handed out": (after, "before the softmax, or after")} | exhibits("masked"),
        like=masks.EXERCISES["ex05-attention"],
    ),
    "ex10-symptoms": Exercise(
        checks.symptoms,
        "SALL-2",
        {
            "names": tuple(RIGHT_DETECTORS.values()),
            "functions": tuple(getattr(detectors, name) for name in RIGHT_DETECTORS.values()),
        },
        dict(symptoms()),
    ),
}
