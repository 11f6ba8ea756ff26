"""Who may look at whom: boolean masks in which True means *may look*. Combine them with ``&``.

Masks are NumPy arrays unless `like` names an array or tensor of another library or device.
"""

import numpy as np
from array_api_compat import array_namespace, device, is_torch_array

from ._arrays import namespace, whole


def _positions(count, like):
    """0, 1, ..., count - 1 in the library and on the device of `like`."""
    if like is None:
        return np.arange(count)
    return namespace(like=like).arange(count, device=device(like))


def causal_mask(n, m=None, *, like=None):
    """Let query i look at the keys 0 … i and at none after them.

    Vaswani et al. (2017), section 3.2.3; with n ≠ m aligned at the first key, as torch's ``is_causal``.

    Parameters
    ----------
    n : int, number of queries
    m : int, number of keys; n if left out
    like : array whose library and device the mask takes; NumPy if left out

    Returns
    -------
    (n, m) bool

    Raises
    ------
    TypeError
        A number is not an integer.
    ValueError
        A number is less than 1.

    Examples
    --------
    >>> causal_mask(2, 3)
    array([[ True, False, False],
           [ True,  True, False]])
    """
    query = _positions(whole("n", n, 1), like)
    key = query if m is None else _positions(whole("m", m, 1), like)
    return key[None, :] <= query[:, None]


def padding_mask(lengths, m):
    """Let every query look at the first ``length`` of m keys, the real ones, and not at the padding after them.

    Parameters
    ----------
    lengths : (...) int, one length for each sequence of the batch
        A number, a list, a NumPy array or a torch tensor, whose library and device the mask takes. For a batch of
        several heads pass ``lengths[:, None]``.
    m : int, number of keys

    Returns
    -------
    (..., 1, m) bool
        One row for all queries of a sequence.

    Raises
    ------
    TypeError
        A length or m is not an integer.
    ValueError
        A length is negative or greater than m, there is none, or m is less than 1.

    Examples
    --------
    >>> padding_mask([1, 3], 3)
    array([[[ True, False, False]],
    <BLANKLINE>
           [[ True,  True,  True]]])
    """
    m = whole("m", m, 1)
    lengths = lengths if is_torch_array(lengths) else np.asarray(lengths)
    if 0 in lengths.shape:
        raise ValueError(f"lengths has shape {tuple(lengths.shape)}; expected a length for each sequence")
    xp = array_namespace(lengths)
    if not xp.isdtype(lengths.dtype, "integral"):
        raise TypeError(f"lengths has dtype {lengths.dtype}; expected integers")
    lengths = xp.astype(lengths, xp.int64)[..., None, None]  # m may be too large a number for int8
    if xp.any(lengths < 0) or xp.any(lengths > m):
        raise ValueError(f"lengths run from {int(xp.min(lengths))} to {int(xp.max(lengths))}; expected 0 to m = {m}")
    return _positions(m, lengths) < lengths


def window_mask(n, width, *, like=None):
    """Let query i look at the keys at most `width` places away, on either side.

    Beltagy et al. (2020), section 3.1, count both sides together. ``window_mask(n, width) & causal_mask(n)`` looks
    back only.

    Parameters
    ----------
    n : int, number of queries and of keys
    width : int, how far one may look; 0 is oneself only
    like : array whose library and device the mask takes; NumPy if left out

    Returns
    -------
    (n, n) bool

    Raises
    ------
    TypeError
        A number is not an integer.
    ValueError
        n is less than 1 or width less than 0.

    Examples
    --------
    >>> window_mask(4, 1)
    array([[ True,  True, False, False],
           [ True,  True,  True, False],
           [False,  True,  True,  True],
           [False, False,  True,  True]])
    """
    width = whole("width", width, 0)
    position = _positions(whole("n", n, 1), like)
    return abs(position[None, :] - position[:, None]) <= width
