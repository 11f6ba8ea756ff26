"""A picture with weights over its patches: what is painted, what is printed, what is refused."""

import re

import numpy as np
import pytest

from attention_src import plots


def test_each_set_of_weights_gets_a_picture_with_its_title_and_the_weights_that_count():
    weights = {"ball": [0.09, 0.7, 0.1, 0.05, 0.06, 0], "goal": [0, 0, 0, 0, 0, 1]}
    picture = plots.over_image(np.zeros((4, 6, 3)), weights)
    assert re.findall(r"<text[^>]*>([^<]+)</text>", picture.svg) == ["0.70", "0.10", "ball", "1.00", "goal"]
    assert repr(picture) == "<picture: 2 pictures of 2 × 3 patches>"


def test_pixels_of_one_colour_in_a_row_are_one_rectangle():
    image = np.zeros((2, 4, 3))
    image[0, 2:] = [1, 0, 0]
    one, two = (plots.over_image(picture, {"": np.ones(2)}).svg for picture in (np.zeros((2, 4, 3)), image))
    assert "#ff0000" not in one
    assert two.count("#ff0000") == 1
    assert two.count("<path") == one.count("<path") + 1


def test_a_patch_is_the_paler_the_less_it_weighs():
    svg = plots.over_image(np.zeros((1, 3, 3)), {"": [0.25, 0.5, 1]}).svg
    assert re.findall(r"opacity: ([\d.]+); stroke", svg) == ["0.6", "0.4"]


def test_a_patch_without_a_weight_is_left_as_it_is():
    svg = plots.over_image(np.zeros((1, 2, 3)), {"": [np.nan, 0.5]}).svg
    assert re.findall(r"opacity: ([\d.]+); stroke", svg) == ["0.4"]
    assert re.findall(r"<text[^>]*>([^<]+)</text>", svg) == ["0.50"]


def test_the_same_picture_twice_is_the_same_text():
    image, weights = np.random.default_rng(0).random((4, 4, 3)), {"a": np.full(4, 0.25)}
    assert plots.over_image(image, weights).svg == plots.over_image(image, weights).svg


@pytest.mark.parametrize(
    ("image", "weights", "message"),
    [
        (np.zeros((4, 4)), {"a": np.ones(4)}, r"image has shape \(4, 4\); expected \(H, W, 3\)"),
        (np.zeros((4, 4, 3)), {"a": np.ones(5)}, "expected one for each square patch"),
        (np.zeros((4, 4, 3)), {"a": np.ones(4), "b": np.ones(16)}, "expected one for each square patch"),
        (np.zeros((2, 6, 3)), {"a": np.ones(4)}, "expected one for each square patch"),
    ],
)
def test_weights_that_do_not_fit_the_image_are_refused(image, weights, message):
    with pytest.raises(ValueError, match=message):
        plots.over_image(image, weights)
