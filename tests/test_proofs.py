"""Every slow proof is fresh and holds; none could be written by hand, and none is such that nothing could refute it."""

import ast
import json
import os

import pytest

from benchmarks import page
from tools import proofs
from tools.chapter import ROOT
from tools.proof_list import PROOFS
from tools.proofs import Proof, prove, stale


@pytest.mark.parametrize("name", PROOFS)
def test_a_proof_is_fresh(name):
    assert stale(name, PROOFS[name]) == [], f"run: make proofs NAMES={name}"


@pytest.mark.parametrize("name", PROOFS)
def test_a_proof_holds_on_its_rows_and_not_on_those_that_would_refute_it(name):
    assert [*PROOFS[name].faults(proofs.load(name)["rows"])] == []
    if not name.startswith("claims-"):  # tests/test_claims.py asks it of each claim
        assert [*PROOFS[name].faults(PROOFS[name].refuted)] != []


def test_no_proof_is_left_of_what_is_not_proved_any_more():
    assert {path.stem for path in proofs.FOLDER.glob("*.json")} == set(PROOFS)


def test_the_benchmark_page_is_made_of_its_proof():
    proof = proofs.load("benchmark")
    assert (ROOT / "benchmark.md").read_text("utf-8") == page.page(proof)
    for name, svg in page.figures(proof["rows"]).items():
        assert (ROOT / "_static" / name).read_text("utf-8") == svg


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A proof of one number, which the test can change, and of what it covers."""
    monkeypatch.setattr(proofs, "FOLDER", tmp_path)
    world = {"seen": 0.9, "code": "f"}

    def too_low(rows):
        return ["too low"] if rows[0]["score"] < 0.5 else []

    return world, Proof(lambda: [{"score": world["seen"]}], too_low, lambda: dict(world), [{"score": 0.1}])


def test_a_proof_is_stale_before_it_is_run_and_when_what_it_covers_changes(toy):
    world, proof = toy
    assert stale("toy", proof) == ["it was never run"]
    assert prove("toy", proof) == [] == stale("toy", proof)
    world["code"] = "g"
    assert stale("toy", proof) == ["code has changed"]


def test_rows_that_do_not_hold_are_what_was_seen_and_fail(toy):
    world, proof = toy
    world["seen"] = 0.2
    assert prove("toy", proof) == ["too low"] == proof.faults(proofs.load("toy")["rows"])


def test_what_changes_during_the_run_proves_nothing(toy):
    world, proof = toy
    assert prove("toy", proof._replace(run=lambda: world.update(code="g") or [{"score": 1}])) != []
    assert proofs.load("toy") is None


def test_an_edited_row_is_found_when_the_proof_is_run_again(toy, tmp_path):
    _, proof = toy
    prove("toy", proof)
    assert prove("toy", proof, compare=True) == []
    stored = json.loads((tmp_path / "toy.json").read_text())
    (tmp_path / "toy.json").write_text(json.dumps({**stored, "rows": [{"score": 0.95}]}))
    assert stale("toy", proof) == []  # the quick test cannot see it
    assert prove("toy", proof, compare=True) == ["its rows are not those that are committed"]


def test_on_another_processor_a_few_rows_may_differ_and_what_must_hold_must_hold(toy, monkeypatch):
    _, proof = toy
    seen = [{"score": 0.9}, {"score": 0.8}, {"score": 0.7}]
    prove("toy", proof._replace(run=lambda: seen))
    monkeypatch.setattr(proofs, "processor", lambda: "another")

    def again(*scores):
        return prove("toy", proof._replace(run=lambda: [{"score": score} for score in scores]), compare=True)

    assert again(0.9, 0.8, 0.6) == []
    assert again(0.9, 0.6, 0.6) == again(0.9, 0.8) == ["its rows are not those that are committed"]
    assert again(0.4, 0.8, 0.7) == ["too low"]


def test_words_change_no_fingerprint_and_code_does():
    source = 'def f(x):\n    """Words."""\n    return x + 1  # more words\n'
    same = "def f(x):\n    return x + 1\n"
    assert proofs.syntax(source) == proofs.syntax(same) != proofs.syntax(same.replace("1", "2"))


def test_a_fingerprint_reaches_what_is_imported_by_what_is_imported_but_no_plots():
    found = proofs.reached("from attention_src.layers import MultiHeadAttention\nfrom attention_src import plots")
    assert {"attention_src/layers/multi_head.py", "attention_src/attention.py", "attention_src/_arrays.py"} <= set(
        found
    )
    assert not [path for path in found if "plots" in path or "checks" in path]
    assert set(proofs.reached("from attention_src import softmax")) == {
        "attention_src/_arrays.py",
        "attention_src/weights.py",
    }


def test_what_a_package_only_hands_on_changes_no_fingerprint():
    """A fingerprint passes through `__init__` to the module that defines a name: so these may hold nothing else."""
    for path in (ROOT / "attention_src").rglob("__init__.py"):
        for node in ast.parse(path.read_text("utf-8")).body:
            assert isinstance(node, ast.ImportFrom) or proofs.is_text(node) or ast.unparse(node).startswith("__all__")


def test_a_proof_does_not_see_what_another_has_set(tmp_path):
    with proofs.processes(1) as pool:
        pool.submit(os.chdir, tmp_path).result()
        assert pool.submit(os.getcwd).result() == os.getcwd()


def test_a_sample_takes_five_minutes_and_every_proof_has_its_turn(monkeypatch):
    monkeypatch.setattr(proofs, "load", lambda name: {"seconds": 100})
    names = [f"proof-{i}" for i in range(8)]
    chosen = [proofs.sample(names, str(commit)) for commit in range(40)]
    assert {len(names) for names in chosen} == {3} and set().union(*chosen) == set(names)
    assert proofs.sample(names, "abc") == proofs.sample(names, "abc")
