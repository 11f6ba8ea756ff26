"""Every claim is on its page word for word, holds on what was seen, and could have been refuted by it."""

import re
import tomllib
from difflib import SequenceMatcher
from functools import cache

import pytest

from book import names
from book.chapter import ROOT, definitions, one_line, prose, read
from book.nbval_bound.bindings import without_bindings
from evidence import ch12, claims, engine
from web.evidence import read_number

MODULES = claims.modules()
CLAIMS = [(path, claim) for path, module in MODULES.items() for claim in module.CLAIMS]
REFUTED = tomllib.loads((ROOT / "evidence" / "refuted.toml").read_text("utf-8"))


def name(case):
    return f"ch{case.stem[:2]}" if hasattr(case, "stem") else getattr(case, "sentence", str(case))[:60]


@cache
def page(path):
    """Return all sentences of a chapter, lines joined, without the marks of a quotation."""
    return one_line("\n\n".join(prose(read(path))))


def shown_around(path, sentence):
    """Return what the section with a sentence shows: its text without bindings, and what its cells printed and drew."""
    sections = [[]]
    for cell in read(path).cells:
        sections += [[]] if cell.cell_type == "markdown" and re.match("## ", cell.source) else []
        sections[-1].append(cell)
    [here, *_] = [cells for cells in sections if any(sentence in one_line(cell.source) for cell in cells)]
    texts = [without_bindings(cell.source) for cell in here if cell.cell_type == "markdown"]
    for output in (output for cell in here if cell.cell_type == "code" for output in cell.outputs):
        data = output.get("data", {})
        texts += [
            output.get("text", ""),
            data.get("text/plain", ""),
            re.sub("<[^>]*>", " ", data.get("image/svg+xml", "")),
        ]
    return "\n".join(texts)


def find_wording(sentence, text):
    """Return the passage of a text that is most like a sentence that it does not have, word by word."""
    pieces, size = re.split(r"(?<=[.?!:]) ", text), len(re.split(r"(?<=[.?!:]) ", sentence))
    passages = [" ".join(pieces[i : i + size]) for i in range(len(pieces))]
    return max(passages, key=lambda passage: SequenceMatcher(None, sentence.split(), passage.split()).ratio())


SETS_DOUBLE = "torch.set_default_dtype(torch.float64)"
DOUBLE = [path for path in MODULES if SETS_DOUBLE in path.read_text("utf-8")]
SETS_ITS_OWN = {"02", "07-pace"}  # experiments that give each tensor or model its dtype


@pytest.mark.parametrize("path", DOUBLE, ids=name)
def test_an_experiment_computes_in_the_precision_of_its_page(path):
    for experiment, (_, uses, *_) in MODULES[path].EXPERIMENTS.items():
        if not SETS_ITS_OWN & {path.stem[:2], f"{path.stem[:2]}-{experiment}"}:
            source = names.needed(definitions(read(path)), tuple(uses))
            assert SETS_DOUBLE in source.splitlines(), f"{experiment} has no 'torch' among the names it uses"


def demand_wording(path, claim, text):
    """Fail in two lines, which an editor can act on, if a claim is not in the text word for word."""
    if (sentence := one_line(claim.sentence)) not in text:
        said = f"a claim of {claim.experiment} in evidence/ch{path.stem[:2]}.py says: {sentence}"
        pytest.fail(f"{said}\n{path.name} now says: {find_wording(sentence, text)}", pytrace=False)


@pytest.mark.parametrize(("path", "claim"), CLAIMS, ids=name)
def test_a_claim_is_on_its_page_holds_on_what_was_seen_and_could_have_been_refuted(path, claim):
    rows = engine.load(f"ch{path.stem[:2]}-{claim.experiment}")["rows"]
    demand_wording(path, claim, page(path))
    assert claim.holds(rows), claim.shows.values(rows)
    assert not claim.holds(claim.spoil(rows))
    for series in filter(None, (claim.shows, claim.baseline, claim.best, claim.rival)):
        assert series.label and series.values(rows), series
    assert claim.wrong_if.startswith("Wrong if") and claim.wrong_if.endswith(".") and claim.varied
    varies = any(len({str(row.get(column)) for row in rows}) > 1 for column in rows[0].keys() - {"seed"})
    assert varies, "no row could contradict what is true by algebra: let a cell or a test assert it"


