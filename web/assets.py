"""What a page loads: only what it needs, and all of it from its own site.

The theme brings every icon there is as 1.5 MB of script. Here the icons become a font of those that the pages show,
and a page does not load the styles and scripts of what is not on it. tests/test_browser.py weighs the result.
"""

import html
import re
import shutil
import sys
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

from book.chapter import TRANSLATED
from web.styles import write_style

NODE_MODULES = Path(sys.prefix) / "node_modules"

# Scripts with the word in their name or text are loaded only by pages whose body has the mark.
NEEDED_BY = {
    "thebe": "thebe",
    "toggle": "toggle",
    "design": "sd-",
    "predict": "prediction",
    "front": "addends",
    "machine": "machine",
    "marks": "mark",
}

# The typefaces, from their npm packages: prose is serif, everything else sans.
FONTS = {
    "serif": ("source-serif-4", "source-serif-4-latin-wght-normal.woff2"),
    "serif-italic": ("source-serif-4", "source-serif-4-latin-wght-italic.woff2"),
    "sans": ("source-sans-3", "source-sans-3-latin-wght-normal.woff2"),
}
FEATURES = ["kern", "liga", "tnum", "sups", "ccmp", "mark"]

# The reader's or the system's choice of colours, applied before the page is painted, so that it is painted once.
CHOSEN = """(mode => mode != "auto" ? mode : matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")(
        document.documentElement.dataset.mode)"""

# Changes in every page: the icon script goes; a button is named by the words on it; an outdated role is replaced; a
# comment that begins with a stage of attention gets its colour.
CHANGES = {
    r'localStorage\.getItem\("theme"\) \|\| "auto"': CHOSEN,
    r'<script src="[^"]*scripts/fontawesome\.js[^"]*"></script>': "",
    r'title="Search" aria-label="Search" data-bs': 'title="Search" data-bs',
    r' aria-label="Toggle hidden content"': "",
    r'<summary>(?=<span class="toctree-toggle")': '<summary aria-label="More pages">',
    r'<link (?=[^>]*rel="preload")[^>]*as="script"[^>]*>': "",  # it would come before what the page is painted with
    r"<script (?=[^>]*src=)(?![^>]*defer)": '<script defer="defer" ',
    r'role="doc-biblioentry"': 'role="listitem"',
    r'<span class="c1">(# (score|scale|weigh|mix)\b)': r'<span class="c1 stage-\2">\1',
}


def _drop_unneeded(app, pagename, templatename, context, doctree):
    """Leave out of the page what belongs to things that it does not have."""
    body = context.get("body", "")
    absent = [word for word, mark in NEEDED_BY.items() if f'class="{mark}' not in body]

    def is_needed(asset):
        text = f"{getattr(asset, 'filename', asset)} {getattr(asset, 'attributes', {}).get('body', '')}"
        return not any(word in text.lower() for word in absent)

    context["script_files"] = [asset for asset in context["script_files"] if is_needed(asset)]


def package(name):
    """Return the folder of an npm package, which the Makefile installs."""
    folder = NODE_MODULES / name
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder} is missing; `make .venv/installed` puts the npm package there")
    return folder


def _copy_katex(static):
    """Copy KaTeX's style and fonts from its npm package."""
    dist = package("katex") / "dist"
    (static / "katex" / "fonts").mkdir(parents=True, exist_ok=True)
    for path in [dist / "katex.min.css", *dist.glob("fonts/*.woff2")]:
        shutil.copy(path, static / "katex" / path.relative_to(dist))


def _write_subset(font, text, path, **options):
    """Write a font with nothing but the characters of a text."""
    font = TTFont(font, recalcTimestamp=False)
    subsetter = Subsetter(Options(**options))
    subsetter.populate(text=text)
    subsetter.subset(font)
    font.flavor = path.suffix[1:]
    font.save(path)


