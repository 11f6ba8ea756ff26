"""Known mistakes in attention weights, and the question that leads from each: for the checks of several chapters."""

from math import log, sqrt

import numpy as np

from attention_src.attention import scaled_dot_product_attention
from attention_src.scores import scaled_dot_score
from attention_src.weights import softmax

from ._compare import find_question, need_close, need_finite, need_order, need_rows_sum_to_one, need_shape
from ._message import Part

NAMES = "(output, weights)"
LATE = "The largest score belongs to a hidden key. Do you remove it before you look for the maximum, or after?"
LAST = "The last key has a weight of 0 in every row. How many of the keys does your function look at?"
GAP = "By how much do the two largest scores of this row differ, and what has become of that gap in your weights?"
BY_HAND = "Work out one score by hand: which number of the query is multiplied by which number of the key?"


def are_apart(n, m, d_k, d_v):
    """Whether division by d_k can be told from division by the root of another size."""
    return d_k**2 not in (n, m, d_v) or d_k == 1


def need_attention(got, query, key, value, given, mask=None, *, tokens=None, late=False, forbidden=None):
    """Raise Wrong, with the question that leads to the mistake, unless got is (output, weights) of attention.

    Messages call the trial `given`; queries, keys and values may be projections of `tokens`. With a mask, `forbidden`
    is a function of the weights which raises Wrong if a hidden key has one, and `late` says that the score of a hidden
    key is far above the others.
    """
    (output, weights), (expected, right) = got, scaled_dot_product_attention(query, key, value, mask)
    need_order(NAMES, got, (expected, right))
    need_shape("weights", weights, right.shape, given)
    scores = scaled_dot_score(query, key)
    need_finite("weights", weights, given, LATE if late else about_nan(weights, scores))
    sums = about_sums(scores)
    if mask is not None:
        forbidden(weights)
        if np.allclose(weights, scaled_dot_product_attention(query, key, value)[1] * mask):
            sums = "Do you apply the mask before the softmax, or after?"
    need_rows_sum_to_one(weights, given, LATE if late else sums)
    sizes = (*value.shape, len(query), *(() if tokens is None else tokens.shape))
    need_close("weights", weights, right, about_weights(weights, query, key, mask, sizes))
    question = _about_output(output, weights, value, query, key, tokens)
    need_shape("output", output, expected.shape, given, question)
    need_close("output", output, expected, question)


def about_weights(weights, query, key, mask=None, sizes=(), otherwise=BY_HAND):
    """The question that leads from known wrong weights to the mistake, or `otherwise`; `sizes` may be taken for d_k."""
    if np.abs(scaled_dot_score(query, key)).max() > 500:  # what holds for small scores fails for large ones
        return GAP
    d_k, right = key.shape[-1], scaled_dot_product_attention(query, key, key, mask)[1]
    if lacks_the_last(weights, right):
        return LAST
    if np.any((weights == 0) & (right > 0)) and np.allclose(weights, right, atol=0.1):
        return "Can exp turn any of these scores into exactly 0? What has become of your small weights?"
    known = [
        (query * sqrt(d_k), key, "What comes between the scores and the softmax?"),
        (query / sqrt(d_k), key, "Do you divide by d_k itself, and should you?"),
        (query * d_k, key, "A score adds up d_k products. Does your scaling make it larger or smaller?"),
        (query * log(2), key, "Which number do you raise to the power of the score?"),
    ]
    for size in (2, *sizes):  # 2 is the length of the keys in the example of chapter 1
        question = "A score grows with the number of terms it adds up. How many terms does one score have?"
        known.append((query * sqrt(d_k / size), key, question))
    if query.shape == key.shape:
        known += [
            (key, query, "Whose question is weights[0]? Who asks, and who is asked?"),
            (query, query, "Are there keys in your scores?"),
            (key, key, "Are there queries in your scores?"),
        ]
    wrong = [(scaled_dot_product_attention(q, k, k, mask)[1], question) for q, k, question in known]
    scores = scaled_dot_score(query, key)
    others = [scores.max(-2, keepdims=True)] + [scores.max(-1)[..., None, :]] * (len(query) == len(key))
    own = "You subtract the largest score of a row. Which row does yours come from?"
    wrong += [(softmax(scores - largest, mask), own) for largest in others]
    wrong.append((softmax(right, mask), "How many times do you apply the softmax?"))
    return find_question(weights, wrong, otherwise)


def lacks_the_last(weights, right):
    """Whether nothing but the weights of the last keys is missing."""
    missing = (weights == 0) & (right > 0)
    columns = missing.reshape(-1, missing.shape[-1]).any(axis=0)
    return columns.any() and np.array_equal(missing, (right > 0) & (np.arange(len(columns)) >= columns.argmax()))


def about_nan(weights, scores):
    """The question for weights that are not finite: was no maximum subtracted, or one and the same from all rows?"""
    if np.abs(scores).max() < 500:
        return "The scores are small. Which line of your code produces the first NaN or infinity?"
    row = np.unravel_index(scores.argmax(), scores.shape)[:-1]
    if np.isfinite(weights[row]).all():
        return "The row with the largest score is finite. What would be left of a row whose scores are lower by 1,000?"
    return "What does exp do to a score of 1000?"


def about_sums(scores):
    """The question for rows that do not sum to 1."""
    return "What does exp do to a score of 1000?" if np.abs(scores).max() > 500 else "What do you divide each row by?"


def _about_output(output, weights, value, query, key, tokens):
    """The question that leads from a known wrong output to the mistake behind it; the weights are right."""
    known = [] if tokens is None else [(weights @ tokens, "What do they mix: the tokens, or their values?")]
    known += [
        (weights @ key, "What do they mix: keys, or values?"),
        (value[weights.argmax(axis=-1)], "What becomes of the values with the smaller weights?"),
    ]
    if len(query) == len(key):
        known += [
            (weights @ query, "What do they mix: queries, or values?"),
            (weights.T @ value, "Does output[0] use a row of the weights, or a column?"),
        ]
    question = Part(find_question(output, known, "What do they mix?"))
    return Part("The weights are right. {question}", question=question)
