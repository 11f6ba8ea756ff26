"""The page runs: in headless Chromium, the button, the cells, the exercises, and what is handed in."""

import json
import re
import subprocess
import sys
import time
from urllib.parse import unquote

import nbformat
import numpy as np
import pytest
from test_accessibility import DESK, PHONE, find_violations

from attention_course.machine import PARTS, Machine
from attention_course.my_machine import trace_writing
from attention_course.watching import watch_writing
from book.chapter import (
    CHAPTERS,
    ROOT,
    RUNNING,
    code,
    find_path,
    grade_id,
    is_figure,
    is_solution,
    make_student_copy,
    page_of,
    read,
    read_outputs,
    tags,
    title,
)
from homework.grade import Task, grade
from web.live.running_pages import find_offered_cells, get_stored_result, list_labels

FIRST = find_path("01")
pytestmark = pytest.mark.slow
STATUS = "document.querySelector('[data-live=status]')"
SECONDS = 180_000  # milliseconds for what a busy machine may do slowly
ATTENTION = """def my_attention(query, key, value):
    scores = query @ key.T / np.sqrt(key.shape[1])
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = raised / raised.sum(axis={axis}, keepdims=True)
    return weights @ value, weights"""


class Live:
    """A page that runs, as a reader sees it."""

    def __init__(self, context, address, path):
        self.path, self.tab, self.requests = path, context.new_page(), []
        self.tab.on("request", lambda request: self.requests.append(request.url))
        self.tab.set_default_timeout(SECONDS)
        self.tab.goto(f"{address}{page_of(path)}.html")
        self.notebook = read(path)

    def start(self, button="[data-live=start]"):
        self.tab.locator(button).click()
        self.ready()
        self.tab.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
        return self

    def ready(self):
        self.tab.locator("[data-live=status][data-state=ready]").wait_for()

    def number(self, wanted):
        """The number of the first cell of the chapter with a text in it, or with a name of nbgrader's."""
        return next(
            n for n, cell in enumerate(code(self.notebook), 1) if wanted in cell.source or grade_id(cell) == wanted
        )

    def cell(self, n):
        return self.tab.locator(f"[data-live-cell='{n}']")

    def part(self, n, what):
        return self.cell(n).locator(f"[data-live={what}]")

    def type(self, n, source):
        self.part(n, "source").evaluate("(e, t) => { e.value = t; e.dispatchEvent(new Event('input')); }", source)

    def source(self, n):
        return self.part(n, "source").input_value()

    def run(self, n):
        self.part(n, "run").click()
        self.tab.wait_for_function(f"(s => s.dataset.state == 'ready' && s.textContent.startsWith('Cell '))({STATUS})")
        return self.shown(n)

    def shown(self, n):
        return self.part(n, "output").evaluate(
            "e => [...e.querySelectorAll('pre')].map(p => p.textContent).join('\\n')"
        )

    def says(self):
        return self.tab.locator("[data-live=status]").text_content()

    def load(self, notebook, encoding="utf-8"):
        """Load a notebook, given as its JSON, and return what is said of it."""
        file = {"name": "mine.ipynb", "mimeType": "", "buffer": json.dumps(notebook).encode(encoding)}
        self.tab.evaluate("document.querySelector('[data-live=told]').textContent = ''")
        self.tab.locator("[data-live=load]").set_input_files(file)
        return self.wait_for_note(".")

    def download(self, path):
        """Return the bytes of the reader's notebook, as it is handed in."""
        with self.tab.expect_download() as waiting:
            self.tab.locator("[data-live=download]").click()
        waiting.value.save_as(path)
        return path.read_bytes()

    def wait_for_note(self, words):
        """What is said beside the buttons of the reader's notebook, once these words are in it."""
        self.tab.locator("[data-live=told]").filter(has_text=words).wait_for()
        return self.tab.locator("[data-live=told]").text_content()

    def forget(self, really):
        self.tab.once("dialog", lambda dialog: dialog.accept() if really else dialog.dismiss())
        self.tab.locator("[data-live=forget]").click()

    def labels(self, n):
        figures = self.part(n, "output").locator("img").evaluate_all("all => all.map(i => i.src)")
        return [list_labels(unquote(figure)) for figure in figures]


