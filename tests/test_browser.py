"""Every page of the book, opened in headless Chromium: what it loads, shows and links to, and its buttons."""

import re
import subprocess
import sys
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

from book.chapter import CHAPTERS, ROOT, code, pages, prose, read

MOST_KIB = 250  # as the server sends them
BEFORE_THE_CLICK = ("/live/start.js", "/live/fields.js", "/live/page.css")  # the button, and sliders with their style
PHONE = {"width": 320, "height": 800}
SCRIPTS = Path(__file__).with_name("browser.js").read_text("utf-8")
FACTS, ANSWERS = (f"() => {{ {SCRIPTS}; return {name}() }}" for name in ("facts", "answers"))
SWITCH = ".predictions button"


@pytest.fixture
def tab(desk):
    yield desk
    desk.evaluate("localStorage.clear()")
    desk.emulate_media(media="screen", color_scheme="light")


@contextmanager
def listening(tab):
    """Note what the tab complains about, what it asks for, and what came."""
    heard = {"errors": [], "requests": [], "failed": [], "loaded": []}
    tab.goto("about:blank")  # what the page before still asks for fails before anybody listens
    listeners = {
        "console": lambda message: message.type == "error" and heard["errors"].append(message.text),
        "pageerror": lambda error: heard["errors"].append(str(error)),
        "request": lambda request: heard["requests"].append(request.url),
        "requestfailed": lambda request: heard["failed"].append(request.url),
        "response": lambda response: response.status >= 400 and heard["failed"].append(response.url),
        "requestfinished": lambda request: heard["loaded"].append(request.sizes),
    }
    for event, listener in listeners.items():
        tab.on(event, listener)
    yield heard
    for event, listener in listeners.items():
        tab.remove_listener(event, listener)


def look(tab, url):
    """Open a page, open its answers, unfold its hints, copy the code of its first cell, and return what was found."""
    with listening(tab) as facts:
        tab.goto(url)
        tab.evaluate("document.fonts.ready.then(() => true)")
        facts["answers"] = [tab.evaluate(ANSWERS)]
        if tab.locator(SWITCH).count():
            tab.locator(SWITCH).click()
            facts["answers"].append(tab.evaluate(ANSWERS))
            tab.locator(SWITCH).click()  # it is remembered
        tab.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
        facts |= tab.evaluate(FACTS)
        cell = tab.locator(".cell_input:has(button.copybtn)")
        if cell.count():
            cell.first.hover()
            cell.first.locator("button.copybtn").click()
            facts["copied"] = tab.evaluate("navigator.clipboard.readText()")
    facts["bytes"] = sum(size for sizes in facts["loaded"] for what, size in sizes().items() if "response" in what)
    return facts


@pytest.fixture(scope="module")
def phone(browser):
    """A tab as narrow as the narrowest phone, for all pages in turn, which keeps nothing of what it has loaded."""
    allowed = ["clipboard-read", "clipboard-write"]
    context = browser.new_context(viewport=PHONE, permissions=allowed, reduced_motion="reduce")
    tab = context.new_page()
    context.new_cdp_session(tab).send("Network.setCacheDisabled", {"cacheDisabled": True})
    yield tab
    context.close()


def count_formulas(page):
    """Return how many formulas the source of a page has."""
    notebook, text = ROOT / f"{page}.ipynb", ROOT / f"{page}.md"
    cells = prose(read(notebook)) if notebook.exists() else [text.read_text()] if text.exists() else []
    words = re.sub(r"```.*?```|`[^`]*`", "", "\n\n".join(cells), flags=re.S)
    return len(re.findall(r"\$\$.+?\$\$|\$[^$\n]+\$", words, re.S))


@cache
def read_text(path):
    return path.read_text("utf-8")


def leads_somewhere(link, folder, address):
    """Return whether a link within the site has its page there, and on it the part that it asks for."""
    url, fragment = urldefrag(link.removeprefix(address))
    target = folder / unquote(url or "index.html")
    return target.is_file() and (not fragment or f'id="{unquote(fragment)}"' in read_text(target))


