"""The generated tasks: their right answers are right, and no held-out example was seen in training."""

import re
from datetime import date
from functools import partial
from itertools import permutations, product

import numpy as np
import pytest
import torch

from attention_course import tasks
from attention_course.tasks import (
    Example,
    Vocabulary,
    alignment_score,
    date_examples,
    drawing,
    exact_match,
    football,
    grammar,
    grounding,
    reversal_examples,
    write_sentence,
)
from attention_course.tasks.dates import FIRST, FORMATS, LAST, write_date
from attention_course.tasks.korean import NOUNS, STEMS, VERBS
from attention_src.patches import patchify

COUNTS = ("num_train", "num_test")
SENTENCES = len(NOUNS) * (len(NOUNS) - 1) * len(VERBS)


def test_there_are_at_least_six_formats_and_none_is_ambiguous():
    assert len(set(FORMATS)) >= 6
    written = {}
    for ordinal in range(date(1999, 1, 1).toordinal(), date(2001, 1, 1).toordinal()):
        for form in FORMATS:
            example = write_date(date.fromordinal(ordinal), form)
            assert written.setdefault(example.source, example.target) == example.target


@pytest.mark.parametrize("form", FORMATS)
def test_every_aligned_character_can_be_read_where_the_alignment_says(form):
    for when in (date(2026, 3, 14), date(1999, 11, 2), date(2000, 2, 29), date(1987, 12, 31)):
        source, target, alignment = write_date(when, form)
        assert len(alignment) == len(target) == 10 and target == when.isoformat()
        for character, places in zip(target, alignment, strict=True):
            read = {source[place] for place in places}
            assert read <= {character} or all(letter.isalpha() for letter in read)


@pytest.mark.parametrize("draw", [date_examples, partial(reversal_examples, shortest=4, longest=9)])
def test_train_and_held_out_are_disjoint_and_a_seed_repeats_them(draw):
    train, test = draw(700, 300, seed=3)
    assert len(train) == 700 and len(test) == 300
    assert not {e.target for e in train} & {e.target for e in test}
    assert draw(700, 300, seed=3) == (train, test) and draw(700, 300, seed=4) != (train, test)


ARRAYS = {  # how it is drawn, what it is, the rows of an example, how many of its arrays identify it, which are real
    "football": (partial(tasks.football_examples, grid=4), tasks.Football, 1, 1, {"images"}),
    "grammar": (tasks.grammar_examples, tasks.Grammar, 1, 1, set()),
    "scenes": (partial(tasks.scene_examples, grid=3), tasks.Scenes, 1, 1, {"images", "colours"}),
    "sentences": (tasks.korean_examples, tasks.Sentences, 6, 5, set()),
    "lookup": (tasks.lookup_examples, tasks.Lookup, 1, 3, {"tokens", "answers"}),
    "pairs": (partial(tasks.pair_examples, num_tokens=4), tasks.Pairs, 1, 5, {"answers"}),
}


@pytest.mark.parametrize("draw, kind, rows, identify, real", ARRAYS.values(), ids=ARRAYS)
def test_arrays_have_the_sizes_and_kinds_asked_for_no_example_twice_and_a_seed_that_repeats_them(
    draw, kind, rows, identify, real
):
    parts = draw(400, 100)
    assert {type(part) for part in parts} == {kind}
    assert [{len(array) for array in part} for part in parts] == [{400 * rows}, {100 * rows}]
    examples = [[x.tobytes() for x in row] for part in parts for row in zip(*part[:identify], strict=True)]
    assert len(set(map(tuple, examples))) == 500 * rows
    assert [len(array) for part in draw(0, 4) for array in part[:2]] == [0, 0, 4 * rows, 4 * rows]
    kinds = {name: torch.tensor(array).dtype for name, array in parts[0]._asdict().items()}
    assert kinds == {name: torch.float32 if name in real else torch.int64 for name in kinds}
    again, other = draw(400, 100)[0], draw(400, 100, seed=1)[0]
    assert all(map(np.array_equal, parts[0], again)) and not np.array_equal(parts[0][0], other[0])


