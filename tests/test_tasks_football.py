"""Football scenes: that the direction is right, and that things are where they are said to be."""

import numpy as np
import pytest

from attention_course.tasks import football_examples
from attention_course.tasks.drawing import MEADOW
from attention_course.tasks.football import COLOURS, DIRECTIONS, PATCH, SHAPES

GRID = 4
TRAIN, TEST = football_examples(60, 40, grid=GRID, seed=3)
STEPS = {"↖": (-1, -1), "↑": (-1, 0), "↗": (-1, 1), "←": (0, -1), "→": (0, 1), "↙": (1, -1), "↓": (1, 0), "↘": (1, 1)}


def patches_with(image, drawn):
    corners = [PATCH * np.array(divmod(i, GRID)) for i in range(GRID * GRID)]
    return [i for i, (y, x) in enumerate(corners) if np.allclose(image[y:, x:][:PATCH, :PATCH], drawn, atol=1e-6)]


@pytest.mark.parametrize("part", [TRAIN, TEST], ids=["train", "test"])
def test_two_players_of_each_team_a_ball_and_a_goal_stand_in_their_patches_and_one_leads_to_the_other(part):
    for image, ball, goal, where in zip(*part, strict=True):
        things = [np.where((SHAPES[i] == "o")[..., None], COLOURS[i], MEADOW) for i in range(4)]
        found = [patches_with(image, thing) for thing in things]
        assert found[0] == [ball] and found[1] == [goal]
        assert [len(places) for places in found] == [1, 1, 2, 2]
        assert len(patches_with(image, MEADOW)) == GRID * GRID - 6
        (y, x), (v, u) = divmod(ball, GRID), divmod(goal, GRID)
        assert STEPS[DIRECTIONS[where]] == (np.sign(v - y), np.sign(u - x))
