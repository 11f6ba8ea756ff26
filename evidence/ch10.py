"""Claims of chapter 10: what the score of a small trained network shows of the bug that is in its attention."""

from functools import partial
from math import log

import numpy as np
import torch

from .claims import SEEDS, Experiment, Level, Series, all_rows, claim_of, grid, most_rows, one_at_a_time

PAGE = {"rate": 1e-2, "steps": 300}


def train_with_bug(book, seed, bug, rate, steps):
    """Return the score and the loss after training with one bug, with other rates and steps than the page's."""
    parts = {"sound": {}, "places": {"places": book.along_the_batch}}
    if bug not in parts:
        parts[bug] = {"attend": getattr(book, bug)}
    model = book.trained(seed, steps=steps, rate=rate, **parts[bug])
    first, last = np.mean(model.losses[:25]), np.mean(model.losses[-25:])
    return {"right": round(model.right, 3), "start": round(float(first), 1), "end": round(float(last), 1)}


def ask_in_batches(book, seed):
    """Return the score of exhibit 4 on all held-out sentences at once, and in batches as large as in its training."""
    model = book.trained(seed, places=book.along_the_batch)
    with torch.no_grad():
        answers = [model.out(model.layer(book.tokens(model, part))[0]).argmax(-1) for part in book.held_out.split(64)]
    good = torch.cat(answers)[:, 1:] == book.held_out[:, :-1]
    return {"at_once": round(model.right, 3), "batches": round(float(good.double().mean()), 3)}


def change_setting(*bugs, **factors):
    """Return the page's setting of each bug with five seeds, and with its rate or steps changed."""
    return [case for bug in bugs for case in one_at_a_time({"bug": bug, **PAGE}, **factors)]


EXPERIMENTS = {
    "batched": Experiment(ask_in_batches, ("trained", "tokens", "along_the_batch", "held_out"), grid(seed=SEEDS)),
    "learned": Experiment(
        train_with_bug,
        tuple("trained over_queries across along_the_batch not_scaled viewed opposite after blind".split()),
        [
            *change_setting("sound", "over_queries", "across", "places", rate=[0.25e-2, 4e-2], steps=[1200]),
            *change_setting("not_scaled", "viewed", "opposite", "after", "blind", rate=[0.25e-2, 4e-2]),
        ],
    ),
}

WITHOUT_POSITIONS = 0.56
MARGIN = 0.03  # how far a guess at 2,500 letters may be from its mean: four and a half standard deviations
GUESSING = Level(1 / 8, "guessing one of eight letters")
EVERY_LETTER = Level(1, "every letter")
sound_is_perfect = all_rows(lambda row: row["right"] == 1, bug="sound")


def show_right(bug):
    return Series("right", "held-out letters right", {"bug": bug})


def is_limited(bug, best):
    """Return a condition: a bug never gets further than what it allows, and the sound network does in each setting."""
    sound_is_better = all_rows(lambda row: row["right"] > best + MARGIN, bug="sound")
    bug_is_limited = all_rows(lambda row: row["right"] < best + MARGIN, bug=bug)
    return lambda rows: sound_is_better(rows) and bug_is_limited(rows)


LABELS = {
    "sound": "held-out letters right, the sound network",
    "over_queries": "held-out letters right, exhibit 1 (softmax over the queries)",
    "not_scaled": "held-out letters right, exhibit 3 (the scale forgotten)",
    "after": "held-out letters right, exhibit 8 (the mask after the softmax)",
    "blind": "held-out letters right, exhibit 9 (never looking at the keys)",
}


def show_exhibit(bug):
    return show_right(bug)._replace(label=LABELS[bug])


