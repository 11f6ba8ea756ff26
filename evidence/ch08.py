"""Claims of chapter 8: what the ball fetches from the goal, and which lies mislead a reader of scenes or of digits.

python -m evidence.ch08 [digits.csv.gz]     write the networks of the page for `attention_course.picture_readers`, and
                                            scikit-learn's file of that name for `attention_course.tasks.digits`
"""

import sys

import numpy as np

from attention_course import picture_readers
from attention_course.tasks import digit_examples, digits, football_examples
from book.chapter import find_path

from .claims import WITH_PAGE, Experiment, Level, Series, all_rows, claim_of, grid, load_book, most_rows, round_numbers

PAGE = {"rate": 5e-3}
OTHER_RATES = {"rate": [1.25e-3, 2e-2]}


def mislead_striker(book, seed, rate):
    """Train a network on scenes of this seed, and try all interventions of the page on it."""
    part, held_out = football_examples(6000, 1000, seed=seed)
    net = book.striker(part, seed, rate)
    scenes, fresh = book.Scenes(net, held_out), book.Scenes(book.take_weights(book.Striker()), held_out)
    weights = scenes.on_goal()
    finder = int(weights.argmax())

    def follow(what, part, thing=scenes.goal):
        return book.share_following(scenes, what, part, thing, seed)

    cut = {name: book.without(scenes, patch) for name, patch in (("goal", scenes.goal), ("next", 1 + scenes.goal % 25))}
    position_keys, position_values = follow("position", ["keys"]), follow("position", ["values"])
    order = np.random.default_rng(seed).permutation(25)
    near, far = book.by_distance(net["positions"]), book.by_distance(fresh.position)
    return round_numbers({
        "right": scenes.share_right(), "place": book.by_ball(part, held_out),
        "best": weights.max(), "second": weights.min(), "untrained": fresh.on_goal().mean(),
        "cut": scenes.share_right(mask=cut["goal"]), "cut_other": scenes.share_right(mask=cut["next"]),
        "finder_off": scenes.share_right(off=[finder]),
        "left": book.new_read_out(net, part, held_out, [finder]),
        "left_of_ball": book.new_read_out(net, part, held_out, [0, 1]),
        "position_keys_old": position_keys[0], "position_keys_new": position_keys[1],
        "position_values_old": position_values[0], "position_values_new": position_values[1],
        "bystander_old": follow("position", ["keys", "values"], 1 + scenes.goal % 25)[0],
        "look_keys_new": follow("look", ["keys"])[1], "look_values_new": follow("look", ["values"])[1],
        "shuffled_keys": book.four_lies(net, held_out.images, scenes.ball, held_out.direction)[0, 0],
        "scattered": book.Scenes(net, book.scattered(held_out, order)).share_right(),
        "near": near[0], "far": near[5:].max(), "flat": abs(far[:5]).max(),
    })  # fmt: skip


def mislead_digit_reader(book, seed, rate):
    """Train a network on digits with this seed, and one without positions; lie to the first in four ways."""
    part, new = digit_examples()
    net = book.digit_reader(part, seed, rate)
    lies = dict(zip(("position", "look"), book.four_lies(net, new.images, 0, new.digit), strict=True))
    row = {f"{what}_{where}": lies[what][i] for what in lies for i, where in enumerate(("keys", "values"))}
    bag = book.share_read(book.digit_reader(part, seed, rate, positions=False), new)
    return round_numbers({"right": book.share_read(net, new), "bag": bag, **row, "least_harm": max(row.values())})


EXPERIMENTS = {
    "scenes": Experiment(
        mislead_striker,
        (
            *("Striker striker Scenes by_ball without new_read_out share_following four_lies scattered".split()),
            *("by_distance", "take_weights"),
        ),
        grid(seed=WITH_PAGE, rate=[5e-3]) + grid(seed=WITH_PAGE[1:3], **OTHER_RATES),
    ),
    "digits": Experiment(
        mislead_digit_reader, ("digit_reader", "share_read", "four_lies"), grid(seed=WITH_PAGE, rate=[1e-2])
    ),
}

