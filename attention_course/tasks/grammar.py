"""A small grammar: sentences in which the role of a word, and nothing else about it, says what may come next.

``The dogs see a cat .`` A determiner, perhaps an adjective, a noun that agrees with the determiner in number, a verb
that agrees with the noun; then a full stop, or an object and a full stop. Which noun it is does not matter. So whoever
learns to predict the next word has no use for anything but roles.
"""

from typing import NamedTuple

import numpy as np

from .sampling import check_counts, draw_different_rows, split

#: The roles that a word can have, and the words that have them.
ROLES = {
    "determiner, one": ("a", "this", "every", "one"),
    "determiner, many": ("these", "two", "many", "all"),
    "adjective": ("old", "small", "red", "happy", "quiet", "young"),
    "noun, one": ("dog", "cat", "child", "bird", "teacher", "friend"),
    "noun, many": ("dogs", "cats", "children", "birds", "teachers", "friends"),
    "verb, one": ("sleeps", "sings", "laughs", "waits"),
    "verb, many": ("sleep", "sing", "laugh", "wait"),
    "verb with object, one": ("sees", "finds", "likes", "calls"),
    "verb with object, many": ("see", "find", "like", "call"),
    "end": (".",),
}
#: All words, role after role.
WORDS = tuple(word for words in ROLES.values() for word in words)
#: The role of each word, a number into `ROLES`.
ROLE_OF = np.array([role for role, words in enumerate(ROLES.values()) for _ in words])
#: The sign before every sentence.
START = len(WORDS)
#: How many words the longest sentence has, with the sign before it and its full stop.
LENGTH = 9


class Grammar(NamedTuple):
    """Sentences; every array has a row for each.

    Attributes
    ----------
    words : (num, LENGTH) int, numbers into `WORDS`; `START` first, full stops after the end
    lengths : (num,) int, up to and with the first full stop, `START` counted
    """

    words: np.ndarray
    lengths: np.ndarray


def follows(roles):
    """List the roles, each a str of `ROLES`, that may come next after a list of `roles` from the start of a sentence.

    >>> follows(["determiner, many", "adjective"])
    ['noun, many']
    """
    if not roles or "with object" in roles[-1]:
        return ["determiner, one", "determiner, many"]
    number = next(r for r in reversed(roles) if r.startswith("determiner")).split(", ")[1]
    if roles[-1].startswith("determiner"):
        return ["adjective", f"noun, {number}"]
    if roles[-1] == "adjective":
        return [f"noun, {number}"]
    if roles[-1].startswith("noun") and not any(r.startswith("verb") for r in roles):
        return [f"verb, {number}", f"verb with object, {number}"]
    return ["end"]


def _sentence(generator):
    roles, words = [], [START]
    while not roles or roles[-1] != "end":
        roles.append(generator.choice(follows(roles)))
        words.append(WORDS.index(generator.choice(ROLES[roles[-1]])))
    return words + [WORDS.index(".")] * (LENGTH - len(words))


def grammar_examples(num_train, num_test, seed=0):
    """Draw different sentences, word after word, each of those that may come next with the same probability.

    No sentence comes twice, so the short ones, of which there are few, are rarer than that would make them. Return
    train and test, both Grammar, of `num_train` and `num_test` sentences; the counts and `seed` are int.

    >>> train, _ = grammar_examples(num_train=2, num_test=0)
    >>> for words, length in zip(train.words, train.lengths):
    ...     print(read(words[:length]))
    many cats sleep .
    a quiet bird likes all birds .
    """
    num_train, num_test = check_counts(num_train, num_test)
    generator = np.random.default_rng(seed)
    phrases = 2 * 4 * 6 * 7  # determiner, noun, and one of six adjectives or none
    possible = phrases * (4 + 4 * phrases)
    words = draw_different_rows(
        lambda count: np.array([_sentence(generator) for _ in range(count)]), num_train + num_test, possible
    )
    lengths = (words == WORDS.index(".")).argmax(axis=1) + 1
    return split(Grammar(words, lengths), num_train)


def read(words):
    """Return the text, a str, of an iterable of `words`, int numbers into `WORDS`; `START` is left out.

    >>> read([START, 0, 14, 26])
    'a dog sleeps'
    """
    return " ".join(WORDS[word] for word in words if word != START)
