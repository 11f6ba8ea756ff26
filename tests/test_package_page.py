"""The reference page has every public name with all it promises, and page and chapters link each other."""

import ast
import importlib
import inspect

import pytest
from bs4 import BeautifulSoup

from book.chapter import CHAPTERS, code, read
from web import package_page as book_package
from web import package_uses

INSIDE = {"attention_course.tasks.sampling"}  # what tasks are made with
PUBLIC = [name for name in package_uses.MODULES if "._" not in name and name not in INSIDE]


def public_names():
    """The functions and classes of the package's modules, each under the name of the module that defines it."""
    for name in PUBLIC:
        module = importlib.import_module(name)
        for short, thing in vars(module).items():
            if inspect.isclass(thing) or inspect.isfunction(thing):
                own = thing.__module__ == name and not short.startswith("_")
                if short in module.__all__ if hasattr(module, "__all__") else own:
                    yield package_uses.home(f"{name}.{short}")


NAMES = sorted({*public_names()})
IN_CHAPTERS = {
    path.stem: {package_uses.home(name) for name in package_uses.uses(ast.parse("\n".join(python)))}
    for path in CHAPTERS
    for python in [[cell.source for cell in code(read(path))[1:]]]  # the first cell is IPython's, not Python's
}


@pytest.fixture(scope="module")
def entries(site):
    """The entries of the page, by name."""
    page = BeautifulSoup((site / "pages/package.html").read_text(), "html.parser")
    return {head["id"]: head.parent for head in page.select("dl.py > dt[id]")}


def needed(name):
    """The headings that the entry of a name must have."""
    module, _, short = name.rpartition(".")
    thing = getattr(importlib.import_module(module), short)
    if inspect.isclass(thing):
        if issubclass(thing, Exception):
            return set()
        return {"Parameters"} if issubclass(thing, tuple) else {"Parameters", "Examples"}
    takes = {"Parameters"} if inspect.signature(thing).parameters else set()
    results = set() if ".checks." in name else {"Returns", "Raises"}  # what all checks raise is said once, above them
    return takes | results | {"Examples"}


def headings(entry):
    body = entry.find("dd", recursive=False)
    own = body.find_all("dl", class_="field-list", recursive=False)
    fields = [dt.get_text().strip(" :") for part in own for dt in part.find_all("dt", recursive=False)]
    return {*fields, *(p.get_text() for p in body.find_all("p", class_="rubric", recursive=False))}


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_is_on_the_page_with_shapes_errors_example_and_source(entries, name):
    assert needed(name) <= headings(entries[name])
    assert entries[name].find("dd").find("p").get_text()
    assert entries[name].find("dt").find("a", string="[source]") is not None


def test_a_method_that_is_public_says_what_it_does(entries):
    methods = [name for name, entry in entries.items() if "method" in entry["class"]]
    assert "attention_src.layers.multi_head.MultiHeadAttention.forward" in methods
    assert [name for name in methods if not entries[name].find("dd").get_text().strip()] == []


@pytest.mark.parametrize("chapter", IN_CHAPTERS)
def test_the_code_of_a_chapter_links_what_it_uses_and_is_linked_from_there(site, entries, chapter):
    page = BeautifulSoup((site / "chapters" / f"{chapter}.html").read_text(), "html.parser")
    links = {link["href"] for link in page.select(".cell_input a")}
    assert {f"../package.html#{name}" for name in IN_CHAPTERS[chapter]} <= links
    assert all(link.startswith("../package.html#") for link in links)
    for name in IN_CHAPTERS[chapter]:
        assert entries[name].find("a", href=f"chapters/{chapter}.html"), name


@pytest.mark.parametrize(
    "name, chapter",
    {
        "attention_src.positions.rotary": "04_qkv_projection",
        "attention_src.layers.blocks.FeedForward": "07_transformer",  # no chapter calls it; EncoderBlock does
        "attention_src.scores.scaled_dot_score": "01_definition",
    }.items(),
)
def test_a_function_leads_to_the_chapter_that_explains_it(entries, name, chapter):
    assert entries[name].find("a", href=f"chapters/{chapter}.html")


def direct():
    """For each name the chapters that use it."""
    found = {}
    for chapter, names in IN_CHAPTERS.items():
        for name in names:
            found.setdefault(name, set()).add(chapter)
    return found


def test_nothing_public_is_used_by_no_chapter():
    users, errors = package_uses.users(), ("attention_course.checks.NotAttempted", "attention_course.checks.Wrong")
    assert [name for name in NAMES if not package_uses.chapters_of(name, direct(), users) and name not in errors] == []


def test_the_code_of_a_chapter_is_read_as_python_reads_it():
    source = "from attention_src import plots, softmax as s\nfrom numpy import sum\nplots.grid(s(sum(1)))\nplots.x.y"
    used = {name.removeprefix("attention_src.") for name in package_uses.uses(ast.parse(source))}
    assert used == {"plots.grid", "softmax", "plots.x"}
    assert package_uses.home("attention_src.softmax") == "attention_src.weights.softmax"
    assert package_uses.home("attention_course.tasks.PAD") == "attention_course.tasks.examples.PAD"
    assert package_uses.home("attention_course.checks.Wrong") == "attention_course.checks.Wrong"


@pytest.mark.parametrize(
    "line, marked",
    {
        "query : (..., n, d_k)": ["query", "    ``(..., n, d_k)``"],
        "kind : None, 'additive' (Bahdanau) or 'dot'": ["kind", "    None, 'additive' (Bahdanau) or 'dot'"],
        "images : (num, H, W, 3) float32": ["images", "    ``(num, H, W, 3)`` float32"],
    }.items(),
)
def test_shapes_are_set_as_code(line, marked):
    lines = ["Parameters", "----------", line]
    book_package.mark_shapes(None, "function", "f", None, None, lines)
    assert lines[2:] == marked
