"""Answers to the exercises of chapter NN."""

import numpy as np
import torch

from attention_course import checks

from . import Exercise

EXERCISES = {}


def NAME_by_loops(weights, value):
    return np.array([sum(w * v for w, v in zip(row, value, strict=True)) for row in weights])


def NAME_in_place(weights, value):
    value *= 2
    return weights @ value / 2


EXERCISES["exNN-NAME"] = Exercise(
    checks.NAME,
    "SALL-3",  # the item of tools/items.toml that the exercise serves
    {
        "matrix product": lambda weights, value: weights @ value,
        "loops": NAME_by_loops,
        "writes into the values": NAME_in_place,
        "torch": lambda weights, value: torch.tensor(weights) @ torch.tensor(value),
    },
    {
        "plain mean": (
            lambda weights, value: np.tile(value.mean(axis=0), (len(weights), 1)),
            "Where do your weights enter",
        ),
        "divided again": (lambda weights, value: weights @ value / len(value), "by what else do you divide"),
        "largest weight alone": (lambda weights, value: value[weights.argmax(axis=1)], "the smaller weights"),
        "values in reverse": (lambda weights, value: weights @ value[::-1], "Which weight belongs to which value"),
        "squared weights": (lambda weights, value: weights**2 @ value, "Which weight belongs to which value"),
        "transposed output": (lambda weights, value: (weights @ value).T, "Which axis do the weights"),
        "first query alone": (lambda weights, value: weights[0] @ value, "Which axis do the weights"),
    },
    results=1,
)