def find_font(name):
    """Return the file of a typeface of the book: "serif", "serif-italic" or "sans"."""
    folder, file = FONTS[name]
    return package(f"@fontsource-variable/{folder}") / "files" / file


def _write_fonts(out):
    """Write the typefaces with the characters that the English pages and the figures have: a third of their size."""
    hidden, pages = re.compile(r"(?s)<(script|style).*?</\1>|<[^>]*>"), out.rglob("*.html")
    texts = (hidden.sub("", page.read_text("utf-8")) for page in pages)
    letters = "".join({*html.unescape("".join(texts))} | {*map(chr, range(32, 127))})
    (out / "_static" / "fonts").mkdir(exist_ok=True)
    for name in FONTS:
        _write_subset(find_font(name), letters, out / "_static" / "fonts" / f"{name}.woff2", layout_features=FEATURES)


def change_pages(folder, static, images):
    """Change all pages of a folder, given the folders where Sphinx put their static files and images."""
    options = f"<script>{(static / 'documentation_options.js').read_text('utf-8')}</script>"
    pictures = [path.name for path in images.glob("*.svg") if 'id="picture"' in path.read_text("utf-8")]
    is_picture = rf'<img (?=[^>]*_images/({"|".join(pictures) or "none"})")'
    for page in folder.rglob("*.html"):
        text = re.sub(is_picture, '<img class="picture" ', page.read_text("utf-8"))
        text = re.sub(r'<script src="[^"]*documentation_options\.js[^"]*"></script>', lambda _: options, text)
        for old, new in CHANGES.items():
            text = re.sub(old, new, text)
        page.write_text(text, "utf-8")


def _wait_for_all_scripts(doctools):
    """Let what Sphinx's scripts do at the start wait for the scripts behind them.

    Pages defer their scripts, so that the highlighter would speak before its translations are there, and would not
    know that it is on the search page.
    """
    late, early = 'document.readyState === "complete"', 'document.readyState !== "loading"'
    doctools.write_text(doctools.read_text("utf-8").replace(early, late), "utf-8")


def _subset_icons(out):
    """Write a font of a few kilobytes with the icons that pages, scripts and the style name."""
    style = (out / "_static" / "styles" / "pydata-sphinx-theme.css").read_text("utf-8")
    files = [*out.rglob("*.html"), out / "_static" / "scripts" / "pydata-sphinx-theme.js"]
    names = {name for path in files for name in re.findall(r"\bfa-([a-z-]+)", path.read_text("utf-8"))}
    icons = re.findall(r'((?:\.fa-[\w-]+:before,?)+)\{content:"\\(\w+)"', style)
    codes = [chr(int(code, 16)) for rule, code in icons if names & {*re.findall(r"fa-([\w-]+)", rule)}]
    text = "".join(codes + re.findall("[\ue000-\uf8ff]", style))
    _write_subset(out / "_static/vendor/fontawesome/webfonts/fa-solid-900.ttf", text, out / "_static" / "icons.woff")


def after_build(app, write, *, both=False, priority=500):
    """Let `write(app, out)` complete the English edition, or `both`, unless the build failed.

    The Korean edition takes most of what it loads from the English one.
    """

    def finish(app, exception):
        if exception is None and (both or app.config.language != TRANSLATED):
            write(app, Path(app.outdir))

    app.connect("build-finished", finish, priority=priority)


def _finish(app, out):
    _copy_katex(out / "_static")
    for script in (out / "_static" / "scripts").glob("fontawesome.js*"):
        script.unlink()
    _wait_for_all_scripts(out / "_static" / "doctools.js")
    change_pages(out, out / "_static", out / "_images")
    _subset_icons(out)
    _write_fonts(out)


def setup(app):
    app.connect("html-page-context", _drop_unneeded, priority=900)  # when every extension has added its own
    after_build(app, _finish, priority=400)  # before sphinx-codeautolink writes pages in its own form
    after_build(app, lambda app, out: write_style(out), priority=850)  # when every extension has copied its own
