"""The proof on the front page, counted in the stored notebooks at each build, and the card that link previews show."""

import re
from pathlib import Path

import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from attention_src import scaled_dot_product_attention
from tools.chapter import CHAPTERS, ROOT, code, is_figure, pages, printed, prose, read, tags

NUMBER = re.compile(r"\d+(?:\.\d+)?")
INTERNAL_LINK = re.compile(r"\]\((?!https?:)[^)]+\)")


def count(notebooks, other_pages):
    """Count what the tests compare: the numbers, figures and internal links of the book, as texts for the front page.

    Parameters
    ----------
    notebooks : list of notebooks
    other_pages : list of str, their Markdown
    """
    notebooks = list(notebooks)
    ran = [cell for notebook in notebooks for cell in code(notebook)]
    compared = [cell for cell in ran if "nbval-ignore-output" not in tags(cell)]
    texts = [*other_pages, *(text for notebook in notebooks for text in prose(notebook))]
    counts = {
        "chapters": len(notebooks),
        "cells": len(ran),
        "numbers": sum(len(NUMBER.findall(printed(cell))) for cell in compared),
        "figures": sum(map(is_figure, compared)),
        "links": sum(len(INTERNAL_LINK.findall(text)) for text in texts),
    }
    return {f"proof_{what}": f"{number:,}" for what, number in counts.items()}


def _prove(app, config):
    texts = [path.read_text("utf-8") for name in pages() if (path := ROOT / f"{name}.md").is_file()]
    config.myst_substitutions = {**config.myst_substitutions, **count(map(read, CHAPTERS), texts)}


def draw_card(path, title, line):
    """Draw what a link to the book shows, 1200 × 630 pixels: its name and the grid that opens chapter 1."""
    query, key = np.array([[1, 0], [0, 1]]), np.array([[1, 1], [0, 1]])
    _, weights = scaled_dot_product_attention(query, key, key)
    figure = Figure(figsize=(12, 6.3), dpi=100, facecolor="#ffffff")
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, 12), ylim=(6.3, 0))
    axes.axis("off")
    for (i, j), weight in np.ndenumerate(weights):
        axes.add_patch(Rectangle((7.6 + 1.9 * j, 1.5 + 1.9 * i), 1.84, 1.84, color=colormaps["Blues"](1.2 * weight)))
        ink = {"color": "white" if weight > 0.6 else "#1a1a1a", "ha": "center", "va": "center"}
        axes.text(8.52 + 1.9 * j, 2.42 + 1.9 * i, f"{weight:.3f}", fontsize=30, **ink)
    for i, word in enumerate(("The", "cat")):
        axes.text(7.4, 2.42 + 1.9 * i, word, ha="right", va="center", fontsize=20, color="#444444")
        axes.text(8.52 + 1.9 * i, 1.3, word, ha="center", va="bottom", fontsize=20, color="#444444")
    axes.text(0.7, 1.9, title.replace(" by ", "\nby "), va="top", fontsize=36, weight="bold", color="#1a1a1a")
    axes.text(0.7, 3.75, line, va="top", fontsize=16, color="#444444", linespacing=1.4)
    figure.savefig(path, metadata={"Software": None})


def _draw(app, exception):
    if exception is None and app.builder.format == "html":
        line = "Every number on a page was printed by a cell,\nand a test compares it."
        draw_card(Path(app.outdir) / "_static" / "card.png", app.config.html_title, line)


def setup(app):
    app.connect("config-inited", _prove)
    app.connect("build-finished", _draw)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