def list_problems(facts, page, folder, address):
    """Return what is wrong with a page that was looked at, by what it should be; where it launches, others test."""
    can_launch = (ROOT / f"{page}.ipynb").is_file() and "/OWNER/" not in (ROOT / "_config.yml").read_text()
    inside, asked = {link for link in facts["links"] if link.startswith(address)}, facts["requests"]
    kib, missing = facts["bytes"] / 1024, count_formulas(page) - facts["formulas"]
    problems = {
        "the console is silent": facts["errors"],
        "all that it loads is there": facts["failed"],
        "it loads nothing from elsewhere": [u for u in asked if not u.startswith((address, "data:", "about:"))],
        "it loads nothing of what runs it but its button and its sliders": [
            u for u in asked if "/live/" in u and not u.partition("?")[0].endswith(BEFORE_THE_CLICK)
        ],
        f"it weighs at most {MOST_KIB} KiB with all that it loads": [] if kib <= MOST_KIB else [kib],
        "its formulas are visible": [missing] if missing > 0 else [],
        "its images are loaded and have words": [i for i in facts["images"] if not (i["loaded"] and i["alt"])],
        "its links lead somewhere": [link for link in inside if not leads_somewhere(link, folder, address)],
        "notebooks alone have launch buttons": [] if facts["launches"] == 2 * can_launch else [facts["launches"]],
        "it fits the narrowest phone": [facts["sideways"]] if facts["sideways"] > 0 else [],
        "no result is cut off: text wraps, a wide table or figure scrolls": facts["cut"],
        "no answer shows before it is asked for": [facts["answers"][0]["shown"]] * (facts["answers"][0]["shown"] > 0),
    }
    return {rule: found for rule, found in problems.items() if found}


@pytest.mark.parametrize("page", [*pages(), "index", "search", "genindex"])
def test_a_page_works_on_a_phone_and_shows_no_answer_until_it_is_asked(phone, site, address, page):
    facts = look(phone, f"{address}{page}.html")
    assert facts["bytes"] > 0 and list_problems(facts, page, site, address) == {}
    if page.startswith("chapters/"):
        before, after = facts["answers"]
        assert 0 < before["folded"] and after["shown"] > 0 == after["folded"]
        sources = [cell.source.strip() for cell in code(read(ROOT / f"{page}.ipynb"))[1:3]]
        assert facts["copied"].strip() in sources


BAD_PAGE = """<details class="answer" open><summary>More?</summary><p>Yes</p></details>
<div class="cell_output"><pre style="overflow: auto">A line as wide as no phone: it is cut off</pre></div>
<script src="live/page.js"></script>
<script>console.error("planted")</script><img src="http://127.0.0.1:9/far.png" alt="">
<p style="width: 60rem">A line that no phone holds</p><a class="dropdown-launch-buttons" href="gone.html"></a>
<span class="dropdown-launch-buttons"><a href="bad.html#gone">Launch</a></span>"""


def test_every_planted_fault_is_found(phone, tmp_path):
    """Faults of all kinds but weight, which a file does not have, on a page that should have the formulas of one."""
    (tmp_path / "bad.html").write_text(BAD_PAGE)
    address = tmp_path.as_uri() + "/"
    facts = look(phone, f"{address}bad.html") | {"bytes": 1024 * (MOST_KIB + 1)}
    problems = list_problems(facts, f"chapters/{CHAPTERS[0].stem}", tmp_path, address)
    (elsewhere,) = problems["it loads nothing from elsewhere"]
    assert elsewhere == "http://127.0.0.1:9/far.png"
    assert sorted(problems["its links lead somewhere"]) == [f"{address}bad.html#gone", f"{address}gone.html"]
    assert len(problems) == 12


def test_search_finds_a_word_from_any_page(tab, address):
    tab.goto(f"{address}chapters/01_definition.html")
    tab.keyboard.press("Control+k")
    tab.locator("#pst-search-dialog input").fill("Bahdanau")
    tab.keyboard.press("Enter")
    tab.locator("#search-results a[href*='chapters/03_bahdanau.html']").first.wait_for()
    tab.locator("#search-results p.context", has_text="Bahdanau").first.wait_for()


def test_a_choice_is_remembered_and_counted(tab, address):
    tab.goto(f"{address}chapters/01_definition.html")
    tab.locator("details.choice.right summary").first.click()
    assert tab.locator(".predicted").inner_text().startswith("You predicted 1 of 1.")
    tab.reload()
    assert tab.locator("details.choice.chosen.known").count() == 1
    tab.locator(".predicted button").click()
    assert tab.locator("details.choice.chosen").count() == 0 and tab.locator(".predicted").inner_text() == ""


