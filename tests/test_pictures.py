"""Pictures to touch agree with the package, say what they show, and hold under any key, pointer and address."""

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
    read_inputs,
    set_state,
    try_at_random,
    write_pages,
)

from attention_course.alibi import stored_alibi
from attention_src import relu_weights, scaled_dot_product_attention, softmax
from attention_src.attention import attention
from web.live.running_pages import serve

INPUTS = {
    "01-steer": {
        "words": ["river", "money"],
        "asks": "bank",
        "keys": [[2, 0], [0, 2]],
        "values": [[2, 0], [0, 2]],
        "query": [1.2, 0.6],
    },
    **{name: read_inputs(name) for name in ("02-lamp", "03-alibi")},
}


WEIGH = {"softmax": softmax, "relu": relu_weights}


def recompute_01(state, inputs):
    """What chapter 1's picture must show, from the package."""
    angle = np.deg2rad(state["angle"])
    query = state["length"] * np.array([[np.cos(angle), np.sin(angle)]])
    keys, values = np.array(inputs["keys"], dtype=float), np.array(inputs["values"], dtype=float)
    output, weights = attention(query, keys, values, weigh=WEIGH[state["weigh"]])
    return {"query": query[0], "weights": weights[0], "output": output[0]}


def recompute_02(state, inputs):
    """What chapter 2's picture must show, from the package."""
    d = 2 ** int(np.floor(state["size"] + 0.5))
    divisor = {"one": 1, "root": d**0.5, "whole": d}[state["divisor"]]
    gaps = np.array(inputs["gaps"][str(d)])
    rows = softmax(np.stack([gaps / divisor, 0 * gaps], axis=1))
    weights = softmax(np.array([state["lead"] / divisor, 0.0]))
    slopes = rows.prod(axis=1)
    return {
        "d": d,
        "weights": weights,
        "slope": weights.prod(),
        "slopes": slopes,
        "lit": (slopes >= 0.1).sum(),
        "larger": rows.max(axis=1).mean(),
    }


def recompute_03(state, inputs):
    """What chapter 3's picture must show, from what is kept of its networks."""
    kept, keys, step = stored_alibi(), int(np.floor(state["keys"] + 0.5)), int(np.floor(state["step"] + 0.5))
    network, (donor, first) = kept["networks"].index(state["network"]), kept["donors"][keys]
    length = len(kept["text"])
    written = kept["written"][network][keys]
    return {
        "donor": donor if len(donor) == length else f"{donor} ({first + 1}–{first + length})",
        "weights": softmax(kept["scores"][network, keys, step - 1]),
        "written": written,
        "right": sum(a == b for a, b in zip(written, kept["text"][::-1], strict=True)),
    }


RECOMPUTE = {"01-steer": recompute_01, "02-lamp": recompute_02, "03-alibi": recompute_03}


def only(name):
    """Ask a test of one picture."""
    return pytest.mark.parametrize("picture", [name], indirect=True)


def need_outputs(shown, right):
    """Require that a picture computed what the package computes."""
    for what, expected in right.items():
        if isinstance(expected, str):
            assert shown["outputs"][what] == expected
        else:
            np.testing.assert_allclose(shown["outputs"][what], expected, rtol=0, atol=1e-12)


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    with serve(write_pages(tmp_path_factory.mktemp("pictures") / "html", INPUTS)) as address:
        yield address


@pytest.fixture(params=INPUTS)
def picture(request, tab, address):
    return mount(tab, address, request.param)


