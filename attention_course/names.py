"""Networks that write first names: their data as tensors, how they are trained, and what they write."""

from functools import cached_property

import torch

from attention_src.threads import limit_threads

from .tasks import START, Vocabulary, name_examples
from .training import Minibatches, fit


class NameTask:
    """The first names of `name_examples`, each with a full stop at its end, some to train on and some held out.

    The arguments `num_held_out` and `seed` are int, as for `name_examples`.

    >>> task = NameTask()
    >>> task.to_train.shape, task.to_test.shape
    (torch.Size([4663, 12]), torch.Size([500, 11]))
    """

    def __init__(self, num_held_out=500, seed=0):
        self.names, self.held_out = name_examples(num_held_out, seed)
        self.letters = Vocabulary(name + "." for name in self.names)

    def encode(self, names):
        """Return names as numbers of letters, (k, longest), filled up with 0."""
        numbers, _ = self.letters.encode([name + "." for name in names])
        return torch.tensor(numbers)

    @cached_property
    def to_train(self):
        return self.encode(self.names)

    @cached_property
    def to_test(self):
        return self.encode(self.held_out)

    @staticmethod
    def loss(model, batch):
        """Return the mean loss of a letter, each named from the right ones before it."""
        (after,) = batch
        start = torch.full_like(after[:, :1], START)
        before = torch.cat([start, after[:, :-1]], dim=1)
        return torch.nn.functional.cross_entropy(model(before).movedim(-1, 1), after, ignore_index=0)

    def train(self, model, steps, learning_rate=1e-2, seed=0):
        """Train a model on batches of 64 names; return the loss of every step, none for 0 steps."""
        if steps == 0:
            return []
        batches = Minibatches(self.to_train, batch_size=64, steps=steps)
        return fit(model, batches, self.loss, learning_rate=learning_rate, seed=seed)

    @torch.no_grad()
    def score(self, model):
        """Return the loss of a letter of a held-out name."""
        return self.loss(model, [self.to_test]).item()

    @limit_threads()
    @torch.no_grad()
    def write(self, model, count=8, seed=0):
        """Let a model write names, each letter drawn from what it predicts; return texts without the full stop."""
        generator = torch.Generator().manual_seed(seed)
        written = torch.full((count, 1), START)
        for _ in range(self.to_train.shape[1]):
            chances = model(written)[:, -1].softmax(-1)
            drawn = torch.multinomial(chances, 1, generator=generator)
            written = torch.cat([written, drawn], dim=1)
        return [name.partition(".")[0] for name in self.letters.decode(written)]
