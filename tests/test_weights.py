"""What is true of one way to weigh or another; what they all promise is in `test_contract`."""

import math

import numpy as np
import pytest
import torch
from reference import M, N, both_libraries, loop_relu, loop_sigmoid, loop_softmax, random, refuses, same

from attention_src.weights import relu_weights, sigmoid_weights, softmax

LOOPS = {softmax: loop_softmax, relu_weights: loop_relu, sigmoid_weights: loop_sigmoid}
every_kind = pytest.mark.parametrize("weigh", LOOPS, ids=lambda weigh: weigh.__name__)


@both_libraries
@every_kind
def test_one_row_of_scores_needs_no_second_axis(weigh, array):
    (scores,), mask = random((M,)), np.arange(M) < 4
    same(weigh(array(scores)), LOOPS[weigh]([scores], [np.ones(M, bool)])[0])
    same(weigh(array(scores), array(mask)), LOOPS[weigh]([scores], [mask])[0])
    with refuses(ValueError, "mask (3,) and scores (7,): both need a column for each key, got 3 and 7"):
        weigh(array(scores), array(mask[:3]))


def test_at_zero_relu_has_torchs_gradient_and_no_negative_zero():
    scores = torch.tensor([[0.0, -0.0, 2.0]], requires_grad=True)
    weights = relu_weights(scores)
    weights.sum().backward()
    assert not torch.signbit(weights).any()
    same(scores.grad, torch.tensor([[0, 0, 1 / 3]]), tolerance=1e-7)


@both_libraries
def test_adding_a_number_to_every_score_of_a_row_changes_no_softmax_weight(array):
    scores, shift = random((N, M), (N, 1))
    same(softmax(array(scores + 100 * shift)), softmax(array(scores)))


@both_libraries
def test_a_weight_far_too_small_for_float64_is_zero_and_one_barely_large_enough_is_right(array):
    scores = array(np.array([[0.0, -700.0, -800.0]]))
    same(softmax(scores)[0, 1:] / math.exp(-700), [1, 0])
    same(3 * sigmoid_weights(scores)[0, 1:] / math.exp(-700), [1, math.exp(-100)])


@pytest.mark.parametrize(
    "row",
    [
        [math.inf, 0.0, 1.0],
        [math.inf, math.inf, 1.0],
        [-math.inf, 0.0, 1.0],
        [math.nan, 0.0, 1.0],
        [math.inf, -math.inf, 1.0],
    ],
    ids=str,
)
@both_libraries
def test_softmax_of_infinities_and_nan_is_torchs(row, array):
    scores = np.array([row, [0.0, 1.0, 2.0]])
    with np.errstate(invalid="ignore"):
        same(softmax(array(scores)), torch.softmax(torch.tensor(scores), dim=-1))


@both_libraries
def test_relu_and_sigmoid_of_infinities_and_nan_touch_no_other_weight(array):
    scores = array(np.array([[math.inf, -math.inf, math.nan, 0.0]]))
    with np.errstate(invalid="ignore"):
        same(relu_weights(scores), [[math.inf, 0, math.nan, 0]])
        same(sigmoid_weights(scores), [[1, 0, math.nan, 0.2]])


@every_kind
def test_more_keys_than_half_precision_can_count_are_counted(weigh):
    scores = np.ones((1, 70000), np.float16)  # the largest float16 is 65,504
    expected = {softmax: 1 / 70000, relu_weights: 1 / 70000, sigmoid_weights: 1 / (1 + 70000 / math.e)}[weigh]
    for mask in (None, np.ones((1, 70000), bool)):
        assert weigh(scores, mask)[0, -1] == np.float16(expected)
