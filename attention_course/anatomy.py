"""What runs through a Transformer while it writes, whole and with one arrow cut, as chapter 7 shows it."""

from contextlib import contextmanager, nullcontext

import numpy as np
import torch

from attention_src.threads import limit_threads

from .dates import ISO_LENGTH
from .interventions import replace_attribute
from .packed import pack

__all__ = ["CUTS", "SUBLAYERS", "cut", "dissect", "replace_path"]  # what the chapter calls; the rest are its parts

#: The sub-layers of a `Transformer`, in the order of the data: the side on which each is, and its place in the block.
SUBLAYERS = {
    "encoder self-attention": ("encoder", 0),
    "encoder feed-forward": ("encoder", 1),
    "causal self-attention": ("decoder", 0),
    "cross-attention": ("decoder", 1),
    "decoder feed-forward": ("decoder", 2),
}


def _join(model, sublayer, join):
    """Let `join(stream, added)` be what goes on after a sub-layer instead of their sum, for a while."""
    side, number = SUBLAYERS[sublayer]
    block = getattr(model, side)
    add_both = block._add_sublayer

    def add_as_told(x, norm, compute):
        if norm is not block.norms[number]:
            return add_both(x, norm, compute)
        added, weights = compute(norm(x))
        return join(x, added), weights

    return replace_attribute([block], "_add_sublayer", add_as_told)


def cut(model, sublayer, what):
    """Cut one arrow inside a ``with`` block: the path past a sub-layer of a Transformer, or what the sub-layer adds.

    Parameters
    ----------
    model : Transformer, with the norm first
    sublayer : str, one of `SUBLAYERS`
    what : str, "path" (the residual connection past it: only what the sub-layer returns goes on) or "part" (the
        sub-layer adds nothing: only the stream goes on); ValueError if it is neither

    Examples
    --------
    >>> from attention_src.models.transformer import Transformer
    >>> model = Transformer(5, 5, d_model=4, num_heads=1, d_ff=8)
    >>> sources, lengths = torch.tensor([[2, 3], [4, 2]]), torch.tensor([2, 2])
    >>> with cut(model, "cross-attention", "part"):  # what it writes depends on no source
    ...     written = model.generate(sources, 3, lengths)
    >>> torch.equal(written[0], written[1])
    True
    """
    if what not in ("path", "part"):
        raise ValueError(f"what is {what!r}; expected 'path' or 'part'")

    def keep_one(stream, added):
        return added if what == "path" else stream

    return _join(model, sublayer, keep_one)


def replace_path(model, sublayer, vectors):
    """Replace the stream on the path past a sub-layer by other vectors inside a ``with`` block.

    Parameters
    ----------
    model : Transformer, with the norm first
    sublayer : str, one of `SUBLAYERS`
    vectors : (longest, d_model), one for each place

    Examples
    --------
    >>> from attention_src.models.transformer import Transformer
    >>> model = Transformer(5, 5, d_model=4, num_heads=1, d_ff=8)
    >>> texts = torch.tensor([[2, 3]]), torch.tensor([[4]]), torch.tensor([2])
    >>> with cut(model, "cross-attention", "path"):
    ...     without, _ = model(*texts)
    >>> with replace_path(model, "cross-attention", torch.zeros(20, 4)):
    ...     torch.equal(model(*texts)[0], without)
    True
    """
    return _join(model, sublayer, lambda stream, added: vectors[: stream.shape[-2]] + added)


@contextmanager
def record_stream(model):
    """Give a list, to which every sub-layer of a Transformer that is run appends the stream before and after it."""
    stops = []

    def note_both(block):
        add = block._add_sublayer

        def add_and_note(x, norm, compute):
            after, weights = add(x, norm, compute)
            stops.append((x.detach(), after.detach()))
            return after, weights

        return replace_attribute([block], "_add_sublayer", add_and_note)

    with note_both(model.encoder), note_both(model.decoder):
        yield stops


#: The arrows that can be cut: none, then for each sub-layer what it adds and the path past it.
CUTS = [None, *((sublayer, what) for sublayer in SUBLAYERS for what in ("part", "path"))]