@pytest.mark.parametrize("by, second", [("mouse", ".right"), ("keyboard", ":not(.right)"), ("keyboard", "answer")])
def test_a_first_wrong_choice_asks_and_what_follows_opens_all_that_its_frame_hides(tab, address, by, second):
    """The right option, output, figure and conclusion open with a second choice, the right one, or *show*."""
    tab.goto(f"{address}chapters/01_definition.html")
    frame = tab.locator(".prediction:has(details.choice)").first
    hidden = frame.locator("details.answer > :not(summary)")
    assert hidden.count() and not any(part.is_visible() for part in hidden.all())
    assert "when you choose" in frame.locator("details.answer > summary").inner_text()
    outside = tab.locator(".prediction details.answer[open]").count()

    def choose(which, n=0):
        summary = frame.locator(f"details{which} > summary").nth(n)
        if by == "mouse":
            summary.click()
        else:
            summary.focus()
            tab.keyboard.press("Enter")

    def count(*kinds):
        return [frame.locator(f"details.choice{kind}").count() for kind in kinds]

    choose(".choice:not(.right)")
    assert frame.locator("[role=status]").inner_text().startswith("Not this one.")
    assert count("[open]", ".chosen[open]", ".known") == [1, 1, 0]
    assert not any(part.is_visible() for part in hidden.all())
    choose(".choice:not(.right)")  # closes it, and is no second choice
    assert count("[open]", ".known") == [0, 0]
    assert tab.locator(".predicted").inner_text().startswith("You predicted 0 of 1; look again at")
    choose(".answer" if second == "answer" else f".choice{second}", int("not" in second))
    assert all(part.is_visible() for part in hidden.all() if part.inner_text().strip())
    frame.locator("details.choice.known").wait_for()
    assert count(".known", ".chosen", ".tried") == [1, 1, 1 if second == "answer" else 2]
    assert tab.locator(".prediction details.answer[open]").count() == outside + 1  # of no other frame
    said = "That's right." if second == ".right" else "Now the answer is shown."
    assert frame.locator("[role=status]").inner_text() == said
    assert tab.locator(".predicted").inner_text().startswith("You predicted 0 of 1; look again at")
    tab.reload()
    assert count(".chosen", ".known") == [1, int(second != "answer")]  # with *show*, one may choose again


def choose(tab, n):
    """Choose the first option of the nth prediction of a page, or make something wrong where there is none."""
    frame = tab.locator(f"#prediction-{n}")
    if frame.locator("details.asks").count():
        frame.locator(".produce input").first.press("End")
        frame.locator(".compare").press("Enter")
    else:
        frame.locator("details.choice summary").first.click()


@pytest.mark.parametrize("edition", ["", "ko/"], ids=["English", "Korean"])
def test_a_page_says_what_was_done_on_it_and_the_front_page_leads_to_the_next_thing(tab, address, edition):
    """By keyboard, too."""
    tab.goto(f"{address}{edition}chapters/01_definition.html")
    assert not tab.locator(".done").text_content()
    choose(tab, 2)
    frames = tab.locator(".prediction:has(details.choice)").count()
    said = tab.locator(".done").inner_text()
    assert {"1", str(frames)} < {*re.findall(r"\d+", said)} and ("Continue with" in said) != bool(edition)
    assert tab.locator(".done a").get_attribute("href") == "#prediction-3"
    tab.goto(f"{address}{edition}index.html")
    link = tab.locator(".go-on a")
    assert ("What attention computes" in link.inner_text()) != bool(edition)
    link.focus()
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/01_definition.html#prediction-3")
    top = tab.locator("#prediction-3").evaluate("e => e.getBoundingClientRect().top")
    assert -10 < top < tab.viewport_size["height"]
    for n in range(3, frames + 1):
        choose(tab, n)
    assert tab.locator(".done a").get_attribute("href") == "#exercise-1"  # not what was left out
    tab.goto(f"{address}{edition}index.html")
    assert tab.locator(".go-on a").get_attribute("href").endswith("chapters/01_definition.html#exercise-1")
    tab.goto(f"{address}{edition}chapters/01_definition.html")
    for solved, n in (("{2: 1}", 1), ("{1: 1, 2: 1}", 3)):  # and not the one that follows
        tab.evaluate(f"kept.write('solved chapters/01_definition', {solved}); kept.at('exercise', 2);")
        assert tab.locator(".done a").get_attribute("href") == f"#exercise-{n}"


def test_all_work_is_saved_to_a_file_and_loaded_on_another_computer(tab, browser, address, tmp_path):
    tab.goto(f"{address}chapters/01_definition.html")
    choose(tab, 1)
    tab.evaluate("kept.write('live chapters/01_definition', {x: {source: 'y = 1', from: ''}})")
    with listening(tab) as heard:
        tab.goto(f"{address}index.html")
        with tab.expect_download() as waiting:
            tab.get_by_role("button", name="Save my work").press("Enter")
        waiting.value.save_as(tmp_path / "work.json")
        assert waiting.value.suggested_filename in tab.locator(".work + p").text_content()
        tab.once("dialog", lambda dialog: dialog.accept())
        tab.get_by_role("button", name="Delete all").press("Enter")
        assert tab.evaluate("kept.names()") == [] and not tab.locator(".go-on a").count()
    assert heard["errors"] == [] and all(url.startswith((address, "blob:", "data:")) for url in heard["requests"])
    context = browser.new_context()
    other = context.new_page()
    other.goto(f"{address}index.html")
    for content, words in ((b"not JSON", "does not hold"), (b"{}", "does not hold"), (None, "was loaded")):
        data = content or (tmp_path / "work.json").read_bytes()
        other.get_by_label("Load my work").set_input_files({"name": "w.json", "mimeType": "", "buffer": data})
        other.locator(".work + p").filter(has_text=words).wait_for()
    assert other.locator(".go-on a").get_attribute("href").endswith("#prediction-2")
    assert other.evaluate("kept.read('live chapters/01_definition').x.source") == "y = 1"
    other.goto(f"{address}chapters/01_definition.html")
    assert other.locator("details.choice.chosen").count() == 1
    assert "are kept in this browser" in other.locator("[data-live=status]").inner_text()
    context.close()


