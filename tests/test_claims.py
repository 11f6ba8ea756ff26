"""Every claim is on its page word for word, holds on what was seen, and could have been refuted by it."""

import json
import tomllib
from functools import cache

import pytest

from book.chapter import ROOT, one_line, prose, read
from evidence import claims

MODULES = claims.modules()
CLAIMS = [(path, claim) for path, module in MODULES.items() for claim in module.CLAIMS]
REFUTED = tomllib.loads((ROOT / "evidence" / "refuted.toml").read_text("utf-8"))


def name(case):
    return f"ch{case.stem[:2]}" if hasattr(case, "stem") else getattr(case, "sentence", str(case))[:60]


@cache
def page(path):
    """Return all sentences of a chapter, lines joined, without the marks of a quotation."""
    return one_line("\n\n".join(prose(read(path))))


def rows(path, claim):
    result = ROOT / "evidence" / "results" / f"ch{path.stem[:2]}-{claim.experiment}.json"
    return json.loads(result.read_text("utf-8"))["rows"]


@pytest.mark.parametrize(("path", "claim"), CLAIMS, ids=name)
def test_a_claim_is_on_its_page(path, claim):
    assert one_line(claim.sentence) in page(path)


@pytest.mark.parametrize(("path", "claim"), CLAIMS, ids=name)
def test_a_claim_holds_on_what_was_seen_and_not_on_what_would_refute_it(path, claim):
    assert claim.holds(rows(path, claim)), claim.shows.values(rows(path, claim))
    assert not claim.holds(claim.spoil(rows(path, claim)))


@pytest.mark.parametrize(("path", "claim"), CLAIMS, ids=name)
def test_a_claim_names_the_columns_that_show_it_and_says_what_would_have_refuted_it(path, claim):
    for series in filter(None, (claim.shows, claim.baseline, claim.best)):
        assert series.label and series.values(rows(path, claim)), series
    assert claim.refuted_if.endswith(".") and claim.varied


@pytest.mark.parametrize(("path", "claim"), CLAIMS, ids=name)
def test_a_claim_is_not_true_by_algebra(path, claim):
    """What no row could contradict is asserted by a cell or a test: something in the rows has to vary."""
    seen = rows(path, claim)
    assert any(len({str(row.get(column)) for row in seen}) > 1 for column in seen[0].keys() - {"seed"}), claim.sentence


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_nothing_that_was_refuted_is_on_its_page(path):
    sentences = [entry["sentence"] for entry in REFUTED.get(f"ch{path.stem[:2]}", ())]
    assert [sentence for sentence in sentences if one_line(sentence) in page(path)] == []


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_an_experiment_has_five_seeds_or_more_that_are_on_no_page(path):
    for name, experiment in MODULES[path].EXPERIMENTS.items():
        assert len({case["seed"] for case in experiment.cases}) >= 5, name
        assert min(case["seed"] for case in experiment.cases) >= 100, name


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_every_experiment_serves_a_claim(path):
    assert set(MODULES[path].EXPERIMENTS) == {claim.experiment for claim in MODULES[path].CLAIMS}
