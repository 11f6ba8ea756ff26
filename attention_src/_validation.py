"""Check the arguments of every formula and prepare them: one library, real numbers, shapes that fit, no empty axis."""

from functools import cache
from itertools import zip_longest
from math import inf, prod
from numbers import Real
from operator import index

import numpy as np
from array_api_compat import array_namespace, is_numpy_array, is_torch_array


def as_integer(name, number, least=None):
    """Return the number as an int; raise TypeError if it is not an integer, ValueError if it is less than `least`."""
    try:
        if isinstance(number, bool):
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


def namespace(**arrays):
    """Return the array API namespace that all arrays share.

    Raise TypeError unless all are NumPy arrays or all torch tensors, ValueError if one has an empty axis, or no axis.
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


def _library(name, array):
    if is_numpy_array(array) and not isinstance(array, (np.ma.MaskedArray, np.matrix)):  # their arithmetic is another
        return "a NumPy array"
    if is_torch_array(array):
        return "a torch tensor"
    raise TypeError(f"{name} is a {type(array).__name__}; expected a NumPy array or a torch tensor")


def prepare(**arrays):
    """Return the namespace, the dtype of the result, and the arrays in the dtype in which to compute.

    Integers become real numbers: the dtype of the other arguments, or the library's default if there is none. Half
    precision is computed in float32 and rounded once, at the end, by `cast`.
    """
    xp = namespace(**arrays)
    check_real(xp, **arrays)
    dtype = _result_type(xp, *(array.dtype for array in arrays.values())) or xp.empty(()).dtype
    exact = _result_type(xp, dtype, xp.float32)
    return xp, dtype, *(cast(xp, array, exact) for array in arrays.values())


@cache  # every call needs it, and it is slower than a small sum
def _result_type(xp, *dtypes):
    """Return the dtype in which the real numbers among these meet, or None if there are only integers."""
    real = [dtype for dtype in dtypes if xp.isdtype(dtype, "real floating")]
    return xp.result_type(*real) if real else None


def check_real(xp, **arrays):
    """Raise TypeError if an array does not hold real numbers or integers."""
    for name, array in arrays.items():
        if not xp.isdtype(array.dtype, ("real floating", "integral")):
            raise TypeError(f"{name} has dtype {array.dtype}; expected real numbers or integers")


def cast(xp, array, dtype):
    """Return the array in another dtype, or the array itself where that is its dtype already."""
    return array if array.dtype == dtype else xp.astype(array, dtype)


def prepare_pair(query, key, **parameters):
    """Do what `prepare` does for a score: also check that query and key have rows and their leading axes broadcast."""
    prepared = prepare(query=query, key=key, **parameters)
    check_axes(2, "(..., rows, d), one row for each query or key", query=query, key=key)
    check_broadcast(query=query, key=key)
    return prepared


def prepare_scores(scores, mask):
    """Do what `prepare` does for weights: also check that the mask is boolean and fits the scores."""
    prepared = prepare(scores=scores)
    if mask is not None:
        _check_mask(namespace(scores=scores, mask=mask), mask, scores.shape)
    return prepared


def prepare_attention(query, key, value, mask, bias, *, equal_lengths=False):
    """Check all arguments of attention and prepare them as `prepare` does; `equal_lengths` is what a dot product needs.

    Return the namespace, the dtype of the result, query, key, value and bias.
    """
    given = {name: array for name, array in (("mask", mask), ("bias", bias)) if array is not None}
    xp, dtype, query, key, value = prepare(query=query, key=key, value=value)
    namespace(query=query, **given)  # only to check that mask and bias are of the same library
    check_axes(2, "(..., rows, d), one row for each query or key", query=query, key=key, value=value)
    check_equal((-2, -2), "every key needs one value", key=key, value=value)
    check_broadcast(query=query, key=key, value=value)
    scores = (*check_broadcast(query=query, key=key), query.shape[-2], key.shape[-2])
    if mask is not None:
        _check_mask(xp, mask, scores)
    if bias is not None:
        check_real(xp, bias=bias)
        _check_pairs(scores, bias=bias)
        bias = cast(xp, bias, query.dtype)
    check_broadcast(**given, value=value)
    if equal_lengths:
        check_equal_lengths(query, key)
    return xp, dtype, query, key, value, bias


def prepare_mix(weights, value):
    """Return weights of any origin and the values that they mix, in one dtype, after checking that they fit."""
    _, _, weights, value = prepare(weights=weights, value=value)
    check_equal((-1, -2), "every value needs one weight", weights=weights, value=value)
    check_broadcast(weights=weights, value=value)
    return weights, value


def zero_hidden(xp, mask, query, key, value):
    """Return all three with 0 for NaN and infinity in what the mask hides, since 0 · NaN is NaN, in gradients too.

    Hidden is a key or value that no query may see, and a query that may look nowhere.
    """
    if mask is None:
        return query, key, value
    looks, seen = xp.any(mask, axis=-1)[..., None], xp.any(mask, axis=-2)[..., None]
    pairs = (looks, query), (seen, key), (seen, value)
    return tuple(xp.where(visible | (xp.abs(array) < inf), array, 0.0) for visible, array in pairs)


def _check_mask(xp, mask, scores):
    if not xp.isdtype(mask.dtype, "bool"):
        raise TypeError(f"mask has dtype {mask.dtype}; expected booleans, True = may look")
    _check_pairs(scores, mask=mask)


def _check_pairs(scores, **array):
    """Raise ValueError unless a mask or bias is m long on its last axis, n or 1 on the one before, as scores are."""
    ((_, pairs),) = array.items()
    check_axes(min(len(scores), 2), "(..., n, m), a row for each query and a column for each key", **array)
    check_equal((-1, -1), "both need a column for each key", **array, scores=scores)
    if len(scores) > 1 and pairs.shape[-2] != 1:
        check_equal((-2, -2), "both need a row for each query", **array, scores=scores)
    check_broadcast(**array, scores=scores)


def name_shapes(**arrays):
    """Return 'query (2, 4) and key (5, 3)', the way every message names arguments and shapes."""
    return " and ".join(f"{name} {_shape(array)}" for name, array in arrays.items())


def _shape(array):
    return tuple(getattr(array, "shape", array))


def check_axes(count, form, *, exactly=False, **arrays):
    """Raise ValueError if an array has fewer axes than `form`, such as '(..., n, d)', or, if `exactly`, more."""
    for name, array in arrays.items():
        if array.ndim < count or (exactly and array.ndim > count):
            raise ValueError(f"{name} has shape {_shape(array)}; expected {form}")


def check_equal(axes, reason, **arrays):
    """Raise ValueError unless the two arrays or shapes are equally long along `axes`, one axis for each."""
    first, second = (_shape(array)[axis] for array, axis in zip(arrays.values(), axes, strict=True))
    if first != second:
        raise ValueError(f"{name_shapes(**arrays)}: {reason}, got {first} and {second}")


def check_equal_lengths(query, key):
    """Raise ValueError unless queries and keys are equally long, as a dot product needs them."""
    check_equal((-1, -1), "the dot product needs vectors of equal length", query=query, key=key)


def check_broadcast(**arrays):
    """Return the shape to which all axes before the last two of these arrays or shapes broadcast, or raise ValueError.

    Without NumPy, so that `torch.export` takes batches of any size.
    """
    leading = [_shape(array)[:-2] for array in arrays.values()]
    axes = [*zip_longest(*map(reversed, leading), fillvalue=1)][::-1]
    if any(length not in (1, max(lengths)) for lengths in axes for length in lengths):
        got = " and ".join(map(str, leading))
        raise ValueError(f"{name_shapes(**arrays)}: the axes before the last two do not broadcast, got {got}")
    return tuple(map(max, axes))


def check_tokens(linear, **arrays):
    """Raise unless all are tensors (..., rows, d_model) of the dtype of the layer `linear`, and fit each other."""
    check_dtype(linear.weight.dtype, **arrays)
    namespace(**arrays)
    for name, array in arrays.items():
        if array.ndim < 2 or array.shape[-1] != linear.in_features:
            raise ValueError(f"{name} has shape {_shape(array)}; expected (..., rows, d_model = {linear.in_features})")
    check_broadcast(**arrays)


def _check_tensor(name, array):
    if not is_torch_array(array):
        raise TypeError(f"{name} is a {type(array).__name__}; expected a torch tensor")


def check_dtype(dtype, **arrays):
    """Raise TypeError unless each is a tensor of the dtype of the layer, or one that autocast will convert."""
    from torch import is_autocast_enabled  # here, since nothing else needs torch

    for name, array in arrays.items():
        _check_tensor(name, array)
        converted = array.is_floating_point() and is_autocast_enabled(array.device.type)
        if array.dtype != dtype and not converted:
            raise TypeError(f"{name} has dtype {array.dtype}; expected {dtype}, as the layer has")


def check_head_pairs(name, pairs, leading, num_heads, n, m):
    """Return a mask or bias, if there is one, with an axis for the heads, after checking its dtype and shape."""
    if pairs is None:
        return None
    _check_tensor(name, pairs)
    if name == "mask" and pairs.dtype != array_namespace(pairs).bool:
        raise TypeError(f"mask has dtype {pairs.dtype}; expected booleans, True = may look")
    if name == "bias" and not pairs.is_floating_point():
        raise TypeError(f"bias has dtype {pairs.dtype}; expected floating-point numbers")
    forms = (n, m), (*leading, n, m), (*leading, num_heads, n, m)
    if not any(_fits(_shape(pairs), form) for form in forms):
        expected = " or ".join(map(str, dict.fromkeys(forms)))
        raise ValueError(f"{name} has shape {_shape(pairs)}; expected {expected}; any axis but the last may be 1")
    return pairs if pairs.ndim in (2, len(forms[-1])) else pairs.unsqueeze(-3)


def _fits(shape, form):
    """Say whether a shape is this form, in which any axis but the last may also be 1."""
    equally_long = len(shape) == len(form) and shape[-1] == form[-1]
    return equally_long and all(axis in (1, wanted) for axis, wanted in zip(shape, form, strict=True))
