"""Claims of chapter 1: what the sums of rows show."""

import numpy as np

from .claims import SEEDS, Experiment, Level, Series, all_rows, claim_of, grid, round_numbers

DRAWS = 50  # random grids in each case


def measure_wrong_sums(book, seed, n, size):
    """Return how far the worst row of a softmax down the columns is from the sum 1: the least and most of all grids."""
    scores = size * np.random.default_rng([seed, n]).normal(size=(DRAWS, n, n))
    wrong = book.softmax(scores.swapaxes(-1, -2)).swapaxes(-1, -2)
    off_one = abs(wrong.sum(axis=-1) - 1).max(axis=-1)
    return round_numbers({"least": off_one.min(), "most": off_one.max()})


EXPERIMENTS = {
    "axis": Experiment(measure_wrong_sums, ("softmax",), grid(seed=SEEDS, n=[8, 32], size=[0.003, 1, 4])),
}

UNEQUAL = {"size": [1, 4]}

CLAIMS = [
    claim_of("axis", "5 seeds, 50 grids each of 8 and 32 words, scores of size 1 and 4")(
        "One line shows the fault: *sum the rows*.",
        holds=all_rows(lambda row: row["least"] > 0.05, **UNEQUAL),
        wrong_if="Wrong if, in any grid that is normalised down its columns, every row sum differs from 1 by at most "
        "0.05.",
        shows=Series("least", "distance of the worst row sum from 1, in the grid where it is smallest", UNEQUAL),
        baseline=Level(0, "softmax along the rows"),
    ),
]
