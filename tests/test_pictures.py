"""Pictures to touch agree with the package, say what they show, and hold under any key, pointer and address."""

import json
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest
import torch
from pictures import (
    ASKED,
    INPUTS,
    check,
    check_at_random,
    draw_states,
    mount,
    read,
    read_figure,
    set_state,
    visit,
    write_pages,
)

from attention_course.anatomy import CUTS, SUBLAYERS, dissect, trace
from attention_course.dates import DateTask, make_network
from attention_course.packed import pack
from attention_src import relu_weights, scaled_dot_product_attention, softmax
from attention_src.attention import attention
from web.live.running_pages import serve

EXPECTED = tomllib.loads(Path(__file__).with_name("pictures.toml").read_text("utf-8"))
DRAGS = [(name, handle, way) for name, known in EXPECTED.items() for handle, way in known.get("drag", {}).items()]
KEYS = ["Tab", "ArrowLeft", "ArrowUp", "End", "Home", "Space", "Enter"]
SIZES = """all => all.map((one) => { const box = one.getBoundingClientRect(); return [box.width, box.height] })"""
FONTS = "all => all.map((one) => parseFloat(getComputedStyle(one).fontSize))"
TARGETS = "label:not([hidden]) > input, label:not([hidden]) > select, button, [data-handle]"


def having(what):
    """Ask a test of the pictures of which something is expected."""
    return pytest.mark.parametrize("picture", [name for name in EXPECTED if what in EXPECTED[name]], indirect=True)


def only(name):
    """Ask a test of one picture."""
    return pytest.mark.parametrize("picture", [name], indirect=True)


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    with serve(write_pages(tmp_path_factory.mktemp("pictures") / "html")) as address:
        yield address


@pytest.fixture(params=INPUTS)
def picture(request, tab, address):
    return mount(tab, address, request.param)


def list_attributes(picture, selector, *names):
    """Return these attributes of the elements of a drawing, as numbers."""
    script = "(all, names) => all.map((one) => names.map((name) => +one.getAttribute(name)))"
    return picture.eval_on_selector_all(f"svg {selector}", script, names)


def shows(text, weight):
    """Return whether a text shows a weight, in two digits."""
    return text == "<0.01" if 0 < weight < 0.005 else abs(float(text) - weight) <= 0.00501


@pytest.fixture(params=[8, pytest.param(60, marks=pytest.mark.slow)])
def times(request):
    """How many random states of a picture are looked at."""
    return request.param


@pytest.mark.parametrize("times", [100, pytest.param(1_000, marks=pytest.mark.slow)])
def test_the_functions_in_javascript_give_what_the_package_gives(tab, address, times):
    random = np.random.default_rng(0)
    cases = []
    for number in range(times):
        n, m, d, d_v = random.integers(1, 6, size=4)
        query, key, value = random.normal(size=(n, d)), random.normal(size=(m, d)), random.normal(size=(m, d_v))
        query *= 10 ** random.uniform(-1, 3) / np.abs(query @ key.T).max()
        cases.append((query, key, value, random.random((n, m)) < 0.7 if number % 2 else None))
    sent = [[x if x is None else x.tolist() for x in case] for case in cases]
    tab.goto(f"{address}01-steer.html")
    given = tab.evaluate(
        """async (cases) => {
        const {attention, reluWeights, softmax} = await import("./attention.js");
        const both = [softmax, reluWeights];
        return cases.map(([q, k, v, mask]) => both.map((weigh) => attention(q, k, v, {mask, weigh}))) }""",
        sent,
    )
    for case, found in zip(cases, given, strict=True):
        for one, weigh in zip(found, (softmax, relu_weights), strict=True):
            output, weights = attention(*case, weigh=weigh)
            largest = max(1, np.abs(output).max())
            np.testing.assert_allclose(one["weights"], weights, rtol=1e-12, atol=1e-12 * largest)
            np.testing.assert_allclose(one["output"], output, rtol=1e-12, atol=1e-12 * largest)


