"""The pictures of chapter 4: the triangle that one matrix cannot draw, and the clocks of RoPE."""

import json
import re

import numpy as np
import pytest
from pictures import (
    draw_state,
    mount,
    need_room_on_a_phone,
    need_the_same_drawing,
    read,
    set_state,
    try_at_random,
    write_pages,
)

from attention_course.plots import clocks, triangle
from attention_src import scaled_dot_product_attention
from attention_src.positions import rotary
from web.figures import PICTURE
from web.live.running_pages import serve

SIDES = np.exp(1j * np.deg2rad([90, -30, -150])) * [1.6, 1.3, 1.45]
DRAWN = {
    "04-triangle": triangle(np.stack([SIDES.real, SIDES.imag], axis=1), "ABC"),
    "04-clocks": clocks(8, 6, [1.0, 0.1]),
}
INPUTS = {name: json.loads(PICTURE.search(drawn.svg)[2]) for name, drawn in DRAWN.items()}
ASKED = [1, 2, 0]  # A is to attend to B, B to C, C to A


def recompute_triangle(state, inputs):
    """What the triangle must show, from the package."""
    lengths = np.array([state[f"length{letter}"] for letter in "ABC"])
    angles = np.deg2rad([state[f"angle{letter}"] for letter in "ABC"])
    keys, queries = (
        lengths[:, None] * np.stack([np.cos(turned), np.sin(turned)], axis=1)
        for turned in (angles, angles + np.deg2rad(state["turn"]))
    )
    _, weights = scaled_dot_product_attention(queries, keys, keys)
    return {"keys": keys, "queries": queries, "weights": weights, "right": (weights.argmax(axis=1) == ASKED).sum()}


def recompute_clocks(state, inputs):
    """What the clocks must show, from the package: RoPE's own rates are 1 and 1 / 10 with the base 100."""
    key_at = inputs["key_at"] + state["along"]
    query_at = key_at + state["apart"]
    hand = np.array([[1.0, 0.0, 1.0, 0.0]])
    query, key = (rotary(hand, np.array([float(at)]), base=100)[0] for at in (query_at, key_at))
    return {"query_at": query_at, "key_at": key_at, "query": query, "key": key, "score": query @ key}


RECOMPUTE = {"04-triangle": recompute_triangle, "04-clocks": recompute_clocks}


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    with serve(write_pages(tmp_path_factory.mktemp("pictures") / "html", INPUTS)) as address:
        yield address


@pytest.fixture(params=INPUTS)
def picture(request, tab, address):
    return mount(tab, address, request.param)


@pytest.fixture
def letters(tab, address):
    return mount(tab, address, "04-triangle")


@pytest.fixture
def hands(tab, address):
    return mount(tab, address, "04-clocks")


def is_reached(picture):
    return picture.locator(".picture-goal.reached").count() == 1


def check(picture):
    """Compare what the picture says of its state with the package; return it."""
    shown = read(picture)
    for what, numbers in RECOMPUTE[picture.name](shown["state"], INPUTS[picture.name]).items():
        np.testing.assert_allclose(shown["outputs"][what], numbers, rtol=0, atol=1e-12)
    assert not re.search("NaN|Infinity|undefined", shown["drawing"] + shown["sentence"])
    assert len(shown["sentence"].split()) <= 25
    return shown


def test_the_first_state_is_the_figure_of_the_page(picture):
    shown = check(picture)
    if picture.name == "04-triangle":
        keys = np.array(INPUTS["04-triangle"]["keys"])
        _, weights = scaled_dot_product_attention(keys, keys, keys)
        np.testing.assert_allclose(shown["outputs"]["weights"], weights, rtol=0, atol=1e-12)
        drawn = [text for text in re.findall(r">(\d\.\d\d)<", DRAWN[picture.name].svg)]
        assert [text for text in shown["texts"] if re.fullmatch(r"\d\.\d\d", text)] == drawn
    else:
        assert {shown["outputs"]["query_at"], shown["outputs"]["key_at"]} == {8, 6}


def test_random_states_from_the_address_give_what_the_package_gives(picture):
    random = np.random.default_rng(1)
    for _ in range(200):
        set_state(picture, draw_state(random, picture.controls))
        check(picture)


def test_the_grid_shows_the_weights_and_the_frames_the_largest_of_each_row(letters):
    random = np.random.default_rng(2)
    for _ in range(50):
        set_state(letters, draw_state(random, letters.controls))
        shown = read(letters)
        cells = [text for text in shown["texts"] if re.fullmatch(r"[<\d.]+", text)]
        weights = np.array(shown["outputs"]["weights"])
        for text, weight in zip(cells, weights.flat, strict=True):
            assert text == "<0.01" if 0 < weight < 0.005 else abs(float(text) - weight) <= 0.00501
        corners = letters.evaluate("""['most', 'cell'].map((kind) => [...document.querySelectorAll(`rect.${kind}`)].map(
            (one) => one.getAttribute('x') + ' ' + one.getAttribute('y')))""")
        largest = [corners[1].index(corner) for corner in corners[0]]
        assert largest == [3 * i + j for i, j in enumerate(weights.argmax(axis=1))]


