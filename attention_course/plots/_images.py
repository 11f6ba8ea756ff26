"""Pictures cut into patches, and the weights of their patches."""

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch, Rectangle
from matplotlib.patheffects import withStroke

from ._given import as_array, plural
from ._style import GREY, INK, ORANGE, PAPER, WIDTH, book_style, finish


def over_image(image, weights):
    """Draw a picture once for each set of weights over its patches: the less a patch weighs, the paler it is.

    The `image` is (H, W, 3), red, green and blue from 0 to 1. `weights` is a dict of title: (patches,), from 0 to 1,
    row by row; patches are squares. NaN leaves a patch as it is, and a weight of less than 0.1 is not printed.

    >>> over_image([[[0, 0, 0], [1, 1, 1]]], {"query": [0.25, 0.75]})
    <picture: 1 picture of 1 × 2 patches>
    """
    image, weights = as_array(image), {title: as_array(row).round(2) for title, row in weights.items()}
    rows, columns = _patch_grid(image, weights)
    with book_style():
        across = min(len(weights), max(1, int(WIDTH / (0.5 * columns))))  # a number fits in a patch
        down = -(-len(weights) // across)
        wide = WIDTH / max(across, 1.5)
        figure = Figure(figsize=(wide * across, (wide * rows / columns + 0.3) * down))
        panels = figure.subplots(down, across, squeeze=False, gridspec_kw={"wspace": 0.04, "hspace": 0.2}).ravel()
        for axes in panels:
            axes.axis("off")
        for axes, (title, row) in zip(panels, weights.items(), strict=False):
            _draw_image(axes, image, image.shape[1] / columns)
            for (i, j), weight in np.ndenumerate(row.reshape(rows, columns)):
                if not np.isnan(weight):  # the patch is covered with white that lets its weight through
                    veil = {"facecolor": (1, 1, 1, round(0.6 * (1 - weight), 2)), "edgecolor": PAPER}
                    axes.add_patch(Rectangle((j, i), 1, 1, linewidth=0.8, **veil))
                    if weight >= 0.1:
                        _print_weight(axes, j + 0.5, i + 0.82, weight, 0.1)
            axes.set(xlim=(0, columns), ylim=(rows, 0), aspect="equal")
            axes.set_title(title, color=GREY)  # to be read on a light page and on a dark one
        panels[0].set_gid("picture")  # by which the site knows not to turn its colours round in the dark
        return finish(figure, f"{plural(len(weights), 'picture')} of {rows} × {columns} patches", see_through=True)


def arrows_over(scenes, *, printed=True):
    """Draw pictures side by side, each with arrows from one patch to the others: the wider, the more it weighs.

    `scenes` is a dict of title: (image, start, weights). The image is (H, W, 3), from 0 to 1; start is the patch that
    looks; weights (patches,) are from 0 to 1, row by row. The weight that a patch gives itself is a ring around it. If
    `printed`, weights of 0.1 or more are printed beside the arrow's head.

    >>> arrows_over({"looks right": ([[[0, 0, 0], [1, 1, 1]]], 0, [0.25, 0.75])})
    <picture: arrows over 1 picture>
    """
    scenes = {title: (as_array(image), start, as_array(w).round(2)) for title, (image, start, w) in scenes.items()}
    with book_style():
        wide = WIDTH / max(len(scenes), 1.5)
        figure = Figure(figsize=(wide * len(scenes), wide + 0.3))
        edges = {"left": 0, "right": 1, "bottom": 0, "top": wide / (wide + 0.3)}
        panels = np.atleast_1d(figure.subplots(1, len(scenes), gridspec_kw={"wspace": 0.04, **edges}))
        for axes, (title, (image, start, weights)) in zip(panels, scenes.items(), strict=True):
            rows, columns = _patch_grid(image, {title: weights})
            _draw_image(axes, image, image.shape[1] / columns)
            _draw_cuts(axes, rows, columns, color="#74a56c", linewidth=0.6)
            for patch in np.flatnonzero(weights):
                _draw_weight(axes, divmod(start, columns), divmod(int(patch), columns), weights[patch], printed)
            axes.set(xlim=(0, columns), ylim=(rows, 0), aspect="equal")
            axes.set_title(title, color=GREY, **({"fontsize": 20} if len(title) == 1 else {}))  # a sign, not words
            axes.axis("off")
        panels[0].set_gid("picture")
        return finish(figure, f"arrows over {plural(len(scenes), 'picture')}", see_through=True)


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


def _draw_cuts(axes, rows, columns, **look):
    """Draw the lines between patches."""
    axes.hlines(range(1, rows), 0, columns, **look)
    axes.vlines(range(1, columns), 0, rows, **look)


def _print_weight(axes, x, y, weight, pad, **look):
    """Print a weight on a dark plate."""
    plate = {"boxstyle": f"round,pad={pad}", "facecolor": INK, "edgecolor": "none"}
    axes.text(x, y, f"{weight:.2f}", ha="center", va="center", color=PAPER, bbox=plate, **look)


def _draw_weight(axes, start, end, weight, printed):
    """Draw an arrow as wide as its weight between two patches (row, column), or a ring around a patch itself."""
    (y, x), (i, j) = start, end
    look = {"color": INK, "linewidth": round(0.5 + 3.5 * weight, 2)}
    if start == end:
        axes.add_patch(Circle((x + 0.5, y + 0.5), 0.46, fill=False, **look))
    else:
        shape = {"arrowstyle": "-|>", "mutation_scale": round(6 + 9 * weight, 2), "shrinkA": 0, "shrinkB": 5}
        edge = [withStroke(linewidth=round(look["linewidth"] + 2, 2), foreground=PAPER)]  # stands out on dark patches
        axes.add_patch(FancyArrowPatch((x + 0.5, y + 0.5), (j + 0.5, i + 0.5), path_effects=edge, **shape, **look))
    if printed and weight >= 0.1:
        _print_weight(axes, j + 0.5, i + (0.2 if y > i else 0.9), weight, 0.15, zorder=5)


def photograph(side):
    """Return a square of a photograph in the public domain, Grace Hopper's portrait, which Matplotlib brings with it.

    The result is (side, side, 3), red, green and blue from 0 to 1; `side` is an int of pixels, at most 224.
    """
    if not 1 <= side <= 224:
        raise ValueError(f"side is {side}; expected 1 to 224")
    with matplotlib.cbook.get_sample_data("grace_hopper.jpg") as file:
        pixels = matplotlib.image.imread(file, format="jpg")[20:468, 32:480] / 255
    small = pixels.reshape(224, 2, 224, 2, 3).mean(axis=(1, 3))
    edge = (224 - side) // 2
    return small[edge : edge + side, edge : edge + side]


def cut_photograph(image, patch_size, chosen, others=()):
    """Draw a picture with the lines along which it is cut into patches, and one of the patches enlarged beside it.

    Parameters
    ----------
    image : (H, W, 3), red, green and blue from 0 to 1
    patch_size : int, pixels along each side of a patch
    chosen : int, the patch that is enlarged, counted from 1, row by row
    others : list of int, patches that are outlined as well

    Examples
    --------
    >>> cut_photograph(np.zeros((4, 6, 3)), patch_size=2, chosen=5)
    <picture: 2 × 3 patches, one enlarged>
    """
    image, p = (as_array(image) * 32).round() / 32, patch_size  # fewer colours, a smaller file
    if image.ndim != 3 or image.shape[0] % p or image.shape[1] % p:
        wanted = "(H, W, 3) and a number that divides both"
        raise ValueError(f"patch_size is {p}, the image {image.shape}; expected {wanted}")
    rows, columns = image.shape[0] // p, image.shape[1] // p
    if not 1 <= chosen <= rows * columns:
        raise ValueError(f"chosen is {chosen}; expected 1 to {rows * columns}")
    i, j = divmod(chosen - 1, columns)
    with book_style():
        figure = Figure(figsize=(WIDTH, 3.2))
        whole, one = figure.subplots(1, 2, width_ratios=(1.5, 1))
        look = {"interpolation": "none", "extent": (0, columns, rows, 0)}
        whole.imshow(image, **look)
        _draw_cuts(whole, rows, columns, color=PAPER, linewidth=0.8)
        for other in others:
            corner = ((other - 1) % columns, (other - 1) // columns)
            whole.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor=ORANGE, linewidth=2, linestyle=(0, (2, 1))))
        whole.add_patch(Rectangle((j, i), 1, 1, fill=False, edgecolor=ORANGE, linewidth=3))
        one.imshow(image[i * p : (i + 1) * p, j * p : (j + 1) * p], interpolation="none")
        whole.set_title(f"{rows} × {columns} = {rows * columns} patches", color=GREY)
        one.set_title(f"patch {chosen}: {p} × {p} pixels", color=GREY)
        for axes in (whole, one):
            axes.axis("off")
        whole.set_gid("picture")
        return finish(figure, f"{rows} × {columns} patches, one enlarged", see_through=True)