@pytest.mark.parametrize("times", [8, pytest.param(400, marks=pytest.mark.slow)])
def test_random_states_from_the_address_give_what_the_package_gives(picture, times):
    for shown in visit(picture, draw_states(picture, 1, times)):
        check(picture, shown)
        never = [{"said": "unsaid"}, *EXPECTED[picture.name].get("never", [])]
        assert not (shown["reached"] and any(one.items() <= shown["state"].items() for one in never))
        assert picture.name != "07-whole" or shown["state"]["cut"] == "0" or shown["outputs"]["sure"]


def test_the_first_state_is_the_figure_of_the_page_and_little_to_load(picture):
    shown, inputs, expected = check(picture), INPUTS[picture.name], EXPECTED[picture.name]
    assert expected["first"].items() <= shown["state"].items()
    assert expected.get("shows", {}).items() <= shown["outputs"].items()
    assert len(json.dumps(inputs, separators=(",", ":"))) < 40_000
    if picture.name == "04-triangle":
        drawn = re.findall(r">(\d\.\d\d)<", read_figure(picture.name))
        assert [text for text in shown["texts"] if re.fullmatch(r"\d\.\d\d", text)] == drawn
    if picture.name == "07-whole":  # whose controls are the arrows, sources and sub-layers
        (_, *cuts), sources, opened = ([*one["choices"].values()] for one in picture.controls[:3])
        assert sources == inputs["sources"] and opened == [*SUBLAYERS] == inputs["sublayers"]
        assert len(cuts) + 1 == len(CUTS) == len(inputs["runs"][0])
        for said, arrow in zip(cuts, CUTS[1:], strict=True):
            assert arrow[0] in said and said.startswith("the path" if arrow[1] == "path" else "what")


@pytest.mark.slow
def test_drawing_twice_and_drawing_afresh_give_the_same(picture):
    def look():
        return read(picture), picture.locator("svg").inner_html()

    for _ in check_at_random(picture, 3, 5):
        before = look()
        picture.evaluate("dispatchEvent(new HashChangeEvent('hashchange'))")
        assert look() == before
        picture.reload()
        picture.wait_for_selector(".picture-sentence:not(:empty)")
        assert look() == before


@pytest.mark.parametrize("hash", ["?angle=NaN&length=1e9&weigh=none", "?angle=", "?angle=x", "?angle=1e400", "?x=1"])
def test_an_address_that_makes_no_sense_is_kept_within_the_limits(tab, address, hash):
    tab.goto(f"{address}01-steer.html#01-steer{hash}")
    tab.wait_for_selector(".picture-sentence:not(:empty)")
    state = read(tab)["state"]
    assert -180 <= state["angle"] <= 180 and 0 <= state["length"] <= 3 and state["weigh"] == "softmax"


@having("walk")
def test_keys_alone_reach_the_goal_and_the_sentences(picture):
    expected, said = EXPECTED[picture.name], {read(picture)["sentence"]}
    for step in expected["walk"].split():
        if step[0] == "@":
            picture.locator(f"[data-control={step[1:]}]").focus()
            continue
        key, times, reached = re.fullmatch(r"(\w+)(?:\*(\d+))?(?:=(\d))?", step).groups()
        for _ in range(int(times or 1)):
            picture.keyboard.press(key)
            shown = read(picture)
            said.add(
                re.sub(r"[<>−]?\d[\d.]*|river|money|\b[a-h]\b|keys of [a-h]+( \(\d–\d\))?", "#", shown["sentence"])
            )
            assert reached in (None, str(int(shown["reached"]))), (step, shown["state"])
    assert expected["walked"].items() <= shown["state"].items() and (len(said) >= 4 or "sentences" in expected)


def test_one_choice_alone_never_reaches_the_goal_and_to_say_it_comes_first(picture):
    first = read(picture)["state"]
    for one in picture.controls:
        ways = one.get("choices") or np.linspace(one["min"], one["max"], 12).round(2).tolist()
        found = visit(picture, [first | {one["name"]: way} for way in ways])
        assert (one["name"], [shown["state"] for shown in found if shown["reached"]]) == (one["name"], [])
    for one in [one for one in picture.controls if one.get("asks")]:
        *_, last = one["choices"]
        picture.locator("[data-control=said]").select_option(last)
        assert read(picture)["state"] == first | {"said": last}