def need_fresh_result(path):
    if not find_offered_cells(path):
        pytest.skip("a fresh result: make evidence NAMES='page-*'")


@pytest.fixture(scope="module")
def context(browser):
    need_fresh_result(FIRST)
    context = browser.new_context(accept_downloads=True, reduced_motion="reduce")
    yield context
    context.close()


@pytest.fixture(scope="module")
def live(context, address):
    """The first chapter, started at its exercises once for all tests of this file."""
    return Live(context, address, FIRST).start("#exercises .live-here")


def test_all_that_it_loads_comes_from_the_site(live, address):
    assert any("numpy" in url for url in live.requests)
    assert [url for url in live.requests if not url.startswith((address, "data:", "blob:"))] == []


def test_exercises_show_their_buttons_and_no_longer_offer_to_start_the_page(live):
    live.tab.mouse.move(0, 0)
    opacity = {
        name: live.part(live.number(name), "run").evaluate("button => getComputedStyle(button).opacity")
        for name in ("ex01-attention", "ex01-attention-check", "shelves = np")
    }
    assert [*opacity.values()] == ["1", "1", "0"] and live.tab.locator(".live-here").count() == 0


def test_what_no_longer_follows_from_what_stands_above_is_out_of_date(live):
    n, below, other = (live.number(text) for text in ("query = np.array([[1, 0]])", "print(scaled)", "shelves = np"))
    live.type(n, live.source(n).replace("[[1, 0]]", "[[4, 0]]"))
    live.part(below, "note").filter(has_text="Out of date").wait_for()
    live.tab.wait_for_function(f"!document.querySelector('[data-live-cell=\"{other}\"] [data-live=note]').textContent")
    assert live.run(below).strip() == "[[2.828 0.000]]"
    assert live.part(below, "note").text_content() == ""
    live.part(n, "reset").click()
    live.part(below, "note").filter(has_text="Out of date").wait_for()
    live.part(below, "reset").click()
    live.tab.wait_for_function(f"!document.querySelector('[data-live-cell=\"{below}\"] [data-live=note]').textContent")


def test_an_endless_loop_is_stopped_and_the_page_goes_on(live):
    n = live.number("shelves = np")
    live.type(n, "while True:\n    pass")
    live.part(n, "run").click()
    live.part(n, "note").filter(has_text="Running").wait_for()
    live.tab.locator("[data-live=stop]").click()
    live.tab.wait_for_function(f"{STATUS}.dataset.state != 'running'", timeout=1000)
    live.ready()
    assert "Stopped" in live.shown(n)
    live.part(n, "reset").click()
    assert live.shown(n) == "" and live.run(n).strip() == get_stored_result(code(live.notebook)[n - 1])[0]
    live.part(n, "reset").click()


def test_the_keyboard_is_enough_and_is_not_trapped(live):
    n = live.number("shelves = np")
    source = live.part(n, "source")
    source.focus()
    live.tab.keyboard.press("Control+End")
    live.tab.keyboard.press("Enter")
    live.tab.keyboard.type("print(7)")
    live.tab.keyboard.press("Shift+Enter")
    live.tab.wait_for_function(f"(s => s.dataset.state == 'ready' && s.textContent == 'Cell {n} has run.')({STATUS})")
    assert live.shown(n).splitlines()[-1] == "7"
    live.tab.keyboard.press("Tab")
    assert not source.evaluate("e => e === document.activeElement")
    live.tab.locator("[data-live=tab]").check()
    source.focus()
    live.tab.keyboard.press("Tab")
    assert source.input_value().endswith("print(7)    ")
    live.tab.keyboard.press("Escape")
    assert live.part(n, "run").evaluate("e => e === document.activeElement")
    live.tab.locator("[data-live=tab]").uncheck()
    live.part(n, "reset").click()


