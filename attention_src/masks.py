"""Say who may look at whom: boolean masks in which True means *may look*. Combine them with ``&``.

Masks are NumPy arrays unless `like` names an array or tensor of another library or device.
"""

import numpy as np
from array_api_compat import array_namespace, device, is_torch_array

from ._validation import as_integer, namespace


def causal_mask(n, m=None, *, offset=0, like=None):
    """Let query i look at the keys 0 … i + offset and at none after them.

    Vaswani et al. (2017), section 3.2.3; without an offset, query and key 0 are aligned, as in torch's ``is_causal``.
    TypeError if a number is not an integer, ValueError if n or m is less than 1.

    Parameters
    ----------
    n : int, number of queries
    m : int, number of keys; n if left out
    offset : int, position of the first query: how many keys a cache holds from before
    like : array whose library and device the mask takes; NumPy if left out

    Returns
    -------
    (n, m) bool

    Examples
    --------
    >>> causal_mask(2, 3)
    array([[ True, False, False],
           [ True,  True, False]])
    >>> causal_mask(2, 4, offset=2)
    array([[ True,  True,  True, False],
           [ True,  True,  True,  True]])
    """
    return _count_steps_back(n, m, offset, like) >= 0


def window_mask(n, width, *, m=None, ahead=None, offset=0, like=None):
    """Let query i look at the keys at most `width` positions away, on either side.

    Beltagy et al. (2020), section 3.1, count both sides together. Errors as in `causal_mask`; also if width or ahead is
    less than 0.

    Parameters
    ----------
    n : int
    width : int, how far back one may look; 0 is oneself only
    m : int
    ahead : int, how far ahead one may look; `width` if left out, and 0 looks back only
    offset : int
    like : array; n, m, offset and like as for `causal_mask`

    Returns
    -------
    (n, m) bool

    Examples
    --------
    >>> window_mask(4, 1)
    array([[ True,  True, False, False],
           [ True,  True,  True, False],
           [False,  True,  True,  True],
           [False, False,  True,  True]])
    """
    width = as_integer("width", width, 0)
    ahead = width if ahead is None else as_integer("ahead", ahead, 0)
    steps = _count_steps_back(n, m, offset, like)
    return (steps <= width) & (steps >= -ahead)


def padding_mask(lengths, m):
    """Let every query look at the first ``length`` of m keys, the real ones, and not at the padding after them.

    TypeError if a length or m is not an integer, ValueError if a length is negative or above m, or there is none.

    Parameters
    ----------
    lengths : (...) int, one length for each sequence of the batch
        A number, a list, a NumPy array or a torch tensor, whose library and device the mask takes. For a batch of
        several heads pass ``lengths[:, None]``.
    m : int, number of keys

    Returns
    -------
    (..., 1, m) bool, one row for all queries of a sequence

    Examples
    --------
    >>> padding_mask([1, 3], 3)
    array([[[ True, False, False]],
    <BLANKLINE>
           [[ True,  True,  True]]])
    """
    m = as_integer("m", m, 1)
    lengths = lengths if is_torch_array(lengths) else np.asarray(lengths)
    _check_lengths(lengths, m)
    lengths = lengths[..., None, None]
    return _count_up(m, lengths) < lengths


def _check_lengths(lengths, m):
    if 0 in lengths.shape:
        raise ValueError(f"lengths has shape {tuple(lengths.shape)}; expected a length for each sequence")
    xp = array_namespace(lengths)
    if not xp.isdtype(lengths.dtype, "integral"):
        raise TypeError(f"lengths has dtype {lengths.dtype}; expected integers")
    least, most = int(xp.min(lengths)), int(xp.max(lengths))
    if least < 0 or most > m:
        raise ValueError(f"lengths run from {least} to {most}; expected 0 to m = {m}")


def _count_steps_back(n, m, offset, like):
    """Count how many positions query i must look back to key j, (n, m): negative if ahead."""
    n = as_integer("n", n, 1)
    m = n if m is None else as_integer("m", m, 1)
    return _count_up(n, like)[:, None] + as_integer("offset", offset) - _count_up(m, like)


def _count_up(count, like):
    """Return 0, 1, ..., count - 1 in the library and on the device of `like`."""
    if like is None:
        return np.arange(count)
    return namespace(like=like).arange(count, device=device(like))
