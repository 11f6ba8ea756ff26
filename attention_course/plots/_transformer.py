"""The whole Transformer with the numbers of one date: the first state of the picture of chapter 7."""

from ..packed import unpack
from ._canvas import Canvas
from ._steer import with_inputs
from ._style import BLUE, GREY, ORANGE, tint

CELL, BAR = 0.185, 0.27  # inches
SIDES = (0.16, 2.4)  # where the encoder and the decoder begin


def whole_transformer(inputs):
    """Draw a Transformer that writes one date: both blocks, and the weights of the cross-attention opened below.

    It is the first state of the picture to touch of chapter 7, and carries what that picture needs. `inputs` is the
    dict that `attention_course.anatomy.dissect` returns.

    >>> run = {"text": "2026-03-14", "cross": "00" * 20}
    >>> whole_transformer({"sources": ["ab"], "sublayers": ["x"] * 5, "runs": [[run]]})
    <picture: the whole Transformer writes a date>
    """
    source, run = inputs["sources"][0], inputs["runs"][0][0]
    columns = (source, inputs["sublayers"][:2]), (" " + run["text"][:-1], inputs["sublayers"][2:])
    sheet = Canvas(4.28, 5.36)
    bottoms = [_draw_column(sheet, x, *column) for x, column in zip(SIDES, columns, strict=True)]
    for i, letter in enumerate(run["text"]):
        sheet.text(SIDES[1] + CELL * (i + 0.5), bottoms[1] - 0.2, letter, weight="bold")
    sheet.text(SIDES[0] + 0.9, bottoms[1] - 0.2, "it writes, one at a time:", colour=GREY)
    reads, past = SIDES[0] + 11 * CELL + 0.01, SIDES[1] + 0.01
    sheet.arrow((reads, bottoms[0]), (past, bottoms[0] + BAR - 0.06), dashed=True)
    _draw_weights(sheet, source, run["text"], unpack(run["cross"], 10, len(source)))
    return with_inputs(sheet.picture("the whole Transformer writes a date"), "07-whole", inputs)


def _draw_column(sheet, x, letters, sublayers):
    """Draw the letters that go in, the stream of each token and the sub-layers; return where it ends."""
    y, width = 5.2, CELL * len(letters)
    for i, letter in enumerate(letters):
        sheet.text(x + CELL * (i + 0.5), y, letter)
    y -= 0.2
    _draw_tokens(sheet, x, y, len(letters))
    for name in sublayers:
        sheet.arrow((x - 0.07, y + 0.06), (x - 0.07, y - 2 * BAR + 0.06), width=2.5)
        y -= BAR
        short = name.removeprefix("encoder ").removeprefix("decoder ")
        sheet.box(x + width / 2, y, short, width=width, height=0.22, colour=BLUE)
        y -= BAR
        _draw_tokens(sheet, x, y, len(letters))
    return y


def _draw_tokens(sheet, x, y, count):
    sheet.dots([(x + CELL * (i + 0.5), y) for i in range(count)], colour=GREY)


def _draw_weights(sheet, source, written, weights):
    """Draw who looks where, a row for each character that is written."""
    left, top, wide, high = 0.62, 2.3, 0.33, 0.205
    sheet.text(left - 0.3, top + 0.02, "writes", colour=GREY)
    sheet.text(left + wide * len(source) / 2, top + 0.22, "cross-attention looks at", colour=GREY)
    for j, letter in enumerate(source):
        sheet.text(left + wide * (j + 0.5), top + 0.02, letter)
    for i, row in enumerate(weights):
        y = top - high * (i + 1)
        sheet.text(left - 0.2, y, written[i], weight="bold")
        for j, weight in enumerate(row):
            x = left + wide * (j + 0.5)
            if weight:
                sheet.bar(x, y - high / 2, high - 0.02, width=wide - 0.02, colour=tint(ORANGE, weight))
            if weight >= 0.095:
                sheet.text(x, y, f"{weight:.2f}")
