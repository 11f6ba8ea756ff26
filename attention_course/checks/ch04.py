"""Checks of chapter 04, one input and three roles."""

import numpy as np

from ._ask import ask_for_two, name_shapes
from ._attention import NAMES, need_attention
from ._compare import check_prediction
from ._message import hold_back, say_right

SIZES = [(5, 7, 3, 2), (1, 3, 2, 4), (5, 3, 7, 2), (3, 4, 4, 4)]  # n, d_model, d_k, d_v; first all different


def _trials(seed):
    """Tokens and three matrices of awkward sizes, the last with scores that overflow exp."""
    random = np.random.default_rng(seed)
    for n, d_model, d_k, d_v in SIZES:
        sizes = {"X": (n, d_model), "W_q": (d_model, d_k), "W_k": (d_model, d_k), "W_v": (d_model, d_v)}
        yield {name: random.normal(size=size) for name, size in sizes.items()}
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
        "output and weights hold on {trials} trials with d_model, d_k and d_v of several sizes.", trials=len(SIZES) + 1
    )


WRONG_SCORES = {
    8: ("the divisor is the same in both", "Whose length is under the root in the wrong head?"),
    16: ("the wrong head divides by less", "Which of the two roots is larger?"),
    2: ("it divides by the lengths themselves", "What is the root of 100, and of 25?"),
    40: ("nothing is divided", "By what does the wrong head divide?"),
    0.8: ("it is divided by both roots", "What is the score before it is divided?"),
}


def mended_head(answer, wrong_score, seed=0):
    """Check the mended head of chapter 04, and what the wrong one makes of a score of 8, at d_model = 100, d_k = 25.

    Parameters
    ----------
    answer : function as for `head`
    wrong_score : float, to one decimal
    """
    hint = "What is the score before it is divided, and by what does the wrong head divide it?"
    with hold_back():
        head(answer, seed)
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
        2 * d_model * d_k: ("W_v is left out", "What shape has it?"),
        3 * d_model * d_k: ("a value is as long as a key", "What does the exercise say of d_v?"),
        3 * d_model * d_v: ("queries and keys are as long as values", "What is d_k?"),
        d_model * (d_k + d_v): ("W_q and W_k are one matrix", "How many matrices has a head?"),
        3 * d_model**2: ("the matrices are square", "How many columns has W_q?"),
        50 * (2 * d_k + d_v): ("the numbers of Q, K and V are counted", "Do the matrices grow with the tokens?"),
    }
    check_prediction(numbers, right, counts, "What is the shape of each of the three matrices?")
    ranks = {
        50: ("the table is as free as its size allows", "Through how many numbers does every score pass?"),
        d_model: ("the rank were that of a square d_model × d_model matrix", "What are the shapes of its two factors?"),
        d_v: ("values had a part in the scores", "Which two matrices make the table?"),
        d_k**2: ("ranks of the two factors multiply", "Can a product have a higher rank than its factors?"),
        2 * d_k: ("ranks of the two factors add up", "Can a product have a higher rank than its factors?"),
    }
    check_prediction(rank, d_k, ranks, "Which two matrices make the table, and what are their shapes?")
    say_right("the matrices and the rank; more tokens change neither.")