def test_an_exercise_is_checked_and_kept_and_handed_in(live, context, address, tmp_path):
    answer, check = live.number("ex01-attention"), live.number("ex01-attention-check")
    assert live.run(check).startswith("Not attempted yet")
    live.type(answer, ATTENTION.format(axis=0))
    assert live.run(check).startswith("Not yet.") and live.says().startswith(f"Cell {check}: Not yet.")
    assert "smaller case" in live.run(check) and live.part(check, "promise").count() == 0
    live.run(check)
    promise = live.part(check, "promise")
    assert (
        promise.inner_text().endswith("five different answers. So far: 1.")
        and live.part(check, "solution").count() == 0
    )
    assert promise.bounding_box()["y"] > live.part(check, "output").bounding_box()["y"]  # below the message
    live.type(answer, "def my_attention(query, key, value:")
    assert "did not run" in live.run(check) and "SyntaxError" in live.shown(answer)
    live.type(answer, ATTENTION.format(axis=1))
    assert live.run(check).strip() == get_stored_result(code(live.notebook)[check - 1])[0]
    assert live.shown(answer).strip() == ""  # the error is gone from the page and from the notebook that is saved
    assert live.says() == f"Cell {check}: {live.shown(check).strip()}"
    assert live.part(check, "solution").bounding_box()["y"] > live.part(check, "output").bounding_box()["y"]
    live.part(check, "solution").locator("summary").click()
    assert "def my_attention(query, key, value):" in live.part(check, "solution").locator("pre").inner_text()
    assert live.part(check, "output").locator("pre").evaluate("e => e.scrollWidth <= e.clientWidth")
    live.tab.locator("[data-live=name]").fill("jdoe")
    with live.tab.expect_download() as waiting:
        live.tab.locator("[data-live=download]").click()
    path = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(path)
    assert path.name == f"jdoe_{FIRST.stem}.ipynb"
    note = live.wait_for_note(path.name)
    assert "Hand it in" in note and "2. Predict it" in note and "1. " not in note
    mine = read(path)
    kept = {grade_id(cell): cell for cell in code(mine)}
    assert kept["ex01-attention"].source == ATTENTION.format(axis=1)
    assert kept["ex01-attention"].outputs == []
    assert read_outputs(kept["ex01-attention-check"]).startswith("Right")
    other = Live(context, address, FIRST)
    assert "are kept in this browser" in other.says()
    other.start()
    assert f"Restored: cell {answer}." in other.says() and other.wait_for_note("Restored") in other.says()
    assert other.source(answer) == ATTENTION.format(axis=1)
    assert other.tab.locator("[data-live=name]").input_value() == "jdoe"
    other.forget(really=False)
    assert other.source(answer) == ATTENTION.format(axis=1)
    other.forget(really=True)
    assert "YOUR CODE HERE" in other.source(answer) and "deleted" in other.wait_for_note("deleted")
    assert other.tab.evaluate("kept.names()") == []
    other.tab.locator("[data-live=load]").set_input_files(CHAPTERS[1])
    assert title(read(CHAPTERS[1])) in other.wait_for_note("another page")
    other.tab.locator("[data-live=load]").set_input_files(path)
    other.wait_for_note("Restored")
    assert other.source(answer) == ATTENTION.format(axis=1)
    other.forget(really=True)
    other.tab.close()


HELPER = """def shares(scores):
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)"""
WITH_HELPER = """def my_attention(query, key, value):
    weights = shares(query @ key.T / np.sqrt(key.shape[1]))
    return weights @ value, weights"""
