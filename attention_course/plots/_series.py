"""Series of numbers: bars and lines."""

import itertools
import textwrap

import numpy as np
from matplotlib.figure import Figure

from ._given import as_array, check_labels, format_number, text_width
from ._style import CYCLE, GREY, PALE, PAPER, WIDTH, book_style, finish, panel

LINE = 12.5  # points, from one line of letters to the next


def bars(values, labels, *, ylabel="", digits=2):
    """Draw a bar for each label with its number above it; several series stand side by side, or below each other.

    Parameters
    ----------
    values : (m,), or dict of name: (m,)
    labels : m labels
    digits : int, decimals printed; bars are as high as the rounded values

    Examples
    --------
    >>> bars([0.67, 0.33], ["The", "cat"], ylabel="weight")
    <picture: bars of 2 values>
    """
    series = values if isinstance(values, dict) else {"": values}
    series = {name: as_array(numbers).round(digits) for name, numbers in series.items()}
    m = len(next(iter(series.values())))
    labels = check_labels("labels", labels, m)
    room = m * max((digits + 2) * 0.09 * len(series) + 0.12, max(map(text_width, labels)) + 0.04)
    stacked = len(series) > 1 and room + 0.6 > WIDTH  # below each other, a panel for each
    with book_style():
        down, width = (len(series), 0.7) if stacked else (1, 0.8 / len(series))
        height = 1.35 * down if stacked else 2.3
        figure = Figure(figsize=(max(WIDTH, 0 if stacked else room + 0.6) - 0.12, height), layout="constrained")
        panels = figure.subplots(down, sharex=True, sharey=True, squeeze=False)[:, 0]
        for i, (name, numbers) in enumerate(series.items()):
            axes = panels[i if stacked else 0]
            place = np.arange(m) + (0 if stacked else (i - (len(series) - 1) / 2) * width)
            colour = CYCLE[i % len(CYCLE)][0]
            axes.bar(place, numbers, width * 0.92, color=colour, label=name, hatch="//" * i, edgecolor=PAPER)
            for x, y in zip(place, numbers, strict=True):
                axes.text(x, max(y, 0), format_number(y, digits), ha="center", va="bottom")
            axes.set_title(name if stacked else "")
        for axes in panels:
            axes.set_xticks(range(m), labels)
            axes.tick_params(axis="x", length=0)
            axes.margins(y=0.25 if stacked else 0.12)
        panels[-1].set_ylabel(ylabel)
        if len(series) > 1 and not stacked:
            _add_legend(axes)
        return finish(figure, f"bars of {m} values")


def lines(x, series, *, xlabel="", ylabel="", logx=False, logy=False, digits=4):
    """Draw one line for each series, told apart by colour, marker and dash and named at its end.

    A series with *baseline* in its name is a muted dashed line.

    Parameters
    ----------
    x : (k,)
    series : dict of name: (k,)
    logx, logy : bool, logarithmic axes
    digits : int, significant digits to which the data are rounded before they are drawn

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
        looks, ends, gaps = itertools.cycle(CYCLE), {}, False
        for name, y in series.items():
            colour, marker, dash = (GREY, "", "--") if "baseline" in name else next(looks)
            drawn = _round_significant(y, digits)
            axes.plot(x, drawn, dash, color=colour, marker=marker, label=name)
            ends[name] = x[-1], drawn[-1], colour
            gaps = gaps or not np.isfinite(drawn).all()
        axes.set(xlabel=xlabel, ylabel=ylabel)
        if logx:
            axes.set_xscale("log", base=2)
            labels = [f"{v:g}" for v in x]
            crowded = sum(map(text_width, labels)) > 2.6
            axes.set_xticks(x, [label if i % 2 == 0 or not crowded else "" for i, label in enumerate(labels)])
        if logy:
            axes.set_yscale("log")
        axes.minorticks_off()
        axes.grid(axis="y", color=PALE, linewidth=0.6)
        if gaps:  # points rather than lines
            _add_legend(axes)
        else:
            _name_ends(axes, ends)
        return finish(figure, f"lines through {len(x)} points: {', '.join(series)}")


def _name_ends(axes, ends):
    """Write each line's name beside its end, moved up or down where another one is in the way."""
    names = {name: textwrap.fill(name, 15) for name in ends}
    axes.figure.draw_without_rendering()  # lays out the axes, so that places are known
    points = 72 / axes.figure.dpi
    places = {name: axes.transData.transform(end[:2])[1] * points for name, end in ends.items()}
    order = sorted(places, key=places.get)
    heights = [LINE * (names[name].count("\n") + 1) for name in order]
    moved = dict(zip(order, _spread([places[name] for name in order], heights), strict=True))
    for name, (x, y, colour) in ends.items():
        offset = (7, round(moved[name] - places[name], 1))
        look = {"color": colour, "va": "center", "annotation_clip": False, "linespacing": 1.05}
        axes.annotate(names[name], (x, y), offset, textcoords="offset points", **look)


def _spread(places, heights):
    """Move rising places so that things so high don't overlap: those in each other's way stay around their middle."""
    groups = []  # of the places, moved so that things lie on each other: how many, and where the lowest begins
    below = np.cumsum([0, *heights[:-1]])
    for start, height, under in zip(places, heights, below, strict=True):
        groups.append([1, start - height / 2 - under])
        while len(groups) > 1 and groups[-2][1] > groups[-1][1]:
            count, base = groups.pop()
            groups[-1] = [groups[-1][0] + count, np.average([groups[-1][1], base], weights=[groups[-1][0], count])]
    bases = [base for count, base in groups for _ in range(count)]
    return [base + under + height / 2 for base, under, height in zip(bases, below, heights, strict=True)]


def _add_legend(axes):
    widest = max(map(text_width, axes.get_legend_handles_labels()[1])) + 0.6  # with its line
    ncols = max(1, min(3, int((WIDTH - 0.5) // widest)))  # as many as fit above the axes
    look = {"frameon": False, "columnspacing": 1.2}
    axes.legend(loc="lower left", bbox_to_anchor=(-0.02, 1.0), ncols=ncols, **look)


def _round_significant(values, digits):
    """Round to so many significant digits, so that the last bits of a long sum move no line."""
    return np.array([float(f"{v:.{digits}g}") for v in as_array(values)])
