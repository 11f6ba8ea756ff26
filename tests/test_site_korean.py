"""The Korean pages: beside the English ones, with the same addresses and files, and found by words with particles."""

import json
import re
import subprocess

import pytest

from book.catalogue import list_translatable, translations
from book.chapter import CHAPTERS, HAND_IN, language, pages, read, tags
from tools.translate import messages
from web.korean import Korean, join_sitemaps, tell_search_engines
from web.site import NODE


def test_the_korean_page_counts_what_is_not_translated(site):
    for page in set(list_translatable()) & set(pages()):
        text = (site / "ko" / f"{page}.html").read_text("utf-8")
        note = re.search(r'<p class="untranslated">[^<\d]*(\d+)', text)
        missing = len(messages(page).keys() - translations(page).keys())
        assert (int(note[1]) if note else 0) == missing, page


@pytest.mark.parametrize("page", pages())
def test_both_editions_have_the_same_addresses_and_lead_to_each_other(site, page):
    paths = {"en": site / f"{page}.html", "ko": site / "ko" / f"{page}.html"}
    texts = {language: path.read_text("utf-8") for language, path in paths.items()}
    for tag in ("section", "tr"):
        english, korean = (re.findall(rf'<{tag}[^>]* id="([^"]*)', text) for text in texts.values())
        assert korean == english
    assert 'lang="ko"' in texts["ko"].partition("<head>")[0]
    for here, there in (("en", "ko"), ("ko", "en")):
        link = re.search(r'<a class="btn btn-sm language" lang="(\w+)"[^>]* href="([^"]*)"', texts[here])
        assert link[1] == there and (paths[here].parent / link[2]).resolve() == paths[there].resolve()


def test_the_korean_copy_differs_in_its_text_alone(site):
    for path in CHAPTERS:
        english, korean = (read(site / folder / "_sources" / "chapters" / path.name) for folder in ("", "ko"))
        assert korean.metadata == {**english.metadata, "language": "ko"}
        for one, other in zip(english.cells, korean.cells, strict=True):
            assert (one.id, one.cell_type, one.metadata) == (other.id, other.cell_type, other.metadata)
            named = one.id.endswith(HAND_IN)  # the last cell has the names of the exercises
            if one.cell_type == "code" and "remove-cell" not in tags(one) and not named:
                assert (one.source, one.outputs) == (other.source, other.outputs)
        assert language(cell.source for cell in korean.cells) == "ko"
        assert language(cell.source for cell in english.cells) is None


def test_a_word_is_found_with_any_particle(site):
    """By Sphinx's own index and script: what a reader types is stemmed as the words of the pages were."""
    script = (site / "ko" / "_static" / "language_data.js").read_text("utf-8")
    typed = ["어텐션", "어텐션은", "어텐션을", "어텐션에서는", "쿼리", "쿼리와", "차이", "차이를", "softmax는"]
    code = f"{script}\nconsole.log(JSON.stringify({json.dumps(typed)}.map((word) => new Stemmer().stemWord(word))))"
    found = json.loads(subprocess.run([NODE, "-e", code], capture_output=True, check=True, text=True).stdout)
    assert found == [Korean({}).stem(word) for word in typed]
    assert len(set(found[:4])) == len(set(found[4:6])) == len(set(found[6:8])) == 1
    index = (site / "ko" / "searchindex.js").read_text("utf-8")
    terms = json.loads(index.removeprefix("Search.setIndex(").removesuffix(")"))["weights"]
    assert {"어텐션", "쿼리", "가중치"} <= terms.keys()


@pytest.mark.parametrize("name, place", [("chapters/01.html", "chapters/01.html"), ("intro.html", "")])
def test_an_edition_with_an_address_is_known_to_search_engines(tmp_path, name, place):
    home = "https://somebody.github.io/their-fork/"
    both = [tmp_path / folder / name for folder in ("", "ko")]
    for page, folder in zip(both, ("", "ko/"), strict=True):
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(f'<link rel="canonical" href="{home}{folder}{place}"></head>')
        (tmp_path / folder / "sitemap.xml").write_text(f"<urlset><url><loc>{home}{folder}{place}</loc></url></urlset>")
    for _ in range(2):  # again, as a build of the Korean edition alone does
        tell_search_engines(*both, name)
        join_sitemaps(tmp_path / "sitemap.xml", tmp_path / "ko" / "sitemap.xml")
    for page in both:
        links = re.findall(r'rel="alternate" hreflang="(\w+)" href="([^"]*)"', page.read_text())
        assert links == [("en", f"{home}{place}"), ("ko", f"{home}ko/{place}")]
    assert (tmp_path / "sitemap.xml").read_text().count("<loc>") == 2


def test_every_file_that_a_korean_page_loads_is_there(site):
    for page in (site / "ko").rglob("*.html"):
        for target in re.findall(r'(?:src=|href=|import\()"([^"#?:]+)[^":]*"', page.read_text("utf-8")):
            assert (page.parent / target).exists(), (page.name, target)


@pytest.mark.slow
def test_a_korean_page_runs_and_its_check_answers_in_korean(address, browser):
    page = browser.new_page()
    page.goto(f"{address}ko/chapters/01_definition.html")
    page.click("[data-live=start]")
    page.wait_for_selector("[data-live=status][data-state=ready]", timeout=180_000)
    assert page.inner_text("[data-live=status]").startswith("준비됐어요.")
    cells = page.locator("[data-live-cell]")
    sources = [source.input_value() for source in cells.locator("[data-live=source]").all()]
    place = next(i for i, source in enumerate(sources) if "def my_attention" in source)
    cells.nth(place).locator("[data-live=source]").fill("def my_attention(query, key, value):\n    return None")
    check = cells.nth(place + 1)
    check.locator("[data-live=run]").click()
    said = check.locator("[data-live=output] .live-error")
    said.wait_for(timeout=180_000)
    assert "아직이에요." in said.inner_text() and "None을 돌려주었어요" in said.inner_text()
    page.close()
