"""Drawn scenes: that each thing is where it is said to be, in its colour, and nowhere else."""

import numpy as np
import pytest

from attention_course.tasks import scene_examples
from attention_course.tasks.grounding import INK, MEADOW, PATCH, PIXELS

GRID = 3
TRAIN, TEST = scene_examples(30, 20, grid=GRID, seed=2)


def drawn_by_hand(thing, colour):
    """Pixel after pixel."""
    paint = {".": MEADOW, "#": INK, "o": colour}
    return [[paint[pixel] for pixel in line] for line in PIXELS[thing]]


@pytest.mark.parametrize("part", [TRAIN, TEST], ids=["train", "test"])
def test_every_word_names_the_thing_in_its_patch_and_its_colour_and_all_other_patches_are_meadow(part):
    for image, words, colours, places in zip(*part, strict=True):
        expected = dict.fromkeys(range(GRID**2), np.broadcast_to(MEADOW, (PATCH, PATCH, 3)))
        expected |= {place: drawn_by_hand(*thing) for place, *thing in zip(places, words, colours, strict=True)}
        assert len(expected) == GRID**2
        for place, drawn in expected.items():
            y, x = PATCH * np.array(divmod(int(place), GRID))
            np.testing.assert_allclose(image[y : y + PATCH, x : x + PATCH], drawn, atol=1e-6)
