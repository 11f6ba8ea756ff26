"""Football scenes: in which direction from the ball does the goal lie?

Players of two teams stand about and tell nothing. The answer is in two places, the patch of the ball and that of the
goal, however far apart they are: whoever answers at the ball's patch must have found the goal's.
"""

from typing import NamedTuple

import numpy as np

from attention_src._validation import as_integer

from .drawing import MEADOW, lay_out, shape_pixels
from .sampling import check_counts, draw_different_rows, shuffle_rows, split

#: Pixels along each side of a patch.
PATCH = 4
#: The answers, where the goal is as seen from the ball.
DIRECTIONS = ("↖", "↑", "↗", "←", "→", "↙", "↓", "↘")
COLOURS = ((0.95, 0.95, 0.95), (0.2, 0.2, 0.2), (0.85, 0.25, 0.2), (0.15, 0.3, 0.8))  # ball, goal, two teams
THINGS = (0, 1, 2, 2, 3, 3)  # of each thing, which shape and colour it has
SHAPES = shape_pixels(
    """
    .oo.
    oooo
    oooo
    .oo.
    """,
    """
    oooo
    o.o.
    oooo
    o.o.
    """,
    """
    .oo.
    oooo
    .oo.
    o..o
    """,
    """
    .oo.
    oooo
    .oo.
    o..o
    """,
)


class Football(NamedTuple):
    """Scenes; every array has a row for each.

    Attributes
    ----------
    images : (num, H, W, 3) float32, red, green and blue from 0 to 1
    ball : (num,) int, the patch of the ball, counted row by row
    goal : (num,) int, the patch of the goal
    direction : (num,) int, from ball to goal, a number into `DIRECTIONS`
    """

    images: np.ndarray
    ball: np.ndarray
    goal: np.ndarray
    direction: np.ndarray


def direction(ball, goal, grid):
    """Return the number in `DIRECTIONS` of the direction from the ball's patch to the goal's.

    Parameters
    ----------
    ball, goal : int, or arrays of one shape; then the result is an array too
    grid : int, patches along each side of the picture

    Examples
    --------
    >>> DIRECTIONS[direction(ball=0, goal=2, grid=3)], DIRECTIONS[direction(ball=5, goal=7, grid=3)]
    ('→', '↙')
    """
    down, right = (np.sign(part(goal, grid) - part(ball, grid)) for part in (np.floor_divide, np.remainder))
    number = 3 * (down + 1) + right + 1  # 4 would be here
    return number - (number > 4)


def draw_football(places, grid=5):
    """Draw one scene for each row of `places`, the patches of ball, goal and four players, (num, 6) int.

    The int `grid` is the number of patches along each side. Return (num, H, W, 3) float32, from 0 to 1.

    >>> draw_football(np.array([[0, 1, 5, 6, 7, 8]])).shape
    (1, 20, 20, 3)
    """
    kinds = list(THINGS)
    sprites = np.where((SHAPES == "o")[kinds, ..., None], np.array(COLOURS)[kinds, None, None], MEADOW)
    return lay_out(np.broadcast_to(sprites, (len(places), *sprites.shape)), places, grid)


def football_examples(num_train, num_test, grid=5, seed=0):
    """Draw scenes with a ball, a goal and two players of each team in different patches.

    Return train and test, both Football, of `num_train` and `num_test` scenes; the counts and `seed` are int. The int
    ``grid`` is the number of patches along each side of the picture, at least 3.

    >>> train, _ = football_examples(num_train=2, num_test=0)
    >>> train.images.shape, train.ball, train.goal
    ((2, 20, 20, 3), array([19,  2]), array([ 4, 14]))
    >>> [DIRECTIONS[i] for i in train.direction]
    ['↑', '↘']
    """
    num_train, num_test = check_counts(num_train, num_test)
    grid, things = as_integer("grid", grid, 3), len(THINGS)
    generator = np.random.default_rng(seed)

    def draw(count):
        return shuffle_rows(generator, count, grid * grid)[:, :things]

    possible = np.prod(np.arange(grid * grid, grid * grid - things, -1), dtype=float)
    places = draw_different_rows(draw, num_train + num_test, possible)
    images = draw_football(places, grid)
    ball, goal = places[:, 0], places[:, 1]
    return split(Football(images, ball, goal, direction(ball, goal, grid)), num_train)
