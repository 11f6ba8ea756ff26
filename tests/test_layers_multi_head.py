"""`MultiHeadAttention` head after head, against torch's layer with copied weights, and what may change what."""

from functools import partial

import pytest
import torch
from reference import (
    BATCH,
    D_MODEL,
    D_V,
    HEADS,
    D,
    LargestTensor,
    M,
    N,
    fill_randomly,
    random,
    refuses,
    same,
    some_mask,
)
from test_contract import both_ways
from torch import nn

from attention_src.attention import scaled_dot_product_attention
from attention_src.layers import MultiHeadAttention
from attention_src.masks import causal_mask, padding_mask
from attention_src.positions import alibi_bias, rotary

TOKENS = {"query": (BATCH, N, D_MODEL), "key": (BATCH, M, D_MODEL), "value": (BATCH, M, D_MODEL)}
PROJECTIONS = ("query_proj", "key_proj", "value_proj")


def some_layer(*sizes, **settings):
    return fill_randomly(MultiHeadAttention(*sizes or (D_MODEL, HEADS), **settings))


def some_tokens(*names):
    arrays = dict(zip(TOKENS, random(*TOKENS.values(), seed=3), strict=True))
    return [torch.tensor(arrays[name], requires_grad=True) for name in names or TOKENS]


def pack_parameters(layer, read=lambda parameter: parameter):
    """Return our parameters, or what `read` reads of each, under the names and in the layout of torch's layer."""
    three = [getattr(layer, name) for name in PROJECTIONS]
    return {
        "in_proj_weight": torch.cat([read(projection.weight) for projection in three]),
        "in_proj_bias": torch.cat([read(projection.bias) for projection in three]),
        "out_proj.weight": read(layer.out_proj.weight),
        "out_proj.bias": read(layer.out_proj.bias),
    }


def agree(ours, theirs, pack):
    """Assert that two modules, each with its output and inputs, have the same output and all the same gradients.

    `pack` returns what it is told to read of each of our parameters under torch's names.
    """
    (output, inputs, _), (expected, others, module) = ours, theirs
    same(output, expected)
    for answer in (output, expected):
        answer.backward(torch.tensor(random(tuple(answer.shape), seed=5)[0]))
    for one, two in zip(inputs, others, strict=True):
        same(one.grad, two.grad)
    named = pack(ours[2], read=lambda parameter: parameter.grad)
    for name, parameter in module.named_parameters():
        same(named.pop(name), parameter.grad)
    assert not named


@pytest.mark.parametrize("sizes", [(D_MODEL, HEADS), (D_MODEL, HEADS, 2, D_V), (7, HEADS, 2, 5), (D_MODEL, 1)], ids=str)
@both_ways
def test_it_is_attention_head_after_head(sizes, need_weights):
    layer, heads = some_layer(*sizes), sizes[1]
    shapes = [(BATCH, rows, sizes[0]) for rows in (N, M, M)]
    tokens = [torch.tensor(x) for x in random(*shapes)]
    mask = torch.tensor(some_mask(BATCH, heads, N, M))
    got, _ = layer(*tokens, mask, need_weights=need_weights)
    projected = [getattr(layer, name)(x).chunk(heads, dim=-1) for name, x in zip(PROJECTIONS, tokens, strict=True)]
    mixed = [scaled_dot_product_attention(*head, mask[:, h])[0] for h, head in enumerate(zip(*projected, strict=True))]
    same(got, layer.out_proj(torch.cat(mixed, dim=-1)))


