"""The promises that every function and every layer of the core keeps: one test each, for all of a table.

What only scores or weights promise comes behind it; attention, masks and positions have files of their own.

The arrays in the tables have sizes that all differ, so that no two axes can be exchanged unseen.
"""

import math
import tomllib
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import reference
import torch
from reference import (
    BATCH,
    D_MODEL,
    D_Q,
    D_V,
    HEADS,
    D,
    H,
    M,
    N,
    both_libraries,
    fill_randomly,
    loop_attention,
    map_matrices,
    odd_versions,
    random,
    refuses,
    same,
    some_mask,
)

from attention_src.attention import attention, blockwise_attention, scaled_dot_product_attention
from attention_src.layers import AdditiveAttention, DecoderBlock, EncoderBlock, FeedForward, MultiHeadAttention
from attention_src.masks import causal_mask, padding_mask, window_mask
from attention_src.models.seq2seq import KINDS as KINDS_OF_ATTENTION
from attention_src.models.seq2seq import Seq2Seq
from attention_src.models.transformer import Transformer
from attention_src.models.vit import VisionTransformer
from attention_src.patches import patchify, unpatchify
from attention_src.positions import alibi_bias, rotary, sinusoidal_positions
from attention_src.scores import additive_score, dot_score, general_score, scaled_dot_score, tanh_score
from attention_src.weights import relu_weights, sigmoid_weights, softmax


@dataclass
class Core:
    """How to call a function of the core, and what it is by definition."""

    call: callable
    loop: callable
    shapes: dict
    masked: bool = False

    @property
    def batched(self):
        """The names of the arrays that may have leading axes: not those of what a layer learns."""
        return [name for name in self.shapes if name in ("query", "key", "value", "scores")]

    def arrays(self, leading=((), (), ()), seed=0):
        """Return NumPy arrays by name, with these axes before the last two of those that may have them."""
        axes = dict(zip(self.batched, leading, strict=False))
        shapes = [(*axes.get(name, ()), *shape) for name, shape in self.shapes.items()]
        return dict(zip(self.shapes, random(*shapes, seed=seed), strict=True))

    def expected(self, arrays, mask=None):
        """Return what the loops say."""
        batched = [arrays[name] for name in self.batched]
        learned = [array for name, array in arrays.items() if name not in self.batched]
        if self.masked:
            mask = np.ones((N, M), bool) if mask is None else mask
            batched.append(np.broadcast_to(mask, (*mask.shape[:-2], N, M)))
        return map_matrices(lambda *given: self.loop(*given, *learned), *batched)


def generic(*inputs, **settings):
    return attention(*inputs, **settings)[0]


def plain(*inputs, **settings):
    return scaled_dot_product_attention(*inputs, **settings)[0]


by_blocks = partial(blockwise_attention, block_size=3)


QUERY_KEY = {"query": (N, D), "key": (M, D)}
ATTENTION = QUERY_KEY | {"value": (M, D_V)}
LEARNED = {"w_query": (D_Q, H), "w_key": (D, H), "v": (H,)}
CORE = {
    "dot_score": Core(dot_score, reference.loop_dot, QUERY_KEY),
    "scaled_dot_score": Core(scaled_dot_score, reference.loop_scaled, QUERY_KEY),
    "general_score": Core(general_score, reference.loop_general, {"query": (N, D_Q), "key": (M, D), "w": (D_Q, D)}),
    "additive_score": Core(additive_score, reference.loop_additive, {"query": (N, D_Q), "key": (M, D)} | LEARNED),
    "tanh_score": Core(tanh_score, reference.loop_tanh, {"query": (N, H), "key": (M, H), "v": (H,)}),
    "softmax": Core(softmax, reference.loop_softmax, {"scores": (N, M)}, masked=True),
    "relu_weights": Core(relu_weights, reference.loop_relu, {"scores": (N, M)}, masked=True),
    "sigmoid_weights": Core(sigmoid_weights, reference.loop_sigmoid, {"scores": (N, M)}, masked=True),
    "attention": Core(generic, loop_attention, ATTENTION, masked=True),
    "scaled_dot_product_attention": Core(plain, loop_attention, ATTENTION, masked=True),
    "blockwise_attention": Core(by_blocks, loop_attention, ATTENTION, masked=True),
}


