"""Claims of chapter 3: which of the networks that write the right answer have read what they look at."""

import numpy as np
import torch

from attention_course.alignment import force_weight, guess_places, ignore_mask, write_texts
from attention_course.tasks import alignment_score, exact_match
from evidence.claims import SEEDS, Claim, Experiment, Level, Series, all_rows, grid, round_numbers

PAGE = {"steps": 150, "rate": 0.02, "width": 48}  # the dates
PATIENT = {"steps": 1500, "rate": 0.02, "width": 48}
WIDE = {"steps": 1200, "rate": 0.005, "width": 128}
LETTERS = {"steps": 200, "rate": 0.02}
SLOW = {"steps": 800, "rate": 0.005}


def measure_dates(book, kind, seed, steps, rate, width):
    """Train on dates as the page does; return what the network writes right, and how good its map is."""
    examples = book.held_out
    model, _ = book.train(kind, book.data, steps, seed, rate, width)
    texts, answers, weights = write_texts(model, book.test, book.target_text)
    row = {"exact": exact_match(texts, examples), "characters": (answers == book.test[2]).double().mean()}
    if weights is not None:
        table = guess_places(book.train_set, examples)
        row |= {"spot": alignment_score(weights, examples), "table": alignment_score(table, examples)}
    if kind == "additive":
        row |= force_third_digit(book, model) | mask_padding(book, model)
    return round_numbers(row)


def force_third_digit(book, model):
    """Return what the network writes with all weight on the third digit of the year, or on the fourth."""
    third = torch.tensor([min(example.alignment[2]) for example in book.held_out])
    there, beside = (force_weight(model, book.test, book.target_text, 2, third + shift) for shift in (0, 1))
    true = np.array([list(example.target) for example in book.held_out])
    return {"there": np.mean(np.array(there) == true[:, 2]), "copied": np.mean(np.array(beside) == true[:, 3])}


def mask_padding(book, model):
    """Return what the network writes right with 100 more characters of padding, with the mask and without it."""
    numbers, *rest = book.test
    longer = (torch.nn.functional.pad(numbers, (0, 100)), *rest)
    masked, *_ = write_texts(model, longer, book.target_text)
    with ignore_mask(model):
        unmasked, *_ = write_texts(model, longer, book.target_text)
    return {"masked": exact_match(masked, book.held_out), "unmasked": exact_match(unmasked, book.held_out)}


def measure_letters(book, kind, seed, steps, rate):
    """Train to write letters backwards as the page does; test at every length and with the keys of other texts."""
    model, _ = book.train(kind, book.backwards, steps, seed, rate)
    row = {f"at_{n}": book.share_right(model, texts) for n, texts in zip(book.sizes, book.tests, strict=True)}
    _, _, weights = write_texts(model, book.encode(book.tests[1]), book.letters)
    row["spot"] = alignment_score(weights, book.tests[1])
    names = ("own", "other", "mean", "last", "first")
    row |= dict(zip(names, book.swap(model).values(), strict=True))
    wrong = book.change_one(model)
    left = wrong[range(1, 6), range(5)]
    row |= {"left_least": left.min(), "left": left.mean(), "itself": np.diag(wrong).mean(), "most": wrong.max()}
    rest = ~np.eye(6, dtype=bool) & ~np.eye(6, k=-1, dtype=bool)
    return round_numbers(row | {"rest": wrong[rest].mean()})


DATES = ("train", "data", "test", "train_set", "held_out", "target_text")
FEW = {"seed": SEEDS[:3]}


def listed(setting):
    """Return a setting as factors of a grid."""
    return {name: [value] for name, value in setting.items()}


EXPERIMENTS = {
    "dates": Experiment(
        measure_dates, DATES, grid(seed=SEEDS, kind=["none", "position", "additive", "general"], **listed(PAGE))
    ),
    "patient": Experiment(
        measure_dates,
        DATES,
        grid(seed=SEEDS, kind=["none"], **listed(PATIENT)) + grid(seed=SEEDS, kind=["none"], **listed(WIDE)),
    ),
    "letters": Experiment(
        measure_letters,
        ("train", "encode", "backwards", "sizes", "tests", "letters", "share_right", "swap", "change_one"),
        grid(seed=SEEDS, kind=["position", "from the end", "general", "additive"], **listed(LETTERS))
        + grid(**FEW, kind=["general", "additive"], **listed(SLOW)),
    ),
}

