"""Numbers of one's own: they come from the secret and the student, the prompt tells them, the check asks for them."""

import inspect
import itertools
import json
from datetime import datetime

import nbformat
import pytest
from classroom import SECRET, Chapter, needs_sandbox, notebook, release, solved, statuses

from attention_course import checks
from book.catalogue import translate_copy
from book.chapter import is_check, make_student_copy, read
from homework import collect
from homework.answers import EXERCISES
from homework.chapter import Unclear, find_chapter, read_calls, read_exercises
from homework.collect import Collected
from homework.collect.files import File
from homework.grade import batch
from homework.release import personal
from homework.release.personal import NUMBERS, draw, personalise

STEM = "04_qkv_projection"
RIGHT = {exercise.check.__name__: exercise.formula for exercise in EXERCISES.values() if exercise.formula}


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    course = tmp_path_factory.mktemp("class")
    (course / "roster.csv").write_text("id,name\nann,Ann A\nben,Ben B\n")
    release(course, "04", roster=course / "roster.csv", environment={"ATTENTION_SEED": SECRET}, personal=True)
    return course


def draws(check):
    """Every combination of numbers a student may get."""
    options = NUMBERS[check][1]
    return [dict(zip(options, values, strict=True)) for values in itertools.product(*options.values())]


def of_the_book(check):
    parameters = inspect.signature(getattr(checks, check)).parameters
    return {name: parameters[name].default for name in NUMBERS[check][1]}


@pytest.mark.parametrize("check", NUMBERS)
def test_the_right_answer_to_every_draw_is_accepted_and_that_of_another_draw_refused(check, capsys):
    function, digits = getattr(checks, check), 3 if check == "doubled_query" else 2
    every = [*draws(check), of_the_book(check)]
    answers = [tuple(round(x, digits) for x in RIGHT[check](**numbers)) for numbers in every]
    for numbers, answer in zip(every, answers, strict=True):
        function(*answer, **numbers)
        for other in answers:
            if other != answer:
                with pytest.raises(checks.Wrong):
                    function(*other, **numbers)


@pytest.mark.parametrize("check", NUMBERS)
def test_no_draw_makes_a_known_misconception_right(check, monkeypatch):
    function, compared = getattr(checks, check), []

    def compare(answer, right, reasons, hint, digits=0):
        assert reasons and round(right, digits) not in [round(number, digits) for number in reasons]
        compared.append(right)

    monkeypatch.setattr("attention_course.checks._compare.check_prediction", compare)
    for numbers in draws(check):
        compared.clear()
        answers = RIGHT[check](**numbers)
        function(*answers, **numbers)
        assert len(compared) == len(answers)


def test_every_check_that_accepts_numbers_takes_part():
    functions = {name: f for name in checks.__all__ if inspect.isfunction(f := getattr(checks, name))}
    with_options = {name for name, f in functions.items() if inspect.unwrap(f).__kwdefaults__}
    assert with_options == set(NUMBERS) == set(RIGHT)


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("check", NUMBERS)
def test_the_student_is_told_every_number_and_none_has_those_of_the_book(check, language):
    numbers = draw(check, "secret", "ann")
    with checks.speaking(language):
        prompt = str(checks.Part(NUMBERS[check][0], **numbers))
    assert numbers and all(str(value) in prompt for value in numbers.values())
    assert of_the_book(check) not in draws(check)


def test_numbers_follow_from_secret_and_student_and_seeds_from_secret_and_chapter():
    many = {tuple(draw("cache_bytes", "secret", f"student {i}").values()) for i in range(40)}
    assert len(many) > 15
    assert draw("cache_bytes", "secret", "ann") == draw("cache_bytes", "secret", "ann")
    assert any(draw("cache_bytes", f"secret {i}", "ann") != draw("cache_bytes", "secret", "ann") for i in range(9))
    one, two = (personal.hidden_seeds("secret", stem, 8) for stem in ("01_definition", "02_softmax"))
    assert len({*one, *two}) == 16 and min(one) > 2**40


