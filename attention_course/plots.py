"""The visual language of the book: one grid of queries and keys, bars, arrows of a weighted sum, lines with a spread.

Every function returns a `Picture`, which a notebook shows as SVG: sharp at any size, the same bytes on every run, text
left to the reader's browser, so that Hangul needs no font here. All are `WIDTH` inches wide, so that on a page their
letters have one size. Colours are those of Okabe and Ito (2008), which colour-blind readers tell apart, darkened until
letters in them can be read; no figure says anything by colour alone. Values are rounded before they are drawn.
"""

import itertools
import json
import re
import unicodedata
import warnings
from contextlib import contextmanager
from io import StringIO

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch, Rectangle
from matplotlib.patheffects import withStroke
from matplotlib.transforms import Bbox

from attention_src import scaled_dot_product_attention

WIDTH = 5.2  #: The width of a figure in inches; a `Canvas` should be no wider.
BLUE = "#0069A4"  #: The colour of the first series of a figure, and of a box on a `Canvas`.
ORANGE = "#B84F00"  #: The colour of the second series, and of a bar on a `Canvas`.
GREEN = "#007A5A"  #: The colour of the third series.
PURPLE, SKY, YELLOW = "#AA4499", "#56B4E9", "#E69F00"
SCORE = BLUE  #: The colour of the first stage of attention, which scores, in figures and formulas.
SCALE = PURPLE  #: The colour of the second stage, which scales the scores.
WEIGH = ORANGE  #: The colour of the third stage, which makes weights.
MIX = GREEN  #: The colour of the fourth stage, which mixes the values.
INK, GREY, PALE, PAPER = "#1a1a1a", "#757575", "#d9d9d9", "#ffffff"
#: The colours that a page replaces by its own, by the names of its style.
TOKENS = {
    "query": BLUE,
    "weights": ORANGE,
    "value": GREEN,
    "key": PURPLE,
    "ink": INK,
    "muted": GREY,
    "line": PALE,
    "paper": PAPER,
}
CYCLE = [*zip((BLUE, ORANGE, GREEN, PURPLE, YELLOW, SKY), "os^Dvx", ("-", "--", "-.", ":", "-", "--"), strict=True)]
AXIS_TITLE = {"fontsize": 8, "color": "#555555", "ha": "center", "va": "bottom"}
STYLE = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "sans-serif"],
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
    """A finished figure. Notebooks show it by themselves; `svg` holds its text.

    Parameters
    ----------
    svg : str
    name : str, what the picture is, in a few words, where no picture can be shown

    Examples
    --------
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
def _style():
    """The book's settings, and silence about glyphs that the reader's browser will draw."""
    with matplotlib.rc_context(STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def _number(match):
    return f"{float(match.group()):.2f}".rstrip("0").rstrip(".")


def _finish(figure, name, *, see_through=False):
    """Draw the figure as SVG, `WIDTH` wide, with coordinates of two decimals and without date or version."""
    out = StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Type", "Format"))
    figure.draw_without_rendering()  # lays out what stands in it
    box = figure.get_tightbbox().padded(0.06)
    box = Bbox.from_bounds(box.x0, box.y0, max(box.width, WIDTH), box.height)
    figure.savefig(out, format="svg", bbox_inches=box, transparent=see_through, metadata=nothing)
    svg = re.sub(r"<[^>]*>", lambda tag: re.sub(r"-?\d+\.\d{3,}(e-?\d+)?", _number, tag.group()), out.getvalue())
    return Picture("\n".join(line.rstrip() for line in svg.splitlines()), name)


def _array(values):
    """NumPy view of an array, tensor (detached) or list."""
    return np.asarray(values.detach().cpu() if hasattr(values, "detach") else values, dtype=float)


def _ink_on(colour):
    """Black or white, whichever stands out on the colour (relative luminance of WCAG 2)."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3]]
    return INK if np.dot(linear, (0.2126, 0.7152, 0.0722)) > 0.18 else PAPER


def grid(values, rows=None, columns=None, *, title="", digits=2, mask=None, row_title="query", column_title="key"):
    """Draw a matrix as a grid of cells with the numbers printed in them: a row for each query, a column for each key.

    Parameters
    ----------
    values : (n, m)
    rows, columns : n and m labels; numbers from 1 if left out
    title : str
    digits : int, decimals printed; colours are those of the rounded values
    mask : (n, m) bool, True = may look; the other cells are hatched and show no number
    row_title, column_title : str, what rows and columns are

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        The values are not a matrix, or labels or mask do not fit it.

    Examples
    --------
    >>> grid([[0.67, 0.33]], ["The"], ["The", "cat"])
    <picture: grid of 1 × 2>
    """
    titles = {"row_title": row_title, "column_title": column_title}
    return grids({title: values}, rows, columns, digits=digits, mask=mask, **titles)


