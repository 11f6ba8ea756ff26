"""What tests of pictures to touch share: what each must compute, by the package, and how it is opened, set and read."""

import html
import json
import shutil

import numpy as np

from attention_course.alibi import stored_alibi
from attention_course.dates import FIELDS
from attention_course.museum.bench import CASES, SUSPECTS, load_lineup
from attention_course.packed import unpack
from attention_course.picture_readers import load_picture_readers, make_tokens
from attention_course.picture_readers import read as read_token
from attention_course.tasks.football import DIRECTIONS, direction, draw_football
from attention_course.word_vectors import stored_course
from attention_src import relu_weights, scaled_dot_product_attention, softmax
from attention_src.attention import attention
from attention_src.positions import rotary
from book.chapter import ROOT, code, find_path, mime
from book.chapter import read as read_chapter
from web.assets import find_font
from web.figures import PICTURE

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>picture</title><link rel="stylesheet" href="pictures.css">
<style>@font-face {{ font-family: book; src: url(sans.woff2) }} :root {{ --sans: book }}
body {{ margin: 16px; font: 16px/26px var(--sans) }}</style>
<main><h1>picture</h1><figure data-picture="{name}" data-inputs='{inputs}'><p data-static>static</p></figure></main>
<script type="module" src="start.js"></script>"""
ASKED = [1, 2, 0]  # in the triangle, A is to attend to B, B to C, C to A
MASKED = {"before": softmax, "after": lambda scores, mask: softmax(scores) * mask}
WEIGH = {"softmax": softmax, "relu": relu_weights}


def steer(state, inputs):
    """Recompute chapter 1's picture."""
    angle = np.deg2rad(state["angle"])
    query = state["length"] * np.array([[np.cos(angle), np.sin(angle)]])
    output, weights = attention(
        query, np.array(inputs["keys"]), np.array(inputs["values"]), weigh=WEIGH[state["weigh"]]
    )
    return {"query": query[0], "weights": weights[0], "output": output[0]}


def lamp(state, inputs):
    """Recompute chapter 2's picture."""
    d = 2 ** int(np.floor(state["size"] + 0.5))
    divisor = {"one": 1, "root": d**0.5, "whole": d}[state["divisor"]]
    gaps = np.array(inputs["gaps"][str(d)])
    rows = softmax(np.stack([gaps / divisor, 0 * gaps], axis=1))
    weights, slopes = softmax(np.array([state["lead"] / divisor, 0.0])), rows.prod(axis=1)
    shown = {"d": d, "gaps": gaps, "weights": weights, "slope": weights.prod(), "slopes": slopes}
    return shown | {"lit": (slopes >= 0.1).sum(), "larger": rows.max(axis=1).mean()}


def alibi(state, inputs):
    """Recompute chapter 3's picture, from what is kept of its networks."""
    kept, keys, step = stored_alibi(), int(np.floor(state["keys"] + 0.5)), int(np.floor(state["step"] + 0.5))
    assert inputs["scores"] == kept["scores"].tolist() and inputs["written"] == kept["written"]
    network, (donor, first) = kept["networks"].index(state["network"]), kept["donors"][keys]
    length, written = len(kept["text"]), kept["written"][network][keys]
    return {
        "donor": donor if len(donor) == length else f"{donor} ({first + 1}–{first + length})",
        "weights": softmax(kept["scores"][network, keys, step - 1]),
        "written": written,
        "right": sum(a == b for a, b in zip(written, kept["text"][::-1], strict=True)),
    }


def triangle(state, inputs):
    """Recompute the first picture of chapter 4."""
    lengths = np.array([state[f"length{letter}"] for letter in "ABC"])
    angles = np.deg2rad([state[f"angle{letter}"] for letter in "ABC"])
    keys, queries = (
        lengths[:, None] * np.stack([np.cos(turned), np.sin(turned)], axis=1)
        for turned in (angles, angles + np.deg2rad(state["turn"]))
    )
    _, weights = scaled_dot_product_attention(queries, keys, keys)
    return {"keys": keys, "queries": queries, "weights": weights, "right": (weights.argmax(axis=1) == ASKED).sum()}


