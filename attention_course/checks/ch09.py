"""Checks of chapter 09, where the meaning comes from."""

from math import log, log2, log10

import numpy as np

from ._ask import ask, ask_for_two, draw_from, draw_sizes, name_shapes
from ._compare import check_number, find_question, need_close, need_order, need_shape
from ._message import Part, Wrong, half, say_right

SIZES = [(3, 6, 5), (2, 4, 7), (4, 9, 3), (1, 4, 3), (11, 13, 12), (2, 5, 4)]  # sentences, places, words
START = "Which word has the model seen when it answers at position 0?"
WAY = "In which direction do you shift the text? Do you predict the next word, or the previous one?"
COUNT = "Your surprises are right. Which of them count in the first sentence, and how much does each count?"
SHIFT = "Which word is each prediction compared with, and which words has the model seen by then?"
BOTH = "Which predictions of the first sentence count, and which word is each compared with?"


def _surprise(logits, words):
    """Minus the logarithm of the probability of each word: (b, L)."""
    shifted = logits - logits.max(axis=-1, keepdims=True)
    logs = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return -np.take_along_axis(logs, words[..., None], axis=-1)[..., 0]


def _counted(lengths, places):
    return np.arange(places) < lengths[:, None]


def _losses(logits, words, lengths):
    """The right loss, and those that known mistakes give, with the question that leads from each."""
    shifted, predicted = _surprise(logits[:, :-1], words[:, 1:]), _counted(lengths - 1, words.shape[1] - 1)
    each = np.where(predicted, shifted, 0).sum(axis=1)
    by_sentence = (each / (lengths - 1)).mean()
    few, loss = _counted(lengths - 2, words.shape[1] - 1), shifted[predicted].mean()
    plain, back = _surprise(logits, words), _surprise(logits[:, 1:], words[:, :-1])
    return loss, (
        (plain.mean(), "Which word has the model seen at position 0? And what comes after the end of a sentence?"),
        *((wrong, START) for part in (plain, plain[:, 1:], plain[:, :-1]) for wrong in _count(part, lengths)),
        *((wrong, WAY) for wrong in _count(back, lengths)),
        (shifted.mean(), "Does the padding after the end of a sentence count?"),
        (shifted[_counted(lengths, words.shape[1] - 1)].mean(), "Does any word follow the last word of a sentence?"),
        (shifted[few].mean(), "How many words are there to predict in a sentence of length 5?"),
        (-loss, "Is a surprise positive or negative?"),
        (shifted[predicted].sum(), "Does the exercise ask for the mean, or for the sum?"),
        (by_sentence, "Every predicted word counts equally. Do the words of long sentences count equally in yours?"),
        (each.sum() / predicted.size, "How many words do you divide the sum by?"),
        (loss / log(2), "Which logarithm do you use?"),
    )


def _count(surprise, lengths):
    """Yield what may be made of surprises, of some words of each sentence or of all: their mean, sum, mean of means."""
    places = surprise.shape[1]
    for number in (lengths, lengths - 1, lengths - 2, np.full(len(lengths), places)):
        each = np.where(counted := _counted(number, places), surprise, 0).sum(axis=1)
        total, number = each.sum(), np.maximum(counted.sum(axis=1), 1)
        yield from (total / max(counted.sum(), 1), total, (each / number).mean(), total / surprise.size)


def next_token_loss(answer, seed=0):
    """Check a student's ``answer(logits, words, lengths) -> (surprise, loss)``, of each predicted word and their mean.

    The shapes are logits (b, L, C), words (b, L), lengths (b,) and surprise (b, L - 1), which is 0 in the padding;
    words and lengths are int.
    """
    for trial in _trials(seed):
        given, got = name_shapes(**trial), ask_for_two("(surprise, loss)", answer, **trial)
        shifted = _surprise(trial["logits"][:, :-1], trial["words"][:, 1:])
        expected = np.where(_counted(trial["lengths"] - 1, shifted.shape[1]), shifted, 0)
        need_order("(surprise, loss)", got, (expected, np.array(0.0)))
        question = "How many words of a sentence of length L are predicted?"
        need_shape("surprise", got[0], expected.shape, given, question)
        right = np.allclose(np.where(expected, got[0], 0), expected, rtol=1e-4, atol=1e-5)
        _need_loss(got[1], trial, COUNT if right else SHIFT)
        known = (
            (shifted, "Which number should stand where there is only padding?"),
            (-expected, "Is a surprise positive or negative?"),
            (expected / log(2), "Which logarithm do you use?"),
        )
        question = "The loss is right. Which surprise belongs to which word?"
        need_close("surprise", got[0], expected, question, known)
    message = "shift, mask and mean are correct for {number} batches, including one with huge logits."
    say_right(message, number=len(SIZES))


