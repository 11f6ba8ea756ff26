"""Claims: sentences of a chapter that another seed, rate or size could contradict, each with an experiment that tries.

`evidence/ch08.py` has those of chapter 8: EXPERIMENTS by name, and CLAIMS. An experiment runs the chapter's own
functions with other seeds, rates, steps and sizes. Its raw rows are committed as the result `ch08-NAME`. A claim is a
condition on those rows, and can be changed without a new run. What is true by algebra is no claim: a cell or a test
asserts it.
"""

import importlib
import os
from collections.abc import Callable
from functools import partial
from itertools import cycle, product
from types import SimpleNamespace
from typing import NamedTuple

from book import names
from book.chapter import CHAPTERS, ROOT, definitions, read

from .engine import note_names, pause

FIRST_SEED = int(os.environ.get("CLAIM_SEEDS", 100))  # those of the pages are smaller; each week has new ones
SEEDS = range(FIRST_SEED, FIRST_SEED + 5)
WITH_PAGE = (0, *SEEDS)  # where the chapter's own run, which has seed 0, is one of the rows


class Experiment(NamedTuple):
    """A function of (book, **case) -> {column: number}, the names of the chapter that it uses, and its cases.

    `is_exact` is False where a second run gives other numbers, as times do.
    """

    run: Callable
    uses: tuple
    cases: list
    is_exact: bool = True


class Series(NamedTuple):
    """One number of each row that a claim shows: a column, what it is called in words, and which rows.

    >>> Series("right", "dates right", {"kind": "dot"}).values([{"kind": "dot", "right": 0.9}, {"kind": "none"}])
    [0.9]
    """

    column: str
    label: str
    where: dict = {}  # noqa: RUF012, never changed

    def values(self, rows):
        """Return the numbers of the rows that have these values."""
        return [float(row[self.column]) for row in select_rows(rows, **self.where)]

    def conditions(self, rows, factors):
        """Return {condition: numbers}, one for each combination of the factors that differ between the rows.

        >>> rows = [{"seed": 1, "rate": 0.1, "right": 0.9}, {"seed": 1, "rate": 0.4, "right": 0.2}]
        >>> Series("right", "dates right").conditions(rows, ["rate"])
        {(('rate', 0.1),): [0.9], (('rate', 0.4),): [0.2]}
        """
        rows, found = select_rows(rows, **self.where), {}
        factors = [name for name in factors if len({str(row.get(name)) for row in rows}) > 1]
        for row in rows:
            found.setdefault(tuple((name, row.get(name)) for name in factors), []).append(float(row[self.column]))
        return found


class Level(NamedTuple):
    """A number that no row holds, such as what guessing gives."""

    value: float
    label: str

    def values(self, rows):
        return [self.value]

    def conditions(self, rows, factors):
        return {(): [self.value]}


class Claim(NamedTuple):
    """A sentence and what would have refuted it.

    Texts are constants, so that they can be translated.

    experiment : the name of one of EXPERIMENTS
    varied : in words: "5 seeds, rates × ¼ to × 4"
    sentence : as it is in the chapter's Markdown, word for word
    holds : function of the rows, as strong as the sentence and written before the rows were seen
    wrong_if : one plain sentence that begins so: "Wrong if any seed gets fewer than 98% of the dates right."
    shows : the series in which one sees it, the page's own condition first
    page : the page's own number, as it is in the chapter; it lies within the series. None if the page has no such run
    baseline : what chance, an average, no training, or whatever lacks the thing that is praised gives
    best : a bound that no result can pass, where there is one
    rival : what else is worth comparing, such as the same network with its own keys
    refuting_values : {column: value}, what all rows would hold in that case, if more than the baseline is needed
    """

    experiment: str
    varied: str
    sentence: str
    holds: Callable
    wrong_if: str
    shows: Series
    page: str | None = None
    baseline: Series | Level | None = None
    best: Level | None = None
    rival: Series | Level | None = None
    refuting_values: dict = {}  # noqa: RUF012, never changed

    def spoil(self, rows):
        """Return the rows with the result replaced by the baseline's, which must refute the claim."""
        if self.refuting_values:
            return [{**row, **self.refuting_values} for row in rows]
        given, where = cycle(self.baseline.values(rows)), self.shows.where
        return [{**row, self.shows.column: next(given)} if select_rows([row], **where) else row for row in rows]


