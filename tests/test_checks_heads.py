"""Checks of chapter 06: right answers of every kind pass, each wrong one meets the question that fits it."""

import re

import numpy as np
import pytest
import torch

from attention_src import checks, scaled_dot_product_attention, softmax


def cut(a, num_heads):
    return a.reshape(len(a), num_heads, -1).swapaxes(0, 1)


def plain(X, W_q, W_k, W_v, W_o, num_heads):
    q, k, v = (cut(X @ W, num_heads) for W in (W_q, W_k, W_v))
    weights = softmax(q @ k.swapaxes(1, 2) / np.sqrt(q.shape[-1]))
    return (weights @ v).swapaxes(0, 1).reshape(len(X), -1) @ W_o, weights


def loop(X, W_q, W_k, W_v, W_o, num_heads):
    parts = [np.split(W, num_heads, axis=1) for W in (W_q, W_k, W_v)]
    heads = [scaled_dot_product_attention(X @ a, X @ b, X @ c) for a, b, c in zip(*parts, strict=True)]
    return np.hstack([mixed for mixed, _ in heads]) @ W_o, np.stack([weights for _, weights in heads])


def einsum(X, W_q, W_k, W_v, W_o, num_heads):
    d_k = X.shape[1] // num_heads
    q, k, v = (np.einsum("nd,dhk->hnk", X, W.reshape(X.shape[1], num_heads, d_k)) for W in (W_q, W_k, W_v))
    weights = softmax(np.einsum("hnk,hmk->hnm", q, k) / d_k**0.5)
    return np.einsum("hnm,hmk,hko->no", weights, v, W_o.reshape(num_heads, d_k, -1)), weights


def in_torch(X, W_q, W_k, W_v, W_o, num_heads):
    X, W_q, W_k, W_v, W_o = map(torch.tensor, (X, W_q, W_k, W_v, W_o))
    q, k, v = ((X @ W).unflatten(1, (num_heads, -1)).transpose(0, 1) for W in (W_q, W_k, W_v))
    weights = torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, dim=-1)
    return (weights @ v).transpose(0, 1).flatten(1) @ W_o, weights


@pytest.mark.parametrize("answer", [plain, loop, einsum, in_torch])
@pytest.mark.parametrize("seed", [0, 9])
def test_a_right_layer_passes(answer, seed, capsys):
    checks.multi_head(answer, seed)
    assert capsys.readouterr().out.startswith("Right: ")


def layer(split=cut, score=None, weigh=softmax, join=None):
    """Multi-head attention with one part exchanged."""

    def answer(X, W_q, W_k, W_v, W_o, num_heads):
        q, k, v = (split(X @ W, num_heads) for W in (W_q, W_k, W_v))
        weights = weigh(score(q, k, X) if score else q @ k.swapaxes(1, 2) / np.sqrt(q.shape[-1]))
        mixed = weights @ v
        return (join(mixed, W_o) if join else mixed.swapaxes(0, 1).reshape(len(X), -1) @ W_o), weights

    return answer


def naive(scores):
    raised = np.exp(scores)
    return raised / raised.sum(-1, keepdims=True)


def one_big_head(X, W_q, W_k, W_v, W_o, num_heads):
    mixed, weights = scaled_dot_product_attention(X @ W_q, X @ W_k, X @ W_v)
    return mixed @ W_o, np.stack([weights] * num_heads)


