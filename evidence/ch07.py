"""Evidence for chapter 7: what each arrow carries, who needs a feed-forward network, depth, gradients, race, names."""

import time
from copy import deepcopy
from statistics import median

import numpy as np
import torch

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

CHANCE = float(np.log(8))
LEARNED = CHANCE * 2 / 3
FIELDS = ("year", "month", "day", "hyphens")


def train_and_cut(book, seed):
    """Return which fields of the held-out dates stay right without some arrows of a trained Transformer."""
    model = book.make_network("Transformer", book.task, seed)
    book.task.train(model, steps=600, seed=seed)
    row = {"right": book.task.score(model)}
    for name, sublayer, what in (("supply", "cross-attention", "part"), ("path", "cross-attention", "path")):
        with book.cut(model, sublayer, what):
            fields = book.task.score_fields(model)
            row |= {f"{name}_{field}": fields[field] for field in FIELDS}
    places = model.place[1, :10]
    mean, swapped = places.mean(0).expand(10, -1), places[[0, 1, 2, 3, 4, 5, 6, 8, 7, 9]]
    for name, path in (("places", places), ("mean", mean), ("swapped", swapped)):
        with book.replace_path(model, "cross-attention", path):
            row[f"{name}_hyphens"] = book.task.score_fields(model)["hyphens"]
            row[f"{name}_moved"] = np.mean([text[7] != "-" and text[8] == "-" for text in book.task.write(model)])
    return round_numbers(row)


def train_without(book, seed, without):
    """Return the share of dates that are right after training without the named part, or with every part."""
    model = book.make_network("Transformer", book.task, seed)
    for block in (model.encoder, model.decoder) if without == "feed-forward" else ():
        block.feed_forward = book.Nothing()
    book.task.train(model, steps=600, seed=seed)
    return round_numbers({"right": book.task.score(model)})


def add_within_one_token(book, seed, steps):
    """Return the share of sums that one token gets right with the feed-forward network, without GELU, and without."""
    changes = {"whole": None, "linear": book.drop_gelu, "without": book.drop_feed_forward}
    return round_numbers({kind: book.add_digits(change, seed, steps) for kind, change in changes.items()})


def train_deep(book, seed, skip, rate):
    """Return what is left of the first stream of a stack before and after training, and the loss.

    Post-norm is then trained once more at the same rate, with its skip weight left at 1 and turned to 8.
    """
    stack = book.Stack(book.pass_through, skip, seed=seed)
    row = {
        "before": book.share_left(stack),
        "loss": _last_loss(book, stack, rate, seed),
        "after": book.share_left(stack),
    }
    for again in (1, 8) if skip == 1 and rate == 1e-2 else ():
        other = deepcopy(stack)
        other.skip = again
        row[f"loss_again_{again}"] = _last_loss(book, other, rate, seed)
    return {name: float(f"{value:.3g}") for name, value in row.items()}


def _last_loss(book, stack, rate, seed):
    return np.mean(book.train_stack(stack, rate, seed=seed)[-5:])


def measure_reach(book, seed):
    """Return how strongly the last of 2 and of 64 tokens reacts to the first, the mean of 20 networks."""
    seeds = range(20 * seed, 20 * seed + 20)
    layers = {"open": lambda: book.gru(4), "attention": lambda: book.MultiHeadAttention(32, num_heads=1)}
    reactions = {name: book.mean_reactions(layer, seeds) for name, layer in layers.items()}
    return {f"{name}_{n}": float(f"{row[k]:.3g}") for name, row in reactions.items() for n, k in ((2, 0), (64, -1))}


def race_with_neighbours(book, seed, kind):
    """Return the share of dates right after 100 steps: of the recurrent network, or of a Transformer with neighbours.

    The `kind` is "recurrent" or one of NEIGHBOURS.
    """
    recurrent = kind == "recurrent"
    model = (
        book.make_network(kind, book.task, seed) if recurrent else book.with_neighbours(*NEIGHBOURS[kind], seed=seed)
    )
    book.task.train(model, 100, 4e-2 if recurrent else 2e-2, seed)
    return round_numbers({"right": book.task.score(model)})


