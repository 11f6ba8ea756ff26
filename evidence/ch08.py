"""Claims of chapter 8: what the ball's patch fetches, what breaks it, and a convolutional net beside it."""

from statistics import mean

import torch

from attention_course.tasks import football_examples

from .claims import SEEDS, Experiment, Level, Series, all_rows, claim_of, grid, most_rows, one_at_a_time, round_numbers

PAGE = {"rate": 5e-3}
QUARTER = {"rate": 1.25e-3}
LARGER = {"rate": 2e-2}  # for few scenes


def draw_scenes(book, seed, count=6000):
    """Return scenes of this seed: tensors to train on and to ask about, and both as arrays."""
    train_set, held_out = football_examples(count, 1000, seed=seed)
    return book.tensors(train_set), book.tensors(held_out), train_set, held_out


def draw_order(seed):
    """Return an order of the 25 patches."""
    return torch.randperm(25, generator=torch.Generator().manual_seed(seed))


def intervene(book, seed, rate):
    """Train one model, measure where it looks, and try all interventions of the page on it."""
    data, test, train_set, held_out = draw_scenes(book, seed)
    goal = torch.tensor(held_out.goal)
    model = book.striker(data, seed, rate)
    weights = book.on_goal(model, test, goal).mean(0)
    best = int(weights.argmax())
    trained, fresh = book.by_distance(model), book.by_distance(book.Striker())

    def exchange(what, part, thing=goal):
        return book.follows(model, test, thing, what, part, seed)

    position_keys, position_values = exchange("position", "keys"), exchange("position", "values")
    return round_numbers({
        "right": book.accuracy(model, test), "place": book.baselines(train_set, held_out)[1],
        "best": weights[best], "untrained": book.on_goal(book.Striker(), test, goal).mean(),
        "from_rest": book.asked_by(model, test, goal)[1], "afar": book.from_afar(model, test, goal)[1],
        "best_off": book.without_head(model, best, test), "other_off": book.without_head(model, 1 - best, test),
        "position_keys_old": position_keys[0], "position_keys_new": position_keys[1],
        "position_values_old": position_values[0], "position_values_new": position_values[1],
        "look_keys_new": exchange("look", "keys")[1], "look_values_new": exchange("look", "values")[1],
        "whole_old": exchange("look", "nothing")[0],
        "bystander_old": exchange("position", "keys and values", (goal + 1) % 25)[0],
        "scattered": book.accuracy(model, book.scattered(test, draw_order(seed))),
        "near": trained[0], "far": max(trained[5:]), "flat": max(map(abs, fresh[:5])),
    })  # fmt: skip


def learn_from_few_scenes(book, seed, rate):
    """Train both nets on 250 scenes."""
    few, test, train_set, held_out = draw_scenes(book, seed, 250)
    striker, conv = (book.score(kind, few, test, seed, rate) for kind in (book.Striker, book.Conv))
    return round_numbers({"striker": striker, "conv": conv, "place": book.baselines(train_set, held_out)[1]})


def learn_scattered_scenes(book, seed, rate, steps):
    """Train the convolutional net on scattered scenes, and on whole ones too if it has only the page's 400 steps."""
    data, test, train_set, held_out = draw_scenes(book, seed)
    torn_data, torn_test = (book.scattered(part, draw_order(seed)) for part in (data, test))
    row = {"scattered": book.score(book.Conv, torn_data, torn_test, seed, rate, steps)}
    if steps == 400:
        row["whole"] = book.score(book.Conv, data, test, seed, rate, steps)
    return round_numbers({**row, "place": book.baselines(train_set, held_out)[1]})


