"""Claims of chapter 9: what training on the next word puts into word vectors, and what maps of weights tell."""

import numpy as np
import torch

from attention_src.tasks import grammar_examples
from evidence.claims import SEEDS, Claim, Experiment, Level, Series, all_rows, grid, one_at_a_time, round_numbers

PAGE = {"rate": 1e-2, "steps": 400}


def draw_sentences(seed):
    """Return sentences of this seed to train on, and others to ask about."""
    return grammar_examples(4000, 500, seed=seed)


def to_tensors(sentences):
    return tuple(map(torch.tensor, sentences))


def measure_training(book, seed, rate, steps):
    """Measure one model before and after training, and the losses of counting words and of knowing the roles."""
    given, asked = draw_sentences(seed)
    test = to_tensors(asked)
    torch.manual_seed(seed)
    fresh, model = book.Next(), book.train(seed, rate=rate, steps=steps, given=given)
    pairs, _, mean = book.number(model)
    (good, share), (fresh_good, fresh_share) = book.allowed(model, asked), book.allowed(fresh, asked)
    return round_numbers({
        "start": book.loss(fresh, test).detach(), "loss": book.loss(model, test).detach(),
        "lowest": book.lowest(given, asked), "by_words": book.by_words(given, asked),
        "neighbour": book.neighbours(model), "fresh_neighbour": book.neighbours(fresh),
        "pairs": pairs, "fresh_pairs": book.number(fresh)[0], "mean": mean,
        "good": good, "fresh_good": fresh_good, "share": share, "fresh_share": fresh_share,
    })  # fmt: skip


def measure_large_vectors(book, seed, start, frozen, rate):
    """Measure a model that begins with vectors of this standard deviation, trained or frozen."""
    given, asked = draw_sentences(seed)
    model = book.train(seed, start=start, frozen=frozen, rate=rate, given=given)
    return round_numbers({"good": book.allowed(model, asked)[0], "neighbour": book.neighbours(model)})


def measure_shuffled_words(book, seed):
    """Train on sentences whose words come in any order, and on words of any sentence; START alone keeps its place."""
    given, _ = draw_sentences(seed)
    random, within, across = np.random.default_rng(seed), given.words.copy(), given.words.copy()
    for row, length in zip(within, given.lengths, strict=True):
        row[1:length] = random.permutation(row[1:length])
    place = np.arange(across.shape[1])
    is_word = (place > 0) & (place < given.lengths[:, None])
    across[is_word] = random.permutation(across[is_word])
    torch.manual_seed(seed)
    fresh = book.Next()
    model, mixed = (book.train(seed, given=given._replace(words=words)) for words in (within, across))
    return round_numbers({
        "neighbour": book.neighbours(model), "fresh_neighbour": book.neighbours(fresh),
        "anywhere": book.neighbours(mixed),
    })  # fmt: skip


def compare_models(book, seed):
    """Compare one model with four others, and with one that was trained on the filling too."""
    given, asked = draw_sentences(seed)
    test = to_tensors(asked)
    one, other = book.train(seed, given=given), book.train(seed + 1000, given=given)
    far = book.train(seed + 1000, given=draw_sentences(seed + 1000)[0])
    filled = book.train(seed, masked=False, given=given)
    torch.manual_seed(seed)
    others = {"other": other, "far": far, "fresh": book.Next(), "even": book.Even()}
    overlaps = {
        f"{name}_{what}": overlap
        for name, model in others.items()
        for what, overlap in zip(("answers", "same", "maps"), book.compare(one, model, asked), strict=True)
    }
    return round_numbers({
        **overlaps, "loss": book.loss(one, test).detach(), "filled": book.loss(filled, test).detach(),
        "reported": book.loss(filled, test, masked=False).detach(), "filled_good": book.allowed(filled, asked)[0],
    })  # fmt: skip


def measure_untrained(book, seed):
    """Measure the vectors of 100 untrained models."""
    torch.manual_seed(seed)
    models = [book.Next() for _ in range(100)]
    _, near, mean = np.mean([book.number(model) for model in models], axis=0)
    neighbour, probe = (np.mean([measure(model) for model in models]) for measure in (book.neighbours, book.probe))
    return round_numbers({"neighbour": neighbour, "probe": probe, "chance": book.chance, "near": near, "mean": mean})


