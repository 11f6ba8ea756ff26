"""Diagrams of who attends to whom, and which head owns a number."""

import numpy as np

from ._canvas import Canvas
from ._given import as_array, plural
from ._style import CYCLE, ORANGE


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


def shaded(tables, owners):
    """Draw stacks of small tables below each other, every number in the colour of its owner.

    Both arguments are dicts of title: (heads, rows, columns). Those of `tables` are small whole numbers, and those of
    `owners` say to whom each number belongs, counted from 0.

    >>> shaded({"right": [[[11, 12]], [[13, 14]]]}, {"right": [[[0, 0]], [[0, 0]]]})
    <picture: 1 stack of shaded tables>
    """
    tables, owners = ({title: as_array(x).astype(int) for title, x in part.items()} for part in (tables, owners))
    sizes = {title: (x.shape, owners[title].shape if title in owners else None) for title, x in tables.items()}
    if any(own != other or len(own) != 3 for own, other in sizes.values()):
        raise ValueError(f"tables and owners have shapes {sizes}; expected (heads, rows, columns) twice")
    height = sum(0.34 * x.shape[1] + 0.5 for x in tables.values())
    sheet = Canvas(1.4 + max(len(x) * (0.5 * x.shape[2] + 0.25) for x in tables.values()), height)
    for title, table in tables.items():
        sheet.text(0.65, height - 0.45, title)
        for h, block in enumerate(table):
            left = 1.5 + h * (0.5 * table.shape[2] + 0.25)
            sheet.text(left + 0.25 * (table.shape[2] - 1), height - 0.16, f"head {h + 1}")
            for (row, column), number in np.ndenumerate(block):
                colour = CYCLE[owners[title][h, row, column] % len(CYCLE)][0]
                x, y = left + 0.5 * column, height - 0.45 - 0.34 * row
                sheet.box(x, y, str(number), width=0.46, height=0.3, colour=colour, filled=0.35)
        height -= 0.34 * table.shape[1] + 0.5
    return sheet.picture(f"{plural(len(tables), 'stack')} of shaded tables")
