"""A machine that is watched while it writes: its candidates, and where one of its heads looks."""

import numpy as np

from .machine import START, softmax

__all__ = ["watch_writing"]


def watch_writing(machine, beginning, count, temperature, head, seed=0, most=5):
    """Let a machine write `count` pieces after a beginning; return a step for each.

    A step is [the piece that is drawn, [[candidate, chance], …], weights]: the likeliest candidates and the one drawn
    with their chances, in per cent to one decimal, and what the `head` (block, head), counted from 1, gives to the
    start and to each piece so far, in whole per cent.

    >>> from attention_course.machine import Machine
    >>> watch_writing(Machine("names"), "ad", 2, 0.01, (1, 2), most=1)
    [['e', [['e', 100.0]], [30, 70, 1]], ['l', [['l', 100.0]], [12, 5, 70, 12]]]
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
            steps.append([machine.tokens[drawn], candidates, (100 * looked[head]).round().astype(int).tolist()])
    machine.parts["attention"] = attention
    return steps
