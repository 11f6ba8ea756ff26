"""What chapter 8 says of positions and holds for any numbers: by algebra, up to rounding."""

import pytest
import torch

from attention_course.tasks import football_examples

USES = ("tensors", "Striker", "train", "scattered", "renumbered")


def answer(model, scenes):
    with torch.no_grad():
        return model(*scenes[:2])[0]


@pytest.mark.parametrize("seed", range(3))
def test_scattered_pictures_are_to_a_renumbered_model_what_whole_ones_are_to_the_model(book, seed):
    data, test = map(book.tensors, football_examples(200, 300, seed=seed))
    order = torch.randperm(25, generator=torch.Generator().manual_seed(seed))
    torn_data, torn_test = (book.scattered(part, order) for part in (data, test))
    torch.manual_seed(seed)
    model = book.Striker()
    renumbered = book.renumbered(model, order)
    before = answer(model, test)
    torch.testing.assert_close(answer(renumbered, torn_test), before, rtol=0, atol=1e-9)
    assert (answer(model, torn_test) - before).abs().max() > 1e-3
    book.train(model, data, seed, steps=10), book.train(renumbered, torn_data, seed, steps=10)
    after = answer(model, test)
    assert (after - before).abs().max() > 0.1
    torch.testing.assert_close(answer(renumbered, torn_test), after, rtol=0, atol=1e-4)
