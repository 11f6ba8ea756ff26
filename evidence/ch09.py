"""Claims of chapter 9: what training on the next word puts into word vectors, and what maps of weights tell."""

import numpy as np
import torch

from attention_course.tasks import grammar_examples

from .claims import SEEDS, Experiment, Level, Series, all_rows, claim_of, grid, one_at_a_time, round_numbers

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
    "twins": Experiment(
        compare_models,
        ("Next", "Even", "train", "loss", "compare", "allowed"),
        grid(seed=range(SEEDS[0], SEEDS[0] + 10)),
    ),
}

LARGE = "5 seeds, each with its own sentences; initial vectors 50 times as large"

UNIFORM_LOSS = Level(float(np.log(43)), "ln 43, the loss if all words are equally likely")
CHANCE = Level(0.13, "chance")
EVERY_WORD = Level(1, "every word")
UNTRAINED = Series("fresh_neighbour", "the same share before training")

trained_claim = claim_of("trained", "5 seeds, each with its own sentences; the page's learning rate and steps")
shuffled_claim = claim_of(
    "shuffled", "5 seeds, each with its own sentences; words shuffled within each sentence, and across sentences"
)
twins_claim = claim_of("twins", "10 seeds, each with its own sentences and several trained models")
CLAIMS = [
    claim_of("trained", "5 untrained models, each with its own sentences")(
        "The measured loss is a little higher, since random outputs are not quite uniform.",
        holds=all_rows(lambda row: 0 < row["start"] - np.log(43) < 0.6),
        wrong_if="Wrong if, for any seed, the loss of the untrained model is at most ln 43, or at least 0.6 above it.",
        shows=Series("start", "loss before training", PAGE),
        page="3.98",
        baseline=UNIFORM_LOSS,
    ),
    claim_of("trained", "5 seeds, each with its own sentences; learning rate × 1/4, 1, 4; steps × 1/16, 1/4, 1")(
        "With five other seeds and other sentences, and also at a quarter and four times the learning rate and with a "
        "quarter of the steps, at least nine in ten words had a neighbour of their role.",
        holds=all_rows(lambda row: row["neighbour"] >= 0.9),
        wrong_if="Wrong if, for any seed, learning rate and number of steps, fewer than 90% of the words have a "
        "nearest neighbour with the same role after training.",
        shows=Series("neighbour", "share of words whose nearest neighbour has the same role"),
        page="1.00",
        baseline=UNTRAINED,
        best=EVERY_WORD,
    ),
    shuffled_claim(
        "it is enough to know which words occur together in a sentence. With five other seeds, and each training "
        "sentence shuffled, full stop included, at least nine in ten words had a neighbour of their role.",
        holds=all_rows(lambda row: row["neighbour"] >= 0.9 > 0.4 > row["anywhere"]),
        wrong_if="Wrong if, for any seed, fewer than 90% of the words have a nearest neighbour with the same role when "
        "words are shuffled within each sentence, or at least 40% have one when words are shuffled across sentences.",
        shows=Series("neighbour", "share of words whose nearest neighbour has the same role, sentences shuffled"),
        baseline=Series("anywhere", "the same share, words shuffled across sentences"),
        best=EVERY_WORD,
    ),
    trained_claim(
        "With five other seeds and other sentences the eight pairs had a mean cosine of at least a half.",
        holds=all_rows(lambda row: row["pairs"] >= 0.5, **PAGE),
        wrong_if="Wrong if, for any seed, the mean cosine similarity of the eight pairs is below 0.5 after training.",
        shows=Series("pairs", "mean cosine similarity of the eight pairs", PAGE),
        page="0.75",
        baseline=Series("fresh_pairs", "mean cosine similarity before training", PAGE),
        best=Level(1, "the same vector for both verbs of a pair"),
    ),
    trained_claim(
        "In all five, the nearest mean was right more often than the untrained baseline of 0.41.",
        holds=all_rows(lambda row: row["mean"] > 0.41, **PAGE),
        wrong_if="Wrong if, for any seed, the nearest mean is right for at most 41% of the verbs after training.",
        shows=Series("mean", "share of verbs that are nearer to the mean of their own number", PAGE),
        page="0.94",
        baseline=Level(0.41, "100 untrained models"),
        best=Level(1, "every verb"),
    ),
    trained_claim(
        "With five other seeds and other sentences the most likely word was allowed at 99 of 100 positions or more.",
        holds=all_rows(lambda row: row["good"] >= 0.99, **PAGE),
        wrong_if="Wrong if, for any seed, the trained model's likeliest word is allowed at fewer than 99% of the "
        "positions.",
        shows=Series("good", "share of positions at which the likeliest word is allowed", PAGE),
        page="1.000",
        baseline=Series("fresh_good", "before training", PAGE),
        best=Level(1, "every position"),
    ),
    trained_claim(
        "Allowed words together had at least 98 parts in 100 of the probability, and never quite all (1.00 is "
        "rounded).",
        holds=all_rows(lambda row: row["share"] >= 0.98, **PAGE),  # softmax never gives them all
        wrong_if="Wrong if, for any seed, the trained model gives all allowed words together less than 98% of the "
        "probability.",
        shows=Series("share", "probability of all allowed words", PAGE),
        page="1.00",
        baseline=Series("fresh_share", "before training", PAGE),
        best=Level(1, "all of the probability"),
    ),
    trained_claim(
        "The loss of these five came within three hundredths of the loss of the predictor that knows the roles.",
        holds=all_rows(lambda row: abs(row["loss"] - row["lowest"]) <= 0.03, **PAGE),
        wrong_if="Wrong if, for any seed, the loss of the trained model differs by more than 0.03 from the loss of a "
        "predictor that knows the roles.",
        shows=Series("loss", "loss on new sentences", PAGE),
        page="1.80",
        baseline=Series("by_words", "loss of a predictor that only counts words", PAGE),
        rival=Series("lowest", "loss of a predictor that knows the roles", PAGE),
    ),
    claim_of("trained", "5 seeds, each with its own sentences; 25 steps")(
        "With five other seeds at this rate, at least nine in ten words had a neighbour of their role after 25 steps, "
        "and the loss was at least a tenth above that of the predictor that knows the roles.",
        holds=all_rows(lambda row: row["neighbour"] >= 0.9 and row["loss"] >= row["lowest"] + 0.1, steps=25),
        wrong_if="Wrong if, for any seed, after 25 steps fewer than 90% of the words have a nearest neighbour with the "
        "same role, or the loss is less than 0.1 above the loss of a predictor that knows the roles.",
        shows=Series(
            "neighbour", "share of words whose nearest neighbour has the same role after 25 steps", {"steps": 25}
        ),
        page="1.00",
        baseline=UNTRAINED,
        best=EVERY_WORD,
    ),
    twins_claim(
        "With ten other seeds, the reported loss was also at least a tenth lower than with the masked loss.",
        holds=all_rows(lambda row: row["reported"] <= row["loss"] - 0.1),
        wrong_if="Wrong if, for any seed, the loss reported by the training that counts the padding is less than 0.1 "
        "below the loss of the masked training.",
        shows=Series("reported", "reported loss, which counts the padding"),
        page="1.55",
        baseline=Series("loss", "loss of the masked training"),
    ),
    twins_claim(
        "On real words the two differed by less than five hundredths.",
        holds=all_rows(lambda row: abs(row["filled"] - row["loss"]) < 0.05 and row["filled_good"] > 0.98),
        wrong_if="Wrong if, for any seed, the two losses on real words differ by at least 0.05, or after training that "
        "counts the padding the likeliest word is allowed in at most 98% of the positions.",
        shows=Series("filled", "loss on real words when training counts the padding"),
        page="1.80",
        baseline=UNIFORM_LOSS,
        rival=Series("loss", "loss of the masked training"),
    ),
    claim_of("started", LARGE + ", trained and frozen")(
        "With five other seeds and this initialisation, trained or frozen, the most likely word was allowed at 98 of "
        "100 positions or more.",
        holds=all_rows(lambda row: row["good"] >= 0.98, rate=1e-2),
        wrong_if="Wrong if, for any seed, a model with large initial vectors, trained or frozen, has an allowed "
        "likeliest word at fewer than 98% of the positions.",
        shows=Series("good", "share of positions at which the likeliest word is allowed", {"rate": 1e-2}),
        baseline=Level(0.18, "a word drawn at random"),
        best=Level(1, "every position"),
    ),
    claim_of("started", LARGE)(
        "With trained vectors, at most six in ten words had a neighbour of their role after 400 steps at this rate.",
        holds=all_rows(lambda row: row["neighbour"] <= 0.6, frozen=False, rate=1e-2),
        wrong_if="Wrong if, for any seed, more than 60% of the words have a nearest neighbour with the same role after "
        "large initial vectors are trained for 400 steps at the page's learning rate.",
        shows=Series(
            "neighbour", "share of words whose nearest neighbour has the same role", {"frozen": False, "rate": 1e-2}
        ),
        baseline=CHANCE,
        best=EVERY_WORD,
        refuting_values={"neighbour": 1.0},
    ),
    claim_of("started", LARGE + "; learning rate × 4")(
        "At four times the rate, more than six in ten did.",
        holds=all_rows(lambda row: row["neighbour"] > 0.6, rate=4e-2),
        wrong_if="Wrong if, for any seed, at most 60% of the words have a nearest neighbour with the same role after "
        "large initial vectors are trained at four times the page's learning rate.",
        shows=Series(
            "neighbour",
            "share of words whose nearest neighbour has the same role at four times the learning rate",
            {"rate": 4e-2},
        ),
        baseline=CHANCE,
        best=EVERY_WORD,
    ),
    twins_claim(
        "With ten other pairs the answers overlapped by at least nine tenths.",
        holds=all_rows(lambda row: row["other_answers"] >= 0.9),
        wrong_if="Wrong if, for any pair of trained models, the overlap of the answers is less than 0.9.",
        shows=Series("other_answers", "overlap of the answers of two trained models"),
        page="0.96",
        baseline=Series("fresh_answers", "overlap with an untrained model"),
        best=Level(1, "the same answers"),
    ),
    twins_claim(
        "Their maps were nearer to the baseline than to 1.",
        holds=all_rows(lambda row: row["other_maps"] - row["even_maps"] < 1 - row["other_maps"]),
        wrong_if="Wrong if, for any pair of trained models, the overlap of the maps is at least as near to 1 as to the "
        "overlap with a model that attends evenly.",
        shows=Series("other_maps", "overlap of the maps of two trained models"),
        page="0.64",
        baseline=Series("even_maps", "overlap with a model that attends evenly"),
        best=Level(1, "the same maps"),
        refuting_values={"other_maps": 0.95},
    ),
    twins_claim(
        "An untrained model and one with uniform attention give about the same baseline.",
        holds=all_rows(lambda row: abs(row["fresh_maps"] - row["even_maps"]) < 0.05),
        wrong_if="Wrong if, for any seed, the overlap of a trained model's maps with those of an untrained model "
        "differs by at least 0.05 from their overlap with those of a model that attends evenly.",
        shows=Series("fresh_maps", "overlap of the maps with those of an untrained model"),
        page="0.61",
        baseline=Series("even_maps", "overlap with a model that attends evenly"),
        refuting_values={"fresh_maps": 0.3},
    ),
]
