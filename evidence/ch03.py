"""Claims of chapter 3: what is left of attention when its weights do not compare anything with the source."""

import numpy as np
import torch

from attention_course.tasks import alignment_score, exact_match
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

PAGE = {"steps": 150, "rate": 0.02, "cell": "gru"}  # the dates
LETTERS = {"steps": 200, "rate": 0.02}
SLOW, FAST = 0.005, 0.08  # a quarter of the rate, and four times


def train_on_dates(book, kind, seed, steps, rate, cell):
    """Train as the page does; return the network, its losses, and 300 of the held-out dates twice: texts, tensors."""
    examples = book.held_out[:300]
    model, losses = book.train(kind, book.tensors(book.train_set), steps, seed, rate, cell=cell)
    return model, losses, examples, book.tensors(examples)


def measure_dates(book, **case):
    """Return what a network writes right, and how often its largest weight is on the right place."""
    model, losses, examples, test = train_on_dates(book, **case)
    texts, answers, weights = book.answer(model, test, book.target_text)
    row = {
        "exact": exact_match(texts, examples),
        "characters": (answers == test[2]).double().mean(),
        "loss": np.mean(losses[-10:]),
    }
    if weights is not None:
        row |= {"spot": alignment_score(weights, examples), "chance": find_chance(examples)}
    return round_numbers(row)


def find_chance(examples):
    """Return how often a place chosen at random is right."""
    return np.mean([len(places) / len(e.source) for e in examples for places in e.alignment if places])


def force_looks(book, **case):
    """Return where a network looks for digits of the year, what it writes if forced, and what padding does to it."""
    model, _, examples, test = train_on_dates(book, **case)
    texts, _, weights = book.answer(model, test, book.target_text)
    true = np.array([list(example.target) for example in examples])
    first = book.forced(model, test, examples, 0, 1)
    third, beside_third = (book.forced(model, test, examples, 2, shift) for shift in (0, 1))
    row = {
        "exact": exact_match(texts, examples),
        "chance": find_chance(examples),
        "at_3": book.misses(weights, examples, 2)[1],
        "there_3": np.mean(third == true[:, 2]),
        "copied_3": np.mean(beside_third == true[:, 3]),
    }
    for century, digit in ((19, "9"), (20, "0")):
        years = true[:, 1] == digit
        some = [example for example, one in zip(examples, years, strict=True) if one]
        row[f"looks_beside_{century}"] = book.misses(weights[torch.tensor(years)], some, 0)[2]
        row[f"read_beside_{century}"] = np.mean(first[years] == true[years, 0])
    for name, mask in (("unmasked_100", False), ("masked_100", True)):
        row[name] = book.unmasked(model, test, examples, book.target_text, 100, mask)
    return round_numbers(row)


def measure_reversal(book, kind, seed, steps, rate):
    """Train to write letters backwards as the page does; test at every length, and with shuffled encoder states."""
    model, _ = book.train(kind, book.backwards, steps, seed, rate)
    row = {f"at_{n}": share for n, share in zip(book.sizes, book.by_length(model), strict=True)}
    return round_numbers(row | {"shuffled_6": book.shuffled(model)})


DATES = ("train", "tensors", "answer", "train_set", "held_out", "target_text")
ONE = {name: [value] for name, value in PAGE.items()}
EXPERIMENTS = {
    "blind": Experiment(
        measure_dates,
        DATES,
        grid(seed=SEEDS, kind=["none", "position"], **ONE)
        + grid(seed=SEEDS[:3], kind=["none", "position"], **ONE | {"rate": [SLOW, FAST]})
        + grid(seed=SEEDS[:3], kind=["none"], **ONE | {"steps": [600]}),
    ),
    "reversal": Experiment(
        measure_reversal,
        ("train", "backwards", "sizes", "by_length", "shuffled"),
        grid(seed=SEEDS, kind=["position", "general"], steps=[200], rate=[0.02])
        + grid(seed=SEEDS[:3], kind=["position", "general"], steps=[200], rate=[SLOW, FAST]),
    ),
    "looks": Experiment(
        force_looks,
        (*DATES, "misses", "forced", "unmasked"),
        grid(seed=SEEDS, kind=["additive"], **ONE),
    ),
}