EXPERIMENTS = {
    "look": Experiment(
        intervene,
        (
            *("tensors", "accuracy", "Striker", "striker", "baselines", "on_goal", "asked_by", "without_head"),
            *("follows", "scattered", "by_distance", "from_afar"),
        ),
        one_at_a_time(PAGE, rate=[1.25e-3, 2e-2]),
    ),
    "scarce": Experiment(
        learn_from_few_scenes, ("tensors", "baselines", "score", "Striker", "Conv"), grid(seed=SEEDS, rate=[5e-3, 2e-2])
    ),
    "torn": Experiment(
        learn_scattered_scenes,
        ("tensors", "baselines", "score", "scattered", "Conv"),
        one_at_a_time({"rate": 1e-2, "steps": 400}, steps=[1200]),
    ),
}


def average_at_best_rate(rows, net):
    """Return a net's mean over the seeds at the rate where it is largest."""
    rates = {row["rate"] for row in rows}
    return max(mean(row[net] for row in rows if row["rate"] == rate) for rate in rates)


def measure_spread(rows, net):
    """Return how far a net's results lie apart at the larger rate."""
    right = Series(net, "", LARGER).values(rows)
    return max(right) - min(right)


BALL = Series("place", "answers right from the ball's position alone")
EVEN = Level(1 / 26, "an even share of the weight")
ALL_RIGHT = Level(1, "every answer")
ALL_WEIGHT = Level(1, "all of the weight")
UNCHANGED = Series("whole_old", "with nothing exchanged", PAGE)