def clocks(state, inputs):
    """Recompute the other picture of chapter 4: RoPE's own rates are 1 and 1 / 10 with the base 100."""
    key_at = inputs["key_at"] + state["along"]
    query_at = key_at + state["apart"]
    hand = np.array([[1.0, 0.0, 1.0, 0.0]])
    query, key = (rotary(hand, np.array([float(at)]), base=100)[0] for at in (query_at, key_at))
    return {"query_at": query_at, "key_at": key_at, "query": query, "key": key, "score": query @ key}


def ripple(state, inputs):
    """Recompute chapter 5's picture."""
    mask = np.array([[state[f"cell{i}{j}"] == "may" for j in range(5)] for i in range(5)])
    before, far = np.array(inputs["tokens"]), []
    after = np.where(np.arange(5)[:, None] == int(state["changed"]), inputs["others"], before)
    for matrices in np.array(inputs["matrices"]):
        before, after = (attention(*(x @ matrices), mask, weigh=MASKED[state["when"]])[0] for x in (before, after))
        far.append(abs(after - before).max(axis=1))
    return {"mask": mask.astype(float), "far": far, "closed": (~mask).sum()}


def cuts(state, inputs):
    """Recompute chapter 6's picture: four sentences, two heads with a question each, and a cut on what each brings."""
    four = np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    places = np.array([state["weight"], state["second" if state["heads"] == "two" else "weight"]])
    weights = np.stack([places, 1 - places], axis=1)
    points = four @ weights.T
    said = points > [state["place"], state["person"]]
    return {"weights": weights, "points": points, "said": said, "right": (said == four).all(axis=1).sum()}


def whole(state, inputs):
    """Recompute chapter 7's picture, from its stored runs."""
    edit, cut, opened = (int(state[name]) for name in ("edit", "cut", "open"))
    run, intact, m = inputs["runs"][edit][cut], inputs["runs"][edit][0], len(inputs["sources"][0])
    fed, changed = unpack(run["fed"], m + 10), [int(digit) for digit in run["changed"]]
    grids = unpack(inputs["encoder"][edit], m, m), [fed[:m]], unpack(run["own"], 10, 10), unpack(run["cross"], 10, m)
    return {
        "text": run["text"],
        "right": intact["text"],
        "sure": unpack(run["sure"], 10),
        "changed": np.split(changed, np.cumsum([m, m, m, 10, 10, 10])),
        "opened": [*grids, [fed[m:]]][opened],
        "broken": {name for name, where in FIELDS.items() if any(run["text"][i] != intact["text"][i] for i in where)},
    }


def deceive(state, inputs):
    """Recompute chapter 8's picture, with the weights that the package keeps."""
    ball, goal, other = (int(np.floor(state[name] + 0.5)) for name in ("ball", "goal", "other"))
    goal = (goal + 1) % 25 if goal == ball else goal
    players = [patch for patch in inputs["players"] if patch not in (ball, goal)][:4]
    net, order = load_picture_readers()["scenes"], np.arange(26)
    looks, positions = make_tokens(net, draw_football(np.array([[ball, goal, *players]])))
    swaps = state["where"] != "nowhere" and other not in (ball, goal)
    if swaps:
        order[[1 + goal, 1 + other]] = 1 + other, 1 + goal
    lie = {} if state["where"] == "nowhere" else {state["where"]: looks + positions[order]}
    found = read_token(net, looks + positions, 1 + ball, **lie)
    return {
        "weights": found.weights[0],
        "logits": found.logits[0],
        "answer": DIRECTIONS[found.answers[0]],
        "right": DIRECTIONS[direction(ball, goal, 5)],
        "told": "" if other in (ball, goal) else DIRECTIONS[direction(ball, other, 5)],
        "players": players,
        "swaps": swaps,
    }


