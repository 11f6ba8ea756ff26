"""Evidence for chapter 11: which keys a cache may keep."""

import numpy as np

from .claims import SEEDS, Experiment, Level, Series, all_rows, claim_of, grid, round_numbers


def measure_moves(book, seed, n):
    """Return how far keys of the second layer move when a token arrives, with and without a causal mask."""
    random = np.random.default_rng([seed, n])
    w, x = random.normal(size=(3, 8, 8)) / 8**0.5, random.normal(size=(n, 8))
    return {"causal": bool(book.moved(x, w, True) < 1e-12)} | round_numbers({"open": book.moved(x, w, False)})


EXPERIMENTS = {"cached": Experiment(measure_moves, ("moved",), grid(seed=SEEDS, n=[5, 20, 80]))}

CLAIMS = [
    claim_of("cached", "5 seeds; 5, 20 and 80 tokens")(
        "From the second layer on, the cache needs a mask that hides each new token from all earlier ones, as the "
        "causal mask does.",
        all_rows(lambda row: row["causal"] and row["open"] > 1e-3),
        wrong_if="Wrong if, for any seed and number of tokens, an earlier key moves by at least 1e-12 with a causal "
        "mask, or no earlier key moves by more than 0.001 without a mask.",
        shows=Series("open", "how far a key moves without a mask when a token arrives"),
        page="0.28",
        baseline=Level(0, "with a causal mask"),
    ),
]
