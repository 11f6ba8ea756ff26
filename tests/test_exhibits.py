"""The exhibits of the museum run, have the right shapes, are not attention, and are refused by the checks."""

import numpy as np
import pytest
import torch

from attention_course import checks
from attention_course.museum.exhibits import EXHIBITS, UNLABELLED
from attention_src import causal_mask, scaled_dot_product_attention


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


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", EXHIBITS)
def test_the_checks_of_chapters_1_and_5_refuse_every_exhibit(name):
    with pytest.raises(checks.Wrong):
        checks.masked_attention(EXHIBITS[name])
    if "mask" not in name:
        with pytest.raises(checks.Wrong):
            checks.attention(EXHIBITS[name])


def test_the_three_without_names_have_the_mistakes_that_are_asked_for():
    q, k, v = torch.randn(3, 2, 5, 4, generator=torch.Generator().manual_seed(0))
    mask = causal_mask(5, like=q)
    weights = {name: attend(q, k, v, mask)[1] for name, attend in UNLABELLED.items()}
    assert torch.equal(weights["A"], torch.eye(5).expand(2, 5, 5))
    assert (weights["B"] > 0).all() and torch.allclose(weights["B"].sum(-1), torch.ones(2, 5))
    assert not torch.equal(UNLABELLED["C"](q, k, v, mask)[1], weights["C"]) and (weights["C"][:, ~mask] == 0).all()
