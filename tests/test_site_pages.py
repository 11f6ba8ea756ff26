"""What the pages say about themselves is true, and everything that needs an address appears once there is one."""

import re
import struct
import subprocess

import pytest
import yaml
from bs4 import BeautifulSoup
from fontTools.ttLib import TTFont
from nbformat.v4 import new_code_cell, new_notebook, new_output

from book.chapter import CHAPTERS, ROOT, pages, read
from evidence import claims
from web import front


def read_head(page):
    """Return what the head of a page says about it, by name."""
    tags = BeautifulSoup(page.read_text().partition("</head>")[0], "html.parser").select("meta[content], link[href]")
    names = [tag.get("name") or tag.get("property") or tag["rel"][0] for tag in tags]
    return dict(zip(names, (tag.get("content", tag.get("href")) for tag in tags), strict=True))


def test_every_page_describes_itself_in_words_of_its_own(site):
    said = [read_head(site / f"{page}.html") for page in pages()]
    for page in said:
        assert 20 < len(page["description"]) <= 160 and "\\" not in page["description"]
        assert page["og:description"] == page["description"] and page["og:title"]
        assert page["og:site_name"] == "Attention by the Numbers"
    assert len({page["description"] for page in said}) == len(pages())


@pytest.mark.skipif("/OWNER/" not in (ROOT / "_config.yml").read_text(), reason="a book without an address")
def test_without_an_address_nothing_claims_one(site):
    for page in pages():
        html = (site / f"{page}.html").read_text()
        assert not re.search(r'rel="canonical"|og:url|og:image|mybinder|colab\.research|/OWNER/', html), page
    assert not (site / "sitemap.xml").exists()


def test_the_index_is_the_front_page_and_github_leaves_out_no_folder(site):
    index = (site / "index.html").read_text()
    assert index.replace("ko/index.html", "ko/intro.html") == (site / "intro.html").read_text()  # each leads to its own
    assert (site / ".nojekyll").is_file()  # else it would leave out those that begin with an underscore


def test_the_date_of_a_page_is_that_of_its_last_commit(site):
    command = ["git", "log", "-1", "--format=%cs", "--", CHAPTERS[0]]
    date = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.strip()
    shown = re.findall(r"Last updated on ([\d-]+)", (site / "chapters" / f"{CHAPTERS[0].stem}.html").read_text())
    assert shown == ([date] if date else [])


def test_every_page_says_which_edition_it_is_and_so_does_the_package(site):
    said = {re.search(r'<p class="edition">(.*?)</p>', (site / f"{page}.html").read_text())[1] for page in pages()}
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert said == {f"Edition {citation['version']} of {citation['date-released']}"}
    assert f'version = "{citation["version"]}"' in (ROOT / "pyproject.toml").read_text()


def test_the_card_is_a_picture_of_the_size_that_previews_expect(site):
    png = (site / "_static" / "card.png").read_bytes()
    assert png.startswith(b"\x89PNG") and struct.unpack(">II", png[16:24]) == (1200, 630) and len(png) < 100_000


def test_the_icon_font_has_every_icon_of_the_pages_and_no_other(site):
    style = (site / "_static/styles/pydata-sphinx-theme.css").read_text()
    text = "".join(page.read_text() for page in site.rglob("*.html"))
    names = {*re.findall(r"fa-(?:solid)? ?fa-([\w-]+)", text)}
    characters = set(TTFont(site / "_static" / "icons.woff").getBestCmap())
    for name in names - {"lg"}:
        code = re.search(rf"\.fa-{name}:before[^{{}}]*\{{content:\"\\(\w+)\"", style)[1]
        assert int(code, 16) in characters, name
    assert len(names) >= 8 and len(characters) < 60


def test_the_front_page_counts_what_the_tests_compare(site):
    figure = new_output("display_data", data={"image/svg+xml": "<svg><text>0.25</text></svg>"})
    cells = [new_code_cell("a", outputs=[new_output("stream", text="1 and 0.5\n"), figure])]
    cells += [new_code_cell("b", outputs=[new_output("stream", text="3")], metadata={"tags": ["nbval-ignore-output"]})]
    assert front.count([new_notebook(cells=cells)]) == {"proof_numbers": "3", "proof_figures": "1"}
    intro, counts = (site / "intro.html").read_text(), front.count(map(read, CHAPTERS)).values()
    tried = sum(len(module.CLAIMS) for module in claims.modules().values())
    wanted = r"all ([\d,]+)\s+numbers.*?prints\s+and\s+all\s+([\d,]+)\s+figures.*?tested ([\d,]+)\s+claims"
    sentence = re.search(wanted, intro, re.S)
    assert sentence.groups() == (*counts, f"{tried:,}")


def test_the_picture_of_the_front_page_and_of_readme_is_drawn_by_the_package():
    assert front.FIGURE.read_text("utf-8") == front.draw_picture().svg, "run: python -m web.front"
    assert f"]({front.FIGURE.relative_to(ROOT)})" in (ROOT / "README.md").read_text("utf-8")
