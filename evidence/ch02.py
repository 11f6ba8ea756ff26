"""Evidence for chapter 2: what three divisors do to random weights and to training."""

from statistics import mean, median

from evidence.claims import (
    SEEDS,
    Claim,
    Experiment,
    Level,
    Series,
    all_rows,
    grid,
    most_rows,
    round_numbers,
    select_rows,
)

RATES = {"SGD": (0.03, 0.1, 0.3, 1, 3, 10), "Adam": (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)}
DIVISORS = ("÷ 1", "÷ √d", "÷ d")
RUNS = ("run 1", "run 2", "run 3")


def measure_weights(book, seed, d):
    """Return the largest weight of random queries and its slope with the undivided score, for each divisor."""
    row = {}
    for name, by in book.divisors.items():
        largest, _, slope = book.measure(d, by(d), seed)
        row |= {f"{name} largest": largest, f"{name} before": slope / by(d)}
    return round_numbers(row)


def try_rates(book, seed, optimiser, divisor, d):
    """Return which of six rates bring a run to two thirds right in 75 steps, and the mean share at the best of them."""
    row, best = {}, 0.0
    for rate in RATES[optimiser]:
        by = book.divisors[divisor](d)
        shares, *_ = book.train(by, rate, d, 75, getattr(book.torch.optim, optimiser), seed=seed, runs=1)
        row[str(rate)] = int(shares[-5:].mean() > 2 / 3)
        best = max(best, float(shares.mean()))
    return {**row, "best": round(best, 2)}


def train_with_adam(book, seed, divisor):
    """Return how three runs end at the page's rate and size, and the sizes of their scores before and after."""
    by = book.divisors[divisor](64)
    shares, before, after = book.train(by, 0.001, 64, 300, book.torch.optim.Adam, seed=seed, runs=3)
    steps = [int((run > 0.5).double().argmax()) if (run > 0.5).any() else 300 for run in shares.mT]
    row = round_numbers(dict(zip(RUNS, shares[-20:].mean(dim=0), strict=True)), 2)
    row["half right at step"] = int(median(steps))
    for when, W in (("before", before), ("after", after)):
        sizes = book.score_sizes(W, by)
        row |= round_numbers({f"own {when}": sizes[0], f"others {when}": sizes[1], f"entry {when}": sizes[2]}, 2)
    return row


EXPERIMENTS = {
    "size": Experiment(measure_weights, ("measure", "divisors"), grid(seed=SEEDS, d=[4, 16, 64, 256, 1024])),
    "window": Experiment(
        try_rates,
        ("train", "divisors", "torch"),
        grid(seed=SEEDS, optimiser=["SGD", "Adam"], divisor=DIVISORS, d=[16, 64, 256]),
    ),
    "start": Experiment(
        train_with_adam, ("train", "divisors", "score_sizes", "torch"), grid(seed=SEEDS, divisor=DIVISORS)
    ),
}


def match_rates(optimiser, divisor, expected):
    """Return a condition: for each (rate, d), at most one run in five does not learn (1) or fail (0) as expected."""

    def holds(rows):
        runs = {d: select_rows(rows, optimiser=optimiser, divisor=divisor, d=d) for _, d in expected}
        return all(
            abs(mean(row[str(rate)] for row in runs[d]) - learns) <= 0.2 for (rate, d), learns in expected.items()
        )

    return holds


def find_middle(row):
    """Return the mean place of the rates that work with Adam among the six; 0 if none does."""
    places = [i for i, rate in enumerate(RATES["Adam"]) if row[str(rate)]]
    return mean(places) if places else 0


def measure_shift(rows, divisor):
    """Return by how many places, on average, the middle of Adam's window falls from d = 16 to d = 256."""
    small, large = (map(find_middle, select_rows(rows, optimiser="Adam", divisor=divisor, d=d)) for d in (16, 256))
    return mean(small) - mean(large)


def list_runs(rows, divisor):
    """Return how all runs with a divisor end."""
    return [row[run] for row in select_rows(rows, divisor=divisor) for run in RUNS]


def measure_range(rows, divisor):
    """Return how far apart the best and the worst run with a divisor end."""
    return max(list_runs(rows, divisor)) - min(list_runs(rows, divisor))


def is_first_to_half(rows):
    """Return whether, with each seed, half are right sooner with ÷ √d than with the other two."""
    return all(
        row["half right at step"] < other["half right at step"]
        for row in select_rows(rows, divisor="÷ √d")
        for other in select_rows(rows, seed=row["seed"], divisor=["÷ 1", "÷ d"])
    )


