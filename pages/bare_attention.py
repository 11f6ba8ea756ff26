"""Attention in NumPy alone, without checks of its arguments: what the page of the package begins with."""

import numpy as np


def attend(query, key, value, mask=None):
    """Let n queries look at m keys, and mix the m values.

    >>> attend(np.array([[1, 0]]), np.array([[1, 1], [0, 1]]), np.array([[1, 2], [9, 8]]))[1].round(3)
    array([[0.67, 0.33]])
    """
    scores = query @ key.T  # score: how well each key answers each query, (n, m)
    scores = scores / np.sqrt(key.shape[1])  # scale: longer vectors do not mean larger scores
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)  # mask: True = may look
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))  # softmax, with the maximum taken off first
    weights = raised / raised.sum(axis=1, keepdims=True)  # so that each row sums to 1
    return weights @ value, weights  # mix: (n, d_v)
