"""Sentences about a *bank* or a *deposit*: that the answers are right, and what votes can know of them."""

import numpy as np

from attention_course.tasks import BANK_WORDS, bank_examples

WATER = {"river", "lake", "sailor", "fisher", "boat", "swam"}


def test_the_place_decides_for_a_bank_and_the_person_for_a_deposit():
    for part in bank_examples(120, 72):
        for words, decides, answer in zip(*part, strict=True):
            asker, place, person, *_ = (BANK_WORDS[word] for word in words)
            decider = place if asker == "bank" else person
            assert BANK_WORDS[words[decides]] == decider
            assert answer == (1 if decider in WATER else -1)


def test_no_set_of_words_comes_twice_and_the_known_sentence_opens_the_test():
    train, test = bank_examples(100, 92, seed=3)
    both = np.concatenate([train.words, test.words])
    assert len({tuple(sorted(words)) for words in both}) == len(both) == 192
    assert " ".join(BANK_WORDS[word] for word in test.words[0]) == "bank river broker rich paid"


def count_right_votes(votes, examples):
    """The share of sentences whose meaning the sum of the votes of their words tells."""
    return (np.sign(votes[..., examples.words].sum(axis=-1)) == examples.answers).mean(axis=-1)


def test_the_best_votes_tell_seven_sentences_of_eight_and_no_others_that_we_drew_tell_more():
    _, every = bank_examples(0, 192)
    by_hand = np.array([0, -2, 2, 2, -2, -2, 1, 1, -1, -1, 0, 0, 0, 0])
    assert count_right_votes(by_hand, every) == 7 / 8
    random = np.random.default_rng(0)
    near = by_hand + random.normal(0, 1, size=(2000, 14))
    far = random.normal(size=(2000, 14)) * random.lognormal(size=(2000, 14))
    assert max(count_right_votes(near, every).max(), count_right_votes(far, every).max()) <= 7 / 8
