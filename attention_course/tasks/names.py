"""Real first names, which a model of characters learns to write: data in the public domain, kept in the package."""

from pathlib import Path

import numpy as np

from attention_src._validation import as_integer

FILE = Path(__file__).with_name("first_names.txt")  # with its source and licence


def name_examples(num_held_out, seed=0):
    """Return first names of the US census of 1990 in a random order, most to train on and some held out, none in both.

    Both are lists of str; `num_held_out` and `seed` are int. It raises TypeError if `num_held_out` is not an integer,
    and ValueError if it is negative or there are fewer names.

    >>> train, held_out = name_examples(500)
    >>> len(train), len(held_out), max(map(len, train))
    (4663, 500, 11)
    """
    num_held_out = as_integer("num_held_out", num_held_out, 0)
    names = [line for line in FILE.read_text("utf-8").splitlines() if not line.startswith("#")]
    if num_held_out >= len(names):
        raise ValueError(f"num_held_out is {num_held_out}; there are {len(names)} names")
    order = np.random.default_rng(seed).permutation(names).tolist()
    return order[num_held_out:], order[:num_held_out]
