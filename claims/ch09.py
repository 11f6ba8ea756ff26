"""Claims of chapter 9: what training on the next word puts into word vectors, and what maps of weights tell."""

import numpy as np
import torch

from attention_src.tasks import grammar_examples
from tools.claims import SEEDS, Claim, Experiment, Fell, around, grid, spread, spreads, where


def sentences(seed):
    """Sentences of this seed to train on, and others to ask about."""
    return grammar_examples(4000, 500, seed=seed)


def rounded(row):
    return {name: round(float(value), 4) for name, value in row.items()}


def trained(book, seed, rate, steps):
    """One model before and after training: its vectors, its answers, its loss, and the floors of each."""
    given, asked = sentences(seed)
    torch.manual_seed(seed)
    fresh, model = book.Next(), book.train(seed, rate=rate, steps=steps, given=given)
    test = tuple(map(torch.tensor, asked))
    pairs, near, mean = book.number(model)
    (good, share), (fresh_good, fresh_share) = book.allowed(model, asked), book.allowed(fresh, asked)
    return rounded({
        "start": book.loss(fresh, test).detach(), "loss": book.loss(model, test).detach(),
        "lowest": book.lowest(given, asked), "by_words": book.by_words(given, asked),
        "neighbour": book.neighbours(model), "probe": book.probe(model),
        "fresh_neighbour": book.neighbours(fresh), "fresh_probe": book.probe(fresh),
        "pairs": pairs, "near": near, "mean": mean, "fresh_pairs": book.number(fresh)[0],
        "good": good, "share": share, "fresh_good": fresh_good, "fresh_share": fresh_share,
    })  # fmt: skip


def started(book, seed, start, frozen, rate):
    """A model from vectors of another size, trained or frozen."""
    given, asked = sentences(seed)
    model = book.train(seed, start=start, frozen=frozen, rate=rate, given=given)
    return rounded({
        "good": book.allowed(model, asked)[0], "neighbour": book.neighbours(model), "probe": book.probe(model),
        "loss": book.loss(model, tuple(map(torch.tensor, asked))).detach(), "lowest": book.lowest(given, asked),
    })  # fmt: skip


def shuffled(book, seed):
    """The same training, but the words of every sentence come in any order; START alone stays where it is.

    And once more with words from any sentence, so that nothing is left but how often each occurs.
    """
    given, _ = sentences(seed)
    random, words, anywhere = np.random.default_rng(seed), given.words.copy(), given.words.copy()
    for row, length in zip(words, given.lengths, strict=True):
        row[1:length] = random.permutation(row[1:length])
    place = np.arange(words.shape[1])
    spoken = (place > 0) & (place < given.lengths[:, None])
    anywhere[spoken] = random.permutation(anywhere[spoken])
    torch.manual_seed(seed)
    fresh = book.Next()
    model, mixed = (book.train(seed, given=given._replace(words=some)) for some in (words, anywhere))
    return rounded({
        "neighbour": book.neighbours(model), "probe": book.probe(model), "fresh_neighbour": book.neighbours(fresh),
        "anywhere": book.neighbours(mixed),
    })  # fmt: skip


def twins(book, seed):
    """Two models of the same sentences, one of others, one trained on the filling too; what the same map is worth."""
    given, asked = sentences(seed)
    test = tuple(map(torch.tensor, asked))
    one, other = book.train(seed, given=given), book.train(seed + 1000, given=given)
    far = book.train(seed + 1000, given=sentences(seed + 1000)[0])
    filled = book.train(seed, masked=False, given=given)
    torch.manual_seed(seed)
    row = {}
    for name, rival in {"other": other, "far": far, "fresh": book.Next(), "even": book.Even()}.items():
        row |= dict(
            zip((f"{name}_answers", f"{name}_same", f"{name}_maps"), book.compare(one, rival, asked), strict=True)
        )
    return rounded(row | {
        "loss": book.loss(one, test).detach(), "filled": book.loss(filled, test).detach(),
        "reported": book.loss(filled, test, masked=False).detach(), "filled_good": book.allowed(filled, asked)[0],
    })  # fmt: skip


