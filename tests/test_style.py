"""The one style of all pages has what they need and no more."""

import re

from web.styles import purged

STYLE = """/* a comment { */ @charset "UTF-8"; .here, .gone > a { color: red }
@media print { .gone { x: y } .here:not(.gone)::after { content: "} .gone" } } @media screen { .gone { x: y } }
@font-face { src: url(data:font/woff;base64,ab) } a[title="x, .y"] { b: c }"""


def test_rules_for_what_no_page_has_are_left_out():
    assert " ".join(purged(STYLE, {"here"}).split()) == (
        '.here{ color: red } @media print{.here:not(.gone)::after{ content: "} .gone" }} '
        '@font-face{ src: url(data:font/woff;base64,ab) } a[title="x, .y"]{ b: c }'
    )


def test_every_page_loads_one_style_and_waits_for_no_script(site):
    for page in site.rglob("*.html"):
        if "_static" not in page.parts:
            head = page.read_text().partition("</head>")[0]
            assert len(re.findall('rel="stylesheet"', head)) == 1, page
            assert not re.search(r'<script(?![^>]*defer)[^>]*src="', head), page
    style = (site / "_static" / "site.css").read_text()
    assert ".headerlink" in style and "@import" not in style and len(style) < 200_000
