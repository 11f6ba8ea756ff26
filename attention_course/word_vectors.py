"""What chapter 9's model knew at which step of its training, and rows of a published table: kept for its page."""

from pathlib import Path

import numpy as np

FILE = Path(__file__).with_suffix(".npz")  # written by `python -m evidence.word_vectors`
#: The steps of the training after which the words were looked at.
STEPS = (0, 5, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100, 150, 200, 300, 400)
#: Words of six topics, whose rows come from all-MiniLM-L6-v2 (Apache 2.0), as does that of *bank*.
TOPICS = {
    "animals": "dog cat horse cow sheep pig bird fish lion wolf",
    "colours": "red green blue yellow white black brown purple pink orange",
    "family": "mother father sister brother son daughter uncle aunt wife husband",
    "money": "money loan cash credit debt pay price market fund account",
    "moving": "run walk jump climb swim fly crawl march ride drive",
    "water": "river lake sea shore stream coast beach water wave island",
}
NAMES = {  # what `Next` of chapter 9 calls each of its arrays
    "word": ["word.weight"],
    "place": ["place"],
    "heads": [f"block.attend.{which}_proj.weight" for which in ("query", "key", "value", "out")],
    "feed_forward": [f"block.feed_forward.{i}.{kind}" for i in (0, 2) for kind in ("weight", "bias")],
    "norm_1": ["block.norms.0.weight", "block.norms.0.bias"],
    "norm_2": ["block.norms.1.weight", "block.norms.1.bias"],
    "norm": ["norm.weight", "norm.bias"],
    "out": ["out.weight", "out.bias"],
}
TURNED = ("heads", "feed_forward", "out")  # torch has a matrix as (out, in)


def take_weights(model):
    """Return the weights of chapter 9's `model`, a torch.nn.Module, as a dict of use: list of NumPy arrays.

    It raises KeyError if the model lacks one of `NAMES`.

    >>> import torch
    >>> take_weights(torch.nn.Linear(2, 2))
    Traceback (most recent call last):
    KeyError: 'word.weight'
    """
    state = {name: array.detach().numpy().copy() for name, array in model.state_dict().items()}
    return {use: [state[name].T if use in TURNED else state[name] for name in names] for use, names in NAMES.items()}


class Recorder:
    """A loss that keeps the model's weights, as `take_weights` returns them, before each of some steps of `fit`.

    Parameters
    ----------
    loss : function of model and batch
    steps : tuple of int, when to keep them; they are in `kept`, a dict, afterwards

    Examples
    --------
    >>> record = Recorder(lambda model, batch: batch, steps=())
    >>> record("model", 0.5), record.kept
    (0.5, {})
    """

    def __init__(self, loss, steps):
        self.loss, self.steps, self.kept, self.step = loss, steps, {}, 0

    def __call__(self, model, batch):
        if self.step in self.steps:
            self.kept[self.step] = take_weights(model)
        self.step += 1
        return self.loss(model, batch)


def stored_models():
    """Return {steps of training, or "frozen": weights as `take_weights` returns them} of chapter 9's models.

    >>> [*stored_models()], stored_models()[400]["word"][0].shape
    ([0, 25, 100, 400, 'frozen'], (44, 24))
    """
    with np.load(FILE) as file:
        stacked = {use: [file[name].astype(float) for name in names] for use, names in NAMES.items()}
        kept = [int(name) if name.isdecimal() else name for name in file["models"].tolist()]
    return {
        name: {use: [array[i] for array in arrays] for use, arrays in stacked.items()} for i, name in enumerate(kept)
    }


def stored_course():
    """Return what happened in the training at each of `STEPS`, a dict of lists and an array.

    `steps`, `loss` and `neighbour` have a number for each, `written` three sentences for each, `places` (steps, words,
    2) the words on a map, in hundredths; `roles` are those of the words.

    >>> stored_course()["places"].shape
    (16, 42, 2)
    """
    with np.load(FILE) as file:
        lists = {name: file[name].tolist() for name in ("loss", "neighbour", "written", "roles")}
        return {"steps": [*STEPS], **lists, "places": file["places"]}


def stored_topics():
    """Return the words of `TOPICS` and *bank*, their vectors (61, 384), and of the sixty the topics and the ranks.

    The ranks are numbers in the model's list of tokens, which begins with the most common words.

    >>> words, vectors, topics, ranks = stored_topics()
    >>> words[-1], vectors.shape, topics[0], ranks.shape
    ('bank', (61, 384), 'animals', (60,))
    """
    words = [word for topic in TOPICS.values() for word in topic.split()]
    with np.load(FILE) as file:
        rows, ranks = file["rows"].astype(float), file["ranks"][:-1]
    return [*words, "bank"], rows, [name for name in TOPICS for _ in range(10)], ranks
