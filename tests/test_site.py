"""The site builds without a warning, shows the student copy, and needs no other host."""

import html
import re
from html.parser import HTMLParser

import pytest

from book.chapter import CHAPTERS, is_solution, prose, read, solutions


class Loads(HTMLParser):
    """Collects what a page loads by itself, and its images without alternative text."""

    def __init__(self, text):
        super().__init__()
        self.foreign, self.without_alt = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        is_loaded = tag == "link" and attributes.get("rel") != "canonical"
        loaded = attributes.get("src") or (is_loaded and attributes.get("href"))
        if loaded and re.match(r"(https?:)?//", loaded):
            self.foreign.append(loaded)
        if tag == "img" and not attributes.get("alt"):
            self.without_alt.append(attributes.get("src"))


@pytest.fixture(scope="module")
def loads(site):
    """What each page loads."""
    return {page: Loads(page.read_text()) for page in site.rglob("*.html") if "_static" not in page.parts}


def test_every_chapter_has_its_page(site):
    assert CHAPTERS and all((site / "chapters" / f"{path.stem}.html").is_file() for path in CHAPTERS)


def test_no_page_loads_anything_from_another_host(loads):
    assert {page.name: found.foreign for page, found in loads.items() if found.foreign} == {}


def test_a_foreign_script_would_be_found():
    assert Loads('<script src="https://example.org/x.js"></script>').foreign == ["https://example.org/x.js"]


def test_every_image_has_an_alternative_text(loads):
    assert {page.name: found.without_alt for page, found in loads.items() if found.without_alt} == {}


def test_all_mathematics_is_rendered(site):
    for path in CHAPTERS:
        page = (site / "chapters" / f"{path.stem}.html").read_text()
        formulas = re.findall(r"\$\$.+?\$\$|\$[^$]+\$", "\n\n".join(prose(read(path))), re.S)
        assert page.count('class="katex"') >= len(formulas) > 0
        assert "katex-error" not in page and "\\tag" not in re.sub(r"<annotation.*?</annotation>", "", page, flags=re.S)


def test_style_and_fonts_of_the_mathematics_are_there(site):
    assert (site / "_static" / "katex" / "katex.min.css").is_file()
    assert len(list((site / "_static" / "katex" / "fonts").glob("*.woff2"))) >= 10


def regions():
    """The solutions in the book, on one line each."""
    return [" ".join(region.split()) for path in CHAPTERS for region in solutions(read(path))]


def text_of(path):
    """The words of a file of the site: without tags, on one line, as a notebook's JSON has them unescaped."""
    text = html.unescape(re.sub(r"<[^>]*>", "", path.read_text(errors="replace")))
    return " ".join(text.replace("\\n", "\n").replace('\\"', '"').split())


def test_nothing_on_the_site_shows_a_solution(site):
    files = [path for path in site.rglob("*") if path.suffix in {".html", ".ipynb", ".js", ".txt"}]
    texts = {path.relative_to(site).as_posix(): text_of(path) for path in files}
    assert "chapters/01_definition.html" in texts and "_sources/chapters/01_definition.ipynb" in texts
    assert [name for name, text in texts.items() if "BEGIN SOLUTION" in text] == []
    assert [(name, solution) for solution in regions() for name, text in texts.items() if solution in text] == []


def test_a_solution_left_on_a_page_would_be_found(tmp_path):
    page, notebook = tmp_path / "page.html", tmp_path / "chapter.ipynb"
    solution = next(path for path in CHAPTERS if path.stem == "01_definition")
    page.write_text(f"<pre>{html.escape(next(cell.source for cell in read(solution).cells if 'BEGIN' in cell.source))}")
    notebook.write_text(solution.read_text())
    for path in (page, notebook):
        assert any(solution in text_of(path) for solution in regions())


def test_the_downloaded_notebook_is_the_student_copy(site):
    for path in CHAPTERS:
        copy = read(site / "_sources" / "chapters" / path.name)
        stubs = list(filter(is_solution, copy.cells))
        assert stubs and all("raise NotImplementedError()" in cell.source and not cell.outputs for cell in stubs)
        assert len(copy.cells) == len(read(path).cells) + 1 and copy.cells[-1].id.endswith("-hand-in")
