"""A query between two keys, and the mix of their values: the first state of the picture of chapter 1."""

import json

import numpy as np

from attention_src import scaled_dot_product_attention

from ._given import as_array
from ._style import BLUE, GREEN, GREY, ORANGE, PURPLE, Picture, book_style, draw_cross, finish, panel


def steer(query, keys, values, words, *, asks):
    """Draw a query between two keys, and beside it the mix of the two values that softmax attention makes of them.

    It is the first state of the picture to touch of chapter 1, and carries what that picture needs.

    Parameters
    ----------
    query : (2,)
    keys, values : (2, 2)
    words : 2 str, whose keys and values they are
    asks : str, the word that asks

    Examples
    --------
    >>> steer([1.2, 0.6], [[2, 0], [0, 2]], [[2, 0], [0, 2]], ["river", "money"], asks="bank")
    <picture: a query between 2 keys, and the mix of their values>
    """
    query, keys, values = as_array(query), as_array(keys), as_array(values)
    if query.shape != (2,) or keys.shape != (2, 2) or values.shape != (2, 2):
        raise ValueError(f"query, keys and values have shapes {query.shape}, {keys.shape}, {values.shape}")
    output, (weights,) = scaled_dot_product_attention(query[None], keys, values)
    with book_style():
        figure, (left, right) = panel(2.5, 1, 2)
        for axes, title in ((left, "Query and keys"), (right, "What is mixed")):
            axes.set_title(title, loc="left", color=GREY)
            draw_cross(axes)
            axes.set(xlim=(-1, 3.2), ylim=(-1, 3.2), aspect="equal")
            axes.axis("off")
        across = np.array([keys[1, 1] - keys[0, 1], keys[0, 0] - keys[1, 0]])
        ends = query + np.outer([-1, 1], 1.6 * across / np.linalg.norm(across))
        left.plot(*ends.T, "--", color=BLUE, linewidth=1)
        for key, word in zip(keys, words, strict=True):
            left.plot(*zip([0, 0], key, strict=True), color=PURPLE, linewidth=1.8)
            below = key[0] > key[1]  # not in the way of the query
            left.annotate(word, key, (-6, -14) if below else (5, 5), textcoords="offset points", color=PURPLE)
        left.plot(*zip([0, 0], query, strict=True), color=BLUE, linewidth=2.2)
        left.plot(*query, "o", color=BLUE, markersize=8)
        left.annotate(asks, query, (8, -12), textcoords="offset points", color=BLUE, weight="bold")
        right.plot(*values.T, ":", color=GREY, linewidth=1.4)
        for value, word, weight in zip(values, words, weights, strict=True):
            right.plot(*value, "o", color=GREEN, markersize=6)
            right.annotate(f"{word} {weight:.2f}", value, (6, 5), textcoords="offset points", color=GREEN)
        right.plot(*output[0], "o", color=ORANGE, markersize=8)
        picture = finish(figure, "a query between 2 keys, and the mix of their values")
    inputs = {"words": words, "asks": asks, "keys": keys, "values": values, "query": query}
    return with_inputs(picture, "01-steer", inputs)


def with_inputs(picture, name, inputs):
    """Let a figure carry what the picture to touch of this name starts from, as JSON that a page reads.

    Parameters
    ----------
    picture : Picture
    name : str, of a module in `web/pictures`
    inputs : dict of str: array, list, number or str

    Examples
    --------
    >>> from attention_course.plots import grid
    >>> 'data-picture="00-none">{"n": 3}' in with_inputs(grid([[1.0]]), "00-none", {"n": 3}).svg
    True
    """
    plain = {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in inputs.items()}
    content = json.dumps(plain, ensure_ascii=False).replace("&", "&amp;").replace("<", "&lt;")
    carried = f'<metadata id="picture" data-picture="{name}">{content}</metadata>\n</svg>'
    return Picture(carried.join(picture.svg.rsplit("</svg>", 1)), picture.name)