def sorting(state, inputs):
    """Recompute chapter 9's picture, from what is kept of its training."""
    kept, time = stored_course(), int(np.floor(state["time"] + 0.5))
    assert all(inputs[name] == kept[name] for name in ("steps", "loss", "neighbour", "written", "roles"))
    assert inputs["places"] == kept["places"].tolist()
    guess, dog = np.array([state["x"], state["y"]]), inputs["words"].index("dog")
    inside = [role for role, *middle, radius in inputs["rings"] if np.linalg.norm(guess - middle) <= radius]
    return {
        **{name: kept[name][time] for name in ("steps", "loss", "neighbour")},
        "written": kept["written"][time],
        "places": kept["places"][time] / 100,
        "gap": np.linalg.norm(guess - kept["places"][-1, dog] / 100),
        "guessed": "".join(inside[:1]),
    }


def writing(state, inputs):
    """Recompute chapter 13's picture, from its stored runs."""
    run, step = inputs["runs"][state["temperature"]][state["off"]], int(np.floor(state["step"] + 0.5))
    drawn, candidates, shades = run[step]
    text = [*inputs["pieces"], *(piece for piece, *_ in run[: step + 1])]
    rounds = [n for n in range(1, len(text)) if text[-max(n, 3) :] == text[-max(n, 3) - n : -n]]
    shown = {"text": text[:-1], "drawn": drawn, "likeliest": candidates[0][0], "circle": min(rounds, default=0)}
    return shown | {"candidates": candidates, "chance": dict(candidates)[drawn], "shades": shades}


def memory(state, inputs):
    """Recompute chapter 11's picture: what a text takes in memory, and what one query has of the keys it has met."""
    n = int(np.floor(2.0 ** state["length"] + 0.5))
    table, vectors = inputs["bytes"] * n**2, inputs["bytes"] * 4 * inputs["head"] * n
    in_blocks = state["way"] == "blocks"
    held = vectors + (0 if in_blocks else table)
    met = int(np.floor(state["read"] + 0.5)) * inputs["block"] if in_blocks else len(inputs["scores"])
    scores, values = np.array(inputs["scores"][:met], float), np.array(inputs["values"][:met], float)
    terms = np.exp(scores - scores.max(initial=-np.inf))
    shown = {"n": n, "table": table, "vectors": vectors, "held": held, "fits": held <= inputs["memory"]}
    shown |= {"scores": n**2, "terms": terms, "sum": terms.sum(), "largest": scores.max() if met else 0}
    return shown | {"weights": softmax(scores) if met else [], "output": softmax(scores) @ values if met else 0}


def accuse(state, inputs):
    """Recompute chapter 10's picture, from what is kept of its suspects."""
    kept, culprit = load_lineup(), CASES[int(state["case"]) - 1]
    assert inputs["suspects"] == [*SUSPECTS] and all(inputs[name] == kept[name] for name in kept)
    low, high = np.array(kept["lowest"]), np.array(kept["highest"])
    kinds = {
        "rows": np.where(high > 1, 2, low < 1),
        "reactions": np.reshape(kept["reactions"], (9, 36)) @ 2.0 ** np.arange(36),
        "batch": np.array(kept["batch"]) > 0,
        "order": np.array(kept["order"]) > 0,
    }
    asked = [state[name] for name in ("first", "second") if state[name] != "none"]
    fits = np.all([kinds[name] == kinds[name][culprit] for name in asked if name in kinds] or [np.ones(9)], axis=0)
    score = kept["score"][culprit]
    return {
        "culprit": culprit,
        "score": score,
        "same": (abs(np.array(kept["score"]) - score) < 0.02).sum(),
        "fits": fits.sum(),
        "accusedFits": state["accused"] != "none" and fits[int(state["accused"][1:])],
        "isRight": state["accused"] == f"s{culprit}",
        "isProved": len({*asked}) == 2 and fits.sum() == 1,
    }


RECOMPUTE = {
    "01-steer": steer,
    "02-lamp": lamp,
    "03-alibi": alibi,
    "04-triangle": triangle,
    "04-clocks": clocks,
    "05-ripple": ripple,
    "06-cuts": cuts,
    "07-whole": whole,
    "08-deceive": deceive,
    "09-words": sorting,
    "10-case": accuse,
    "11-memory": memory,
    "13-write": writing,
}


