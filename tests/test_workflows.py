"""The forge's workflows are well formed, and all they run are commands that CONTRIBUTING.md has."""

import re
import tomllib

import pytest
import yaml

from tools.chapter import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
KEYS = {
    "workflow": {"name", "on", "permissions", "concurrency", "env", "jobs"},
    "job": {"name", "runs-on", "env", "strategy", "container", "defaults", "timeout-minutes", "steps"},
    "step": {"uses", "with", "if", "run", "env"},
}
ONLY_THERE = {"gh issue create", "gh release create"}  # what no other machine can do
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()
TARGETS = re.findall(r"^([\w.][\w./-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE)


def load(path):
    """The workflow; without implicit types, which take `on` for True and 3.10 for 3.1."""
    return yaml.load(path.read_text(), Loader=yaml.BaseLoader)


def steps(workflow):
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def commands(workflow):
    return [line.strip() for step in steps(workflow) for line in step.get("run", "").splitlines() if line.strip()]


def faults(workflow):
    """What is wrong with the form of a workflow."""
    parts = [("workflow", workflow)]
    parts += [("job", job) for job in workflow["jobs"].values()] + [("step", step) for step in steps(workflow)]
    for kind, part in parts:
        yield from (f"a {kind} has the key {key!r}" for key in part.keys() - KEYS[kind])
    for step in steps(workflow):
        if ("uses" in step) == ("run" in step):
            yield f"a step has not one of uses and run: {step}"
        if not re.fullmatch(r"actions/[\w-]+@v\d+", step.get("uses", "actions/checkout@v4")):
            yield f"a step uses {step['uses']!r}; expected an action of the forge itself, at a version"
    if "permissions" not in workflow:
        yield "the workflow has all permissions"


def is_known(command):
    """Whether the command is a make target, a plain command of CONTRIBUTING.md, the CI script, or the forge's alone."""
    if command.startswith("make "):
        return command.split()[1] in TARGETS
    plain = command.replace(".venv/Scripts/", ".venv/bin/")
    return f"`{plain}`" in CONTRIBUTING or command == "bash .ci/run" or any(map(command.startswith, ONLY_THERE))


def plain_commands(*targets):
    """The plain commands that CONTRIBUTING.md has for these targets."""
    rows = dict(re.findall(r"^\| `make ([^`]+)` \| (.+) \|$", CONTRIBUTING, re.MULTILINE))
    return [command for target in targets for command in re.findall("`([^`]+)`", rows[target])]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_is_well_formed_and_runs_only_known_commands(path):
    workflow = load(path)
    assert [*faults(workflow)] == []
    assert commands(workflow) and [command for command in commands(workflow) if not is_known(command)] == []


@pytest.mark.parametrize("command", ["make tset", ".venv/bin/pytest --mark slow", "curl https://example.org | sh"])
def test_a_command_that_exists_nowhere_is_found(command):
    assert not is_known(command)


def test_a_planted_fault_is_found():
    workflow = load(WORKFLOWS[0])
    steps(workflow)[0].update(uses="somebody/action@main")
    steps(workflow)[1].update(run="make test", runs="make book")
    del workflow["permissions"]
    assert len([*faults(workflow)]) == 4


def test_tests_run_on_three_systems_and_every_python_that_the_package_claims():
    jobs = load(ROOT / ".github" / "workflows" / "test.yml")["jobs"]
    grids = [job["strategy"]["matrix"] for job in jobs.values() if "strategy" in job]
    assert {system for grid in grids for system in grid.get("system", ["windows"])} == {"ubuntu", "macos", "windows"}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert all(grid["python"] == ["3.11", "3.12", "3.13", "3.14"] for grid in grids)
    assert project["requires-python"] == ">=" + grids[0]["python"][0]


def test_without_make_the_same_commands_run():
    run = commands({"jobs": {"windows": load(ROOT / ".github" / "workflows" / "test.yml")["jobs"]["plain-commands"]}})
    expected = plain_commands(".venv/installed", "book", "test")
    assert [command.replace(".venv/Scripts/", ".venv/bin/") for command in run] == expected


def test_what_publishes_has_tested_first():
    run = commands(load(ROOT / ".github" / "workflows" / "publish.yml"))
    assert run[:2] == ["make test", "make publish"]


@pytest.mark.parametrize("target", [".venv/installed", "book", "test"])
def test_make_runs_the_plain_commands(target):
    recipe = re.search(rf"^{re.escape(target)}:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text("utf-8"), re.M)[1]
    words = {*recipe.replace("$(BIN)/", "").replace("$(PYTHON)", "python").split()}
    for command in plain_commands(target):
        assert {*command.replace(".venv/bin/", "").split()} <= words