DRAWS = {name: draw for name, (draw, *_) in ARRAYS.items()} | {"bank": tasks.bank_examples, "dates": date_examples}
DRAWS["reversal"] = partial(reversal_examples, shortest=2, longest=3)
FOUR = "{} is 6; expected a multiple of 4, the pairs that two bits can be"
MOST = "num_train + num_test asks for {} different examples; expected at most half of {}"
REFUSALS = [
    *((draw, {name: 4.0}, f"{name} is 4.0; expected an integer") for name in COUNTS for draw in DRAWS),
    *((draw, {name: -4}, f"{name} is -4; expected at least 0") for name in COUNTS for draw in DRAWS),
    *(("pairs", {name: 6}, FOUR.format(name)) for name in COUNTS),
    ("football", {"grid": 2}, "grid is 2; expected at least 3"),
    ("football", {"num_train": 60000, "num_test": 1, "grid": 3}, MOST.format(60001, 60480)),
    ("scenes", {"grid": 2.0}, "grid is 2.0; expected an integer"),
    ("scenes", {"grid": 1}, "grid is 1; expected at least 2"),
    ("lookup", {"num_tokens": 2}, "num_tokens is 2; expected at least 3"),
    ("lookup", {"num_bits": 0}, "num_bits is 0; expected at least 1"),
    ("lookup", {"num_train": 48, "num_test": 1, "num_tokens": 3, "num_bits": 1}, MOST.format(49, 96)),
    ("pairs", {"num_tokens": 1}, "num_tokens is 1; expected at least 2"),
    ("pairs", {"num_tokens": "5"}, "num_tokens is '5'; expected an integer"),
    ("pairs", {"num_train": 4 * 36, "num_test": 4, "num_tokens": 3}, MOST.format(37, 72)),
    ("sentences", {"num_train": SENTENCES, "num_test": 1}, f"is {SENTENCES + 1}; there are {SENTENCES} sentences"),
    ("grammar", {"num_train": 400000}, "expected at most half of"),
    ("bank", {"num_train": 100, "num_test": 93}, "num_train + num_test is 193; there are 192 sentences"),
    ("dates", {"num_train": LAST - FIRST + 1, "num_test": 1}, "days"),
    ("reversal", {"num_train": 100, "shortest": 1, "longest": 1}, "length 1"),
    ("reversal", {"shortest": 5, "longest": 4}, "longest is 4; expected at least 5"),
]


@pytest.mark.parametrize("task, arguments, message", REFUSALS)
def test_a_task_refuses_what_it_cannot_draw(task, arguments, message):
    error = TypeError if message.endswith("expected an integer") else ValueError
    with pytest.raises(error, match=re.escape(message)):
        DRAWS[task](**{"num_train": 4, "num_test": 4} | arguments)


def test_half_of_all_examples_can_be_drawn():
    assert len(tasks.lookup_examples(48, 0, 3, 1)[0].wanted) == 48  # 3! names, 2 walks, 2³ bits: 96
    assert len(tasks.pair_examples(4 * 36, 0, 3)[0].asked) == 144  # 3! orders, 6 questions, 2 other bits: 72 fours


def test_reversal_runs_over_all_lengths_and_is_its_own_inverse():
    train, _ = reversal_examples(500, 0, 3, 6)
    assert {len(e.source) for e in train} == {3, 4, 5, 6}
    assert all(e.target == e.source[::-1] for e in train)
    assert all(e.target[t] == e.source[p] for e in train for t, (p,) in enumerate(e.alignment))


def test_bad_input_is_named():
    encode = Vocabulary(["ab"]).encode
    for call, arguments, message in (
        (encode, ["ab"], "texts is the string 'ab'; expected a list of strings"),
        (encode, [[]], "texts is empty"),
        (encode, [["a", ""]], "text 1 is empty"),
        (encode, [["abc"]], "'c' at position 2 of text 0"),
        (exact_match, (["a"], []), "1 answers for 0 examples"),
        (alignment_score, (np.ones((1, 1, 1)), [Example("a", "a", (set(),))]), "has a true position"),
        (alignment_score, (np.ones((2, 1, 1)), [Example("a", "a", ({0},))]), "2 weights for 1 examples"),
    ):
        with pytest.raises(TypeError if "string" in message else ValueError, match=message):
            call(*arguments)


