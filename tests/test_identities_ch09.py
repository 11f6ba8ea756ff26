"""What chapter 9 says of vectors that are only drawn and holds for any numbers, by counting."""

from itertools import combinations

import numpy as np
import pytest

USES = ("neighbours",)


def test_over_all_ways_to_number_eight_verbs_the_nearest_is_right_in_3_of_7(book, random):
    v = random.normal(size=(8, 24))
    numbers = [np.isin(range(8), many) for many in combinations(range(8), 4)]
    assert np.mean([book.neighbours(v, many) for many in numbers]) == pytest.approx(3 / 7)
