"""Diagrams of what saves time or memory: online softmax, a cache, and shared heads."""

import numpy as np

from ._canvas import Canvas
from ._given import as_array
from ._style import BLUE, ORANGE


def online_steps(scores):
    """Draw the sum of an online softmax of scores (m,) step by step: a bar for each term.

    The bars of old terms are shrunk when a larger score comes.

    >>> online_steps([1, 2, 4])
    <picture: 3 steps of an online softmax>
    """
    scores, sheet, before = as_array(scores), Canvas(5.2, 2.7), 0.0
    for step in range(1, len(scores) + 1):
        left, largest = 5.2 / len(scores) * (step - 1) + 0.3, scores[:step].max()
        terms = np.exp(scores[:step] - largest)
        for i, term in enumerate(terms):
            x, new = left + 0.48 * i, i == step - 1
            sheet.bar(x, 0.85, 1.2 * term, colour=ORANGE if new else BLUE)
            sheet.text(x, 0.7, f"{scores[i]:g}")
            sheet.text(x, 0.95 + 1.2 * term, f"{term:.3f}")
        sheet.text(left + 0.45, 0.43, f"largest {largest:g}")
        sheet.text(left + 0.45, 0.18, f"sum {terms.sum():.3f}")
        if step > 1:
            sheet.text(left + 0.45, 2.55, f"old × {np.exp(before - largest):.3f}")
            sheet.arrow((left - 0.35, 2.38), (left + 0.95, 2.38))
        before = largest
    return sheet.picture(f"{len(scores)} steps of an online softmax")


def cache_steps(n):
    """Draw n steps of a decoder with a cache: what is kept of keys and values, what is new, and what the query asks.

    The int n is at most 3, so that everything can be read.

    >>> cache_steps(3)
    <picture: 3 steps with a cache>
    """
    sheet = Canvas(5.2, 2.4)
    for step in range(n):
        left = 5.2 / n * step + 0.3
        last = left + 0.46 * step
        for i in range(step + 1):
            look = {"colour": ORANGE if i == step else BLUE, "filled": 0.3 * (i == step), "width": 0.4}
            sheet.box(left + 0.46 * i, 1.75, f"v{i + 1}", **look)
            sheet.box(left + 0.46 * i, 1.3, f"k{i + 1}", **look)
            sheet.arrow((last, 0.72), (left + 0.46 * i, 1.1))
            sheet.text(left + 0.46 * i, 2.08, "new" if i == step else "kept")
        sheet.box(last, 0.5, f"q{step + 1}", colour=ORANGE, filled=0.3, width=0.4)
        sheet.text((left + last) / 2, 2.3, f"step {step + 1}", weight="bold")
        sheet.text((left + last) / 2, 0.12, f"scores: {step + 1}")
    return sheet.picture(f"{n} steps with a cache")


def shared_heads(heads, shared):
    """Draw heads of queries below, and above them the heads of keys and values which they share.

    The int `heads` counts the heads of queries; `shared` is a dict of the number of heads of keys and values, int, to
    the text below them, str.

    >>> shared_heads(8, {8: "384 numbers", 2: "96 numbers"})
    <picture: 8 heads of queries share 8, 2 heads of keys>
    """
    sheet, width = Canvas(5.2, 1.9), 5.2 / len(shared)
    apart = (width - 0.35) / heads
    for panel, (count, caption) in enumerate(shared.items()):
        left = panel * width + 0.2
        for head in range(heads):
            x, group = left + apart * head, head * count // heads
            above = left + apart * ((group + 0.5) * heads / count - 0.5)
            sheet.box(above, 1.35, "k v" if count < heads else "", width=max(0.75 * apart, 0.3 * (count < heads)))
            sheet.arrow((x, 0.6), (above, 1.15))
            sheet.circle(x, 0.5, radius=0.4 * apart, colour=ORANGE)
        middle = left + apart * (heads - 1) / 2
        sheet.text(middle, 1.75, f"keys and values: {count}")
        sheet.text(middle, 0.15, caption)
    counts = ", ".join(map(str, shared))
    return sheet.picture(f"{heads} heads of queries share {counts} heads of keys")
