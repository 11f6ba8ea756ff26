"""Claims of chapter 3: which of the networks that write the right answer have read what they look at."""

from functools import partial

import numpy as np
import torch

from attention_course.alignment import (
    build_network,
    character_loss,
    exchange_keys,
    force_weight,
    guess_places,
    probe_letter,
)
from attention_course.tasks import alignment_score
from attention_course.training import Minibatches, fit

from .claims import (
    SEEDS,
    WITH_PAGE,
    Experiment,
    Level,
    Series,
    all_rows,
    claim_of,
    grid,
    most_rows,
    round_numbers,
    select_rows,
)

PAGE = {"steps": 150, "rate": 0.02, "width": 48}  # the dates
LETTERS = {"steps": 200, "rate": 0.02}
KINDS = ["from_start", "from_end", "general", "additive", "general_early", "additive_luong"]
KEYS = ("own", "other", "mean", "last", "first")  # in the order of the page


def measure_dates(book, kind, seed, steps, rate, width):
    """Train on dates as the page does; return what the network writes right, its map, what keys it needs."""
    dates, examples = book.dates, book.held_out
    model = book.train(kind, dates, steps, seed, rate, width)
    row = {"exact": dates.share_right(model, examples)}
    if kind != "no_attention":
        _, _, weights = dates.write(model, examples)
        table = guess_places(book.train_set, examples)
        row |= {"spot": alignment_score(weights, examples), "table": alignment_score(table, examples)}
    if kind in ("additive", "general"):
        keys = exchange_keys(model, dates, examples)
        row |= dict(zip(KEYS, book.right_by_keys(model, dates, examples, keys).values(), strict=False))
    if kind == "additive":
        row |= force_third_digit(book, model)
    return round_numbers(row)


def force_third_digit(book, model):
    """Return what the network writes with all weight on the third digit of the year, or on the fourth."""
    third = torch.tensor([min(example.alignment[2]) for example in book.held_out])
    data = book.dates.encode(book.held_out)
    there, beside = (force_weight(model, data, book.dates.target_text, 2, third + shift) for shift in (0, 1))
    true = np.array([list(example.target) for example in book.held_out])
    return {"there": np.mean(np.array(there) == true[:, 2]), "copied": np.mean(np.array(beside) == true[:, 3])}


def measure_letters(book, kind, seed, steps, rate):
    """Train to write letters backwards as the page does; test at every length and with the keys of other texts."""
    model = book.train(kind, book.letters, steps, seed, rate)
    row = {f"at_{n}": book.letters.share_right(model, texts) for n, texts in book.tests.items()}
    row |= dict(zip(KEYS, book.swap(model).values(), strict=True))
    wrong = book.change_one(model)
    left = wrong[range(1, 6), range(5)]
    row |= {"left_least": left.min(), "left": left.mean(), "itself": np.diag(wrong).mean(), "most": wrong.max()}
    rest = ~np.eye(6, dtype=bool) & ~np.eye(6, k=-1, dtype=bool)
    return round_numbers(row | {"rest": wrong[rest].mean()})


def tell_letter(book, kind, seed, steps, rate):
    """Train on letters; return which keys a network can do without, and how well a probe finds the letter written last.

    With "additive_late", the query of "additive_told" isn't told that letter at first, and is told it in as many steps
    more. The probe is also tried before training.
    """
    if kind == "additive_late":
        torch.manual_seed(seed)
        model, batches = build_network("additive_told", book.letters), partial(Minibatches, *book.letters.to_train)
        for told in (False, True):
            model.decoder.told = told
            fit(model, batches(batch_size=64, steps=steps), character_loss, learning_rate=rate, seed=seed + told)
    else:
        model = book.train(kind, book.letters, steps, seed, rate)
    row = dict(zip(KEYS, book.swap(model).values(), strict=True))
    torch.manual_seed(seed)
    untrained = build_network(kind.replace("late", "told"), book.letters)
    for name, network in (("known", model), ("before", untrained)):
        row[name] = probe_letter(network, book.letters, book.tests[6])
    return round_numbers(row)