def is_as_quick(rows):
    """Return whether, with each seed, the best rates of ÷ √d and ÷ d have nearly the same share right."""
    by_root, by_d = (select_rows(rows, optimiser="Adam", divisor=divisor, d=64) for divisor in ("÷ √d", "÷ d"))
    return all(abs(a["best"] - b["best"]) < 0.05 for a, b in zip(by_root, by_d, strict=True))


def show_rate(rate, label, optimiser, divisor, d=256):
    """Return the series that shows which runs learn at a rate: 1 if a run does, 0 if it fails."""
    return Series(rate, label, {"optimiser": optimiser, "divisor": divisor, "d": d})


PLAIN = {(0.3, 16): 1, (1, 16): 0, (3, 16): 0, (0.03, 256): 1, (0.1, 256): 0, (0.3, 256): 0}
BY_D = {(0.3, 16): 0, (1, 16): 1, (1, 256): 0, (3, 256): 0, (10, 256): 1}
BY_ROOT = {(rate, d): int(0.05 < rate < 2) for rate in (0.03, 0.1, 0.3, 1, 3) for d in (16, 256)}
ADAM_BY_ROOT = {(0.001, 256): 1, (0.001, 16): 0, (0.1, 16): 1, (0.1, 256): 0}
ADAM_BY_ROOT |= {(rate, d): 1 for rate in (0.01, 0.03) for d in (16, 256)}
ADAM_BY_D = {(rate, d): int(rate > 0.005) for rate in (0.001, 0.01, 0.03, 0.1) for d in (16, 256)}
SGD_WINDOWS = [match_rates("SGD", "÷ √d", BY_ROOT), match_rates("SGD", "÷ d", BY_D)]
ADAM_WINDOWS = [match_rates("Adam", "÷ √d", ADAM_BY_ROOT), match_rates("Adam", "÷ d", ADAM_BY_D)]

ALL_LEARN = [
    {**case, "best": 0.9, **{str(rate): 1 for rate in RATES[case["optimiser"]]}} for case in EXPERIMENTS["window"].cases
]
ALIKE = dict.fromkeys(RUNS, 0.95) | {"half right at step": 100, "own before": 0.0, "own after": 25.0}
ALIKE |= {"others before": 8.0, "others after": 8.0, "entry before": 0.12, "entry after": 0.12}
ALL_ALIKE = [{**case, **ALIKE} for case in EXPERIMENTS["start"].cases]

SIZES = "5 seeds, d = 4 to 1024"
WINDOWS = "5 seeds; plain gradient descent and Adam, three divisors, d = 16, 64 and 256, six learning rates each"
STARTS = "5 seeds, three runs each, three divisors, at the page's learning rate and size"
GUESSING = Level(1 / 256, "guessing all eight signs")
ALL_RIGHT = Level(1, "all items right")

