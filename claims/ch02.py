"""Chapter 2: why softmax, why √d."""

from statistics import median

import numpy as np

from tools.claims import SEEDS, Claim, Experiment, Fell, grid, most, spread, where

DRAWS = 50  # random inputs in each case of arithmetic; a row holds the worst of them
RATES = {"SGD": (0.03, 0.1, 0.3, 1, 3, 10), "Adam": (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)}
DIVISORS = ("÷ 1", "÷ √d", "÷ d")


def furthest(a, b):
    return float(np.abs(np.asarray(a) - np.asarray(b)).max())


def arithmetic(book, seed, m, size):
    """Every identity about rows of weights that the page states: its worst case."""
    random, worst = np.random.default_rng([seed, m]), {}
    for _ in range(DRAWS):
        for name, value in identities(book, size * random.normal(size=m), random).items():
            worst[name] = max(worst.get(name, 0.0), value)
    return {name: round(float(value), 12) for name, value in worst.items()}


def identities(book, s, random):
    m, w = len(s), book.softmax(s)
    J = book.torch.autograd.functional.jacobian(book.softmax, book.torch.tensor(s)).numpy()
    raised, value = s + 0.1 * (np.arange(m) == 0), random.normal(size=(m, 3))
    cold, hot = book.softmax(s / 0.25), book.softmax(s / 4)
    with np.errstate(all="ignore"):
        naive = np.exp(s - s.max() + random.uniform(710, 5000))
        naive = naive / naive.sum()
    return {
        "ratio": furthest(w[0] / w / np.exp(s[0] - s), 1),
        "shift": furthest(book.softmax(s + 8 * random.normal()), w),
        "jacobian": furthest(np.diag(w) - np.outer(w, w), J),
        "columns": furthest(J.sum(axis=0), 0),
        "rows": furthest(J.sum(axis=1), 0),
        "steep": max(float(np.diag(J).max()) - 0.25, 0.0),
        "temperature": float(cold.max() < w.max() or hot.max() > w.max()),
        "finite": float(np.isfinite(naive).all()),
        "moves": furthest(w @ (value + 100), w @ value + 100),
        "at others' expense": float((book.softmax(raised)[1:] > w[1:] + 1e-15).any()),
        "alone": max(furthest(weigh(raised)[1:], weigh(s)[1:]) for weigh in (book.relu_weights, book.sigmoid_weights)),
        "relu": float(book.relu_weights(s)[s < 0].any()),
        "sigmoid": furthest(book.sigmoid_weights(s), np.exp(s) / (np.exp(s) + m)),
        "positive": float((w <= 0).any()),
    }


def size(book, seed, d):
    """Random scores of length d, and what the three divisors make of them."""
    random = np.random.default_rng([seed, d])
    q, k = random.normal(size=(2, 4000, d))
    row = {"size / √d": float((q * k).sum(axis=1).std() / np.sqrt(d))}
    for name, by in book.divisors.items():
        largest, _, slope = book.measure(d, by(d), seed)
        row |= {f"{name} largest": largest, f"{name} slope": slope, f"{name} before": slope / by(d)}
    return {name: round(float(value), 4) for name, value in row.items()}


def window(book, seed, optimiser, divisor, d):
    """Which of six rates bring one run to two thirds right in 75 steps, and the mean share at the best of them."""
    row, best = {}, 0.0
    for rate in RATES[optimiser]:
        by = book.divisors[divisor](d)
        shares, *_ = book.train(by, rate, d, 75, getattr(book.torch.optim, optimiser), seed=seed, runs=1)
        row[str(rate)] = int(shares[-5:].mean() > 2 / 3)
        best = max(best, float(shares.mean()))
    return {**row, "best": round(best, 2)}


def start(book, seed, divisor):
    """Adam at the page's rate and size: three runs, and the sizes of their scores before and after."""
    by = book.divisors[divisor](64)
    shares, before, after = book.train(by, 0.001, 64, 300, book.torch.optim.Adam, seed=seed, runs=3)
    slow = [int((run > 0.5).double().argmax()) if (run > 0.5).any() else 300 for run in shares.mT]
    sizes = [book.score_sizes(W, by) for W in (before, after)]
    row = {f"run {i + 1}": round(float(x), 2) for i, x in enumerate(shares[-20:].mean(dim=0))}
    row |= {"half right at step": int(median(slow))}
    names = ("own", "others", "entry")
    return row | {
        f"{n} {w}": round(x, 2)
        for w, s in zip(("before", "after"), sizes, strict=True)
        for n, x in zip(names, s, strict=True)
    }


