"""Hundredths as a short text, so that a page has little to load: two digits of base 36 for each number."""

import numpy as np


def pack(values):
    """Write an array of numbers from 0 to 12.95, rounded to hundredths, as a str, row by row.

    If one of the `values` is negative or larger, it raises ValueError.

    >>> pack([0, 1, 0.5])
    '002S1E'
    """
    hundredths = np.rint(100 * np.ravel(values)).astype(int)
    if hundredths.min(initial=0) < 0 or hundredths.max(initial=0) >= 36**2:
        raise ValueError(f"values run from {np.min(values)} to {np.max(values)}; expected 0 to 12.95")
    return "".join(np.base_repr(int(x), 36).zfill(2) for x in hundredths)


def unpack(text, *shape):
    """Return the numbers that `pack` has written to `text`, a str, as an array of this shape, one int for each axis.

    It raises ValueError if the text does not have as many numbers as the `shape`.

    >>> unpack("002S1E", 3)
    array([0. , 1. , 0.5])
    """
    return np.array([int(text[i : i + 2], 36) for i in range(0, len(text), 2)]).reshape(shape) / 100
