"""A token's way through a layer of several heads."""

import numpy as np

from attention_src import scaled_dot_product_attention

from ._canvas import Canvas
from ._given import as_array, check_labels, format_number
from ._matrices import _draw_cells
from ._style import BLUE, GREEN, GREY, INK, book_style


def layer_of_heads(X, matrices, W_o, words, numbers, *, token):
    """Draw the way of one token through multi-head attention with two heads: split, attend, join, project.

    Parameters
    ----------
    X : (n, 2 d_k)
    matrices : W_q, W_k and W_v, each (2, 2 d_k, d_k), one for each head
    W_o : (2 d_k, 2 d_k)
    words, numbers : n and 2 d_k labels, of the tokens and of their numbers
    token : int, whose way it is

    Examples
    --------
    >>> layer_of_heads(np.eye(4), np.ones((3, 2, 4, 2)), np.eye(4), "abcd", "1234", token=0)
    <picture: a through 2 heads>
    """
    X, W_o = as_array(X), as_array(W_o)
    words, numbers = check_labels("words", words, len(X)), check_labels("numbers", numbers, X.shape[1])
    heads = [scaled_dot_product_attention(X @ q, X @ k, X @ v) for q, k, v in zip(*matrices, strict=True)]
    joined = np.hstack([mixed[token] for mixed, _ in heads])
    weights = [row[token][:, None] for _, row in heads]
    tall, wide, middle = 0.27, 0.52, 2.6
    sides, below = (middle - 0.9, middle + 0.9), 1.75 + tall * len(X)
    sheet = Canvas(4.28, below + 2.25)
    sheet._axes.invert_yaxis()

    def draw(x, y, row, colour, digits=2):
        for i, number in enumerate(row):
            place = x + wide * (i - (len(row) - 1) / 2), y + tall / 2
            sheet.box(*place, format_number(number, digits), width=wide, height=tall, colour=colour)

    def lead(start, end, text=""):
        sheet.arrow(start, end)
        sheet.text((start[0] + end[0]) / 2 + 0.4, (start[1] + end[1]) / 2, text, colour=GREY)

    with book_style():
        for i, number in enumerate(numbers):
            sheet.text(middle + wide * (i - (len(numbers) - 1) / 2), 0.1, number)
        draw(middle, 0.2, X[token], INK, 0)
        draw(middle, below + 1.0, joined, GREEN)
        draw(middle, below + 1.75, joined @ W_o, INK)
        for i, (x, column) in enumerate(zip(sides, weights, strict=True)):
            sheet.text(x, 0.87, f"head {i + 1} asks", weight="bold")
            lead((middle, 0.5), (x, 0.77))
            draw(x, 0.97, X[token] @ matrices[0][i], BLUE, 0)
            lead((x, 1.27), (x, 1.62), "× keys")
            everywhere = np.ones(column.shape, bool)
            _draw_cells(sheet._axes, column.round(2), everywhere, 2, (x - wide / 2, 1.65), (wide, tall))
            lead((x, below - 0.07), (x, below + 0.28), "× values")
            draw(x, below + 0.3, heads[i][0][token], GREEN)
            lead((x, below + 0.6), (middle + (i - 0.5) * 2 * wide, below + 0.97))
        lead((middle, below + 1.3), (middle, below + 1.72), "× $W_o$")
        for j, word in enumerate(words):
            sheet.text(0.95, 1.65 + tall * (j + 0.5), word)
        places = {words[token]: 0.34, "split": 1.1, "attend": 1.5, "join": below + 1.13, "project": below + 1.88}
        for step, y in places.items():
            sheet.text(0.35, y, step, weight="bold")
    return sheet.picture(f"{words[token]} through {len(heads)} heads")
