"""Tables that count which character follows which: the simplest models that write."""

import torch

from attention_src._validation import as_integer
from attention_src.models import PAD, START


class NGram:
    """Predict the next character from the last few, by how often it followed them.

    A context that was seen k times with u different followers counts k, against u for the next shorter context
    (Witten and Bell 1991), and the shortest counts against all characters being equally probable.

    Parameters
    ----------
    targets : (texts, longest) int, filled up with PAD
    num_characters : int
    order : int, at least 1: 2 for a bigram table, which looks at one character, 3 for a trigram table, which sees two

    Examples
    --------
    >>> table = NGram(torch.tensor([[2, 3], [2, 2]]), num_characters=4, order=2)
    >>> logits = table(torch.tensor([[1, 2]]))  # the start, then the character 2
    >>> [round(chance, 2) for chance in logits.exp()[0, 0].tolist()]
    [0.03, 0.03, 0.86, 0.08]
    """

    def __init__(self, targets, num_characters, order):
        self.order = as_integer("order", order, 1)
        self.num_characters = as_integer("num_characters", num_characters, 1)
        self.counts = {}
        for row in targets.tolist():
            text = [START, *(number for number in row if number != PAD)]
            for i in range(1, len(text)):
                for k in range(min(i, order - 1) + 1):
                    followers = self.counts.setdefault(tuple(text[i - k : i]), torch.zeros(num_characters))
                    followers[text[i]] += 1

    def __call__(self, before):
        """Return logits (batch, n, num_characters) for what follows each character (batch, n), from START on."""
        rows = [[self._predict(row[: i + 1]) for i in range(len(row))] for row in before.tolist()]
        return torch.stack([torch.stack(row) for row in rows]).log()

    def _predict(self, text):
        chances = torch.full((self.num_characters,), 1 / self.num_characters)
        for k in range(min(len(text), self.order - 1) + 1):
            followers = self.counts.get(tuple(text[len(text) - k :]))
            if followers is not None:
                different = (followers > 0).sum()
                chances = (followers + different * chances) / (followers.sum() + different)
        return chances
