"""Predict, then see: a prediction is one frame, and the reader's choice opens what is hidden in it.

A run of cells with the tag `answer` becomes one `<details>` in the frame of the prediction before it; the code of its
first cell stays in sight. Without scripts that is opened by hand; `_static/predict.js` opens it with the reader's
choice, remembers and counts the choices, and has a switch that opens all.
"""

import re

import nbformat
from docutils import nodes

from book.chapter import tags

BEGIN, END, FRAME = "<!-- answer -->", "<!-- end of answer -->", "<!-- prediction -->"
CONTROL = '<p class="predictions"><button type="button" role="switch" aria-checked="false">Show results</button></p>'
COUNT = '<p class="predicted" role="status"></p>'
SUMMARY = "<summary><span>{what}, when you choose</span> <b>Show without choosing</b></summary>"


def mark_predictions(notebook):
    """Mark where a prediction begins, and each Markdown cell that is an answer, since tags don't reach the page."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and 'class="choice' in cell.source:
            before, choice, rest = cell.source.partition('<details class="choice')
            *text, question = before.rstrip().split("\n\n")
            cell.source = "\n\n".join([*text, FRAME, question, choice + rest])
        if cell.cell_type == "markdown" and "answer" in tags(cell):
            cell.source = f"{BEGIN}\n\n{cell.source}\n\n{END}"
    return notebook


def _html(text):
    return nodes.raw("", text, format="html")


def _is(node, comment):
    return node.astext().strip() == comment and isinstance(node, nodes.raw | nodes.comment)


def _outputs(cell):
    return [part for part in cell.children if "cell_output" in part["classes"]]


def summarise(run):
    """Say what is hidden without giving it away: how many lines were printed and whether a figure was drawn."""
    containers = [node for node in run if isinstance(node, nodes.container)]
    lines = sum(len(block.astext().splitlines()) for node in containers for block in node.findall(nodes.literal_block))
    figures = sum(1 for node in containers for _ in node.findall(nodes.image))
    printed = f"{lines} lines" if lines > 1 else "A line" if lines else ""
    drawn = f"{figures} figures" if figures > 1 else "a figure" if figures else ""
    return " and ".join(filter(None, [printed, drawn if printed else drawn.capitalize()])) or "The answer"


def fold(section):
    """Put each prediction among the children of a section into a frame, with its run of answers folded."""
    kept, run, inside, frame = [], None, False, None

    def close():
        nonlocal kept, run, frame
        folded = [_html(f'<details class="answer">{SUMMARY.format(what=summarise(run))}'), *run, _html("</details>")]
        start = len(kept) if frame is None else frame
        kept = [*kept[:start], _html('<div class="prediction">'), *kept[start:], *folded, _html("</div>")]
        run = frame = None

    for child in section.children:
        is_code = "tag_answer" in child.get("classes", []) if isinstance(child, nodes.Element) else False
        if _is(child, FRAME):
            if run is not None:  # a prediction right behind the answers of another
                close()
            frame = len(kept)
            continue
        if _is(child, BEGIN) or _is(child, END):
            inside = _is(child, BEGIN)
        if run is None and (is_code or inside):
            run = []
            if is_code:
                outputs = _outputs(child)
                child.children = [part for part in child.children if part not in outputs]
                kept.append(child)
                child = nodes.container("", *outputs, classes=["cell", "answer-output"])
        elif run is not None and not (is_code or inside or _is(child, END)):
            close()
        if not (_is(child, BEGIN) or _is(child, END)):
            (kept if run is None else run).append(child)
    if run is not None:
        close()
    section.children = []
    section += kept


def _fold_page(app, doctree):
    for section in [doctree, *doctree.findall(nodes.section)]:
        fold(section)
    if any('class="prediction"' in raw.astext() for raw in doctree.findall(nodes.raw)):
        title = doctree.next_node(nodes.title)
        title.parent.insert(2, _html(CONTROL))
        title.parent += _html(COUNT)


def _mark_answers(app, docname, source):
    if re.search(r"\.ipynb$", str(app.env.doc2path(docname))):
        source[0] = nbformat.writes(mark_predictions(nbformat.reads(source[0], as_version=4)))


def setup(app):
    app.connect("source-read", _mark_answers)
    app.connect("doctree-read", _fold_page)
