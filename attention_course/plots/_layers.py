"""Diagrams of layers: the residual stream, and encoder beside decoder."""

from ._canvas import Canvas
from ._given import as_array
from ._style import BLUE, GREEN, ORANGE


def stream(stops, parts):
    """Draw the numbers of one token on their way through a block: the residual stream, and what stands beside it.

    A row of numbers in `stops` is the stream before, between or after the sums. For each sum in turn, `parts` has a
    norm and its sub-layer, each as a pair (name, numbers that it gives).

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
        sheet.box(1.1, top - tall * i, _format_numbers(numbers), width=1.75, colour=ORANGE)
    for i, ((norm, normed), (layer, added)) in enumerate(zip(parts[::2], parts[1::2], strict=True)):
        y = top - tall * i - 0.5
        _add_sub_layer(sheet, 1.1, 2.75, (y, y - 0.65), (norm, layer), (1.2, 1.2), radius=0.16)
        sheet.text(4.2, y, _format_numbers(normed))
        sheet.text(4.2, y - 0.65, _format_numbers(added))
    return sheet.picture(f"the stream past {', '.join(name for name, _ in parts[1::2])}")


def blocks(columns):
    """Draw blocks side by side, each with its stream; the first supplies the cross-attention of the last.

    `columns` is a dict of title: names of the sub-layers, in their order.

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
            _add_sub_layer(sheet, x + 1.25, x, (y, y - 0.6), ("norm", layer), (0.8, 1.9), radius=0.13)
            if layer == "cross-attention" and i:
                lowest = tall * (deepest - len(next(iter(columns.values())))) + 0.1
                sheet.arrow((x - 1.35, lowest), (x - 0.97, y - 0.6), dashed=True)
    return sheet.picture(" and ".join(columns))


def _add_sub_layer(sheet, stream_x, x, heights, names, widths, radius):
    """Draw a norm beside the stream, its sub-layer below, and the sum where the stream takes the result."""
    side = 1 if stream_x > x else -1
    sheet.arrow((stream_x, heights[0]), (x + side * widths[0] / 2, heights[0]))
    sheet.box(x, heights[0], names[0], width=widths[0], colour=GREEN)
    sheet.arrow((x, heights[0] - 0.18), (x, heights[1] + 0.18))
    sheet.box(x, heights[1], names[1], width=widths[1], colour=BLUE)
    sheet.arrow((x + side * widths[1] / 2, heights[1]), (stream_x - side * radius, heights[1]))
    sheet.circle(stream_x, heights[1], "+", radius=radius)


def _format_numbers(numbers):
    """'1, −0.5', a few numbers in a row."""
    return ", ".join(f"{x:g}" for x in as_array(numbers).round(2)).replace("-", "−")
