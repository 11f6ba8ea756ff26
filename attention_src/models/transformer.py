"""The Transformer: one encoder block that reads the source, one decoder block that writes the target."""

import torch
from torch import nn

from .._validation import as_integer
from ..layers import DecoderBlock, EncoderBlock
from ..masks import causal_mask, padding_mask
from ..threads import limit_threads
from . import START


class Transformer(nn.Module):
    """Read a source in one pass, and write a target character by character.

    Vaswani et al. (2017), figure 1, with one block on each side, learned positions, and the norm first. TypeError if a
    number is not an integer, ValueError if it is less than 1 or num_heads does not divide d_model.

    Parameters
    ----------
    num_source, num_target : int, how many different characters the source and the target have
    d_model : int, length of a token
    num_heads : int
    d_ff : int, length of the hidden layer in each block
    longest : int, the most characters that a source or a target has

    Examples
    --------
    >>> model = Transformer(12, 10, d_model=8, num_heads=2, d_ff=16)
    >>> logits, weights = model(torch.ones(3, 5, dtype=int), torch.ones(3, 4, dtype=int), torch.tensor([5, 2, 3]), True)
    >>> logits.shape, [part.shape[-2:] for part in weights]
    (torch.Size([3, 4, 10]), [torch.Size([5, 5]), torch.Size([4, 4]), torch.Size([4, 5])])
    """

    def __init__(self, num_source, num_target, d_model=32, num_heads=4, d_ff=128, longest=20):
        super().__init__()
        d_model, longest = as_integer("d_model", d_model, 1), as_integer("longest", longest, 1)
        self.read = nn.Embedding(as_integer("num_source", num_source, 1), d_model)
        self.write = nn.Embedding(as_integer("num_target", num_target, 1), d_model)
        self.place = nn.Parameter(torch.randn(2, longest, d_model) / 2)  # of the source, of the target
        self.encoder = EncoderBlock(d_model, num_heads, d_ff)
        self.decoder = DecoderBlock(d_model, num_heads, d_ff)
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(2))
        self.name = nn.Linear(d_model, num_target)

    def encode(self, source, lengths, need_weights=False):
        """Return what each source character (batch, m) has become, the mask of real ones, and the weights or None."""
        self._check_length(source=source)
        mask = padding_mask(torch.as_tensor(lengths, device=source.device), source.shape[1])
        x = self.read(source) + self.place[0, : source.shape[1]]
        x, weights = self.encoder(x, mask, need_weights)
        return self.norms[0](x), mask, weights

    def decode(self, before, memory, mask, need_weights=False):
        """Return logits (batch, n, num_target) for what follows each character before, and the weights or None."""
        self._check_length(target=before)
        y = self.write(before) + self.place[1, : before.shape[1]]
        causal = causal_mask(before.shape[1], like=y)
        y, weights = self.decoder(y, memory, causal, mask, need_weights)
        return self.name(self.norms[1](y)), weights

    def _check_length(self, **characters):
        ((name, given),) = characters.items()
        if given.shape[1] > (longest := self.place.shape[1]):
            raise ValueError(f"{name} has {given.shape[1]} characters; expected at most longest = {longest}")

    def forward(self, source, target, lengths, need_weights=False):
        """Score every target character, given the right ones before it (teacher forcing), all in one pass.

        Sources (batch, m) and targets (batch, n) are numbers of characters, filled up with PAD; lengths (batch,) say
        how many characters of each source are real. Return the logits (batch, n, num_target), and the weights of the
        encoder's attention (batch, num_heads, m, m), of the decoder's among its own characters (batch, num_heads, n, n)
        and of its cross-attention (batch, num_heads, n, m), or None if they are not needed.
        """
        memory, mask, own = self.encode(source, lengths, need_weights)
        before = torch.cat([torch.full_like(target[:, :1], START), target[:, :-1]], dim=1)
        logits, others = self.decode(before, memory, mask, need_weights)
        return logits, (own, *others) if need_weights else None

    @torch.no_grad()
    @limit_threads()
    def generate(self, source, steps, lengths):
        """Write `steps` characters, each the most likely after those written before (greedy decoding).

        Source and lengths are as for `forward`. Return the numbers of the characters, (batch, steps).
        """
        memory, mask, _ = self.encode(source, lengths)
        written = torch.full_like(source[:, :1], START)
        for _ in range(steps):
            logits, _ = self.decode(written, memory, mask)
            written = torch.cat([written, logits[:, -1:].argmax(-1)], dim=1)
        return written[:, 1:]
