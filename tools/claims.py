"""Claims: sentences of a chapter that say more than one run shows, each with an experiment that tries to refute it.

`claims/ch08.py` holds those of chapter 8: EXPERIMENTS by name, CLAIMS, what else was SETTLED and how, and what FELL.
An experiment runs the chapter's own functions with other seeds, rates, steps and sizes; its raw rows are committed as
the proof `claims-08-NAME` (tools/proofs.py). A claim is a condition on those rows and can be changed without a new run.
"""

import ast
import importlib
import os
from collections.abc import Callable
from functools import cache, partial
from itertools import product
from types import SimpleNamespace
from typing import NamedTuple

import torch

from tools import names
from tools.chapter import CHAPTERS, ROOT, code, grade_id, read
from tools.proofs import Proof, digest, reached, syntax, versions

FIRST_SEED = int(os.environ.get("CLAIM_SEEDS", 100))  # those of the pages are smaller; each week has new ones
SEEDS = range(FIRST_SEED, FIRST_SEED + 5)
WAYS = ("computed", "derived", "cited")  # how a claim is settled that needs no experiment


class Experiment(NamedTuple):
    """A function of (book, **case) -> {name: number}, the names of the chapter that it needs, and its cases."""

    run: Callable
    uses: tuple
    cases: list


class Claim(NamedTuple):
    """A sentence and what would refute it.

    sentence : as it stands in the chapter's Markdown, word for word
    experiment : the name of one of EXPERIMENTS
    varied : in words: "5 seeds, rates × ¼ to × 4"
    holds : function of the rows; as strong as the sentence, and written before the rows were seen
    refuted : rows as they would be if the sentence were false
    seen : function of the rows, the range in words: "0.98 to 1.00"
    floor, ceiling : the same, or a text; what chance, an average, or no training gives; the best that is possible
    """

    sentence: str
    experiment: str
    varied: str
    holds: Callable
    refuted: list
    seen: Callable
    floor: Callable | str = ""
    ceiling: Callable | str = ""


class Fell(NamedTuple):
    """A sentence that stood on the page and fell: what was seen, and what the page says now."""

    sentence: str
    seen: str
    now: str


def grid(**factors):
    """Every combination: grid(seed=SEEDS, rate=[0.1, 1]) -> [{"seed": 100, "rate": 0.1}, ...]."""
    return [dict(zip(factors, values, strict=True)) for values in product(*factors.values())]


def around(setting, seeds=SEEDS, **factors):
    """The page's setting, and one factor at a time changed to each of its other values, every one for all seeds."""
    settings = [setting, *({**setting, name: value} for name, values in factors.items() for value in values)]
    return [{"seed": seed, **one} for one in settings for seed in seeds]


def where(rows, **wanted):
    """The rows that have these values."""
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


def most(rows, good):
    """Whether more than half of the rows are good: what "most" and "mostly" say on a page."""
    return 2 * sum(map(good, rows)) > len(rows)


def spread(rows, name, digits=2):
    """'0.98 to 1.00', the range of one number over the rows."""
    values = [row[name] for row in rows]
    low, high = (f"{value:.{digits}f}".replace("-", "−") for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def spreads(rows, names, said, digits=2):
    """'neighbour 0.98 to 1.00, probe 1.00': the range of each number, after what the page of claims calls it."""
    return ", ".join(f"{said[name]} {spread(rows, name, digits)}" for name in names)


def needed(path, uses):
    """The statements of a chapter that define these names, with all that they need, and none of its exercises."""
    own = [cell.source for cell in code(read(path))[1:] if not grade_id(cell)]  # the first installs the package
    return names.needed(map(definitions, own), uses)


@cache
def definitions(source):
    """The imports, functions, classes and assignments of a cell, no loops."""
    return "\n".join(map(ast.unparse, filter(defines, python(source).body)))


def defines(statement):
    """Whether a statement defines something, or sets something up (`torch.set_num_threads(1)`)."""
    kinds = ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef | ast.Assign
    setting = isinstance(statement, ast.Expr) and ast.unparse(statement).startswith(("np.set_", "torch.set_"))
    return isinstance(statement, kinds) or setting


def python(source):
    return ast.parse(names.python_only(source))


@cache
def book(path, uses):
    """The chapter's own functions: what its cells define under these names."""
    space = {"__name__": path.stem}
    exec(compile(needed(path, uses), path.name, "exec"), space)
    if missing := [name for name in uses if name not in space]:
        raise NameError(f"{path.name} does not define {', '.join(missing)}")
    return SimpleNamespace(**{name: space[name] for name in uses})


def rows_of(path, experiment):
    """Run every case on one thread, whatever the machine has, and return its rows: the case and what was seen."""
    torch.set_num_threads(1)
    chapter = book(path, tuple(experiment.uses))
    return [{**case, **experiment.run(chapter, **case)} for case in experiment.cases]


def faults(claims, rows):
    """The claims that do not hold on the rows."""
    return [f"“{claim.sentence}” does not hold: {claim.seen(rows)}" for claim in claims if not claim.holds(rows)]


def covers(path, module, experiment):
    """The fingerprint of an experiment: the chapter's definitions, what they reach, the experiment itself."""
    chapter, own = needed(path, experiment.uses), (ROOT / "claims" / f"{module}.py").read_text("utf-8")
    function = names.needed([own], {experiment.run.__name__})
    made = {path.stem: syntax(chapter), "experiment": syntax(function), "cases": digest(repr(experiment.cases))}
    return made | reached(chapter) | reached(function, without=("plots", "checks", "tools")) | versions()


def modules():
    """{path of a chapter: its module of claims}, for those that have one."""
    found = {path: f"ch{path.stem[:2]}" for path in CHAPTERS}
    files = {path: name for path, name in found.items() if (ROOT / "claims" / f"{name}.py").is_file()}
    return {path: importlib.import_module(f"claims.{name}") for path, name in files.items()}


def proofs():
    """{name: proof} of every experiment."""
    found = {}
    for path, module in modules().items():
        stem = module.__name__.rpartition(".")[2]
        for name, experiment in module.EXPERIMENTS.items():
            claims = [claim for claim in module.CLAIMS if claim.experiment == name]
            found[f"claims-{stem[2:]}-{name}"] = Proof(
                partial(rows_of, path, experiment),
                partial(faults, claims),
                partial(covers, path, stem, experiment),
                claims[0].refuted,
            )
    return found
