"""What chapter 3 needs to train networks that rewrite characters, and to find out what their attention compares."""

import re
from collections import Counter
from functools import partial

import numpy as np
import torch

from attention_src.attention import attention
from attention_src.layers import AdditiveAttention
from attention_src.masks import padding_mask
from attention_src.models.seq2seq import BahdanauDecoder, LuongDecoder, Memory, Seq2Seq
from attention_src.scores import general_score

from .interventions import replace_attribute
from .tasks import PAD, START, Vocabulary, exact_match

# What the chapter calls; the rest are its parts.
__all__ = [
    "RewriteTask", "build_network", "character_loss", "exchange_keys",
    "force_weight", "guess_places", "probe_letter", "read_keys", "use_keys",
]  # fmt: skip


class RewriteTask:
    """Texts to be rewritten, some to train on and some held out, with a number for each of their characters.

    Both `examples` and `held_out` are lists of Example.

    >>> from attention_course.tasks import reversal_examples
    >>> task = RewriteTask(*reversal_examples(50, 5, 4, 8))
    >>> len(task.source_text), [tuple(part.shape) for part in task.encode(task.held_out[:1])][1:]
    (10, [(1,), (1, 7)])
    """

    def __init__(self, examples, held_out):
        self.examples, self.held_out = examples, held_out
        self.source_text = Vocabulary(example.source for example in examples)
        self.target_text = Vocabulary(example.target for example in examples)
        self.to_train = self.encode(examples)

    def encode(self, examples):
        """Return the tensors of these examples: sources (batch, m), lengths (batch,), targets (batch, n)."""
        return encode_examples(examples, self.source_text, self.target_text)

    def write(self, model, examples):
        """Let a network write these examples, each character after those that it wrote itself.

        Return the texts, a list of str; the same as numbers (batch, n); and the weights (batch, n, m) or None.
        """
        return write_texts(model, self.encode(examples), self.target_text)

    def share_right(self, model, examples):
        """Return the share of these examples that a network writes without a mistake."""
        return exact_match(self.write(model, examples)[0], examples)


class AdditiveLuong(LuongDecoder):
    """Luong's order with Bahdanau's score: make s_t first and ask with it."""

    def __init__(self, num_target, d_embed, d_encoder, d_decoder, cell):
        super().__init__(num_target, d_embed, d_encoder, d_decoder, cell)
        self.attend = AdditiveAttention(d_decoder, d_encoder, d_decoder)

    def keys(self, states):
        return self.attend.project(states)

    def steps(self, previous, state, memory):
        states, state = self.advance(self.embed(previous), state)
        context, weights = self.attend.attend(states, memory.keys, memory.states, memory.mask)
        return self.name(torch.tanh(self.combine(torch.cat([context, states], dim=-1)))), state, weights


class AdditiveTold(BahdanauDecoder):
    """Bahdanau's network with one change: its query is s_{t-1} and, while it is `told`, the character just written."""

    told = True

    def __init__(self, num_target, d_embed, d_encoder, d_decoder, cell):
        super().__init__(num_target, d_embed, d_encoder, d_decoder, cell)
        self.attend = AdditiveAttention(d_decoder + d_embed, d_encoder, d_decoder)

    def steps(self, previous, state, memory):
        features, weights = [], []
        for character in self.embed(previous).split(1, dim=1):
            query = torch.cat([state[0][:, None], self.told * character], dim=-1)
            context, row = self.attend.attend(query, memory.keys, memory.states, memory.mask)
            states, state = self.advance(torch.cat([character, context], dim=-1), state)
            features.append(torch.cat([states, context], dim=-1))
            weights.append(row)
        return self.name(torch.cat(features, dim=1)), state, torch.cat(weights, dim=1)


