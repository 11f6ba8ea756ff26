"""The blocks of a Transformer against torch's with copied weights, and what may change what."""

import pytest
import torch
from reference import BATCH, HEADS, D, H, M, N, random, refuses, same
from test_layers_multi_head import gradients, packed, pull_like
from torch import nn

from attention_src.layers import DecoderBlock, EncoderBlock, FeedForward
from attention_src.masks import causal_mask, padding_mask

D_MODEL, D_FF = HEADS * D, H
KINDS = [(activation, norm_first) for activation in ("gelu", "relu") for norm_first in (True, False)]
kinds = pytest.mark.parametrize(("activation", "norm_first"), KINDS)
epsilons = pytest.mark.parametrize("norm_eps", [1e-5, 1e-2])


def some(block):
    """The block in float64, none of its parameters 0."""
    generator = torch.Generator().manual_seed(1)
    for parameter in block.double().parameters():
        nn.init.normal_(parameter, std=0.4, generator=generator)
    return block


def tokens():
    shapes = (BATCH, N, D_MODEL), (BATCH, M, D_MODEL)
    return [torch.tensor(x, requires_grad=True) for x in random(*shapes, seed=4)]


def under(prefix, parameters):
    return {f"{prefix}.{name}": parameter for name, parameter in parameters.items()}


def as_torchs(block, attention, of=lambda parameter: parameter):
    """The parameters of our block, or something of each, under torch's names; `attention` maps names to names."""
    named = {}
    for ours, theirs in attention.items():
        named |= under(theirs, packed(getattr(block, ours), of))
    for i, norm in enumerate(block.norms, 1):
        named |= under(f"norm{i}", {"weight": of(norm.weight), "bias": of(norm.bias)})
    for i, linear in enumerate((block.feed_forward[0], block.feed_forward[2]), 1):
        named |= under(f"linear{i}", {"weight": of(linear.weight), "bias": of(linear.bias)})
    return named


def agree(block, other, names, answers, leaves, others):
    """Assert that outputs and all gradients are those of torch's block."""
    same(answers[0], answers[1])
    for answer in answers:
        answer.backward(pull_like(answer))
    for ours, theirs in zip(leaves, others, strict=True):
        same(ours.grad, theirs.grad)
    ours = as_torchs(block, names, lambda parameter: parameter.grad)
    for name, parameter in other.named_parameters():
        same(ours.pop(name), parameter.grad)
    assert not ours


@kinds
@epsilons
def test_the_encoder_block_is_torchs_with_all_gradients(activation, norm_first, norm_eps):
    block = some(EncoderBlock(D_MODEL, HEADS, D_FF, activation, norm_first, norm_eps=norm_eps))
    settings = {"dropout": 0.0, "activation": activation, "batch_first": True, "norm_first": norm_first}
    settings["layer_norm_eps"] = norm_eps
    other = nn.TransformerEncoderLayer(D_MODEL, HEADS, D_FF, dtype=torch.float64, **settings)
    names = {"attend": "self_attn"}
    other.load_state_dict(as_torchs(block, names))
    (x, _), (y, _) = tokens(), tokens()
    padding = padding_mask(torch.tensor([2, N]), N)
    mask = causal_mask(N, like=x) & padding
    theirs = other(y, src_mask=~causal_mask(N, like=y), src_key_padding_mask=~padding[:, 0])
    agree(block, other, names, (block(x, mask)[0], theirs), [x], [y])


@kinds
@epsilons
def test_the_decoder_block_is_torchs_with_all_gradients(activation, norm_first, norm_eps):
    block = some(DecoderBlock(D_MODEL, HEADS, D_FF, activation, norm_first, norm_eps=norm_eps))
    settings = {"dropout": 0.0, "activation": activation, "batch_first": True, "norm_first": norm_first}
    settings["layer_norm_eps"] = norm_eps
    other = nn.TransformerDecoderLayer(D_MODEL, HEADS, D_FF, dtype=torch.float64, **settings)
    names = {"attend": "self_attn", "attend_memory": "multihead_attn"}
    other.load_state_dict(as_torchs(block, names))
    ours, others = tokens(), tokens()
    mask, memory_mask = causal_mask(N, like=ours[0]), padding_mask(torch.tensor([4, M]), M)
    theirs = other(*others, tgt_mask=~mask, memory_key_padding_mask=~memory_mask[:, 0])
    agree(block, other, names, (block(*ours, mask, memory_mask)[0], theirs), ours, others)


