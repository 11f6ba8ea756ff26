"""Throws of a fair die, and a small network that is trained to say what is thrown next."""

from pathlib import Path

import numpy as np

from .trained import load_groups

__all__ = ["load_forecasters", "throw_dice", "train_forecaster"]

FACES, LENGTH, WIDTH, HIDDEN = 6, 6, 16, 32
FILE = Path(__file__).with_suffix(".npz")  # written by `python -m evidence.ch05`


def throw_dice(count, seed=0):
    """Throw a fair die six times in each of `count` rows: (count, 6, 6), each throw with a single 1 for its face.

    The `seed` decides what is thrown.

    >>> throw_dice(2).sum(axis=-1)[0]
    array([1., 1., 1., 1., 1., 1.])
    """
    return np.eye(FACES)[np.random.default_rng(seed).integers(FACES, size=(count, LENGTH))]


def train_forecaster(chances, seed=0):
    """Train a network to give large chances to what is thrown next; return {name of a parameter: array}.

    `chances(parameters, throws)` returns the chances given to the throws that came next, all of them tensors.
    The `seed` decides the first parameters, the throws and their order.
    """
    import torch

    from .training import Minibatches, fit

    random = np.random.default_rng([seed, 1])
    shapes = {"faces": (FACES, WIDTH), "places": (LENGTH, WIDTH)} | dict.fromkeys(["W_q", "W_k", "W_v"], (WIDTH, WIDTH))
    shapes |= {"W_1": (WIDTH, HIDDEN), "b_1": (1, HIDDEN), "W_2": (HIDDEN, FACES)}
    drawn = {name: random.normal(size=shape) / shape[0] ** (0.5 * (name[0] == "W")) for name, shape in shapes.items()}
    network = torch.nn.ParameterDict({name: torch.tensor(array) for name, array in drawn.items()})
    batches = Minibatches(torch.tensor(throw_dice(50_000, [seed, 2])), batch_size=128, steps=1000)
    fit(network, batches, lambda p, batch: -chances(p, *batch).log().mean(), learning_rate=1e-2, seed=seed)
    return {name: parameter.detach().numpy() for name, parameter in network.items()}


def load_forecasters():
    """Return the networks of chapter 5: {where the mask is, "before" or "after": {name of a parameter: array}}."""
    return load_groups(FILE)
