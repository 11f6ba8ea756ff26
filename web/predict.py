"""Predict, then see: on a page the answers to a prediction are folded, and a reader's choices are remembered.

A run of cells with the tag `answer` becomes one `<details>`; the code of its first cell stays in sight above it. The
page works without a script; `_static/predict.js` shows all results, remembers what was chosen, and counts.
"""

import re

import nbformat
from docutils import nodes

from book.chapter import tags

BEGIN, END = "<!-- answer -->", "<!-- end of answer -->"
OPEN = '<details class="answer"><summary>Show what it printed</summary>'
CONTROL = '<p class="predictions"><button type="button" class="open-answers">Show all results</button></p>'
COUNT = '<p class="predicted" role="status"></p>'


def mark_answers(notebook):
    """Put marks around the text of each Markdown cell that is an answer, since its tags do not reach the page."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and "answer" in tags(cell):
            cell.source = f"{BEGIN}\n\n{cell.source}\n\n{END}"
    return notebook


def _html(text):
    return nodes.raw("", text, format="html")


def _is(node, comment):
    return node.astext().strip() == comment and isinstance(node, nodes.raw | nodes.comment)


def fold(section):
    """Fold each run of answers among the children of a section."""
    kept, run, inside = [], None, False
    for child in section.children:
        is_code = "tag_answer" in child.get("classes", []) if isinstance(child, nodes.Element) else False
        if _is(child, BEGIN) or _is(child, END):
            inside = _is(child, BEGIN)
        if run is None and (is_code or inside):
            run = []
            if is_code:
                outputs = [part for part in child.children if "cell_output" in part["classes"]]
                child.children = [part for part in child.children if part not in outputs]
                kept.append(child)
                child = nodes.container("", *outputs, classes=["cell", "answer-output"])
        elif run is not None and not (is_code or inside or _is(child, END)):
            kept += [_html(OPEN), *run, _html("</details>")]
            run = None
        if not (_is(child, BEGIN) or _is(child, END)):
            (kept if run is None else run).append(child)
    section.children = []
    section += kept if run is None else [*kept, _html(OPEN), *run, _html("</details>")]


def _fold_page(app, doctree):
    for section in [doctree, *doctree.findall(nodes.section)]:
        fold(section)
    if any(OPEN in raw.astext() for raw in doctree.findall(nodes.raw)):
        title = doctree.next_node(nodes.title)
        title.parent.insert(1, _html(CONTROL))
        title.parent += _html(COUNT)


def _mark_answers(app, docname, source):
    if re.search(r"\.ipynb$", str(app.env.doc2path(docname))):
        source[0] = nbformat.writes(mark_answers(nbformat.reads(source[0], as_version=4)))


def setup(app):
    app.connect("source-read", _mark_answers)
    app.connect("doctree-read", _fold_page)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
