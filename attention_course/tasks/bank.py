"""Sentences in which *bank* goes by the place and *deposit* by the person, whatever the other words say.

By a *river*, a *bank* is an edge of water, and in a *city* it holds money. A *deposit* is sand if a *sailor* finds it,
and money if a *clerk* does. Each sentence has one of these two words, a place, a person and two other words, so no word
means the same to both, and a fixed vote of the words cannot tell.
"""

from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from .sampling import check_counts, split

ASKERS = ("bank", "deposit")
PLACES = ("river", "lake", "city", "market")
PEOPLE = ("sailor", "fisher", "broker", "clerk")
OTHERS = ("boat", "swam", "rich", "paid")
#: All fourteen words. The first two of each four are about water, the other two about money.
BANK_WORDS = ASKERS + PLACES + PEOPLE + OTHERS


class Askings(NamedTuple):
    """Sentences of five words; every array has a row for each sentence.

    Attributes
    ----------
    words : (num, 5) int, numbers into `BANK_WORDS`: *bank* or *deposit*, a place, a person and two others
    decides : (num,) int, at which place the word stands that decides the meaning, 1 or 2
    answers : (num,) int, what *bank* or *deposit* means: 1 for water, −1 for money
    """

    words: np.ndarray
    decides: np.ndarray
    answers: np.ndarray


def bank_examples(num_train, num_test, seed=0):
    """Draw different sentences about a *bank* or a *deposit*, and what it means in each of them.

    Return train and test, both Askings, of `num_train` and `num_test` sentences; the counts and `seed` are int. No
    sentence is in both, and the first of the test is *bank river broker rich paid*. It raises ValueError if there are
    not that many sentences.

    >>> _, test = bank_examples(num_train=0, num_test=2)
    >>> for words, decides, answer in zip(*test):
    ...     print(*(BANK_WORDS[word] for word in words), "->", BANK_WORDS[words[decides]], answer)
    bank river broker rich paid -> river 1
    bank market clerk swam rich -> market -1
    """
    num_train, num_test = check_counts(num_train, num_test)
    numbers = {word: number for number, word in enumerate(BANK_WORDS)}
    drawn = product(ASKERS, PLACES, PEOPLE, combinations(OTHERS, 2))
    sentences = np.array([[numbers[word] for word in (*words, *others)] for *words, others in drawn])
    if num_train + num_test > len(sentences):
        raise ValueError(f"num_train + num_test is {num_train + num_test}; there are {len(sentences)} sentences")
    first = (sentences == [numbers[word] for word in "bank river broker rich paid".split()]).all(axis=1)
    others = np.random.default_rng(seed).permutation(sentences[~first])
    words = np.concatenate([others[:num_train], sentences[first], others[num_train:]])[: num_train + num_test]
    decides = 1 + words[:, 0]
    decider = words[np.arange(len(words)), decides]
    answers = np.where((decider - len(ASKERS)) % 4 < 2, 1, -1)
    return split(Askings(words, decides, answers), num_train)
