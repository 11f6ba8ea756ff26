"""The generated tasks: their right answers are right, and no held-out example was seen in training."""

from datetime import date
from functools import partial

import numpy as np
import pytest
import torch
from reference import refuses

from attention_course import tasks
from attention_course.tasks import (
    PAD,
    Example,
    Vocabulary,
    alignment_score,
    date_examples,
    exact_match,
    reversal_examples,
)
from attention_course.tasks.dates import FIRST, FORMATS, LAST, write_date


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


def test_both_digits_of_a_named_month_come_from_the_name():
    source, _, alignment = write_date(date(2026, 3, 4), "{month} {day}, {year}")
    assert {source[i] for i in alignment[5]} == set("March") and alignment[5] == alignment[6]


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
tasks_of_arrays = pytest.mark.parametrize("draw, kind, rows, identify, real", ARRAYS.values(), ids=ARRAYS)


@tasks_of_arrays
def test_arrays_have_the_sizes_and_kinds_asked_for_and_no_example_twice(draw, kind, rows, identify, real):
    parts = draw(400, 100)
    assert {type(part) for part in parts} == {kind}
    assert [{len(array) for array in part} for part in parts] == [{400 * rows}, {100 * rows}]
    examples = [[x.tobytes() for x in row] for part in parts for row in zip(*part[:identify], strict=True)]
    assert len(set(map(tuple, examples))) == 500 * rows
    assert [len(array) for part in draw(0, 4) for array in part[:2]] == [0, 0, 4 * rows, 4 * rows]
    kinds = {name: torch.tensor(array).dtype for name, array in parts[0]._asdict().items()}
    assert kinds == {name: torch.float32 if name in real else torch.int64 for name in kinds}


@tasks_of_arrays
def test_a_seed_gives_the_same_arrays_again_and_another_one_others(draw, kind, rows, identify, real):
    first, again, other = (draw(40, 8, seed=seed)[0] for seed in (5, 5, 6))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[0], other[0])


@tasks_of_arrays
@pytest.mark.parametrize("name", ["num_train", "num_test"])
def test_numbers_of_examples_are_checked(name, draw, kind, rows, identify, real):
    with refuses(TypeError, f"{name} is 4.0; expected an integer"):
        draw(**{"num_train": 4, "num_test": 4} | {name: 4.0})
    with refuses(ValueError, f"{name} is -4; expected at least 0"):
        draw(**{"num_train": 4, "num_test": 4} | {name: -4})


def test_all_formats_occur_and_dates_cover_the_years():
    train, _ = date_examples(3000, 0)
    years = [int(e.target[:4]) for e in train]
    assert min(years) < 1905 and max(years) > 2094
    assert {sum(c.isalpha() for c in e.source) > 0 for e in train} == {True, False}


def test_reversal_runs_over_all_lengths_and_is_its_own_inverse():
    train, _ = reversal_examples(500, 0, 3, 6)
    assert {len(e.source) for e in train} == {3, 4, 5, 6}
    assert all(e.target == e.source[::-1] for e in train)
    assert all(e.target[t] == e.source[p] for e in train for t, (p,) in enumerate(e.alignment))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: date_examples(LAST - FIRST + 1, 1), "days"),
        (lambda: date_examples(-1, 1), "num_train"),
        (lambda: reversal_examples(100, 0, 1, 1), "length 1"),
        (lambda: reversal_examples(1, 0, 5, 4), "longest"),
        (lambda: Vocabulary(["ab"]).encode([]), "texts is empty"),
        (lambda: Vocabulary(["ab"]).encode(["a", ""]), "text 1 is empty"),
        (lambda: Vocabulary(["ab"]).encode(["abc"]), "'c' at position 2 of text 0"),
        (lambda: exact_match(["a"], []), "1 answers for 0 examples"),
        (lambda: alignment_score(np.ones((1, 1, 1)), [Example("a", "a", (set(),))]), "has a true position"),
        (lambda: alignment_score(np.ones((2, 1, 1)), [Example("a", "a", ({0},))]), "2 weights for 1 examples"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_single_string_is_not_taken_for_a_list_of_characters():
    with pytest.raises(TypeError, match="expected a list of strings"):
        Vocabulary(["ab"]).encode("ab")


def test_padding_fills_up_and_decodes_to_nothing():
    vocabulary = Vocabulary(["hello"])
    numbers, lengths = vocabulary.encode(["hell", "o"])
    assert lengths.tolist() == [4, 1] and (numbers[1, 1:] == PAD).all()
    assert vocabulary.decode(numbers) == ["hell", "o"]


def test_the_scores_count_what_they_say():
    example = Example("abcd", "da", ({3}, {0, 1}))
    assert exact_match(["da-", "ad"], [example, example]) == 0.5
    weights = np.array([[[0.1, 0.2, 0.6, 0.1], [0.1, 0.7, 0.1, 0.1]]])
    assert alignment_score(weights, [example]) == 0.5
    assert alignment_score(weights, [example], within=1) == 1.0
