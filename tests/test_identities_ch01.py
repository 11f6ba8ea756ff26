"""What chapter 1 says of attention and holds for any numbers, by algebra."""

import numpy as np
import pytest

from attention_src import softmax


def test_dividing_unequal_scores_makes_the_largest_weight_smaller(random):
    scores = random.normal(size=random.integers(2, 12, size=2))
    divided = scores / random.uniform(1.1, 10)
    assert (softmax(divided).max(axis=1) < softmax(scores).max(axis=1)).all()


@pytest.mark.parametrize("n", [2, 8, 32])
def test_softmax_down_the_columns_has_rows_that_sum_to_nearly_one_for_nearly_equal_scores_in_a_square_grid(random, n):
    """Each weight is within a factor of exp(gap) of 1/n, where no two scores are further apart than the gap."""
    for gap in (0, 0.01, 1):
        scores = 8 * random.normal() + random.uniform(0, gap, size=(n, n))
        square, tall = (softmax(part.T).T.sum(axis=1) for part in (scores, np.vstack([scores, scores[:2]])))
        assert (abs(np.log(square)) <= gap + 1e-12).all()
        np.testing.assert_allclose([square.mean(), tall.mean()], [1, n / (n + 2)])
