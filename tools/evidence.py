"""All results by name, what makes each of them, and the command that does: `python -m tools.evidence`.

python -m tools.evidence                  make stale results again
python -m tools.evidence NAME ...         make these again; a name may be a pattern, 'ch08*'
python -m tools.evidence --list           list what is stale, and why; exit with 1 if anything is
python -m tools.evidence --sample         repeat some minutes of results, chosen by the commit, without times
python -m tools.evidence --every [NAME]   repeat everything and compare, as each week

This is the one place that lists the results. A module is imported only when one of its results is asked for, so that
its import belongs to the run of that result.
"""

import argparse
import os
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from fnmatch import fnmatch
from functools import partial
from importlib import import_module

from tqdm import tqdm

from book.chapter import CHAPTERS, RUNNING
from evidence import engine
from evidence.engine import Runner, make

# name of the result, module
OTHERS = {"benchmark": "benchmark", "machine": "machine", "prose": "prose", "published-model": "published_model"}
TIMED = ("benchmark", "ch07-pace")  # measured alone, after all others


def find(name):
    """Return the runner of a result; raises KeyError if no result has this name."""
    if path := next((path for path in CHAPTERS if name.startswith(f"ch{path.stem[:2]}-")), None):
        return find_experiment(path, name.partition("-")[2])
    if path := _pages().get(name):
        module, writer = "web.live", "write_runtime"
        if "open_model" in path.read_text("utf-8"):
            module, writer = "web.model", "write_runtime_and_model"
        return import_module("web.live.running_pages").runner(path, getattr(import_module(module), writer))
    return import_module(f"evidence.{OTHERS[name]}").RUNNER


def _pages():
    """Return {name of a result: page whose cells run in the reader's browser}."""
    name_result = import_module("web.live.running_pages").name_result
    return {name_result(path): path for path in RUNNING}


def find_experiment(path, name):
    """Return the runner of an experiment of a chapter, which also judges the claims that it serves."""
    claims, module = import_module("evidence.claims"), import_module(f"evidence.ch{path.stem[:2]}")
    served = [claim for claim in module.CLAIMS if claim.experiment == name]

    def list_problems(rows):
        for claim in served:
            if not claim.holds(rows):
                seen = claims.format_range(claim.shows.values(rows))
                yield f"“{claim.sentence}” does not hold: {claim.shows.label} {seen}"

    _, uses, cases, is_exact = module.EXPERIMENTS[name]
    values = {"uses": uses, "cases": cases}
    run = partial(claims.run_experiment, path, name)
    return Runner(run, list_problems, [], values, is_exact=is_exact)


def list_names():
    """Return the names of all results."""
    modules = import_module("evidence.claims").modules()
    experiments = [f"ch{path.stem[:2]}-{name}" for path, module in modules.items() for name in module.EXPERIMENTS]
    return [*OTHERS, *_pages(), *experiments]


def make_by_name(name, compare):
    """Make one result in a fresh process; return what is wrong, texts, and the seconds that it took."""
    start = time.monotonic()
    try:
        return make(name, find, compare=compare), time.monotonic() - start
    except Exception as error:
        return [f"{type(error).__name__}: {error}"], time.monotonic() - start


def select_names(names, asked):
    """Return the results that a call asks for."""
    if asked.names:
        chosen = [name for name in names if any(fnmatch(name, pattern) for pattern in asked.names)]
        return chosen or sys.exit(f"No result is called {' or '.join(asked.names)}; there are {', '.join(names)}.")
    if asked.sample:
        head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=engine.ROOT, capture_output=True, text=True)
        return engine.choose_sample(
            [name for name in names if engine.load(name) and name not in TIMED], head.stdout.strip()
        )
    return names if asked.every else [name for name in names if engine.list_changes(name, find(name))]


def make_all(names, compare, jobs):
    """Make results side by side, then those that measure times, each alone; yield name, problems and seconds."""
    timed = [name for name in names if name in TIMED]
    for group, most in (([name for name in names if name not in TIMED], jobs), (timed, 1)):
        with ProcessPoolExecutor(most, max_tasks_per_child=1) as pool:  # spawned: none sees what another has set
            running = {pool.submit(make_by_name, name, compare): name for name in group}
            for done in as_completed(running):
                yield running[done], *done.result()


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tools.evidence", description="Make results, or compare them.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="such as 'ch08*'; what is stale if none is named")
    for option in ("--list", "--sample", "--every"):
        parser.add_argument(option, action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many side by side")
    asked = parser.parse_args(arguments)
    chosen = select_names(list_names(), asked)
    if asked.list:
        changes = {name: engine.list_changes(name, find(name)) for name in chosen}
        stale = [f"{name}: {'; '.join(why)}" for name, why in changes.items() if why]
        print(*stale, sep="\n")
        sys.exit(bool(stale))
    wrong, results = [], make_all(chosen, asked.sample or asked.every, asked.jobs)
    for name, problems, seconds in tqdm(results, total=len(chosen), unit="result", disable=None):
        tqdm.write(f"{name}: {'; '.join(problems) or 'holds'} ({seconds:.0f} s)")
        wrong += [f"{name}: {text}" for text in problems]
    print(f"{len(chosen)} results were made." if chosen else "No result is stale.")
    sys.exit("\n".join(wrong) or 0)


if __name__ == "__main__":
    main()
