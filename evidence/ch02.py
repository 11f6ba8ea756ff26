"""Evidence for chapter 2: what three divisors do to random weights, to the first gradient and to training."""

from math import sqrt
from statistics import mean

import torch

from attention_course.divisors import LEARNED, measure_gradients, measure_pulls, train_side_by_side

from .claims import SEEDS, WITH_PAGE, Experiment, Series, all_rows, claim_of, grid, round_numbers, select_rows

RATES = {"SGD": (0.03, 0.1, 0.3, 1, 3, 10), "Adam": (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)}


def measure_weights(book, seed, d):
    """Return the largest weight of random queries."""
    largest = {name: book.draw_weights(d, by(d), seed).max(axis=1).mean() for name, by in book.divisors.items()}
    return round_numbers({f"{name} largest": value for name, value in largest.items()})


def measure_first_gradient(book, seed, d):
    """Return the gradient of W_q and W_k before the first step, compared with their numbers, for each divisor."""
    by_name = {name: measure_gradients(by(d), d, seed=seed) * sqrt(d) for name, by in book.divisors.items()}
    return round_numbers({name: gradients.mean() for name, gradients in by_name.items()})


def measure_spread(book, seed, d):
    """Return how many equal pulls the pulls at the 64 queries count as, and the typical pull, for each divisor."""
    row = {}
    for name, by in book.divisors.items():
        pulls = measure_pulls(by(d), d, seed=seed)
        row |= {f"{name} count": book.count_as(pulls).mean(), f"{name} typical": pulls.median(dim=1).values.mean()}
    return round_numbers(row, 5)


def train_from_some(book, seed, who, divisor=1, rate=0.03, steps=100):
    """Let only some rows count in the error, d = 256; return the share right and how many of five runs learn."""
    teach = {"all": None, "brightest": book.brightest, "random": book.at_random}
    teach["others"] = lambda weights: ~book.brightest(weights)
    shares, *_ = train_side_by_side(divisor, rate, 256, steps, seed=seed, teach=teach[who])
    right = shares[-5:].mean(dim=0)
    return round_numbers({"right": right.mean(), "learned": int((right > LEARNED).sum())})


def try_rates(book, seed, optimiser, divisor, d):
    """Return the share of items right at the end of 75 steps, for six rates."""
    method, by = getattr(torch.optim, optimiser), book.divisors[divisor](d)
    shares = {rate: train_side_by_side(by, rate, d, 75, method, seed=seed, runs=1)[0][-5:] for rate in RATES[optimiser]}
    return round_numbers({str(rate): share.mean() for rate, share in shares.items()})


def start_smaller(book, seed):
    """Return the share of items right at the end with Adam and without a divisor, d = 256.

    The first two columns are for the usual 75 steps, from matrices four times smaller and from the usual ones; the last
    is for 400 steps.
    """
    row = {}
    for rate in (0.001, 0.003):
        for name, steps, scale in (("small", 75, 0.25), ("usual", 75, 1), ("late", 400, 1)):
            shares, *_ = train_side_by_side(1, rate, 256, steps, torch.optim.Adam, scale=scale, seed=seed, runs=1)
            row[f"{rate} {name}"] = shares[-5:].mean()
    return round_numbers(row)


