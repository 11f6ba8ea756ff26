"""The claims of chapter 6, several heads: what was tried, what was seen, what fell."""

import numpy as np
import torch

from tools.claims import SEEDS, Claim, Experiment, Fell, around, grid, most, spread, where


def layers(book, seed, n, heads, d_k):
    """The ways to split and join, the parameters, and PyTorch's layer, for one size."""
    random, d = np.random.default_rng(seed), heads * d_k
    X, W_o = random.normal(size=(n, d)), random.normal(size=(d, d))
    W = random.normal(size=(3, heads, d, d_k)) / d**0.5
    ways, mask = book.ways(n, heads), book.causal_mask(n)
    made = {name: book.multi_head(X, W, W_o, way) for name, way in ways.items()}
    free = {name: book.reacts(way, X, W, W_o) for name, way in ways.items()}
    masked = {name: book.reacts(ways[name], X, W, W_o, mask) for name in ("right", "split wrong")}
    rows, columns = np.nonzero(free["view(h, n, d)"])
    stretch = n // heads
    output, _ = book.list_of_heads(X, W, W_o)
    counts = {sum(p.numel() for p in book.MultiHeadAttention(d, h).parameters()) for h in (1, heads)}
    gaps = book.largest_gaps(d, heads, n + 1, n + 2, seed)
    return {
        "as_list": bool(np.allclose(made["right"][0], output, rtol=0, atol=1e-10)),
        "slips_equal": sum(np.allclose(made[name][0], output, rtol=0, atol=1e-10) for name in made if name != "right"),
        "shape": all(out.shape == (n, d) for out, _ in made.values()),
        "sums": round(max(float(abs(w.sum(-1) - 1).max()) for _, w in made.values()), 9),
        "table": made["no swap"][1].shape == (n, heads, heads),
        "all_react": bool(free["right"].all()),
        "staircase": bool((masked["right"] == np.tril(np.ones((n, n)))).all()),
        "outside": int((rows // stretch != columns // stretch).sum()),
        "identity": bool((free["no swap"] == np.eye(n)).all()),
        "ahead": int(np.triu(masked["split wrong"], 1).sum()),
        "counts": len(counts),
        "equal": max(gaps.values()) < 1e-12,
        "query_moves": round(float(min(abs(move).max() for move in book.query_moves(X, W[0]))), 4),
    }


def line(book, seed, width):
    """One head on random values: the best of random read-outs, and the lowest loss found without any symmetry."""
    random, four = np.random.default_rng(seed), book.four
    best, gap = 0.0, 0.0
    for _ in range(300):
        w, values = random.uniform(), random.normal(size=(2, width))
        x = sum(share * values[four[:, k]] for k, share in enumerate((w, 1 - w)))
        steep, cut = random.normal(size=(2, width, 200)), random.normal(size=(2, 200))
        bits = [(x @ steep[k] + cut[k] > 0) == four[:, k : k + 1] for k in (0, 1)]
        best = max(best, float((bits[0][:, :, None] & bits[1][:, None]).mean(0).max()))
    middle, rights = 0, []
    for w in random.uniform(0.55, 1, size=10):
        slope, shift = fitted(four @ [w, 1 - w] - 0.5, four[:, 1])
        z = slope * (four @ [w, 1 - w] - 0.5) + shift
        gap = max(gap, abs(np.logaddexp(0, np.where(four[:, 1] > 0, -z, z)).mean() / 2 - book.lowest(w)))
        middle = max(middle, abs(shift))
        rights.append(((z > 0) == four[:, 1]).tolist())
    sure = [book.lowest(w) for w in np.sort(random.uniform(0.52, 1, size=20))]
    return {
        "best": best,
        "gap": round(float(gap), 4),
        "middle": round(float(middle), 4),
        "answers": sorted({str(right) for right in rights}) == ["[True, False, False, True]"],
        "rising": bool((np.diff(sure) > 0).all()),
        "highest": round(float(max(sure)), 4),
        "flat": round(book.lowest(1.0) - book.lowest(0.99), 4),
    }


def fitted(x, bit, steps=50):
    """Slope and shift of the lowest loss of one bit, by Newton's method."""
    inputs, p = np.stack([x, np.ones(len(x))], axis=1), np.zeros(2)
    for _ in range(steps):
        chance = 1 / (1 + np.exp(-inputs @ p))
        curve = (inputs * (chance * (1 - chance))[:, None]).T @ inputs
        p = p - np.linalg.solve(curve + 1e-12 * np.eye(2), inputs.T @ (chance - bit))
    return p


def five(book, seed, adam, rate):
    """The problem of five numbers, early and late."""
    early, late = (book.small(steps, seed, rate, adam) for steps in (400, 12800))
    return {
        "near_early": round(float((early[0] > 0.9).mean()), 4),
        "left": round(float(((late[0] < 0.75) & (late[1] < 0.34)).mean()), 4),
        "share": round(float(max(early[2].max(), late[2].max())), 4),
        "fell": bool((late[1] <= early[1] + 1e-3).all()),
    }


def reader(book, seed, heads, bent, rate, steps):
    """A network trained: right answers, each bit, where it looks, and what is lost without each head."""
    model = book.train(heads, seed, steps, rate, book.bend if bent else None)
    share, good, _ = book.score(model)
    bits = sorted(good.double().mean(dim=0).tolist())
    torch.manual_seed(seed)
    seen = {"share": round(share, 2), "worse_bit": round(bits[0], 2), "better_bit": round(bits[1], 2)}
    seen["untrained"] = round(book.score(book.Reader(heads))[0], 2)
    weight, loss = book.end(model)
    seen |= {"weight": round(weight, 2), "loss": round(loss, 3), "lowest": round(book.lowest(min(weight, 1.0)), 3)}
    if heads == 1:
        return seen
    on = book.on_names(model).numpy()
    jobs, pure = on.argmax(axis=1), on.max(axis=1)
    lost = [book.without(model, [h]) for h in range(heads)]
    alone = [h for h in range(heads) if (jobs == jobs[h]).sum() == 1]
    ask, under = torch.tensor([[1, 3], [3, 1]]), torch.tensor([[0, 1, 0, 0, 0]])
    with torch.no_grad():
        logits, w = model(ask, torch.arange(5)[None], under)
    mean = w.mean(dim=1)
    answers = (logits > 0).tolist()
    return seen | {
        "jobs": len(set(jobs.tolist())),
        "purest": round(float(pure.min()), 2),
        "own_bit_without": round(max([lost[h].min() for h in alone], default=-1), 2),
        "other_bit_without": round(min([lost[h].max() for h in range(heads)]), 2),
        "missed": int(sum(bits.min() < 0.9 for bits in lost)),
        "alone": len(alone),
        "mean_differs": round(float(abs(mean[0] - mean[1]).max()), 2),
        "exchanged": answers == [[True, False], [False, True]],
    }


PAGE = {"bent": False, "rate": 0.01, "steps": 200}
RATES = [0.0025, 0.04]
SIZES = [(4, 2, 2), (6, 3, 2), (8, 4, 3), (12, 2, 4), (2, 2, 1)]
EXPERIMENTS = {
    "layers": Experiment(
        layers,
        (
            "ways",
            "multi_head",
            "reacts",
            "list_of_heads",
            "causal_mask",
            "MultiHeadAttention",
            "largest_gaps",
            "query_moves",
        ),
        [{"seed": seed, "n": n, "heads": h, "d_k": d} for n, h, d in SIZES for seed in SEEDS],
    ),
    "line": Experiment(line, ("four", "lowest"), grid(seed=SEEDS, width=[1, 8])),
    "five": Experiment(
        five,
        ("small",),
        [
            {"seed": seed, "adam": adam, "rate": rate}
            for adam, rate in ((True, 0.005), (True, 0.02), (True, 0.08), (False, 1.0), (False, 4.0))
            for seed in SEEDS
        ],
    ),
    "reader": Experiment(
        reader,
        ("train", "score", "bend", "Reader", "end", "lowest", "on_names", "without"),
        around({"heads": 1, **PAGE}, rate=RATES, steps=[800])
        + around({"heads": 2, **PAGE}, rate=RATES)
        + around({"heads": 1, **PAGE, "bent": True})
        + around({"heads": 4, **PAGE}),
    ),
    "quick": Experiment(
        reader,
        ("train", "score", "bend", "Reader", "end", "lowest"),
        around({"heads": 1, **PAGE, "bent": True, "rate": 0.04}),
    ),
}
LAYER = {
    "n": 6,
    "heads": 3,
    "as_list": True,
    "slips_equal": 0,
    "shape": True,
    "sums": 0.0,
    "table": True,
    "all_react": True,
}
LAYER |= {"staircase": True, "outside": 0, "identity": True, "ahead": 8, "counts": 1, "equal": True, "query_moves": 1.0}
SIZED = "5 sizes, 5 seeds each, random tokens and matrices"
STARTED = "5 seeds, rates × ¼ to × 4"


def every(name, value=True):
    """Whether all rows have this value."""
    return lambda rows: all(row[name] == value for row in rows)


def told(name, text):
    """How many rows there are, and what was seen in them."""
    return lambda rows: f"{text}: {sum(bool(row[name]) for row in rows)} of {len(rows)}"


def layer(sentence, name, text, value=True, wrong=False):
    """A claim about shapes and identities that holds for every size."""
    seen = told(name, text) if value is True else lambda rows: f"{text}: {spread(rows, name, 0)}"
    return Claim(sentence, "layers", SIZED, every(name, value), [{**LAYER, name: wrong}], seen)


def some(**wanted):
    """The rows of `reader` with these values; the rate and the steps of the page unless others are wanted."""
    return lambda rows: where(rows, **wanted)


one, two = some(heads=1, bent=False), some(heads=2)
bent, four = some(bent=True), some(heads=4)
READ = {"heads": 1, "bent": False, "rate": 0.01, "steps": 200, "share": 0.5, "worse_bit": 0.5, "better_bit": 1.0}
READ |= {"untrained": 0.25, "weight": 1.0, "loss": 0.347, "lowest": 0.347}
READ_2 = {
    **READ,
    "heads": 2,
    "share": 1.0,
    "worse_bit": 1.0,
    "loss": 0.0,
    "jobs": 2,
    "purest": 0.99,
    "own_bit_without": 0.5,
}
READ_2 |= {"other_bit_without": 1.0, "missed": 2, "alone": 2, "mean_differs": 0.01, "exchanged": True}
LINE = {
    "width": 1,
    "best": 0.75,
    "gap": 0.0,
    "middle": 0.0,
    "answers": True,
    "rising": True,
    "highest": 0.3465,
    "flat": 0.0,
}
FIVE = {"adam": True, "rate": 0.02, "near_early": 1.0, "left": 0.875, "share": 0.5, "fell": True}
FLOOR = lambda rows: f"untrained {spread(rows, 'untrained')}, a guess 0.25"  # noqa: E731

CLAIMS = [
    layer("The right way gives what the list of heads gave.", "as_list", "equal"),
    layer("The slips do not, yet their outputs have the right shape", "slips_equal", "slips that are equal", 0, 1),
    layer("every row of their weights sums to 1", "sums", "largest distance from 1", 0.0, 0.2),
    Claim(
        "Only the missing swap shows in the shape of the weights, and only where tokens and heads differ in number",
        "layers",
        SIZED,
        every("table"),
        [{**LAYER, "table": False}],
        told("table", "tables of heads against heads"),
    ),
    layer("Without a mask every output should react to every token.", "all_react", "all react, split rightly"),
    layer("no output reacts to a token outside its stretch", "outside", "reactions outside of the stretch", 0, 3),
    layer("**No swap** gives the identity.", "identity", "identity"),
    layer("The right way gives the staircase of the causal mask.", "staircase", "staircase"),
    Claim(
        "The mask was applied, and the future leaks all the same.",
        "layers",
        SIZED,
        lambda rows: all(row["ahead"] >= 1 for row in rows),
        [{**LAYER, "ahead": 0}],
        lambda rows: f"reactions to later tokens: {spread(rows, 'ahead', 0)}",
        "none with the right split",
    ),
    layer(
        r"With $d_k = d_\text{model}/h$ the number of parameters does not depend on the number of heads.",
        "counts",
        "different numbers",
        1,
        2,
    ),
    layer("All pairs are equal to 1e-12.", "equal", "equal, gradients too"),
    Claim(
        "It sees all of it through a projection.",
        "layers",
        SIZED,
        lambda rows: all(row["query_moves"] > 0 for row in rows),
        [{**LAYER, "query_moves": 0.0}],
        lambda rows: f"every head's query moves by {spread(rows, 'query_moves')}",
        "0 for a head that does not see the number",
    ),
    Claim(
        "So one head with such a read-out is right for **at most three of the four**, "
        "whatever its weights or its training.",
        "line",
        "60,000 random read-outs for each of 5 seeds",
        lambda rows: all(row["best"] <= 0.75 for row in rows),
        [{**LINE, "best": 1.0}],
        lambda rows: f"best share {spread(rows, 'best')}",
        "0.25, a guess",
        "0.75",
    ),
    Claim(
        "Wider values do not help",
        "line",
        "values of 8 numbers, 60,000 random read-outs for each of 5 seeds",
        lambda rows: all(row["best"] <= 0.75 for row in where(rows, width=8)),
        [{**LINE, "width": 8, "best": 1.0}],
        lambda rows: f"best share {spread(where(rows, width=8), 'best')}",
        "0.25, a guess",
        "0.75",
    ),
    Claim(
        "The points are symmetrical, so the best cut is in the middle.",
        "line",
        "100 random weights, Newton's method with slope and shift both free",
        lambda rows: all(abs(row["middle"]) < 1e-3 and row["gap"] < 1e-3 for row in rows),
        [{**LINE, "middle": 0.2}],
        lambda rows: f"shift from the middle {spread(rows, 'middle', 3)}",
    ),
    Claim(
        "The loss falls all the way to a nearly even mixture.",
        "line",
        "20 random weights from 0.52 to 1 for each of 5 seeds",
        every("rising"),
        [{**LINE, "rising": False}],
        told("rising", "rises with the larger weight"),
    ),
    Claim(
        "A cut in the middle answers 00 and 11 rightly and 10 and 01 wrongly: two of four, "
        "for every $w$ between one half and one.",
        "line",
        "100 random weights",
        every("answers"),
        [{**LINE, "answers": False}],
        told("answers", "these two of four"),
    ),
    Claim(
        "**The curve is flat at $w = 1$.**",
        "line",
        "exact",
        lambda rows: all(row["flat"] < 1e-3 for row in rows),
        [{**LINE, "flat": 0.01}],
        lambda rows: f"from weight 0.99 to 1 it rises by {spread(rows, 'flat', 4)}",
    ),
    Claim(
        "The share of right answers is one half both times.",
        "five",
        "5 draws of 8 starts, Adam and plain gradient descent, rates × ¼ to × 4",
        every("share", 0.5),
        [{**FIVE, "share": 0.75}],
        lambda rows: spread(rows, "share"),
        "0.25, a guess",
        "0.75",
    ),
    Claim(
        "At other rates (a quarter, four times; plain gradient descent: 1, 4) most starts, too, stood below 0.9 "
        "after 12,800 steps.",
        "five",
        "5 draws of 8 starts, Adam and plain gradient descent, rates × ¼ to × 4",
        lambda rows: all(
            np.mean([row["left"] for row in where(rows, rate=rate)]) > 0.5 for rate in {row["rate"] for row in rows}
        ),
        [{**FIVE, "left": 0.25}],
        lambda rows: f"share below 0.9 {spread(rows, 'left')}",
    ),
    Claim(
        "one head had at most one half",
        "reader",
        STARTED + ", steps × 4",
        lambda rows: most(one(rows), lambda row: row["share"] <= 0.5),
        [{**READ, "share": 0.75}],
        lambda rows: spread(one(rows), "share"),
        FLOOR,
        "0.75",
    ),
    Claim(
        "and one bit without error.",
        "reader",
        STARTED + ", steps × 4",
        lambda rows: most(one(rows), lambda row: row["better_bit"] == 1),
        [{**READ, "better_bit": 0.75, "worse_bit": 0.75}],
        lambda rows: f"better bit {spread(one(rows), 'better_bit')}, the other {spread(one(rows), 'worse_bit')}",
        "0.50, a coin",
    ),
    Claim(
        "Two heads mostly had 1.00.",
        "reader",
        STARTED,
        lambda rows: most(two(rows), lambda row: row["share"] == 1),
        [{**READ_2, "share": 0.9}],
        lambda rows: spread(two(rows), "share"),
        FLOOR,
        "1.00",
    ),
    Claim(
        "one head solves the task from all three starts, and from most others",
        "reader",
        "5 seeds",
        lambda rows: most(bent(rows), lambda row: row["share"] >= 0.95),
        [{**READ, "bent": True}] * 5,
        lambda rows: f"share {spread(bent(rows), 'share')}",
        FLOOR,
        "1.00",
    ),
    Claim(
        "(At four times the rate it did not, in 200 steps.)",
        "quick",
        "5 seeds",
        lambda rows: all(row["share"] < 0.95 for row in rows),
        [{**READ, "bent": True, "rate": 0.04, "share": 1.0}],
        lambda rows: f"share {spread(rows, 'share')}",
        FLOOR,
        "1.00",
    ),
    Claim(
        "In most starts that we tried, two heads divided the work so.",
        "reader",
        STARTED,
        lambda rows: most(two(rows), lambda row: row["jobs"] == 2 and row["own_bit_without"] <= 0.6),
        [{**READ_2, "jobs": 1}],
        lambda rows: f"its bit without a head: {spread(two(rows), 'own_bit_without')}",
        "0.50, a coin",
    ),
    Claim(
        "switch one off and its bit falls to a coin toss, while the other bit stays",
        "reader",
        "5 seeds",
        lambda rows: most(
            some(heads=2, rate=0.01)(rows), lambda r: r["own_bit_without"] <= 0.6 and r["other_bit_without"] >= 0.95
        ),
        [{**READ_2, "other_bit_without": 0.5}],
        lambda rows: f"the other bit {spread(some(heads=2, rate=0.01)(rows), 'other_bit_without')}",
        "0.50, a coin",
    ),
    Claim(
        "The mean is nearly the same; the answers are exchanged",
        "reader",
        "5 seeds, two heads",
        lambda rows: all(r["mean_differs"] <= 0.15 and r["exchanged"] for r in some(heads=2, rate=0.01)(rows)),
        [{**READ_2, "mean_differs": 0.5}],
        lambda rows: f"the means differ by {spread(some(heads=2, rate=0.01)(rows), 'mean_differs')}",
    ),
]
SETTLED = {
    "The formula is that of [Vaswani et al. (2017)](https://arxiv.org/abs/1706.03762), section 3.2.2.": "cited",
    'row 2 of "head 1" is 13, 14: the second half of token *1*': "computed",
    "so the best slope for that bit is 0": "derived",
    "A read-out that bends separates four points on a line.": "derived",
    "With slope 0 the weight has no effect on this bit's loss, and nothing pulls the weight back.": "derived",
    "Three of four need a cut off the middle, and such a cut has more loss.": "derived",
    "Two cuts make at most *three* parts, and each part has one answer.": "derived",
    "Being sure of one bit, $w = 1$, has the *highest* loss of these weights": "computed",
    "After 400 steps all eight stand near $w = 1$.": "computed",
    "After 12,800 steps seven of them have left it, and the loss is lower.": "computed",
    "Four of the five networks stand near $w = 1$, one at 0.6, and no point lies below the curve.": "computed",
    "Heads 1 and 4 share one name, heads 2 and 3 the other.": "computed",
    "the four divide the work three to one, and the head that is alone is missed": "computed",
    "many heads can be removed after training with little loss": "cited",
    "In the first Transformer such a network ends every block": "cited",
}
FELL = [
    Fell(
        "At other rates most starts left, too.",
        "with plain gradient descent at the rate 1 only 47 of 96 starts were ever above 0.9: the others had nothing "
        "to leave",
        "most starts, too, stood below 0.9 after 12,800 steps.",
    ),
    Fell(
        "two heads always divided the work so.",
        "one of 14 other starts did not: without one of the heads its bits were 0.90 and 0.60",
        "In most starts that we tried, two heads divided the work so.",
    ),
    Fell(
        "In other trials one head had at most one half, and one bit without error.",
        "3 of 36 more did not: 0.512, or a better bit of 0.962 and 0.998",
        "In most other trials",
    ),
    Fell(
        "So training does not end in the corner: it lingers there, because the curve is flat.",
        "after 12,800 steps one start of eight is still there; that flatness is the cause was derived, not tried",
        "So most starts leave $w = 1$, but late. There the curve is flat.",
    ),
    Fell(
        "The loss rewards being sure of one bit; it does not count complete answers.",
        "one sure bit costs 0.347, weights 0.3 and 0.7 cost 0.306, 0.45 and 0.55 cost 0.225",
        "The loss falls all the way to a nearly even mixture.",
    ),
    Fell(
        "In PyTorch it is the famous `view` without `transpose`.",
        "`view(n, h, d)` without a transpose mixes heads inside one token, `view(h, n, d)` mixes stretches of tokens",
        "Both slips stand side by side, each with its grid.",
    ),
    Fell(
        "With $h$ heads one layer looks back no farther than about $n / h$ tokens",
        "true if both the split and the join are wrong; split wrongly and joined rightly, tokens see the future",
        "Split wrongly and joined rightly, tokens react to what comes *after* them",
    ),
    Fell(
        "Heads with one job are missed, heads that share a job are not.",
        "with four heads some starts have a head that mixes both names",
        "With two heads, each has one job",
    ),
    Fell(
        "A list of small products is slow.",
        "1.0 to 1.3 times slower at width 512, 3.4 times at width 64",
        "One wide $W_q$ and one product then give the queries of all heads at once.",
    ),
    Fell(
        "it spares the rest of the network from untangling what one head has mixed",
        "one head with a bent read-out solved the task from 12 of 13 other starts, at twice the rate from 1 of 8,"
        " and from another it reached 0.96",
        "With two heads a linear read-out is enough.",
    ),
    Fell(
        "Two heads had 1.00 each time.",
        "at a quarter of the rate 3 of 20 more starts had 0.86, 0.98 and 0.99",
        "Two heads had 1.00, with the five other starts that are named.",
    ),
    Fell(
        "With plain gradient descent, at least half of the starts had left it by then, too.",
        "at the rates 0.005, 0.02 and 0.08 none had left it: about half never came there; at 1 and 4 it holds",
        "or plain gradient descent at rates 1 and 4, most starts stood below 0.9 after 12,800 steps.",
    ),
    Fell(
        "So the loss prefers mixing.",
        "with slopes up to about 8 one sure bit has the lowest loss",
        "So with steep enough read-outs the loss prefers mixing.",
    ),
    Fell(
        "Changing one token shows all three slips.",
        "without a mask the third reacts to every token, in 210 of 210 layers, as the right layer does",
        "the third under a mask.",
    ),
    Fell(
        "training stays near there for long.",
        "of 20 starts that were followed 14 came there, and 12 of these stayed",
        "most starts go there and stay for long.",
    ),
    Fell(
        "the third only under a causal mask.",
        "a padding mask shows it as well, in 72 of 72 layers, and so does a window, in 64 of 64",
        "the third under a mask.",
    ),
    Fell(
        "(At four times the rate it did not.)",
        "with four times the steps as well, 3 of 7 starts solved it",
        "(At four times the rate it did not, in 200 steps.)",
    ),
]
