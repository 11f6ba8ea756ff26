"""Results: what makes them stale and what does not, that none could be written by hand, and that they hold."""

import json
import os
import subprocess
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from book.chapter import ROOT
from evidence import engine, syntax
from evidence.engine import Runner, list_changes
from tools import benchmark_page
from tools import evidence as runners

NAMES = runners.list_names()
OTHERS = [name for name in NAMES if not name.startswith("ch")]  # tests/test_claims.py asks it of each claim


@pytest.mark.parametrize("name", NAMES)
def test_a_result_is_not_stale(name):
    """A failure in CI; elsewhere it is listed when the tests end, and `make publish` asks again."""
    changes = list_changes(name, runners.find(name))
    if changes and "CI" not in os.environ:
        pytest.xfail(f"stale: {'; '.join(changes)[:300]}")
    assert not changes, f"run: make evidence NAMES={name}"


@pytest.mark.parametrize("name", OTHERS)
def test_a_result_holds_and_rows_that_would_refute_it_do_not(name):
    runner = runners.find(name)
    assert [*runner.problems(engine.load(name)["rows"])] == []
    assert [*runner.problems(runner.refuting_rows)] != []


def test_no_result_is_left_of_what_is_not_run_any_more():
    assert {path.stem for path in engine.RESULTS.glob("*.json")} == set(NAMES)


def test_the_benchmark_page_is_made_of_its_result():
    result = engine.load("benchmark")
    assert (ROOT / "pages/benchmark.md").read_text("utf-8") == benchmark_page.page(result)
    for name, svg in benchmark_page.figures(result["rows"]).items():
        assert (ROOT / "web" / "static" / name).read_text("utf-8") == svg


TOY = tomllib.loads((ROOT / "tests" / "freshness.toml").read_text("utf-8"))  # its files, and changes of them
RUN = """
import json, sys
from pathlib import Path
from evidence import engine, syntax
root = engine.ROOT = syntax.ROOT = Path(sys.argv[1])
sys.path.insert(0, str(root))

def run():
    with engine.pause():
        source = "\\n".join(syntax.definitions(syntax.read(root / "book/page.ipynb")))
    engine.note_names(root / "book/page.ipynb", ["TABLE", "sum_scores"])
    space = {}
    exec(compile(source, str(root / "book/page.ipynb"), "exec"), space)
    factor = int((root / "toy/data.txt").read_text())
    return [{"seen": float(space["sum_scores"](space["TABLE"])) * factor}]

rows, fingerprint = engine.record(run)
print(json.dumps(fingerprint))
"""


