"""The checks of all exercises: right answers of every kind pass, each wrong one meets the question that fits it."""

import inspect
import re
from itertools import chain, product

import numpy as np
import pytest

from attention_src import checks
from homework.personal import NUMBERS
from tools.answers import EXERCISES
from tools.chapter import CHAPTERS, exercises, prose, read

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # wrong answers overflow


def cases(kind):
    return [
        pytest.param(exercise, case, id=f"{name}: {label}")
        for name, exercise in EXERCISES.items()
        for label, case in getattr(exercise, kind)().items()
    ]


def seeds(check):
    return [{"seed": seed} for seed in (0, 17, 4711)] if "seed" in inspect.signature(check).parameters else [{}]


@pytest.mark.parametrize(("exercise", "arguments"), cases("accepted"))
def test_a_right_answer_passes_whatever_the_seed(exercise, arguments, capsys):
    for seed in seeds(exercise.check):
        exercise.check(*arguments, **seed)
    assert capsys.readouterr().out.startswith("Right: ")


@pytest.mark.parametrize(("exercise", "fault"), cases("refused"))
def test_a_wrong_answer_meets_the_question_that_fits_it_whatever_the_seed(exercise, fault):
    for seed in seeds(exercise.check):
        with pytest.raises(checks.Wrong, match=fault.question if "|" in fault.question else re.escape(fault.question)):
            exercise.check(*fault.answer, **seed)


@pytest.mark.parametrize(
    ("exercise", "arguments"),
    [
        pytest.param(exercise, exercise.arguments(fault[0]), id=f"{name}: {label}")
        for name, exercise in EXERCISES.items()
        if exercise.like
        for label, fault in exercise.like.wrong.items()
    ],
)
def test_what_is_wrong_in_one_exercise_is_wrong_in_another_like_it(exercise, arguments):
    with pytest.raises(checks.Wrong):
        exercise.check(*arguments)


@pytest.mark.parametrize("name", EXERCISES)
def test_what_is_left_as_it_was_handed_out_is_not_attempted_and_nothing_is_called_right(name, capsys):
    for arguments in EXERCISES[name].untouched():
        with pytest.raises(checks.NotAttempted):
            EXERCISES[name].check(*arguments)
        assert capsys.readouterr().out == ""


@pytest.mark.parametrize("name", EXERCISES)
def test_every_exercise_has_its_answers(name):
    exercise = EXERCISES[name]
    wrong = len(exercise.wrong) + (len(exercise.like.wrong) if exercise.like else 0)
    assert len(exercise.right) >= (2 if name == "ex10-symptoms" else 3) and wrong >= 8


def test_the_exercises_of_the_chapters_are_those_that_are_tested_with_their_own_checks():
    found = chain.from_iterable(exercises(read(path)) for path in CHAPTERS)
    called = {exercise.name: re.search(r"checks\.(\w+)\(", exercise.check.source)[1] for exercise in found}
    assert called == {name: exercise.check.__name__ for name, exercise in EXERCISES.items()}


def test_every_check_belongs_to_an_exercise():
    assert {exercise.check.__name__ for exercise in EXERCISES.values()} == set(checks.__all__) - {
        "NotAttempted",
        "Wrong",
    }


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_every_exercise_says_its_kind_points_and_minutes(path):
    notebook = read(path)
    said = re.findall(
        r"^\*\*(\d)\. (?:Write|Predict|Find) it\*\* \((\d) points?, \d+ minutes\)\.", "\n".join(prose(notebook)), re.M
    )
    points = [exercise.points for exercise in exercises(notebook)]
    assert [(int(number), int(points)) for number, points in said] == list(enumerate(points, 1))


def inputs(check):
    """The numbers that students may get in place of the chapter's: all combinations."""
    _, options = NUMBERS[check.__name__]
    return [dict(zip(options, values, strict=True)) for values in product(*options.values())]


@pytest.mark.parametrize("name", [name for name, exercise in EXERCISES.items() if exercise.formula])
def test_a_student_with_numbers_of_their_own_needs_their_own_answer(name):
    exercise = EXERCISES[name]
    default = next(iter(exercise.right.values()))
    for own in inputs(exercise.check):
        exercise.check(*exercise.formula(**own), **own)
        if not np.allclose(exercise.formula(**own), np.array(default, float), rtol=1e-3):
            with pytest.raises(checks.Wrong):
                exercise.check(*default, **own)


@pytest.mark.parametrize(
    ("check", "numbers", "own", "question"),
    [
        (checks.block_parameters, [1052416 - 1536], {"d_ff": 1536}, "the bias of the hidden layer"),
        (checks.block_parameters, [1052416 - 1024], {"d_ff": 1536}, "the biases of attention, or the two norms"),
        (checks.who_may_look, [32, 36, 4], {"written": 8}, "the source words react"),
        (checks.doubled_query, [0.804], {"times": 3}, "e raised to it"),
    ],
)
def test_mistakes_that_look_alike_with_the_numbers_of_the_page_are_told_apart_with_others(
    check, numbers, own, question
):
    with pytest.raises(checks.Wrong, match=question):
        check(*numbers, **own)


def test_every_prediction_of_numbers_has_its_formula():
    assert {exercise.check.__name__ for exercise in EXERCISES.values() if exercise.formula} == set(NUMBERS)


def messages():
    """What every wrong answer is told."""
    for exercise in EXERCISES.values():
        for fault in exercise.refused().values():
            with pytest.raises(checks.Wrong) as refused:
                exercise.check(*fault.answer)
            yield str(refused.value)


def test_a_message_asks_a_question_or_names_what_python_said_and_counts_from_0():
    for message in messages():
        assert message.endswith("?") or re.search(
            r" raised \w+Error: |is no number; expected|expected one of \[|needs a function", message
        )
        assert not re.search(r"\brow \d of", message)
