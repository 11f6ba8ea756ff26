"""The evidence page shows every claim with a strip that is true to its rows, and every sentence that was refuted."""

import re
import tomllib
from itertools import pairwise

import pytest
from bs4 import BeautifulSoup

from book.catalogue import translations
from book.chapter import CHAPTERS, ROOT, one_line
from evidence import claims, engine
from evidence.claims import Claim, Level, Series, find_factors, format_range
from web import evidence
from web.evidence import MOST_DOTS, choose_ticks, draw_strip, format_tick, name_claim, thin

CLAIMS = {
    name_claim(path, claim): (path, claim) for path, module in claims.modules().items() for claim in module.CLAIMS
}
REFUTED = tomllib.loads((ROOT / "evidence" / "refuted.toml").read_text("utf-8"))


@pytest.fixture(scope="module")
def page(site):
    return BeautifulSoup((site / "pages/evidence.html").read_text("utf-8"), "html.parser")


@pytest.fixture(scope="module")
def cards(page):
    return {card["id"]: card for card in page.select(".claim")}


def read_dots(strip, kind):
    """Return the places of the dots of a kind, (across, down)."""
    return [(float(dot["cx"]), float(dot["cy"])) for dot in strip.select(f".{kind} circle")]


def read_values(strip, places):
    """Return the values that are drawn at some places, given the numbers at the ends of the axis and its ticks."""
    low, high = (float(text.text.replace("−", "-").replace(",", "")) for text in strip.select("text")[-2:])
    start, *_, end = (float(x) for x in re.findall(r"M([\d.]+) 0v4", strip.select_one(".axis")["d"]))
    return [low + (place - start) / (end - start) * (high - low) for place in places], high - low


def letters(text):
    """Return the letters and digits of a text without formulas, which look different on a page."""
    return re.sub(r"[\W_]+", "", re.sub(r"\$[^$]*\$", "", re.sub(r"\]\([^)]*\)", "", text)))


def words_of(tag):
    """Return the letters and digits of a part of a page without formulas."""
    tag = BeautifulSoup(str(tag), "html.parser")
    for formula in tag.select(".math"):
        formula.replace_with(" ")
    return letters(tag.text)


def test_every_claim_has_a_card_and_every_card_a_claim(cards):
    assert [*cards] == list(CLAIMS)
    assert len(CLAIMS) == sum(len(module.CLAIMS) for module in claims.modules().values())  # no two have one name


@pytest.mark.parametrize("name", CLAIMS)
def test_a_card_says_what_its_claim_says_and_its_strip_is_true_to_the_rows(cards, name):
    """The values of a condition are dots, one for each or 60; levels are lines, and the page's own run a triangle."""
    (path, claim), card = CLAIMS[name], cards[name]
    rows, strip = engine.load(f"ch{path.stem[:2]}-{claim.experiment}")["rows"], card.select_one(".strip svg")
    assert words_of(card.p).startswith(letters(claim.sentence)) and card.p.find("a", href=True)
    assert letters(claim.varied) in words_of(card) and letters(claim.wrong_if) in words_of(card)
    left, top, wide, high = map(float, strip["viewbox"].split())
    dots = [(float(dot["cx"]), float(dot["cy"])) for dot in strip.select("circle")]
    assert strip["role"] == "img" and all(left < x < left + wide and top < y < top + high for x, y in dots)
    said = (letters(strip["aria-label"]), words_of(card.figcaption))
    for kind, one in {"result": claim.shows, "baseline": claim.baseline, "rival": claim.rival}.items():
        strips = strip.select(f"g.{kind}")
        found = one.conditions(rows, find_factors(path, claim)) if isinstance(one, Series) else {}
        assert len(strips) == len(found)
        for drawn, values in zip(strips, found.values(), strict=True):
            dots = [(float(dot["cx"]), float(dot["cy"])) for dot in drawn.select("circle")]
            assert len(set(dots)) == len(dots) == min(len(values), MOST_DOTS)
            ends, width = read_values(strip, [x for x, _ in dots])
            assert [min(ends), max(ends)] == pytest.approx([min(values), max(values)], abs=width / 1000)
            assert all(letters(format_range(values)) in words for words in said)
        assert not one or all(letters(one.label) in words for words in said)
    for kind, one in {"level": claim.baseline, "rival": claim.rival, "best": claim.best}.items():
        lines = [float(x) for path in strip.select(f"path.{kind}") for x in re.findall(r"M([\d.]+)", path["d"])]
        assert bool(lines) == isinstance(one, Level)
        if lines:
            assert read_values(strip, lines)[0] == pytest.approx([one.value], abs=read_values(strip, lines)[1] / 1000)
    own = [float(x) for path in strip.select("path.page") for x in re.findall(r"M([\d.]+)", path["d"])]
    assert bool(own) == bool(claim.page)
    if own:
        drawn, width = read_values(strip, own)
        assert drawn == pytest.approx([evidence.read_number(claim.page)], abs=width / 1000)


def test_every_sentence_that_was_refuted_is_listed_under_its_chapter(page):
    lists = page.select("details.refuted")
    assert len(lists) == len(REFUTED)
    for shown, entries in zip(lists, REFUTED.values(), strict=True):
        assert len(shown.select("li")) == len(entries)
        for item, entry in zip(shown.select("li"), entries, strict=True):
            assert all(letters(entry[part]) in words_of(item) for part in ("sentence", "seen", "now"))


