"""What the pages say together: no table with a gap, every linked paper a reference, Korean terms in the glossary."""

import re
import tomllib
from pathlib import Path

import pytest

from book.chapter import CHAPTERS, ROOT, pages, prose, read

TEXTS = {path.stem: "\n\n".join(prose(read(path))) for path in CHAPTERS}
TEXTS |= {path.stem: path.read_text("utf-8") for page in pages() if (path := ROOT / f"{page}.md").is_file()}

REFERENCES = re.findall(r"url = \{([^}]+)\}", (ROOT / "pages/references.bib").read_text("utf-8"))


def find_ragged_rows(text):
    """Yield rows of tables that have more or fewer cells than the line that separates the head from them."""
    cells = None
    for line in text.split("\n"):
        bars = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else None
        cells = cells if bars and cells else bars
        if bars != cells:
            yield line


@pytest.mark.parametrize("name", TEXTS)
def test_a_page_has_no_row_with_a_gap_and_links_no_paper_that_is_not_among_the_references(name):
    assert list(find_ragged_rows(TEXTS[name])) == []
    papers = re.findall(r"https://(?:arxiv\.org/abs/|doi\.org/)[^)\s>]+|https://[^)\s>]+\.pdf", TEXTS[name])
    assert [paper for paper in papers if paper not in REFERENCES] == []


@pytest.mark.parametrize("paper", REFERENCES)
def test_every_paper_on_the_list_is_linked_from_a_page(paper):
    assert any(f"]({paper}" in text for text in TEXTS.values())


METHODS = tomllib.loads(Path(__file__).with_name("credits.toml").read_text("utf-8"))


@pytest.mark.parametrize(("method", "paper"), METHODS.items())
def test_every_method_is_credited_in_the_first_chapter_that_names_it(method, paper):
    assert paper in next(TEXTS[path.stem] for path in CHAPTERS if re.search(method, TEXTS[path.stem]))


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_every_korean_term_that_a_chapter_introduces_is_in_the_glossary(path):
    terms = re.findall(r"[A-Za-z]\w*\*{0,2} \(([가-힣][가-힣 ]*)\)", TEXTS[path.stem])
    glossary = re.sub(r"<[^>]+>", "", TEXTS["glossary"])
    assert [term for term in terms if not re.search(rf"\| ([^|]+ )?{term}( [^|]+)? \|", glossary)] == []


@pytest.mark.parametrize("name", ["glossary", "errata", "from_the_notes"])
def test_the_korean_of_an_english_page_is_marked_as_korean(name):
    rest = re.sub(r'(?s)<span lang="ko">.*?</span>', "", TEXTS[name].partition("\n")[2])
    assert re.findall("[가-힣]+", rest) == []


def test_the_glossary_is_in_alphabetical_order():
    _, *terms = re.findall(r"^\| (?!--)([^|]+) \| ", TEXTS["glossary"], re.M)
    assert len(terms) > 50 and terms == sorted(terms, key=str.casefold)
