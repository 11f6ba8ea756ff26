"""Print the built site as one PDF, `python -m tools.print_book SITE PDF`: cover, contents, pages in their order.

The articles of the pages are joined to one, so that a link from chapter to chapter leads to a page of the same PDF, and
headless Chromium prints it with bookmarks: twice, since only the first copy tells on which page an article begins.
Pages to look things up in are on the site only. `make pdf` runs it.
"""

import posixpath
import re
import sys
from pathlib import Path
from urllib.parse import urljoin

from bs4 import BeautifulSoup
from playwright.sync_api import sync_playwright

from book.chapter import TRANSLATED, pages
from book.programs import start_chromium

NOT_PRINTED = {f"pages/{name}" for name in ("package", "instructors", "from_the_notes", "evidence")}
STYLE = """<style>
.bd-article + .bd-article { break-before: page; }
.cover { text-align: center; padding-top: 60mm !important; }
.cover img { width: 40mm; }
.contents p { display: flex; gap: 1em; justify-content: space-between; margin: 0.4em 0; }
</style>"""
FOOTER = '<div style="width: 100%; text-align: center; font-size: 8px"><span class="pageNumber"></span></div>'
MARGIN = {"top": "16mm", "bottom": "16mm", "left": "16mm", "right": "16mm"}


def anchor(page, fragment=""):
    return page.replace("/", "-") + (f"--{fragment}" if fragment else "")


def article(site, page, pages):
    """Return the article of a page whose anchors carry its name and whose links stay in the book where they can."""
    body = BeautifulSoup((site / f"{page}.html").read_text("utf-8"), "html.parser").select_one("article.bd-article")
    for unprinted in body.select("a.headerlink"):
        unprinted.decompose()
    for tag in body.select("[id]"):
        tag["id"] = anchor(page, tag["id"])
    for link in body.select("a[href]"):
        target, _, fragment = urljoin(f"{page}.html", link["href"]).partition("#")
        if target.removesuffix(".html") in pages:
            link["href"] = "#" + anchor(target.removesuffix(".html"), fragment)
        elif not target.startswith("http"):
            link.unwrap()  # a page that is on the site alone
    for image in body.select("img[src]"):
        image["src"] = posixpath.normpath(posixpath.join(posixpath.dirname(page), image["src"]))
    body["id"] = anchor(page)
    return str(body)


def join(site, pages):
    """Return the pages as one page of HTML, for the folder of the site."""
    texts = [(site / f"{page}.html").read_text("utf-8") for page in pages]
    styles = re.findall(r'<link[^>]*href="([^"]*_static/[^"]*\.css[^"]*)"', texts[0])  # those of all pages
    links = "".join(f'<link rel="stylesheet" href="{style}" />' for style in styles)
    title, language = (re.search(form, texts[0])[1] for form in (r"<h1>(.*?)<", r'<html[^>]* lang="(\w+)"'))
    body = front(texts, pages, language) + "".join(article(site, page, pages) for page in pages)
    return (
        f'<!DOCTYPE html><html lang="{language}" data-theme="light"><head><meta charset="utf-8" />'
        f"<title>{title}</title>{links}{STYLE}</head>"
        '<body class="whole-book"><main class="bd-main"><div class="bd-content">'
        f'<div class="bd-article-container">{body}</div></div></main></body></html>'
    )


def front(texts, pages, language):
    """Return the cover and the contents, whose page numbers are still to be filled in."""
    title, edition = re.search(r"<h1>(.*?)<", texts[0])[1], re.search(r'<p class="edition">(.*?)</p>', texts[0])[1]
    names = [re.search(r"<h1>([^\n]*?)<a class=\"headerlink", text)[1] for text in texts]
    icon = re.search(r'<link (?=[^>]*rel="icon")[^>]*href="([^"]*)"', texts[0])[1]
    contents = "차례" if language == TRANSLATED else "Contents"
    lines = "".join(
        f'<p><a href="#{anchor(page)}">{name}</a><span class="number"></span></p>'
        for page, name in zip(pages, names, strict=True)
    )
    return (
        f'<article class="bd-article cover"><img src="{icon}" alt="" /><p class="h1">{title}</p>'
        f'<p>{edition}</p></article><article class="bd-article contents"><p class="h1">{contents}</p>{lines}</article>'
    )


FILL = """numbers => document.querySelectorAll(".contents .number").forEach((one, i) => {
  one.textContent = numbers[i];
})"""


def find_page_numbers(printed, names):
    """Return the page on which each of the anchors stands in a printed PDF, whose pages are in order."""
    order = re.findall(rb"(\d+) 0 obj\n<</Type /Page\n", printed)
    places = dict(re.findall(rb"/([\w-]+) \[(\d+) 0 R", printed))
    return [order.index(places[name.encode()]) + 1 for name in names]


def print_book(site, pdf):
    """Write the PDF."""
    joined = site / "whole-book.html"
    names = [page for page in pages() if page not in NOT_PRINTED]
    joined.write_text(join(site, names), "utf-8")
    try:
        with sync_playwright() as playwright:
            browser = start_chromium(playwright)
            tab = browser.new_page()
            tab.goto(joined.resolve().as_uri(), timeout=300_000)
            paper = {"format": "A4", "margin": MARGIN, "scale": 0.85}
            look = {"print_background": True, "outline": True, "tagged": True}
            frame = {"display_header_footer": True, "header_template": "<span></span>", "footer_template": FOOTER}
            tab.evaluate(FILL, find_page_numbers(tab.pdf(**paper), map(anchor, names)))
            tab.pdf(path=pdf, **paper, **look, **frame)
            browser.close()
    finally:
        joined.unlink()


if __name__ == "__main__":
    site, pdf = map(Path, sys.argv[1:])
    print_book(site, pdf)
    print(f"The book is printed: {pdf}")
