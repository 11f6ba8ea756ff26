"""`pytest --remember`: a file of tests that passed on this machine runs again once something it depends on has changed.

What passed is kept in pytest's cache, with a fingerprint of all that it depends on: the file, every module that it
reaches, the settings, the versions of all packages, the number of threads. A file of tests that opens a file of the
repository, starts a process, or imports more than the package depends on the whole repository, or else on its modules
and on those folders and files that it names in `DEPENDS_ON`. `make forget` forgets. Continuous integration and a fresh
clone have nothing to remember.
"""

import ast
import hashlib
import os
import subprocess
import sys
from functools import cache
from importlib.metadata import distributions
from pathlib import Path

import pytest

from tools.chapter import ROOT, code, read
from tools.names import python_only
from tools.proofs import reached

TOOLS = ["tools/remember.py", "tools/proofs.py", "tools/warm_kernel.py"]
ALWAYS = ["conftest.py", "tests/conftest.py", "pyproject.toml", *TOOLS]
SETTINGS = ("OMP_NUM_THREADS", "ATEN_CPU_CAPABILITY", "NEEDS_CHROMIUM")
STARTS = ("subprocess.Popen", "os.posix_spawn", "os.fork", "os.exec")
UNWATCHED = {".venv", ".git", ".pytest_cache", "__pycache__"}


def digest(*parts):
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


@cache
def file_digest(path):
    return hashlib.sha256((ROOT / path).read_bytes()).hexdigest() if (ROOT / path).is_file() else "none"


@cache
def surroundings():
    """What every test depends on: settings, Python, and the version of every package that is installed."""
    packages = sorted(f"{package.name} {package.version}" for package in distributions())
    settings = [f"{name}={os.environ.get(name)}" for name in SETTINGS]
    return digest(sys.version, *packages, *settings, *map(file_digest, ALWAYS))


@cache
def repository():
    """{name: digest} of every file that Git knows or would add; without Git nothing is remembered."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return {name: file_digest(name) for name in sorted(names)}


def named(path):
    """What a file of tests says in `DEPENDS_ON`, besides modules; by default everything: all names begin so."""
    for node in ast.parse(path.read_text("utf-8")).body if path.suffix == ".py" else ():
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "DEPENDS_ON":
            return tuple(ast.literal_eval(node.value))
    return ("",)


def modules(path):
    """The files of all modules that a file of tests reaches: those that a notebook imports, or a module."""
    if path.suffix == ".ipynb":
        source = "\n".join(python_only(cell.source) for cell in code(read(path)))
    else:
        source = path.read_text("utf-8")
    package = ".".join(path.relative_to(ROOT).parts[:-1])
    return reached(source, package, without=())


def fingerprint(path, needs_all):
    """The digest of all that a file of tests depends on."""
    found, own = modules(path), path.relative_to(ROOT).as_posix()
    if needs_all or any(not name.startswith(("attention_src/", "tests/")) for name in found):
        begins = (own, "tests/", *named(path))
        wanted = {name: made for name, made in repository().items() if name in found or name.startswith(begins)}
        return digest(surroundings(), *(f"{name} {made}" for name, made in wanted.items()))
    return digest(surroundings(), *(f"{name} {file_digest(name)}" for name in [own, *found]))


class Memory:
    """The plugin: leaves out what passed, watches what the others touch, and remembers those that pass."""

    def __init__(self, config):
        self.config, self.skipped, self.running = config, [], None
        self.needs_all, self.collected, self.passed = set(), {}, set()
        repository()  # every digest is taken now: what is edited while the tests run was not tested
        sys.addaudithook(self._watch)

    def _watch(self, event, arguments):
        """Note that the tests that are running start a process, or open a file of the repository that is no module."""
        if self.running is None or event not in (*STARTS, "open"):
            return
        if event != "open":
            self.needs_all.add(self.running)
        elif isinstance(arguments[0], str | os.PathLike):
            path = Path(os.path.abspath(arguments[0]))
            if path.is_relative_to(ROOT) and path.suffix != ".py" and not UNWATCHED & {*path.relative_to(ROOT).parts}:
                self.needs_all.add(self.running)

    def _key(self, path):
        return f"passed/{path}"

    def pytest_ignore_collect(self, collection_path):
        path = Path(collection_path)
        if path.is_file() and path.is_relative_to(ROOT):
            name = path.relative_to(ROOT).as_posix()
            known = self.config.cache.get(self._key(name), None)
            if known and known["fingerprint"] == fingerprint(path, known["needs_all"]):
                self.skipped.append(name)
                return True
        return None

    def pytest_collection_modifyitems(self, items):
        """Leave out what was named as a file, as warm_up.ipynb is in the settings: of it, pytest does not ask above."""
        files = [path for name in self.config.args if (path := Path(name).absolute()).is_file()]
        known = {path for path in files if self.pytest_ignore_collect(path)}
        items[:] = [item for item in items if item.path not in known]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        self.running = None if item.path.suffix == ".ipynb" else item.nodeid.partition("::")[0]
        ran = yield
        self.running = None
        return ran

    def pytest_collection_finish(self, session):
        self._collect(item.nodeid for item in session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node, ids):
        self._collect(ids)

    def _collect(self, ids):
        for name in ids:
            self.collected.setdefault(name.partition("::")[0], set()).add(name)

    def pytest_runtest_logreport(self, report):
        if report.when == "call" and report.outcome == "passed":
            self.passed.add(report.nodeid)
        elif report.outcome == "failed":
            self.passed.discard(report.nodeid)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node, error):
        told = getattr(node, "workeroutput", {})
        self.needs_all |= set(told.get("needs_all", []))
        self.skipped = told.get("skipped", self.skipped)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session):
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput |= {"needs_all": sorted(self.needs_all), "skipped": self.skipped}
            return
        for name, tests in self.collected.items():
            if tests <= self.passed:
                needs_all = name in self.needs_all
                found = {"needs_all": needs_all, "fingerprint": fingerprint(ROOT / name, needs_all)}
                self.config.cache.set(self._key(name), found)
        if self.skipped and session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = pytest.ExitCode.OK

    def pytest_terminal_summary(self, terminalreporter):
        if self.skipped:
            count = f"{len(self.skipped)} files of tests were not run again"
            terminalreporter.write_line(
                f"{count}: nothing that they depend on has changed since they passed (`make forget`)"
            )


def pytest_addoption(parser):
    parser.addoption("--remember", action="store_true", help="leave out files of tests that passed and are unchanged")


def pytest_configure(config):
    if config.getoption("--remember"):
        config.pluginmanager.register(Memory(config), "remember")
