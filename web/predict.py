"""Predict, then see: a prediction is one frame, and the reader's choice opens what is hidden in it.

A run of cells with the tag `answer` becomes one `<details>` in the frame of the prediction before it; the code of its
first cell stays in sight. Without scripts that is opened by hand; `_static/predict.js` opens it with the reader's
choice, remembers and counts the choices, and has a switch that opens all.
"""

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
    kept, run, inside, frame = [], [], False, None
    for child in [*section.children, None]:  # None ends what is open
        mark = child.astext().strip() if isinstance(child, nodes.raw | nodes.comment) else ""
        if mark in (BEGIN, END):
            inside = mark == BEGIN
            continue
        is_code = isinstance(child, nodes.Element) and "tag_answer" in child.get("classes", [])
        is_answer = child is not None and (is_code or inside)
        if run and not is_answer:
            start = len(kept) if frame is None else frame
            summary = _html(f'<details class="answer">{SUMMARY.format(what=summarise(run))}')
            framed = [*kept[start:], summary, *run, _html("</details>")]
            kept[start:] = [_html('<div class="prediction">'), *framed, _html("</div>")]
            run, frame = [], None
        if mark == FRAME:
            frame = len(kept)
            continue
        if is_code and not run:
            outputs = [part for part in child.children if "cell_output" in part["classes"]]
            child.children = [part for part in child.children if part not in outputs]
            kept.append(child)
            child = nodes.container("", *outputs, classes=["cell", "answer-output"])
        if child is not None:
            (run if is_answer else kept).append(child)
    section.children = []
    section += kept


def _fold_page(app, doctree):
    for section in [doctree, *doctree.findall(nodes.section)]:
        fold(section)
    if any('class="prediction"' in raw.astext() for raw in doctree.findall(nodes.raw)):
        title = doctree.next_node(nodes.title)
        title.parent.insert(2, _html(CONTROL))
        title.parent += _html(COUNT)


def setup(app):
    app.connect("doctree-read", _fold_page)
