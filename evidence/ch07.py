"""Evidence for chapter 7: depth and the place of the norm, how far a gradient travels, and a race on dates."""

import numpy as np

from evidence.claims import (
    SEEDS,
    Claim,
    Experiment,
    Level,
    Series,
    all_rows,
    grid,
    most_rows,
    round_numbers,
    select_rows,
)

KINDS = {"pre": "pre-norm", "post": "post-norm", "stream": "on the stream"}
PARTS = {
    "nothing": "nothing",
    "positions": "positions",
    "shuffled": "positions, shuffled",
    "rest": "all but the positions",
}
PAGE_RATES, BEYOND = [1e-2, 2e-2, 4e-2], [5e-3, 8e-2]


def train_stacks(book, seed, depth):
    """Return the last losses of the three kinds of stack at the page's learning rate."""
    return round_numbers({column: np.mean(book.losses(kind, depth, seed)[-5:]) for column, kind in KINDS.items()})


def train_post_norm(book, seed, rate):
    """Return the last loss of 30 post-norm blocks at another learning rate."""
    return round_numbers({"post": np.mean(book.losses("post-norm", 30, seed, rate)[-5:])})


def measure_reach(book, seed):
    """Return how much of each layer's reaction is left at 64 tokens, and the GRU's factors of a token."""
    seeds = range(10 * seed, 10 * seed + 5)
    kinds = {"gru": "recurrent", "attention": "attention", "open": "held open"}
    curves = {column: book.curve(kind, seeds) for column, kind in kinds.items()}
    factors = np.exp(np.diff(np.log(curves["gru"])) / np.diff(book.lengths))  # of one token, between two lengths
    row = {f"{column}_left": curve[-1] / curve[0] for column, curve in curves.items()}
    row |= {"least_factor": factors.min(), "largest_factor": factors.max()}
    return {column: float(f"{value:.3g}") for column, value in row.items()}


def train_on_dates(book, seed, kind, rate):
    """Return the share of dates that are right after 100 steps."""
    model = book.train(book.made(kind, seed), rate, seed=seed)
    return round_numbers({"right": book.right(book.write(model, *book.test[:2]))})


def train_to_the_end(book, seed):
    """Train for 600 steps, take the right source away, and copy parts into a network with another initialisation."""
    model = book.train(book.made("Transformer", seed), 1e-2, steps=600, seed=seed)
    numbers, lengths, targets = book.test
    written = {
        "right": book.write(model, numbers, lengths),
        "common": book.data[2].mode(dim=0).values.expand(len(targets), -1),
        "others": book.write(model, numbers.roll(1, dims=0), lengths.roll(1)),
    }
    row = {column: book.right(dates) for column, dates in written.items()}
    return round_numbers(row | {column: book.handed(model, part, seed + 50) for column, part in PARTS.items()})


DATES = ("made", "train", "write", "right", "test")
EXPERIMENTS = {
    "deep": Experiment(train_stacks, ("losses",), grid(seed=SEEDS, depth=[2, 30])),
    "rates": Experiment(train_post_norm, ("losses",), grid(seed=SEEDS, rate=[2.5e-3, 4e-2])),
    "reach": Experiment(measure_reach, ("curve", "lengths"), grid(seed=SEEDS)),
    "race": Experiment(
        train_on_dates,
        DATES,
        [
            *grid(seed=SEEDS, kind=["Transformer"], rate=[5e-3, 1e-2, 2e-2, 4e-2, 8e-2]),
            *grid(seed=SEEDS, kind=["recurrent"], rate=[5e-3, 4e-2, 8e-2]),
        ],
    ),
    "ends": Experiment(train_to_the_end, (*DATES, "handed", "data"), grid(seed=SEEDS)),
}

CHANCE = float(np.log(8))
GUESSING = Level(CHANCE, "guessing among 8 symbols")
ALWAYS_NAMED = Level(0.0, "the first symbol is always named")
NOTHING_LOST = Level(1.0, "nothing is lost")
MOST_COMMON = Series("common", "dates right if each place gets its most common character")
ALL_RIGHT = Level(1.0, "every date")


def is_best_within(rows):
    """Return whether each network, with each seed, has more dates right at a rate of the page than beyond them."""
    runs = [select_rows(rows, kind=row["kind"], seed=row["seed"]) for row in rows]
    return bool(rows) and all(
        max(row["right"] for row in select_rows(run, rate=BEYOND))
        < max((row["right"] for row in select_rows(run, rate=PAGE_RATES)), default=0)
        for run in runs
    )


