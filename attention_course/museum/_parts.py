"""Attention with one part exchanged: for the exhibits of the museum, and for wrong answers to the exercises."""

import numpy as np

from attention_src.weights import softmax


def exchange_part(score=None, weigh=None, mix=None):
    """Return attention with one part exchanged: score(q, k, v), weigh(scores, mask) or mix(weights, q, k, v)."""

    def attend(query, key, value, mask=None):
        scores = score(query, key, value) if score else scale_dots(query, key)
        mask = np.ones(scores.shape, bool) if mask is None else mask
        weights = weigh(scores, mask) if weigh else softmax(scores, mask)
        return (mix(weights, query, key, value) if mix else weights @ value), weights

    return attend


def score_by(score):
    return exchange_part(score=score)


def weigh_by(weigh):
    return exchange_part(weigh=weigh)


def mix_by(mix):
    return exchange_part(mix=mix)


def scale_dots(query, key):
    return query @ key.mT / np.sqrt(query.shape[-1])


def exponentiate(scores, mask=True):
    """Raise e to the scores, less the largest visible one of each row; 0 where the mask is False."""
    visible = np.where(mask, scores, -np.inf)
    return np.exp(visible - visible.max(axis=-1, keepdims=True))


def normalise(raised, axis=-1, keepdims=True):
    return raised / raised.sum(axis=axis, keepdims=keepdims)


def normalise_with_care(raised):
    """Divide each row by its sum, but leave a row of zeros as it is."""
    total = raised.sum(axis=-1, keepdims=True)
    return raised / np.where(total == 0, 1, total)
