"""Sentences of the small grammar: that each obeys it, and that only roles matter."""

import pytest

from attention_course.tasks import grammar_examples
from attention_course.tasks.grammar import ROLE_OF, ROLES, START, WORDS

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
