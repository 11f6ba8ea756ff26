"""Checks of chapter 09, where the meaning comes from."""

from math import log

import numpy as np

from ._ask import ask, name_shapes
from ._compare import check_prediction, find_question
from ._message import Part, Wrong, half, say_right
from ._trials import draw_sizes

SIZES = [(3, 6, 5), (2, 4, 7), (4, 9, 3), (1, 4, 3), (11, 13, 12), (2, 5, 4)]  # sentences, places, words


def _log_softmax(logits):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def _surprise(logits, words):
    """Minus the logarithm of the probability of each word: (b, L)."""
    return -np.take_along_axis(_log_softmax(logits), words[..., None], axis=-1)[..., 0]


def _counted(lengths, places):
    return np.arange(places) < lengths[:, None]


def _right(logits, words, lengths):
    return _surprise(logits[:, :-1], words[:, 1:])[_counted(lengths - 1, words.shape[1] - 1)].mean()


def _known(logits, words, lengths):
    """Losses that known mistakes give, with the question that leads from each."""
    shifted, predicted = _surprise(logits[:, :-1], words[:, 1:]), _counted(lengths - 1, words.shape[1] - 1)
    each = np.where(predicted, shifted, 0).sum(axis=1)
    plain, few = _surprise(logits, words), _counted(lengths - 2, words.shape[1] - 1)
    seen = _counted(lengths, words.shape[1])
    back = _surprise(logits[:, 1:], words[:, :-1])
    return (
        (plain[seen].mean(), "Which word has the model seen when it answers at position 0?"),
        (plain.mean(), "Which word has the model seen at position 0? And what comes after the end of a sentence?"),
        (shifted.mean(), "Does the padding after the end of a sentence count?"),
        (shifted[_counted(lengths, words.shape[1] - 1)].mean(), "Does any word follow the last word of a sentence?"),
        (shifted[few].mean(), "How many words are there to predict in a sentence of length 5?"),
        (
            back[predicted].mean(),
            "In which direction do you shift the text? Do you predict the next word, or the previous one?",
        ),
        (-shifted[predicted].mean(), "Is a surprise positive or negative?"),
        (shifted[predicted].sum(), "Does the exercise ask for the mean, or for the sum?"),
        (
            (each / (lengths - 1)).mean(),
            "Every predicted word counts equally. Do the words of long sentences count equally in yours?",
        ),
        (each.sum() / predicted.size, "How many words do you divide the sum by?"),
        (shifted[predicted].mean() / log(2), "Which logarithm do you use?"),
    )


def next_token_loss(answer, seed=0):
    """Check a student's ``answer(logits, words, lengths) -> number``, the mean surprise over the predicted words.

    Parameters
    ----------
    answer : function of logits (b, L, C), words (b, L) int, lengths (b,) int
    """
    random = np.random.default_rng(seed)
    for (sentences, places, words), size in zip(draw_sizes(SIZES, seed), (1, 3, 2, 1, 2, 2000), strict=True):
        lengths = random.integers(2, places, size=sentences)
        lengths[-1], lengths[0] = 2, places  # one sentence is mostly padding, one fills its row
        logits = size * random.normal(size=(sentences, places, words))
        trial = {"logits": logits, "words": random.integers(words, size=(sentences, places)), "lengths": lengths}
        _need_loss(ask(answer, **trial), trial, huge=size > 1000)
    say_right(
        "shift, mask and mean are correct for {number} batches, including one with huge logits.", number=len(SIZES)
    )


def _need_loss(got, trial, huge):
    right, lengths = _right(**trial), trial["lengths"].tolist()
    about = {"given": Part("{given}, lengths {lengths}", given=name_shapes(**trial), lengths=lengths)}
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
        otherwise = "Which words of the first sentence count, and how much does each count?"
        if huge:
            otherwise = "Smaller logits come out right. How small can a probability get before your logarithm fails?"
        question = find_question(got, _known(**trial), otherwise)
        seen = Part("With {given}, the loss is {loss:.4f}", **about)
        raise Wrong(seen, Part("{loss:.4f}", loss=float(right)), question)


def loss_numbers(start, predicted, *, vocabulary=50257, lengths=(5, 3, 9)):
    """Check the loss before training, and how many words are predicted in a batch of sentences.

    Parameters
    ----------
    start : float, two decimals
    predicted : int
    vocabulary : int, the number of tokens
    lengths : tuple of int, of the sentences
    """
    right, batch, words = log(vocabulary), len(lengths), sum(lengths)
    starts = {
        vocabulary: (
            "use the number of tokens as the loss",
            Part("What is the surprise at 1/{count}?", count=vocabulary),
        ),
        right / log(2): ("use the logarithm to base 2", "Which base does cross-entropy use here?"),
        right / log(10): ("use the logarithm to base 10", "Which base does cross-entropy use here?"),
        -right: ("make the surprise negative", "What is −ln of a number below 1?"),
        0: (
            "take the right word to be certain, or its probability to be the loss",
            "What is −ln of a very small probability?",
        ),
        1: ("take the loss for a share", "The loss is minus the logarithm of a probability. Which one?"),
    }
    check_prediction(start, right, starts, "What probability does each token have, and what is its surprise?", digits=2)
    counts = {
        words: ("predict the first position of each sentence as well", "What would you predict it from?"),
        words - 1: ("leave out only one position", "How many sentences are there?"),
        batch * max(lengths): ("count the padding and START", "How many words does the shortest sentence have?"),
        batch * (max(lengths) - 1): ("count the padding", "How many words does the shortest sentence have?"),
        words - 2 * batch: ("leave out two words of each sentence", "Which two?"),
        batch: ("predict one word of each sentence", "Does only the last position have a next word?"),
    }
    hint = Part("How many words are predicted in a sentence of {length}?", length=min(lengths))
    check_prediction(predicted, words - batch, counts, hint)
    say_right("the loss is ln C, and each sentence has one prediction fewer than words.")


def mended_loss(answer, copied, seed=0):
    """Check the mended loss of chapter 09, and what the wrong one gives a model that copies the word it was given.

    Parameters
    ----------
    answer : function as for `next_token_loss`
    copied : float, two decimals: the wrong loss of a model that gives the word it has just read a probability of 0.9
    """
    reasons = {
        -log(0.1): (
            "give the next word all of the other 0.1",
            "Which word does the wrong function compare the prediction with?",
        ),
        0.9: ("use the probability as the loss", "What is minus its logarithm?"),
        -log(0.9) / log(2): ("use the logarithm to base 2", "Which base does cross-entropy use here?"),
        log(0.9): ("make the surprise negative", "What is −ln of a number below 1?"),
        0: ("take the copied word to be certain", "What is −ln of 0.9?"),
        log(43): ("take all 43 words to be equally likely", "What is the probability of the word it has just read?"),
    }
    next_token_loss(answer, seed)
    with half():
        check_prediction(copied, -log(0.9), reasons, "Which word is the answer, and what is its probability?", digits=2)
    say_right("the wrong loss rewards copying, and a value far below 1.797 gives it away.")
