"""Claims of chapter 5, who asks and who answers."""

import numpy as np
import torch

from attention_src.tasks import scene_examples
from tools.claims import SEEDS, Claim, Experiment, Fell, grid, most, spread, where


def small(number):
    return round(float(number), 4)


def masks(book, seed):
    """What holds whatever the scores: 30 draws of sizes, scores and masks."""
    random = np.random.default_rng(seed)
    row = {
        "leak_after": 0,
        "leak_before": 0.0,
        "close": 0.0,
        "far_nan": 0,
        "far_safe": 0.0,
    }
    row |= {
        "both": 0,
        "filled": 0.0,
        "added": 0.0,
        "single": 0.0,
        "half": 0,
        "reach": 0,
        "sees": 0,
        "missed": 0,
        "self": 0,
        "deaf": 0,
    }
    row |= {"weights": 0, "quiet": 0.0, "third": 0, "zeros": 0.0, "last": 0}
    for draw in range(30):
        n, d = (int(x) for x in random.integers([3, 2], [9, 7]))
        scores, mask = 2 * random.normal(size=(n, n)), book.causal_mask(n)
        after, before = book.softmax(scores) * mask, book.softmax(scores, mask)
        changed = scores.copy()
        changed[:, -1] += 1
        row["leak_after"] += int(((book.softmax(changed) * mask - after)[:-1].sum(-1) >= 0).sum())
        row["leak_before"] = max(row["leak_before"], abs(book.softmax(changed, mask) - before)[:-1].max())
        row["close"] = max(row["close"], abs(after / after.sum(-1, keepdims=True) - before).max())
        gap = random.uniform(750, 5000)
        struck = book.softmax(np.array([0, gap])) * [True, False]
        with np.errstate(invalid="ignore"):
            row["far_nan"] += np.isnan(struck / struck.sum()).any()
        row["far_safe"] = max(
            row["far_safe"], abs(book.softmax(np.array([0, gap]), np.array([True, False])) - [1, 0]).max()
        )
        lengths = random.integers(1, n + 1, size=4)
        weights = book.softmax(np.broadcast_to(scores, (4, n, n)), mask & book.padding_mask(lengths, n))
        forbidden = (np.arange(n) > np.arange(n)[:, None]) | (np.arange(n) >= lengths[:, None, None])
        row["both"] += (weights[forbidden] != 0).sum()
        row["last"] += int(mask.sum()) != n * (n + 1) // 2
        t = torch.tensor(scores)
        row["filled"] = max(row["filled"], abs(torch.full_like(t, -1e9).softmax(-1) - 1 / n).max().item())
        row["added"] = max(row["added"], abs((t - 1e9).softmax(-1) - t.softmax(-1)).max().item())
        row["single"] = max(row["single"], abs((t.float() - 1e9).softmax(-1) - 1 / n).max().item())
        row["half"] += (t.half() - 1e9).softmax(-1).isnan().all().item()
        x = torch.tensor(random.normal(size=(1, n, d)))
        seen = torch.tensor(random.random((n, n)) < 0.6)
        seen[0] = False
        layer = torch.nn.MultiheadAttention(d, 1, batch_first=True, dtype=torch.float64)
        loud, quiet = (layer(x, x, x, attn_mask=~seen, need_weights=need)[0] for need in (True, False))
        row["weights"] += loud[0, 0].isnan().all().item()
        row["quiet"] = max(row["quiet"], abs(quiet[0, 0] - layer.out_proj.bias).max().item())
        in_use, pairs = (
            torch.nn.MultiheadAttention(2 * d, 2, batch_first=True, dtype=torch.float64).eval(),
            x.repeat(1, 1, 2),
        )
        with torch.no_grad():
            third, _ = in_use(pairs, pairs, pairs, attn_mask=~seen, need_weights=False)
        row["third"] += third[0, 0].isnan().all().item()
        outputs = [book.fused(x, x, x, seen)[0, 0], torch.tensor(book.attend(*3 * [x[0].numpy()], seen.numpy())[0][0])]
        row["zeros"] = max(row["zeros"], *(abs(output).max().item() for output in outputs))
        own = 1000 * seed + draw
        y, wrong = slice(4, 7), ~book.causal_mask(3)
        reacts, opposite = book.who_reacts(book.causal_mask(3), own), book.who_reacts(wrong, own)[y, y]
        row["reach"] += int(reacts[:4, 4:].sum() + np.triu(reacts[y, y], 1).sum())
        row["self"] += int(opposite[0, 0] == 1 and not wrong[0, 0])
        row["deaf"] += int(opposite[1, 1] == 0)
        for allowed in (wrong, book.causal_mask(3)):
            sees = book.who_sees(allowed, own)
            row["sees"], row["missed"] = row["sees"] + (sees > allowed).sum(), row["missed"] + (sees < allowed).sum()
    return {name: small(value) for name, value in row.items()}


