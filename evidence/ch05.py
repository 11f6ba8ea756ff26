"""Claims of chapter 5: a word finds its thing in a picture, and a token reacts to itself without seeing itself."""

import numpy as np

from attention_course.tasks import scene_examples

from .claims import SEEDS, Experiment, Level, Series, all_rows, claim_of, grid, most_rows, round_numbers

PAGE = {"told": 1, "rate": 1e-2, "steps": 300}
SLOW, FAST = PAGE | {"rate": 1e-2 / 4}, PAGE | {"rate": 4e-2}
THING, UNTRAINED = PAGE | {"told": 0}, PAGE | {"steps": 0}


def count_reactions(book, seed):
    """Count the models, of 30, in which y1 reacts to itself under the mask of the opposite meaning."""
    reacts = [book.who_reacts(~book.causal_mask(3), 1000 * seed + draw)[4, 4] for draw in range(30)]
    return round_numbers({"self": sum(reacts)})


def train_and_redraw(book, seed, told, rate, steps):
    """Train on other scenes; return what the network finds and answers in these, and when the ball is redrawn."""
    train, held_out = scene_examples(2000, 300, seed=seed)
    model = book.trained(train, told, seed, rate, steps)
    found, weight, error, _ = book.report(model, held_out, told)
    colours = held_out.colours.astype(float)
    row = {"found": found, "weight": weight, "error": error}
    row["mean"] = abs(colours - colours.mean(axis=1, keepdims=True)).mean()
    other = held_out._replace(colours=np.roll(held_out.colours, 1, axis=0))
    row["colour"], row["colour_error"] = book.on_ball(model, book.redrawn(other, book.ball))
    row["ring"], _ = book.on_ball(model, book.redrawn(held_out, book.ring))
    row["smaller"], _ = book.on_ball(model, book.redrawn(held_out, book.smaller))
    return round_numbers(row)


EXPERIMENTS = {
    "masks": Experiment(count_reactions, ("torch", "causal_mask", "who_reacts"), grid(seed=SEEDS)),
    "pictures": Experiment(
        train_and_redraw,
        ("trained", "report", "on_ball", "redrawn", "ball", "ring", "smaller"),
        [
            *grid(seed=range(3), told=[1], rate=[1e-2], steps=[300]),  # those of the page
            *grid(seed=SEEDS, told=[1], rate=[1e-2, 1e-2 / 4, 4e-2], steps=[300]),
            *grid(seed=SEEDS, told=[0], rate=[1e-2], steps=[300]),
            *grid(seed=range(SEEDS[0], SEEDS[0] + 20), told=[1], rate=[1e-2], steps=[0]),
        ],
    ),
}

HALF_LEARNED = {"found": 0.5, "weight": 0.5, "error": 0.2, "mean": 0.19}
HALF_LEARNED |= {"colour": 0.5, "colour_error": 0.2, "ring": 0.5, "smaller": 0.5}