EXPERIMENTS = {
    "trained": Experiment(
        measure_training,
        ("Next", "train", "loss", "lowest", "by_words", "neighbours", "number", "allowed"),
        one_at_a_time(PAGE, rate=[2.5e-3, 4e-2], steps=[25, 100]),
    ),
    "started": Experiment(
        measure_large_vectors,
        ("train", "neighbours", "allowed"),
        [
            {"seed": seed, "start": 1.0, "frozen": frozen, "rate": rate}
            for seed in SEEDS
            for frozen, rate in ((False, 1e-2), (True, 1e-2), (False, 4e-2))
        ],
    ),
    "shuffled": Experiment(measure_shuffled_words, ("Next", "train", "neighbours"), grid(seed=SEEDS)),
    "twins": Experiment(compare_models, ("Next", "Even", "train", "loss", "compare", "allowed"), grid(seed=SEEDS)),
    "drawn": Experiment(measure_untrained, ("Next", "neighbours", "probe", "number", "chance"), grid(seed=SEEDS)),
}

RATES = "5 seeds with sentences of their own; rates × 1/4, 1, 4; steps × 1/16, 1/4, 1"
FIVE = "5 seeds with sentences of their own, the page's rate and steps"
TRIPLES = "5 seeds with sentences of their own, several trainings each"
DRAWS = "5 seeds, 100 untrained models each"
LARGE = "5 seeds with sentences of their own, vectors fifty times as large"

UNIFORM_LOSS = Level(float(np.log(43)), "ln 43, the loss if all words are equally likely")
CHANCE = Level(0.13, "chance")
EVERY_WORD = Level(1, "every word")
UNTRAINED = Series("fresh_neighbour", "words with such a neighbour before training")
ROLES_KNOWN = Series("lowest", "loss of a predictor that knows the roles", PAGE)
WORDS_COUNTED = Series("by_words", "loss of a predictor that only counts words", PAGE)

