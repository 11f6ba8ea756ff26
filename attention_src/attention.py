"""Score, scale, weigh, mix: the one function of the book, and the same result without ever holding all weights."""

from math import inf

from ._arrays import cast, need_axes, need_broadcast, need_equal, nonzero, real, visible, whole
from .scores import scaled_dot_score
from .weights import softmax


def attention(query, key, value, mask=None, *, score=scaled_dot_score, weigh=softmax):
    """Mix the values, for each query, by how well their keys answer it.

    ``weigh(score(query, key), mask) @ value``

    Parameters
    ----------
    query : (..., n, d_k)
    key : (..., m, d_k)
    value : (..., m, d_v)
    mask : (..., n, m) bool, True = may look; n may be 1, one row for all queries
    score : function of query and key that returns scores (..., n, m)
    weigh : function of scores and mask that returns weights (..., n, m)

    Returns
    -------
    output : (..., n, d_v)
    weights : (..., n, m)
        Both in the dtype of query, key and value together.

    Raises
    ------
    TypeError
        NumPy is mixed with torch, an argument is neither, or the mask is not boolean.
    ValueError
        Shapes do not fit each other, or an axis is empty.

    Examples
    --------
    >>> import numpy as np
    >>> from attention_src.weights import relu_weights
    >>> output, weights = attention(np.array([[2]]), np.array([[1], [-1]]), np.array([[5], [7]]), weigh=relu_weights)
    >>> weights, output
    (array([[1., 0.]]), array([[5.]]))
    """
    xp, dtype, query, key, value = _fitting(query, key, value)
    weights = weigh(score(query, key), mask)
    _, _, weights, value = real(weights=weights, value=value)  # a score of one's own may have another dtype
    need_equal((-1, -2), "every value needs one weight", weights=weights, value=value)
    need_broadcast(weights=weights, value=value)
    return cast(xp, weights @ value, dtype), cast(xp, weights, dtype)


def scaled_dot_product_attention(query, key, value, mask=None):
    """Mix the values with softmax weights of the scaled dot products: attention as every Transformer has it.

    ``softmax(Q Kᵀ / √d_k) V``, Vaswani et al. (2017), equation (1).

    Parameters
    ----------
    query : (..., n, d_k)
    key : (..., m, d_k)
    value : (..., m, d_v)
    mask : (..., n, m) bool, True = may look; n may be 1, one row for all queries

    Returns
    -------
    output : (..., n, d_v)
    weights : (..., n, m)
        Each row sums to 1; a query that may look nowhere has only zeros, in its output too.

    Raises
    ------
    TypeError, ValueError
        As `attention`.

    Examples
    --------
    >>> import numpy as np
    >>> query, key, value = np.array([[1, 0]]), np.array([[1, 1], [0, 1]]), np.array([[1, 2], [9, 8]])
    >>> output, weights = scaled_dot_product_attention(query, key, value)
    >>> weights.round(3), output.round(3)
    (array([[0.67, 0.33]]), array([[3.642, 3.981]]))
    """
    return attention(query, key, value, mask)


def blockwise_attention(query, key, value, mask=None, *, block_size):
    """Return the output of `scaled_dot_product_attention` without ever holding its n × m weights.

    Queries and keys are taken `block_size` at a time; a running maximum and a running total replace the whole row
    (online softmax: Milakov and Gimelshein 2018, algorithm 3; Rabe and Staats 2021; Dao et al. 2022).
    While torch records gradients it keeps every block for the way back: memory is saved under ``torch.no_grad()`` only.

    Parameters
    ----------
    query : (..., n, d_k)
    key : (..., m, d_k)
    value : (..., m, d_v)
    mask : (..., n, m) bool, True = may look; n may be 1, one row for all queries
    block_size : int, how many queries and how many keys are compared at once

    Returns
    -------
    (..., n, d_v)

    Raises
    ------
    TypeError, ValueError
        As `attention`; also if `block_size` is not an integer of at least 1.

    Examples
    --------
    >>> import numpy as np
    >>> query, key, value = np.array([[1, 0]]), np.array([[1, 1], [0, 1]]), np.array([[1, 2], [9, 8]])
    >>> blockwise_attention(query, key, value, block_size=1).round(3)
    array([[3.642, 3.981]])
    """
    block_size = whole("block_size", block_size, 1)
    xp, dtype, query, key, value = _fitting(query, key, value)
    need_equal((-1, -1), "the dot product needs vectors of equal length", query=query, key=key)
    if mask is not None:
        mask = _every_row(xp, mask, query, key, value)
    outputs = []
    for start in range(0, query.shape[-2], block_size):
        rows = slice(start, start + block_size)
        seen = None if mask is None else mask[..., rows, :]
        outputs.append(_mix_key_blocks(xp, query[..., rows, :], key, value, seen, block_size))
    return cast(xp, xp.concat(outputs, axis=-2), dtype)


def _every_row(xp, mask, query, key, value):
    """Return the mask as a view with a row for each query, after checking that it fits the three."""
    scores = xp.broadcast_to(query[..., :1], (*query.shape[:-1], key.shape[-2]))  # a view: only its shape is used
    visible(mask, scores)
    need_broadcast(mask=mask, key=key, value=value)
    return xp.broadcast_to(mask, (*mask.shape[:-2], *scores.shape[-2:]))


def _mix_key_blocks(xp, query, key, value, mask, block_size):
    """Attend from a few queries to all keys, block by block, keeping each row's maximum, total and mix so far."""
    largest, total, mixed = xp.full_like(query[..., :1], -inf), 0.0, 0.0
    for start in range(0, key.shape[-2], block_size):
        columns = slice(start, start + block_size)
        block = scaled_dot_score(query, key[..., columns, :])
        if mask is not None:
            block = xp.where(mask[..., columns], block, -inf)
        before, largest = largest, xp.maximum(xp.max(block, axis=-1, keepdims=True), largest)
        shift = xp.where(largest == -inf, 0.0, largest)
        block = _raised(xp, block, shift)
        shrink = xp.exp(before - shift)  # what was gathered under the old maximum counts this much under the new one
        total = total * shrink + xp.sum(block, axis=-1, keepdims=True)
        mixed = mixed * shrink + block @ value[..., columns, :]
    return mixed / nonzero(xp, total)


def _raised(xp, block, shift):
    """Return exp(block − shift), in the memory of the block unless torch still needs the block for the way back."""
    if getattr(block, "requires_grad", False):
        return xp.exp(block - shift)
    block -= shift
    return xp.exp(block, out=block)


def _fitting(query, key, value):
    """Return what `real` does if the three fit each other; d_q against d_k is for the score to check."""
    found = real(query=query, key=key, value=value)
    need_axes(2, "(..., rows, d), one row for each query or key", query=query, key=key, value=value)
    need_equal((-2, -2), "every key needs one value", key=key, value=value)
    need_broadcast(query=query, key=key, value=value)
    return found
