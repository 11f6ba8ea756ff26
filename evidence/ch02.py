"""Evidence for chapter 2: what three divisors do to random weights, to the first gradient and to training."""

from math import sqrt
from statistics import mean

import numpy as np
import torch

from attention_course.divisors import LEARNED, count_learners, measure_gradients, train_side_by_side

from .claims import SEEDS, Experiment, Series, all_rows, claim_of, grid, round_numbers, select_rows

RATES = {"SGD": (0.03, 0.1, 0.3, 1, 3, 10), "Adam": (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)}


def measure_weights(book, seed, d):
    """Return the largest weight of random queries, and its slope with the undivided score as mean and median."""
    row = {}
    for name, by in book.divisors.items():
        largest = book.draw_weights(d, by(d), seed).max(axis=1)
        slope = largest * (1 - largest) / by(d)
        row |= {f"{name} largest": round(float(largest.mean()), 4)}
        row |= {f"{name} mean": float(f"{slope.mean():.4g}"), f"{name} median": float(f"{np.median(slope):.4g}")}
    return row


def measure_first_gradient(book, seed, d):
    """Return the gradient of W_q and W_k before the first step, compared with their numbers, for each divisor."""
    by_name = {name: measure_gradients(by(d), d, seed=seed) * sqrt(d) for name, by in book.divisors.items()}
    return round_numbers({name: gradients.mean() for name, gradients in by_name.items()})


def try_rates(book, seed, optimiser, divisor, d):
    """Return which of six rates bring a run to two thirds right in 75 steps."""
    method, by = getattr(torch.optim, optimiser), book.divisors[divisor](d)
    return {str(rate): count_learners(by, rate, d, method, seed=seed, runs=1) for rate in RATES[optimiser]}


def start_smaller(book, seed):
    """Return whether a run with Adam and without a divisor learns, d = 256: with matrices four times smaller, or late.

    The first two columns are for the usual 75 steps, with and without the smaller start; the last is for 400 steps.
    """
    row = {}
    for rate in (0.001, 0.003):
        for name, steps, scale in (("small", 75, 0.25), ("usual", 75, 1), ("late", 400, 1)):
            shares, *_ = train_side_by_side(1, rate, 256, steps, torch.optim.Adam, scale=scale, seed=seed, runs=1)
            row[f"{rate} {name}"] = int(shares[-5:].mean() > LEARNED)
    return row


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
    "gradient": Experiment(measure_first_gradient, ("divisors",), grid(seed=SEEDS, d=[16, 64, 256])),
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
            abs(mean(row[str(rate)] for row in runs[d]) - learns) <= 0.2 for (rate, d), learns in expected.items()
        )

    return holds


def most_learn(rows, column):
    """Return whether at most one run in five fails."""
    return mean(row[column] for row in rows) >= 0.8


def compare_sizes(rows, name):
    """Return, seed by seed, how the gradient at d = 256 compares with that at d = 16."""
    pairs = [[row[name] for row in select_rows(rows, d=d)] for d in (16, 256)]
    return [large / small for small, large in zip(*pairs, strict=True)]


def show_rate(rate, label, optimiser, divisor, d=256):
    """Return the series that shows which runs learn at a rate: 1 if a run does, 0 if it fails."""
    return Series(rate, label, {"optimiser": optimiser, "divisor": divisor, "d": d})


PLAIN = {(0.3, 16): 1, (1, 16): 0, (3, 16): 0, (0.03, 256): 1, (0.1, 256): 0, (0.3, 256): 0}
BY_D = {(0.3, 16): 0, (1, 16): 1, (1, 256): 0, (3, 256): 0, (10, 256): 1}
BY_ROOT = {(rate, d): int(0.05 < rate < 2) for rate in (0.03, 0.1, 0.3, 1, 3) for d in (16, 256)}
ADAM_BY_ROOT = {(rate, d): 1 for rate in (0.01, 0.03) for d in (16, 256)}
ADAM_BY_D = {(rate, d): 1 for rate in (0.01, 0.03, 0.1) for d in (16, 256)}

