"""Claims of chapter 03: what is left of attention when its weights compare nothing with the source."""

import numpy as np
import torch

from attention_src import additive_score, dot_score, general_score
from attention_src.attention import attention
from attention_src.seq2seq import Seq2Seq
from attention_src.tasks import alignment_score, exact_match
from tools.claims import SEEDS, Claim, Experiment, Fell, grid, most, spread, where

SEE = ("additive", "dot", "general")
KINDS = ("none", "uniform", "position", *SEE)
PAGE = {"steps": 150, "rate": 0.02, "cell": "gru"}  # the dates
LETTERS = {"steps": 200, "rate": 0.02}
RATES = [0.005, 0.08]  # a quarter, and four times


def rounded(values):
    return {name: round(float(value), 4) for name, value in values.items()}


# the step, with numbers and sizes drawn at random


def one_step(book, seed, draw):
    """Identities of the scores and of untrained networks; what is named `gap` is 0 if they hold."""
    random = np.random.default_rng((seed, draw))
    n, m, d, other, hidden = random.integers(2, 9, size=5)
    s, H, v = random.normal(size=(n, d)), random.normal(size=(m, d)), random.normal(size=hidden)
    W, U = random.normal(size=(d, hidden)), random.normal(size=(d, hidden))
    joined = np.concatenate([np.repeat(s[:, None], m, 1), np.repeat(H[None], n, 0)], axis=-1)
    concat = np.tanh(joined @ np.concatenate([W, U])) @ v
    context, weights = attention(s, H, H, score=dot_score)
    longer = general_score(s, random.normal(size=(m, d + other)), random.normal(size=(d, d + other)))
    row = {
        "numbers_of_the_context": context.shape[1] - d,
        "scores_per_step": dot_score(s, H).shape[1] - m,
        "concat_gap": abs(concat - additive_score(s, H, W, U, v)).max(),
        "general_gap": abs(general_score(s, H, np.eye(d)) - dot_score(s, H)).max(),
        "general_of_other_lengths": longer.shape == (n, m),
        "dot_refused": refuses(int(d)),
        "sum_gap": abs(weights.sum(-1) - 1).max(),
    }
    return rounded(row | untrained(book, seed, random))


def refuses(d):
    """Whether the dot score refuses states of two lengths."""
    try:
        Seq2Seq(5, 5, 4, 2 * d, 2 * d + 2, "dot")
    except ValueError:
        return True
    return False


def untrained(book, seed, random):
    """What holds of a network before any training."""
    torch.manual_seed(seed)
    lengths = torch.tensor(random.integers(3, 10, size=6))
    real = torch.arange(12) < lengths[:, None]
    numbers = torch.tensor(random.integers(2, 9, size=(6, 12))) * real
    target = torch.tensor(random.integers(2, 9, size=(6, 5)))
    changed = numbers.clone()
    changed[:, 0] = (numbers[:, 0] - 1) % 7 + 2
    models = {kind: book.network(kind, 9, 9, 8) for kind in KINDS[1:]}
    with torch.no_grad():
        looks = {kind: model(numbers, target, lengths)[1] for kind, model in models.items()}
        moved = (models["dot"].encoder(numbers, lengths)[0] - models["dot"].encoder(changed, lengths)[0]).abs().amax(-1)
        for model in models.values():
            model.encoder.register_forward_hook(lambda module, given, made: (made[0].flip(0), made[1]))
        others = {kind: model(numbers, target, lengths)[1] for kind, model in models.items()}
    row = {f"{kind}_reacts": (others[kind] - looks[kind]).abs().max() for kind in models}
    row["padding"] = max((look * ~real[:, None]).abs().max() for look in looks.values())
    row["least_weight"] = min(look.masked_fill(~real[:, None], 1).min() for look in looks.values())
    row["uniform_gap"] = (looks["uniform"] - real[:, None] / lengths[:, None, None]).abs().max()
    return row | {"states_moved": (moved[real] > 0).double().mean()}


# the dates