claim_of = partial(partial, Claim)  # (experiment, varied) -> what makes a claim, or several that share both


def grid(**factors):
    """Return every combination of some factors.

    >>> grid(seed=[100, 101], rate=[0.1])
    [{'seed': 100, 'rate': 0.1}, {'seed': 101, 'rate': 0.1}]
    """
    return [dict(zip(factors, values, strict=True)) for values in product(*factors.values())]


def one_at_a_time(setting, seeds=SEEDS, **factors):
    """Return the page's setting, then one factor at a time changed to each of its other values, for all seeds."""
    settings = [setting, *({**setting, name: value} for name, values in factors.items() for value in values)]
    return [{"seed": seed, **one} for one in settings for seed in seeds]


def select_rows(rows, **wanted):
    """Return the rows that have these values; a list has those that are allowed."""
    allowed = {name: value if isinstance(value, list) else [value] for name, value in wanted.items()}
    return [row for row in rows if all(row.get(name) in values for name, values in allowed.items())]


def all_rows(is_good, **wanted):
    """Return a condition: all rows that have these values are good, and there is one."""
    return lambda rows: bool(some := select_rows(rows, **wanted)) and all(map(is_good, some))


def most_rows(is_good, **wanted):
    """Return a condition: more than half of the rows that have these values are good, as "mostly" says on a page."""
    return lambda rows: 2 * sum(map(is_good, some := select_rows(rows, **wanted))) > len(some)


def round_numbers(row, digits=4):
    """Return a row with its numbers rounded, as Python's own floats.

    >>> round_numbers({"right": 0.98765432})
    {'right': 0.9877}
    """
    return {name: round(float(value), digits) for name, value in row.items()}


def format_range(values):
    """Return the range of some numbers in words.

    >>> format_range([0.9812, 1.0]), format_range([-0.5, -0.5]), format_range([0.0012, 0.0419]), format_range([3, 40])
    ('0.98 to 1.00', '−0.50', '0.001 to 0.042', '3 to 40')
    >>> format_range([0.125, 0.125]), format_range([0.0, 2e-14]), format_range([0.05, 0.08])
    ('0.125', '0.00 to 2e-14', '0.05 to 0.08')
    """
    ends, size = (min(values), max(values)), max(map(abs, values))
    digits = 0 if all(value == round(value) for value in values) and size > 1 else 2
    if any(abs(value - round(value, 2)) > 1e-9 for value in values) and (size < 0.1 or len(set(values)) == 1):
        digits = 3  # such as a baseline of 0.125
    if 0 < size < 1e-6:
        texts = (f"{value:.1g}" if value else "0.00" for value in ends)
    else:
        texts = (f"{value:,.{digits}f}".replace("-", "−") for value in ends)
    return " to ".join(dict.fromkeys(texts))


def find_factors(path, claim):
    """Return what a claim's experiment varies besides the seed: columns of its cases."""
    cases = module_of(path).EXPERIMENTS[claim.experiment].cases
    return list(dict.fromkeys(name for case in cases for name in case if name != "seed"))


def load_book(path, uses):
    """Return what a chapter's cells define under these names, as attributes; raises NameError if one is missing."""
    with pause():  # how the definitions are found does not change what they do
        source = names.needed(definitions(read(path)), uses)
    note_names(path, uses)
    space = {"__name__": path.stem}
    exec(compile(source, str(path), "exec"), space)
    if missing := [name for name in uses if name not in space]:
        raise NameError(f"{path.name} does not define {', '.join(missing)}")
    return SimpleNamespace(**{name: space[name] for name in uses})


def module_of(path):
    """Return the module of a chapter's claims."""
    return importlib.import_module(f"evidence.ch{path.stem[:2]}")


def modules():
    """Return {path of a chapter: its module of claims}, for those that have one."""
    return {path: module_of(path) for path in CHAPTERS if (ROOT / "evidence" / f"ch{path.stem[:2]}.py").is_file()}


def run_experiment(path, name):
    """Run every case of a chapter's experiment on one thread; return its rows: the case and what was seen."""
    import torch

    torch.set_num_threads(1)
    experiment = module_of(path).EXPERIMENTS[name]
    book = load_book(path, tuple(experiment.uses))
    return [{**case, **experiment.run(book, **case)} for case in experiment.cases]