def grids(matrices, rows=None, columns=None, *, digits=2, mask=None, row_title="query", column_title="key"):
    """Draw several matrices of one shape as grids side by side, each with its title.

    Parameters
    ----------
    matrices : dict of title: (n, m)
    rows, columns, digits, mask, row_title, column_title : as for `grid`; `digits` may be a list, one for each matrix

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        As `grid`; also if the matrices differ in shape.

    Examples
    --------
    >>> grids({"scores": [[1, 0]], "weights": [[0.73, 0.27]]}, ["The"], ["The", "cat"], digits=[0, 2])
    <picture: 2 grids of 1 × 2>
    """
    arrays = {title: _array(values) for title, values in matrices.items()}
    n, m = _one_shape(arrays)
    rows, columns = _labels("rows", rows, n), _labels("columns", columns, m)
    shown = np.ones((n, m), bool) if mask is None else _array(mask) > 0
    if shown.shape != (n, m):
        raise ValueError(f"mask has shape {shown.shape}, the values have {(n, m)}; expected the same")
    digits = digits if isinstance(digits, list) else [digits] * len(arrays)
    widest = max(len(f"{x:.{d}f}") for a, d in zip(arrays.values(), digits, strict=True) for x in a.flat)
    need = max(0.09 * widest + 0.12, max(map(_inches, columns)) + 0.1, max(map(_inches, arrays)) / m)
    left, gap = max(map(_inches, rows)) + 0.4, 0.3
    across, cell = _arrange(len(arrays), m, need, WIDTH - left, gap)
    width, height, above = m * cell, n * 0.42, 0.7
    down = -(-len(arrays) // across)
    size = left + across * (width + gap), down * (height + above)
    with _style():
        figure = Figure(figsize=size)
        for i, (title, array) in enumerate(arrays.items()):
            row, column = divmod(i, across)
            corner = left + column * (width + gap), (down - row - 1) * (height + above)
            axes = figure.add_axes((corner[0] / size[0], corner[1] / size[1], width / size[0], height / size[1]))
            _draw_grid(axes, array.round(digits[i]), shown, digits[i])
            axes.set_xticks(range(m), columns)
            axes.set_yticks(range(n), rows if column == 0 else [])
            axes.set_title(title, pad=32 if column_title else 20)
            lift = matplotlib.transforms.ScaledTranslation(0, 19 / 72, figure.dpi_scale_trans)
            title = f"{column_title} →" if column_title else ""
            axes.text(0.5, 1.0, title, transform=axes.transAxes + lift, **AXIS_TITLE)
            axes.set_ylabel(f"← {row_title}" if row_title and column == 0 else "", **AXIS_TITLE)
        count = f"{len(arrays)} grids" if len(arrays) > 1 else "grid"
        return _finish(figure, f"{count} of {n} × {m}")


def _inches(text):
    """About how wide a text of the usual size is."""
    return sum(0.145 if unicodedata.east_asian_width(letter) in "WF" else 0.085 for letter in text)


def _arrange(count, m, need, room, gap):
    """How many of `count` grids of m columns stand side by side, and how wide their cells are, at least `need`."""
    most = min(count, max(1, int((room + gap) // (m * need + gap))))
    across = -(-count // -(-count // most))  # as many in each row as can be, the rows alike
    return across, min(max(need, ((room + gap) / across - gap) / m), 1.1)


def product(left, right, result, rows=None, columns=None, numbers=None, *, digits=2):
    """Draw left × right = result as three grids, with the signs between them.

    Parameters
    ----------
    left, right, result : (caption, matrix) of shapes (n, m), (m, d) and (n, d)
    rows, columns, numbers : n, m and d labels
    digits : int, decimals printed

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        The shapes do not fit each other, or the labels do not fit them.

    Examples
    --------
    >>> product(("weights", [[0.5, 0.5]]), ("values", [[1], [3]]), ("output", [[2]]))
    <picture: 1 × 2 times 2 × 1 is 1 × 1>
    """
    captions, arrays = zip(*((caption, _array(matrix)) for caption, matrix in (left, right, result)), strict=True)
    shapes = [array.shape for array in arrays]
    (n, m), d = shapes[0], shapes[1][-1]
    if shapes[1:] != [(m, d), (n, d)]:
        raise ValueError(f"shapes {shapes}; expected (n, m), (m, d) and (n, d)")
    rows, columns, numbers = _labels("rows", rows, n), _labels("columns", columns, m), _labels("numbers", numbers, d)
    cell = max(0.44, max(map(_inches, columns)) + 0.06)
    gap = max(map(_inches, rows + columns)) + 0.5  # inches between two grids: a sign, and the next one's labels
    widths, heights = [cell * m, 0.44 * d, 0.44 * d], [0.36 * len(array) for array in arrays]
    starts = [0.0, widths[0] + gap, widths[0] + widths[1] + 2 * gap]
    tops, total = [0.5 + (max(heights) - height) / 2 for height in heights], starts[2] + widths[2]
    if total + gap > WIDTH:  # the result on a line of its own
        starts[2], tops[2], total = starts[1], max(heights[:2]) + 1.1, starts[1] + max(widths[1:])
    tall = max(top + height for top, height in zip(tops, heights, strict=True))
    sheet = Canvas(total, tall)
    axes = sheet._axes
    axes.invert_yaxis()  # inches from the left and from the top
    with _style():
        sides = [(rows, columns), (columns, numbers), (rows, numbers)]
        for i, (array, (down, across)) in enumerate(zip(arrays, sides, strict=True)):
            x, y = starts[i], tops[i]
            w, h = widths[i] / len(across), heights[i] / len(down)
            _draw_cells(axes, array.round(digits), np.ones(array.shape, bool), digits, (x, y), (w, h))
            for j, label in enumerate(across):
                axes.text(x + (j + 0.5) * w, y - 0.05, label, ha="center", va="bottom")
            for j, label in enumerate(down):
                axes.text(x - 0.05, y + (j + 0.5) * h, label, ha="right", va="center_baseline")
            axes.text(x + widths[i] / 2, y - 0.34, captions[i], ha="center", fontsize=10.5)
            axes.text(x - gap + 0.12, y + heights[i] / 2, ["", "×", "="][i], ha="center", va="center", fontsize=16)
    return sheet.picture(f"{n} × {m} times {m} × {d} is {n} × {d}")


def _one_shape(arrays):
    shapes = {title: array.shape for title, array in arrays.items()}
    if len(set(shapes.values())) != 1 or any(len(shape) != 2 for shape in shapes.values()):
        raise ValueError(f"the values have shapes {shapes}; expected matrices of one shape")
    return next(iter(shapes.values()))


def _labels(name, labels, count):
    labels = [str(i + 1) for i in range(count)] if labels is None else [str(label) for label in labels]
    if len(labels) != count:
        raise ValueError(f"{name} has {len(labels)} labels for {count} {name}; expected one each")
    return labels


def _draw_cells(axes, array, shown, digits, corner, size):
    """Paint the cells of one matrix: blue for what is above 0, orange for what is below, hatched where hidden.

    The darkest colour is that of 1, so that weights look alike in all figures, or of the largest number beyond it.
    No cell is so dark that black digits are hard to read on it.
    """
    (left, top), (width, height) = corner, size
    largest = np.abs(array[shown & np.isfinite(array)]).max(initial=1)
    up, down = matplotlib.colormaps["Blues"], matplotlib.colormaps["Oranges"]
    for i, j in np.ndindex(array.shape):
        number, x, y = array[i, j], left + j * width, top + i * height
        share = 0.55 * min(abs(number) / largest, 1)
        colour = (up if number >= 0 else down)(share) if np.isfinite(number) else (0.95, 0.95, 0.95)
        hidden = {"facecolor": "#f2f2f2", "hatch": "////", "edgecolor": "#aaaaaa"}
        look = {"facecolor": colour, "edgecolor": PAPER} if shown[i, j] else hidden
        axes.add_patch(Rectangle((x, y), width, height, linewidth=1.2, **look))
        if shown[i, j]:
            text = f"{number:.{digits}f}".replace("-", "−")
            axes.text(x + width / 2, y + height / 2, text, ha="center", va="center", color=INK)


def _draw_grid(axes, array, shown, digits):
    """Paint the cells of one matrix on axes of their own, a cell one unit wide and high."""
    n, m = array.shape
    _draw_cells(axes, array, shown, digits, (-0.5, -0.5), (1, 1))
    axes.set(xlim=(-0.5, m - 0.5), ylim=(n - 0.5, -0.5))
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def bars(values, labels, *, ylabel="", digits=2):
    """Draw a bar for each label with its number above it; several series stand side by side.

    Parameters
    ----------
    values : (m,), or dict of name: (m,)
    labels : m labels
    ylabel : str
    digits : int, decimals printed; bars are as high as the rounded values

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        There is not one label for each value.

    Examples
    --------
    >>> bars([0.67, 0.33], ["The", "cat"], ylabel="weight")
    <picture: bars of 2 values>
    """
    series = values if isinstance(values, dict) else {"": values}
    series = {name: _array(numbers).round(digits) for name, numbers in series.items()}
    m = len(next(iter(series.values())))
    labels = _labels("labels", labels, m)
    width = 0.8 / len(series)
    with _style():
        room = (digits + 2) * 0.088 * len(series) + 0.12, max(map(_inches, labels)) + 0.12
        figure = Figure(figsize=(max(m * max(room) + 0.6, WIDTH - 0.12), 2.3), layout="constrained")
        axes = figure.subplots()
        for i, (name, numbers) in enumerate(series.items()):
            place = np.arange(m) + (i - (len(series) - 1) / 2) * width
            colour = CYCLE[i % len(CYCLE)][0]
            axes.bar(place, numbers, width * 0.92, color=colour, label=name, hatch="//" * i, edgecolor=PAPER)
            for x, y in zip(place, numbers, strict=True):
                axes.text(x, max(y, 0), f"{y:.{digits}f}".replace("-", "−"), ha="center", va="bottom", fontsize=8.5)
        axes.set_xticks(range(m), labels)
        axes.tick_params(axis="x", length=0)
        axes.set_ylabel(ylabel)
        axes.margins(y=0.12)
        if len(series) > 1:
            _legend(axes)
        return _finish(figure, f"bars of {m} values")


def _legend(axes):
    ncols = 3 if sum(map(len, axes.get_legend_handles_labels()[1])) < 50 else 2  # as many as fit above the axes
    look = {"frameon": False, "fontsize": 9, "columnspacing": 1.2}
    axes.legend(loc="lower left", bbox_to_anchor=(-0.02, 1.0), ncols=ncols, **look)


def lines(x, series, *, spread=None, xlabel="", ylabel="", logx=False, logy=False, digits=4):
    """Draw one line for each series, told apart by colour, marker and dash, with an optional band around it.

    Parameters
    ----------
    x : (k,)
    series : dict of name: (k,)
    spread : dict of name: (low, high), each (k,), for the series that have a band
    xlabel, ylabel : str
    logx, logy : bool, logarithmic axes
    digits : int, significant digits to which the data are rounded before they are drawn

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        A series is not as long as x.

    Examples
    --------
    >>> lines([1, 2, 4], {"÷ √d": [0.3, 0.3, 0.2]}, xlabel="d", logx=True)
    <picture: lines through 3 points: ÷ √d>
    """
    x = _array(x)
    for name, y in series.items():
        if _array(y).shape != x.shape:
            raise ValueError(f"series {name!r} has shape {_array(y).shape}, x has {x.shape}; expected the same")
    with _style():
        figure = Figure(figsize=(WIDTH - 0.12, 3.1), layout="constrained")
        axes = figure.subplots()
        for (name, y), (colour, marker, dash) in zip(series.items(), itertools.cycle(CYCLE), strict=False):
            axes.plot(x, _significant(y, digits), dash, color=colour, marker=marker, markersize=5, label=name)
            if spread and name in spread:
                low, high = (_significant(edge, digits) for edge in spread[name])
                axes.fill_between(x, low, high, color=colour, alpha=0.18, linewidth=0)
        axes.set(xlabel=xlabel, ylabel=ylabel)
        if logx:
            axes.set_xscale("log", base=2)
            axes.set_xticks(x, [f"{v:g}" for v in x], minor=False)
        if logy:
            axes.set_yscale("log")
        axes.minorticks_off()
        axes.grid(color=PALE, linewidth=0.6)
        _legend(axes)
        return _finish(figure, f"lines through {len(x)} points: {', '.join(series)}")


def _significant(values, digits):
    """Round to so many significant digits, so that the last bits of a long sum move no line."""
    return np.array([float(f"{v:.{digits}g}") for v in _array(values)])


def over_image(image, weights, *, asks=None):
    """Draw a picture once for each set of weights over its patches: the less a patch weighs, the paler it is.

    Parameters
    ----------
    image : (H, W, 3), red, green and blue from 0 to 1
    weights : dict of title: (patches,), from 0 to 1, row by row; patches are squares
        NaN leaves a patch as it is; a weight of less than 0.1 is not printed.
    asks : int, the patch that looks, outlined

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        The image is none, or cannot be cut into so many squares.

    Examples
    --------
    >>> over_image([[[0, 0, 0], [1, 1, 1]]], {"query": [0.25, 0.75]})
    <picture: 1 picture of 1 × 2 patches>
    """
    image, weights = _array(image), {title: _array(row).round(2) for title, row in weights.items()}
    rows, columns = _patch_grid(image, weights)
    with _style():
        across = min(len(weights), max(1, round(3 * rows / columns)))
        down = -(-len(weights) // across)
        wide = WIDTH / max(across, 1.5)
        figure = Figure(figsize=(wide * across, (wide * rows / columns + 0.3) * down))
        panels = figure.subplots(down, across, squeeze=False, gridspec_kw={"wspace": 0.04, "hspace": 0.2}).ravel()
        for axes in panels:
            axes.axis("off")
        for axes, (title, row) in zip(panels, weights.items(), strict=False):
            _draw_image(axes, image, image.shape[1] / columns)
            for (i, j), weight in np.ndenumerate(row.reshape(rows, columns)):
                if not np.isnan(weight):
                    _veil(axes, i, j, weight)
            if asks is not None:
                i, j = divmod(asks, columns)
                axes.add_patch(Rectangle((j, i), 1, 1, fill=False, edgecolor=ORANGE, linewidth=2))
            axes.set(xlim=(0, columns), ylim=(rows, 0), aspect="equal")
            axes.set_title(title, color=GREY)  # to be read on a light page and on a dark one
        panels[0].set_gid("picture")  # by which the site knows not to turn its colours round in the dark
        pictures = f"{len(weights)} picture" + "s" * (len(weights) > 1)
        return _finish(figure, f"{pictures} of {rows} × {columns} patches", see_through=True)


def _patch_grid(image, weights):
    """How many rows and columns of square patches the image has, if each set has a weight for every patch."""
    if image.ndim != 3 or image.shape[-1] != 3:
        raise ValueError(f"image has shape {image.shape}; expected (H, W, 3)")
    counts = {title: row.shape for title, row in weights.items()}
    patches = next(iter(weights.values())).size
    rows = max(round((patches * image.shape[0] / image.shape[1]) ** 0.5), 1)
    columns = patches // rows
    square = rows * columns == patches and rows * image.shape[1] == columns * image.shape[0]
    if set(counts.values()) != {(patches,)} or not square:
        raise ValueError(f"weights have shapes {counts}, the image {image.shape}; expected one for each square patch")
    return rows, columns


def _draw_image(axes, image, patch):
    """Paint the pixels as rectangles, each row's runs of one colour in one piece; `patch` pixels are 1 long."""
    ground = {"facecolor": np.median(image, axis=(0, 1)).round(3), "edgecolor": "none"}  # shows in no seam
    axes.add_patch(Rectangle((0, 0), image.shape[1] / patch, len(image) / patch, **ground))
    for i, row in enumerate(image.round(3)):
        starts = np.flatnonzero(np.r_[True, (row[1:] != row[:-1]).any(axis=-1)])
        for start, end in zip(starts, np.r_[starts[1:], len(row)], strict=True):
            place, width = (start / patch, i / patch), (end - start) / patch
            look = {"facecolor": row[start], "edgecolor": "none", "antialiased": False}
            axes.add_patch(Rectangle(place, width, 1 / patch, **look))


def _veil(axes, i, j, weight):
    """Cover the patch in row i and column j with white that lets its weight through, and print the weight."""
    opacity = round(0.6 * (1 - weight), 2)
    axes.add_patch(Rectangle((j, i), 1, 1, facecolor=(1, 1, 1, opacity), edgecolor=PAPER, linewidth=0.8))
    if weight >= 0.1:
        plate = {"boxstyle": "round,pad=0.1", "facecolor": INK, "edgecolor": "none"}
        look = {"ha": "center", "va": "center", "fontsize": 7, "color": PAPER, "bbox": plate}
        axes.text(j + 0.5, i + 0.82, f"{weight:.2f}", **look)


def weighted_sum(weights, values, labels):
    """Draw values in the plane, each shrunk to its weight, and the shrunk arrows laid tip to tail up to the output.

    Between two values the straight line is dotted.

    Parameters
    ----------
    weights : (m,)
    values : (m, 2)
    labels : m labels

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        The values have not two components, or weights or labels are not as many as values.

    Examples
    --------
    >>> weighted_sum([0.67, 0.33], [[1, 2], [9, 8]], ["The", "cat"])
    <picture: weighted sum of 2 arrows>
    """
    weights, values = _array(weights), _array(values)
    labels = _labels("labels", labels, len(values))
    if values.shape != (len(weights), 2):
        raise ValueError(f"weights {weights.shape} and values {values.shape}; expected (m,) and (m, 2)")
    corners = np.vstack([[0, 0], np.cumsum(weights[:, None] * values, axis=0)]).round(4)
    plate = {"boxstyle": "square,pad=0.1", "facecolor": PAPER, "edgecolor": "none"}  # so that lines pass behind words
    with _style():
        figure = Figure(figsize=(WIDTH - 0.12, 4.0), layout="constrained")
        axes = figure.subplots()
        everything = np.vstack([corners, values])
        low, high = everything.min(axis=0), everything.max(axis=0)
        room = 0.05 * np.ptp(everything[:, 0])
        axes.set(xlim=(low[0] - 2 * room, high[0] + room), ylim=(low[1] - room, high[1] + 0.9))
        if len(values) == 2:
            axes.plot(*values.T, ":", color=INK, linewidth=1.2)
        for i, label in enumerate(labels):
            colour = CYCLE[i % len(CYCLE)][0]
            _arrow(axes, (0, 0), values[i], colour, alpha=0.35, dashed=True)
            axes.text(*values[i], f"{label}\u00a0", ha="right", va="bottom", color=colour)
            _arrow(axes, corners[i], corners[i + 1], colour, width=2.4)
            middle = (corners[i] + corners[i + 1]) / 2 + (room / 2, 0)
            text = f"{weights[i]:.2f} × {label}"
            axes.text(*middle, text, ha="left", va="top", fontsize=9, color=colour, bbox=plate)
        axes.plot(*corners[-1], "o", color=INK, markersize=6)
        x, y = (f"{c:.3f}" for c in weights @ values)
        axes.text(*(corners[-1] + (-room / 2, room / 2)), f"output\n({x}, {y})", ha="right", va="bottom", weight="bold")
        axes.set(xlabel="first number of the value", ylabel="second number", aspect="equal")
        axes.grid(color=PALE, linewidth=0.6)
        return _finish(figure, f"weighted sum of {len(labels)} arrows")


def _arrow(axes, start, end, colour=INK, *, width=1.4, alpha=1.0, dashed=False):
    look = {"color": colour, "linewidth": width, "alpha": alpha, "linestyle": "--" if dashed else "-"}
    shape = {"arrowstyle": "-|>", "mutation_scale": 11, "shrinkA": 0, "shrinkB": 0}
    axes.add_patch(FancyArrowPatch(start, end, **shape, **look))


class Canvas:
    """An empty sheet for a diagram: boxes, circles, arrows and words at places measured in inches.

    Parameters
    ----------
    width, height : float, inches

    Examples
    --------
    >>> sheet = Canvas(3, 1)
    >>> sheet.box(0.5, 0.5, "query")
    >>> sheet.arrow((1, 0.5), (2, 0.5))
    >>> sheet.picture("an arrow out of a box")
    <picture: an arrow out of a box>
    """

    def __init__(self, width, height):
        self._figure = Figure(figsize=(width, height))
        self._axes = self._figure.add_axes((0, 0, 1, 1))
        self._axes.set(xlim=(0, width), ylim=(0, height))
        self._axes.axis("off")

    def box(self, x, y, text="", *, width=0.9, height=0.36, colour=BLUE, filled=0.0):
        """Draw a box around the point (x, y), filled from 0 (paper) to 1 (its colour), with centred text."""
        rgb = np.array(matplotlib.colors.to_rgb(colour))
        face = tuple((1 - (1 - rgb) * (0.12 + 0.88 * filled)).round(3))
        corner = (x - width / 2, y - height / 2)
        self._axes.add_patch(FancyBboxPatch(corner, width, height, boxstyle="round,pad=0,rounding_size=0.05",
                                            facecolor=face, edgecolor=colour, linewidth=1.2))  # fmt: skip
        self.text(x, y, text, colour=_ink_on(face))

    def circle(self, x, y, text="", *, radius=0.16, colour=INK):
        """Draw a circle around the point (x, y) with centred text, for an operation such as a sum."""
        self._axes.add_patch(Circle((x, y), radius, facecolor=PAPER, edgecolor=colour, linewidth=1.2))
        self.text(x, y, text)

    def arrow(self, start, end, *, colour=INK, width=1.4, dashed=False):
        """Draw an arrow from the point `start` to the point `end`."""
        _arrow(self._axes, start, end, colour, width=width, dashed=dashed)

    def bar(self, x, y, height, *, width=0.3, colour=ORANGE):
        """Draw a bar that stands on the point (x, y)."""
        self._axes.add_patch(Rectangle((x - width / 2, y), width, round(height, 3), facecolor=colour))

    def text(self, x, y, text, *, fontsize=9.5, colour=INK, weight="normal"):
        """Write words centred at the point (x, y)."""
        self._axes.text(x, y, text, ha="center", va="center", fontsize=fontsize, color=colour, weight=weight)

    def picture(self, name):
        """Return the finished Picture; `name` says what it is where no picture can be shown."""
        with _style():
            return _finish(self._figure, name)


def circle(labels, arrows):
    """Draw names in a circle, clockwise from the top, and arrows from one to another.

    Parameters
    ----------
    labels : n labels, short ones
    arrows : pairs (from, to) of numbers into the labels

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        An arrow leads to its own start, or to or from a label that is not there.

    Examples
    --------
    >>> circle("ABC", [(0, 1), (1, 2), (2, 0)])
    <picture: circle of 3 with 3 arrows>
    """
    labels, pairs = [*map(str, labels)], [(int(a), int(b)) for a, b in arrows]
    if any(a == b or not {a, b} <= {*range(len(labels))} for a, b in pairs):
        raise ValueError(f"arrows {pairs} among {len(labels)} labels; expected pairs of two different labels")
    angles = np.pi / 2 - 2 * np.pi * np.arange(len(labels)) / len(labels)
    places = np.stack([2.4 + 1.25 * np.cos(angles), 1.6 + 1.25 * np.sin(angles)], axis=1).round(3)
    sheet = Canvas(4.8, 3.2)
    for a, b in pairs:
        edge = 0.25 * (places[b] - places[a]) / np.linalg.norm(places[b] - places[a])
        sheet.arrow(places[a] + edge, places[b] - edge)
    for label, (x, y) in zip(labels, places, strict=True):
        sheet.circle(x, y, label, radius=0.24, colour=ORANGE)
    return sheet.picture(f"circle of {len(labels)} with {len(pairs)} arrows")


def supply(panels):
    """Draw who asks above who supplies, and an arrow up from each supplier to each asker, the wider the more it weighs.

    Parameters
    ----------
    panels : dict of title: (weights (n, m) from 0 to 1, n labels of askers, m labels of suppliers)

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        There is not one label for each asker and each supplier.

    Examples
    --------
    >>> supply({"cross-attention": ([[0.8, 0.2]], ["I"], ["나는", "먹었다"])})
    <picture: who asks and who supplies, in 1 panel>
    """
    sheet = Canvas(5.2, 1.95 * len(panels))
    for i, (title, (weights, asks, gives)) in enumerate(panels.items()):
        weights, y = _array(weights).round(2), 1.95 * (len(panels) - 1 - i)
        asks, gives = _labels("rows", asks, len(weights)), _labels("columns", gives, weights.shape[-1])
        above, below = (1.6 + 3.4 * (np.arange(len(part)) + 0.5) / len(part) for part in (asks, gives))
        sheet.text(3.3, y + 1.8, title, weight="bold")
        for j, k in np.ndindex(weights.shape):
            if weights[j, k]:
                look = {"width": round(0.4 + 4 * weights[j, k], 2), "dashed": weights[j, k] < 0.1}
                sheet.arrow((below[k], y + 0.45), (above[j], y + 1.2), **look)
        for what, row, labels, height, colour in (
            ("ask:", above, asks, 1.4, ORANGE),
            ("supply:", below, gives, 0.26, BLUE),
        ):
            sheet.text(0.6, y + height, what)
            for x, label in zip(row, labels, strict=True):
                sheet.box(x, y + height, label, width=0.95, colour=colour)
    return sheet.picture(f"who asks and who supplies, in {len(panels)} panel" + "s" * (len(panels) > 1))


def shaded(tables, owners):
    """Draw stacks of small tables below each other, every number in the colour of its owner.

    Parameters
    ----------
    tables : dict of title: (heads, rows, columns), small whole numbers
    owners : dict of title: (heads, rows, columns), whose each number is, from 0

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        Tables and owners do not fit each other.

    Examples
    --------
    >>> shaded({"right": [[[11, 12]], [[13, 14]]]}, {"right": [[[0, 0]], [[0, 0]]]})
    <picture: 1 stack of shaded tables>
    """
    tables, owners = ({title: _array(x).astype(int) for title, x in part.items()} for part in (tables, owners))
    sizes = {title: (x.shape, owners[title].shape if title in owners else None) for title, x in tables.items()}
    if any(own != other or len(own) != 3 for own, other in sizes.values()):
        raise ValueError(f"tables and owners have shapes {sizes}; expected (heads, rows, columns) twice")
    height = sum(0.34 * x.shape[1] + 0.5 for x in tables.values())
    sheet = Canvas(1.4 + max(len(x) * (0.5 * x.shape[2] + 0.25) for x in tables.values()), height)
    for title, table in tables.items():
        sheet.text(0.65, height - 0.45, title)
        for h, block in enumerate(table):
            left = 1.5 + h * (0.5 * table.shape[2] + 0.25)
            sheet.text(left + 0.25 * (table.shape[2] - 1), height - 0.16, f"head {h + 1}", fontsize=9)
            for (row, column), number in np.ndenumerate(block):
                colour = CYCLE[owners[title][h, row, column] % len(CYCLE)][0]
                x, y = left + 0.5 * column, height - 0.45 - 0.34 * row
                sheet.box(x, y, str(number), width=0.46, height=0.3, colour=colour, filled=0.35)
        height -= 0.34 * table.shape[1] + 0.5
    return sheet.picture(f"{len(tables)} stack{'s' * (len(tables) > 1)} of shaded tables")


def online_steps(scores):
    """Draw the sum of an online softmax step by step: a bar for each term, old ones shrunk when a larger score comes.

    Parameters
    ----------
    scores : (m,)

    Returns
    -------
    Picture

    Raises
    ------
    TypeError
        The scores are not one list of numbers.

    Examples
    --------
    >>> online_steps([1, 2, 4])
    <picture: 3 steps of an online softmax>
    """
    scores, sheet, before = _array(scores), Canvas(5.2, 2.7), 0.0
    for step in range(1, len(scores) + 1):
        left, largest = 5.2 / len(scores) * (step - 1) + 0.3, scores[:step].max()
        terms = np.exp(scores[:step] - largest)
        for i, term in enumerate(terms):
            x, new = left + 0.48 * i, i == step - 1
            sheet.bar(x, 0.85, 1.2 * term, colour=ORANGE if new else BLUE)
            sheet.text(x, 0.7, f"{scores[i]:g}")
            sheet.text(x, 0.95 + 1.2 * term, f"{term:.3f}", fontsize=8.5)
        sheet.text(left + 0.45, 0.43, f"largest {largest:g}")
        sheet.text(left + 0.45, 0.18, f"sum {terms.sum():.3f}")
        if step > 1:
            sheet.text(left + 0.45, 2.55, f"old × {np.exp(before - largest):.3f}")
            sheet.arrow((left - 0.35, 2.38), (left + 0.95, 2.38))
        before = largest
    return sheet.picture(f"{len(scores)} steps of an online softmax")


def cache_steps(n):
    """Draw n steps of a decoder with a cache: what is kept of keys and values, what is new, and what the query asks.

    Parameters
    ----------
    n : int, up to 3 so that everything can be read

    Returns
    -------
    Picture

    Raises
    ------
    TypeError
        n is not an integer.

    Examples
    --------
    >>> cache_steps(3)
    <picture: 3 steps with a cache>
    """
    sheet = Canvas(5.2, 2.4)
    for step in range(n):
        left = 5.2 / n * step + 0.3
        last = left + 0.46 * step
        for i in range(step + 1):
            look = {"colour": ORANGE if i == step else BLUE, "filled": 0.3 * (i == step), "width": 0.4}
            sheet.box(left + 0.46 * i, 1.75, f"v{i + 1}", **look)
            sheet.box(left + 0.46 * i, 1.3, f"k{i + 1}", **look)
            sheet.arrow((last, 0.72), (left + 0.46 * i, 1.1))
            sheet.text(left + 0.46 * i, 2.08, "new" if i == step else "kept", fontsize=8)
        sheet.box(last, 0.5, f"q{step + 1}", colour=ORANGE, filled=0.3, width=0.4)
        sheet.text((left + last) / 2, 2.3, f"step {step + 1}", weight="bold")
        sheet.text((left + last) / 2, 0.12, f"scores: {step + 1}")
    return sheet.picture(f"{n} steps with a cache")


def shared_heads(heads, shared):
    """Draw heads of queries below, and above them the heads of keys and values which they share.

    Parameters
    ----------
    heads : int, heads of queries
    shared : dict of int, heads of keys and values: str, what stands below

    Returns
    -------
    Picture

    Raises
    ------
    TypeError
        heads is not an integer.
    ZeroDivisionError
        There are no heads of queries, or none are shared.

    Examples
    --------
    >>> shared_heads(8, {8: "384 numbers", 2: "96 numbers"})
    <picture: 8 heads of queries share 8, 2 heads of keys>
    """
    sheet, width = Canvas(5.2, 1.9), 5.2 / len(shared)
    apart = (width - 0.35) / heads
    for panel, (count, caption) in enumerate(shared.items()):
        left = panel * width + 0.2
        for head in range(heads):
            x, group = left + apart * head, head * count // heads
            above = left + apart * ((group + 0.5) * heads / count - 0.5)
            sheet.box(above, 1.35, "k v" if count < heads else "", width=max(0.75 * apart, 0.3 * (count < heads)))
            sheet.arrow((x, 0.6), (above, 1.15))
            sheet.circle(x, 0.5, radius=0.4 * apart, colour=ORANGE)
        middle = left + apart * (heads - 1) / 2
        sheet.text(middle, 1.75, f"keys and values: {count}")
        sheet.text(middle, 0.15, caption)
    counts = ", ".join(map(str, shared))
    return sheet.picture(f"{heads} heads of queries share {counts} heads of keys")


def between(weights, values, labels):
    """Draw the straight line between two values and, on it, the output that each pair of weights gives.

    Parameters
    ----------
    weights : dict of title: (2,)
    values : (2, 2)
    labels : 2 labels

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        The values are not two points of the plane, or weights or labels are not two.

    Examples
    --------
    >>> between({"output": [0.67, 0.33]}, [[1, 2], [9, 8]], ["The", "cat"])
    <picture: 1 output between 2 values>
    """
    weights, values = {title: _array(pair) for title, pair in weights.items()}, _array(values)
    labels = _labels("labels", labels, 2)
    shapes = {title: pair.shape for title, pair in weights.items()}
    if values.shape != (2, 2) or set(shapes.values()) != {(2,)}:
        raise ValueError(f"values {values.shape} and weights {shapes}; expected (2, 2) and (2,) each")
    with _style():
        figure = Figure(figsize=(WIDTH - 0.12, 2.8), layout="constrained")
        axes = figure.subplots()
        axes.plot(*values.T, "-", color=PALE, linewidth=3, zorder=1)
        below, above = {"ha": "left", "va": "top"}, {"ha": "right", "va": "bottom"}
        for label, point, colour in zip(labels, values, (BLUE, ORANGE), strict=True):
            axes.plot(*point, "s", color=colour, markersize=9)
            axes.annotate(label, point, (-8, 6), textcoords="offset points", color=colour, **above)
        axes.plot(*values.mean(axis=0), "o", markerfacecolor=PAPER, markeredgecolor=INK, markersize=11)
        axes.annotate("average", values.mean(axis=0), (-8, 6), textcoords="offset points", **above)
        for title, pair in weights.items():
            point = (pair @ values).round(4)
            axes.plot(*point, "o", color=INK, markersize=6)
            axes.annotate(f"{title}: {pair[1]:.2f} of the way", point, (8, -6), textcoords="offset points",
                          weight="bold", **below)  # fmt: skip
        room = 0.2 * np.ptp(values, axis=0).max()
        axes.set(xlim=(values[:, 0].min() - room, values[:, 0].max() + room))
        axes.set(ylim=(values[:, 1].min() - room / 2, values[:, 1].max() + room / 2))
        axes.set(xlabel="first number of the value", ylabel="second number")
        axes.grid(color=PALE, linewidth=0.6)
        return _finish(figure, f"{len(weights)} output{'s' * (len(weights) > 1)} between 2 values")


def _told(numbers):
    """'1, −0.5', a few numbers in a row."""
    return ", ".join(f"{x:g}" for x in _array(numbers).round(2)).replace("-", "−")


def stream(stops, parts):
    """Draw the numbers of one token on their way through a block: the residual stream, and what stands beside it.

    Parameters
    ----------
    stops : what the stream holds before, between and after the sums, a row of numbers each
    parts : (name, numbers that it gives) of a norm and its sub-layer for each sum, in their order

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        There are not two parts for each sum.

    Examples
    --------
    >>> stream([[1, 3], [2, 3]], [("norm", [-1, 1]), ("attention", [1, 0])])
    <picture: the stream past attention>
    """
    if len(parts) != 2 * (len(stops) - 1):
        raise ValueError(f"{len(parts)} parts for {len(stops)} stops; expected a norm and a sub-layer between any two")
    tall = 1.75
    top = tall * (len(stops) - 1) + 0.3
    sheet = Canvas(5.0, top + 0.3)
    sheet.arrow((1.1, top), (1.1, 0.48), width=3)
    for i, numbers in enumerate(stops):
        sheet.box(1.1, top - tall * i, _told(numbers), width=1.75, colour=ORANGE)
    for i, ((norm, normed), (layer, added)) in enumerate(zip(parts[::2], parts[1::2], strict=True)):
        y = top - tall * i - 0.5
        sheet.arrow((1.1, y), (2.15, y))
        sheet.box(2.75, y, norm, width=1.2, colour=GREEN)
        sheet.arrow((2.75, y - 0.18), (2.75, y - 0.47))
        sheet.box(2.75, y - 0.65, layer, width=1.2, colour=BLUE)
        sheet.arrow((2.15, y - 0.65), (1.26, y - 0.65))
        sheet.circle(1.1, y - 0.65, "+")
        sheet.text(4.2, y, _told(normed))
        sheet.text(4.2, y - 0.65, _told(added))
    return sheet.picture(f"the stream past {', '.join(name for name, _ in parts[1::2])}")


def blocks(columns):
    """Draw blocks side by side, each with its stream; the first supplies the cross-attention of the last.

    Parameters
    ----------
    columns : dict of title: names of the sub-layers, in their order

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        There is no column.

    Examples
    --------
    >>> blocks({"Encoder": ["self-attention"], "Decoder": ["self-attention", "cross-attention"]})
    <picture: Encoder and Decoder>
    """
    tall, deepest = 1.15, max(map(len, columns.values()))
    sheet = Canvas(2.6 * len(columns), tall * deepest + 0.75)
    for i, (title, layers) in enumerate(columns.items()):
        x, top = 2.6 * i + 1.0, tall * deepest + 0.3
        sheet.text(x + 0.2, top + 0.3, title, weight="bold")
        sheet.arrow((x + 1.25, top), (x + 1.25, top - tall * len(layers) - 0.1), width=3)
        for k, layer in enumerate(layers):
            y = top - 0.3 - tall * k
            sheet.arrow((x + 1.25, y), (x + 0.4, y))
            sheet.box(x, y, "norm", width=0.8, colour=GREEN)
            sheet.arrow((x, y - 0.18), (x, y - 0.42))
            sheet.box(x, y - 0.6, layer, width=1.9, colour=BLUE)
            sheet.arrow((x + 0.95, y - 0.6), (x + 1.12, y - 0.6))
            sheet.circle(x + 1.25, y - 0.6, "+", radius=0.13)
            if layer == "cross-attention" and i:
                lowest = tall * (deepest - len(next(iter(columns.values())))) + 0.1
                sheet.arrow((x - 1.35, lowest), (x - 0.97, y - 0.6), dashed=True)
    return sheet.picture(" and ".join(columns))


def arrows_over(scenes, *, printed=True):
    """Draw pictures side by side, each with arrows from one patch to the others: the wider, the more it weighs.

    What a patch gives itself is a ring around it.

    Parameters
    ----------
    scenes : dict of title: (image, start, weights)
        The image is (H, W, 3), from 0 to 1; start the patch that looks; weights (patches,) are from 0 to 1, row by row.
    printed : bool, whether weights of 0.1 or more are printed where they go, beside the arrow's head

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        An image is none, or cannot be cut into so many squares.

    Examples
    --------
    >>> arrows_over({"looks right": ([[[0, 0, 0], [1, 1, 1]]], 0, [0.25, 0.75])})
    <picture: arrows over 1 picture>
    """
    scenes = {title: (_array(image), start, _array(w).round(2)) for title, (image, start, w) in scenes.items()}
    with _style():
        wide = WIDTH / max(len(scenes), 1.5)
        figure = Figure(figsize=(wide * len(scenes), wide + 0.3))
        edges = {"left": 0, "right": 1, "bottom": 0, "top": wide / (wide + 0.3)}
        panels = np.atleast_1d(figure.subplots(1, len(scenes), gridspec_kw={"wspace": 0.04, **edges}))
        for axes, (title, (image, start, weights)) in zip(panels, scenes.items(), strict=True):
            rows, columns = _patch_grid(image, {title: weights})
            _draw_image(axes, image, image.shape[1] / columns)
            axes.hlines(range(1, rows), 0, columns, color="#74a56c", linewidth=0.6)
            axes.vlines(range(1, columns), 0, rows, color="#74a56c", linewidth=0.6)
            for patch in np.flatnonzero(weights):
                _weight_arrow(axes, divmod(start, columns), divmod(int(patch), columns), weights[patch], printed)
            axes.set(xlim=(0, columns), ylim=(rows, 0), aspect="equal")
            axes.set_title(title, color=GREY, **({"fontsize": 20} if len(title) == 1 else {}))  # a sign, not words
            axes.axis("off")
        panels[0].set_gid("picture")
        return _finish(figure, f"arrows over {len(scenes)} picture" + "s" * (len(scenes) > 1), see_through=True)


def _weight_arrow(axes, start, end, weight, printed):
    """An arrow between the middles of two patches (row, column), as wide as its weight; a ring where they are one."""
    (y, x), (i, j) = start, end
    look = {"color": INK, "linewidth": round(0.5 + 3.5 * weight, 2)}
    if start == end:
        axes.add_patch(Circle((x + 0.5, y + 0.5), 0.46, fill=False, **look))
    else:
        shape = {"arrowstyle": "-|>", "mutation_scale": round(6 + 9 * weight, 2), "shrinkA": 0, "shrinkB": 5}
        edge = [withStroke(linewidth=round(look["linewidth"] + 2, 2), foreground=PAPER)]  # stands out on dark patches
        axes.add_patch(FancyArrowPatch((x + 0.5, y + 0.5), (j + 0.5, i + 0.5), path_effects=edge, **shape, **look))
    if printed and weight >= 0.1:
        plate = {"boxstyle": "round,pad=0.15", "facecolor": INK, "edgecolor": "none"}
        place = {"ha": "center", "va": "center", "fontsize": 9, "zorder": 5}
        axes.text(j + 0.5, i + (0.2 if y > i else 0.9), f"{weight:.2f}", color=PAPER, bbox=plate, **place)


def photograph(side):
    """Return a square of a photograph in the public domain, Grace Hopper's portrait, which Matplotlib brings with it.

    Parameters
    ----------
    side : int, pixels along each side, at most 224

    Returns
    -------
    (side, side, 3), red, green and blue from 0 to 1

    Raises
    ------
    ValueError
        The side is not from 1 to 224.

    Examples
    --------
    >>> photograph(200).shape
    (200, 200, 3)
    """
    if not 1 <= side <= 224:
        raise ValueError(f"side is {side}; expected 1 to 224")
    with matplotlib.cbook.get_sample_data("grace_hopper.jpg") as file:
        pixels = matplotlib.image.imread(file, format="jpg")[20:468, 32:480] / 255
    small = pixels.reshape(224, 2, 224, 2, 3).mean(axis=(1, 3))
    edge = (224 - side) // 2
    return small[edge : edge + side, edge : edge + side]


def cut_photograph(image, patch_size, chosen):
    """Draw a picture with the lines along which it is cut into patches, and one of the patches enlarged beside it.

    Parameters
    ----------
    image : (H, W, 3), red, green and blue from 0 to 1
    patch_size : int, pixels along each side of a patch
    chosen : int, the patch that is enlarged, counted from 1, row by row

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        The image is none, cannot be cut into such patches, or has not so many.

    Examples
    --------
    >>> cut_photograph(np.zeros((4, 6, 3)), patch_size=2, chosen=5)
    <picture: 2 × 3 patches, one enlarged>
    """
    image, p = (_array(image) * 32).round() / 32, patch_size  # fewer colours, a smaller file
    if image.ndim != 3 or image.shape[0] % p or image.shape[1] % p:
        raise ValueError(
            f"patch_size is {p}, the image {image.shape}; expected (H, W, 3) and a number that divides both"
        )
    rows, columns = image.shape[0] // p, image.shape[1] // p
    if not 1 <= chosen <= rows * columns:
        raise ValueError(f"chosen is {chosen}; expected 1 to {rows * columns}")
    i, j = divmod(chosen - 1, columns)
    with _style():
        figure = Figure(figsize=(WIDTH, 3.2))
        whole, one = figure.subplots(1, 2, width_ratios=(1.5, 1))
        look = {"interpolation": "none", "extent": (0, columns, rows, 0)}
        whole.imshow(image, **look)
        whole.hlines(range(1, rows), 0, columns, color=PAPER, linewidth=0.8)
        whole.vlines(range(1, columns), 0, rows, color=PAPER, linewidth=0.8)
        whole.add_patch(Rectangle((j, i), 1, 1, fill=False, edgecolor=ORANGE, linewidth=3))
        one.imshow(image[i * p : (i + 1) * p, j * p : (j + 1) * p], interpolation="none")
        for axes, title in (
            (whole, f"{rows} × {columns} = {rows * columns} patches"),
            (one, f"patch {chosen}: {p} × {p} pixels"),
        ):
            axes.set_title(title, color=GREY)
            axes.axis("off")
        whole.set_gid("picture")
        return _finish(figure, f"{rows} × {columns} patches, one enlarged", see_through=True)


def _draw_runs(axes, array, height):
    """Paint each row's runs of one number as a stroke so many points high, all strokes of one number in one path."""
    up, down = matplotlib.colormaps["Blues"], matplotlib.colormaps["Oranges"]
    strokes = {}
    for i, row in enumerate(array):
        edges = [0, *(np.flatnonzero(row[1:] != row[:-1]) + 1), len(row)]
        for start, end in itertools.pairwise(edges):
            strokes.setdefault(row[start], []).extend([(start - 0.5, i), (end - 0.5, i)])
    for value, corners in strokes.items():
        if value:
            codes = [matplotlib.path.Path.MOVETO, matplotlib.path.Path.LINETO] * (len(corners) // 2)
            path, colour = matplotlib.path.Path(corners, codes), (up if value > 0 else down)(0.2 + 0.6 * abs(value))
            look = {"facecolor": "none", "edgecolor": colour, "linewidth": height, "capstyle": "butt"}
            axes.add_patch(matplotlib.patches.PathPatch(path, **look))


def grouped(matrices, groups):
    """Draw square matrices side by side, a coloured square for each number and no digits; groups are framed and named.

    Parameters
    ----------
    matrices : dict of title: (n, n), from -1 (orange) over 0 (paper) to 1 (blue); drawn in steps of 0.2
    groups : n names; those of one group stand together and have one name

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        The matrices are not square or differ in shape, or there is not a name for each row.

    Examples
    --------
    >>> grouped({"alike": [[1, 0.9, 0], [0.9, 1, 0], [0, 0, 1]]}, ["noun", "noun", "verb"])
    <picture: 1 map of 3 × 3>
    """
    arrays = {title: _array(values) for title, values in matrices.items()}
    n, m = _one_shape(arrays)
    if n != m:
        raise ValueError(f"the matrices have shape {(n, m)}; expected square ones")
    groups = _labels("rows", groups, n)
    starts = [i for i in range(n) if i == 0 or groups[i] != groups[i - 1]]
    middles = [(a + b - 1) / 2 for a, b in itertools.pairwise([*starts, n])]
    with _style():
        side = (WIDTH - 1.4) / len(arrays) if len(arrays) > 1 else 3.0
        figure = Figure(figsize=(side * len(arrays), side))
        edges = {"left": 0, "right": 1, "bottom": 0, "top": 1}
        panels = np.atleast_1d(figure.subplots(1, len(arrays), gridspec_kw={"wspace": 0.08, **edges}))
        for axes, (title, array) in zip(panels, arrays.items(), strict=True):
            axes.set(xlim=(-0.5, n - 0.5), ylim=(n - 0.5, -0.5), aspect="equal", title=title)
            _draw_runs(axes, (array * 5).round() / 5, side * 71 / n)
            for start in starts[1:]:
                axes.axhline(start - 0.5, color=PALE, linewidth=0.8)
                axes.axvline(start - 0.5, color=PALE, linewidth=0.8)
            axes.set_xticks([])
            axes.set_yticks(
                middles if axes is panels[0] else [], [groups[i] for i in starts][: n * (axes is panels[0])]
            )
            axes.tick_params(length=0, labelsize=9)
            axes.spines[:].set(visible=True, color=PALE)
        return _finish(figure, f"{len(arrays)} map" + "s" * (len(arrays) > 1) + f" of {n} × {n}")


def steer(query, keys, values, words, *, asks):
    """Draw a query between two keys, and beside it the mix of the two values that softmax attention makes of them.

    It is the first state of the picture to touch of chapter 1, and carries what that picture needs.

    Parameters
    ----------
    query : (2,)
    keys, values : (2, 2)
    words : 2 str, whose keys and values they are
    asks : str, the word that asks

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        The query is not a vector of two numbers, or there are not two keys and values of two numbers.

    Examples
    --------
    >>> steer([1.2, 0.6], [[2, 0], [0, 2]], [[2, 0], [0, 2]], ["river", "money"], asks="bank")
    <picture: a query between 2 keys, and the mix of their values>
    """
    query, keys, values = _array(query), _array(keys), _array(values)
    if query.shape != (2,) or keys.shape != (2, 2) or values.shape != (2, 2):
        raise ValueError(f"query, keys and values have shapes {query.shape}, {keys.shape}, {values.shape}")
    output, (weights,) = scaled_dot_product_attention(query[None], keys, values)
    with _style():
        figure = Figure(figsize=(WIDTH - 0.12, 2.5), layout="constrained")
        left, right = figure.subplots(1, 2)
        for axes, title in ((left, "The question and two labels"), (right, "What is mixed")):
            axes.set_title(title, loc="left", color=GREY, fontsize=10)
            axes.axhline(0, color=PALE, linewidth=0.8)
            axes.axvline(0, color=PALE, linewidth=0.8)
            axes.set(xlim=(-1, 3.2), ylim=(-1, 3.2), aspect="equal")
            axes.axis("off")
        across = np.array([keys[1, 1] - keys[0, 1], keys[0, 0] - keys[1, 0]])
        ends = query + np.outer([-1, 1], 1.6 * across / np.linalg.norm(across))
        left.plot(*ends.T, "--", color=BLUE, linewidth=1)
        for key, word in zip(keys, words, strict=True):
            left.plot(*zip([0, 0], key, strict=True), color=PURPLE, linewidth=1.8)
            left.annotate(word, key, (5, 5), textcoords="offset points", color=PURPLE)
        left.plot(*zip([0, 0], query, strict=True), color=BLUE, linewidth=2.2)
        left.plot(*query, "o", color=BLUE, markersize=8)
        left.annotate(asks, query, (8, -12), textcoords="offset points", color=BLUE, weight="bold")
        right.plot(*values.T, ":", color=GREY, linewidth=1.4)
        for value, word, weight in zip(values, words, weights, strict=True):
            right.plot(*value, "o", color=GREEN, markersize=6)
            right.annotate(f"{word} {weight:.2f}", value, (6, 5), textcoords="offset points", color=GREEN)
        right.plot(*output[0], "o", color=ORANGE, markersize=8)
        picture = _finish(figure, "a query between 2 keys, and the mix of their values")
    inputs = {"words": words, "asks": asks, "keys": keys, "values": values, "query": query}
    return with_inputs(picture, "01-steer", inputs)


def with_inputs(picture, name, inputs):
    """Let a figure carry what the picture to touch of this name starts from, as JSON that a page reads.

    Parameters
    ----------
    picture : Picture
    name : str, of a module in `web/pictures`
    inputs : dict of str: array, list, number or str

    Returns
    -------
    Picture

    Examples
    --------
    >>> 'data-picture="00-none">{"n": 3}' in with_inputs(grid([[1.0]]), "00-none", {"n": 3}).svg
    True
    """
    plain = {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in inputs.items()}
    content = json.dumps(plain, ensure_ascii=False).replace("&", "&amp;").replace("<", "&lt;")
    carried = f'<metadata id="picture" data-picture="{name}">{content}</metadata>\n</svg>'
    return Picture(carried.join(picture.svg.rsplit("</svg>", 1)), picture.name)
