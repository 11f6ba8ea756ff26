"""Checks of chapter 04: right answers of every kind pass, each wrong one meets the question that fits it."""

import re

import numpy as np
import pytest
import torch

from attention_src import checks, scaled_dot_product_attention, softmax


def plain(X, W_q, W_k, W_v):
    weights = softmax((X @ W_q) @ (X @ W_k).T / np.sqrt(W_k.shape[1]))
    return weights @ (X @ W_v), weights


def from_the_package(X, W_q, W_k, W_v):
    return scaled_dot_product_attention(X @ W_q, X @ W_k, X @ W_v)


def loops(X, W_q, W_k, W_v):
    weights = np.empty((len(X), len(X)))
    for i, x in enumerate(X):
        scores = np.array([(x @ W_q) @ (y @ W_k) for y in X]) / W_q.shape[1] ** 0.5
        raised = np.exp(scores - scores.max())
        weights[i] = raised / raised.sum()
    return np.array([sum(w * (x @ W_v) for w, x in zip(row, X, strict=True)) for row in weights]), weights


def in_torch(X, W_q, W_k, W_v):
    X, W_q, W_k, W_v = map(torch.tensor, (X, W_q, W_k, W_v))
    weights = torch.softmax(X @ (W_q @ W_k.T) @ X.T / W_k.shape[-1] ** 0.5, dim=-1)
    return weights @ X @ W_v, weights


@pytest.mark.parametrize("answer", [plain, from_the_package, loops, in_torch])
@pytest.mark.parametrize("check", [checks.head, checks.mended_head])
@pytest.mark.parametrize("seed", [0, 17])
def test_a_right_head_passes(check, answer, seed, capsys):
    check(answer, seed)
    assert capsys.readouterr().out.startswith("Right: ")


def head(score=None, weigh=softmax, mix=None):
    """A head with one part exchanged."""

    def answer(X, W_q, W_k, W_v):
        Q, K, V = X @ W_q, X @ W_k, X @ W_v
        scores = score(Q, K, X) if score else Q @ K.T / np.sqrt(K.shape[1])
        weights = weigh(scores)
        return (mix(weights, X, K, V) if mix else weights @ V), weights

    return answer


def naive(scores):
    raised = np.exp(scores)
    return raised / raised.sum(axis=-1, keepdims=True)


WRONG = {
    "scaled by d_model": (head(lambda Q, K, X: Q @ K.T / np.sqrt(X.shape[1])), "How many terms has one score?"),
    "not scaled": (head(lambda Q, K, X: Q @ K.T), "between the scores and the softmax"),
    "scaled by d_k": (head(lambda Q, K, X: Q @ K.T / K.shape[1]), "Is it d_k"),
    "queries and keys exchanged": (head(lambda Q, K, X: K @ Q.T / np.sqrt(K.shape[1])), "who asks in row 1"),
    "queries with queries": (head(lambda Q, K, X: Q @ Q.T / np.sqrt(K.shape[1])), "Are there keys"),
    "keys with keys": (head(lambda Q, K, X: K @ K.T / np.sqrt(K.shape[1])), "Are there queries"),
    "softmax over the queries": (head(weigh=lambda s: softmax(s.T).T), "which axis did you normalise"),
    "no softmax": (head(weigh=lambda s: s / s.sum()), "sums to"),
    "exp overflows": (head(weigh=naive), "NaN or infinity"),
    "mixes the keys": (head(mix=lambda w, X, K, V: w @ K), "What do they mix"),
    "mixes the tokens": (head(mix=lambda w, X, K, V: w @ X), "What do they mix"),
    "mixes with the columns": (head(mix=lambda w, X, K, V: w.T @ V), "What do they mix"),
    "only the output": (lambda X, W_q, W_k, W_v: plain(X, W_q, W_k, W_v)[0], "Expected two results"),
    "nothing": (lambda X, W_q, W_k, W_v: None, "returned None"),
    "an error": (lambda X, W_q, W_k, W_v: X @ W_q.T, "raised ValueError"),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_wrong_head_meets_the_question_that_fits_it(name):
    answer, question = WRONG[name]
    with pytest.raises(checks.Wrong, match=re.escape(question)):
        checks.head(answer)


def test_a_head_that_writes_into_its_input_is_told_so():
    def answer(X, W_q, W_k, W_v):
        W_k /= np.sqrt(W_k.shape[1])
        return plain(X, W_q, W_k, W_v)

    with pytest.raises(checks.Wrong, match="changed its argument W_k"):
        checks.head(answer)


def test_the_untouched_stubs_are_not_attempted():
    def stub(X, W_q, W_k, W_v):
        raise NotImplementedError

    for check in (checks.head, checks.mended_head):
        with pytest.raises(checks.NotAttempted, match="NotImplementedError"):
            check(stub)
    with pytest.raises(checks.NotAttempted):
        checks.numbers_and_rank(..., ...)
    with pytest.raises(checks.NotAttempted):
        checks.numbers_and_rank(3600, ...)


def test_the_right_numbers_pass(capsys):
    checks.numbers_and_rank(3600, 8)
    checks.numbers_and_rank(3600.0, np.int64(8))
    assert capsys.readouterr().out.count("Right: ") == 2


@pytest.mark.parametrize(
    ("numbers", "rank", "question"),
    [
        (1600, 8, "W_v is left out"),
        (2400, 8, "as long as a key"),
        (6000, 8, "as long as values"),
        (2800, 8, "How many matrices"),
        (30000, 8, "How many columns"),
        (1800, 8, "grow with the tokens"),
        (123, 8, "123"),
        ("many", 8, "no number"),
        (3600, 50, "Through how many numbers"),
        (3600, 100, "shapes of its two factors"),
        (3600, 20, "Which two matrices"),
        (3600, 64, "multiply"),
        (3600, 16, "add up"),
        (3600, 9, "9"),
    ],
)
def test_a_wrong_number_is_told_what_it_forgets(numbers, rank, question):
    with pytest.raises(checks.Wrong, match=question):
        checks.numbers_and_rank(numbers, rank)