def rescaled(book, seed, optimiser, d, power):
    """A divisor d**power against the same start and rate without it: how far W ends apart after ten steps."""
    c, method = d**power, getattr(book.torch.optim, optimiser)
    rate = 0.3 * c / np.sqrt(d) if optimiser == "SGD" else 0.01
    less = c if optimiser == "SGD" else np.sqrt(c)
    _, _, divided = book.train(c, rate, d, 10, method, seed=seed, runs=2)
    _, before, plain = book.train(1, rate / less, d, 10, method, start=c**-0.5, seed=seed, runs=2)
    apart = (divided / c**0.5 - plain).norm() / (plain - before).norm()
    return {"apart": round(float(apart), 3)}


def length(book, seed, L):
    """Row sums of random scores of size 1, with and without the correction, and of equal scores."""
    s = np.random.default_rng([seed, L]).normal(size=(500, L))
    sums = {
        "ReLU": book.relu_weights(s),
        "without L": np.maximum(s, 0),
        "sigmoid": book.sigmoid_weights(s),
        "without log L": 1 / (1 + np.exp(-s)),
        "nothing fits": book.sigmoid_weights(np.full((1, L), -4.0)),
        "softmax": book.softmax(s - 4),
    }
    return {name: round(float(weights.sum(-1).mean()), 3) for name, weights in sums.items()}


WEIGHTS = ("softmax", "relu_weights", "sigmoid_weights")
EXPERIMENTS = {
    "arithmetic": Experiment(arithmetic, (*WEIGHTS, "torch"), grid(seed=SEEDS, m=[2, 5, 30], size=[0.1, 1, 8])),
    "size": Experiment(size, ("measure", "divisors"), grid(seed=SEEDS, d=[4, 16, 64, 256, 1024])),
    "window": Experiment(
        window,
        ("train", "divisors", "torch"),
        grid(seed=SEEDS, optimiser=["SGD", "Adam"], divisor=DIVISORS, d=[16, 64, 256]),
    ),
    "start": Experiment(start, ("train", "divisors", "score_sizes", "torch"), grid(seed=SEEDS, divisor=DIVISORS)),
    "rescaled": Experiment(
        rescaled, ("train", "torch"), grid(seed=SEEDS, optimiser=["SGD", "Adam"], d=[16, 64], power=[0.5, 1])
    ),
    "length": Experiment(length, WEIGHTS, grid(seed=SEEDS, L=[2, 16, 128, 1024])),
}

ROWS = "5 seeds, 50 random rows each of 2, 5 and 30 scores of size 0.1, 1 and 8"
LENGTHS = "5 seeds, d = 4 to 1024"
WINDOWS = "5 seeds; plain gradient descent and Adam, three divisors, d = 16, 64 and 256, six rates each"
STARTS = "5 seeds of three runs, three divisors, at the page's rate and size"
KEYS = "5 seeds, 500 rows each of 2, 16, 128 and 1024 keys"


def exact(sentence, name):
    """A claim that holds for every row of scores but for the rounding of 64-bit numbers."""
    return Claim(
        sentence,
        "arithmetic",
        ROWS,
        lambda rows: all(row[name] == 0 for row in rows),
        [{name: 0.1}],
        lambda rows: f"no difference in 12 decimals; largest {max(row[name] for row in rows):.12f}",
    )


def working(rows, rate, **wanted):
    """The share of the runs with these values that learn at a rate."""
    runs = [row[str(rate)] for row in where(rows, **wanted)]
    return sum(runs) / len(runs)


def windows(rows, optimiser, divisor):
    """In words: of all runs at each size, how many learn at each rate."""
    told = []
    for d in (16, 64, 256):
        runs = where(rows, optimiser=optimiser, divisor=divisor, d=d)
        told.append(f"d = {d}: " + " ".join(str(sum(row[str(rate)] for row in runs)) for rate in RATES[optimiser]))
    return f"runs of 5 that learn at {', '.join(map(str, RATES[optimiser]))}: " + "; ".join(told)


