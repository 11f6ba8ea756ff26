"""Claims of chapter 5: a mask in the wrong place lets a network predict dice; a word finds its thing in a picture.

python -m evidence.ch05     write the two networks of the page for `attention_course.dice`
"""

import numpy as np

from attention_course.dice import FILE, throw_dice
from attention_course.tasks import scene_examples
from book.chapter import find_path

from .claims import SEEDS, WITH_PAGE, Experiment, Level, Series, all_rows, claim_of, grid, load_book, round_numbers

PAGE = {"told": 1, "rate": 1e-2, "steps": 300}
AFTER, BEFORE = {"where": "after"}, {"where": "before"}
DICE = (*"torch train chances score_throws mix_throws forecast share_right after_softmax swapped softmax".split(),)
DRAWINGS = ("ring", "half", "smaller", "lower")
THING, UNTRAINED = PAGE | {"told": 0}, PAGE | {"steps": 0}


def train_and_redraw(book, seed, told, rate, steps):
    """Train on other scenes; return what the network finds and answers in these, and when the ball is redrawn."""
    train, held_out = scene_examples(2000, 500, seed=seed)
    model = book.trained(train, told, seed, rate, steps)
    found, weight, error, _ = book.report(model, held_out, told)
    colours = held_out.colours.astype(float)
    row = {"found": found, "weight": weight, "error": error}
    for name, centre in (("mean", np.mean), ("median", np.median)):
        row[name] = abs(colours - centre(colours, axis=1, keepdims=True)).mean()
    other = held_out._replace(colours=np.roll(held_out.colours, 1, axis=0))
    row["colour"], row["colour_error"] = book.on_ball(model, book.redrawn(other, book.ball))
    for name in DRAWINGS:
        row[name], _ = book.on_ball(model, book.redrawn(held_out, getattr(book, name)))
    return round_numbers(row)


def predict_dice(book, seed, where):
    """Train a network on throws; return what it foretells, with what sums, and where it looks."""
    weigh = book.softmax if where == "before" else book.after_softmax
    network, new = book.train(weigh, seed), throw_dice(2000, seed=seed + 1)
    in_training = {*map(bytes, throw_dice(50_000, [seed, 2]))}  # as `train_forecaster` throws them
    unseen = np.array([bytes(row) not in in_training for row in new])
    donors = np.roll(new, 1, axis=0)
    same = (new == donors).all(-1)[:, :-1]
    told, misled, writes = (book.forecast(network, new, way) for way in (weigh, book.swapped, book.softmax))
    shares = {"right": (told, new), "unseen": (told, new, unseen), "writes": (writes, new)}  # with all sums 1
    shares |= {"own": (misled, new), "other": (misled, donors), "same": (misled, donors, same)}
    row = {name: book.share_right(*given) for name, given in shares.items()} | {"sure": writes.max(-1).mean()}
    full_row = book.softmax(book.score_throws(network, new)[0])[:, 1].mean(axis=0)
    loss = -np.log(book.chances(network, new, weigh)).mean()
    return round_numbers(row | {"loss": loss, "next": full_row[2], "later": full_row[3:].sum()}, 3)


EXPERIMENTS = {
    "dice": Experiment(
        predict_dice, DICE, [*grid(seed=WITH_PAGE, where=["after"]), *grid(seed=WITH_PAGE[:2], where=["before"])]
    ),
    "pictures": Experiment(
        train_and_redraw,
        ("trained", "report", "on_ball", "redrawn", "ball", *DRAWINGS),
        [
            *grid(seed=WITH_PAGE, told=[1, 0], rate=[1e-2], steps=[300]),
            *grid(seed=range(SEEDS[0], SEEDS[0] + 20), told=[1], rate=[1e-2], steps=[0]),
        ],
    ),
}

