"""Handwritten digits: real pictures of 8 × 8 grey pixels.

The 1,797 test pictures of *Optical Recognition of Handwritten Digits* by E. Alpaydin and C. Kaynak (1998), UCI Machine
Learning Repository, https://doi.org/10.24432/C50P49, under CC BY 4.0, https://creativecommons.org/licenses/by/4.0/. The
numbers are those of scikit-learn's `load_digits`, in the same order; only the file's form is ours.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from .sampling import split

FILE = Path(__file__).with_suffix(".npz")  # written by `python -m evidence.ch08 digits.csv.gz`
NUM_TRAIN = 1297


class Digits(NamedTuple):
    """Pictures of digits; every array has a row for each.

    Attributes
    ----------
    images : (num, 8, 8, 1) float, ink from 0 to 1
    digit : (num,) int, 0 to 9
    """

    images: np.ndarray
    digit: np.ndarray


def digit_examples():
    """Return train and test, both Digits: the first 1,297 pictures of the file, and the other 500.

    >>> train, test = digit_examples()
    >>> train.images.shape, test.digit[:5]
    ((1297, 8, 8, 1), array([0, 1, 2, 3, 4]))
    """
    with np.load(FILE) as file:
        return split(Digits(file["images"][..., None] / 16, file["digit"].astype(int)), NUM_TRAIN)
