"""What chapter 6 says of heads and read-outs and holds for any numbers, by algebra."""

import numpy as np
import pytest
import torch

USES = ("torch", "ways", "multi_head", "reacts", "four", "lowest", "Reader", "NamedReader", "take_weights", "answer")
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
        loss, _, cut = book.lowest(w)
        assert abs(middle - loss) < 1e-3 and abs(cut - 0.5) < 1e-9 and min(losses.values()) > middle + 1e-6
        assert (right[0.5], right[above]) == (2, 3)


@pytest.mark.parametrize("heads", [1, 2, 4])
def test_the_forward_pass_in_numpy_is_that_of_the_trained_layer(book, random, heads):
    model = book.Reader(heads)
    asked, names, bits = (random.integers(most, size=(7, n)) for most, n in ((5, 2), (5, 6), (2, 6)))
    logits, weights = book.answer(book.take_weights(model), heads, asked, names, bits)
    query = model.first(torch.tensor(asked[:, :1])) + model.second(torch.tensor(asked[:, 1:]))
    key, value = model.name(torch.tensor(names)), model.bit(torch.tensor(bits))
    _, right = model.attend(query, key, value, need_weights=True)
    np.testing.assert_allclose(weights, right[:, :, 0].detach(), rtol=0, atol=1e-12)
    np.testing.assert_allclose(logits, model(*map(torch.tensor, (asked, names, bits))).detach(), rtol=0, atol=1e-12)
    off, _ = book.answer(book.take_weights(model), heads, asked, names, bits, range(heads))
    np.testing.assert_allclose(off, np.broadcast_to(model.attend.out_proj.bias.detach()[:2], (7, 2)), atol=1e-12)


def test_in_both_orders_one_head_never_reads_a_pair_even_if_values_carry_names(random):
    """A read-out that follows the name asked first in both orders excludes one that follows the other."""
    w, v = random.random(size=(2, 100_000))
    strong, weak = random.lognormal(sigma=3, size=(2, 2, 100_000))
    first = (w * strong[0] > (1 - w) * weak[0]) & (v * weak[0] > (1 - v) * strong[0])
    second = ((1 - w) * weak[1] > w * strong[1]) & ((1 - v) * strong[1] > v * weak[1])
    assert first.any() and second.any() and not (first & second).any()
    assert (w + v)[first].min() > 1 > (w + v)[second].max()
