"""Turn scores into weights, the stage between comparing and mixing.

Every function works over the last axis, the keys, and takes a boolean mask in which True means *may look*. A key that a
query may not look at gets the weight 0.
"""

from math import inf

from ._validation import cast, prepare_scores


def softmax(scores, mask=None):
    """Turn each row of scores into positive weights that sum to 1.

    ``exp(s_j) / Σ_k exp(s_k)`` over the keys that may be seen. The largest score of the row is subtracted first, which
    changes no weight but keeps exp from overflowing (Goodfellow et al. 2016, section 4.1).

    Parameters
    ----------
    scores : (..., n, m)
        A score of −∞ gives the weight 0. A score of +∞ makes its row NaN, as in torch, since ∞ − ∞ has no value.
    mask : (..., n, m) bool, True = may look; n may be 1, one row for all queries

    Returns
    -------
    (..., n, m)
        A row in which no key may be seen is all 0.

    Raises
    ------
    TypeError
        The scores are not numbers, the mask is not boolean, or NumPy is mixed with torch.
    ValueError
        The mask does not fit the scores, or an axis is empty.

    Examples
    --------
    >>> import numpy as np
    >>> softmax(np.array([[1, 0], [1, 1]])).round(3)
    array([[0.731, 0.269],
           [0.5  , 0.5  ]])
    >>> softmax(np.array([[1000, 0], [1, 1]]), mask=np.array([[True, True], [False, False]]))
    array([[1., 0.],
           [0., 0.]])
    """
    xp, dtype, scores = prepare_scores(scores, mask)

    scores = _hide(xp, scores, mask)  # −∞ where a query may not look, and exp(−∞) is 0
    largest = xp.max(scores, axis=-1, keepdims=True)
    largest = xp.where(largest == -inf, 0.0, largest)  # in a row of only −∞, since −∞ − (−∞) would be NaN
    exponentials = xp.exp(scores - largest)
    total = xp.sum(exponentials, axis=-1, keepdims=True)
    weights = exponentials / xp.where(total == 0, 1.0, total)  # in a row without visible keys 0 / 1, since 0 / 0 is NaN

    return cast(xp, weights, dtype)


def relu_weights(scores, mask=None):
    """Cut each score off at 0 and divide it by the number of keys that may be seen.

    ``max(s_j, 0) / L``, Wortsman et al. (2023), section 3. The rows do not sum to 1; a weight can be exactly 0. Errors
    as in `softmax`.

    Parameters
    ----------
    scores : (..., n, m)
    mask : (..., n, m) bool, True = may look; n may be 1, one row for all queries

    Returns
    -------
    (..., n, m)

    Examples
    --------
    >>> import numpy as np
    >>> relu_weights(np.array([[3, -1], [1, 2]]))
    array([[1.5, 0. ],
           [0.5, 1. ]])
    """
    xp, dtype, scores = prepare_scores(scores, mask)

    scores = _hide(xp, scores, mask)
    positive = xp.where(scores <= 0, 0.0, scores)
    weights = positive / _count_visible(xp, scores, mask)

    return cast(xp, weights, dtype)


def sigmoid_weights(scores, mask=None):
    """Turn each score into a weight between 0 and 1 on its own, whatever the other scores of the row are.

    ``1 / (1 + exp(-(s_j - log L)))`` with L the number of keys that may be seen, Ramapuram et al. (2024), section 2.
    The rows do not sum to 1. Errors as in `softmax`.

    Parameters
    ----------
    scores : (..., n, m)
    mask : (..., n, m) bool, True = may look; n may be 1, one row for all queries

    Returns
    -------
    (..., n, m)

    Examples
    --------
    >>> import numpy as np
    >>> sigmoid_weights(np.array([[0.0, 0.0, 0.0]]))
    array([[0.25, 0.25, 0.25]])
    """
    xp, dtype, scores = prepare_scores(scores, mask)

    scores = _hide(xp, scores, mask)
    shifted = scores - xp.log(_count_visible(xp, scores, mask))
    weights = xp.exp(-xp.logaddexp(xp.zeros_like(shifted), -shifted))  # log(exp(0) + exp(-s)) never overflows

    return cast(xp, weights, dtype)


def _hide(xp, scores, mask):
    """Set the score to −∞, to which every function here gives the weight 0, where the mask says False."""
    return scores if mask is None else xp.where(mask, scores, -inf)


def _count_visible(xp, scores, mask):
    """Count the keys that each query may see, at least 1: a shape that broadcasts against the scores."""
    if mask is None:
        return xp.full_like(scores[..., :1], scores.shape[-1])
    visible = xp.sum(xp.astype(mask, scores.dtype), axis=-1, keepdims=True)
    return xp.where(visible == 0, 1.0, visible)
