"""What chapter 11 says of its counts and of memory and holds for any numbers."""

import numpy as np
import pytest
import torch

from attention_src import blockwise_attention, scaled_dot_product_attention

USES = ("saved", "reads", "online", "by_blocks")


@pytest.fixture
def shape(random):
    """The length of a text and the width of its tokens, which differ."""
    return (int(size) for size in random.choice(np.arange(4, 60), size=2, replace=False))


def count_kept(function, n, d):
    """Return the bytes that PyTorch keeps for the way back, each storage once."""
    found = {}

    def pack(tensor):
        found[tensor.untyped_storage().data_ptr()] = tensor, tensor.untyped_storage().nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        function(*torch.randn(3, n, d).requires_grad_().unbind())
    return sum(size for _, size in found.values())


def test_up_to_d_tokens_less_than_a_tenth_of_what_a_cache_saves_is_attention(book, shape):
    short, d = sorted(shape)
    for n in (short, d):
        attention, rest = book.saved(n, d)
        assert attention == d * sum(t * (t - 1) for t in range(1, n + 1))
        assert rest == 12 * d * d * sum(t - 1 for t in range(1, n + 1))
        assert 0 < attention < 0.1 * (attention + rest)


def test_the_ratio_lies_between_one_seventh_and_one_times_n_over_d_plus_1_over_b_up_to_d_tokens(book, shape):
    short, d = sorted(shape)
    for n in (1, short, d):
        for b in (1, 3, 200):
            assert 1 / 7 - 1e-12 <= book.reads(b, 1, n, d) / (n / d + 1 / b) <= 1 + 1e-12


def test_a_masked_key_that_comes_first_makes_the_equation_nan_and_not_the_package(book, random):
    scores, values = random.normal(size=(2, 9))
    with np.errstate(invalid="ignore"):
        assert np.isnan(book.online([-np.inf, *scores], [0.0, *values]))
    q, k, v = random.normal(size=(3, 9, 4))
    hidden = np.arange(9)[None] > 0
    found = blockwise_attention(q, k, v, hidden, block_size=1)
    np.testing.assert_allclose(found, scaled_dot_product_attention(q, k, v, hidden)[0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("d", [8, 32])
def test_what_is_kept_for_gradients_grows_nearly_fourfold_with_blocks_and_with_the_table(book, d):
    for function in (book.by_blocks(48), scaled_dot_product_attention):
        assert 3.5 < count_kept(function, 1536, d) / count_kept(function, 768, d) < 4.1