def run_toy(program, root):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run([sys.executable, "-c", program, root], env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    """The folder of a toy repository, and the fingerprint of a run in it."""
    root = tmp_path_factory.mktemp("toy")
    for name, text in TOY["files"].items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    (root / "book").mkdir()
    nbformat.write(new_notebook(cells=list(map(new_code_cell, TOY["cells"]))), root / "book" / "page.ipynb")
    done = run_toy(RUN, root)
    assert done.returncode == 0, done.stderr
    return root, json.loads(done.stdout)


CHANGES = [
    pytest.param(kind, *change, id=f"{kind}: {why}") for kind in ("stale", "fresh") for *change, why in TOY[kind]
]


@pytest.mark.parametrize(("kind", "name", "old", "new"), CHANGES)
def test_a_change_makes_stale_what_depends_on_it_and_nothing_else(toy, kind, name, old, new, monkeypatch):
    root, fingerprint = toy
    path = next(root.rglob(name))
    text = path.read_text()
    in_json = (lambda part: json.dumps(part)[1:-1]) if name.endswith("ipynb") else str
    assert in_json(old) in text, "the change does not apply"
    monkeypatch.setattr(syntax, "ROOT", root)
    monkeypatch.setattr(
        engine, "load", lambda name: {"versions": engine.versions(), "given": {}, "fingerprint": fingerprint}
    )
    syntax.parts.cache_clear(), syntax.module_path.cache_clear()
    try:
        assert list_changes("toy", Runner(list, list, [])) == []
        path.write_text(text.replace(in_json(old), in_json(new)))
        syntax.parts.cache_clear()
        assert bool(list_changes("toy", Runner(list, list, []))) == (kind == "stale")
    finally:
        path.write_text(text)
        syntax.parts.cache_clear(), syntax.module_path.cache_clear()


def test_drawing_makes_no_experiment_stale():
    drawn = [name for name in NAMES if "attention_course/plots" in str(engine.load(name)["fingerprint"])]
    assert not [name for name in drawn if name.startswith("ch")]


@pytest.fixture
def toy_result(tmp_path, monkeypatch):
    """What makes a result of one number, which the test can change; nothing is recorded."""
    world = {"seen": [0.9], "setting": 1}
    monkeypatch.setattr(engine, "RESULTS", tmp_path)
    monkeypatch.setattr(engine, "record", lambda run: (run(), {}))

    def find(name):
        problems = lambda rows: ["too low"] if rows[0]["score"] < 0.5 else []  # noqa: E731
        run = lambda: [{"score": score} for score in world["seen"]]  # noqa: E731
        return Runner(run, problems, [{"score": 0.1}], {"setting": world["setting"]})

    return world, find


def test_a_result_is_stale_until_it_is_made_and_when_what_it_was_given_changes_and_an_edited_row_is_found(toy_result):
    world, find = toy_result
    assert list_changes("toy", find("toy")) == ["it was never run"]
    assert engine.make("toy", find) == [] == list_changes("toy", find("toy"))
    assert engine.make("toy", find, compare=True) == []
    engine.store("toy", {**engine.load("toy"), "rows": [{"score": 0.95}]})
    assert list_changes("toy", find("toy")) == []  # the quick test cannot see it
    assert engine.make("toy", find, compare=True) == ["its rows are not those that are stored"]
    world["setting"] = 2
    assert list_changes("toy", find("toy")) == ["setting has changed"]
    world["seen"] = [0.2]  # rows that do not hold are what was seen: they are stored, and fail
    assert engine.make("toy", find) == ["too low"] == find("toy").problems(engine.load("toy")["rows"])


def test_on_another_processor_a_few_rows_may_differ_and_what_must_hold_must_hold(toy_result, monkeypatch):
    world, find = toy_result
    world["seen"] = [0.9, 0.8, 0.7]
    engine.make("toy", find)
    monkeypatch.setattr(engine, "environment", lambda: {"processor": "another"})

    def compare_with(*scores):
        world["seen"] = scores
        return engine.make("toy", find, compare=True)

    assert compare_with(0.9, 0.8, 0.6) == []
    assert compare_with(0.9, 0.6, 0.6) == compare_with(0.9, 0.8) == ["its rows are not those that are stored"]
    assert compare_with(0.4, 0.8, 0.7) == ["too low"]


def test_a_file_that_changes_during_the_run_stores_nothing(toy):
    root, _ = toy
    change = RUN.replace("factor = ", 'core = root / "toy/core.py"; core.write_text(core.read_text()); factor = ')
    assert "toy/core.py changed during the run, so the result was not stored" in run_toy(change, root).stderr


def test_a_sample_takes_five_minutes_and_every_result_has_its_turn(monkeypatch):
    monkeypatch.setattr(engine, "load", lambda name: {"seconds": 100})
    names = [f"result-{i}" for i in range(8)]
    chosen = [engine.choose_sample(names, str(commit)) for commit in range(40)]
    assert {len(names) for names in chosen} == {3} and set().union(*chosen) == set(names)
    assert engine.choose_sample(names, "abc") == engine.choose_sample(names, "abc")


def test_the_list_names_what_is_stale_and_nothing_fresh(monkeypatch, capsys):
    changes = {"fresh": [], "stale": ["x has changed"]}
    monkeypatch.setattr(runners, "list_names", lambda: [*changes])
    monkeypatch.setattr(runners, "find", str)
    monkeypatch.setattr(engine, "list_changes", lambda name, runner: changes[name])
    for pattern, code, text in (("fresh", 0, ""), ("*", 1, "stale: x has changed")):
        with pytest.raises(SystemExit) as end:
            runners.main(["--list", pattern])
        assert (end.value.code, capsys.readouterr().out.strip()) == (code, text)


def test_times_are_measured_after_all_other_results_and_one_by_one(monkeypatch):
    events = []

    def make(name, compare):
        events.append(name)
        time.sleep(0.05)
        events.append(name)
        return [], 0

    monkeypatch.setattr(runners, "ProcessPoolExecutor", lambda jobs, max_tasks_per_child: ThreadPoolExecutor(jobs))
    monkeypatch.setattr(runners, "make_by_name", make)
    names = ["ch07-pace", "a", "b", "benchmark", "c"]
    assert sorted(name for name, *_ in runners.make_all(names, False, jobs=5)) == sorted(names)
    assert {*events[:6]} == {"a", "b", "c"} and events[6:] == ["ch07-pace"] * 2 + ["benchmark"] * 2