def gradients(book, seed):
    """Which of the three matrices get a NaN for a gradient, over 30 draws of sizes and values."""
    found = {"fill": [], "add": [], "low": [], "function": []}
    for draw in range(30):
        n, d = 2 + (seed + draw) % 5, 2 + (seed + 3 * draw) % 7
        one = {"seed": 1000 * seed + draw, "n": n, "d": d}
        for name, way, low in (("fill", "fill", -np.inf), ("add", "add", -np.inf), ("low", "fill", -1e9)):
            found[name].append(tuple(book.spoiled(way, low=low, **one)))
        found["function"].append(tuple(book.spoiled("function", **one)))
    said = {"fill": (False, False, True), "add": (True, True, True), "low": (False,) * 3, "function": (False,) * 3}
    return {name: sum(result == said[name] for result in results) for name, results in found.items()}


def pictures(book, seed, told=1, rate=1e-2, steps=300):
    """One training on scenes of its own: how often found, the weight, the error; then other drawings of the ball."""
    train, held_out = scene_examples(2000, 300, seed=seed)
    model = book.trained(train, told, seed, rate, steps)
    found, on, error, _ = book.report(model, held_out, told)
    colours = held_out.colours.astype(float)
    row = {"found": found, "weight": on, "error": error, "grey": abs(colours - 0.5).mean()}
    row["mean"] = abs(colours - colours.mean(axis=1, keepdims=True)).mean()
    other = held_out._replace(colours=np.roll(held_out.colours, 1, axis=0))
    for name, scenes, signs in (
        ("colour", other, book.ball),
        ("ring", held_out, book.ring),
        ("smaller", held_out, book.smaller),
    ):
        row[name], row[f"{name}_error"] = book.on_ball(model, book.redrawn(scenes, signs))
    return {name: small(value) for name, value in row.items()}


WORDS, RATES = {"told": 1, "steps": 300}, (1e-2, 1e-2 / 4, 4e-2)
EXPERIMENTS = {
    "masks": Experiment(
        masks,
        ("softmax", "causal_mask", "padding_mask", "attend", "fused", "who_reacts", "who_sees"),
        grid(seed=SEEDS),
    ),
    "gradients": Experiment(gradients, ("spoiled",), grid(seed=SEEDS)),
    "pictures": Experiment(
        pictures,
        ("trained", "report", "on_ball", "redrawn", "ball", "ring", "smaller"),
        [
            *grid(seed=SEEDS, told=[1], rate=RATES, steps=[300]),
            *grid(seed=SEEDS, told=[0], rate=[1e-2], steps=[300]),
            *grid(seed=range(SEEDS[0], SEEDS[0] + 20), told=[1], rate=[1e-2], steps=[0]),
        ],
    ),
}
BROKEN = {
    "leak_after": 40,
    "leak_before": 0.1,
    "close": 0.1,
    "far_nan": 3,
    "far_safe": 0.5,
    "both": 4,
    "filled": 0.2,
    "added": 0.3,
    "single": 0.3,
    "half": 0,
    "reach": 5,
    "sees": 5,
    "self": 0,
    "deaf": 0,
    "weights": 3,
    "quiet": 0.5,
    "third": 3,
    "zeros": 0.5,
    "last": 2,
}
DRAWS = "5 seeds, each 30 draws of sizes and values"
SAID = {  # what the page of claims calls a number
    "leak_after": "draws in which the shrinking did not depend on the next score:",
    "leak_before": "largest change",
    "close": "largest difference",
    "far_nan": "draws of 30 with NaN:",
    "far_safe": "largest difference",
    "both": "forbidden places with weight:",
    "filled": "largest difference",
    "added": "largest difference",
    "single": "largest difference",
    "half": "draws of 30 with NaN:",
    "reach": "reactions that should not be:",
    "sees": "places seen outside the mask:",
    "self": "draws of 30 in which it reacts:",
    "deaf": "draws of 30 in which it does not:",
    "weights": "draws of 30 with NaN:",
    "quiet": "largest difference from the output's bias",
    "third": "draws of 30 with NaN:",
    "zeros": "from zeros",
    "fill": "draws of 30 as said:",
    "add": "draws of 30 as said:",
    "function": "draws of 30 without NaN:",
    "low": "with −1e9:",
    "last": "wrong counts:",
}