def dates(book, seed, kind, steps, rate, cell):
    """Train as the page does; what is right, and where the weights are, on 300 of the held-out dates."""
    examples = book.held_out[:300]
    data, test = book.tensors(book.train_set), book.tensors(examples)
    model, history = book.train(kind, data, steps, seed, rate, cell=cell)
    texts, answers, weights = book.answer(model, test, book.target_text)
    row = {
        "exact": exact_match(texts, examples),
        "characters": (answers == test[2]).double().mean(),
        "floor": (test[2] == data[2].mode(dim=0).values).double().mean(),
        "loss_at_60": np.mean(history[50:70]),
        "loss": np.mean(history[-10:]),
    }
    if kind in ("position", *SEE):
        row["spot"] = alignment_score(weights, examples)
        row["chance"] = np.mean([len(a) / len(e.source) for e in examples for a in e.alignment if a])
    return rounded(row | (looked(book, model, examples, test, weights) if kind == "additive" else {}))


def looked(book, model, examples, test, weights):
    """Misses for each digit of the year, what is right if a look is forced, and what the padding does."""
    row, true = {}, np.array([list(example.target) for example in examples])
    there, beside = ([book.forced(model, test, examples, t, shift) for t in range(3)] for shift in (0, 1))
    for t in range(3):
        row[f"left_{t + 1}"], row[f"at_{t + 1}"], row[f"right_{t + 1}"] = book.misses(weights, examples, t)
        row[f"there_{t + 1}"], row[f"beside_{t + 1}"] = (np.mean(x[t] == true[:, t]) for x in (there, beside))
        row[f"copied_{t + 1}"] = np.mean(beside[t] == true[:, t + 1])
    for century, digit in ((19, "9"), (20, "0")):
        years = true[:, 1] == digit
        some = [example for example, one in zip(examples, years, strict=True) if one]
        row[f"looks_beside_{century}"] = book.misses(weights[torch.tensor(years)], some, 0)[2]
        row[f"read_beside_{century}"] = np.mean(beside[0][years] == true[years, 0])
    for extra, mask in ((0, False), (100, False), (100, True)):
        name = f"{'masked' if mask else 'unmasked'}_{extra}"
        row[name] = book.unmasked(model, test, examples, book.target_text, extra, mask)
    return row


ONE = {name: [value] for name, value in PAGE.items()}
BLIND = (
    grid(seed=SEEDS, kind=["none", "position"], **ONE)
    + grid(seed=SEEDS[:3], kind=["none", "position"], **ONE | {"rate": RATES})
    + grid(seed=SEEDS[:3], kind=["none"], **ONE | {"steps": [600]})
)
LOOKS = grid(seed=SEEDS, kind=["additive"], **ONE)


# letters backwards


def reversal(book, seed, kind, steps, rate):
    """Train as the page does and test at every length; then shuffle what the decoder may read."""
    model, _ = book.train(kind, book.backwards, steps, seed, rate)
    row = {f"at_{n}": share for n, share in zip(book.sizes, book.by_length(model), strict=True)}
    if kind == "position":
        torch.manual_seed(seed)
        before = book.network(kind, 10, 10).decoder.w
        moved = (model.decoder.w - before).abs().amax(0)
        row |= {"moved_up_to_8": moved[:8].min(), "moved_beyond": moved[8:].max()}
    order = torch.tensor([3, 5, 0, 4, 1, 2])
    model.encoder.register_forward_hook(lambda module, given, made: (made[0][:, order], made[1]))
    six = book.tensors(book.tests[1], book.letters, book.letters)
    row["shuffled_6"] = exact_match(book.answer(model, six, book.letters)[0], book.tests[1])
    return rounded(row)


REVERSAL = grid(seed=SEEDS, kind=["position", "general"], steps=[200], rate=[0.02])
REVERSAL += grid(seed=SEEDS[:3], kind=["position", "general"], steps=[200], rate=RATES)

USES = ("train", "tensors", "answer", "misses", "forced", "unmasked", "train_set", "held_out", "target_text")

