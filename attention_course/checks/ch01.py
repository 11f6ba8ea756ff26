"""Checks of chapter 01, what attention computes."""

from math import exp, sqrt

import numpy as np

from ._ask import ask_for_two, name_shapes
from ._attention import NAMES, need_attention
from ._compare import check_prediction, need_named
from ._message import hold_back, say_right

# n, m, d_k, d_v; first n = m, so that what is wrong in itself shows before what fails for n ≠ m only
SIZES = [(6, 6, 5, 3), (2, 7, 3, 4), (1, 2, 3, 1), (4, 3, 9, 2), (3, 7, 1, 5)]


def _trials(seed):
    """Queries, keys and values of awkward sizes, then scores so large, or rows so far apart, that exp fails."""
    random = np.random.default_rng(seed)
    for n, m, d_k, d_v in SIZES:
        yield random.normal(size=(n, d_k)) * 2, random.normal(size=(m, d_k)) * 2, random.normal(size=(m, d_v))
    yield 10000.0 * np.eye(4)[:3], np.eye(4), random.normal(size=(4, 2))
    yield np.array([[1000.0], [0.0], [-1000.0]]), np.array([[1.0], [0.9], [0.8]]), random.normal(size=(3, 2))


def attention(answer, seed=0):
    """Check a student's ``answer(query, key, value) -> (output, weights)``, scaled dot-product attention without mask.

    Parameters
    ----------
    answer : function of query (n, d_k), key (m, d_k), value (m, d_v)
    """
    for query, key, value in _trials(seed):
        got = ask_for_two(NAMES, answer, query=query, key=key, value=value)
        need_attention(got, query, key, value, name_shapes(query=query, key=key, value=value))
    say_right("output and weights hold on {trials} trials, n ≠ m and huge scores among them.", trials=len(SIZES) + 2)


REASONS = {
    "shape": ("every shape of the wrong function is right", "Who looks at the numbers?"),
    "rows": ("the rows betray the axis", "Can they betray the number under the root?"),
    "square": ("four keys of four numbers have the same root of m and of d_k", "In which test do the two differ?"),
}


def mended_attention(answer, caught_by, seed=0):
    """Check the mended function of chapter 01, and the name of the test that shows both faults.

    Parameters
    ----------
    answer : function as for `attention`
    caught_by : str, 'shape', 'rows', 'square' or 'uneven'
    """
    with hold_back():
        attention(answer, seed)
        need_named(caught_by, "uneven", REASONS)


def doubled_query(answer, *, times=2):
    """Check the weight that *The* keeps for itself once its query is (times, 0) instead of (1, 0).

    Parameters
    ----------
    answer : float, rounded to 3 decimals
    times : int
    """
    gap = times / sqrt(2)
    before = 1 / (1 + exp(-1 / sqrt(2)))
    reasons = {
        before: ("the longer query changes nothing", "What becomes of its score with its own key?"),
        1 / (1 + exp(-times)): ("the scores are not scaled", "What is d_k, and where does it enter?"),
        1 / (1 + exp(-times / 2)): ("the score is divided by d_k instead of its square root", "What is √2?"),
        1 / (1 + exp(gap)): ("the two weights are exchanged", "Which score is the larger one?"),
        times * before: ("the weight grows with the query", "Can a weight be greater than 1?"),
        exp(gap): ("it is the ratio of the two weights", "What do the two add up to?"),
        gap: ("it is the scaled score", "What does softmax make of it?"),
    }
    hint = "What is the gap between the two scores, and what is e raised to it?"
    check_prediction(answer, 1 / (1 + exp(-gap)), reasons, hint, digits=3)
    if times == 2:
        say_right("twice the gap, so the ratio of the weights is squared.")
    else:
        say_right("{times} times the gap, so the ratio of the weights is raised to the power {times}.", times=times)
