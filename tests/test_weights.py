"""Weights against loops and torch, what a mask does to them, and what odd scores do."""

import math

import numpy as np
import pytest
import torch
from reference import (
    BATCH,
    M,
    N,
    both_libraries,
    loop_relu,
    loop_sigmoid,
    loop_softmax,
    random,
    refuses,
    same,
    some_mask,
)

from attention_src.weights import relu_weights, sigmoid_weights, softmax

LOOPS = {softmax: loop_softmax, relu_weights: loop_relu, sigmoid_weights: loop_sigmoid}
every_kind = pytest.mark.parametrize("weigh", LOOPS, ids=lambda weigh: weigh.__name__)

SCALED = np.array([[1, 0], [1, 1]]) / math.sqrt(2)  # "The cat", scaled


@both_libraries
@pytest.mark.parametrize(
    "weigh, expected",
    [
        (softmax, [[0.669762, 0.330238], [0.5, 0.5]]),
        (relu_weights, [[0.353553, 0.0], [0.353553, 0.353553]]),
        (sigmoid_weights, [[0.50349, 0.333333], [0.50349, 0.50349]]),
    ],
)
def test_the_cat_has_the_weights_worked_out_beforehand(weigh, expected, array):
    same(weigh(array(SCALED)), expected, tolerance=5e-7)


@both_libraries
@every_kind
def test_one_row_of_scores_needs_no_second_axis(weigh, array):
    (scores,), mask = random((M,)), np.arange(M) < 4
    same(weigh(array(scores)), LOOPS[weigh]([scores], [np.ones(M, bool)])[0])
    same(weigh(array(scores), array(mask)), LOOPS[weigh]([scores], [mask])[0])


def test_softmax_is_torchs_in_value_and_gradient():
    scores = torch.tensor(random((BATCH, N, M))[0], requires_grad=True)
    pull = torch.tensor(random((BATCH, N, M), seed=1)[0])
    for weigh, theirs in (
        (softmax, lambda s: torch.softmax(s, dim=-1)),
        (relu_weights, lambda s: torch.relu(s) / M),
        (sigmoid_weights, lambda s: torch.sigmoid(s - math.log(M))),
    ):
        same(weigh(scores), theirs(scores))
        ours, expected = (torch.autograd.grad((f(scores) * pull).sum(), scores)[0] for f in (weigh, theirs))
        same(ours, expected)


def test_at_zero_relu_has_torchs_gradient_and_no_negative_zero():
    scores = torch.tensor([[0.0, -0.0, 2.0]], requires_grad=True)
    weights = relu_weights(scores)
    weights.sum().backward()
    assert not torch.signbit(weights).any()
    same(scores.grad, torch.tensor([[0, 0, 1 / 3]]), tolerance=1e-7)


@both_libraries
@every_kind
def test_a_masked_key_has_the_weight_zero_and_might_as_well_not_exist(weigh, array):
    (scores,) = random((N, M))
    seen = np.arange(M) != 3
    weights = weigh(array(scores), array(seen[None, :]))
    assert (weights[:, 3] == 0).all()
    same(weights[:, array(seen)], weigh(array(scores[:, seen])))


@both_libraries
def test_adding_a_number_to_every_score_of_a_row_changes_no_softmax_weight(array):
    scores, shift = random((N, M), (N, 1))
    same(softmax(array(scores + 100 * shift)), softmax(array(scores)))


@both_libraries
@every_kind
def test_permuting_the_keys_permutes_the_weights(weigh, array):
    (scores,), mask, order = random((N, M)), some_mask(N, M), np.random.default_rng(2).permutation(M)
    expected = np.asarray(weigh(array(scores), array(mask)))[:, order]
    same(weigh(array(scores[:, order]), array(mask[:, order])), expected)


@both_libraries
@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
@every_kind
def test_scores_of_ten_thousand_stay_finite(weigh, kind, array):
    scores = array(np.array([[1e4, -1e4, 0], [-1e4, -1e4, -1e4], [1e4, 1e4, 1e4]], kind))
    expected = {
        softmax: [[1, 0, 0], [1 / 3] * 3, [1 / 3] * 3],
        relu_weights: [[1e4 / 3, 0, 0], [0] * 3, [1e4 / 3] * 3],
        sigmoid_weights: [[1, 0, 0.25], [0] * 3, [1] * 3],
    }[weigh]
    got = weigh(scores)
    assert got.dtype == scores.dtype
    same(got, expected, tolerance=1e-3 if kind == "float16" else 1e-7)


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


@every_kind
def test_a_row_of_scores_with_a_mask_of_another_length_is_refused(weigh):
    with refuses(ValueError, "mask (3,) and scores (7,): both need a column for each key, got 3 and 7"):
        weigh(np.ones(M), np.ones(3, bool))
