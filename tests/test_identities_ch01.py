"""What chapter 1 says of attention and holds for any numbers, by algebra."""

from math import sqrt

import numpy as np
import pytest

from attention_src import scaled_dot_product_attention, softmax


@pytest.fixture
def inputs(random):
    """Queries, keys and values, whose four sizes all differ."""
    n, m, d_k, d_v = random.choice(np.arange(2, 12), size=4, replace=False)
    return [random.normal(size=shape) for shape in ((n, d_k), (m, d_k), (m, d_v))]


@pytest.fixture
def scores(inputs):
    query, key, _ = inputs
    return query @ key.T / sqrt(key.shape[1])


def assert_same(a, b):
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-12)


def test_the_ratio_of_two_weights_is_e_raised_to_the_gap_of_their_scores(scores, inputs):
    for weights in (softmax(scores), scaled_dot_product_attention(*inputs)[1]):
        np.testing.assert_allclose(weights[:, :1] / weights, np.exp(scores[:, :1] - scores))


def test_with_two_keys_the_second_weight_says_how_far_along_the_line_the_output_lies(inputs):
    query, (first, second) = inputs[0], inputs[2][:2]
    output, weights = scaled_dot_product_attention(query, inputs[1][:2], inputs[2][:2])
    assert_same(output, first + weights[:, 1:] * (second - first))


def test_the_numbers_of_a_column_stay_between_its_smallest_and_its_largest(inputs):
    value, (output, _) = inputs[2], scaled_dot_product_attention(*inputs)
    assert (output <= value.max(axis=0) + 1e-12).all()
    assert (output >= value.min(axis=0) - 1e-12).all()


def test_dividing_unequal_scores_makes_the_largest_weight_smaller(random, scores):
    divided = scores / random.uniform(1.1, 10)
    assert (softmax(divided).max(axis=1) < softmax(scores).max(axis=1)).all()


def test_at_length_1_the_score_is_nearness(inputs):
    x = inputs[1]
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    squared_distances = ((unit[:, None] - unit) ** 2).sum(axis=2)
    assert_same(unit @ unit.T - 1, -squared_distances / 2)
    assert_same(softmax(-squared_distances / 2), softmax(unit @ unit.T))


@pytest.mark.parametrize("n", [2, 8, 32])
def test_softmax_down_the_columns_has_rows_that_sum_to_nearly_one_for_nearly_equal_scores_in_a_square_grid(random, n):
    """Each weight is within a factor of exp(gap) of 1/n, where no two scores are further apart than the gap."""
    for gap in (0, 0.01, 1):
        scores = 8 * random.normal() + random.uniform(0, gap, size=(n, n))
        square, tall = (softmax(part.T).T.sum(axis=1) for part in (scores, np.vstack([scores, scores[:2]])))
        assert (abs(np.log(square)) <= gap + 1e-12).all()
        assert_same([square.mean(), tall.mean()], [1, n / (n + 2)])
