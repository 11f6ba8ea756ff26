"""Claims of chapter 8: what the ball's patch fetches, what breaks it, and a convolutional net beside it."""

import torch

from attention_src.patches import patchify, unpatchify
from attention_src.tasks import football_examples
from attention_src.vit import VisionTransformer
from tools.claims import SEEDS, Claim, Experiment, Fell, around, grid, most, spread, spreads, where


def scenes(book, seed, count=6000):
    """Scenes of this seed: tensors to train on and to ask about, and both as arrays."""
    train_set, held_out = football_examples(count, 1000, seed=seed)
    return book.tensors(train_set), book.tensors(held_out), train_set, held_out


def any_order(seed):
    return torch.randperm(25, generator=torch.Generator().manual_seed(seed))


def rounded(row):
    return {name: round(float(value), 4) for name, value in row.items()}


def look(book, seed, rate):
    """Train one model and try all interventions of the page on it."""
    data, test, train_set, held_out = scenes(book, seed)
    goal = torch.tensor(held_out.goal)
    model = book.striker(data, seed, rate)
    weights = book.on_goal(model, test, goal).mean(0)
    best, common_place = int(weights.argmax()), book.floors(train_set, held_out)
    ball, rest, own = book.asked_by(model, test, goal)
    rows = book.ball_rows(model, test)
    distance, fresh = book.by_distance(model), book.by_distance(book.Striker())
    exchanges = {f"{what}_{part}": (what, part) for what in ("position", "look") for part in ("keys", "values")}
    answers = {name: book.follows(model, test, goal, *pair, seed) for name, pair in exchanges.items()}
    whole = book.follows(model, test, goal, "look", "nothing", seed)
    bystander = book.follows(model, test, (goal + 1) % 25, "position", "keys and values", seed)
    return rounded({
        "right": book.accuracy(model, test), "common": common_place[0], "place": common_place[1],
        "best": weights[best], "other": weights[1 - best], "untrained": book.on_goal(book.Striker(), test, goal).mean(),
        "largest_best": rows[:, best].max(-1).values.mean(), "largest_other": rows[:, 1 - best].max(-1).values.mean(),
        "from_ball": ball, "from_rest": rest, "from_goal": own,
        "best_off": book.without_head(model, best, test), "other_off": book.without_head(model, 1 - best, test),
        **{f"{name}_old": old for name, (old, _) in answers.items()},
        **{f"{name}_new": new for name, (_, new) in answers.items()},
        "whole_old": whole[0], "whole_new": whole[1], "bystander_old": bystander[0],
        "scattered": book.accuracy(model, book.scattered(test, any_order(seed))),
        "near": distance[0], "far": max(distance[5:]), "flat": max(map(abs, fresh[:5])),
        "afar": book.from_afar(model, test, goal)[1],
    })  # fmt: skip


def scarce(book, seed, rate):
    """Both nets on 250 scenes."""
    few, test, train_set, held_out = scenes(book, seed, 250)
    nets = {"striker": book.Striker, "conv": book.Conv}
    right = {name: book.score(kind, few, test, seed, rate) for name, kind in nets.items()}
    return rounded({**right, "place": book.floors(train_set, held_out)[1]})


def torn(book, seed, rate, steps):
    """The convolutional net on scattered scenes, and on whole ones with 400 steps."""
    data, test, train_set, held_out = scenes(book, seed)
    order = any_order(seed)
    mad = book.score(book.Conv, book.scattered(data, order), book.scattered(test, order), seed, rate, steps)
    whole = book.score(book.Conv, data, test, seed, rate, steps) if steps <= 400 else 1.0
    return rounded({"scattered": mad, "whole": whole, "place": book.floors(train_set, held_out)[1]})


