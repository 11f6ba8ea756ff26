"""Checks of chapter 02, why softmax, why √d_k."""

from math import exp

import numpy as np

from ..weights import softmax as right_softmax
from ._report import Wrong, ask, choose, need_close, need_finite, need_rows_sum_to_one, need_shape, passed, shapes


def _trials(seed):
    """Random scores of awkward shapes, the last ones so large that exp overflows or so small that it vanishes."""
    random = np.random.default_rng(seed)
    for shape in ((2, 5), (4, 3), (1, 7), (3, 1), (2, 3, 4)):
        yield random.normal(size=shape) * 3
    yield random.normal(size=(3, 4)) + np.array([[1000.0], [-1000.0], [0.0]])


def _masks(scores, random):
    """No mask, then a mask that hides keys but never all of a row, then one that hides a whole row."""
    yield None
    mask = random.random(scores.shape) < 0.6
    mask[..., -1] = True
    yield mask
    mask = mask.copy()
    mask[..., 0, :] = False
    yield mask


def _compare(answer, scores, mask):
    arguments = {"scores": scores} if mask is None else {"scores": scores, "mask": mask}
    given = shapes(**arguments)
    weights, right = ask(answer, **arguments), right_softmax(scores, mask)
    if isinstance(weights, tuple):
        raise Wrong("Expected one array of weights. How many results does your function return?")
    need_shape("weights", weights, scores.shape, given)
    if mask is not None and not mask.any(axis=-1).all() and not np.isfinite(weights).all():
        raise Wrong(f"With {given} and a row of the mask that is all False, the weights have NaN. What is 0 / 0?")
    need_finite("weights", weights, given)
    if mask is not None and (weights[~mask] != 0).any():
        raise Wrong(
            f"With {given}, a key that may not be seen has a weight. When is it taken out: before exp or after?"
        )
    need_rows_sum_to_one(weights[mask.any(axis=-1)] if mask is not None else weights, given)
    need_close(
        "weights", weights, right, "What is the ratio of two weights of this row, and what is the gap of their scores?"
    )


def softmax(answer, seed=0):
    """Check a student's ``answer(scores, mask=None) -> weights``, a stable softmax over the keys.

    Parameters
    ----------
    answer : function of scores (..., n, m) and, when there is one, mask (..., n, m) bool, True = may look
    seed : int, where the trials come from

    Raises
    ------
    NotAttempted
        The function is the stub.
    Wrong
        A trial fails; the message says which and how.
    """
    random = np.random.default_rng([seed, 1])
    for scores in _trials(seed):
        for mask in _masks(scores, random):
            _compare(answer, scores, mask)
    hidden = {"scores": np.array([[1000.0, 0.0, 1.0]]), "mask": np.array([[False, True, True]])}
    weights = ask(answer, **hidden)
    if not np.allclose(weights, right_softmax(**hidden)):
        seen = f"With the scores 1000, 0 and 1, and a mask that hides the 1000, the weights are {weights[0]}."
        raise Wrong(f"{seen} Which of the three is the largest that may be seen?")
    passed("every row sums to 1, hidden keys weigh nothing, and a score of 1000 is no trouble.")


def mended_softmax(answer, seed=0):
    """Check the mended softmax of chapter 02, which takes no mask; otherwise like `softmax`."""
    for scores in _trials(seed):
        _compare(answer, scores, None)
    passed("rows sum to 1, whatever the shape.")


def ratio_of_weights(answer):
    """Check how many times as heavy the weight of a score 5/2 is as that of a score 2.

    Parameters
    ----------
    answer : float, rounded to 2 decimals

    Raises
    ------
    NotAttempted, Wrong
    """
    reasons = {
        2.5 / 2: "scores are divided by each other. What does exp make of a difference?",
        0.5: "the gap itself is taken. What does softmax do to each score before it divides?",
        exp(2.5): "the other score is forgotten. Which two numbers does the ratio compare?",
        exp(-0.5): "the smaller weight is divided by the larger. Which one was asked for?",
    }
    choose(answer, exp(0.5), reasons, digits=2)
    passed("the ratio is e raised to the gap, whatever the other scores are.")
