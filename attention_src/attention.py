"""Scaled dot-product attention, the same with any score and any weights, and the same without holding all weights.

To see how `query` becomes `output`, read `scaled_dot_product_attention`, whose body has one line for each step.
With the default score and weights, `attention` returns the same.
"""

from math import inf

from array_api_compat import is_torch_array

from ._validation import as_integer, cast, prepare_attention, prepare_mix, zero_hidden
from .scores import scale_query, scaled_dot_score
from .weights import softmax


def scaled_dot_product_attention(query, key, value, mask=None, *, bias=None, scale=None):
    """Mix the values with softmax weights of the scaled dot products: the attention of the Transformer.

    ``softmax(Q Kᵀ / √d_k) V``, Vaswani et al. (2017), equation (1).

    Parameters
    ----------
    query : (..., n, d_k)
    key : (..., m, d_k)
    value : (..., m, d_v)
        NaN or infinity counts as 0, in gradients too, in a key or value that the mask hides from every query, and in a
        query that may look nowhere. If any query may see it, it reaches the others too, since a weight of 0 doesn't
        stop it: 0 · NaN and 0 · ∞ are NaN.
    mask : (..., n, m) bool, True = may look; n may be 1, one row for all queries
    bias : (..., n, m), real numbers added to the scores, such as `alibi_bias`; n may be 1, one row for all queries
    scale : float, what the dot products are multiplied by; 1 / √d_k if left out

    Returns
    -------
    output : (..., n, d_v)
    weights : (..., n, m)
        Each row sums to 1, but that of a query that may look nowhere is all 0, and so is its output.
        Both have the dtype to which query, key and value are promoted; integers become the library's default of real
        numbers. Half precision is computed in float32 and rounded at the end.

    Raises
    ------
    TypeError
        NumPy is mixed with torch, an argument is neither, the mask is not boolean, or `scale` is not a number.
    ValueError
        Shapes do not fit each other, or an axis is empty.

    Examples
    --------
    >>> import numpy as np
    >>> query, key, value = np.array([[1, 0]]), np.array([[1, 1], [0, 1]]), np.array([[1, 2], [9, 8]])
    >>> output, weights = scaled_dot_product_attention(query, key, value)
    >>> weights.round(3), output.round(3)
    (array([[0.67, 0.33]]), array([[3.642, 3.981]]))
    """
    # Check: one library (xp is NumPy or torch), shapes that fit, the same d_k for queries and keys, a boolean mask.
    # `dtype` is that of the result; query, key, value and bias come back in it, or in float32 if it is half precision.
    xp, dtype, query, key, value, bias = prepare_attention(query, key, value, mask, bias, equal_lengths=True)
    query, key, value = zero_hidden(xp, mask, query, key, value)  # NaN or ∞ that the mask hides, for 0 · NaN is NaN

    query = scale_query(query, scale)  # scale: query / √d_k, or query · scale, which scales every score below
    scores = query @ key.mT  # score: one dot product for each pair, (..., n, m); mT transposes the last two axes
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = xp.where(mask, scores, -inf)  # hide, for exp(−∞) is 0; `softmax(scores, mask)` does it too
    weights = softmax(scores)  # weigh: exp(score) / the row's sum, without overflow; a row of only −∞ is all 0
    output = weights @ value  # mix: (..., n, d_v)

    return cast(xp, output, dtype), cast(xp, weights, dtype)  # back to the dtype for the result