def on(optimiser, divisor, conditions):
    """Whether a rate works (1) or does not (0), by (rate, d): at most one run in five does otherwise."""
    return lambda rows: all(
        abs(working(rows, rate, optimiser=optimiser, divisor=divisor, d=d) - wanted) <= 0.2
        for (rate, d), wanted in conditions.items()
    )


def still(optimiser, divisor):
    """Rows in which every rate works at every size."""
    rates = {str(rate): 1 for rate in RATES[optimiser]}
    return [{"optimiser": optimiser, "divisor": divisor, "d": d, "best": 0.9, **rates} for d in (16, 64, 256)]


def table(sentence, optimiser, divisor, conditions):
    return Claim(
        sentence,
        "window",
        WINDOWS,
        on(optimiser, divisor, conditions),
        still(optimiser, divisor),
        lambda rows: windows(rows, optimiser, divisor),
        "0 of 5 by guessing",
    )


NONE = {(0.3, 16): 1, (1, 16): 0, (3, 16): 0, (0.03, 256): 1, (0.1, 256): 0, (0.3, 256): 0}
BY_D = {(0.3, 16): 0, (1, 16): 1, (1, 256): 0, (3, 256): 0, (10, 256): 1}
ROOT = {(rate, d): int(0.05 < rate < 2) for rate in (0.03, 0.1, 0.3, 1, 3) for d in (16, 256)}
ADAM_ROOT = {(0.001, 256): 1, (0.001, 16): 0, (0.1, 16): 1, (0.1, 256): 0}
ADAM_ROOT |= {(rate, d): 1 for rate in (0.01, 0.03) for d in (16, 256)}
ADAM_D = {(rate, d): int(rate > 0.005) for rate in (0.001, 0.01, 0.03, 0.1) for d in (16, 256)}


def depends(rows):
    plain, adam = (lambda by, what: on("SGD", by, what)(rows)), (lambda by, what: on("Adam", by, what)(rows))
    return plain("÷ √d", ROOT) and plain("÷ d", BY_D) and adam("÷ √d", ADAM_ROOT) and adam("÷ d", ADAM_D)


def shift(rows, seed, divisor):
    """By how many columns the middle of Adam's window moves from d = 16 to d = 256."""
    middle = []
    for d in (16, 256):
        (row,) = where(rows, seed=seed, optimiser="Adam", divisor=divisor, d=d)
        places = [i for i, rate in enumerate(RATES["Adam"]) if row[str(rate)]]
        middle.append(sum(places) / max(len(places), 1))
    return middle[1] - middle[0]


def shifts(rows, divisor):
    """The same, the mean over all seeds."""
    seeds = {row["seed"] for row in rows}
    return sum(shift(rows, seed, divisor) for seed in seeds) / len(seeds)


def runs(rows, divisor):
    return [row[f"run {i}"] for row in where(rows, divisor=divisor) for i in (1, 2, 3)]


def quick(rows, divisor):
    return [row["best"] for row in where(rows, optimiser="Adam", divisor=divisor, d=64)]


def still_start(**changed):
    row = {"run 1": 0.95, "run 2": 0.95, "run 3": 0.95, "half right at step": 100, "own before": 0.0, "own after": 25.0}
    row |= {"others before": 8.0, "others after": 8.0, "entry before": 0.12, "entry after": 0.12, "seed": 0}
    return [{**row, "divisor": divisor, **changed} for divisor in DIVISORS]


def at(sentence, varied, experiment, holds, refuted, seen, floor="", ceiling=""):
    return Claim(sentence, experiment, varied, holds, refuted, seen, floor, ceiling)


