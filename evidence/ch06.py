"""Claims of chapter 6: one head settles for one bit of two, nothing pulls it away, and two heads share the work."""

import numpy as np

from .claims import FIRST_SEED, Experiment, Level, Series, all_rows, claim_of, most_rows, one_at_a_time, round_numbers

PAGE = {"heads": 1, "kind": "plain", "rate": 0.01, "steps": 200}
ONE, TWO, FOUR = PAGE, PAGE | {"heads": 2}, PAGE | {"heads": 4}
BENT, NAMED = PAGE | {"kind": "bent"}, PAGE | {"kind": "named"}


def train_reader(book, seed, heads, kind, rate, steps):
    """Train a network; return its right answers, each bit, and what ablating a head costs."""
    read_out, layer = book.bend if kind == "bent" else None, book.NamedReader if kind == "named" else book.Reader
    model = book.train(heads, seed, steps, rate, read_out, layer)
    if kind != "plain":
        return round_numbers({"share": book.share_right(model)}, 2)
    layer = book.take_weights(model)
    good, on_names = book.score(layer, heads)
    row = {
        "share": good.all(axis=1).mean(),
        "worse_bit": good.mean(axis=0).min(),
        "better_bit": good.mean(axis=0).max(),
    }
    if heads > 1:
        row |= ablate_heads(book, layer, heads, on_names.argmax(axis=1).tolist()) | exchange_names(book, layer, heads)
    return round_numbers(row, 2)


def ablate_heads(book, layer, heads, jobs):
    """Return on how many names the heads are, and what is left of both bits without a head."""
    without = [book.score(layer, heads, [head])[0].mean(axis=0) for head in range(heads)]
    own = [bits.min() for bits, job in zip(without, jobs, strict=True) if jobs.count(job) == 1]
    return {
        "jobs": len(set(jobs)),
        "own_bit_without": max(own, default=-1),
        "other_bit_without": min(bits.max() for bits in without),
    }


def exchange_names(book, layer, heads):
    """Ask first B, then D, and first D, then B; return how the mean over the heads differs, and the answers."""
    asked, bits = np.array([[1, 3], [3, 1]]), np.array([[0, 1, 0, 0, 0]])
    logits, weights = book.answer(layer, heads, asked, np.arange(5)[None], bits)
    one, other = weights.mean(axis=1)
    is_exchanged = (logits > 0).tolist() == [[True, False], [False, True]]
    return {"mean_differs": abs(one - other).max(), "exchanged": is_exchanged}


def hold_read_out(book, seed):
    """Train one head; return its larger weight, and after training further with each softmax and each read-out."""
    model = book.train(1, seed)
    row = {"before": book.share_of_larger(book.take_weights(model))}
    for name, factor in book.softmaxes.items():
        for slope in book.other_bit:
            row[f"{name}, {slope}"] = book.go_on(model, seed, factor, slope)[1]
    return round_numbers(row | {"at_one": row["before"] > 0.9}, 3)


EXPERIMENTS = {
    "reader": Experiment(
        train_reader,
        ("torch", "train", "score", "answer", "bend", "share_right", "Reader", "NamedReader", "take_weights"),
        one_at_a_time(ONE, rate=[PAGE["rate"] / 4, PAGE["rate"] * 4], steps=[800])
        + one_at_a_time(TWO, rate=[PAGE["rate"] / 4, PAGE["rate"] * 4])
        + one_at_a_time(FOUR)
        + one_at_a_time(BENT, rate=[PAGE["rate"] * 4])
        + one_at_a_time(NAMED, steps=[800], heads=[2])
        + one_at_a_time(NAMED, range(3)),
    ),
    "held": Experiment(
        hold_read_out,
        ("torch", "train", "go_on", "softmaxes", "other_bit", "share_of_larger", "take_weights"),
        [{"seed": seed} for seed in range(FIRST_SEED, FIRST_SEED + 10)],
    ),
}

PLAIN = {"kind": "plain"}
ANY_ONE, ANY_TWO = PLAIN | {"heads": 1}, PLAIN | {"heads": 2}
TWO_HEADS = {"share": 1.0, "worse_bit": 1.0, "better_bit": 1.0, "jobs": 2, "own_bit_without": 0.5}
TWO_HEADS |= {"other_bit_without": 1.0, "mean_differs": 0.01, "exchanged": True}
AT_ONE, HELD = {"at_one": 1}, [(name, slope) for name in ("as it is", "looser") for slope in (0, 0.1, 0.3)]
ALL_RIGHT = Level(1, "all right")