CLAIMS = [
    Claim(
        "With 2 blocks all three get below two thirds of the loss of guessing.",
        "deep",
        "5 seeds, each with its own data",
        all_rows(lambda row: max(row[kind] for kind in KINDS) < CHANCE * 2 / 3, depth=2),
        refuted_if=(
            "for some seed, at least one of the three stacks of 2 blocks has a final loss of at least 2/3 of the "
            "loss of guessing."
        ),
        refuting_rows=[{"depth": 2, "pre": 0.1, "post": 2.0, "stream": 2.0}],
        shows=Series("post", "final loss of 2 post-norm blocks", {"depth": 2}),
        baseline=GUESSING,
        best=ALWAYS_NAMED,
    ),
    Claim(
        "With 30 blocks only pre-norm does, in these 50 steps. The same happened with most of five other seeds.",
        "deep",
        "5 seeds, each with its own data",
        most_rows(lambda row: row["pre"] < CHANCE * 2 / 3 <= min(row["post"], row["stream"]), depth=30),
        refuted_if=(
            "for at least half of the seeds, the final loss with 30 blocks is at least 2/3 of the loss of "
            "guessing with pre-norm, or below 2/3 of it with post-norm or with the norm on the stream."
        ),
        refuting_rows=[{"depth": 30, "pre": 0.1, "post": 1.0, "stream": 2.0}],
        shows=Series("pre", "final loss of 30 pre-norm blocks", {"depth": 30}),
        baseline=Series("post", "final loss of 30 post-norm blocks", {"depth": 30}),
        best=ALWAYS_NAMED,
    ),
    Claim(
        "At a quarter of this rate, most of five other post-norm stacks began to learn, and came clearly below the "
        "loss of guessing.",
        "rates",
        "5 seeds, each with its own data, at a quarter of the page's learning rate",
        most_rows(lambda row: row["post"] < CHANCE - 0.1, rate=2.5e-3),
        refuted_if=(
            "for at least half of the seeds, the final loss of the post-norm stack is at most 0.1 below the loss "
            "of guessing."
        ),
        refuting_rows=[{"rate": 2.5e-3, "post": 2.08}],
        shows=Series("post", "final loss of 30 post-norm blocks", {"rate": 2.5e-3}),
        baseline=GUESSING,
        best=ALWAYS_NAMED,
    ),
    Claim(
        "At four times this rate none did.",
        "rates",
        "5 seeds, each with its own data, at four times the page's learning rate",
        all_rows(lambda row: row["post"] > CHANCE - 0.1, rate=4e-2),
        refuted_if=(
            "for some seed, the final loss of the post-norm stack is at least 0.1 below the loss of guessing at "
            "four times the learning rate."
        ),
        refuting_rows=[{"rate": 4e-2, "post": 1.5}],
        shows=Series("post", "final loss of 30 post-norm blocks", {"rate": 4e-2}),
        baseline=GUESSING,
        best=ALWAYS_NAMED,
    ),
    Claim(
        "Each token multiplies the GRU's reaction by about the same number below 1.",
        "reach",
        "5 groups of 5 seeds, 2 to 64 tokens",
        all_rows(lambda row: row["largest_factor"] < 1 and row["largest_factor"] < 1.35 * row["least_factor"]),
        refuted_if=(
            "for some group of seeds, the largest factor by which a token multiplies the GRU's reaction is at "
            "least 1, or at least 1.35 times the smallest such factor."
        ),
        refuting_rows=[{"least_factor": 0.5, "largest_factor": 0.9}],
        shows=Series("largest_factor", "largest factor per token between two lengths"),
        baseline=NOTHING_LOST,
    ),
    Claim(
        "Its reaction falls because the tokens share the weight: with 32 times as many, mostly to about one thirtieth.",
        "reach",
        "5 groups of 5 seeds, 2 and 64 tokens",
        most_rows(lambda row: 1 / 45 < row["attention_left"] < 1 / 20),
        refuted_if=(
            "for at least half of the groups of seeds, attention's reaction at 64 tokens is at most 1/45 or at "
            "least 1/20 of its reaction at 2 tokens."
        ),
        refuting_rows=[{"attention_left": 0.2}],
        shows=Series("attention_left", "share of attention's reaction that is left at 64 tokens"),
        baseline=NOTHING_LOST,
    ),
    Claim(
        "*Held open* is the same recurrent network, and up to 64 tokens its reaction falls least of the three.",
        "reach",
        "5 groups of 5 seeds, 2 and 64 tokens",
        all_rows(lambda row: row["open_left"] > row["attention_left"] > row["gru_left"]),
        refuted_if=(
            "for some group of seeds, the share of the reaction left at 64 tokens is no larger with the gate held "
            "open than with attention, or no larger with attention than with the plain GRU."
        ),
        refuting_rows=[{"open_left": 0.01, "attention_left": 0.03, "gru_left": 1e-13}],
        shows=Series("open_left", "share of the reaction that is left at 64 tokens, held open"),
        baseline=Series("gru_left", "the same for the plain GRU"),
        best=NOTHING_LOST,
    ),
    Claim(
        "With five other seeds, the recurrent network at the largest rate was also ahead of the Transformer at each "
        "of the three.",
        "race",
        "5 seeds; five learning rates for the Transformer, the page's largest for the recurrent network",
        lambda rows: (
            min(row["right"] for row in select_rows(rows, kind="recurrent", rate=4e-2))
            > max(row["right"] for row in select_rows(rows, kind="Transformer"))
        ),
        refuted_if=(
            "at some learning rate, for some seed, the Transformer gets at least as many dates right as the "
            "recurrent network does with some seed at the page's largest learning rate."
        ),
        refuting_rows=[
            {"kind": "recurrent", "rate": 4e-2, "right": 0.6},
            {"kind": "Transformer", "rate": 1e-2, "right": 0.9},
        ],
        shows=Series("right", "dates that the recurrent network gets right", {"kind": "recurrent", "rate": 4e-2}),
        baseline=Series("right", "dates that the Transformer gets right", {"kind": "Transformer"}),
        best=ALL_RIGHT,
    ),
    Claim(
        "(At half the smallest rate, and at twice the largest, neither reaches its best.)",
        "race",
        "5 seeds; the page's learning rates, half the smallest and twice the largest",
        is_best_within,
        refuted_if=(
            "for some seed, a network gets at least as many dates right at half the smallest or twice the largest "
            "of the page's learning rates as it does at those rates themselves (the Transformer at the best of "
            "the three, the recurrent network at the largest)."
        ),
        refuting_rows=[
            {"kind": kind, "rate": rate, "seed": seed, "right": rate}
            for kind in ("Transformer", "recurrent")
            for rate in (4e-2, 8e-2)
            for seed in SEEDS
        ],
        shows=Series("right", "dates right at half the smallest or twice the largest learning rate", {"rate": BEYOND}),
        baseline=Series("right", "dates right at the page's learning rates", {"rate": PAGE_RATES}),
        best=ALL_RIGHT,
    ),
    Claim(
        "With each of five other seeds, at least nine dates in ten were right after 600 steps.",
        "ends",
        "5 seeds, the page's dates",
        all_rows(lambda row: row["right"] >= 0.9),
        refuted_if="for some seed, the network gets fewer than 90% of the dates right after 600 steps.",
        refuting_rows=[{"right": 0.5}],
        shows=Series("right", "dates right after 600 steps"),
        baseline=MOST_COMMON,
        best=ALL_RIGHT,
    ),
    Claim(
        "With each of five other seeds, the network given all but the positions also had the most dates right.",
        "ends",
        "5 seeds, the page's dates",
        all_rows(lambda row: row["rest"] > max(row["nothing"], row["positions"], row["shuffled"])),
        refuted_if=(
            "for some seed, the network given all but the positions gets no more dates right than the network "
            "given nothing, the network given the positions, or the network given the positions in shuffled "
            "order."
        ),
        refuting_rows=[{"rest": 0.1, "nothing": 0.2, "positions": 0.2, "shuffled": 0.2}],
        shows=Series("rest", "dates right with everything but the positions copied"),
        baseline=Series("positions", "dates right with the positions copied"),
        best=Series("right", "dates right after 600 steps"),
    ),
    Claim(
        "With most of five other seeds, networks given the positions in their order had more dates right than "
        "networks given nothing, or given the same vectors shuffled.",
        "ends",
        "5 seeds, the page's dates",
        most_rows(lambda row: row["positions"] > max(row["nothing"], row["shuffled"])),
        refuted_if=(
            "for at least half of the seeds, the network given the positions in their order gets no more dates "
            "right than the network given nothing, or no more than the network given the same vectors shuffled."
        ),
        refuting_rows=[{"positions": 0.1, "nothing": 0.15, "shuffled": 0.18}],
        shows=Series("positions", "dates right with the positions copied"),
        baseline=Series("nothing", "dates right with nothing copied"),
        best=Series("right", "dates right after 600 steps"),
    ),
]