def masks_and_biases(n, m):
    """Return masks and biases for our layer, each with what torch's takes instead: there, True = may not look."""
    bias = torch.tensor(random((n, m), (BATCH, HEADS, n, m), seed=8)[1])
    causal, alibi = causal_mask(n, m, like=torch.ones(1)), alibi_bias(HEADS, n, m, like=bias)
    padding = padding_mask(torch.tensor([3, m]), m)
    heads = torch.tensor(some_mask(BATCH, HEADS, n, m))
    heads[..., 0] = True  # torch's layer answers a query that may look nowhere with NaN
    hidden = bias.masked_fill(~heads, -torch.inf)
    return {
        "no mask": ({}, {}),
        "causal": ({"mask": causal}, {"attn_mask": ~causal}),
        "padding": ({"mask": padding}, {"key_padding_mask": ~padding[:, 0]}),
        "causal and padding": ({"mask": causal & padding}, {"attn_mask": ~causal, "key_padding_mask": ~padding[:, 0]}),
        "one for each head": ({"mask": heads}, {"attn_mask": ~heads.flatten(0, 1)}),
        "a bias": ({"bias": bias[0, 0]}, {"attn_mask": bias[0, 0]}),
        "alibi": ({"bias": alibi[None]}, {"attn_mask": alibi.repeat(BATCH, 1, 1)}),
        "a bias and heads": ({"bias": bias, "mask": heads}, {"attn_mask": hidden.flatten(0, 1)}),
    }


@pytest.mark.parametrize("kind", masks_and_biases(N, M))
@both_ways
@pytest.mark.parametrize("names", [("query",), ("query", "key"), ("query", "key", "value")], ids=len)
def test_output_weights_and_all_gradients_are_those_of_torchs_layer(names, need_weights, kind):
    layer, tokens, others = some_layer(), some_tokens(*names), some_tokens(*names)
    other = nn.MultiheadAttention(D_MODEL, HEADS, batch_first=True, dtype=torch.float64)
    other.load_state_dict(pack_parameters(layer))
    three = others * 3 if len(names) == 1 else [*others, others[-1]][:3]
    ours, theirs = masks_and_biases(N, three[1].shape[1])[kind]
    output, weights = layer(*tokens, **ours, need_weights=need_weights)
    expected, of_each_head = other(*three, **theirs, need_weights=need_weights, average_attn_weights=False)
    if need_weights:
        same(weights, of_each_head)
    agree((output, tokens, layer), (expected, others, other), pack_parameters)


def test_d_k_and_d_v_share_out_d_model_where_they_are_not_given():
    assert MultiHeadAttention(D_MODEL, HEADS, d_k=2).value_proj.out_features == D_MODEL
    assert MultiHeadAttention(D_MODEL, HEADS, d_v=2).key_proj.out_features == D_MODEL


@both_ways
@pytest.mark.parametrize("num_kv_heads", [1, 3])
def test_shared_heads_of_keys_are_as_many_copies_of_them(num_kv_heads, need_weights):
    layer, full = some_layer(12, 6, num_kv_heads=num_kv_heads), some_layer(12, 6)
    state = layer.state_dict()
    for name in ("key_proj.weight", "key_proj.bias", "value_proj.weight", "value_proj.bias"):
        assert len(state[name]) == 2 * num_kv_heads
        state[name] = state[name].unflatten(0, (num_kv_heads, 2)).repeat_interleave(6 // num_kv_heads, 0).flatten(0, 1)
    full.load_state_dict(state)
    tokens, mask = some_tokens(), torch.tensor(some_mask(BATCH, 6, N, M))
    for ours, theirs in zip(*(some(*tokens, mask, need_weights) for some in (layer, full)), strict=True):
        assert ours is theirs is None or same(ours, theirs) is None


def test_a_layer_may_do_without_biases():
    layer = some_layer(linear_bias=False)
    assert [*layer.state_dict()] == [f"{name}.weight" for name in (*PROJECTIONS, "out_proj")]
    assert (layer(torch.zeros(N, D_MODEL, dtype=torch.float64))[0] == 0).all()


@both_ways
def test_queries_and_keys_are_rotated_by_their_positions_but_values_are_not(need_weights):
    layer, plain = some_layer(rotate=partial(rotary, base=100.0, layout="halves"), scale=0.7), some_layer()
    (query, key, value), places = some_tokens(), torch.tensor([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]])
    heads = lambda x, name: getattr(plain, name)(x).unflatten(-1, (HEADS, D)).transpose(1, 2)  # noqa: E731
    rotate = partial(rotary, base=100.0, layout="halves")
    q, k = rotate(heads(query, "query_proj"), places[:, None]), rotate(heads(key, "key_proj"))
    mixed, weights = scaled_dot_product_attention(q, k, heads(value, "value_proj"), scale=0.7)
    output, got = layer(query, key, value, need_weights=need_weights, positions=places)
    same(output, plain.out_proj(mixed.transpose(1, 2).flatten(2)))
    assert got is None or same(got, weights) is None
    same(layer(query, positions=places)[0], layer(query, query, positions=places, key_positions=places)[0], 0)
    same(layer(query, positions=torch.arange(N) + 7)[0], layer(query)[0])  # only the distance counts