AS_A_VALUE = WITH_HELPER.replace("my_attention", "attend") + "\nmy_attention: object = attend"
OTHER = {"id": "mine", "metadata": {}}
LOADED = {  # in the place of the answer: cells, each a source and what it has instead of the answer's marks
    "a cell of its own": [(HELPER, OTHER), (WITH_HELPER, {})],
    "two cells under one id": [(HELPER, {}), (WITH_HELPER, {})],
    "between two halves": [("factor = 0", {}), ("%pwd", OTHER), (HELPER, {"id": "b"}), (WITH_HELPER, {"id": "c"})],
    "below the answer": [(AS_A_VALUE, {}), (HELPER, OTHER)],
}


def write_notebook(notebook, name, strip=False):
    """Return the JSON of a notebook with some cells in the place of the first answer; stripped, none has any mark."""
    cells = json.loads(nbformat.writes(notebook))["cells"]
    place = next(i for i, cell in enumerate(cells) if "nbgrader" in cell["metadata"])
    cells[place : place + 1] = [cells[place] | {"source": source} | marks for source, marks in LOADED[name]]
    for cell in cells if strip else ():
        cell["metadata"] = {}
        del cell["id"]
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


@pytest.fixture(scope="module")
def handed_out(site):
    return read(site / "_sources" / "chapters" / FIRST.name)


@pytest.mark.parametrize(("strip", "encoding"), [(False, "utf-8"), (True, "utf-16")], ids=["marked", "stripped"])
@pytest.mark.parametrize("name", LOADED)
def test_a_notebook_that_is_loaded_loses_no_cell(live, context, address, handed_out, name, strip, encoding, tmp_path):
    """Its own cells run where they belong, are there at the next visit, and are handed in."""
    check = live.number("ex01-attention-check")
    live.forget(really=True)
    said = live.load(write_notebook(handed_out, name, strip), encoding)
    assert said.startswith("Restored: cell ") and "Not taken" not in said
    right = get_stored_result(code(live.notebook)[check - 1])[0]
    assert live.run(check).strip() == right
    again = Live(context, address, FIRST).start()
    assert again.run(check).strip() == right
    data = again.download(tmp_path / "mine.ipynb")
    sources = [cell.source for cell in code(nbformat.reads(data.decode(), as_version=4))]
    wanted = [source for source, _ in LOADED[name]]
    assert [source for source in sources if source in wanted] == wanted
    result = grade(Task("jdoe", data, read(FIRST), make_student_copy(read(FIRST)), seeds=[1], seconds=30, kind="none"))
    assert result["exercises"]["ex01-attention"]["status"] == "right"
    again.forget(really=True)
    again.tab.close()
    live.forget(really=True)
    assert not live.tab.locator(".live-exercise", has_text="your own").count()


def test_of_what_is_loaded_the_page_names_what_it_cannot_take(live, handed_out, tmp_path):
    notebook, answer = json.loads(nbformat.writes(handed_out)), live.number("ex01-attention")
    by_id = {cell["id"]: cell for cell in notebook["cells"]}
    known, refused = find_offered_cells(FIRST), live.number("ex01-attention-check")
    idle, part = next((n, one.id) for n, one in enumerate(code(live.notebook), 1) if known.get(one.id) == "part")
    for name in (part, code(live.notebook)[refused - 1].id):
        by_id[name]["source"] = "print('mine')"
    notebook["cells"][0]["source"] += "\nMy own remark."
    notebook["cells"].append({"cell_type": "raw", "id": "raw", "metadata": {}, "source": "My list."})
    live.type(answer, "# of the page")
    said = live.load(notebook)
    assert f"does not run here: cell {idle}." in said and f"Not taken from the notebook: cell {refused}." in said
    assert "Text that you added or changed is kept" in said
    assert live.source(answer) == "# of the page"  # the notebook has nothing to put there
    mine = nbformat.reads(live.download(tmp_path / "mine.ipynb").decode(), as_version=4)
    sources = [cell.source for cell in mine.cells]
    assert [source for source in sources if "mine" in source] == ["print('mine')"]
    assert sources[0].endswith("My own remark.") and sources[-1] == "My list." and "# of the page" in sources
    by_id[code(live.notebook)[answer - 1].id]["source"] = "# of the notebook"
    live.tab.once("dialog", lambda dialog: dialog.dismiss())
    assert f"cell {refused}, {answer}." in live.load(notebook) and live.source(answer) == "# of the page"
    live.tab.once("dialog", lambda dialog: dialog.accept())
    live.load(notebook)
    assert live.source(answer) == "# of the notebook"
    live.forget(really=True)
    for head, said in (None, "None of this notebook's"), ("# Elsewhere", "This notebook belongs to another page: Els"):
        cells = [{"cell_type": "markdown", "source": head}, {"cell_type": "code", "source": "my_attention = 1"}]
        assert live.load({"cells": cells}).startswith(said)


