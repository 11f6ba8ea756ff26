"""Figures in the page's own colours: the SVG of a cell stands inline, and its hex colours become the page's tokens.

So dark mode is exact, and figures share their colours with the pictures to touch. A figure that carries the inputs of a
picture becomes the first state of that picture, which a script draws anew, unless the page is opened as a file, for
which browsers load no modules. Notebooks keep their SVGs as they are.
"""

import json
import re
import shutil
from html import escape, unescape

from attention_course.plots import TOKENS
from book.chapter import ROOT
from web.assets import after_build

IMAGE = re.compile(r'<img (?=[^>]*src="[^"]*_images/(?P<file>[^"]+\.svg)")[^>]*?alt="(?P<alt>[^"]*)"[^>]*>')
PICTURE = re.compile(r'<metadata id="picture" data-picture="([\w-]+)">(.*?)</metadata>', re.DOTALL)


def inline(svg, alt, number):
    """Return an SVG file as an element of a page: own ids, tokens for colours, the alternative text as its name."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata.*?</metadata>|<style.*?</style>|<!--.*?-->|<\?.*?\?>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\bid="([^"]+)"', lambda found: f'id="f{number}-{found[1]}"', svg)
    svg = re.sub(r'(url\(#|href="#)([^")]+)', lambda found: f"{found[1]}f{number}-{found[2]}", svg)
    for name, colour in TOKENS.items():
        svg = re.sub(re.escape(colour), f"var(--{name})", svg, flags=re.IGNORECASE)
    head, rest = svg.split(">", 1)
    head = re.sub(r' (?:xmlns(?::\w+)?|version|width|height)="[^"]*"', "", head)
    return f'{head} class="figure" role="img" aria-label="{alt}">{rest}'


def frame(name, inputs, drawn):
    """Return the figure in which a script draws a picture anew; its first state stays where there are no scripts."""
    return f'<figure data-picture="{name}" data-inputs="{inputs}"><div data-static>{drawn}</div></figure>'


def with_inline_figures(text, images, depth):
    """Return a page with its SVGs inline, and with a picture to touch around those that carry its inputs."""
    number = 0

    def put(found):
        nonlocal number
        number += 1
        svg = (images / found["file"]).read_text("utf-8")
        drawn = inline(svg, found["alt"], number)
        if not (picture := PICTURE.search(svg)):
            return drawn
        name, inputs = picture[1], escape(json.dumps(json.loads(unescape(picture[2])), ensure_ascii=False))
        return frame(name, inputs, drawn)

    text = IMAGE.sub(put, text)
    if "data-picture" in text:
        start = f"./{'../' * depth}_static/pictures/start.js"
        script = f'<script>location.protocol === "file:" || import("{start}")</script>'
        text = text.replace("</head>", f"{script}</head>", 1)
    return text


def _finish(app, out):
    shutil.copytree(ROOT / "web" / "pictures", out / "_static" / "pictures", dirs_exist_ok=True)
    for page in out.rglob("*.html"):
        depth = len(page.relative_to(out).parts) - 1
        page.write_text(with_inline_figures(page.read_text("utf-8"), out / "_images", depth), "utf-8")


def setup(app):
    after_build(app, _finish, both=True, priority=350)
