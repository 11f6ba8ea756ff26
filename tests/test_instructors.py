"""The instructors' pages say what the chapters, the checks and their tests say today."""

import re

import numpy as np
import pytest

from attention_src import softmax
from book.chapter import CHAPTERS, ROOT, TRANSLATED, prose, read
from tools.instructors_page import ITEMS, MINUTES, PAGES, fill_minutes, fill_page, list_entries, read_exam

TEXT = "\n## Next\n".join(path.read_text(encoding="utf-8") for path in PAGES)


def test_what_is_counted_on_the_page_is_what_the_generator_counts():
    assert fill_page(TEXT) == TEXT, "run: python -m tools.instructors_page"


def test_the_head_of_a_chapter_and_the_front_page_say_how_long_the_exercises_take():
    stale = [path.name for path, text in fill_minutes() if path.read_text("utf-8") != text]
    assert stale == [], "run: python -m tools.instructors_page"
    assert len(MINUTES.findall((ROOT / "intro.md").read_text("utf-8"))) == 1


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_lesson_plan_has_the_sections_of_its_chapter_50_and_75_minutes_and_a_misconception_of_it(path):
    text = "\n".join(prose(read(path)))
    plan = re.search(rf"^### Chapter {int(path.stem[:2])}\n\n(.*?)(?=^##)", TEXT, re.M | re.S)[1]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in plan.strip().splitlines()[2:]]
    sections = [section for section in re.findall(r"^## (.+)$", text, re.M) if section not in ("Summary", "Sources")]
    assert [section for section, *_ in rows] == sections
    assert [sum(int(row[i]) for row in rows if row[i] != "–") for i in (1, 2)] == [50, 75]
    quote = re.search(r'^\| Common misconceptions [^"]+("[^"]+")', plan, re.M)[1]
    assert f"**{quote}**" in text


def test_no_course_has_a_chapter_before_what_it_needs():
    needs = {
        int(number): [int(n) for n in re.findall(r"\d+", needed)]
        for number, needed in re.findall(r"^\| \[(\d+)\. [^|]+\| \d+ \| ([^|]+) \|", TEXT, re.M)
    }
    courses = re.findall(r"^\| [a-z][^|]+ \| ((?:\d+, )+\d+) \|", TEXT, re.M)
    assert len(needs) == len(CHAPTERS) and len(courses) >= 5
    for course in courses:
        order = [int(number) for number in course.split(", ")]
        assert all(set(needs[n]) <= set(order[:i]) for i, n in enumerate(order)), course


def test_every_item_that_an_exercise_serves_is_explained_and_no_other():
    assert {item for entry in list_entries() for item in entry.exercise.serves.split()} == set(ITEMS)


EXAM = [
    pytest.param(one, id=f"{number}{letter}")
    for number, questions in read_exam().items()
    for letter, one in zip("ab", questions, strict=True)
]


@pytest.mark.parametrize("one", EXAM)
def test_the_numbers_of_an_exam_answer_are_computed_or_given_in_its_question(one):
    """Numbers of more than one digit; a smaller one that no expression gives is read as a part of the formula."""
    functions = {
        "log": np.log,
        "exp": np.exp,
        "mean": np.mean,
        "weights": lambda scores, d: softmax(np.array(scores) / np.sqrt(d)),
    }
    for written, expression in one.get("numbers", {}).items():
        digits = len(written.partition(".")[2])
        assert round(float(eval(expression, functions)), digits) == float(written.replace(",", "")), expression
        assert re.search(rf"(?<![\d.,]){re.escape(written)}(?![\d.]*\d)", one["answer"]), written
    shown = {number for number in re.findall(r"\d(?:[\d,]*\d)?(?:\.\d+)?", one["answer"]) if len(number) > 1}
    assert shown <= {*one.get("numbers", {}), *re.findall(r"\d(?:[\d,]*\d)?(?:\.\d+)?", one["question"])}


def test_every_chapter_has_exam_questions_and_no_answer_is_on_a_page_or_in_its_translation():
    assert [*read_exam()] == [path.stem[:2] for path in CHAPTERS]
    public = TEXT + (ROOT / "locale" / TRANSLATED / "pages" / "instructors.po").read_text("utf-8")
    for number, questions in read_exam().items():
        for one in questions:
            assert one["question"] in TEXT
            assert not [s for s in re.split(r"(?<=[.?]) ", one["answer"]) if len(s) > 40 and s in public], number


def test_the_page_gives_no_answer_away():
    for entry in list_entries():
        assert f"“{entry.exercise.named}”" not in TEXT or not entry.exercise.named
        for name in entry.exercise.names:
            assert f"“{name}”" not in TEXT
