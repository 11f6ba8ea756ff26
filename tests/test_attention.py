"""Attention against loops and torch's own function, the block by block form against the plain one, and odd input."""

import tracemalloc
from functools import partial

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from reference import BATCH, D_Q, D_V, HEADS, D, LargestTensor, M, N, both_libraries, random, refuses, same, some_mask
from test_contract import ATTENTION, CORE, by_blocks, generic, plain

from attention_src.attention import attention, blockwise_attention, scaled_dot_product_attention
from attention_src.masks import causal_mask
from attention_src.scores import dot_score, general_score, scaled_dot_score
from attention_src.weights import relu_weights, sigmoid_weights, softmax

BLOCK_SIZES = [*range(1, 10), 100]
every_form = pytest.mark.parametrize("attend", [plain, generic, by_blocks], ids=["plain", "generic", "blockwise"])


def random_inputs(*leading):
    """Return query, key and value with these axes before the last two, one for all or one for each."""
    return [*CORE["attention"].arrays(leading if len(leading) == 3 else leading * 3).values()]


@every_form
@pytest.mark.parametrize("kind, tolerance", [("float32", 5e-5), ("float64", 1e-12)])
@pytest.mark.parametrize("mask", [None, (N, M), (BATCH, 1, N, M), (BATCH, HEADS, N, M)], ids=str)
@pytest.mark.parametrize("bias", [None, (N, M), (1, M), (HEADS, N, M), (BATCH, 1, 1, M), (BATCH, HEADS, N, M)], ids=str)
def test_output_and_all_gradients_are_those_of_torch(attend, bias, mask, kind, tolerance):
    inputs = [a.astype(kind) for a in random_inputs((BATCH, HEADS)) + (random(bias, seed=8) if bias else [])]
    leaves = [torch.tensor(a, requires_grad=True) for a in inputs]
    mask = None if mask is None else some_mask(*mask)
    visible = None if mask is None else torch.tensor(mask)
    added = visible if not bias else leaves[3] if mask is None else torch.where(visible, leaves[3], -torch.inf)
    pull = torch.tensor(random((BATCH, HEADS, N, D_V), seed=5)[0].astype(kind))
    for scale in (None, 2, np.float32(-0.5), 0.0):
        ours = attend(*leaves[:3], visible, bias=leaves[3] if bias else None, scale=scale)
        theirs = F.scaled_dot_product_attention(*leaves[:3], added, scale=None if scale is None else float(scale))
        assert ours.dtype == theirs.dtype
        same(ours, theirs, tolerance)
        same(attend(*inputs[:3], mask, bias=inputs[3] if bias else None, scale=scale), theirs, tolerance)
        pulled = [torch.autograd.grad((o * pull).sum(), leaves, retain_graph=True) for o in (ours, theirs)]
        for one, two in zip(*pulled, strict=True):
            same(one, two, tolerance)


@both_libraries
@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
@pytest.mark.parametrize("attend", [attention, scaled_dot_product_attention])
def test_weights_are_the_softmax_of_the_scaled_scores_in_the_dtype_of_the_output(attend, kind, array):
    query, key, value = (array(a.astype(kind)) for a in random_inputs((BATCH,)))
    mask = array(some_mask(N, M))
    output, weights = attend(query, key, value, mask)
    assert output.dtype == weights.dtype == query.dtype
    expected = softmax(scaled_dot_score(*(array(np.asarray(a, float)) for a in (query, key))), mask)
    same(weights, expected, {"float16": 1e-3, "float32": 1e-5}.get(kind, 1e-12))


@both_libraries
def test_weights_and_output_are_the_three_steps_in_a_row(array):
    (_, key, value), mask = random_inputs((BATCH,)), some_mask(N, M)
    query, w = random((BATCH, N, D_Q), (D_Q, D), seed=2)  # how long a query may be is for the score to judge
    query, key, value, mask, w = map(array, (query, key, value, mask, w))
    for weigh in (softmax, relu_weights, sigmoid_weights):
        output, weights = attention(query, key, value, mask, score=partial(general_score, w=w), weigh=weigh)
        same(weights, weigh(general_score(query, key, w), mask))
        same(output, weights @ value)
        assert (output.shape, weights.shape) == ((BATCH, N, D_V), (BATCH, N, M))


@both_libraries
@pytest.mark.parametrize("block_size", BLOCK_SIZES)
@pytest.mark.parametrize("size", [1, 30, 1000])
def test_blockwise_is_the_plain_form_for_large_scores_in_any_order(block_size, size, array):
    query, key, value = random_inputs()
    for order in (np.argsort(key[:, 0]), np.argsort(-key[:, 0])):  # the maximum comes last, or first
        inputs = [array(a) for a in (size * query, key[order], value[order])]
        for mask in None, array(causal_mask(N, M)), array(causal_mask(N, M)[:, ::-1].copy()):
            same(blockwise_attention(*inputs, mask, block_size=block_size), plain(*inputs, mask), tolerance=1e-12)


def peak_bytes(n, m, block_size):
    """Return the most memory that NumPy holds at once while n queries attend to m keys, without the inputs."""
    query, key, value = random((n, 8), (m, 8), (m, 8))
    blockwise_attention(query[:1], key[:1], value[:1], block_size=1)  # what is imported on first use is not counted
    tracemalloc.start()
    try:
        blockwise_attention(query, key, value, block_size=block_size)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_more_keys_take_no_more_memory():
    few, many = (peak_bytes(256, m, block_size=64) for m in (1024, 8192))
    assert many <= 1.02 * few < 256 * 8192


