"""All maps of a model side by side: the first state of the picture of chapter 12."""

from base64 import b64encode

import numpy as np
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from ._steer import with_inputs
from ._style import GREY, ORANGE, PALE, book_style, finish, panel

LEVELS = (0.1, 0.3, 0.6)  # a weight is drawn from the first on, and darker from the others on
FIRST = [5, 11]  # the layer and the head, from 0, whose map is opened first
GAP = 1.12  # of the side of a map, from one to the next


def bench(text, tokens, weights, lengths, moved):
    """Draw the weights of all heads of a model on a text, a row of small maps for each block.

    It is the first state of the picture to touch of chapter 12, and carries what that picture needs.

    Parameters
    ----------
    text : str
    tokens : list of n str
    weights : (layers, heads, n, n) array
    lengths : (layers, heads) array, how long on average that is which a head takes
    moved : (layers, heads) array, how far the sentence moves without the head

    Examples
    --------
    >>> from attention_course.maps import stored_heads
    >>> bench(*stored_heads())
    <picture: 72 maps of 12 tokens>
    """
    layers, heads, n, _ = weights.shape
    with book_style():
        figure, axes = panel(2.2, 1, 1)
        axes.set(xlim=(-0.2, GAP * heads), ylim=(GAP * layers, -0.2), aspect="equal")
        axes.axis("off")
        for k in range(layers):
            axes.text(-0.2, GAP * k + 0.5, f"block {k}", ha="right", va="center", color=GREY)
        for k in range(heads):
            axes.text(GAP * k + 0.5, -0.2, k, ha="center", va="bottom", color=GREY)
        figure.draw_without_rendering()  # lays it out
        (left, _), (right, _) = axes.transData.transform([(0, 0), (1, 0)])
        side = (right - left) * 72 / figure.dpi  # of a map, in points
        frames = [_line(GAP * j, GAP * i + 0.5, GAP * j + 1) for i in range(layers) for j in range(heads)]
        look = {"color": PALE, "alpha": 0.4, "linewidth": side, "capstyle": "butt"}
        axes.add_patch(PathPatch(Path.make_compound_path(*frames), **look))
        for least, most in zip(LEVELS, [*LEVELS[1:], 2], strict=True):
            found = np.argwhere((weights >= least) & (weights < most))
            lines = [
                _line(GAP * j + b / n, GAP * i + (a + 0.5) / n, GAP * j + (b + 1) / n) for i, j, a, b in found.tolist()
            ]
            look = {"color": ORANGE, "alpha": 0.25 + least, "linewidth": side / n, "capstyle": "butt"}
            axes.add_patch(PathPatch(Path.make_compound_path(*lines), **look))
        picture = finish(figure, f"{layers * heads} maps of {n} tokens")
    packed = b64encode((weights * 255).round().astype("uint8").tobytes()).decode()
    shown = {"text": text, "tokens": tokens, "maps": packed, "lengths": lengths, "moved": moved}
    return with_inputs(picture, "12-bench", shown | {"first": FIRST})


def _line(start, y, end):
    return Path([(start, y), (end, y)])