def _trials(seed):
    """Logits, words and lengths of awkward sizes, the last logits huge."""
    random = draw_from(seed)
    for (sentences, places, words), size in zip(draw_sizes(SIZES, seed), (1, 3, 2, 1, 2, 2000), strict=True):
        lengths = random.integers(2, places, size=sentences)
        lengths[-1], lengths[0] = 2, places  # one sentence is mostly padding, one fills its row
        logits = size * random.normal(size=(sentences, places, words))
        yield {"logits": logits, "words": random.integers(words, size=(sentences, places)), "lengths": lengths}


def _need_loss(got, trial, otherwise=BOTH):
    """Raise Wrong, with the question that leads to the mistake, unless got is the mean surprise."""
    (right, known), huge = _losses(**trial), np.abs(trial["logits"]).max() > 1000
    given, lengths = name_shapes(**trial), trial["lengths"].tolist()
    about = {"given": Part("{given}, lengths {lengths}", given=given, lengths=lengths)}
    if got.shape != ():
        seen = Part("With {given}, the loss has shape {shape}", **about, shape=got.shape)
        raise Wrong(seen, "one number", "What do you take the mean over?")
    about["loss"] = float(got)
    if not np.isfinite(got) and huge:
        seen = Part("With {given} and logits in the thousands, the loss is {loss}", **about)
        raise Wrong(seen, question="What does exp do to logits in the thousands?")
    if not np.isfinite(got):
        seen = Part("With {given}, the loss is {loss}", **about)
        raise Wrong(seen, question="What is the logarithm of 0, or of a negative number?")
    if not np.isclose(got, right, rtol=1e-4):
        if huge:
            otherwise = "Smaller logits come out right. How small can a probability get before your logarithm fails?"
        seen, right = Part("With {given}, the loss is {loss:.4f}", **about), Part("{loss:.4f}", loss=float(right))
        raise Wrong(seen, right, find_question(got, known, otherwise))


def loss_numbers(start, predicted, *, vocabulary=50257, lengths=(5, 3, 9)):
    """Check the loss before training, and how many words are predicted in a batch of sentences.

    The loss `start` is a float, to two decimals, and `predicted` an int. `vocabulary` is the number of tokens, int, and
    `lengths` a tuple of int, those of the sentences.
    """
    right, batch, words = log(vocabulary), len(lengths), sum(lengths)
    wrong = {"tokens": vocabulary, "base_2": log2(vocabulary), "base_10": log10(vocabulary), "negative": -right}
    check_number("loss_start", start, right, digits=2, given={"count": vocabulary}, **wrong, certain=0, share=1)
    wrong = {
        "first_too": words,
        "one_left_out": words - 1,
        "padding_and_start": batch * max(lengths),
        "padding": batch * (max(lengths) - 1),
        "two_left_out": words - 2 * batch,
        "one_word": batch,
    }
    fields = {"length": min(lengths), "one": min(lengths) - 1}
    check_number("loss_words", predicted, words - batch, given=fields, **wrong)
    say_right("the loss is ln C, and each sentence has one prediction fewer than words.")


def mended_loss(answer, copied, seed=0):
    """Check the mended loss of chapter 09, and what the wrong one gives a model that copies the word it was given.

    The `answer` is a function as for `next_token_loss`, but returns the loss alone. The float `copied`, to two
    decimals, is the wrong loss of a model that gives the word it has just read a probability of 0.9.
    """
    wrong = {
        "next_word": -log(0.1),
        "probability": 0.9,
        "base_2": -log2(0.9),
        "negative": log(0.9),
        "certain": 0,
        "uniform": log(43),
    }
    for trial in _trials(seed):
        _need_loss(ask(answer, **trial), trial)
    message = "shift, mask and mean are correct for {number} batches, including one with huge logits."
    say_right(message, number=len(SIZES))
    with half():
        check_number("mended_loss", copied, -log(0.9), digits=2, **wrong)
    say_right("the wrong loss rewards copying, and a value far below 1.797 gives it away.")