def test_the_summary_of_a_chapter_leads_to_its_part_of_the_page(page, site):
    for path in CHAPTERS:
        summary = (site / f"chapters/{path.stem}.html").read_text("utf-8").partition('id="summary"')[2]
        summary = BeautifulSoup(summary.partition("<section")[0], "html.parser")
        address, part = summary.find("a", string=evidence.LINK)["href"].split("#")
        heading = page.find(id=part).find_parent("section").h2.text
        assert address == "../pages/evidence.html" and heading.startswith(f"{int(path.stem[:2])}. ")


def strip_of(values, baseline=None):
    """Return the strip of some values, parsed."""
    claim = Claim("", "", "", bool, "", Series("run", "runs"), baseline=baseline)
    return BeautifulSoup(draw_strip(claim, [{"run": value} for value in values]), "html.parser").svg


def test_dots_that_coincide_are_stacked_and_a_high_stack_is_pressed_together():
    for count in (2, 8, 60):
        heights = sorted(y for _, y in read_dots(strip_of([0.5] * count + [1.0]), "result"))[: count - 1]
        assert heights[-1] - heights[0] <= evidence.HIGHEST + evidence.RADIUS
    few = sorted({y for _, y in read_dots(strip_of([0.5] * 4 + [1.0]), "result")})
    assert all(below - above > 2 * evidence.RADIUS for above, below in pairwise(few))


def test_many_values_are_thinned_to_quantiles_with_their_extremes():
    values = [(37 * i % 1000) / 1000 for i in range(1000)]
    assert thin(values) == thin(sorted(values)) and (thin(values)[0], thin(values)[-1]) == (0.0, 0.999)
    assert len(read_dots(strip_of(values), "result")) == len(thin(values)) == MOST_DOTS and thin([3, 1, 3]) == [1, 3, 3]


def test_a_strip_says_in_words_what_it_shows_and_its_baseline_is_a_line_or_dots():
    level, series = strip_of([0.9, 1.0], Level(0.5, 'a *"<b>"*')), strip_of([0.9, 1.0], Series("run", "runs"))
    assert level["aria-label"] == 'Result: runs, 0.90 to 1.00. Baseline: a "<b>", 0.50.'
    assert len(level.select("path.level")) == 1 and not read_dots(level, "baseline")
    assert len(read_dots(series, "baseline")) == 2 and not series.select("path.level")


def test_each_condition_has_a_strip_of_its_own_and_says_so():
    rows = [{"run": value, "rate": rate} for rate in (0.01, 0.04) for value in (0.2 + rate, 0.4 + rate)]
    claim = Claim("", "", "", bool, "", Series("run", "runs"), page="0.31")
    strip = BeautifulSoup(draw_strip(claim, rows, ["rate"]), "html.parser").svg
    [slow, fast], heights = strip.select("g.result"), {y for _, y in read_dots(strip, "result")}
    assert len(slow.select("circle")) == len(fast.select("circle")) == 2 and len(heights) == 2
    assert [text.text for text in strip.select("text")][:2] == ["learning rate 0.01", "learning rate 0.04"]
    assert "learning rate 0.01: 0.21 to 0.41; learning rate 0.04: 0.24 to 0.44. This page: 0.31." in strip["aria-label"]


ENDS = [([0.31, 0.98], ("0.2", "1.0")), ([0.06, 1], ("0.0", "1.0")), ([30, 30], ("0", "30"))]
ENDS += [([26, 30, 0], ("0", "30")), ([0], ("0.0", "1.0")), ([-0.5], ("−0.5", "0.0")), ([-0.54, 0.3], ("−0.6", "0.4"))]
ENDS += [([0.0098, 0.0287], ("0.005", "0.030")), ([2e-14, 9e-14], ("2e−14", "1e−13"))]


@pytest.mark.parametrize(("values", "ends"), [*ENDS, ([120, 3_400_000], ("0", "4,000,000"))])
def test_an_axis_ends_at_readable_numbers_around_all_values(values, ends):
    ticks = choose_ticks(values)
    assert tuple(format_tick(tick, ticks[1] - ticks[0]) for tick in (ticks[0], ticks[-1])) == ends
    assert ticks[0] <= min(values) + 1e-15 and max(values) <= ticks[-1] * (1 + 1e-12) + 1e-15 and 2 <= len(ticks) <= 7


def test_the_korean_page_has_its_claims_in_korean(site):
    page = BeautifulSoup((site / "ko" / "pages" / "evidence.html").read_text("utf-8"), "html.parser")
    english = [
        part.get_text()
        for card in page.select(".claim")
        for part in card.select("p, .strip figcaption p")
        if not re.search(r"[가-힣]|^[−\d.,%\s]+$", re.sub("^[^:]*:", "", part.get_text()))
    ]
    assert english == [] and len(page.select(".claim")) == len(CLAIMS)


@pytest.mark.parametrize("path", claims.modules(), ids=lambda path: path.stem)
def test_a_claim_in_korean_is_a_sentence_of_the_korean_chapter(path):
    chapter = one_line(" ".join(translations(f"chapters/{path.stem}").values()))
    entries = claims.modules()[path].CLAIMS
    for claim, sentence in zip(entries, evidence.translate_sentences(path, entries), strict=True):
        assert sentence != claim.sentence and sentence in chapter, claim.sentence
