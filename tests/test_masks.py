"""Masks cell by cell against their definition, and what is not a number of queries or keys."""

from itertools import product

import numpy as np
import pytest
import torch
from reference import both_libraries, refuses

from attention_src.masks import causal_mask, padding_mask, window_mask

likes = pytest.mark.parametrize("like", (None, np.ones(3), torch.ones(2, 4)), ids=("none", "numpy", "torch"))


def equal(mask, expected, like=None):
    """Assert the same booleans, shape and library."""
    kind = torch.Tensor if torch.is_tensor(like) else np.ndarray
    assert type(mask) is kind
    assert mask.dtype == (torch.bool if kind is torch.Tensor else np.bool_)
    np.testing.assert_array_equal(np.asarray(mask), expected, strict=True)


@likes
@pytest.mark.parametrize("n, m", [(1, 1), (4, 4), (3, 6), (6, 3), (1, 5), (5, 1)])
def test_a_causal_mask_lets_each_query_look_at_keys_up_to_its_own_place_behind_those_of_a_cache(n, m, like):
    for offset in (0, 2, -2, np.uint8(3)):
        expected = np.array([[j <= i + int(offset) for j in range(m)] for i in range(n)])
        equal(causal_mask(n, m, offset=offset, like=like), expected, like)
    equal(causal_mask(n, like=like), np.tri(n, dtype=bool), like)


@likes
@pytest.mark.parametrize("n, width", [*product((1, 2, 5), (0, 1, 3, 9))])
def test_a_window_mask_lets_each_query_look_so_far_to_either_side(n, width, like):
    expected = np.array([[abs(i - j) <= width for j in range(n)] for i in range(n)])
    equal(window_mask(n, width, like=like), expected, like)
    for m, ahead, offset in product((1, 4, 7), (0, 2), (0, 3)):
        expected = np.array([[-ahead <= i + offset - j <= width for j in range(m)] for i in range(n)])
        equal(window_mask(n, width, m=m, ahead=ahead, offset=offset, like=like), expected, like)


@both_libraries
@pytest.mark.parametrize("shape", [(), (1,), (4,), (2, 3)], ids=str)
def test_a_padding_mask_lets_every_query_look_at_the_real_keys(shape, array):
    lengths = np.random.default_rng(0).integers(0, 6, shape)
    expected = np.zeros((*shape, 1, 5), bool)
    for index in np.ndindex(shape):
        expected[index][0, : lengths[index]] = True
    given = array(lengths)
    equal(padding_mask(given, 5), expected, array(0.5) if array is torch.tensor else None)
    assert (given == array(lengths)).all()


@pytest.mark.parametrize("lengths", [3, np.int8(3), (3,), [3, 0, 5], [[1, 2], [3, 4]], range(4)], ids=str)
def test_lengths_may_be_a_number_or_a_list(lengths):
    equal(padding_mask(lengths, 5), np.asarray(padding_mask(np.array(lengths), 5)))


@both_libraries
@pytest.mark.parametrize("kind", ["uint8", "int8", "int16", "int32", "int64"])
def test_lengths_may_be_integers_too_small_to_hold_m(kind, array):
    assert int(padding_mask(array(np.array([99, 100], kind)), 300).sum()) == 199


def test_a_mask_is_on_the_device_of_the_array_it_is_like():
    meta = torch.ones(2, device="meta")
    assert causal_mask(2, like=meta).device == window_mask(2, 1, like=meta).device == meta.device
    assert padding_mask(torch.tensor([1, 2]), 3).device == torch.device("cpu")


BEYOND = "lengths run from {} to {}; expected 0 to m = 3"
REFUSED = [  # lengths, and why
    *((array([2, 4, 1]), BEYOND.format(1, 4)) for array in (np.array, torch.tensor)),
    *((array([0, -1, 3]), BEYOND.format(-1, 3)) for array in (np.array, torch.tensor)),
    *((bad, f"lengths has dtype {dtype}; expected integers") for bad, dtype in [
        (2.0, "float64"), (None, "object"), ("2", "<U1"), (True, "bool"), ([1.0, 2.0], "float64"),
        (torch.tensor([1.0]), "torch.float32"), (torch.tensor([True]), "torch.bool"),
    ]),
    *((bad, f"lengths has shape {shape}; expected a length for each sequence") for bad, shape in [
        ([], (0,)), (np.ones((2, 0), int), (2, 0)), (torch.ones(0), (0,)),
    ]),
]  # fmt: skip


@pytest.mark.parametrize("lengths, message", REFUSED, ids=str)
def test_lengths_that_are_none_or_do_not_fit_are_refused(lengths, message):
    with refuses(TypeError if "dtype" in message else ValueError, message):
        padding_mask(lengths, 3)