def test_what_is_handed_out_has_each_students_own_numbers_and_nothing_of_the_secret(course):
    numbers = draw("numbers_and_rank", SECRET, "ann")
    own = nbformat.read(course / "personal" / STEM / "ann.ipynb", 4)
    sentence = f"**Your own numbers**, instead of those above: d_model = {numbers['d_model']}"
    assert any(sentence in cell.source for cell in own.cells)
    asked = [call for cell in own.cells if is_check(cell) for call in read_calls(cell.source)]
    assert [call.options for call in asked if call.check == "numbers_and_rank"] == [numbers]
    assert [call.options for call in asked if call.check != "numbers_and_rank"] == [{}, {}, {}]
    assert f"d_model={numbers['d_model']}" in own.cells[-1].source
    copy = notebook(course, "release", STEM)
    assert all(not call.options for e in read_exercises(notebook(course, "source", STEM), copy) for call in e.calls)
    assert sorted(path.name for path in (course / "personal" / STEM).iterdir()) == ["ann.ipynb", "ben.ipynb"]
    kept = json.loads((course / "key.json").read_text())
    assert len(kept["salt"]) == 32 and SECRET not in kept["hash"]


def test_a_korean_copy_gives_the_numbers_in_korean():
    copy = translate_copy(make_student_copy(read(find_chapter("05"))), f"chapters/{find_chapter('05').stem}")
    numbers = draw("who_may_look", SECRET, "ann")
    (prompt,) = (c.source for c in personalise(copy, SECRET, "ann").cells if "여러분만의 수" in c.source)
    assert f"원문은 {numbers['source']}단어이고" in prompt and "Your own" not in prompt


@needs_sandbox
def test_each_student_is_graded_by_their_own_numbers(course):
    chapter, submission = Chapter(4), solved(course, STEM)
    chapter.release = personalise(notebook(course, "release", STEM), SECRET, "ann")
    result = chapter.graded(submission)
    assert [name for name, status in statuses(result).items() if status != "right"] == ["ex04-count"]
    right = RIGHT["numbers_and_rank"](**draw("numbers_and_rank", SECRET, "ann"))
    next(c for c in submission.cells if c.id == "ex04-count").source = f"numbers, rank = {right}"
    assert set(statuses(chapter.graded(submission)).values()) == {"right"}


@needs_sandbox
@pytest.mark.parametrize(
    ("options", "secret", "message"),
    [
        ({"personal": False}, SECRET, "was released with --personal"),
        ({"personal": True, "unsafe": True}, SECRET, "--unsafe would let student code read it"),
        ({"personal": True}, SECRET + "!", "is not the one with which"),
        ({"personal": True, "timeout": 0}, SECRET, "--timeout is 0"),
        ({"personal": True, "jobs": 0}, SECRET, "--jobs 0"),
    ],
)
def test_no_copy_is_graded_by_the_numbers_of_another(course, tmp_path, options, secret, message):
    collect.store({"ann": Collected([File(("ann.ipynb",), b"{}", datetime.min)])}, course / "collected" / STEM)
    given = {"jobs": 1, "dask": None, "timeout": 20, "unsafe": False, "again": False} | options
    with pytest.raises(Unclear, match=message):
        batch.command("04", course, environment={"ATTENTION_SEED": secret}, **given)


@needs_sandbox
def test_who_has_no_copy_with_numbers_of_their_own_is_for_a_person(course):
    handed_in = {name: Collected([File((name,), b"{}", datetime.min)]) for name in ("ann", "zoe")}
    collect.store(handed_in, course / "collected" / STEM)
    batch.command("04", course, 1, None, 20, False, False, {"ATTENTION_SEED": SECRET}, personal=True)
    results = {name: json.loads((course / "results" / STEM / f"{name}.json").read_text()) for name in handed_in}
    assert "was it collected with the roster?" in results["zoe"]["unjudged"]
    assert "no list of cells" in results["ann"]["unjudged"]


def test_personal_numbers_need_a_roster_and_the_one_secret(course, tmp_path):
    with pytest.raises(Unclear, match="--roster FILE"):
        release(tmp_path, "04", environment={"ATTENTION_SEED": SECRET}, personal=True)
    with pytest.raises(Unclear, match="ATTENTION_SEED is not set"):
        release(course, "04", personal=True)
    with pytest.raises(Unclear, match="is not the one with which this class's"):
        release(course, "04", environment={"ATTENTION_SEED": SECRET + "!"}, personal=True)
