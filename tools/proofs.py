"""Slow proofs: what takes minutes and seldom changes is run once, and its raw results are committed in `proofs/`.

    python -m tools.proofs                 prove again what is stale
    python -m tools.proofs NAME ...        prove these again; a name may be a pattern, 'claims-08*'
    python -m tools.proofs --sample        prove about five minutes again, chosen by the commit, and compare
    python -m tools.proofs --every [NAME]  prove everything again and compare, as each week

A proof holds rows (what was seen, never a verdict), the environment, and a fingerprint of all that could change its
rows. The fingerprint is taken before the run and written after it, by `prove` alone. `tests/test_proofs.py` asks of
every proof, in a second, whether it is fresh and whether its rows hold.
"""

import argparse
import ast
import hashlib
import json
import os
import platform
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from fnmatch import fnmatch
from functools import cache
from importlib.metadata import version
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from tqdm import tqdm

from tools.chapter import ROOT, code
from tools.names import python_only

FOLDER = ROOT / "proofs"
LIBRARIES = ("numpy", "torch", "array-api-compat")  # those that compute
DRAWN_OR_TOLD = ("plots", "checks")  # modules that change no number
SAMPLE_SECONDS = 300


class Proof(NamedTuple):
    """One experiment: how to run it, what it covers, and how its rows could be wrong.

    `refuted` are rows as they would be if the claim were false: a test that no rows can fail proves nothing. `exact`
    says that a second run gives the very same rows.
    """

    run: Callable  # () -> list of dict
    faults: Callable  # rows -> what is wrong with them, a text each
    covers: Callable  # () -> {what: digest}
    refuted: list
    exact: bool = True


@cache
def syntax(source):
    """The digest of the syntax tree of some Python, without docstrings and comments."""
    tree = ast.parse(python_only(source))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and body and is_text(body[0]):
            node.body = body[1:] or [ast.Pass()]
    return digest(repr(bare(tree)))


def bare(node):
    """A syntax tree as nested lists, the same for every version of Python that has no new syntax in it."""
    if isinstance(node, list):
        return [bare(part) for part in node]
    if not isinstance(node, ast.AST):
        return node
    fields = [(name, bare(part)) for name, part in ast.iter_fields(node) if part is not None and part != []]
    return [type(node).__name__, *fields]


def is_text(statement):
    return isinstance(statement, ast.Expr) and isinstance(getattr(statement.value, "value", None), str)


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@cache
def module_path(name):
    """The file of a module of the repository, None for any other name."""
    places = [
        folder.joinpath(*name.split(".")) for folder in (ROOT, ROOT / "tests")
    ]  # tests import their helpers by name
    files = (path for place in places for path in (place.with_suffix(".py"), place / "__init__.py"))
    return next(filter(Path.is_file, files), None)


@cache
def imported(source, package=""):
    """The modules of the repository that some Python imports, by their dotted names."""
    found = []
    for node in ast.walk(ast.parse(python_only(source))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            names = [home(base, alias.name) for alias in node.names] if base and module_path(base) else []
        else:
            continue
        found += filter(module_path, names)
    return found


@cache
def home(package, name):
    """The module that defines what is imported from a package: one of its own, or that from which it takes the name."""
    if module_path(f"{package}.{name}"):
        return f"{package}.{name}"
    path = module_path(package)
    if path.stem == "__init__":
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ImportFrom) and node.level == 1 and name in {alias.name for alias in node.names}:
                return home(f"{package}.{node.module}" if node.module else package, name)
    return package


def reached(source, package="", without=DRAWN_OR_TOLD):
    """{path in the repository: digest} of every module that some Python reaches by its imports."""
    found, waiting = {}, [*imported(source, package)]
    while waiting:
        name = waiting.pop()
        relative, own, imports = facts(name)
        if relative not in found and not set(name.split(".")) & set(without):
            found[relative] = own
            waiting += imports
    return dict(sorted(found.items()))


@cache
def facts(name):
    """The file of a module, the digest of its syntax, and the modules that have to be imported with it."""
    path = module_path(name)
    text = path.read_text("utf-8")
    imports = imported(text, name if path.stem == "__init__" else name.rpartition(".")[0])
    return path.relative_to(ROOT).as_posix(), syntax(text), imports


def versions(*more):
    return {name: version(name).partition("+")[0] for name in (*LIBRARIES, *more)}  # 2.13.0+cpu computes as 2.13.0


def covers_chapter(notebook, name):
    """The fingerprint of a chapter: its code, the modules that this reaches, the libraries that compute."""
    source = "\n".join(python_only(cell.source) for cell in code(notebook))
    return {name: syntax(source)} | reached(source) | versions()


def covers_files(*paths, libraries=()):
    """The fingerprint of some Python files: they, what they reach, the libraries that compute."""
    found = {}
    for path in paths:
        text = (ROOT / path).read_text("utf-8")
        found |= {path: syntax(text)} | reached(text, ".".join(path.split("/")[:-1]), without=())
    return found | versions(*libraries)


