"""What every formula asks of its arguments before it computes: one library, real numbers, shapes that fit."""

from functools import cache
from math import inf, prod
from numbers import Real
from operator import index

import numpy as np
from array_api_compat import array_namespace, is_numpy_array, is_torch_array


def _library(name, array):
    # The two subclasses of NumPy that compute something else: one skips entries, the other has another *.
    if is_numpy_array(array) and not isinstance(array, np.ma.MaskedArray | np.matrix):
        return "a NumPy array"
    if not is_torch_array(array):
        raise TypeError(f"{name} is a {type(array).__name__}; expected a NumPy array or a torch tensor")
    if array.is_nested or str(array.layout) != "torch.strided":
        raise TypeError(f"{name} is a nested or sparse tensor; expected one that holds every number")
    return "a torch tensor"


def namespace(**arrays):
    """Return the array API namespace that all arrays share.

    Raises
    ------
    TypeError
        An argument is neither a NumPy array nor a torch tensor, or the two are mixed.
    ValueError
        An argument has an axis of length 0, or no axis at all.
    """
    libraries = {name: _library(name, array) for name, array in arrays.items()}
    first, *others = libraries
    for name in others:
        if libraries[name] != libraries[first]:
            raise TypeError(f"{first} is {libraries[first]} but {name} is {libraries[name]}; expected one library")
    for name, array in arrays.items():
        if array.ndim == 0 or prod(array.shape) == 0:
            raise ValueError(f"{name} has shape {tuple(array.shape)}; expected at least one axis, none of them empty")
    return array_namespace(*arrays.values())


def need_real(**arrays):
    """Return the namespace of the arrays; raise TypeError if one of them does not hold real numbers or integers.

    A type that a library stores but does not compute with, such as torch's float8 or another package's bfloat16 in
    NumPy, is refused too.
    """
    xp = namespace(**arrays)
    for name, array in arrays.items():
        if _kind(xp, array.dtype) is None:
            raise TypeError(f"{name} has dtype {array.dtype}; expected real numbers or integers")
    return xp


@cache
def _result_type(xp, *dtypes):
    """Remember the type of a result: it is asked for in every call, and takes longer than a small sum."""
    return xp.result_type(*dtypes)


@cache
def _kind(xp, dtype):
    """Return the kind of the numbers, "real floating" or "integral", or None if the library computes with no such."""
    try:
        _result_type(xp, dtype, xp.float32)
        return next((kind for kind in ("real floating", "integral") if xp.isdtype(dtype, kind)), None)
    except (TypeError, RuntimeError):
        return None


def as_real(**arrays):
    """Return the namespace, the dtype of the result, and the arrays in the dtype in which to compute.

    Integers become real numbers: the dtype of the other arguments, or the library's default if there is none. Half
    precision is computed in float32 and rounded once, at the end, to the dtype returned here.

    Raises
    ------
    TypeError, ValueError
        As `need_real` and `namespace`.
    """
    xp = need_real(**arrays)
    floating = [array.dtype for array in arrays.values() if _kind(xp, array.dtype) == "real floating"]
    dtype = _result_type(xp, *floating) if floating else xp.empty(()).dtype
    exact = _result_type(xp, dtype, xp.float32)
    return xp, dtype, *(cast(xp, array, exact) for array in arrays.values())


def cast(xp, array, dtype):
    """Return the array in another dtype, or the array itself where that is its dtype already."""
    return array if array.dtype == dtype else xp.astype(array, dtype)


def one_for_zero(xp, divisor):
    """Return the divisor with 1 in place of every 0. A sum over no keys is 0 and stays 0: 0 / 1, where 0 / 0 is NaN."""
    return xp.where(divisor == 0, 1.0, divisor)


def as_integer(name, number, least=None):
    """Return the number as an int; raise TypeError if it is not an integer, ValueError if it is less than `least`."""
    try:
        if isinstance(number, bool) or str(getattr(number, "dtype", "")).endswith("bool"):
            raise TypeError
        number = index(number)
    except TypeError:
        raise TypeError(f"{name} is {number!r}; expected an integer") from None
    if least is not None and number < least:
        raise ValueError(f"{name} is {number}; expected at least {least}")
    return number


def as_number(name, number):
    """Return the number as a float; raise TypeError if it is not a real number."""
    if isinstance(number, bool) or not isinstance(number, Real):
        raise TypeError(f"{name} is {number!r}; expected a real number")
    return float(number)


def show(**arrays):
    """Return 'query (2, 4) and key (5, 3)', the way every message names arguments and shapes."""
    return " and ".join(f"{name} {tuple(array.shape)}" for name, array in arrays.items())


def need_axes(count, form, **arrays):
    """Raise ValueError if an array has fewer axes than `form`, for example '(..., n, d)', asks for."""
    for name, array in arrays.items():
        if array.ndim < count:
            raise ValueError(f"{name} has shape {tuple(array.shape)}; expected {form}")


def need_exactly(count, form, **arrays):
    """Raise ValueError if an array has more or fewer axes than `form`, for example '(h,)', shows."""
    for name, array in arrays.items():
        if array.ndim != count:
            raise ValueError(f"{name} has shape {tuple(array.shape)}; expected {form}")


def need_equal(axes, reason, **arrays):
    """Raise ValueError unless the two arrays are as long as each other along `axes`, one axis for each."""
    (_, a), (_, b) = arrays.items()
    if a.shape[axes[0]] != b.shape[axes[1]]:
        raise ValueError(f"{show(**arrays)}: {reason}, got {a.shape[axes[0]]} and {b.shape[axes[1]]}")


def need_broadcast(**arrays):
    """Raise ValueError unless all axes before the last two broadcast against each other."""
    leading = [tuple(array.shape[:-2]) for array in arrays.values()]
    try:
        np.broadcast_shapes(*leading)
    except ValueError:
        got = " and ".join(map(str, leading))
        raise ValueError(f"{show(**arrays)}: the axes before the last two do not broadcast, got {got}") from None


def need_pairs(scores, **arrays):
    """Raise ValueError unless the array, a mask or a bias, has an entry for each pair of a query and a key.

    Its last axis must be m long and its second last n or 1, as the scores (..., n, m) are; the others must broadcast.
    """
    (array,) = arrays.values()
    need_axes(min(scores.ndim, 2), "(..., n, m), a row for each query and a column for each key", **arrays)
    need_equal((-1, -1), "both need a column for each key", **arrays, scores=scores)
    if scores.ndim > 1 and array.shape[-2] != 1:
        need_equal((-2, -2), "both need a row for each query", **arrays, scores=scores)
    need_broadcast(**arrays, scores=scores)


def checked_mask(mask, scores):
    """Return the mask after checking that it is boolean, of the library of the scores, and fits them."""
    xp = namespace(scores=scores, mask=mask)
    if not xp.isdtype(mask.dtype, "bool"):
        raise TypeError(f"mask has dtype {mask.dtype}; expected booleans, True = may look")
    need_pairs(scores, mask=mask)
    return mask


def checked_bias(bias, scores):
    """Return the bias after checking that it holds real numbers, is of the library of the scores, and fits them."""
    need_real(scores=scores, bias=bias)
    need_pairs(scores, bias=bias)
    return bias


def without_unseen(xp, mask, *arrays):
    """Return keys or values with 0 for every NaN and infinity at a position that no query may look at.

    The weight there is 0, but 0 · NaN is NaN: without this, what stands in the padding could spoil the output.
    """
    seen = xp.any(mask, axis=-2)[..., None]
    return [xp.where(seen | (xp.abs(array) < inf), array, 0.0) for array in arrays]