def number(sentence, names, good, experiment="masks"):
    """A claim about every draw: all these numbers are `good` in all rows."""
    broken = BROKEN if experiment == "masks" else dict.fromkeys(("fill", "add", "low", "function"), 3)
    return Claim(
        sentence,
        experiment,
        DRAWS,
        lambda rows: all(good(row[name]) for row in rows for name in names),
        [{"seed": 100, **broken}],
        lambda rows: "; ".join(
            f"{SAID[name]} {spread(rows, name, 0 if SAID[name].endswith(':') else 2)}" for name in names
        ),
    )


def of(rows, told=1, rate=1e-2, steps=300):
    return where(rows, told=told, rate=rate, steps=steps)


LOOKED = {
    "found": 0.5,
    "weight": 0.5,
    "error": 0.2,
    "grey": 0.25,
    "mean": 0.19,
    "colour": 0.5,
    "colour_error": 0.2,
    "ring": 0.5,
    "ring_error": 0.2,
    "smaller": 0.5,
    "smaller_error": 0.2,
}
REFUTED = [{**case, **LOOKED} for case in EXPERIMENTS["pictures"].cases]
TRAINED = "5 seeds of scenes, starts and batches"


def ask(sentence, varied, holds, name, floor="", ceiling="", refuted=REFUTED, **setting):
    return Claim(
        sentence,
        "pictures",
        varied,
        lambda rows: bool(of(rows, **setting)) and holds(rows),
        refuted,
        lambda rows: spread(of(rows, **setting), name),
        floor,
        ceiling,
    )


def floors(rows):
    return f"mean of three colours {spread(rows, 'mean')}, grey {spread(rows, 'grey')}"


