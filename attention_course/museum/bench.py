"""The small networks of chapter 10, and what six detectors say of nine of them, the suspects of its picture."""

from pathlib import Path

from ..trained import load_groups

__all__ = ["CASES", "SUSPECTS", "load_lineup", "load_networks"]

FILE = Path(__file__).parents[1] / "bench.npz"  # written by `python -m evidence.ch10`

#: What can be wrong with a suspect, in words, and the name that its network has in the file.
SUSPECTS = {
    "nothing is wrong": "sound",
    "softmax over the queries": "over_queries",
    "mask after the softmax": "after",
    "no mask": "B",
    "mask with the opposite meaning": "opposite",
    "positions alike for all tokens": "places",
    "tokens of other sentences": "across",
    "view without transpose": "viewed",
    "dropout left on": "C",
}
#: Which suspect is behind case no. 1, 2, 3 …
CASES = (5, 8, 4, 0, 7, 2, 3, 6, 1)


def load_networks():
    """Return the trained networks: {name of a bug: {name of a parameter, or "losses" of the steps: array}}.

    >>> load_networks()["sound"]["w"].shape
    (3, 16, 16)
    """
    return {name: arrays for name, arrays in load_groups(FILE).items() if name != "lineup"}


def load_lineup():
    """Return what each question finds of the nine suspects, in their order: {question: list}.

    >>> load_lineup()["score"][CASES[7 - 1]]
    1.0
    """
    return {name: found.tolist() for name, found in load_groups(FILE)["lineup"].items()}
