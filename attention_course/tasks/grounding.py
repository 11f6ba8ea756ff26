"""Words and a drawn scene: each word names a thing that stands in one patch of the picture, and only there.

A scene is a meadow of patches; a ball, a goal and a player stand in three of them, drawn with dark ink and filled with
colours that no two pictures share. The word asks for the colour, so whoever answers must have found the patch.
"""

from typing import NamedTuple

import numpy as np

from attention_src._validation import as_integer

from .drawing import MEADOW, lay_out, shape_pixels
from .sampling import check_counts, shuffle_rows, split

__all__ = ["INK", "PATCH", "PIXELS", "WORDS", "Scenes", "scene_examples"]

#: The words, each the name of a thing that is drawn.
WORDS = ("ball", "goal", "player")
#: Pixels along each side of a patch.
PATCH = 8
#: The colour of outlines: red, green, blue.
INK = (0.1, 0.1, 0.1)
#: What each thing looks like, an array of signs (things, PATCH, PATCH).
PIXELS = shape_pixels(  # . is meadow, # ink, o the colour of the thing
    """
    ..####..
    .#oooo#.
    #oooooo#
    #oooooo#
    #oooooo#
    #oooooo#
    .#oooo#.
    ..####..
    """,
    """
    ........
    ########
    #oooooo#
    #o.o.oo#
    #oooooo#
    #o.o.oo#
    #oooooo#
    #......#
    """,
    """
    ...##...
    ...##...
    .######.
    #.#oo#.#
    #.#oo#.#
    ..####..
    ..#..#..
    .##..##.
    """,
)


class Scenes(NamedTuple):
    """Pictures and words; every array has a row for each picture.

    Attributes
    ----------
    images : (num, H, W, 3) float32, red, green and blue from 0 to 1
    words : (num, 3) int, numbers into `WORDS`, each once, in any order
    colours : (num, 3, 3) float32, red, green and blue of the thing that each word names
    places : (num, 3) int, its patch, counted row by row
    """

    images: np.ndarray
    words: np.ndarray
    colours: np.ndarray
    places: np.ndarray


def draw_scenes(places, colours, grid):
    """Draw the things, in the order of `WORDS`, into a meadow of grid × grid patches.

    Their patches `places` (num, 3) are counted row by row; `colours` (num, 3, 3) are red, green and blue from 0 to 1.
    Return (num, H, W, 3) float32, with H = W = grid · PATCH.
    """
    shapes = PIXELS[..., None]  # (things, PATCH, PATCH, 1)
    outlines = np.where(shapes == "#", INK, MEADOW)
    return lay_out(np.where(shapes == "o", colours[:, :, None, None], outlines), places, grid)


def scene_examples(num_train, num_test, grid=4, seed=0):
    """Draw scenes, and the three words in an order drawn for each.

    Return train and test, both Scenes, of `num_train` and `num_test` pictures with ``grid`` patches along each side;
    all of these and `seed` are int.

    >>> train, _ = scene_examples(num_train=2, num_test=0)
    >>> train.images.shape
    (2, 32, 32, 3)
    >>> [WORDS[word] for word in train.words[0]], train.places[0]
    (['ball', 'goal', 'player'], array([ 2, 11,  3]))
    """
    num_train, num_test = check_counts(num_train, num_test)
    grid, count, things = as_integer("grid", grid, 2), num_train + num_test, len(WORDS)
    generator = np.random.default_rng(seed)
    places = shuffle_rows(generator, count, grid * grid)[:, :things]
    words = shuffle_rows(generator, count, things)
    colours = generator.random((count, things, 3), dtype=np.float32)
    images = draw_scenes(places, colours, grid)
    named = np.take_along_axis(colours, words[..., None], axis=1), np.take_along_axis(places, words, axis=1)
    return split(Scenes(images, words, *named), num_train)