def drawn(book, seed):
    """What holds of any draw: untrained vectors, weights of equal values, the range of an overlap."""
    torch.manual_seed(seed)
    generator = np.random.default_rng(seed)
    fresh = [book.Next() for _ in range(100)]
    numbers = np.mean([book.number(model) for model in fresh], axis=0)
    n = int(generator.integers(3, 9))
    value, weights = generator.normal(size=(n, 4)), generator.dirichlet(np.ones(n))
    value[1] = value[0]
    swapped = weights[[1, 0, *range(2, n)]]
    p, q = torch.tensor(generator.dirichlet(np.ones(n), size=(2, 50)))
    clueless = book.Next()
    torch.nn.init.zeros_(clueless.out.weight), torch.nn.init.zeros_(clueless.out.bias)
    _, asked = sentences(seed)
    follow = {words[length - 1] for words, length in zip(*asked, strict=True)}
    sixteen = book.overlap(p, p)
    apart = book.overlap(torch.eye(n)[:1], torch.eye(n)[1:2])
    return rounded({
        "neighbour": np.mean([book.neighbours(model) for model in fresh]), "chance": book.chance,
        "probe": np.mean([book.probe(model) for model in fresh]),
        "near": numbers[1], "mean": numbers[2], "pairs": numbers[0],
        "swap": abs(weights @ value - swapped @ value).max(), "moved": abs(weights - swapped).max(),
        "same": sixteen.min(), "disjoint": apart.max(),
        "low": book.overlap(p, q).min(), "high": book.overlap(p, q).max(),
        "clueless": book.loss(clueless, tuple(map(torch.tensor, asked))).detach() - np.log(43), "ends": len(follow),
    })  # fmt: skip


USES = ("Next", "train", "loss", "lowest", "by_words", "neighbours", "probe", "number", "allowed")
EXPERIMENTS = {
    "trained": Experiment(trained, USES, around({"rate": 1e-2, "steps": 400}, rate=[2.5e-3, 4e-2], steps=[25, 100])),
    "started": Experiment(
        started,
        ("train", "loss", "lowest", "neighbours", "probe", "allowed"),
        [
            {**case, **how}
            for case in grid(seed=SEEDS)
            for how in (
                {"start": 1.0, "frozen": False, "rate": 1e-2},
                {"start": 1.0, "frozen": True, "rate": 1e-2},
                {"start": 1.0, "frozen": False, "rate": 4e-2},
            )
        ],
    ),
    "shuffled": Experiment(shuffled, ("Next", "train", "neighbours", "probe"), grid(seed=SEEDS)),
    "twins": Experiment(twins, ("Next", "Even", "train", "loss", "compare", "allowed"), grid(seed=SEEDS)),
    "drawn": Experiment(
        drawn,
        ("Next", "loss", "neighbours", "probe", "number", "chance", "overlap"),
        grid(seed=SEEDS),
    ),
}

RATES = "5 seeds with sentences of their own; rates × 1/4, 1, 4"
FIVE = "5 seeds with sentences of their own, the page's rate"
PAIRS = "5 seeds with sentences of their own, three trainings each"
DRAWS = "5 seeds, 100 untrained models each"


def page(rows):
    """The rows at the page's rate and steps."""
    return where(rows, rate=1e-2, steps=400)


def everything(rows):
    return rows


SAID = {  # what the page of claims calls a number
    "start": "loss",
    "loss": "loss",
    "lowest": "the lowest",
    "by_words": "counting words",
    "neighbour": "neighbour",
    "probe": "probe",
    "fresh_neighbour": "untrained: neighbour",
    "anywhere": "words from any sentence: neighbour",
    "fresh_probe": "untrained: probe",
    "chance": "chance",
    "near": "nearest verb",
    "mean": "nearest mean",
    "pairs": "pairs",
    "fresh_pairs": "untrained",
    "good": "likeliest allowed",
    "share": "probability of allowed words",
    "fresh_good": "untrained",
    "fresh_share": "untrained",
    "reported": "reported",
    "filled": "loss, trained on the filling too,",
    "filled_good": "likeliest allowed",
    "low": "lowest",
    "high": "highest",
    "other_answers": "answers",
    "fresh_answers": "untrained",
    "other_maps": "maps",
    "fresh_maps": "untrained",
    "even_maps": "looks evenly",
    "other_same": "same likeliest word: same sentences",
    "far_same": "other sentences",
    "fresh_same": "untrained",
}


