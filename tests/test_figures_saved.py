"""The figures of a chapter as files: each as the chapter stores it, and as a picture of three times its size."""

from xml.etree import ElementTree

import pytest
from PIL import Image

from book.chapter import CHAPTERS, code, is_figure, read
from book.programs import NO_CHROMIUM, find
from tools.figures import SCALE, read_figures, save_figures


@pytest.mark.skipif(not find("chromium"), reason=NO_CHROMIUM)
def test_every_figure_of_a_chapter_is_saved_as_svg_and_as_png(tmp_path):
    (path, *_) = CHAPTERS
    figures = read_figures(path)
    assert len(figures) == sum(map(is_figure, code(read(path)))) and all(text for _, text in figures)
    assert save_figures([path], tmp_path) == len(figures)
    assert len([*(tmp_path / path.stem).iterdir()]) == 3 * len(figures)
    for place, (svg, text) in enumerate(figures, start=1):
        file = tmp_path / path.stem / f"01-{place:02}.svg"
        assert (file.read_text("utf-8"), file.with_suffix(".txt").read_text("utf-8")) == (svg, text + "\n")
        box = [float(number) for number in ElementTree.fromstring(svg).get("viewBox").split()[2:]]
        assert file.with_suffix(".png").stat().st_size > 2000
        points = 96 / 72 * SCALE  # of the SVG's pt, in pixels
        with Image.open(file.with_suffix(".png")) as drawn:
            assert all(abs(pixels - size * points) <= 2 * SCALE for pixels, size in zip(drawn.size, box, strict=True))
