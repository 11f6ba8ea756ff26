"""What a run executed, and whether its stored result is stale: the one place in the repository that judges it.

While an experiment runs, `record` notes which functions of the repository are executed and which other files are
opened. The fingerprint of the run is a digest of the syntax, without docstrings, of each of these definitions, and of
the imports, classes and module-level values that they name. A result is stale if any of them says something else now.
In one sentence: if all that ran, and all that it named, is unchanged, it would run the same way again.
"""

import cProfile
import json
import os
import platform
import random
import re
import sys
import time
from collections.abc import Callable
from contextlib import contextmanager
from importlib.metadata import distributions, version
from inspect import CO_OPTIMIZED
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from .syntax import ROOT, add_named, digest, parts

RESULTS = ROOT / "evidence" / "results"
OWN = {"evidence/__init__.py", "evidence/engine.py", "evidence/syntax.py", "tools/evidence.py"}  # they change no row
OUTSIDE = {".venv", ".git", "_build", "__pycache__", "mutants", "results"}
LIBRARIES = ("numpy", "torch", "array-api-compat")  # those that compute
SAMPLE_SECONDS = 300
_profile, _noted = cProfile.Profile(subcalls=False, builtins=False), set()


class Runner(NamedTuple):
    """How a result is made and judged.

    run : () -> rows, a list of dict: what was seen, never a verdict
    problems : rows -> what is wrong with them, texts
    refuting_rows : rows that have problems: a test that no rows can fail shows nothing
    values : {what: value}, what the run is given besides its code, such as the cases of an experiment
    files : paths in the repository that are read where the recorder does not see it, as in a browser
    is_exact : whether a second run gives the very same rows
    """

    run: Callable
    problems: Callable
    refuting_rows: list
    values: dict = {}  # noqa: RUF012, never changed
    files: tuple = ()
    is_exact: bool = True


def find_path_in_repository(path):
    """Return a file's path in the repository; None for one that is outside or made by a program."""
    path = Path(path)
    inside = path.relative_to(ROOT) if path.is_relative_to(ROOT) else None
    return inside.as_posix() if inside and not OUTSIDE & set(inside.parts) else None


@contextmanager
def pause():
    """Do something that the fingerprint leaves out, such as opening a browser or measuring a time."""
    was_on = _switch(False)
    try:
        yield
    finally:
        _switch(was_on)


def _switch(on):
    """Begin or cease to record; return whether it was on before."""
    was_on, _switch.is_on = _switch.is_on, on
    _profile.enable() if on else _profile.disable()
    return was_on


_switch.is_on = False


def note_names(path, names):
    """Add definitions of a file to the fingerprint that are used by name, such as a table of a chapter."""
    _noted.update((find_path_in_repository(path), name) for name in names)


def record(run):
    """Run a function in a fresh process; return what it returns and the fingerprint of all that was executed.

    Raises RuntimeError if a file was changed while the function ran: the fingerprint would not be that of the run.
    """
    opened, start = set(), time.time()

    def note_file(event, arguments):
        if event == "open" and _switch.is_on and isinstance(arguments[0], str) and "w" not in (arguments[1] or "r"):
            opened.add(os.path.abspath(arguments[0]))

    sys.addaudithook(note_file)
    _switch(True)
    try:
        returned = run()
    finally:
        _switch(False)
    executed = {
        (path, _definition(path, entry.code))
        for entry in _profile.getstats()
        if not isinstance(entry.code, str) and entry.code.co_flags & CO_OPTIMIZED
        if (path := find_path_in_repository(entry.code.co_filename)) and path not in OWN
    }
    loaded = {find_path_in_repository(getattr(module, "__file__", None) or "") for module in [*sys.modules.values()]}
    loaded -= {None, *OWN}
    read = {
        path for path in map(find_path_in_repository, opened) if path and not path.endswith((".py", ".ipynb", ".pyc"))
    }
    roots = {(path, name) for path, names in executed for name in names} | _noted
    roots |= {(path, "") for path in loaded | {path for path, _ in roots} if parts(path)}
    roots |= {(path, "*") for path in read if parts(path)}
    found = add_named(roots)
    if late := [path for path in found if (ROOT / path).stat().st_mtime > start]:
        raise RuntimeError(f"{', '.join(late)} changed during the run, so the result was not stored")
    return returned, found


