"""Positions against their formulas in loops, in every library, dtype and shape, and what is refused."""

import math
from functools import partial

import numpy as np
import pytest
import torch
from reference import BATCH, HEADS, D, M, N, both_libraries, odd_versions, random, refuses, same
from torch.utils._python_dispatch import TorchDispatchMode

import attention_src.positions as module
from attention_src.positions import alibi_bias, rotary, sinusoidal_positions

LIKES = {
    "none": (None, np.ndarray, np.float64),
    "numpy float32": (np.ones(3, np.float32), np.ndarray, np.float32),
    "numpy integers": (np.ones(3, int), np.ndarray, np.float64),
    "torch": (torch.ones(2, 4), torch.Tensor, torch.float32),
    "torch float64": (torch.ones(2, dtype=torch.float64), torch.Tensor, torch.float64),
    "torch half": (torch.ones(2, dtype=torch.float16), torch.Tensor, torch.float16),
    "torch integers": (torch.ones(2, dtype=torch.int64), torch.Tensor, torch.float32),
    "torch booleans": (torch.ones(2, dtype=torch.bool), torch.Tensor, torch.float32),
}


def angle(p, i, d, base=10000):
    """Pair i of d numbers at position p, written with a power the other way up than in the package."""
    return p / base ** (2 * i / d)


