"""A term that a chapter prints in bold links, at its first use there, to its line in the glossary."""

import re
from pathlib import Path

from docutils import nodes

from book.chapter import TRANSLATED

PAGE = "pages/glossary"
ROW = re.compile(r'^\| (?!English|--)([^|]+?) \|(?: <span lang="ko">(.+?)</span>)?', re.MULTILINE)


def read_rows(text):
    """Yield for each row of the glossary its English terms, its Korean words, and the id that it gets."""
    for terms, words in ROW.findall(text):
        yield terms.split(", "), words.split(" · ") if words else [], "term-" + re.sub(r"\W+", "-", terms.lower())


def _link_terms(app, doctree):
    text = (Path(app.srcdir) / f"{PAGE}.md").read_text("utf-8")
    known = {}
    for terms, words, row in read_rows(text):
        known |= dict.fromkeys(map(str.lower, terms), row)
        if app.config.language == TRANSLATED:
            known |= dict.fromkeys(words, row)
    name = app.env.docname
    if name == PAGE:
        for row in doctree.findall(nodes.row):
            if found := known.get(row.children[0].astext().lower().split(", ")[0]):
                row["ids"].append(found)
    if not name.startswith("chapters/"):
        return
    linked = set()
    for strong in list(doctree.findall(nodes.strong)):
        term = re.sub(r"\s*\(.*", "", strong.astext().lower())
        term = term if term in known else term.removesuffix("s")
        if term in known and known[term] not in linked and not isinstance(strong.parent, nodes.reference | nodes.title):
            target = f"{app.builder.get_relative_uri(name, PAGE)}#{known[term]}"
            linked.add(known[term])
            link = nodes.reference("", "", refuri=target, internal=True, classes=["term"])
            strong.replace_self(link)
            link += strong


def setup(app):
    app.connect("doctree-read", _link_terms)