CLAIMS = [
    exact("Only the **gap** (차이) between two scores counts.", "ratio"),
    exact("The ratio of two weights is $e$ raised to the gap of their scores.", "ratio"),
    exact("we may subtract any number from all scores of a row, since gaps stay as they are", "shift"),
    exact("As written it overflows already at a score of 710:", "finite"),
    exact("each column adds up to 0: what one weight gains the others lose.", "columns"),
    exact("Each row adds up to 0 as well, for another reason: raising all scores alike changes no weight.", "rows"),
    exact("At gap 0 the slope is 0.25, the most it can be", "steep"),
    exact("With softmax a weight can grow only at the others' expense.", "at others' expense"),
    exact("Two other ways to weigh let each score speak for itself.", "alone"),
    exact("an average moves by 100, whatever the weights", "moves"),
    exact("ReLU gives nothing at all to scores below 0.", "relu"),
    at(
        "the score has variance $d_k$, a typical size of $\\sqrt{d_k}$",
        LENGTHS,
        "size",
        lambda rows: all(0.9 < row["size / √d"] < 1.1 for row in rows),
        [{"size / √d": 1.2}],
        lambda rows: f"size divided by √d {spread(rows, 'size / √d')}",
    ),
    at(
        "Divided by $\\sqrt{d}$ it stays near 0.24 at all five sizes.",
        LENGTHS,
        "size",
        lambda rows: all(0.21 < row["÷ √d largest"] < 0.28 for row in rows),
        [{"÷ √d largest": 0.4}],
        lambda rows: spread(rows, "÷ √d largest"),
        "0.06, equal weights",
        "1",
    ),
    at(
        "For the score before the division, divide each slope by its divisor: then ÷ 1 has the largest mean.",
        LENGTHS,
        "size",
        lambda rows: all(row["÷ 1 before"] > max(row["÷ √d before"], row["÷ d before"]) for row in rows),
        [{"÷ 1 before": 0.05, "÷ √d before": 0.3, "÷ d before": 0.2}],
        lambda rows: "d = 1024: " + "; ".join(f"{n} {spread(where(rows, d=1024), f'{n} before', 4)}" for n in DIVISORS),
    ),
    table("without a divisor, the largest rate that works falls from 0.3 to 0.03 as $d$ grows", "SGD", "÷ 1", NONE),
    table("divided by $d$, the smallest rate that works rises from 1 to 10", "SGD", "÷ d", BY_D),
    table(
        "divided by $\\sqrt{d}$, the rates 0.1, 0.3 and 1 work at both sizes, and 0.03 and 3 at neither",
        "SGD",
        "÷ √d",
        ROOT,
    ),
    table(
        "Divided by $\\sqrt{d}$, the rate 0.001 works at $d = 256$ alone and 0.1 at $d = 16$ alone; 0.01 and 0.03 work"
        " at both.",
        "Adam",
        "÷ √d",
        ADAM_ROOT,
    ),
    table("Divided by $d$, the rates 0.01, 0.03 and 0.1 work at both, and 0.001 at neither.", "Adam", "÷ d", ADAM_D),
    at(
        "Without a divisor, at $d = 256$, each of the six rates, even 0.003, failed with most of the starts tried.",
        WINDOWS,
        "window",
        lambda rows: all(
            most(where(rows, optimiser="Adam", divisor="÷ 1", d=256), lambda row, rate=rate: not row[str(rate)])
            for rate in RATES["Adam"]
        ),
        [row for row in still("Adam", "÷ 1") for _ in SEEDS],
        lambda rows: windows(rows, "Adam", "÷ 1"),
        "0 of 5 by guessing",
    ),
    at(
        "Here, whether a window stays depends on the optimiser. With plain gradient descent that of $\\sqrt{d}$ stays.",
        WINDOWS,
        "window",
        depends,
        [row for optimiser in RATES for divisor in DIVISORS for row in still(optimiser, divisor)],
        lambda rows: f"Adam, ÷ √d, {windows(rows, 'Adam', '÷ √d')}; ÷ d, {windows(rows, 'Adam', '÷ d')}",
    ),
    at(
        "With Adam no window stays, and that of $d$ moves less than that of $\\sqrt{d}$",
        WINDOWS,
        "window",
        lambda rows: 0 < -shifts(rows, "÷ d") < -shifts(rows, "÷ √d"),
        [{**row, "seed": 0} for divisor in ("÷ √d", "÷ d") for row in still("Adam", divisor)],
        lambda rows: (
            "columns to the left, from d = 16 to 256, in the mean: "
            + "; ".join(f"{n} {-shifts(rows, n):.1f}" for n in ("÷ √d", "÷ d"))
        ),
    ),
    at(
        "In five other Adam runs at $d = 64$, with the best of six rates each, dividing by $d$ was as quick as by"
        " $\\sqrt{d}$.",
        WINDOWS,
        "window",
        lambda rows: all(abs(a - b) < 0.05 for a, b in zip(quick(rows, "÷ √d"), quick(rows, "÷ d"), strict=True)),
        [{"optimiser": "Adam", "divisor": n, "d": 64, "best": x} for n, x in (("÷ √d", 0.93), ("÷ d", 0.8))],
        lambda rows: (
            "mean share right in 75 steps: "
            + "; ".join(f"{n} {min(quick(rows, n)):.2f} to {max(quick(rows, n)):.2f}" for n in ("÷ √d", "÷ d"))
        ),
        "0.00 by guessing",
        "1",
    ),
    at(
        "All three learn it: they end far above guessing.",
        STARTS,
        "start",
        lambda rows: all(share > 0.2 for name in DIVISORS for share in runs(rows, name)),
        still_start(**{"run 2": 0.01}),
        lambda rows: "; ".join(f"{n} {min(runs(rows, n)):.2f} to {max(runs(rows, n)):.2f}" for n in DIVISORS),
        "0.004 by guessing",
        "1",
    ),
    at(
        "At this rate, dividing by $\\sqrt{d}$ learns soonest.",
        STARTS,
        "start",
        lambda rows: all(
            row["half right at step"] < other["half right at step"]
            for row in where(rows, divisor="÷ √d")
            for other in where(rows, seed=row["seed"])
            if other["divisor"] != "÷ √d"
        ),
        still_start(),
        lambda rows: (
            "half right at step "
            + "; ".join(f"{n} {spread(where(rows, divisor=n), 'half right at step', 0)}" for n in DIVISORS)
        ),
    ),
    at(
        "Without a divisor the starts differ most",
        STARTS,
        "start",
        lambda rows: range_of(rows, "÷ 1") > max(range_of(rows, "÷ √d"), range_of(rows, "÷ d")),
        still_start(),
        lambda rows: "; ".join(f"{n} {range_of(rows, n):.2f} from best to worst" for n in DIVISORS),
    ),
    at(
        "and three above 0.9",
        STARTS,
        "start",
        lambda rows: median(runs(rows, "÷ 1")) > 0.9,
        still_start(**{"run 1": 0.5, "run 2": 0.5}),
        lambda rows: f"median {median(runs(rows, '÷ 1')):.2f} of 15",
        "0.004 by guessing",
        "1",
    ),
    at(
        "The scores with other items nearly keep their size, and the score of an item with itself grows far above"
        " them.",
        STARTS,
        "start",
        lambda rows: all(
            0.85 < row["others after"] / row["others before"] < 1.15
            and row["entry after"] > 0.9 * row["entry before"]
            and row["own after"] > 2 * row["others after"]
            for row in where(rows, divisor="÷ 1")
        ),
        still_start(**{"others after": 2.0}),
        lambda rows: "; ".join(
            f"{what} {spread(where(rows, divisor='÷ 1'), what, 1)}"
            for what in ("own before", "own after", "others before", "others after")
        ),
    ),
    at(
        "Both train alike if the second's learning rate is divided, too: by $c$ in plain gradient descent, "
        "by $\\sqrt{c}$ with Adam.",
        "5 seeds, both optimisers, d = 16 and 64, c = √d and d, ten steps",
        "rescaled",
        lambda rows: all(row["apart"] < 0.02 for row in rows),
        [{"apart": 0.5}],
        lambda rows: f"W ends apart by {spread(rows, 'apart', 3)} of the way that it went",
    ),
    at(
        "Without the correction the row sum grows with the length of the text.",
        KEYS,
        "length",
        lambda rows: all(
            long[name] > 10 * short[name]
            for name in ("without L", "without log L")
            for long in where(rows, L=1024)
            for short in where(rows, L=16)
        ),
        [{"L": L, "without L": 1.0, "without log L": 1.0} for L in (16, 1024)],
        lambda rows: "; ".join(f"{L} keys {spread(where(rows, L=L), 'without log L', 1)}" for L in (2, 16, 128, 1024)),
        "1, softmax",
    ),
    at(
        "With it, the sum settles for scores of size 1: from 128 keys to 1024 it hardly moves.",
        KEYS,
        "length",
        lambda rows: all(
            max(row[name] for row in rows if row["L"] >= 128) < 1.08 * min(row[name] for row in rows if row["L"] >= 128)
            for name in ("ReLU", "sigmoid")
        ),
        [{"L": 128, "ReLU": 0.4, "sigmoid": 0.9}, {"L": 1024, "ReLU": 0.4, "sigmoid": 1.6}],
        lambda rows: "; ".join(
            f"{name} {spread(where(rows, L=128), name)} and {spread(where(rows, L=1024), name)}"
            for name in ("ReLU", "sigmoid")
        ),
        "1, softmax",
    ),
    at(
        "With softmax a query that fits no key still hands out weights that add up to 1.",
        KEYS,
        "length",
        lambda rows: all(row["softmax"] == 1 and row["nothing fits"] < 0.02 for row in rows),
        [{"softmax": 1.0, "nothing fits": 0.5}],
        lambda rows: f"softmax 1; sigmoid {spread(rows, 'nothing fits', 3)} for scores of −4",
    ),
]