@having("there")
def test_a_goal_that_waits_for_what_is_to_be_said_first_says_so(picture):
    first = read(picture)["state"]
    ways = next([*one["choices"]] for one in picture.controls if one.get("asks"))
    shown = []
    for way in ways:
        set_state(picture, first | EXPECTED[picture.name]["there"] | {"said": way})
        shown.append(picture.locator(".picture-goal").inner_text())
    assert sorted(text[0] for text in shown) == sorted(["✓", *(len(ways) - 1) * "◐"])
    assert sum(EXPECTED[picture.name].get("hint", "You are there") in text for text in shown) == len(ways) - 1


@having("sentences")
def test_every_sentence_can_be_met(picture):
    for words, state in EXPECTED[picture.name]["sentences"].items():
        picture.locator(".picture-again").click()
        set_state(picture, state)
        assert words in check(picture)["sentence"]


@pytest.mark.slow
def test_keys_and_pointers_at_random_break_nothing(picture):
    random, box = np.random.default_rng(5), picture.locator("svg").bounding_box()
    for _ in range(50):
        if random.random() < 0.5:
            picture.keyboard.press(str(random.choice(KEYS)))
        else:
            x, y = box["x"] + random.random() * box["width"], box["y"] + random.random() * box["height"]
            picture.mouse.move(x, y)
            picture.mouse.down()
            picture.mouse.move(x + random.normal(0, 80), y + random.normal(0, 80), steps=3)
            picture.mouse.up()
        check(picture)


@pytest.mark.parametrize(("name", "handle", "way"), DRAGS)
def test_what_is_dragged_follows_the_mouse_until_it_is_let_go(tab, address, name, handle, way):
    picture = mount(tab, address, name)
    dragged = picture.locator(f"[data-handle={handle}]" if handle else "[data-handle]")
    box = dragged.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    picture.mouse.move(x, y)
    picture.mouse.down()
    picture.mouse.move(x + way[0], y + way[1], steps=4)
    moved = dragged.bounding_box()
    picture.mouse.up()
    picture.mouse.move(x, y)
    assert dragged.bounding_box() == moved
    assert abs(moved["x"] - box["x"] - way[0]) < 6 and abs(moved["y"] - box["y"] - way[1]) < 6
    check(picture)
    if name == "04-triangle":  # its sliders have come with it
        assert picture.locator(f"[data-control=angle{handle}]").is_visible()
        assert picture.locator(".picture-controls .picture-control:visible").count() == 4


@pytest.mark.parametrize("name", INPUTS)
def test_a_phone_has_room_for_a_finger_and_text_that_can_be_read(tab, address, name):
    tab.set_viewport_size({"width": 390, "height": 844})
    mount(tab, address, name)
    assert min(min(size) for size in tab.eval_on_selector_all(TARGETS, SIZES)) >= 43.5
    assert min(tab.eval_on_selector_all("svg text", FONTS)) >= 12
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    assert tab.locator(".picture-frame").bounding_box()["height"] <= EXPECTED[name].get("highest", np.inf)


# What each of them draws is what it has computed


@only("01-steer")
def test_shares_are_the_weights_and_the_dot_is_the_output(picture, times):
    for shown in check_at_random(picture, 2, times):
        for word, weight in zip(INPUTS[picture.name]["words"], shown["outputs"]["weights"], strict=True):
            (text,) = [text for text in shown["texts"] if text.startswith(f"{word} ")]
            assert shows(text.removeprefix(f"{word} "), weight)
        river, money = list_attributes(picture, "circle.value", "cx", "cy")
        (dot,) = list_attributes(picture, "circle.output", "cx", "cy")
        unit = (river[0] - money[0]) / 2  # pixels of one unit: both values are 2 from the origin
        x, y = shown["outputs"]["output"]
        np.testing.assert_allclose(dot, [money[0] + x * unit, river[1] - y * unit], atol=0.2)


@only("01-steer")
def test_the_goal_says_how_far_the_dot_is_and_never_less(picture):
    first = read(picture)["state"]
    for change in ({}, {"angle": 100, "length": 1.25}, {"angle": -90, "length": 2}):
        set_state(picture, first | change)
        far = np.linalg.norm(np.subtract(read(picture)["outputs"]["output"], INPUTS[picture.name]["values"][1]))
        said = re.search(r" money's\. The dot is (\d\.\d\d) away\.$", picture.locator(".picture-goal").inner_text())
        assert 0 <= float(said[1]) - far < 0.0101