def test_the_scores_count_what_they_say():
    example = Example("abcd", "da", ({3}, {0, 1}))
    assert exact_match(["da-", "ad"], [example, example]) == 0.5
    weights = np.array([[[0.1, 0.2, 0.6, 0.1], [0.1, 0.7, 0.1, 0.1]]])
    assert alignment_score(weights, [example]) == 0.5


WATER = {"river", "lake", "sailor", "fisher", "boat", "swam"}


def test_the_place_decides_for_a_bank_and_the_person_for_a_deposit():
    for part in tasks.bank_examples(120, 72):
        for words, decides, answer in zip(*part, strict=True):
            asker, place, person, *_ = (tasks.BANK_WORDS[word] for word in words)
            decider = place if asker == "bank" else person
            assert tasks.BANK_WORDS[words[decides]] == decider
            assert answer == (1 if decider in WATER else -1)


def test_no_set_of_words_comes_twice_and_the_known_sentence_opens_the_test():
    train, test = tasks.bank_examples(100, 92, seed=3)
    both = np.concatenate([train.words, test.words])
    assert len({tuple(sorted(words)) for words in both}) == len(both) == 192
    assert " ".join(tasks.BANK_WORDS[word] for word in test.words[0]) == "bank river broker rich paid"


STEPS = {"↖": (-1, -1), "↑": (-1, 0), "↗": (-1, 1), "←": (0, -1), "→": (0, 1), "↙": (1, -1), "↓": (1, 0), "↘": (1, 1)}


def patches_with(image, drawn):
    patches = patchify(image, football.PATCH).reshape(16, football.PATCH, football.PATCH, 3)
    return [i for i, patch in enumerate(patches) if np.allclose(patch, drawn, atol=1e-6)]


@pytest.mark.parametrize("part", tasks.football_examples(60, 40, grid=4, seed=3), ids=["train", "test"])
def test_two_players_of_each_team_a_ball_and_a_goal_stand_in_their_patches_and_one_leads_to_the_other(part):
    for image, ball, goal, where in zip(*part, strict=True):
        shapes = [(shape == "o")[..., None] for shape in football.SHAPES[:4]]
        things = [np.where(shapes[i], football.COLOURS[i], drawing.MEADOW) for i in range(4)]
        found = [patches_with(image, thing) for thing in things]
        assert found[0] == [ball] and found[1] == [goal]
        assert [len(places) for places in found] == [1, 1, 2, 2]
        assert len(patches_with(image, drawing.MEADOW)) == 16 - 6
        (y, x), (v, u) = divmod(ball, 4), divmod(goal, 4)
        assert STEPS[football.DIRECTIONS[where]] == (np.sign(v - y), np.sign(u - x))


def roles(words):
    names = list(grammar.ROLES)
    return [names[grammar.ROLE_OF[word]] for word in words]


@pytest.mark.parametrize("part", tasks.grammar_examples(1500, 300, seed=5), ids=["train", "test"])
def test_every_sentence_begins_and_ends_rightly_and_agrees_in_number(part):
    for words, length in zip(part.words, part.lengths, strict=True):
        assert words[0] == grammar.START and grammar.START not in words[1:]
        stops = words == grammar.WORDS.index(".")
        assert stops[length - 1 :].all() and not stops[: length - 1].any()
        said = roles(words[1:length])
        verb = next(i for i, role in enumerate(said) if role.startswith("verb"))
        for phrase in (said[: verb + 1], said[verb + 1 : -1]):
            assert len({role.split(", ")[1] for role in phrase if ", " in role}) <= 1
        assert ("object" in said[verb]) == (len(said) - verb > 2)
        assert [role.split(",")[0] for role in said[:verb] if role != "adjective"] == ["determiner", "noun"]


def drawn_by_hand(thing, colour):
    """Pixel after pixel."""
    paint = {".": drawing.MEADOW, "#": grounding.INK, "o": colour}
    return [[paint[pixel] for pixel in line] for line in grounding.PIXELS[thing]]