def is_position_better(rows):
    """Return whether position writes more characters right than none, at each of three rates and for every seed."""
    right = {(row["kind"], row["rate"], row["seed"]): row["characters"] for row in select_rows(rows, steps=150)}
    pairs = {(rate, seed) for _, rate, seed in right}
    return {rate for rate, _ in pairs} == {PAGE["rate"], SLOW, FAST} and all(
        right["position", *pair] > right["none", *pair] for pair in pairs
    )


def does_loss_fall(rows):
    """Return whether the loss of none after 600 steps is below that after 150, with every seed that was tried."""
    loss = {(row["seed"], row["steps"]): row["loss"] for row in select_rows(rows, kind="none", rate=PAGE["rate"])}
    seeds = {seed for seed, steps in loss if steps == 600}
    return bool(seeds) and all(loss[seed, 600] < loss[seed, 150] - 0.05 for seed in seeds)


def is_it_read_where_it_looks(rows):
    """Return whether what fell beside nine times in ten can be read there; some looks must, and some must not."""
    centuries = [(row[f"looks_beside_{n}"], row[f"read_beside_{n}"]) for row in rows for n in (19, 20)]
    read = [read for looks, read in centuries if looks >= 0.9]
    return len(read) >= 3 and min(read) >= 0.9 and min(looks for looks, _ in centuries) < 0.9


