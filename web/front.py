"""What the front page computes: its numbers, picture and reply of a check; the card that link previews show; and what
the page of the machine shows before Python runs there.

`python -m web.front` draws the picture, which README shows as well.
"""

import json
import re
from html import escape

import numpy as np
from matplotlib.figure import Figure

from attention_course import checks, plots
from attention_course.machine import Machine
from attention_course.museum.exhibits import EXHIBITS
from attention_course.my_machine import trace_writing
from attention_src import scaled_dot_product_attention
from book.catalogue import translations
from book.chapter import CHAPTERS, ROOT, TRANSLATED, code, is_figure, read, read_outputs, tags
from evidence import claims
from web.assets import after_build
from web.figures import PICTURE, frame, inline

NUMBER = re.compile(r"\d+(?:\.\d+)?")
FIGURE = ROOT / "web" / "static" / "steer.svg"
PLACE = '<div class="front-picture"></div>'
MACHINE = '<div class="machine"'
SHOWN = (  # by the picture
    "Left: the labels of river and money as arrows, and the question of bank between them, nearer to river. "
    "Right: the new list of bank, a dot on the line between the values of river, 0.70, and money, 0.30."
)


def count(notebooks):
    """Count what the tests compare, the numbers and the figures of all chapters, as texts for the front page."""
    ran = [cell for notebook in notebooks for cell in code(notebook)]
    compared = [cell for cell in ran if "nbval-ignore-output" not in tags(cell)]
    numbers = sum(len(NUMBER.findall(read_outputs(cell))) for cell in compared)
    return {"proof_numbers": f"{numbers:,}", "proof_figures": f"{sum(map(is_figure, compared)):,}"}


def reply():
    """What the check of the first exercise says to an attention whose softmax runs over the queries."""
    try:
        checks.attention(EXHIBITS["softmax over the queries"])
    except checks.Wrong as wrong:
        return str(wrong)
    raise AssertionError("the check accepts a softmax over the wrong axis")


def draw_picture():
    """Draw the picture that opens chapter 1: *bank* asks, and takes more from *river* than from *money*."""
    here = np.array([[2, 0], [0, 2]])
    return plots.steer(np.array([1.2, 0.6]), here, here, ["river", "money"], asks="bank")


def _set_counts(app, config):
    tried = sum(len(module.CLAIMS) for module in claims.modules().values())
    with checks.speaking(config.language):
        counts = count(map(read, CHAPTERS)) | {"proof_claims": f"{tried:,}", "front_reply": reply()}
        counts["machine_writes"] = ", ".join(Machine().write(6))
    config.myst_substitutions = {**config.myst_substitutions, **counts}


def _put_picture(app, pagename, templatename, context, doctree):
    """Put the picture into the front page, with what it shows in words."""
    if PLACE in context.get("body", ""):
        svg = FIGURE.read_text("utf-8")
        name, inputs = PICTURE.search(svg).groups()
        words = translations("site") if app.config.language == TRANSLATED else {}
        picture = inline(svg, words.get(SHOWN, SHOWN), 0)
        context["body"] = context["body"].replace(PLACE, frame(name, escape(inputs), picture))
    if MACHINE in context.get("body", ""):
        steps = escape(json.dumps(trace_writing(Machine())))
        context["body"] = context["body"].replace(MACHINE, f'{MACHINE} data-steps="{steps}"')


def _draw_card(app, out):
    """Draw the card that link previews show: title and the grid of *The cat*, 1200 × 630 pixels."""
    key, words = np.array([[1, 1], [0, 1]]), ("The", "cat")
    _, weights = scaled_dot_product_attention(np.eye(2), key, key)
    figure = Figure(figsize=(12, 6.3), dpi=100)
    axes = figure.add_axes((0.6, 0.16, 0.36, 0.66))
    axes.pcolormesh(weights, cmap="Oranges", vmin=0, vmax=1, edgecolors="white", linewidth=5)
    axes.set(xticks=(0.5, 1.5), yticks=(0.5, 1.5), xticklabels=words, yticklabels=words, ylim=(2, 0), frame_on=False)
    axes.tick_params(length=0, labelsize=20, labeltop=True, labelbottom=False)
    for (i, j), weight in np.ndenumerate(weights):
        axes.text(j + 0.5, i + 0.5, f"{weight:.3f}", fontsize=30, ha="center", va="center")
    figure.text(0.06, 0.55, app.config.html_title.replace(" by ", "\nby "), fontsize=36, weight="bold")
    figure.text(0.06, 0.3, "Find out what happens inside a language model\nby computing it.", fontsize=16)
    figure.savefig(out / "_static" / "card.png")


def setup(app):
    app.connect("config-inited", _set_counts)
    app.connect("html-page-context", _put_picture)
    after_build(app, _draw_card)


if __name__ == "__main__":
    FIGURE.write_text(draw_picture().svg, "utf-8")