CLAIMS = [
    Claim(
        "For the score before the division, we must divide each slope once more by its own divisor, and then ÷ 1 has"
        " the largest mean.",
        "size",
        SIZES,
        all_rows(lambda row: row["÷ 1 before"] > max(row["÷ √d before"], row["÷ d before"])),
        refuted_if=(
            "for some seed and some d, the mean slope with respect to the undivided score is at least as large with ÷ "
            "√d or with ÷ d as with ÷ 1."
        ),
        refuting_rows=[{"÷ 1 before": 0.05, "÷ √d before": 0.3, "÷ d before": 0.2}],
        shows=Series("÷ 1 before", "mean slope with respect to the undivided score, d = 1024, ÷ 1", {"d": 1024}),
        baseline=Series("÷ √d before", "the same with ÷ √d", {"d": 1024}),
    ),
    Claim(
        "without a divisor, the largest rate that works falls from 0.3 to 0.03 as $d$ grows",
        "window",
        WINDOWS,
        match_rates("SGD", "÷ 1", PLAIN),
        refuted_if=(
            "at d = 16, at least two of the five runs fail at a learning rate of 0.3, or at least two learn at one of "
            "the rates 1 and 3; or at d = 256, at least two fail at 0.03, or at least two learn at one of the rates "
            "0.1 and 0.3."
        ),
        refuting_rows=ALL_LEARN,
        shows=show_rate("0.3", "runs that learn (1) or fail (0) at rate 0.3, d = 256, no divisor", "SGD", "÷ 1"),
        baseline=show_rate("0.3", "the same at d = 16", "SGD", "÷ 1", d=16),
    ),
    Claim(
        "with the divisor $d$, the smallest rate that works rises from 1 to 10",
        "window",
        WINDOWS,
        match_rates("SGD", "÷ d", BY_D),
        refuted_if=(
            "at d = 16, at least two of the five runs learn at a learning rate of 0.3, or at least two fail at 1; or "
            "at d = 256, at least two learn at one of the rates 1 and 3, or at least two fail at 10."
        ),
        refuting_rows=ALL_LEARN,
        shows=show_rate("1", "runs that learn (1) or fail (0) at rate 1, d = 256, ÷ d", "SGD", "÷ d"),
        baseline=show_rate("1", "the same at d = 16", "SGD", "÷ d", d=16),
    ),
    Claim(
        "with the divisor $\\sqrt{d}$, the rates 0.1, 0.3 and 1 work at both sizes, and 0.03 and 3 at neither",
        "window",
        WINDOWS,
        match_rates("SGD", "÷ √d", BY_ROOT),
        refuted_if=(
            "at d = 16 or at d = 256, at least two of the five runs fail at one of the learning rates 0.1, 0.3 and 1, "
            "or at least two learn at one of the rates 0.03 and 3."
        ),
        refuting_rows=ALL_LEARN,
        shows=show_rate("0.3", "runs that learn (1) or fail (0) at rate 0.3, d = 256, ÷ √d", "SGD", "÷ √d"),
        baseline=show_rate("0.3", "the same without a divisor", "SGD", "÷ 1"),
    ),
    Claim(
        "With the divisor $\\sqrt{d}$, the rate 0.001 works at $d = 256$ alone and 0.1 at $d = 16$ alone; 0.01 and 0.03"
        " work at both.",
        "window",
        WINDOWS,
        match_rates("Adam", "÷ √d", ADAM_BY_ROOT),
        refuted_if=(
            "at d = 16, at least two of the five runs learn at a learning rate of 0.001, or at least two fail at one "
            "of the rates 0.01, 0.03 and 0.1; or at d = 256, at least two learn at 0.1, or at least two fail at one "
            "of the rates 0.001, 0.01 and 0.03."
        ),
        refuting_rows=ALL_LEARN,
        shows=show_rate("0.1", "Adam runs that learn (1) or fail (0) at rate 0.1, d = 256, ÷ √d", "Adam", "÷ √d"),
        baseline=show_rate("0.1", "the same at d = 16", "Adam", "÷ √d", d=16),
    ),
    Claim(
        "With the divisor $d$, the rates 0.01, 0.03 and 0.1 work at both, and 0.001 at neither.",
        "window",
        WINDOWS,
        match_rates("Adam", "÷ d", ADAM_BY_D),
        refuted_if=(
            "at d = 16 or at d = 256, at least two of the five runs fail at one of the learning rates 0.01, 0.03 and "
            "0.1, or at least two learn at 0.001."
        ),
        refuting_rows=ALL_LEARN,
        shows=show_rate("0.1", "Adam runs that learn (1) or fail (0) at rate 0.1, d = 256, ÷ d", "Adam", "÷ d"),
        baseline=show_rate("0.1", "the same divided by √d", "Adam", "÷ √d"),
    ),
    Claim(
        "Without a divisor, at $d = 256$, each of the six rates, even 0.003, failed with most of the seeds tried.",
        "window",
        WINDOWS,
        lambda rows: all(
            most_rows(lambda row, rate=rate: not row[str(rate)], optimiser="Adam", divisor="÷ 1", d=256)(rows)
            for rate in RATES["Adam"]
        ),
        refuted_if="at one of the six learning rates, at least half of the runs without a divisor learn at d = 256.",
        refuting_rows=ALL_LEARN,
        shows=show_rate("0.003", "Adam runs that learn (1) or fail (0) at rate 0.003, d = 256, ÷ 1", "Adam", "÷ 1"),
        baseline=show_rate("0.003", "the same divided by √d", "Adam", "÷ √d"),
    ),
    Claim(
        "Here, whether a window stays in place depends on the optimiser. With plain gradient descent the window of"
        " $\\sqrt{d}$ stays.",
        "window",
        WINDOWS,
        lambda rows: all(holds(rows) for holds in SGD_WINDOWS + ADAM_WINDOWS),
        refuted_if=(
            "at some learning rate and size named in the four claims above about dividing by √d or by d, at least two "
            "of the five runs contradict the claim."
        ),
        refuting_rows=ALL_LEARN,
        shows=show_rate(
            "0.1", "plain gradient descent: runs that learn (1) or fail (0) at rate 0.1, d = 256, ÷ √d", "SGD", "÷ √d"
        ),
        baseline=show_rate("0.1", "the same with Adam", "Adam", "÷ √d"),
    ),
    Claim(
        "With Adam no window stays, but the one of $d$ moves less than the one of $\\sqrt{d}$.",
        "window",
        "5 seeds; Adam with six learning rates, of which those that work are the window; ÷ √d and ÷ d, d = 16 and 256",
        lambda rows: 0 < measure_shift(rows, "÷ d") < measure_shift(rows, "÷ √d"),
        refuted_if=(
            "on average over the seeds, from d = 16 to d = 256, the middle of the window for ÷ d does not move to "
            "smaller learning rates, or it moves at least as far down as the middle of the window for ÷ √d."
        ),
        refuting_rows=ALL_LEARN,
        shows=show_rate("0.1", "Adam runs that learn (1) or fail (0) at rate 0.1, d = 256, ÷ d", "Adam", "÷ d"),
        baseline=show_rate("0.1", "the same divided by √d", "Adam", "÷ √d"),
    ),
    Claim(
        "In five other Adam runs at $d = 64$, with the best of six rates each, dividing by $d$ was as quick as by"
        " $\\sqrt{d}$.",
        "window",
        WINDOWS,
        is_as_quick,
        refuted_if=(
            "for some seed, the mean share of items right at the best of the six learning rates differs by at least 5 "
            "percentage points between ÷ d and ÷ √d."
        ),
        refuting_rows=[{**row, "best": 0.8} if row["divisor"] == "÷ d" else row for row in ALL_LEARN],
        shows=show_rate("best", "mean share right in 75 steps at the best rate, divided by d", "Adam", "÷ d", d=64),
        baseline=show_rate("best", "the same divided by √d", "Adam", "÷ √d", d=64),
        best=ALL_RIGHT,
    ),
    Claim(
        "All three learn it, since they all end far above chance.",
        "start",
        STARTS,
        lambda rows: all(share > 0.2 for divisor in DIVISORS for share in list_runs(rows, divisor)),
        refuted_if="for some seed and divisor, at least one run ends with at most 20% of the items right.",
        refuting_rows=[{**row, "run 2": 0.01} for row in ALL_ALIKE],
        shows=Series("run 1", "share of items right at the end, the first run of each seed"),
        baseline=GUESSING,
        best=ALL_RIGHT,
    ),
    Claim(
        "At this rate, dividing by $\\sqrt{d}$ learns soonest.",
        "start",
        STARTS,
        is_first_to_half,
        refuted_if=(
            "for some seed, the median run with ÷ 1 or with ÷ d first gets more than half of the items right at least "
            "as early as the median run with ÷ √d."
        ),
        refuting_rows=ALL_ALIKE,
        shows=Series(
            "half right at step", "first step at which more than half of the items are right, ÷ √d", {"divisor": "÷ √d"}
        ),
        baseline=Series("half right at step", "the same without a divisor", {"divisor": "÷ 1"}),
    ),
    Claim(
        "Without a divisor the runs differ most",
        "start",
        STARTS,
        lambda rows: measure_range(rows, "÷ 1") > max(measure_range(rows, "÷ √d"), measure_range(rows, "÷ d")),
        refuted_if=(
            "the best and the worst of the 15 runs with ÷ √d, or of those with ÷ d, end at least as far apart as the "
            "best and the worst of the 15 runs with ÷ 1."
        ),
        refuting_rows=ALL_ALIKE,
        shows=Series("run 1", "share of items right at the end without a divisor, first runs", {"divisor": "÷ 1"}),
        baseline=Series("run 1", "the same divided by d", {"divisor": "÷ d"}),
        best=ALL_RIGHT,
    ),
    Claim(
        "Without a divisor the runs differ most: one ends at 0.985, another at 0.420, and three above 0.9.",
        "start",
        STARTS,
        lambda rows: median(list_runs(rows, "÷ 1")) > 0.9,
        refuted_if="at least 8 of the 15 runs without a divisor end with at most 90% of the items right.",
        refuting_rows=[{**row, "run 1": 0.5, "run 2": 0.5} for row in ALL_ALIKE],
        shows=Series("run 1", "share of items right at the end without a divisor, first runs", {"divisor": "÷ 1"}),
        baseline=GUESSING,
        best=ALL_RIGHT,
    ),
    Claim(
        "The scores with other items nearly keep their size, and the score of an item with itself grows far above"
        " them.",
        "start",
        STARTS,
        all_rows(
            lambda row: (
                0.85 < row["others after"] / row["others before"] < 1.15
                and row["entry after"] > 0.9 * row["entry before"]
                and row["own after"] > 2 * row["others after"]
            ),
            divisor="÷ 1",
        ),
        refuted_if=(
            "for some seed, training changes the size of the scores with other items by at least 15% or shrinks the "
            "matrix entries by at least 10%, or the score of an item with itself ends at most twice as large as the "
            "size of the scores with other items."
        ),
        refuting_rows=[{**row, "others after": 2.0} for row in ALL_ALIKE],
        shows=Series("own after", "score of an item with itself after training, without a divisor", {"divisor": "÷ 1"}),
        baseline=Series("others after", "size of the scores with other items after training", {"divisor": "÷ 1"}),
    ),
]