def test_a_browser_that_keeps_nothing_says_so_and_the_pages_work(browser, address):
    context = browser.new_context()
    context.add_init_script("Object.defineProperty(window, 'localStorage', {get() { throw new Error('denied'); }})")
    tab = context.new_page()
    with listening(tab) as heard:
        tab.goto(f"{address}chapters/01_definition.html")
        choose(tab, 1)
        tab.locator("#prediction-1 details.choice summary").nth(1).click()  # a second choice opens the rest
        assert tab.locator("#prediction-1 details.answer[open]").count() == 1
        tab.goto(f"{address}index.html")
        assert "keeps nothing" in tab.locator(".work + p").inner_text() and not tab.get_by_text("Save my work").count()
    assert [error for error in heard["errors"] if "kept" in error or "TypeError" in error] == []
    context.close()


def test_the_switch_shows_all_results_on_every_page_until_it_is_off(tab, address):
    tab.goto(f"{address}chapters/01_definition.html")
    tab.locator(SWITCH).click()
    tab.goto(f"{address}chapters/02_softmax_and_scaling.html")
    assert tab.evaluate(ANSWERS)["folded"] == 0 and tab.locator(SWITCH).get_attribute("aria-checked") == "true"
    tab.locator(SWITCH).click()
    assert tab.evaluate(ANSWERS)["shown"] == 0


def test_without_scripts_an_answer_is_one_fold_and_the_mathematics_still_stands(browser, address):
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(f"{address}chapters/01_definition.html")
    fold = tab.locator(".prediction details.answer").first
    fold.locator("summary").click()
    assert all(part.is_visible() for part in fold.locator("> :not(summary)").all() if part.inner_text().strip())
    assert not tab.locator(SWITCH).is_visible()
    assert tab.locator(".katex-display .katex-html").first.bounding_box()["width"] > 50
    context.close()


def test_the_theme_switch_darkens_the_page_and_is_remembered(tab, address):
    background = "getComputedStyle(document.body).backgroundColor"
    tab.goto(f"{address}chapters/01_definition.html")
    light = tab.evaluate(background)
    tab.locator(".theme-switch-button:visible").first.click()
    dark = tab.evaluate(background)
    tab.reload()
    assert light == "rgb(255, 255, 255)" and dark != light and tab.evaluate(background) == dark


def test_a_page_opened_as_a_file_is_complete(tab, site):
    with listening(tab) as heard:
        tab.goto((site / "chapters" / "01_definition.html").as_uri())
        tab.evaluate("document.fonts.ready.then(() => true)")
        facts = tab.evaluate(FACTS)
    assert heard["errors"] == heard["failed"] == [] and facts["formulas"] > 0
    assert facts["images"] and all(image["loaded"] for image in facts["images"])


def test_on_paper_hints_are_open_and_the_site_around_is_gone(tab, address):
    tab.emulate_media(media="print", color_scheme="dark")
    tab.goto(f"{address}chapters/01_definition.html")
    around = tab.locator(".bd-sidebar-primary, .bd-header-article, .prev-next-footer, .copybtn, .bd-sidebar-secondary")
    assert around.count() > 5 and not any(part.is_visible() for part in around.all())
    assert tab.locator("details p").first.bounding_box()["height"] > 0
    assert tab.locator("section section p").first.evaluate("text => getComputedStyle(text).color") == "rgb(0, 0, 0)"


@pytest.mark.slow
@pytest.mark.usefixtures("browser")
def test_the_whole_book_prints_as_one_pdf(site, tmp_path):
    pdf = tmp_path / "book.pdf"
    subprocess.run([sys.executable, "-m", "tools.print_book", site, pdf], cwd=ROOT, check=True)
    printed = pdf.read_bytes()
    assert 100 < len(re.findall(rb"/Type /Page\b", printed)) <= 400 and b"/Outlines" in printed
    assert b"file:" not in printed and re.search(rb"/Subtype /Link\b", printed)
    assert not (site / "whole-book.html").exists()