@pytest.mark.parametrize(("path", "claim"), [case for case in CLAIMS if case[1].page], ids=name)
def test_the_pages_own_number_is_on_the_page_and_lies_within_the_strip(path, claim):
    rows = engine.load(f"ch{path.stem[:2]}-{claim.experiment}")["rows"]
    values = next(iter(claim.shows.conditions(rows, claims.find_factors(path, claim)).values()))
    step = 10.0 ** -len(claim.page.rstrip("%").partition(".")[2]) / (100 if claim.page.endswith("%") else 1)
    near = shown_around(path, one_line(claim.sentence))
    assert re.search(rf"(?<![\d.,]){re.escape(claim.page)}(?!\.?\d)", near), "no such number in its section"
    assert min(values) - step / 2 <= read_number(claim.page) <= max(values) + step / 2, values


@pytest.mark.parametrize(("path", "claim"), [case for case in CLAIMS if case[1].best], ids=name)
def test_what_is_called_the_best_possible_is_a_bound_that_no_result_passes(path, claim):
    rows = engine.load(f"ch{path.stem[:2]}-{claim.experiment}")["rows"]
    others = (one for one in (claim.shows, claim.baseline, claim.rival) if one)
    apart = [value - claim.best.value for one in others for value in one.values(rows)]
    assert all(gap >= -1e-4 for gap in apart) or all(gap <= 1e-4 for gap in apart)


@pytest.mark.parametrize(("path", "claim"), [case for case in CLAIMS if len(case[1].sentence) > 60][::7], ids=name)
def test_a_claim_in_other_words_is_named_with_both_wordings(path, claim):
    sentence = one_line(claim.sentence)
    words = sentence.split()
    reworded = " ".join([*words[:2], "in", "other", "words", *words[3:]])
    with pytest.raises(pytest.fail.Exception) as failure:
        demand_wording(path, claim, page(path).replace(sentence, reworded))
    ours, theirs = failure.value.msg.splitlines()
    assert claim.experiment in ours and ours.endswith(f": {sentence}")
    assert path.name in theirs and reworded in theirs and len(theirs) < 2 * len(sentence) + 200


def test_the_counts_in_a_sentence_of_chapter_12_are_those_of_its_stored_draws():
    [claim] = [one for one in ch12.CLAIMS if "20 more draws" in one.sentence]
    rows = engine.load("ch12-order")["rows"]
    counts = [*ch12.count_most(rows, ch12.THE), *ch12.count_most(rows, ch12.BARE)]
    said = [int(number) for number in re.findall(r"(?<![\d.])\d+(?!\.?\d)", claim.sentence)]
    assert said == [counts[0], len(ch12.DRAWS), *counts[1:]]


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_nothing_that_was_refuted_is_on_its_page(path):
    sentences = [entry["sentence"] for entry in REFUTED.get(f"ch{path.stem[:2]}", ())]
    assert [sentence for sentence in sentences if one_line(sentence) in page(path)] == []


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_every_experiment_serves_a_claim_and_has_five_seeds_or_more_besides_those_of_the_page(path):
    assert set(MODULES[path].EXPERIMENTS) == {claim.experiment for claim in MODULES[path].CLAIMS}
    for name, experiment in MODULES[path].EXPERIMENTS.items():
        seeds = {case["seed"] for case in experiment.cases}
        assert len({seed for seed in seeds if seed >= 100}) >= 5 and len({seed for seed in seeds if seed < 100}) <= 3, (
            name
        )