@pytest.mark.parametrize(
    ("source", "words"),
    {
        "%%time\nx = 1": "a command for Jupyter",
        "x = 1\nfiles = !ls": "a command for Jupyter",
        "!pip install einops": "Nothing can be installed",
        "import asyncio\nawait asyncio.sleep(0)": "only inside async def",
    }.items(),
)
def test_what_only_a_notebook_understands_is_explained(live, source, words):
    n = live.number("shelves = np")
    live.type(n, source)
    assert words in live.run(n)
    live.part(n, "reset").click()


@pytest.fixture(scope="module", params=RUNNING, ids=lambda path: path.stem)
def chapter(request, context, address):
    need_fresh_result(request.param)
    page = Live(context, address, request.param).start()
    yield page
    page.tab.close()


def test_every_cell_that_is_offered_gives_the_stored_text(chapter):
    """Figures have the stored labels."""
    known, differs = find_offered_cells(chapter.path), {}
    for n, cell in enumerate(code(chapter.notebook), 1):
        if known.get(cell.id) not in ("whole", "alone"):
            assert not chapter.cell(n).count()
            continue
        if is_solution(cell):
            chapter.type(n, cell.source)
            continue
        if chapter.run(n).strip() != get_stored_result(cell)[0] or chapter.labels(n) != get_stored_result(cell)[1]:
            differs[n] = chapter.shown(n)
    assert differs == {}


def list_sliders(path):
    """Return the names of the sliders of a chapter, with their values in the stored code."""
    source = "\n".join(cell.source for cell in code(read(path)))
    return dict(re.findall(r"^(\w+) = (\S+) +# @param {.*slider", source, re.M))


@pytest.mark.parametrize("path", [*filter(list_sliders, CHAPTERS)], ids=lambda path: path.stem)
def test_the_first_move_of_a_slider_stays_while_python_loads(context, address, path):
    """Under the finger that holds it, and at the next visit, where another value was kept."""
    (name, value), *_ = list_sliders(path).items()
    slider = f".live-field input[type=range][id$={name}]"
    for keys in (["ArrowRight", "ArrowRight"], ["ArrowRight"]):
        page = Live(context, address, path)
        n = page.number(f"{name} = {value} ")
        shown = page.tab.locator(slider)
        shown.focus()
        low = float(shown.get_attribute("max")) == float(value)
        for key in keys:
            page.tab.keyboard.press({"ArrowRight": "ArrowLeft", "ArrowLeft": "ArrowRight"}[key] if low else key)
        chosen = shown.input_value()
        page.tab.locator("[data-live=status]").filter(has_text=f"Cell {n} has run.").wait_for()
        assert (shown.input_value(), shown.evaluate("e => e === document.activeElement")) == (chosen, True)
        assert float(chosen) != float(value) and re.search(rf"^{name} = {chosen}(\.0)? ", page.source(n), re.M)
        if keys[1:]:
            page.tab.close()
    page.forget(really=True)
    page.tab.close()


ASKED = """() => {
  globalThis.asked = [];
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (message, ...rest) {
    if (message.chain) asked.push(message.chain.map((cell) => cell.n));
    return post.call(this, message, ...rest);
  };
}"""


