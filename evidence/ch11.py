"""Evidence for chapter 11: which keys a cache may keep, what a state of fixed size recalls, and what it can replace."""

import numpy as np

from .claims import SEEDS, WITH_PAGE, Experiment, Level, Series, all_rows, claim_of, grid, round_numbers

SHARP, LATER = 50, [0, 8, 56]
PAIRS = [8, 16, 64]


def measure_moves(book, seed, n):
    """Return how far keys of the second layer move when a token arrives, with and without a causal mask."""
    random = np.random.default_rng([seed, n])
    w, x = random.normal(size=(3, 8, 8)) / 8**0.5, random.normal(size=(n, 8))
    return {"causal": bool(book.moved(x, w, True) < 1e-12)} | round_numbers({"open": book.moved(x, w, False)})


def measure_recall(book, seed):
    """Return what share of the bits each memory recalls from more and more pairs."""
    memories = {"softmax": SHARP, "blunt": 1, "sum": book.write, "delta": book.write_delta}
    return round_numbers({f"{name}_{n}": book.recall(n, memory, seed) for name, memory in memories.items()
                          for n in PAIRS})  # fmt: skip


def measure_rewriting(book, seed, later, right_angles):
    """Return what share of the new bits each memory gives back after a key got a new value, and of the old ones."""
    kinds = {"softmax": (SHARP,), "sharper": (20 * SHARP,), "later": (SHARP, 1), "earlier": (SHARP, -1)}
    readers = {name: book.by_softmax(*kind) for name, kind in kinds.items()}
    readers |= {"sum": book.by_state(book.write), "delta": book.by_state(book.write_delta)}
    shares = {name: book.rewritten(read, later, right_angles, seed) for name, read in readers.items()}
    return round_numbers({f"{name}_{which}": share for name, both in shares.items()
                          for which, share in zip(("new", "old"), both, strict=True)})  # fmt: skip


def measure_dropping(book, seed):
    """Return the machine's surprise at another hundred held-out names, with all letters and with only the last."""
    names = book.held_out[100 * (seed % 5) :][:100]
    ways = {"all": (12, False), "four": (4, False), "start_and_three": (3, True), "two": (2, False)}
    return round_numbers({name: book.surprise(last, start, names) for name, (last, start) in ways.items()})


USES = ("recall", "write", "write_delta", "rewritten", "by_softmax", "by_state")
REWRITTEN = grid(seed=WITH_PAGE, later=LATER, right_angles=[False])
REWRITTEN += grid(seed=WITH_PAGE, later=LATER[:2], right_angles=[True])
EXPERIMENTS = {
    "cached": Experiment(measure_moves, ("moved",), grid(seed=SEEDS, n=[5, 50, 80])),
    "recalled": Experiment(measure_recall, USES, grid(seed=WITH_PAGE)),
    "rewritten": Experiment(measure_rewriting, USES, REWRITTEN),
    "dropped": Experiment(measure_dropping, ("surprise", "held_out"), grid(seed=SEEDS)),
}

AT_ONCE, APART = {"later": 0, "right_angles": False}, {"later": 8, "right_angles": True}