WRONG = {
    "view": (layer(split=lambda a, h: a.reshape(h, len(a), -1)), "labelled numbers"),
    "columns interleaved": (
        layer(split=lambda a, h: a.reshape(len(a), -1, h).transpose(2, 0, 1)),
        "columns has head 1",
    ),
    "scaled by d_model": (
        layer(score=lambda q, k, X: q @ k.swapaxes(1, 2) / X.shape[1] ** 0.5),
        "length is under the root",
    ),
    "not scaled": (layer(score=lambda q, k, X: q @ k.swapaxes(1, 2)), "between the scores and the softmax"),
    "keys ask": (layer(score=lambda q, k, X: k @ q.swapaxes(1, 2) / q.shape[-1] ** 0.5), "Who asks"),
    "softmax over queries": (layer(weigh=lambda s: softmax(s.swapaxes(1, 2)).swapaxes(1, 2)), "which axis"),
    "softmax over heads": (layer(weigh=lambda s: softmax(s.T).T), "divided|axis|sums"),
    "overflow": (layer(weigh=naive), "NaN or infinity"),
    "W_o forgotten": (layer(join=lambda m, W_o: m.swapaxes(0, 1).reshape(m.shape[1], -1)), "What comes after that"),
    "joined without swap": (
        layer(join=lambda m, W_o: m.reshape(m.shape[1], -1) @ W_o),
        "axes when the heads are joined",
    ),
    "joined number by number": (
        layer(join=lambda m, W_o: m.transpose(1, 2, 0).reshape(m.shape[1], -1) @ W_o),
        "heads of one",
    ),
    "W_o from the other side": (layer(join=lambda m, W: m.swapaxes(0, 1).reshape(m.shape[1], -1) @ W.T), "which side"),
    "one big head": (one_big_head, "first head alone|under the root"),
    "mean of weights": (lambda *given: (plain(*given)[0], plain(*given)[1].mean(0)), "has shape"),
    "one result": (lambda *given: plain(*given)[0], "Expected two results"),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_layer_meets_the_question_that_fits_it(name):
    answer, question = WRONG[name]
    with pytest.raises(checks.Wrong, match=question):
        checks.multi_head(answer)


@pytest.mark.parametrize(
    "answer",
    [
        cut,
        lambda a, h: a.reshape(len(a), h, -1).transpose(1, 0, 2),
        lambda a, h: np.stack(np.split(a, h, axis=1)),
        lambda a, h: torch.tensor(a).unflatten(1, (h, -1)).transpose(0, 1),
    ],
)
def test_a_right_split_passes(answer, capsys):
    checks.split_heads(answer, "order")
    assert capsys.readouterr().out.startswith("Right: ")


@pytest.mark.parametrize(
    ("answer", "named", "question"),
    [
        (lambda a, h: a.reshape(h, len(a), -1), "order", "row 2 of head 1 still holds numbers of token 1"),
        (lambda a, h: a.reshape(len(a), h, -1), "order", "has shape"),
        (lambda a, h: cut(a, h)[::-1], "order", "first columns"),
        (lambda a, h: a.reshape(len(a), -1, h).transpose(2, 0, 1), "order", "first columns"),
        (lambda a, h: cut(a[::-1], h), "order", "first columns"),
        (cut, "shape", "right shape"),
        (cut, "rows", "sums to 1"),
        (cut, "count", "no parameter"),
        (cut, "speed", "none of the four"),
    ],
)
def test_a_wrong_split_or_test_meets_its_question(answer, named, question):
    with pytest.raises(checks.Wrong, match=re.escape(question)):
        checks.split_heads(answer, named)


@pytest.mark.parametrize(
    ("numbers", "question"),
    [
        ((768, 2362368, 120000), "as wide as a token"),
        ((12, 2362368, 120000), "number of heads"),
        ((65, 2362368, 120000), "shared out"),
        ((64, 4 * 768**2, 120000), "biases are left out"),
        ((64, 3 * 768**2 + 3 * 768, 120000), "W_o for"),
        ((64, 3 * 768**2, 120000), "W_o and the biases"),
        ((64, 12 * 2362368, 120000), "depend on heads"),
        ((64, 1, 120000), "shapes"),
        ((64, 2362368, 10000), "share one table"),
        ((64, 2362368, 1200), "each token compute"),
        ((64, 2362368, 5), "how many are there"),
    ],
)
def test_a_wrong_number_is_told_what_it_forgets(numbers, question):
    with pytest.raises(checks.Wrong, match=re.escape(question)):
        checks.layer_numbers(*numbers)


def test_the_right_numbers_pass_and_the_stubs_are_not_attempted(capsys):
    checks.layer_numbers(64, 2362368, 120000)
    assert capsys.readouterr().out.startswith("Right: ")

    def stub(*_):
        raise NotImplementedError

    with pytest.raises(checks.NotAttempted):
        checks.multi_head(stub)
    with pytest.raises(checks.NotAttempted):
        checks.split_heads(stub, ...)
    with pytest.raises(checks.NotAttempted, match="no test is named"):
        checks.split_heads(cut, ...)
    with pytest.raises(checks.NotAttempted):
        checks.layer_numbers(64, ..., ...)
