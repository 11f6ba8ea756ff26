"""Matrices: grids of printed numbers, a product of two, and maps too large for digits."""

import itertools

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from ._canvas import Canvas
from ._given import as_array, check_labels, check_one_shape, format_number, plural, text_width
from ._style import AXIS_TITLE, BLUE, GREY, INK, ORANGE, PALE, PAPER, WIDTH, book_style, finish, tint


def grid(values, rows=None, columns=None, *, title="", digits=2, mask=None, row_title="query", column_title="key"):
    """Draw a matrix as a grid of cells with the numbers printed in them: a row for each query, a column for each key.

    Parameters
    ----------
    values : (n, m)
    rows, columns : n and m labels; numbers from 1 if left out
    digits : int, decimals printed; colours are those of the rounded values
    mask : (n, m) bool, True = may look; the other cells are hatched and show no number
    row_title, column_title : str, what rows and columns are

    Examples
    --------
    >>> grid([[0.67, 0.33]], ["The"], ["The", "cat"])
    <picture: grid of 1 × 2>
    """
    titles = {"row_title": row_title, "column_title": column_title}
    return grids({title: values}, rows, columns, digits=digits, mask=mask, **titles)


def grids(matrices, rows=None, columns=None, *, digits=2, mask=None, row_title="query", column_title="key"):
    """Draw several matrices of one shape as grids side by side, each with its title.

    `matrices` is a dict of title: (n, m). All other arguments are as for `grid`, but `digits` may be a list, one int
    for each matrix.

    >>> grids({"scores": [[1, 0]], "weights": [[0.73, 0.27]]}, ["The"], ["The", "cat"], digits=[0, 2])
    <picture: 2 grids of 1 × 2>
    """
    arrays = {title: as_array(values) for title, values in matrices.items()}
    n, m = check_one_shape(arrays)
    rows, columns = check_labels("rows", rows, n), check_labels("columns", columns, m)
    shown = np.ones((n, m), bool) if mask is None else as_array(mask) > 0
    if shown.shape != (n, m):
        raise ValueError(f"mask has shape {shown.shape}, the values have {(n, m)}; expected the same")
    digits = digits if isinstance(digits, list) else [digits] * len(arrays)
    left, gap, whole = max(map(text_width, rows)) + 0.1 + 0.3 * bool(row_title), 0.3, WIDTH - 0.15
    widest = max(len(f"{x:.{d}f}") for a, d in zip(arrays.values(), digits, strict=True) for x in a.flat)
    labels, numbers = max(map(text_width, columns)) + 0.1, 0.09 * widest + 0.06
    upright = m * labels > whole - left  # labels that are too long for their columns
    brief = m * numbers > whole - left  # numbers that are too long: .25, and none below a tenth
    need = max(0.27 if brief else numbers, 0.2 if upright else labels, max(map(text_width, arrays)) / m)
    across, cell = _arrange(len(arrays), m, need, whole - left, gap)
    width, height, above = m * cell, n * 0.38, 0.75 + (labels - 0.2 if upright else 0)
    down = -(-len(arrays) // across)
    size = left + across * (width + gap), down * (height + above)
    with book_style():
        figure = Figure(figsize=size)
        for i, (title, array) in enumerate(arrays.items()):
            row, column = divmod(i, across)
            corner = left + column * (width + gap), (down - row - 1) * (height + above)
            axes = figure.add_axes((corner[0] / size[0], corner[1] / size[1], width / size[0], height / size[1]))
            _draw_cells(axes, array.round(digits[i]), shown, digits[i], (-0.5, -0.5), (1, 1), brief)
            axes.set(xlim=(-0.5, m - 0.5), ylim=(n - 0.5, -0.5))
            axes.xaxis.tick_top()
            axes.tick_params(length=0)
            axes.spines[:].set_visible(False)
            axes.set_xticks(range(m), columns, rotation=90 if upright else 0)
            axes.set_yticks(range(n), rows if column == 0 else [])
            high = 72 * labels - 2 if upright else 19  # points: the labels
            axes.set_title(title, pad=high + (16 if column_title else 1))
            lift = matplotlib.transforms.ScaledTranslation(0, high / 72, figure.dpi_scale_trans)
            title = f"{column_title} →" if column_title else ""
            axes.text(0.5, 1.0, title, transform=axes.transAxes + lift, **AXIS_TITLE)
            axes.set_ylabel(f"← {row_title}" if row_title and column == 0 else "", **AXIS_TITLE)
        count = f"{len(arrays)} grids" if len(arrays) > 1 else "grid"
        return finish(figure, f"{count} of {n} × {m}")


def _arrange(count, m, need, room, gap):
    """How many of `count` grids of m columns stand side by side, and how wide their cells are, at least `need`."""
    most = min(count, max(1, int((room + gap) // (m * need + gap))))
    across = -(-count // -(-count // most))  # as many in each row as can be, the rows alike
    return across, min(max(need, ((room + gap) / across - gap) / m), 1.1)


def _draw_cells(axes, array, shown, digits, corner, size, brief=False):
    """Paint the cells of one matrix: orange if all lie from 0 to 1, as weights do, else grey, hatched where hidden.

    If some are above 0 and some below, they are blue and orange. The darkest colour is that of 1, so that weights look
    alike in all figures, or of the largest number beyond it.
    """
    (left, top), (width, height) = corner, size
    seen = array[shown & np.isfinite(array)]
    largest, signs = np.abs(seen).max(initial=1), {*np.sign(seen)} - {0}
    up, down = (BLUE, ORANGE) if len(signs) == 2 else [ORANGE if ((seen >= 0) & (seen <= 1)).all() else GREY] * 2
    for i, j in np.ndindex(array.shape):
        number, x, y = array[i, j], left + j * width, top + i * height
        face = tint(up if number > 0 else down, abs(number) / largest) if np.isfinite(number) else "none"
        hidden = {"facecolor": "none", "hatch": "////", "edgecolor": PALE}
        look = {"facecolor": face, "edgecolor": PAPER} if shown[i, j] else hidden
        axes.add_patch(Rectangle((x, y), width, height, linewidth=1.2, **look))
        if shown[i, j] and not (brief and abs(number) < 0.1):
            text = format_number(number, digits).replace("0.", "." if brief else "0.")
            axes.text(x + width / 2, y + height / 2, text, ha="center", va="center", color=INK)


def product(left, right, result, rows=None, columns=None, numbers=None, *, digits=2):
    """Draw left × right = result as three grids, with the signs between them.

    Parameters
    ----------
    left, right, result : (caption, matrix) of shapes (n, m), (m, d) and (n, d)
    rows, columns, numbers : n, m and d labels
    digits : int, decimals printed

    Examples
    --------
    >>> product(("weights", [[0.5, 0.5]]), ("values", [[1], [3]]), ("output", [[2]]))
    <picture: 1 × 2 times 2 × 1 is 1 × 1>
    """
    captions, arrays = zip(*((caption, as_array(matrix)) for caption, matrix in (left, right, result)), strict=True)
    shapes = [array.shape for array in arrays]
    (n, m), d = shapes[0], shapes[1][-1]
    if shapes[1:] != [(m, d), (n, d)]:
        raise ValueError(f"shapes {shapes}; expected (n, m), (m, d) and (n, d)")
    rows, columns = check_labels("rows", rows, n), check_labels("columns", columns, m)
    numbers = check_labels("numbers", numbers, d)
    cell = max(0.44, max(map(text_width, columns)) + 0.02)
    labels = max(map(text_width, rows + columns)) + 0.05
    gap = labels + 0.25  # inches between two grids: a sign, and the next one's labels
    widths, heights = [cell * m, 0.44 * d, 0.44 * d], [0.36 * len(array) for array in arrays]
    starts = [0.0, widths[0] + gap, widths[0] + widths[1] + 2 * gap]
    tops, total = [0.5 + (max(heights) - height) / 2 for height in heights], starts[2] + widths[2]
    room = WIDTH - 0.12 - labels
    if total > room and starts[1] + widths[1] <= room:  # the result on a line of its own
        starts[2], tops[2], total = starts[1], max(heights[:2]) + 1.1, starts[1] + max(widths[1:])
    elif total > room:  # the first on a line of its own
        starts[1:] = 0.2, 0.2 + widths[1] + gap
        tops, total = [0.5, *[heights[0] + 1.1] * 2], max(widths[0], starts[2] + widths[2])
    tall = max(top + height for top, height in zip(tops, heights, strict=True))
    sheet = Canvas(total, tall)
    axes = sheet._axes
    axes.invert_yaxis()  # inches from the left and from the top
    with book_style():
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
            axes.text(x - labels - 0.12, y + heights[i] / 2, ["", "×", "="][i], ha="center", va="center", fontsize=16)
    return sheet.picture(f"{n} × {m} times {m} × {d} is {n} × {d}")


def grouped(matrices, groups):
    """Draw square matrices side by side, a coloured square for each number and no digits; groups are framed and named.

    `matrices` is a dict of title: (n, n), from -1 (orange) over 0 (paper) to 1 (blue); they are drawn in steps of 0.2.
    `groups` are n names; those of one group stand together and have one name.

    >>> grouped({"alike": [[1, 0.9, 0], [0.9, 1, 0], [0, 0, 1]]}, ["noun", "noun", "verb"])
    <picture: 1 map of 3 × 3>
    """
    arrays = {title: as_array(values) for title, values in matrices.items()}
    n, m = check_one_shape(arrays)
    if n != m:
        raise ValueError(f"the matrices have shape {(n, m)}; expected square ones")
    groups = check_labels("rows", groups, n)
    starts = [i for i in range(n) if i == 0 or groups[i] != groups[i - 1]]
    middles = [(a + b - 1) / 2 for a, b in itertools.pairwise([*starts, n])]
    with book_style():
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
            axes.set(xticks=[], yticks=[])
            axes.tick_params(length=0)
            axes.spines[:].set(visible=True, color=PALE)
        panels[0].set_yticks(middles, [groups[i] for i in starts])
        return finish(figure, f"{plural(len(arrays), 'map')} of {n} × {n}")


def _draw_runs(axes, array, height):
    """Paint each row's runs of one number as a stroke so many points high, all strokes of one number in one path."""
    strokes = {}
    for i, row in enumerate(array):
        edges = [0, *(np.flatnonzero(row[1:] != row[:-1]) + 1), len(row)]
        for start, end in itertools.pairwise(edges):
            strokes.setdefault(row[start], []).extend([(start - 0.5, i), (end - 0.5, i)])
    for value, corners in strokes.items():
        if value:
            codes = [matplotlib.path.Path.MOVETO, matplotlib.path.Path.LINETO] * (len(corners) // 2)
            path, colour = matplotlib.path.Path(corners, codes), (BLUE if value > 0 else ORANGE, abs(value).round(1))
            look = {"facecolor": "none", "edgecolor": colour, "linewidth": height, "capstyle": "butt"}
            axes.add_patch(matplotlib.patches.PathPatch(path, **look))
