"""The figures of chapter 4: letters that attend to each other, words at their keys and values, the clocks of RoPE."""

import numpy as np

from attention_src import scaled_dot_product_attention

from ._given import as_array, check_labels, format_number
from ._matrices import _draw_cells
from ._series import LINE, _spread
from ._steer import with_inputs
from ._style import (
    AXIS_TITLE,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PALE,
    PURPLE,
    book_style,
    draw_arrow,
    draw_cross,
    finish,
    panel,
)

REACH = 2.2  # the plane goes so far from the origin


def triangle(keys, letters):
    """Draw keys in the plane, the queries, which are the same arrows, and beside them the weights that follow.

    It is the first state of the picture to touch of chapter 4, and carries what that picture needs.

    Parameters
    ----------
    keys : (3, 2)
    letters : 3 str, whose keys they are

    Examples
    --------
    >>> triangle([[0, 1.5], [1.3, -0.75], [-1.3, -0.75]], "ABC")
    <picture: three letters that attend to each other>
    """
    keys, letters = as_array(keys), [*letters]
    if keys.shape != (3, 2) or len(letters) != 3:
        raise ValueError(f"keys have shape {keys.shape} and there are {len(letters)} letters; expected (3, 2) and 3")
    _, weights = scaled_dot_product_attention(keys, keys, keys)
    with book_style():
        figure, (plane, cells) = panel(2.4, 1, 2, width_ratios=(1.25, 1))
        plane.set(xlim=(-REACH, REACH), ylim=(-REACH, REACH), aspect="equal")
        plane.axis("off")
        plane.set_title("Keys and queries", loc="left", color=GREY)
        draw_cross(plane)
        for key, letter, row in zip(keys, letters, weights, strict=True):
            plane.plot(*zip([0, 0], key, strict=True), color=PURPLE, linewidth=1.8)
            plane.plot(*zip([0, 0], key, strict=True), "--", color=BLUE, linewidth=1.6)
            plane.plot(*key, "o", color=PURPLE, markersize=6)
            outside = 0.32 * key / np.linalg.norm(key)
            plane.text(*(key + outside), letter, color=PURPLE, weight="bold", ha="center", va="center")
            other = keys[row.argmax()]
            if not np.array_equal(other, key):
                draw_arrow(plane, key, other, ORANGE)
        cells.axis("off")
        cells.set(xlim=(-0.7, 3.05), ylim=(3.1, -1.1), aspect="equal")
        _draw_cells(cells, weights.round(2), np.ones((3, 3), bool), 2, (0, 0), (1, 1))
        for i, letter in enumerate(letters):
            cells.text(i + 0.5, -0.12, letter, ha="center", va="bottom")
            cells.text(-0.12, i + 0.5, letter, ha="right", va="center")
        cells.text(1.5, -0.5, "key →", **AXIS_TITLE)
        cells.text(-0.5, 1.5, "← query", rotation=90, **AXIS_TITLE | {"va": "center"})
        picture = finish(figure, "three letters that attend to each other")
    return with_inputs(picture, "04-triangle", {"letters": letters, "keys": keys, "turn": 0})