size_claim = claim_of("size", "5 seeds, d = 4 to 1024")
gradient_claim = claim_of("gradient", "5 seeds, five initialisations each, d = 16, 64 and 256")
window_claim = claim_of(
    "window", "5 seeds; plain gradient descent and Adam, three divisors, d = 16 and 256, six learning rates each"
)
CLAIMS = [
    size_claim(
        "With a divisor of $\\sqrt{d}$ it stays near 0.24 at every size, and the row can still both choose *and* move.",
        all_rows(lambda row: 0.2 < row["÷ √d largest"] < 0.28),
        wrong_if="Wrong if, for any seed and any d, the mean of the largest of 16 weights is at most 0.2 or at least "
        "0.28.",
        shows=Series("÷ √d largest", "mean of the largest of 16 weights, ÷ √d"),
        baseline=Series("÷ 1 largest", "the same without a divisor"),
    ),
    size_claim(
        "Without a divisor the mean is the largest of the three, but the median is the smallest.",
        all_rows(
            lambda row: (
                row["÷ 1 mean"] > max(row["÷ √d mean"], row["÷ d mean"])
                and row["÷ 1 median"] < min(row["÷ √d median"], row["÷ d median"])
            ),
            d=1024,
        ),
        wrong_if="Wrong if, for any seed, at d = 1024, the mean slope with respect to the undivided score is not "
        "largest, or its median not smallest, without a divisor.",
        shows=Series("÷ 1 mean", "mean slope with respect to the undivided score, d = 1024, ÷ 1", {"d": 1024}),
        baseline=Series("÷ √d mean", "the same with ÷ √d", {"d": 1024}),
        refuting_values={"÷ 1 median": 1.0},
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
    window_claim(
        "without a divisor, the largest rate that works falls from 0.3 to 0.03 as $d$ grows",
        match_rates("SGD", "÷ 1", PLAIN),
        wrong_if="Wrong if at d = 16, at least two of the five runs fail at a learning rate of 0.3, or at least two "
        "learn at one of the rates 1 and 3, or at d = 256, at least two fail at 0.03, or at least two learn at one of "
        "the rates 0.1 and 0.3.",
        shows=show_rate("0.3", "share of runs that learn at rate 0.3, d = 256, no divisor", "SGD", "÷ 1"),
        baseline=show_rate("0.3", "the same at d = 16", "SGD", "÷ 1", d=16),
    ),
    window_claim(
        "with a divisor of $d$, the smallest rate that works rises from 1 to 10",
        match_rates("SGD", "÷ d", BY_D),
        wrong_if="Wrong if at d = 16, at least two of the five runs learn at a learning rate of 0.3, or at least two "
        "fail at 1, or at d = 256, at least two learn at one of the rates 1 and 3, or at least two fail at 10.",
        shows=show_rate("1", "share of runs that learn at rate 1, d = 256, ÷ d", "SGD", "÷ d"),
        baseline=show_rate("1", "the same at d = 16", "SGD", "÷ d", d=16),
    ),
    window_claim(
        "with a divisor of $\\sqrt{d}$, the rates 0.1, 0.3 and 1 work at both sizes, and 0.03 and 3 at neither",
        match_rates("SGD", "÷ √d", BY_ROOT),
        wrong_if="Wrong if at d = 16 or at d = 256, at least two of the five runs fail at one of the learning rates "
        "0.1, 0.3 and 1, or at least two learn at one of the rates 0.03 and 3.",
        shows=show_rate("0.3", "share of runs that learn at rate 0.3, d = 256, ÷ √d", "SGD", "÷ √d"),
        baseline=show_rate("0.3", "the same without a divisor", "SGD", "÷ 1"),
    ),
    window_claim(
        "At $d = 256$ without a divisor, each of the six rates fails in most runs.",
        lambda rows: all(
            sum(row[str(rate)] for row in select_rows(rows, optimiser="Adam", divisor="÷ 1", d=256)) < 2.5
            for rate in RATES["Adam"]
        ),
        wrong_if="Wrong if at one of the six learning rates, at least three of five runs without a divisor learn at d "
        "= 256.",
        shows=show_rate("0.003", "share of Adam runs that learn at rate 0.003, d = 256, no divisor", "Adam", "÷ 1"),
        baseline=show_rate("0.003", "the same divided by √d", "Adam", "÷ √d"),
    ),
    window_claim(
        "With $\\sqrt{d}$ the rates 0.01 and 0.03 work at both sizes",
        match_rates("Adam", "÷ √d", ADAM_BY_ROOT),
        wrong_if="Wrong if at d = 16 or at d = 256, at least two of the five runs fail at a learning rate of 0.01 or "
        "of 0.03.",
        shows=show_rate("0.03", "share of Adam runs that learn at rate 0.03, d = 256, ÷ √d", "Adam", "÷ √d"),
        baseline=show_rate("0.03", "the same without a divisor", "Adam", "÷ 1"),
    ),
    window_claim(
        "and with $d$ the rates 0.01, 0.03 and 0.1 do",
        match_rates("Adam", "÷ d", ADAM_BY_D),
        wrong_if="Wrong if at d = 16 or at d = 256, at least two of the five runs fail at one of the learning rates "
        "0.01, 0.03 and 0.1.",
        shows=show_rate("0.1", "share of Adam runs that learn at rate 0.1, d = 256, ÷ d", "Adam", "÷ d"),
        baseline=show_rate("0.1", "the same divided by √d", "Adam", "÷ √d"),
    ),
    claim_of("start", "5 seeds; Adam without a divisor, d = 256, 75 and 400 steps")(
        "at 0.001 and 0.003 all five runs learn within 400 steps",
        lambda rows: most_learn(rows, "0.001 late") and most_learn(rows, "0.003 late"),
        wrong_if="Wrong if at a learning rate of 0.001 or of 0.003, at least two of the five runs fail in 400 steps.",
        shows=Series("0.003 late", "share of Adam runs that learn in 400 steps, rate 0.003, no divisor"),
        baseline=Series("0.003 usual", "the same in 75 steps"),
        refuting_values={"0.003 late": 0.0},
    ),
    claim_of("start", "5 seeds; Adam without a divisor, d = 256, 75 steps")(
        "or within 75 if their matrices start four times smaller",
        lambda rows: all(
            most_learn(rows, f"{rate} small") and not most_learn(rows, f"{rate} usual") for rate in (0.001, 0.003)
        ),
        wrong_if="Wrong if at a learning rate of 0.001 or of 0.003, at least two of the five runs with smaller "
        "matrices fail, or at least four of those from the usual start learn.",
        shows=Series("0.003 small", "share of Adam runs that learn from a smaller start, rate 0.003, no divisor"),
        baseline=Series("0.003 usual", "the same from the usual start"),
        refuting_values={"0.003 small": 0.0},
    ),
    claim_of("growth", "5 seeds; d = 16, divided by 4, plain gradient descent at a learning rate of 1")(
        "After 75 steps their size is 12.5, and an item scores 43.6 with its own key.",
        all_rows(lambda row: row["after"] > 5 * row["before"] and row["own"] > 20),
        wrong_if="Wrong if, for any seed, training makes the scores, divided by √d, less than five times as large, or "
        "an item scores 20 or less with its own key.",
        shows=Series("after", "size of the divided scores after 75 steps"),
        baseline=Series("before", "the same before training"),
    ),
]
