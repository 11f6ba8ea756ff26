"""Checks of chapter 01, what attention computes."""

from math import exp, sqrt

import numpy as np

from ..attention import scaled_dot_product_attention
from ._report import (
    Wrong,
    ask,
    choose,
    need_close,
    need_finite,
    need_rows_sum_to_one,
    need_shape,
    passed,
    shapes,
)

SIZES = [(1, 2, 3, 1), (2, 5, 4, 3), (6, 6, 3, 3), (4, 3, 9, 2), (3, 7, 1, 5)]  # n, m, d_k, d_v


def _trials(seed):
    """Queries, keys and values of awkward sizes, then scores so large, or rows so far apart, that exp fails."""
    random = np.random.default_rng(seed)
    for n, m, d_k, d_v in SIZES:
        yield random.normal(size=(n, d_k)) * 2, random.normal(size=(m, d_k)) * 2, random.normal(size=(m, d_v))
    yield 10000.0 * np.eye(4)[:3], np.eye(4), random.normal(size=(4, 2))
    yield np.array([[1000.0], [0.0]]), np.array([[1.0], [0.5], [0.2]]), random.normal(size=(3, 2))


def _explain(weights, query, key):
    """The question that leads from known wrong weights to what they forget."""
    d_k = query.shape[-1]
    for factor, forgotten in (
        (sqrt(d_k), "the scale"),
        (1 / sqrt(d_k), "the square root"),
        (sqrt(d_k / len(key)), "d_k"),
    ):
        wrong = scaled_dot_product_attention(query * factor, key, key)[1]
        if abs(factor - 1) > 1e-9 and np.allclose(weights, wrong, atol=1e-6):
            return f"By what did you divide the scores? Look at {forgotten} again."
    return "Work one score out by hand: which number of the query meets which number of the key?"


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
        got = ask(answer, query=query, key=key, value=value)
        if not (isinstance(got, tuple) and len(got) == 2):
            raise Wrong("Expected two results, (output, weights). How many does your function return?")
        (output, weights), (expected, right) = got, scaled_dot_product_attention(query, key, value)
        need_shape("weights", weights, right.shape, given)
        need_finite("weights", weights, given)
        need_rows_sum_to_one(weights, given)
        need_close("weights", weights, right, _explain(weights, query, key))
        need_shape("output", output, expected.shape, given)
        need_close("output", output, expected, "The weights are right. Which of the three arrays do they mix?")
    passed(f"output and weights hold on {len(SIZES) + 2} trials, n ≠ m and huge scores among them.")


def mended_attention(answer, seed=0):
    """Check the mended function of chapter 01; like `attention`."""
    attention(answer, seed)


def doubled_query(answer):
    """Check the weight that *The* keeps for itself once its query is (2, 0) instead of (1, 0).

    Parameters
    ----------
    answer : float, rounded to 3 decimals

    Raises
    ------
    NotAttempted, Wrong
    """
    reasons = {
        1 / (1 + exp(-1 / sqrt(2))): "the longer query changes nothing. What happens to its score with its own key?",
        1 / (1 + exp(-2)): "the scores are not scaled. What is d_k, and where does it enter?",
        1 / (1 + exp(-1)): "the score is divided by d_k instead of its square root. What is √2?",
        1 / (1 + exp(sqrt(2))): "the two weights are exchanged. Which score is the larger one?",
        2 / (1 + exp(-1 / sqrt(2))): "the weight doubles with the query. Can a weight be greater than 1?",
    }
    choose(answer, 1 / (1 + exp(-sqrt(2))), reasons, digits=3)
    passed("twice the gap, so the ratio of the weights is squared.")
