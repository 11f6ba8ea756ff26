"""Answers to the exercises of chapter NN."""

import numpy as np

from attention_course import checks

from . import Exercise

EXERCISES = {}


def NAME_by_loops(weights, value):
    return np.array([sum(w * v for w, v in zip(row, value, strict=True)) for row in weights])


EXERCISES["exNN-NAME"] = Exercise(
    checks.NAME,
    {
        "matrix product": lambda weights, value: weights @ value,
        "loops": NAME_by_loops,
        "einsum": lambda weights, value: np.einsum("nm,md->nd", weights, value),
    },
    {
        "plain mean": lambda weights, value: np.tile(value.mean(axis=0), (len(weights), 1)),
        "divided again": lambda weights, value: weights @ value / len(value),
        "largest weight alone": lambda weights, value: value[weights.argmax(axis=1)],
        "values in reverse": lambda weights, value: weights @ value[::-1],
        "squared weights": lambda weights, value: weights**2 @ value,
        "transposed output": lambda weights, value: (weights @ value).T,
        "first query alone": lambda weights, value: weights[0] @ value,
    },
    results=1,
)
