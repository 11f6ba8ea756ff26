"""An empty sheet on which diagrams are put together."""

from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch, Rectangle

from ._style import BLUE, INK, ORANGE, PAPER, WIDTH, book_style, draw_arrow, finish, tint


class Canvas:
    """An empty sheet for a diagram: boxes, circles, arrows and words at places measured in inches.

    The `width` and `height` are float, in inches. If the sheet is wider than a figure, all but the letters is drawn
    smaller.

    >>> sheet = Canvas(3, 1)
    >>> sheet.box(0.5, 0.5, "query")
    >>> sheet.arrow((1, 0.5), (2, 0.5))
    >>> sheet.picture("an arrow out of a box")
    <picture: an arrow out of a box>
    """

    def __init__(self, width, height):
        smaller = min(1, (WIDTH - 0.12) / width)  # all but the letters
        self._figure = Figure(figsize=(width * smaller, height * smaller))
        self._axes = self._figure.add_axes((0, 0, 1, 1))
        self._axes.set(xlim=(0, width), ylim=(0, height))
        self._axes.axis("off")

    def box(self, x, y, text="", *, width=0.9, height=0.36, colour=BLUE, filled=0.0):
        """Draw a box around the point (x, y), filled from 0 (not at all) to 1, with centred text."""
        corner = (x - width / 2, y - height / 2)
        look = {"boxstyle": "round,pad=0,rounding_size=0.05", "edgecolor": colour, "linewidth": 1.2}
        for face in [PAPER, tint(colour, filled)][: 2 if filled else 1]:  # paper first: nothing shows through
            self._axes.add_patch(FancyBboxPatch(corner, width, height, facecolor=face, **look))
        self.text(x, y, text)

    def circle(self, x, y, text="", *, radius=0.16, colour=INK):
        """Draw a circle around the point (x, y) with centred text, for an operation such as a sum."""
        self._axes.add_patch(Circle((x, y), radius, facecolor=PAPER, edgecolor=colour, linewidth=1.2))
        self.text(x, y, text)

    def arrow(self, start, end, *, colour=INK, width=1.4, dashed=False):
        """Draw an arrow from the point `start` to the point `end`."""
        draw_arrow(self._axes, start, end, colour, width=width, dashed=dashed)

    def bar(self, x, y, height, *, width=0.3, colour=ORANGE):
        """Draw a bar that stands on the point (x, y)."""
        self._axes.add_patch(Rectangle((x - width / 2, y), width, round(height, 3), facecolor=colour))

    def dots(self, points, *, colour=INK):
        """Draw a small dot at each of these points (x, y)."""
        self._axes.plot(*zip(*points, strict=True), "o", color=colour, markersize=3)

    def text(self, x, y, text, *, colour=INK, weight="normal"):
        """Write words centred at the point (x, y)."""
        self._axes.text(x, y, text, ha="center", va="center", fontsize=10, color=colour, weight=weight)

    def picture(self, name):
        """Return the finished Picture; `name` says what it is where no picture can be shown."""
        with book_style():
            return finish(self._figure, name)