@only("02-lamp")
def test_lamps_are_as_wide_as_their_slopes_and_hang_at_their_gaps(picture, times):
    for shown in check_at_random(picture, 6, times):
        outputs = shown["outputs"]
        lights, rings = (
            np.array(list_attributes(picture, f"circle.{kind}", "cx", "cy", "r")) for kind in ("light", "glass")
        )
        rings = rings[: len(lights) - 1]  # the last light is the reader's own
        width = picture.locator("svg").evaluate("svg => svg.viewBox.baseVal.width")
        places = 24 + (np.clip(outputs["gaps"], -40, 40) + 40) / 80 * (width - 48)
        np.testing.assert_array_equal(lights[:-1, :2], rings[:, :2])
        np.testing.assert_allclose(rings[:, 0], places, rtol=0, atol=0.0501)
        np.testing.assert_allclose(lights[:-1, 2], 4 * np.array(outputs["slopes"]) * rings[:, 2], rtol=0, atol=0.0501)
        assert abs(lights[-1, 2] - 4 * outputs["slope"] * 12) <= 0.0501
        shares = [text.rpartition(" ")[2] for text in shown["texts"] if text.startswith(("bank: river ", "money "))]
        assert all(map(shows, shares, outputs["weights"]))


@only("03-alibi")
def test_flows_are_as_wide_as_their_weights_and_lead_to_the_letter_written_now(picture, times):
    for shown in check_at_random(picture, 7, times):
        weights = [weight for weight in shown["outputs"]["weights"] if weight >= 0.02]
        keys, step = (int(np.floor(shown["state"][name] + 0.5)) for name in ("keys", "step"))
        ((left, width),) = list_attributes(picture, "[data-now]", "x", "width")
        ends = [end for (end,) in list_attributes(picture, "line.flow", "x2")]
        widths = picture.eval_on_selector_all(
            "svg line.flow", "all => all.map(one => parseFloat(one.style.strokeWidth))"
        )
        np.testing.assert_allclose(widths, [1 + 9 * weight for weight in weights], rtol=0, atol=0.0501)
        np.testing.assert_allclose(ends, left + width / 2, rtol=0, atol=0.2)
        written, named, numbers = (
            picture.locator(f"svg text.{kind}").all_text_contents() for kind in ("query", "key", "weight")
        )
        assert [float(text) for text in numbers] == [round(weight + 1e-12, 2) for weight in weights]
        donor, first = INPUTS[picture.name]["donors"][keys]
        assert written == [*shown["outputs"]["written"][:step]] and named == [*donor[first : first + 6]]


@only("04-triangle")
def test_the_grid_shows_the_weights_and_the_frames_the_largest_of_each_row(picture, times):
    for shown in check_at_random(picture, 2, times):
        weights = np.array(shown["outputs"]["weights"])
        cells = [text for text in shown["texts"] if re.fullmatch(r"[<\d.]+", text)]
        assert len(cells) == weights.size and all(map(shows, cells, weights.flat))
        framed, corners = (list_attributes(picture, f"rect.{kind}", "x", "y") for kind in ("most", "cell"))
        assert [*map(corners.index, framed)] == [3 * i + j for i, j in enumerate(weights.argmax(axis=1))]


@only("04-clocks")
def test_the_hands_lie_where_the_outputs_say(picture, times):
    for shown in check_at_random(picture, 3, times):
        radius = list_attributes(picture, "circle.face", "r")[0][0]
        for kind in ("query", "key"):
            x1, y1, x2, y2 = np.transpose(list_attributes(picture, f"line.{kind}", "x1", "y1", "x2", "y2")) / radius
            pairs = np.reshape(shown["outputs"][kind], (-1, 2))
            np.testing.assert_allclose(np.stack([x2 - x1, y1 - y2], axis=1), pairs, atol=0.01)


