"""The visual language of all figures: colours, letters, sizes, and how a figure becomes SVG."""

import re
import warnings
from contextlib import contextmanager
from io import StringIO

import matplotlib
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch
from matplotlib.transforms import Bbox

WIDTH = 4.4  # inches, of every figure: a letter of 10 pt is 16.7 px high on a wide page and 11 px on a phone
BLUE = "#1866da"
ORANGE = "#b03d05"
GREEN = "#0f614e"
PURPLE = "#633778"
PLUM, BROWN = "#926286", "#522406"  # of models that are compared
INK, GREY, PALE, PAPER = "#1c2430", "#4d5866", "#d5dae1", "#ffffff"
#: The colours that a page replaces by its own, by the names of its style.
TOKENS = {
    "query": BLUE,
    "weights": ORANGE,
    "value": GREEN,
    "key": PURPLE,
    "model-a": PLUM,
    "model-b": BROWN,
    "ink": INK,
    "muted": GREY,
    "line": PALE,
    "paper": PAPER,
}
CYCLE = [*zip((BLUE, ORANGE, GREEN, PURPLE, PLUM, BROWN), "os^Dvx", ("-", "--", "-.", ":", "-", "--"), strict=True)]
AXIS_TITLE = {"fontsize": 10, "color": GREY, "ha": "center", "va": "bottom"}
STYLE = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "sans-serif"],
    "text.color": INK,
    "axes.edgecolor": GREY,
    "axes.labelcolor": GREY,
    "axes.linewidth": 0.8,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "lines.linewidth": 1.8,
    "lines.markersize": 4.5,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "font.size": 10,
    "axes.titlesize": 10.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.facecolor": PAPER,
    "savefig.facecolor": PAPER,
    "svg.fonttype": "none",
    "svg.hashsalt": "attention",
    "svg.image_inline": True,
}


class Picture:
    """A finished figure. Notebooks show it by themselves; the str `svg` holds its text.

    The str `name` says in a few words what the picture is, where no picture can be shown.

    >>> from attention_course.plots import grid
    >>> picture = grid([[0.67, 0.33]])
    >>> picture.name, picture.svg[:5]
    ('grid of 1 × 2', '<?xml')
    """

    def __init__(self, svg, name):
        self.svg, self.name = svg, name

    def _repr_svg_(self):
        return self.svg

    def __repr__(self):
        return f"<picture: {self.name}>"


@contextmanager
def book_style():
    """The book's settings, and silence about glyphs that the reader's browser will draw."""
    with matplotlib.rc_context(STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def finish(figure, name, *, see_through=False):
    """Draw the figure as SVG, `WIDTH` wide, with coordinates of two decimals and without date or version."""
    out = StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Type", "Format"))
    figure.draw_without_rendering()  # lays out what it contains
    box = figure.get_tightbbox().padded(0.06)
    box = Bbox.from_bounds(box.x0, box.y0, max(box.width, WIDTH), box.height)
    figure.savefig(out, format="svg", bbox_inches=box, transparent=see_through, metadata=nothing)

    def shorten(tag):
        return re.sub(r"-?\d+\.\d{3,}(e-?\d+)?", lambda x: f"{float(x[0]):.2f}".rstrip("0").rstrip("."), tag[0])

    svg = re.sub("<[^>]*>", shorten, out.getvalue())
    return Picture("\n".join(line.rstrip() for line in svg.splitlines()), name)


def tint(colour, share):
    """Return a colour that lets the page through: the square root of the share, so that small ones can be told apart.

    Even the strongest is so pale that ink can be read on it, on a light page and on a dark one.
    """
    return colour, round(0.55 * share**0.5, 3)


def panel(height, *down_and_across, **options):
    """Return a figure as wide as all others, and its axes, one pair or so many."""
    figure = Figure(figsize=(WIDTH - 0.12, height), layout="constrained")
    return figure, figure.subplots(*down_and_across, **options)


def draw_cross(axes):
    """Draw a cross at the origin: the two lines on which one of the coordinates is 0."""
    axes.axhline(0, color=PALE, linewidth=0.8)
    axes.axvline(0, color=PALE, linewidth=0.8)


def draw_arrow(axes, start, end, colour=INK, *, width=1.4, alpha=1.0, dashed=False):
    look = {"color": colour, "linewidth": width, "alpha": alpha, "linestyle": "--" if dashed else "-"}
    shape = {"arrowstyle": "-|>", "mutation_scale": 11, "shrinkA": 0, "shrinkB": 0}
    axes.add_patch(FancyArrowPatch(start, end, **shape, **look))
