"""The visual language of the book: one grid of queries and keys, bars, arrows of a weighted sum, lines.

Every function returns a `Picture`, which a notebook shows as SVG: sharp at any size, the same bytes on every run, text
left to the reader's browser, so that Hangul needs no font here. It raises ValueError if arrays, labels or a mask do not
fit each other. All are `WIDTH` inches wide, so that on a page their letters have one size. Colours are those of Okabe
and Ito (2008), which colour-blind readers tell apart, darkened until letters in them can be read; no figure says
anything by colour alone. Values are rounded before they are drawn.
"""

# ruff: noqa: F401
from . import _style
from ._alibi import alibi
from ._attending import circle
from ._bench import bench
from ._canvas import Canvas
from ._costs import cache_steps, online_steps, shared_heads
from ._deceived import deceived
from ._heads import layer_of_heads
from ._images import arrows_over, cut_photograph, over_image, photograph
from ._lamp import lamp, walks
from ._layers import blocks, stream
from ._matrices import grid, grids, grouped, product
from ._series import bars, lines
from ._steer import steer, with_inputs
from ._style import TOKENS, Picture
from ._sums import weighted_sum
from ._transformer import whole_transformer
from ._triangle import clocks, roles, triangle
from ._words import sorting

WIDTH = _style.WIDTH  #: The width of a figure in inches; a `Canvas` should be no wider.
BLUE = _style.BLUE  #: The colour of the first series of a figure, and of a box on a `Canvas`.
ORANGE = _style.ORANGE  #: The colour of the second series, and of a bar on a `Canvas`.
GREEN = _style.GREEN  #: The colour of the third series.
SCORE = _style.BLUE  #: The colour of the first stage of attention, which scores, in figures and formulas.
SCALE = _style.PURPLE  #: The colour of the second stage, which scales the scores.
WEIGH = _style.ORANGE  #: The colour of the third stage, which makes weights.
MIX = _style.GREEN  #: The colour of the fourth stage, which mixes the values.

# in the order of the reference page: constants, classes, functions
__all__ = sorted([name for name in globals() if name[0] != "_"], key=lambda name: (not name.isupper(), name))