def test_a_check_runs_what_its_answer_needs_and_not_the_chapter(context, address):
    page = Live(context, address, find_path("11")).start()
    page.tab.evaluate(ASKED)
    answer, check = page.number("ex11-merge"), page.number("ex11-merge-check")
    page.type(answer, code(page.notebook)[answer - 1].source)
    assert page.run(check).startswith("Right")
    (asked,) = page.tab.evaluate("asked")
    assert asked[-2:] == [answer, check] and len(asked) < 6
    page.tab.close()


def test_every_instrument_moves(chapter):
    for n, cell in enumerate(code(chapter.notebook), 1):
        if "instrument" in tags(cell) and "@param" in cell.source:  # not a sentence that readers replace
            before, number = chapter.run(n) + str(chapter.labels(n)), chapter.cell(n).locator("input, select").first
            number.focus()
            key = "ArrowLeft" if number.evaluate("e => e.value === e.max") else "ArrowRight"
            chapter.tab.keyboard.press("Space" if number.get_attribute("type") == "checkbox" else key)
            chapter.tab.wait_for_function(
                "([n, s]) => document.querySelector(`[data-live-cell='${n}'] [data-live=source]`).value != s",
                arg=[n, cell.source],
            )
            chapter.ready()
            assert chapter.shown(n) + str(chapter.labels(n)) != before or is_figure(cell)


@pytest.mark.parametrize(("screen", "scheme"), [(DESK, "light"), (PHONE, "dark")], ids=["desk", "phone"])
def test_everybody_can_read_a_running_page(chapter, screen, scheme):
    """With an error, a result that is out of date, and all that is folded open."""
    n = next(n for n, cell in enumerate(code(chapter.notebook), 1) if chapter.cell(n).count())
    chapter.type(n, "1 / 0")
    assert chapter.run(n).startswith("ZeroDivisionError")  # the last line first
    chapter.tab.set_viewport_size(screen)
    chapter.tab.emulate_media(color_scheme=scheme)
    found = find_violations(chapter.tab)
    sideways = chapter.tab.evaluate("document.documentElement.scrollWidth - innerWidth")
    chapter.part(n, "reset").click()
    assert found == [] and sideways <= 0


def test_the_first_figure_says_beside_its_button_what_it_loads(context, address):
    page = Live(context, address, FIRST).start()
    n = next(n for n, cell in enumerate(code(page.notebook), 1) if is_figure(cell) and page.cell(n).count())
    page.part(n, "run").click()
    page.part(n, "note").filter(has_text="plotting library").wait_for()
    page.ready()
    assert page.part(n, "note").text_content() == "" and page.labels(n)
    page.tab.close()


def test_the_second_visit_loads_nothing_of_python_again(live, context, address):
    runtime = json.loads((ROOT / "_build/html/_static/live/runtime.json").read_text())["files"]
    again = Live(context, address, FIRST).start()
    assert [url for url in again.requests if any(f"live/{file['path']}" in url for file in runtime.values())] == []
    again.tab.close()


class MachinePage:
    """The page of the reader's machine, in a browser of its own or in that of the chapter."""

    def __init__(self, context, address):
        self.tab, self.requests = context.new_page(), []
        self.tab.set_default_timeout(SECONDS)
        self.tab.on("request", lambda request: self.requests.append(request.url))
        self.tab.goto(f"{address}pages/machine.html")

    def press(self, words):
        self.tab.get_by_role("button", name=words).focus()
        self.tab.keyboard.press("Enter")

    def write(self):
        self.press("Let it write")
        self.tab.locator(".machine [role=status]").filter(has_text="has written").wait_for()
        return self.tab.locator(".machine pre").text_content().splitlines()

    def list_steps(self):
        """What is shown of each letter, by the arrow keys: the text so far, and the letters with their chances."""
        slider = self.tab.locator("#machine-letter")
        slider.press("Home")
        for _ in range(int(slider.get_attribute("max")) + 1):
            rows = [row.split() for row in self.tab.locator(".machine tr").all_inner_texts()]
            yield self.tab.locator(".machine .name").text_content().replace("■", ""), rows
            slider.press("ArrowRight")

    def list_mine(self):
        return [text.split()[1] for text in self.tab.locator(".machine li").all_text_contents() if text.startswith("✓")]