def for_each(select):
    """Run a test for every function of the table of which this is true."""
    return pytest.mark.parametrize("core", [pytest.param(c, id=name) for name, c in CORE.items() if select(c)])


every_function = for_each(lambda core: True)
takes_mask = for_each(lambda core: core.masked)
takes_rows = for_each(lambda core: "query" in core.shapes)
KINDS = pytest.mark.parametrize("kind", ["float16", "float32", "float64"])


def as_given(array, arrays, kind=None):
    """Return the arrays in one of the two libraries."""
    return {name: array(a if kind is None else a.astype(kind)) for name, a in arrays.items()}


LEADING = [((), (), ()), ((BATCH, HEADS),) * 3, ((BATCH, 1), (HEADS,), ()), ((), (HEADS, BATCH), (1,)), ((), (), (2,))]


@both_libraries
@every_function
@pytest.mark.parametrize("leading", LEADING, ids=str)
def test_it_is_what_the_loops_say_along_all_leading_axes(core, leading, array):
    arrays = core.arrays(leading)
    got = core.call(**as_given(array, arrays))
    same(got, core.expected(arrays))
    assert type(got) is type(array([1.0]))


@both_libraries
@takes_mask
@pytest.mark.parametrize("leading", [(), (BATCH, HEADS)], ids=str)
@pytest.mark.parametrize("rows", [slice(None), slice(4, 5)], ids=["a row each", "one row"])
@pytest.mark.parametrize("shape", [(), (HEADS,), (BATCH, 1), (BATCH, HEADS)], ids=str)
def test_under_a_mask_it_is_what_the_loops_say(core, shape, rows, leading, array):
    arrays, mask = core.arrays([leading] * 3), some_mask(*shape, N, M)[..., rows, :]
    same(core.call(**as_given(array, arrays), mask=array(mask)), core.expected(arrays, mask))


@every_function
def test_gradients_are_those_of_finite_differences(core):
    arrays = core.arrays(((BATCH, 1), (HEADS,), ()))
    inputs = [torch.tensor(a, requires_grad=True) for a in arrays.values()]
    for mask in [(), (torch.tensor(some_mask(N, M)),)][: 1 + core.masked]:
        assert torch.autograd.gradcheck(lambda *given, mask=mask: core.call(*given, *mask), inputs, fast_mode=True)


@both_libraries
@every_function
def test_inputs_are_never_modified_nor_handed_back(core, array):
    arrays = core.arrays() | ({"mask": some_mask(N, M)} if core.masked else {})
    given = as_given(array, arrays)
    core.call(**given)[:] = 7
    for name, before in arrays.items():
        assert (np.asarray(given[name]) == before).all()


@both_libraries
@takes_mask
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e300])
def test_what_no_query_can_see_does_not_matter(core, bad, array):
    mask = some_mask(N, M) & (np.arange(M) != 3)
    for hidden in (mask, mask[1:2], np.stack([mask] * BATCH)):
        arrays = core.arrays()
        expected = core.expected(arrays, hidden)
        for name in arrays.keys() & {"scores", "key", "value"}:
            arrays[name][(..., 3) if name == "scores" else 3] = bad
        with np.errstate(invalid="ignore", over="ignore"):
            same(core.call(**as_given(array, arrays), mask=array(hidden)), expected)


OTHER_SCORE = {"score": partial(tanh_score, v=torch.ones(D).double())}
SCORED = [partial(generic, **given) for given in ({}, {"weigh": relu_weights}, {"weigh": sigmoid_weights}, OTHER_SCORE)]