def exact(book, seed, patch):
    """Identities on random pictures and models: what should be 0 or 1 for any of them."""
    torch.manual_seed(seed)
    rows, columns, colours, width = (int(n) for n in torch.randint(2, 6, (4,)))
    images = torch.randn(3, rows * patch, columns * patch, colours)
    patches = patchify(images, patch)
    again = unpatchify(patches, patch, rows * patch, columns * patch)
    strips = images.reshape(3, rows * columns, -1)
    conv = torch.nn.Conv2d(colours, width, patch, stride=patch)
    matrix = conv.weight.permute(2, 3, 1, 0).reshape(-1, width)
    convolved = conv(images.movedim(-1, 1)).flatten(2).mT
    side = int(torch.randint(4, 20, (1,)))
    many, few = ((n * n + 1) ** 2 for n in (2 * side, side))
    vit = VisionTransformer(side * 4, 4, 3, 12, 1, 2, 16)
    (data, test, *_), order = scenes(book, seed, 200), any_order(seed)
    blind, start = book.Striker(), book.Striker()
    blind.positions.requires_grad_(False).zero_()
    mad = book.renumbered(start, order)
    with torch.no_grad():
        whole, renumbered = start(*test[:2])[0], mad(*book.scattered(test, order)[:2])[0]
    book.train(blind, data, seed, steps=10)
    book.train(start, data, seed, steps=10), book.train(mad, book.scattered(data, order), seed, steps=10)
    with torch.no_grad():
        alone = blind(*test[:2])[0]
        trained, other = start(*test[:2])[0], mad(*book.scattered(test, order)[:2])[0]
    answer = torch.bincount(test[2]).max() / 1000
    return {
        "undone": float((again - images).abs().max()), "strips": float((strips - patches).abs().max() > 0),
        "same_numbers": float(strips.flatten().sort().values.equal(patches.flatten().sort().values)),
        "conv": round(float((patches @ matrix + conv.bias - convolved).detach().abs().max()), 9),
        "times": round(many / few, 3), "tokens": vit.positions.shape[0] - side * side,
        "blind": round(float((alone - alone[0]).abs().max()), 9),
        "blind_right": round(float(book.accuracy(blind, test)), 4), "common": round(float(answer), 4),
        "renumbered": round(float((whole - renumbered).abs().max()), 9),
        "trained": round(float((trained - other).abs().max()), 5),
    }  # fmt: skip


LOOKS = (
    *("tensors", "accuracy", "Striker", "striker", "floors", "on_goal", "ball_rows", "asked_by", "without_head"),
    *("follows", "scattered", "by_distance", "from_afar"),
)
EXPERIMENTS = {
    "look": Experiment(
        look,
        LOOKS,
        around({"rate": 5e-3}, rate=[1.25e-3, 2e-2]),
    ),
    "scarce": Experiment(
        scarce, ("tensors", "floors", "score", "Striker", "Conv"), grid(seed=SEEDS, rate=[5e-3, 2e-2])
    ),
    "torn": Experiment(
        torn,
        ("tensors", "floors", "score", "scattered", "Conv"),
        around({"rate": 1e-2, "steps": 400}, steps=[1200]),
    ),
    "exact": Experiment(
        exact,
        ("tensors", "accuracy", "Striker", "train", "scattered", "renumbered"),
        grid(seed=SEEDS, patch=[2, 3, 4]),
    ),
}

ALL = "5 seeds with scenes of their own; rates × 1/4, 1, 4"
FIVE = "5 seeds with scenes of their own, the page's rate"
DRAWS = "5 seeds × 3 sizes of patch, random sizes, pictures and models"


def page(rows):
    """The rows at the page's rate."""
    return where(rows, rate=5e-3)


SAID = {  # what the page of claims calls a number
    "right": "right",
    "best": "better head",
    "untrained": "untrained",
    "from_rest": "asked by the other patches",
    "from_ball": "by the ball",
    "from_goal": "by the goal itself",
    "best_off": "right without the better head",
    "other_off": "without the other",
    "position_values_new": "to the new place, exchanged in the values,",
    "position_values_old": "to the old one",
    "position_keys_old": "to the old place, exchanged in the keys,",
    "position_keys_new": "to the new one",
    "whole_new": "to the new place, nothing exchanged,",
    "whole_old": "to the old place, nothing exchanged,",
    "bystander_old": "to the old place",
    "look_keys_new": "to the new place, look exchanged in the keys,",
    "look_values_new": "in the values",
    "scattered": "right, scattered,",
    "near": "neighbours",
    "far": "far ones",
    "flat": "at most",
    "afar": "weight on a far goal",
    "striker": "Striker",
    "conv": "Conv",
    "place": "ball's position",
    "whole": "whole",
}