WRITTEN = [", ".join(Machine().write(6)), "Your part attention computes what the package's does."]


def list_expected_steps():
    for steps in trace_writing(Machine()):
        text = ""
        for step in steps:
            text += step["drawn"].replace(".", "")
            yield text, [[letter.replace(".", "end"), f"{chance:.3f}"] for letter, chance in step["chances"]]


SCORES = """from attention_course.machine import Machine
print(Machine().score(*Machine().encode(["ada", "rosalind"])).tolist())"""


def test_the_machine_has_the_same_scores_in_the_page(live):
    n = live.number("put_into_machine(")
    live.type(n, SCORES)
    scores = Machine().score(*Machine().encode(["ada", "rosalind"]))
    assert np.abs(np.array(json.loads(live.run(n))) - scores).max() < 1e-9
    live.part(n, "reset").click()


def save_program(page, path):
    with page.tab.expect_download() as waiting:
        page.press("Save it as a Python program")
    waiting.value.save_as(path)


def test_a_part_goes_from_the_chapter_into_the_machine_and_home_as_a_program(live, context, browser, address, tmp_path):
    answer, machine = live.number("ex01-attention"), live.number("put_into_machine(")
    live.type(answer, ATTENTION.format(axis=1))
    assert live.run(machine).splitlines()[:2] == WRITTEN
    page = MachinePage(context, address)
    assert page.list_mine() == ["attention"] and not any("/live/" in url for url in page.requests)
    assert page.write() == WRITTEN and page.write()[0] != WRITTEN[0]
    assert not [url for url in page.requests if not url.startswith((address, "data:", "blob:"))]
    save_program(page, tmp_path / "saved.py")
    names = subprocess.check_output([sys.executable, tmp_path / "saved.py", "5"], text=True).split()
    assert 3 < len(names) < 6 and "def my_attention" in (tmp_path / "saved.py").read_text("utf-8")
    other = browser.new_context()
    there = MachinePage(other, address)
    there.tab.locator("#machine-file").set_input_files(tmp_path / "saved.py")
    there.tab.get_by_text("✓ attention").wait_for()
    there.tab.reload()
    assert there.list_mine() == ["attention"] and there.write() == WRITTEN
    there.tab.once("dialog", lambda dialog: dialog.accept())
    there.press("Take my parts out")
    assert there.list_mine() == [] and there.write()[1:] == []
    other.close()
    live.part(answer, "reset").click()


def test_the_machine_runs_where_nothing_is_kept_on_a_phone_in_the_dark(browser, address):
    other = browser.new_context(viewport=PHONE, color_scheme="dark", reduced_motion="reduce")
    other.add_init_script("Object.defineProperty(window, 'localStorage', {get() { throw new Error('off'); }})")
    page = MachinePage(other, address)
    assert "keeps nothing" in page.tab.locator(".machine [role=status]").text_content()
    assert [*page.list_steps()] == [*list_expected_steps()] and not any("/live/" in url for url in page.requests)
    items = "items => items.map((item) => [item.querySelector('code').textContent, item.querySelector('a').href])"
    links = dict(page.tab.locator(".machine li").evaluate_all(items))
    assert [*links] == [*PARTS]
    for part, link in links.items():
        chapter = next(path for path in CHAPTERS if path.stem in link)
        assert re.search(rf"put_into_machine\([^)]*\b{part}=", chapter.read_text("utf-8"))
    page.write()
    assert [*page.list_steps()] == [*list_expected_steps()]
    page.tab.mouse.move(0, 0)
    assert page.tab.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert find_violations(page.tab) == []
    other.close()