@pytest.mark.parametrize("attend", [plain, by_blocks, *SCORED])
@pytest.mark.parametrize("bad", [0, np.nan, np.inf, -np.inf, 1e300])
def test_what_the_mask_hides_counts_as_0_in_gradients_too(attend, bad):
    mask, results = torch.tensor(some_mask(N, M) & (np.arange(M) != 3)), []
    for visible in (mask, mask[1:2], torch.stack([mask] * BATCH)):
        arrays = CORE["attention"].arrays()
        for filling in (arrays["key"][3, 0], bad):
            arrays["key"][3] = arrays["value"][3] = filling
            arrays["query"][0] = filling if len(visible) > 1 else 0  # in the others it may look nowhere
            leaves = [torch.tensor(array, requires_grad=True) for array in arrays.values()]
            output = attend(*leaves, visible)
            results.append([output, *torch.autograd.grad(output.square().sum(), leaves)])
    for clean, spoilt in zip(results[::2], results[1::2], strict=True):
        for one, other in zip(clean, spoilt, strict=True):
            same(one, other)


@both_libraries
@for_each(lambda core: "key" in core.shapes and not core.masked)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_nan_and_infinity_spoil_only_the_scores_of_their_own_query_or_key(core, bad, array):
    clean = core.call(**core.arrays())
    for name, place in ("query", np.s_[2, :]), ("key", np.s_[:, 2]):
        arrays = core.arrays()
        arrays[name][2] = bad
        with np.errstate(invalid="ignore"):
            got = np.asarray(core.call(**as_given(array, arrays)))
        assert (np.isnan(got[place]) if np.isnan(bad) else ~np.isclose(got[place], clean[place])).all()
        got[place] = clean[place]
        same(got, clean)


@both_libraries
@every_function
@KINDS
def test_scores_of_ten_thousand_stay_finite(core, kind, array):
    arrays = {name: np.ones(shape) for name, shape in core.shapes.items()}
    for name in core.batched[:2]:
        arrays[name][:] = 1e4 if name == "scores" else 0
        arrays[name][:, 0] = 1e4 if name == "scores" else 100  # 100 · 100 and zeros
        arrays[name][0] *= -1
    got = np.asarray(core.call(**as_given(array, arrays, kind)))
    assert np.isfinite(got).all()
    if core.loop is loop_attention:
        same(got, np.ones(got.shape))  # as all values are


@both_libraries
@every_function
def test_integers_are_taken_as_real_numbers(core, array):
    whole = {name: np.round(3 * a).astype(int) for name, a in core.arrays().items()}
    got, default = core.call(**as_given(array, whole)), array(0.5).dtype
    assert got.dtype == default
    same(got, core.call(**as_given(array, whole, str(default).removeprefix("torch."))), 0)


@both_libraries
@every_function
@KINDS
def test_integers_take_the_dtype_of_the_others_whichever_they_are(core, kind, array):
    rounded = {name: np.round(3 * a) for name, a in core.arrays().items()}
    expected = core.call(**as_given(array, rounded, kind))
    assert expected.dtype == array(np.ones(1, kind)).dtype
    for name in rounded if len(rounded) > 1 else ():
        got = core.call(**as_given(array, rounded, kind) | {name: array(rounded[name].astype(int))})
        assert got.dtype == expected.dtype
        same(got, expected, 0)


@every_function
@pytest.mark.parametrize("half", [torch.float16, torch.bfloat16], ids=str)
def test_half_precision_is_rounded_once_at_the_end(core, half):
    rough = {name: torch.tensor(a).to(half) for name, a in core.arrays().items()}
    exact = {name: a.float() for name, a in rough.items()}
    for mask in [{}, {"mask": torch.tensor(some_mask(N, M))}][: 1 + core.masked]:
        got = core.call(**rough, **mask)
        assert got.dtype == half and torch.equal(got, core.call(**exact, **mask).to(half))


@both_libraries
@takes_rows
@pytest.mark.parametrize("kinds", [("float16", "float32", "float64"), ("float64", "float16", "float32")], ids=str)
def test_different_precisions_meet_in_the_highest(core, kinds, array):
    rough = {name: a.astype(kind) for (name, a), kind in zip(core.arrays().items(), kinds * 2, strict=False)}
    got = core.call(**as_given(array, rough))
    expected = core.call(**as_given(array, rough, np.result_type(*rough.values()).name))
    assert got.dtype == expected.dtype
    same(got, expected)


@both_libraries
@every_function
def test_odd_input_is_refused_by_name(core, array):
    for given, error, message in odd_versions(array, core.arrays()):
        with refuses(error, message):
            core.call(**given)


