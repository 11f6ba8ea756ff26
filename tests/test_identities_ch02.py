"""What chapter 2 says of softmax and of divisors, and holds for any numbers: by algebra or by construction."""

from itertools import product

import numpy as np
import pytest
import torch

from attention_course.divisors import train_side_by_side
from attention_src import dot_score, relu_weights, sigmoid_weights, softmax


@pytest.fixture(params=[(2, 0.1), (5, 1), (30, 8)], ids=lambda case: "{} scores of size {}".format(*case))
def scores(request, random):
    m, size = request.param
    return size * random.normal(size=m)


def test_two_weights_differ_by_tanh_of_half_the_gap_and_by_less_where_others_compete(random):
    for gap in random.uniform(0.001, 20, size=20):
        larger, smaller = softmax(np.array([gap, 0.0]))
        np.testing.assert_allclose([larger / smaller, larger - smaller], [np.exp(gap), np.tanh(gap / 2)], rtol=1e-9)
        assert larger - smaller < gap / 2
        among_three = softmax(np.array([gap, 0.0, random.normal()]))
        assert among_three[0] - among_three[1] < larger - smaller
        among_many = softmax(np.array([gap, *[0.0] * 99]))
        np.testing.assert_allclose(among_many[0], np.exp(gap) / (np.exp(gap) + 99))


def test_a_softmax_weight_grows_at_the_expense_of_all_others_and_the_other_two_ways_leave_them_alone(random):
    scores = random.normal(size=random.integers(2, 30))
    raised = scores + 0.1 * (np.arange(len(scores)) == 0)
    assert (softmax(raised)[1:] < softmax(scores)[1:]).all() and softmax(raised)[0] > softmax(scores)[0]
    for weigh in (relu_weights, sigmoid_weights):
        assert (weigh(raised)[1:] == weigh(scores)[1:]).all()


def test_an_output_moves_by_100_times_its_row_sum_which_for_softmax_is_1(scores, random):
    value = random.normal(size=(len(scores), 3))
    for weigh in (softmax, relu_weights, sigmoid_weights):
        weights = weigh(scores)
        np.testing.assert_allclose(weights @ (value + 100) - weights @ value, 100 * weights.sum())
    np.testing.assert_allclose(softmax(scores).sum(), 1)


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_the_variance_of_a_score_of_independent_numbers_of_variance_1_is_d(d):
    """Among all queries and keys of numbers that are 1 or −1, each as likely as any other."""
    query, key = np.array([*product([-1.0, 1.0], repeat=2 * d)]).reshape(-1, 2, 1, d).swapaxes(0, 1)
    assert dot_score(query, key).var() == d


@pytest.mark.parametrize("seed", [0, *range(100, 105)])
def test_without_a_divisor_a_larger_error_and_hardly_the_slopes_make_the_first_gradient_larger(seed):
    """Give the slopes of one divisor the errors of the other, and leave out what the divisor itself contributes."""
    draw, d = torch.Generator().manual_seed(seed), 256
    W = (torch.randn(2, 5, d, d, generator=draw, dtype=torch.float64) / d**0.5).requires_grad_()
    items = torch.randn(5, 64, d, generator=draw, dtype=torch.float64)
    facts = torch.randn(5, 64, 8, generator=draw, dtype=torch.float64).sign()
    weights = {c: softmax((items @ W[0]) @ (items @ W[1]).mT / c) for c in (1, 16)}

    def measure(slopes, errors):
        error = (weights[errors] @ facts - facts).detach() @ facts.mT
        return slopes * torch.autograd.grad((weights[slopes] * error).sum(), W, retain_graph=True)[0].norm()

    assert measure(1, 16) / measure(16, 16) < 1.3 < 1.6 < measure(16, 1) / measure(16, 16)


@pytest.mark.parametrize(("optimiser", "tolerance"), [("SGD", 1e-12), ("Adam", 1e-4)])
@pytest.mark.parametrize("power", [0.5, 1])
@pytest.mark.parametrize("seed", range(100, 105))
def test_a_divisor_is_a_starting_size_and_a_rate(optimiser, tolerance, power, seed):
    """After ten steps, W divided by √c is where it is without the divisor; with Adam but for its ε."""
    d, method = 11, getattr(torch.optim, optimiser)
    c = d**power
    rate = 0.3 * c / d**0.5 if optimiser == "SGD" else 0.01
    _, _, divided = train_side_by_side(c, rate, d, 10, method, seed=seed, runs=2)
    less = c if optimiser == "SGD" else c**0.5
    _, before, undivided = train_side_by_side(1, rate / less, d, 10, method, scale=c**-0.5, seed=seed, runs=2)
    assert (divided / c**0.5 - undivided).norm() < tolerance * (undivided - before).norm()