def compare_lengths(book, kind, seed, steps, rate):
    """Return the share of texts of 4 to 8 letters that a network gets right."""
    model = book.train(kind, book.letters, steps, seed, rate)
    shares = book.share_by_length(model)
    return round_numbers({f"at_{n}": share for n, share in enumerate(shares, 4)})


def listed(setting):
    """Return a setting as factors of a grid."""
    return {name: [value] for name, value in setting.items()}


EXPERIMENTS = {
    "dates": Experiment(
        measure_dates,
        ("train", "dates", "train_set", "held_out", "right_by_keys"),
        grid(seed=SEEDS, kind=["no_attention", "from_start", "additive", "general"], **listed(PAGE)),
    ),
    "letters": Experiment(
        measure_letters,
        ("train", "letters", "tests", "right_by_keys", "swap", "change_one"),
        grid(seed=WITH_PAGE, kind=KINDS, **listed(LETTERS)),
    ),
    "told": Experiment(
        tell_letter,
        ("train", "letters", "tests", "swap"),
        grid(
            seed=SEEDS,
            kind=["additive_late", "additive_told", "general_told", "additive", "general_early"],
            **listed(LETTERS),
        ),
    ),
    "lengths": Experiment(
        compare_lengths,
        ("train", "letters", "share_by_length"),
        grid(seed=WITH_PAGE, kind=["general", "no_attention"], steps=[200], rate=[0.02])
        + grid(seed=WITH_PAGE, kind=["no_attention"], steps=[400], rate=[0.02]),
    ),
}

NONE, START, END = {"kind": "no_attention"}, {"kind": "from_start"}, {"kind": "from_end"}
ADDITIVE, GENERAL, SUSPECTS = ({"kind": kind} for kind in ("additive", "general", ["additive", "general"]))
EARLY, LUONG = {"kind": "general_early"}, {"kind": "additive_luong"}
TOLD, ADDITIVE_TOLD, LATE = ({"kind": kind} for kind in ("general_told", "additive_told", "additive_late"))


def fewer_right(rows, kind, other):
    """Return whether, for every seed, one kind gets at least 0.1 fewer texts right than another with other keys."""
    pairs = zip(select_rows(rows, kind=kind), select_rows(rows, kind=other), strict=True)
    return all(row["other"] <= there["other"] - 0.1 for row, there in pairs)


