"""The three matrices of a head, drawn at random several times over so that several heads train side by side."""

import torch

from attention_src._validation import as_integer

from .training import Minibatches, fit


class Projections(torch.nn.Module):
    """Three matrices that make queries, keys and values, once for each of several heads.

    Their second axis has length 1, so that ``X @ W_q`` gives the queries of a batch of sequences for every head.

    Parameters
    ----------
    d_model, d_k, d_v : int, at least 1, how many numbers a token, a key and a value have
    heads : int, at least 1, how many heads train side by side, each from its own initialisation
    scale : float, the standard deviation of an initial entry times √d_model
    seed : int

    Attributes
    ----------
    W_q, W_k : torch.nn.Parameter, (heads, 1, d_model, d_k)
    W_v : torch.nn.Parameter, (heads, 1, d_model, d_v)

    Examples
    --------
    >>> head = Projections(d_model=6, d_k=2, d_v=3, heads=5)
    >>> X = torch.zeros(10, 4, 6)  # 10 sequences of 4 tokens
    >>> (X @ head.W_q).shape
    torch.Size([5, 10, 4, 2])
    """

    def __init__(self, d_model, d_k, d_v, *, heads=5, scale=1.0, seed=0):
        super().__init__()
        names = ("d_model", "d_k", "d_v", "heads")
        d_model, d_k, d_v, heads = (
            as_integer(name, size, 1) for name, size in zip(names, (d_model, d_k, d_v, heads), strict=True)
        )
        random = torch.Generator().manual_seed(seed)
        for name, size in (("W_q", d_k), ("W_k", d_k), ("W_v", d_v)):
            entries = torch.randn(heads, 1, d_model, size, generator=random)
            setattr(self, name, torch.nn.Parameter(scale * entries / d_model**0.5))


def train_signs(head, answer, X, right, *, steps=600, learning_rate=0.03, seed=0):
    """Train a head, in place, until the signs of its answers are the right ones as far as it can, and return the head.

    The loss is the mean of ``softplus(-right · answer)``, which is smaller where the signs agree.

    Parameters
    ----------
    head : Projections
    answer : function of X and head that returns numbers (heads, sequences, ...)
    X : (sequences, n, d_model)
    right : (sequences, ...), each −1 or 1; ValueError if there are not as many as sequences
    steps, seed : int
    learning_rate : float, as for `fit`

    Examples
    --------
    >>> head = Projections(d_model=1, d_k=1, d_v=1, heads=2)
    >>> X, right = torch.ones(8, 1, 1), -torch.ones(8, 1, 1)
    >>> head = train_signs(head, lambda X, head: X @ head.W_v, X, right, steps=50)
    >>> bool((X @ head.W_v < 0).all())
    True
    """
    X, right = (torch.as_tensor(x, dtype=head.W_q.dtype) for x in (X, right))

    def loss(head, batch):
        X, right = batch
        return torch.nn.functional.softplus(-right * answer(X, head)).mean()

    batches = Minibatches(X, right, batch_size=64, steps=steps)
    fit(head, batches, loss, learning_rate=learning_rate, seed=seed)
    return head