EXPERIMENTS = {
    "step": Experiment(one_step, ("network",), grid(seed=SEEDS, draw=range(6))),
    "blind": Experiment(dates, USES, BLIND),
    "reversal": Experiment(
        reversal,
        ("train", "network", "tensors", "answer", "by_length", "backwards", "letters", "sizes", "tests"),
        REVERSAL,
    ),
    "looks": Experiment(dates, USES, LOOKS),
}


def all_of(condition):
    """A claim about every row."""
    return lambda rows: all(condition(row) for row in rows)


def as_printed(rows):
    """The rows with the page's rate and steps."""
    return [row for row in rows if all(row.get(name, value) == value for name, value in PAGE.items())]


def letters_as_printed(rows):
    """The same for the letters."""
    return [row for row in rows if all(row.get(name, value) == value for name, value in LETTERS.items())]


def pairs(rows, one, other):
    """Rows of two networks with the same seed, rate and steps."""
    same = [(row, {name: row[name] for name in ("seed", "rate", "steps")}) for row in where(rows, kind=one)]
    return [(row, twin) for row, case in same for twin in where(rows, kind=other, **case)[:1]]


def of(name, digits=2, **wanted):
    """The range of one number, over the rows that have these values."""
    return lambda rows: spread(where(rows, **wanted), name, digits)


