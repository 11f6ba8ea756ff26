"""Checks of chapter 04, one input and three roles."""

from math import sqrt

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

SIZES = [(1, 3, 2, 4), (4, 6, 2, 3), (5, 3, 7, 2), (3, 4, 4, 4)]  # n, d_model, d_k, d_v


def _trials(seed):
    """Tokens and three matrices of awkward sizes, the last with scores that overflow exp."""
    random = np.random.default_rng(seed)
    for n, d_model, d_k, d_v in SIZES:
        sizes = {"X": (n, d_model), "W_q": (d_model, d_k), "W_k": (d_model, d_k), "W_v": (d_model, d_v)}
        yield {name: random.normal(size=size) for name, size in sizes.items()}
    yield {"X": np.eye(4, 5), "W_q": 10000 * np.eye(5, 4), "W_k": np.eye(5, 4), "W_v": random.normal(size=(5, 2))}


def _explain(weights, Q, K, d_model):
    """The question that leads from known wrong weights to the mistake behind them."""
    d_k = K.shape[-1]
    known = (
        (Q * sqrt(d_k / d_model), K, "Scores grow with the number of terms they add up. How many terms has one score?"),
        (Q * sqrt(d_k), K, "What stands between the scores and the softmax?"),
        (Q / sqrt(d_k), K, "Is it d_k itself that you divide by, and should it be?"),
        (K, Q, "Whose row is whose: who asks in row 1 of your weights?"),
        (Q, Q, "Are there keys in your scores?"),
        (K, K, "Are there queries in your scores?"),
    )
    for query, key, question in known:
        if np.allclose(weights, scaled_dot_product_attention(query, key, key)[1], atol=1e-6):
            return question
    return "Compute the query of one token and the key of another by hand. What is their score?"


def head(answer, seed=0):
    """Check a student's ``answer(X, W_q, W_k, W_v) -> (output, weights)``, one head of self-attention.

    Parameters
    ----------
    answer : function of X (n, d_model), W_q (d_model, d_k), W_k (d_model, d_k), W_v (d_model, d_v)
    seed : int, where the trials come from

    Raises
    ------
    NotAttempted
        The function is the stub.
    Wrong
        A trial fails; the message says which and how.
    """
    for trial in _trials(seed):
        given, got = shapes(**trial), ask(answer, **trial)
        if not (isinstance(got, tuple) and len(got) == 2):
            raise Wrong("Expected two results, (output, weights). How many does your function return?")
        Q, K, V = (trial["X"] @ trial[name] for name in ("W_q", "W_k", "W_v"))
        (output, weights), (expected, right) = got, scaled_dot_product_attention(Q, K, V)
        need_shape("weights", weights, right.shape, given)
        need_finite("weights", weights, given)
        need_rows_sum_to_one(weights, given)
        need_close("weights", weights, right, _explain(weights, Q, K, trial["X"].shape[-1]))
        mixed = "The weights are right. What do they mix: the tokens, their keys, or their values?"
        if output.shape != expected.shape:
            raise Wrong(f"With {given}, output has shape {output.shape}; expected {expected.shape}. {mixed}")
        need_close("output", output, expected, mixed)
    passed(f"output and weights hold on {len(SIZES) + 1} trials with d_model, d_k and d_v of all sizes.")


def mended_head(answer, seed=0):
    """Check the mended head of chapter 04; like `head`."""
    head(answer, seed)


def numbers_and_rank(numbers, rank):
    """Check how many numbers the matrices of a head hold (d_model 100, d_k 8, d_v 20), and its largest rank.

    Parameters
    ----------
    numbers : int
    rank : int

    Raises
    ------
    NotAttempted, Wrong
    """
    counts = {
        2 * 100 * 8: "W_v is left out. What shape has it?",
        3 * 100 * 8: "a value is as long as a key. What does the exercise say of d_v?",
        3 * 100 * 20: "queries and keys are as long as values. What is d_k?",
        100 * 8 + 100 * 20: "W_q and W_k are one matrix. How many matrices has a head?",
        3 * 100 * 100: "the matrices are square. How many columns has W_q?",
        50 * 8 + 50 * 8 + 50 * 20: "the numbers of Q, K and V are counted. Do the matrices grow with the tokens?",
    }
    choose(
        numbers, 100 * 8 + 100 * 8 + 100 * 20, counts, digits=0, hint="What is the shape of each of the three matrices?"
    )
    ranks = {
        50: "the table is as free as its size allows. Through how many numbers does every score pass?",
        100: "the rank were that of a square d_model × d_model matrix. What are the shapes of its two factors?",
        20: "values had a part in the scores. Which two matrices make the table?",
        64: "ranks of the two factors multiply. Can a product have a higher rank than its factors?",
        16: "ranks of the two factors add up. Can a product have a higher rank than its factors?",
    }
    choose(rank, 8, ranks, digits=0, hint="Which two matrices make the table, and what are their shapes?")
    passed("the matrices and the rank; neither depends on how many tokens there are.")
