"""What tests of pictures to touch share: a page around each, what a picture says of itself, hands that try it."""

import html
import json
import re
import shutil

from book.chapter import CHAPTERS, ROOT, code, mime
from book.chapter import read as read_chapter

SOURCE = ROOT / "web" / "pictures"
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>picture</title><link rel="stylesheet" href="pictures.css">
<style>body {{ margin: 16px; font: 16px/26px serif }}</style>
<main><h1>picture</h1><figure data-picture="{name}" data-inputs='{inputs}'><p data-static>static</p></figure></main>
<script type="module" src="start.js"></script>"""
SIZES = """all => all.map((one) => { const box = one.getBoundingClientRect(); return [box.width, box.height] })"""
FONTS = "all => all.map((one) => parseFloat(getComputedStyle(one).fontSize))"
KEYS = ["Tab", "ArrowLeft", "ArrowUp", "End", "Home", "Space", "Enter"]


def read_inputs(name):
    """What the figure of a chapter gives its picture, from the stored output of the cell that draws it."""
    (path,) = [path for path in CHAPTERS if path.stem.startswith(name[:2])]
    drawn = [mime(output).get("image/svg+xml", "") for cell in code(read_chapter(path)) for output in cell.outputs]
    (found,) = [found for svg in drawn for found in re.findall(rf'data-picture="{name}">(.*?)</metadata>', svg)]
    return json.loads(html.unescape(found))


def write_pages(folder, inputs):
    """Put the pictures as the site serves them into a folder that is not there yet, with a page around each."""
    shutil.copytree(SOURCE, folder)
    for name, given in inputs.items():
        (folder / f"{name}.html").write_text(PAGE.format(name=name, inputs=html.escape(json.dumps(given))))
    return folder


def open_picture(tab, address, name):
    """Open the page of a picture and wait until it says something."""
    tab.goto(f"{address}{name}.html")
    tab.wait_for_selector(".picture-sentence:not(:empty)")
    return tab


def mount(tab, address, name):
    """Open a picture; the tab has its name then, and what its controls are."""
    open_picture(tab, address, name)
    tab.controls = tab.evaluate(f"import('./{name}.js').then(({{controls}}) => JSON.parse(JSON.stringify(controls)))")
    tab.name = name
    return tab


def draw_state(random, controls):
    """A random state of a picture within the limits of its controls."""
    return {
        one["name"]: str(random.choice([*one["choices"]]))
        if "choices" in one
        else round(float(random.uniform(one["min"], one["max"])), 3)
        for one in controls
    }


def set_state(tab, state):
    """Ask for a state as a reader's link does, by the address."""
    tab.evaluate("([name, state]) => { location.hash = `${name}?${new URLSearchParams(state)}` }", [tab.name, state])
    tab.wait_for_function(
        "(wanted) => Object.entries(wanted).every(([key, value]) =>"
        " JSON.parse(document.querySelector('figure').dataset.state)[key] === value)",
        arg=state,
    )


def read(tab):
    """What a picture says of itself: its state, outputs, sentence, texts and the markup of its drawing."""
    return tab.evaluate("""() => { const figure = document.querySelector("figure"); return {
      state: JSON.parse(figure.dataset.state), outputs: JSON.parse(figure.dataset.outputs),
      sentence: figure.querySelector(".picture-sentence").textContent,
      reached: figure.querySelector(".picture-goal.reached") !== null,
      texts: [...figure.querySelectorAll("svg text")].map((text) => text.textContent),
      drawing: figure.querySelector("svg").innerHTML } }""")


def need_the_same_drawing(picture, random, times):
    """Require that a state is drawn the same when it is drawn twice, and on a page that is loaded afresh."""
    for _ in range(times):
        set_state(picture, draw_state(random, picture.controls))
        before = read(picture)
        picture.evaluate("dispatchEvent(new HashChangeEvent('hashchange'))")
        assert read(picture) == before
        picture.reload()
        picture.wait_for_selector(".picture-sentence:not(:empty)")
        assert read(picture) == before


def try_at_random(picture, random, times):
    """Press keys and drag anywhere; yield after each."""
    box = picture.locator("svg").bounding_box()
    for _ in range(times):
        if random.random() < 0.5:
            picture.keyboard.press(str(random.choice(KEYS)))
        else:
            x, y = box["x"] + random.random() * box["width"], box["y"] + random.random() * box["height"]
            picture.mouse.move(x, y)
            picture.mouse.down()
            picture.mouse.move(x + random.normal(0, 80), y + random.normal(0, 80), steps=3)
            picture.mouse.up()
        yield


def need_room_on_a_phone(browser, address, name, operable="input, select, button, [data-handle]", highest=None):
    """Require targets for a finger, text that can be read and no scrolling sideways; of the frame at most a height."""
    tab = open_picture(browser.new_page(viewport={"width": 390, "height": 844}), address, name)
    assert min(min(size) for size in tab.eval_on_selector_all(operable, SIZES)) >= 43.5
    assert min(tab.eval_on_selector_all("svg text", FONTS)) >= 12
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    assert highest is None or tab.locator(".picture-frame").bounding_box()["height"] <= highest, name
    tab.close()