NONE, POSITION, GENERAL = {"kind": "none"}, {"kind": "position"}, {"kind": "general"}
PAGE_AND_SLOW = {"steps": 200, "rate": [LETTERS["rate"], SLOW]}
OTHER_RATES = {"steps": 150, "rate": [SLOW, FAST]}
CLAIMS = [
    Claim(
        "*Position* wrote at least three dates in four right each time, and *none* at most one in fifty.",
        "blind",
        varied="5 seeds",
        holds=lambda rows: (
            all_rows(lambda row: row["exact"] >= 0.75, **POSITION, **PAGE)(rows)
            and all_rows(lambda row: row["exact"] <= 0.02, **NONE, **PAGE)(rows)
        ),
        refuted_if=(
            "for some seed, the network with position-based weights gets fewer than 75% of the dates right, or the "
            "network without attention gets more than 2% right."
        ),
        refuting_rows=[{**PAGE, **POSITION, "exact": 0.5}, {**PAGE, **NONE, "exact": 0.0}],
        shows=Series("exact", "dates right with position-based weights", POSITION | PAGE),
        baseline=Series("exact", "dates right without attention", NONE | PAGE),
        best=Level(1, "all dates right"),
    ),
    Claim(
        "At a quarter and four times this rate *position* still wrote more characters right than *none*.",
        "blind",
        varied="5 seeds at the page's learning rate, 3 of them also at a quarter of it and at four times it",
        holds=is_position_better,
        refuted_if=(
            "at one of the three learning rates, for some seed, the network without attention gets at least as many "
            "characters right as the one with position-based weights."
        ),
        refuting_rows=[
            {"seed": 0, "kind": kind, "rate": rate, "steps": 150, "characters": 0.6}
            for kind in ("position", "none")
            for rate in (PAGE["rate"], SLOW, FAST)
        ],
        shows=Series("characters", "characters right with position-based weights", POSITION | OTHER_RATES),
        baseline=Series("characters", "characters right without attention", NONE | OTHER_RATES),
        best=Level(1, "all characters right"),
    ),
    Claim(
        "With four times the steps it falls further, with every seed tried. So *none* is slower, but this page does "
        "not show that it can never learn the dates.",
        "blind",
        varied="5 seeds with the page's number of steps, 3 of them also with four times as many",
        holds=does_loss_fall,
        refuted_if=(
            "for some seed, the loss without attention after 600 steps is at most 0.05 below the loss after 150 steps."
        ),
        refuting_rows=[{"seed": 0, **NONE, "rate": 0.02, "steps": steps, "loss": 0.9} for steps in (150, 600)],
        shows=Series("loss", "loss without attention after 600 steps", NONE | {"steps": 600}),
        baseline=Series("loss", "loss without attention after 150 steps", NONE | PAGE),
        best=Level(0, "every character predicted with certainty"),
    ),
    Claim(
        "*Position* is far above the baseline, so a good attention map does not show that a network compares contents.",
        "blind",
        varied="5 seeds",
        holds=all_rows(lambda row: row["spot"] > 0.5 > row["chance"], **POSITION, **PAGE),
        refuted_if=(
            "for some seed, at most 50% of the looks of the network with position-based weights are at the right "
            "place, or a place chosen at random is right at least 50% of the time."
        ),
        refuting_rows=[{**PAGE, **POSITION, "spot": 0.2, "chance": 0.12}],
        shows=Series("spot", "share of looks at the right place with position-based weights", POSITION | PAGE),
        baseline=Series("chance", "a place chosen at random", POSITION | PAGE),
        best=Level(1, "all looks are at the right place"),
    ),
    Claim(
        "Each time *position* wrote at most one text of 9 or 10 letters in fifty, and *general* at least half of those "
        "with 9.",
        "reversal",
        varied="5 seeds at the page's learning rate, 3 of them also at a quarter of it",
        holds=lambda rows: all(
            all_rows(lambda row: max(row["at_9"], row["at_10"]) <= 0.02, **POSITION, rate=rate)(rows)
            and all_rows(lambda row: row["at_9"] >= 0.5, **GENERAL, rate=rate)(rows)
            for rate in PAGE_AND_SLOW["rate"]
        ),
        refuted_if=(
            "at one of the two learning rates, for some seed, the network with position-based weights gets more than "
            "2% of the texts of 9 letters or of the texts of 10 letters right, or the network with the general score "
            "gets fewer than 50% of the texts of 9 letters right."
        ),
        refuting_rows=[
            {"kind": kind, **LETTERS, "rate": rate, "at_9": share, "at_10": 0.0}
            for kind, share in (("position", 0.0), ("general", 0.1))
            for rate in PAGE_AND_SLOW["rate"]
        ],
        shows=Series("at_9", "texts of 9 letters right with the general score", GENERAL | PAGE_AND_SLOW),
        baseline=Series("at_9", "texts of 9 letters right with position-based weights", POSITION | PAGE_AND_SLOW),
        best=Level(1, "all texts right"),
    ),
    Claim(
        "At four times the rate *general* wrote less than half of the texts of 6 letters and failed at 9.",
        "reversal",
        varied="3 seeds at four times the page's learning rate",
        holds=all_rows(lambda row: row["at_6"] < 0.5 and row["at_9"] <= 0.1, **GENERAL, rate=FAST),
        refuted_if=(
            "for some seed, the network with the general score gets at least 50% of the texts of 6 letters right at "
            "four times the learning rate, or more than 10% of the texts of 9 letters."
        ),
        refuting_rows=[{**GENERAL, "rate": FAST, "at_6": 0.9, "at_9": 0.7}],
        shows=Series(
            "at_6",
            "texts of 6 letters right with the general score at four times the learning rate",
            GENERAL | {"rate": FAST},
        ),
        baseline=Series("at_6", "the same with position-based weights", POSITION | {"rate": FAST}),
        best=Series("at_6", "the general score at the page's learning rate", GENERAL | LETTERS),
    ),
    Claim(
        "*Position* then writes at most one text of 6 letters in twenty right, and so it does with five other seeds.",
        "reversal",
        varied="5 seeds",
        holds=all_rows(lambda row: row["shuffled_6"] <= 0.05 < row["at_6"], **POSITION, **LETTERS),
        refuted_if=(
            "for some seed, the network with position-based weights gets more than 5% of the texts of 6 letters right "
            "with its encoder states shuffled, or at most 5% right with the states in order."
        ),
        refuting_rows=[{**POSITION, **LETTERS, "shuffled_6": 0.8, "at_6": 0.85}],
        shows=Series(
            "shuffled_6",
            "texts of 6 letters right from shuffled states with position-based weights",
            POSITION | LETTERS,
        ),
        baseline=Level(8.0**-6, "six letters at random"),
        best=Series("shuffled_6", "the same with the general score", GENERAL | LETTERS),
    ),
    Claim(
        "With most random seeds, at most one look in fifty missed the third digit.",
        "looks",
        varied="5 seeds",
        holds=most_rows(lambda row: row["at_3"] >= 0.98, **PAGE),
        refuted_if="for at least half of the seeds, more than 2% of the network's looks for the third digit miss it.",
        refuting_rows=[{**PAGE, "at_3": 0.5}],
        shows=Series("at_3", "looks for the third digit that hit it"),
        baseline=Series("chance", "a place chosen at random"),
        best=Level(1, "all looks hit"),
    ),
    Claim(
        "Forced beside the third digit, it copies the fourth, with each of six seeds.",
        "looks",
        varied="5 seeds, besides the page's own",
        holds=all_rows(lambda row: row["copied_3"] >= 0.98 and row["there_3"] >= 0.95, **PAGE),
        refuted_if=(
            "for some seed, the network writes the fourth digit in fewer than 98% of the dates when all weight is "
            "forced beside the third, or writes the third digit in fewer than 95% when all weight is forced onto the "
            "third."
        ),
        refuting_rows=[{**PAGE, "copied_3": 0.1, "there_3": 1.0}],
        shows=Series("copied_3", "dates with the fourth digit written when all weight is beside the third"),
        baseline=Level(0.1, "a digit chosen at random"),
        best=Level(1, "always the digit there"),
    ),
    Claim(
        "Networks from other seeds can attend to other places. Where at least nine looks in ten fell beside the first "
        "digit, forcing all weight there kept at least nine digits in ten correct.",
        "looks",
        varied="5 seeds, each with the years 19.. and 20.. separately: 10 cases. “Beside” is one place to the right of "
        "the first digit of the year. The sentence leaves out the cases with fewer than nine looks in ten there.",
        holds=is_it_read_where_it_looks,
        refuted_if=(
            "in some case with at least 90% of the looks beside the first digit, the network gets fewer than 90% of "
            "the first digits right when all weight is forced there; or fewer than 3 of the 10 cases, or all 10, have "
            "at least 90% of the looks beside the first digit."
        ),
        refuting_rows=[
            {f"{name}_beside_{n}": share for name, share in (("looks", 1.0), ("read", 0.5)) for n in (19, 20)}
        ],
        shows=Series(
            "read_beside_20",
            "first digits right in the years 20.. when all weight is beside them; a dot below 0.9 is a network that "
            "looks elsewhere, which the sentence leaves out",
        ),
        baseline=Level(0, "copying the digit beside it"),
        best=Level(1, "all digits right"),
    ),
    Claim(
        "With five other seeds, 100 more characters also cost the additive network at least a third of its dates, "
        "and with the mask none.",
        "looks",
        varied="5 seeds",
        holds=all_rows(
            lambda row: row["unmasked_100"] <= row["exact"] * 2 / 3 and row["masked_100"] == row["exact"], **PAGE
        ),
        refuted_if=(
            "for some seed, with 100 more characters of padding and no mask, the network gets more than 2/3 as many "
            "dates right as with the usual padding; or with the mask, the longer padding changes the number of dates "
            "that the network gets right."
        ),
        refuting_rows=[{**PAGE, "unmasked_100": 0.95, "masked_100": 1.0, "exact": 1.0}],
        shows=Series("masked_100", "dates right with the mask and 100 more characters of padding"),
        baseline=Series("unmasked_100", "the same without the mask"),
        best=Series("exact", "dates right with the usual padding"),
    ),
]
