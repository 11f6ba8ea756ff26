"""The reference page has every public name with all it promises, and page and chapters link each other."""

import doctest
import importlib
import inspect
import re

import numpy as np
import pytest
from reference import random

from attention_src import causal_mask, scaled_dot_product_attention
from book.chapter import CHAPTERS, ROOT, code, read, tags
from web.package_page import MODULES, find_chapters, find_entry, find_users, find_uses, list_chapters_using, mark_shapes

INSIDE = {"attention_course.tasks.sampling"}  # what tasks are made with


def list_public_names():
    """Return the functions and classes of the public modules, each under the name of the module that defines it."""
    for name in MODULES:
        if "._" in name or name in INSIDE:
            continue
        module = importlib.import_module(name)
        for short, thing in vars(module).items():
            if inspect.isclass(thing) or inspect.isfunction(thing):
                own = thing.__module__ == name and not short.startswith("_")
                if short in module.__all__ if hasattr(module, "__all__") else own:
                    yield find_entry(f"{name}.{short}")


@pytest.fixture(scope="module")
def names():
    return sorted({*list_public_names()})


@pytest.fixture(scope="module")
def used_by():
    return list_chapters_using()


@pytest.mark.parametrize("mask", [None, causal_mask(4, 5)])
def test_the_function_that_opens_the_page_computes_attention(mask, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "pages")
    bare = importlib.import_module("bare_attention")
    assert doctest.testmod(bare) == (0, 1)  # failed, tried
    arrays = random((4, 3), (5, 3), (5, 2))
    for own, ours in zip(bare.attend(*arrays, mask), scaled_dot_product_attention(*arrays, mask), strict=True):
        np.testing.assert_allclose(own, ours)


@pytest.fixture(scope="module")
def entries(parse):
    """The entries of the page, by name."""
    return {head["id"]: head.parent for head in parse("pages/package").select("dl.py > dt[id]")}


def find_thing(name):
    module, _, short = name.rpartition(".")
    return getattr(importlib.import_module(module), short)


def list_needed_headings(name):
    """Return the headings that the entry of a name must have.

    The course package says it in sentences instead, unless there are three arguments to explain.
    """
    thing = find_thing(name)
    if ".checks." in name:
        return {"Examples"} if inspect.isfunction(thing) else set()  # the call in its chapter
    parameters = inspect.signature(thing).parameters.values()
    if name.startswith("attention_course."):
        given = [p for p in parameters if p.default is p.empty and p.name not in ("num_train", "num_test")]
        return {"Parameters"} if len(given) >= 3 else set()
    results = {"Returns"} if inspect.isfunction(thing) else set()
    return {"Examples", *results, *(["Parameters"] if parameters else [])}


def list_unexplained(name, text):
    """Return the arguments of a function that a text does not mention, and "Error" if it is silent about an error."""
    thing = find_thing(name)
    if inspect.isclass(thing) or ".checks." in name or ".plots." in name:  # an introduction says it once for all
        return []
    words = [*inspect.signature(thing).parameters] + ["Error"] * ("raise " in inspect.getsource(thing))
    return [word for word in words if not re.search(rf"(\b|[a-z]){word}\b", text)]


def list_headings(entry):
    body = entry.find("dd", recursive=False)
    own = body.find_all("dl", class_="field-list", recursive=False)
    fields = [dt.get_text().strip(" :") for part in own for dt in part.find_all("dt", recursive=False)]
    return {*fields, *(p.get_text() for p in body.find_all("p", class_="rubric", recursive=False))}


def test_a_public_name_is_on_the_page_with_shapes_errors_example_and_source(entries, names):
    assert len(names) > 120
    for name in names:
        assert list_needed_headings(name) <= list_headings(entries[name]), name
        assert entries[name].find("dd").find("p").get_text(), name
        assert (name, list_unexplained(name, entries[name].find("dd").get_text(" "))) == (name, [])
        assert entries[name].find("dt").find("a", string="[source]") is not None, name


def test_a_method_that_is_public_says_what_it_does(entries):
    methods = [name for name, entry in entries.items() if "method" in entry["class"]]
    assert "attention_src.layers.multi_head.MultiHeadAttention.forward" in methods
    assert [name for name in methods if not entries[name].find("dd").get_text().strip()] == []


def test_the_code_of_a_chapter_links_what_it_uses_and_is_linked_from_there(parse, entries, used_by):
    for path in CHAPTERS:
        links = {link["href"] for link in parse(f"chapters/{path.stem}").select(".cell_input a")}
        shown = "\n".join(cell.source for cell in code(read(path)) if "remove-cell" not in tags(cell))
        place, on_page = "../pages/package.html#", find_uses(shown)
        assert on_page and {f"{place}{name}" for name in on_page} <= links, path
        assert all(link.startswith(place) for link in links), path
        for name in [name for name, chapters in used_by.items() if path.stem in chapters]:
            assert entries[name].find("a", href=f"../chapters/{path.stem}.html"), (path, name)


def test_what_no_chapter_calls_leads_to_the_chapter_of_what_is_built_on_it(entries, names, used_by):
    entry = entries["attention_src.layers.blocks.FeedForward"]
    assert entry.find("a", href="../chapters/07_transformer.html")  # which calls EncoderBlock
    # errors; what the page of the machine calls; and what chapter 12 called, whose twin next to it serves others
    known = "checks.NotAttempted checks.Wrong my_machine.trace_writing my_machine.describe_writing"
    known = f"{known} my_machine.write_program interventions.overwrite"
    users, known = find_users(), [f"attention_course.{name}" for name in known.split()]
    assert [name for name in names if not find_chapters(name, used_by, users) and name not in known] == []


def test_the_code_of_a_chapter_is_read_as_python_reads_it():
    source = "%pip install x\nfrom attention_course import plots as p\nfrom attention_src import softmax\n"
    source += "from numpy import sum\np.grid(softmax(sum(1)))"
    assert find_uses(source) == {"attention_src.weights.softmax", "attention_course.plots.grid"}
    assert find_entry("attention_src.softmax") == "attention_src.weights.softmax"
    assert find_entry("attention_course.tasks.PAD") == "attention_src.models.PAD"
    assert find_entry("attention_course.checks.Wrong") == "attention_course.checks.Wrong"


def test_shapes_are_set_as_code():
    for said in "``(..., n, d_k)``", "None, 'additive' (Bahdanau) or 'dot'", "``(num, H, W, 3)`` float32":
        lines = ["Parameters", "----------", f"x : {said.replace('``', '')}"]
        assert mark_shapes(lines)[2:] == ["x", f"    {said}"]
