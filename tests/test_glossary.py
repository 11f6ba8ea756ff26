"""A chapter's terms lead to the glossary, each once."""

from collections import Counter

from bs4 import BeautifulSoup, SoupStrainer

from book.chapter import CHAPTERS, ROOT
from web.glossary import read_rows


def test_terms_in_bold_link_their_line_of_the_glossary_at_their_first_use(site):
    rows = {
        row["id"] for row in BeautifulSoup((site / "pages/glossary.html").read_text(), "html.parser").select("tr[id]")
    }
    assert rows == {name for _, _, name in read_rows((ROOT / "pages/glossary.md").read_text("utf-8"))}
    for path in CHAPTERS:
        text = (site / "chapters" / f"{path.stem}.html").read_text()
        page = BeautifulSoup(text, "html.parser", parse_only=SoupStrainer("a"))
        targets = Counter(link["href"].partition("#")[2] for link in page.select("a.term"))
        assert targets and targets.keys() <= rows
