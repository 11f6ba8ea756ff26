"""What chapter 11 says of its counts and of memory and holds for any numbers."""

import numpy as np
import pytest
import torch

from attention_src import scaled_dot_product_attention

USES = ("saved", "online", "by_blocks", "as_table", "as_state", "write", "write_delta")


def count_kept(function, n, d):
    """Return the bytes that PyTorch keeps for the way back, each storage once."""
    kept = []
    with torch.autograd.graph.saved_tensors_hooks(kept.append, lambda nothing: nothing):
        function(*torch.randn(3, n, d).requires_grad_().unbind())
    return sum({store.data_ptr(): store.nbytes() for store in map(torch.Tensor.untyped_storage, kept)}.values())


def test_up_to_d_tokens_less_than_a_tenth_of_what_a_cache_saves_is_attention(book, random):
    short, d = sorted(map(int, random.integers(4, 60, size=2)))
    for n in (short, d):
        attention, rest = book.saved(n, d)
        assert attention == d * sum(t * (t - 1) for t in range(1, n + 1))
        assert rest == 12 * d * d * sum(t - 1 for t in range(1, n + 1))
        assert 0 < attention < 0.1 * (attention + rest)


def test_a_masked_key_that_comes_first_makes_the_equation_nan(book, random):
    """And not the package, which tests/test_attention.py compares in blocks of one key under reversed causal masks."""
    scores, values = random.normal(size=(2, 9))
    with np.errstate(invalid="ignore"):
        assert np.isnan(book.online([-np.inf, *scores], [0.0, *values]))


@pytest.mark.parametrize("d", [8, 32])
def test_what_is_kept_for_gradients_grows_nearly_fourfold_with_blocks_and_with_the_table(book, d):
    for function in (book.by_blocks(48), scaled_dot_product_attention):
        assert 3.5 < count_kept(function, 1536, d) / count_kept(function, 768, d) < 4.1


def test_linear_attention_is_the_same_as_a_table_and_as_a_state(book, random):
    n, d_k, d_v = random.integers(2, 30, size=3)
    query, key, value = random.normal(size=(n, d_k)), random.normal(size=(n, d_k)), random.normal(size=(n, d_v))
    np.testing.assert_allclose(book.as_table(query, key, value), book.as_state(query, key, value), atol=1e-11)
    np.testing.assert_allclose(query[-1] @ book.write(key, value), book.as_table(query, key, value)[-1], atol=1e-11)


def test_two_steps_of_the_delta_rule_are_again_one_of_the_same_form(book, random):
    """So steps can be joined before anybody knows the state, and nobody has to wait."""
    keys, values = random.normal(size=(3, 5)), random.normal(size=(3, 4))
    keys /= np.linalg.norm(keys, axis=1, keepdims=True)
    first, second = (np.eye(5) - np.outer(k, k) for k in keys[1:])
    added, more = (np.outer(k, v) for k, v in zip(keys[1:], values[1:], strict=True))
    joined = second @ first @ book.write_delta(keys[:1], values[:1]) + second @ added + more
    np.testing.assert_allclose(book.write_delta(keys, values), joined, atol=1e-11)
