"""Claims of chapter 1: what the sums of rows show, and whether words that are mixed move closer together."""

import numpy as np

from .claims import SEEDS, Experiment, Level, Series, all_rows, claim_of, grid, round_numbers

DRAWS = 50  # random grids in each case; there are four times as many sets of words


def compare_distances(book, seed, n, d, size):
    """Return how often some pair of words ends further apart, in self-attention on random words that is not scaled."""
    random, has_apart = np.random.default_rng([seed, n, d]), []
    for _ in range(4 * DRAWS):
        x = size * random.normal(size=(n, d))
        output = book.softmax(x @ x.T) @ x
        before, after = (np.linalg.norm(points[:, None] - points, axis=-1) for points in (x, output))
        has_apart.append((after > before + 1e-9).any())
    return round_numbers({"some pair further apart": np.mean(has_apart)}, 3)


def measure_wrong_sums(book, seed, n, size):
    """Return how far the worst row of a softmax down the columns is from the sum 1: the least and most of all grids."""
    scores = size * np.random.default_rng([seed, n]).normal(size=(DRAWS, n, n))
    wrong = book.softmax(scores.swapaxes(-1, -2)).swapaxes(-1, -2)
    off_one = abs(wrong.sum(axis=-1) - 1).max(axis=-1)
    return round_numbers({"least": off_one.min(), "most": off_one.max()})


EXPERIMENTS = {
    "words": Experiment(
        compare_distances,
        ("softmax",),
        grid(seed=SEEDS, n=[6], d=[3], size=[0.5, 1, 2]) + grid(seed=SEEDS, n=[3, 20], d=[3], size=[1]),
    ),
    "axis": Experiment(measure_wrong_sums, ("softmax",), grid(seed=SEEDS, n=[8, 32], size=[0.003, 1, 4])),
}

SIX = {"n": 6, "size": 1}
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
    claim_of("words", "5 seeds, 200 sets of six words each")(
        "In most sets of six random vectors, at least one pair ended up further apart.",
        holds=all_rows(lambda row: row["some pair further apart"] > 0.5, **SIX),
        wrong_if="Wrong if, for any seed, at most 100 of the 200 sets contain a pair that moves apart.",
        shows=Series("some pair further apart", "share of sets in which some pair moves apart", SIX),
        baseline=Level(0, "equal weights, which move all words to one point"),
        refuting_values={"some pair further apart": 0.4},
    ),
]