dates_claim = claim_of("dates", "5 seeds")
letters_claim = claim_of("letters", "5 seeds")
told_claim = claim_of("told", "5 seeds")
CLAIMS = [
    dates_claim(
        "So a right answer does not show that a network read its way to it.",
        holds=lambda rows: (
            all_rows(lambda row: row["exact"] >= 0.75, **START)(rows)
            and all_rows(lambda row: row["exact"] <= 0.02, **NONE)(rows)
        ),
        wrong_if="Wrong if, for any seed, the network with keys that hold only places gets fewer than 75% of the dates "
        "right, or the network without attention gets more than 2% right.",
        shows=Series("exact", "dates right with keys that hold only places", START),
        page="0.86",
        baseline=Series("exact", "dates right without attention", NONE),
        best=Level(1, "all dates right"),
    ),
    dates_claim(
        "Only our two suspects draw a better map than the table.",
        holds=lambda rows: (
            all_rows(lambda row: row["spot"] < row["table"], **START)(rows)
            and all_rows(lambda row: row["spot"] > row["table"], **SUSPECTS)(rows)
        ),
        wrong_if="Wrong if, for any seed, the largest weights of the network with keys that hold only places are right "
        "more often than the table, or those of the additive or the general network aren't right more often.",
        shows=Series("spot", "largest weights on the right place, additive and general", SUSPECTS),
        page="0.93",
        baseline=Series("table", "a table of character and length", ADDITIVE),
        best=Level(1, "all on the right place"),
    ),
    claim_of("dates", "5 seeds; said of the third digit of the year, in the additive network")(
        "Of the two digits, `additive` writes whichever it is made to look at.",
        holds=all_rows(lambda row: row["copied"] >= 0.98 and row["there"] >= 0.95, **ADDITIVE),
        wrong_if="Wrong if, for any seed, the network writes the fourth digit in fewer than 98% of the dates when all "
        "weight is forced onto the fourth, or the third in fewer than 95% when all weight is forced onto the third.",
        shows=Series("copied", "dates with the fourth digit written when all weight is on the fourth", ADDITIVE),
        page="1.00",
        baseline=Level(0.1, "a digit chosen at random"),
        best=Level(1, "always the digit there"),
    ),
    claim_of("dates", "5 seeds; the keys are the mean, at each place, of those of all dates of the format")(
        "With nothing but the format in its keys, even `general` still writes most of the dates, so most dates don't "
        "need a reader.",
        holds=all_rows(lambda row: row["mean"] > 0.5, **SUSPECTS),
        wrong_if="Wrong if, for any seed, the additive or the general network gets at most half of the dates right "
        "with the mean keys of the date's format.",
        shows=Series("mean", "dates right with the mean keys of their format, general", GENERAL),
        baseline=Series("exact", "dates right without attention", NONE),
        rival=Series("mean", "the same with the additive score", ADDITIVE),
    ),
    letters_claim(
        "A network that counts can survive longer texts.",
        holds=lambda rows: (
            all_rows(lambda row: row["at_9"] >= 0.5, **END)(rows)
            and all_rows(lambda row: row["at_9"] <= 0.02, **START)(rows)
        ),
        wrong_if="Wrong if, for any seed, the network that counts from the end gets fewer than 50% of the texts of 9 "
        "letters right, or the one that counts from the start gets more than 2% right.",
        shows=Series("at_9", "texts of 9 letters right, counted from the end", END),
        page="0.97",
        baseline=Series("at_9", "texts of 9 letters right, counted from the start", START),
        rival=Series("at_9", "texts of 9 letters right with the general score", GENERAL),
    ),
    letters_claim(
        "Its keys hold places, and it writes most texts without the letters in them.",
        holds=lambda rows: (
            all_rows(lambda row: row["other"] > 0.5 and row["mean"] > 0.5, **ADDITIVE)(rows)
            and all_rows(lambda row: row["other"] <= 0.25, **GENERAL)(rows)
        ),
        wrong_if="Wrong if, for any seed, the additive network gets at most half of the texts of 6 letters right with "
        "the keys of other texts or the mean key of each place, or the general network gets more than 25% right with "
        "the keys of other texts.",
        shows=Series("other", "texts right with another text's keys, additive", ADDITIVE),
        page="0.95",
        baseline=Series("other", "the same with the general score", GENERAL),
        rival=Series("own", "texts right with their own keys, additive", ADDITIVE),
    ),
    letters_claim(
        "So `additive` counts, and it counts from the end.",
        holds=all_rows(lambda row: row["last"] >= 0.4 and row["first"] <= 0.1, **ADDITIVE, **LETTERS),
        wrong_if="Wrong if, for any seed, the additive network gets fewer than 40% of the texts of 6 letters right "
        "with the last six keys of a text of 8, or more than 10% with the first six.",
        shows=Series("last", "texts right with the last six keys of eight", ADDITIVE | LETTERS),
        page="0.92",
        baseline=Series("first", "texts right with the first six keys of eight", ADDITIVE | LETTERS),
        rival=Series("own", "texts right with their own keys", ADDITIVE | LETTERS),
    ),
    letters_claim(
        "So `general` looks for the letter it wrote last, and takes the letter to its left.",
        holds=all_rows(lambda row: row["left_least"] >= 0.3 and row["itself"] <= 0.1 and row["rest"] <= 0.1, **GENERAL),
        wrong_if="Wrong if, for any seed, changing a letter in the keys of the general network spoils the letter to "
        "its left in fewer than 30% of the texts, or the letter itself or all others in more than 10% on average.",
        shows=Series("left", "letters wrong to the left of the changed one", GENERAL),
        baseline=Series("itself", "the changed letter itself wrong", GENERAL),
        refuting_values={"left_least": 0.1},
    ),
    claim_of("letters", "5 seeds; with one of them the additive score goes on writing in Luong's order too")(
        "Whatever its score, a network that asks before its step goes on writing. A network that asks after its step "
        "breaks down: `general` every time, and the additive one with most seeds.",
        holds=lambda rows: (
            all_rows(lambda row: row["mean"] >= 0.5, kind=["additive", "general_early"])(rows)
            and most_rows(lambda row: row["mean"] <= 0.25, **LUONG)(rows)
            and all_rows(lambda row: row["mean"] <= 0.25, **GENERAL)(rows)
        ),
        wrong_if="Wrong if, for any seed, a network that asks before its step (the additive or the general one) gets "
        "fewer than half of the texts of 6 letters right with the mean key of each place, or the general network in "
        "Luong's order more than 25%, or for most seeds the additive one in Luong's order more than 25%.",
        shows=Series("mean", "texts right with the mean keys, general score asking before its step", EARLY),
        page="0.99",
        baseline=Series("mean", "the same, additive score in Luong's order", LUONG),
        rival=Series("own", "texts right with their own keys, general score asking before its step", EARLY),
    ),
    told_claim(
        "Once told the letter, the network with the general score goes back to reading. The additive one does so here, "
        "but with other seeds it goes only part of the way.",
        holds=lambda rows: (
            all_rows(lambda row: row["other"] <= 0.25, **TOLD)(rows)
            and all_rows(lambda row: row["other"] >= 0.6 and row["first"] <= 0.1, **EARLY)(rows)
            and fewer_right(rows, "additive_told", "additive")
        ),
        wrong_if="Wrong if, for any seed, with the keys of other texts, the general score gets more than 25% of the "
        "texts right once told the letter, or fewer than 60% when not told, or the additive score, once told, doesn't "
        "get at least 0.1 fewer right.",
        shows=Series("other", "texts right with another text's keys, general score, asking before but told", TOLD),
        page="0.02",
        baseline=Series("other", "the same, not told", EARLY),
        rival=Series("other", "the same, additive score, told", ADDITIVE_TOLD),
    ),
    told_claim(
        "A linear probe finds the letter just written in 99% of `additive`'s queries, but in only 39% of the queries "
        "of the general network that asks before its step.",
        holds=lambda rows: (
            all_rows(lambda row: row["known"] > 0.9, **ADDITIVE)(rows)
            and all_rows(lambda row: row["known"] < 0.6, **EARLY)(rows)
        ),
        wrong_if="Wrong if, for any seed, the probe finds the letter in at most 90% of the additive network's queries, "
        "or in 60% of those of the general network that asks before its step.",
        shows=Series("known", "letters that a probe finds in the additive network's queries", ADDITIVE),
        page="0.99",
        baseline=Series("before", "the same before training", ADDITIVE),
        best=Level(1, "every letter"),
        rival=Series("known", "letters found in the queries of the general network, asking before", EARLY),
    ),
    told_claim(
        "We trained the additive network without telling it the letter, then told it and trained it for just as long "
        "again. It went on counting.",
        holds=lambda rows: (
            all_rows(lambda row: row["other"] >= 0.5 and row["first"] <= 0.1, **LATE)(rows)
            and fewer_right(rows, "additive_told", "additive_late")
        ),
        wrong_if="Wrong if, for any seed, the network told late gets fewer than half of the texts right with the keys "
        "of other texts, or not at least 0.1 more than the one told from the start.",
        shows=Series("other", "texts right with another text's keys, told late", LATE),
        baseline=Series("other", "the same, told from the start", ADDITIVE_TOLD),
        rival=Series("own", "texts right with their own keys, told late", LATE),
    ),
    claim_of("lengths", "5 seeds; without attention also with twice the steps")(
        "With attention, a long text is little harder than a short one.",
        holds=lambda rows: (
            all_rows(lambda row: row["at_8"] >= row["at_4"] - 0.2, **GENERAL)(rows)
            and all_rows(lambda row: row["at_8"] <= row["at_4"] - 0.4, **NONE)(rows)
        ),
        wrong_if="Wrong if, for any seed, the general network gets more than 0.2 fewer of the texts of 8 letters right "
        "than of those of 4, or the network without attention less than 0.4 fewer.",
        shows=Series("at_8", "texts of 8 letters right with the general score", GENERAL),
        baseline=Series("at_8", "the same without attention", NONE | {"steps": 200}),
        best=Level(1, "every text"),
        rival=Series("at_8", "the same without attention, with twice the steps", NONE | {"steps": 400}),
    ),
]
