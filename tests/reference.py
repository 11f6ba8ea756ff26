"""The definitions as Python loops over numbers, which share nothing with the package, and what the tests of it share.

Every axis has another size, so that no test can pass with two of them exchanged.
"""

import math
from contextlib import contextmanager

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

BATCH, HEADS, N, M, D, D_Q, D_V, H = 2, 3, 5, 7, 4, 8, 6, 9
D_MODEL = HEADS * D

both_libraries = pytest.mark.parametrize("array", (np.array, torch.tensor), ids=("numpy", "torch"))


def random(*shapes, seed=0):
    """One float64 NumPy array of standard normal numbers for each shape."""
    generator = np.random.default_rng(seed)
    return [generator.normal(size=shape) for shape in shapes]


def fill_randomly(module, std=0.5):
    """Return the module in float64 with normal random numbers in all its parameters, so that none is 0 or 1."""
    generator = torch.Generator().manual_seed(0)
    for parameter in module.double().parameters():
        torch.nn.init.normal_(parameter, std=std, generator=generator)
    return module


def same(got, expected, tolerance=1e-12):
    """Assert equal shapes and values; NaN equals NaN."""
    got, expected = (np.asarray(array.detach() if torch.is_tensor(array) else array) for array in (got, expected))
    assert got.shape == expected.shape
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


@contextmanager
def refuses(error, message):
    """Assert that the block raises this error with exactly this message."""
    with pytest.raises(error) as caught:
        yield
    assert (type(caught.value), str(caught.value)) == (error, message)


class LargestTensor(TorchDispatchMode):
    """Remember the bytes of the largest tensor that torch makes."""

    bytes = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        for tensor in result if isinstance(result, tuple) else (result,):
            if torch.is_tensor(tensor):
                self.bytes = max(self.bytes, tensor.untyped_storage().nbytes())
        return result


def odd_versions(array, arguments):
    """Every argument in turn as what it must not be: all arguments, the error and its message."""
    real, axes = "expected real numbers or integers", "expected at least one axis, none of them empty"
    kind, other, make_other = "a NumPy array", "a torch tensor", torch.tensor
    if array is torch.tensor:
        kind, other, make_other = other, kind, np.array
    prefix = "torch." if array is torch.tensor else ""
    first, second, *_ = (*arguments, None)
    for name, good in arguments.items():
        versions = [
            (good.tolist(), TypeError, f"{name} is a list; expected a NumPy array or a torch tensor"),
            (None, TypeError, f"{name} is a NoneType; expected a NumPy array or a torch tensor"),
            (array(good + 1j), TypeError, f"{name} has dtype {prefix}complex128; {real}"),
            (array(good > 0), TypeError, f"{name} has dtype {prefix}bool; {real}"),
            (array(1.0), ValueError, f"{name} has shape (); {axes}"),
            (array(good[:0]), ValueError, f"{name} has shape {(0, *good.shape[1:])}; {axes}"),
            (array(good[..., :0]), ValueError, f"{name} has shape {(*good.shape[:-1], 0)}; {axes}"),
        ]
        if array is np.array:  # their arithmetic is another
            for odd in np.ma.array(good), good.reshape(-1, good.shape[-1]).view(np.matrix):
                text = f"{name} is a {type(odd).__name__}; expected a NumPy array or a torch tensor"
                versions.append((odd, TypeError, text))
        if second:
            clash = (first, other, second, kind) if name == first else (first, kind, name, other)
            message = "{} is {} but {} is {}; expected one library".format(*clash)
            versions.append((make_other(good), TypeError, message))
        for bad, error, message in versions:
            yield {key: array(value) for key, value in arguments.items()} | {name: bad}, error, message


def map_matrices(function, *arrays):
    """Apply a function of matrices at every index of the leading axes, which broadcast."""
    leading = np.broadcast_shapes(*(a.shape[:-2] for a in arrays))
    full = [np.broadcast_to(a, leading + a.shape[-2:]) for a in arrays]
    results = [function(*(a[index] for a in full)) for index in np.ndindex(leading)]
    return np.reshape(results, leading + np.shape(results[0]))


def dot(a, b):
    return math.fsum(x * y for x, y in zip(a, b, strict=True))


def apply(vector, matrix):
    """The row vector times the matrix."""
    return [dot(vector, column) for column in zip(*matrix, strict=True)]


def loop_dot(query, key):
    return [[dot(q, k) for k in key] for q in query]


def loop_scaled(query, key):
    return [[dot(q, k) / math.sqrt(len(q)) for k in key] for q in query]


def loop_general(query, key, w):
    return [[dot(apply(q, w), k) for k in key] for q in query]


def loop_tanh(query, key, v):
    return [[dot(v, [math.tanh(a + b) for a, b in zip(q, k, strict=True)]) for k in key] for q in query]


def loop_additive(query, key, w_query, w_key, v):
    return loop_tanh([apply(q, w_query) for q in query], [apply(k, w_key) for k in key], v)


def loop_softmax(scores, mask):
    def weigh(scores, visible):
        powers = [math.exp(s - max(scores)) if look else 0.0 for s, look in zip(scores, visible, strict=True)]
        return [power / (math.fsum(powers) or 1.0) for power in powers]

    return [weigh(row, visible) for row, visible in zip(scores, mask, strict=True)]


def loop_each(weigh, scores, mask):
    """Weigh each visible score of a row by itself, given how many are visible; the others weigh 0."""
    rows = [[*zip(row, visible, strict=True)] for row, visible in zip(scores, mask, strict=True)]
    return [[weigh(s, sum(look for _, look in row)) if look else 0.0 for s, look in row] for row in rows]


def loop_relu(scores, mask):
    return loop_each(lambda s, count: max(s, 0.0) / count, scores, mask)


def loop_sigmoid(scores, mask):
    return loop_each(lambda s, count: 1 / (1 + math.exp(math.log(count) - s)), scores, mask)


def loop_mix(weights, value):
    return [apply(row, value) for row in weights]


def loop_attention(query, key, value, mask):
    return loop_mix(loop_softmax(loop_scaled(query, key), mask), value)


def some_mask(*shape):
    """A random mask whose first row may look nowhere, whose second everywhere, and whose third at one key."""
    mask = np.random.default_rng(1).random(shape) < 0.5
    mask[..., 0, :], mask[..., 1, :], mask[..., 2, :] = False, True, False
    mask[..., 2, 3] = True
    return mask
