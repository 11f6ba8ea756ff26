"""Answers to the exercises of chapter 09."""

from math import log

import numpy as np
import torch

from attention_course import checks

from . import Exercise


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


def in_place(x, w, n):
    x -= x.max(-1, keepdims=True)
    return arrays(x, w, n)


RIGHT = {"loops": loops, "arrays": arrays, "torch": in_torch, "writes into the logits": in_place}


def surprise(logits, words):
    return -np.take_along_axis(log_softmax(logits), words[..., None], -1)[..., 0]


def counts(lengths, places):
    return np.arange(places) < lengths[:, None]


def take_lengths(x, w, lengths):
    """The mean surprise over the words to predict of sentences that are said to have so many of them."""
    return surprise(x[:, :-1], w[:, 1:])[counts(lengths, w.shape[1] - 1)].mean()


def sum_each(x, w, n):
    return np.where(counts(n - 1, w.shape[1] - 1), surprise(x[:, :-1], w[:, 1:]), 0).sum(1)


def overflow(x, w, n):
    p = np.exp(x[:, :-1]) / np.exp(x[:, :-1]).sum(-1, keepdims=True)
    return -np.log(np.take_along_axis(p, w[:, 1:, None], -1)[..., 0])[counts(n - 1, w.shape[1] - 1)].mean()


def as_handed_out(logits, words, lengths):
    logp = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    logp = np.take_along_axis(logp, words[..., None], -1)[..., 0]
    return -logp[counts(lengths, words.shape[1])].mean()


def shift_alone(x, w, n):
    logp = x[:, :-1] - np.log(np.exp(x[:, :-1]).sum(-1, keepdims=True))
    return -np.take_along_axis(logp, w[:, 1:, None], -1)[..., 0][counts(n - 1, w.shape[1] - 1)].mean()


WRONG = {
    "not shifted": (lambda x, w, n: surprise(x, w)[counts(n, w.shape[1])].mean(), "seen when it answers at position 0"),
    "neither shifted nor masked": (lambda x, w, n: surprise(x, w).mean(), "And what comes after"),
    "not masked": (lambda x, w, n: surprise(x[:, :-1], w[:, 1:]).mean(), "Does the padding"),
    "one word too many": (lambda x, w, n: take_lengths(x, w, n), "word of a sentence"),
    "one word too few": (lambda x, w, n: take_lengths(x, w, n - 2), "sentence of length 5"),
    "shifted backwards": (
        lambda x, w, n: surprise(x[:, 1:], w[:, :-1])[counts(n - 1, w.shape[1] - 1)].mean(),
        "In which direction",
    ),
    "the sign": (lambda x, w, n: -arrays(x, w, n), "positive or negative"),
    "words after the eighth ignored": (
        lambda x, w, n: arrays(x[:, :8], w[:, :8], np.minimum(n, 8)),
        "words of the first sentence",
    ),
    "the sum": (lambda x, w, n: sum_each(x, w, n).sum(), "or the sum"),
    "mean of means": (lambda x, w, n: (sum_each(x, w, n) / (n - 1)).mean(), "equally in yours"),
    "divided by all places": (lambda x, w, n: sum_each(x, w, n).sum() / w[:, 1:].size, "divide the sum by"),
    "base two": (lambda x, w, n: arrays(x, w, n) / log(2), "Which logarithm"),
    "half": (lambda x, w, n: arrays(x, w, n) / 2, "words of the first sentence"),
    "a loss for each sentence": (sum_each, "take the mean over"),
    "no maximum": (overflow, "What does exp do to logits"),
    "a little added to each probability": (
        lambda x, w, n: -np.log(np.exp(-surprise(x[:, :-1], w[:, 1:])) + 1e-9)[counts(n - 1, w.shape[1] - 1)].mean(),
        "your logarithm fails",
    ),
}
START = log(50257)
WRITE = Exercise(checks.next_token_loss, "S001-20 S001-21", RIGHT, WRONG, results=1)

EXERCISES = {
    "ex09-loss": WRITE,
    "ex09-numbers": Exercise(
        checks.loss_numbers,
        "S001-21",
        {"two decimals": (10.82, 14), "all decimals": (START, 14.0), "torch": (torch.tensor(50257.0).log(), 14)},
        {
            "the number of tokens": ((50257, 14), "number of tokens"),
            "the probability": ((1 / 50257, 14), "take the right word"),
            "0": ((0, 14), "take the right word"),
            "1": ((1, 14), "take the loss for a share"),
            "base 2": ((log(50257, 2), 14), "base 2"),
            "base 10": ((log(50257, 10), 14), "base 10"),
            "negative": ((-START, 14), "negative"),
            "5": ((5, 14), "what is its surprise"),
            "17 words": ((START, 17), "you predict it from"),
            "16 words": ((START, 16), "How many sentences"),
            "27 words": ((START, 27), "count the padding and START"),
            "24 words": ((START, 24), "count the padding"),
            "11 words": ((START, 11), "Which two"),
            "3 words": ((START, 3), "one word of each"),
            "5 words": ((START, 5), "in a sentence of 3"),
        },
        formula=lambda vocabulary, lengths: (round(log(vocabulary), 2), sum(n - 1 for n in lengths)),
    ),
    "ex09-mend": Exercise(
        checks.mended_loss,
        "S001-21",
        RIGHT,
        {
            "as handed out": (as_handed_out, "seen when it answers at position 0"),
            "shifted, but exp overflows": (shift_alone, "What does exp do to logits"),
            "shifted, the mask left as it was": (lambda x, w, n: take_lengths(x, w, n), "word of a sentence"),
            "only the words shifted": (lambda x, w, n: surprise(x, w[:, 1:]).mean(), {"error": "IndexError"}),
            "−ln of what is left": ((arrays, -log(0.1)), "the prediction with"),
            "the probability": ((arrays, 0.9), "minus its logarithm"),
            "base 2": ((arrays, 0.15), "base 2"),
            "negative": ((arrays, log(0.9)), "negative"),
            "0": ((arrays, 0), "take the copied word"),
            "ln 43": ((arrays, 3.76), "be equally likely"),
            "1.8": ((arrays, 1.797), "Which word is the answer"),
        },
        named=0.11,
        like=WRITE,
    ),
}
