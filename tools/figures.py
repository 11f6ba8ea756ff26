"""Save the figures of chapters for slides: `python -m tools.figures 05`, or of all chapters, to `_build/figures`.

Each figure is saved as SVG, as the chapter stores it, and as PNG, three times as large, which headless Chromium draws
with the typeface of Matplotlib; beside them its alternative text says what it shows.
"""

import argparse
from pathlib import Path

import matplotlib
from playwright.sync_api import sync_playwright

from book.chapter import CHAPTERS, ROOT, code, mime, read
from book.programs import start_chromium
from homework.chapter import find_chapter

SCALE = 3
FONT = Path(matplotlib.get_data_path(), "fonts/ttf/DejaVuSans.ttf")
PAGE = """<!doctype html><meta charset="utf-8"><style>
@font-face {{ font-family: "DejaVu Sans"; src: url("{regular}") }}
@font-face {{ font-family: "DejaVu Sans"; font-weight: 700; src: url("{bold}") }}
body {{ margin: 0 }} svg {{ display: block }}</style>{svg}"""


def read_figures(path):
    """Return [(SVG, alternative text)] of the figures of a chapter, in its order."""
    return [
        (data["image/svg+xml"], cell.metadata.get("mystnb", {}).get("image", {}).get("alt", ""))
        for cell in code(read(path))
        for data in map(mime, cell.outputs)
        if "image/svg+xml" in data
    ]


def save_figures(paths, folder):
    """Save the figures of chapters; return how many there are."""
    number = 0
    with sync_playwright() as playwright:
        browser = start_chromium(playwright)
        page = browser.new_page(device_scale_factor=SCALE)
        for path in paths:
            (folder / path.stem).mkdir(parents=True, exist_ok=True)
            for place, (svg, text) in enumerate(read_figures(path), start=1):
                file = folder / path.stem / f"{path.stem[:2]}-{place:02}.svg"
                file.write_text(svg, "utf-8")
                file.with_suffix(".txt").write_text(text + "\n", "utf-8")
                draft = file.with_suffix(".html")  # a file, which may read the typeface
                bold = FONT.with_name("DejaVuSans-Bold.ttf")
                drawn = svg[svg.index("<svg") :]
                draft.write_text(PAGE.format(regular=FONT.as_uri(), bold=bold.as_uri(), svg=drawn), "utf-8")
                page.goto(draft.as_uri())
                page.evaluate("document.fonts.ready")
                page.locator("svg").first.screenshot(path=file.with_suffix(".png"))
                draft.unlink()
                number += 1
        browser.close()
    return number


def main():
    parser = argparse.ArgumentParser(prog="python -m tools.figures", description=__doc__.partition("\n")[0])
    parser.add_argument("chapter", nargs="*", help="01 or 01_definition; without any, all chapters")
    parser.add_argument("--to", type=Path, default=ROOT / "_build" / "figures", help="folder (_build/figures)")
    options = parser.parse_args()
    paths = [find_chapter(number) for number in options.chapter] or CHAPTERS
    print(f"{save_figures(paths, options.to)} figures are in {options.to}, each as SVG and as PNG.")


if __name__ == "__main__":
    main()