FOUND_UNTRAINED = Series("found", "things found before training", UNTRAINED)
dice_claim = claim_of(
    "dice", "6 seeds (2 with the mask before the softmax), each with its own initial weights, batches and new throws"
)
picture_claim = claim_of("pictures", "6 seeds, each with its own scenes, initial weights and batches")
thing_claim = claim_of(
    "pictures", "6 networks that read “thing” for every word, each with its own scenes, initial weights and batches"
)
CLAIMS = [
    dice_claim(
        "With the mask before the softmax, the network knows no more than we do.",
        holds=all_rows(lambda row: row["loss"] > np.log(6) - 0.02 and row["right"] < 0.2, **BEFORE),
        wrong_if="Wrong if, for any seed, the loss is more than 0.02 below log 6 = 1.79, or the network predicts "
        "at least 20% of the throws correctly.",
        shows=Series("right", "throws predicted correctly with the mask before the softmax", BEFORE),
        page="0.17",
        baseline=Level(1 / 6, "chance"),
        rival=Series("right", "with the mask after the softmax", AFTER),
        refuting_values={"loss": 1.5, "right": 0.3},
    ),
    dice_claim(
        "A network whose weights on later throws are all 0 has learned to predict a fair die.",
        holds=all_rows(lambda row: row["right"] > 0.5 and row["loss"] < 1, **AFTER),
        wrong_if="Wrong if any network with the mask after the softmax predicts at most half of the new throws "
        "correctly (three times the share that chance gives), or has a loss of at least 1.",
        shows=Series("right", "throws predicted correctly with the mask after the softmax", AFTER),
        page="1.00",
        baseline=Series("right", "with the mask before the softmax", BEFORE),
        rival=Series("unseen", "sequences that were not in training", AFTER),
    ),
    dice_claim(
        "Given the sums of another sequence, the network predicts the faces of that sequence far more often than "
        "those of the sequence it reads",
        holds=all_rows(lambda row: row["other"] > 0.3 and row["own"] < 0.2, **AFTER),
        wrong_if="Wrong if any of these networks, given the sums of another sequence, predicts at most 30% of the "
        "faces of that sequence, or at least 20% of the faces of the sequence it reads.",
        shows=Series("other", "faces of the other sequence predicted from its sums", AFTER),
        page="0.91",
        baseline=Series("own", "faces of the sequence it reads", AFTER),
        rival=Series("same", "when both show the same face at the throw that asks", AFTER),
    ),
    dice_claim(
        "Five other networks are misled less often, but still far more often than chance would explain.",
        holds=lambda rows: (
            max(rows, key=lambda row: row["other"])["seed"] == 0
            and all_rows(lambda row: row["other"] > 0.3, **AFTER)(rows)
        ),
        wrong_if="Wrong if any other network, given the sums of another sequence, predicts a larger share of its faces "
        "than the page's network does, or at most 30% of them.",
        shows=Series("other", "faces of the other sequence predicted from its sums", AFTER),
        page="0.91",
        baseline=Series("own", "faces of the sequence it reads", AFTER),
    ),
    dice_claim(
        "All six networks do better when the two faces agree.",
        holds=all_rows(lambda row: row["same"] > row["other"], **AFTER),
        wrong_if="Wrong if any of these networks isn't right more often when both sequences show the same face at the "
        "throw that asks.",
        shows=Series("same", "when both show the same face at the throw that asks", AFTER),
        page="1.00",
        baseline=Series("other", "faces of the other sequence predicted from its sums", AFTER),
    ),
    dice_claim(
        "The query has learned to look one place ahead.",
        holds=all_rows(lambda row: row["next"] > 0.6 and row["later"] < 0.05, **AFTER),
        wrong_if="Wrong if, with nothing hidden, throw 2 gives at most 0.6 of its weight to throw 3, or at least 0.05 "
        "to the throws after that, in any network with the mask after the softmax.",
        shows=Series("next", "weight of throw 2 on throw 3, with nothing hidden", AFTER),
        page="0.73",
        baseline=Series("next", "with the mask before the softmax", BEFORE),
        rival=Series("later", "weight on the throws after throw 3", AFTER),
    ),
    dice_claim(
        "on average it gives its guess a probability of 0.99.",
        holds=all_rows(lambda row: row["writes"] < 0.2 and row["sure"] > 0.9, **AFTER),
        wrong_if="Wrong if any of these networks, with all sums 1, predicts at least 20% of the throws correctly, or "
        "gives its guess a mean chance of at most 0.9.",
        shows=Series("sure", "mean chance of the guess when every sum is 1", AFTER),
        page="0.99",
        baseline=Level(1 / 6, "equal chances for all faces"),
        rival=Series("writes", "guesses that are right", AFTER),
    ),
    picture_claim(
        "With the real words, all 1,500 find their patch, although nothing told them where it is.",
        holds=all_rows(lambda row: row["found"] >= 1 and row["weight"] > 0.98, **PAGE),
        wrong_if="Wrong if any network misses a thing, or its mean weight on the right patch is at most 0.98.",
        shows=Series("weight", "mean weight on the right patch", PAGE),
        page="1.00",
        baseline=Series("weight", "networks that read “thing” for every word", THING),
    ),
    thing_claim(
        "its error is no lower than that of always answering the mean of the three colours, 0.190.",
        holds=all_rows(lambda row: row["error"] > row["mean"] - 0.01, **THING),
        wrong_if="Wrong if, for any seed, the error of the network that reads “thing” for every word is at least 0.01 "
        "below the error of always answering the mean of the three colours.",
        shows=Series("error", "error of networks that read “thing” for every word", THING),
        page="0.19",
        baseline=Series("mean", "always answering the mean of the three colours", THING),
        rival=Series(
            "median", "always answering their median: no answer that is the same for all three does better", THING
        ),
        refuting_values={"error": 0.17},
    ),
    claim_of("pictures", "20 untrained networks, each with its own scenes")(
        "The initialisation decides which of these nearly equal weights is largest.",
        holds=lambda rows: (
            min(FOUND_UNTRAINED.values(rows)) < 0.1 < 0.4 < max(FOUND_UNTRAINED.values(rows))
            and all_rows(lambda row: abs(row["weight"] - 1 / 16) < 0.02, **UNTRAINED)(rows)
        ),
        wrong_if="Wrong if each of the 20 untrained networks finds at least 10% of the things, or each of them finds "
        "at most 40%, or the mean weight on the right patch differs from 1/16 by at least 0.02 in any of them.",
        shows=FOUND_UNTRAINED,
        page="0.544",
        baseline=Level(1 / 4, "one of the four kinds of patch chosen at random"),
        rival=Series("weight", "mean weight on the right patch before training", UNTRAINED),
    ),
    picture_claim(
        "The word *ball* finds the ball's ring when nothing is inside it. Even half a ball gets far more weight than a "
        "whole ball that is smaller or sits lower in its patch.",
        holds=all_rows(lambda row: row["ring"] > 0.99 and row["half"] > 2 * max(row["smaller"], row["lower"]), **PAGE),
        wrong_if="Wrong if, for any seed, the mean weight that the word “ball” gives to the ring is at most 0.99, or "
        "its weight on half a ball is at most twice its weight on the smaller or the lower ball.",
        shows=Series("half", "weight on half a ball", PAGE),
        page="0.91",
        baseline=Series("smaller", "weight on the smaller ball", PAGE),
        rival=Series("lower", "weight on the lower ball", PAGE),
    ),
    picture_claim(
        "A ball of a different colour is still found, and the network gives its new colour",
        holds=all_rows(lambda row: row["colour"] > 0.98 and row["colour_error"] < 0.02, **PAGE),
        wrong_if="Wrong if, for any seed, the mean weight that the word “ball” gives to a ball of a different colour "
        "is at most 0.98, or the mean error of the answered colour is at least 0.02.",
        shows=Series("colour_error", "error of the answered colour", PAGE),
        page="0.00",
        baseline=Series("mean", "always answering the mean of the three colours", PAGE),
    ),
]

if __name__ == "__main__":
    book = load_book(find_path("05"), DICE)
    ways = {"before": book.softmax, "after": book.after_softmax}
    kept = {f"{way}/{name}": array for way, weigh in ways.items() for name, array in book.train(weigh).items()}
    np.savez_compressed(FILE, **kept)
