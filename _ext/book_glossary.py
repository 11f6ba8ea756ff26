"""A term that a chapter prints in bold links, at its first use there, to its line in the glossary."""

import re
from pathlib import Path

from docutils import nodes

PAGE = "glossary"


def terms(text):
    """Return the English terms of the glossary, each with the id of its row."""
    rows = re.findall(r"^\| (?!English|--)([^|]+?) \|", text, re.MULTILINE)
    return {term: "term-" + re.sub(r"\W+", "-", row.lower()) for row in rows for term in row.lower().split(", ")}


def _link_terms(app, doctree):
    known = terms((Path(app.srcdir) / f"{PAGE}.md").read_text("utf-8"))
    name = app.env.docname
    if name == PAGE:
        for row in doctree.findall(nodes.row):
            if found := known.get(row.children[0].astext().lower().split(", ")[0]):
                row["ids"].append(found)
    if not name.startswith("chapters/"):
        return
    for strong in list(doctree.findall(nodes.strong)):
        term = strong.astext().lower()
        term = term if term in known else term.removesuffix("s")
        if term in known and not isinstance(strong.parent, nodes.reference | nodes.title):
            target = f"{app.builder.get_relative_uri(name, PAGE)}#{known.pop(term)}"
            link = nodes.reference("", "", refuri=target, internal=True, classes=["term"])
            strong.replace_self(link)
            link += strong


def setup(app):
    app.connect("doctree-read", _link_terms)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
