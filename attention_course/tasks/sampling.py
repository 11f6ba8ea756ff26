"""How tasks draw their examples: all different, so that nothing of the training comes up again in the test."""

import numpy as np

from attention_src._validation import as_integer


def check_counts(num_train, num_test):
    """Return both numbers; raise TypeError if one is not an integer, ValueError if it is negative."""
    return as_integer("num_train", num_train, 0), as_integer("num_test", num_test, 0)


def draw_different_rows(draw, count, possible):
    """Call `draw`, a function of a number that returns so many rows, until it has given `count` different ones.

    There are `possible` different rows. ValueError if more than half of them are wanted, since drawing them would take
    long.
    """
    if 2 * count > possible:
        raise ValueError(
            f"num_train + num_test asks for {count} different examples; expected at most half of {possible}"
        )
    rows = draw(count)
    while True:
        _, first = np.unique(rows, axis=0, return_index=True)
        rows = rows[np.sort(first)]
        if len(rows) >= count:
            return rows[:count]
        rows = np.concatenate([rows, draw(count)])


def shuffle_rows(generator, count, n):
    """Return `count` rows, each with the numbers 0 … n - 1 in an order of its own: (count, n)."""
    return generator.permuted(np.tile(np.arange(n), (count, 1)), axis=1)


def split(examples, num_train):
    """Cut every array of a NamedTuple after `num_train` rows and return the two parts as NamedTuples."""
    kind = type(examples)
    return kind(*(array[:num_train] for array in examples)), kind(*(array[num_train:] for array in examples))
