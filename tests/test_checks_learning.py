"""Checks of chapter 09: right answers of every kind pass, each wrong one meets the question that fits it."""

import re
from math import log

import numpy as np
import pytest
import torch

from attention_src import checks


def log_softmax(logits):
    shifted = logits - logits.max(-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))


def loops(logits, words, lengths):
    surprises = []
    for i, length in enumerate(lengths):
        for t in range(length - 1):
            row = logits[i, t] - logits[i, t].max()
            surprises.append(np.log(np.exp(row).sum()) - row[words[i, t + 1]])
    return np.mean(surprises)


def arrays(logits, words, lengths):
    logp = np.take_along_axis(log_softmax(logits[:, :-1]), words[:, 1:, None], -1)[..., 0]
    counts = np.arange(words.shape[1] - 1) < (lengths - 1)[:, None]
    return -(logp * counts).sum() / counts.sum()


def in_torch(logits, words, lengths):
    logits, words, lengths = map(torch.tensor, (logits, words, lengths))
    answers = words[:, 1:].masked_fill(torch.arange(words.shape[1] - 1) >= (lengths - 1)[:, None], -100)
    return torch.nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), answers.flatten())


@pytest.mark.parametrize("answer", [loops, arrays, in_torch])
@pytest.mark.parametrize("seed", [0, 6])
def test_a_right_loss_passes(answer, seed, capsys):
    checks.next_token_loss(answer, seed)
    checks.mended_loss(answer, "low", seed)
    assert capsys.readouterr().out.count("Right: ") == 3


def surprise(logits, words):
    return -np.take_along_axis(log_softmax(logits), words[..., None], -1)[..., 0]


def counted(lengths, places):
    return np.arange(places) < lengths[:, None]


def each(x, w, n):
    return np.where(counted(n - 1, w.shape[1] - 1), surprise(x[:, :-1], w[:, 1:]), 0).sum(1)


def naive(x, w, n):
    with np.errstate(all="ignore"):
        p = np.exp(x[:, :-1]) / np.exp(x[:, :-1]).sum(-1, keepdims=True)
        return -np.log(np.take_along_axis(p, w[:, 1:, None], -1)[..., 0])[counted(n - 1, w.shape[1] - 1)].mean()


WRONG = {
    "no shift": (lambda x, w, n: surprise(x, w)[counted(n, w.shape[1])].mean(), "seen when it answers at place 0"),
    "no shift, no mask": (lambda x, w, n: surprise(x, w).mean(), "what lies behind the end"),
    "no mask": (lambda x, w, n: surprise(x[:, :-1], w[:, 1:]).mean(), "Does the filling"),
    "one too many": (
        lambda x, w, n: surprise(x[:, :-1], w[:, 1:])[counted(n, w.shape[1] - 1)].mean(),
        "followed by a word",
    ),
    "one too few": (
        lambda x, w, n: surprise(x[:, :-1], w[:, 1:])[counted(n - 2, w.shape[1] - 1)].mean(),
        "how many words to foretell",
    ),
    "backwards": (
        lambda x, w, n: surprise(x[:, 1:], w[:, :-1])[counted(n - 1, w.shape[1] - 1)].mean(),
        "In which direction",
    ),
    "sign": (lambda x, w, n: -arrays(x, w, n), "positive or negative"),
    "sum": (lambda x, w, n: each(x, w, n).sum(), "or the sum"),
    "mean of means": (lambda x, w, n: (each(x, w, n) / (n - 1)).mean(), "counts alike"),
    "divided by all places": (lambda x, w, n: each(x, w, n).sum() / w[:, 1:].size, "By how many words"),
    "base two": (lambda x, w, n: arrays(x, w, n) / log(2), "Which logarithm"),
    "half": (lambda x, w, n: arrays(x, w, n) / 2, "Do one sentence by hand"),
    "a loss for each sentence": (each, "has shape"),
    "overflow": (naive, "in the thousands"),
    "nothing": (lambda x, w, n: None, "returned None"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_loss_meets_the_question_that_fits_it(name):
    answer, question = WRONG[name]
    with pytest.raises(checks.Wrong, match=re.escape(question)):
        checks.next_token_loss(answer)


@pytest.mark.parametrize(
    ("start", "foretold", "question"),
    [
        (50257, 14, "number of tokens"),
        (log(50257, 2), 14, "base 2"),
        (log(50257, 10), 14, "base 10"),
        (-log(50257), 14, "negative"),
        (0, 14, "knows everything|probability is the loss"),
        (5, 14, "what is its surprise"),
        (log(50257), 17, "From what"),
        (log(50257), 16, "How many sentences"),
        (log(50257), 27, "filling"),
        (log(50257), 24, "filling"),
        (log(50257), 5, "sentence of three"),
    ],
)
def test_a_wrong_number_is_told_what_it_forgets(start, foretold, question):
    with pytest.raises(checks.Wrong, match=question):
        checks.loss_numbers(start, foretold)


def test_only_the_right_sign_is_accepted_for_the_bug():
    for named, reason in {"shape": "every shape", "start": "ln C", "rows": "sum to 1", "time": "none of"}.items():
        with pytest.raises(checks.Wrong, match=reason):
            checks.mended_loss(loops, named)
    with pytest.raises(checks.Wrong, match="place 0"):
        checks.mended_loss(WRONG["no shift"][0], "low")


def test_the_right_numbers_pass_and_the_stubs_are_not_attempted(capsys):
    checks.loss_numbers(10.82, 14)
    assert capsys.readouterr().out.startswith("Right: ")

    def stub(*_):
        raise NotImplementedError

    for attempt in (
        (checks.next_token_loss, stub),
        (checks.mended_loss, loops, ...),
        (checks.loss_numbers, 10.82, ...),
    ):
        with pytest.raises(checks.NotAttempted):
            attempt[0](*attempt[1:])
