"""Korean sentences: that the endings are right, that the verb's object is known in every order, that none repeats."""

from collections import Counter
from itertools import permutations

import pytest

from attention_course.tasks import korean_examples, write_sentence
from attention_course.tasks.korean import ENDINGS, NOUNS, STEMS, VERBS, ends_in_consonant

TRAIN, TEST = korean_examples(700, 200, seed=1)
CLOSED = {"학생", "선생님", "밥", "빵", "물", "책", "공", "꽃"}
FORMS = {noun: ("은", "을") if noun in CLOSED else ("는", "를") for noun in NOUNS}


def words(part, row):
    return write_sentence(part.stems[row], part.endings[row]).split()


def test_a_noun_is_closed_if_its_last_syllable_has_a_final_consonant():
    assert {noun for noun in NOUNS if ends_in_consonant(noun)} == CLOSED


@pytest.mark.parametrize("part", [TRAIN, TEST], ids=["train", "test"])
def test_every_sentence_comes_in_all_six_orders_and_has_a_subject_an_object_and_a_verb_each_rightly_marked(part):
    for row, (verb, thing) in enumerate(zip(part.verb, part.object, strict=True)):
        (subject,) = {0, 1, 2} - {verb, thing}
        stems, written = [STEMS[stem] for stem in part.stems[row]], words(part, row)
        assert stems[verb] in VERBS and stems[subject] != stems[thing] == NOUNS[part.answers[row]]
        endings = {subject: FORMS[stems[subject]][0], thing: FORMS[stems[thing]][1], verb: "다"}
        assert written == [stem + endings[place] for place, stem in enumerate(stems)]
        six = range(row - row % 6, row - row % 6 + 6)
        assert {tuple(words(part, other)) for other in six} == {*permutations(written)}


@pytest.mark.parametrize("seed", range(5))
def test_the_first_sentence_of_the_test_is_the_one_of_the_notes(seed):
    train, test = korean_examples(1000, 3, seed=seed)
    assert words(test, 0) == ["나는", "밥을", "먹었다"]
    assert all(set(words(train, row)) != {"나는", "밥을", "먹었다"} for row in range(len(train.verb)))


def test_every_noun_acts_and_suffers_so_that_only_the_ending_tells():
    nouns = Counter((STEMS[s], ENDINGS[e]) for s, e in zip(TRAIN.stems.flat, TRAIN.endings.flat, strict=True))
    assert set(nouns) == {(n, form) for n in NOUNS for form in FORMS[n]} | {(v, "다") for v in VERBS}
    assert min(nouns.values()) > 100
