"""One token that carries two digits and has to name the last digit of their sum, with and without parts of a block."""

import torch

from attention_src.layers import EncoderBlock

from .training import Minibatches, fit

__all__ = ["add_digits"]


class Adder(torch.nn.Module):
    """Read two digits (batch,) into one token, pass it through a block without norms, and name a digit, (batch, 10)."""

    def __init__(self, d=32):
        super().__init__()
        self.first, self.second = (torch.nn.Embedding(10, d) for _ in range(2))
        self.block = EncoderBlock(d, num_heads=4, d_ff=4 * d)
        self.block.norms = torch.nn.ModuleList(torch.nn.Identity() for _ in range(2))
        self.name = torch.nn.Linear(d, 10)

    def forward(self, a, b):
        x = (self.first(a) + self.second(b))[:, None]  # one token
        x, _ = self.block(x)
        return self.name(x)[:, 0]


def add_digits(change=None, seed=0, steps=300):
    """Train an `Adder` on all hundred sums and return the share (float) whose last digit it then names correctly.

    If `change` is not None, it is called with the adder's block before training; `seed` and `steps` are int.

    >>> 0 <= add_digits(steps=1) <= 1
    True
    """
    torch.manual_seed(seed)
    adder = Adder()
    if change:
        change(adder.block)
    pairs = torch.cartesian_prod(torch.arange(10), torch.arange(10)).T
    right = pairs.sum(dim=0) % 10

    def loss(adder, batch):
        *digits, last = batch
        return torch.nn.functional.cross_entropy(adder(*digits), last)

    fit(adder, Minibatches(*pairs, right, batch_size=64, steps=steps), loss, learning_rate=1e-2, seed=seed)
    return (adder(*pairs).argmax(-1) == right).double().mean().item()