CLAIMS = [
    Claim(
        "A little more is measured, since random outputs are not quite even.",
        "trained",
        "5 untrained models, sentences of their own",
        all_rows(lambda row: 0 < row["start"] - np.log(43) < 0.6),
        "An untrained model had a loss below ln 43, or more than 0.6 above it.",
        [{"start": 3.5}],
        Series("start", "loss before training", PAGE),
        UNIFORM_LOSS,
    ),
    Claim(
        "The vectors are independent draws: before training neighbour and probe are no better than chance.",
        "drawn",
        DRAWS,
        all_rows(lambda row: max(row["neighbour"], row["probe"]) < row["chance"] + 0.03),
        "In 100 untrained models, neighbour or probe was right more often than chance by 0.03 or more.",
        [{"neighbour": 0.3, "probe": 0.3, "chance": 0.13}],
        Series("neighbour", "words whose nearest neighbour has their role, untrained"),
        Series("chance", "chance"),
    ),
    Claim(
        "With five other starts and other sentences, also at a quarter and four times the rate, and with a quarter "
        "of the steps, at least nine in ten words had a neighbour of their role.",
        "trained",
        RATES,
        all_rows(lambda row: row["neighbour"] >= 0.9),
        "After one of these trainings, fewer than nine in ten words had a neighbour of their role.",
        [{"neighbour": 0.5}],
        Series("neighbour", "words whose nearest neighbour has their role"),
        UNTRAINED,
        EVERY_WORD,
    ),
    Claim(
        "which words meet in a sentence is enough.",
        "shuffled",
        "5 seeds with sentences of their own, their words in any order, and words from any sentence",
        all_rows(lambda row: row["neighbour"] >= 0.9 > 0.4 > row["anywhere"]),
        "With the words of each sentence shuffled, fewer than nine in ten words had a neighbour of their role, "
        "or four in ten still had one with words from any sentence.",
        [{"neighbour": 0.9, "anywhere": 0.9}],
        Series("neighbour", "words with a neighbour of their role, each sentence shuffled"),
        Series("anywhere", "words shuffled from sentence to sentence"),
        EVERY_WORD,
    ),
    Claim(
        "With five other starts, each training sentence shuffled, full stop included, "
        "at least nine in ten words had a neighbour of their role.",
        "shuffled",
        "5 seeds with sentences of their own, their words in any order",
        all_rows(lambda row: row["neighbour"] >= 0.9),
        "After training on shuffled sentences, fewer than nine in ten words had a neighbour of their role.",
        [{"neighbour": 0.3}],
        Series("neighbour", "words with a neighbour of their role, each sentence shuffled"),
        UNTRAINED,
        EVERY_WORD,
    ),
    Claim(
        "By the last two, untrained vectors are right less than half of the time:",
        "drawn",
        DRAWS,
        all_rows(lambda row: max(row["near"], row["mean"]) < 0.5),
        "By one of the two measures, untrained vectors told a verb's number half of the time.",
        [{"near": 0.5, "mean": 0.5}],
        Series("near", "verbs whose nearest verb has their number, untrained"),
        Level(0.5, "a coin"),
    ),
    Claim(
        "With five other starts and other sentences the eight pairs had a mean cosine of at least a half.",
        "trained",
        FIVE,
        all_rows(lambda row: row["pairs"] >= 0.5, **PAGE),
        "A trained model's eight pairs of verbs had a mean cosine below a half.",
        [{**PAGE, "pairs": 0.1}],
        Series("pairs", "mean cosine of the eight pairs", PAGE),
        Series("fresh_pairs", "mean cosine before training", PAGE),
        Level(1, "the same vector for both verbs of a pair"),
    ),
    Claim(
        "The nearest mean was right more often than the untrained 0.41 in all five.",
        "trained",
        FIVE,
        all_rows(lambda row: row["mean"] > 0.41, **PAGE),
        "In a trained model the nearest mean was right no more often than in untrained ones, 0.41.",
        [{**PAGE, "mean": 0.38}],
        Series("mean", "verbs to which the mean of their own number is nearer", PAGE),
        Level(0.41, "100 untrained models"),
        Level(1, "every verb"),
    ),
    Claim(
        "With five other starts and other sentences the likeliest word was allowed at 99 of 100 positions or more.",
        "trained",
        FIVE,
        all_rows(lambda row: row["good"] >= 0.99, **PAGE),
        "A trained model's most likely word was forbidden at more than one position in a hundred.",
        [{**PAGE, "good": 0.9}],
        Series("good", "positions whose most likely word is allowed", PAGE),
        Series("fresh_good", "before training", PAGE),
        Level(1, "every position"),
    ),
    Claim(
        "Allowed words together had at least 98 parts in 100 of the probability, "
        "and never quite all (1.00 is rounded).",
        "trained",
        FIVE,
        all_rows(lambda row: 0.98 <= row["share"] < 1, **PAGE),
        "A trained model gave the allowed words less than 98 parts in 100 of the probability, or all of it.",
        [{**PAGE, "share": 1.0}],
        Series("share", "probability of all allowed words", PAGE),
        Series("fresh_share", "before training", PAGE),
        Level(1, "all of the probability"),
    ),
    Claim(
        "The loss of these five came within three hundredths of that of one who knows the roles.",
        "trained",
        FIVE,
        all_rows(lambda row: abs(row["loss"] - row["lowest"]) <= 0.03, **PAGE),
        "A trained model's loss differed by more than 0.03 from that of a predictor that knows the roles.",
        [{**PAGE, "loss": 1.9, "lowest": 1.8}],
        Series("loss", "loss on new sentences", PAGE),
        WORDS_COUNTED,
        ROLES_KNOWN,
    ),
    Claim(
        "With five other starts at this rate, at least nine in ten words had a neighbour of their role after 25 steps, "
        "and the loss was at least a tenth above that of the roles.",
        "trained",
        "5 seeds with sentences of their own, 25 steps",
        all_rows(lambda row: row["neighbour"] >= 0.9 and row["loss"] >= row["lowest"] + 0.1, steps=25),
        "After 25 steps fewer than nine in ten words had a neighbour of their role, or the loss was already within "
        "a tenth of that of the roles.",
        [{"steps": 25, "neighbour": 0.5, "loss": 1.8, "lowest": 1.8}],
        Series("neighbour", "words with a neighbour of their role after 25 steps", {"steps": 25}),
        UNTRAINED,
        EVERY_WORD,
    ),
    Claim(
        "Counting words alone stays more than 1 above it.",
        "trained",
        "5 sets of sentences",
        all_rows(lambda row: row["by_words"] - row["lowest"] > 1),
        "Counting words came within 1 of the loss of a predictor that knows the roles.",
        [{"by_words": 2.0, "lowest": 1.8}],
        WORDS_COUNTED,
        UNIFORM_LOSS,
        ROLES_KNOWN,
    ),
    Claim(
        "With five other starts, too, the reported loss was at least a tenth lower than that of the masked training.",
        "twins",
        TRIPLES,
        all_rows(lambda row: row["reported"] <= row["loss"] - 0.1),
        "The loss that counts the filling was less than a tenth below that of the masked training.",
        [{"reported": 1.8, "loss": 1.8}],
        Series("reported", "reported loss, which counts the filling"),
        Series("loss", "loss of the masked training"),
    ),
    Claim(
        "On real words the two differed by less than five hundredths.",
        "twins",
        TRIPLES,
        all_rows(lambda row: abs(row["filled"] - row["loss"]) < 0.05 and row["filled_good"] > 0.98),
        "On real words the two losses differed by five hundredths or more.",
        [{"filled": 2.5, "loss": 1.8, "filled_good": 0.7}],
        Series("filled", "loss on real words, trained on the filling too"),
        UNIFORM_LOSS,
        Series("loss", "loss of the masked training"),
    ),
    Claim(
        "With five other starts of this size, trained or frozen, the likeliest word was allowed "
        "at 98 of 100 positions or more.",
        "started",
        LARGE + ", trained and frozen",
        all_rows(lambda row: row["good"] >= 0.98, rate=1e-2),
        "After such a start a model's most likely word was forbidden at more than two positions in a hundred.",
        [{"rate": 1e-2, "good": 0.7}],
        Series("good", "positions whose most likely word is allowed", {"rate": 1e-2}),
        Level(0.18, "a word drawn at random"),
        Level(1, "every position"),
    ),
    Claim(
        "Trained, at most six in ten words had a neighbour of their role after 400 steps at this rate.",
        "started",
        LARGE,
        all_rows(lambda row: row["neighbour"] <= 0.6, frozen=False, rate=1e-2),
        "After 400 steps from large vectors, more than six in ten words had a neighbour of their role.",
        [{"frozen": False, "rate": 1e-2, "neighbour": 1.0}],
        Series("neighbour", "words with a neighbour of their role", {"frozen": False, "rate": 1e-2}),
        CHANCE,
        EVERY_WORD,
    ),
    Claim(
        "At four times the rate more than six in ten had.",
        "started",
        LARGE + "; rate × 4",
        all_rows(lambda row: row["neighbour"] > 0.6, rate=4e-2),
        "At four times the rate, at most six in ten words had a neighbour of their role.",
        [{"rate": 4e-2, "neighbour": 0.4}],
        Series("neighbour", "words with a neighbour of their role at four times the rate", {"rate": 4e-2}),
        CHANCE,
        EVERY_WORD,
    ),
    Claim(
        "Frozen, at most three in ten.",
        "started",
        LARGE + ", frozen",
        all_rows(lambda row: row["neighbour"] <= 0.3, frozen=True),
        "More than three in ten frozen vectors had a neighbour of their role.",
        [{"frozen": True, "neighbour": 1.0}],
        Series("neighbour", "words with a neighbour of their role, vectors frozen", {"frozen": True}),
        CHANCE,
        EVERY_WORD,
    ),
    Claim(
        "With five other pairs the answers overlapped by at least nine tenths.",
        "twins",
        TRIPLES,
        all_rows(lambda row: row["other_answers"] >= 0.9),
        "The answers of two trained models overlapped by less than nine tenths.",
        [{"other_answers": 0.6}],
        Series("other_answers", "overlap of the answers of two trained models"),
        Series("fresh_answers", "overlap with an untrained model"),
        Level(1, "the same answers"),
    ),
    Claim(
        "Their maps were nearer to the floor than to 1.",
        "twins",
        TRIPLES,
        all_rows(lambda row: row["other_maps"] - row["even_maps"] < 1 - row["other_maps"]),
        "The maps of two trained models were nearer to 1, the same map, than to the baseline.",
        [{"other_maps": 0.95, "even_maps": 0.61}],
        Series("other_maps", "overlap of the maps of two trained models"),
        Series("even_maps", "overlap with a model that attends evenly"),
        Level(1, "the same maps"),
    ),
    Claim(
        "An untrained model and one that looks evenly are about the same floor.",
        "twins",
        TRIPLES,
        all_rows(lambda row: abs(row["fresh_maps"] - row["even_maps"]) < 0.05),
        "The overlap with an untrained model and that with a model that attends evenly were 0.05 or more apart.",
        [{"fresh_maps": 0.3, "even_maps": 0.6}],
        Series("fresh_maps", "overlap of the maps with those of an untrained model"),
        Series("even_maps", "overlap with a model that attends evenly"),
    ),
    Claim(
        "Over five other pairs, too, two models of the same sentences agreed more often on average "
        "than two models of different sentences.",
        "twins",
        TRIPLES,
        lambda rows: np.mean([row["other_same"] - row["far_same"] for row in rows]) > 0.03,
        "On average, two models of the same sentences agreed hardly more often than two models of different sentences.",
        [{"other_same": 0.3, "far_same": 0.35}],
        Series("other_same", "positions with the same most likely word, models of the same sentences"),
        Series("far_same", "models of different sentences"),
        Level(1, "every position"),
    ),
]
