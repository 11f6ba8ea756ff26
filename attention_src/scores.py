"""Compare queries with keys, the first stage of attention: one real number, the score, for each pair of them.

n counts queries and m counts keys.
"""

from math import sqrt

from ._validation import as_number, cast, check_axes, check_equal, check_equal_lengths, prepare_pair

__all__ = ["additive_score", "dot_score", "general_score", "scaled_dot_score"]  # the other two are their parts


def dot_score(query, key):
    """Multiply each query with each key, number by number, and add up.

    ``q · k``, the *dot* score of Luong et al. (2015), section 3.1.

    Parameters
    ----------
    query : (..., n, d)
    key : (..., m, d)

    Returns
    -------
    (..., n, m)

    Raises
    ------
    TypeError
        NumPy is mixed with torch, or an argument is neither.
    ValueError
        The last axes differ, the leading axes do not broadcast, or an axis is empty.

    Examples
    --------
    >>> import numpy as np
    >>> dot_score(np.array([[1, 0], [0, 1]]), np.array([[1, 1], [0, 1], [2, 3]]))
    array([[1., 0., 2.],
           [1., 1., 3.]])
    """
    xp, dtype, query, key = prepare_pair(query, key)
    check_equal_lengths(query, key)

    scores = query @ key.mT  # (..., n, d) @ (..., d, m)

    return cast(xp, scores, dtype)


def scaled_dot_score(query, key, *, scale=None):
    """Take the dot product of each query with each key and divide it by the square root of their length.

    ``q · k / √d_k``, Vaswani et al. (2017), equation (1). For components of mean 0 and variance 1 the division
    brings the variance of the score from d_k back to 1. Errors as in `dot_score`; also if `scale` is not a number.

    Parameters
    ----------
    query : (..., n, d_k)
    key : (..., m, d_k)
    scale : float, what the dot products are multiplied by; 1 / √d_k if left out

    Returns
    -------
    (..., n, m)

    Examples
    --------
    >>> import numpy as np
    >>> scaled_dot_score(np.array([[3, 0, 4, 0]]), np.array([[1, 1, 1, 1], [0, 5, 0, 0]]))
    array([[3.5, 0. ]])
    """
    xp, dtype, query, key = prepare_pair(query, key)

    scores = dot_score(scale_query(query, scale), key)

    return cast(xp, scores, dtype)


def scale_query(query, scale=None):
    """Divide queries (..., n, d_k) by √d_k, or multiply by `scale`: less work than to scale n · m scores."""
    return query / sqrt(query.shape[-1]) if scale is None else query * as_number("scale", scale)


def general_score(query, key, w):
    """Compare queries and keys of different lengths through a learned matrix.

    ``q W kᵀ``, the *general* score of Luong et al. (2015), section 3.1. Errors as in `dot_score`; also if `w` does not
    lead from d_q to d_k.

    Parameters
    ----------
    query : (..., n, d_q)
    key : (..., m, d_k)
    w : (d_q, d_k)

    Returns
    -------
    (..., n, m)

    Examples
    --------
    >>> import numpy as np
    >>> general_score(np.array([[1, 2]]), np.array([[1, 0, 1]]), np.array([[1, 0, 0], [0, 1, 1]]))
    array([[3.]])
    """
    xp, dtype, query, key, w = prepare_pair(query, key, w=w)
    check_axes(2, "(d_q, d_k)", exactly=True, w=w)
    check_equal((-1, 0), "w needs a row for each number of a query", query=query, w=w)
    check_equal((-1, 1), "w needs a column for each number of a key", key=key, w=w)

    scores = dot_score(query @ w, key)

    return cast(xp, scores, dtype)


def additive_score(query, key, w_query, w_key, v):
    """Project query and key into one space, add them, squash, and read the sum with a vector.

    ``v · tanh(q W_q + k W_k)``, Bahdanau et al. (2014), appendix A.1.2, where q is the previous decoder state. Errors
    as in `dot_score`; also if a matrix does not fit its vectors or the three do not share h.

    Parameters
    ----------
    query : (..., n, d_q)
    key : (..., m, d_k)
    w_query : (d_q, h)
    w_key : (d_k, h)
    v : (h,)

    Returns
    -------
    (..., n, m)

    Examples
    --------
    >>> import numpy as np
    >>> identity = np.eye(2)
    >>> additive_score(np.array([[1, -1]]), np.array([[-1, 1], [0, 0]]), identity, identity, np.array([1, 2])).round(4)
    array([[ 0.    , -0.7616]])
    """
    xp, dtype, query, key, w_query, w_key, v = prepare_pair(query, key, w_query=w_query, w_key=w_key, v=v)
    check_axes(2, "(d, h)", exactly=True, w_query=w_query, w_key=w_key)
    check_equal((-1, 0), "w_query needs a row for each number of a query", query=query, w_query=w_query)
    check_equal((-1, 0), "w_key needs a row for each number of a key", key=key, w_key=w_key)
    check_equal((1, 1), "both must lead to the same length h", w_query=w_query, w_key=w_key)
    check_equal((1, 0), "v needs a number for each column of w_query", w_query=w_query, v=v)

    scores = tanh_score(query @ w_query, key @ w_key, v)

    return cast(xp, scores, dtype)


def tanh_score(query, key, v):
    """Compare queries (..., n, h) and keys (..., m, h) that are already projected into one space: ``v · tanh(q + k)``.

    A decoder asks the same keys at every step, so it projects them once and calls this afterwards, as Bahdanau et al.
    (2014), appendix A.1.2, advise. It returns (..., n, m) and raises as `additive_score` does.
    """
    xp, dtype, query, key, v = prepare_pair(query, key, v=v)
    check_axes(1, "(h,)", exactly=True, v=v)
    check_equal((-1, -1), "query and key must be projected to the same length h", query=query, key=key)
    check_equal((-1, 0), "v needs a number for each column of query", query=query, v=v)

    together = query[..., :, None, :] + key[..., None, :, :]  # (..., n, m, h)
    scores = xp.tanh(together) @ v

    return cast(xp, scores, dtype)
