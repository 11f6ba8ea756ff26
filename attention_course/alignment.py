"""What chapter 3 needs to train networks that rewrite characters, and to find out what their attention compares."""

from collections import Counter

import numpy as np
import torch

from attention_src.masks import padding_mask
from attention_src.models.seq2seq import Memory

from .interventions import replace_attribute
from .tasks import PAD, START


def encode_examples(examples, read, write):
    """Return the tensors that a network is trained with.

    Parameters
    ----------
    examples : list of Example
    read, write : Vocabulary, of the sources and of the targets

    Returns
    -------
    tuple of torch.Tensor
        Sources (batch, m), their lengths (batch,), and targets (batch, n), filled up with PAD.

    Raises
    ------
    ValueError
        A character has no number.

    Examples
    --------
    >>> from attention_course.tasks import Vocabulary
    >>> from attention_course.tasks.reversal import reverse
    >>> letters = Vocabulary(["ab"])
    >>> [tensor.tolist() for tensor in encode_examples([reverse("aab"), reverse("b")], letters, letters)]
    [[[2, 2, 3], [3, 0, 0]], [3, 1], [[3, 2, 2], [3, 0, 0]]]
    """
    numbers, lengths = read.encode([example.source for example in examples])
    targets, _ = write.encode([example.target for example in examples])
    return torch.tensor(numbers), torch.tensor(lengths), torch.tensor(targets)


def character_loss(model, batch):
    """Return the mean surprise at the right character, given the right ones before it: the loss for `fit`.

    Parameters
    ----------
    model : Seq2Seq
    batch : tuple of torch.Tensor, as `encode_examples` returns it

    Returns
    -------
    torch.Tensor, one number; padding of the targets is left out

    Examples
    --------
    >>> from attention_src.models.seq2seq import Seq2Seq
    >>> model, numbers = Seq2Seq(5, 5, 2, 4, 4, "dot"), torch.tensor([[2, 3], [4, 4]])
    >>> character_loss(model, (numbers, torch.tensor([2, 2]), numbers)).shape
    torch.Size([])
    """
    numbers, lengths, targets = batch
    logits, _ = model(numbers, targets, lengths)
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=PAD)


def write_texts(model, data, vocabulary):
    """Let a network write, each character after those that it wrote itself.

    Parameters
    ----------
    model : Seq2Seq
    data : tuple of torch.Tensor, as `encode_examples` returns it
    vocabulary : Vocabulary, of the targets

    Returns
    -------
    texts : list of str
    characters : torch.Tensor (batch, n), the same texts as numbers
    weights : torch.Tensor (batch, n, m), or None without attention

    Raises
    ------
    ValueError
        As `Seq2Seq.generate`.

    Examples
    --------
    >>> from attention_course.tasks import Vocabulary
    >>> from attention_src.models.seq2seq import Seq2Seq
    >>> model, numbers = Seq2Seq(5, 5, 2, 4, 4, "dot"), torch.tensor([[2, 3], [4, 4]])
    >>> texts, characters, weights = write_texts(model, (numbers, torch.tensor([2, 2]), numbers), Vocabulary(["abc"]))
    >>> len(texts), characters.shape, weights.shape
    (2, torch.Size([2, 2]), torch.Size([2, 2, 2]))
    """
    numbers, lengths, targets = data
    characters, weights = model.generate(numbers, targets.shape[1], lengths)
    return vocabulary.decode(characters), characters, weights


def place_from_start(states):
    """Return keys that know only a place: a 1 at the number of the place, counted from the start of the text.

    Parameters
    ----------
    states : torch.Tensor (batch, m, d), encoder states, of which only the shape is used

    Returns
    -------
    torch.Tensor (batch, m, d)

    Examples
    --------
    >>> place_from_start(torch.ones(1, 2, 3))
    tensor([[[1., 0., 0.],
             [0., 1., 0.]]])
    """
    batch, m, d = states.shape
    return torch.eye(m, d, dtype=states.dtype).expand(batch, m, d)