def test_weights_are_handed_out_if_asked_for_and_change_nothing():
    x, memory = tokens()
    mask = causal_mask(N, like=x)
    encoder, decoder = some(EncoderBlock(D_MODEL, HEADS, D_FF)), some(DecoderBlock(D_MODEL, HEADS, D_FF))
    plain, none = encoder(x, mask)
    output, weights = encoder(x, mask, need_weights=True)
    assert none is None
    same(plain, output)
    assert weights.shape == (BATCH, HEADS, N, N)
    same(weights.sum(-1), torch.ones(BATCH, HEADS, N))
    plain, none = decoder(x, memory, mask)
    output, (own, crossed) = decoder(x, memory, mask, need_weights=True)
    assert none is None
    same(plain, output)
    assert own.shape == (BATCH, HEADS, N, N) and crossed.shape == (BATCH, HEADS, N, M)
    assert not own[..., ~mask].any()


def test_the_weights_of_the_encoder_block_are_those_of_the_normed_tokens_if_the_norm_comes_first():
    x, _ = tokens()
    for norm_first in (True, False):
        block = some(EncoderBlock(D_MODEL, HEADS, D_FF, norm_first=norm_first))
        asked = block.norms[0](x) if norm_first else x
        same(block(x, need_weights=True)[1], block.attend(asked, need_weights=True)[1])


def test_with_nothing_learned_in_the_sublayers_a_pre_norm_block_hands_its_input_on():
    x, memory = tokens()
    for block, given in ((EncoderBlock(D_MODEL, HEADS, D_FF), [x]), (DecoderBlock(D_MODEL, HEADS, D_FF), [x, memory])):
        for last in (
            block.attend.out_proj,
            block.feed_forward[2],
            getattr(block, "attend_memory", block.attend).out_proj,
        ):
            nn.init.zeros_(last.weight), nn.init.zeros_(last.bias)
        same(block.double()(*given)[0], x)


def test_what_is_written_later_changes_nothing_before_it_and_the_memory_everything():
    x, memory = (part.detach() for part in tokens())
    block = some(DecoderBlock(D_MODEL, HEADS, D_FF))
    mask = causal_mask(N, like=x)
    before = block(x, memory, mask)[0]
    changed = x.clone()
    changed[:, 3] += torch.randn(D_MODEL, generator=torch.Generator().manual_seed(0), dtype=x.dtype)
    moved = (block(changed, memory, mask)[0] - before).abs().amax(-1) > 1e-9
    assert moved.tolist() == [[False, False, False, True, True]] * BATCH
    other = memory.clone()
    other[:, 6, 0] += 1
    assert ((block(x, other, mask)[0] - before).abs().amax(-1) > 1e-9).all()


def test_the_network_of_a_token_sees_no_other_token():
    layer, (x, _) = some(FeedForward(D_MODEL, D_FF)), tokens()
    (slope,) = gradients(layer(x)[:, 2], torch.ones(BATCH, D_MODEL), x)
    assert (slope[:, 2] != 0).all() and not slope[:, [0, 1, 3, 4]].any()


@pytest.mark.parametrize("make", [EncoderBlock, DecoderBlock])
def test_sizes_and_activations_that_make_no_block_are_refused(make):
    with refuses(ValueError, "activation is 'tanh'; expected one of ['gelu', 'relu']"):
        make(D_MODEL, HEADS, D_FF, "tanh")
    with refuses(ValueError, "d_ff is 0; expected at least 1"):
        make(D_MODEL, HEADS, 0)
    with pytest.raises(TypeError, match="d_ff"):
        make(D_MODEL, HEADS, 2.5)
    with pytest.raises(ValueError, match="d_model is 12; expected a multiple of num_heads = 5"):
        make(D_MODEL, 5, D_FF)


def test_a_mask_that_does_not_fit_is_refused_by_the_attention_it_is_for():
    x, memory = tokens()
    block = some(DecoderBlock(D_MODEL, HEADS, D_FF))
    with pytest.raises(ValueError, match=r"mask has shape \(5, 7\); expected \(5, 5\)"):
        block(x, memory, torch.ones(N, M, dtype=torch.bool))
    with pytest.raises(ValueError, match=r"mask has shape \(5, 5\); expected \(5, 7\)"):
        block(x, memory, None, torch.ones(N, N, dtype=torch.bool))
    with pytest.raises(TypeError, match="expected booleans"):
        block(x, memory, torch.ones(N, N))
    with refuses(TypeError, "memory has dtype torch.float32; expected torch.float64, as the layer has"):
        block(x, memory.float())
    with refuses(ValueError, "x has shape (2, 5, 11); expected (..., rows, d_model = 12)"):
        block(x[..., 1:], memory)
    with refuses(TypeError, "x has dtype torch.float32; expected torch.float64, as the layer has"):
        EncoderBlock(D_MODEL, HEADS, D_FF).double()(x.float())
