"""Answers to the exercises of chapter 11."""

from itertools import islice

import numpy as np
import torch

from attention_course import checks
from attention_src import softmax

from . import Exercise


def running_mean(pairs):
    largest, total, mean = -np.inf, 0.0, 0.0
    for score, value in pairs:
        new = max(largest, score)
        total = total * np.exp(largest - new) + np.exp(score - new)
        mean = mean + (value - mean) * np.exp(score - new) / total
        largest = new
    return mean


def collected(pairs):
    scores, values = zip(*pairs, strict=True)
    return torch.softmax(torch.tensor(np.array(scores)), 0) @ torch.tensor(np.array(values))


def make_online(shrink_sum=True, shrink_mix=True, divide=True, largest_too=True, start=-np.inf, base=np.exp):
    """The online softmax with something left out."""

    def answer(pairs):
        largest, total, mixed = start, 0.0, 0.0
        for score, value in pairs:
            new = max(largest, score) if largest_too else 0.0
            shrink = base(largest - new) if largest > -np.inf else 0.0
            raised = base(score - new)
            total = (total * shrink if shrink_sum else total) + raised
            mixed = (mixed * shrink if shrink_mix else mixed) + raised * value
            largest = new
        return mixed / total if divide else mixed

    return answer


def read_twice(pairs):
    largest = max(score for score, _ in pairs)
    total, mixed = 0.0, 0.0
    for score, value in pairs:
        total, mixed = total + np.exp(score - largest), mixed + np.exp(score - largest) * value
    return mixed / total


def subtract_the_first(pairs):
    first, value = next(pairs)
    total, mixed = 1.0, value * 1.0
    for score, value in pairs:
        total, mixed = total + np.exp(score - first), mixed + np.exp(score - first) * value
    return mixed / total


three_numbers = make_online()
RIGHT = {"three numbers": three_numbers, "a running mean": running_mean, "collected first": collected}
WRONG = {
    "as handed out": make_online(shrink_mix=False),
    "the sum does not shrink": make_online(shrink_sum=False),
    "nothing shrinks": make_online(shrink_sum=False, shrink_mix=False),
    "not divided": make_online(divide=False),
    "no maximum": make_online(largest_too=False),
    "the largest starts at 0": make_online(start=0.0),
    "the first score for the largest": subtract_the_first,
    "powers of two": make_online(base=np.exp2),
    "the plain mean": lambda pairs: np.mean([value for _, value in pairs], axis=0),
    "the largest alone": lambda pairs: max(pairs, key=lambda pair: pair[0])[1],
    "no exponential": lambda pairs: sum(score * value for score, value in pairs),
    "the last value": lambda pairs: list(pairs)[-1][1],
    "pairs after the eighth ignored": lambda pairs: three_numbers(islice(pairs, 8)),
    "read twice": read_twice,
    "one number": lambda pairs: three_numbers(pairs)[0],
}


def one_after_the_other(largest, total, mixed):
    top, divisor, output = -np.inf, 0.0, 0.0
    for one, its_sum, its_mixture in zip(largest, total, mixed, strict=True):
        if its_sum:
            new = max(top, one)
            old, own = np.exp(top - new), np.exp(one - new)
            top, divisor, output = new, divisor * old + its_sum * own, output * old + its_mixture * own
    return output / divisor


def weigh_outputs(largest, total, mixed):
    has_keys = total > 0
    logs = torch.tensor(largest[has_keys] + np.log(total[has_keys]))
    return torch.softmax(logs, 0) @ torch.tensor(mixed[has_keys] / total[has_keys, None])


def merge(shrink_sum=True, shrink_mix=True, divide=True, base=np.exp, sign=1):
    """The merging with something left out."""

    def answer(largest, total, mixed):
        shrink, whole = base(sign * (largest - largest.max())), np.ones(len(largest))
        output = (shrink if shrink_mix else whole) @ mixed
        return output / ((shrink if shrink_sum else whole) @ total) if divide else output

    return answer


def mix_outputs(mix):
    """An answer made of the output of each computer that has a key."""

    def answer(largest, total, mixed):
        has_keys = total > 0
        return mix(largest[has_keys], mixed[has_keys] / total[has_keys, None])

    return answer


to_one_largest = merge()
MERGED = {"to one largest": to_one_largest, "one after the other": one_after_the_other, "outputs": weigh_outputs}
NOT_MERGED = {
    "nothing shrinks": merge(shrink_sum=False, shrink_mix=False),
    "the sums do not shrink": merge(shrink_sum=False),
    "the mixtures do not shrink": merge(shrink_mix=False),
    "not divided": merge(divide=False),
    "powers of two": merge(base=np.exp2),
    "they grow": merge(sign=-1),
    "no maximum": lambda largest, total, mixed: np.exp(largest) @ mixed / (np.exp(largest) @ total),
    "the mean of outputs": mix_outputs(lambda largest, outputs: outputs.mean(axis=0)),
    "outputs by softmax of the largest": mix_outputs(lambda largest, outputs: softmax(largest) @ outputs),
    "the largest alone": mix_outputs(lambda largest, outputs: outputs[largest.argmax()]),
    "the sum of outputs": mix_outputs(lambda largest, outputs: outputs.sum(axis=0)),
    "computers after the eighth ignored": lambda *kept: to_one_largest(*(one[:8] for one in kept)),
    "outputs of none": lambda largest, total, mixed: softmax(largest + np.log(total)) @ (mixed / total[:, None]),
    "a row for each": lambda largest, total, mixed: mixed / total.sum(),
}

EXERCISES = {
    "ex11-merge": Exercise(checks.merged_parts, MERGED, NOT_MERGED, results=1),
    "ex11-cache": Exercise(
        checks.cache_bytes,
        formula=lambda layers, heads, kv_heads, width: (4 * layers * heads * width, 4 * layers * kv_heads * width),
    ),
    "ex11-mend": Exercise(checks.mended_online, RIGHT, WRONG, results=1),
}
