"""What chapter 6 says of heads and read-outs and holds for any numbers, by algebra."""

import numpy as np
import pytest

USES = ("ways", "multi_head", "reacts", "list_of_heads", "causal_mask", "MultiHeadAttention", "largest_gaps")
USES += ("query_moves", "four", "lowest")
SIZES = [(6, 2, 4), (9, 3, 2), (8, 4, 3), (12, 2, 5)]  # tokens, heads, d_k; all heads are stretches of whole tokens


@pytest.fixture(params=SIZES, ids=str)
def sizes(request):
    return request.param


def draw_layer(random, n, heads, d_k):
    """Return tokens, the matrices of every head, and W_o."""
    d = heads * d_k
    return random.normal(size=(n, d)), random.normal(size=(3, heads, d, d_k)) / d**0.5, random.normal(size=(d, d))


def test_the_right_way_is_the_list_of_heads_and_the_slips_only_look_like_it(book, random, sizes):
    n, heads, _ = sizes
    layer = draw_layer(random, *sizes)
    expected, parts = book.list_of_heads(*layer)
    for name, way in book.ways(n, heads).items():
        output, weights = book.multi_head(*layer, way)
        assert np.allclose(output, expected, rtol=0, atol=1e-10) == (name == "right")
        assert output.shape == expected.shape
        np.testing.assert_allclose(weights.sum(-1), 1)
        assert weights.shape == ((n, heads, heads) if name == "no swap" else (heads, n, n))
        assert name != "right" or np.allclose(weights, [one for _, one in parts])


def test_with_as_many_heads_as_tokens_not_even_the_shape_of_the_weights_shows_the_missing_swap(book):
    layer = draw_layer(np.random.default_rng(0), n=3, heads=3, d_k=2)
    shapes = {book.multi_head(*layer, way)[1].shape for way in book.ways(3, 3).values()}
    assert shapes == {(3, 3, 3)}


def test_which_tokens_an_output_reacts_to_without_a_mask(book, random, sizes):
    n, heads, _ = sizes
    X, *matrices = draw_layer(random, *sizes)
    ways, stretch = book.ways(n, heads), np.arange(n) // (n // heads)
    assert book.reacts(ways["right"], X, *matrices).all()
    assert np.array_equal(book.reacts(ways["no swap"], X, *matrices), np.eye(n))
    assert np.array_equal(book.reacts(ways["view(h, n, d)"], X, *matrices), stretch[:, None] == stretch)


def test_under_a_causal_mask_the_right_way_is_a_staircase_and_split_wrongly_the_future_leaks(book, random, sizes):
    n, heads, _ = sizes
    layer, mask = draw_layer(random, *sizes), book.causal_mask(n)
    ways = book.ways(n, heads)
    assert np.array_equal(book.reacts(ways["right"], *layer, mask), np.tri(n))
    assert np.triu(book.reacts(ways["split wrong"], *layer, mask), 1).any()


def test_the_layer_is_that_of_torch_with_its_gradients(book, random, sizes):
    n, heads, d_k = sizes
    gaps = book.largest_gaps(heads * d_k, heads, n + 1, n + 2, seed=int(random.integers(100)))
    assert gaps.keys() == {"output", "weights", "fused", "gradients"} and max(gaps.values()) < 1e-12


def test_every_head_sees_every_number_of_a_token(book, random, sizes):
    X, matrices, _ = draw_layer(random, *sizes)
    for shift in range(X.shape[1]):  # so that each number of the token is once the last
        turned = np.roll(X, shift, axis=1), np.roll(matrices[0], shift, axis=1)
        assert all((move != 0).all() for move in book.query_moves(*turned))


def draw_answers(random, mixtures, four):
    """Return which of the four cases each of 300 random linear read-outs of what is fetched answers wholly."""
    cuts = random.normal(size=(2, mixtures.shape[1], 300)), random.normal(size=(2, 300))
    first, second = (mixtures @ steep + shift > 0 for steep, shift in zip(*cuts, strict=True))
    return (first == four[:, :1])[:, :, None] & (second == four[:, 1:])[:, None]


@pytest.mark.parametrize("width", [1, 8])
def test_one_head_with_a_linear_read_out_is_right_for_three_of_the_four_at_most_and_two_heads_for_all(
    book, random, width
):
    values = random.normal(size=(2, width))
    fetched = [values[book.four[:, bit]] for bit in (0, 1)]
    one = [w * fetched[0] + (1 - w) * fetched[1] for w in random.uniform(size=100)]
    assert max(draw_answers(random, mixture, book.four).mean(axis=0).max() for mixture in one) == 3 / 4
    assert draw_answers(random, np.hstack(fetched), book.four).all(axis=0).any()


def fit_bit(x, bit, steps=50):
    """Return slope and shift of the lowest loss of one bit, by Newton's method."""
    inputs, p = np.stack([x, np.ones(len(x))], axis=1), np.zeros(2)
    for _ in range(steps):
        chance = 1 / (1 + np.exp(-inputs @ p))
        curve = (inputs * (chance * (1 - chance))[:, None]).T @ inputs
        p = p - np.linalg.solve(curve + 1e-12 * np.eye(2), inputs.T @ (chance - bit))
    return p


def test_the_best_cut_is_in_the_middle_and_answers_two_of_four(book, random):
    for w in random.uniform(0.55, 1, size=10):
        x, bit = book.four @ [w, 1 - w] - 0.5, book.four[:, 1]
        slope, shift = fit_bit(x, bit)
        logits = slope * x + shift
        assert abs(shift) < 1e-3
        assert abs(np.logaddexp(0, np.where(bit > 0, -logits, logits)).mean() / 2 - book.lowest(w)) < 1e-3
        assert ((logits > 0) == bit).tolist() == [True, False, False, True]


def test_a_cut_off_the_middle_is_right_for_three_of_four_and_has_more_loss(book, random):
    for w in random.uniform(0.55, 0.95, size=10):
        x, bit = book.four @ [w, 1 - w], book.four[:, 1]
        above = w + (1 - w) / 2  # between 10 and 11
        logits = np.array([slope * (x - above) for slope in np.geomspace(1e-3, 1e3, 500)])
        assert ((logits[-1] > 0) == bit).sum() == 3
        assert np.logaddexp(0, np.where(bit > 0, -logits, logits)).mean(axis=1).min() / 2 > book.lowest(w) + 1e-6


def test_the_lowest_loss_rises_with_the_larger_weight_and_is_flat_at_one(book, random):
    losses = [book.lowest(w) for w in np.sort(random.uniform(0.52, 1, size=20))]
    assert (np.diff(losses) > 0).all()
    assert book.lowest(1.0) == pytest.approx(np.log(2) / 2)
    assert 0 < book.lowest(1.0) - book.lowest(0.99) < 1e-3 < book.lowest(0.8) - book.lowest(0.79)
