"""A notebook in another language is graded like one in English."""

import re

import nbformat

from homework.check import prepared, summary
from homework.grade.grading import grade
from tools.catalogue import rewrite_notebook, translations
from tools.chapter import CHAPTERS, read, student_copy, with_language

DEPENDS_ON = ("homework/", "attention_src/", "chapters/01", "locale/ko/chapters/01")


def test_a_submission_gets_the_same_points_in_both_languages_and_korean_words_in_one():
    """One right answer, one wrong, one not attempted: in the student copy as it is, and in the Korean one."""
    chapter, known, verdicts = CHAPTERS[0], translations("chapters/01_definition"), {}
    for name in ("en", "ko"):
        copy = student_copy(read(chapter))
        if name == "ko":
            copy = with_language(rewrite_notebook(copy, lambda message, kind, place: known.get(message)), name)
        answers = {
            "ex01-attention": "my_attention = scaled_dot_product_attention",
            "ex01-doubled": "weight_on_itself = 0.5",
        }
        for cell in copy.cells:
            cell.source = answers.get(cell.id, cell.source)
        task = prepared(nbformat.writes(copy).encode())
        verdicts[name] = {one["name"]: one for one in summary(task, grade(task))["exercises"]}
    for name, english in verdicts["en"].items():
        korean = verdicts["ko"][name]
        assert (english["points"], english["status"]) == (korean["points"], korean["status"])
        assert english["message"] != korean["message"] and re.search("[가-힣]", korean["message"])
    assert [one["status"] for one in verdicts["ko"].values()] == ["right", "wrong", "not attempted"]
