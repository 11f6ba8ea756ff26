"""The task on which chapter 2 tries divisors, optimisers and learning rates: find your own item among 64."""

import torch

from attention_src.attention import attention
from attention_src.scores import dot_score
from attention_src.threads import limit_threads

__all__ = ["count_in_squares", "measure_gradients", "measure_pulls", "train_side_by_side"]

ITEMS, FACTS = 64, 8
LEARNED = 2 / 3  # of the items right in the last five steps: then a run counts as one that learned
PRECISE = torch.float64  # so that what is counted is the same on every machine


def _start(runs, d, scale=1.0):
    """Return W_q and W_k of several runs, (2, runs, d, d), of variance scale² / d: queries and keys keep their size."""
    return (torch.randn(2, runs, d, d, dtype=PRECISE) / d**0.5 * scale).requires_grad_()


def _answer(W, divisor):
    """Draw items and let each ask for its own facts.

    Return the queries (2 axes after the runs), the weights, whether all facts are right, and the squared error of each
    item, (runs, items).
    """
    _, runs, d, _ = W.shape
    items = torch.randn(runs, ITEMS, d, dtype=PRECISE)
    facts = torch.randn(runs, ITEMS, FACTS, dtype=PRECISE).sign()
    queries = items @ W[0]
    output, weights = attention(queries, items @ W[1], facts, score=lambda q, k: dot_score(q, k) / divisor)
    right = (output.sign() == facts).all(dim=-1)
    return queries, weights.detach(), right.double(), (output - facts).square().sum(dim=-1)


@limit_threads()  # too small to gain from more threads
def train_side_by_side(divisor, rate, d, steps, method=torch.optim.SGD, *, scale=1.0, seed=0, runs=5, teach=None):
    """Train W_q and W_k from several initialisations side by side, on new items at every step.

    Parameters
    ----------
    divisor : float, by which all scores are divided
    rate : float, learning rate
    d : int, how many numbers an item, a query and a key have
    steps, seed, runs : int
    method : an optimiser of torch.optim
    scale : float, by which W_q and W_k are multiplied at the start
    teach : function of the weights (runs, 64, 64) that returns which items count in the error, (runs, 64); None for all

    Returns
    -------
    shares : torch.Tensor (steps, runs), the share of items all of whose facts have the right sign
    before, after : torch.Tensor (2, runs, d, d), W_q and W_k

    Examples
    --------
    >>> shares, before, after = train_side_by_side(4, 0.3, 16, 3, runs=2)
    >>> shares.shape, after.shape
    (torch.Size([3, 2]), torch.Size([2, 2, 16, 16]))
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        W = _start(runs, d, scale)
        before, shares = W.detach().clone(), []
        optimiser = method([W], lr=rate)
        for _ in range(steps):
            _, weights, right, error = _answer(W, divisor)
            shares.append(right.mean(dim=1))
            optimiser.zero_grad()
            (error if teach is None else error * teach(weights)).mean(dim=1).sum().backward()
            optimiser.step()
    return torch.stack(shares), before, W.detach()


def count_learners(divisor, rate, d, method=torch.optim.SGD, *, steps=75, seed=0, runs=5):
    """Count the runs of `train_side_by_side` that have more than two thirds of the items right in the last five steps.

    >>> count_learners(4, 0.3, 16), count_learners(4, 0.003, 16)
    (5, 0)
    """
    shares, *_ = train_side_by_side(divisor, rate, d, steps, method, seed=seed, runs=runs)
    return int((shares[-5:].mean(dim=0) > LEARNED).sum())


def count_in_squares(divisors, sizes, rates, method):
    """Count, in each square of a grid of divisors, sizes and learning rates, how many of five runs learn.

    Parameters
    ----------
    divisors : dict of name: function of d that returns a divisor
    sizes : list of int, values of d
    rates : list of float
    method : an optimiser of torch.optim

    Returns
    -------
    dict of "name, d = size": {rate: int}

    Examples
    --------
    >>> count_in_squares({"÷ 4": lambda d: 4}, [16], [0.003, 0.3], torch.optim.SGD)
    {'÷ 4, d = 16': {0.003: 0, 0.3: 5}}
    """
    return {
        f"{name}, d = {d}": {rate: count_learners(by(d), rate, d, method) for rate in rates}
        for name, by in divisors.items()
        for d in sizes
    }


def _take_gradients(divisor, d, seed, runs):
    """Return the gradients of the error before the first step, of W_q and W_k and of the queries."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        W = _start(runs, d)
        queries, _, _, error = _answer(W, divisor)
        return torch.autograd.grad(error.mean(dim=1).sum(), (W, queries))


def measure_gradients(divisor, d, *, seed=0, runs=5):
    """Measure the gradient of W_q and W_k before the first step, for each of several initialisations.

    All scores are divided by `divisor`, a float; `d`, `seed` and `runs` are int. The result (runs,) is a torch.Tensor,
    the root of the mean square of the gradient's numbers. The numbers of W have the size 1 / √d.

    >>> measure_gradients(1, 16).mean() > measure_gradients(4, 16).mean()
    tensor(True)
    """
    gradient, _ = _take_gradients(divisor, d, seed, runs)
    return gradient.square().mean(dim=(0, 2, 3)).sqrt()


def measure_pulls(divisor, d, *, seed=0, runs=5):
    """Measure how strongly the error pulls at each of the 64 queries before the first step.

    `divisor`, `d`, `seed` and `runs` are those of `measure_gradients`. The result (runs, 64) is the length of the
    gradient of each query.

    >>> measure_pulls(4, 16).shape
    torch.Size([5, 64])
    """
    _, gradient = _take_gradients(divisor, d, seed, runs)
    return gradient.norm(dim=-1)
