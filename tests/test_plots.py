"""The visual language: what is printed in a figure, that it is the same every time, and what is refused."""

import itertools
import json
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


def test_a_grid_prints_every_value_rounded_and_its_labels():
    words = words_of(plots.grid([[0.126, -2], [3, 0.5]], ["나는", "B"], ["x", "y"], title="T", digits=1))
    assert set(words) == {"x", "y", "나는", "B", "← query", "0.1", "-2.0", "3.0", "0.5", "T", "key →"}


def test_a_hidden_cell_is_hatched_and_shows_no_number():
    open_grid = plots.grid([[0.25, 0.75]])
    masked = plots.grid([[0.25, 0.75]], mask=[[True, False]])
    assert "0.75" in words_of(open_grid) and "0.75" not in words_of(masked) and "0.25" in words_of(masked)
    assert "<pattern" in masked.svg and "<pattern" not in open_grid.svg


def luminance(colour):
    """Relative luminance of '#rrggbb', WCAG 2."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return np.dot(linear, (0.2126, 0.7152, 0.0722))


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
    views = {name: _seen(colours[name.replace("output", "ink")]) for name in names}
    alike = {
        pair: min(a.delta_e(b, method="2000") for a, b in zip(views[pair[0]], views[pair[1]], strict=True))
        for pair in itertools.combinations(names, 2)
    }
    assert {pair: round(difference, 1) for pair, difference in alike.items() if difference < 13} == {}
    low = {name: Color(colours[name]).contrast(colours["paper"]) for name in names[:-1]}
    assert {name: round(ratio, 1) for name, ratio in low.items() if ratio < 4.5} == {}


def _seen(colour):
    """How a colour looks with usual colour vision and with three kinds of colour blindness, simulated."""
    return [Color(colour), *(Color(colour).filter(kind, method="machado") for kind in ("protan", "deutan", "tritan"))]


def test_grids_share_their_rows_and_each_has_its_digits():
    words = words_of(plots.grids({"scores": [[1, 0]], "weights": [[0.731, 0.269]]}, ["The"], digits=[0, 3]))
    assert {"scores", "weights", "1", "0", "0.731", "0.269", "The"} <= set(words)
    assert words.count("The") == 1


def test_bars_print_their_values_and_a_name_for_each_series():
    words = words_of(plots.bars([0.67, 0.33], ["The", "cat"], ylabel="weight"))
    assert {"0.67", "0.33", "The", "cat", "weight"} <= set(words)
    assert {"hot", "cold"} <= set(words_of(plots.bars({"hot": [1, 2], "cold": [3, 4]}, "ab", digits=0)))


def test_lines_name_their_series_and_a_spread_is_drawn():
    plain = plots.lines([1, 2], {"a": [1, 2], "b": [2, 1]}, xlabel="d")
    assert {"a", "b", "d"} <= set(words_of(plain))
    spread = plots.lines([1, 2], {"a": [1, 2], "b": [2, 1]}, spread={"a": ([0, 1], [2, 3])}, xlabel="d")
    assert spread.svg.count("fill-opacity") + spread.svg.count("opacity:") > plain.svg.count("opacity:")


@pytest.mark.parametrize("draw", [plots.bars, lambda series, x: plots.lines(x, series)])
def test_more_series_than_colours_are_all_drawn(draw):
    names = [f"series {i}" for i in range(8)]
    assert set(names) <= set(words_of(draw({name: [1, i] for i, name in enumerate(names)}, [0, 1])))


def test_a_weighted_sum_says_where_it_ends():
    words = words_of(plots.weighted_sum([0.67, 0.33], [[1, 2], [9, 8]], "ab"))
    assert any("3.640" in text and "3.980" in text for text in words)


def test_a_line_joins_two_values_and_no_more():
    two = plots.weighted_sum([0.5, 0.5], [[1, 0], [0, 1]], "ab")
    three = plots.weighted_sum([0.5, 0.5, 0], [[1, 0], [0, 1], [0, 0]], "abc")  # the same axes
    assert two.svg.count('id="line2d') == three.svg.count('id="line2d') + 1


def test_a_product_shows_three_grids_with_captions_and_signs_and_refuses_shapes_that_do_not_fit():
    weights, values, output = ("W", [[0.25, 0.75]]), ("V", [[1, 2, 3], [5, 6, 7]]), ("Z", [[4, 5, 6]])
    words = words_of(plots.product(weights, values, output, ["q"], ["나", "B"], digits=2))
    assert {"W", "V", "Z", "×", "=", "q", "나", "B", "0.25", "7.00", "6.00"} <= set(words)
    with pytest.raises(ValueError, match=r"expected \(n, m\), \(m, d\) and \(n, d\)"):
        plots.product(values, weights, output)


DRAWINGS = {
    "grid": lambda: plots.grid([[0.5, 0.5]], ["밥을"]),
    "bars": lambda: plots.bars([0.5], ["밥을"]),
    "lines": lambda: plots.lines([1, 2], {"밥을": [0.1234567, 2]}),
    "over_image": lambda: plots.over_image(np.random.default_rng(0).random((4, 4, 3)), {"밥을": np.full(4, 0.25)}),
    "weighted_sum": lambda: plots.weighted_sum([1.0], [[1, 2]], ["밥을"]),
    "lamp": lambda: plots.lamp({4: [0.5, -3.0]}, 4, 2.0, words=["밥을", "money"], asks="bank"),
}


@pytest.mark.parametrize("draw", DRAWINGS.values(), ids=DRAWINGS)
def test_every_figure_is_the_same_text_twice_without_date_or_font_and_keeps_hangul(draw):
    one, two = draw().svg, draw().svg
    assert one == two
    assert "밥을" in one
    assert not re.search(r"<dc:date>|Matplotlib v|font-face|data:font", one)
    assert not re.search(r"\d\.\d{3,}", re.sub(r">[^<]*<", "", one))


def test_a_picture_shows_itself_in_a_notebook_and_has_a_name_elsewhere():
    picture = plots.grid([[1, 2]])
    assert picture._repr_svg_() == picture.svg and picture.svg.startswith("<?xml")
    assert repr(picture) == "<picture: grid of 1 × 2>"


def test_the_lit_part_of_a_lamp_is_as_wide_as_its_slope_and_the_figure_carries_its_numbers():
    picture = plots.lamp({4: [0.0, 30.0], 8: [1.0, 2.0]}, 4, 0.0, words=["river", "money"], asks="bank")
    assert {"bank: river 0.50", "money 0.50"} <= set(words_of(picture))
    one_dark = plots.lamp({4: [30.0, 31.0]}, 4, 0.0, words=["river", "money"], asks="bank").svg
    both_lit = plots.lamp({4: [0.0, 0.1]}, 4, 0.0, words=["river", "money"], asks="bank").svg
    assert one_dark.count("<use") == both_lit.count("<use") - 2  # a dark lamp has a ring and no light
    inputs = json.loads(re.search(r'data-picture="02-lamp">(.*?)</metadata>', picture.svg)[1])
    assert inputs["gaps"] == {"4": [0, 30], "8": [1, 2]} and inputs["d"] == 4


def over(shape, *numbers):
    return plots.over_image(np.zeros(shape), {number: np.ones(number) for number in numbers})


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: plots.grid([1, 2]), "expected matrices of one shape"),
        (lambda: plots.grid([[1, 2]], ["a", "b"]), "rows has 2 labels for 1 rows"),
        (lambda: plots.grid([[1, 2]], None, ["a"]), "columns has 1 labels for 2 columns"),
        (lambda: plots.grid([[1, 2]], mask=[[True]]), r"mask has shape \(1, 1\), the values have \(1, 2\)"),
        (lambda: plots.grids({"a": [[1]], "b": [[1, 2]]}), "expected matrices of one shape"),
        (lambda: plots.bars([1, 2], ["a"]), "labels has 1 labels for 2"),
        (lambda: plots.lines([1, 2], {"a": [1]}), "a"),
        (lambda: plots.walks([1, 2, 3]), r"sums has shape \(3,\); expected \(walks, d\)"),
        (lambda: plots.weighted_sum([1, 2], [[1, 2, 3]] * 2, "ab"), r"expected \(m,\) and \(m, 2\)"),
        (lambda: over((4, 4), 4), r"image has shape \(4, 4\); expected \(H, W, 3\)"),
        (lambda: over((4, 4, 3), 5), "expected one for each square patch"),
        (lambda: over((4, 4, 3), 4, 16), "expected one for each square patch"),
        (lambda: over((2, 6, 3), 4), "expected one for each square patch"),
    ],
)
def test_what_does_not_fit_is_refused(draw, message):
    with pytest.raises(ValueError, match=message):
        draw()


def test_each_set_of_weights_gets_a_picture_with_its_title_and_the_weights_that_count():
    weights = {"ball": [0.09, 0.7, 0.1, 0.05, 0.06, 0], "goal": [0, 0, 0, 0, 0, 1]}
    picture = plots.over_image(np.zeros((4, 6, 3)), weights)
    assert words_of(picture) == ["0.70", "0.10", "ball", "1.00", "goal"]
    assert repr(picture) == "<picture: 2 pictures of 2 × 3 patches>"


def test_pixels_of_one_colour_in_a_row_are_one_rectangle():
    image = np.zeros((2, 4, 3))
    image[0, 2:] = [1, 0, 0]
    one, two = (plots.over_image(picture, {"": np.ones(2)}).svg for picture in (np.zeros((2, 4, 3)), image))
    assert "#ff0000" not in one
    assert two.count("#ff0000") == 1
    assert two.count("<path") == one.count("<path") + 1


def test_a_patch_is_the_paler_the_less_it_weighs():
    svg = plots.over_image(np.zeros((1, 3, 3)), {"": [0.25, 0.5, 1]}).svg
    assert re.findall(r"opacity: ([\d.]+); stroke", svg) == ["0.45", "0.3"]


def test_a_patch_without_a_weight_is_left_as_it_is():
    picture = plots.over_image(np.zeros((1, 2, 3)), {"": [np.nan, 0.5]})
    assert re.findall(r"opacity: ([\d.]+); stroke", picture.svg) == ["0.3"]
    assert words_of(picture) == ["0.50"]


def outline(asks):
    """Where the outline of the asking patch begins in a picture of 2 × 3 patches."""
    svg = plots.over_image(np.zeros((2, 3, 3)), {"a": np.ones(6)}, asks=asks).svg
    (start,) = re.findall(r'd="M ([\d.]+ [\d.]+)[^"]*"[^>]*stroke: ' + plots.ORANGE.lower(), svg)
    return tuple(map(float, start.split()))


def test_the_patch_that_asks_is_outlined_and_no_other():
    assert plots.ORANGE.lower() not in plots.over_image(np.zeros((2, 3, 3)), {"a": np.ones(6)}).svg
    (left, upper), (right, _), (below_left, lower) = outline(0), outline(2), outline(3)
    assert left < outline(1)[0] < right
    assert (below_left, outline(1)[1]) == (left, upper)
    assert lower > upper


def test_the_arrows_of_a_circle_arrive_at_their_names():
    picture = plots.circle("ABC", [(0, 1), (1, 2), (2, 0)])
    assert all(f">{name}<" in picture.svg for name in "ABC") and "3 arrows" in picture.name
    with pytest.raises(ValueError, match="two different labels"):
        plots.circle("ABC", [(0, 3)])


def test_a_supplier_of_nothing_has_no_arrow():
    ask = {"asks": ([[1.0, 0.0]], ["I"], ["나는", "밥을"])}
    drawn, more = plots.supply(ask).svg, plots.supply({"asks": ([[0.5, 0.5]], ["I"], ["나는", "밥을"])}).svg
    assert "나는" in drawn and drawn.count("<path") < more.count("<path")
    with pytest.raises(ValueError, match="expected one each"):
        plots.supply({"asks": ([[1.0, 0.0]], ["I"], ["나는"])})


def test_numbers_of_one_owner_have_one_colour():
    table = [[[11, 12], [21, 22]]]
    shaded = plots.shaded({"right": table}, {"right": [[[0, 0], [1, 1]]]}).svg
    assert shaded.count(plots.BLUE.lower()) == shaded.count(plots.ORANGE.lower()) > 0
    with pytest.raises(ValueError, match="expected \\(heads, rows, columns\\) twice"):
        plots.shaded({"right": table}, {"wrong": table})


def test_the_stream_shows_the_numbers_of_every_stop_and_part():
    parts = [("norm", [-1, 1]), ("attention", [0.5, -0.5]), ("norm", [-1, 1]), ("feed-forward", [0, 1])]
    words = words_of(plots.stream([[1, 3], [1.5, 2.5], [1.5, 3.5]], parts))
    assert {"1, 3", "1.5, 2.5", "1.5, 3.5", "-1, 1", "0.5, -0.5", "0, 1", "attention", "feed-forward"} <= {*words}
    with pytest.raises(ValueError, match="2 parts for 3 stops"):
        plots.stream([[1], [2], [3]], parts[:2])


def test_blocks_have_a_norm_and_a_sum_for_each_sub_layer_and_an_arrow_between_them():
    columns = {"Encoder": ["self-attention"], "Decoder": ["self-attention", "cross-attention"]}
    picture = plots.blocks(columns)
    words = words_of(picture)
    assert words.count("norm") == words.count("+") == 3 and "cross-attention" in words
    unconnected = plots.blocks({"Encoder": ["self-attention"], "Decoder": ["self-attention", "other"]})
    assert picture.svg.count('id="patch') == unconnected.svg.count('id="patch') + 1
    with pytest.raises(ValueError):
        plots.blocks({})


def test_arrows_lead_from_patch_to_patch_and_print_what_weighs_a_tenth_or_more():
    scene = np.full((4, 4, 3), 0.5), 0, [0.05, 0.75, 0.0, 0.2]
    words = words_of(plots.arrows_over({"one": scene, "two": scene}))
    assert words.count("0.75") == words.count("0.20") == 2 and "0.05" not in words and {"one", "two"} <= set(words)
    assert "0.75" not in words_of(plots.arrows_over({"one": scene}, printed=False))
    with pytest.raises(ValueError, match="expected one for each square patch"):
        plots.arrows_over({"one": (scene[0], 0, [0.5, 0.5])})


def test_a_photograph_is_cut_and_one_patch_enlarged():
    photo = plots.photograph(96)
    assert photo.shape == (96, 96, 3) and 0 <= photo.min() < 0.2 and 0.8 < photo.max() <= 1
    assert {"3 × 3 = 9 patches", "patch 5: 32 × 32 pixels"} <= set(words_of(plots.cut_photograph(photo, 32, 5)))
    for call in (lambda: plots.photograph(225), lambda: plots.cut_photograph(photo, 32, 10)):
        with pytest.raises(ValueError, match="expected 1 to"):
            call()
    with pytest.raises(ValueError, match="a number that divides both"):
        plots.cut_photograph(photo, 36, 1)


def test_grouped_maps_name_each_group_once_and_leave_zero_unpainted():
    alike = np.array([[1, 0.8, 0], [0.8, 1, -0.4], [0, -0.4, 1]])
    picture = plots.grouped({"before": alike, "after": alike}, ["noun", "noun", "verb"])
    assert sorted(words_of(picture)) == ["after", "before", "noun", "verb"]
    strokes = re.findall(r"stroke: (#[0-9a-f]{6}); (?:stroke-opacity: ([\d.]+); )?stroke-width: [3-9]\d", picture.svg)
    assert len({*strokes}) == 3  # 1, 0.8 and -0.4
    with pytest.raises(ValueError, match="expected square ones"):
        plots.grouped({"": alike[:2]}, ["a", "b"])
    with pytest.raises(ValueError, match="expected one each"):
        plots.grouped({"": alike}, ["a", "b"])
