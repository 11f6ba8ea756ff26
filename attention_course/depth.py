"""A deep stack of blocks on a small task: what is left of its first stream at the end."""

from contextlib import ExitStack

import torch

from attention_src.layers import EncoderBlock

from .training import Minibatches, fit

SYMBOLS = TOKENS = 8


class Stack(torch.nn.Module):
    """Pass eight tokens of eight symbols through many blocks, and name a symbol at each place.

    Parameters
    ----------
    pass_through : function of a block, the stream and `skip` that returns the stream after the block
    skip : float, the weight of the stream in ``norm(skip * x + part(x))``, or "pre-norm"
    depth : int, number of blocks
    seed : int, of the weights and of the data

    Examples
    --------
    >>> stack = Stack(lambda block, x, skip: block(x)[0], "pre-norm", depth=2)
    >>> stack(stack.data[:5]).shape
    torch.Size([5, 8, 8])
    """

    def __init__(self, pass_through, skip, depth=30, seed=0):
        super().__init__()
        torch.manual_seed(seed)
        self.pass_through, self.skip = pass_through, skip
        self.read = torch.nn.Embedding(SYMBOLS, 16)
        self.place = torch.nn.Parameter(torch.randn(TOKENS, 16) / 2)
        self.blocks = torch.nn.ModuleList(EncoderBlock(16, num_heads=2, d_ff=32) for _ in range(depth))
        self.norm = torch.nn.LayerNorm(16)
        self.name = torch.nn.Linear(16, SYMBOLS)
        self.data = torch.randint(SYMBOLS, (4000, TOKENS))

    def start(self, symbols):
        """Return the stream before the first block, (batch, 8, 16)."""
        return self.read(symbols) + self.place

    def run(self, symbols):
        """Return the stream after the last block, (batch, 8, 16)."""
        x = self.start(symbols)
        for block in self.blocks:
            x = self.pass_through(block, x, self.skip)
        return x

    def forward(self, symbols):
        return self.name(self.norm(self.run(symbols)))


def train_stack(stack, rate=1e-2, steps=50, seed=0):
    """Train a Stack to name the first symbol at every place, and return the loss of every step, a list of float.

    The `rate` (float) is the learning rate; `steps` and `seed` are int, as for `fit`.

    >>> stack = Stack(lambda block, x, skip: block(x)[0], "pre-norm", depth=1)
    >>> len(train_stack(stack, steps=2))
    2
    """

    def loss(stack, batch):
        (symbols,) = batch
        firsts = symbols[:, :1].expand(-1, TOKENS)
        return torch.nn.functional.cross_entropy(stack(symbols).movedim(-1, 1), firsts)

    return fit(stack, Minibatches(stack.data, batch_size=64, steps=steps), loss, learning_rate=rate, seed=seed)


def _centre(x):
    return x - x.mean(dim=-1, keepdim=True)


@torch.no_grad()
def share_left(stack):
    """Return how much of the last stream is what the paths past the sub-layers have left of the first one.

    The share is a float, one length over the length of the last stream, and the mean of 64 texts. Without a norm on the
    stream of a `stack` the first one is still there in full, under all that was added. A norm divides the sum of both,
    so what was there before is multiplied by the skip weight and by what the norm multiplies with.

    >>> round(share_left(Stack(lambda block, x, skip: x, "pre-norm", depth=2)), 3)
    1.0
    """
    symbols = stack.data[:64]
    first = stack.start(symbols)
    norms = [] if stack.skip == "pre-norm" else [norm for block in stack.blocks for norm in block.norms]
    left = (_centre(first) if norms else first).norm(dim=-1)

    def divide(norm, given, made):
        nonlocal left
        left = left * stack.skip * made.norm(dim=-1) / _centre(given[0]).norm(dim=-1)

    with ExitStack() as hooks:
        for norm in norms:
            hooks.enter_context(norm.register_forward_hook(divide))
        last = stack.run(symbols)
    return (left / last.norm(dim=-1)).mean().item()
