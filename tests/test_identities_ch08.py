"""What chapter 8 says of its networks and holds for any numbers: by algebra, up to rounding."""

import numpy as np
import pytest
import torch

from attention_course.picture_readers import make_tokens, read, take_weights
from attention_course.tasks import digit_examples, football_examples

USES = ("Striker", "Digits", "Scenes", "striker", "train", "scattered", "renumbered")


@pytest.mark.parametrize("seed", range(3))
def test_scattered_pictures_are_to_a_renumbered_network_what_whole_ones_are_to_the_network(book, seed):
    part, held_out = football_examples(200, 300, seed=seed)
    order = np.random.default_rng(seed).permutation(25)
    torn_part, torn = (book.scattered(one, order) for one in (part, held_out))
    torch.manual_seed(seed)
    start = take_weights(book.Striker())
    before = book.Scenes(start, held_out).read().logits
    renumbered = book.Scenes(book.renumbered(start, order), torn).read().logits
    np.testing.assert_allclose(renumbered, before, rtol=0, atol=1e-9)
    assert abs(book.Scenes(start, torn).read().logits - before).max() > 1e-3
    net = book.striker(part, seed, steps=10)
    after = book.Scenes(net, held_out).read().logits
    assert abs(after - before).max() > 0.1

    class Renumbered(book.Striker):
        def __init__(self):
            super().__init__()
            self.positions.data[1:] = self.positions.data[1:][order].clone()

    data = torn_part.images, torn_part.ball, torn_part.direction
    twin = book.train(Renumbered, data, seed, 5e-3, 10)
    np.testing.assert_allclose(book.Scenes(twin, torn).read().logits, after, rtol=0, atol=1e-4)


@pytest.mark.parametrize("what", ["scenes", "digits"])
def test_the_reader_by_numpy_is_torch(book, what):
    torch.manual_seed(1)
    if what == "scenes":
        (_, part), model = football_examples(2, 40), book.Striker()
        given, at = (torch.tensor(part.images).double(), torch.tensor(part.ball)), 1 + part.ball
    else:
        (part, _), model = digit_examples(), book.Digits()
        given, at = (torch.tensor(part.images),), 0
    torch.nn.init.normal_(model.positions)
    net = take_weights(model)
    with torch.no_grad():
        logits = model(*given).numpy()
        _, weights = model.encode(given[0], need_weights=True)
    found = read(net, np.add(*make_tokens(net, part.images)), at)
    np.testing.assert_allclose(found.logits, logits, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.weights, weights[np.arange(len(weights)), 0, :, at], rtol=0, atol=1e-12)
    assert (found.answers == logits.argmax(axis=1)).all() and logits.std() > 0.01


def test_what_is_masked_or_off_is_not_read(book):
    torch.manual_seed(2)
    _, part = football_examples(2, 40)
    scenes = book.Scenes(take_weights(book.Striker()), part)
    mask = np.ones(scenes.tokens.shape[:2], dtype=bool)
    mask[scenes.rows, scenes.goal] = False
    other = scenes.tokens.copy()
    other[scenes.rows, scenes.goal] += np.random.default_rng(0).normal(size=(40, 32))
    before, hidden = scenes.read(), scenes.read(mask=mask)
    assert (hidden.weights[scenes.rows, :, scenes.goal] == 0).all()
    np.testing.assert_allclose(
        scenes.read(mask=mask, keys=other, values=other).logits, hidden.logits, rtol=0, atol=1e-12
    )
    assert abs(scenes.read(keys=other, values=other).logits - before.logits).max() > 1e-4
    blind = scenes.read(off=[0, 1]).logits
    np.testing.assert_allclose(scenes.read(off=[0, 1], keys=other, values=other).logits, blind, rtol=0, atol=1e-12)
    assert abs(scenes.read(off=[0]).logits - blind).max() > 1e-4