def rotate_pairs(x, positions, base=10000):
    """Turn each pair of each row as a complex number, by multiplication."""
    out = np.empty(x.shape)
    for row, p in enumerate(positions):
        for i in range(x.shape[1] // 2):
            turn = angle(p, i, x.shape[1], base)
            pair = complex(*x[row, 2 * i : 2 * i + 2]) * complex(math.cos(turn), math.sin(turn))
            out[row, 2 * i : 2 * i + 2] = pair.real, pair.imag
    return out


@pytest.mark.parametrize("n, d_model", [(1, 2), (N, D), (M, 10), (300, 64)])
def test_sinusoidal_positions_are_what_the_formula_says(n, d_model):
    expected = np.empty((n, d_model))
    for p in range(n):
        for i in range(d_model // 2):
            expected[p, 2 * i], expected[p, 2 * i + 1] = math.sin(angle(p, i, d_model)), math.cos(angle(p, i, d_model))
    same(sinusoidal_positions(n, d_model), expected)


@both_libraries
@pytest.mark.parametrize("positions", [None, (N,), (BATCH, 1, N), (3, BATCH, HEADS, N)], ids=str)
@pytest.mark.parametrize("base, d", [(None, 10), (500, 10), (0.5, 6), (None, 2)])
def test_rotary_takes_another_base_the_other_layout_and_a_part_of_the_length(base, d, positions, array):
    x, positions = random((BATCH, HEADS, N, 10))[0], positions and random(positions, seed=1)[0]
    where = np.broadcast_to(
        np.arange(N) if positions is None else positions,
        np.broadcast_shapes((BATCH, HEADS, N), positions.shape if positions is not None else ()),
    )
    expected = np.broadcast_to(x, (*where.shape, 10)).copy()
    for index in np.ndindex(where.shape[:-1]):
        expected[index][:, :d] = rotate_pairs(expected[index][:, :d], where[index], base or 10000)
    given, settings = () if positions is None else (array(positions),), {} if base is None else {"base": base}
    same(rotary(array(x), *given, **settings, d_rotary=None if d == 10 else d), expected)
    order = [*range(0, d, 2), *range(1, d, 2), *range(d, 10)]  # the first numbers of all pairs, then the second ones
    same(rotary(array(x[..., order]), *given, **settings, d_rotary=d, layout="halves"), expected[..., order])


def released_slopes(n):
    """What Press et al.'s code computes, after its function get_slopes."""
    if math.log2(n).is_integer():
        start = 2 ** -(2 ** -(math.log2(n) - 3))
        return [start * start**i for i in range(n)]
    closest = 2 ** math.floor(math.log2(n))
    return released_slopes(closest) + released_slopes(2 * closest)[0::2][: n - closest]


@pytest.mark.parametrize("num_heads", range(1, 34))
def test_the_released_slopes_of_alibi_are_others_only_off_the_powers_of_two(num_heads):
    got = alibi_bias(num_heads, 1, 2, released=True)[:, 0, 1]
    same(-got, released_slopes(num_heads))
    power = num_heads & (num_heads - 1) == 0
    assert power == np.allclose(got, alibi_bias(num_heads, 1, 2)[:, 0, 1])


@pytest.mark.parametrize("num_heads, first", [(1, 2**-8), (2, 2**-4), (8, 1 / 2), (16, 2**-0.5), (6, 2 ** (-4 / 3))])
def test_alibi_slopes_are_a_geometric_sequence_that_begins_with_its_ratio(num_heads, first):
    expected = [[[-(first ** (h + 1)) * abs(i - j) for j in range(M)] for i in range(N)] for h in range(num_heads)]
    same(alibi_bias(num_heads, N, M), expected)
    same(alibi_bias(num_heads, N), np.array(expected)[..., :N])


@pytest.mark.parametrize("like, kind, dtype", LIKES.values(), ids=LIKES)
def test_tables_take_library_dtype_and_device_of_the_array_they_are_like(like, kind, dtype):
    for make in partial(sinusoidal_positions, N, D), partial(alibi_bias, HEADS, N, M):
        table = make(like=like)
        assert (type(table), table.dtype) == (kind, dtype)
        same(table, make(), {np.float64: 0, torch.float64: 0, torch.float16: 2e-3}.get(dtype, 1e-6))
        assert make(like=torch.ones(1, device="meta")).device.type == "meta"


@both_libraries
@pytest.mark.parametrize("kind", ["float16", "float32", "float64", "int32", "int64"])
def test_rotary_returns_the_dtype_of_x_whatever_that_of_the_positions(kind, array):
    whole = np.arange(-10, N * D - 10).reshape(N, D)
    x = array(whole.astype(kind))
    default = np.float64 if array is np.array else torch.float32
    expected = x.dtype if "float" in kind else default
    assert array is np.array or rotary(x.to("meta")).device.type == "meta"
    precise = rotary(array(np.asarray(x, float)), array(np.arange(N) + 7))
    for positions in (np.arange(N) + 7, (np.arange(N) + 7).astype("int8"), np.arange(N) + 7.0):
        got = rotary(x, array(positions))
        assert got.dtype == expected
        same(got, precise, {"float16": 1e-2, "float64": 1e-12}.get(kind, 1e-5))
        same(x, whole, 0)  # which is never modified


@pytest.mark.parametrize("place, lacks", [("cpu", False), ("mps", True), ("mps:0", True)])
def test_rotary_computes_in_float64_where_the_device_has_it(place, lacks, monkeypatch):
    class Kinds(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            result = function(*args, **(kwargs or {}))
            kinds.update({result.dtype} - {torch.float64} if "lift_fresh" in str(function) else {result.dtype})
            return result

    kinds, x, lacking = set(), torch.tensor(random((BATCH, N, D))[0], dtype=torch.float32), module._lacks_float64
    monkeypatch.setattr(module, "_lacks_float64", lambda _: lacking(torch.device(place)))
    with Kinds():
        turned = rotary(x, torch.arange(N))
    assert turned.dtype == torch.float32 and (torch.float64 in kinds) != lacks
    same(turned, rotary(x.double()), 1e-6)


def test_gradients_flow_through_rotary():
    x = torch.tensor(random((BATCH, N, D))[0], requires_grad=True)
    positions = torch.tensor(random((N,))[0], requires_grad=True)
    assert torch.autograd.gradcheck(rotary, (x, positions))


EVEN = "expected an even number, two for each frequency"
REFUSED = [
    (lambda array: sinusoidal_positions(3, 5), f"d_model is 5; {EVEN}"),
    (lambda array: rotary(array(np.ones((3, 5)))), f"the last axis of x is 5; {EVEN}"),
    (lambda array: rotary(array(np.ones((3, 5))), d_rotary=3), f"d_rotary is 3; {EVEN}"),
    (lambda array: rotary(array(np.ones((3, 4))), d_rotary=6), "d_rotary is 6; expected at most d = 4"),
    (lambda array: rotary(array(np.ones((3, 4))), base=0), "base is 0.0; expected a number greater than 0"),
    (lambda array: rotary(array(np.ones((3, 4))), base="2"), "base is '2'; expected a real number"),
    (lambda array: rotary(array(np.ones((3, 4))), layout="thirds"),
     "layout is 'thirds'; expected 'pairs' or 'halves'"),
    (lambda array: rotary(array(np.ones(4))), "x has shape (4,); expected (..., n, d), one row for each position"),
    (lambda array: rotary(array(np.ones((5, 4))), array(np.ones(4))),
     "x (5, 4) and positions (4,): every row needs one position, got 5 and 4"),
    (lambda array: rotary(array(np.ones((2, 5, 4))), array(np.ones((3, 5)))),
     "x (2, 5, 4) and positions (3, 5): the axes before n do not broadcast"),
]  # fmt: skip


@both_libraries
@pytest.mark.parametrize("call, message", REFUSED)
def test_what_does_not_fit_is_refused(call, message, array):
    with refuses(TypeError if "real number" in message else ValueError, message):
        call(array)


@both_libraries
def test_rotary_finds_the_angles_in_float64_and_turns_in_the_precision_of_x(array):
    x, angles = random((N, 2))[0].astype("float32"), np.arange(N, dtype=float)
    cos, sin = np.cos(angles).astype("float32"), np.sin(angles).astype("float32")
    a, b = x.T
    same(rotary(array(x)), np.stack([a * cos - b * sin, a * sin + b * cos], axis=-1), 0)


@both_libraries
def test_rotary_refuses_by_name_what_holds_no_numbers(array):
    for arguments, error, message in odd_versions(array, {"x": random((N, D))[0], "positions": random((N,))[0]}):
        if arguments["positions"] is None:
            continue
        with refuses(error, message):
            rotary(**arguments)