def attention(query, key, value, mask=None, *, score=scaled_dot_score, weigh=softmax, bias=None, scale=None):
    """Mix the values, for each query, by how well their keys answer it, with any score and any weights.

    ``weigh(score(query, key) + bias, mask) @ value``. Errors as in `scaled_dot_product_attention`; also TypeError if
    `scale` is given for a `score` that takes none.

    Parameters
    ----------
    query : (..., n, d_q)
    key : (..., m, d_k)
    value : (..., m, d_v)
    mask : (..., n, m) bool, True = may look; n may be 1, one row for all queries
    score : function of query and key that returns scores (..., n, m)
    weigh : function of scores and mask that returns weights (..., n, m)
    bias : (..., n, m), real numbers added to the scores; n may be 1, one row for all queries
    scale : float, passed to `score`, which must take it; `scaled_dot_score` multiplies by it instead of 1 / √d_k

    Returns
    -------
    output : (..., n, d_v)
    weights : (..., n, m)
        Both are in the dtype of query, key and value together.

    Examples
    --------
    >>> import numpy as np
    >>> from attention_src.weights import relu_weights
    >>> output, weights = attention(np.array([[2]]), np.array([[1], [-1]]), np.array([[5], [7]]), weigh=relu_weights)
    >>> weights, output
    (array([[1., 0.]]), array([[5.]]))
    """
    xp, dtype, query, key, value, bias = prepare_attention(query, key, value, mask, bias)
    query, key, value = zero_hidden(xp, mask, query, key, value)

    scores = score(query, key) if scale is None else score(query, key, scale=scale)
    if bias is not None:
        scores = scores + bias
    weights = weigh(scores, mask)  # here `weigh` hides: ReLU divides by how many keys are visible
    weights, value = prepare_mix(weights, value)  # in one dtype, whatever `score` and `weigh` return
    output = weights @ value

    return cast(xp, output, dtype), cast(xp, weights, dtype)


def blockwise_attention(query, key, value, mask=None, *, block_size, bias=None, scale=None):
    """Return the output of `scaled_dot_product_attention` without ever holding its n × m weights.

    Queries and keys are taken `block_size` at a time; a running maximum and a running total replace the whole row
    (online softmax: Milakov and Gimelshein 2018, algorithm 3; Rabe and Staats 2021; Dao et al. 2022).
    It saves memory only when gradients are off, because otherwise torch keeps every block for the backward pass. Errors
    as in `scaled_dot_product_attention`; also if `block_size` is not an integer of at least 1.

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

    Examples
    --------
    >>> import numpy as np
    >>> query, key, value = np.array([[1, 0]]), np.array([[1, 1], [0, 1]]), np.array([[1, 2], [9, 8]])
    >>> blockwise_attention(query, key, value, block_size=1).round(3)
    array([[3.642, 3.981]])
    """
    block_size = as_integer("block_size", block_size, 1)
    xp, dtype, query, key, value, bias = prepare_attention(query, key, value, mask, bias, equal_lengths=True)
    query, key, value = zero_hidden(xp, mask, query, key, value)

    outputs = []
    for start in range(0, query.shape[-2], block_size):
        rows = slice(start, start + block_size)
        pairs = _select_rows(mask, rows), _select_rows(bias, rows)
        outputs.append(_mix_key_blocks(xp, scale_query(query[..., rows, :], scale), key, value, *pairs, block_size))

    return cast(xp, xp.concat(outputs, axis=-2), dtype)


def _select_rows(pairs, rows):
    """Select rows of a mask or bias, if there is one: a single row serves all queries."""
    return pairs if pairs is None or pairs.shape[-2] == 1 else pairs[..., rows, :]


def _exponentiate(xp, block, shift):
    """Return exp(block − shift), in the memory of the block unless it is needed again, for gradients."""
    if is_torch_array(block) and block.requires_grad:
        return xp.exp(block - shift)
    block -= shift
    return block.exp_() if is_torch_array(block) else xp.exp(block, out=block)


def _mix_key_blocks(xp, query, key, value, mask, bias, block_size):
    """Attend from a few queries to all keys, block by block, keeping each row's maximum, total and mix so far.

    Scores and their exponentials share one name, so that no more than two blocks are held at once.
    """
    largest, total, mixed = xp.full_like(query[..., :1], -inf), 0.0, 0.0
    for start in range(0, key.shape[-2], block_size):
        columns = slice(start, start + block_size)
        block = query @ key[..., columns, :].mT
        if bias is not None:
            block = block + bias[..., columns]
        if mask is not None:
            block = xp.where(mask[..., columns], block, -inf)
        previous, largest = largest, xp.maximum(xp.max(block, axis=-1, keepdims=True), largest)
        finite = xp.where(largest == -inf, 0.0, largest)  # no key visible so far: −∞ − (−∞) would be NaN
        block = _exponentiate(xp, block, finite)
        shrink = xp.exp(previous - finite)  # by how much the sums under the old maximum shrink under the new one
        total = total * shrink + xp.sum(block, axis=-1, keepdims=True)
        mixed = mixed * shrink + block @ value[..., columns, :]
    return mixed / xp.where(total == 0, 1.0, total)
