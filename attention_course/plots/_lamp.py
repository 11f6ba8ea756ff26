"""Chapter 2: the light of softmax over a street of score gaps, with random rows in it; random walks of sums."""

import numpy as np
from matplotlib.figure import Figure

from ._given import as_array, format_number
from ._steer import with_inputs
from ._style import BLUE, GREY, ORANGE, PALE, WIDTH, book_style, finish, panel

EDGE = 40  # how far the street is drawn, on both sides of the gap 0
TIERS = 4  # rows below the street, so that fewer lamps hide each other
STEP = 8  # products, from one point of a walk to the next


def lamp(gaps, d, lead, *, words, asks):
    """Draw how fast a weight of two moves at each gap between two scores, and where random rows have their gaps.

    Each row is a lamp whose lit disc is as wide as its slope p(1 − p). It is the first state of the picture to touch
    of chapter 2, and carries what that picture needs.

    Parameters
    ----------
    gaps : dict of d: (rows,), the gaps of random rows for each size d of their keys
    d : int, the size that is drawn, one of those that have gaps
    lead : float, by how much the score of the first word leads, for the query that can be moved
    words : 2 str, whose weights these are
    asks : str, the word that asks

    Examples
    --------
    >>> lamp({4: [0.5, -3.0]}, 4, 2.0, words=["river", "money"], asks="bank")
    <picture: 2 random rows in the light of softmax, d = 4>
    """
    shown = as_array(gaps[d])
    with book_style():
        figure = Figure(figsize=(WIDTH - 0.12, 2.6))
        axes = figure.add_axes((0.02, 0.16, 0.96, 0.74))
        x = np.linspace(-EDGE, EDGE, 401)
        axes.fill_between(x, _slope(x).round(4), color=ORANGE, alpha=0.25, linewidth=0)
        axes.axhline(0, color=GREY, linewidth=0.8)
        for i, gap in enumerate(shown):
            place = (float(np.clip(gap, -EDGE, EDGE)), -0.035 - 0.04 * (i % TIERS))
            _draw_lamp(axes, place, _slope(gap), 8, GREY)
        _draw_lamp(axes, (lead, 0), _slope(lead), 16, BLUE)
        share = 1 / (1 + np.exp(-lead))
        note = f"{asks}: {words[0]} {format_number(share, 2)}\n{words[1]} {format_number(1 - share, 2)}"
        axes.annotate(note, (lead, 0), (12, 16), textcoords="offset points", color=BLUE, weight="bold")
        axes.set(xlim=(-EDGE - 2, EDGE + 2), ylim=(-0.19, 0.26), yticks=[], xticks=range(-EDGE, EDGE + 1, 20))
        axes.set_xticklabels([format_number(tick, 0) for tick in range(-EDGE, EDGE + 1, 20)])
        axes.spines[["left", "bottom"]].set_visible(False)
        axes.tick_params(length=0)
        axes.set_title(f"Slope of a weight: d = {d}, ÷ 1", color=GREY)
        axes.set_xlabel("gap between the two scores, before it is divided")
        picture = finish(figure, f"{len(shown)} random rows in the light of softmax, d = {d}")
    inputs = {"gaps": {str(size): as_array(row).round(2).tolist() for size, row in gaps.items()}}
    return with_inputs(picture, "02-lamp", inputs | {"d": d, "lead": lead, "words": words, "asks": asks})


def _slope(gap):
    """How fast the first of two weights moves with its score, p(1 − p), at most a quarter."""
    return 0.25 / np.cosh(np.clip(gap, -700, 700) / 2) ** 2


def _draw_lamp(axes, place, slope, size, colour):
    """A ring, and in it a disc as wide as the slope; a full ring is a slope of a quarter."""
    axes.plot(*place, "o", markersize=size, markerfacecolor="none", markeredgecolor=colour, markeredgewidth=0.9)
    if (wide := round(4 * slope * size, 2)) > 0:
        axes.plot(*place, "o", markersize=wide, color=ORANGE, markeredgewidth=0)


def walks(sums):
    """Draw how sums of random products wander as more are added, with the root of their number on both sides.

    Each row of `sums` (walks, d) has the sum of the first product, of the first two, and so on. A point is drawn every
    eight products.

    >>> import numpy as np
    >>> walks(np.ones((3, 16)).cumsum(axis=1))
    <picture: 3 random walks of 16 steps>
    """
    sums = as_array(sums)
    if sums.ndim != 2:
        raise ValueError(f"sums has shape {sums.shape}; expected (walks, d)")
    count, d = sums.shape
    with book_style():
        figure, axes = panel(2.8)
        places = np.arange(0, d + 1, STEP)
        started = np.concatenate([np.zeros((count, 1)), sums], axis=1).round(1)
        for walk in started:
            axes.plot(places, walk[places], color=GREY, linewidth=0.6, alpha=0.5)
        for sign, name in ((1, "√d"), (-1, "−√d")):
            edge = sign * np.sqrt(places).round(2)
            axes.plot(places, edge, color=ORANGE, linewidth=2.4)
            look = {"color": ORANGE, "va": "center", "annotation_clip": False, "weight": "bold"}
            axes.annotate(name, (places[-1], edge[-1]), (6, 0), textcoords="offset points", **look)
        axes.set(xlabel="d, products added so far", ylabel="score", xticks=range(0, d + 1, d // 4))
        axes.grid(axis="y", color=PALE, linewidth=0.6)
        return finish(figure, f"{count} random walks of {d} steps")
