"""What is noticed of a right answer, and what half of one is worth."""

import pytest
from classroom import cell_of, chapter, needs_sandbox, statuses

from homework.answers import EXERCISES

pytestmark = needs_sandbox


def test_what_the_prompt_does_not_forbid_is_noticed_and_no_work_for_a_person():
    submission = chapter(6).solved()
    cell_of(submission, "ex06-heads").source = """from attention_src import scaled_dot_product_attention


def my_heads(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    parts = [(X @ W).reshape(len(X), num_heads, -1).swapaxes(0, 1) for W in (W_q, W_k, W_v)]
    output, weights = scaled_dot_product_attention(*parts, mask)
    return output.swapaxes(0, 1).reshape(len(X), -1) @ W_o, weights"""
    result = chapter(6).graded(submission)
    assert set(statuses(result).values()) == {"right"}
    (note,) = result["notes"]
    assert note["text"].startswith("calls scaled_dot_product_attention") and not note["person"]


@pytest.mark.parametrize("number", [2, 3, 4, 5, 6, 7, 8, 9, 11, 12])
def test_a_right_function_with_a_wrong_prediction_has_half_of_its_points_in_every_chapter(number):
    one = chapter(number)
    exercise = next(one for one in one.exercises if EXERCISES[one.name].named != "")
    submission = one.solved()
    cell_of(submission, exercise.name).source += f"\n{exercise.asked[1]} = 123456"
    verdict = one.graded(submission)["exercises"][exercise.name]
    assert (verdict["status"], verdict["share"]) == ("partly right", 0.5)
