"""A machine that is watched while it writes: its candidates, and where one of its heads looks."""

import numpy as np

from .machine import START, softmax

__all__ = ["watch_writing"]


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
    random, memory, looked, steps = np.random.default_rng(seed), {}, {}, []
    attention = machine.parts["attention"]

    def watched(*given):
        output, weights = attention(*given)
        looked[machine.at["block"], machine.at["head"]] = weights[0]
        return output, weights

    machine.parts["attention"] = watched
    numbers = [START, *map(machine.tokens.index, machine.parts["tokenize"](beginning, machine.merges))]
    for place in range(len(numbers) + count - 1):
        scores = machine.step(numbers[place], place, memory)
        if place + 1 == len(numbers):
            chances = softmax(scores, temperature)
            numbers.append(drawn := int(random.choice(len(chances), p=chances)))
            shown = sorted({*np.argsort(-chances)[:most].tolist(), drawn}, key=lambda number: -chances[number])
            candidates = [[machine.tokens[number], round(100 * float(chances[number]), 1)] for number in shown]
            shades = "".join(f"{shade:.0f}" for shade in 9 * np.sqrt(looked[head]))
            steps.append([machine.tokens[drawn], candidates, shades])
    machine.parts["attention"] = attention
    return steps
