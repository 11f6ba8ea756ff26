"""Tell attention at which position each token is, since by itself it sees a set without order.

`sinusoidal_positions` are added to the tokens, `rotary` turns queries and keys, `alibi_bias` is added to the scores.
"""

import numpy as np
from array_api_compat import device

from ._validation import (
    as_integer,
    as_number,
    cast,
    check_axes,
    check_equal,
    check_real,
    name_shapes,
    namespace,
    prepare,
)


def sinusoidal_positions(n, d_model, *, like=None):
    """Describe each position by sines and cosines of ever slower waves, which are added to the token there.

    ``sin(p / 10000^(2i/d_model))`` in column 2i, the cosine of the same in column 2i + 1, Vaswani et al. (2017),
    section 3.5. What defines them: row p + k is row p turned by angles that depend on k alone. TypeError if a number is
    not an integer, ValueError if it is less than 1 or d_model is odd.

    Parameters
    ----------
    n : int, number of positions
    d_model : int, an even number
    like : array whose library, device and dtype the result takes; NumPy and float64 if left out

    Returns
    -------
    (n, d_model)

    Examples
    --------
    >>> sinusoidal_positions(3, 4).round(2)
    array([[ 0.  ,  1.  ,  0.  ,  1.  ],
           [ 0.84,  0.54,  0.01,  1.  ],
           [ 0.91, -0.42,  0.02,  1.  ]])
    """
    n, d_model = as_integer("n", n, 1), _check_even("d_model", as_integer("d_model", d_model, 1))
    angles = np.arange(n)[:, None] * _frequencies(d_model)  # (n, d_model / 2)
    table = np.stack([np.sin(angles), np.cos(angles)], axis=-1)  # (n, d_model / 2, 2)
    return _convert(table.reshape(n, d_model), like)


