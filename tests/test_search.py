"""The search of both editions: what it takes for the same, which page it puts first, and what it quotes."""

import tomllib
from pathlib import Path
from urllib.parse import quote

import pytest
from sphinx.search.en import SearchEnglish

from book.chapter import pages
from web.korean import Korean
from web.search import FILE, Terms, list_synonyms, weigh

TERMS = {"en": Terms(SearchEnglish({}), list_synonyms()), "ko": Terms(Korean({}), list_synonyms())}
RESULTS = "#search-results ul.search > li"
SEARCHES = tomllib.loads(Path(__file__).with_name("searches.toml").read_text("utf-8"))


@pytest.fixture(scope="module")
def tab(browser):
    context = browser.new_context()
    yield context.new_page()
    context.close()


def search(tab, address, query, edition="en"):
    """Search, and return the results in their order, each as its address and its excerpt."""
    tab.goto(f"{address}{'' if edition == 'en' else f'{edition}/'}search.html?q={quote(query)}")
    tab.wait_for_function("document.querySelector('.search-summary')?.innerText")
    tab.wait_for_function(f"[...document.querySelectorAll('{RESULTS}')].every(one => one.querySelector('p, span'))")
    return [
        (one.locator("a").first.get_attribute("href"), one.locator("p.context").all_inner_texts())
        for one in tab.locator(RESULTS).all()
    ]


SEARCH_ALL = """async (queries) => {
  const out = document.getElementById("search-results"), found = [];
  for (const query of queries) {
    out.replaceChildren();
    Search.performSearch(query);
    while (!out.querySelector(".search-summary")?.innerText) await new Promise((done) => setTimeout(done, 5));
    found.push([...out.querySelectorAll("ul.search > li > a")].slice(0, 2).map((a) => a.getAttribute("href")));
  }
  return found }"""


@pytest.mark.parametrize("edition", SEARCHES)
def test_the_page_on_the_subject_comes_first_or_second(tab, address, edition):
    """On one page, without the texts that are quoted, which take most of the time."""
    search(tab, address, "qqq", edition)
    tab.route("**/*.html*", lambda route: route.abort())
    found = tab.evaluate(SEARCH_ALL, [*SEARCHES[edition]])
    tab.unroute("**/*.html*")
    assert len(found) == len(SEARCHES[edition]) > 5
    for (query, right), first in zip(SEARCHES[edition].items(), found, strict=True):
        assert {href.removeprefix("chapters/")[:2] for href in first} & {*right.split()}, (query, first)


@pytest.mark.parametrize("query, word", {"소프트맥스를": "소프트맥스", "쿼리 키": "키", "softmax": "softmax"}.items())
def test_an_excerpt_has_the_word_and_neither_buttons_nor_formulas_twice(tab, address, query, word):
    results = search(tab, address, query, "en" if query.isascii() else "ko")
    excerpts = [text for _, found in results for text in found]
    assert len(excerpts) > 5 and sum(word in text.lower() for text in excerpts) > 0.7 * len(excerpts)
    for text in excerpts:
        assert not any(noise in text for noise in ("\\", "_{", "복사", "Copy", "임포트", "Varied:", ".ipynb"))
        assert len(text) < 250


def test_several_words_are_combined_and_one_that_is_nowhere_is_left_out(tab, address):
    both, one, other = (
        {href.partition("#")[0] for href, _ in search(tab, address, query)}
        for query in ("entropy saturation", "entropy", "saturation")
    )
    assert both == one & other and both < one
    assert {href.partition("#")[0] for href, _ in search(tab, address, "entropy zyxwv")} == one


def test_a_page_is_found_once_and_leads_to_its_part(tab, address):
    found = [href for href, _ in search(tab, address, "마스크", "ko")]
    assert len({href.partition("#")[0] for href in found}) == len(found)
    assert found[0].startswith("chapters/05_self_and_cross_attention.html#")


def test_a_name_of_the_package_leads_to_its_line(tab, address):
    first, _ = search(tab, address, "causal_mask")[0]
    assert first == "pages/package.html#attention_src.masks.causal_mask"
    assert all("#attention_" not in href for href, _ in search(tab, address, "attention")[:5])


def test_the_magnifier_is_beside_the_words(tab, address):
    search(tab, address, "어텐션", "ko")
    ends = "form => form.querySelector('i').getBoundingClientRect().right"
    begins = "input => input.getBoundingClientRect().left + parseFloat(getComputedStyle(input).paddingLeft)"
    form = tab.locator(".bd-search-container form.bd-search")
    assert form.evaluate(ends) < form.locator("input").evaluate(begins)


def test_the_korean_search_speaks_korean_and_so_does_the_page_that_it_leads_to(tab, address):
    search(tab, address, "밸류", "ko")
    assert tab.locator(".search-summary").inner_text().startswith("찾는 말이 있는 페이지가")
    assert tab.locator("#search-results h2").inner_text() == "검색 결과"
    assert tab.locator("ul.search .highlighted", has_text="값").count()
    tab.locator(f"{RESULTS} a").first.click()
    tab.locator("article .highlighted", has_text="값").first.wait_for()
    copy = tab.locator("button.copybtn").first
    assert copy.get_attribute("data-tooltip") == "복사"


def test_every_list_of_synonyms_is_found_in_both_languages():
    words = [word for group in list_synonyms() for word in group]
    assert len(words) == len(set(words))
    for group in list_synonyms():
        for word in group:
            for language, terms in TERMS.items():
                assert group[0] in terms.find(word), (language, word)


@pytest.mark.parametrize(
    "one, other", [("랭크", "계수의"), ("멀티헤드를", "다중 헤드"), ("마스킹", "마스크는"), ("밸류", "값")]
)
def test_variants_are_one_term(one, other):
    assert set(TERMS["ko"].find(one)) & set(TERMS["ko"].find(other))


def test_a_page_about_a_kind_of_attention_is_not_one_about_attention():
    weights = weigh({"chapters/a": [("title", "other")]}, TERMS["en"], {"chapters/a": ["cross-attention"]})
    assert "크로스 어텐션" in weights and "어텐션" not in weights


def test_what_a_page_is_about_is_said_of_pages_that_there_are():
    about = tomllib.loads(FILE.read_text("utf-8"))["about"]
    assert set(about) <= set(pages())


def test_titles_weigh_most_then_headings_then_how_often():
    blocks = {
        "chapters/title": [("title", "mask"), ("text", "of something else")],
        "chapters/heading": [("title", "other"), ("heading", "mask"), ("text", "mask")],
        "chapters/often": [("title", "other"), ("text", "mask " * 20)],
        "chapters/once": [("title", "other"), ("text", "mask")],
        "pages/often": [("title", "other"), ("text", "mask " * 20)],
        "chapters/said": [("title", "other")],
    }
    weights = weigh(blocks, TERMS["en"], {"chapters/said": ["masking"]})["마스크"]
    order = sorted(weights, key=weights.get, reverse=True)
    subjects = ["chapters/title", "chapters/said"]
    assert order == [*subjects, "chapters/heading", "chapters/often", "pages/often", "chapters/once"]