@both_libraries
@takes_rows
def test_a_single_vector_is_not_a_row_of_vectors(core, array):
    for name in core.batched:
        arrays = core.arrays()
        arrays[name] = arrays[name][0]
        shape = arrays[name].shape
        with refuses(ValueError, f"{name} has shape {shape}; expected (..., rows, d), one row for each query or key"):
            core.call(**as_given(array, arrays))


MISFITS = tomllib.loads(Path(__file__).with_name("misfits.toml").read_text("utf-8"))["misfits"]


@both_libraries
@pytest.mark.parametrize("name, argument, shape, message", MISFITS)
def test_a_wrong_shape_is_refused_with_both_names_and_shapes(name, argument, shape, message, array):
    arrays = CORE[name].arrays() | {argument: np.ones(shape)}
    with refuses(ValueError, message):
        CORE[name].call(**as_given(array, arrays))


@both_libraries
@takes_rows
@pytest.mark.parametrize("leading", [((2, 2), (3, 3), ()), ((4,), (3,), (3,))], ids=str)
def test_leading_axes_that_do_not_broadcast_are_refused(core, leading, array):
    arrays = core.arrays(leading)
    shapes = " and ".join(f"{name} {arrays[name].shape}" for name in core.batched)
    got = " and ".join(str(axes) for axes, _ in zip(leading, core.batched, strict=False))
    with refuses(ValueError, f"{shapes}: the axes before the last two do not broadcast, got {got}"):
        core.call(**as_given(array, arrays))


ROWS = "expected (..., n, m), a row for each query and a column for each key"
EMPTY = "expected at least one axis, none of them empty"
MASK_MISFITS = [
    (np.ones((N, M), int), TypeError, "mask has dtype int64; expected booleans, True = may look"),
    (np.ones((N, M)), TypeError, "mask has dtype float64; expected booleans, True = may look"),
    (np.ones(M, bool), ValueError, f"mask has shape (7,); {ROWS}"),
    (np.array(True), ValueError, f"mask has shape (); {EMPTY}"),
    (np.ones((0, M), bool), ValueError, f"mask has shape (0, 7); {EMPTY}"),
    (np.ones((N, 1), bool), ValueError, "mask (5, 1) and scores (5, 7): both need a column for each key, got 1 and 7"),
    (np.ones((M, N), bool), ValueError, "mask (7, 5) and scores (5, 7): both need a column for each key, got 5 and 7"),
    (np.ones((4, M), bool), ValueError, "mask (4, 7) and scores (5, 7): both need a row for each query, got 4 and 5"),
]


@both_libraries
@takes_mask
@pytest.mark.parametrize("mask, error, message", MASK_MISFITS)
def test_a_mask_that_does_not_fit_is_refused(core, mask, error, message, array):
    if array is torch.tensor:
        message = message.replace("dtype ", "dtype torch.")
    with refuses(error, message):
        core.call(**as_given(array, core.arrays()), mask=array(mask))


@takes_mask
def test_a_mask_of_another_library_or_of_none_is_refused(core):
    mask, first, arrays = np.ones((N, M), bool), core.batched[0], core.arrays()
    with refuses(TypeError, f"{first} is a NumPy array but mask is a torch tensor; expected one library"):
        core.call(**arrays, mask=torch.tensor(mask))
    with refuses(TypeError, f"{first} is a torch tensor but mask is a NumPy array; expected one library"):
        core.call(**as_given(torch.tensor, arrays), mask=mask)
    with refuses(TypeError, "mask is a list; expected a NumPy array or a torch tensor"):
        core.call(**arrays, mask=mask.tolist())


@both_libraries
@takes_mask
def test_a_mask_for_other_sequences_is_refused(core, array):
    mask = array(np.ones((BATCH, N, M), bool))
    axes = "the axes before the last two do not broadcast, got (2,) and (3,)"
    for name in core.batched:
        leading = [(3,) if name == other else () for other in core.batched]
        other = f"value (3, {M}, {D_V})" if name == "value" else f"scores (3, {N}, {M})"
        with refuses(ValueError, f"mask (2, {N}, {M}) and {other}: {axes}"):
            core.call(**as_given(array, core.arrays(leading)), mask=mask)


