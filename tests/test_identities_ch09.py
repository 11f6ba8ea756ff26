"""What chapter 9 says of vectors that are only drawn and holds for any numbers, by counting."""

from itertools import combinations

import numpy as np
import pytest

USES = ("cosines", "nearest_mean")


def test_over_all_ways_to_number_eight_verbs_the_nearest_is_right_in_3_of_7_and_the_nearest_mean_less_than_half(
    book, random
):
    v = random.normal(size=(8, 32))
    alike = book.cosines(v)
    np.fill_diagonal(alike, -1)
    numbers = [np.isin(range(8), many) for many in combinations(range(8), 4)]
    assert np.mean([many[alike.argmax(axis=1)] == many for many in numbers]) == pytest.approx(3 / 7)
    assert np.mean([book.nearest_mean(v, many) for many in numbers]) < 0.5
