"""What chapter 6 says of heads and read-outs and holds for any numbers, by algebra."""

import numpy as np
import pytest

USES = ("ways", "multi_head", "reacts", "four", "lowest")
SIZES = [(6, 2, 4), (9, 3, 2), (8, 4, 3), (12, 2, 5)]  # tokens, heads, d_k; all heads are stretches of whole tokens


@pytest.fixture(params=SIZES, ids=str)
def sizes(request):
    return request.param


def draw_layer(random, n, heads, d_k):
    """Return tokens, the matrices of every head, and W_o."""
    d = heads * d_k
    return random.normal(size=(n, d)), random.normal(size=(3, heads, d, d_k)) / d**0.5, random.normal(size=(d, d))


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