every_weigh = for_each(lambda core: "scores" in core.shapes)
INFINITIES = [[np.inf, 0, 1], [np.inf, np.inf, 1], [-np.inf, 0, 1], [np.nan, 0, 1], [np.inf, -np.inf, 1]]


@both_libraries
@every_weigh
def test_one_row_of_scores_needs_no_second_axis(core, array):
    (scores,), mask = random((M,)), np.arange(M) < 4
    same(core.call(array(scores), array(mask)), core.loop([scores], [mask])[0])
    with refuses(ValueError, "mask (3,) and scores (7,): both need a column for each key, got 3 and 7"):
        core.call(array(scores), array(mask[:3]))


def test_at_zero_relu_has_torchs_gradient_and_no_negative_zero():
    scores = torch.tensor([[0.0, -0.0, 2.0]], requires_grad=True)
    weights = relu_weights(scores)
    weights.sum().backward()
    assert not torch.signbit(weights).any()
    same(scores.grad, torch.tensor([[0, 0, 1 / 3]]), tolerance=1e-7)


@both_libraries
def test_a_weight_far_too_small_for_float64_is_zero_and_one_barely_large_enough_is_right(array):
    scores = array(np.array([[0.0, -700.0, -800.0]]))
    same(softmax(scores)[0, 1:] / math.exp(-700), [1, 0])
    same(3 * sigmoid_weights(scores)[0, 1:] / math.exp(-700), [1, math.exp(-100)])


@both_libraries
def test_infinities_and_nan_are_in_softmax_where_torch_has_them_and_elsewhere_touch_no_other_weight(array):
    scores, mixed = np.array(INFINITIES), array(np.array([[np.inf, -np.inf, np.nan, 0]]))
    with np.errstate(invalid="ignore"):
        same(softmax(array(scores)), torch.softmax(torch.tensor(scores), dim=-1))
        same(relu_weights(mixed), [[np.inf, 0, np.nan, 0]])
        same(sigmoid_weights(mixed), [[1, 0, np.nan, 0.2]])


@every_weigh
def test_more_keys_than_half_precision_can_count_are_counted(core):
    scores, mask = np.ones((1, 70000), np.float16), np.ones((1, 70000), bool)  # the largest float16 is 65,504
    expected = 1 / (1 + 70000 / math.e) if core.call is sigmoid_weights else 1 / 70000
    assert core.call(scores)[0, -1] == core.call(scores, mask)[0, -1] == np.float16(expected)


def count_parameters(module):
    return sum(parameter.numel() for parameter in module.parameters())


TOKENS = np.ones((1, 4))
TAKE_INTEGERS = [
    (causal_mask, "n m offset"),
    (window_mask, "n width m ahead offset"),
    (partial(padding_mask, [0]), "m"),
    (partial(blockwise_attention, TOKENS, TOKENS, TOKENS), "block_size"),
    (sinusoidal_positions, "n d_model"),
    (partial(rotary, TOKENS), "d_rotary"),
    (alibi_bias, "num_heads n m"),
    (partial(patchify, np.ones((2, 4, 6))), "patch_size"),
    (partial(unpatchify, TOKENS), "patch_size height width"),
    (AdditiveAttention, "d_query d_key d_hidden"),
    (MultiHeadAttention, "d_model num_heads d_k d_v num_kv_heads"),
    (FeedForward, "d_model d_ff"),
    (EncoderBlock, "d_model num_heads d_ff"),
    (DecoderBlock, "d_model num_heads d_ff"),
    (VisionTransformer, "image_size patch_size num_classes d_model num_layers num_heads d_ff in_channels"),
    (Transformer, "num_source num_target d_model num_heads d_ff longest"),
]
NUMBERS = [(call, names.split(), name) for call, names in TAKE_INTEGERS for name in names.split()]
LEAST = {(window_mask, "width"): 0, (window_mask, "ahead"): 0}
LEAST |= dict.fromkeys([(window_mask, "offset"), (causal_mask, "offset")])


