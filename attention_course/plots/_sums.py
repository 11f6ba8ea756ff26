"""Weighted sums of values that are points of the plane."""

import numpy as np

from ._given import as_array, check_labels
from ._style import CYCLE, INK, PALE, PAPER, book_style, draw_arrow, finish, panel


def weighted_sum(weights, values, labels):
    """Draw values in the plane, each shrunk to its weight, and the shrunk arrows laid tip to tail up to the output.

    Between two values the straight line is dotted.

    Parameters
    ----------
    weights : (m,)
    values : (m, 2)
    labels : m labels

    Examples
    --------
    >>> weighted_sum([0.67, 0.33], [[1, 2], [9, 8]], ["The", "cat"])
    <picture: weighted sum of 2 arrows>
    """
    weights, values = as_array(weights), as_array(values)
    labels = check_labels("labels", labels, len(values))
    if values.shape != (len(weights), 2):
        raise ValueError(f"weights {weights.shape} and values {values.shape}; expected (m,) and (m, 2)")
    corners = np.vstack([[0, 0], np.cumsum(weights[:, None] * values, axis=0)]).round(4)
    plate = {"boxstyle": "square,pad=0.1", "facecolor": PAPER, "edgecolor": "none"}  # so that lines pass behind words
    with book_style():
        figure, axes = panel(4.0)
        everything = np.vstack([corners, values])
        low, high = everything.min(axis=0), everything.max(axis=0)
        room = 0.05 * np.ptp(everything[:, 0])
        axes.set(xlim=(low[0] - 2 * room, high[0] + room), ylim=(low[1] - room, high[1] + 0.9))
        if len(values) == 2:
            axes.plot(*values.T, ":", color=INK, linewidth=1.2)
        for i, label in enumerate(labels):
            colour = CYCLE[i % len(CYCLE)][0]
            draw_arrow(axes, (0, 0), values[i], colour, alpha=0.35, dashed=True)
            axes.text(*values[i], f"{label}\u00a0", ha="right", va="bottom", color=colour)
            draw_arrow(axes, corners[i], corners[i + 1], colour, width=2.4)
            middle = (corners[i] + corners[i + 1]) / 2 + (room / 2, 0)
            axes.text(*middle, f"weight × {label}", ha="left", va="top", color=colour, bbox=plate)
        axes.plot(*corners[-1], "o", color=INK, markersize=6)
        x, y = (f"{c:.3f}" for c in weights @ values)
        axes.text(*(corners[-1] + (-room / 2, room / 2)), f"output\n({x}, {y})", ha="right", va="bottom", weight="bold")
        axes.set(xlabel="first number of the value", ylabel="second number", aspect="equal")
        axes.grid(color=PALE, linewidth=0.6)
        return finish(figure, f"weighted sum of {len(labels)} arrows")