def roles(words, queries, keys, values):
    """Draw words in the plane, each at its key and its value of one number, and below it the queries of some words.

    Parameters
    ----------
    words : n labels
    queries : dict of word: float
    keys, values : (n,)

    Examples
    --------
    >>> roles(["river", "clerk"], {"bank": -2.0}, [-3, 3], [5, -5])
    <picture: 2 words at their keys and values>
    """
    keys, values = as_array(keys), as_array(values)
    words = check_labels("words", words, len(keys))
    if keys.shape != values.shape or keys.ndim != 1:
        raise ValueError(f"keys and values have shapes {keys.shape} and {values.shape}; expected one number a word")
    with book_style():
        figure, axes = panel(3.5)
        far = 1.45 * max(np.abs(keys).max(), *map(abs, queries.values()))
        low, high = values.min() - 2.2 - 1.3 * len(queries), values.max() + 0.8
        axes.set(xlim=(-far, far), ylim=(low, high), xlabel="key, and query", ylabel="value")
        axes.set_yticks([tick for tick in axes.get_yticks() if values.min() - 1 < tick < values.max() + 1])
        draw_cross(axes)
        axes.plot(keys.round(3), values.round(3), "o", color=PURPLE, markersize=5)
        figure.draw_without_rendering()  # lays out the axes, so that places are known
        points = 72 / figure.dpi
        for side in (-1, 1):
            mine = sorted((i for i in range(len(keys)) if (keys[i] < 0) == (side < 0)), key=values.__getitem__)
            heights = [axes.transData.transform((keys[i], values[i]))[1] * points for i in mine]
            for i, height, moved in zip(mine, heights, _spread(heights, [LINE] * len(mine)), strict=True):
                look = {"ha": "left" if side > 0 else "right", "va": "center"}
                offset = (7 * side, round(moved - height, 1))
                axes.annotate(words[i], (keys[i], values[i]), offset, textcoords="offset points", **look)
        for i, (word, query) in enumerate(queries.items()):
            y = values.min() - 1.9 - 1.3 * i
            draw_arrow(axes, (0, y), (round(query, 3), y), BLUE, width=2)
            beyond = -0.3 if query > 0 else 0.3
            axes.text(beyond, y, f"{word} asks", color=BLUE, ha="right" if query > 0 else "left", va="center")
        for text, height in (("water", values.max()), ("money", values.min())):
            axes.text(0, height, text, color=GREEN, ha="center", va="center", style="italic")
        return finish(figure, f"{len(words)} words at their keys and values")


def clocks(query_at, key_at, rates):
    """Draw a clock for each pair of numbers that RoPE turns, with one hand for the query and one for the key.

    It is the first state of the picture to touch beside RoPE, and carries what that picture needs.

    Parameters
    ----------
    query_at, key_at : int, their positions
    rates : one angle or more, in radians, by which the pairs turn from one position to the next

    Examples
    --------
    >>> clocks(3, 1, [1.0, 0.1])
    <picture: 2 clocks>
    """
    rates = [float(rate) for rate in rates]
    if not rates:
        raise ValueError("rates is empty; expected a rate for each clock")
    with book_style():
        figure, panels = panel(2.3, 1, len(rates), squeeze=False)
        around = np.linspace(0, 2 * np.pi, 73)
        for axes, rate in zip(panels[0], rates, strict=True):
            axes.axis("off")
            axes.set(xlim=(-1.9, 1.9), ylim=(-1.4, 1.4), aspect="equal")
            axes.plot(np.cos(around).round(3), np.sin(around).round(3), color=PALE)
            angle = (query_at - key_at) * rate
            axes.set_title(f"{format_number(np.rad2deg(angle), 0)}° apart", loc="left", color=GREY)
            between = key_at * rate + np.linspace(0, angle, 25)
            axes.plot((0.4 * np.cos(between)).round(3), (0.4 * np.sin(between)).round(3), color=ORANGE)
            for name, at, colour, side in (("query", query_at, BLUE, 1), ("key", key_at, PURPLE, -1)):
                x, y = np.cos(at * rate).round(3), np.sin(at * rate).round(3)
                draw_arrow(axes, (0, 0), (x, y), colour, width=2)
                aside = 0.14 * side * np.sign(angle) * (abs(angle) < 0.5)  # two names that would overlap
                anchor = "left" if x > 0.35 else "right" if x < -0.35 else "center"
                axes.text(1.12 * x, 1.18 * y + aside, f"{name} {at}", color=colour, ha=anchor, va="center")
        picture = finish(figure, f"{len(rates)} clocks")
    return with_inputs(picture, "04-clocks", {"query_at": query_at, "key_at": key_at, "rates": rates})