def test_the_hands_lie_where_the_outputs_say(hands):
    random = np.random.default_rng(3)
    for _ in range(30):
        set_state(hands, draw_state(random, hands.controls))
        outputs = read(hands)["outputs"]
        lines = hands.evaluate("""['query', 'key'].map((kind) => [...document.querySelectorAll(`line.${kind}`)].map(
            (one) => ['x1', 'y1', 'x2', 'y2'].map((name) => +one.getAttribute(name))))""")
        radius = hands.evaluate("+document.querySelector('circle.face').getAttribute('r')")
        for kind, drawn in zip(("query", "key"), lines, strict=True):
            for (x1, y1, x2, y2), pair in zip(drawn, np.reshape(outputs[kind], (-1, 2)), strict=True):
                np.testing.assert_allclose([(x2 - x1) / radius, (y1 - y2) / radius], pair, atol=0.01)


def test_with_one_matrix_no_search_closes_the_triangle_and_two_of_three_can_be_had(letters):
    random, best = np.random.default_rng(4), 0
    for _ in range(300):
        set_state(letters, draw_state(random, letters.controls) | {"turn": 0})
        shown = read(letters)
        best = max(best, shown["outputs"]["right"])
        assert not is_reached(letters)
        if shown["outputs"]["right"] == 2:
            assert "AB > AC = CA > CB = BC > BA = AB" in shown["sentence"]
    assert best == 2


def test_many_more_random_letters_with_one_matrix_never_close_it():
    random = np.random.default_rng(5)
    keys = random.normal(size=(20_000, 3, 4)) * random.lognormal(size=(20_000, 3, 1))
    _, weights = scaled_dot_product_attention(keys, keys, keys)
    right = (weights.argmax(axis=-1) == ASKED).sum(axis=-1)
    assert right.max() == 2 and (right == 2).sum() > 100


def test_keys_alone_close_the_triangle_by_a_third_of_a_turn(letters):
    letters.locator("[data-first]").focus()
    for _ in range(24):  # steps of 5 degrees
        assert not is_reached(letters) or read(letters)["state"]["turn"] < -60
        letters.keyboard.press("ArrowLeft")
    assert read(letters)["state"]["turn"] == -120 and is_reached(letters)
    letters.keyboard.press("Tab")
    letters.keyboard.press("ArrowDown")  # the next letter
    assert read(letters)["state"]["letter"] == "B"
    letters.keyboard.press("Tab")
    letters.keyboard.press("ArrowRight")
    assert read(letters)["state"]["angleB"] == -29


def test_every_sentence_of_the_triangle_can_be_met(letters):
    spiral = {"angleA": 90, "lengthA": 0.6, "angleB": 45, "lengthB": 1.2, "angleC": 0, "lengthC": 2}
    cases = {
        "each letter finds itself": {"turn": 0},
        "Two of three": spiral | {"turn": 0},
        "One of three": spiral | {"turn": 0, "lengthC": 0.2},
        "None of three": spiral | {"turn": 0, "lengthA": 2, "lengthC": 0.2},
        "need not be mutual": {"turn": 30},
        "The circle is closed": {"turn": -120},
    }
    for words, state in cases.items():
        letters.locator(".picture-again").click()
        set_state(letters, state)
        assert words in check(letters)["sentence"]


def test_pushing_both_along_never_changes_the_score_and_every_sentence_can_be_met(hands):
    random = np.random.default_rng(6)
    for _ in range(60):
        set_state(hands, draw_state(random, hands.controls))
        assert not is_reached(hands)
    cases = {
        "The query is ahead by 2": {"apart": 2, "along": 0},
        "The query is ahead by 1,": {"apart": 1, "along": 0},
        "behind by 3": {"apart": -3, "along": 0},
        "hands lie on each other": {"apart": 0, "along": 4},
        "every hand has turned": {"apart": 3, "along": 7},
    }
    for words, state in cases.items():
        set_state(hands, state)
        assert words in check(hands)["sentence"]


def test_drawing_twice_and_drawing_afresh_give_the_same(picture):
    need_the_same_drawing(picture, np.random.default_rng(7), 5)


@pytest.mark.parametrize("letter", "ABC")
def test_a_letter_follows_the_mouse_and_its_sliders_come_with_it(letters, letter):
    handle = letters.locator(f"[data-handle={letter}]").bounding_box()
    x, y = handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2
    letters.mouse.move(x, y)
    letters.mouse.down()
    letters.mouse.move(x + 15, y - 12, steps=4)
    moved = letters.locator(f"[data-handle={letter}]").bounding_box()
    letters.mouse.up()
    assert abs(moved["x"] - handle["x"] - 15) < 5 and abs(moved["y"] - handle["y"] + 12) < 5
    check(letters)
    assert letters.locator(f"[data-control=angle{letter}]").is_visible()
    assert letters.locator(".picture-control:visible").count() == 4


def test_keys_and_pointers_at_random_break_nothing(picture):
    for _ in try_at_random(picture, np.random.default_rng(8), 40):
        check(picture)


@pytest.mark.parametrize("name", INPUTS)
def test_a_phone_has_room_for_a_finger_and_text_that_can_be_read(browser, address, name):
    shown = "label:not([hidden]) > input, label:not([hidden]) > select, button, [data-handle]"
    need_room_on_a_phone(browser, address, name, shown, highest=640)
