"""Checks of chapter 05: right answers of every kind pass, each wrong one meets the question that fits it."""

import re

import numpy as np
import pytest
import torch

from attention_src import causal_mask, checks, padding_mask, scaled_dot_product_attention, softmax

NO_WARNING = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def comparisons(lengths, n):
    key = np.arange(n)
    return (key <= key[:, None]) & (key < lengths[:, None, None])


def loops(lengths, n):
    return np.array([[[j <= i and j < length for j in range(n)] for i in range(n)] for length in lengths])


def in_torch(lengths, n):
    return torch.ones(n, n).tril().bool() & (torch.arange(n) < torch.tensor(lengths)[:, None, None])


def from_the_package(lengths, n):
    return causal_mask(n) & padding_mask(lengths, n)


@pytest.mark.parametrize("answer", [comparisons, loops, in_torch, from_the_package])
@pytest.mark.parametrize("seed", [0, 5])
def test_a_right_mask_passes(answer, seed, capsys):
    checks.decoder_mask(answer, seed)
    assert capsys.readouterr().out.startswith("Right: ")


def mask_of(condition):
    """A mask from a condition on query i, key j and length, all arrays of (batch, n, n)."""

    def answer(lengths, n):
        i, j = np.arange(n)[:, None], np.arange(n)
        return np.broadcast_to(condition(i, j, lengths[:, None, None]), (len(lengths), n, n))

    return answer


WRONG_MASKS = {
    "opposite": (mask_of(lambda i, j, k: (j > i) | (j >= k)), "What does yours mean"),
    "no padding": (mask_of(lambda i, j, k: j <= i), "sentence of two words"),
    "not causal": (mask_of(lambda i, j, k: j < k), "May query 0 look at key 1"),
    "transposed": (mask_of(lambda i, j, k: (j >= i) & (j < k)), "which is looked at"),
    "one too many": (mask_of(lambda i, j, k: (j <= i) & (j <= k)), "the last key of two words"),
    "not oneself": (mask_of(lambda i, j, k: (j < i) & (j < k)), "look at itself"),
    "askers padded": (mask_of(lambda i, j, k: (j <= i) & (i < k)), "asker or the answerer"),
    "or": (mask_of(lambda i, j, k: (j <= i) | (j < k)), "Both conditions"),
    "nobody": (mask_of(lambda i, j, k: (i < 0) & (j < k)), "Is j ≤ i there"),
    "numbers": (lambda lengths, n: comparisons(lengths, n).astype(float), "expected bool"),
    "no batch": (lambda lengths, n: np.tri(n, dtype=bool), "has shape (4, 4)"),
    "nothing": (lambda lengths, n: None, "returned None"),
}


@pytest.mark.parametrize("name", WRONG_MASKS)
def test_a_wrong_mask_meets_the_question_that_fits_it(name):
    answer, question = WRONG_MASKS[name]
    with pytest.raises(checks.Wrong, match=re.escape(question)):
        checks.decoder_mask(answer)


def package(query, key, value, mask):
    return scaled_dot_product_attention(query, key, value, mask)


def minus_infinity(query, key, value, mask):
    scores = np.where(mask, query @ key.T / np.sqrt(key.shape[1]), -np.inf)
    raised = np.exp(scores - np.where(mask.any(-1), scores.max(-1), 0)[:, None])
    weights = raised / np.maximum(raised.sum(-1, keepdims=True), 1e-300)
    return weights @ value, weights


def row_by_row(query, key, value, mask):
    weights = np.zeros(mask.shape)
    for i, seen in enumerate(mask):
        if seen.any():
            weights[i, seen] = softmax(key[seen] @ query[i] / key.shape[1] ** 0.5)
    return weights @ value, weights


def nan_to_zero(query, key, value, mask):
    q, k, v, seen = map(torch.tensor, (query, key, value, mask))
    weights = (q @ k.T / k.shape[1] ** 0.5).masked_fill(~seen, -torch.inf).softmax(-1).nan_to_num(0)
    return weights @ v, weights


@pytest.mark.parametrize("answer", [package, minus_infinity, row_by_row, nan_to_zero])
@pytest.mark.parametrize("seed", [0, 5])
def test_a_right_masked_attention_passes(answer, seed, capsys):
    checks.masked_attention(answer, seed)
    checks.mended_mask(answer, "change", seed)
    assert capsys.readouterr().out.count("Right: ") == 2


def attention(scores=None, weigh=None, mix=None):
    """Masked attention with one part exchanged."""

    def answer(query, key, value, mask):
        s = scores(query, key) if scores else query @ key.T / np.sqrt(key.shape[1])
        weights = weigh(s, mask) if weigh else softmax(s, mask)
        return (mix(weights, key, value) if mix else weights @ value), weights

    return answer


