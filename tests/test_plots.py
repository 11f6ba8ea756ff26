"""The colours of figures, what no chapter draws, and what is refused.

What else a figure shows is compared with the stored figures of the chapters, which draw with every function.
"""

import itertools
import re

import numpy as np
import pytest
from coloraide import Color

from attention_course import plots
from attention_course.plots import TOKENS
from book.chapter import ROOT

DARK = re.search(r'html\[data-theme="dark"\] \{(.*?)\}', (ROOT / "web" / "static" / "book.css").read_text(), re.DOTALL)
DARK = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", DARK[1]))


def words_of(picture):
    """The texts of a figure in their order."""
    return [text.replace("−", "-") for text in re.findall(r"<text[^>]*>([^<]+)</text>", picture.svg)]


@pytest.mark.parametrize("colours", [TOKENS, DARK], ids=["light", "dark"])
def test_numbers_stand_out_from_the_strongest_colour_of_a_grid(colours):
    for values, hue in (([[0.0, 0.5, 1.0]], "weights"), ([[0.0, 1.0, 2.0]], "muted"), ([[-0.5, 0.0, 2.0]], "query")):
        svg = plots.grid(values).svg
        found = re.findall(rf"fill: {TOKENS[hue]}; fill-opacity: ([\d.]+)", svg)
        assert len({*found}) == sum(number > 0 for number in values[0])
        cell = Color(colours[hue]).mix(colours["paper"], 1 - max(map(float, found)), space="srgb")
        assert Color(colours["ink"]).contrast(cell) >= 4.5


@pytest.mark.parametrize("colours", [TOKENS, DARK], ids=["light", "dark"])
def test_no_two_colours_of_data_look_alike_with_any_colour_vision(colours):
    names = ("query", "key", "value", "weights", "model-a", "model-b", "output")
    usual = {name: Color(colours[name.replace("output", "ink")]) for name in names}
    blind = ("protan", "deutan", "tritan")
    views = {name: [one, *(one.filter(kind, method="machado") for kind in blind)] for name, one in usual.items()}
    alike = {
        pair: min(a.delta_e(b, method="2000") for a, b in zip(views[pair[0]], views[pair[1]], strict=True))
        for pair in itertools.combinations(names, 2)
    }
    assert {pair: round(difference, 1) for pair, difference in alike.items() if difference < 13} == {}
    low = {name: Color(colours[name]).contrast(colours["paper"]) for name in names[:-1]}
    assert {name: round(ratio, 1) for name, ratio in low.items() if ratio < 4.5} == {}


@pytest.mark.parametrize("draw", [plots.bars, lambda series, x: plots.lines(x, series)])
def test_more_series_than_colours_are_all_drawn(draw):
    names = [f"series {i}" for i in range(8)]
    assert set(names) <= set(words_of(draw({name: [1, i] for i, name in enumerate(names)}, [0, 1])))


def test_a_figure_names_no_date_and_no_version_has_no_font_and_keeps_hangul():
    svg = plots.grid([[0.5, 0.1234567]], ["밥을"]).svg
    assert "밥을" in svg and not re.search(r"<dc:date>|Matplotlib v|font-face|data:font", svg)
    assert not re.search(r"\d\.\d{3,}", re.sub(r">[^<]*<", "", svg))


def test_a_patch_without_a_weight_is_left_as_it_is():
    picture = plots.over_image(np.zeros((1, 2, 3)), {"": [np.nan, 0.5]})
    assert re.findall(r"opacity: ([\d.]+); stroke", picture.svg) == ["0.3"]
    assert words_of(picture) == ["0.50"]


def over(shape, *numbers):
    return plots.over_image(np.zeros(shape), {number: np.ones(number) for number in numbers})


PHOTO, SCENE = np.zeros((96, 96, 3)), (np.zeros((4, 4, 3)), 0, [0.5, 0.5])
REFUSALS = [
    (lambda: plots.grid([1, 2]), "expected matrices of one shape"),
    (lambda: plots.grid([[1, 2]], ["a", "b"]), "rows has 2 labels for 1 rows"),
    (lambda: plots.grid([[1, 2]], None, ["a"]), "columns has 1 labels for 2 columns"),
    (lambda: plots.grid([[1, 2]], mask=[[True]]), r"mask has shape \(1, 1\), the values have \(1, 2\)"),
    (lambda: plots.grids({"a": [[1]], "b": [[1, 2]]}), "expected matrices of one shape"),
    (lambda: plots.bars([1, 2], ["a"]), "labels has 1 labels for 2"),
    (lambda: plots.lines([1, 2], {"a": [1]}), "a"),
    (lambda: plots.walks([1, 2, 3]), r"sums has shape \(3,\); expected \(walks, d\)"),
    (lambda: plots.weighted_sum([1, 2], [[1, 2, 3]] * 2, "ab"), r"expected \(m,\) and \(m, 2\)"),
    (lambda: plots.product(*[("", [[1, 2]])] * 3), r"expected \(n, m\), \(m, d\) and \(n, d\)"),
    (lambda: over((4, 4), 4), r"image has shape \(4, 4\); expected \(H, W, 3\)"),
    (lambda: over((4, 4, 3), 5), "expected one for each square patch"),
    (lambda: over((4, 4, 3), 4, 16), "expected one for each square patch"),
    (lambda: over((2, 6, 3), 4), "expected one for each square patch"),
    (lambda: plots.arrows_over({"one": SCENE}), "expected one for each square patch"),
    (lambda: plots.photograph(225), "expected 1 to"),
    (lambda: plots.cut_photograph(PHOTO, 32, 10), "expected 1 to"),
    (lambda: plots.cut_photograph(PHOTO, 36, 1), "a number that divides both"),
    (lambda: plots.circle("ABC", [(0, 3)]), "two different labels"),
    (
        lambda: plots.layer_of_heads(np.eye(4), np.ones((3, 2, 4, 2)), np.eye(4), "abc", "1234", token=0),
        "expected one each",
    ),
    (lambda: plots.stream([[1], [2], [3]], [("norm", [-1])]), "1 parts for 3 stops"),
    (lambda: plots.blocks({}), None),
    (lambda: plots.grouped({"": np.ones((2, 3))}, ["a", "b"]), "expected square ones"),
    (lambda: plots.grouped({"": np.eye(3)}, ["a", "b"]), "expected one each"),
]


@pytest.mark.parametrize(("draw", "message"), REFUSALS)
def test_what_does_not_fit_is_refused(draw, message):
    with pytest.raises(ValueError, match=message):
        draw()