class GeneralEarly(LuongDecoder):
    """Luong's network with one change: it asks with s_{t-1}, which has not read the character just written.

    If it is `told`, its query is s_{t-1} together with that character.
    """

    def __init__(self, num_target, d_embed, d_encoder, d_decoder, cell, told=False):
        super().__init__(num_target, d_embed, d_encoder, d_decoder, cell, general=True)
        self.told = told
        if told:
            self.w = torch.nn.Linear(d_encoder, d_decoder + d_embed, bias=False).weight

    def steps(self, previous, state, memory):
        characters, first = self.embed(previous), state[0][:, None]
        states, state = self.advance(characters, state)
        query, score = torch.cat([first, states[:, :-1]], dim=1), partial(general_score, w=self.w)
        query = torch.cat([query, characters], dim=-1) if self.told else query
        context, weights = attention(query, memory.keys, memory.states, memory.mask, score=score)
        return self.name(torch.tanh(self.combine(torch.cat([context, states], dim=-1)))), state, weights


#: Bahdanau and Luong crossed: the score, and whether it asks after its step, before, or before but told the character.
CROSSED = {
    "additive_luong": AdditiveLuong,
    "additive_told": AdditiveTold,
    "general_early": GeneralEarly,
    "general_told": partial(GeneralEarly, told=True),
}


def build_network(kind, task, width=48):
    """Return an untrained Seq2Seq whose encoder reads in both directions.

    Parameters
    ----------
    kind : str
        `no_attention`; `additive` in Bahdanau's order; `general` in Luong's; `from_start` and `from_end`, which are
        `general` with keys that hold only a place; `additive_luong`, with Bahdanau's score in Luong's order;
        `general_early`, which is `general` asking with the state before; `additive_told` and `general_told`, which
        also ask with the state before, but together with the character just written.
    task : RewriteTask
    width : int, length of an encoder state and of a decoder state

    Examples
    --------
    >>> from attention_course.tasks import reversal_examples
    >>> task = RewriteTask(*reversal_examples(50, 5, 4, 8))
    >>> build_network("general_early", task, 6).decoder.keys(torch.ones(1, 2, 6)).shape
    torch.Size([1, 2, 6])
    """
    scores = {"no_attention": None, "additive": "additive", "general": "general"}
    places = {"from_start": place_from_start, "from_end": place_from_end}
    sizes = len(task.source_text), len(task.target_text), 16, width, width
    if kind in CROSSED:
        model = Seq2Seq(*sizes, None)
        model.decoder = CROSSED[kind](*sizes[1:], "gru")
    else:
        model = Seq2Seq(*sizes, "general" if kind in places else scores[kind])
    if kind in places:
        model.decoder.keys = places[kind]
    return model


def encode_examples(examples, read, write):
    """Return what a network is trained with: sources (batch, m), their lengths (batch,), and targets (batch, n).

    All are tensors, filled up with PAD; `read` and `write` are the vocabularies of sources and targets.
    """
    numbers, lengths = read.encode([example.source for example in examples])
    targets, _ = write.encode([example.target for example in examples])
    return torch.tensor(numbers), torch.tensor(lengths), torch.tensor(targets)


def character_loss(model, batch):
    """Return the mean surprise at the right character, given the right ones before it: the loss for `fit`.

    The `model` is a Seq2Seq and `batch` a tuple of tensors, as `RewriteTask.encode` returns it. The result is a
    torch.Tensor of one number, which leaves out the padding of the targets.

    >>> model, numbers = Seq2Seq(5, 5, 2, 4, 4, "dot"), torch.tensor([[2, 3], [4, 4]])
    >>> character_loss(model, (numbers, torch.tensor([2, 2]), numbers)).shape
    torch.Size([])
    """
    numbers, lengths, targets = batch
    logits, _ = model(numbers, targets, lengths)
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=PAD)


def write_texts(model, data, vocabulary):
    """Let a network write, each character after those that it wrote itself.

    `data` is what `encode_examples` returns, `vocabulary` that of the targets. Return the texts, a list of str; the
    same as numbers (batch, n); and the weights (batch, n, m), or None without attention.
    """
    numbers, lengths, targets = data
    characters, weights = model.generate(numbers, targets.shape[1], lengths)
    return vocabulary.decode(characters), characters, weights


