"""Diagrams of who attends to whom, and which head owns a number."""

import numpy as np

from attention_course.interventions import change_token

from ._canvas import Canvas
from ._given import as_array, check_labels, plural
from ._steer import with_inputs
from ._style import BLUE, CYCLE, GREY, ORANGE


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


def ripple(words, tokens, others, matrices, mask, *, changed):
    """Draw which outputs of two layers of attention react if one word is changed, beside the mask of both layers.

    It is the first state of the picture to touch of chapter 5, and carries what that picture needs.

    Parameters
    ----------
    words : n labels
    tokens, others : (n, d), the words and what each of them can become
    matrices : (2, 3, d, d), W_q, W_k and W_v of each layer
    mask : (n, n) bool, True = may look
    changed : int, which word is changed

    Examples
    --------
    >>> ripple(["a", "b"], np.eye(2), -np.eye(2), np.ones((2, 3, 2, 2)), [[True, False], [True, True]], changed=0)
    <picture: 2 words through 2 layers>
    """
    tokens, others, matrices, mask = as_array(tokens), as_array(others), as_array(matrices), np.asarray(mask, bool)
    n = len(words)
    if mask.shape != (n, n) or tokens.shape != others.shape or len(tokens) != n:
        raise ValueError(f"{n} words, a mask of {mask.shape} and tokens of {tokens.shape}; expected one of each a word")
    moved = change_token(tokens, others[changed], matrices, mask, changed) > 1e-9
    sheet, left, up = Canvas(5.2, 4.9), 1.1 + 0.8 * np.arange(n), (2.55, 3.5, 4.45)
    states = [np.arange(n) == changed, *moved]
    for level, name in enumerate(("words", *(f"layer {i + 1}" for i in range(len(matrices))))):
        sheet.text(0.35, up[level], name)
        for j, x in enumerate(left):
            for k in np.flatnonzero(mask[j]) if level else ():
                carries = states[level - 1][k]
                look = {"colour": ORANGE, "width": 1.4} if carries else {"colour": GREY, "width": 0.4, "dashed": True}
                sheet.arrow((left[k], up[level - 1] + 0.2), (x, up[level] - 0.2), **look)
            sheet.box(x, up[level], words[j], width=0.74, colour=ORANGE if states[level][j] else GREY,
                      filled=0.35 * states[level][j])  # fmt: skip
    for i in range(n):
        sheet.text(0.55, 1.65 - 0.36 * i, words[i])
        sheet.text(left[i], 2.0, words[i])
        for j in range(n):
            open_ = mask[i, j]
            sheet.box(left[j], 1.65 - 0.36 * i, "" if open_ else "✗", width=0.7, height=0.3,
                      colour=BLUE if open_ else GREY, filled=0.25 * open_)  # fmt: skip
    inputs = {"words": [*words], "tokens": tokens, "others": others, "matrices": matrices}
    picture = sheet.picture(f"{n} words through {len(matrices)} layers")
    return with_inputs(picture, "05-ripple", inputs | {"mask": mask.astype(int), "changed": changed})