def environment():
    """Where a proof was run: nothing in it decides whether the proof is fresh."""
    about = {"python": platform.python_version(), "system": platform.system(), "machine": platform.machine()}
    threads = os.environ.get("OMP_NUM_THREADS", "default")
    return about | {"processor": processor(), "cores": os.cpu_count(), "threads": threads}


def processor():
    """What the libraries choose their instructions by; a training may take another way on another processor."""
    info = Path("/proc/cpuinfo")
    known = re.findall(r"^(?:vendor_id|cpu family|model)\s*:\s*(.+)$", info.read_text(), re.M) if info.exists() else []
    return " ".join(known[:3]) or platform.processor()


def load(name):
    """A committed proof, None if there is none."""
    path = FOLDER / f"{name}.json"
    return json.loads(path.read_text("utf-8")) if path.is_file() else None


def stale(name, proof):
    """What a committed proof no longer covers as it is: texts, none if it is fresh."""
    stored, now = load(name), proof.covers()
    if stored is None:
        return ["it was never run"]
    then = stored["fingerprint"]
    return [f"{what} has changed" for what in sorted(then.keys() | now.keys()) if then.get(what) != now.get(what)]


def prove(name, proof, *, compare=False):
    """Run a proof and write it; with `compare`, write nothing and require the committed rows.

    On another processor than that of the committed rows, half of them may differ: a training that fails, at four times
    the rate say, fails in another way where sums are rounded in another order. What must hold must hold there, too.

    Returns what is wrong, texts. Rows are written whether they hold or not: they are what was seen.
    """
    before, start = proof.covers(), time.monotonic()
    rows = json.loads(json.dumps(proof.run()))
    wrong = list(proof.faults(rows))
    if proof.covers() != before:
        wrong.append("what it covers was changed while it ran")
    same_seeds = "CLAIM_SEEDS" not in os.environ
    if compare and proof.exact and same_seeds and (stored := load(name)):
        same_processor = stored["environment"].get("processor") == processor()
        apart = sum(old != new for old, new in zip_longest(stored["rows"], rows))
        if len(rows) != len(stored["rows"]) or apart > (0 if same_processor else len(rows) / 2):
            wrong.append("its rows are not those that are committed")
    if not compare and before == proof.covers():
        made = {"fingerprint": before, "environment": environment(), "seconds": round(time.monotonic() - start)}
        text = json.dumps({**made, "rows": rows}, ensure_ascii=False, indent=1)
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / f"{name}.json").write_text(text + "\n", "utf-8")
    return wrong


def sample(names, commit):
    """Proofs that take five minutes together, in an order that the commit decides; longer ones wait for the week."""
    shuffled, chosen, left = sorted(names), [], SAMPLE_SECONDS
    random.Random(commit).shuffle(shuffled)
    for name in shuffled:
        takes = (load(name) or {"seconds": 0})["seconds"]
        if takes <= left:
            chosen.append(name)
            left -= takes
    return chosen


def processes(jobs):
    """A pool whose processes are spawned and take one proof each: none sees what another has set."""
    return ProcessPoolExecutor(jobs, max_tasks_per_child=1)


def main(arguments=None):
    from tools.proof_list import PROOFS  # each entry imports what it runs

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--sample", action="store_true")
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many side by side")
    asked = parser.parse_args(arguments)
    chosen = [name for name in PROOFS if any(fnmatch(name, pattern) for pattern in asked.names)]
    if asked.names and not chosen:
        sys.exit(f"No proof is called {' or '.join(asked.names)}; expected some of {', '.join(PROOFS)}.")
    if asked.sample:
        head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True)
        chosen = sample([name for name in PROOFS if load(name)], head.stdout.strip())
    elif asked.every and not asked.names:
        chosen = list(PROOFS)
    elif not asked.names:
        chosen = [name for name in PROOFS if stale(name, PROOFS[name])]
    wrong, compare = [], asked.sample or asked.every
    with processes(asked.jobs) as pool:
        running = {pool.submit(prove_by_name, name, compare): name for name in chosen}
        for done in tqdm(as_completed(running), total=len(chosen), unit="proof", disable=None):
            faults, seconds = done.result()
            tqdm.write(f"{running[done]}: {'; '.join(faults) or 'holds'} ({seconds:.0f} s)")
            wrong += [f"{running[done]}: {text}" for text in faults]
    print(f"{len(chosen)} proofs were run{'.' if chosen else ': all of them are fresh.'}")
    sys.exit("\n".join(wrong) or 0)


def prove_by_name(name, compare):
    """Run one proof of the list in a process of its own; return what is wrong, and the seconds."""
    from tools.proof_list import PROOFS

    start = time.monotonic()
    try:
        return prove(name, PROOFS[name], compare=compare), time.monotonic() - start
    except Exception as error:
        return [f"{type(error).__name__}: {error}"], time.monotonic() - start


if __name__ == "__main__":
    main()