class Writing:
    """The picture of chapter 13, which writes live once it is asked to."""

    def __init__(self, context, address, folder=""):
        self.tab, self.requests = context.new_page(), []
        self.tab.set_default_timeout(SECONDS)
        self.tab.on("request", lambda request: self.requests.append(request.url))
        self.tab.goto(f"{address}{folder}{page_of(find_path('13'))}.html")
        self.figure = self.tab.locator("figure[data-picture='13-write']")
        self.stored, self.status = self.figure.locator(".picture-goal"), self.figure.locator(".bench-status")

    def press(self, words):
        self.figure.get_by_role("button", name=words).press("Enter")

    def go_on_from(self, text, until):
        self.figure.locator("textarea").fill(text)
        self.figure.locator("textarea").press("Enter")
        self.status.filter(has_text=until).wait_for()

    def list_steps(self, count=0, **settings):
        """Return the steps that are written, once there are so many with these settings."""
        for _ in range(SECONDS // 50):
            shown = json.loads(self.figure.get_attribute("data-written") or '{"run": []}')
            if len(shown["run"]) >= count and settings.items() <= shown.items():
                return shown["run"]
            self.tab.wait_for_timeout(50)
        raise TimeoutError(self.status.text_content())


def test_the_picture_of_chapter_13_writes_live_from_the_readers_words(context, address):
    """It follows a head and a temperature, stops, and ends."""
    writing = Writing(context, address)
    writing.stored.wait_for()
    assert not any(re.search("worker|prose|pyodide", url) for url in writing.requests)
    writing.requests.clear()
    writing.go_on_from("“Ishmael” and", "It is writing")
    first, began = len(writing.list_steps(1)), time.monotonic()
    steps = writing.list_steps(60)
    rate = (len(steps) - first) / (time.monotonic() - began)
    print(f"{rate:.1f} pieces a second, {len(writing.requests)} requests")
    assert steps == watch_writing(Machine("prose"), '"Ishmael" and', len(steps), 0.8, (1, 2))
    assert rate >= 5 and not writing.stored.is_visible()
    assert not [url for url in writing.requests if not url.startswith((address, "data:", "blob:"))]
    machine, full = Machine("prose"), "a" * 100
    writing.figure.get_by_label("Switch this head off").check()
    writing.figure.get_by_label("Block").select_option("3")
    writing.figure.get_by_label("Temperature 0").press("Home")
    right = watch_writing(machine.without(3, 2), '"Ishmael" and', 10, 0.05, (3, 2))
    assert writing.list_steps(10, head=[3, 2], off="head", temperature="cold")[:10] == right
    writing.press("Other draws")
    writing.press("Stop")
    writing.status.filter(has_text="You stopped it").wait_for()
    count = len(writing.list_steps())
    writing.press("The stored runs")
    writing.tab.wait_for_timeout(1000)
    assert len(writing.list_steps()) == count < 110 and writing.stored.is_visible()
    writing.go_on_from(full, "It has written")
    assert len(writing.list_steps()) == machine.longest + 1 - machine.encode([full])[1][0]
    writing.go_on_from("café", "The novel has no “é”")


@pytest.mark.parametrize("missing", ["pyodide.asm.wasm", "machine_prose.npz"])
def test_live_writing_in_korean_on_a_phone_in_the_dark_begins_again_after_a_failure(browser, address, missing):
    other = browser.new_context(viewport=PHONE, color_scheme="dark", reduced_motion="reduce")
    other.route(f"**/{missing}*", lambda route: route.fulfill(status=404))
    writing = Writing(other, address, "ko/")
    writing.go_on_from("Ahab", "기계를 돌릴 수 없었어요")
    assert writing.stored.is_visible()
    other.unroute(f"**/{missing}*")
    writing.go_on_from("Ahab", "불러오는 중이에요")
    writing.press("멈추기")
    writing.status.filter(has_text="멈췄어요").wait_for()
    writing.press("쓰게 하기")
    writing.list_steps(30)
    writing.press("멈추기")
    assert writing.tab.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert find_violations(writing.tab) == []
    other.close()