@only("05-ripple")
def test_outputs_that_move_are_marked_and_a_tap_opens_or_closes_a_cell(picture, times):
    for shown in check_at_random(picture, 9, times):
        marked = picture.eval_on_selector_all("svg .node", "all => all.map(one => one.classList.contains('reacts'))")
        words = [str(i) == shown["state"]["changed"] for i in range(5)]
        assert marked == [*words, *(far > 1e-9 for row in shown["outputs"]["far"] for far in row)]
        assert picture.locator("svg .hidden").count() == shown["outputs"]["closed"]
    cells = picture.locator("svg [data-tap]")
    for number in range(5, 30):  # behind the five words
        name = f"cell{(number - 5) // 5}{(number - 5) % 5}"
        before = read(picture)["state"][name]
        cells.nth(number).click()
        assert {before, read(picture)["state"][name]} == {"may", "not"}
    cells.nth(3).click()
    assert read(picture)["state"]["changed"] == "3"


@only("06-cuts")
@pytest.mark.parametrize("heads", ["one", "two"])
def test_sentences_lie_where_the_heads_put_them_and_are_answered_by_the_side_of_the_cuts(picture, times, heads):
    for shown in check_at_random(picture, 4, times, heads=heads):
        state, outputs = shown["state"], shown["outputs"]
        dots, points = np.array(list_attributes(picture, "circle.query", "cx", "cy")), np.array(outputs["points"])
        halos = {name: list_attributes(picture, f"[data-handle={name}]", "cx", "cy")[0] for name in ("place", "person")}
        for axis, name in enumerate(("place", "person")):
            at = axis if heads == "two" else 0  # the person's cut goes across the second number, if there are two
            beyond = (dots[:, at] - halos[name][at]) * (-1 if at else 1)
            far = abs(points[:, axis] - state[name]) > 0.01
            assert ((beyond > 0) == (points[:, axis] > state[name]))[far].all()
        rows = picture.locator("svg text.answer").all_text_contents()
        assert [row.split(": ")[1].split(" ")[:2] for row in rows] == [
            [("money,", "water,")[int(place)], ("money", "water")[int(person)]] for place, person in outputs["said"]
        ]
        assert sum(row.endswith("✓") for row in rows) == outputs["right"]


@only("07-whole")
@pytest.mark.parametrize("opened", ["0", "3"])
def test_the_letters_and_the_weights_of_the_open_grid_are_those_of_the_outputs(picture, times, opened):
    for shown in check_at_random(picture, 2, times, open=opened):
        assert "".join(picture.locator("svg text.written").all_text_contents())[:10] == shown["outputs"]["text"]
        numbers = [float(text) for text in picture.locator("svg text.small").all_text_contents()]
        large = [weight for row in shown["outputs"]["opened"] for weight in row if weight >= 0.095]
        np.testing.assert_allclose(numbers, large, atol=0.005)


@only("07-whole")
def test_a_tap_opens_a_sub_layer(picture):
    for number in range(5):
        picture.locator("svg rect.layer").nth(number).click()
        assert read(picture)["state"]["open"] == str(number)


@only("08-deceive")
def test_arrows_lead_from_the_ball_to_where_the_finder_looks_and_frames_show_what_is_swapped(picture, times):
    for shown in check_at_random(picture, 8, times):
        outputs = shown["outputs"]
        weights = dict(enumerate(outputs["weights"][INPUTS[picture.name]["finder"]][1:]))
        ends = [int(to) for (to,) in list_attributes(picture, "line.flow", "data-to")]
        assert ends == [i for i, weight in weights.items() if weight >= 0.02 and i != outputs["ball"]]
        labels = [weights[i] for i in ends if weights[i] >= 0.095]
        numbers = [text for text in shown["texts"] if re.fullmatch(r"0\.\d\d|1\.00", text)]
        assert all(map(shows, numbers, labels)) and len(numbers) == len(labels)
        assert picture.locator("svg rect.query").count() == 1 + outputs["swaps"]
        assert shown["texts"][0].endswith(outputs["answer"]) and shown["texts"][-1].endswith(outputs["right"])