def range_of(rows, divisor):
    return max(runs(rows, divisor)) - min(runs(rows, divisor))


SETTLED = {
    "Divide one weight by another and the total drops out": "derived",
    "A gap of 0.01 is worth 1 %.": "computed",
    "It does not: at small gaps $e^{\\text{gap}} \\approx 1 + \\text{gap}$.": "computed",
    "It amplifies large ones: a gap of 5 makes 148 to 1, a gap of 10 makes 22026 to 1.": "computed",
    "Cold (T = 0.25): the first score takes 0.98. Hot (T = 4): even the last keeps 0.14.": "computed",
    "For scores beyond about 88.72 the power overflows in 32 bits, beyond 709.78 in 64": "computed",
    "then the largest exponent is 0, and no power overflows": "derived",
    "Raising the first score raises its own weight at the slope 0.198 and lowers the second's at 0.195": "computed",
    "A weight that has nearly everything hardly moves any more": "computed",
    "Vaswani and colleagues say so in [a footnote](https://arxiv.org/abs/1706.03762)": "cited",
    "At $d_k = 64$, [as in that paper](https://arxiv.org/abs/1706.03762)": "cited",
    "Dividing by $\\sqrt{d_k}$ brings the size back to 1, for every $d_k$.": "derived",
    "Without a divisor the largest weight climbs to 0.96": "computed",
    "Divided by $d$ it sinks to 0.07, almost the 0.0625 of equal weights.": "computed",
    "Without a divisor it falls to 0.055 at $d = 1024$.": "computed",
    "Divided by $d$ it is 0.242, divided by $\\sqrt{d}$ 0.305.": "computed",
    "so $W_q$ and $W_k$ must make an item's query find its own key": "derived",
    "Guessing gets all eight signs right once in 256 times.": "computed",
    "[PyTorch's default rate](https://docs.pytorch.org/docs/stable/generated/torch.optim.Adam.html)": "cited",
    "one ends at 0.985, another at 0.420": "computed",
    "They hardly shrink: from 0.126 to 0.123.": "computed",
    "A single column could make any of the three look best: at 0.03 dividing by 1, at 0.3 by $\\sqrt{d}$,"
    " at 10 by $d$.": "computed",
    "[Yang et al. (2022)](https://arxiv.org/abs/2203.03466) divide by $d$": "cited",
    "All five runs have the same share right at each of 75 steps.": "computed",
    "Vaswani and colleagues themselves only [*suspect* saturation](https://arxiv.org/abs/1706.03762).": "cited",
    "[ReLU weights](https://arxiv.org/abs/2309.08586) divide by $L$": "cited",
    "[sigmoid weights](https://arxiv.org/abs/2409.04431) subtract $\\log L$ from the score": "cited",
    "ReLU gives *cat* a weight of exactly 0 in the first row.": "computed",
    "Where they are not 1 the output is no longer an average.": "computed",
    "a sigmoid weight is about $e^{s_j} / L$ where $L$ is far above $e^{s_j}$": "derived",
    "With sigmoid weights and 1024 scores of −4 the row sums to 0.018": "computed",
    "For finite scores its weights are above 0, unless they are too small for the computer to hold": "computed",
}

