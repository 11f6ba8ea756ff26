"""A scene whose goal can be given a false position: the first state of the picture of chapter 8."""

import numpy as np

from ..picture_readers import FINDER, make_tokens, pack_weights, read
from ..tasks.drawing import MEADOW
from ..tasks.football import COLOURS, DIRECTIONS, SHAPES, draw_football
from ._images import arrows_over
from ._steer import with_inputs

PLAYERS = (6, 18, 10, 21, 13, 2, 16, 8)  # the patches where players stand, the first four that are free


def deceived(net, *, ball=13, goal=4, other=10):
    """Draw a scene, where the ball's patch looks and what the network answers, before anything is swapped.

    It is the first state of the picture to touch of chapter 8, and carries what that picture needs.

    Parameters
    ----------
    net : dict, the weights of the network for scenes, as `load_picture_readers` returns them
    ball, goal, other : int, patches counted from 1, of the ball, the goal, and a third that can swap positions with it

    Examples
    --------
    >>> from attention_course.picture_readers import load_picture_readers
    >>> deceived(load_picture_readers()["scenes"])
    <picture: arrows over 1 picture>
    """
    ball, goal, other = ball - 1, goal - 1, other - 1
    players = [patch for patch in PLAYERS if patch not in (ball, goal)][:4]
    images = draw_football(np.array([[ball, goal, *players]]))
    looks, positions = make_tokens(net, images)
    found = read(net, looks + positions, at=1 + ball)
    sign = DIRECTIONS[found.answers[0]]
    picture = arrows_over({f"It answers {sign}": (images[0], ball, found.weights[0, FINDER, 1:])})
    shapes = ["".join(row) for row in SHAPES.reshape(len(SHAPES), -1)]
    inputs = {"ball": ball, "goal": goal, "other": other, "players": PLAYERS, "finder": FINDER, "meadow": MEADOW}
    return with_inputs(picture, "08-deceive", inputs | {"shapes": shapes, "colours": COLOURS, "net": pack_weights(net)})
