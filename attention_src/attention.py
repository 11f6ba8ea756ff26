"""Score, scale, weigh, mix: the one function of the book, and the same result without ever holding all weights."""

from math import inf

from array_api_compat import is_torch_array

from ._arrays import (
    as_integer,
    as_real,
    cast,
    checked_bias,
    checked_mask,
    need_axes,
    need_broadcast,
    need_equal,
    one_for_zero,
    without_unseen,
)
from .scores import scaled_dot_score
from .weights import softmax


def attention(query, key, value, mask=None, *, score=scaled_dot_score, weigh=softmax, bias=None, scale=None):
    """Mix the values, for each query, by how well their keys answer it.

    ``weigh(score(query, key) + bias, mask) @ value``

    Parameters
    ----------
    query : (..., n, d_k)
    key : (..., m, d_k)
    value : (..., m, d_v)
        NaN or infinity at a position that no query may look at counts as 0. If a single query may look there, it
        spoils that column of the output for all queries, since the weight 0 times NaN is NaN.
    mask : (..., n, m) bool, True = may look; n may be 1, one row for all queries
    score : function of query and key that returns scores (..., n, m)
    weigh : function of scores and mask that returns weights (..., n, m)
    bias : (..., n, m), real numbers added to the scores; n may be 1, one row for all queries
        Such as `alibi_bias`, one table for each head.
    scale : float, handed on to `score`, which must take it; `scaled_dot_score` multiplies by it instead of 1 / √d_k

    Returns
    -------
    output : (..., n, d_v)
    weights : (..., n, m)
        Both in the dtype of query, key and value together.

    Raises
    ------
    TypeError
        NumPy is mixed with torch, an argument is neither, the mask is not boolean, `scale` is not a number, or it is
        given for a `score` that takes none.
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
    scores = score(query, key) if scale is None else score(query, key, scale=scale)
    weights = weigh(_with_bias(scores, bias), mask)
    weights, value = _fitting_weights(weights, value, mask)
    return cast(xp, weights @ value, dtype), cast(xp, weights, dtype)


def scaled_dot_product_attention(query, key, value, mask=None, *, bias=None, scale=None):
    """Mix the values with softmax weights of the scaled dot products: attention as every Transformer has it.

    ``softmax(Q Kᵀ / √d_k) V``, Vaswani et al. (2017), equation (1).

    Parameters
    ----------
    query : (..., n, d_k)
    key : (..., m, d_k)
    value : (..., m, d_v)
    mask : (..., n, m) bool, True = may look; n may be 1, one row for all queries
    bias : (..., n, m), real numbers added to the scores; n may be 1, one row for all queries
    scale : float, what the dot products are multiplied by; 1 / √d_k if left out

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
    return attention(query, key, value, mask, bias=bias, scale=scale)


