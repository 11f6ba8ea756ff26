"""Every claim is on its page word for word, holds on what was seen, and could have been refuted by it."""

import tomllib
from functools import cache

import pytest

from book.chapter import ROOT, one_line, prose, read
from evidence import claims, engine

MODULES = claims.modules()
CLAIMS = [(path, claim) for path, module in MODULES.items() for claim in module.CLAIMS]
REFUTED = tomllib.loads((ROOT / "evidence" / "refuted.toml").read_text("utf-8"))


def name(case):
    return f"ch{case.stem[:2]}" if hasattr(case, "stem") else getattr(case, "sentence", str(case))[:60]


@cache
def page(path):
    """Return all sentences of a chapter, lines joined, without the marks of a quotation."""
    return one_line("\n\n".join(prose(read(path))))


@pytest.mark.parametrize(("path", "claim"), CLAIMS, ids=name)
def test_a_claim_is_on_its_page_holds_on_what_was_seen_and_could_have_been_refuted(path, claim):
    rows = engine.load(f"ch{path.stem[:2]}-{claim.experiment}")["rows"]
    assert one_line(claim.sentence) in page(path)
    assert claim.holds(rows), claim.shows.values(rows)
    assert not claim.holds(claim.spoil(rows))
    for series in filter(None, (claim.shows, claim.baseline, claim.best)):
        assert series.label and series.values(rows), series
    assert claim.refuted_if.endswith(".") and claim.varied
    varies = any(len({str(row.get(column)) for row in rows}) > 1 for column in rows[0].keys() - {"seed"})
    assert varies, "no row could contradict what is true by algebra: let a cell or a test assert it"


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_nothing_that_was_refuted_is_on_its_page(path):
    sentences = [entry["sentence"] for entry in REFUTED.get(f"ch{path.stem[:2]}", ())]
    assert [sentence for sentence in sentences if one_line(sentence) in page(path)] == []


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_every_experiment_serves_a_claim_and_has_five_seeds_or_more_that_are_on_no_page(path):
    assert set(MODULES[path].EXPERIMENTS) == {claim.experiment for claim in MODULES[path].CLAIMS}
    for name, experiment in MODULES[path].EXPERIMENTS.items():
        seeds = {case["seed"] for case in experiment.cases}
        assert len(seeds) >= 5 and min(seeds) >= 100, name
