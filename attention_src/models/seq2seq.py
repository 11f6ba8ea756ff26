"""A recurrent encoder–decoder whose attention can be none, additive (Bahdanau), dot or general (Luong).

The letters: h_j is an encoder state (two directions, end to end), s_t a decoder state, c_t the context that attention
mixes for step t, y_t the character of step t.
"""

from functools import partial
from typing import NamedTuple

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from .._validation import check_axes, check_equal
from ..attention import attention
from ..layers import AdditiveAttention
from ..masks import padding_mask
from ..scores import dot_score, general_score
from ..threads import limit_threads
from . import PAD, START

__all__ = ["Seq2Seq"]  # the other classes are its parts

KINDS = (None, "additive", "dot", "general")
RECURRENT = {"gru": nn.GRU, "lstm": nn.LSTM}


class Memory(NamedTuple):
    """What the decoder may read at every step: encoder states (batch, m, d_encoder), their keys, and the mask."""

    states: torch.Tensor
    keys: torch.Tensor
    mask: torch.Tensor


class Encoder(nn.Module):
    """Read the source in both directions; h_j joins what the two directions know where they meet, at character j."""

    def __init__(self, num_source, d_embed, d_encoder, d_decoder, cell):
        super().__init__()
        self.embed = nn.Embedding(num_source, d_embed)
        self.read = RECURRENT[cell](d_embed, d_encoder // 2, bidirectional=True, batch_first=True)
        self.parts = 2 if cell == "lstm" else 1  # an LSTM's state is a pair
        self.bridge = nn.Linear(d_encoder, d_decoder * self.parts)

    def forward(self, source, lengths):
        """Return the states (batch, m, d_encoder) and the state in which the decoder starts."""
        # Packed, so that the backward direction begins at the last character and not in the padding.
        packed = pack_padded_sequence(self.embed(source), lengths.cpu(), batch_first=True, enforce_sorted=False)
        packed, last = self.read(packed)
        states, _ = pad_packed_sequence(packed, batch_first=True, total_length=source.shape[1])
        last = last[0] if self.parts == 2 else last  # (2, batch, d_encoder / 2)
        start = torch.tanh(self.bridge(torch.cat([*last], dim=-1)))
        return states, start.chunk(self.parts, dim=-1)


class PlainDecoder(nn.Module):
    """Embed the previous character, take a recurrent step, name the next character, without attention.

    All that it knows of the source is the state in which it starts. The other decoders change what `steps` does.
    """

    reads_context = False  # whether a context helps to make each state and to name each character

    def __init__(self, num_target, d_embed, d_encoder, d_decoder, cell):
        super().__init__()
        d_context = d_encoder if self.reads_context else 0
        self.embed = nn.Embedding(num_target, d_embed)
        self.cell = RECURRENT[cell](d_embed + d_context, d_decoder, batch_first=True)
        self.name = nn.Linear(d_decoder + d_context, num_target)

    def keys(self, states):
        """Return what the score compares with at every step; it is computed once for each source."""
        return states

    def steps(self, previous, state, memory):
        """Score the characters that follow the characters `previous`, (batch, n).

        Return logits (batch, n, num_target), the new state, and the weights (batch, n, m), or None without attention.
        """
        states, state = self.advance(self.embed(previous), state)
        return self.name(states), state, None

    def step(self, previous, state, memory):
        """Take one step: previous (batch,), logits (batch, num_target), weights (batch, 1, m)."""
        logits, state, weights = self.steps(previous[:, None], state, memory)
        return logits[:, 0], state, weights

    def advance(self, inputs, state):
        """Take a step for each input (batch, n, d) from the state, a tuple whose first entry is s_{t-1} (batch, d).

        Return s of every step, (batch, n, d), and the last state, a tuple again.
        """
        first = tuple(part[None] for part in state)
        states, last = self.cell(inputs, first if len(first) == 2 else first[0])
        return states, tuple(part[0] for part in (last if len(first) == 2 else (last,)))


class BahdanauDecoder(PlainDecoder):
    """Ask with the previous state s_{t-1}; the context helps to make s_t. Bahdanau et al. (2014), section 3.1."""

    reads_context = True

    def __init__(self, num_target, d_embed, d_encoder, d_decoder, cell):
        super().__init__(num_target, d_embed, d_encoder, d_decoder, cell)
        self.attend = AdditiveAttention(d_decoder, d_encoder, d_decoder)

    def keys(self, states):
        return self.attend.project(states)

    def steps(self, previous, state, memory):
        features, weights = [], []
        for character in self.embed(previous).split(1, dim=1):  # one after the other: each context needs the state
            context, row = self.attend.attend(state[0][:, None, :], memory.keys, memory.states, memory.mask)
            states, state = self.advance(torch.cat([character, context], dim=-1), state)
            features.append(torch.cat([states, context], dim=-1))
            weights.append(row)
        return self.name(torch.cat(features, dim=1)), state, torch.cat(weights, dim=1)


class LuongDecoder(PlainDecoder):
    """Make s_t first and ask with it; the character comes from tanh([c_t; s_t] W_c). Luong et al. (2015), 3.1.

    No state waits for a context, so all steps can ask at once if the previous characters are known.
    """

    def __init__(self, num_target, d_embed, d_encoder, d_decoder, cell, general=False):
        super().__init__(num_target, d_embed, d_encoder, d_decoder, cell)
        self.combine = nn.Linear(d_encoder + d_decoder, d_decoder, bias=False)
        self.w = nn.Linear(d_encoder, d_decoder, bias=False).weight if general else None

    def steps(self, previous, state, memory):
        states, state = self.advance(self.embed(previous), state)
        score = dot_score if self.w is None else partial(general_score, w=self.w)
        context, weights = attention(states, memory.keys, memory.states, memory.mask, score=score)
        return self.name(torch.tanh(self.combine(torch.cat([context, states], dim=-1)))), state, weights


class Seq2Seq(nn.Module):
    """Read a source in both directions, write a target character by character.

    Parameters
    ----------
    num_source, num_target : int, how many characters there are on either side, padding and start among them
    d_embed : int, length of a character's vector
    d_encoder : int, length of an encoder state h_j, half of it for each direction
    d_decoder : int, length of a decoder state s_t
    attention : None, 'additive' (Bahdanau), 'dot' or 'general' (Luong)
    cell : 'gru' or 'lstm'

    Raises
    ------
    ValueError
        The attention or the cell has another name, `d_encoder` is odd, or the dot score is asked to compare states of
        different lengths.

    Examples
    --------
    >>> model = Seq2Seq(12, 10, d_embed=4, d_encoder=6, d_decoder=8)
    >>> logits, weights = model(torch.ones(2, 5, dtype=int), torch.ones(2, 3, dtype=int))
    >>> logits.shape, weights.shape
    (torch.Size([2, 3, 10]), torch.Size([2, 3, 5]))
    """

    def __init__(self, num_source, num_target, d_embed, d_encoder, d_decoder, attention="additive", cell="gru"):
        super().__init__()
        if attention not in KINDS:
            raise ValueError(f"attention is {attention!r}; expected one of {KINDS}")
        if cell not in RECURRENT:
            raise ValueError(f"cell is {cell!r}; expected one of {tuple(RECURRENT)}")
        if d_encoder % 2:
            raise ValueError(f"d_encoder is {d_encoder}; expected an even number, half of it for each direction")
        if attention == "dot" and d_encoder != d_decoder:
            raise ValueError(
                f"the dot score compares states of equal length, got d_decoder {d_decoder} and d_encoder {d_encoder}; "
                "attention='general' compares others"
            )
        self.encoder = Encoder(num_source, d_embed, d_encoder, d_decoder, cell)
        decoders = PlainDecoder, BahdanauDecoder, LuongDecoder, partial(LuongDecoder, general=True)
        self.decoder = decoders[KINDS.index(attention)](num_target, d_embed, d_encoder, d_decoder, cell)

    def forward(self, source, target, lengths=None):
        """Score every target character, given the right ones before it (teacher forcing).

        Sources (batch, m) and targets (batch, n) are numbers of characters, filled up with PAD; lengths (batch,) say
        how many characters of each source are real, and may be left out if all are. Return the logits (batch, n,
        num_target) and the weights (batch, n, m), or None without attention. ValueError if the source is empty or no
        matrix, or has padding that `lengths` does not account for.
        """
        state, memory = self._read(source, lengths)
        previous = torch.cat([torch.full_like(source[:, :1], START), target[:, :-1]], dim=1)
        logits, _, weights = self.decoder.steps(previous, state, memory)
        return logits, weights

    @torch.no_grad()
    @limit_threads()
    def generate(self, source, steps, lengths=None):
        """Write `steps` characters, each the most likely after those written before (greedy decoding).

        Source and lengths are as for `forward`. Return the characters (batch, steps) as numbers, and the weights
        (batch, steps, m), or None without attention.
        """
        state, memory = self._read(source, lengths)
        previous, characters, weights = torch.full_like(source[:, 0], START), [], []
        for _ in range(steps):
            logits, state, row = self.decoder.step(previous, state, memory)
            previous = logits.argmax(-1)
            characters.append(previous)
            weights.append(row)
        weights = None if weights[0] is None else torch.cat(weights, dim=1)
        return torch.stack(characters, dim=1), weights

    def _read(self, source, lengths):
        """Return the state in which the decoder starts, and the memory that it may look at."""
        lengths = _check_lengths(source, lengths)
        states, state = self.encoder(source, lengths)
        return state, Memory(states, self.decoder.keys(states), padding_mask(lengths, source.shape[1]))


def _check_lengths(source, lengths):
    """Return the lengths after checking that they say where the padding of the source begins."""
    if source.ndim != 2 or 0 in source.shape:
        raise ValueError(f"source has shape {tuple(source.shape)}; expected (batch, m), neither of them 0")
    if lengths is None:
        lengths = [source.shape[1]] * len(source)
    lengths = torch.as_tensor(lengths, device=source.device)
    check_axes(1, "(batch,)", exactly=True, lengths=lengths)
    check_equal((0, 0), "every source needs a length", source=source, lengths=lengths)
    real = padding_mask(lengths, source.shape[1])[:, 0]
    if lengths.min() < 1:
        raise ValueError(f"lengths has a {int(lengths.min())}; expected at least one character in every source")
    if ((source == PAD) & real).any():
        row = int(((source == PAD) & real).any(dim=1).nonzero()[0])
        raise ValueError(
            f"row {row} of source has padding among its first {int(lengths[row])} characters; pass lengths"
        )
    return lengths