def place_from_start(states):
    """Return keys (batch, m, d) that know only a place: a 1 at its number, counted from the start of the text.

    >>> place_from_start(torch.ones(1, 2, 3))
    tensor([[[1., 0., 0.],
             [0., 1., 0.]]])
    """
    batch, m, d = states.shape
    return torch.eye(m, d, dtype=states.dtype).expand(batch, m, d)


def place_from_end(states):
    """Return keys (batch, m, d) that know only a place: how far it is from the end of the text, and the square of that.

    A query can make a hill over the places out of the two, with its top where it likes. The states, all 0 at padding,
    only tell how long each text is. The keys are k/2 and k²/16 at the place k before the last, and zeros; the divisors
    keep the numbers small.

    >>> place_from_end(torch.ones(1, 3, 2))
    tensor([[[1.0000, 0.2500],
             [0.5000, 0.0625],
             [0.0000, 0.0000]]])
    """
    _, m, _ = states.shape
    lengths = (states != 0).any(-1).sum(-1)
    distance = (lengths[:, None] - 1 - torch.arange(m)).clamp(min=0)
    keys = torch.zeros_like(states)
    keys[..., 0], keys[..., 1] = distance / 2, distance**2 / 16
    return keys


@torch.no_grad()
def read_keys(model, data):
    """Return the keys that a network makes of some sources, to be used for others with `use_keys`.

    The `model` is a Seq2Seq with attention and `data` a tuple of tensors, as `RewriteTask.encode` returns it. The keys
    are a torch.Tensor (batch, m, d).
    """
    numbers, lengths, *_ = data
    return model.decoder.keys(model.encoder(numbers, lengths)[0])


def exchange_keys(model, task, examples):
    """Return keys for some texts: their own, those of other texts, and the mean of all, always of the same format.

    Two texts have the same format if letters, digits and other characters stand at the same places in both. A text
    whose format is the only one of its kind keeps its own keys. The result is a dict of str: torch.Tensor (batch, m,
    d), for `use_keys`.

    Parameters
    ----------
    model : Seq2Seq with attention
    task : RewriteTask
    examples : list of Example

    Examples
    --------
    >>> from attention_course.tasks import reversal_examples
    >>> task = RewriteTask(*reversal_examples(50, 5, 4, 8))
    >>> [*exchange_keys(build_network("general", task), task, task.held_out)]
    ['its own', 'another text', 'their mean']
    """
    groups = {}
    for i, example in enumerate(examples):
        groups.setdefault(re.sub(r"[A-Za-z]", "a", re.sub(r"\d", "0", example.source)), []).append(i)
    own = read_keys(model, task.encode(examples))
    other, mean = own.clone(), own.clone()
    for group in groups.values():
        other[group] = own[group].roll(1, dims=0)
        mean[group] = own[group].mean(0)
    return {"its own": own, "another text": other, "their mean": mean}


def use_keys(model, keys):
    """Let a network compare its queries with other keys inside a ``with`` block; the values stay those of its source.

    The `model` is a Seq2Seq with attention, and `keys` are a torch.Tensor (batch, m, d), as `read_keys` returns them.

    >>> model, texts = Seq2Seq(5, 5, 2, 4, 4, "dot"), torch.tensor([[2, 3], [4, 4]])
    >>> _, own = model(texts, texts)
    >>> with use_keys(model, read_keys(model, (texts.flip(0), torch.tensor([2, 2])))):
    ...     torch.equal(model(texts, texts)[1], own)
    False
    """
    return replace_attribute([model.decoder], "keys", lambda states: keys)


