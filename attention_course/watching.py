"""A machine that is watched while it writes: its candidates, and where one of its heads looks."""

import numpy as np

from .machine import START, softmax

__all__ = ["watch_writing"]


def watch_writing(machine, beginning, count, temperature, head, seed=0, most=4):
    """Let a machine write `count` pieces after a beginning; return a step for each.

    A step is [the piece that is drawn, [[candidate, chance], …], shades]: the likeliest candidates and the one drawn
    with their chances, in per cent to one decimal, and a digit for the start and each piece so far, 9 times the root of
    the weight that the `head` (block, head), counted from 1, gives it.

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