rates_claim = claim_of("reader", "5 seeds; learning rate × ¼, × 1 and × 4")
reader_claim = claim_of("reader", "5 seeds")
CLAIMS = [
    claim_of("reader", "5 seeds; learning rate × ¼, × 1 and × 4; steps × 1 and × 4")(
        "With one head, training settles for one sure bit, and the other bit is no better than a guess.",
        holds=most_rows(lambda row: row["better_bit"] == 1 and row["worse_bit"] <= 0.55, **ANY_ONE),
        wrong_if="Wrong if at least half of the networks with one head make errors in both bits, or get the worse bit "
        "right in more than 55% of the cases.",
        shows=Series("better_bit", "the better bit right", ANY_ONE),
        page="1.000",
        baseline=Series("worse_bit", "the other bit right", ANY_ONE),
        best=ALL_RIGHT,
    ),
    rates_claim(
        "Given a second head, training finds the second question by itself.",
        holds=most_rows(lambda row: row["share"] == 1, **ANY_TWO),
        wrong_if="Wrong if at least half of the networks with two heads get some answer wrong.",
        shows=Series("share", "answers right with two heads", ANY_TWO),
        page="1.00",
        baseline=Series("share", "with one head", ANY_ONE),
        best=ALL_RIGHT,
    ),
    claim_of("held", "10 seeds, of which we count those that gave one name more than 90% of the weight")(
        "With Adam as the optimizer, what holds the weight at 1 is the flat read-out, not the softmax.",
        holds=all_rows(
            lambda row: all((row[f"{name}, {slope}"] > 0.9) == (slope == 0) for name, slope in HELD), **AT_ONE
        ),
        wrong_if="Wrong if, with the softmax as it is or loosened, any of these heads ends at 90% of the weight or "
        "less with a flat read-out, or above 90% with a slope of 0.1 or 0.3.",
        shows=Series("as it is, 0.1", "larger weight, with a slope of 0.1 and the softmax as it is", AT_ONE),
        page="0.67",
        baseline=Series("as it is, 0", "with a flat read-out and the softmax as it is", AT_ONE),
        rival=Series("looser, 0", "with a flat read-out and a looser softmax", AT_ONE),
    ),
    claim_of("reader", "5 seeds; learning rate × 1 and × 4")(
        "With such a read-out, one head gets every answer right at this learning rate, but not at four times the rate.",
        holds=all_rows(lambda row: (row["share"] == 1) == (row["rate"] == PAGE["rate"]), kind="bent"),
        wrong_if="Wrong if, at the page's learning rate, any network with one head and a read-out that bends gets "
        "some answer wrong, or at four times that rate, any gets all of them right.",
        shows=Series("share", "answers right with one head and a read-out that bends", BENT),
        page="1.00",
        baseline=Series("share", "with one head and a linear read-out", ONE),
        best=ALL_RIGHT,
        rival=Series("share", "with a read-out that bends, at four times the learning rate", BENT | {"rate": 0.04}),
    ),
    rates_claim(
        "Two heads divide the work: if you take one away, its bit falls to chance and the other bit stays right.",
        holds=all_rows(
            lambda row: row["jobs"] == 2 and row["own_bit_without"] <= 0.6 and row["other_bit_without"] >= 0.95,
            **ANY_TWO | {"share": 1},
        ),
        wrong_if="Wrong if, in any network with two heads that gets every answer right, both heads attend most to the "
        "same name, or the network with one head removed still gets that head's bit right in more than 60% of the "
        "cases, or the other bit in fewer than 95%.",
        shows=Series("own_bit_without", "a head's bit right with that head removed", ANY_TWO),
        page="0.50",
        baseline=Series("worse_bit", "with both heads", ANY_TWO),
        best=Level(0.5, "a coin toss"),
        rival=Series("other_bit_without", "the other bit right", ANY_TWO),
        refuting_values=TWO_HEADS | {"jobs": 1},
    ),
    claim_of("reader", "5 seeds and the page's three; steps × 1 and × 4")(
        "One head gets many answers wrong even when values carry names, whereas two heads usually get them all right.",
        holds=lambda rows: (
            all_rows(lambda row: row["share"] < 0.9, **NAMED | {"steps": [200, 800]})(rows)
            and most_rows(lambda row: row["share"] == 1, **NAMED | {"heads": 2})(rows)
        ),
        wrong_if="Wrong if, for any seed, one head gets at least 90% of the answers right, or if at least half of the "
        "networks with two heads get some answer wrong.",
        shows=Series("share", "answers right with one head", NAMED | {"steps": [200, 800]}),
        page="0.56",
        baseline=Series("share", "with two heads", NAMED | {"heads": 2}),
    ),
    reader_claim(
        "The mean is nearly the same for both questions, but the answers are swapped",
        holds=all_rows(lambda row: row["mean_differs"] <= 0.15 and row["exchanged"], **TWO),
        wrong_if="Wrong if, for any seed, asking for the two names in the opposite order changes a weight averaged "
        "over the heads by more than 0.15 or doesn't swap the answers.",
        shows=Series("mean_differs", "largest difference in the mean weights", TWO),
        baseline=Series("mean_differs", "with four heads, which need not divide the work evenly", FOUR),
        best=Level(0, "the same mean"),
        refuting_values=TWO_HEADS | {"mean_differs": 0.5},
    ),
]
