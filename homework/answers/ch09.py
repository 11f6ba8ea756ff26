"""Answers to the exercises of chapter 09."""

from math import log

import numpy as np
import torch

from attention_course import checks

from . import Exercise


def log_softmax(logits):
    shifted = logits - logits.max(-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))


def in_loops(logits, words, lengths):
    """The surprise of each word that is predicted, and their mean."""
    found = np.zeros((len(words), words.shape[1] - 1))
    for i, length in enumerate(lengths):
        for t in range(length - 1):
            row = logits[i, t] - logits[i, t].max()
            found[i, t] = np.log(np.exp(row).sum()) - row[words[i, t + 1]]
    return found, found.sum() / sum(lengths - 1)


def surprise(logits, words):
    return -np.take_along_axis(log_softmax(logits), words[..., None], -1)[..., 0]


def counts(lengths, places):
    return np.arange(places) < lengths[:, None]


def each(x, w, n):
    """The surprise of every predicted word, and 0 where there is padding."""
    return np.where(counts(n - 1, w.shape[1] - 1), surprise(x[:, :-1], w[:, 1:]), 0)


def arrays(x, w, n):
    return each(x, w, n).sum() / sum(n - 1)


def in_torch(logits, words, lengths):
    logits, words, lengths = map(torch.tensor, (logits, words, lengths))
    answers = words[:, 1:].masked_fill(torch.arange(words.shape[1] - 1) >= (lengths - 1)[:, None], -100)
    return torch.nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), answers.flatten())


RIGHT = {"loops": lambda *given: in_loops(*given)[1], "arrays": arrays, "torch": in_torch}


def take_mean(x, w, lengths):
    """The mean surprise over the first words of each sentence, as many as `lengths` says."""
    return surprise(x, w)[counts(lengths, w.shape[1])].mean()


def take_lengths(x, w, lengths):
    return take_mean(x[:, :-1], w[:, 1:], lengths)


def as_handed_out(logits, words, lengths):
    logp = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    logp = np.take_along_axis(logp, words[..., None], -1)[..., 0]
    return -logp[counts(lengths, words.shape[1])].mean()


def shift_alone(x, w, n):
    return as_handed_out(x[:, :-1], w[:, 1:], n - 1)


WRONG = {
    "not shifted": take_mean,
    "neither shifted nor masked": lambda x, w, n: surprise(x, w).mean(),
    "not masked": lambda x, w, n: surprise(x[:, :-1], w[:, 1:]).mean(),
    "one word too many": take_lengths,
    "one word too few": lambda x, w, n: take_lengths(x, w, n - 2),
    "shifted backwards": lambda x, w, n: take_mean(x[:, 1:], w[:, :-1], n - 1),
    "the sign": lambda x, w, n: -arrays(x, w, n),
    "words after the eighth ignored": lambda x, w, n: arrays(x[:, :8], w[:, :8], np.minimum(n, 8)),
    "the sum": lambda x, w, n: each(x, w, n).sum(),
    "mean of means": lambda x, w, n: (each(x, w, n).sum(1) / (n - 1)).mean(),
    "divided by all places": lambda x, w, n: each(x, w, n).sum() / w[:, 1:].size,
    "base two": lambda x, w, n: arrays(x, w, n) / log(2),
    "a loss for each sentence": lambda x, w, n: each(x, w, n).sum(1),
    "no maximum": shift_alone,
    "a little added to each probability": lambda x, w, n: (
        -np.log(np.exp(-surprise(x[:, :-1], w[:, 1:])) + 1e-9)[counts(n - 1, w.shape[1] - 1)].mean()
    ),
}
LOSS = Exercise(checks.next_token_loss, RIGHT, WRONG, results=1)


def with_each(loss, each=each):
    """An answer that returns both: what is predicted word by word, and a loss."""
    return lambda *given: (each(*given), loss(*given))


WRITE = Exercise(
    checks.next_token_loss,
    {"loops": in_loops, "arrays": with_each(arrays), "torch": with_each(in_torch)},
    {name: with_each(loss) for name, loss in WRONG.items()}
    | {
        "padding not set to 0": with_each(arrays, lambda x, w, n: surprise(x[:, :-1], w[:, 1:])),
        "the sign of each": with_each(arrays, lambda *given: -each(*given)),
        "base two for each": with_each(arrays, lambda *given: each(*given) / log(2)),
        "chances in place of surprises": with_each(arrays, lambda *given: np.exp(-each(*given))),
        "a column for the start": with_each(arrays, lambda *given: np.pad(each(*given), ((0, 0), (1, 0)))),
        "surprises of the words themselves": with_each(arrays, lambda x, w, n: each(x[:, 1:], w[:, 1:], n)),
    },
    results=2,
)

EXERCISES = {
    "ex09-loss": WRITE,
    "ex09-numbers": Exercise(
        checks.loss_numbers,
        formula=lambda vocabulary, lengths: (round(log(vocabulary), 2), sum(n - 1 for n in lengths)),
    ),
    "ex09-mend": Exercise(
        checks.mended_loss,
        RIGHT,
        {
            "as handed out": as_handed_out,
            "shifted, but exp overflows": shift_alone,
            "shifted, the mask left as it was": take_lengths,
            "only the words shifted": lambda x, w, n: surprise(x, w[:, 1:]).mean(),
        },
        like=LOSS,
    ),
}
