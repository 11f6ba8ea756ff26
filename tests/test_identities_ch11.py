"""What chapter 11 says and holds for any numbers: its counts by algebra, its equalities but for rounding."""

import numpy as np
import pytest
import torch

from attention_src import blockwise_attention, causal_mask, scaled_dot_product_attention, softmax, window_mask

COUNTS = ("counted", "work", "as_many", "saved", "reads")
USES = (
    *COUNTS,
    "online",
    "one_query",
    "causal_blocks",
    "grouped",
    "one_layer",
    "with_cache",
    "moved",
    "peak",
    "by_blocks",
)


@pytest.fixture
def shape(random):
    """The length of a text and the width of its tokens, which differ."""
    return (int(size) for size in random.choice(np.arange(4, 60), size=2, replace=False))


def assert_equal_to_rounding(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)


def draw_tokens(random, n, d, scale=1.0):
    """Return queries, keys and values; the scores have about the size `scale`, the values 1."""
    q, k, v = random.normal(size=(3, n, d))
    return q * scale, k, v


def count_kept(function, n, d):
    """Return the bytes that PyTorch keeps for the way back, each storage once."""
    found = {}

    def pack(tensor):
        found[tensor.untyped_storage().data_ptr()] = tensor, tensor.untyped_storage().nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        function(*torch.randn(3, n, d).requires_grad_().unbind())
    return sum(size for _, size in found.values())


def test_pytorch_counts_the_matrix_products_as_the_formulas_do(book, shape):
    n, d = shape
    total, projections = book.counted(n, d)
    assert total - projections == 2 * book.work(n, d)[0] == 4 * n * n * d
    assert projections == 2 * book.work(n, d)[1] == 8 * n * d * d


def test_scores_reach_the_projections_at_2d_and_the_rest_at_6d_or_with_the_causal_half_at_nearly_12d(book, shape):
    _, d = shape
    assert (book.as_many(d, 1), book.as_many(d, 2), book.as_many(d, 2, causal=True)) == (2 * d, 6 * d, 12 * d - 1)


def test_a_window_of_w_leaves_as_many_pairs_as_said_in_a_text_of_w_tokens_or_more(random):
    w = int(random.integers(1, 30))
    for n in (w, w + 1, w + int(random.integers(2, 60))):
        assert window_mask(n, w, ahead=0).sum() == n * (w + 1) - w * (w + 1) / 2


def test_up_to_d_tokens_less_than_a_tenth_of_what_a_cache_saves_is_attention(book, shape):
    short, d = sorted(shape)
    for n in (short, d):
        attention, rest = book.saved(n, d)
        assert attention == d * sum(t * (t - 1) for t in range(1, n + 1))
        assert rest == 12 * d * d * sum(t - 1 for t in range(1, n + 1))
        assert 0 < attention < 0.1 * (attention + rest)


def test_one_text_reads_a_number_for_each_multiplication_if_every_head_has_keys_of_its_own(book, shape):
    n, d = shape
    assert book.reads(1, 1, n, d) == pytest.approx(1)


@pytest.mark.parametrize("group", [1, 2, 5])
def test_more_texts_read_less_for_each_multiplication_down_to_a_level_that_shared_keys_lower(book, shape, group):
    n, d = shape
    level, lower = (2 * n * d * r / ((10 + 2 * r) * d * d + 2 * n * d) for r in (1 / group, 1 / (2 * group)))
    ratios = [book.reads(b, 1 / group, n, d) for b in (1, 2, 7, 200, 10**9)]
    assert ratios == sorted(ratios, reverse=True) and ratios[-2] > level > lower
    assert ratios[-1] == pytest.approx(level, rel=1e-4)


def test_the_ratio_lies_between_one_seventh_and_one_times_n_over_d_plus_1_over_b_up_to_d_tokens(book, shape):
    short, d = sorted(shape)
    for n in (1, short, d):
        for b in (1, 3, 200):
            assert 1 / 7 - 1e-12 <= book.reads(b, 1, n, d) / (n / d + 1 / b) <= 1 + 1e-12


@pytest.mark.parametrize("scale", [0.25, 1, 4, 16])
def test_one_pass_gives_what_softmax_gives_in_any_order_of_the_scores(book, random, scale):
    scores, values = random.normal(size=(2, 40 + random.integers(17))) * [[scale], [1]]
    order = random.permutation(len(scores))
    for one in (np.arange(len(scores)), order, np.argsort(scores), np.argsort(-scores)):
        assert_equal_to_rounding(book.online(scores[one], values[one]), softmax(scores) @ values)