def test_a_token_written_from_a_cache_is_the_last_of_all_tokens():
    layer, (x,) = some_layer(rotate=rotary), some_tokens("query")
    whole = layer(x, mask=causal_mask(N, like=x))[0]
    step = layer(x[:, 3:], x, mask=causal_mask(2, N, offset=3, like=x), positions=torch.arange(3, N))[0]
    same(step, whole[:, 3:])


@both_ways
def test_many_queries_may_share_the_keys_of_one_sequence(need_weights):
    layer, (query, key, value) = some_layer(), some_tokens()
    for shared in ((query, key[0], value[0]), (query, key[:1], value[0]), (query[:1], key, value[:1])):
        whole = [x.expand(BATCH, *x.shape[-2:]) for x in shared]
        mask = torch.tensor(some_mask(BATCH, N, M))
        same(layer(*shared, mask, need_weights)[0], layer(*whole, mask, need_weights)[0])


def test_without_weights_no_tensor_holds_all_of_them():
    layer, tokens = some_layer(), torch.ones(1, 97, D_MODEL, dtype=torch.float64)
    for need_weights in (True, False):
        with LargestTensor() as largest:
            layer(tokens, need_weights=need_weights)
        assert (largest.bytes >= 8 * HEADS * 97 * 97) == need_weights


QUERY, KEY, VALUE = some_tokens()
WHOLE = "d_model is 10; expected a multiple of num_heads = 3, or d_k and d_v"
PAIRS = "key {} and value {}: every key needs one value, got {} and {}"
FORMS = "any axis but the last may be 1"
REFUSED = [
    *((lambda sizes=sizes: some_layer(*sizes), WHOLE) for sizes in [(10, 3), (10, 3, 4), (10, 3, None, 4)]),
    (lambda: some_layer(num_kv_heads=2), "num_kv_heads is 2; expected a divisor of num_heads = 3"),
    (lambda: some_layer(scale="1"), "scale is '1'; expected a real number"),
    (lambda: some_layer()(QUERY, bias=[0.0]), "bias is a list; expected a torch tensor"),
    (lambda: some_layer()(QUERY, bias=torch.ones(N, N) > 0),
     "bias has dtype torch.bool; expected floating-point numbers"),
    (lambda: some_layer()(QUERY, bias=torch.ones(HEADS, N, N)),
     f"bias has shape (3, 5, 5); expected (5, 5) or (2, 5, 5) or (2, 3, 5, 5); {FORMS}"),
    (lambda: some_layer()(QUERY, positions=torch.arange(N)), "positions are given to a layer made without `rotate`"),
    (lambda: some_layer()(QUERY, KEY, VALUE[:, 1:]), PAIRS.format(TOKENS["key"], (BATCH, M - 1, D_MODEL), M, M - 1)),
    (lambda: some_layer()(QUERY, value=VALUE), PAIRS.format(TOKENS["query"], TOKENS["value"], N, M)),
    (lambda: some_layer()(QUERY, KEY[[0, 1, 1]], VALUE[[0, 1, 1]]),
     f"query {TOKENS['query']} and key (3, 7, 12) and value (3, 7, 12): the axes before the last two do not broadcast, "
     "got (2,) and (3,) and (3,)"),
]  # fmt: skip
OF_A_KIND = ("a real number", "a torch tensor", "floating-point numbers")  # what a TypeError expects


@pytest.mark.parametrize("call, message", REFUSED)
def test_what_does_not_fit_is_refused(call, message):
    with refuses(TypeError if message.endswith(OF_A_KIND) else ValueError, message):
        call()