ZERO, TINY, ALL = (lambda x: x == 0), (lambda x: x < 1e-4), (lambda x: x == 30)
CLAIMS = [
    number("so *how much* the row shrinks depends on what comes next", ["leak_after"], ZERO),
    number("adds nothing to numerator or denominator", ["leak_before"], ZERO),
    number("so here both ways give the same", ["close"], TINY),
    number("The forbidden score takes all the weight", ["far_nan"], ALL),
    number("Masked before the softmax, the forbidden score is left out.", ["far_safe"], ZERO),
    number("so two of them combine with *and*", ["both"], ZERO),
    number("and that path makes the NaN", ["weights"], ALL),
    number("without them it calls", ["quiet", "zeros"], TINY),
    number(
        "All this together, with one tensor as query, key and value, takes a third path: NaN without weights, too.",
        ["third"],
        ALL,
    ),
    number("*Set* to −1e9, all scores are equal.", ["filled"], TINY),
    number("*Added* to scores in 64 bits, the differences survive and the mask is gone", ["added"], TINY),
    number("in 32 bits scores between about −30 and 30 become equal", ["single"], TINY),
    number("in `float16` the sum is $-\\infty$", ["half"], ALL),
    number(
        "Where forbidden scores are *set* to $-\\infty$, nothing flows back through them: only $W_v$ is NaN.",
        ["fill"],
        ALL,
        "gradients",
    ),
    number("Where $-\\infty$ is *added*, NaN flows back: all three are.", ["add"], ALL, "gradients"),
    number("The function spoils none.", ["function", "low"], ALL, "gradients"),
    number("no source word reacts to what is written", ["reach"], ZERO),
    number("y1 may not look at itself, and yet here it reacts to itself", ["self"], lambda x: x >= 25),
    number("so its query has nothing to choose, and here it does not react to itself", ["deaf"], ALL),
    number("It can show fewer cells than the mask, where a weight is almost 0, and never more.", ["sees"], ZERO),
    ask(
        "nobody told them where to look",
        f"{TRAINED}; rate × ¼",
        lambda rows: all(
            row["found"] >= found and row["weight"] > weight
            for rate, found, weight in ((RATES[0], 1, 0.98), (RATES[1], 0.99, 0.85))
            for row in of(rows, rate=rate)
        ),
        "weight",
        lambda rows: f"untrained {spread(of(rows, steps=0), 'weight')}",
        "1.00",
    ),
    ask(
        "With four times the rate most networks miss many.",
        TRAINED,
        lambda rows: most(of(rows, rate=4e-2), lambda row: row["found"] < 0.7),
        "found",
        "0.33",
        "1.00",
        [{**row, "found": 1.0} for row in REFUTED],
        rate=4e-2,
    ),
    ask(
        "*Thing* cannot beat a third.",
        TRAINED,
        lambda rows: all(row["found"] <= 1 / 3 + 1e-4 and row["weight"] <= 1 / 3 + 1e-4 for row in of(rows, told=0)),
        "found",
        "0.33",
        "0.33",
        told=0,
    ),
    ask(
        "is no better than the mean of the three colours",
        TRAINED,
        lambda rows: all(row["error"] > row["mean"] - 0.01 for row in of(rows, told=0)),
        "error",
        floors,
        refuted=[{**row, "error": 0.05} for row in REFUTED],
        told=0,
    ),
    ask(
        "what equal weights would give",
        "20 untrained networks",
        lambda rows: all(abs(row["weight"] - 1 / 16) < 0.02 for row in of(rows, steps=0)),
        "weight",
        "0.0625",
        steps=0,
    ),
    ask(
        "The start decides which of sixteen nearly equal weights is largest.",
        "20 untrained networks",
        lambda rows: (
            min(row["found"] for row in of(rows, steps=0)) < 0.1
            and max(row["found"] for row in of(rows, steps=0)) > 0.4
        ),
        "found",
        "0.0625",
        "1.00",
        steps=0,
    ),
    ask(
        "The word finds the ring with nothing inside; a ball that is one pixel smaller gets less than a fifth of its "
        "weight.",
        TRAINED,
        lambda rows: all(row["ring"] > 0.99 and row["smaller"] < 0.2 for row in of(rows)),
        "smaller",
        lambda rows: f"as drawn and without colour {spread(of(rows), 'ring')}",
    ),
    ask(
        "a ball of another colour is found, and its colour given",
        TRAINED,
        lambda rows: all(row["colour"] > 0.98 and row["colour_error"] < 0.02 for row in of(rows)),
        "colour_error",
        floors,
        "0.00",
    ),
]

SETTLED = {
    "the output shrinks": "computed",
    "Here this grid is the mask itself.": "computed",
    "every written word reacts to the whole source": "computed",
    "The output has a row for each *asker*, made of what the *others* supply.": "derived",
    "The Transformer uses the function in three places": "cited",
    "have an encoder and a decoder, and so hold all three": "cited",
    "The first row of the broken version fell by half": "computed",
    "All scores are equal here, so what you see is the mask alone.": "computed",
    "They are computed and thrown away.": "derived",
    "each sees the future only": "computed",
    "right for at most one word of three": "derived",
    "The colour hardly matters for *finding*": "computed",
    "Weights are made of queries and keys alone": "derived",
    "each Korean word gives hardly any weight to itself": "computed",
    "Not in a row that may look nowhere.": "derived",
}

