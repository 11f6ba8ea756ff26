"""Attention against loops and torch's own function, the block by block form against the plain one, and odd input."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from memory import peak_bytes
from reference import (
    BATCH,
    D_Q,
    D_V,
    HEADS,
    D,
    M,
    N,
    both_libraries,
    each,
    loop_dot,
    loop_mix,
    loop_softmax,
    random,
    refuses,
    same,
    some_mask,
)
from torch.utils._python_dispatch import TorchDispatchMode

from attention_src.attention import attention, blockwise_attention, scaled_dot_product_attention
from attention_src.masks import causal_mask
from attention_src.scores import dot_score, general_score
from attention_src.weights import relu_weights, sigmoid_weights, softmax

CAT = [np.array(rows) for rows in ([[1, 0], [0, 1]], [[1, 1], [0, 1]], [[1, 2], [9, 8]])]
BLOCK_SIZES = [*range(1, 10), 100]
SHAPES = {"query": (N, D), "key": (M, D), "value": (M, D_V)}


def plain(query, key, value, mask=None, **settings):
    return scaled_dot_product_attention(query, key, value, mask, **settings)[0]


def by_blocks(query, key, value, mask=None, **settings):
    return blockwise_attention(query, key, value, mask, block_size=3, **settings)


both_forms = pytest.mark.parametrize("attend", [plain, by_blocks], ids=["plain", "blockwise"])


def made(leading=(), seed=0):
    """Query, key and value with these axes before the last two, (all, all, all) or one for each."""
    leading = leading if leading and isinstance(leading[0], tuple) else (leading,) * 3
    return random(*((*axes, *shape) for axes, shape in zip(leading, SHAPES.values(), strict=True)), seed=seed)


# What it computes


@both_libraries
@pytest.mark.parametrize(
    "weigh, expected",
    [
        (softmax, [[3.641908, 3.981431], [5.0, 5.0]]),
        (relu_weights, [[0.353553, 0.707107], [3.535534, 3.535534]]),
        (sigmoid_weights, [[3.50349, 3.673646], [5.034898, 5.034898]]),
    ],
)
def test_the_cat_has_the_outputs_worked_out_beforehand(weigh, expected, array):
    output, _ = attention(*map(array, CAT), weigh=weigh)
    same(output, expected, tolerance=5e-7)


MASKS = [None, (N, M), (BATCH, 1, N, M), (HEADS, N, M), (BATCH, HEADS, N, M)]


@pytest.mark.parametrize("kind, tolerance", [(torch.float32, 2e-6), (torch.float64, 1e-12)], ids=str)
@pytest.mark.parametrize("mask", [None, (N, M), (BATCH, 1, N, M), (BATCH, HEADS, N, M)], ids=str)
@both_forms
def test_output_and_gradients_are_those_of_torch(attend, mask, kind, tolerance):
    inputs = [torch.tensor(a, dtype=kind, requires_grad=True) for a in made((BATCH, HEADS))]
    mask = mask and torch.tensor(some_mask(*mask))
    pull = torch.tensor(random((BATCH, HEADS, N, D_V), seed=5)[0], dtype=kind)
    outputs = [f(*inputs, mask) for f in (attend, F.scaled_dot_product_attention)]
    same(*outputs, tolerance=tolerance)
    assert outputs[0].dtype == kind
    for ours, theirs in zip(*(torch.autograd.grad((o * pull).sum(), inputs) for o in outputs), strict=True):
        same(ours, theirs, tolerance=10 * tolerance)


@both_libraries
def test_weights_and_output_are_the_three_steps_in_a_row(array):
    inputs, mask = made((BATCH,)), some_mask(N, M)
    (w,) = random((D, D), seed=2)
    query, key, value, mask, w = map(array, (*inputs, mask, w))
    for weigh in (softmax, relu_weights, sigmoid_weights):
        output, weights = attention(
            query, key, value, mask, score=lambda query, key: general_score(query, key, w), weigh=weigh
        )
        same(weights, weigh(general_score(query, key, w), mask))
        same(output, weights @ value)
        assert (output.shape, weights.shape) == ((BATCH, N, D_V), (BATCH, N, M))


@both_libraries
def test_unless_told_otherwise_scores_are_scaled_and_weighed_by_softmax(array):
    inputs, mask = [*map(array, made())], array(some_mask(N, M))
    for ours, theirs in zip(attention(*inputs, mask), scaled_dot_product_attention(*inputs, mask), strict=True):
        same(ours, theirs, tolerance=0)
    unscaled, _ = attention(*inputs, mask, score=dot_score)
    assert abs(unscaled - attention(*inputs, mask)[0]).max() > 0.1


# What must hold whatever the numbers


@both_libraries
@both_forms
def test_permuting_keys_together_with_values_changes_nothing(attend, array):
    (query, key, value), mask, order = made((BATCH,)), some_mask(N, M), np.random.default_rng(2).permutation(M)
    moved = attend(*map(array, (query, key[:, order], value[:, order], mask[:, order])))
    same(moved, attend(*map(array, (query, key, value, mask))))


@both_libraries
@both_forms
def test_permuting_queries_permutes_the_output(attend, array):
    (query, key, value), order = made((BATCH,)), np.random.default_rng(2).permutation(N)
    same(attend(*map(array, (query[:, order], key, value))), attend(query, key, value)[:, order])


@both_libraries
@both_forms
def test_a_key_in_the_future_changes_nothing_before_it(attend, array):
    query, key, value = made((BATCH,))
    mask = array(causal_mask(N, M))
    before = attend(*map(array, (query, key, value)), mask)
    key[:, 3], value[:, 3] = 100, -100
    after = attend(*map(array, (query, key, value)), mask)
    same(after[:, :3], before[:, :3], tolerance=0)
    assert (after[:, 3:] != before[:, 3:]).all()


@both_libraries
@both_forms
def test_a_masked_key_might_as_well_not_exist(attend, array):
    query, key, value = made((BATCH,))
    seen = np.arange(M) != 3
    masked = attend(*map(array, (query, key, value, np.broadcast_to(seen, (N, M)))))
    same(masked, attend(*map(array, (query, key[:, seen], value[:, seen]))))


@both_libraries
@both_forms
def test_adding_a_vector_to_every_key_changes_nothing(attend, array):
    query, key, value = made()
    (shift,) = random((D,), seed=4)
    same(attend(*map(array, (query, key + shift, value))), attend(query, key, value))


# Block by block


@both_libraries
@pytest.mark.parametrize("block_size", BLOCK_SIZES)
@pytest.mark.parametrize("mask", MASKS, ids=str)
def test_blockwise_is_the_plain_form_for_every_block_size(block_size, mask, array):
    inputs = [array(a) for a in made((BATCH, HEADS))]
    mask = None if mask is None else array(some_mask(*mask))
    same(blockwise_attention(*inputs, mask, block_size=block_size), plain(*inputs, mask), tolerance=1e-12)


@both_libraries
@pytest.mark.parametrize("block_size", BLOCK_SIZES)
@pytest.mark.parametrize("size", [1, 30, 1000])
def test_blockwise_is_the_plain_form_for_large_scores_in_any_order(block_size, size, array):
    query, key, value = made()
    for order in (np.argsort(key[:, 0]), np.argsort(-key[:, 0])):  # the maximum comes last, or first
        inputs = [array(a) for a in (size * query, key[order], value[order])]
        for mask in None, array(causal_mask(N, M)), array(causal_mask(N, M)[:, ::-1].copy()):
            same(blockwise_attention(*inputs, mask, block_size=block_size), plain(*inputs, mask), tolerance=1e-12)


@pytest.mark.parametrize("block_size", BLOCK_SIZES)
@pytest.mark.parametrize("mask", [None, (N, M), (BATCH, 1, N, M)], ids=str)
def test_blockwise_has_the_gradients_of_the_plain_form(block_size, mask):
    inputs = [torch.tensor(a, requires_grad=True) for a in made((BATCH, HEADS))]
    mask = mask and torch.tensor(some_mask(*mask))
    pull = torch.tensor(random((BATCH, HEADS, N, D_V), seed=5)[0])
    outputs = blockwise_attention(*inputs, mask, block_size=block_size), plain(*inputs, mask)
    for ours, theirs in zip(*(torch.autograd.grad((o * pull).sum(), inputs) for o in outputs), strict=True):
        same(ours, theirs, tolerance=1e-12)


def test_twice_as_many_queries_and_keys_take_at_most_twice_the_memory():
    peaks = {n: peak_bytes(n, n, block_size=32) for n in (512, 1024, 2048)}
    assert peaks[1024] <= 2 * peaks[512] and peaks[2048] <= 2 * peaks[1024]
    assert peaks[2048] < 8 * 2048 * 2048 / 100


def test_more_keys_take_no_more_memory():
    few, many = (peak_bytes(256, m, block_size=64) for m in (1024, 8192))
    assert many <= 1.02 * few


class Largest(TorchDispatchMode):
    """Remember the bytes of the largest tensor that torch makes."""

    bytes = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        made = function(*args, **(kwargs or {}))
        if torch.is_tensor(made):
            self.bytes = max(self.bytes, made.untyped_storage().nbytes())
        return made


def test_torch_never_makes_a_tensor_larger_than_a_block_or_the_output():
    query, key, value = (torch.ones(rows, 2) for rows in (60, 80, 80))
    for mask in None, torch.ones(1, 80, dtype=torch.bool):
        with Largest() as largest:
            blockwise_attention(query, key, value, mask, block_size=20)
        assert largest.bytes == 20 * 20 * 4
    with Largest() as largest:
        plain(query, key, value)
    assert largest.bytes == 60 * 80 * 4


# Numbers of other kinds


@both_libraries
@both_forms
def test_scores_that_overflow_half_precision_spoil_nothing(attend, array):
    query, value = np.full((1, 4), 300, np.float16), np.array([[1], [2]], np.float16)
    key = np.array([[300] * 4, [-300] * 4], np.float16)  # scores of ±180,000; the largest float16 is 65,504
    same(attend(*map(array, (query, key, value))), [[1.0]], tolerance=0)


@both_libraries
@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
@pytest.mark.parametrize("attend", [attention, scaled_dot_product_attention])
def test_the_weights_are_rounded_to_the_dtype_of_the_output(attend, kind, array):
    rough = [array(a.astype(kind)) for a in made()]
    exact = [array(np.asarray(a, float)) for a in rough]
    for got, expected in zip(attend(*rough), attend(*exact), strict=True):
        assert got.dtype == rough[0].dtype
        same(got, expected, {"float16": 1e-3, "float32": 1e-5}.get(kind, 1e-12))


@both_libraries
def test_a_score_of_ones_own_in_another_precision_changes_no_dtype(array):
    inputs = [array(a.astype("float32")) for a in made()]
    scores = array(random((N, M))[0])
    output, weights = attention(*inputs, score=lambda query, key: scores)
    assert output.dtype == weights.dtype == inputs[0].dtype
    same(weights, softmax(scores), tolerance=1e-6)


@pytest.mark.parametrize("spoilt", ["query", "key", "value"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("sign", [1, -1])
@both_libraries
@both_forms
def test_without_a_mask_nan_and_infinity_are_where_torch_has_them(attend, spoilt, bad, sign, array):
    inputs = dict(zip(SHAPES, map(abs, made()), strict=True))
    inputs["query"][1] *= sign
    inputs[spoilt][2, 1] = bad
    expected = F.scaled_dot_product_attention(*(torch.tensor(a)[None, None] for a in inputs.values()))[0, 0]
    with np.errstate(invalid="ignore"):
        same(attend(*map(array, inputs.values())), expected)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@both_libraries
@both_forms
def test_under_a_mask_a_spoilt_key_spoils_only_who_may_look_at_it(attend, bad, array):
    (query, key, value), mask = made(), some_mask(N, M)
    clean = plain(query, key, value, mask)
    key[3] = bad
    with np.errstate(invalid="ignore"):
        got = np.asarray(attend(*map(array, (query, key, value, mask))))
    looks = mask[:, 3]
    same(got[~looks], clean[~looks])
    assert 0 < looks.sum() < N and not np.isclose(got[looks], clean[looks]).any()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@both_libraries
@both_forms
def test_a_spoilt_value_spoils_its_column_for_all_if_anyone_may_look_as_in_torch_and_else_for_nobody(
    attend, bad, array
):
    (query, key, value), mask = made(), some_mask(N, M)
    value[3, 2] = bad
    theirs = F.scaled_dot_product_attention(*(torch.tensor(a)[None, None] for a in (query, key, value, mask)))
    with np.errstate(invalid="ignore"):
        same(attend(*map(array, (query, key, value, mask))), theirs[0, 0])
    assert torch.isnan(theirs[0, 0, 0]).tolist() == [False, False, True, False, False, False]
    for hidden in (mask & (np.arange(M) != 3), np.arange(M)[None] != 3, np.stack([mask & (np.arange(M) != 3)] * 2)):
        clean = np.where(np.isfinite(value), value, 7.0)
        same(attend(*map(array, (query, key, value, hidden))), attend(*map(array, (query, key, clean, hidden))), 0)


def test_a_finite_value_that_no_query_may_see_counts_with_the_weight_that_weigh_gives_it():
    query, key, value = made()
    output, weights = attention(query, key, value, np.zeros((N, M), bool), weigh=lambda scores, mask: softmax(scores))
    same(output, weights @ value, 0)


# A bias and a scale


PAIRS = [(N, M), (1, M), (HEADS, N, M), (BATCH, 1, 1, M), (BATCH, HEADS, N, M)]


@both_libraries
@both_forms
@pytest.mark.parametrize("scale", [None, 2, np.float32(-0.5), 0.0], ids=str)
@pytest.mark.parametrize("mask", [None, (N, M), (BATCH, 1, N, M)], ids=str)
@pytest.mark.parametrize("bias", [None, *PAIRS], ids=str)
def test_a_bias_is_added_to_the_scores_and_a_scale_replaces_the_root(attend, bias, mask, scale, array):
    inputs, extra = made((BATCH, HEADS)), np.zeros((N, M)) if bias is None else random(bias, seed=8)[0]
    scores = each(loop_dot, *inputs[:2]) * (1 / D**0.5 if scale is None else float(scale)) + extra
    seen = np.ones((N, M), bool) if mask is None else some_mask(*mask)
    expected = each(loop_mix, each(loop_softmax, scores, np.broadcast_to(seen, scores.shape)), inputs[2])
    given = {
        "mask": None if mask is None else array(seen),
        "scale": scale,
        "bias": None if bias is None else array(extra),
    }
    same(attend(*map(array, inputs), **given), expected)


@both_forms
@pytest.mark.parametrize("bias", PAIRS, ids=str)
def test_the_gradients_of_a_bias_are_those_of_torch(attend, bias):
    inputs = [torch.tensor(a, requires_grad=True) for a in (*made((BATCH, HEADS)), random(bias, seed=8)[0])]
    mask, pull = torch.tensor(some_mask(N, M)), torch.tensor(random((BATCH, HEADS, N, D_V), seed=5)[0])
    ours = attend(*inputs[:3], mask, bias=inputs[3], scale=0.3)
    theirs = F.scaled_dot_product_attention(*inputs[:3], torch.where(mask, inputs[3], -torch.inf), scale=0.3)
    same(ours, theirs)
    for one, two in zip(*(torch.autograd.grad((o * pull).sum(), inputs) for o in (ours, theirs)), strict=True):
        same(one, two)


@both_libraries
@both_forms
def test_a_bias_of_minus_infinity_hides_and_changes_no_dtype(attend, array):
    inputs, mask = [array(a.astype("float32")) for a in made()], some_mask(N, M)
    for kind in (float, "float16"):
        got = attend(*inputs, bias=array(np.where(mask, 0, -np.inf).astype(kind)))
        assert got.dtype == inputs[0].dtype
        same(got, attend(*inputs, array(mask)), 0)
    whole = np.arange(N * M).reshape(N, M)
    same(attend(*inputs, bias=array(whole)), attend(*inputs, bias=array(whole.astype("float32"))), 0)


@both_libraries
def test_a_scale_is_for_the_score_to_take_and_a_bias_for_every_score(array):
    query, key, value, bias = map(array, (*made(), random((N, M))[0]))
    got = attention(query, key, value, scale=3, bias=bias, score=lambda q, k, scale: dot_score(q, k) + scale)[1]
    same(got, softmax(dot_score(query, key) + 3 + bias))
    with pytest.raises(TypeError, match="unexpected keyword argument 'scale'"):
        attention(query, key, value, scale=3, score=dot_score)
    whole = array(np.ones((N, M), int))
    same(attention(query, key, value, bias=bias, score=lambda q, k: whole)[1], softmax(bias), 1e-6)


@both_libraries
@both_forms
def test_a_scale_or_bias_that_is_none_is_refused(attend, array):
    inputs, prefix = [array(a) for a in made()], "torch." if array is torch.tensor else ""
    for bad in ("2", True, [1.0], 1j):
        with refuses(TypeError, f"scale is {bad!r}; expected a real number"):
            attend(*inputs, scale=bad)
    for bad, error, message in (
        (np.ones((N, M), bool), TypeError, f"bias has dtype {prefix}bool; expected real numbers or integers"),
        (np.ones((N, 1)), ValueError, "bias (5, 1) and scores (5, 7): both need a column for each key, got 1 and 7"),
        (np.ones((4, M)), ValueError, "bias (4, 7) and scores (5, 7): both need a row for each query, got 4 and 5"),
    ):
        with refuses(error, message):
            attend(*inputs, bias=array(bad))
    with refuses(TypeError, "bias is a list; expected a NumPy array or a torch tensor"):
        attend(*inputs, bias=[[0.0]])


# What is refused


@both_forms
def test_a_bias_of_another_library_is_refused(attend):
    with refuses(TypeError, "query is a NumPy array but bias is a torch tensor; expected one library"):
        attend(*made(), bias=torch.ones(N, M))


@both_libraries
@both_forms
def test_the_leading_axes_of_a_bias_must_broadcast_with_all_others(attend, array):
    axes = "the axes before the last two do not broadcast, got"
    for leading, other in (
        (((3,), (), ()), "scores (3, 5, 7)"),
        (((), (3,), ()), "scores (3, 5, 7)"),
        (((), (), (3,)), "value (3, 7, 6)"),
    ):
        with refuses(ValueError, f"bias (2, 5, 7) and {other}: {axes} (2,) and (3,)"):
            attend(*map(array, made(leading)), bias=array(np.ones((BATCH, N, M))))
    mask = array(np.ones((3, N, M), bool))
    with refuses(ValueError, f"mask (3, 5, 7) and bias (2, 5, 7) and value (7, 6): {axes} (3,) and (2,) and ()"):
        attend(*map(array, made()), mask, bias=array(np.ones((BATCH, N, M))))


@both_libraries
def test_a_score_of_ones_own_with_queries_and_keys_exchanged_is_refused(array):
    inputs = [array(a) for a in made()]
    with refuses(ValueError, "weights (7, 5) and value (7, 6): every value needs one weight, got 5 and 7"):
        attention(*inputs, score=lambda query, key: dot_score(key, query))


def test_scores_of_ones_own_for_other_sequences_are_refused():
    query, key, value = made((BATCH,))
    axes = "the axes before the last two do not broadcast, got (3,) and (2,)"
    with refuses(ValueError, f"weights (3, 5, 7) and value (2, 7, 6): {axes}"):
        attention(query, key, value, score=lambda query, key: np.ones((3, N, M)))


def test_a_weigh_of_ones_own_that_returns_no_array_is_refused():
    with refuses(TypeError, "weights is a list; expected a NumPy array or a torch tensor"):
        attention(*made(), weigh=lambda scores, mask: scores.tolist())


def test_queries_and_keys_of_different_lengths_are_for_the_score_to_judge():
    query, key, value, w = random((N, D_Q), (M, D), (M, D_V), (D_Q, D))
    output, _ = attention(query, key, value, score=lambda query, key: general_score(query, key, w))
    same(output, softmax(query @ w @ key.T) @ value)
