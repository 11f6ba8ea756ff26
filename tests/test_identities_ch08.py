"""What chapter 8 says of patches and positions, and holds for any numbers: by algebra, up to rounding."""

import numpy as np
import pytest
import torch

from attention_course.tasks import football_examples
from attention_src.models.vit import VisionTransformer
from attention_src.patches import patchify

USES = ("tensors", "accuracy", "Striker", "train", "scattered", "renumbered")
CLOSE = {"rtol": 0, "atol": 1e-9}


def draw_pictures(random):
    """Return pictures whose axes all differ, the size of a patch, and a number of columns of E."""
    patch, rows, columns, colours, width = (int(n) for n in random.permutation(np.arange(2, 7)))
    return torch.randn(7, rows * patch, columns * patch, colours, dtype=torch.float64), patch, width


def draw_scenes(book, seed):
    train_set, held_out = football_examples(200, 300, seed=seed)
    order = torch.randperm(25, generator=torch.Generator().manual_seed(seed))
    return book.tensors(train_set), book.tensors(held_out), order


def answer(model, scenes):
    with torch.no_grad():
        return model(*scenes[:2])[0]


def test_a_reshape_alone_keeps_the_numbers_and_makes_no_patches(random):
    pictures, patch, _ = draw_pictures(random)
    patches = patchify(pictures, patch)
    strips = pictures.reshape(patches.shape)
    assert not torch.equal(strips, patches)
    assert torch.equal(strips.flatten(1).sort().values, patches.flatten(1).sort().values)


def test_a_convolution_that_moves_by_whole_patches_is_patches_times_a_matrix(random):
    pictures, patch, width = draw_pictures(random)
    conv = torch.nn.Conv2d(pictures.shape[-1], width, patch, stride=patch, dtype=torch.float64)
    matrix = conv.weight.permute(2, 3, 1, 0).reshape(-1, width)
    convolved = conv(pictures.movedim(-1, 1)).flatten(2).mT
    torch.testing.assert_close(patchify(pictures, patch) @ matrix + conv.bias, convolved, **CLOSE)


@pytest.mark.parametrize("patch_size", [16, 8])
def test_half_the_patch_size_makes_four_times_the_patches_and_nearly_sixteen_times_the_weights(patch_size):
    tokens = [
        VisionTransformer(224, size, 3, d_model=4, num_layers=1, num_heads=2, d_ff=5).positions.shape[0]
        for size in (patch_size, 2 * patch_size)
    ]
    many, few = (count - 1 for count in tokens)  # without the class token
    assert many == 4 * few
    assert 15 < (tokens[0] / tokens[1]) ** 2 < 16


@pytest.mark.parametrize("seed", range(3))
def test_without_position_vectors_all_scenes_have_one_answer_even_after_training(book, seed):
    data, test, _ = draw_scenes(book, seed)
    torch.manual_seed(seed)
    blind, model = book.Striker(), book.Striker()
    blind.positions.requires_grad_(False).zero_()
    before = answer(blind, test)
    for one in (blind, model):
        book.train(one, data, seed, steps=10)
    logits, with_positions = answer(blind, test), answer(model, test)
    assert (logits - before).abs().max() > 1e-3  # it has been trained
    torch.testing.assert_close(logits, logits[:1].expand_as(logits), **CLOSE)
    assert (with_positions - with_positions[0]).abs().max() > 1e-3
    most_common = torch.bincount(test[2]).max() / len(test[2])
    assert book.accuracy(blind, test) <= most_common


@pytest.mark.parametrize("seed", range(3))
def test_scattered_pictures_are_to_a_renumbered_model_what_whole_ones_are_to_the_model(book, seed):
    data, test, order = draw_scenes(book, seed)
    torn_data, torn_test = (book.scattered(part, order) for part in (data, test))
    torch.manual_seed(seed)
    model = book.Striker()
    renumbered = book.renumbered(model, order)
    before = answer(model, test)
    torch.testing.assert_close(answer(renumbered, torn_test), before, **CLOSE)
    assert (answer(model, torn_test) - before).abs().max() > 1e-3
    book.train(model, data, seed, steps=10), book.train(renumbered, torn_data, seed, steps=10)
    after = answer(model, test)
    assert (after - before).abs().max() > 0.1
    torch.testing.assert_close(answer(renumbered, torn_test), after, rtol=0, atol=1e-4)