@pytest.mark.parametrize("call, names, name", NUMBERS)
def test_a_number_may_be_of_any_library_but_must_be_an_integer_that_is_not_too_small(call, names, name):
    def make(number):
        made = call(**dict.fromkeys(names, 2) | {name: number})
        return count_parameters(made) if isinstance(made, torch.nn.Module) else made

    for good in np.uint8(2), np.array(2), torch.tensor(2):
        same(make(good), make(2), 0)
    for bad in (2.0, "2", [2], np.array([2, 3]), 1j, True, np.True_):
        with refuses(TypeError, f"{name} is {bad!r}; expected an integer"):
            make(bad)
    least = LEAST.get((call, name), 1)
    for bad in () if least is None else (least - 1, -2):
        with refuses(ValueError, f"{name} is {bad}; expected at least {least}"):
            make(bad)


def test_like_must_be_an_array():
    for make, sizes in (causal_mask, [2]), (window_mask, [2, 1]), (sinusoidal_positions, [2, 4]), (alibi_bias, [2, 3]):
        with refuses(TypeError, "like is a list; expected a NumPy array or a torch tensor"):
            make(*sizes, like=[1.0])


@dataclass
class Layer:
    """How to make a layer, the tokens it takes, and whose mask says at which of them, `keys`, one may look."""

    make: callable
    shapes: dict
    keys: str = "key"
    mask: str = "mask"
    always_weights: bool = False

    def arguments(self, *leading):
        """Return the layer with random parameters, and tokens by name and a mask with these axes before the rows."""
        shapes = [(*leading, *shape) for shape in self.shapes.values()]
        tokens = [torch.tensor(a, requires_grad=True) for a in random(*shapes, seed=3)]
        mask = torch.tensor(some_mask(*leading, N, self.shapes[self.keys][0]))
        return fill_randomly(self.make()), dict(zip(self.shapes, tokens, strict=True)), mask

    def call(self, module, tokens, mask=None, need_weights=False):
        """Return the output and all weights, if there are any, in one list."""
        settings = {} if self.always_weights else {"need_weights": need_weights}
        output, weights = module(**tokens, **{self.mask: mask}, **settings)
        return [output, *(weights if isinstance(weights, tuple) else () if weights is None else (weights,))]


X, MEMORY = {"x": (N, D_MODEL)}, {"memory": (M, D_MODEL)}
THREE = {"query": (N, D_MODEL), "key": (M, D_MODEL), "value": (M, D_MODEL)}
LAYERS = {
    "MultiHeadAttention": Layer(lambda: MultiHeadAttention(D_MODEL, HEADS), THREE),
    "shorter heads": Layer(lambda: MultiHeadAttention(D_MODEL, HEADS, 2, D_V), THREE),
    "grouped queries": Layer(lambda: MultiHeadAttention(D_MODEL, 6, num_kv_heads=2), THREE),
    "EncoderBlock": Layer(lambda: EncoderBlock(D_MODEL, HEADS, H), X, keys="x"),
    "EncoderBlock, norm last": Layer(lambda: EncoderBlock(D_MODEL, HEADS, H, "relu", False), X, keys="x"),
    "DecoderBlock": Layer(lambda: DecoderBlock(D_MODEL, HEADS, H), X | MEMORY, keys="memory", mask="memory_mask"),
    "AdditiveAttention": Layer(
        lambda: AdditiveAttention(D_Q, D, H), ATTENTION | {"query": (N, D_Q)}, always_weights=True
    ),
}
every_layer = pytest.mark.parametrize("layer", LAYERS.values(), ids=LAYERS)
both_ways = pytest.mark.parametrize("need_weights", [True, False])


@both_ways
@every_layer
def test_a_batch_gives_what_its_sequences_give_one_by_one(layer, need_weights):
    module, tokens, mask = layer.arguments(BATCH, 3)
    together = layer.call(module, tokens, mask, need_weights)
    for index in np.ndindex(BATCH, 3):
        alone = layer.call(module, {name: x[index] for name, x in tokens.items()}, mask[index], need_weights)
        for whole, one in zip(together, alone, strict=True):
            same(whole[index], one)