def blockwise_attention(query, key, value, mask=None, *, block_size, bias=None, scale=None):
    """Return the output of `scaled_dot_product_attention` without ever holding its n × m weights.

    Queries and keys are taken `block_size` at a time; a running maximum and a running total replace the whole row
    (online softmax: Milakov and Gimelshein 2018, algorithm 3; Rabe and Staats 2021; Dao et al. 2022).
    While torch records gradients it keeps every block for the way back: time and memory are saved without only.

    Parameters
    ----------
    query : (..., n, d_k)
    key : (..., m, d_k)
    value : (..., m, d_v)
    mask : (..., n, m) bool, True = may look; n may be 1, one row for all queries
    block_size : int, how many queries and how many keys are compared at once
    bias : (..., n, m), real numbers added to the scores; n may be 1, one row for all queries
    scale : float, what the dot products are multiplied by; 1 / √d_k if left out

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
    block_size = as_integer("block_size", block_size, 1)
    xp, dtype, query, key, value = _fitting(query, key, value)
    need_equal((-1, -1), "the dot product needs vectors of equal length", query=query, key=key)
    scores = xp.broadcast_to(query[..., :1], (*query.shape[:-1], key.shape[-2]))  # a view: only its shape is used
    if mask is not None:
        need_broadcast(mask=checked_mask(mask, scores), key=key, value=value)
        (value,) = without_unseen(xp, mask, value)
    if bias is not None:
        need_broadcast(bias=checked_bias(bias, scores), key=key, value=value)
    mask, bias = (_every_row(xp, pairs, scores) for pairs in (mask, bias))
    outputs = []
    for start in range(0, query.shape[-2], block_size):
        rows = slice(start, start + block_size)
        own = [None if pairs is None else pairs[..., rows, :] for pairs in (mask, bias)]
        outputs.append(_mix_key_blocks(xp, query[..., rows, :], key, value, *own, scale, block_size))
    return cast(xp, xp.concat(outputs, axis=-2), dtype)


def _every_row(xp, pairs, scores):
    """Return the mask or bias as a view with a row for each query."""
    return None if pairs is None else xp.broadcast_to(pairs, (*pairs.shape[:-2], *scores.shape[-2:]))


def _mix_key_blocks(xp, query, key, value, mask, bias, scale, block_size):
    """Attend from a few queries to all keys, block by block, keeping each row's maximum, total and mix so far."""
    largest, total, mixed = xp.full_like(query[..., :1], -inf), 0.0, 0.0
    for start in range(0, key.shape[-2], block_size):
        columns = slice(start, start + block_size)
        block = scaled_dot_score(query, key[..., columns, :], scale=scale)
        block = _with_bias(block, None if bias is None else bias[..., columns])
        if mask is not None:
            block = xp.where(mask[..., columns], block, -inf)
        before, largest = largest, xp.maximum(xp.max(block, axis=-1, keepdims=True), largest)
        shift = xp.where(largest == -inf, 0.0, largest)
        block = _exponentials(xp, block, shift)
        shrink = xp.exp(before - shift)  # what was gathered under the old maximum counts this much under the new one
        total = total * shrink + xp.sum(block, axis=-1, keepdims=True)
        mixed = mixed * shrink + block @ value[..., columns, :]
    return mixed / one_for_zero(xp, total)


def _exponentials(xp, block, shift):
    """Return exp(block − shift), in the memory of the block unless torch may need the block again for gradients."""
    if is_torch_array(block) and not _is_ours_alone(block):
        return xp.exp(block - shift)
    block -= shift
    return block.exp_() if is_torch_array(block) else xp.exp(block, out=block)


def _is_ours_alone(block):
    """Whether nobody will ask a tensor for gradients: neither autograd nor a transformation, inside of which it has no
    memory of its own."""
    try:
        return block.data_ptr() is not None and not block.requires_grad
    except RuntimeError:
        return False


def _fitting(query, key, value):
    """Return what `as_real` does if the three fit each other. The lengths d_q and d_k are for the score to check."""
    found = as_real(query=query, key=key, value=value)
    need_axes(2, "(..., rows, d), one row for each query or key", query=query, key=key, value=value)
    need_equal((-2, -2), "every key needs one value", key=key, value=value)
    need_broadcast(query=query, key=key, value=value)
    return found


def _with_bias(scores, bias):
    """Return scores + bias, in the dtype of the scores."""
    if bias is None:
        return scores
    xp, _, scores = as_real(scores=scores)
    return scores + cast(xp, checked_bias(bias, scores), scores.dtype)


def _fitting_weights(weights, value, mask):
    """Return the weights and the values that they mix, in one dtype: a score of one's own may have another."""
    xp, _, weights, value = as_real(weights=weights, value=value)
    need_equal((-1, -2), "every value needs one weight", weights=weights, value=value)
    need_broadcast(weights=weights, value=value)
    if mask is not None:
        (value,) = without_unseen(xp, checked_mask(mask, weights), value)
    return weights, value