def rotary(x, positions=None, *, base=10000.0, layout="pairs", d_rotary=None):
    """Turn each pair of numbers of a query or key by an angle that grows with its position.

    ``(a, b) -> (a cos pθ - b sin pθ, a sin pθ + b cos pθ)`` with θ = base^(-2i/d) for pair i, Su et al. (2021),
    equations (14) and (15). What defines it: if queries and keys are both turned, their dot product depends on how far
    apart they are, but not on where they are.

    Parameters
    ----------
    x : (..., n, d), queries or keys
    positions : (..., n), real numbers of the library of x; 0 … n - 1 if left out
    base : float, greater than 0; the larger it is, the slower the last pairs turn
    layout : str, which numbers are a pair
        'pairs': the numbers 2i and 2i + 1, as in the paper. 'halves': the numbers i and i + d/2, as in the published
        weights of LLaMA (Touvron et al. 2023) in the library transformers.
    d_rotary : int, an even number: how many of the d numbers are turned, the first ones; all if left out

    Returns
    -------
    (..., n, d) in the dtype of x

    Raises
    ------
    TypeError, ValueError
        NumPy is mixed with torch, an array does not hold numbers, there is not one position for each row of x, d_rotary
        is not an even number up to d, base is not positive, or the layout is neither of the two.

    Examples
    --------
    >>> import numpy as np
    >>> rotary(np.array([[1, 0], [1, 0]]), np.array([0, np.pi / 2])).round(2)
    array([[1., 0.],
           [0., 1.]])
    """
    xp, dtype, x = prepare(x=x)
    check_axes(2, "(..., n, d), one row for each position", x=x)
    d = _count_rotated(x.shape[-1], d_rotary)
    if (base := as_number("base", base)) <= 0:
        raise ValueError(f"base is {base}; expected a number greater than 0")
    if layout not in ("pairs", "halves"):
        raise ValueError(f"layout is {layout!r}; expected 'pairs' or 'halves'")
    exact = xp.float32 if _lacks_float64(device(x)) else xp.float64
    theta = xp.asarray(_frequencies(d, base), dtype=exact, device=device(x))

    angles = _check_positions(xp, x, positions)[..., None] * theta  # (..., n, d / 2), in float64 where there is one
    cos, sin = (cast(xp, wave(angles), x.dtype) for wave in (xp.cos, xp.sin))
    a, b = (x[..., 0:d:2], x[..., 1:d:2]) if layout == "pairs" else (x[..., : d // 2], x[..., d // 2 : d])
    turned = _join_pairs(xp, a * cos - b * sin, a * sin + b * cos, layout)
    rest = xp.broadcast_to(x[..., d:], (*turned.shape[:-1], x.shape[-1] - d))

    return cast(xp, xp.concat([turned, rest], axis=-1), dtype)


def _lacks_float64(place):
    return str(place).startswith("mps")  # Apple's GPUs


def _count_rotated(d, d_rotary):
    """Return how many of d numbers are turned, an even number."""
    name = "the last axis of x" if d_rotary is None else "d_rotary"
    turned = d if d_rotary is None else as_integer("d_rotary", d_rotary, 1)
    if turned > d:
        raise ValueError(f"d_rotary is {turned}; expected at most d = {d}")
    return _check_even(name, turned)


def _join_pairs(xp, a, b, layout):
    """Join the first and the second numbers of all pairs, (..., n, d / 2) each, into rows: (..., n, d)."""
    if layout == "halves":
        return xp.concat([a, b], axis=-1)
    return xp.reshape(xp.stack([a, b], axis=-1), (*a.shape[:-1], 2 * a.shape[-1]))


def _check_positions(xp, x, positions):
    """Return the positions after checking that there is one for each row of x, or count the rows."""
    if positions is None:
        return xp.arange(x.shape[-2], device=device(x))
    check_real(namespace(x=x, positions=positions), positions=positions)
    check_equal((-2, -1), "every row needs one position", x=x, positions=positions)
    try:
        np.broadcast_shapes(x.shape[:-1], positions.shape)
    except ValueError:
        raise ValueError(f"{name_shapes(x=x, positions=positions)}: the axes before n do not broadcast") from None
    return positions


def alibi_bias(num_heads, n, m=None, *, released=False, like=None):
    """Lower each score in proportion to the distance between query and key, at a different rate in each head.

    ``-slope · |i - j|``, the `bias` of attention, with the slopes ``2^(-8h/num_heads)`` for h = 1 … num_heads, Press et
    al. (2021), section 3. There a query only looks back; here a key ahead costs as much as one behind. What defines it:
    every step away costs the same.

    The code that the authors released, and models such as BLOOM, use other slopes if num_heads is not a power of two:
    those of the largest power of two below it, then every second one of twice that power, from the first. TypeError if
    a number is not an integer, ValueError if it is less than 1.

    Parameters
    ----------
    num_heads : int
    n : int, number of queries
    m : int, number of keys; n if left out
    released : bool, the slopes of the released code instead of those of the formula
    like : array whose library, device and dtype the result takes; NumPy and float64 if left out

    Returns
    -------
    (num_heads, n, m)

    Examples
    --------
    >>> alibi_bias(2, 2, 3)
    array([[[ 0.        , -0.0625    , -0.125     ],
            [-0.0625    ,  0.        , -0.0625    ]],
    <BLANKLINE>
           [[ 0.        , -0.00390625, -0.0078125 ],
            [-0.00390625,  0.        , -0.00390625]]])
    """
    num_heads, n = as_integer("num_heads", num_heads, 1), as_integer("n", n, 1)
    m = n if m is None else as_integer("m", m, 1)
    slopes = _released_slopes(num_heads) if released else _slopes(num_heads)
    distances = abs(np.arange(n)[:, None] - np.arange(m))  # (n, m)
    return _convert(slopes[:, None, None] * -distances, like)


def _slopes(num_heads):
    """Return 2^(-8h/num_heads) for h = 1 … num_heads."""
    return 2.0 ** (-8 * np.arange(1, num_heads + 1) / num_heads)


def _released_slopes(num_heads):
    """Return the slopes of the released code: of a power of two, then every second one of twice that power."""
    power = 2 ** (num_heads.bit_length() - 1)
    return np.concat([_slopes(power), _slopes(2 * power)[0 : 2 * (num_heads - power) : 2]])


def _frequencies(d, base=10000.0):
    """Return base^(-2i/d) for i = 0 … d/2 - 1: how far each pair of numbers turns from one position to the next."""
    return base ** (-np.arange(0, d, 2) / d)


def _check_even(name, number):
    if number % 2:
        raise ValueError(f"{name} is {number}; expected an even number, two for each frequency")
    return number


def _convert(table, like):
    """Return the NumPy table in the library, on the device and, if that holds real numbers, in the dtype of `like`."""
    if like is None:
        return table
    xp = namespace(like=like)
    dtype = like.dtype if xp.isdtype(like.dtype, "real floating") else xp.empty(()).dtype
    return xp.asarray(table, dtype=dtype, device=device(like))
