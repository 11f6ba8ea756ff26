"""The generated tasks: their right answers are right, and no held-out example was seen in training."""

import re
from datetime import date
from functools import partial

import numpy as np
import pytest
import torch

from attention_course import tasks
from attention_course.tasks import (
    Example,
    Vocabulary,
    alignment_score,
    date_examples,
    exact_match,
    reversal_examples,
)
from attention_course.tasks.dates import FIRST, FORMATS, LAST, write_date
from attention_course.tasks.korean import NOUNS, VERBS

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


def test_what_has_no_source_has_no_alignment():
    _, target, alignment = write_date(date(2026, 3, 4), "{year}. {number}. {day}.")
    assert [target[i] for i in range(10) if not alignment[i]] == ["-", "0", "-", "0"]


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


DRAWS = {name: draw for name, (draw, *_) in ARRAYS.items()}
DRAWS |= {
    "bank": tasks.bank_examples,
    "dates": date_examples,
    "reversal": partial(reversal_examples, shortest=2, longest=3),
}
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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Vocabulary(["ab"]).encode("ab"), "texts is the string 'ab'; expected a list of strings"),
        (lambda: Vocabulary(["ab"]).encode([]), "texts is empty"),
        (lambda: Vocabulary(["ab"]).encode(["a", ""]), "text 1 is empty"),
        (lambda: Vocabulary(["ab"]).encode(["abc"]), "'c' at position 2 of text 0"),
        (lambda: exact_match(["a"], []), "1 answers for 0 examples"),
        (lambda: alignment_score(np.ones((1, 1, 1)), [Example("a", "a", (set(),))]), "has a true position"),
        (lambda: alignment_score(np.ones((2, 1, 1)), [Example("a", "a", ({0},))]), "2 weights for 1 examples"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(TypeError if "string" in message else ValueError, match=message):
        call()


def test_the_scores_count_what_they_say():
    example = Example("abcd", "da", ({3}, {0, 1}))
    assert exact_match(["da-", "ad"], [example, example]) == 0.5
    weights = np.array([[[0.1, 0.2, 0.6, 0.1], [0.1, 0.7, 0.1, 0.1]]])
    assert alignment_score(weights, [example]) == 0.5
