"""Weights against loops and torch, what a mask does to them, and what odd scores do."""

import math

import numpy as np
import pytest
import torch
from reference import (
    BATCH,
    HEADS,
    M,
    N,
    both_libraries,
    each,
    loop_relu,
    loop_sigmoid,
    loop_softmax,
    misfits,
    odd_versions,
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
def test_without_a_mask_the_weights_are_what_the_loops_say(weigh, array):
    (scores,) = random((BATCH, HEADS, N, M))
    expected = each(LOOPS[weigh], scores, np.ones((N, M), bool))
    got = weigh(array(scores))
    same(got, expected)
    same(weigh(array(scores), array(np.ones((N, M), bool))), expected)
    assert type(got) is type(array(scores))


@both_libraries
@every_kind
@pytest.mark.parametrize("mask", [(N, M), (1, M), (HEADS, N, M), (BATCH, 1, N, M), (BATCH, HEADS, 1, M)], ids=str)
def test_under_a_mask_the_weights_are_what_the_loops_say(weigh, mask, array):
    (scores,) = random((BATCH, HEADS, N, M))
    mask = some_mask(*mask) if mask[-2] > 1 else some_mask(*mask[:-2], 4, M)[..., -1:, :]
    expected = each(LOOPS[weigh], scores, np.broadcast_to(mask, (*mask.shape[:-2], N, M)))
    same(weigh(array(scores), array(mask)), expected)


@both_libraries
@every_kind
def test_a_mask_may_have_more_leading_axes_than_the_scores(weigh, array):
    (scores,), mask = random((N, M)), some_mask(BATCH, N, M)
    same(weigh(array(scores), array(mask)), each(LOOPS[weigh], scores, mask))


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


@every_kind
def test_gradients_under_a_mask_are_those_of_finite_differences(weigh):
    scores = torch.tensor(random((BATCH, N, M))[0], requires_grad=True)
    mask = torch.tensor(some_mask(N, M))
    assert torch.autograd.gradcheck(lambda s: weigh(s, mask), [scores], fast_mode=True)


def test_at_zero_relu_has_torchs_gradient_and_no_negative_zero():
    scores = torch.tensor([[0.0, -0.0, 2.0]], requires_grad=True)
    weights = relu_weights(scores)
    weights.sum().backward()
    assert not torch.signbit(weights).any()
    same(scores.grad, torch.tensor([[0, 0, 1 / 3]]), tolerance=1e-7)


@both_libraries
def test_rows_of_softmax_sum_to_one_and_a_row_that_may_look_nowhere_to_zero(array):
    (scores,), mask = random((BATCH, N, M)), some_mask(N, M)
    weights = softmax(array(scores), array(mask))
    expected = np.broadcast_to(mask.any(-1).astype(float), (BATCH, N))
    same(weights.sum(-1), expected)


@both_libraries
@every_kind
def test_a_masked_key_has_the_weight_zero_and_might_as_well_not_exist(weigh, array):
    (scores,) = random((N, M))
    seen = np.arange(M) != 3
    weights = weigh(array(scores), array(seen[None, :]))
    assert (weights[:, 3] == 0).all()
    same(weights[:, array(seen)], weigh(array(scores[:, seen])))


@both_libraries
@every_kind
@pytest.mark.parametrize("hidden", [np.nan, np.inf, -np.inf, 1e308])
def test_what_a_masked_score_is_does_not_matter(weigh, hidden, array):
    (scores,), mask = random((N, M)), some_mask(N, M)
    expected = weigh(scores, mask)
    scores[~mask] = hidden
    same(weigh(array(scores), array(mask)), expected, tolerance=0 if array is np.array else 1e-12)


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
def test_a_row_of_minus_infinity_is_a_row_that_may_look_nowhere(array):
    same(softmax(array([[-math.inf, -math.inf], [0.0, 0.0]])), [[0, 0], [0.5, 0.5]], tolerance=0)


@both_libraries
def test_relu_and_sigmoid_of_infinities_and_nan_touch_no_other_weight(array):
    scores = array(np.array([[math.inf, -math.inf, math.nan, 0.0]]))
    with np.errstate(invalid="ignore"):
        same(relu_weights(scores), [[math.inf, 0, math.nan, 0]])
        same(sigmoid_weights(scores), [[1, 0, math.nan, 0.2]])


@both_libraries
@every_kind
def test_inputs_are_never_modified_nor_handed_back(weigh, array):
    (scores,), mask = random((N, M)), some_mask(N, M)
    given_scores, given_mask = array(scores), array(mask)
    got = weigh(given_scores, given_mask)
    got[:] = -1
    same(given_scores, scores, tolerance=0)
    assert (np.asarray(given_mask) == mask).all()


@both_libraries
@every_kind
def test_integers_are_taken_as_real_numbers(weigh, array):
    whole = np.array([[3, -1, 2], [0, 5, 1]])
    default = array(0.5).dtype
    got = weigh(array(whole))
    assert got.dtype == default
    same(got, weigh(array(whole.astype(float))), tolerance=1e-6)


@every_kind
@pytest.mark.parametrize("half", [torch.float16, torch.bfloat16])
def test_half_precision_is_rounded_once_at_the_end(weigh, half):
    scores, mask = torch.tensor(random((N, M))[0]).to(half), torch.tensor(some_mask(N, M))
    for seen in (None, mask):
        got = weigh(scores, seen)
        assert got.dtype == half
        assert torch.equal(got, weigh(scores.float(), seen).to(half))


@every_kind
def test_more_keys_than_half_precision_can_count_are_counted(weigh):
    scores = np.ones((1, 70000), np.float16)  # the largest float16 is 65,504
    expected = {softmax: 1 / 70000, relu_weights: 1 / 70000, sigmoid_weights: 1 / (1 + 70000 / math.e)}[weigh]
    for mask in (None, np.ones((1, 70000), bool)):
        assert weigh(scores, mask)[0, -1] == np.float16(expected)


@both_libraries
@every_kind
def test_odd_scores_are_refused_by_name(weigh, array):
    for given, error, message in odd_versions(array, {"scores": random((N, M))[0]}):
        with refuses(error, message):
            weigh(**given)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("layout", [torch.strided, torch.jagged], ids=str)
def test_nested_scores_are_refused(layout):
    nested = torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(3, 3)], layout=layout)
    with refuses(TypeError, "scores is a nested or sparse tensor; expected one that holds every number"):
        softmax(nested)