def _definition(path, executed):
    """Return the names of the parts of a file to which an executed function belongs."""
    known, outer = parts(path), re.sub(r"\.?<.*", "", executed.co_qualname)
    if not outer:  # a lambda at the top of a file, found by its line; a comprehension there is part of its value
        is_lambda, in_notebook = "<lambda>" in executed.co_qualname, path.endswith(".ipynb")
        lines = [(name, part.lambdas) for name, part in known.items() if is_lambda and part.lambdas]
        return tuple(name for name, there in lines if in_notebook or executed.co_firstlineno in there)
    if outer not in known:
        raise LookupError(f"{path} was executed, but {executed.co_qualname} is not among its definitions")
    return (outer,)


def environment():
    """Return where a result was made: nothing in it decides whether the result is stale."""
    about = {"python": platform.python_version(), "system": platform.system(), "machine": platform.machine()}
    info = Path("/proc/cpuinfo")
    known = re.findall(r"^(?:vendor_id|cpu family|model)\s*:\s*(.+)$", info.read_text(), re.M) if info.exists() else []
    return about | {"processor": " ".join(known[:3]) or platform.processor(), "cores": os.cpu_count()}


def versions():
    """Return the versions of the libraries that compute, of those that are installed: the book needs no torch."""
    installed = [name for name in LIBRARIES if next(distributions(name=name), None)]
    return {name: version(name).partition("+")[0] for name in installed}  # 2.13.0+cpu computes as 2.13.0


def digest_inputs(runner):
    """Return the digests of what a run is given besides its code: values, and files that no recorder sees."""
    return {name: digest(repr(value)) for name, value in runner.values.items()} | {
        path: parts(path)["*"].digest if parts(path) else "" for path in runner.files
    }


def load(name):
    """Return a stored result, None if there is none."""
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text("utf-8")) if path.is_file() else None


def store(name, result):
    """Write a result, one row a line and one file a line, so that it can be read and merged."""
    head = {key: value for key, value in result.items() if key not in ("fingerprint", "rows")}
    lines = [f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}," for key, value in head.items()]
    code = [f"  {json.dumps(path)}: {json.dumps(names)}" for path, names in result["fingerprint"].items()]
    rows = [f"  {json.dumps(row, ensure_ascii=False)}" for row in result["rows"]]
    text = "\n".join(
        ["{", *lines, ' "fingerprint": {', ",\n".join(code), " },", ' "rows": [', ",\n".join(rows), " ]", "}"]
    )
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(text + "\n", "utf-8")


def list_changes(name, runner):
    """Return why a result is stale, a text for each thing that says something else now; none if it is fresh."""
    if (stored := load(name)) is None:
        return ["it was never run"]
    now = {"versions": stored["versions"] | versions(), "given": digest_inputs(runner)}
    wrong = [
        f"{what} has changed"
        for kind, there in now.items()
        for what in sorted(stored[kind].keys() | there.keys())
        if stored[kind].get(what) != there.get(what)
    ]
    for path, names in stored["fingerprint"].items():
        known = parts(path)
        gone = [name for name in names if name not in known or known[name].digest != names[name]]
        wrong += [f"{path}: {name or 'what it does when it is loaded'} has changed" for name in gone]
    return wrong


def make(name, find, *, compare=False):
    """Run what `find(name)` returns, a Runner, and store its result.

    With `compare`, store nothing and check that the rows equal the stored ones. On another processor half of them may
    differ, because a training that fails, say at four times the rate, fails in another way where sums are rounded in
    another order. But the claims must still hold there.

    Returns what is wrong, texts. Rows are stored whether they hold or not: they are what was seen.
    """
    start = time.monotonic()
    rows, fingerprint = record(lambda: find(name).run())  # what its modules do when they are imported counts as well
    runner, rows = find(name), json.loads(json.dumps(rows))
    wrong = list(runner.problems(rows))
    if not compare:
        head = {"environment": environment(), "seconds": round(time.monotonic() - start), "versions": versions()}
        store(name, {**head, "given": digest_inputs(runner), "fingerprint": fingerprint, "rows": rows})
    elif runner.is_exact and "CLAIM_SEEDS" not in os.environ and (stored := load(name)):
        same_processor = stored["environment"]["processor"] == environment()["processor"]
        apart = sum(old != new for old, new in zip_longest(stored["rows"], rows))
        if len(rows) != len(stored["rows"]) or apart > (0 if same_processor else len(rows) / 2):
            wrong.append("its rows are not those that are stored")
    return wrong


def choose_sample(names, commit):
    """Return results that take five minutes together, in an order that the commit decides."""
    shuffled, chosen, left = sorted(names), [], SAMPLE_SECONDS
    random.Random(commit).shuffle(shuffled)
    for name in shuffled:
        if (takes := (load(name) or {"seconds": 0})["seconds"]) <= left:
            chosen.append(name)
            left -= takes
    return chosen
