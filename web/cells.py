"""What a page makes of a chapter's first lines and of folded code: each fold says what is in it.

The first paragraph of a chapter asks its question, and the picture to touch comes next, though its cell follows the
imports; what one will be able to do becomes a row of aims, and what one needs a line above the title. Below the aims is
what one can do with the page: run it, and show all results. Imports are folded to a line.
"""

import ast
import re

from docutils import nodes

from book.chapter import code, is_figure, mime, tags
from book.names import python_only
from web.figures import PICTURE


def name_fold(cell):
    """Say what a folded cell's code makes: a figure, or the functions that it defines."""
    try:
        tree = ast.parse(python_only(cell.source)).body
    except SyntaxError:
        return "the code"
    if all(isinstance(part, ast.Import | ast.ImportFrom) for part in tree[:-2]) and len(tree) > 2:
        return f"Imports, {len(cell.source.splitlines())} lines"
    if is_figure(cell):
        return "code of this figure"
    defined = [part.name for part in tree if isinstance(part, ast.FunctionDef | ast.ClassDef)]
    return f"code: {', '.join(defined)}" if defined else "the code"


def mark_folds(notebook):
    """Fold the imports of a notebook, and name every fold."""
    for cell in code(notebook)[1:]:
        if not cell.source.lstrip().startswith(("from ", "import ")):
            break
        cell.metadata["tags"] = [*tags(cell), "hide-input", "imports"]
    for cell in code(notebook):
        if any(PICTURE.search(mime(output).get("image/svg+xml", "")) for output in cell.outputs):
            cell.metadata["tags"] = [*tags(cell), "picture"]
        if {"hide-input", "hide-cell"} & {*tags(cell)}:
            prompts = dict.fromkeys(("code_prompt_show", "code_prompt_hide"), name_fold(cell))
            cell.metadata["mystnb"] = cell.metadata.get("mystnb", {}) | prompts
    return notebook


def _open(app, doctree):
    """Give the list of aims and the paragraph of what one needs their classes."""
    section = next(iter(doctree.findall(nodes.section)), None)
    if section is None or not app.env.docname.startswith("chapters/"):
        return
    lede = next((child for child in section.children if isinstance(child, nodes.paragraph)), None)
    for cell in [child for child in section.children if "tag_picture" in child.get("classes", ())]:
        section.remove(cell)
        section.insert(section.index(lede) + 1, cell)
    for child in [*section.children]:
        first = next((part for part in child.children if part.astext()), None)
        if isinstance(child, nodes.section):
            return
        if isinstance(child, nodes.bullet_list):
            child["classes"].append("aims")
        elif isinstance(child, nodes.paragraph) and isinstance(first, nodes.strong):
            has_aims = any("aims" in one.get("classes", ()) for one in section.children)
            line = nodes.container("", child.deepcopy(), classes=["meta" if has_aims else "aims-label"])
            section.replace(child, line)


def _arrange(app, pagename, templatename, context, doctree):
    """Put what a chapter asks for in a line above its title, and what runs it and shows its results below the aims."""
    body = context.get("body", "")
    if meta := re.search(r'(?s)<div class="meta docutils container">.*?</div>\n?', body):
        body = body.replace(meta[0], "", 1)
        body = re.sub("<h1>", lambda _: f"{meta[0]}<h1>", body, count=1)
    if aims := re.search(r'(?s)<ul class="aims.*?</ul>\n?', body):
        controls = re.findall(r'(?s)<div [^>]*data-live="bar".*?</div>|<p class="predictions">.*?</p>', body)
        for control in controls:
            body = body.replace(control, "", 1)
        row = f'<div class="controls">{"".join(controls)}</div>' if controls else ""
        body = body.replace(aims[0], aims[0] + row, 1)
    context["body"] = body


def setup(app):
    app.connect("doctree-read", _open)
    app.connect("html-page-context", _arrange, priority=600)  # after web.live has made its button
