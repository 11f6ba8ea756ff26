"""All results by name, and what makes each of them: the one place that lists them.

A module is imported only when one of its results is asked for, so that its import belongs to the run of that result.
"""

import time
from functools import partial
from importlib import import_module

from tools.chapter import CHAPTERS

from .engine import Runner, make

OTHERS = {"benchmark": "benchmark", "published-model": "published_model"}  # name of the result, module


def find(name):
    """Return the runner of a result.

    Raises
    ------
    KeyError
        If no result has this name.
    """
    path = next((path for path in CHAPTERS if name.startswith((f"ch{path.stem[:2]}-", f"page-{path.stem[:2]}"))), None)
    if path and name.startswith("ch"):
        return find_experiment(path, name.partition("-")[2])
    if path:
        return import_module("evidence.running_pages").runner(path)
    return import_module(f"evidence.{OTHERS[name]}").RUNNER


def find_experiment(path, name):
    """Return the runner of an experiment of a chapter, which also judges the claims that it serves."""
    claims, module = import_module("evidence.claims"), import_module(f"evidence.ch{path.stem[:2]}")
    served = [claim for claim in module.CLAIMS if claim.experiment == name]

    def list_problems(rows):
        for claim in served:
            if not claim.holds(rows):
                seen = claims.format_range(claim.shows.values(rows))
                yield f"“{claim.sentence}” does not hold: {claim.shows.label} {seen}"

    uses, cases = module.EXPERIMENTS[name].uses, module.EXPERIMENTS[name].cases
    values = {"uses": uses, "cases": cases}
    return Runner(partial(claims.run_experiment, path, name), list_problems, served[0].refuting_rows, values)


def list_names():
    """Return the names of all results."""
    modules = import_module("evidence.claims").modules()
    experiments = [f"ch{path.stem[:2]}-{name}" for path, module in modules.items() for name in module.EXPERIMENTS]
    return [*OTHERS, *(f"page-{path.stem[:2]}" for path in CHAPTERS), *experiments]


def make_by_name(name, compare):
    """Make one result in a fresh process; return what is wrong, texts, and the seconds that it took."""
    start = time.monotonic()
    try:
        return make(name, find, compare=compare), time.monotonic() - start
    except Exception as error:
        return [f"{type(error).__name__}: {error}"], time.monotonic() - start
