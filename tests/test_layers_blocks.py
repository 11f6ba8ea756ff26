"""The blocks of a Transformer against torch's with copied weights, and what may change what."""

from functools import partial
from itertools import product

import pytest
import torch
from reference import BATCH, D_MODEL, HEADS, H, M, N, fill_randomly, random, refuses, same
from test_layers_multi_head import agree, pack_parameters
from torch import nn

from attention_src.layers import DecoderBlock, EncoderBlock, FeedForward
from attention_src.masks import causal_mask, padding_mask

D_FF = H
KINDS = [*product(("gelu", "relu"), (True, False))]
kinds = pytest.mark.parametrize(("activation", "norm_first"), KINDS)
epsilons = pytest.mark.parametrize("norm_eps", [1e-5, 1e-2])


def tokens():
    shapes = (BATCH, N, D_MODEL), (BATCH, M, D_MODEL)
    return [torch.tensor(x, requires_grad=True) for x in random(*shapes, seed=4)]


def pack_block(block, read=lambda parameter: parameter):
    """Return the parameters of our block, or what `read` reads of each, under torch's names."""
    named = {f"self_attn.{name}": x for name, x in pack_parameters(block.attend, read).items()}
    if isinstance(block, DecoderBlock):
        named |= {f"multihead_attn.{name}": x for name, x in pack_parameters(block.attend_memory, read).items()}
    modules = {f"norm{i}": norm for i, norm in enumerate(block.norms, 1)}
    for name, module in {**modules, "linear1": block.feed_forward[0], "linear2": block.feed_forward[2]}.items():
        named |= {f"{name}.weight": read(module.weight), f"{name}.bias": read(module.bias)}
    return named


def make_pair(ours, theirs, activation, norm_first, norm_eps):
    """Return our block and torch's with the same weights."""
    block = fill_randomly(ours(D_MODEL, HEADS, D_FF, activation, norm_first, norm_eps=norm_eps))
    settings = {"activation": activation, "norm_first": norm_first, "layer_norm_eps": norm_eps}
    other = theirs(D_MODEL, HEADS, D_FF, dropout=0.0, batch_first=True, dtype=torch.float64, **settings)
    other.load_state_dict(pack_block(block))
    return block, other


@kinds
@epsilons
def test_both_blocks_are_torchs_with_all_gradients(activation, norm_first, norm_eps):
    (x, memory), (y, other_memory), causal = tokens(), tokens(), causal_mask(N, like=torch.ones(1))
    padding, memory_padding = padding_mask(torch.tensor([2, N]), N), padding_mask(torch.tensor([4, M]), M)
    block, other = make_pair(EncoderBlock, nn.TransformerEncoderLayer, activation, norm_first, norm_eps)
    theirs = other(y, src_mask=~causal, src_key_padding_mask=~padding[:, 0])
    agree((block(x, causal & padding)[0], [x], block), (theirs, [y], other), pack_block)
    block, other = make_pair(DecoderBlock, nn.TransformerDecoderLayer, activation, norm_first, norm_eps)
    x.grad = y.grad = None
    theirs = other(y, other_memory, tgt_mask=~causal, memory_key_padding_mask=~memory_padding[:, 0])
    ours = block(x, memory, causal, memory_padding)[0]
    agree((ours, [x, memory], block), (theirs, [y, other_memory], other), pack_block)


def test_a_decoder_block_returns_the_weights_among_the_tokens_and_those_at_the_memory():
    x, memory = tokens()
    block, mask = fill_randomly(DecoderBlock(D_MODEL, HEADS, D_FF)), causal_mask(N, like=x)
    own, crossed = block(x, memory, mask, need_weights=True)[1]
    assert own.shape == (BATCH, HEADS, N, N) and crossed.shape == (BATCH, HEADS, N, M)
    assert not own[..., ~mask].any()


def test_the_weights_of_the_encoder_block_are_those_of_the_normed_tokens_if_the_norm_comes_first():
    x, _ = tokens()
    for norm_first in (True, False):
        block = fill_randomly(EncoderBlock(D_MODEL, HEADS, D_FF, norm_first=norm_first))
        asked = block.norms[0](x) if norm_first else x
        same(block(x, need_weights=True)[1], block.attend(asked, need_weights=True)[1])


@pytest.mark.parametrize("make", [FeedForward, partial(EncoderBlock, num_heads=HEADS)], ids=["network", "block"])
def test_an_activation_of_another_name_is_refused(make):
    with refuses(ValueError, "activation is 'tanh'; expected one of ['gelu', 'relu']"):
        make(d_model=D_MODEL, d_ff=D_FF, activation="tanh")
