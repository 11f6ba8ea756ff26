"""A machine that is watched while it writes: its candidates, and where one of its heads looks."""

from copy import copy
from functools import cache
from itertools import islice

import numpy as np

from .machine import START, Machine, softmax

__all__ = ["watch_writing"]


def watch(machine, beginning, temperature, head, seed=0, most=4):
    """Yield what `watch_writing` lists, until the text is as long as it can be."""
    machine, attention = copy(machine), machine.parts["attention"]
    random, memory, looked = np.random.default_rng(seed), {}, {}

    def watched(*given):
        output, weights = attention(*given)
        looked[machine.at["block"], machine.at["head"]] = weights[0]
        return output, weights

    machine.parts = {**machine.parts, "attention": watched}
    numbers = [START, *map(machine.tokens.index, machine.parts["tokenize"](beginning, machine.merges))]
    for place in range(machine.longest):
        scores = machine.step(numbers[place], place, memory)
        if place + 1 == len(numbers):
            chances = softmax(scores, temperature)
            numbers.append(drawn := int(random.choice(len(chances), p=chances)))
            shown = sorted({*np.argsort(-chances)[:most].tolist(), drawn}, key=lambda number: -chances[number])
            candidates = [[machine.tokens[number], round(100 * float(chances[number]), 1)] for number in shown]
            shades = "".join(f"{shade:.0f}" for shade in 9 * np.sqrt(looked[head]))
            yield [machine.tokens[drawn], candidates, shades]


def watch_writing(machine, beginning, count, temperature, head, seed=0, most=4):
    """Let a machine write after a beginning; return a step for each piece.

    Parameters
    ----------
    machine : Machine
    beginning : str
    count : int, how many pieces it writes
    temperature : float
    head : (block, head), counted from 1, the one that is watched
    seed : int, of the draws
    most : int, how many candidates a step has

    Returns
    -------
    steps : list of [the piece that is drawn, [[candidate, chance], …], shades]
        The candidates are the likeliest and the one drawn, with their chances in per cent. The shades are a digit for
        the start and each piece so far, 9 times the root of the weight that the head gives it.

    Examples
    --------
    >>> from attention_course.machine import Machine
    >>> watch_writing(Machine("names"), "ad", 2, 0.01, (1, 2), most=1)
    [['e', [['e', 100.0]], '581'], ['l', [['l', 100.0]], '3283']]
    """
    return [*islice(watch(machine, beginning, temperature, head, seed, most), count)]


WRITES = []  # what the picture of chapter 13 has asked for last


@cache
def _open():
    from . import novel  # noqa: F401 - in a browser, this fetches the weights

    return Machine("prose")


def begin(beginning, temperature, head, off, seed):
    """Let the machine that has read the novel begin to write, with this head off or not; return what it has read."""
    machine = _open()
    (numbers,), _ = machine.encode([beginning])  # ValueError for what it can't read
    WRITES[:] = [watch(machine.without(*head) if off else machine, beginning, temperature, head, seed)]
    return [machine.tokens[number] for number in numbers[1:]]


def go_on():
    """Return the next step of what was begun last, None at its end."""
    return next(WRITES[0], None)
