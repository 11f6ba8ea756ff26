"""Checks of chapter 01, what attention computes."""

from math import exp, sqrt

import numpy as np

from ..attention import scaled_dot_product_attention
from ..scores import scaled_dot_score
from ._attention import NAMES, about_nan, about_output, about_sums, about_weights
from ._report import (
    all_or_nothing,
    ask_two,
    choose,
    need_close,
    need_finite,
    need_named,
    need_order,
    need_rows_sum_to_one,
    need_shape,
    passed,
    shapes,
)

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
    seed : int, where the trials come from

    Raises
    ------
    NotAttempted
        The function is the stub.
    Wrong
        A trial fails; the message says which and how.
    """
    for query, key, value in _trials(seed):
        given = shapes(query=query, key=key, value=value)
        got = ask_two(NAMES, answer, query=query, key=key, value=value)
        (output, weights), (expected, right) = got, scaled_dot_product_attention(query, key, value)
        need_order(NAMES, got, (expected, right))
        need_shape("weights", weights, right.shape, given)
        scores = scaled_dot_score(query, key)
        need_finite("weights", weights, given, about_nan(weights, scores))
        need_rows_sum_to_one(weights, given, about_sums(scores))
        need_close("weights", weights, right, about_weights(weights, query, key, sizes=(*value.shape, len(query))))
        hint = about_output(output, weights, value, query, key)
        need_shape("output", output, expected.shape, given, hint)
        need_close("output", output, expected, hint)
    passed(f"output and weights hold on {len(SIZES) + 2} trials, n ≠ m and huge scores among them.")


REASONS = {
    "shape": "every shape of the wrong function is right. Who looks at the numbers?",
    "rows": "the rows betray the axis. Can they betray the number under the root?",
    "square": "with four keys of four numbers, what is the root of the one, and of the other?",
}


def mended_attention(answer, caught_by, seed=0):
    """Check the mended function of chapter 01, and the name of the test that shows both faults.

    Parameters
    ----------
    answer : function as for `attention`
    caught_by : str, 'shape', 'rows', 'square' or 'uneven'
    seed : int, where the trials come from

    Raises
    ------
    NotAttempted, Wrong
        As `attention`.
    """
    with all_or_nothing():
        attention(answer, seed)
        need_named(caught_by, "uneven", REASONS)


def doubled_query(answer, *, times=2):
    """Check the weight that *The* keeps for itself once its query is (times, 0) instead of (1, 0).

    Parameters
    ----------
    answer : float, rounded to 3 decimals
    times : int

    Raises
    ------
    NotAttempted, Wrong
    """
    gap = times / sqrt(2)
    reasons = {
        1 / (1 + exp(-1 / sqrt(2))): "the longer query changes nothing. What happens to its score with its own key?",
        1 / (1 + exp(-times)): "the scores are not scaled. What is d_k, and where does it enter?",
        1 / (1 + exp(-times / 2)): "the score is divided by d_k instead of its square root. What is √2?",
        1 / (1 + exp(gap)): "the two weights are exchanged. Which score is the larger one?",
        times / (1 + exp(-1 / sqrt(2))): "the weight grows with the query. Can a weight be greater than 1?",
        exp(gap): "it is the ratio of the two weights. What do the two add up to?",
        gap: "it is the scaled score. What does softmax make of it?",
    }
    choose(answer, 1 / (1 + exp(-gap)), reasons, digits=3)
    power = "squared" if times == 2 else f"raised to the power {times}"
    passed(f"{'twice' if times == 2 else f'{times} times'} the gap, so the ratio of the weights is {power}.")