longer_claim = claim_of("learned", "5 seeds; learning rate × ¼, 1, 4; steps × 1, 4")
exhibit_claim = partial(claim_of("learned", "5 seeds; learning rate × ¼, 1, 4"), baseline=GUESSING, best=EVERY_LETTER)
CLAIMS = [
    longer_claim(
        "The sound network says the letter before, every time.",
        holds=sound_is_perfect,
        wrong_if="Wrong if, in any run, the sound network gets more than one of the 2,500 held-out letters wrong.",
        shows=show_exhibit("sound"),
        page="1.00",
        baseline=GUESSING,
        best=EVERY_LETTER,
    ),
    longer_claim(
        "On our bench the score does tell them apart, since the sound network reaches 1.00.",
        holds=lambda rows: all_rows(lambda row: row["right"] < 1, bug="over_queries")(rows) and sound_is_perfect(rows),
        wrong_if="Wrong if, in any run, the network with this bug gets at most one of the 2,500 held-out letters "
        "wrong, or the sound network gets more than one wrong.",
        shows=show_exhibit("over_queries"),
        page="0.96",
        baseline=GUESSING,
        rival=Series("right", "the sound network", {"bug": "sound"}),
        refuting_values={"right": 1.0},
    ),
    exhibit_claim(
        "It learns the whole task, so its result cannot show the bug.",
        holds=most_rows(lambda row: row["right"] == 1, bug="not_scaled"),
        wrong_if="Wrong if in at least half of the runs, the network without the scale gets more than one of the 2,500 "
        "held-out letters wrong.",
        shows=show_exhibit("not_scaled"),
        page="1.00",
    ),
    longer_claim(
        "A network that knows only that can be right in 0.56 at best. So positions are missing, and the detector says "
        "so without a score, because with positions order *must* matter, whereas the effect is 0.00.",
        holds=is_limited("places", WITHOUT_POSITIONS),  # the bug's half is proved; what training reaches is not
        wrong_if="Wrong if, in any run, the sound network, which has positions, gets at most 59% of the held-out "
        "letters right, so that such a score would not show that positions are missing.",
        shows=show_exhibit("sound"),
        page="1.00",
        baseline=Series("right", "exhibit 4 (positions counted along the batch)", {"bug": "places"}),
        best=EVERY_LETTER,
    ),
    claim_of("batched", "5 seeds; the page's learning rate and steps")(
        "Asked in batches of 64, networks with five other seeds came within three hundredths of 0.56.",
        holds=all_rows(lambda row: abs(row["batches"] - WITHOUT_POSITIONS) < 0.03),
        wrong_if="Wrong if, for any seed, the accuracy in batches of 64 differs from 56% by at least 3 percentage "
        "points.",
        shows=Series(
            "batches", "held-out letters right in batches of 64, exhibit 4 (positions counted along the batch)"
        ),
        baseline=Series("at_once", "the same networks, given all 500 sentences at once"),
        rival=Level(WITHOUT_POSITIONS, "the best possible without positions"),
    ),
    longer_claim(
        "The loss of exhibit 5 is near $\\ln 8$ over its first 25 steps, as for a guess, and *stays*.",
        holds=all_rows(lambda row: max(abs(row[when] - log(8)) for when in ("start", "end")) < 0.5, bug="across"),
        wrong_if="Wrong if, in any run of exhibit 5, the mean loss of the first 25 steps or of the last 25 steps is at "
        "least 0.5 above ln 8, as when training makes it worse than a guess, or at least 0.5 below.",
        shows=Series("end", "mean loss of the last 25 steps, exhibit 5 (across the batch)", {"bug": "across"}),
        page="2.1",
        baseline=Level(log(8), "a guess among eight letters"),
        rival=Series("end", "the sound network", {"bug": "sound"}),
        refuting_values={"end": 3.0},
    ),
    exhibit_claim(
        "Exhibit 8 has a perfect score.",
        holds=all_rows(lambda row: row["right"] == 1, bug="after"),
        wrong_if="Wrong if, in any run, the network with its mask after the softmax gets more than one of the 2,500 "
        "held-out letters wrong.",
        shows=show_exhibit("after"),
        page="1.00",
    ),
    exhibit_claim(
        "The score is perfect, although the weights never react to a key. In this task keys are not needed, so this "
        "score cannot show the bug.",
        holds=all_rows(lambda row: row["right"] == 1, bug="blind"),
        wrong_if="Wrong if, in any run, the network that never looks at its keys gets more than one of the 2,500 "
        "held-out letters wrong.",
        shows=show_exhibit("blind"),
        page="1.00",
    ),
]