FOUND_UNTRAINED = Series("found", "things found before training", UNTRAINED)
picture_claim = claim_of("pictures", "5 seeds, each with its own scenes, initial weights and batches")
both_rates_claim = claim_of(
    "pictures", "5 seeds, each with its own scenes, initial weights and batches; the learning rate and a quarter of it"
)
thing_claim = claim_of(
    "pictures", "5 networks that read “thing” for every word, each with its own scenes, initial weights and batches"
)
untrained_claim = claim_of("pictures", "20 untrained networks, each with its own scenes")
CLAIMS = [
    claim_of("masks", "5 seeds, each with 30 models and their tokens")(
        "y1 may not attend to itself, and yet here it reacts to itself",
        holds=all_rows(lambda row: row["self"] >= 25),
        wrong_if="Wrong if, for any seed, y1 reacts to itself in fewer than 25 of the 30 models.",
        shows=Series("self", "models, of 30, in which y1 reacts to itself"),
        baseline=Level(0, "y2, whose query has only one word to choose from"),
        best=Level(30, "all models"),
    ),
    both_rates_claim(
        "With the words, all 1,500 find their patch with each of three seeds, although nothing told them where it is.",
        holds=lambda rows: (
            all_rows(lambda row: row["found"] >= 1 and row["weight"] > 0.98, **PAGE)(rows)
            and all_rows(lambda row: row["found"] >= 0.99 and row["weight"] > 0.85, **SLOW)(rows)
        ),
        wrong_if="Wrong if, for any seed, the network misses a thing or its mean weight on the right patch is at most "
        "0.98; or, at a quarter of the learning rate, it finds fewer than 99% of the things or its mean weight on the "
        "right patch is at most 0.85.",
        shows=Series("weight", "mean weight on the right patch", PAGE | {"rate": [PAGE["rate"], SLOW["rate"]]}),
        page="1.00",
        baseline=Series("weight", "networks that read “thing” for every word", THING),
        best=Level(1, "all weight on the right patch"),
    ),
    picture_claim(
        "With four times the rate most networks miss many.",
        holds=most_rows(lambda row: row["found"] < 0.7, **FAST),
        wrong_if="Wrong if at least half of the networks find at least 70% of the things at four times the learning "
        "rate.",
        shows=Series("found", "things found at four times the learning rate", FAST),
        baseline=Series("found", "networks that read “thing” for every word", THING),
        rival=Series("found", "things found at the page's learning rate", PAGE),
        refuting_values={"found": 0.9},
    ),
    thing_claim(
        "Its error, 0.19 to 0.21, is no better than the mean of the three colours, 0.190.",
        holds=all_rows(lambda row: row["error"] > row["mean"] - 0.01, **THING),
        wrong_if="Wrong if, for any seed, the error of the network that reads “thing” for every word is at least 0.01 "
        "below the error of always answering the mean of the three colours.",
        shows=Series("error", "error of networks that read “thing” for every word", THING),
        page="0.19",
        baseline=Series("mean", "always answering the mean of the three colours", THING),
        best=Level(1 / 6, "always answering their median: no answer that is the same for all three is better"),
        refuting_values={"error": 0.17},
    ),
    untrained_claim(
        "what equal weights would give",
        holds=all_rows(lambda row: abs(row["weight"] - 1 / 16) < 0.02, **UNTRAINED),
        wrong_if="Wrong if, for any untrained network, the mean weight on the right patch differs from 1/16 by at "
        "least 0.02.",
        shows=Series("weight", "mean weight on the right patch before training", UNTRAINED),
        page="0.06",
        baseline=Level(1 / 16, "equal weights for all 16 patches"),
        refuting_values=HALF_LEARNED,
    ),
    untrained_claim(
        "the initialisation decides which of these nearly equal weights is largest.",
        holds=lambda rows: min(FOUND_UNTRAINED.values(rows)) < 0.1 and max(FOUND_UNTRAINED.values(rows)) > 0.4,
        wrong_if="Wrong if each of the 20 untrained networks finds at least 10% of the things, or each of them finds "
        "at most 40%.",
        shows=FOUND_UNTRAINED,
        page="0.544",
        baseline=Level(1 / 4, "one of the four kinds of patch chosen at random"),
        best=Level(1, "all things found"),
    ),
    picture_claim(
        "The word finds the ring with nothing inside, but a ball that is one pixel smaller gets less than a fifth of "
        "its weight.",
        holds=all_rows(lambda row: row["ring"] > 0.99 and row["smaller"] < 0.2, **PAGE),
        wrong_if="Wrong if, for any seed, the mean weight that the word “ball” gives to the ring is at most 0.99, or "
        "the mean weight that it gives to the smaller ball is at least 0.2.",
        shows=Series("ring", "weight on the ring with nothing inside", PAGE),
        page="1.00",
        baseline=Series("smaller", "weight on the smaller ball", PAGE),
        best=Level(1, "all weight on the ring"),
    ),
    picture_claim(
        "a ball of another colour is found, and its colour is given",
        holds=all_rows(lambda row: row["colour"] > 0.98 and row["colour_error"] < 0.02, **PAGE),
        wrong_if="Wrong if, for any seed, the mean weight that the word “ball” gives to a ball of another colour is at "
        "most 0.98, or the mean error of the answered colour is at least 0.02.",
        shows=Series("colour_error", "error of the answered colour", PAGE),
        page="0.00",
        baseline=Series("mean", "always answering the mean of the three colours", PAGE),
        best=Level(0, "the colour itself"),
    ),
]