recalled = claim_of("recalled", "6 seeds, each with 100 texts")
rewritten = claim_of(
    "rewritten", "6 seeds, each with 500 texts; 0, 8 and 56 later pairs; keys with and without overlap"
)
CLAIMS = [
    claim_of("cached", "5 seeds; 5, 50 and 80 tokens")(
        "Without a mask, earlier keys change by up to 0.13.",
        all_rows(lambda row: row["causal"] and row["open"] > 1e-3),
        wrong_if="Wrong if, for any seed and number of tokens, an earlier key moves by at least 1e-12 with a causal "
        "mask, or no earlier key moves by more than 0.001 without a mask.",
        shows=Series("open", "how far a key moves without a mask when a token arrives", {"n": 50}),
        page="0.13",
        baseline=Level(0, "with a causal mask"),
    ),
    recalled(
        "The more pairs the state holds, the smaller the share of the bits that it gets right",
        all_rows(lambda row: row["sum_8"] > row["sum_16"] + 0.03 > row["sum_64"] + 0.06),
        wrong_if="Wrong if, for any seed, going from 8 pairs to 16, or from 16 to 64, costs the plain sum at most 3% "
        "of the bits.",
        shows=Series("sum_64", "bits right, with 64 pairs"),
        page="0.69",
        baseline=Series("softmax_64", "with softmax and scores times 50"),
        rival=Series("sum_8", "with 8 pairs"),
    ),
    recalled(
        "Softmax recalls because it keeps every pair and can be made sharp",
        all_rows(lambda row: row["softmax_64"] > 0.99 and all(row[f"blunt_{n}"] < row[f"sum_{n}"] for n in PAIRS)),
        wrong_if="Wrong if, for any seed, softmax with scores times 50 gets at most 99% of the bits right with 64 "
        "pairs, or softmax with its scores as they are gets at least as many right as the plain sum, with 8, 16 or 64.",
        shows=Series("blunt_64", "bits right with softmax and its scores as they are, 64 pairs"),
        page="0.63",
        baseline=Series("sum_64", "with the plain sum"),
        rival=Series("softmax_64", "with softmax and scores times 50"),
    ),
    recalled(
        "so with 16 pairs that are never rewritten, the delta rule gets 0.83 of the bits right, less than the plain "
        "sum's 0.85.",
        all_rows(lambda row: 0.8 < row["delta_16"] < row["sum_16"]),
        wrong_if="Wrong if, for any seed, the delta rule gets at least as many bits right as the plain sum, or at most "
        "80%.",
        shows=Series("delta_16", "bits right with the delta rule, 16 pairs"),
        page="0.83",
        baseline=Series("sum_16", "with the plain sum"),
        rival=Series("delta_64", "with the delta rule, 64 pairs"),
    ),
    rewritten(
        "Without a clock, softmax can't tell new from old.",
        all_rows(
            lambda row: row["softmax_new"] < min(0.8, row["softmax_old"] + 0.05) < 0.99 < row["delta_new"], **AT_ONCE
        ),
        wrong_if="Wrong if, for any seed, softmax gives back at least 80% of the new bits, or at least 5% more of the "
        "new than of the old, or the delta rule gives back at most 99% of the new.",
        shows=Series("softmax_new", "new bits right with softmax", AT_ONCE),
        page="0.75",
        baseline=Series("delta_new", "with the delta rule", AT_ONCE),
        rival=Series("sharper_new", "with softmax, 20 times sharper", AT_ONCE),
    ),
    rewritten(
        "With keys at right angles, the delta rule still gets 1.00 of the new bits right, but softmax only 0.75.",
        all_rows(lambda row: row["delta_new"] > 0.999 and abs(row["softmax_new"] - 0.75) < 0.02, **APART),
        wrong_if="Wrong if, for any seed, after eight later pairs with keys at right angles, the delta rule gives back "
        "fewer than 99.9% of the new bits, or softmax doesn't give back 73% to 77%.",
        shows=Series("delta_new", "new bits right after eight later pairs, keys at right angles", APART),
        page="1.00",
        baseline=Series("softmax_new", "with softmax", APART),
        rival=Series("delta_new", "with the delta rule, if the keys overlap", {"later": 8, "right_angles": False}),
    ),
    rewritten(
        "With the clock running backwards, the *old* value comes back.",
        all_rows(lambda row: row["earlier_old"] > 0.95 and row["delta_old"] < 0.55),
        wrong_if="Wrong if, for any seed and number of later pairs, softmax with a preference for earlier pairs gives "
        "back at most 95% of the old bits, or the delta rule at least 55%.",
        shows=Series("earlier_old", "old bits right with softmax, earlier pairs first"),
        baseline=Series("delta_old", "with the delta rule"),
    ),
    rewritten(
        "after 56 later pairs, the clock outweighs an exact match, so the new value is lost, with 0.51 of its bits "
        "right",
        all_rows(lambda row: row["later_new"] < 0.55, later=56),
        wrong_if="Wrong if, for any seed, the clock gives back at least 55% of the new bits after 56 later pairs.",
        shows=Series("later_new", "new bits right with softmax, later pairs first, after 56 more", {"later": 56}),
        page="0.51",
        baseline=Series("later_new", "after eight more", {"later": 8}),
    ),
    claim_of("dropped", "5 times 100 held-out names")(
        "With a window of four letters, its mean surprise rises from 1.47 to 1.57, and with the start and the last "
        "three letters it rises to 1.66.",
        all_rows(lambda row: row["all"] < row["four"] < row["all"] + 0.15 and row["start_and_three"] > row["four"]),
        wrong_if="Wrong if, for any hundred names, the mean surprise with a window of four letters isn't larger than "
        "with all, is larger by at least 0.15, or isn't smaller than with the start and the last three.",
        shows=Series("four", "mean surprise from the fifth letter on, with a window of four letters"),
        page="1.57",
        baseline=Series("start_and_three", "with the start and the last three"),
        rival=Series("all", "with all letters"),
        refuting_values={"all": 1.8, "four": 2.0, "start_and_three": 1.9},
    ),
]