def test_the_functions_in_javascript_give_what_the_package_gives(tab, address):
    random = np.random.default_rng(0)
    cases = []
    for number in range(1000):
        n, m, d, d_v = random.integers(1, 6, size=4)
        query, key, value = random.normal(size=(n, d)), random.normal(size=(m, d)), random.normal(size=(m, d_v))
        query *= 10 ** random.uniform(-1, 3) / np.abs(query @ key.T).max()
        mask = random.random((n, m)) < 0.7 if number % 2 else None
        cases.append((query, key, value, mask))
    sent = [[x if x is None else x.tolist() for x in case] for case in cases]
    tab.goto(f"{address}01-steer.html")
    given = tab.evaluate(
        """async (cases) => {
        const {attention, reluWeights, softmax} = await import("./attention.js");
        const both = [softmax, reluWeights];
        return cases.map(([q, k, v, mask]) => both.map((weigh) => attention(q, k, v, {mask, weigh}))) }""",
        sent,
    )
    for case, (by_softmax, by_relu) in zip(cases, given, strict=True):
        for found, weigh in (by_softmax, softmax), (by_relu, relu_weights):
            output, weights = attention(*case, weigh=weigh)
            largest = max(1, np.abs(output).max())
            np.testing.assert_allclose(found["weights"], weights, rtol=1e-12, atol=1e-12 * largest)
            np.testing.assert_allclose(found["output"], output, rtol=1e-12, atol=1e-12 * largest)
    output, _ = scaled_dot_product_attention(*cases[0])
    np.testing.assert_allclose(given[0][0]["output"], output, atol=1e-12)


def test_random_states_from_the_address_give_what_the_package_gives(picture):
    random = np.random.default_rng(1)
    for _ in range(200):
        set_state(picture, draw_state(random, picture.controls))
        shown = read(picture)
        right = RECOMPUTE[picture.name](shown["state"], INPUTS[picture.name])
        need_outputs(shown, right)
        assert "NaN" not in shown["drawing"] and "Infinity" not in shown["drawing"]
        assert len(shown["sentence"].split()) <= 25
        assert not (shown["reached"] and shown["state"].get("weigh") == "softmax")  # whose weights never are 0
        assert not (shown["reached"] and shown["state"].get("network") == "general")  # which always notices


@only("01-steer")
def test_what_is_drawn_is_what_was_computed(picture):
    """The shares beside the values, and where the dot lies between them, are those of the outputs."""
    random = np.random.default_rng(2)
    places = """Object.fromEntries([...document.querySelectorAll("svg circle")].map(
      (one, i) => [i + one.getAttribute("class"), [+one.getAttribute("cx"), +one.getAttribute("cy")]]))"""
    for _ in range(50):
        set_state(picture, draw_state(random, picture.controls))
        shown = read(picture)
        weights, (x, y) = shown["outputs"]["weights"], shown["outputs"]["output"]
        for word, weight in zip(INPUTS[picture.name]["words"], weights, strict=True):
            (text,) = [text for text in shown["texts"] if text.startswith(f"{word} ")]
            number = text.removeprefix(f"{word} ")
            assert (
                number == ("<0.01" if 0 < weight < 0.005 else f"{weight:.2f}") or abs(float(number) - weight) <= 0.00501
            )
        at = picture.evaluate(places)
        (river, money), (dot,) = (
            [place for name, place in at.items() if name.lstrip("0123456789") == kind] for kind in ("value", "output")
        )
        unit = (river[0] - money[0]) / 2  # pixels of one unit: both values are 2 from the origin
        origin = money[0], river[1]
        assert abs(dot[0] - (origin[0] + x * unit)) < 0.2 and abs(dot[1] - (origin[1] - y * unit)) < 0.2


def test_drawing_twice_and_drawing_afresh_give_the_same(picture):
    need_the_same_drawing(picture, np.random.default_rng(3), 10)


@pytest.mark.parametrize("hash", ["?angle=NaN&length=1e9&weigh=none", "?angle=", "?%E0%A4=1", "?angle=1e400", "?x=1"])
def test_an_address_that_makes_no_sense_is_kept_within_the_limits(tab, address, hash):
    tab.goto(
        f"{address}01-steer.html#01-steer{hash}" if "%E0" not in hash else f"{address}01-steer.html#01-steer?angle=x"
    )
    tab.wait_for_selector(".picture-sentence:not(:empty)")
    state = read(tab)["state"]
    assert -180 <= state["angle"] <= 180 and 0 <= state["length"] <= 3 and state["weigh"] == "softmax"


