"""Series of numbers: bars and lines."""

import itertools
import textwrap

import numpy as np
from matplotlib.figure import Figure

from ._style import (
    CYCLE,
    GREY,
    PALE,
    PAPER,
    WIDTH,
    as_array,
    book_style,
    check_labels,
    finish,
    format_number,
    panel,
    text_width,
)

LINE = 12.5  # points, from one line of letters to the next


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
    series = {name: as_array(numbers).round(digits) for name, numbers in series.items()}
    m = len(next(iter(series.values())))
    labels = check_labels("labels", labels, m)
    width = 0.8 / len(series)
    with book_style():
        room = (digits + 2) * 0.09 * len(series) + 0.12, max(map(text_width, labels)) + 0.12
        figure = Figure(figsize=(max(m * max(room) + 0.6, WIDTH - 0.12), 2.3), layout="constrained")
        axes = figure.subplots()
        for i, (name, numbers) in enumerate(series.items()):
            place = np.arange(m) + (i - (len(series) - 1) / 2) * width
            colour = CYCLE[i % len(CYCLE)][0]
            axes.bar(place, numbers, width * 0.92, color=colour, label=name, hatch="//" * i, edgecolor=PAPER)
            for x, y in zip(place, numbers, strict=True):
                axes.text(x, max(y, 0), format_number(y, digits), ha="center", va="bottom")
        axes.set_xticks(range(m), labels)
        axes.tick_params(axis="x", length=0)
        axes.set_ylabel(ylabel)
        axes.margins(y=0.12)
        if len(series) > 1:
            _add_legend(axes)
        return finish(figure, f"bars of {m} values")


def lines(x, series, *, spread=None, xlabel="", ylabel="", logx=False, logy=False, digits=4):
    """Draw one line for each series, told apart by colour, marker and dash and named at its end.

    A series with *baseline* in its name is a muted dashed line.

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
    x = as_array(x)
    for name, y in series.items():
        if as_array(y).shape != x.shape:
            raise ValueError(f"series {name!r} has shape {as_array(y).shape}, x has {x.shape}; expected the same")
    with book_style():
        figure, axes = panel(3.1)
        looks, ends = itertools.cycle(CYCLE), {}
        for name, y in series.items():
            colour, marker, dash = (GREY, "", "--") if "baseline" in name else next(looks)
            drawn = _round_significant(y, digits)
            axes.plot(x, drawn, dash, color=colour, marker=marker)
            last = np.flatnonzero(np.isfinite(drawn))[-1]
            ends[name] = x[last], drawn[last], colour
            if spread and name in spread:
                low, high = (_round_significant(edge, digits) for edge in spread[name])
                axes.fill_between(x, low, high, color=colour, alpha=0.18, linewidth=0)
        axes.set(xlabel=xlabel, ylabel=ylabel)
        if logx:
            axes.set_xscale("log", base=2)
            axes.set_xticks(x, [f"{v:g}" for v in x], minor=False)
        if logy:
            axes.set_yscale("log")
        axes.minorticks_off()
        axes.grid(axis="y", color=PALE, linewidth=0.6)
        _name_ends(axes, ends)
        return finish(figure, f"lines through {len(x)} points: {', '.join(series)}")


def _name_ends(axes, ends):
    """Write each line's name beside its end, moved up or down where another one is in the way."""
    names = {name: textwrap.fill(name, 15) for name in ends}
    axes.figure.draw_without_rendering()  # lays out the axes, so that places are known
    points = 72 / axes.figure.dpi
    places = {name: axes.transData.transform(end[:2])[1] * points for name, end in ends.items()}
    free, moved = -np.inf, {}
    for name in sorted(places, key=places.get):
        tall = LINE * (names[name].count("\n") + 1)
        moved[name] = max(places[name], free + tall / 2)
        free = moved[name] + tall / 2
    spill = max(0, (free - axes.bbox.y1 * points - LINE) / 2)  # above the axes: the names move down together
    for name, (x, y, colour) in ends.items():
        offset = (7, round(moved[name] - places[name] - spill, 1))
        look = {"color": colour, "va": "center", "annotation_clip": False, "linespacing": 1.05}
        axes.annotate(names[name], (x, y), offset, textcoords="offset points", **look)


def _add_legend(axes):
    ncols = 3 if sum(map(len, axes.get_legend_handles_labels()[1])) < 50 else 2  # as many as fit above the axes
    look = {"frameon": False, "columnspacing": 1.2}
    axes.legend(loc="lower left", bbox_to_anchor=(-0.02, 1.0), ncols=ncols, **look)


def _round_significant(values, digits):
    """Round to so many significant digits, so that the last bits of a long sum move no line."""
    return np.array([float(f"{v:.{digits}g}") for v in as_array(values)])