def measure_growth(book, seed):
    """Return the size of divided scores of new items before and after 75 steps, and an item's score with its own key.

    As in the chapter's first training, d = 16, the divisor is 4, and the rate is 1.
    """
    _, *matrices = train_side_by_side(4, 1, 16, 75, seed=seed, runs=1)
    items = torch.randn(640, 16, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    before, after = ((items @ W_q[0]) @ (items @ W_k[0]).T / 4 for W_q, W_k in matrices)
    return round_numbers({"before": before.std(), "after": after.std(), "own": after.diag().mean()}, 2)


EXPERIMENTS = {
    "size": Experiment(measure_weights, ("draw_weights", "divisors"), grid(seed=SEEDS, d=[4, 16, 64, 256, 1024])),
    "gradient": Experiment(measure_first_gradient, ("divisors",), grid(seed=WITH_PAGE, d=[16, 64, 256])),
    "spread": Experiment(measure_spread, ("divisors", "count_as"), grid(seed=SEEDS, d=[16, 64, 256, 1024])),
    "taught": Experiment(
        train_from_some,
        ("brightest", "at_random"),
        [
            *grid(seed=SEEDS, who=["all", "brightest", "others", "random"], divisor=[1], rate=[0.03], steps=[100]),
            *grid(seed=SEEDS, who=["others"], divisor=[1], rate=[0.01, 0.1, 0.3], steps=[100]),
            *grid(seed=SEEDS, who=["random"], divisor=[16], rate=[0.3], steps=[100]),
        ],
    ),
    "window": Experiment(
        try_rates,
        ("divisors",),
        grid(seed=SEEDS, optimiser=["SGD", "Adam"], divisor=["÷ 1", "÷ √d", "÷ d"], d=[16, 256]),
    ),
    "start": Experiment(start_smaller, (), grid(seed=SEEDS)),
    "growth": Experiment(measure_growth, (), grid(seed=SEEDS)),
}


def match_rates(optimiser, divisor, expected):
    """Return a condition: for each (rate, d), at most one run in five does not learn (1) or fail (0) as expected."""

    def holds(rows):
        runs = {d: select_rows(rows, optimiser=optimiser, divisor=divisor, d=d) for _, d in expected}
        return all(
            abs(mean(row[str(rate)] > LEARNED for row in runs[d]) - learns) <= 0.2
            for (rate, d), learns in expected.items()
        )

    return holds


def most_learn(rows, column):
    """Return whether at most one run in five fails."""
    return mean(row[column] > LEARNED for row in rows) >= 0.8


def compare_sizes(rows, name):
    """Return, seed by seed, how the gradient at d = 256 compares with that at d = 16."""
    pairs = [[row[name] for row in select_rows(rows, d=d)] for d in (16, 256)]
    return [large / small for small, large in zip(*pairs, strict=True)]


def show_rate(rate, label, optimiser, divisor, d=256):
    """Return the series that shows what the runs get right at a rate; one that learns has more than two thirds."""
    return Series(rate, label, {"optimiser": optimiser, "divisor": divisor, "d": d})


PLAIN = {(0.3, 16): 1, (1, 16): 0, (3, 16): 0, (0.03, 256): 1, (0.1, 256): 0, (0.3, 256): 0}
BY_D = {(0.3, 16): 0, (1, 16): 1, (1, 256): 0, (3, 256): 0, (10, 256): 1}
BY_ROOT = {(rate, d): int(0.05 < rate < 2) for rate in (0.03, 0.1, 0.3, 1, 3) for d in (16, 256)}
ADAM_BY_ROOT = {(rate, d): 1 for rate in (0.01, 0.03) for d in (16, 256)}
ADAM_BY_D = {(rate, d): 1 for rate in (0.01, 0.03, 0.1) for d in (16, 256)}

TAUGHT = {"divisor": 1, "rate": 0.03}

gradient_claim = claim_of("gradient", "5 seeds, five initialisations each, d = 16, 64 and 256")
spread_claim = claim_of("spread", "5 seeds, five initialisations each, d = 16 to 1024")
taught_claim = claim_of("taught", "5 seeds, five runs each; d = 256, plain gradient descent, 75 steps")
window_claim = claim_of(
    "window", "5 seeds; plain gradient descent and Adam, three divisors, d = 16 and 256, six learning rates each"
)
CLAIMS = [
    claim_of("size", "5 seeds, d = 4 to 1024")(
        "With a divisor of $\\sqrt{d}$ it stays near 0.24 at every size, and the row can still both choose *and* move.",
        all_rows(lambda row: 0.2 < row["÷ √d largest"] < 0.28),
        wrong_if="Wrong if, for any seed and any d, the mean of the largest of 16 weights is at most 0.2 or at least "
        "0.28.",
        shows=Series("÷ √d largest", "mean of the largest of 16 weights, ÷ √d"),
        page="0.24",
        baseline=Series("÷ 1 largest", "the same without a divisor"),
    ),
    gradient_claim(
        "so taking the divisor away makes it 23 times *larger*",
        all_rows(lambda row: row["÷ 1"] > 16 * row["÷ √d"], d=256),
        wrong_if="Wrong if, for any seed, at d = 256, the gradient of W_q and W_k before the first step is at most 16 "
        "times as large without a divisor as with ÷ √d.",
        shows=Series("÷ 1", "gradient compared with the numbers of W, d = 256, no divisor", {"d": 256}),
        baseline=Series("÷ √d", "the same with ÷ √d", {"d": 256}),
    ),
    gradient_claim(
        "With a divisor of $\\sqrt{d}$ the step hardly changes: it is 0.168 at $d = 16$ and 0.146 at $d = 256$.",
        lambda rows: all(0.6 < change < 1.4 for change in compare_sizes(rows, "÷ √d")),
        wrong_if="Wrong if, for any seed, from d = 16 to d = 256, the gradient of W_q and W_k before the first step, "
        "compared with their numbers, changes by 40% or more.",
        shows=Series("÷ √d", "gradient compared with the numbers of W, ÷ √d"),
        page="0.168",
        baseline=Series("÷ 1", "the same without a divisor"),
    ),
    gradient_claim(
        "Without a divisor it grows, and with a divisor of $d$ it shrinks.",
        lambda rows: min(compare_sizes(rows, "÷ 1")) > 1.5 and max(compare_sizes(rows, "÷ d")) < 0.5,
        wrong_if="Wrong if, for any seed, from d = 16 to d = 256, the gradient compared with the numbers of W grows "
        "less than by half without a divisor, or shrinks less than to half with ÷ d.",
        shows=Series("÷ 1", "gradient compared with the numbers of W, d = 256, no divisor", {"d": 256}),
        baseline=Series("÷ 1", "the same at d = 16", {"d": 16}),
    ),
    spread_claim(
        "**Without a divisor the gradient doesn't vanish. As $d$ grows, it concentrates.**",
        lambda rows: (
            all_rows(lambda row: row["÷ 1 count"] < 9 and row["÷ √d count"] > 25, d=1024)(rows)
            and all_rows(lambda row: row["÷ 1 count"] > 18, d=16)(rows)
        ),
        wrong_if="Wrong if, for any seed, the 64 pulls without a divisor count as 18 or fewer at d = 16, or as 9 or "
        "more at d = 1024, or those with √d count as 25 or fewer at d = 1024.",
        shows=Series("÷ 1 count", "what the 64 pulls count as without a divisor, d = 1024", {"d": 1024}),
        page="5",
        baseline=Series("÷ √d count", "the same with ÷ √d", {"d": 1024}),
        rival=Series("÷ 1 count", "without a divisor, d = 16", {"d": 16}),
    ),
    spread_claim(
        "At $d = 1024$ the paper's suspicion holds for the typical row",
        all_rows(lambda row: row["÷ 1 typical"] < row["÷ √d typical"] / 2, d=1024),
        wrong_if="Wrong if, for any seed, at d = 1024, the typical pull without a divisor is at least half as strong "
        "as with √d.",
        shows=Series("÷ 1 typical", "typical pull without a divisor, d = 1024", {"d": 1024}),
        page="0.0022",
        baseline=Series("÷ √d typical", "the same with ÷ √d", {"d": 1024}),
    ),
    taught_claim(
        "If only the 13 brightest rows count, all five runs still learn to get more than two thirds of the items "
        "right. If only the other 51 count, no run does.",
        lambda rows: (
            all_rows(lambda row: row["learned"] >= 4, **TAUGHT, who="brightest")(rows)
            and all_rows(lambda row: row["learned"] == 0, who="others")(rows)
        ),
        wrong_if="Wrong if, for any seed, fewer than four of the five runs learn when the 13 brightest rows teach, or "
        "if any run learns when the other 51 do, at any of four learning rates.",
        shows=Series("learned", "runs that learn, taught by the 13 brightest rows", {**TAUGHT, "who": "brightest"}),
        baseline=Series("learned", "taught by the other 51", {**TAUGHT, "who": "others"}),
        rival=Series("learned", "taught by all 64", {**TAUGHT, "who": "all"}),
    ),
    taught_claim(
        r"With $\sqrt{d}$ and a rate of 0.3, 13 rows drawn at random are enough for all five runs",
        lambda rows: (
            all_rows(lambda row: row["learned"] == 5, divisor=16)(rows)
            and all_rows(lambda row: row["learned"] == 0, **TAUGHT, who="random")(rows)
        ),
        wrong_if="Wrong if, for any seed, not all five runs learn from 13 random rows with √d, or if any run learns "
        "from them without a divisor.",
        shows=Series("learned", "runs that learn, taught by 13 random rows, ÷ √d", {"divisor": 16}),
        baseline=Series("learned", "the same without a divisor", {**TAUGHT, "who": "random"}),
    ),
    window_claim(
        "without a divisor, the largest rate that works falls from 0.3 to 0.03 as $d$ grows",
        match_rates("SGD", "÷ 1", PLAIN),
        wrong_if="Wrong if at d = 16, at least two of the five runs fail at a learning rate of 0.3, or at least two "
        "learn at one of the rates 1 and 3, or at d = 256, at least two fail at 0.03, or at least two learn at one of "
        "the rates 0.1 and 0.3.",
        shows=show_rate("0.3", "items right at rate 0.3, d = 256, no divisor", "SGD", "÷ 1"),
        baseline=show_rate("0.3", "the same at d = 16", "SGD", "÷ 1", d=16),
    ),
    window_claim(
        "with a divisor of $d$, the smallest rate that works rises from 1 to 10",
        match_rates("SGD", "÷ d", BY_D),
        wrong_if="Wrong if at d = 16, at least two of the five runs learn at a learning rate of 0.3, or at least two "
        "fail at 1, or at d = 256, at least two learn at one of the rates 1 and 3, or at least two fail at 10.",
        shows=show_rate("1", "items right at rate 1, d = 256, ÷ d", "SGD", "÷ d"),
        baseline=show_rate("1", "the same at d = 16", "SGD", "÷ d", d=16),
    ),
    window_claim(
        "with a divisor of $\\sqrt{d}$, the rates 0.1, 0.3 and 1 work at both sizes, and 0.03 and 3 at neither",
        match_rates("SGD", "÷ √d", BY_ROOT),
        wrong_if="Wrong if at d = 16 or at d = 256, at least two of the five runs fail at one of the learning rates "
        "0.1, 0.3 and 1, or at least two learn at one of the rates 0.03 and 3.",
        shows=show_rate("0.3", "items right at rate 0.3, d = 256, ÷ √d", "SGD", "÷ √d"),
        baseline=show_rate("0.3", "the same without a divisor", "SGD", "÷ 1"),
    ),
    window_claim(
        "At $d = 256$ without a divisor, each of the six rates fails in most runs.",
        lambda rows: all(
            sum(row[str(rate)] > LEARNED for row in select_rows(rows, optimiser="Adam", divisor="÷ 1", d=256)) < 2.5
            for rate in RATES["Adam"]
        ),
        wrong_if="Wrong if at one of the six learning rates, at least three of five runs without a divisor learn at d "
        "= 256.",
        shows=show_rate("0.003", "items right with Adam at rate 0.003, d = 256, no divisor", "Adam", "÷ 1"),
        baseline=show_rate("0.003", "the same divided by √d", "Adam", "÷ √d"),
    ),
    window_claim(
        "With $\\sqrt{d}$ the rates 0.01 and 0.03 work at both sizes",
        match_rates("Adam", "÷ √d", ADAM_BY_ROOT),
        wrong_if="Wrong if at d = 16 or at d = 256, at least two of the five runs fail at a learning rate of 0.01 or "
        "of 0.03.",
        shows=show_rate("0.03", "items right with Adam at rate 0.03, d = 256, ÷ √d", "Adam", "÷ √d"),
        baseline=show_rate("0.03", "the same without a divisor", "Adam", "÷ 1"),
    ),
    window_claim(
        "and with $d$ the rates 0.01, 0.03 and 0.1 do",
        match_rates("Adam", "÷ d", ADAM_BY_D),
        wrong_if="Wrong if at d = 16 or at d = 256, at least two of the five runs fail at one of the learning rates "
        "0.01, 0.03 and 0.1.",
        shows=show_rate("0.1", "items right with Adam at rate 0.1, d = 256, ÷ d", "Adam", "÷ d"),
        baseline=show_rate("0.1", "the same divided by √d", "Adam", "÷ √d"),
    ),
    claim_of("start", "5 seeds; Adam without a divisor, d = 256, 75 and 400 steps")(
        "at 0.001 and 0.003 all five runs learn within 400 steps",
        lambda rows: most_learn(rows, "0.001 late") and most_learn(rows, "0.003 late"),
        wrong_if="Wrong if at a learning rate of 0.001 or of 0.003, at least two of the five runs fail in 400 steps.",
        shows=Series("0.003 late", "items right with Adam after 400 steps, rate 0.003, no divisor"),
        baseline=Series("0.003 usual", "the same in 75 steps"),
    ),
    claim_of("start", "5 seeds; Adam without a divisor, d = 256, 75 steps")(
        "or within 75 if their matrices start four times smaller",
        lambda rows: all(
            most_learn(rows, f"{rate} small") and not most_learn(rows, f"{rate} usual") for rate in (0.001, 0.003)
        ),
        wrong_if="Wrong if at a learning rate of 0.001 or of 0.003, at least two of the five runs with smaller "
        "matrices fail, or at least four of those from the usual start learn.",
        shows=Series("0.003 small", "items right with Adam from a smaller start, rate 0.003, no divisor"),
        baseline=Series("0.003 usual", "the same from the usual start"),
    ),
    claim_of("growth", "5 seeds; d = 16, divided by 4, plain gradient descent at a learning rate of 1")(
        "After 75 steps their size is 12.5, and an item scores 43.6 with its own key.",
        all_rows(lambda row: row["after"] > 5 * row["before"] and row["own"] > 20),
        wrong_if="Wrong if, for any seed, training makes the scores, divided by √d, less than five times as large, or "
        "an item scores 20 or less with its own key.",
        shows=Series("after", "size of the divided scores after 75 steps"),
        page="12.5",
        baseline=Series("before", "the same before training"),
    ),
]
