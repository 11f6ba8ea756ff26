"""The bench of chapter 12: a published encoder whose weights lie beside the page reads the reader's own words."""

import hashlib
import html
import json
import shutil
import time
import tomllib
from pathlib import Path

import numpy as np
import pytest
import torch
from test_accessibility import find_violations

import web.model
from attention_course import encoder, plots
from attention_course.encoder import WORDS, encode, read_weights
from attention_course.interventions import overwrite
from attention_course.maps import stored_heads
from attention_src.models.bert import minilm
from book.chapter import ROOT
from web.figures import PICTURE, frame
from web.live import write_runtime
from web.live.attention_bench import MOST, SHARD, Bench, name_shard
from web.live.running_pages import serve
from web.model import BLOCKS, VOCABULARY, find_model, make_files, write_model

SENTENCES = tomllib.loads(Path(__file__).with_name("bench.toml").read_text("utf-8"))["sentences"].strip().splitlines()
MOST_BYTES = 35_000_000  # for a first sentence, Python with it
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>bench</title>
<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="pictures/pictures.css">
<style>:root {{ --query: #1866da; --weights: #b03d05; --ink: #1c2430; --muted: #4d5866; --line: #d5dae1 }}
body {{ margin: 16px }}</style>
<main><h1>bench</h1>{figure}</main><script type="module" src="pictures/start.js"></script>"""


@pytest.fixture(scope="module")
def files():
    return make_files(find_model())


@pytest.fixture
def bench(files, tmp_path, monkeypatch):
    """The bench in this Python, with files that have arrived."""
    monkeypatch.chdir(tmp_path)
    for name in (BLOCKS, VOCABULARY):
        Path(name).write_bytes(files[name])
    return Bench(BLOCKS, VOCABULARY)


def read(bench, files, text, **asked):
    """Let the bench read a text as the worker does."""
    cut = bench.cut(text)
    for name, number in cut["missing"]:
        Path(name).write_bytes(files[name])
        bench.add((name, number))
    return cut, bench.read({"ids": cut["ids"], **asked})


def test_the_files_are_the_published_numbers_in_half_precision_and_few_for_a_sentence(files, tmp_path):
    published, blocks = read_weights(find_model() / "model.safetensors"), read_weights(files[BLOCKS])
    for name, array in blocks.items():
        np.testing.assert_array_equal(array, published[name][: len(array)].astype("float16"))
    words = b"".join(content for name, content in sorted(files.items()) if name not in (BLOCKS, VOCABULARY))
    np.testing.assert_array_equal(np.frombuffer(words, "<f2").reshape(-1, 384), published[WORDS].astype("float16"))
    assert not any(content[:2] == b"\x1f\x8b" for content in files.values())  # the worker would unpack it
    worst = MOST * max(len(files[name_shard(i)]) for i in range(30522 // SHARD))
    sent = write_runtime(tmp_path)["python"] + len(files[BLOCKS]) + len(files[VOCABULARY]) + worst
    print(f"at most {sent / 1e6:.1f} MB for a first sentence")
    assert sent <= MOST_BYTES


def test_the_list_has_every_file_with_its_hash_and_the_licence_stands_beside_it(tmp_path):
    write_model(tmp_path, find_model())
    listed = json.loads((tmp_path / "model.json").read_text())
    assert {path.name for path in tmp_path.iterdir()} == {*listed, "model.json", "LICENCE.txt"}
    for name, known in listed.items():
        content = (tmp_path / name).read_bytes()
        assert known == {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    assert "Apache" in (licence := (tmp_path / "LICENCE.txt").read_text()) and "half precision" in licence


def test_another_model_than_the_published_one_is_refused(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"other")
    with pytest.raises(ValueError, match="is not the published file"):
        make_files(tmp_path)


def test_without_the_model_the_build_says_so_and_offers_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(web.model, "find_spec", lambda name: None)
    page = tmp_path / "chapters" / "12_a_real_model.html"
    page.parent.mkdir()
    page.write_text('<figure data-picture="12-bench" data-inputs="{}">')
    web.model._finish(None, tmp_path)
    web.model._offer(None, tmp_path)
    assert "is not installed" in capsys.readouterr().out and "data-model" not in page.read_text()
    assert not (tmp_path / "_static").exists()


@pytest.mark.parametrize("change", [{}, {"off": [2, 5]}, {"zero": [0]}, {"hide": [0]}, {"off": [5, 11], "hide": [0]}])
def test_the_bench_reads_as_the_encoder_does(change, bench, files):
    cut, found = read(bench, files, SENTENCES[4], **change)
    assert read(bench, files, SENTENCES[4])[0]["missing"] == []
    whole, right = (encode(cut["ids"], bench.weights, **one) for one in ({}, change))
    n = len(cut["tokens"])
    _, again = read(bench, files, SENTENCES[4], **change)
    assert again == found
    np.testing.assert_allclose(np.frombuffer(bench.maps, "<f4").reshape(6, 12, n, n), right["maps"], atol=1e-6)
    np.testing.assert_allclose(found["lengths"], np.linalg.norm(right["outputs"], axis=-1).mean(-1), atol=1e-5)
    assert abs(found["moved"] - (1 - whole["sentence"] @ right["sentence"])) < 1e-5
    assert bench.read({**change, "brief": True}) == {"moved": found["moved"]}


def test_what_lies_below_the_head_is_not_computed_again(bench, files, monkeypatch):
    (cut, _), seen, block = read(bench, files, SENTENCES[4]), [], encoder.block
    monkeypatch.setattr(encoder, "block", lambda *given: seen.append(given[2]) or block(*given))
    bench.read({"ids": cut["ids"], "off": [4, 0], "brief": True})
    assert seen == ["encoder.layer.4", "encoder.layer.5"]


def test_a_long_text_is_cut_and_still_ends(bench, files):
    cut, _ = read(bench, files, "the bank " * 100)
    assert cut["all"] == 202 and len(cut["ids"]) == MOST and cut["tokens"][-1] == "[SEP]"
    cut, _ = read(bench, files, "")
    assert cut["tokens"] == ["[CLS]", "[SEP]"] and cut["all"] == 2


# In Chromium, with the real weights -----------------------------------------------------------------------------------

slow = pytest.mark.slow
OUTPUTS = "JSON.parse(document.querySelector('figure').dataset.outputs)"
BUSY = "() => document.querySelector('figure').dataset.busy === ''"


def write_place(folder):
    """Write the bench into a folder as the site has it, and as it does where there is no model."""
    shutil.copytree(ROOT / "web" / "pictures", folder / "pictures")
    size = write_runtime(folder / "live")["python"]
    write_model(folder / "model", find_model())
    size += sum((folder / "model" / name).stat().st_size for name in (BLOCKS, VOCABULARY))
    name, inputs = PICTURE.search(plots.bench(*stored_heads()).svg).groups()
    figure = frame(name, html.escape(html.unescape(inputs)), "")
    with_model = figure.replace("<figure", f'<figure data-model="{size}"')
    for page, shown in (("index", with_model), ("without", figure)):
        (folder / f"{page}.html").write_text(PAGE.format(figure=shown), "utf-8")
    return folder


def round_model():
    """Return the model in torch, with the weights that lie beside the page."""
    model = minilm()
    for part in model.parameters():
        part.data = part.data.half().float()
    return model


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    with serve(write_place(tmp_path_factory.mktemp("bench") / "site")) as address:
        yield address


@pytest.fixture
def opened(browser, place):
    """The bench in a browser that has loaded nothing yet."""
    context = browser.new_context(viewport={"width": 1000, "height": 900})
    tab = context.new_page()
    tab.set_default_timeout(120_000)
    tab.errors, tab.asked = [], []
    tab.on("pageerror", lambda error: tab.errors.append(str(error)))
    tab.on("request", lambda request: tab.asked.append(request.url))
    tab.goto(place)
    tab.wait_for_selector(".bench")
    yield tab
    assert tab.errors == []
    context.close()


def shown(tab):
    """Return what the bench says of itself, with the maps."""
    script = "figure => ({...JSON.parse(figure.dataset.outputs), maps: [...figure.maps]})"
    found = tab.locator("figure").evaluate(script)
    n = len(found["tokens"])
    return found | {"maps": np.array(found["maps"]).reshape(6, 12, n, n)}


def say(tab):
    return tab.locator(".bench-status").text_content()


def told(tab):
    return tab.locator(".bench-moved").text_content()


def type_and_read(tab, text):
    """Type a text, press the button, and return what is shown."""
    tab.locator("textarea").fill(text)
    tab.locator(".picture-read").click()
    tab.wait_for_function(BUSY)
    return shown(tab)


def choose(tab, label, value):
    tab.locator(f"label:has(> span:text-is('{label}')) select").select_option(str(value))


@slow
def test_nothing_is_loaded_before_the_click_and_the_stored_sentence_answers(opened):
    text, tokens, weights, lengths, moved = stored_heads()
    found = shown(opened)
    assert opened.locator("textarea").input_value() == text and found["tokens"] == tokens
    np.testing.assert_allclose(found["maps"], weights, atol=1e-6)
    choose(opened, "Block", 4)
    opened.locator(".bench-off input").check()
    assert shown(opened)["move"] == moved[4, 11] and f"{moved[4, 11]:.3f}" in told(opened)
    shares = shown(opened)["shares"]
    assert abs(shares["first"] - weights[4, 11, :, 0].mean()) < 1e-6 and shares["length"] == lengths[4, 11]
    assert abs(shares["others"] - np.delete(lengths[4], 11).mean()) < 1e-6
    assert not any("/live/" in url or "/model/" in url for url in opened.asked)


@slow
@pytest.mark.always
def test_maps_and_changes_of_fifty_sentences_are_torchs_with_the_same_weights(opened):
    rounded, unrounded, random, furthest = round_model(), minilm(), np.random.default_rng(0), 0.0
    assert len(SENTENCES) == 50
    for text in SENTENCES:
        tokens, states, maps = rounded(text)
        found = type_and_read(opened, text)
        assert found["tokens"] == tokens and say(opened) == ""
        assert abs(found["maps"] - maps.numpy()).max() < 1e-4
        furthest = max(furthest, abs(found["maps"] - unrounded(text)[2].numpy()).max())
        layer, head = int(random.integers(6)), int(random.integers(12))
        choose(opened, "Block", layer)
        choose(opened, "Head", head)
        opened.locator(".bench-off input").check()
        opened.wait_for_function(f"() => {OUTPUTS}.move !== null")
        opened.get_by_role("button", name="Stop").click()
        with overwrite(rounded.blocks[layer].attend.out_proj.weight[:, 32 * head : 32 * head + 32], 0):
            _, states_off, maps_off = rounded(text)
        now = shown(opened)
        assert abs(now["maps"] - maps_off.numpy()).max() < 1e-4
        moved = 1 - torch.cosine_similarity(states[-1].mean(0), states_off[-1].mean(0), dim=0)
        assert abs(now["move"] - float(moved)) < 1e-4
        opened.locator(".bench-off input").uncheck()
    print(f"against unrounded weights: {furthest:.4f}")
    assert furthest <= 0.005


@slow
def test_every_other_head_fills_in_and_can_be_interrupted(opened, bench, files):
    cut, _ = read(bench, files, "the cat sat on the mat because it was tired")
    began = time.monotonic()
    type_and_read(opened, SENTENCES[0])
    first = time.monotonic() - began
    opened.locator(".bench-off input").check()
    opened.wait_for_function(f"() => {OUTPUTS}.moves.flat().filter((x) => x !== null).length > 3")
    opened.locator(".bench-off input").uncheck()
    opened.wait_for_function(BUSY)
    assert any(None in row for row in shown(opened)["moves"])
    began = time.monotonic()
    type_and_read(opened, "the cat sat on the mat because it was tired")
    again = time.monotonic() - began
    began = time.monotonic()
    opened.locator(".bench-off input").check()
    opened.wait_for_function(BUSY)
    print(
        f"{first:.1f} s for a first sentence, {again:.1f} s for the next, {time.monotonic() - began:.1f} s for 72 heads"
    )
    moves = shown(opened)["moves"]
    for off in np.ndindex(6, 12):
        right = bench.read({"ids": cut["ids"], "off": off, "brief": True})["moved"]
        assert abs(moves[off[0]][off[1]] - right) < 1e-5
    less = sum(x < moves[5][11] for row in moves for x in row)
    assert f"than without {less} of the 71 other" in told(opened)


@slow
def test_the_sink_by_hand_and_the_numbers_of_the_opened_map(opened, bench, files):
    cut, _ = read(bench, files, SENTENCES[1])
    type_and_read(opened, SENTENCES[1])
    moved = {}
    for what in ("zero", "hide"):
        choose(opened, "In all blocks", what)
        opened.wait_for_function(BUSY)
        moved[what] = shown(opened)["move"]
        right = encode(cut["ids"], bench.weights, **{what: [0]})["maps"]
        np.testing.assert_allclose(shown(opened)["maps"], right, atol=1e-4)
    assert moved["zero"] < 0.02 < 0.2 < moved["hide"]
    found = shown(opened)
    one = found["maps"][found["layer"], found["head"]]
    assert one[:, 0].max() == 0
    right = {"words": one[:, 1:-1].sum(1).mean(), "last": one[:, -1].mean(), "previous": one.diagonal(-1).mean()}
    for name, value in right.items():
        assert abs(found["shares"][name] - value) < 1e-6


@slow
def test_a_second_visit_loads_nothing_again(opened):
    type_and_read(opened, SENTENCES[0])
    assert sum(f"/{BLOCKS}" in url for url in opened.asked) == 1
    opened.reload()
    opened.asked.clear()
    type_and_read(opened, SENTENCES[0])
    assert [url for url in opened.asked if ".f16" in url or BLOCKS in url or ".whl" in url] == []


@slow
@pytest.mark.parametrize(
    "file, answer",
    [("words-*", "missing"), ("words-*", "damaged"), (f"{BLOCKS}*", "damaged"), ("model.json", "missing")],
)
def test_a_file_that_is_missing_or_damaged_is_named_and_nothing_is_lost(opened, file, answer):
    def spoil(route):
        route.fulfill(status=404) if answer == "missing" else route.fulfill(body=b"x" * 49152)

    opened.context.route(f"**/model/{file}", spoil)
    found = type_and_read(opened, SENTENCES[0])
    assert ("arrived damaged" if answer == "damaged" else "could not be loaded: 404") in say(opened)
    assert found["tokens"] == stored_heads()[1] and opened.locator("textarea").input_value() == SENTENCES[0]
    opened.context.unroute(f"**/model/{file}")
    assert type_and_read(opened, SENTENCES[0])["tokens"][1] == "call" and say(opened) == ""


@slow
def test_without_a_network_it_says_so_and_goes_on_when_there_is_one(opened):
    opened.context.set_offline(True)
    type_and_read(opened, SENTENCES[0])
    assert "could not be read" in say(opened) and "still here" in say(opened)
    opened.context.set_offline(False)
    assert type_and_read(opened, SENTENCES[0])["tokens"][1] == "call"


@slow
def test_stop_ends_the_loading_and_a_press_begins_again(opened):
    opened.locator(".picture-read").click()
    opened.get_by_role("button", name="Stop").click()
    opened.wait_for_function(BUSY)
    assert say(opened).startswith("You stopped it") and len(shown(opened)["tokens"]) == 12
    assert type_and_read(opened, SENTENCES[0])["tokens"][1] == "call"


@slow
def test_long_endless_and_unknown_texts_are_read_and_the_last_one_stays(opened):
    found = type_and_read(opened, "x" * 5000)
    assert found["tokens"] == ["[CLS]", "[UNK]", "[SEP]"]
    assert len(type_and_read(opened, "a bank " * 715)["tokens"]) == MOST
    assert say(opened) == "Only the first 64 of 1432 tokens were read."
    for key in "The bank of the river":
        opened.locator("textarea").press_sequentially(key)
        opened.locator("textarea").press("Enter")
    opened.locator("textarea").fill("𒀀 漢字 \ud800 ok")
    opened.locator("textarea").press("Enter")
    opened.wait_for_function(BUSY)
    assert shown(opened)["tokens"][-2:] == ["ok", "[SEP]"] and "[UNK]" in shown(opened)["tokens"]
    type_and_read(opened, "")
    assert shown(opened)["tokens"] == ["[CLS]", "[SEP]"]


@slow
def test_without_webassembly_or_without_a_model_there_is_no_button(browser, place):
    for page, script in (("", "delete globalThis.WebAssembly"), ("without.html", "")):
        tab = browser.new_page()
        tab.add_init_script(script)
        tab.goto(place + page)
        tab.wait_for_selector(".bench-words span")
        assert tab.locator(".picture-read").count() == 0 and ("WebAssembly" in say(tab)) == bool(script)
        tab.locator(".bench-off input").check()
        assert "moves by" in tab.locator(".bench-moved").text_content()
        tab.close()


@slow
def test_keys_alone_do_it_on_a_phone_and_axe_finds_nothing(opened):
    opened.set_viewport_size({"width": 390, "height": 800})
    opened.keyboard.press("Tab")
    opened.keyboard.press("Enter")
    opened.wait_for_function(BUSY)
    for _ in range(6):
        opened.keyboard.press("Tab")
        opened.keyboard.press("ArrowDown")
    opened.wait_for_function(BUSY)
    assert opened.evaluate("document.documentElement.scrollWidth") <= 390
    sizes = opened.locator(".bench :is(button, select, textarea, label:has([type=checkbox])):visible").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect().height)"
    )
    assert min(sizes) >= 44
    assert find_violations(opened) == []
