"""The sizes of trials: on the page as they are written, and with a secret seed others of the same kind."""

import numpy as np

SMALL, LARGE = np.arange(2, 10), np.arange(10, 16)


def draw_sizes(written, seed, fits=lambda *sizes: True):
    """Return a list of sizes for every trial, as they are written for seed 0 and drawn for any other seed.

    A size of 1 stays 1, one up to 9 is drawn from 2 to 9, and a larger one from 10 to 15. Equal sizes of a trial stay
    equal, and a larger one stays larger. So every seed has what the written sizes have, perhaps a single key or values
    as long as keys, while no answer can know the sizes. Sizes for which ``fits(*sizes)`` is False are drawn again.
    """
    if seed == 0:
        return [tuple(sizes) for sizes in written]
    random = np.random.default_rng([seed, 2])
    return [_draw(sizes, random, fits) for sizes in written]


def _draw(sizes, random, fits):
    values = sorted({size for size in sizes if size > 1})
    while True:
        drawn = {1: 1}
        for choices in (SMALL, LARGE):
            some = [value for value in values if (value in SMALL) == (choices is SMALL)]
            drawn |= zip(some, map(int, np.sort(random.choice(choices, len(some), replace=False))), strict=True)
        if fits(*(new := tuple(drawn[size] for size in sizes))):
            return new
