"""Three Korean words in any order, whose endings say who does what to whom: 나는 밥을 먹었다, I ate rice.

The ending 은 or 는 marks who acts, 을 or 를 what it is done to; 은 and 을 follow a consonant, 는 and 를 a vowel. So the
words may stand in any order. The sentences are drawn without regard to sense, rice may well eat me: the noun does not
tell which of the two it is, only the ending does.
"""

from itertools import permutations, product
from typing import NamedTuple

import numpy as np

from .sampling import check_counts, split

__all__ = ["ENDINGS", "NOUNS", "STEMS", "Sentences", "korean_examples", "write_sentence"]

#: The nouns, without their endings.
NOUNS = tuple("나 너 엄마 친구 학생 선생님 개 고양이 밥 빵 사과 물 책 편지 공 꽃".split())
VERBS = tuple("먹었 보았 찾았 만났 들었 그렸".split())
#: What a word can be without its ending, first the nouns and then the verbs.
STEMS = NOUNS + VERBS
#: The endings, for who acts, for what it is done to, and for the verb.
ENDINGS = ("은", "는", "을", "를", "다")
ORDERS = np.array([*permutations(range(3))])


class Sentences(NamedTuple):
    """Sentences of three words; every array has a row for each sentence.

    Attributes
    ----------
    stems : (num, 3) int, what each word is without its ending, a number into `STEMS`
    endings : (num, 3) int, the ending of each word, a number into `ENDINGS`
    verb : (num,) int, at which place the verb stands
    object : (num,) int, at which place its object stands
    answers : (num,) int, the stem of the object, a number into `NOUNS`
    """

    stems: np.ndarray
    endings: np.ndarray
    verb: np.ndarray
    object: np.ndarray
    answers: np.ndarray


def ends_in_consonant(noun):
    """Whether the last syllable of a Korean noun is closed; Unicode counts Hangul syllables by their 28 endings."""
    return (ord(noun[-1]) - ord("가")) % 28 != 0


def write_sentence(stems, endings):
    """Return three stems and three endings, each (3,) int, numbers into `STEMS` and `ENDINGS`, as a sentence, a str.

    >>> write_sentence([0, 8, 16], [1, 2, 4])
    '나는 밥을 먹었다'
    """
    return " ".join(STEMS[stem] + ENDINGS[ending] for stem, ending in zip(stems, endings, strict=True))


def _endings(triples):
    """The endings of subject, object and verb: (num, 3)."""
    open_end = np.array([not ends_in_consonant(noun) for noun in NOUNS], int)
    subject, thing, _ = triples.T
    return np.stack([open_end[subject], 2 + open_end[thing], np.full(len(triples), 4)], axis=1)


def korean_examples(num_train, num_test, seed=0):
    """Draw different sentences and write each in all six orders of its three words.

    Return train and test, both Sentences, with 6 · `num_train` and 6 · `num_test` rows; the counts and `seed` are int.
    No sentence is in both, in whatever order, and the first of the test is
    나는 밥을 먹었다. It raises ValueError if there are not that many sentences.

    >>> _, test = korean_examples(num_train=0, num_test=1)
    >>> [write_sentence(stems, endings) for stems, endings in zip(test.stems, test.endings)][:3]
    ['나는 밥을 먹었다', '나는 먹었다 밥을', '밥을 나는 먹었다']
    >>> test.object
    array([1, 2, 0, 0, 2, 1])
    """
    num_train, num_test = check_counts(num_train, num_test)
    nouns = range(len(NOUNS))
    triples = np.array([*product(nouns, nouns, range(len(NOUNS), len(STEMS)))])  # subject, object, verb
    triples = triples[triples[:, 0] != triples[:, 1]]
    if num_train + num_test > len(triples):
        raise ValueError(f"num_train + num_test is {num_train + num_test}; there are {len(triples)} sentences")
    known = (triples == [STEMS.index("나"), STEMS.index("밥"), STEMS.index("먹었")]).all(axis=1)
    others = np.random.default_rng(seed).permutation(triples[~known])
    drawn = np.concatenate([others[:num_train], triples[known], others[num_train:]])[: num_train + num_test]
    places = np.argsort(ORDERS, axis=1)  # where subject, object and verb stand in each order
    words = [x[:, ORDERS].reshape(-1, 3) for x in (drawn, _endings(drawn))]
    where = [np.tile(places[:, part], len(drawn)) for part in (2, 1)]
    return split(Sentences(*words, *where, np.repeat(drawn[:, 1], len(ORDERS))), 6 * num_train)
