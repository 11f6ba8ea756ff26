"""How scenes are drawn: small pictures laid on a meadow, each in a patch of its own."""

import numpy as np

from attention_src.patches import unpatchify

__all__ = ["MEADOW", "shape_pixels"]

#: The colour of the meadow: red, green, blue.
MEADOW = (0.55, 0.75, 0.5)


def shape_pixels(*shapes):
    """Return shapes that are written as lines of signs as an array of signs, (shapes, p, p) of str.

    Each of `shapes` is a str, p lines of p signs, with white space between them.

    >>> shape_pixels(".# ##").tolist()
    [[['.', '#'], ['#', '#']]]
    """
    return np.array([[list(line) for line in shape.split()] for shape in shapes])


def lay_out(sprites, places, grid):
    """Lay small pictures (num, things, p, p, 3), red, green and blue from 0 to 1, on a meadow of grid × grid patches.

    `places` (num, things) are the patches of the things, counted row by row. Return (num, grid · p, grid · p, 3)
    float32.

    >>> lay_out(np.zeros((1, 1, 2, 2, 3)), np.array([[3]]), grid=2)[0, :, :, 0]
    array([[0.55, 0.55, 0.55, 0.55],
           [0.55, 0.55, 0.55, 0.55],
           [0.55, 0.55, 0.  , 0.  ],
           [0.55, 0.55, 0.  , 0.  ]], dtype=float32)
    """
    num, things, p = sprites.shape[:3]
    patches = np.full((num, grid * grid, p, p, 3), MEADOW)
    for thing in range(things):
        patches[np.arange(num), places[:, thing]] = sprites[:, thing]
    return unpatchify(patches.reshape(num, grid * grid, -1), p, grid * p, grid * p).astype(np.float32)