@torch.no_grad()
@limit_threads()
def trace(model, task, source, arrow=None):
    """Let a model write one date, with one of `CUTS` or none, and return all that happens on the way.

    Return a dict: "text", what it writes; "sure" (10,), the probability of each character of it; "stream", 2 + 3 pairs
    (before, after), each (n, d_model), of the encoder's and decoder's sub-layers; "weights" of the three kinds of
    attention, (m, m), (10, 10) and (10, m), the mean of the heads. ValueError if the source has an unknown character.
    """
    numbers, lengths = map(torch.tensor, task.source_text.encode([source]))
    with cut(model, *arrow) if arrow else nullcontext():
        written = model.generate(numbers, ISO_LENGTH, lengths)
        with record_stream(model) as stops:
            logits, weights = model(numbers, written, lengths, need_weights=True)
    (text,) = task.target_text.decode(written)
    return {
        "text": text.ljust(ISO_LENGTH, "?"),  # padding and start have no letter
        "sure": logits.softmax(-1).amax(-1)[0].numpy(),
        "stream": [(before[0].numpy(), after[0].numpy()) for before, after in stops],
        "weights": [part[0].mean(dim=0).numpy() for part in weights],
    }


def dissect(model, task, sources):
    """Return what chapter 7's picture shows: one date and its edits, each whole and with every arrow cut in turn.

    Parameters
    ----------
    model : Transformer
    task : DateTask
    sources : list of str of one length; the others are edits of the first
        ValueError if one has a character that no source of the task has.

    Returns
    -------
    dict
        "sources" and "sublayers" are lists of str. "encoder" has the weights (m, m) of each source, which depend on no
        arrow. "runs" has, for each source and each of `CUTS`, a dict: "text"; "sure" (10,); "own" (10, 10); "cross"
        (10, m); "fed", how long what each feed-forward network adds is, as a share of the stream (m + 10,); "changed",
        a digit for each token at seven places of the streams, 0 as in the first run, 1 to 9 more and more different.
        All numbers but the last are packed (`attention_course.packed`).

    Examples
    --------
    >>> from attention_course.dates import DateTask, make_network
    >>> task = DateTask(num_train=50, num_held_out=5)
    >>> numbers = dissect(make_network("Transformer", task), task, ["14 Mar 2026"])
    >>> len(numbers["runs"]), len(numbers["runs"][0]), len(numbers["runs"][0][0]["changed"])
    (1, 11, 73)
    """
    whole = [[trace(model, task, source, arrow) for arrow in CUTS] for source in sources]
    return {
        "sources": list(sources),
        "sublayers": list(SUBLAYERS),
        "encoder": [pack(runs[0]["weights"][0]) for runs in whole],
        "runs": [[_summarise(run, whole[0][0]) for run in runs] for runs in whole],
    }


def _summarise(run, first):
    own, cross = run["weights"][1:]
    return {
        "text": run["text"],
        "sure": pack(run["sure"]),
        "own": pack(own),
        "cross": pack(cross),
        "fed": pack(np.concatenate([_measure_added(*run["stream"][k]) for k in (1, 4)])),
        "changed": "".join(_grade(*pair) for pair in zip(_list_places(run), _list_places(first), strict=True)),
    }


def _measure_added(before, after):
    """Return the length of what was added, as a share of the stream before, at most 9.99."""
    return np.minimum(np.linalg.norm(after - before, axis=-1) / np.linalg.norm(before, axis=-1), 9.99)


def _list_places(run):
    """The streams before the first and after each sub-layer: three places of the encoder, four of the decoder."""
    stops = run["stream"]
    return [stops[0][0], *(after for _, after in stops[:2]), stops[2][0], *(after for _, after in stops[2:])]


def _grade(now, then):
    """How far each token is from where it was, as a digit: 0 if it hardly moved, 9 if by its own length or more."""
    moved = np.linalg.norm(now - then, axis=-1) / np.linalg.norm(then, axis=-1)
    return "".join(str(int(np.ceil(9 * min(x, 1)))) if x > 1e-6 else "0" for x in moved)
