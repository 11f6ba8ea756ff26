"""What chapter 5 says of reactions and of reading one word every time and holds for any numbers, by algebra."""

import numpy as np
import pytest

from attention_course.tasks import scene_examples
from attention_src import causal_mask

USES = ("who_sees", "who_reacts", "trained", "report")


@pytest.mark.parametrize("mask", [causal_mask(3), ~causal_mask(3)], ids=["causal", "opposite"])
def test_who_sees_never_shows_more_than_the_mask(book, mask):
    seen = [book.who_sees(mask, seed) for seed in range(30)]
    assert not any((one > mask).any() for one in seen)
    assert np.array_equal(np.max(seen, axis=0), mask)


def test_y1_reacts_to_itself_under_the_opposite_mask_and_y2_does_not(book):
    assert all((book.who_reacts(~causal_mask(3), seed)[[0, 1], [0, 1]] == [1, 0]).all() for seed in range(30))


@pytest.mark.parametrize("seed", range(5))
def test_a_network_that_reads_the_same_word_every_time_finds_a_third_at_most(book, seed):
    _, scenes = scene_examples(2, 40, seed=seed)
    found, weight, _, _ = book.report(book.trained(scenes, 0, seed, steps=0), scenes, 0)
    assert max(found, weight) <= 1 / 3 + 1e-9