@torch.no_grad()
def probe_letter(model, task, examples):
    """Return how often a linear probe can tell the character just written from s_{t-1}, the state before a step.

    The probe is fitted by least squares on every other example and judged on the rest, at all steps but the first.

    Parameters
    ----------
    model : Seq2Seq
    task : RewriteTask
    examples : list of Example, with targets of one length

    Examples
    --------
    >>> from attention_course.tasks import reversal_examples
    >>> task = RewriteTask(*reversal_examples(50, 20, 6, 6))
    >>> 0 <= probe_letter(build_network("general", task, 6), task, task.held_out) <= 1
    True
    """
    numbers, lengths, targets = task.encode(examples)
    states, state = model.encoder(numbers, lengths)
    memory = Memory(states, model.decoder.keys(states), padding_mask(lengths, numbers.shape[1]))
    previous, seen = torch.full_like(targets[:, 0], START), []
    for written in targets.T[:-1]:
        _, state, _ = model.decoder.step(previous, state, memory)
        seen.append(torch.nn.functional.pad(state[0], (0, 1), value=1.0))
        previous = written
    seen, written = torch.stack(seen, dim=1), targets[:, :-1]
    truth = torch.nn.functional.one_hot(written[::2].flatten()).to(seen.dtype)
    probe = torch.linalg.lstsq(seen[::2].flatten(0, 1), truth).solution
    return ((seen[1::2] @ probe).argmax(-1) == written[1::2]).double().mean().item()


def guess_places(examples, others, by_length=True):
    """Return maps that only a table makes: all weight on the place that was right most often.

    Parameters
    ----------
    examples : list of Example, whose places are counted for each character of the target
    others : list of Example, for which maps are made, with targets of the same length
    by_length : bool, whether the table also knows how long the source is

    Returns
    -------
    numpy.ndarray (others, n, m), as weights are; a row of 0 where a character comes from nowhere

    Examples
    --------
    >>> from attention_course.tasks.reversal import reverse
    >>> guess_places([reverse("ab"), reverse("cd")], [reverse("ef")])
    array([[[0., 1.],
            [1., 0.]]])
    """
    counts = {}
    for example in examples:
        for t, places in enumerate(example.alignment):
            counts.setdefault((t, by_length and len(example.source)), Counter()).update(places)
    longest = max(len(example.source) for example in others)
    maps = np.zeros((len(others), max(len(example.target) for example in others), longest))
    for i, example in enumerate(others):
        for t in range(len(example.target)):
            for place, _ in counts.get((t, by_length and len(example.source)), Counter()).most_common(1):
                maps[i, t, place] = 1
    return maps


@torch.no_grad()
def force_weight(model, data, vocabulary, t, places):
    """Return what a network writes as character t, a str for each text, when all weight of that step lies on one place.

    Parameters
    ----------
    model : Seq2Seq with attention
    data : tuple of torch.Tensor, as `RewriteTask.encode` returns it
    vocabulary : Vocabulary, of the targets
    t : int, the step, from 0; the right characters stand before it
    places : torch.Tensor (batch,), where all weight is put; RuntimeError if one is beyond the sources

    Examples
    --------
    >>> from attention_course.tasks import reversal_examples
    >>> task = RewriteTask(*reversal_examples(50, 5, 4, 8))
    >>> model, data = build_network("general", task, 6), task.encode(task.held_out)
    >>> len(force_weight(model, data, task.target_text, 1, torch.zeros(5, dtype=int)))
    5
    """
    numbers, lengths, targets = data
    states, state = model.encoder(numbers, lengths)
    usual = padding_mask(lengths, numbers.shape[1])
    only = torch.nn.functional.one_hot(places, numbers.shape[1]).bool()[:, None]
    keys = model.decoder.keys(states)
    previous = torch.full_like(numbers[:, 0], START)
    for k in range(t + 1):
        memory = Memory(states, keys, only if k == t else usual)
        logits, state, _ = model.decoder.step(previous, state, memory)
        previous = targets[:, k]
    return vocabulary.decode(logits.argmax(-1)[:, None])