DRAWN = "5 seeds × 6 draws of sizes and values; untrained networks"
STARTS = "5 starts"
VARIED = "5 starts as on the page, 3 of them at a quarter and at four times the rate"
SLOWER = "3 starts at a quarter and at four times the rate"
CLAIMS = [
    Claim(
        "There are as many scores as source words, however long a state is.",
        "step",
        DRAWN,
        all_of(lambda row: row["scores_per_step"] == 0),
        [{"scores_per_step": 2}],
        lambda rows: f"scores less words: {spread(rows, 'scores_per_step', 0)}",
    ),
    Claim(
        "*Concat* is the additive score with the current state.",
        "step",
        DRAWN,
        all_of(lambda row: row["concat_gap"] < 1e-4),
        [{"concat_gap": 0.3}],
        lambda rows: f"largest difference {spread(rows, 'concat_gap', 4)}",
    ),
    Claim(
        "*General*, $s_t W h_i$, learns what to compare with what, and lets the two states differ in shape.",
        "step",
        DRAWN,
        all_of(lambda row: row["general_of_other_lengths"] == 1 and row["general_gap"] < 1e-4),
        [{"general_of_other_lengths": 0, "general_gap": 0}],
        lambda rows: f"with W = 1 it differs from dot by {spread(rows, 'general_gap', 4)}",
    ),
    Claim(
        "*Dot* has nothing to learn and needs equal shapes.",
        "step",
        DRAWN,
        all_of(lambda row: row["dot_refused"] == 1),
        [{"dot_refused": 0}],
        lambda rows: f"share refused {spread(rows, 'dot_refused', 0)}",
    ),
    Claim(
        "With the same decoder state and other encoder states the weights stay the same.",
        "step",
        DRAWN,
        all_of(
            lambda row: (
                row["position_reacts"] == row["uniform_reacts"] == 0 and min(row[f"{kind}_reacts"] for kind in SEE) > 0
            )
        ),
        [{"position_reacts": 0.1, "uniform_reacts": 0, "additive_reacts": 1, "dot_reacts": 1, "general_reacts": 1}],
        lambda rows: f"weights of position change by {spread(rows, 'position_reacts', 4)}",
        floor=lambda rows: f"those of general by {spread(rows, 'general_reacts')}",
    ),
    Claim(
        "All scores are 0, all weights equal, and the context is the average of all encoder states.",
        "step",
        DRAWN,
        all_of(lambda row: row["uniform_gap"] < 1e-4),
        [{"uniform_gap": 0.1}],
        lambda rows: f"largest distance from 1/m {spread(rows, 'uniform_gap', 4)}",
    ),
    Claim(
        "Bahdanau's attention looks at every encoder state.",
        "step",
        DRAWN,
        all_of(lambda row: row["least_weight"] > 0),
        [{"least_weight": 0.0}],
        lambda rows: f"least weight {spread(rows, 'least_weight', 3)}",
    ),
    Claim(
        "The mask gives padding exactly the weight 0.",
        "step",
        DRAWN,
        all_of(lambda row: row["padding"] == 0),
        [{"padding": 0.01}],
        lambda rows: f"largest weight on padding {spread(rows, 'padding', 4)}",
    ),
    Claim(
        "The encoder reads both ways: in texts of up to ten characters, changing the first changes *every* state, "
        "even untrained.",
        "step",
        DRAWN,
        all_of(lambda row: row["states_moved"] == 1),
        [{"states_moved": 0.2}],
        lambda rows: f"share of states that changed {spread(rows, 'states_moved')}",
    ),
    Claim(
        "With five other starts, *position* wrote at least three dates in four, and *none* at most one in fifty.",
        "blind",
        STARTS,
        lambda rows: (
            min(row["exact"] for row in where(as_printed(rows), kind="position")) >= 0.75
            and max(row["exact"] for row in where(as_printed(rows), kind="none")) <= 0.02
        ),
        [{"kind": "position", "exact": 0.5}, {"kind": "none", "exact": 0.0}],
        lambda rows: (
            f"position {of('exact', kind='position')(as_printed(rows))}, "
            f"none {of('exact', kind='none')(as_printed(rows))}"
        ),
        floor="0.00, the commonest character of each place",
        ceiling="1.00",
    ),
    Claim(
        "At a quarter and four times this rate *position* still wrote more characters right than *none*.",
        "blind",
        VARIED,
        lambda rows: (
            len({(row["rate"], row["steps"]) for row, _ in pairs(rows, "position", "none")}) == 3
            and all(a["characters"] > b["characters"] for a, b in pairs(rows, "position", "none"))
        ),
        [
            {"seed": 0, "kind": kind, "rate": rate, "steps": steps, "characters": 0.6, "floor": 0.46}
            for kind in ("position", "none")
            for rate, steps in ((0.02, 150), (0.005, 150), (0.08, 150))
        ],
        lambda rows: "; ".join(
            f"rate {rate}: position {of('characters', kind='position', rate=rate)(rows)}, "
            f"none {of('characters', kind='none', rate=rate)(rows)}"
            for rate in RATES
        ),
        floor=of("floor"),
    ),
    Claim(
        "With four times the steps it falls further, with every start tried. So *none* is slower. This page does not "
        "show that it can never learn the dates.",
        "blind",
        "5 starts as on the page, 3 of them with four times the steps",
        lambda rows: all(
            long["loss"] < short["loss"] - 0.05
            for long in where(rows, kind="none", steps=600)
            for short in where(as_printed(rows), kind="none", seed=long["seed"])
        ),
        [{"seed": 0, "kind": "none", "rate": 0.02, "steps": n, "loss": 0.9} for n in (150, 600)],
        lambda rows: (
            f"loss {of('loss', kind='none')(as_printed(rows))} after 150 steps, "
            f"{of('loss', kind='none', steps=600)(rows)} after 600; "
            f"dates right then {of('exact', kind='none', steps=600)(rows)}"
        ),
    ),
    Claim(
        "*Position* is far above the floor: a good map does not show that a network compares.",
        "blind",
        STARTS,
        lambda rows: all(row["spot"] > 0.5 > row["chance"] for row in where(as_printed(rows), kind="position")),
        [{"kind": "position", "spot": 0.2, "chance": 0.12}],
        lambda rows: of("spot", kind="position")(as_printed(rows)),
        floor=of("chance", kind="position"),
        ceiling="1.00",
    ),
    Claim(
        "With five other starts, and at a quarter of the rate, *position* wrote at most one text of 9 or 10 letters in "
        "fifty, *general* at least half of those with 9.",
        "reversal",
        "5 starts as on the page, 3 of them at a quarter of the rate",
        lambda rows: all(
            all(max(row["at_9"], row["at_10"]) <= 0.02 for row in where(rows, kind="position", rate=rate))
            and all(row["at_9"] >= 0.5 for row in where(rows, kind="general", rate=rate))
            for rate in (LETTERS["rate"], RATES[0])
        ),
        [
            {"kind": kind, "rate": rate, "at_9": share, "at_10": 0.0}
            for kind, share in (("position", 0.0), ("general", 0.1))
            for rate in (LETTERS["rate"], RATES[0])
        ],
        lambda rows: "; ".join(
            f"9 letters, rate {rate}: position {of('at_9', kind='position', rate=rate)(rows)}, "
            f"general {of('at_9', kind='general', rate=rate)(rows)}"
            for rate in (LETTERS["rate"], RATES[0])
        ),
        floor="0.00",
        ceiling="1.00",
    ),
    Claim(
        "At four times the rate *general* wrote less than half of the texts of 6 letters and failed at 9.",
        "reversal",
        SLOWER,
        lambda rows: all(row["at_6"] < 0.5 and row["at_9"] <= 0.1 for row in where(rows, kind="general", rate=0.08)),
        [{"kind": "general", "rate": 0.08, "at_6": 0.9, "at_9": 0.7}],
        lambda rows: (
            f"6 letters {of('at_6', kind='general', rate=0.08)(rows)}, "
            f"9 letters {of('at_9', kind='general', rate=0.08)(rows)}"
        ),
        floor="0.00",
        ceiling="1.00",
    ),
    Claim(
        "No text in training had a ninth letter, so training never changed that place's column.",
        "reversal",
        STARTS,
        lambda rows: all(
            row["moved_beyond"] == 0 and row["moved_up_to_8"] > 0.01 for row in where(rows, kind="position")
        ),
        [{"kind": "position", "moved_beyond": 0.1, "moved_up_to_8": 0.2}],
        lambda rows: f"columns beyond 8 moved by {of('moved_beyond', 4, kind='position')(rows)}",
        floor=lambda rows: f"the others by {of('moved_up_to_8', kind='position')(rows)} or more",
    ),
    Claim(
        "*General* writes as many as before: its score does not depend on where a state stands.",
        "reversal",
        STARTS,
        lambda rows: all(row["shuffled_6"] == row["at_6"] for row in where(rows, kind="general")),
        [{"kind": "general", "shuffled_6": 0.2, "at_6": 0.98}],
        lambda rows: f"{of('shuffled_6', kind='general')(rows)} shuffled, {of('at_6', kind='general')(rows)} in order",
        floor=of("shuffled_6", kind="position"),
    ),
    Claim(
        "*Position* then writes at most one text of 6 letters in twenty right, with five other starts too.",
        "reversal",
        STARTS,
        lambda rows: all(
            row["shuffled_6"] <= 0.05 < row["at_6"] for row in where(letters_as_printed(rows), kind="position")
        ),
        [{"kind": "position", "shuffled_6": 0.8, "at_6": 0.85}],
        of("shuffled_6", kind="position"),
        floor="0.00",
        ceiling=of("at_6", kind="position"),
    ),
    Claim(
        "With most random starts, at most one look in fifty missed the third digit.",
        "looks",
        STARTS,
        lambda rows: most(as_printed(rows), lambda row: row["at_3"] >= 0.98),
        [{"at_3": 0.5}],
        lambda rows: f"third digit found by {of('at_3')(as_printed(rows))} of the looks",
        floor=lambda rows: f"first digit by {of('at_1')(as_printed(rows))}",
    ),
    Claim(
        "Forced beside the third digit it copies the fourth, with six starts:",
        "looks",
        STARTS,
        lambda rows: all(row["copied_3"] >= 0.98 and row["there_3"] >= 0.95 for row in as_printed(rows)),
        [{"copied_3": 0.1, "there_3": 1.0}],
        lambda rows: f"copied {of('copied_3')(as_printed(rows))}, right {of('beside_3')(as_printed(rows))}",
        floor="0.10, of ten digits",
        ceiling="1.00",
    ),
    Claim(
        "Where at least nine looks in ten fell beside, forcing all there kept at least nine digits in ten correct.",
        "looks",
        "5 starts, the years 19.. and 20.. apart",
        lambda rows: (
            len(seen := [row[f"read_beside_{n}"] for row in rows for n in (19, 20) if row[f"looks_beside_{n}"] >= 0.9])
            >= 3
            and min(seen) >= 0.9
            and min(row[f"looks_beside_{n}"] for row in rows for n in (19, 20)) < 0.9
        ),
        [{f"{name}_beside_{n}": share for name, share in (("looks", 1.0), ("read", 0.5)) for n in (19, 20)}],
        lambda rows: "; ".join(
            f"years {n}..: looks beside {of(f'looks_beside_{n}')(rows)}, forced right {of(f'read_beside_{n}')(rows)}"
            for n in (19, 20)
        ),
    ),
    Claim(
        "With five other starts too, 100 more characters cost the additive network at least a third of its dates, "
        "and with the mask none.",
        "looks",
        STARTS,
        lambda rows: all(
            row["unmasked_100"] <= row["exact"] * 2 / 3 and row["masked_100"] == row["exact"]
            for row in as_printed(rows)
        ),
        [{"unmasked_100": 0.95, "masked_100": 1.0, "exact": 1.0}],
        lambda rows: of("unmasked_100")(as_printed(rows)),
        floor="0.00",
        ceiling=lambda rows: of("masked_100")(as_printed(rows)),
    ),
]
SETTLED = {
    "It is almost $h_4$, the state of *student*.": "computed",
    "attention as in chapter 1 with one query, without the division by $\\sqrt{d_k}$.": "computed",
    "in Luong's order the context does *not* help to make $s_3$.": "derived",
    "All four use the *same* decoder state.": "computed",
    "brought attention to translation, in another order.": "cited",
    "join the two, squash them with tanh to numbers between −1 and 1, and read a word from the result:": "cited",
    "The three networks whose score reads the source write nearly every date right.": "computed",
    "The scores of *position* know the source only through the decoder's state, and it writes 0.86": "computed",
    "With equal weights 0.05 come out right.": "computed",
    "So at this learning rate most of the gain over *none* needs no comparison with the encoder states.": "computed",
    "**The second digit determines the first**, so looking there can be enough.": "derived",
    "At 4 letters all are nearly alike.": "computed",
    "With 100 more characters it writes 0.22 of the dates": "computed",
    "A tutorial of PyTorch": "cited",
}
FELL = [
    Fell(
        "With six random starts, at most one look in fifty missed the third digit.",
        "true of the six; of ten others one missed one look in nineteen",
        "With most random starts, at most one look in fifty missed the third digit.",
    ),
    Fell(
        "**the weights cannot see the source**",
        "they are made from the decoder's state, which began as a summary of the source",
        "The weights are made without the encoder states.",
    ),
    Fell(
        "So a good map of weights can be made without reading a single place.",
        "the decoder's first state is made from a reading of every place",
        "A good map of weights can be made without comparing with any place.",
    ),
    Fell(
        "*General* writes exactly what it wrote before, because it finds a state by its content.",
        "equal weights, and no attention, also write each text as before when the states are shuffled",
        "Its score does not depend on where a state stands. Equal weights would pass this test, too.",
    ),
    Fell(
        "A score that compares contents works at any place.",
        "of 9, 10, 12 and 16 letters general writes 0.78, 0.61, 0.22 and 0.01, additive 0.86, 0.55, 0.01 and 0.00",
        "It has no part that belongs to one place; longer texts are harder for it, too.",
    ),
    Fell(
        "and *general* wrote more texts of 9 letters than *position*",
        "so it did, but at four times the rate 0.01 to 0.05 of them, and of 6 letters 0.34 to 0.39 (position 0.40 to "
        "0.54)",
        "At four times the rate *general* fails, too.",
    ),
    Fell(
        "This is **looking**, not counting positions.",
        "keys from another source of 6 letters: a general network's largest weight is at the right place in 0.37 of "
        "the looks (0.94 with its own, 0.17 by chance), so its states hold something of their place",
        "The weights go with what a state holds, which may tell something of its place, too.",
    ),
    Fell(
        "change the first character of a source, and *every* state of it changes",
        "of 200 characters about half of the states change in 64 bits; of 10 and 50 all",
        "Said of up to ten characters.",
    ),
    Fell(
        "Then train four networks on this page and measure whether attention is the reason that they work.",
        "weights by position alone, which cannot see the source: 0.86 of the dates; none 0.00",
        "So at this learning rate most of the gain over *none* needs no comparison with the encoder states.",
    ),
    Fell(
        "in 300 steps it has not learned to pack it, while the others have learned to look.",
        "position reaches 0.86 without looking; at 9 and 10 letters it writes nothing, general 0.78 and 0.61",
        "At 9 and 10 letters, longer than anything in training, *position* writes nothing right.",
    ),
    Fell(
        "Without it almost none is, whatever the random start",
        "true for this width and these steps: with four times the steps its loss falls further",
        "With four times the steps it falls further",
    ),
    Fell(
        "They do, in this network: a miss lies one character to the *right*, hardly ever to the left.",
        "first digit of the year 0.49 one to the right, second 0.02, third and fourth 0.00; with another start half of "
        "the looks for the second digit fall one to the left",
        "Half of its looks for the first digit fall one to the right. The second digit determines the first.",
    ),
    Fell(
        "The state after a digit has read the digit too, and looking there serves as well.",
        "forced one to the right, the third digit is right in 0.11; the first in 0.52, in other starts in up to all",
        "Beside the third digit it copies the fourth.",
    ),
    Fell(
        "Beside the third digit it guesses: both fall back to the commonest digit.",
        "it writes the digit that it was made to look at, the fourth in every date; the commonest in 0.10",
        "Beside the third digit it copies the fourth.",
    ),
    Fell(
        "So this network does *not* read the first digit from the second alone.",
        "0.52 is a mean: in the years 19.., where it looks at the 9, it writes the 1 in every date when forced there; "
        "in the years 20.., where it looks at the 2, it copies the 0 in 0.94",
        "Where at least nine looks in ten fell beside, at least nine digits in ten were right when forced there.",
    ),
    Fell(
        "The scores above are high, yet two of the kinds are on the spot less often than within one.",
        "additive 0.93, dot 0.99, general 0.98 of the looks on the spot; chance 0.12; position 0.62",
        "*Position* is far above the floor: a good map does not show that a network compares.",
    ),
    Fell(
        "It would do harm if it were not masked.",
        "unmasked after training: no loss with the usual padding, 0.22 of the dates with 100 more characters",
        "With the usual padding this network loses next to nothing. "
        "With 100 more characters it writes 0.22 of the dates.",
    ),
    Fell(
        "So it would if the state there told it nothing.",
        "with the mean state, zeros or states of other places it writes the commonest digit in 0 of 900",
        "It would be the best guess if the state there told it nothing.",
    ),
    Fell(
        "Four letters fit into one state. Do nine?",
        "trained on 4 to 10 letters for 3,000 steps, *none* writes 0.92 of the texts of 9 letters",
        "After 200 steps, can one state hold nine?",
    ),
    Fell(
        "Equal weights would pass this test, too, but they failed at 9 letters.",
        "with four times the steps they write 0.26 and 0.29 of them",
        "Equal weights would pass this test, but wrote 0.01 at 9 letters.",
    ),
    Fell(
        "with six starts: the weight decides what is written.",
        "at the first digit, forced onto the 0, four other starts copied it in 0.00 to 0.41 of the years",
        "with six starts: there the weight decides what is written.",
    ),
]
