"""A recurrent encoder–decoder whose attention can be none, additive (Bahdanau), dot or general (Luong).

The letters: h_j is an encoder state (two directions, end to end), s_t a decoder state, c_t the context that attention
mixes for step t, y_t the character of step t.
"""

from functools import partial
from typing import NamedTuple

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from .attention import attention
from .layers import AdditiveAttention
from .masks import padding_mask
from .scores import dot_score, general_score
from .tasks import START

RECURRENT = {"gru": (nn.GRU, nn.GRUCell), "lstm": (nn.LSTM, nn.LSTMCell)}


class Memory(NamedTuple):
    """What the decoder may read at every step: encoder states (batch, m, d_encoder), their keys, and the mask."""

    states: torch.Tensor
    keys: torch.Tensor
    mask: torch.Tensor


class Encoder(nn.Module):
    """Read the source in both directions; h_j is what both have seen when they meet at character j."""

    def __init__(self, num_source, d_embed, d_encoder, d_decoder, cell):
        super().__init__()
        network, step = RECURRENT[cell]
        self.embed = nn.Embedding(num_source, d_embed)
        self.read = network(d_embed, d_encoder // 2, bidirectional=True, batch_first=True)
        self.parts = 2 if step is nn.LSTMCell else 1  # an LSTM's state is a pair
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


class _Decoder(nn.Module):
    def __init__(self, num_target, d_embed, d_input, d_decoder, d_features, cell):
        super().__init__()
        self.embed = nn.Embedding(num_target, d_embed)
        self.cell = RECURRENT[cell][1](d_embed + d_input, d_decoder)
        self.name = nn.Linear(d_features, num_target)

    def advance(self, inputs, state):
        new = self.cell(inputs, state if len(state) == 2 else state[0])
        return new if len(state) == 2 else (new,)

    def keys(self, states):
        return states


class PlainDecoder(_Decoder):
    def __init__(self, num_target, d_embed, d_encoder, d_decoder, cell):
        super().__init__(num_target, d_embed, 0, d_decoder, d_decoder, cell)

    def step(self, previous, state, memory):
        state = self.advance(self.embed(previous), state)
        return self.name(state[0]), state, None


class BahdanauDecoder(_Decoder):
    def __init__(self, num_target, d_embed, d_encoder, d_decoder, cell):
        super().__init__(num_target, d_embed, d_encoder, d_decoder, d_decoder + d_encoder, cell)
        self.attend = AdditiveAttention(d_decoder, d_encoder, d_decoder)

    def keys(self, states):
        return self.attend.project(states)

    def step(self, previous, state, memory):
        query = state[0][:, None, :]
        context, weights = self.attend.attend(query, memory.keys, memory.states, memory.mask)
        context = context[:, 0]
        state = self.advance(torch.cat([self.embed(previous), context], dim=-1), state)
        return self.name(torch.cat([state[0], context], dim=-1)), state, weights


class LuongDecoder(_Decoder):
    def __init__(self, num_target, d_embed, d_encoder, d_decoder, cell, general):
        super().__init__(num_target, d_embed, 0, d_decoder, d_decoder, cell)
        self.combine = nn.Linear(d_encoder + d_decoder, d_decoder, bias=False)
        self.w = nn.Linear(d_encoder, d_decoder, bias=False).weight if general else None

    def step(self, previous, state, memory):
        state = self.advance(self.embed(previous), state)
        score = dot_score if self.w is None else partial(general_score, w=self.w)
        context, weights = attention(state[0][:, None, :], memory.keys, memory.states, memory.mask, score=score)
        return self.name(torch.tanh(self.combine(torch.cat([context[:, 0], state[0]], dim=-1)))), state, weights


class Seq2Seq(nn.Module):
    def __init__(self, num_source, num_target, d_embed, d_encoder, d_decoder, attention="additive", cell="gru"):
        super().__init__()
        self.encoder = Encoder(num_source, d_embed, d_encoder, d_decoder, cell)
        sizes = num_target, d_embed, d_encoder, d_decoder, cell
        if attention is None:
            self.decoder = PlainDecoder(*sizes)
        elif attention == "additive":
            self.decoder = BahdanauDecoder(*sizes)
        else:
            self.decoder = LuongDecoder(*sizes, general=attention == "general")

    def forward(self, source, target, lengths=None):
        return self._decode(source, lengths, target.shape[1], target)

    @torch.no_grad()
    def generate(self, source, steps, lengths=None):
        logits, weights = self._decode(source, lengths, steps)
        return logits.argmax(-1), weights

    def _decode(self, source, lengths, steps, target=None):
        if lengths is None:
            lengths = torch.full(source.shape[:1], source.shape[1])
        states, state = self.encoder(source, lengths)
        memory = Memory(states, self.decoder.keys(states), padding_mask(lengths, source.shape[1]))
        previous, logits, weights = torch.full_like(source[:, 0], START), [], []
        for t in range(steps):
            scores, state, looked = self.decoder.step(previous, state, memory)
            previous = scores.argmax(-1) if target is None else target[:, t]
            logits.append(scores)
            weights.append(looked)
        weights = None if weights[0] is None else torch.cat(weights, dim=1)
        return torch.stack(logits, dim=1), weights