def train_on_dates(book, seed, kind, rate, steps):
    """Return the share of dates that are right."""
    model = book.make_network(kind, book.task, seed)
    book.task.train(model, steps, rate, seed)
    return round_numbers({"right": book.task.score(model)})


def _take_step(compute, parameters):
    """Return the processor time of one pass, forwards and backwards."""
    start = time.process_time()
    compute().backward()
    taken = time.process_time() - start
    for parameter in parameters:
        parameter.grad = None
    return taken


def _time_in_turn(computations, rounds):
    """Return the times (rounds, 2) of two computations, each first in every other round."""
    times = np.empty((rounds, 2))
    for r in range(rounds):
        for k in (r % 2, 1 - r % 2):
            times[r, k] = _take_step(*computations[k])
    return times[3:]


def compare_pace(book, seed, n):
    """Return how many times as long as attention recurrence takes for a training step, on one thread.

    With n = 0 the two are the networks of the race, on a batch of dates; otherwise a GRU and a block of width 64 on
    four texts of n tokens.
    """
    torch.set_default_dtype(torch.float64 if n == 0 else torch.float32)
    torch.manual_seed(seed)
    if n == 0:
        sources, lengths, targets = (part[:32] for part in book.task.to_train)
        models = [book.make_network(kind, book.task) for kind in ("recurrent", "Transformer")]

        def loss(model):
            logits, _ = model(sources, targets, lengths)
            return torch.nn.functional.cross_entropy(logits.movedim(-1, 1), targets)

        computations = [(lambda model=model: loss(model), [*model.parameters()]) for model in models]
    else:
        x = torch.randn(4, n, 64)
        models = torch.nn.GRU(64, 64, batch_first=True), book.EncoderBlock(64, num_heads=4, d_ff=256)
        computations = [(lambda model=model: model(x)[0].sum(), [*model.parameters()]) for model in models]
    times = _time_in_turn(computations, rounds=43 if n <= 256 else 13)
    return {"ratio": round(median((times[:, 0] / times[:, 1]).tolist()), 2)}


def learn_names(book, seed, steps):
    """Return the held-out loss of a letter of a name, for the network and for tables of counts."""
    torch.manual_seed(seed)
    writer = book.Writer(len(book.names.letters))
    book.names.train(writer, steps, seed=seed)
    row = {"network": book.names.score(writer)}
    for order in (2, 4):
        row[f"table_{order}"] = book.names.score(book.NGram(book.names.to_train, len(book.names.letters), order))
    return round_numbers(row)


RACE = ("task", "make_network")
RATES = [1e-2, 2e-2, 4e-2]
NEIGHBOURS = {"none": (1,), "left or right": (3, False), "left and right": (3,)}  # what the page's network is given
EXPERIMENTS = {
    "cuts": Experiment(train_and_cut, ("torch", *RACE, "cut", "replace_path"), grid(seed=SEEDS)),
    "without": Experiment(train_without, (*RACE, "Nothing"), grid(seed=SEEDS, without=["nothing", "feed-forward"])),
    "adder": Experiment(
        add_within_one_token, ("add_digits", "drop_gelu", "drop_feed_forward"), grid(seed=SEEDS, steps=[300, 1200])
    ),
    "deep": Experiment(
        train_deep,
        ("torch", "Stack", "pass_through", "share_left", "train_stack"),
        grid(seed=WITH_PAGE, skip=[0, 1, 8, "pre-norm"], rate=[1e-2]) + grid(seed=WITH_PAGE, skip=[1], rate=[2.5e-3]),
    ),
    "reach": Experiment(measure_reach, ("mean_reactions", "gru", "lengths", "MultiHeadAttention"), grid(seed=SEEDS)),
    "local": Experiment(
        race_with_neighbours,
        (*RACE, "with_neighbours"),
        grid(seed=SEEDS, kind=["recurrent", *NEIGHBOURS]),
    ),
    "race": Experiment(
        train_on_dates,
        ("torch", *RACE),
        grid(seed=[0], kind=["recurrent"], rate=[4e-2], steps=[100])
        + grid(seed=[0], kind=["Transformer"], rate=[2e-2], steps=[100, 200])
        + grid(seed=SEEDS, kind=["recurrent"], rate=RATES, steps=[100])
        + grid(seed=SEEDS, kind=["Transformer"], rate=RATES, steps=[100, 200]),
    ),
    "pace": Experiment(
        compare_pace, (*RACE, "EncoderBlock"), grid(seed=SEEDS, n=[0, 16, 64, 256, 1024]), is_exact=False
    ),
    "names": Experiment(learn_names, ("Writer", "names", "NGram"), grid(seed=SEEDS, steps=[50, 600])),
}

