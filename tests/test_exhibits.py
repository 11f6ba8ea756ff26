"""The exhibits of the museum run, have the right shapes, and are not attention; test_checks.py has them refused."""

import numpy as np
import pytest

from attention_src import causal_mask, checks, scaled_dot_product_attention
from attention_src.exhibits import EXHIBITS


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", EXHIBITS)
def test_every_exhibit_runs_and_has_the_right_shapes(name):
    q, k, v = np.random.default_rng(0).normal(size=(3, 5, 4))
    for mask in (None, causal_mask(5)):
        output, weights = EXHIBITS[name](q, k, v, mask)
        assert (output.shape, weights.shape) == ((5, 4), (5, 5))


def test_there_are_twenty_exhibits_and_more_and_attention_is_none_of_them():
    assert len(EXHIBITS) >= 20
    checks.attention(scaled_dot_product_attention)
    checks.masked_attention(scaled_dot_product_attention)
