"""What the published encoder of chapter 12 gives three sentences, kept for whoever has no model."""

from pathlib import Path

import numpy as np

SENTENCES = (
    "the cat sat on the mat because it was tired",
    "he put the money into the bank by the river",
    "nobody saw the old horse behind the house",
)
FILE = Path(__file__).with_suffix(".npz")  # written by `python -m evidence.published_model`


def stored_maps():
    """Return the tokens and the weights of each of `SENTENCES`, as `minilm()` gives them, a list of (tokens, weights).

    The tokens are a list of str, and the weights a NumPy array (layers, heads, n, n), rounded to the next 1/255.

    >>> tokens, weights = stored_maps()[0]
    >>> tokens[:4], weights.shape
    (['[CLS]', 'the', 'cat', 'sat'], (6, 12, 12, 12))
    """
    with np.load(FILE) as file:
        return [(file[f"tokens_{i}"].tolist(), file[f"weights_{i}"] / 255) for i in range(len(SENTENCES))]


def stored_heads():
    """Return what each head does in the first of `SENTENCES`: the sentence, its tokens, the weights, lengths and moves.

    The lengths (layers, heads) say how long on average that is which a head takes, and the moves (layers, heads) how
    far the sentence's vector moves when the head is ablated, 1 − cosine.

    >>> text, tokens, weights, lengths, moved = stored_heads()
    >>> lengths.shape, divmod(int(moved.argmax()), 12)
    ((6, 12), (5, 11))
    """
    with np.load(FILE) as file:
        lengths, moved = file["lengths"], file["moved"]
    return SENTENCES[0], *stored_maps()[0], lengths, moved
