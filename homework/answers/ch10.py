"""Answers to the exercises of chapter 10."""

from itertools import combinations

import numpy as np

from attention_course import checks
from attention_course.checks.ch10 import ASKS, BUGS, PROGRAMS, SYMPTOMS
from attention_course.museum import detectors

from . import Exercise


def exchange(undo=True, pairs=None, size=abs, over=max):
    """The effect of exchanging two tokens, with something left out or done otherwise."""

    def answer(layer, x):
        found = [0.0]
        for i, j in pairs(len(x)) if pairs else combinations(range(len(x)), 2):
            order = np.arange(len(x))
            order[[i, j]] = j, i
            moved = layer(x[order])
            found.append(np.max(size((moved[order] if undo else moved) - layer(x))))
        return over(found)

    return answer


def by_loops(layer, x):
    right, effect = layer(x), 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            other = x.copy()
            other[i], other[j] = x[j], x[i]
            moved = layer(other).copy()
            moved[[i, j]] = moved[[j, i]]
            effect = max(effect, float(np.abs(moved - right).max()))
    return effect


def by_matrices(layer, x):
    changes = []
    for i, j in combinations(range(len(x)), 2):
        change = np.eye(len(x))
        change[[i, j]] = change[[j, i]]
        changes.append(abs(change @ layer(change @ x) - layer(x)))
    return np.max(changes)


def into_x(layer, x):
    right, x[[0, 1]] = layer(x), x[[1, 0]]
    return abs(layer(x)[[1, 0, *range(2, len(x))]] - right).max()


DETECTORS = {"every pair": exchange(), "loops over rows": by_loops, "matrices": by_matrices}
WRONG_DETECTORS = {
    "the outputs stay where they are": exchange(undo=False),
    "all reversed": lambda layer, x: abs(layer(x[::-1])[::-1] - layer(x)).max(),
    "the first two alone": exchange(pairs=lambda n: [(0, 1)]),
    "neighbours alone": exchange(pairs=lambda n: [(i, i + 1) for i in range(n - 1)]),
    "no absolute value": exchange(size=np.asarray),
    "the mean of all pairs": exchange(over=lambda found: np.mean(found[1:])),
    "every output": lambda layer, x: abs(layer(x)).max(axis=-1),
    "always 0": lambda layer, x: 0.0,
    "writes into x": into_x,
}


def take_places(table, x):
    return table[: x.shape[1]][::-1]


PLACES = {
    "a slice": lambda table, x: x + take_places(table, x),
    "by index": lambda table, x: x + table[None, np.arange(x.shape[1] - 1, -1, -1)],
    "sentence by sentence": lambda table, x: np.stack([s + table[len(s) - 1 :: -1] for s in x]),
}


WRONG_PLACES = {
    "as handed out": lambda table, x: x + table[: x.shape[0], None],
    "the first place for all": lambda table, x: x + table[0],
    "nothing added": lambda table, x: x,
    "along both axes": lambda table, x: x + table[: x.shape[0], None] + take_places(table, x),
    "counted from 1": lambda table, x: x + table[1 : 1 + x.shape[1]][::-1],
    "from the first token": lambda table, x: x + table[: x.shape[1]],
    "the table turned round": lambda table, x: x + table[::-1][: x.shape[1]],
    "one place off": lambda table, x: x + np.roll(take_places(table, x), 1, axis=0),
    "taken away": lambda table, x: x - take_places(table, x),
    "the places alone": lambda table, x: np.broadcast_to(take_places(table, x), x.shape),
    "one sentence alone": lambda table, x: (x + take_places(table, x))[0],
}
RIGHT_NAMES = {name: detector for name, (detector, _) in SYMPTOMS.items()}
RIGHT_BUGS = {name: bug for name, (bug, _) in PROGRAMS.items()}


def exchange_one(right, words):
    """Every other name for every case."""
    return {
        f"names “{other}” for {case}": tuple((right | {case: other}).values())
        for case in right
        for other in words
        if other != right[case]
    }


EXERCISES = {
    "ex10-exchange": Exercise(checks.exchange_effect, DETECTORS, WRONG_DETECTORS, results=1),
    "ex10-places": Exercise(checks.mended_places, PLACES, WRONG_PLACES, results=1),
    "ex10-programs": Exercise(
        checks.programs,
        {
            "names": tuple(RIGHT_BUGS.values()),
            "capitals": tuple(bug.capitalize() for bug in RIGHT_BUGS.values()),
            "blanks": tuple(f" {bug} " for bug in RIGHT_BUGS.values()),
        },
        exchange_one(RIGHT_BUGS, BUGS),
    ),
    "ex10-symptoms": Exercise(
        checks.symptoms,
        {
            "names": tuple(RIGHT_NAMES.values()),
            "functions": tuple(getattr(detectors, name) for name in RIGHT_NAMES.values()),
        },
        exchange_one(RIGHT_NAMES, ASKS),
    ),
}
