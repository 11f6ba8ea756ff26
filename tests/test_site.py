"""The site builds without a warning, shows the student copy, and needs no other host."""

import html
import re

import pytest
from bs4 import BeautifulSoup

from attention_course.plots import TOKENS
from book.chapter import CHAPTERS, TRANSLATED, is_solution, read, solutions
from web.styles import purge


def list_problems(text):
    """Yield what is wrong with a page that can be seen without a browser, in either language."""
    page = BeautifulSoup(text, "html.parser")
    loaded = [tag["src"] for tag in page.select("[src]")]
    loaded += [link["href"] for link in page.select('link[href]:not([rel="canonical"])')]
    yield from (f"loads {address} from another host" for address in loaded if re.match(r"(https?:)?//", address))
    yield from (f"waits for {script['src']}" for script in page.select("script[src]:not([defer])"))
    yield from (f"an image without words: {image['src']}" for image in page.select("img:not([alt]), img[alt='']"))
    if (styles := len(page.select('link[rel="stylesheet"]'))) != 1:
        yield f"{styles} styles, not 1"
    if page.select(".katex-error"):
        yield "a formula with an error"
    if "\\tag{" in re.sub(r"(?s)<annotation.*?</annotation>", "", text):
        yield "a formula shows its TeX"


def test_every_page_loads_one_style_and_nothing_from_elsewhere_and_its_images_have_words(site):
    pages = [page for page in site.rglob("*.html") if "_static" not in page.parts]
    assert {site / "chapters" / f"{path.stem}.html" for path in CHAPTERS} <= {*pages}
    assert {page.name: found for page in pages if (found := [*list_problems(page.read_text("utf-8"))])} == {}


STYLE = """/* a comment { */ @charset "UTF-8"; .here, .gone > a { color: red }
@media print { .gone { x: y } .here:not(.gone)::after { content: "} .gone" } } @media screen { .gone { x: y } }
@font-face { src: url(data:font/woff;base64,ab) } .gone { content: "} .here {" } a[title="x, .y"] { b: c }"""


def test_the_style_has_no_rules_for_what_no_page_has(site):
    assert "".join(purge(STYLE, {"here"}).split()) == (
        '.here{color:red}@mediaprint{.here:not(.gone)::after{content:"}.gone"}}'
        '@font-face{src:url(data:font/woff;base64,ab)}a[title="x,.y"]{b:c}'
    )
    style = (site / "_static" / "site.css").read_text()
    assert ".headerlink" in style and "@import" not in style and len(style) < 200_000


def test_data_have_the_colours_of_the_figures(site):
    style = (site / "_static" / "site.css").read_text()
    dark = re.search(r'html\[data-theme="dark"\]\s*\{(.*?)\}', style, re.DOTALL)[1]
    for name, colour in TOKENS.items():
        assert f"--{name}: {colour};" in style and f"--{name}:" in dark
    figures = (site / "chapters" / "01_definition.html").read_text()
    assert "var(--weights)" in figures
    assert not any(colour in figures for name, colour in TOKENS.items() if name != "paper")


@pytest.mark.parametrize("edition", ["", TRANSLATED], ids=["English", "Korean"])
def test_every_choice_is_in_the_frame_of_its_prediction(site, edition):
    for path in CHAPTERS:
        page = BeautifulSoup((site / edition / "chapters" / f"{path.stem}.html").read_text("utf-8"), "html.parser")
        frames = page.select(".prediction")
        assert len(frames) > 2 and all(frame.select("details.choice") for frame in frames), path
        assert len(page.select("details.choice")) == len(page.select(".prediction details.choice")), path


def list_solutions():
    """Return the solutions in the book, on one line each."""
    return [" ".join(region.split()) for path in CHAPTERS for region in solutions(read(path))]


def read_words(path):
    """Return the words of a file of the site: without tags, on one line, as a notebook's JSON has them unescaped."""
    text = html.unescape(re.sub(r"<[^>]*>", "", path.read_text(errors="replace")))
    return " ".join(text.replace("\\n", "\n").replace('\\"', '"').split())


def test_nothing_on_the_site_shows_a_solution(site):
    files = [path for path in site.rglob("*") if path.suffix in {".html", ".ipynb", ".js", ".txt"}]
    texts = {path.relative_to(site).as_posix(): read_words(path) for path in files}
    assert "chapters/01_definition.html" in texts and "_sources/chapters/01_definition.ipynb" in texts
    assert [name for name, text in texts.items() if "BEGIN SOLUTION" in text] == []
    assert [(name, solution) for solution in list_solutions() for name, text in texts.items() if solution in text] == []


def test_a_solution_left_on_a_page_would_be_found(tmp_path):
    page, notebook = tmp_path / "page.html", tmp_path / "chapter.ipynb"
    solution = next(path for path in CHAPTERS if path.stem == "01_definition")
    page.write_text(f"<pre>{html.escape(next(cell.source for cell in read(solution).cells if 'BEGIN' in cell.source))}")
    notebook.write_text(solution.read_text())
    for path in (page, notebook):
        assert any(solution in read_words(path) for solution in list_solutions())


def test_the_downloaded_notebook_is_the_student_copy(site):
    for path in CHAPTERS:
        copy = read(site / "_sources" / "chapters" / path.name)
        stubs = list(filter(is_solution, copy.cells))
        assert stubs and all("raise NotImplementedError()" in cell.source and not cell.outputs for cell in stubs)
        assert len(copy.cells) == len(read(path).cells) + 1 and copy.cells[-1].id.endswith("-hand-in")
