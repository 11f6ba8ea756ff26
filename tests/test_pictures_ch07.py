"""The picture of chapter 7 shows what its stored runs hold, in every state, and those runs are a Transformer's."""

import json

import numpy as np
import pytest
import torch
from pictures import (
    draw_state,
    mount,
    need_room_on_a_phone,
    need_the_same_drawing,
    read,
    read_inputs,
    set_state,
    write_pages,
)

from attention_course.anatomy import CUTS, SUBLAYERS, dissect, trace
from attention_course.dates import FIELDS, DateTask, make_network
from attention_course.packed import pack, unpack
from web.live.running_pages import serve

NAME = "07-whole"


def recompute(state, inputs):
    """What the picture must show, from the stored runs."""
    edit, cut, opened = (int(state[name]) for name in ("edit", "cut", "open"))
    run, whole, m = inputs["runs"][edit][cut], inputs["runs"][edit][0], len(inputs["sources"][0])
    fed = unpack(run["fed"], m + 10)
    places = np.split([int(digit) for digit in run["changed"]], np.cumsum([m, m, m, 10, 10, 10]))
    grids = unpack(inputs["encoder"][edit], m, m), [fed[:m]], unpack(run["own"], 10, 10), unpack(run["cross"], 10, m)
    wrong = [field for field, where in FIELDS.items() if any(run["text"][i] != whole["text"][i] for i in where)]
    return {
        "text": run["text"],
        "right": whole["text"],
        "sure": unpack(run["sure"], 10),
        "changed": places,
        "opened": [*grids, [fed[m:]]][opened],
        "broken": sorted(wrong),
    }


@pytest.fixture(scope="module")
def inputs():
    return read_inputs(NAME)


@pytest.fixture(scope="module")
def address(tmp_path_factory, inputs):
    with serve(write_pages(tmp_path_factory.mktemp("whole") / "html", {NAME: inputs})) as address:
        yield address


@pytest.fixture
def picture(tab, address):
    return mount(tab, address, NAME)


def check_outputs(shown, inputs):
    right = recompute(shown["state"], inputs)
    assert {*shown["outputs"]} == {*right}
    assert sorted(shown["outputs"].pop("broken")) == right.pop("broken")
    for what in ("text", "right"):
        assert shown["outputs"].pop(what) == right.pop(what)
    for what, numbers in right.items():
        for row, other in zip(shown["outputs"][what], numbers, strict=True):
            np.testing.assert_allclose(row, other, rtol=0, atol=1e-12)


def test_random_states_from_the_address_give_what_is_stored(picture, inputs):
    random = np.random.default_rng(1)
    for _ in range(200):
        set_state(picture, draw_state(random, picture.controls))
        shown = read(picture)
        check_outputs(shown, inputs)
        assert "NaN" not in shown["drawing"] and "undefined" not in shown["drawing"]
        assert len(shown["sentence"].split()) <= 25
        assert shown["state"]["cut"] == "0" or shown["outputs"]["sure"]


def test_its_first_state_is_the_figure_and_the_controls_are_the_arrows(picture, inputs):
    shown = read(picture)
    assert shown["state"] == {"cut": "0", "edit": "0", "open": "3"}
    assert [*picture.controls[1]["choices"].values()] == inputs["sources"]
    assert [*picture.controls[2]["choices"].values()] == [*SUBLAYERS] == inputs["sublayers"]
    words = [*picture.controls[0]["choices"].values()]
    assert len(words) == len(CUTS) == len(inputs["runs"][0])
    for said, arrow in zip(words[1:], CUTS[1:], strict=True):
        assert arrow[0] in said and said.startswith("the path" if arrow[1] == "path" else "what")


def test_what_is_drawn_is_what_was_computed(picture):
    """The letters that are written and the weights of the open grid are those of the outputs."""
    random = np.random.default_rng(2)
    for _ in range(40):
        set_state(picture, draw_state(random, picture.controls) | {"open": str(random.choice([0, 3]))})
        shown = read(picture)
        assert "".join(picture.locator("svg text.written").all_text_contents())[:10] == shown["outputs"]["text"]
        numbers = [float(text) for text in picture.locator("svg text.small").all_text_contents()]
        large = [weight for row in shown["outputs"]["opened"] for weight in row if weight >= 0.095]
        np.testing.assert_allclose(numbers, large, atol=0.005)


def test_keys_alone_reach_the_goal_and_every_sentence(picture):
    picture.locator("[data-first]").focus()
    said = {read(picture)["sentence"]}
    reached = []
    for number in range(10):
        picture.keyboard.press("ArrowDown")
        said.add(read(picture)["sentence"])
        reached.append((number + 1, picture.locator(".picture-goal.reached").count()))
    assert [cut for cut, found in reached if found] == [1, 4]  # two of the four arrows in the encoder
    set_state(picture, {"cut": "6", "edit": "3", "open": "3"})
    said.add(read(picture)["sentence"])
    for pattern in ("Cut an arrow", "Nothing arrives", "still writes", "nothing is right", "wrong in"):
        assert any(pattern in sentence for sentence in said), pattern
    picture.locator(".picture-again").click()
    picture.keyboard.press("Shift+Tab")
    picture.keyboard.press("Shift+Tab")
    picture.keyboard.press("ArrowDown")
    assert "One source character differs" in read(picture)["sentence"]


def test_a_tap_opens_a_sub_layer(picture):
    for number in range(5):
        picture.locator("svg rect.layer").nth(number).click()
        assert read(picture)["state"]["open"] == str(number)


def test_drawing_twice_and_drawing_afresh_give_the_same(picture):
    need_the_same_drawing(picture, np.random.default_rng(3), 5)


def test_a_phone_has_room_for_a_finger_and_text_that_can_be_read(browser, address):
    need_room_on_a_phone(browser, address, NAME, "input, select, button")


def test_a_page_has_little_to_load(inputs):
    assert len(json.dumps(inputs, separators=(",", ":"))) < 40 * 1024


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
