"""What every formula asks of its arguments before it computes: one library, real numbers, shapes that fit."""

from math import prod
from operator import index

import numpy as np
from array_api_compat import array_namespace, is_numpy_array, is_torch_array


def _library(name, array):
    if is_numpy_array(array):
        return "a NumPy array"
    if is_torch_array(array):
        return "a torch tensor"
    raise TypeError(f"{name} is a {type(array).__name__}; expected a NumPy array or a torch tensor")


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


def real(**arrays):
    """Return the namespace, the dtype of the result, and the arrays in the dtype in which to compute.

    Integers become real numbers: the dtype of the other arguments, or the library's default if there is none. Half
    precision is computed in float32 and rounded once, at the end, to the dtype returned here.

    Raises
    ------
    TypeError
        An argument is not numeric, besides what `namespace` raises.
    """
    xp = namespace(**arrays)
    for name, array in arrays.items():
        if not xp.isdtype(array.dtype, ("real floating", "integral")):
            raise TypeError(f"{name} has dtype {array.dtype}; expected real numbers or integers")
    floating = [array.dtype for array in arrays.values() if xp.isdtype(array.dtype, "real floating")]
    dtype = xp.result_type(*floating) if floating else xp.empty(()).dtype
    exact = xp.result_type(dtype, xp.float32)
    return xp, dtype, *(cast(xp, array, exact) for array in arrays.values())


def cast(xp, array, dtype):
    """Return the array in another dtype, or the array itself where that is its dtype already."""
    return array if array.dtype == dtype else xp.astype(array, dtype)


def nonzero(xp, divisor):
    """Return the divisor with 1 in place of every 0, for where it is 0 so is what it divides."""
    return xp.where(divisor == 0, 1.0, divisor)


def whole(name, number, least):
    """Return the number as an int; raise TypeError if it is not an integer, ValueError if it is less than `least`."""
    try:
        number = index(number)
    except TypeError:
        raise TypeError(f"{name} is {number!r}; expected an integer") from None
    if number < least:
        raise ValueError(f"{name} is {number}; expected at least {least}")
    return number


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


def visible(mask, scores):
    """Return the mask after checking that it fits the scores (..., n, m).

    Raises
    ------
    TypeError
        The mask is not boolean, or not of the library of the scores.
    ValueError
        Its last axis is not m long, its second last neither n nor 1, or the others do not broadcast.
    """
    xp = namespace(scores=scores, mask=mask)
    if not xp.isdtype(mask.dtype, "bool"):
        raise TypeError(f"mask has dtype {mask.dtype}; expected booleans, True = may look")
    need_axes(min(scores.ndim, 2), "(..., n, m), a row for each query and a column for each key", mask=mask)
    need_equal((-1, -1), "both need a column for each key", mask=mask, scores=scores)
    if scores.ndim > 1 and mask.shape[-2] != 1:
        need_equal((-2, -2), "both need a row for each query", mask=mask, scores=scores)
    need_broadcast(mask=mask, scores=scores)
    return mask
