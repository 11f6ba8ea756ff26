"""Weights of networks that a chapter has trained, so that the cells behind the training run without PyTorch."""

from pathlib import Path

import numpy as np

__all__ = ["load_trained"]

FILE = Path(__file__).with_name("trained_readers.npz")  # written by `python -m evidence.alibi`


def load_trained():
    """Return the weights of chapter 6's layers: {(number of heads, seed): {name of a parameter: array}}.

    >>> load_trained()[2, 0]["attend.out_proj.weight"].shape
    (16, 16)
    """
    return {tuple(map(int, group.split("/"))): weights for group, weights in load_groups(FILE).items()}


def load_groups(path):
    """Return the arrays of a file, whose names are group/name, as {group: {name: array of floats}}."""
    kept = {}
    with np.load(path) as file:
        for key in file.files:
            group, _, name = key.rpartition("/")
            kept.setdefault(group, {})[name] = file[key].astype(float)
    return kept