FELL = [
    Fell(
        "not even the diagonal is left",
        "the figure has a 1 there: y1 reacts to itself through its query",
        "Reacting is not seeing: two grids side by side, and the second is the mask.",
    ),
    Fell(
        "Dividing the struck-out rows by their sums comes to the same, since softmax cares for ratios only",
        "NaN for every gap of 750 and more between an allowed and a forbidden score",
        "It is tried at a gap of 800, and gives NaN.",
    ),
    Fell(
        "one such row spoils the gradient of a whole batch",
        "set to −∞: only W_v is NaN; −∞ added: all three",
        "Which matrices depends on how the mask is written.",
    ),
    Fell(
        "so the ball's roundness must be in its *key*",
        "a ring without colour is found (1.00), a round ball one pixel smaller is not (0.00 to 0.13)",
        "So this network did not learn roundness: where the ink stands counts, or how much there is.",
    ),
    Fell(
        "It learned dark ink at certain pixels of the patch.",
        "the smaller ball one pixel higher has weight 0.75 to 0.96 with the three starts of the page: "
        "the place counts, but which pixels was not tried",
        "Where the ink stands counts, or how much there is.",
    ),
    Fell(
        "NaN spoils gradients, even of rows you throw away.",
        "the spoiled gradients are those of the shared matrices; the row that is thrown away spoils them",
        "Even from rows you throw away.",
    ),
    Fell(
        "A small random preference wins every time",
        "in 20 untrained networks the largest weight is right in 0.02 to 0.62 of the cases",
        "The start decides which of sixteen nearly equal weights is largest.",
    ),
    Fell(
        "Who names the right colour must have found the patch.",
        "with a weight of 0.06 on the right patch, errors of 0.10 to 0.16 were reached",
        "The error stands beside two to beat.",
    ),
    Fell(
        "the output shrinks, most of all for the first word",
        "with random scores of size 1, so in 85 per cent of tables of 3 words, in 75 of 6 and in 72 of 12, 24 and 48",
        "The output shrinks.",
    ),
    Fell(
        "Let $W_q$ turn the sign of the queries",
        "the sign alone leaves 0.14, 0.09 and 0.25; the factor 4 does the rest",
        "Let $W_q$ be −4 times the identity.",
    ),
    Fell(
        "in 16 bits the sum is $-\\infty$",
        "so in float16; bfloat16, of 16 bits too, holds −1e9, and the row is 0.5 and 0.5",
        "In `float16`, as printed.",
    ),
    Fell(
        "the same in use (`eval`, no gradients): NaN, a third path",
        "with 2 and 4 heads and biases; with 1 and 3 heads, or without biases, zeros",
        "Two heads and biases are named.",
    ),
    Fell("zeros (NaN in older versions)", "zeros since PyTorch 2.5", "The version, with the change that made it."),
    Fell(
        "it loses a ball that is one pixel smaller.",
        "its weight is 0.13, yet it is the largest in 0.56 of 500 pictures; with six other starts in 0.00 to 0.22",
        "a ball that is one pixel smaller gets less than a fifth of its weight.",
    ),
    Fell(
        "Leave out any one of the four, and it gives zeros.",
        "with an output bias that is not 0 it gives that bias",
        "it gives zeros here; a trained layer gives its output bias.",
    ),
    Fell(
        "in 32 bits they are rounded away",
        "scores 0 and 40 keep their difference: the weights are 0 and 1",
        "in 32 bits scores between about −30 and 30 become equal",
    ),
    Fell(
        "With four times the rate some trainings fail.",
        "13 of 14 failed",
        "With four times the rate most networks miss many.",
    ),
    Fell(
        "in 32 bits differences below about 30 are rounded away",
        "near 1e9 scores are rounded to multiples of 64: 31 and 33 stay apart, −20 and 20 do not",
        "in 32 bits scores between about −30 and 30 become equal",
    ),
    Fell(
        "So it is with a quarter of the learning rate.",
        "with one of fifteen more starts 0.997 of the words found their patch, not all",
        "Nearly so with a quarter of the learning rate.",
    ),
]
