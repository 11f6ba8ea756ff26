"""The detectors: each sees what it is for and nothing in a right layer; NumPy and torch alike."""

import re

import numpy as np
import pytest
import torch
from reference import BATCH, D, N, both_libraries, random

from attention_course.museum import detectors
from attention_course.museum.detectors import batch_leak, order_effect, reactions, rows_off_one
from attention_src import causal_mask, scaled_dot_product_attention

X = random((BATCH, N, D))[0]
SQUARE = [np.random.default_rng(i).normal(size=(D, D)) for i in range(3)]


def attend(x, mask=None):
    w_q, w_k, w_v = (torch.tensor(w) if torch.is_tensor(x) else w for w in SQUARE)
    return scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v, mask)[0]


def causal(x):
    return attend(x, causal_mask(N, like=x))


@both_libraries
def test_a_right_layer_raises_no_suspicion_and_positions_a_mask_and_a_mixed_batch_do(array):
    x = array(X)
    assert order_effect(attend, x) < 1e-12 and batch_leak(attend, x) == 0
    assert (reactions(attend, x) > 1e-9).all()
    assert np.array_equal(reactions(causal, x) > 1e-9, np.tri(N, dtype=bool))
    places = x * 0 + array(np.arange(float(N))[:, None])
    assert order_effect(lambda x: attend(x + places), x) > 0.1 and order_effect(causal, x) > 0.1
    assert batch_leak(lambda x: x - x.mean(0), x) > 0.1
    assert batch_leak(lambda x: attend(x.swapaxes(0, 1)).swapaxes(0, 1), x) > 0.1


@both_libraries
def test_rows_are_judged_by_the_one_farthest_from_one(array):
    weights = np.full((BATCH, N, D), 1 / D)
    assert rows_off_one(array(weights)) < 1e-12
    weights[1, 2] *= 1.5
    weights[0, 3] *= 0.75
    assert rows_off_one(array(weights)) == pytest.approx(0.5)
    weights[0, 0] = [np.nan, 1, -1, 0]
    assert np.isnan(rows_off_one(array(weights)))
    assert rows_off_one(array(np.array([[1.0, -1.0], [0.5, 0.5]]))) == 1.0


def test_reactions_say_who_and_how_far_by_changes_that_the_seed_gives_and_leave_x_alone():
    kept, shift = X.copy(), np.eye(N, k=-1)
    table = reactions(lambda x: shift @ x, X)
    assert np.array_equal(table > 0, shift > 0)
    assert table[1, 0] == pytest.approx(abs(np.random.default_rng([0, 1]).normal(size=D)).max())
    assert reactions(lambda x: x[:, :2], X).shape == (2, N)
    assert not np.allclose(reactions(attend, X, 0), reactions(attend, X, 1))
    assert np.array_equal(X, kept)


def test_a_first_loss_is_compared_with_ln_c_and_shared_parameters_count_once():
    assert detectors.start_above_chance(np.log(7), 7) == pytest.approx(0)
    assert detectors.start_above_chance(torch.tensor(107.0), 85) == pytest.approx(102.557, abs=1e-3)
    layer = torch.nn.Linear(3, 4)
    assert detectors.parameter_count(torch.nn.Sequential(layer, torch.nn.Linear(4, 3), layer)) == 31


@pytest.mark.parametrize(
    ("error", "message", "detector", "given"),
    [
        (ValueError, f"x has shape (1, {N}, {D}); expected at least two sequences, or", batch_leak, (attend, X[:1])),
        (ValueError, "(batch, ..., n, d)", batch_leak, (attend, X[0])),
        (TypeError, "x is a list", reactions, (attend, X.tolist())),
        (ValueError, "one row for each token", order_effect, (attend, X[0, 0])),
        (ValueError, "num_classes is 0", detectors.start_above_chance, (1.0, 0)),
    ],
)
def test_what_cannot_be_asked_is_refused(error, message, detector, given):
    with pytest.raises(error, match=re.escape(message)):
        detector(*given)
