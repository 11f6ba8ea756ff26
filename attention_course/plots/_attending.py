"""Diagrams of who attends to whom."""

import numpy as np

from ._canvas import Canvas
from ._given import as_array, check_labels, plural
from ._style import BLUE, ORANGE


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


def supply(panels):
    """Draw who asks above who supplies, and an arrow up from each supplier to each asker, the wider the more it weighs.

    `panels` is a dict of title: (weights (n, m) from 0 to 1, n labels of askers, m labels of suppliers).

    >>> supply({"cross-attention": ([[0.8, 0.2]], ["I"], ["나는", "먹었다"])})
    <picture: who asks and who supplies, in 1 panel>
    """
    sheet = Canvas(5.2, 1.95 * len(panels))
    for i, (title, (weights, asks, gives)) in enumerate(panels.items()):
        weights, y = as_array(weights).round(2), 1.95 * (len(panels) - 1 - i)
        asks, gives = check_labels("rows", asks, len(weights)), check_labels("columns", gives, weights.shape[-1])
        above, below = (1.6 + 3.4 * (np.arange(len(part)) + 0.5) / len(part) for part in (asks, gives))
        sheet.text(3.3, y + 1.8, title, weight="bold")
        for j, k in np.ndindex(weights.shape):
            if weights[j, k]:
                look = {"width": round(0.4 + 4 * weights[j, k], 2), "dashed": weights[j, k] < 0.1}
                sheet.arrow((below[k], y + 0.45), (above[j], y + 1.2), **look)
        for what, row, labels, height, colour in (
            ("ask:", above, asks, 1.4, ORANGE),
            ("supply:", below, gives, 0.26, BLUE),
        ):
            sheet.text(0.6, y + height, what)
            for x, label in zip(row, labels, strict=True):
                sheet.box(x, y + height, label, width=0.95, colour=colour)
    return sheet.picture(f"who asks and who supplies, in {plural(len(panels), 'panel')}")