@only("01-steer")
def test_keys_alone_reach_the_goal_and_its_sentences(picture):
    picture.locator("[data-first]").focus()
    said = set()
    for key in ["ArrowRight"] * 20 + ["ArrowLeft"] * 92 + ["Tab"] + ["End"]:
        picture.keyboard.press(key)
        said.add(re.sub(r"[<>−]?\d[\d.]*|river|money", "#", read(picture)["sentence"]))
    assert picture.locator(".picture-goal.reached").count() == 0
    picture.keyboard.press("Tab")
    picture.keyboard.press("ArrowDown")  # the other kind of weights
    said.add(re.sub(r"[<>−]?\d[\d.]*|river|money", "#", read(picture)["sentence"]))
    picture.locator("[data-first]").focus()
    picture.keyboard.press("End")
    assert picture.locator(".picture-goal.reached").count() == 1
    assert len(said) >= 4


def test_keys_and_pointers_at_random_break_nothing(picture):
    for _ in try_at_random(picture, np.random.default_rng(5), 60):
        shown = read(picture)
        need_outputs(shown, RECOMPUTE[picture.name](shown["state"], INPUTS[picture.name]))
        assert "NaN" not in shown["drawing"]


@only("01-steer")
def test_the_tip_follows_the_mouse(picture):
    """Dragged by its handle, the query's tip is where the pointer is."""
    handle = picture.locator("[data-handle]").bounding_box()
    x, y = handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2
    picture.mouse.move(x, y)
    picture.mouse.down()
    picture.mouse.move(x - 60, y - 40, steps=4)
    moved = picture.locator("[data-handle]").bounding_box()
    picture.mouse.up()
    assert abs(moved["x"] - handle["x"] + 60) < 6 and abs(moved["y"] - handle["y"] + 40) < 6
    picture.mouse.move(x, y)
    assert picture.locator("[data-handle]").bounding_box() == moved


@only("02-lamp")
def test_lamps_are_as_wide_as_their_slopes_and_hang_at_their_gaps(picture):
    random = np.random.default_rng(6)
    circles = """(kind) => [...document.querySelectorAll("svg circle")]
      .filter((one) => one.getAttribute("class") === kind)
      .map((one) => ["cx", "cy", "r"].map((name) => +one.getAttribute(name)))"""
    for _ in range(50):
        set_state(picture, draw_state(random, picture.controls))
        outputs, texts = (read(picture)[what] for what in ("outputs", "texts"))
        *lights, own = picture.evaluate(circles, "light")
        rings = picture.evaluate(circles, "glass")
        width = picture.locator("svg").evaluate("svg => svg.viewBox.baseVal.width")
        for light, ring, slope, gap in zip(lights, rings, outputs["slopes"], outputs["gaps"], strict=True):
            assert light[:2] == ring[:2] and abs(light[2] - 4 * slope * ring[2]) <= 0.0501
            assert abs(ring[0] - (24 + (np.clip(gap, -40, 40) + 40) / 80 * (width - 48))) <= 0.0501
        assert abs(own[2] - 4 * outputs["slope"] * 12) <= 0.0501
        shares = [text for text in texts if text.startswith(("bank: river ", "money "))]
        for text, weight in zip(shares, outputs["weights"], strict=True):
            number = text.rpartition(" ")[2]
            assert number == "<0.01" if 0 < weight < 0.005 else abs(float(number) - weight) <= 0.00501


@only("02-lamp")
def test_the_first_state_is_the_figure_of_the_page(picture):
    shown, inputs = read(picture), INPUTS["02-lamp"]
    assert shown["outputs"]["d"] == inputs["d"] and shown["outputs"]["gaps"] == inputs["gaps"][str(inputs["d"])]
    assert shown["state"] == {"lead": inputs["lead"], "size": np.log2(inputs["d"]), "divisor": "one"}
    assert shown["outputs"]["lit"] == 5
    assert len(json.dumps(inputs)) < 40_000


@only("02-lamp")
def test_keys_alone_light_the_lamps_again_by_either_divisor_and_reach_every_sentence(picture):
    def said():
        return re.sub(r"[<>−]?\d[\d.]*|river|money", "#", read(picture)["sentence"])

    reached = lambda: picture.locator(".picture-goal.reached").count()  # noqa: E731
    choose = picture.locator('[data-control="divisor"]')
    sentences, lit = {said()}, [read(picture)["outputs"]["lit"]]
    assert not reached()
    picture.locator("[data-first]").focus()
    picture.keyboard.press("End")
    sentences.add(said())
    picture.locator('[data-control="size"]').focus()
    for _ in range(2):
        picture.keyboard.press("ArrowRight")
        lit.append(read(picture)["outputs"]["lit"])
    assert not reached() and max(lit) < 8
    choose.focus()
    for _ in range(2):
        picture.keyboard.press("ArrowDown")
        sentences.add(said())
        assert reached()
    picture.locator('[data-control="size"]').focus()
    picture.keyboard.press("Home")  # short keys are no answer
    sentences.add(said())
    assert not reached()
    picture.locator("[data-first]").focus()
    picture.keyboard.press("Home")
    sentences.add(said())
    assert len(sentences) >= 4


