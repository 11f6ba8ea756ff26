"""Faults for the machine: each spoils one right part, the reader's own or the package's, and says nothing of it."""

import numpy as np

from ..checks._message import Part
from ..machine import PARTS, Machine
from ..my_machine import load_parts, read_kept

__all__ = ["accuse", "plant"]


def _open_next(mask):
    def see_one_ahead(lengths, n):
        return mask(lengths, n) | np.eye(n, k=1, dtype=bool)

    return see_one_ahead


def _share_lengths(mask):
    def hide_as_in_the_first_text(lengths, n):
        return mask(np.full(len(lengths), lengths[0]), n)

    return hide_as_in_the_first_text


def _hide_late(heads):
    def hide_after_the_softmax(x, w_q, w_k, w_v, w_o, num_heads, mask=None):
        _, weights = heads(x, w_q, w_k, w_v, w_o, num_heads)
        weights = weights if mask is None else weights * mask
        values = (x @ w_v).reshape(len(x), num_heads, -1).swapaxes(0, 1)
        return (weights @ values).swapaxes(0, 1).reshape(len(x), -1) @ w_o, weights

    return hide_after_the_softmax


def _count_twice(heads):
    def count_positions_again(x, *given):
        return heads(x + np.arange(len(x))[:, None] / 4, *given)

    return count_positions_again


def _lose_letter(loss):
    def judge_the_letter_itself(logits, words, lengths):
        return loss(np.roll(logits, -1, axis=1), words, lengths)

    return judge_the_letter_itself


FAULTS = (  # case by case: the part, and what spoils it
    ("heads", _hide_late),
    ("loss", _lose_letter),
    ("mask", _share_lengths),
    ("heads", _count_twice),
    ("mask", _open_next),
)


def plant(case, **parts):
    """Return a machine with these parts and those that the reader has kept, one of them spoiled.

    The `case` is an int from 1 to 5; it says which part it is, and how. ValueError for another.
    """
    if case not in range(1, len(FAULTS) + 1):
        raise ValueError(f"case is {case!r}; expected 1 to {len(FAULTS)}")
    name, spoil = FAULTS[case - 1]
    parts = load_parts(read_kept()) | parts
    return Machine(**parts | {name: spoil(parts.get(name, PARTS[name]))})


def accuse(case, part):
    """Print whether the fault of a case is in this part, named by a str such as 'mask'."""
    is_right = part == FAULTS[case - 1][0]
    print(Part("Yes, it is in {part}.", part=part) if is_right else Part("{part} does what it should.", part=part))
