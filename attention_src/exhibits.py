"""A museum of wrong attention: functions that run, most of them with the right shape, and are not attention.

Each takes ``(query, key, value, mask=None)`` of NumPy arrays, all n × d in self-attention, and returns
``(output, weights)`` as `attention_src.scaled_dot_product_attention` does. Some of the mistakes were published in
teaching material, the others we collected; the code is ours. Nothing here is to be used.
"""

import numpy as np

from .weights import softmax


def _exhibit(score=None, weigh=None, mix=None):
    """Attention with one part exchanged: score(query, key, value), weigh(scores, mask), mix(weights, q, k, v)."""

    def attend(query, key, value, mask=None):
        scores = score(query, key, value) if score else _scaled(query, key)
        weights = weigh(scores, _all(scores) if mask is None else mask) if weigh else softmax(scores, mask)
        return (mix(weights, query, key, value) if mix else weights @ value), weights

    return attend


def _scaled(query, key):
    return query @ key.T / np.sqrt(query.shape[-1])


def _all(scores):
    return np.ones(scores.shape, bool)


def _normalised(raised, axis=-1, keepdims=True):
    return raised / raised.sum(axis=axis, keepdims=keepdims)


def _raised(scores, mask):
    """exp of the scores, 0 where one may not look, after the greatest score is subtracted."""
    seen = np.where(mask, scores, -np.inf)
    return np.exp(seen - seen.max(axis=-1, keepdims=True))


#: The functions, each under the name of its mistake.
EXHIBITS = {
    "not scaled": _exhibit(score=lambda q, k, v: q @ k.T),
    "scaled by d": _exhibit(score=lambda q, k, v: q @ k.T / q.shape[-1]),
    "scaled by the root of n": _exhibit(score=lambda q, k, v: q @ k.T / np.sqrt(len(k))),
    "scaled the wrong way round": _exhibit(score=lambda q, k, v: q @ k.T * np.sqrt(q.shape[-1])),
    "queries ask queries": _exhibit(score=lambda q, k, v: _scaled(q, q)),
    "keys ask keys": _exhibit(score=lambda q, k, v: _scaled(k, k)),
    "keys ask queries": _exhibit(score=lambda q, k, v: _scaled(k, q)),
    "keys reshaped, not transposed": _exhibit(
        score=lambda q, k, v: q @ k.reshape(k.shape[::-1]) / np.sqrt(q.shape[-1])
    ),
    "softmax over the queries": _exhibit(weigh=lambda s, mask: softmax(s.T, mask.T).T),
    "softmax over everything": _exhibit(weigh=lambda s, mask: _raised(s, mask) / _raised(s, mask).sum()),
    "sum without keepdims": _exhibit(weigh=lambda s, mask: _normalised(_raised(s, mask), keepdims=False)),
    "no softmax": _exhibit(weigh=lambda s, mask: np.where(mask, s, 0)),
    "softmax twice": _exhibit(weigh=lambda s, mask: softmax(softmax(s, mask), mask)),
    "powers of two": _exhibit(weigh=lambda s, mask: softmax(s * np.log(2), mask)),
    "the maximum forgotten": _exhibit(weigh=lambda s, mask: _normalised(np.exp(s) * mask)),
    "sigmoid for softmax": _exhibit(weigh=lambda s, mask: mask / (1 + np.exp(-s))),
    "dropout left on": _exhibit(
        weigh=lambda s, mask: softmax(s, mask) * np.where(np.indices(s.shape).sum(0) % 3, 1.5, 0)
    ),
    "mixes the keys": _exhibit(mix=lambda w, q, k, v: w @ k),
    "mixes the queries": _exhibit(mix=lambda w, q, k, v: w @ q),
    "mixes by columns": _exhibit(mix=lambda w, q, k, v: w.T @ v),
    "mask ignored": _exhibit(weigh=lambda s, mask: softmax(s)),
    "mask with the opposite meaning": _exhibit(
        weigh=lambda s, mask: softmax(s, ~mask) if not mask.all() else softmax(s)
    ),
    "mask after the softmax": _exhibit(weigh=lambda s, mask: softmax(s) * mask),
    "mask multiplied into the scores": _exhibit(weigh=lambda s, mask: softmax(s * mask)),
    "mask of -1e-9": _exhibit(weigh=lambda s, mask: softmax(s - 1e-9 * ~mask)),
    "mask transposed": _exhibit(weigh=lambda s, mask: softmax(s, mask.T)),
}
