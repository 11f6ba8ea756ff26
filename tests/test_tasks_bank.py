"""Sentences about a *bank* or a *deposit*: that the answers are right, and none repeats."""

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