ALL_RIGHT = Level(1.0, "every date")
EQUAL_PACE = Level(1.0, "both take equally long")
POST_NORM, RECURRENT = {"skip": 1, "rate": 1e-2}, {"kind": "recurrent", "rate": 4e-2}
TRANSFORMER = {"kind": "Transformer", "rate": 2e-2}


def best_shares(rows):
    """Return the best shares of dates at any rate, for each seed: recurrent, 100 and 200 steps of the Transformer."""
    networks = ({"kind": "recurrent"}, {"kind": "Transformer", "steps": 100}, {"kind": "Transformer", "steps": 200})
    runs = [[select_rows(rows, seed=seed, **network) for network in networks] for seed in SEEDS]
    return [[max((row["right"] for row in some), default=0) for some in of_seed] for of_seed in runs]


cuts_claim = claim_of("cuts", "5 seeds, the page's dates")
depth_claim = claim_of("deep", "5 seeds, each with its own data")
race_claim = claim_of("race", "5 seeds, the best of three learning rates for each network")
names_claim = claim_of("names", "5 seeds")
CLAIMS = [
    cuts_claim(
        "Cut out what the **cross-attention** adds, and the hyphens stay while everything else breaks.",
        all_rows(lambda row: row["supply_hyphens"] > 0.9 and max(row[f"supply_{field}"] for field in FIELDS[:3]) < 0.2),
        wrong_if="Wrong if, for any seed, without what cross-attention adds, the hyphens are right in at most 90% of "
        "the dates, or the year, the month or the day in at least 20%.",
        shows=Series("supply_hyphens", "hyphens right without what cross-attention adds"),
        page="1.00",
        baseline=Series("supply_year", "years right without what cross-attention adds"),
        best=ALL_RIGHT,
    ),
    cuts_claim(
        "Many years are still right, but most hyphens are gone: for *14 May 2026* the network writes *2026060-14*.",
        most_rows(lambda row: row["path_hyphens"] < 0.5 and row["path_year"] > row["path_hyphens"]),
        wrong_if="Wrong if most seeds keep half of the hyphens without the path past cross-attention, or no more years "
        "than hyphens.",
        shows=Series("path_hyphens", "hyphens right without the path past cross-attention"),
        page="0.10",
        baseline=Series("supply_hyphens", "hyphens right without what cross-attention adds"),
    ),
    cuts_claim(
        "With nothing but places on the path, the hyphens are back, but with the mean place most are still missing.",
        most_rows(lambda row: row["places_hyphens"] > 0.9 and row["mean_hyphens"] < 0.5),
        wrong_if="Wrong if most seeds get at most 90% of the hyphens right with the places on the path, or half "
        "of them with the mean place.",
        shows=Series("places_hyphens", "hyphens right with the places on the path"),
        page="1.00",
        baseline=Series("mean_hyphens", "hyphens right with the mean place on the path"),
        best=ALL_RIGHT,
    ),
    cuts_claim(
        "Swap two places, and in many dates the hyphen *moves with its place*, which it never does while the places "
        "are in order.",
        most_rows(lambda row: row["swapped_moved"] > 0.1 > 0.01 > row["places_moved"]),
        wrong_if="Wrong if most seeds move the second hyphen in at most 10% of the dates when its place is swapped "
        "with the next, or in 1% without the swap.",
        shows=Series("swapped_moved", "dates in which the hyphen moves along with its place"),
        baseline=Series("places_moved", "dates in which it moves without the swap"),
        rival=Series("mean_moved", "dates in which it moves with the mean place"),
    ),
    cuts_claim(
        "Of five more, trained from different seeds, one keeps its hyphens without the path.",
        lambda rows: [row["path_hyphens"] > 0.9 for row in rows].count(True) == 1 and len(rows) == 5,
        wrong_if="Wrong if of the five networks none, or more than one, gets more than 90% of the hyphens right "
        "without the path past cross-attention.",
        shows=Series("path_hyphens", "hyphens right without the path past cross-attention"),
        baseline=Series("supply_hyphens", "hyphens right without what cross-attention adds"),
    ),
    claim_of("without", "5 seeds, the page's dates, with and without both feed-forward networks")(
        "The dates can be learned without a feed-forward network.",
        all_rows(lambda row: row["right"] > 0.9, without="feed-forward"),
        wrong_if="Wrong if, for any seed, at most 90% of the dates are right after training without feed-forward "
        "networks.",
        shows=Series("right", "dates right, trained without", {"without": "feed-forward"}),
        page="0.998",
        baseline=Series("right", "dates right, trained with all parts", {"without": "nothing"}),
        best=ALL_RIGHT,
        refuting_values={"right": 0.5},
    ),
    claim_of("adder", "5 seeds, 300 steps")(
        "With the feed-forward network, all one hundred sums are right, and without it most are wrong, even though "
        "every sum was in the training set.",
        all_rows(lambda row: row["whole"] > 0.98 and row["without"] < 0.5, steps=300),
        wrong_if="Wrong if, for any seed, at most 98 sums are right with the feed-forward network, or at least 50 "
        "without it.",
        shows=Series("without", "sums right without the feed-forward network", {"steps": 300}),
        page="0.16",
        baseline=Level(0.1, "guessing among 10 digits"),
        rival=Series("whole", "sums right with it", {"steps": 300}),
        refuting_values={"without": 0.8},
    ),
    claim_of("adder", "5 seeds, 300 steps and four times as many")(
        "The number of parameters isn't the reason, because the same two matrices are no use without the GELU between "
        "them.",
        all_rows(lambda row: row["linear"] < 0.4 and row["whole"] > 0.98),
        wrong_if="Wrong if, for any seed, at least 40 sums are right without the GELU, or at most 98 with it.",
        shows=Series("linear", "sums right without the GELU, 1,200 steps", {"steps": 1200}),
        baseline=Series("without", "sums right without the feed-forward network, 1,200 steps", {"steps": 1200}),
        rival=Series("whole", "sums right with it", {"steps": 1200}),
        refuting_values={"linear": 0.9},
    ),
    depth_claim(
        "Without a residual connection, nothing is left even before training, and nothing is learned.",
        all_rows(lambda row: row["loss"] > CHANCE - 0.05, skip=0),
        wrong_if="Wrong if, for any seed, the final loss of the stack with a skip weight of 0 is 0.05 or more below "
        "guessing.",
        shows=Series("loss", "final loss of 30 blocks with a skip weight of 0", {"skip": 0}),
        page="2.10",
        baseline=Level(CHANCE, "guessing among 8 symbols"),
        rival=Series("loss", "final loss of 30 pre-norm blocks", {"skip": "pre-norm"}),
        refuting_values={"loss": 1.0},
    ),
    claim_of("deep", "5 seeds, each with its own data, at the page's learning rate")(
        "Afterwards only 0.00002 is left, and this stack, like most of those we trained, has learned nothing.",
        lambda rows: (
            all_rows(lambda row: row["after"] < row["before"] / 50, **POST_NORM)(rows)
            and most_rows(lambda row: row["loss"] > CHANCE - 0.05, **POST_NORM)(rows)
        ),
        wrong_if="Wrong if, for any seed, training leaves at least a fiftieth of what was left of the first stream of "
        "post-norm, or for at least half of the seeds its final loss is 0.05 or more below guessing.",
        shows=Series("after", "share of the first stream left in post-norm after training", POST_NORM),
        page="0.00002",
        baseline=Series("before", "the same before training", POST_NORM),
        rival=Series("after", "the same with a skip weight of 8 after training", {"skip": 8}),
    ),
    claim_of("deep", "5 seeds, each with its own data: pre-norm and a skip weight of 8 keep their stream and learn")(
        "These two stacks keep far more of their first stream than post-norm does, and both learn.",
        lambda rows: (
            all_rows(lambda row: row["after"] > 0.05 and row["loss"] < CHANCE - 0.2, skip=[8, "pre-norm"])(rows)
            and most_rows(lambda row: row["loss"] < LEARNED, skip=[8, "pre-norm"])(rows)
        ),
        wrong_if="Wrong if, for any seed, pre-norm or the stack with a skip weight of 8 has at most 0.05 of its first "
        "stream left after training, or a final loss less than 0.2 below guessing, or half of them at least 2/3 of "
        "guessing.",
        shows=Series("loss", "final loss of 30 blocks, pre-norm", {"skip": "pre-norm"}),
        page="0.57",
        baseline=Series("loss", "final loss of 30 blocks, post-norm", POST_NORM),
        rival=Series("loss", "final loss of 30 blocks with a skip weight of 8", {"skip": 8}),
    ),
    claim_of("deep", "5 seeds, each with its own data; 50 more steps after training, with the dial at 1 or at 8")(
        "Now the stack begins to learn, whereas with the dial left at 1 it goes on guessing.",
        lambda rows: (
            all_rows(lambda row: row["loss_again_8"] < row["loss_again_1"] - 0.1, **POST_NORM)(rows)
            and most_rows(lambda row: row["loss_again_1"] > CHANCE - 0.1, **POST_NORM)(rows)
        ),
        wrong_if="Wrong if, for any seed, 50 more steps of post-norm with its dial at 8 end less than 0.1 below the "
        "loss of those with its dial at 1, or for at least half of the seeds the latter end 0.1 or more below "
        "guessing.",
        shows=Series("loss_again_8", "final loss after 50 more steps, with the dial at 8", POST_NORM),
        page="0.75",
        baseline=Series("loss_again_1", "the same with the dial at 1", POST_NORM),
    ),
    depth_claim(
        "At a quarter of the rate, the path stays open, and post-norm begins to learn.",
        all_rows(lambda row: row["after"] > 0.01 and row["loss"] < CHANCE - 0.1, skip=1, rate=2.5e-3),
        wrong_if="Wrong if, for any seed, at a quarter of the page's rate, at most 0.01 of the first stream of "
        "post-norm is left after training, or its final loss is at most 0.1 below that of guessing.",
        shows=Series("loss", "final loss of post-norm at a quarter of the rate", {"skip": 1, "rate": 2.5e-3}),
        page="1.29",
        baseline=Series("loss", "final loss of post-norm at the page's rate", POST_NORM),
    ),
    claim_of("reach", "5 groups of 20 seeds")(
        "So even at 64 tokens, attention reacts more strongly than the GRU with its gate held open.",
        all_rows(lambda row: row["attention_64"] > row["open_64"] and row["attention_2"] > 5 * row["open_2"]),
        wrong_if="Wrong if, in any group of seeds, the open GRU reacts as strongly as attention at 64 tokens, or a "
        "fifth as strongly at 2.",
        shows=Series("attention_64", "how strongly attention reacts to the first of 64 tokens"),
        baseline=Series("open_64", "the same for the GRU with its gate held open"),
    ),
    race_claim(
        "At **equal steps** the recurrent network is far ahead.",
        lambda rows: all(recurrent >= short + 0.3 for recurrent, short, _ in best_shares(rows)),
        wrong_if="Wrong if, for any seed, the recurrent network's best share of right dates after 100 steps is less "
        "than 0.3 above the Transformer's.",
        shows=Series("right", "dates that the recurrent network gets right", RECURRENT),
        page="0.96",
        baseline=Series("right", "dates that the Transformer gets right", TRANSFORMER | {"steps": 100}),
        best=ALL_RIGHT,
        refuting_values={"right": 0.5},
    ),
    claim_of("local", "5 seeds, 100 steps, about 33,400 parameters each")(
        "With its neighbours, the Transformer catches up in the same 100 steps, and most of that comes from knowing "
        "*which* characters are beside each other, even if it can't tell left from right.",
        lambda rows: all(
            both > recurrent - 0.1 and either - none > (both - none) / 2
            for recurrent, none, either, both in (
                [row["right"] for row in select_rows(rows, seed=seed)] for seed in SEEDS
            )
        ),
        wrong_if="Wrong if, for any seed, the Transformer with neighbours stays 0.1 or more behind the recurrent "
        "network, or gets no more than half of its gain from neighbours whose sides it can't tell apart.",
        shows=Series("right", "dates right with neighbours", {"kind": "left and right"}),
        page="0.92",
        baseline=Series("right", "dates right without neighbours", {"kind": "none"}),
        best=ALL_RIGHT,
        rival=Series("right", "dates that the recurrent network gets right", {"kind": "recurrent"}),
    ),
    claim_of("pace", "5 repetitions, one thread")(
        "We timed both on one core of our [benchmark](../pages/benchmark.md) machine: a training step takes the "
        "recurrent network about twice as long as it takes the Transformer.",
        all_rows(lambda row: 1.5 < row["ratio"] < 2.5, n=0),
        wrong_if="Wrong if, in any repetition, a step of the recurrent network takes at most 1.5 or at least 2.5 times "
        "as long as one of the Transformer.",
        shows=Series("ratio", "how many times as long a step of the recurrent network takes", {"n": 0}),
        baseline=EQUAL_PACE,
    ),
    race_claim(
        "So in **equal time** the Transformer gets 200 steps, which closes most of the gap.",
        lambda rows: all(best - long < (best - short) / 2 for best, short, long in best_shares(rows)),
        wrong_if="Wrong if, for any seed, the recurrent network is ahead of 200 steps of the Transformer by at least "
        "half of what it is ahead of 100 steps.",
        shows=Series("right", "dates right after 200 steps of the Transformer", TRANSFORMER | {"steps": 200}),
        page="0.77",
        baseline=Series("right", "dates right after 100 steps of the recurrent network", RECURRENT),
        best=ALL_RIGHT,
        refuting_values={"right": 0.9},
    ),
    claim_of("pace", "5 repetitions, one thread; a GRU and a block of width 64, four texts")(
        "At 16 tokens the GRU takes half as long again as the block, at 64 and 256 more than twice as long, and by "
        "1,024 the block's $n^2$ has eaten up most of its lead.",
        lambda rows: (
            all_rows(lambda row: 1 < row["ratio"] < 2, n=[16, 1024])(rows)
            and all_rows(lambda row: row["ratio"] > 1.25, n=16)(rows)
            and all_rows(lambda row: row["ratio"] > 2, n=[64, 256])(rows)
        ),
        wrong_if="Wrong if, in any repetition, the GRU takes at least twice the block's time with 16 or 1,024 tokens, "
        "at most 1.25 times with 16 or less time with 1,024, or at most twice its time with 64 or 256.",
        shows=Series("ratio", "how many times as long the GRU takes", {"n": [16, 64, 256, 1024]}),
        baseline=EQUAL_PACE,
    ),
    names_claim(
        "After 50 steps, the network has passed the bigram table, which knows only the last letter.",
        all_rows(lambda row: row["network"] < row["table_2"], steps=50),
        wrong_if="Wrong if, for any seed, the loss of the network after 50 steps is not below that of the bigram "
        "table.",
        shows=Series("network", "held-out loss after 50 steps", {"steps": 50}),
        page="2.25",
        baseline=Series("table_2", "held-out loss of the bigram table", {"steps": 50}),
        rival=Series("table_4", "held-out loss of the 4-gram table", {"steps": 50}),
    ),
    names_claim(
        "On new names, a 4-gram table is about as good as the network.",
        all_rows(lambda row: abs(row["network"] - row["table_4"]) < 0.08, steps=600),
        wrong_if="Wrong if, for any seed, the losses of the network and of the 4-gram table are at least 0.08 apart.",
        shows=Series("network", "held-out loss after 600 steps", {"steps": 600}),
        page="1.95",
        baseline=Series("table_2", "held-out loss of the bigram table", {"steps": 600}),
        rival=Series("table_4", "held-out loss of the 4-gram table", {"steps": 600}),
    ),
]