def test_torch_never_makes_a_tensor_larger_than_a_block_or_the_output():
    query, key, value = (torch.ones(rows, 2) for rows in (60, 80, 80))
    for mask in None, torch.ones(1, 80, dtype=torch.bool):
        with LargestTensor() as largest:
            blockwise_attention(query, key, value, mask, block_size=20)
        assert largest.bytes == 20 * 20 * 4
    with LargestTensor() as largest:
        plain(query, key, value)
    assert largest.bytes == 60 * 80 * 4


@both_libraries
def test_a_score_of_ones_own_in_another_precision_changes_no_dtype(array):
    inputs = [array(a.astype("float32")) for a in random_inputs()]
    scores = array(random((N, M))[0])
    output, weights = attention(*inputs, score=lambda query, key: scores)
    assert output.dtype == weights.dtype == inputs[0].dtype
    same(weights, softmax(scores), tolerance=1e-6)


@pytest.mark.parametrize("spoilt", ["query", "key", "value"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("sign", [1, -1])
@both_libraries
@every_form
def test_nan_and_infinity_are_where_torch_has_them(attend, spoilt, bad, sign, array):
    inputs = dict(zip(ATTENTION, map(abs, random_inputs()), strict=True))
    inputs["query"][1] *= sign
    inputs[spoilt][2, 1] = bad
    for mask in [(), (some_mask(N, M),)][: 2 if spoilt == "value" else 1]:  # a bad score is no match for torch's mask
        given = (*inputs.values(), *mask)
        expected = F.scaled_dot_product_attention(*(torch.tensor(a)[None, None] for a in given))[0, 0]
        with np.errstate(invalid="ignore"):
            same(attend(*map(array, given)), expected)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@both_libraries
@every_form
def test_a_nan_key_spreads_only_to_the_queries_that_may_look_at_it(attend, bad, array):
    (query, key, value), mask = random_inputs(), some_mask(N, M)
    clean = plain(query, key, value, mask)
    key[3] = bad
    with np.errstate(invalid="ignore"):
        got = np.asarray(attend(*map(array, (query, key, value, mask))))
    looks = mask[:, 3]
    same(got[~looks], clean[~looks])
    assert 0 < looks.sum() < N and not np.isclose(got[looks], clean[looks]).any()


def test_a_finite_value_that_no_query_may_see_counts_with_the_weight_that_weigh_gives_it():
    query, key, value = random_inputs()
    output, weights = attention(query, key, value, np.zeros((N, M), bool), weigh=lambda scores, mask: softmax(scores))
    same(output, weights @ value, 0)


@both_libraries
@every_form
def test_a_bias_of_minus_infinity_hides_and_changes_no_dtype(attend, array):
    inputs, mask = [array(a.astype("float32")) for a in random_inputs()], some_mask(N, M)
    for kind in (float, "float16"):
        got = attend(*inputs, bias=array(np.where(mask, 0, -np.inf).astype(kind)))
        assert got.dtype == inputs[0].dtype
        same(got, attend(*inputs, array(mask)), 0)
    whole = np.arange(N * M).reshape(N, M)
    same(attend(*inputs, bias=array(whole)), attend(*inputs, bias=array(whole.astype("float32"))), 0)


@both_libraries
def test_a_scale_is_for_the_score_to_take_and_a_bias_for_every_score(array):
    query, key, value, bias = map(array, (*random_inputs(), random((N, M))[0]))
    got = attention(query, key, value, scale=3, bias=bias, score=lambda q, k, scale: dot_score(q, k) + scale)[1]
    same(got, softmax(dot_score(query, key) + 3 + bias))
    with pytest.raises(TypeError, match="unexpected keyword argument 'scale'"):
        attention(query, key, value, scale=3, score=dot_score)
    whole = array(np.ones((N, M), int))
    same(attention(query, key, value, bias=bias, score=lambda q, k: whole)[1], softmax(bias), 1e-6)


@both_libraries
@every_form
def test_a_scale_or_bias_that_is_none_is_refused(attend, array):
    inputs, prefix = [array(a) for a in random_inputs()], "torch." if array is torch.tensor else ""
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
    with refuses(TypeError, "query is a NumPy array but bias is a torch tensor; expected one library"):
        attend(*random_inputs(), bias=torch.ones(N, M))


@both_libraries
@every_form
def test_the_leading_axes_of_a_bias_must_broadcast_with_all_others(attend, array):
    axes = "the axes before the last two do not broadcast, got"
    for leading, other in (
        (((3,), (), ()), "scores (3, 5, 7)"),
        (((), (3,), ()), "scores (3, 5, 7)"),
        (((), (), (3,)), "value (3, 7, 6)"),
    ):
        with refuses(ValueError, f"bias (2, 5, 7) and {other}: {axes} (2,) and (3,)"):
            attend(*map(array, random_inputs(*leading)), bias=array(np.ones((BATCH, N, M))))
    mask = array(np.ones((3, N, M), bool))
    with refuses(ValueError, f"mask (3, 5, 7) and bias (2, 5, 7) and value (7, 6): {axes} (3,) and (2,) and ()"):
        attend(*map(array, random_inputs()), mask, bias=array(np.ones((BATCH, N, M))))


def test_scores_and_weights_of_ones_own_that_do_not_fit_are_refused():
    inputs = random_inputs((BATCH,))
    with refuses(ValueError, "weights (2, 7, 5) and value (2, 7, 6): every value needs one weight, got 5 and 7"):
        attention(*inputs, score=lambda query, key: dot_score(key, query))
    axes = "the axes before the last two do not broadcast, got (3,) and (2,)"
    with refuses(ValueError, f"weights (3, 5, 7) and value (2, 7, 6): {axes}"):
        attention(*inputs, score=lambda query, key: np.ones((3, N, M)))
    with refuses(TypeError, "weights is a list; expected a NumPy array or a torch tensor"):
        attention(*inputs, weigh=lambda scores, mask: scores.tolist())
