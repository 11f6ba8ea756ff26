"""Checks of chapter 04, one input and three roles."""

import numpy as np

from ._ask import ask_for_two, name_shapes
from ._attention import NAMES, are_apart, need_attention
from ._compare import check_prediction
from ._message import half, say_right
from ._trials import draw_sizes

# n, d_model, d_k, d_v; first all different
SIZES = [(5, 7, 3, 2), (1, 3, 2, 4), (5, 3, 7, 2), (3, 4, 4, 4), (4, 6, 3, 3), (5, 5, 5, 5), (11, 13, 12, 10)]


def _trials(seed):
    """Tokens and three matrices of awkward sizes, the last with scores that overflow exp."""
    random = np.random.default_rng(seed)
    for n, d_model, d_k, d_v in draw_sizes(SIZES, seed, are_apart):
        sizes = {"X": (n, d_model), "W_q": (d_model, d_k), "W_k": (d_model, d_k), "W_v": (d_model, d_v)}
        scales = {"X": 1.5} | dict.fromkeys(("W_q", "W_k", "W_v"), d_model**-0.5)
        yield {name: scales[name] * random.normal(size=size) for name, size in sizes.items()}
    yield {"X": np.eye(4, 5), "W_q": 10000 * np.eye(5, 4), "W_k": np.eye(5, 4), "W_v": random.normal(size=(5, 2))}


def head(answer, seed=0):
    """Check a student's ``answer(X, W_q, W_k, W_v) -> (output, weights)``, one head of self-attention.

    Parameters
    ----------
    answer : function of X (n, d_model), W_q (d_model, d_k), W_k (d_model, d_k), W_v (d_model, d_v)
    """
    for trial in _trials(seed):
        X, *matrices = trial.values()
        need_attention(ask_for_two(NAMES, answer, **trial), *(X @ W for W in matrices), name_shapes(**trial), tokens=X)
    say_right(
        "output and weights are correct in all {trials} trials, with several sizes of d_model, d_k and d_v.",
        trials=len(SIZES) + 1,
    )


WRONG_SCORES = {
    8: ("assume that both heads divide by the same number", "Which length is under the root in the wrong head?"),
    16: ("assume that the wrong head divides by less", "Which of the two roots is larger?"),
    2: ("divide by the lengths themselves", "What are the square roots of 100 and of 25?"),
    40: ("do not divide at all", "What does the wrong head divide by?"),
    0.8: ("divide by both roots", "What is the score before the division?"),
}


def mended_head(answer, wrong_score, seed=0):
    """Check the mended head of chapter 04, and what the wrong one makes of a score of 8, at d_model = 100, d_k = 25.

    Parameters
    ----------
    answer : function as for `head`
    wrong_score : float, to one decimal
    """
    hint = "What is the score before the division, and what does the wrong head divide it by?"
    head(answer, seed)
    with half():
        check_prediction(wrong_score, 8 * 25**0.5 / 100**0.5, WRONG_SCORES, hint, digits=1)


def numbers_and_rank(numbers, rank, *, d_model=100, d_k=8, d_v=20):
    """Check how many numbers the matrices of a head hold, and the largest rank of its score table for 50 tokens.

    Parameters
    ----------
    numbers, rank : int, the answers
    d_model, d_k, d_v : int
    """
    right = d_model * (2 * d_k + d_v)
    counts = {
        2 * d_model * d_k: ("leave out W_v", "What shape does it have?"),
        3 * d_model * d_k: ("make a value as long as a key", "What does the exercise say about d_v?"),
        3 * d_model * d_v: ("make queries and keys as long as values", "What is d_k?"),
        d_model * (d_k + d_v): ("count W_q and W_k as one matrix", "How many matrices does a head have?"),
        3 * d_model**2: ("take the matrices to be square", "How many columns does W_q have?"),
        50 * (2 * d_k + d_v): ("count the numbers in Q, K and V", "Do the matrices grow with the number of tokens?"),
    }
    check_prediction(numbers, right, counts, "What is the shape of each of the three matrices?")
    ranks = {
        50: (
            "assume that the table's rank is limited only by its size",
            "How many numbers does every score pass through?",
        ),
        d_model: (
            "take the rank of a square d_model × d_model matrix",
            "What are the shapes of the table's two factors?",
        ),
        d_v: ("let the values take part in the scores", "Which two matrices make up the table?"),
        d_k**2: ("multiply the ranks of the two factors", "Can a product have a higher rank than its factors?"),
        2 * d_k: ("add the ranks of the two factors", "Can a product have a higher rank than its factors?"),
    }
    check_prediction(rank, d_k, ranks, "Which two matrices make up the table, and what are their shapes?")
    say_right("the matrices and the rank stay the same however many tokens there are.")