BALL = Series("place", "answers right from the ball's position alone", PAGE)
ALL_RIGHT = Level(1, "every answer")
ALL_WEIGHT = Level(1, "all of the weight")

scenes_claim = claim_of("scenes", "6 seeds, each with its own scenes; the page's learning rate")
rates_claim = claim_of(
    "scenes", "6 seeds (2 at the other rates), each with its own scenes; learning rate × ¼, × 1 and × 4"
)
digits_claim = claim_of("digits", "6 seeds; the same pictures")
CLAIMS = [
    scenes_claim(
        "in each of them one head gave the goal most of its weight",
        holds=all_rows(lambda row: row["best"] > 0.5, **PAGE),
        wrong_if="Wrong if, in any network, neither head gives the goal more than half of its weight on average.",
        shows=Series("best", "better head's weight on the goal", PAGE),
        page="1.00",
        baseline=Series("untrained", "untrained head's weight on the goal", PAGE),
        best=ALL_WEIGHT,
        rival=Series("second", "other head's weight on the goal", PAGE),
    ),
    scenes_claim(
        "The arrow from ball to goal carries the answer.",
        holds=all_rows(lambda row: row["cut"] <= row["place"] and row["cut_other"] >= 0.95, **PAGE),
        wrong_if="Wrong if, without the arrow from ball to goal, any network gets more answers right than guessing "
        "from the ball's position does, or if it gets fewer than 95% right without the arrow to the next patch.",
        shows=Series("cut", "answers right with the arrow cut", PAGE),
        page="0.37",
        baseline=BALL,
        rival=Series("cut_other", "without the arrow to the next patch", PAGE),
        refuting_values={"cut": 0.7},
    ),
    scenes_claim(
        "So the stream still contains something about the goal, brought by the other head.",
        holds=all_rows(
            lambda row: row["left"] > row["left_of_ball"] + 0.04 and row["left"] > row["finder_off"] + 0.04, **PAGE
        ),
        wrong_if="Wrong if, without the goal finder, any new read-out gets at most 4% more answers right than the "
        "network's own read-out does, or than a new read-out does without both heads.",
        shows=Series("left", "answers right by a new read-out, without the finder", PAGE),
        page="0.58",
        baseline=Series("left_of_ball", "by a new read-out, without both heads", PAGE),
        rival=Series("finder_off", "by the network's own read-out, without the finder", PAGE),
    ),
    rates_claim(
        "The ball's patch still finds the goal where it is drawn, and then points to where it isn't.",
        holds=lambda rows: (
            all_rows(lambda row: row["position_values_new"] >= 0.9 and row["bystander_old"] >= 0.9, **PAGE)(rows)
            and most_rows(lambda row: row["position_values_new"] > 0.5, **OTHER_RATES)(rows)
        ),
        wrong_if="Wrong if, at the page's learning rate, fewer than 90% of any network's answers follow the wrong "
        "position in the values, or fewer than 90% stay the same when the patch after the goal's swaps positions "
        "instead; or if, at the other rates, half of the networks follow it in at most 50% of their answers.",
        shows=Series("position_values_new", "answers that follow the wrong position in the values", PAGE),
        page="1.00",
        baseline=Series("position_keys_new", "answers that follow the wrong position in the keys", PAGE),
        best=ALL_RIGHT,
        rival=Series("position_values_new", "in the values, at the other learning rates", OTHER_RATES),
    ),
    scenes_claim(
        "In the keys, the same lie changes hardly any answers",
        holds=all_rows(lambda row: row["position_keys_old"] >= 0.9, **PAGE),
        wrong_if="Wrong if fewer than 90% of any network's answers stay the same when the goal's position is swapped "
        "in the keys.",
        shows=Series("position_keys_old", "answers that stay the same with the position swapped in the keys", PAGE),
        page="1.00",
        baseline=Series("position_values_old", "with the position swapped in the values", PAGE),
        best=ALL_RIGHT,
    ),
    digits_claim(
        "With the digits, all four lies hurt, in this network and in five more.",
        holds=all_rows(lambda row: row["least_harm"] < row["right"] - 0.2),
        wrong_if="Wrong if, in any network, one of the four lies costs at most 20% of the digits.",
        shows=Series("least_harm", "digits right under the lie that costs least"),
        page="0.51",
        baseline=Series("right", "digits right without a lie"),
        best=ALL_RIGHT,
    ),
    digits_claim(
        "In the other five digit readers, shuffled positions in the keys also cost more than half of the right answers",
        holds=all_rows(lambda row: row["position_keys"] < row["right"] / 2),
        wrong_if="Wrong if any network keeps half of its right answers with positions shuffled in the keys.",
        shows=Series("position_keys", "digits right with positions shuffled in the keys"),
        page="0.29",
        baseline=Series("right", "digits right without a lie"),
        best=ALL_RIGHT,
        rival=Level(0.1, "guessing"),
    ),
    scenes_claim(
        "In the scenes, false positions in the keys cost hardly anything",
        holds=all_rows(lambda row: row["shuffled_keys"] >= 0.85, **PAGE),
        wrong_if="Wrong if any network gets fewer than 85% of the answers right with positions shuffled in the keys.",
        shows=Series("shuffled_keys", "answers right with positions shuffled in the keys", PAGE),
        page="1.00",
        baseline=BALL,
        best=ALL_RIGHT,
    ),
    scenes_claim(
        "With the looks, it's the other way round, though less clearly.",
        holds=all_rows(lambda row: row["look_keys_new"] > row["look_values_new"], **PAGE),
        wrong_if="Wrong if any network's answers follow the look exchanged in the keys no more often than the look "
        "exchanged in the values.",
        shows=Series("look_keys_new", "answers that follow the look in the keys", PAGE),
        page="0.59",
        baseline=Series("look_values_new", "answers that follow the look in the values", PAGE),
        best=ALL_RIGHT,
    ),
    rates_claim(
        "But a network that has learned whole pictures is lost in scattered ones",
        holds=all_rows(lambda row: row["scattered"] < row["place"]),
        wrong_if="Wrong if any network gets at least as many answers right on scattered pictures as the ball's "
        "position alone allows.",
        shows=Series("scattered", "answers right on scattered pictures"),
        page="0.08",
        baseline=Series("place", "answers right from the ball's position alone"),
        rival=Series("right", "answers right on whole pictures"),
    ),
    rates_claim(
        "Nearby patches have similar vectors and distant patches dissimilar ones",
        holds=all_rows(lambda row: row["near"] > 0.2 and row["far"] < -0.2),
        wrong_if="Wrong if, in any network, the mean cosine similarity of the position vectors is at most 0.2 for "
        "neighbours, or at least −0.2 for patches 6, 7 or 8 steps apart.",
        shows=Series("near", "mean cosine similarity of neighbours' position vectors"),
        page="0.76",
        baseline=Series("flat", "largest absolute mean at 1 to 5 steps, untrained"),
        best=Level(1, "the same direction"),
        rival=Series("far", "largest mean at 6 to 8 steps"),
    ),
]

if __name__ == "__main__":
    book = load_book(find_path("08"), ("striker", "digit_reader"))
    nets = {
        "scenes": book.striker(football_examples(6000, 1000)[0], 0),
        "digits": book.digit_reader(digit_examples()[0], 0),
    }
    kept = {f"{name}/{part}": array.astype("float16") for name, net in nets.items() for part, array in net.items()}
    np.savez_compressed(picture_readers.FILE, **kept)
    for path in sys.argv[1:]:
        numbers = np.loadtxt(path, delimiter=",").astype("uint8")
        np.savez_compressed(digits.FILE, images=numbers[:, :64].reshape(-1, 8, 8), digit=numbers[:, 64])