def read_figure(name):
    """Return the SVG of a picture as its chapter stores it."""
    drawn = [
        mime(output).get("image/svg+xml", "")
        for cell in code(read_chapter(find_path(name[:2])))
        for output in cell.outputs
    ]
    (found,) = [svg for svg in drawn if f'data-picture="{name}"' in svg]
    return found


INPUTS = {name: json.loads(html.unescape(PICTURE.search(read_figure(name))[2])) for name in RECOMPUTE}


def write_pages(folder):
    """Put the pictures as the site serves them into a folder that is not there yet, with a page around each.

    The pages bring the typeface of the book, so that a picture is as high whatever fonts the system has.
    """
    shutil.copytree(ROOT / "web" / "pictures", folder)
    shutil.copy(find_font("sans"), folder / "sans.woff2")
    for name, given in INPUTS.items():
        (folder / f"{name}.html").write_text(PAGE.format(name=name, inputs=html.escape(json.dumps(given))))
    return folder


def mount(tab, address, name):
    """Open a picture; the tab has its name then, and what its controls are."""
    tab.goto(f"{address}{name}.html")
    tab.wait_for_selector(".picture-sentence:not(:empty)")
    tab.evaluate("document.fonts.ready.then(() => true)")
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


READ = """() => { const figure = document.querySelector("figure"); return {
  state: JSON.parse(figure.dataset.state), outputs: JSON.parse(figure.dataset.outputs),
  sentence: figure.querySelector(".picture-sentence").textContent,
  reached: figure.querySelector(".picture-goal.reached") !== null,
  texts: [...figure.querySelectorAll("svg text")].map((text) => text.textContent),
  odd: figure.querySelector("svg").innerHTML.match(/NaN|Infinity|undefined/g) } }"""
VISIT = """async ([name, states]) => {
  const found = [];
  for (const state of states) {
    const before = location.hash, moved = new Promise((done) => addEventListener("hashchange", done, {once: true}));
    location.hash = `${name}?${new URLSearchParams(state)}`;
    if (location.hash !== before) await moved;
    found.push((%s)());
  }
  return found; }"""


def read(tab):
    """What a picture says of itself: its state, outputs, sentence, texts, and what no drawing should have."""
    return tab.evaluate(READ)


def visit(tab, states):
    """Ask for states as a reader's links do, by the address; return what the picture says of itself in each."""
    found = tab.evaluate(VISIT % READ, [tab.name, states])
    for shown, state in zip(found, states, strict=True):
        assert {name: shown["state"][name] for name in state} == state
    return found


def set_state(tab, state):
    return visit(tab, [state])[0]


def compare(found, right):
    """Require what the package computes: a text, texts in any order, numbers, or a list of them."""
    if isinstance(right, str | set):
        assert type(right)(found) == right
    elif isinstance(right, list):
        for one, other in zip(found, right, strict=True):
            compare(one, other)
    else:
        np.testing.assert_allclose(found, right, rtol=0, atol=1e-12)


def check(picture, shown=None):
    """Compare what a picture says of its state, or has said, with the package; return it."""
    shown = shown or read(picture)
    for what, right in RECOMPUTE[picture.name](shown["state"], INPUTS[picture.name]).items():
        compare(shown["outputs"][what], right)
    assert not shown["odd"] and not any(word in shown["sentence"] for word in ("NaN", "Infinity", "undefined"))
    assert len(shown["sentence"].split()) <= 25
    return shown


def draw_states(picture, seed, times, **fixed):
    """States drawn at random, with some of them fixed."""
    random = np.random.default_rng(seed)
    return [draw_state(random, picture.controls) | fixed for _ in range(times)]


def check_at_random(picture, seed, times, **fixed):
    """Set a picture to such states, and yield what it says of each while it is drawn."""
    for state in draw_states(picture, seed, times, **fixed):
        yield check(picture, set_state(picture, state))