def told(*columns, rows=everything):
    """The range of some columns, in words."""
    return lambda all_rows: spreads(rows(all_rows), columns, SAID)


CLAIMS = [
    Claim(
        "A model without any idea gives each of $C$ words the probability $1/C$, a loss of $\\ln C$.",
        "drawn",
        "5 models whose outputs are all 0, sentences of their own",
        lambda rows: all(abs(row["clueless"]) < 1e-4 for row in rows),
        [{"clueless": 0.5}],
        lambda rows: f"differs from ln 43 by {max(abs(row['clueless']) for row in rows):.4f} at most",
    ),
    Claim(
        "A little more is measured, since random outputs are not quite even.",
        "trained",
        RATES,
        lambda rows: all(0 < row["start"] - np.log(43) < 0.6 for row in rows),
        [{"start": 3.5}],
        told("start"),
        "ln 43 = 3.76",
    ),
    Claim(
        "The vectors are independent draws: before training neighbour and probe are no better than chance.",
        "drawn",
        DRAWS,
        lambda rows: all(max(row["neighbour"], row["probe"]) < row["chance"] + 0.03 for row in rows),
        [{"neighbour": 0.3, "probe": 0.3, "chance": 0.13}],
        told("neighbour", "probe"),
        told("chance"),
    ),
    Claim(
        "With five other starts and other sentences, also at a quarter and four times the rate, and with a quarter "
        "of the steps, at least nine in ten words had a neighbour of their role.",
        "trained",
        RATES + "; steps × 1/16, 1/4",
        lambda rows: all(row["neighbour"] >= 0.9 for row in rows),
        [{"neighbour": 0.5}],
        told("neighbour", "probe"),
        told("fresh_neighbour", "fresh_probe"),
        "1",
    ),
    Claim(
        "which words meet in a sentence is enough.",
        "shuffled",
        "5 seeds with sentences of their own, their words in any order, and words from any sentence",
        lambda rows: all(row["neighbour"] >= 0.9 > 0.4 > row["anywhere"] for row in rows),
        [{"neighbour": 0.9, "anywhere": 0.9}],
        told("neighbour"),
        told("anywhere"),
        "1",
    ),
    Claim(
        "With five other starts, each training sentence shuffled, full stop included, "
        "at least nine in ten words had a neighbour of their role.",
        "shuffled",
        "5 seeds with sentences of their own, their words in any order",
        lambda rows: all(row["neighbour"] >= 0.9 for row in rows),
        [{"neighbour": 0.3}],
        told("neighbour", "probe"),
        told("fresh_neighbour"),
        "1",
    ),
    Claim(
        "By the last two, untrained vectors are right less than half of the time:",
        "drawn",
        DRAWS,
        lambda rows: all(max(row["near"], row["mean"]) < 0.5 for row in rows),
        [{"near": 0.5, "mean": 0.5}],
        told("near", "mean"),
    ),
    Claim(
        "With five other starts and other sentences the eight pairs had a mean cosine of at least a half.",
        "trained",
        FIVE,
        lambda rows: all(row["pairs"] >= 0.5 for row in page(rows)),
        [{"rate": 1e-2, "steps": 400, "pairs": 0.1}],
        told("pairs", rows=page),
        told("fresh_pairs"),
        "1",
    ),
    Claim(
        "The nearest mean was right more often than the untrained 0.41 in all five.",
        "trained",
        FIVE,
        lambda rows: all(row["mean"] > 0.41 for row in page(rows)),
        [{"rate": 1e-2, "steps": 400, "mean": 0.38}],
        told("mean", "near", rows=page),
        "untrained 0.41 and 0.45",
        "1",
    ),
    Claim(
        "With five other starts and other sentences the likeliest word was allowed at 99 of 100 positions or more.",
        "trained",
        FIVE,
        lambda rows: all(row["good"] >= 0.99 for row in page(rows)),
        [{"rate": 1e-2, "steps": 400, "good": 0.9}],
        told("good", rows=page),
        told("fresh_good"),
        "1",
    ),
    Claim(
        "Allowed words together had at least 98 parts in 100 of the probability, "
        "and never quite all (1.00 is rounded).",
        "trained",
        FIVE,
        lambda rows: all(0.98 <= row["share"] < 1 for row in page(rows)),
        [{"rate": 1e-2, "steps": 400, "share": 1.0}],
        lambda rows: f"{spread(page(rows), 'share', 4)} of the probability",
        told("fresh_share"),
        "1",
    ),
    Claim(
        "The loss of these five came within three hundredths of that of one who knows the roles.",
        "trained",
        FIVE,
        lambda rows: all(abs(row["loss"] - row["lowest"]) <= 0.03 for row in page(rows)),
        [{"rate": 1e-2, "steps": 400, "loss": 1.9, "lowest": 1.8}],
        told("loss", rows=page),
        told("by_words"),
        told("lowest", rows=page),
    ),
    Claim(
        "With five other starts at this rate, at least nine in ten words had a neighbour of their role after 25 steps, "
        "and the loss was at least a tenth above that of the roles.",
        "trained",
        "5 seeds with sentences of their own, 25 steps",
        lambda rows: all(
            row["neighbour"] >= 0.9 and row["loss"] >= row["lowest"] + 0.1 for row in where(rows, steps=25)
        ),
        [{"steps": 25, "neighbour": 0.5, "loss": 1.8, "lowest": 1.8}],
        lambda rows: told("neighbour", "loss")(where(rows, steps=25)),
        told("fresh_neighbour"),
        told("lowest"),
    ),
    Claim(
        "Counting words alone stays more than 1 above it.",
        "trained",
        FIVE,
        lambda rows: all(row["by_words"] - row["lowest"] > 1 for row in rows),
        [{"by_words": 2.0, "lowest": 1.8}],
        told("by_words", "lowest"),
    ),
    Claim(
        "With five other starts, too, the reported loss was at least a tenth lower than that of the masked training.",
        "twins",
        PAIRS,
        lambda rows: all(row["reported"] <= row["loss"] - 0.1 for row in rows),
        [{"reported": 1.8, "loss": 1.8}],
        told("reported", "loss"),
    ),
    Claim(
        "On real words the two differed by less than five hundredths.",
        "twins",
        PAIRS,
        lambda rows: all(abs(row["filled"] - row["loss"]) < 0.05 and row["filled_good"] > 0.98 for row in rows),
        [{"filled": 2.5, "loss": 1.8, "filled_good": 0.7}],
        told("filled", "loss", "filled_good"),
    ),
    Claim(
        "With five other starts of this size, trained or frozen, the likeliest word was allowed "
        "at 98 of 100 positions or more.",
        "started",
        "5 seeds with sentences of their own, trained and frozen",
        lambda rows: all(row["good"] >= 0.98 for row in where(rows, rate=1e-2)),
        [{"rate": 1e-2, "good": 0.7}],
        told("good", "loss", rows=lambda rows: where(rows, rate=1e-2)),
        ceiling=told("lowest"),
    ),
    Claim(
        "Trained, at most six in ten words had a neighbour of their role after 400 steps at this rate.",
        "started",
        "5 seeds with sentences of their own",
        lambda rows: all(row["neighbour"] <= 0.6 for row in where(rows, frozen=False, rate=1e-2)),
        [{"frozen": False, "rate": 1e-2, "neighbour": 1.0}],
        lambda rows: spread(where(rows, frozen=False, rate=1e-2), "neighbour"),
        "chance 0.13",
        "1",
    ),
    Claim(
        "At four times the rate more than six in ten had.",
        "started",
        "5 seeds with sentences of their own; rate × 4",
        lambda rows: all(row["neighbour"] > 0.6 for row in where(rows, rate=4e-2)),
        [{"rate": 4e-2, "neighbour": 0.4}],
        lambda rows: spread(where(rows, rate=4e-2), "neighbour"),
        "chance 0.13",
        "1",
    ),
    Claim(
        "Frozen, at most three in ten.",
        "started",
        "5 seeds with sentences of their own",
        lambda rows: all(row["neighbour"] <= 0.3 for row in where(rows, frozen=True)),
        [{"frozen": True, "neighbour": 1.0}],
        lambda rows: spread(where(rows, frozen=True), "neighbour"),
        "chance 0.13",
        "1",
    ),
    Claim(
        "if two words hand over the same value, their weights may be exchanged and nothing changes:",
        "drawn",
        "5 draws of 3 to 8 words, weights and values",
        lambda rows: all(row["swap"] == 0 and row["moved"] > 0 for row in rows),
        [{"swap": 0.2, "moved": 0.3}],
        lambda rows: f"output {max(row['swap'] for row in rows):.4f}, weights {spread(rows, 'moved')}",
    ),
    Claim(
        "1 means the same row, 0 no weight in common.",
        "drawn",
        "5 × 50 random rows",
        lambda rows: all(
            row["same"] == 1 and row["disjoint"] == 0 and 0 <= row["low"] <= row["high"] <= 1 for row in rows
        ),
        [{"same": 0.5, "disjoint": 0.5, "low": -1.0, "high": 2.0}],
        told("low", "high"),
        "0",
        "1",
    ),
    Claim(
        "With five other pairs the answers overlapped by at least nine tenths.",
        "twins",
        PAIRS,
        lambda rows: all(row["other_answers"] >= 0.9 for row in rows),
        [{"other_answers": 0.6}],
        told("other_answers"),
        told("fresh_answers"),
        "1",
    ),
    Claim(
        "Their maps were nearer to the floor than to 1.",
        "twins",
        PAIRS,
        lambda rows: all(row["other_maps"] - row["even_maps"] < 1 - row["other_maps"] for row in rows),
        [{"other_maps": 0.95, "even_maps": 0.61}],
        told("other_maps"),
        told("fresh_maps", "even_maps"),
        "1",
    ),
    Claim(
        "An untrained model and one that looks evenly are about the same floor.",
        "twins",
        PAIRS,
        lambda rows: all(abs(row["fresh_maps"] - row["even_maps"]) < 0.05 for row in rows),
        [{"fresh_maps": 0.3, "even_maps": 0.6}],
        told("fresh_maps", "even_maps"),
    ),
    Claim(
        "Over five other pairs, too, two models of the same sentences agreed more often on average "
        "than two models of different sentences.",
        "twins",
        PAIRS,
        lambda rows: np.mean([row["other_same"] - row["far_same"] for row in rows]) > 0.03,
        [{"other_same": 0.3, "far_same": 0.35}],
        told("other_same", "far_same"),
        told("fresh_same"),
        "1",
    ),
]
SETTLED = {
    "In this grammar *dog* and *cat* may stand in exactly the same places.": "derived",
    "words with like surroundings have like meanings": "cited",
    "The roles so far, nothing else, decide what may come next.": "derived",
    "Nobody labels anything; the text is its own answer": "derived",
    "A loss at the start far from $\\ln C$ is a reason to look for a bug.": "cited",
    "On the 500 held-out sentences the roles give 1.797.": "computed",
    "*sleeps* and *sleep* differ in number, but what may come **after** them is the same.": "derived",
    "*every* word's nearest neighbour has its role, for these three random starts.": "computed",
    "Rounded, the likeliest word is always allowed, for these three.": "computed",
    "The reported loss is lower, 1.55": "computed",
    "On real words the loss is 1.80, as before": "computed",
    "itself draws them with a standard deviation of 1": "cited",
    "Frozen vectors say which word it is, and nothing about its role": "derived",
    "The first two are **self-supervised** (자기 지도): no labels are needed.": "derived",
    "Next-token prediction is one kind of self-supervision, not another thing beside it.": "derived",
    "the answers agree to 0.96, the maps to 0.64": "computed",
    "an untrained model overlaps with the trained one by 0.61, and so does one that looks evenly": "computed",
    "the first position can look only at START": "derived",
    "looked, within a trained model of text, for very different weights with the same answer, and found them": "cited",
    "also compared models from other seeds, and replied that this does not prove maps useless as explanations": "cited",
    "With all 12 equally likely, the surprise is:": "derived",
}
FELL = [
    Fell(
        "from where words stand and nothing else",
        "with the words of every training sentence shuffled all words had a neighbour of their role",
        "With each sentence's words shuffled, training gave it, too.",
    ),
    Fell(
        "Trained, at most six in ten words had a neighbour of their role after 400 steps. Frozen",
        "large vectors, four times the rate: 0.81 and 0.90 in two runs of another program",
        "after 400 steps at this rate.",
    ),
    Fell(
        "A guess is right half of the time:",
        "leaving one out, untrained vectors are right in 0.41",
        "The untrained floor of each question is printed beside the score.",
    ),
    Fell(
        "still a trace tells them apart, though the nearest neighbour does not.",
        "the nearest neighbour among the verbs of its kind has the same number in 0.69 to 0.88",
        "Both questions are asked, and their untrained floors printed.",
    ),
    Fell(
        "*sleeps* and *sleep* have become nearly one",
        "over eight pairs 0.75 to 0.79 on average",
        "The mean over all eight pairs, and what is left of the number.",
    ),
    Fell(
        "Always grammatical, at a loss of 1.8 and not 0",
        "the likeliest word is; words drawn from the model are not always",
        "The likeliest word is allowed; the probability of allowed words is printed, and the lowest loss, 1.797.",
    ),
    Fell(
        "(which of several equally likely words comes out on top is chance)",
        "0.54 with the same sentences, 0.27 with others",
        "Two models learn the same chance frequencies of the same sentences.",
    ),
    Fell(
        "in this pair more than a third of the weight lies elsewhere",
        "true, but an untrained model has 0.61",
        "The overlap stands beside its two floors.",
    ),
    Fell(
        "drawn at random and small, like everything else in the model.",
        "the word vectors are smaller than positions and matrices",
        "drawn at random.",
    ),
    Fell(
        "agree twice as often: some nouns come more often in a sample by chance, and both models learn that.",
        "at the nouns the two models of the page agree in 0.16, as by chance; at determiners in 0.81, at the full stop "
        "always",
        "Both have learned something of the chances of their sample.",
    ),
    Fell(
        "What the vectors learn here is the part of speech. These sentences can teach no more",
        "something of a verb's number is left in its vector, and models learn some chances of their sample",
        "It shows what these sentences can teach, and what not.",
    ),
    Fell(
        "Even with all 12 alike the surprise there is",
        "with all 12 equally likely the surprise is at its largest",
        "With all 12 equally likely, the surprise is:",
    ),
    Fell(
        "The figure shows one head of each for one sentence",
        "it shows the first head of each; crossed, the heads overlap a little more, 0.640 and not 0.637",
        "The figure shows the first head of each, and the page says that the other pairing fits better.",
    ),
    Fell(
        "But words of one role stand in the same places, all of them.",
        "*sleeps* and *sleep* are counted as one role and stand in other places",
        "But what may follow is the same for *all* words of one role.",
    ),
    Fell(
        "grammar as before, most neighbours of other roles",
        "up to six in ten words had a neighbour of their role in five other starts",
        "grammar as before, far fewer neighbours of the same role",
    ),
    Fell(
        "any two rows of weights over few words overlap a good deal.",
        "8 of 100 rows overlap by less than 0.3, the least by 0.14",
        "overlap a good deal on average, unless they are sharp.",
    ),
    Fell(
        "can learn the roles of any vectors",
        "not of equal vectors, which no matrix tells apart",
        "can learn the roles of random vectors",
    ),
    Fell(
        "But any two rows of weights over few words overlap.",
        "of 2,000 pairs the least overlap is 0.003 for scores of size 2, and 0.000 for size 5",
        "But soft rows of weights over few words overlap a good deal on average.",
    ),
]