def place_from_end(states):
    """Return keys that know only a place: how far it is from the end of the text, and the square of that.

    A query can make a hill over the places out of the two, with its top where it likes.

    Parameters
    ----------
    states : torch.Tensor (batch, m, d), encoder states, all 0 at padding; they only tell how long each text is

    Returns
    -------
    torch.Tensor (batch, m, d)
        k/2 and k²/16 at the place k before the last, and zeros.

    Examples
    --------
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
    """Return the keys (batch, m, d) that a network makes of some sources, to be used for others with `use_keys`.

    Parameters
    ----------
    model : Seq2Seq with attention
    data : tuple of torch.Tensor, as `encode_examples` returns it

    Returns
    -------
    torch.Tensor (batch, m, d)

    Examples
    --------
    >>> from attention_src.models.seq2seq import Seq2Seq
    >>> model, numbers = Seq2Seq(5, 5, 2, 4, 4, "dot"), torch.tensor([[2, 3], [4, 4]])
    >>> read_keys(model, (numbers, torch.tensor([2, 2]))).shape
    torch.Size([2, 2, 4])
    """
    numbers, lengths, *_ = data
    return model.decoder.keys(model.encoder(numbers, lengths)[0])


def use_keys(model, keys):
    """Let a network compare its queries with these keys, for a while; the values stay those of its own source.

    Parameters
    ----------
    model : Seq2Seq with attention
    keys : torch.Tensor (batch, m, d), as `read_keys` returns them

    Returns
    -------
    context manager

    Examples
    --------
    >>> from attention_src.models.seq2seq import Seq2Seq
    >>> model, texts = Seq2Seq(5, 5, 2, 4, 4, "dot"), torch.tensor([[2, 3], [4, 4]])
    >>> _, own = model(texts, texts)
    >>> with use_keys(model, read_keys(model, (texts.flip(0), torch.tensor([2, 2])))):
    ...     _, swapped = model(texts, texts)
    >>> torch.equal(own, swapped), torch.equal(own, model(texts, texts)[1])
    (False, True)
    """
    return replace_attribute([model.decoder], "keys", lambda states: keys)


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


def ignore_mask(model):
    """Let the weights of a network fall on padding, for a while.

    Parameters
    ----------
    model : Seq2Seq with attention

    Returns
    -------
    context manager

    Examples
    --------
    >>> from attention_src.models.seq2seq import Seq2Seq
    >>> model, numbers = Seq2Seq(5, 5, 2, 4, 4, "dot"), torch.tensor([[2, 0]])
    >>> with ignore_mask(model):
    ...     _, weights = model.generate(numbers, 1, torch.tensor([1]))
    >>> bool(weights[0, 0, 1] > 0), bool(model.generate(numbers, 1, torch.tensor([1]))[1][0, 0, 1] > 0)
    (True, False)
    """
    usual = model.decoder.step

    def step(previous, state, memory):
        return usual(previous, state, memory._replace(mask=None))

    return replace_attribute([model.decoder], "step", step)


@torch.no_grad()
def force_weight(model, data, vocabulary, t, places):
    """Return what a network writes as character t when all weight of that step lies on one place.

    Parameters
    ----------
    model : Seq2Seq with attention
    data : tuple of torch.Tensor, as `encode_examples` returns it
    vocabulary : Vocabulary, of the targets
    t : int, the step, from 0; the right characters stand before it
    places : torch.Tensor (batch,), where all weight is put

    Returns
    -------
    list of str, one character for each text

    Raises
    ------
    RuntimeError
        A place is beyond the sources.

    Examples
    --------
    >>> from attention_course.tasks import Vocabulary
    >>> from attention_src.models.seq2seq import Seq2Seq
    >>> model, numbers = Seq2Seq(5, 5, 2, 4, 4, "dot"), torch.tensor([[2, 3], [4, 4]])
    >>> data = numbers, torch.tensor([2, 2]), numbers
    >>> len(force_weight(model, data, Vocabulary(["abc"]), 1, torch.tensor([0, 1])))
    2
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
