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
    kept = {}
    with np.load(FILE) as file:
        for key in file.files:
            num_heads, seed, name = key.split("/")
            kept.setdefault((int(num_heads), int(seed)), {})[name] = file[key].astype(float)
    return kept
