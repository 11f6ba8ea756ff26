"""Predictions that are produced, not chosen: bars, cells and places, by mouse and by keyboard, in Chromium."""

import shutil

import pytest

from attention_course.plots import TOKENS
from book.chapter import ROOT
from web.live.running_pages import serve

PAGE = """<!doctype html><html lang="en" data-content_root="./"><meta charset="utf-8"><title>prediction</title>
<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="pictures/pictures.css">
<style>html {{ {tokens} }}</style><link rel="stylesheet" href="book.css">
<script>DOCUMENTATION_OPTIONS = {{pagename: "page"}}</script>
<main class="bd-article"><h1>page</h1>
<p class="predictions"><button role="switch" aria-checked="false">Show</button></p>
<section><h2>Part</h2><div class="prediction"><p><strong>Predict.</strong> What?</p>
<details class="choice asks"><summary>a question first</summary><p>Why?</p></details>
<details class="choice right" {asked}><summary>the answer</summary><table>{rows}</table><p>Because.</p></details>
<details class="answer"><summary>2 lines</summary><p class="hidden">output</p></details></div></section>
<p class="predicted"></p></main><script src="kept.js"></script><script src="predict.js"></script>"""
PLACE = 'data-kind="place" data-least="{}" data-most="{}" data-within="{}"'
TABLES = {  # what is asked, and the rows of the table that answers it
    "bars": ('data-kind="bars" data-sum data-within="0.05"', "word,weight river,0.86 bank,0.10 paid,0.04"),
    "cells": ('data-kind="cells"', ",A,B,C A,1,0,0 B,1,1,0"),
    "place": (PLACE.format(-1, 3, 0.2), "point,water,money river,3,0 money,0,3 bank,2.0,1.0"),
    "line": (PLACE.format(0, 10, 0.4), "point,number The,1 cat,9 output,4.0"),
}
# keys of a wrong try and of a right one: behind @ how often Tab is pressed before
WRONG = {"bars": ["@1", "End"], "cells": ["@1", "Space"], "place": ["@1", "End"], "line": ["@1", "End"]}
WAY = {
    "bars": ["@1", "End", *7 * ["ArrowLeft"]],  # the other two share the rest
    "cells": ["@1", "ArrowDown", "Space", "ArrowRight", "Space"],
    "place": ["@1", "Home", *38 * ["ArrowRight"], "@1", "ArrowRight"],
    "line": ["@1", "Home", *20 * ["ArrowRight"]],
}


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("produced") / "html"
    shutil.copytree(ROOT / "web" / "static", folder)
    shutil.copytree(ROOT / "web" / "pictures", folder / "pictures")
    for name, (asked, rows) in TABLES.items():
        cells = "".join(f"<tr><td>{row.replace(',', '</td><td>')}</td></tr>" for row in rows.split(" "))
        tokens = "; ".join(f"--{token}: {colour}" for token, colour in TOKENS.items())
        (folder / f"{name}.html").write_text(PAGE.format(asked=asked, rows=cells, tokens=tokens))
    with serve(folder) as address:
        yield address


def open_page(tab, address, name):
    tab.goto(f"{address}{name}.html")
    tab.wait_for_selector(".produce")


def press(tab, keys):
    """Press keys, where @2 stands for two Tabs."""
    for key in keys:
        for _ in range(int(key[1:]) if key[0] == "@" else 1):
            tab.keyboard.press("Tab" if key[0] == "@" else key)


def compare(tab, times=1):
    tab.locator(".compare").focus()
    press(tab, times * ["Enter"])


def read(tab):
    """What the frame says, and which of question, answer, output and what was computed are in sight."""
    parts = [".asks > p", ".choice.right table", ".hidden", ".produce .computed"]
    return tab.locator(".again").inner_text(), [tab.locator(part).first.is_visible() for part in parts]


NOT_YET = ("Not yet. Answer the question, and compare again.", [True, False, False, False])


