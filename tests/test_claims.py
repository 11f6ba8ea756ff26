"""Every claim stands on its page word for word, holds on what was seen, and could have been refuted by it."""

import re
from functools import cache

import pytest

from tools import claims, proofs
from tools.chapter import one_line, prose, read

MODULES = claims.modules()
TESTED = [(path, claim) for path, module in MODULES.items() for claim in module.CLAIMS]
SETTLED = [(path, *claim) for path, module in MODULES.items() for claim in module.SETTLED.items()]


def name(case):
    return f"{case.stem[:2]}" if hasattr(case, "stem") else getattr(case, "sentence", str(case))[:60]


@cache
def page(path):
    """All sentences of a chapter, lines joined, the marks of a quotation left out."""
    return one_line("\n\n".join(prose(read(path))))


def rows(path, claim):
    return proofs.load(f"claims-{path.stem[:2]}-{claim.experiment}")["rows"]


@pytest.mark.parametrize(("path", "claim"), TESTED, ids=name)
def test_a_claim_stands_on_its_page(path, claim):
    assert one_line(claim.sentence) in page(path)


@pytest.mark.parametrize(("path", "claim"), TESTED, ids=name)
def test_a_claim_holds_on_what_was_seen_and_not_on_what_would_refute_it(path, claim):
    seen = rows(path, claim)
    assert claim.holds(seen), claim.seen(seen)
    assert not claim.holds(claim.refuted)


@pytest.mark.parametrize(("path", "claim"), TESTED, ids=name)
def test_the_range_that_was_seen_can_be_told(path, claim):
    told = [part(rows(path, claim)) if callable(part) else part for part in (claim.seen, claim.floor, claim.ceiling)]
    assert told[0] and all(isinstance(text, str) for text in told) and claim.varied


@pytest.mark.parametrize(("path", "sentence", "way"), SETTLED, ids=name)
def test_a_claim_that_needs_no_experiment_stands_on_its_page_and_says_how_it_is_settled(path, sentence, way):
    text = page(path)
    assert way in claims.WAYS and one_line(sentence) in text
    if way == "cited":
        paragraphs = [one_line(part) for source in prose(read(path)) for part in source.split("\n\n")]
        assert any(one_line(sentence) in part and re.search(r"\]\(https?://", part) for part in paragraphs)


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_nothing_that_fell_stands(path):
    assert [fell.sentence for fell in MODULES[path].FELL if one_line(fell.sentence) in page(path)] == []


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_an_experiment_has_five_seeds_or_more_that_are_on_no_page(path):
    for name, experiment in MODULES[path].EXPERIMENTS.items():
        assert len({case["seed"] for case in experiment.cases}) >= 5, name
        assert min(case["seed"] for case in experiment.cases) >= 100, name


def test_every_experiment_serves_a_claim():
    for module in MODULES.values():
        assert set(module.EXPERIMENTS) == {claim.experiment for claim in module.CLAIMS}
