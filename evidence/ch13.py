"""Evidence for chapter 13: what a small model of a novel copies, which heads matter, and when it repeats itself."""

import numpy as np

from attention_course.machine import Machine
from attention_course.novel import cut_pieces, cut_words, read_novel

from .claims import SEEDS, Experiment, Series, all_rows, claim_of, grid, round_numbers

BEGINNINGS = ["Captain Ahab", "The whale", "Queequeg", "I"]


def draw_passages(seed, count, letters):
    """Return passages of the held-out pages, each with so many letters."""
    _, held_out = read_novel()
    starts = np.random.default_rng(seed).integers(len(held_out) - letters, size=count)
    return [held_out[start : start + letters] for start in starts.tolist()]


def measure_copying(book, seed):
    """Return how long the longest copied passages are, of the machine's pages and of Melville's, and its new words."""
    texts = Machine("prose").write(20, seed, 0.8)
    lengths = [np.mean([*map(len, book.copied(some))]) for some in (texts, draw_passages(seed, 20, len(texts[0])))]
    known = {word.strip() for word in cut_words(read_novel()[0])}
    words = [word.strip() for text in texts for word in cut_words(text)]
    return round_numbers(
        {"machine": lengths[0], "melville": lengths[1], "new": np.mean([word not in known for word in words])}
    )


def measure_heads(book, seed):
    """Return what single heads cost on other passages, and the weight of head 2 of block 1 on the piece before."""
    machine, passages = Machine("prose"), draw_passages(seed, 6, 200)
    lost = book.try_heads(lambda one: book.mean_surprise(one, passages))
    first, second, *rest = np.sort(lost.ravel())[::-1]
    back = np.mean([machine.look(text)[0, 1].diagonal(-1).mean() for text in passages])
    return round_numbers({"before": lost[0, 1], "first": first, "second": second, "third": rest[0], "weight": back})


def measure_names(book, seed):
    """Return the surprise at made-up names after the same name and after another one."""
    random, machine = np.random.default_rng(seed), Machine("prose")
    pieces = [*{piece for piece in cut_pieces(read_novel()[1][:20_000], machine.merges) if piece.islower()}]
    names = ["".join(random.choice(sorted(pieces), 3)).title() for _ in range(20)]
    same = [book.surprise_at(machine, name, name) for name in names]
    other = [book.surprise_at(machine, name, before) for name, before in zip(names, np.roll(names, 1), strict=True)]
    return round_numbers({"same": np.mean(same), "other": np.mean(other), "helps": 1 - np.mean(same) / np.mean(other)})


def measure_repeating(book, seed, beginning):
    """Return how often the last five pieces have been in the text before, near temperature 0 and at 1."""
    found = {}
    for name, temperature in (("cold", 0.01), ("mild", 1)):
        numbers = book.write(Machine("prose"), beginning, 115, temperature, seed)
        fives = [*zip(*(numbers[i:] for i in range(5)), strict=False)]
        found[name] = np.mean([five in fives[:i] for i, five in enumerate(fives)])
    return round_numbers(found)


EXPERIMENTS = {
    "copying": Experiment(measure_copying, ("copied",), grid(seed=SEEDS)),
    "heads": Experiment(measure_heads, ("try_heads", "mean_surprise"), grid(seed=SEEDS)),
    "names": Experiment(measure_names, ("surprise_at",), grid(seed=SEEDS)),
    "repeating": Experiment(measure_repeating, ("write",), grid(seed=SEEDS, beginning=BEGINNINGS)),
}

heads = claim_of("heads", "5 draws of six held-out passages")
CLAIMS = [
    claim_of("repeating", "5 seeds, 4 beginnings, 115 pieces each")(
        "at 0.01 the machine repeats itself",
        all_rows(lambda row: row["cold"] > 0.1 and row["mild"] < 0.02),
        wrong_if="Wrong if, for any seed and beginning, at most 10% of all stretches of five pieces have been in the "
        "text before at temperature 0.01, or at least 2% at temperature 1.",
        shows=Series("cold", "stretches that were there before, at 0.01"),
        baseline=Series("mild", "at temperature 1"),
    ),
    heads(
        "Without head 2 of block 1, a piece surprises the machine by 0.38 more on average",
        all_rows(lambda row: row["before"] == row["first"] > 2 * row["second"]),
        wrong_if="Wrong if, for any draw, another head costs more, or the next one at least half as much.",
        shows=Series("before", "surprise that is added without head 2 of block 1"),
        page="0.38",
        baseline=Series("second", "without the head that costs most after it"),
        refuting_values={"first": 0.5},
    ),
    heads(
        "**Switching off any one of the other fourteen costs next to nothing.**",
        all_rows(lambda row: 4 * row["third"] < row["before"]),
        wrong_if="Wrong if, for any draw, a third head costs a quarter as much as head 2 of block 1.",
        shows=Series("third", "surprise that is added without the third head"),
        baseline=Series("before", "without head 2 of block 1"),
    ),
    claim_of("names", "5 times 20 made-up names")(
        "**Having just read a name hardly helps the machine with the next mention.**",
        all_rows(lambda row: row["helps"] < 0.1),
        wrong_if="Wrong if, for any draw of names, having read the same name takes at least a tenth off the surprise.",
        shows=Series("same", "surprise at a name that was read before"),
        baseline=Series("other", "at a name after another one"),
        refuting_values={"helps": 0.5},
    ),
    claim_of("copying", "5 draws of twenty pages")(
        "**The machine has kept the book's habits, not its pages.**",
        all_rows(lambda row: abs(row["machine"] - row["melville"]) < 4),
        wrong_if="Wrong if, for any draw, the machine's longest copied passages and those of Melville's unread pages "
        "differ by at least 4 letters on average.",
        shows=Series("machine", "letters in the longest copied passage"),
        baseline=Series("melville", "of Melville's unread pages"),
        refuting_values={"machine": 40.0},
    ),
]
