"""Where a token stands: three ways to tell attention, which by itself sees a set and no order.

`sinusoidal_positions` are added to the tokens, `rotary` turns queries and keys, `alibi_bias` is added to the scores.
"""

import numpy as np
from array_api_compat import device

from ._arrays import cast, namespace, need_axes, need_equal, real, show, whole


def _frequencies(name, d):
    """10000^(-2i/d) for i = 0 … d/2 - 1: how far each pair of numbers turns from one position to the next."""
    if d % 2:
        raise ValueError(f"{name} is {d}; expected an even number, two for each frequency")
    return 10000.0 ** (-np.arange(0, d, 2) / d)


def _handed_over(table, like):
    """The NumPy table in the library, on the device and, if it is one of real numbers, in the dtype of `like`."""
    if like is None:
        return table
    xp = namespace(like=like)
    dtype = like.dtype if xp.isdtype(like.dtype, "real floating") else xp.asarray(0.0).dtype
    return xp.asarray(table, dtype=dtype, device=device(like))


def sinusoidal_positions(n, d_model, *, like=None):
    """Describe each position by sines and cosines of ever slower waves, to be added to the token that stands there.

    ``sin(p / 10000^(2i/d_model))`` in column 2i, the cosine of the same in column 2i + 1, Vaswani et al. (2017),
    section 3.5. What defines them: row p + k is row p turned by angles that depend on k alone.

    Parameters
    ----------
    n : int, number of positions
    d_model : int, an even number
    like : array whose library, device and dtype the result takes; NumPy and float64 if left out

    Returns
    -------
    (n, d_model)

    Raises
    ------
    TypeError
        A number is not an integer.
    ValueError
        A number is less than 1, or d_model is odd.

    Examples
    --------
    >>> sinusoidal_positions(3, 4).round(2)
    array([[ 0.  ,  1.  ,  0.  ,  1.  ],
           [ 0.84,  0.54,  0.01,  1.  ],
           [ 0.91, -0.42,  0.02,  1.  ]])
    """
    n, d_model = whole("n", n, 1), whole("d_model", d_model, 1)
    angles = np.arange(n)[:, None] * _frequencies("d_model", d_model)  # (n, d_model / 2)
    return _handed_over(np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, d_model), like)


def rotary(x, positions=None):
    """Turn each pair of numbers of a query or key by an angle that grows with its position.

    ``(a, b) -> (a cos pθ - b sin pθ, a sin pθ + b cos pθ)`` for the numbers 2i and 2i + 1, with θ = 10000^(-2i/d),
    Su et al. (2021), equations (14) and (15). What defines it: if queries and keys are both turned, their dot product
    depends on how far apart they stand, and not on where.

    Parameters
    ----------
    x : (..., n, d), queries or keys; d is even
    positions : (..., n), real numbers of the library of x; 0 … n - 1 if left out

    Returns
    -------
    (..., n, d)
        In the dtype of x.

    Raises
    ------
    TypeError
        NumPy is mixed with torch, or an argument is neither or does not hold numbers.
    ValueError
        d is odd, there is not one position for each row of x, or an axis is empty.

    Examples
    --------
    >>> import numpy as np
    >>> rotary(np.array([[1, 0], [1, 0]]), np.array([0, np.pi / 2])).round(2)
    array([[1., 0.],
           [0., 1.]])
    """
    xp, dtype, x = real(x=x)
    need_axes(2, "(..., n, d), one row for each position", x=x)
    theta = xp.asarray(_frequencies("the last axis of x", x.shape[-1]), device=device(x))
    angles = _positions(xp, x, positions)[..., None] * theta  # (..., n, d / 2), in float64
    cos, sin = (cast(xp, wave(angles), x.dtype) for wave in (xp.cos, xp.sin))
    a, b = x[..., 0::2], x[..., 1::2]
    turned = xp.stack([a * cos - b * sin, a * sin + b * cos], axis=-1)  # (..., n, d / 2, 2)
    return cast(xp, xp.reshape(turned, (*turned.shape[:-2], x.shape[-1])), dtype)


def _positions(xp, x, positions):
    """Return the positions after checking that there is one for each row of x, or count the rows."""
    if positions is None:
        return xp.arange(x.shape[-2], device=device(x))
    namespace(x=x, positions=positions)
    real(positions=positions)
    need_equal((-2, -1), "every row needs one position", x=x, positions=positions)
    try:
        np.broadcast_shapes(x.shape[:-1], positions.shape)
    except ValueError:
        raise ValueError(f"{show(x=x, positions=positions)}: the axes before n do not broadcast") from None
    return positions


def alibi_bias(num_heads, n, m=None, *, like=None):
    """Lower each score in proportion to the distance between query and key, in each head at another rate.

    ``-slope · |i - j|``, to be added to the scores, with the slopes ``2^(-8h/num_heads)`` for h = 1 … num_heads,
    Press et al. (2021), section 3. There a query looks back only; here a key ahead costs as much as one behind.
    What defines it: every step away costs the same.

    Parameters
    ----------
    num_heads : int
    n : int, number of queries
    m : int, number of keys; n if left out
    like : array whose library, device and dtype the result takes; NumPy and float64 if left out

    Returns
    -------
    (num_heads, n, m)

    Raises
    ------
    TypeError
        A number is not an integer.
    ValueError
        A number is less than 1.

    Examples
    --------
    >>> alibi_bias(2, 2, 3)
    array([[[ 0.        , -0.0625    , -0.125     ],
            [-0.0625    ,  0.        , -0.0625    ]],
    <BLANKLINE>
           [[ 0.        , -0.00390625, -0.0078125 ],
            [-0.00390625,  0.        , -0.00390625]]])
    """
    num_heads, n = whole("num_heads", num_heads, 1), whole("n", n, 1)
    m = n if m is None else whole("m", m, 1)
    slopes = 2.0 ** (-8 * np.arange(1, num_heads + 1) / num_heads)
    apart = -abs(np.arange(n)[:, None] - np.arange(m))
    return _handed_over(slopes[:, None, None] * apart, like)
