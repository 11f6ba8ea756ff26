"""Checks of chapter 11: right answers of every kind pass, each wrong one meets the question that fits it."""

import re

import numpy as np
import pytest
import torch

from attention_src import checks, softmax


def three_numbers(pairs):
    largest, total, mixed = -np.inf, 0.0, 0.0
    for score, value in pairs:
        new = max(largest, score)
        shrink, raised = np.exp(largest - new), np.exp(score - new)
        total, mixed, largest = total * shrink + raised, mixed * shrink + raised * value, new
    return mixed / total


def running_mean(pairs):
    largest, total, mean = -np.inf, 0.0, 0.0
    for score, value in pairs:
        new = max(largest, score)
        total = total * np.exp(largest - new) + np.exp(score - new)
        mean = mean + (value - mean) * np.exp(score - new) / total
        largest = new
    return mean


def branches(pairs):
    score, value = next(pairs)
    largest, total, mixed = score, 1.0, np.array(value)
    for score, value in pairs:
        if score > largest:
            total, mixed = total * np.exp(largest - score), mixed * np.exp(largest - score)
            largest = score
        total, mixed = total + np.exp(score - largest), mixed + np.exp(score - largest) * value
    return mixed / total


def collected(pairs):
    scores, values = zip(*pairs, strict=True)
    return torch.softmax(torch.tensor(np.array(scores)), 0) @ torch.tensor(np.array(values))


@pytest.mark.parametrize("answer", [three_numbers, running_mean, branches, collected])
@pytest.mark.parametrize("check", [checks.online_softmax, checks.mended_online])
@pytest.mark.parametrize("seed", [0, 4])
def test_a_right_online_softmax_passes(check, answer, seed, capsys):
    check(answer, seed)
    assert capsys.readouterr().out.startswith("Right: ")


def online(shrink_sum=True, shrink_mix=True, divide=True, largest_too=True):
    def answer(pairs):
        largest, total, mixed = -np.inf, 0.0, 0.0
        for score, value in pairs:
            new = max(largest, score) if largest_too else 0.0
            shrink = np.exp(largest - new) if largest > -np.inf else 0.0
            raised = np.exp(score - new)
            total = (total * shrink if shrink_sum else total) + raised
            mixed = (mixed * shrink if shrink_mix else mixed) + raised * value
            largest = new
        return mixed / total if divide else mixed

    return answer


def twice(pairs):
    largest = max(score for score, _ in pairs)
    total, mixed = 0.0, 0.0
    for score, value in pairs:
        total, mixed = total + np.exp(score - largest), mixed + np.exp(score - largest) * value
    return mixed / total


WRONG = {
    "the output does not shrink": (online(shrink_mix=False), "The sum shrinks"),
    "the sum does not shrink": (online(shrink_sum=False), "The output shrinks"),
    "nothing shrinks": (online(shrink_sum=False, shrink_mix=False), "how much too large"),
    "not divided": (online(divide=False), "By what is the mixture divided"),
    "no maximum": (online(largest_too=False), "largest power of e"),
    "plain mean": (lambda pairs: np.mean([value for _, value in pairs], axis=0), "Where do the scores enter"),
    "the largest only": (lambda pairs: max(pairs, key=lambda p: p[0])[1], "share of the others"),
    "no exponential": (lambda pairs: sum(s * v for s, v in pairs), "By hand|by hand"),
    "read twice": (twice, "raised ZeroDivisionError|is nan|raised|NaN|divided"),
    "a number": (lambda pairs: three_numbers(pairs)[0], "has shape"),
    "nothing": (lambda pairs: None, "returned None"),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_wrong_online_softmax_meets_the_question_that_fits_it(name):
    answer, question = WRONG[name]
    with pytest.raises(checks.Wrong, match=question):
        checks.online_softmax(answer)


def test_the_right_output_is_that_of_softmax():
    scores, values = np.array([1.0, 3.0, 2.0]), np.array([[10.0], [20.0], [30.0]])
    assert np.allclose(three_numbers(zip(scores, values, strict=True)), softmax(scores) @ values)


@pytest.mark.parametrize(
    ("numbers", "question"),
    [
        ((409600, 163840), "left out"),
        ((204800, 163840), "keys alone"),
        ((20480, 163840), "only one layer|only one head"),
        ((1638400, 163840), "four bytes"),
        ((163840, 819200), "other question"),
        ((5, 163840), "bytes in each"),
        ((819200, 81920), "left out"),
        ((819200, 819200), "other question"),
        ((819200, 4096), "only one layer"),
    ],
)
def test_wrong_bytes_are_told_what_they_forget(numbers, question):
    with pytest.raises(checks.Wrong, match=question):
        checks.cache_bytes(*numbers)


def test_the_right_bytes_pass_and_the_stubs_are_not_attempted(capsys):
    checks.cache_bytes(819200, 163840)
    assert re.match("Right: ", capsys.readouterr().out)

    def stub(pairs):
        raise NotImplementedError

    for attempt in ((checks.online_softmax, stub), (checks.mended_online, stub), (checks.cache_bytes, ..., ...)):
        with pytest.raises(checks.NotAttempted):
            attempt[0](*attempt[1:])