@pytest.mark.parametrize("name", TABLES)
def test_keys_alone_make_a_wrong_try_that_only_asks_and_a_right_one_that_opens_the_rest(tab, address, name):
    open_page(tab, address, name)
    assert tab.locator(".compare").is_disabled() and read(tab) == ("", 4 * [False])
    tab.locator(".predictions button").focus()
    press(tab, WRONG[name])
    compare(tab)
    assert read(tab) == NOT_YET
    tab.locator(".predictions button").focus()
    press(tab, WAY[name])
    compare(tab)
    said, (*shown, marked) = read(tab)
    assert said == "That's right." and shown == [True, True, True] and marked == (name != "cells")
    assert not tab.locator(".compare").is_visible() and "0 of 1" in tab.locator(".predicted").inner_text()
    assert tab.evaluate("kept.names()") == ["last", "predicted page"]
    assert tab.evaluate("kept.read('predicted page')") == {"0": [0, 1]}  # and nothing of what was made


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("second", ["wrong", "show"])
def test_a_second_wrong_try_or_show_opens_the_rest_too(tab, address, name, second):
    open_page(tab, address, name)
    tab.locator(".predictions button").focus()
    press(tab, WRONG[name])
    compare(tab)
    if second == "wrong":
        compare(tab)
    else:
        tab.locator("details.answer > summary").click()
        tab.locator(".choice.right summary").wait_for()
    said, shown = read(tab)
    assert said == "Now the answer is shown." and shown == [True, second == "wrong", True, name != "cells"]
    assert tab.locator(".choice.right").is_visible()
    tab.reload()
    tab.wait_for_selector(".produce")
    assert tab.locator(".choice.right").is_visible() == (second == "wrong")
    tab.locator(".predicted button").click()
    assert read(tab) == ("", 4 * [False]) and tab.locator(".compare").is_visible()


def test_bars_that_share_a_sum_keep_it_while_one_is_dragged(tab, address):
    open_page(tab, address, "bars")
    box = tab.locator(".produce input").first.bounding_box()
    tab.mouse.move(box["x"] + 7, box["y"] + box["height"] / 2)
    tab.mouse.down()
    for part in (0.3, 0.9, 1.2, 0.86):
        tab.mouse.move(box["x"] + 7 + part * (box["width"] - 14), box["y"] + 10, steps=3)
        values = [float(text) for text in tab.locator(".produce output").all_inner_texts()]
        assert abs(sum(values) - 1) < 0.02 and abs(values[0] - min(part, 1)) < 0.03 and values[1] == values[2]
    tab.mouse.up()


def test_a_point_is_dragged_or_its_place_tapped(tab, address):
    open_page(tab, address, "place")
    box = tab.locator(".plane").bounding_box()
    unit = box["width"] / 300

    def at(x, y):
        return box["x"] + unit * (28 + (x + 1) * 61), box["y"] + unit * (272 - (y + 1) * 61)

    tab.mouse.click(*at(0, 2))
    values = [float(text.replace("−", "-")) for text in tab.locator(".produce output").all_inner_texts()]
    assert abs(values[0]) < 0.03 and abs(values[1] - 2) < 0.03
    tab.mouse.move(*at(0, 2))
    tab.mouse.down()
    tab.mouse.move(*at(2.04, 1.04), steps=4)
    tab.mouse.up()
    compare(tab)
    assert read(tab)[0] == "That's right."


def test_cells_are_named_and_one_of_them_is_in_the_order_of_tabs(tab, address):
    open_page(tab, address, "cells")
    cells = tab.locator(".produce td button")
    assert [cell.get_attribute("aria-label") for cell in cells.all()][3:] == ["B, A", "B, B", "B, C"]
    cells.nth(0).focus()
    press(tab, ["ArrowUp", "ArrowLeft", "ArrowRight", "ArrowDown"])
    assert [cell.get_attribute("tabindex") for cell in cells.all()] == ["-1"] * 4 + ["0", "-1"]


@pytest.mark.parametrize("name", TABLES)
def test_a_phone_has_room_for_a_finger(tab, address, name):
    tab.set_viewport_size({"width": 390, "height": 844})
    open_page(tab, address, name)
    tab.locator(".predictions button").focus()
    press(tab, WRONG[name])
    compare(tab, 2)
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    sizes = [box.bounding_box() for box in tab.locator(".produce :is(input, td button)").all()]
    assert min(size["height"] for size in sizes) >= 43.5 and min(size["width"] for size in sizes) >= 43.5


def test_without_scripts_question_and_answer_are_folds(browser, address):
    tab = browser.new_context(java_script_enabled=False).new_page()
    tab.goto(f"{address}bars.html")
    assert [fold.is_visible() for fold in tab.locator("details.choice > summary").all()] == [True, True]
    tab.locator(".choice.right summary").click()
    assert tab.locator(".choice.right table").is_visible()
    tab.close()
