"""Claims of chapter NN: say here what they are about."""

from .claims import SEEDS, Experiment, Level, Series, all_rows, claim_of, grid, round_numbers


def measure_noise(book, seed, noise):
    """Return the share of fifty noisy queries that give their own key the most weight."""
    return round_numbers({"found": book.share_found(noise, seed)}, 3)


EXPERIMENTS = {"noise": Experiment(measure_noise, ("share_found",), grid(seed=SEEDS, noise=[0.05, 0.1, 1]))}

LITTLE = {"noise": [0.05, 0.1]}
CLAIMS = [
    claim_of("noise", "5 seeds, noise 0.05 and 0.1")(
        "With a little noise, most queries still find their own key.",
        holds=all_rows(lambda row: row["found"] > 0.5, **LITTLE),
        wrong_if="Wrong if, for any seed, at most 25 of the 50 queries find their own key.",
        shows=Series("found", "share of queries that find their own key", LITTLE),
        baseline=Level(0.02, "by chance"),
    ),
]