def test_a_plain_subclass_of_an_array_is_an_array():
    class Own(np.ndarray):
        pass

    same(np.asarray(softmax(np.ones((2, 4)).view(Own))), np.full((2, 4), 0.25))
    same(softmax(torch.nn.Parameter(torch.ones(2, 4))), torch.full((2, 4), 0.25))


@both_libraries
@every_kind
@misfits
def test_a_mask_that_does_not_fit_is_refused(weigh, mask, error, message, array):
    if array is torch.tensor:
        message = message.replace("dtype ", "dtype torch.")
    with refuses(error, message):
        weigh(array(np.ones((N, M))), array(mask))


@every_kind
def test_a_mask_of_another_library_or_of_none_is_refused(weigh):
    scores, mask = np.ones((1, 2)), np.ones((1, 2), bool)
    with refuses(TypeError, "scores is a NumPy array but mask is a torch tensor; expected one library"):
        weigh(scores, torch.tensor(mask))
    with refuses(TypeError, "scores is a torch tensor but mask is a NumPy array; expected one library"):
        weigh(torch.tensor(scores), mask)
    with refuses(TypeError, "mask is a list; expected a NumPy array or a torch tensor"):
        weigh(scores, mask.tolist())


@every_kind
def test_a_row_of_scores_with_a_mask_of_another_length_is_refused(weigh):
    with refuses(ValueError, "mask (3,) and scores (7,): both need a column for each key, got 3 and 7"):
        weigh(np.ones(M), np.ones(3, bool))


@every_kind
def test_a_mask_for_other_sequences_is_refused(weigh):
    axes = "the axes before the last two do not broadcast, got (3,) and (2,)"
    with refuses(ValueError, f"mask (3, 5, 7) and scores (2, 5, 7): {axes}"):
        weigh(np.ones((BATCH, N, M)), np.ones((3, N, M), bool))