FELL = [
    Fell(
        "So the slope speaks against no divisor.",
        "That slope is the one with the divided score. With the score before the division the order turns round:"
        " 0.055 without a divisor, 0.0095 for √d and 0.0002 for d, at d = 1024.",
        "Both slopes are named; the slope does not decide.",
    ),
    Fell(
        "Its use is that nobody has to choose both again for every size.",
        "Under Adam the rates that work move: divided by √d, 0.001 works at d = 256 alone and 0.1 at 16 alone.",
        "Said of plain gradient descent and the two sizes that were tried.",
    ),
    Fell(
        "Without a divisor, no rate serves more than one of five other starts at $d = 256$.",
        "0.008, between two of the six rates, served three of three new starts (0.80 to 0.87 right).",
        "None of these six rates; rates between 0.003 and 0.01 do better.",
    ),
    Fell(
        "With each at the best of six rates, dividing by $d$ is as quick under Adam.",
        "At d = 64 (0.92 to 0.94 for both); at d = 256 it is slower: 0.88 against 0.92 to 0.94.",
        "Said of d = 64.",
    ),
    Fell(
        "Scores of independent numbers of variance 1 have size",
        "With mean 1 in place of 0 they are 8.2 times the root of 64.",
        "Mean 0 is named.",
    ),
    Fell(
        "With it, the sum settles: from 128 keys to 1024 it hardly moves.",
        "For scores of size 2 the sigmoid's sum goes on, from 4.6 at 128 keys to 6.3 at 1024; ReLU's stays.",
        "Said of scores of size 1.",
    ),
    Fell(
        "$W_q$ and $W_k$ can grow or shrink until the scores have the size they need",
        "Without a divisor the scores with other items keep their size (8.0 before, 7.5 after); the score of an item"
        " with itself grows from about 0 to 28.",
        "They hardly shrink; the right score outgrows the others.",
    ),
    Fell(
        "What is lost is time, and, without a divisor, certainty",
        "0.420 is rare: the median of 15 new runs is above 0.9. At the best of six rates, dividing by d loses no time.",
        "Most starts end above 0.9; the lead of √d is at this rate.",
    ),
    Fell(
        "divided by $\\sqrt{d}$ it **stays**, 0.1 to 1",
        "Under Adam it moves, from 0.01–0.3 at d = 16 to 0.001–0.03 at d = 256.",
        "The rates that work, for each optimiser; whether a window stays depends on the optimiser.",
    ),
    Fell(
        "These two scores get no sign of which way to go.",
        "A loss of −log of the weight has slope 1 at the same scores.",
        "A weight that has nearly everything hardly moves any more.",
    ),
    Fell(
        "with ReLU or sigmoid it can take almost nothing",
        "If all scores are 0, the sigmoid's row of 1024 sums to 0.999; at −4 to 0.018.",
        "Clearly negative scores are named, with both sums.",
    ),
    Fell(
        "Read the first row: raising the first score",
        "The slopes for one score stand in a column of (2.2); the table is symmetric.",
        "Columns and rows each have a reason of their own.",
    ),
    Fell(
        "so that in plain gradient descent one learning rate serves small and large",
        "Not under Adam, where its window moves by two columns and that of d by one or less.",
        "√d keeps the rates in plain gradient descent; with Adam d comes closer.",
    ),
    Fell(
        "each of the six rates failed with at least four of five other starts.",
        "of fourteen more starts, at 0.003, one of four, none of five and three of five learned",
        "each of the six rates failed with most of the starts tried.",
    ),
    Fell(
        "then the one without a divisor is the largest. So the slope does not decide.",
        "the largest in the mean; at $d = 1024$ with 16 keys its median is 0.000014, that of $\\sqrt{d}$ 0.0095",
        "then ÷ 1 has the largest mean. So slopes alone do not pick a divisor.",
    ),
    Fell(
        "under plain gradient descent one rate served both $d = 16$ and $d = 256$.",
        "so did one rate, 0.03, without a divisor, in the grid of the page",
        "three rates served both $d = 16$ and $d = 256$; ÷ 1 left one, ÷ $d$ none.",
    ),
]
