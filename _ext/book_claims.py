"""The page of claims, made from the stored results, and the links between it and the chapters."""

import re

from docutils import nodes
from mdit_py_plugins.anchors.index import slugify
from sphinx import addnodes

from tools import claims, proofs
from tools.chapter import address, one_line, prose, read, title

PAGE, MARK = "claims", "<!-- made: claims -->"


def section(notebook, sentence):
    """The last heading before a sentence."""
    heading = ""
    for source in prose(notebook):
        for part in re.split(r"^(?=#{1,3} )", source, flags=re.MULTILINE):
            if part.startswith("#"):
                heading = part.partition("\n")[0].lstrip("# ")
            if one_line(sentence) in one_line(part):
                return heading
    return heading


def told(path, notebook, claim):
    """A claim in two lines: the sentence with a link to its place; what was varied, and what was seen."""
    rows = proofs.load(f"claims-{path.stem[:2]}-{claim.experiment}")["rows"]
    heading = section(notebook, claim.sentence)
    parts = {"varied": claim.varied, "floor": claim.floor, "seen": claim.seen, "ceiling": claim.ceiling}
    texts = {name: part(rows) if callable(part) else part for name, part in parts.items()}
    line = " · ".join(f"*{name}:* {text}" for name, text in texts.items() if text)
    verdict = "holds" if claim.holds(rows) else "**does not hold**"
    link = f"[{heading}]({address(path, heading)})"
    return f"- “{one_line(claim.sentence)}” {link}\\\n  {line} · {verdict}"


def chapter(path, module):
    """The part of the page for one chapter."""
    notebook = read(path)
    yield f"(claims-{path.stem[:2]})=\n## {int(path.stem[:2])}. {title(notebook)}\n"
    yield "\n".join(told(path, notebook, claim) for claim in module.CLAIMS) + "\n"
    if module.FELL:
        yield "**What fell.** These sentences stood in the chapter and did not survive.\n"
        entries = (f"- “{fell.sentence}”\\\n  *seen:* {fell.seen} · *Now:* {fell.now}" for fell in module.FELL)
        yield "\n".join(entries) + "\n"


def table(modules):
    """How the claims of each chapter are settled."""
    yield "| chapter | " + " | ".join(("tested", *claims.WAYS, "fell")) + " |"
    yield "|---" * (len(claims.WAYS) + 3) + "|"
    for path, module in modules.items():
        counts = [list(module.SETTLED.values()).count(way) for way in claims.WAYS]
        numbers = " | ".join(map(str, (len(module.CLAIMS), *counts, len(module.FELL))))
        yield f"| {int(path.stem[:2])}. {title(read(path))} | {numbers} |"
    yield ""


def _make_page(app, docname, source):
    if docname == PAGE:
        modules = claims.modules()
        parts = [*table(modules), *(text for path, module in modules.items() for text in chapter(path, module))]
        source[0] = source[0].replace(MARK, "\n".join(parts))


def _link_page(app, doctree):
    """End the summary of a chapter with a link to its part of the page."""
    number = app.env.docname.removeprefix("chapters/")[:2]
    if app.env.docname.removeprefix("chapters/") not in {path.stem for path in claims.modules()}:
        return
    for part in doctree.findall(nodes.section):
        if "summary" in part["ids"]:
            target = {"refdomain": "std", "reftype": "ref", "reftarget": f"claims-{number}", "refdoc": app.env.docname}
            words = nodes.inline("", "how hard we tried to break them")
            link = addnodes.pending_xref("", words, refexplicit=True, refwarn=True, **target)
            part += nodes.paragraph("", "", nodes.Text("The claims of this chapter, and "), link, nodes.Text("."))


def _know_headings(app, doctree):
    """Make the headings of a notebook known to links from other pages; MyST does so for Markdown pages alone."""
    slugs = app.env.metadata[app.env.docname].setdefault("myst_slugs", {})
    for part in doctree.findall(nodes.section):
        heading = part.next_node(nodes.title).astext()
        [name, *_] = [*part["names"], *part["dupnames"], heading]  # a translated heading keeps its English name
        slugs.setdefault(slugify(name), (part.line, part["ids"][0], heading))


def setup(app):
    app.connect("source-read", _make_page)
    app.connect("doctree-read", _link_page)
    app.connect("doctree-read", _know_headings)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
