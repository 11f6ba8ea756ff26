"""The site builds without a warning, shows the student copy, and needs no other host."""

import html
import re

import pytest
from bs4 import BeautifulSoup

from attention_course.plots import TOKENS
from book.chapter import CHAPTERS, ROOT, RUNNING, TRANSLATED, is_solution, page_of, read, solutions
from homework.answers import EXERCISES
from web.glossary import read_rows
from web.live import BLANK
from web.live.running_pages import find_offered_cells
from web.styles import list_words, purge

SOLUTIONS = [region for path in CHAPTERS for region in solutions(read(path))]
REVEALS = [text for exercise in EXERCISES.values() for text in exercise.reveals.values()]  # to instructors alone
LOADING = re.compile(r"<(?:link|img|script)\b[^<>]*>|<\w+[^<>]*\ssrc=[^<>]*>")


def list_problems(text):
    """Yield what is wrong with a page that can be seen without a browser, in either language."""
    page = BeautifulSoup("</script>".join(LOADING.findall(text)), "html.parser")  # all would take minutes
    loaded = [tag["src"] for tag in page.select("[src]")]
    loaded += [link["href"] for link in page.select('link[href]:not([rel="canonical"], [rel="alternate"])')]
    yield from (f"loads {address} from another host" for address in loaded if re.match(r"(https?:)?//", address))
    yield from (f"waits for {script['src']}" for script in page.select("script[src]:not([defer])"))
    yield from (f"an image without words: {image['src']}" for image in page.select("img:not([alt]), img[alt='']"))
    if (styles := len(page.select('link[rel="stylesheet"]'))) != 1:
        yield f"{styles} styles, not 1"
    if re.search(r'class="[^"]*\bkatex-error\b', text):
        yield "a formula with an error"
    if "\\tag{" in text and "\\tag{" in re.sub(r"(?s)<annotation.*?</annotation>", "", text):
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
    page = '<p class="here" id=there title="prose">prose</p><script>made</script>'
    assert list_words(page) == {"class", "here", "id", "there", "script", "made"}
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


@pytest.mark.parametrize("edition", ["", f"{TRANSLATED}/"], ids=["English", "Korean"])
def test_every_choice_is_in_the_frame_of_its_prediction(parse, edition):
    for path in RUNNING:
        page = parse(f"{edition}{page_of(path)}")
        choices = [len(frame.select("details.choice")) for frame in page.select(".prediction")]
        assert len(choices) > 2 and all(choices), path
        assert sum(choices) == len(page.select("details.choice")), path


def find_solutions(path):
    """Return the solutions of the book, and what wrong answers reveal, that a file of the site shows.

    Both are read without tags and on one line, as a notebook's JSON has them unescaped.
    """
    text = html.unescape(re.sub(r"<[^>]*>", "", path.read_text(errors="replace")))
    text = " ".join(text.replace("\\n", "\n").replace('\\"', '"').split())
    known = [" ".join(region.split()) for region in [*SOLUTIONS, *REVEALS]]
    return [solution for solution in ["BEGIN SOLUTION", *known] if solution in text]


def test_nothing_on_the_site_shows_a_solution_and_one_would_be_found(site, tmp_path):
    files = [path for path in site.rglob("*") if path.suffix in {".html", ".ipynb", ".js", ".md", ".txt"}]
    assert {site / "chapters/01_definition.html", site / "_sources/chapters/01_definition.ipynb"} <= {*files}
    files = [path for path in files if path.parent.name != "attention_course"]  # the source of the machine's parts
    assert {path.name: found for path in files if (found := find_solutions(path))} == {}
    page, (first, *_) = tmp_path / "page.html", CHAPTERS
    page.write_text(f"<pre>{html.escape(next(cell.source for cell in read(first).cells if is_solution(cell)))}")
    assert len(find_solutions(page)) > 1 and len(find_solutions(first)) > 1
    assert {*map(" ".join, map(str.split, REVEALS))} <= {*find_solutions(ROOT / "homework" / "wrong_answers.md")}


def test_the_downloaded_notebook_is_the_student_copy(site, parse):
    for path in CHAPTERS:
        copy = read(site / "_sources" / "chapters" / path.name)
        stubs = list(filter(is_solution, copy.cells))
        assert stubs and all("raise NotImplementedError()" in cell.source and not cell.outputs for cell in stubs)
        assert len(copy.cells) == len(read(path).cells) + 1 and copy.cells[-1].id.endswith("-hand-in")
    link = parse("chapters/01_definition").select_one("a[href^='../_sources/chapters/01_definition.ipynb']")
    assert (BLANK in link.text) == bool(find_offered_cells(CHAPTERS[0]))  # where readers' own can be saved as well


def test_terms_in_bold_link_their_line_of_the_glossary_at_their_first_use(parse):
    rows = {row["id"] for row in parse("pages/glossary").select("tr[id]")}
    assert rows == {name for _, _, name in read_rows((ROOT / "pages/glossary.md").read_text("utf-8"))}
    for path in CHAPTERS:
        links = parse(f"chapters/{path.stem}").select("a.term")
        targets = [link["href"].partition("#")[2] for link in links]
        assert targets and {*targets} <= rows and len({*targets}) == len(targets)