@only("02-lamp")
def test_the_lamp_follows_the_mouse(picture):
    handle = picture.locator("[data-handle]").bounding_box()
    x, y = handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2
    picture.mouse.move(x, y)
    picture.mouse.down()
    picture.mouse.move(x + 120, y, steps=4)
    moved = picture.locator("[data-handle]").bounding_box()
    picture.mouse.up()
    assert abs(moved["x"] - handle["x"] - 120) < 6


@only("03-alibi")
def test_flows_are_as_wide_as_their_weights_and_lead_to_the_letter_written_now(picture):
    random = np.random.default_rng(7)
    flows = """[...document.querySelectorAll("svg line.flow")].map((one) =>
      [parseFloat(one.style.strokeWidth), +one.getAttribute("x2")])"""
    letters = """(kind) => [...document.querySelectorAll("svg text")]
      .filter((one) => one.getAttribute("class") === kind).map((one) => one.textContent)"""
    for _ in range(50):
        set_state(picture, draw_state(random, picture.controls))
        shown, drawn = read(picture), picture.evaluate(flows)
        weights = [weight for weight in shown["outputs"]["weights"] if weight >= 0.02]
        step = int(np.floor(shown["state"]["step"] + 0.5))
        now = picture.locator("[data-now]").evaluate("one => +one.getAttribute('x') + one.getAttribute('width') / 2")
        assert len(drawn) == len(weights)
        for (width, end), weight in zip(drawn, weights, strict=True):
            assert abs(width - (1 + 9 * weight)) <= 0.0501 and abs(end - now) <= 0.2
        assert [float(text) for text in picture.evaluate(letters, "weight")] == [round(w + 1e-12, 2) for w in weights]
        assert picture.evaluate(letters, "query") == [*shown["outputs"]["written"][:step]]
        first = INPUTS["03-alibi"]["donors"][int(np.floor(shown["state"]["keys"] + 0.5))]
        assert picture.evaluate(letters, "key") == [*first[0][first[1] : first[1] + 6]]


@only("03-alibi")
def test_the_first_state_of_the_alibi_is_the_figure_of_the_page(picture):
    shown, inputs = read(picture), INPUTS["03-alibi"]
    assert shown["state"] == {"keys": 0, "step": 3, "network": "general"}
    assert shown["outputs"]["donor"] == inputs["text"] and shown["outputs"]["right"] == 6
    assert len(json.dumps(inputs)) < 40_000
    kept = stored_alibi()
    assert inputs["scores"] == kept["scores"].tolist() and inputs["written"] == kept["written"]


@only("03-alibi")
def test_keys_alone_find_a_swap_that_additive_does_not_notice_and_general_always_does(picture):
    def said():
        return re.sub(r"[<>−]?\d[\d.]*|\b[a-h]\b|keys of [a-h]+( \(\d–\d\))?", "#", read(picture)["sentence"])

    def slide():
        picture.locator("[data-first]").focus()
        picture.keyboard.press("Home")
        reached = []
        for _ in range(6):
            reached.append(picture.locator(".picture-goal.reached").count())
            sentences.add(said())
            picture.keyboard.press("ArrowRight")
        return reached

    sentences = set()
    assert slide() == [0] * 6
    picture.locator('[data-control="network"]').focus()
    picture.keyboard.press("ArrowDown")
    assert slide() == [0, 1, 1, 0, 0, 1]
    assert len(sentences) >= 4


@pytest.mark.parametrize("name", INPUTS)
def test_a_phone_has_room_for_a_finger_and_text_that_can_be_read(browser, address, name):
    need_room_on_a_phone(browser, address, name)
