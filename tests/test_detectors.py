"""The detectors: each sees what it is for and nothing in a right layer; NumPy and torch alike."""

import numpy as np
import pytest
import torch
from reference import BATCH, D, N, both_libraries, random, refuses

from attention_course.museum import detectors
from attention_src import causal_mask, scaled_dot_product_attention

X = random((BATCH, N, D))[0]
SQUARE = [np.random.default_rng(i).normal(size=(D, D)) for i in range(3)]


def attend(x, mask=None):
    w_q, w_k, w_v = (torch.tensor(w) if torch.is_tensor(x) else w for w in SQUARE)
    return scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v, mask)[0]


def causal(x):
    return attend(x, causal_mask(N, like=x))


@both_libraries
def test_a_right_layer_raises_no_suspicion(array):
    x = array(X)
    assert detectors.order_effect(attend, x) < 1e-12
    assert detectors.batch_leak(attend, x) == 0
    assert (detectors.reactions(attend, x) > 1e-9).all()
    assert np.array_equal(detectors.reactions(causal, x) > 1e-9, np.tri(N, dtype=bool))


@both_libraries
def test_rows_are_judged_by_the_one_farthest_from_one(array):
    weights = np.full((BATCH, N, D), 1 / D)
    assert detectors.rows_off_one(array(weights)) < 1e-12
    weights[1, 2] *= 1.5
    weights[0, 3] *= 0.75
    assert detectors.rows_off_one(array(weights)) == pytest.approx(0.5)
    weights[1, 2] = 0
    assert detectors.rows_off_one(array(weights)) == pytest.approx(0.25)
    weights[0, 0, 0] = np.nan
    assert detectors.rows_off_one(array(np.array([[1.0, -1.0], [0.5, 0.5]]))) == 1.0
    assert np.isnan(detectors.rows_off_one(array(weights)))


@both_libraries
def test_order_matters_to_whoever_knows_where_things_stand(array):
    x = array(X)
    places = x * 0 + array(np.arange(float(N))[:, None])
    assert detectors.order_effect(lambda x: attend(x + places), x) > 0.1
    assert detectors.order_effect(causal, x) > 0.1


@both_libraries
def test_whoever_mixes_the_batch_is_caught(array):
    x = array(X)
    assert detectors.batch_leak(lambda x: x - x.mean(0), x) > 0.1
    swap = (lambda x: x.transpose(0, 1)) if torch.is_tensor(x) else (lambda x: x.swapaxes(0, 1))
    assert detectors.batch_leak(lambda x: swap(attend(swap(x))), x) > 0.1


def test_reactions_say_who_and_how_far():
    shift = np.eye(N, k=-1)
    table = detectors.reactions(lambda x: shift @ x, X)
    assert np.array_equal(table > 0, shift > 0)
    change = abs(np.random.default_rng([0, 1]).normal(size=D)).max()
    assert table[1, 0] == pytest.approx(change)
    assert detectors.reactions(lambda x: x[:, :2], X).shape == (2, N)


def test_another_seed_makes_other_changes_and_x_is_left_alone():
    kept = X.copy()
    one, two = (detectors.reactions(attend, X, seed) for seed in (0, 1))
    assert not np.allclose(one, two)
    assert np.array_equal(kept, X)


@pytest.mark.parametrize("seed", [0, 1, 7])
def test_behind_a_norm_it_sees_a_change_of_data_from_the_same_seed(seed):
    def norm(x):
        return (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True)

    x = np.random.default_rng(seed).normal(size=(BATCH, N, D))
    one = np.random.default_rng(seed).normal(size=(1, D))
    assert detectors.reactions(norm, one, seed) > 0.1
    assert np.array_equal(detectors.reactions(lambda x: causal(norm(x)), x[0], seed) > 1e-9, np.tri(N, dtype=bool))
    assert detectors.batch_leak(lambda x: norm(x).cumsum(0), x, seed) > 0.1


def test_a_loss_at_the_start_is_compared_with_ln_c():
    assert detectors.start_above_chance(np.log(7), 7) == pytest.approx(0)
    assert detectors.start_above_chance(torch.tensor(107.0), 85) == pytest.approx(102.557, abs=1e-3)


def test_parameters_that_are_shared_count_once():
    layer = torch.nn.Linear(3, 4)
    assert detectors.parameter_count(torch.nn.Sequential(layer, torch.nn.ReLU())) == 16
    assert detectors.parameter_count(torch.nn.Sequential(layer, torch.nn.Linear(4, 3), layer)) == 31


def test_what_cannot_be_asked_is_refused():
    with refuses(ValueError, f"x has shape (1, {N}, {D}); expected at least two sequences, or none could leak"):
        detectors.batch_leak(attend, X[:1])
    with pytest.raises(ValueError, match=r"\(batch, \.\.\., n, d\)"):
        detectors.batch_leak(attend, X[0])
    with pytest.raises(TypeError, match="x is a list"):
        detectors.reactions(attend, X.tolist())
    with pytest.raises(ValueError, match="one row for each token"):
        detectors.order_effect(attend, X[0, 0])
    with pytest.raises(ValueError, match="num_classes is 0"):
        detectors.start_above_chance(1.0, 0)