@only("09-words")
def test_words_lie_where_the_training_took_them_and_the_sentences_are_those_of_the_step(picture, times):
    for shown in check_at_random(picture, 4, times):
        rings = np.array(list_attributes(picture, "circle.face", "cx", "cy"))
        dots = np.array(list_attributes(picture, "circle:not(.face, .glass, .halo)", "cx", "cy"))
        given = [np.array(INPUTS[picture.name]["rings"])[:, 1:3].astype(float), np.array(shown["outputs"]["places"])]
        unit = np.ptp(rings[:, 0]) / np.ptp(given[0][:, 0])
        np.testing.assert_allclose((dots - rings[0]) / unit, (given[1] - given[0][0]) * [1, -1], atol=0.002)
        assert shown["texts"][-3:] == shown["outputs"]["written"]


@only("11-memory")
def test_the_table_takes_its_share_of_the_frame_and_terms_are_as_long_as_they_are(picture, times):
    for shown in check_at_random(picture, 4, times):
        outputs, inputs = shown["outputs"], INPUTS[picture.name]
        ((side,),) = list_attributes(picture, "rect.glass", "width")
        drawn = list_attributes(picture, "rect.cell", "width")
        share = (outputs["table"] / inputs["memory"]) ** 0.5
        wide = [] if shown["state"]["way"] == "blocks" else [[min(share, 1.12) * side]]
        assert len(drawn) == len(wide) and np.allclose(drawn, wide, rtol=0, atol=0.06)
        heights = [high for (high,) in list_attributes(picture, "rect.term", "height")]
        terms = [*outputs["terms"], *[0] * (len(heights) - len(outputs["terms"]))]
        np.testing.assert_allclose(heights, [56 * term for term in terms], rtol=0, atol=0.06)
        assert {f"{outputs['n']:,}", f"{outputs['scores']:,}"} < {*shown["texts"]}


@only("10-case")
def test_a_case_shows_what_its_questions_find_and_the_scores_only_to_those_who_convict(picture, times):
    for shown in check_at_random(picture, 4, times, case="7"):
        state, outputs = shown["state"], shown["outputs"]
        asked = [state["first"], state["second"]]
        cells = list_attributes(picture, "rect.cell, rect.hidden", "x", "y")
        reacts = picture.eval_on_selector_all("svg rect", "all => all.map((one) => one.classList.contains('reacts'))")
        assert len(cells) == 36 * asked.count("reactions") and sum(reacts) == len(cells)  # without a mask all do
        assert sum(text.startswith("Rows sum to") for text in shown["texts"]) == asked.count("rows")
        convicted = outputs["isRight"] and outputs["isProved"]
        assert (len(list_attributes(picture, "text[text-anchor=end]", "x")) == 9) == convicted
        assert picture.locator("svg rect.query").count() == (state["accused"] != "none")


# What they are about


def test_many_more_random_letters_with_one_matrix_never_close_it():
    random = np.random.default_rng(5)
    keys = random.normal(size=(20_000, 3, 4)) * random.lognormal(size=(20_000, 3, 1))
    _, weights = scaled_dot_product_attention(keys, keys, keys)
    right = (weights.argmax(axis=-1) == ASKED).sum(axis=-1)
    assert right.max() == 2 and (right == 2).sum() > 100


def test_the_stored_runs_are_what_a_transformer_gives():
    """On an untrained network: what was written, its weights, and that a cut changes what it should."""
    task = DateTask(num_train=100, num_held_out=10)
    model, source = make_network("Transformer", task), "14 Mar 2026"
    numbers = dissect(model, task, [source, "24 Mar 2026"])
    for cut, arrow in enumerate(CUTS):
        run, stored = trace(model, task, source, arrow), numbers["runs"][0][cut]
        assert stored["text"] == run["text"] and stored["cross"] == pack(run["weights"][2])
        np.testing.assert_allclose(run["weights"][2].sum(axis=-1), 1, rtol=1e-6)
    assert {*numbers["runs"][0][0]["changed"]} == {"0"}
    assert numbers["runs"][1][0]["changed"][:11].strip("0") != "" == numbers["runs"][1][0]["changed"][1:11].strip("0")
    coded, lengths, _ = task.encode(task.held_out)
    before = model.generate(coded, 10, lengths)
    trace(model, task, source, CUTS[3])
    assert torch.equal(model.generate(coded, 10, lengths), before)