@pytest.mark.parametrize("part", tasks.scene_examples(30, 20, grid=3, seed=2), ids=["train", "test"])
def test_every_word_names_the_thing_in_its_patch_and_its_colour_and_all_other_patches_are_meadow(part):
    for image, words, colours, places in zip(*part, strict=True):
        expected = dict.fromkeys(range(9), np.broadcast_to(drawing.MEADOW, (grounding.PATCH, grounding.PATCH, 3)))
        expected |= {place: drawn_by_hand(*thing) for place, *thing in zip(places, words, colours, strict=True)}
        assert len(expected) == 9
        for place, drawn in expected.items():
            y, x = grounding.PATCH * np.array(divmod(int(place), 3))
            np.testing.assert_allclose(image[y : y + grounding.PATCH, x : x + grounding.PATCH], drawn, atol=1e-6)


KOREAN = tasks.korean_examples(700, 200, seed=1)
CLOSED = {"학생", "선생님", "밥", "빵", "물", "책", "공", "꽃"}
FORMS = {noun: ("은", "을") if noun in CLOSED else ("는", "를") for noun in NOUNS}


def words(part, row):
    return write_sentence(part.stems[row], part.endings[row]).split()


@pytest.mark.parametrize("part", KOREAN, ids=["train", "test"])
def test_every_sentence_comes_in_all_six_orders_and_has_a_subject_an_object_and_a_verb_each_rightly_marked(part):
    for row, (verb, thing) in enumerate(zip(part.verb, part.object, strict=True)):
        (subject,) = {0, 1, 2} - {verb, thing}
        stems, written = [STEMS[stem] for stem in part.stems[row]], words(part, row)
        assert stems[verb] in VERBS and stems[subject] != stems[thing] == NOUNS[part.answers[row]]
        endings = {subject: FORMS[stems[subject]][0], thing: FORMS[stems[thing]][1], verb: "다"}
        assert written == [stem + endings[place] for place, stem in enumerate(stems)]
        six = range(row - row % 6, row - row % 6 + 6)
        assert {tuple(words(part, other)) for other in six} == {*permutations(written)}


def test_the_answer_to_a_token_is_the_opposite_of_the_bits_under_the_name_it_asks_for():
    n, bits = 6, 2
    for part in tasks.lookup_examples(40, 10, n, bits):
        for tokens, answers, wanted in zip(*part, strict=True):
            carried = {int(token[:n].argmax()): (place, token[2 * n :]) for place, token in enumerate(tokens)}
            for token, answer, place in zip(tokens, answers, wanted, strict=True):
                where, there = carried[int(token[n : 2 * n].argmax())]
                assert where == place
                np.testing.assert_array_equal(answer, -there)


@pytest.mark.parametrize("n", [3, 4, 7])
def test_who_asks_for_whom_is_one_walk_through_all_tokens(n):
    part, _ = tasks.lookup_examples(50, 0, n, 2)
    for wanted in part.wanted:
        walk = [0]
        while len(walk) < n:
            walk.append(int(wanted[walk[-1]]))
        assert sorted(walk) == list(range(n))
        assert wanted[walk[-1]] == 0


def test_the_answer_is_the_bits_under_the_two_names_in_the_order_asked():
    for part in tasks.pair_examples(80, 20, 6):
        for asked, names, bits, answers, places in zip(*part, strict=True):
            assert sorted(names) == list(range(6)) and set(bits) <= {0, 1} and asked[0] != asked[1]
            assert [*names[places], *bits[places]] == [*asked, *answers]


def test_each_question_comes_four_times_with_the_four_pairs_and_nothing_else_changed():
    for part in tasks.pair_examples(80, 40, 4):
        fours = tasks.Pairs(*(array.reshape(-1, 4, *array.shape[1:]) for array in part))
        for asked, names, bits, answers, places in zip(*fours, strict=True):
            assert all((same == same[0]).all() for same in (asked, names, places))
            others = np.setdiff1d(np.arange(4), places[0])
            assert (bits[:, others] == bits[0, others]).all()
            assert sorted(map(tuple, answers)) == [*product((0, 1), repeat=2)]