@pytest.mark.parametrize("scale", [0.25, 1, 4, 16])
def test_blocks_give_what_the_table_gives_but_for_rounding(book, random, scale):
    n, d, size = 40 + random.integers(17), 3 + random.integers(5), 8 + random.integers(11)
    q, k, v = draw_tokens(random, n, d, scale)
    plain, _ = scaled_dot_product_attention(q, k, v, causal_mask(n))
    assert_equal_to_rounding(blockwise_attention(q, k, v, causal_mask(n), block_size=size), plain)
    assert_equal_to_rounding(book.one_query(q[-1], k, v, size), plain[-1])
    single = (array.astype("float32") for array in (q, k, v))
    error = abs(blockwise_attention(*single, causal_mask(n), block_size=size) - plain).max()
    assert 1e-12 < error < 1e-4


def test_a_masked_key_that_comes_first_makes_the_equation_nan_and_not_the_package(book, random):
    scores, values = random.normal(size=(2, 9))
    with np.errstate(invalid="ignore"):
        assert np.isnan(book.online([-np.inf, *scores], [0.0, *values]))
    q, k, v = draw_tokens(random, 9, 4)
    mask = np.arange(9) > 0
    hidden = np.broadcast_to(mask, (9, 9))
    found = blockwise_attention(q, k, v, hidden, block_size=1)
    assert_equal_to_rounding(found, scaled_dot_product_attention(q, k, v, hidden)[0])


def test_causal_blocks_give_the_same_and_need_m_times_m_plus_1_over_2_of_them(book, random):
    n, d, size = 40 + random.integers(17), 3 + random.integers(5), 8 + random.integers(11)
    q, k, v = draw_tokens(random, n, d)
    output, done = book.causal_blocks(q, k, v, size)
    assert_equal_to_rounding(output, scaled_dot_product_attention(q, k, v, causal_mask(n))[0])
    m = -(-n // size)
    assert done == m * (m + 1) // 2


@pytest.mark.parametrize(("kv_heads", "group"), [(1, 5), (2, 3), (3, 2), (4, 1)])
def test_shared_keys_give_the_same_as_copies_of_them(book, random, kv_heads, group):
    q, shared = random.normal(size=(kv_heads * group, 7, 6)), random.normal(size=(2, kv_heads, 7, 6))
    copies = (one.repeat(group, axis=0) for one in shared)
    assert_equal_to_rounding(book.grouped(q, *shared), scaled_dot_product_attention(q, *copies)[0])


@pytest.mark.parametrize("n", [5, 20, 80])
def test_a_cache_of_keys_that_are_made_from_their_own_tokens_gives_the_same_output(book, random, n):
    w, x = random.normal(size=(3, 8, 8)) / 8**0.5, random.normal(size=(n, 8))
    assert_equal_to_rounding(book.with_cache(x, w), book.one_layer(x, w))


@pytest.mark.parametrize("n", [5, 20, 80])
def test_a_new_token_moves_keys_of_the_second_layer_unless_a_mask_hides_it_from_earlier_tokens(book, random, n):
    w, x = random.normal(size=(3, 8, 8)) / 8**0.5, random.normal(size=(n, 8))
    assert book.moved(x, w, True) < 1e-12
    assert book.moved(x, w, False) > 1e-3


@pytest.mark.parametrize("d", [8, 32])
def test_memory_doubles_with_a_long_text_in_blocks_less_with_a_short_one_and_the_table_has_four_times(book, d):
    size = 48
    blocks, n = book.by_blocks(size), 16 * size
    book.peak(blocks, n, d)  # what a process's first call loads is not what is asked
    short, twice, long, longest = (book.peak(blocks, m, d) for m in (size, 2 * size, n, 2 * n))
    plain = book.peak(scaled_dot_product_attention, 2 * n, d) / book.peak(scaled_dot_product_attention, n, d)
    assert 3.6 < plain < 4.1 and 1.8 < longest / long < 2.1
    assert twice / short < longest / long - 0.1
    assert longest < 1.25 * 2 * n * d * 5 * 4  # queries, keys, values, and outputs twice


@pytest.mark.parametrize("d", [8, 32])
def test_what_is_kept_for_gradients_grows_nearly_fourfold_with_blocks_and_with_the_table(book, d):
    for function in (book.by_blocks(48), scaled_dot_product_attention):
        assert 3.5 < count_kept(function, 1536, d) / count_kept(function, 768, d) < 4.1
