"""What chapter 6 says of heads and read-outs and holds for any numbers, by algebra."""

import numpy as np
import pytest

USES = ("ways", "multi_head", "reacts", "four", "lowest")
SIZES = [(6, 2, 4), (9, 3, 2), (8, 4, 3), (12, 2, 5)]  # tokens, heads, d_k; all heads are stretches of whole tokens


def draw_layer(random, n, heads, d_k):
    """Return tokens, the matrices of every head, and W_o."""
    d = heads * d_k
    return random.normal(size=(n, d)), random.normal(size=(3, heads, d, d_k)) / d**0.5, random.normal(size=(d, d))


def test_with_as_many_heads_as_tokens_not_even_the_shape_of_the_weights_shows_the_missing_swap(book):
    layer = draw_layer(np.random.default_rng(0), n=3, heads=3, d_k=2)
    shapes = {book.multi_head(*layer, way)[1].shape for way in book.ways(3, 3).values()}
    assert shapes == {(3, 3, 3)}


@pytest.mark.parametrize("n, heads, d_k", SIZES)
def test_which_tokens_an_output_reacts_to_without_a_mask(book, random, n, heads, d_k):
    X, *matrices = draw_layer(random, n, heads, d_k)
    ways, stretch = book.ways(n, heads), np.arange(n) // (n // heads)
    assert book.reacts(ways["right"], X, *matrices).all()
    assert np.array_equal(book.reacts(ways["no swap"], X, *matrices), np.eye(n))
    assert np.array_equal(book.reacts(ways["view(h, n, d)"], X, *matrices), stretch[:, None] == stretch)


def test_no_cut_has_less_loss_than_the_middle_and_one_off_it_is_right_for_three_of_four(book, random):
    for w in random.uniform(0.55, 0.95, size=10):
        x, bit = book.four @ [w, 1 - w], book.four[:, 1]
        above = w + (1 - w) / 2  # between 10 and 11
        losses, right = {}, {}
        for cut in (0, 0.25, 0.5, 0.75, above, 1):
            logits = np.geomspace(1e-3, 1e3, 500)[:, None] * (x - cut)
            losses[cut] = np.logaddexp(0, np.where(bit > 0, -logits, logits)).mean(axis=1).min() / 2
            right[cut] = ((logits[-1] > 0) == bit).sum()
        middle = losses.pop(0.5)
        assert abs(middle - book.lowest(w)) < 1e-3 and min(losses.values()) > middle + 1e-6
        assert (right[0.5], right[above]) == (2, 3)
