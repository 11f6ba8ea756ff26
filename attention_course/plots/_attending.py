"""Diagrams of who attends to whom."""

import numpy as np

from ._canvas import Canvas
from ._style import ORANGE


def circle(labels, arrows):
    """Draw names in a circle, clockwise from the top, and arrows from one to another.

    There are n `labels`, short ones; `arrows` are pairs (from, to) of numbers into them, which must differ.

    >>> circle("ABC", [(0, 1), (1, 2), (2, 0)])
    <picture: circle of 3 with 3 arrows>
    """
    labels, pairs = [*map(str, labels)], [(int(a), int(b)) for a, b in arrows]
    if any(a == b or not {a, b} <= {*range(len(labels))} for a, b in pairs):
        raise ValueError(f"arrows {pairs} among {len(labels)} labels; expected pairs of two different labels")
    angles = np.pi / 2 - 2 * np.pi * np.arange(len(labels)) / len(labels)
    places = np.stack([2.4 + 1.25 * np.cos(angles), 1.6 + 1.25 * np.sin(angles)], axis=1).round(3)
    sheet = Canvas(4.8, 3.2)
    for a, b in pairs:
        edge = 0.25 * (places[b] - places[a]) / np.linalg.norm(places[b] - places[a])
        sheet.arrow(places[a] + edge, places[b] - edge)
    for label, (x, y) in zip(labels, places, strict=True):
        sheet.circle(x, y, label, radius=0.24, colour=ORANGE)
    return sheet.picture(f"circle of {len(labels)} with {len(pairs)} arrows")