@both_ways
@every_layer
def test_a_layer_leaves_its_inputs_alone_and_makes_no_nan_of_a_query_that_may_look_nowhere(layer, need_weights):
    module, tokens, mask = layer.arguments(BATCH)
    before = [x.detach().clone() for x in (*tokens.values(), mask)]
    output = layer.call(module, tokens, mask, need_weights)[0]
    for x, was in zip((*tokens.values(), mask), before, strict=True):
        same(x, was, 0)
    gradients = torch.autograd.grad(output.sum(), (*tokens.values(), *module.parameters()))
    assert all(x.isfinite().all() for x in (output, *gradients))


@both_ways
@pytest.mark.parametrize("bad", [0, torch.nan, torch.inf, -torch.inf])
@pytest.mark.parametrize("name", [name for name in LAYERS if "Encoder" not in name])
def test_what_the_mask_hides_can_spoil_neither_output_nor_gradients(name, bad, need_weights):
    layer = LAYERS[name]
    module, tokens, mask = layer.arguments(BATCH)
    masks = [mask & (torch.arange(M) < torch.tensor([3, M])[:, None, None]), padding_mask(torch.tensor([3, M]), M)]
    if layer.mask == "mask" and not layer.always_weights:
        heads = torch.tensor([True, False, True]).repeat(module.num_heads // 3)
        masks.append(masks[0][:, None] & heads[:, None, None])
    for visible in masks:
        results = []
        for spoil in (False, True):
            if spoil:
                for padded in (tokens[name] for name, shape in layer.shapes.items() if shape[0] == M):
                    padded.data[0, 3:] = bad
            if "query" in tokens and visible.shape[-2] > 1:
                tokens["query"].data[:, 0] = bad if spoil else 1  # it may look nowhere
            outputs = layer.call(module, tokens, visible, need_weights)
            leaves = (*tokens.values(), *module.parameters())
            results.append([*outputs, *torch.autograd.grad(outputs[0].square().sum(), leaves)])
        for clean, spoilt in zip(*results, strict=True):
            same(clean, spoilt)
        _, tokens, _ = layer.arguments(BATCH)


@both_ways
@every_layer
def test_under_autocast_a_layer_takes_the_precision_that_torch_converts(layer, need_weights):
    module, tokens, mask = layer.arguments(BATCH)
    expected = layer.call(module, tokens, mask, need_weights)[0]
    with torch.autocast("cpu", torch.bfloat16):
        rough = {name: x.bfloat16() for name, x in tokens.items()}
        same(layer.call(module.float(), rough, mask, need_weights)[0].float(), expected, 0.2)


TEXT, SIZES = torch.tensor([[3, 4, 5], [4, 2, 0]]), {"d_embed": 3, "d_encoder": 4, "d_decoder": 4}
MODELS = {
    **{f"Seq2Seq {kind}": partial(Seq2Seq, 6, 6, **SIZES, attention=kind) for kind in KINDS_OF_ATTENTION},
    "Transformer": partial(Transformer, 6, 6, D_MODEL, HEADS, H, longest=3),
}


@pytest.mark.parametrize("lengths", [[3, 2], np.array([3, 2]), torch.tensor([3, 2])], ids=lambda x: type(x).__name__)
@pytest.mark.parametrize("name", MODELS)
def test_a_model_takes_lengths_in_any_form_and_no_text_that_is_too_long(name, lengths):
    model = fill_randomly(MODELS[name]())
    same(model(TEXT, TEXT, lengths)[0], model(TEXT, TEXT, torch.tensor([3, 2]))[0], 0)
    with pytest.raises(TypeError, match=r"lengths has dtype torch.float32; expected integers"):
        model(TEXT, TEXT, [3.0, 2.0])
    if name == "Transformer":
        for given in (TEXT.repeat(1, 2), TEXT), (TEXT, TEXT.repeat(1, 2)):
            text = "source" if given[0].shape[1] == 6 else "target"
            with refuses(ValueError, f"{text} has 6 characters; expected at most longest = 3"):
                model(*given, [3, 2])


@pytest.mark.slow
@both_ways
def test_a_layer_is_exported_for_batches_and_lengths_of_any_size(need_weights):
    layer, x = fill_randomly(MultiHeadAttention(D_MODEL, HEADS)), torch.tensor(random((5, N, D_MODEL))[0])
    masks, sizes = [torch.tensor(some_mask(k, k)) for k in (N, M)], [*map(torch.export.Dim, ("batch", "n"))]
    shapes = {"query": dict(enumerate(sizes)), "mask": dict.fromkeys((0, 1), sizes[1]), "need_weights": None}
    given = {"mask": masks[0], "need_weights": need_weights}
    exported = torch.export.export(layer, (x,), given, dynamic_shapes=shapes).module()
    other, given["mask"] = torch.tensor(random((2, M, D_MODEL))[0]), masks[1]
    for got, expected in zip(exported(other, **given), layer(other, **given), strict=True):
        assert got is expected is None or same(got, expected) is None


@pytest.mark.parametrize("name", [*MODELS, *LAYERS])
def test_what_is_made_on_the_way_is_made_where_the_input_is(name):
    elsewhere = torch.device("meta")  # what is made there by mistake does not mix with the rest
    if name in LAYERS:
        module, tokens, mask = LAYERS[name].arguments(BATCH)
        for need_weights in (True, False):
            with elsewhere:
                outputs = LAYERS[name].call(module, tokens, mask, need_weights)
            assert {output.device.type for output in outputs} == {"cpu"}
        return
    model, source = fill_randomly(MODELS[name]()), TEXT[:1]
    with elsewhere:
        lengths = () if name.startswith("Seq2Seq") else ([3],)
        outputs = model(source, source, *lengths)[0], model.generate(source, 3, *lengths)[0]
    assert {output.device.type for output in outputs} == {"cpu"}


@pytest.mark.parametrize("name", [name for name in LAYERS if name != "AdditiveAttention"])
def test_odd_tokens_are_refused_by_name(name):
    layer, wide = LAYERS[name], f"expected (..., rows, d_model = {D_MODEL})"
    module, tokens, _ = layer.arguments(BATCH)
    for name, good in tokens.items():
        cases = [(good.tolist(), TypeError, "is a list; expected a torch tensor")]
        cases += [(good.detach().numpy(), TypeError, "is a ndarray; expected a torch tensor")]
        for kind in (torch.int64, torch.bool, torch.complex128, torch.float32):
            cases += [(good.to(kind), TypeError, f"has dtype {kind}; expected torch.float64, as the layer has")]
        for bad in (good[..., 1:], good[0, 0]):
            cases += [(bad, ValueError, f"has shape {tuple(bad.shape)}; {wide}")]
        for bad in (good[:, :0], good[:0], good.sum()):
            cases += [(bad, ValueError, f"has shape {tuple(bad.shape)}; {EMPTY}")]
        for bad, error, message in cases:
            with refuses(error, f"{name} {message}"):
                module(**tokens | {name: bad})


@both_ways
@pytest.mark.parametrize("name", [name for name in LAYERS if name != "AdditiveAttention"])
def test_a_mask_for_a_layer_must_hold_booleans_in_a_shape_that_fits(name, need_weights):
    layer = LAYERS[name]
    module, tokens, good = layer.arguments(BATCH)
    (n, m), heads = good.shape[1:], 6 if name == "grouped queries" else HEADS
    forms = f"{(n, m)} or {(BATCH, n, m)} or {(BATCH, heads, n, m)}; any axis but the last may be 1"
    misfits = [(), (m,), (n, 1), (n, m + 1), (2, m), (3, n, m), (BATCH, m + 1, m), (BATCH, n, 1), (heads, BATCH, n, m)]
    misfits += [(BATCH, heads, n, m + 1), (BATCH, 2, n, m), (3, heads, n, m), (1, BATCH, heads, n, m)]
    for shape in misfits:
        with refuses(ValueError, f"mask has shape {shape}; expected {forms}"):
            layer.call(module, tokens, torch.ones(shape, dtype=torch.bool), need_weights)
    for bad, message in (
        (good.double(), "has dtype torch.float64; expected booleans, True = may look"),
        (good.byte(), "has dtype torch.uint8; expected booleans, True = may look"),
        (good.numpy(), "is a ndarray; expected a torch tensor"),
        (good.tolist(), "is a list; expected a torch tensor"),
        (True, "is a bool; expected a torch tensor"),
    ):
        with refuses(TypeError, f"mask {message}"):
            layer.call(module, tokens, bad, need_weights)
