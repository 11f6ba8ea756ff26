"""Networks that rewrite dates: their data as tensors, how they are trained, and what they get right."""

from functools import cached_property

import torch

from attention_src.models.seq2seq import Seq2Seq
from attention_src.models.transformer import Transformer

from .tasks import Vocabulary, date_examples, exact_match
from .training import Minibatches, fit

#: Where the parts of a date stand in its ISO form.
FIELDS = {"year": [0, 1, 2, 3], "month": [5, 6], "day": [8, 9], "hyphens": [4, 7]}
ISO_LENGTH = 10


class DateTask:
    """The dates of chapter 3 as tensors, some to train on and some held out.

    The arguments `num_train`, `num_held_out` and `seed` are int, as for `date_examples`.

    >>> task = DateTask(num_train=50, num_held_out=5)
    >>> [tuple(part.shape) for part in task.encode(task.held_out)]
    [(5, 19), (5,), (5, 10)]
    """

    def __init__(self, num_train=30_000, num_held_out=1_000, seed=0):
        self.examples, self.held_out = date_examples(num_train, num_held_out, seed)
        self.source_text = Vocabulary(example.source for example in self.examples)
        self.target_text = Vocabulary(example.target for example in self.examples)

    @property
    def sizes(self):
        """How many characters the sources and the targets have."""
        return len(self.source_text), len(self.target_text)

    def encode(self, examples):
        """Return sources (k, m), their lengths (k,) and targets (k, 10), as numbers of characters."""
        numbers, lengths = self.source_text.encode([example.source for example in examples])
        targets, _ = self.target_text.encode([example.target for example in examples])
        return tuple(map(torch.tensor, (numbers, lengths, targets)))

    @cached_property
    def to_train(self):
        return self.encode(self.examples)

    @cached_property
    def to_test(self):
        return self.encode(self.held_out)

    def train(self, model, steps, learning_rate=1e-2, seed=0):
        """Train a model with teacher forcing on batches of 32 dates; return the loss of every step."""

        def loss(model, batch):
            sources, lengths, targets = batch
            logits, _ = model(sources, targets, lengths)
            return torch.nn.functional.cross_entropy(logits.movedim(-1, 1), targets)

        batches = Minibatches(*self.to_train, batch_size=32, steps=steps)
        return fit(model, batches, loss, learning_rate=learning_rate, seed=seed)

    def write(self, model):
        """Let a model write the held-out dates, each from its own last characters; return texts."""
        written = model.generate(self.to_test[0], ISO_LENGTH, self.to_test[1])
        return self.target_text.decode(written[0] if isinstance(written, tuple) else written)

    def score(self, model):
        """Return the share of held-out dates that a model writes without a mistake."""
        return exact_match(self.write(model), self.held_out)

    def score_fields(self, model):
        """Return {field: share of held-out dates in which all its characters are right}."""
        pairs = [(text, example.target) for text, example in zip(self.write(model), self.held_out, strict=True)]
        return {
            field: sum(all(text[i : i + 1] == target[i] for i in places) for text, target in pairs) / len(pairs)
            for field, places in FIELDS.items()
        }


def make_network(kind, task, seed=0):
    """Return an untrained network (Transformer or Seq2Seq) of about 33,000 parameters for the dates of a DateTask.

    The `kind` is "Transformer" (one encoder block, one decoder block) or "recurrent" (with additive attention),
    otherwise ValueError. The `seed` is that of the initialisation; `task` gives the vocabularies.

    >>> make_network("other", None)
    Traceback (most recent call last):
    ValueError: kind is 'other'; expected 'Transformer' or 'recurrent'
    """
    torch.manual_seed(seed)
    if kind == "Transformer":
        return Transformer(*task.sizes, d_model=32, num_heads=4, d_ff=128)
    if kind == "recurrent":
        return Seq2Seq(*task.sizes, d_embed=32, d_encoder=44, d_decoder=44, attention="additive")
    raise ValueError(f"kind is {kind!r}; expected 'Transformer' or 'recurrent'")