look_claim = claim_of("look", "5 seeds, each with its own scenes; the page's learning rate")
look_rates_claim = claim_of("look", "5 seeds, each with its own scenes; learning rate × ¼, × 1 and × 4")
CLAIMS = [
    look_claim(
        "With five other seeds, each with its own scenes, at least 99 of 100 were right.",
        holds=all_rows(lambda row: row["right"] >= 0.99, **PAGE),
        wrong_if="Wrong if, for any seed, the model gets fewer than 99% of the answers right.",
        shows=Series("right", "answers right", PAGE),
        page="1.000",
        baseline=BALL,
        best=ALL_RIGHT,
    ),
    look_claim(
        "In most of them the better head gave the goal at least nine tenths of its weight.",
        holds=most_rows(lambda row: row["best"] >= 0.9, **PAGE),
        wrong_if="Wrong if for at least half of the seeds, the better head's mean weight on the goal is below 0.9.",
        shows=Series("best", "better head's weight on the goal", PAGE),
        page="1.00",
        baseline=Series("untrained", "weight of an untrained head", PAGE),
        best=ALL_WEIGHT,
    ),
    claim_of("look", "5 untrained models, each with its own scenes")(
        "An untrained head gives the goal about its uniform share.",
        holds=all_rows(lambda row: abs(row["untrained"] - 1 / 26) < 0.015),
        wrong_if="Wrong if, for any untrained model, the mean weight of its heads on the goal, which looks like no "
        "other patch, differs from 1/26 by at least 0.015.",
        shows=Series("untrained", "weight of untrained heads on the goal", PAGE),
        baseline=EVEN,
        refuting_values={"untrained": 0.3},
    ),
    look_claim(
        "With most other seeds, the other patches also gave the goal at least nine tenths of their weight.",
        holds=most_rows(lambda row: row["from_rest"] >= 0.9, **PAGE),
        wrong_if="Wrong if for at least half of the seeds, the mean weight of the other patches on the goal is below "
        "0.9.",
        shows=Series("from_rest", "weight of the other patches on the goal", PAGE),
        page="0.96",
        baseline=EVEN,
        best=ALL_WEIGHT,
    ),
    look_claim(
        "With five other seeds every model lost at least a third of its answers without the goal finder.",
        holds=all_rows(lambda row: row["best_off"] <= 2 / 3, **PAGE),
        wrong_if="Wrong if, for any seed, the model gets more than 2/3 of the answers right with the goal finder (the "
        "better head) removed.",
        shows=Series("best_off", "answers right with the better head removed", PAGE),
        page="0.38",
        baseline=Series("other_off", "answers right with the other head removed", PAGE),
    ),
    look_claim(
        "With five other seeds, at least nine of ten answers followed the position in the values.",
        holds=all_rows(lambda row: row["position_values_new"] >= 0.9, **PAGE),
        wrong_if="Wrong if, for any seed, fewer than 90% of the answers follow the position when it is exchanged in "
        "the values.",
        shows=Series("position_values_new", "answers that follow the position in the values", PAGE),
        page="1.00",
        baseline=Series("position_keys_new", "answers that follow the position in the keys", PAGE),
        best=ALL_RIGHT,
    ),
    look_claim(
        "At least nine of ten stayed as they were when the position was swapped in the keys.",
        holds=all_rows(lambda row: row["position_keys_old"] >= 0.9, **PAGE),
        wrong_if="Wrong if, for any seed, fewer than 90% of the answers stay as they were when the position is "
        "exchanged in the keys.",
        shows=Series("position_keys_old", "answers that stay with the position exchanged in the keys", PAGE),
        page="1.00",
        baseline=Series("position_values_old", "with the position exchanged in the values", PAGE),
        rival=UNCHANGED,
    ),
    look_claim(
        "Swapping the positions of two patches without the goal, in keys and values, left at least 95 of 100 as they "
        "were.",
        holds=all_rows(lambda row: row["bystander_old"] >= 0.95, **PAGE),
        wrong_if="Wrong if, for any seed, fewer than 95% of the answers stay as they were when the positions of two "
        "patches without the goal are exchanged in keys and values.",
        shows=Series("bystander_old", "answers that stay with the positions of other patches exchanged", PAGE),
        baseline=Series("position_values_old", "with the goal's position exchanged in the values", PAGE),
        rival=UNCHANGED,
    ),
    look_rates_claim(
        "At a quarter (with most seeds) and four times the learning rate, most answers followed positions swapped in "
        "the values rather than those in the keys.",
        holds=all_rows(lambda row: row["position_values_new"] > 0.5 > row["position_keys_new"]),
        wrong_if="Wrong if, at any learning rate, for any seed, at most 50% of the answers follow the position when it "
        "is exchanged in the values, or at least 50% follow it when it is exchanged in the keys.",
        shows=Series("position_values_new", "answers that follow the position in the values"),
        page="1.00",
        baseline=Series("position_keys_new", "answers that follow the position in the keys"),
        best=ALL_RIGHT,
    ),
    look_claim(
        "With the five other seeds, more answers also followed the look in the keys than in the values.",
        holds=all_rows(lambda row: row["look_keys_new"] > row["look_values_new"], **PAGE),
        wrong_if="Wrong if, for any seed, no more answers follow the look when it is exchanged in the keys than when "
        "it is exchanged in the values.",
        shows=Series("look_keys_new", "answers that follow the look in the keys", PAGE),
        page="0.64",
        baseline=Series("look_values_new", "answers that follow the look in the values", PAGE),
        best=ALL_RIGHT,
    ),
    claim_of("look", "5 seeds, each with its own scenes; a quarter of the learning rate")(
        "At a quarter of the rate, with most seeds, fewer than half followed the look in the keys.",
        holds=most_rows(lambda row: row["look_keys_new"] < 0.5, **QUARTER),
        wrong_if="Wrong if for at least half of the seeds, at least 50% of the answers follow the look when it is "
        "exchanged in the keys at a quarter of the learning rate.",
        shows=Series("look_keys_new", "answers that follow the look in the keys", QUARTER),
        baseline=Series("look_values_new", "answers that follow the look in the values", QUARTER),
        best=ALL_RIGHT,
        refuting_values={"look_keys_new": 0.9},
    ),
    look_rates_claim(
        "The same happened with five other seeds, each with another random order, at three learning rates.",
        holds=all_rows(lambda row: row["scattered"] < row["place"]),
        wrong_if="Wrong if, at any learning rate, for any seed, the model gets at least as many answers right on "
        "scattered pictures as the ball's position alone allows.",
        shows=Series("scattered", "answers right on scattered pictures"),
        page="0.12",
        baseline=BALL,
        rival=Series("right", "answers right on whole pictures"),
    ),
    look_rates_claim(
        "At a quarter and four times the learning rate, neighbours also became similar, and patches six or more steps "
        "(rows plus columns) apart became dissimilar.",
        holds=all_rows(lambda row: row["near"] > 0.2 and row["far"] < -0.2),
        wrong_if="Wrong if, at any learning rate, for any seed, the mean cosine similarity of the position vectors is "
        "at most 0.2 for neighbours, or at least −0.2 for patches 6, 7 or 8 steps apart.",
        shows=Series("near", "mean cosine similarity of neighbours' position vectors"),
        baseline=Series("flat", "largest absolute mean at 1 to 5 steps, untrained"),
        best=Level(1, "the same direction"),
    ),
    look_claim(
        "With most of five other seeds a far goal got at least nine tenths of the weight.",
        holds=most_rows(lambda row: row["afar"] >= 0.9, **PAGE),
        wrong_if="Wrong if for at least half of the seeds, the better head's mean weight on a far goal is below 0.9.",
        shows=Series("afar", "better head's weight on a far goal", PAGE),
        baseline=EVEN,
        best=ALL_WEIGHT,
    ),
    claim_of("scarce", "5 seeds, each with its own 250 scenes; 2 learning rates")(
        "With five other seeds, and each network at the better of its two rates, the convolutional network was ahead "
        "on average.",
        holds=lambda rows: average_at_best_rate(rows, "conv") > average_at_best_rate(rows, "striker"),
        wrong_if="Wrong if with each net at its better learning rate, the convolutional net gets no more answers right "
        "than the Transformer, averaged over the seeds.",
        shows=Series("conv", "answers right, convolutional net"),
        page="0.88",
        baseline=Series("striker", "answers right, Transformer"),
        best=ALL_RIGHT,
    ),
    claim_of("scarce", "5 seeds, each with its own 250 scenes; the larger learning rate")(
        "At the larger rate the convolutional network mostly had at least nine tenths right, while the Transformer's "
        "results varied more.",
        holds=lambda rows: (
            most_rows(lambda row: row["conv"] >= 0.9, **LARGER)(rows)
            and measure_spread(rows, "striker") > measure_spread(rows, "conv")
        ),
        wrong_if="Wrong if at the larger learning rate, the convolutional net gets fewer than 90% of the answers right "
        "for at least half of the seeds, or the range of its accuracy over the seeds is at least as wide as the "
        "Transformer's.",
        shows=Series("conv", "answers right, convolutional net", LARGER),
        page="0.95",
        baseline=Series("striker", "answers right, Transformer", LARGER),
        best=ALL_RIGHT,
    ),
    claim_of("torn", "5 seeds, each with its own scenes and order; 1,200 steps")(
        "With five other seeds at this rate, each with an order of its own, the network had at least nine tenths right "
        "after 1,200 steps.",
        holds=all_rows(lambda row: row["scattered"] >= 0.9, steps=1200),
        wrong_if="Wrong if, for any seed, the convolutional net gets fewer than 90% of the answers right on scattered "
        "pictures after 1,200 steps.",
        shows=Series("scattered", "answers right on scattered pictures after 1,200 steps", {"steps": 1200}),
        page="0.98",
        baseline=BALL,
        best=ALL_RIGHT,
    ),
    claim_of("torn", "5 seeds, each with its own scenes and order; 400 steps")(
        "After 400 steps each of them had fewer right than the same network on whole pictures.",
        holds=all_rows(lambda row: row["scattered"] < row["whole"], steps=400),
        wrong_if="Wrong if, for any seed, the convolutional net gets at least as many answers right on scattered "
        "pictures as on whole ones after 400 steps.",
        shows=Series("scattered", "answers right on scattered pictures after 400 steps", {"steps": 400}),
        page="0.52",
        baseline=BALL,
        rival=Series("whole", "answers right on whole pictures after 400 steps", {"steps": 400}),
        refuting_values={"scattered": 1.0},
    ),
]
