"""Two installs and an extra: each has what its part of the code imports, and no place has a list of its own."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions, requires

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from book.chapter import ROOT
from book.names import imported_names

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
BOOK = ["book/*.py", "book/nbval_bound/bindings.py", "book/nbval_bound/words.py"]
HOMEWORK = ["homework/**/*.py", *BOOK]
SITE = [*(f"evidence/{name}.py" for name in "claims engine planted syntax".split()), *BOOK]
SITE += ["web/*.py", "web/live/__init__.py"]
OURS = {*"attention_src attention_course book evidence homework web tools".split()}
OURS |= {"attention_live", "wire"}  # which lie beside the files that import them
NOT_NEEDED = {  # each only where it is asked for: by `--dask`; by the site, in a function that homework never calls
    "homework": {"distributed", "sphinx_external_toc"},
    "site": {"torch", "playwright"},  # web/without_torch.py stands in; cells are tried in a browser by the workshop
}
PLACES = {
    "homework/release/gradescope/setup.sh": "/autograder/source/requirements-dev.txt",
    "homework/release/github/.github/workflows/check.yml": "book/requirements-dev.txt",
    "Makefile": "requirements-dev.txt",
}


def test_every_example_in_a_docstring_is_run():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]["ini_options"]
    run = {file for path in settings["testpaths"] for file in [ROOT / path, *(ROOT / path).rglob("*.py")]}
    files = [file for folder in OURS for file in (ROOT / folder).rglob("*.py")]
    assert {file for file in files if re.search("^ *>>> ", file.read_text("utf-8"), re.M)} <= run


def pins(name):
    """Return {package: version} of a lock."""
    lines = (ROOT / name).read_text("utf-8").splitlines()
    return dict(line.partition(" ")[0].split("==") for line in lines if not line.startswith("#"))


def with_dependencies(needs):
    """Return the names of what some requirements install, with all that these require."""
    found, waiting = set(), [Requirement(need) for need in needs]
    while waiting:
        need = waiting.pop()
        known = any(need.marker.evaluate({"extra": extra}) for extra in need.extras or {""}) if need.marker else True
        name = canonicalize_name(need.name)
        if known and name not in found:
            found.add(name)
            more = map(Requirement, requires(name) or ())
            waiting += [one for one in more if not one.marker or one.marker.evaluate({"extra": ""})]
    return found


def imported(patterns):
    """Return the names of what some files import from others, as they are installed."""
    names = set()
    for path in (path for pattern in patterns for path in ROOT.glob(pattern)):
        package = path.relative_to(ROOT).parts[:-1]
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names |= {module.partition(".")[0] for _, module, _ in imported_names(node, package)}
    installed = packages_distributions()
    return {name: {canonicalize_name(of) for of in installed[name]} for name in names - OURS - sys.stdlib_module_names}


def missing(patterns, there, not_needed):
    """Return what some files import and an install does not have."""
    return {name for name, owners in imported(patterns).items() if not owners & there} - not_needed


def test_grading_installs_what_it_imports():
    there = with_dependencies([*PROJECT["dependencies"], *EXTRAS["grading"]])
    assert missing(HOMEWORK, there, NOT_NEEDED["homework"]) == set()
    assert missing(HOMEWORK, there - {"joblib"}, NOT_NEEDED["homework"]) == {"joblib"}


def test_the_book_installs_what_the_site_imports():
    there = {*pins("requirements.txt")}
    assert missing(SITE, there, NOT_NEEDED["site"]) == set()


def test_the_book_is_part_of_the_workshop_and_brings_no_tools_of_it():
    book, workshop = pins("requirements.txt"), pins("requirements-dev.txt")
    assert book.items() <= workshop.items()
    unwanted = {*"torch playwright nbgrader joblib distributed pytest nbval ruff mutmut jupyterlab".split()}
    assert unwanted <= workshop.keys() and not unwanted & book.keys()


@pytest.mark.parametrize("place", PLACES)
def test_every_place_that_installs_grading_asks_for_the_extra_and_the_lock(place):
    (line,) = re.findall(r".*\[grading\].*", (ROOT / place).read_text("utf-8"))
    assert f"--constraint {PLACES[place]}" in line


def test_the_container_has_what_answers_may_import():
    """Its image is built without the repository, so it repeats the list."""
    (line,) = re.findall(r"^RUN pip install (.+)$", (ROOT / "homework/grade/Dockerfile").read_text("utf-8"), re.M)
    asked = {word.strip('"') for word in line.split() if not word.startswith("-")}
    assert asked == {*PROJECT["dependencies"], *EXTRAS["torch"]}


def test_the_package_and_the_claims_can_be_imported_without_torch_as_the_site_does():
    run = """
import sys
import inspect
from web import without_torch
sys.meta_path[:] = [without_torch.Finder, *sys.meta_path]
from evidence import claims
from web.package_page import find_users
assert sum(len(module.CLAIMS) for module in claims.modules().values()) and len(find_users()) > 100
assert type(sys.modules["torch"]) is without_torch.StandIn
assert inspect.unwrap(sys.modules["torch"]) is sys.modules["torch"]  # as the links from code to the package do
"""
    done = subprocess.run([sys.executable, "-c", run], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