NONE, POSITION, ADDITIVE, GENERAL = ({"kind": kind} for kind in ("none", "position", "additive", "general"))
END = {"kind": "from the end"}
CLAIMS = [
    Claim(
        "*Position* wrote at least three dates in four right with every seed, and *none* at most one in fifty.",
        "dates",
        varied="5 seeds",
        holds=lambda rows: (
            all_rows(lambda row: row["exact"] >= 0.75, **POSITION)(rows)
            and all_rows(lambda row: row["exact"] <= 0.02, **NONE)(rows)
        ),
        refuted_if=(
            "for some seed, the network with position-based weights gets fewer than 75% of the dates right, or the "
            "network without attention gets more than 2% right."
        ),
        refuting_rows=[{**POSITION, "exact": 0.5}, {**NONE, "exact": 0.0}],
        shows=Series("exact", "dates right with position-based weights", POSITION),
        baseline=Series("exact", "dates right without attention", NONE),
        best=Level(1, "all dates right"),
    ),
    Claim(
        "Even with ten times the steps, *none* writes half of the dates right at best.",
        "patient",
        varied="5 seeds",
        holds=all_rows(lambda row: row["exact"] <= 0.55, **PATIENT),
        refuted_if="for some seed, the network without attention gets more than 55% of the dates right.",
        refuting_rows=[{**PATIENT, "exact": 0.8}],
        shows=Series("exact", "dates right without attention after 1,500 steps", PATIENT),
        baseline=Level(0, "the same after the page's 150 steps"),
        best=Series("exact", "width 128, a quarter of the learning rate, 1,200 steps", WIDE),
    ),
    Claim(
        "But made wider, with smaller steps and eight times as many of them, it writes nearly all.",
        "patient",
        varied="5 seeds; width 128 instead of 48, a quarter of the page's learning rate, 1,200 steps instead of 150",
        holds=all_rows(lambda row: row["exact"] >= 0.95, **WIDE),
        refuted_if="for some seed, the wide network without attention gets fewer than 95% of the dates right.",
        refuting_rows=[{**WIDE, "exact": 0.6}],
        shows=Series("exact", "dates right without attention, wide and patient", WIDE),
        baseline=Series("exact", "the page's width and learning rate, 1,500 steps", PATIENT),
        best=Level(1, "all dates right"),
    ),
    Claim(
        "Only *additive* and *general* draw a better map than the table.",
        "dates",
        varied="5 seeds",
        holds=lambda rows: (
            all_rows(lambda row: row["spot"] < row["table"], **POSITION)(rows)
            and all_rows(lambda row: row["spot"] > row["table"], kind=["additive", "general"])(rows)
        ),
        refuted_if=(
            "for some seed, the largest weights of the network with position-based weights are right more often than "
            "the table, or those of an additive or general network aren't."
        ),
        refuting_rows=[
            {**POSITION, "spot": 0.9, "table": 0.77},
            {**ADDITIVE, "spot": 0.7, "table": 0.77},
            {**GENERAL, "spot": 0.93, "table": 0.77},
        ],
        shows=Series(
            "spot", "largest weights on the right place, additive and general", {"kind": ["additive", "general"]}
        ),
        baseline=Series("table", "a table of character and length", ADDITIVE),
        best=Level(1, "all on the right place"),
    ),
    Claim(
        "It writes whatever it is made to look at.",
        "dates",
        varied="5 seeds; said of the third digit of the year, in the additive network",
        holds=all_rows(lambda row: row["copied"] >= 0.98 and row["there"] >= 0.95, **ADDITIVE),
        refuted_if=(
            "for some seed, the network writes the fourth digit in fewer than 98% of the dates when all weight is "
            "forced onto the fourth, or the third in fewer than 95% when all weight is forced onto the third."
        ),
        refuting_rows=[{**ADDITIVE, "copied": 0.1, "there": 1.0}],
        shows=Series("copied", "dates with the fourth digit written when all weight is on the fourth", ADDITIVE),
        baseline=Level(0.1, "a digit chosen at random"),
        best=Level(1, "always the digit there"),
    ),
    Claim(
        "**A network that counts can survive longer texts, if it counts from the right end.**",
        "letters",
        varied="5 seeds",
        holds=lambda rows: (
            all_rows(lambda row: row["at_9"] >= 0.5, **END)(rows)
            and all_rows(lambda row: row["at_9"] <= 0.02, **POSITION)(rows)
        ),
        refuted_if=(
            "for some seed, the network that counts from the end gets fewer than 50% of the texts of 9 letters right, "
            "or the one that counts from the start gets more than 2% right."
        ),
        refuting_rows=[{**END, "at_9": 0.1}, {**POSITION, "at_9": 0.0}],
        shows=Series("at_9", "texts of 9 letters right, counted from the end", END),
        baseline=Series("at_9", "texts of 9 letters right, counted from the start", POSITION),
        best=Series("at_9", "texts of 9 letters right with the general score", GENERAL | LETTERS),
    ),
    Claim(
        "**Its keys hold places, and it does not need the letters in them.**",
        "letters",
        varied="5 seeds, 3 of them also at a quarter of the learning rate with four times the steps",
        holds=lambda rows: (
            all_rows(lambda row: row["other"] >= 0.5 and row["mean"] >= 0.8, **ADDITIVE)(rows)
            and all_rows(lambda row: row["other"] <= 0.25, **GENERAL)(rows)
        ),
        refuted_if=(
            "for some seed, the additive network gets fewer than 50% of the texts of 6 letters right with the keys of "
            "other texts or fewer than 80% with the mean key of each place, or the general network gets more than 25% "
            "right with the keys of other texts."
        ),
        refuting_rows=[{**ADDITIVE, "other": 0.1, "mean": 0.1}, {**GENERAL, "other": 0.01}],
        shows=Series("other", "texts right with another text's keys, additive", ADDITIVE | LETTERS),
        baseline=Series("other", "the same with the general score", GENERAL | LETTERS),
        best=Series("own", "texts right with their own keys, additive", ADDITIVE | LETTERS),
    ),
    Claim(
        "So *additive* counts, and it counts from the end.",
        "letters",
        varied="5 seeds",
        holds=all_rows(lambda row: row["last"] >= 0.5 and row["first"] <= 0.1, **ADDITIVE, **LETTERS),
        refuted_if=(
            "for some seed, the additive network gets fewer than 50% of the texts of 6 letters right with the last six "
            "keys of a text of 8, or more than 10% with the first six."
        ),
        refuting_rows=[{**ADDITIVE, **LETTERS, "last": 0.1, "first": 0.9}],
        shows=Series("last", "texts right with the last six keys of eight", ADDITIVE | LETTERS),
        baseline=Series("first", "texts right with the first six keys of eight", ADDITIVE | LETTERS),
        best=Series("own", "texts right with their own keys", ADDITIVE | LETTERS),
    ),
    Claim(
        "After four times the steps at a quarter of the rate, the map of *additive* is right as well, and it still "
        "counts.",
        "letters",
        varied="3 seeds",
        holds=all_rows(lambda row: min(row["spot"], row["other"]) >= 0.95, **ADDITIVE, **SLOW),
        refuted_if=(
            "for some seed, fewer than 95% of the largest weights of the additive network are on the right letter, or "
            "it gets fewer than 95% of the texts of 6 letters right with the keys of other texts."
        ),
        refuting_rows=[{**ADDITIVE, **SLOW, "spot": 0.5, "other": 0.98}],
        shows=Series("spot", "largest weights on the right letter after longer training", ADDITIVE | SLOW),
        baseline=Series("spot", "after the page's steps", ADDITIVE | LETTERS),
        best=Series("other", "texts right with another text's keys after longer training", ADDITIVE | SLOW),
    ),
    Claim(
        "So the key of a place is read for the letter to its *right*, which is the letter that the decoder has just "
        "written.",
        "letters",
        varied=(
            "5 seeds; with four times the steps at a quarter of the learning rate, one of three networks also counts, "
            "and fewer of its letters are wrong."
        ),
        holds=all_rows(
            lambda row: row["left_least"] >= 0.3 and row["itself"] <= 0.1 and row["rest"] <= 0.1,
            **GENERAL,
            **LETTERS,
        ),
        refuted_if=(
            "for some seed, changing a letter in the keys of the general network spoils the letter to its left in "
            "fewer than 30% of the texts, or the letter itself or all others in more than 10% on average."
        ),
        refuting_rows=[{**GENERAL, **LETTERS, "left_least": 0.1, "itself": 0.8, "rest": 0.1}],
        shows=Series("left", "letters wrong to the left of the changed one", GENERAL | LETTERS),
        baseline=Series("itself", "the changed letter itself wrong", GENERAL | LETTERS),
        best=Level(7 / 8, "a letter chosen at random is wrong"),
    ),
    Claim(
        "The padding takes weight away from the date.",
        "dates",
        varied="5 seeds; 100 more characters of padding",
        holds=all_rows(lambda row: row["unmasked"] <= row["masked"] * 2 / 3, **ADDITIVE),
        refuted_if="for some seed, the network without a mask gets more than 2/3 as many dates right as with it.",
        refuting_rows=[{**ADDITIVE, "unmasked": 0.95, "masked": 1.0}],
        shows=Series("masked", "dates right with the mask", ADDITIVE),
        baseline=Series("unmasked", "the same without the mask", ADDITIVE),
        best=Level(1, "all dates right"),
    ),
]
