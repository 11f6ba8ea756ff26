"""Sentences of the small grammar: that each obeys it, and that only roles matter."""

from collections import Counter, defaultdict

import pytest

from attention_course.tasks import grammar_examples
from attention_course.tasks.grammar import ROLE_OF, ROLES, START, WORDS, follows

TRAIN, TEST = grammar_examples(1500, 300, seed=5)
NAMES = list(ROLES)


def roles(words):
    return [NAMES[ROLE_OF[word]] for word in words]


@pytest.mark.parametrize("part", [TRAIN, TEST], ids=["train", "test"])
def test_every_sentence_begins_and_ends_rightly_and_agrees_in_number(part):
    for words, length in zip(part.words, part.lengths, strict=True):
        assert words[0] == START and START not in words[1:]
        assert set(words[length - 1 :]) == {WORDS.index(".")} and WORDS.index(".") not in words[: length - 1]
        said = roles(words[1:length])
        verb = next(i for i, role in enumerate(said) if role.startswith("verb"))
        for phrase in (said[: verb + 1], said[verb + 1 : -1]):
            assert len({role.split(", ")[1] for role in phrase if ", " in role}) <= 1
        assert ("object" in said[verb]) == (len(said) - verb > 2)
        assert [role.split(",")[0] for role in said[:verb] if role != "adjective"] == ["determiner", "noun"]


def test_what_may_follow_is_said_by_roles():
    for words, length in zip(TRAIN.words[:200], TRAIN.lengths, strict=False):
        said = roles(words[1:length])
        for i, role in enumerate(said):
            assert role in follows(said[:i])
    assert follows([]) == ["determiner, one", "determiner, many"]
    assert follows(["determiner, one", "noun, one", "verb, one"]) == ["end"]
    assert follows(["determiner, many", "noun, many"]) == ["verb, many", "verb with object, many"]


def test_words_of_one_role_are_equally_frequent_after_everything():
    after = defaultdict(Counter)
    for words, length in zip(TRAIN.words, TRAIN.lengths, strict=True):
        for word in words[1:length]:
            after[ROLE_OF[word]][word] += 1
    for role, counts in after.items():
        assert len(counts) == len(ROLES[NAMES[role]])
        assert max(counts.values()) < 1.5 * min(counts.values())