def told(*columns, rows=page, words=""):
    """The range of some columns, in words."""
    return lambda all_rows: words + spreads(rows(all_rows), columns, SAID)


def everything(rows):
    return rows


def best_rate(rows, net):
    """The mean over the seeds at the rate where it is largest."""
    at = [[row[net] for row in where(rows, rate=rate)] for rate in {row["rate"] for row in rows}]
    return max(sum(right) / len(right) for right in at)


def width(rows, net):
    """From the worst to the best start at the larger rate."""
    right = [row[net] for row in where(rows, rate=2e-2)]
    return max(right) - min(right)


def chance(rows):
    return f"commonest direction {spread(rows, 'common')}, ball's position {spread(rows, 'place')}"


CLAIMS = [
    Claim(
        "With five other starts, and scenes of their own, at least 99 of 100 were right.",
        "look",
        FIVE,
        lambda rows: all(row["right"] >= 0.99 for row in page(rows)),
        [{"rate": 5e-3, "right": 0.6}],
        told("right"),
        chance,
        "1",
    ),
    Claim(
        "In most of them the better head gave the goal at least nine tenths of its weight.",
        "look",
        FIVE,
        lambda rows: most(page(rows), lambda row: row["best"] >= 0.9),
        [{"rate": 5e-3, "best": 0.2}],
        told("best"),
        told("untrained", rows=everything),
        "1",
    ),
    Claim(
        "An untrained head gives the goal about its even share.",
        "look",
        ALL,
        lambda rows: all(abs(row["untrained"] - 1 / 26) < 0.015 for row in rows),
        [{"untrained": 0.3}],
        told("untrained", rows=everything),
        "even weights 0.04",
    ),
    Claim(
        "With most other starts, too, the other patches gave the goal at least nine tenths of their weight.",
        "look",
        FIVE,
        lambda rows: most(page(rows), lambda row: row["from_rest"] >= 0.9),
        [{"rate": 5e-3, "from_rest": 0.04}],
        told("from_rest", "from_ball", "from_goal"),
        "even weights 0.04",
    ),
    Claim(
        "With five other starts every model lost at least a third of its answers without the goal finder.",
        "look",
        FIVE,
        lambda rows: all(row["best_off"] <= 2 / 3 for row in page(rows)),
        [{"rate": 5e-3, "best_off": 0.9, "other_off": 0.95}],
        told("best_off", "other_off"),
        chance,
    ),
    Claim(
        "With five other starts at least nine of ten answers followed the position in the values.",
        "look",
        FIVE,
        lambda rows: all(row["position_values_new"] >= 0.9 for row in page(rows)),
        [{"rate": 5e-3, "position_values_new": 0.1}],
        told("position_values_new", "position_values_old"),
        told("whole_new"),
        "1",
    ),
    Claim(
        "At least nine of ten stayed as they were when it was exchanged in the keys.",
        "look",
        FIVE,
        lambda rows: all(row["position_keys_old"] >= 0.9 for row in page(rows)),
        [{"rate": 5e-3, "position_keys_old": 0.3}],
        told("position_keys_old", "position_keys_new"),
        ceiling=told("whole_old"),
    ),
    Claim(
        "Exchanging the positions of two patches without the goal, in keys and values, "
        "left at least 95 of 100 as they were.",
        "look",
        FIVE,
        lambda rows: all(row["bystander_old"] >= 0.95 for row in page(rows)),
        [{"rate": 5e-3, "bystander_old": 0.5}],
        told("bystander_old"),
        ceiling=told("whole_old"),
    ),
    Claim(
        "At a quarter (from most starts) and four times the rate, most answers followed positions exchanged in "
        "the values, not those in the keys.",
        "look",
        ALL,
        lambda rows: all(row["position_values_new"] > 0.5 > row["position_keys_new"] for row in rows),
        [{"position_values_new": 0.3, "position_keys_new": 0.6}],
        told("position_values_new", "position_keys_new", rows=everything),
        told("whole_new", rows=everything),
    ),
    Claim(
        "With the five other starts, too, more answers followed the look in the keys than in the values.",
        "look",
        FIVE,
        lambda rows: all(row["look_keys_new"] > row["look_values_new"] for row in page(rows)),
        [{"rate": 5e-3, "look_keys_new": 0.1, "look_values_new": 0.1}],
        told("look_keys_new", "look_values_new"),
        told("whole_new"),
    ),
    Claim(
        "At a quarter of the rate, from most starts, fewer than half followed the look in the keys.",
        "look",
        "5 seeds with scenes of their own, a quarter of the rate",
        lambda rows: most(where(rows, rate=1.25e-3), lambda row: row["look_keys_new"] < 0.5),
        [{"rate": 1.25e-3, "look_keys_new": 0.9}],
        lambda rows: told("look_keys_new", "look_values_new", rows=everything)(where(rows, rate=1.25e-3)),
        told("whole_new", rows=everything),
    ),
    Claim(
        "It was so with five other starts, each with another random order, at three rates.",
        "look",
        ALL,
        lambda rows: all(row["scattered"] < row["place"] for row in rows),
        [{"scattered": 0.9, "place": 0.46}],
        told("scattered", rows=everything),
        chance,
    ),
    Claim(
        "At a quarter and four times the learning rate, too, neighbours came out alike and patches six or more steps "
        "(rows plus columns) apart unlike.",
        "look",
        ALL,
        lambda rows: all(row["near"] > 0.2 and row["far"] < -0.2 for row in rows),
        [{"near": 0.1, "far": -0.1}],
        told("near", "far", rows=everything),
        told("flat", rows=everything, words="untrained, either way: "),
    ),
    Claim(
        "With most of five other starts a far goal got at least nine tenths of the weight.",
        "look",
        FIVE,
        lambda rows: most(page(rows), lambda row: row["afar"] >= 0.9),
        [{"rate": 5e-3, "afar": 0.1}],
        told("afar"),
        "even weights 0.04",
        "1",
    ),
    Claim(
        "With five other starts, each net at its better rate of the two, the convolutional net was ahead on average.",
        "scarce",
        "5 seeds with scenes of their own, 2 rates, 250 scenes",
        lambda rows: best_rate(rows, "conv") > best_rate(rows, "striker"),
        [{"rate": 2e-2, "striker": 0.9, "conv": 0.8}],
        told("striker", "conv", rows=everything),
        told("place", rows=everything),
        "1",
    ),
    Claim(
        "At the larger rate the convolutional net had mostly at least nine tenths right, "
        "and the Transformer's results lay further apart.",
        "scarce",
        "5 seeds with scenes of their own, 2 rates, 250 scenes",
        lambda rows: (
            most(where(rows, rate=2e-2), lambda row: row["conv"] >= 0.9)
            and width(rows, "striker") > width(rows, "conv")
        ),
        [{"rate": 2e-2, "striker": 0.9, "conv": 0.3, "place": 0.4}],
        lambda rows: told("striker", "conv", rows=everything)(where(rows, rate=2e-2)),
        told("place", rows=everything),
        "1",
    ),
    Claim(
        "With five other starts at this rate, each with an order of its own, the net had at least nine tenths right "
        "after 1,200 steps.",
        "torn",
        "5 seeds with scenes and an order of their own; steps × 1, 3",
        lambda rows: all(row["scattered"] >= 0.9 for row in where(rows, steps=1200)),
        [{"steps": 1200, "scattered": 0.5}],
        lambda rows: spread(where(rows, steps=1200), "scattered"),
        told("place", rows=everything),
        "1",
    ),
    Claim(
        "After 400 steps each of them had fewer right than the same net on whole pictures.",
        "torn",
        "5 seeds with scenes and an order of their own",
        lambda rows: all(row["scattered"] < row["whole"] for row in where(rows, steps=400)),
        [{"steps": 400, "scattered": 0.99, "whole": 0.98}],
        lambda rows: told("scattered", "whole", rows=everything)(where(rows, steps=400)),
        told("place", rows=everything),
        "1",
    ),
    Claim(
        "the same numbers come out as strips of the picture and not as squares.",
        "exact",
        DRAWS,
        lambda rows: all(row["strips"] == 1 and row["same_numbers"] == 1 for row in rows),
        [{"strips": 0.0, "same_numbers": 1.0}],
        lambda rows: f"in {sum(row['strips'] == 1 for row in rows)} of {len(rows)} draws",
    ),
    Claim(
        "`unpatchify` puts the patches together again and gives the picture back.",
        "exact",
        DRAWS,
        lambda rows: all(row["undone"] == 0 for row in rows),
        [{"undone": 1.0}],
        lambda rows: f"largest difference {max(row['undone'] for row in rows):g}",
    ),
    Claim(
        "If the kernel is as large as a patch and moves by a whole patch at a time, it is the same.",
        "exact",
        DRAWS,
        lambda rows: all(row["conv"] == 0 for row in rows),
        [{"conv": 0.2}],
        lambda rows: f"largest difference {max(row['conv'] for row in rows):.9f}",
    ),
    Claim(
        "Half the patch size makes four times the patches and here nearly *sixteen* times the weights.",
        "exact",
        "pictures of 4 to 19 patches a side",
        lambda rows: all(14 < row["times"] < 16 and row["tokens"] == 1 for row in rows),
        [{"times": 4.0, "tokens": 1}],
        lambda rows: f"{spread(rows, 'times')} times",
    ),
    Claim(
        "Without **position vectors** every scene gets one and the same answer.",
        "exact",
        "15 starts, scenes of their own, 10 steps of training",
        lambda rows: all(row["blind"] == 0 for row in rows),
        [{"blind": 0.4}],
        lambda rows: f"largest difference of two scenes {max(row['blind'] for row in rows):.9f}",
    ),
    Claim(
        "So no training can bring such a model above the commonest direction.",
        "exact",
        "15 starts, scenes of their own, 10 steps of training",
        lambda rows: all(row["blind_right"] <= row["common"] for row in rows),
        [{"blind_right": 0.5, "common": 0.18}],
        lambda rows: spread(rows, "blind_right"),
        ceiling=lambda rows: f"commonest direction {spread(rows, 'common')}",
    ),
    Claim(
        "Let each patch take its position vector along, and the model is the one we had",
        "exact",
        "15 starts, scenes and orders of their own",
        lambda rows: all(row["renumbered"] == 0 for row in rows),
        [{"renumbered": 0.3}],
        lambda rows: f"largest difference {max(row['renumbered'] for row in rows):.9f}",
    ),
    Claim(
        "Training keeps them equal: start two models in this way, train one on whole and one on scattered pictures "
        "for ten steps, and their answers agree.",
        "exact",
        "15 starts, scenes and orders of their own",
        lambda rows: all(row["trained"] < 1e-4 for row in rows),
        [{"trained": 0.3}],
        lambda rows: f"largest difference {max(row['trained'] for row in rows):.5f}",
    ),
]
SETTLED = {
    "The second patch is the upper right square: 13, 14 and under them 23, 24.": "computed",
    "At 16 there are $14 \\times 14 = 196$ patches of $16 \\cdot 16 \\cdot 3 = 768$ numbers.": "derived",
    "For single pixels one head's table would hold 2,517,731,329 weights.": "computed",
    "16 × 16 is the size of a patch in *pixels*, not the number of patches.": "cited",
    "Foot and goal give about half as much each.": "computed",
    "is the position of none of the four: it is their average with these weights.": "computed",
    "The pixels of that patch show a ball and nothing of the goal.": "derived",
    "All 1,000 are right, from each of three starts, and one head has turned into a goal finder.": "computed",
    "The goal itself asks less.": "computed",
    "Without the other head at least 0.90 is right in these three runs, rounded.": "computed",
    "Positions exchanged in the keys: the answers stay.": "computed",
    "Positions exchanged in the values: the answers go to the new direction.": "computed",
    "Exchanged in the keys, 0.64 of the answers go to the new direction": "computed",
    "and every scene is the same set of patches.": "derived",
    "The position vectors start at random, so every order of them is equally likely.": "derived",
    "No order of patches is harder for this model than another.": "derived",
    "Alike near, unlike far": "computed",
    "With 250 scenes the convolutional net is ahead at both rates here.": "computed",
    "A 3 × 3 convolution sees the direct neighbours, so four of them reach across all 5 × 5 patches.": "derived",
    "found convolutional nets ahead on smaller data sets": "cited",
    "Attention can reach every patch in the first block.": "derived",
}
FELL = [
    Fell(
        "A convolutional net is built for neighbours and lost without them",
        "with scattered patches 0.52 after 400 steps, 0.98 after 1,200",
        "It is slower: it needs more steps.",
    ),
    Fell(
        "which of the two needs less data depends on the question",
        "which of the two is ahead on few scenes turned over with the learning rate",
        "What is said about few scenes is said at two rates.",
    ),
    Fell(
        "**Predict** what weight an empty patch of meadow gives to the goal.",
        "the number printed was the mean of all 25 patches, and the goal's own is less",
        "Three numbers: the ball, the other 23 patches, the goal itself.",
    ),
    Fell(
        "without the other head little is lost: the weights told the truth this time.",
        "over five starts 0.788 to 0.985 are right without it",
        "Both numbers for three starts, and what held in five others.",
    ),
    Fell(
        "The goal's patch *answers* (key), and what is handed over (value) is where it stands.",
        "it was said and not shown",
        "An intervention moves the position in the keys alone and in the values alone.",
    ),
    Fell(
        "The rate matters more than the net: it moves each of them by more than they lie apart.",
        "in one run; with five other starts the nets lie up to 0.56 apart at the larger rate",
        "Each net at its better rate, and how far the results lie apart.",
    ),
    Fell(
        "So the head finds the goal by its look, and what it hands over is the goal's position.",
        "with the looks exchanged, a third of the answers do not go the way that this says",
        "Position and look are exchanged, each for keys and for values, and all four results are printed.",
    ),
    Fell(
        "A model that learned whole pictures has fewer right on scattered ones than the ball's position alone tells.",
        "two patches exchanged are an order, too: 0.83 to 0.96 right in 30 draws",
        "The order of the page, and five others drawn at random.",
    ),
    Fell(
        "Alike when near, opposite when far",
        "opposite is −1 on this measure; the mean of the farthest patches is above it",
        "Alike when near, unlike when far",
    ),
    Fell(
        "Without the goal finder about as much is right as the ball's position tells (0.46).",
        "0.38, 0.38 and 0.45 in the three runs of the page",
        "no more is right than the ball's position tells",
    ),
    Fell(
        "But the players tell nothing about the goal here.",
        "the best answer from the ball is right in 0.427, from ball and players in 0.437",
        "But the players tell hardly anything about the goal here.",
    ),
    Fell(
        "scattered ones: the 25 patches in another order",
        "with all patches moved on by one 0.65 are right, with two exchanged 0.94",
        "in a random order",
    ),
    Fell(
        "A convolutional net learns scattered patches too, and needs more steps.",
        "at four times the rate 0.27 after 1,200 steps",
        "A convolutional net learned them too here, with more steps.",
    ),
    Fell(
        "At a quarter of the rate and at four times, most answers followed positions",
        "with one of ten starts 0.38 did, 0.34 stayed",
        "At a quarter of the rate, from most starts, and at four times, most answers followed positions",
    ),
    Fell(
        "At a quarter of the rate fewer than half of the answers followed the look in the keys.",
        "with two of ten starts 0.73 and 0.54 did",
        "At a quarter of the rate, from most starts, fewer than half followed the look in the keys.",
    ),
    Fell(
        "nearly all in one head, much less in the other",
        "with one of four other starts both heads found the goal, 1.00 and 0.91",
        "nearly all in one head, less in the other",
    ),
    Fell(
        "In each of them the better head gave the goal at least nine tenths of its weight.",
        "one of ten more gave it 0.70",
        "In most of them",
    ),
    Fell(
        "With the five other starts, too, the other patches gave the goal at least nine tenths of their weight.",
        "with two of ten more they gave 0.86 and 0.62",
        "With most other starts, too",
    ),
    Fell(
        "With five other starts at least 95 of 100 answers followed the position in the values.",
        "with one of ten more 92 of 100 did, and as many stayed as they were when it was exchanged in the keys",
        "at least nine of ten answers followed the position in the values.",
    ),
    Fell(
        "With five other starts a far goal got at least nine tenths of the weight.",
        "with two of ten more it got 0.88 and 0.75",
        "With most of five other starts",
    ),
    Fell(
        "At the larger rate the convolutional net had at least nine tenths right in all five",
        "one of ten more had 0.81",
        "mostly at least nine tenths right",
    ),
]
