"""A term that a chapter prints in bold links, at its first use there, to its line in the glossary."""

import re
from pathlib import Path

from docutils import nodes

from book.chapter import TRANSLATED

PAGE = "pages/glossary"


def terms(text):
    """Return the English terms of the glossary, each with the id of its row."""
    rows = re.findall(r"^\| (?!English|--)([^|]+?) \|", text, re.MULTILINE)
    return {term: "term-" + re.sub(r"\W+", "-", row.lower()) for row in rows for term in row.lower().split(", ")}


def korean_terms(text):
    """Return the Korean words of the glossary, each with the id of its row."""
    rows = re.findall(r'^\| (?!English)([^|]+?) \| <span lang="ko">(.+?)</span>', text, re.MULTILINE)
    ids = terms(text)
    return {word: ids[row.lower().split(", ")[0]] for row, words in rows for word in words.split(" · ")}


def list_words(text):
    """Return for each row of the glossary its words in both languages, which mean the same."""
    rows = re.findall(r'^\| (?!English)([^|]+?) \| <span lang="ko">(.+?)</span>', text, re.MULTILINE)
    return [[*words.split(" · "), *row.split(", ")] for row, words in rows]


def _link_terms(app, doctree):
    text = (Path(app.srcdir) / f"{PAGE}.md").read_text("utf-8")
    known = terms(text) | (korean_terms(text) if app.config.language == TRANSLATED else {})
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
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