def divided(weights):
    return weights / weights.sum(-1, keepdims=True)


WRONG = {
    "no mask": (attention(weigh=lambda s, mask: softmax(s)), "what is left of a forbidden score"),
    "opposite": (attention(weigh=lambda s, mask: softmax(s, ~mask)), "what does True mean"),
    "after the softmax": (attention(weigh=lambda s, mask: softmax(s) * mask), "before the softmax"),
    "score times mask": (attention(weigh=lambda s, mask: softmax(s * mask)), "what is left of a forbidden score"),
    "penalty too small": (attention(weigh=lambda s, mask: softmax(s - 2 * ~mask)), "what is left of a forbidden score"),
    "one for a row of nothing": (attention(weigh=lambda s, mask: softmax(np.where(mask, s, -1e9))), "sees|nowhere"),
    "no maximum": (attention(weigh=lambda s, mask: divided(np.exp(s) * mask)), "NaN or infinity"),
    "over the queries": (attention(weigh=lambda s, mask: softmax(s.T, mask.T).T), "which axis did you normalise"),
    "not scaled": (attention(scores=lambda q, k: q @ k.T), "divided"),
    "mixes the keys": (attention(mix=lambda w, k, v: w @ k), "What|axis"),
    "mixes nothing": (attention(mix=lambda w, k, v: w @ (0 * v)), "What do they mix"),
    "one result": (lambda query, key, value, mask: package(query, key, value, mask)[0], "Expected two results"),
    "nothing": (lambda query, key, value, mask: None, "returned None"),
}


@NO_WARNING
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_masked_attention_meets_the_question_that_fits_it(name):
    answer, question = WRONG[name]
    with pytest.raises(checks.Wrong, match=question):
        checks.masked_attention(answer)


@NO_WARNING
def test_nan_in_a_row_that_sees_nothing_is_wrong():
    answer = attention(weigh=lambda s, mask: divided(np.exp(s - s.max(-1, keepdims=True)) * mask))
    with pytest.raises(checks.Wrong, match=r"NaN|nowhere"):
        checks.masked_attention(answer)


def test_only_the_right_test_is_accepted_for_the_bug():
    for named, reason in {
        "rows": "sum to 1",
        "shape": "every shape",
        "loss": "astonishingly",
        "speed": "none of",
    }.items():
        with pytest.raises(checks.Wrong, match=reason):
            checks.mended_mask(package, named)
    with pytest.raises(checks.NotAttempted, match="no test is named"):
        checks.mended_mask(package, ...)
    with pytest.raises(checks.Wrong, match="what does True mean"):
        checks.mended_mask(WRONG["opposite"][0], "change")


@pytest.mark.parametrize(
    "numbers", [(20, 15, 5), (20.0, np.int64(15), 5), (5 * 4, causal_mask(5).sum(), torch.tensor(5))]
)
def test_right_numbers_of_who_may_look_pass(numbers, capsys):
    checks.who_may_look(*numbers)
    assert capsys.readouterr().out.startswith("Right: ")


COUNTS = {
    (30, 15, 5): "Is a filled place a word",
    (25, 15, 5): "Who supplies the keys",
    (16, 15, 5): "Who asks",
    (24, 15, 5): "Who asks",
    (10, 15, 5): "whole before",
    (14, 15, 5): "whole before",
    (21, 15, 5): "How many ask",
    (20, 25, 5): "May word 1 look at word 2",
    (20, 20, 5): "everybody looks",
    (20, 10, 5): "on the diagonal",
    (20, 21, 5): "six words are written",
    (20, 14, 5): "how many word 2",
    (20, 15, 4): "from the second on",
    (20, 15, 3): "after the second",
    (20, 15, 1): "word 2 alone",
    (20, 15, 0): "nobody looks at the source",
    (20, 15, 6): "How many words are written",
    (20, 15, 2): "Which written words",
    (20, 15, "all"): "is no number",
}


@pytest.mark.parametrize("numbers", COUNTS)
def test_wrong_numbers_of_who_may_look_meet_the_question_that_fits_them(numbers):
    with pytest.raises(checks.Wrong, match=COUNTS[numbers]):
        checks.who_may_look(*numbers)


def test_the_untouched_stubs_are_not_attempted():
    def stub(*_):
        raise NotImplementedError

    for check in (checks.decoder_mask, checks.masked_attention):
        with pytest.raises(checks.NotAttempted, match="NotImplementedError"):
            check(stub)
    with pytest.raises(checks.NotAttempted, match="NotImplementedError"):
        checks.mended_mask(stub, ...)
    for numbers in ((..., ..., ...), (20, ..., ...), (20, 15, ...), (20, 15, None)):
        with pytest.raises(checks.NotAttempted, match="no number yet"):
            checks.who_may_look(*numbers)
