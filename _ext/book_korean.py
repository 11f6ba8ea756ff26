"""The Korean edition: the same pages, with the translations of `locale/ko` put in where a page is read.

`python -m _ext.book_korean` builds it beside the English edition, in `_build/html/ko/`, with Sphinx's language set to
Korean. It has the headings' English addresses, and takes figures, styles and scripts from the English edition.
"""

import os
import re
import shutil
import sys
from collections import Counter
from pathlib import Path

import nbformat
from docutils import nodes
from markdown_it.tree import SyntaxTreeNode
from myst_parser.mdit_to_docutils.base import DocutilsRenderer

from _ext.book_assets import change_pages
from _ext.book_style import LINK
from tools.catalogue import ENGLISH, FOLDER, rewrite, rewrite_notebook, translations
from tools.chapter import ROOT, TRANSLATED

OUT = ROOT / "_build" / TRANSLATED / "html"  # as Sphinx makes it
ENGLISH_SITE = ROOT / "_build" / "html"
OF_ITS_OWN = ("language_data.js", "translations.js")  # what no English page loads, or another one
NOTE = '<p class="untranslated">{words}</p>'
SHARED = re.compile(rf'="((?:\.\./)*)(?=_images/|_static/(?!{"|".join(map(re.escape, OF_ITS_OWN))}))')

english_headings = {}  # of the page that is being read, by what stands in their places


def _translate(app, docname, source):
    """Put the translations of a page in their places, and note how many messages have none."""
    known, missing = translations(docname), Counter()
    english_headings.clear()

    def say(message, kind, place=None):
        missing.update([message] * (message not in known))
        if kind == "heading" and message in known:
            english_headings[known[message]] = message
        return known.get(message)

    if app.env.doc2path(docname).endswith(".ipynb"):
        source[0] = nbformat.writes(rewrite_notebook(nbformat.reads(source[0], as_version=4), say))
    else:
        source[0] = rewrite(source[0], say)
    app.env.metadata[docname]["untranslated"] = len(missing)


def _with_english_address(original):
    """Give a translated heading the ids that the English one has, so that addresses lead to both editions."""

    def generate_heading_target(self, token, level, node, title_node):
        if english := english_headings.get(token.children[0].content):
            [token] = SyntaxTreeNode(self.md.parse(f"# {english}", {})).children
            title_node = nodes.title()
            with self.current_node_context(title_node):
                self.render_children(token)
        return original(self, token, level, node, title_node)

    return generate_heading_target


def _note_what_is_english(app, doctree):
    """Say on top of a page how much of it is not translated."""
    name = app.env.docname
    number = app.env.metadata[name].get("untranslated")
    title = doctree.next_node(nodes.title)
    if title and name in ENGLISH:
        title.parent.insert(1, nodes.raw("", NOTE.format(words="이 쪽은 영어로만 있어요."), format="html"))
    elif title and number:
        words = f"영어 원문이 바뀌었거나 아직 번역하지 않은 곳 {number}군데는 영어로 보여요."
        title.parent.insert(1, nodes.raw("", NOTE.format(words=words), format="html"))


def _changed_catalogues(app, env, added, changed, removed):
    """The pages whose catalogue is newer than what was read of them."""
    paths = {name: FOLDER / f"{name}.po" for name in env.found_docs & env.all_docs.keys()}
    return [name for name, path in paths.items() if path.is_file() and path.stat().st_mtime > env.all_docs[name] / 1e6]


def join(out=OUT, english=ENGLISH_SITE):
    """Copy the pages into the English site, from where they take their figures, styles and scripts."""
    folder = english / TRANSLATED
    shutil.rmtree(folder, ignore_errors=True)
    shared = shutil.ignore_patterns("_images", "_static", ".buildinfo", ".nojekyll", "*.pickle", "*.doctree")
    shutil.copytree(out, folder, ignore=shared)
    (folder / "_static").mkdir()
    for name in OF_ITS_OWN:
        shutil.copy(out / "_static" / name, folder / "_static")
    change_pages(folder, out / "_static", out / "_images")
    style = LINK.search((english / "index.html").read_text("utf-8"))[0]
    for page in folder.rglob("*.html"):
        up = "../" * len(page.relative_to(folder).parents[:-1])
        text = LINK.sub("\0", page.read_text("utf-8"))
        text = text.replace("\0", style.replace("_static/", f"{up}_static/"), 1).replace("\0", "")
        page.write_text(SHARED.sub(r'="\1../', text), "utf-8")


def _finish(app, exception):
    if exception is None and app.builder.format == "html":
        join(Path(app.outdir))


def build(fresh=True):
    """Build the Korean edition; with `fresh` all of it, otherwise what has changed since the last time."""
    from jupyter_book.sphinx import build_sphinx

    if fresh:
        shutil.rmtree(OUT.parent, ignore_errors=True)
    settings = {"language": TRANSLATED, "external_toc_path": str(ROOT / "_toc.yml"), "latex_individualpages": False}
    os.chdir(ROOT)
    return build_sphinx(
        ROOT,
        OUT,
        noconfig=True,
        path_config=ROOT / "_config.yml",
        confoverrides=settings,
        warningiserror=True,
        keep_going=True,
        quiet=True,
    )


def setup(app):
    if app.config.language == TRANSLATED:
        target = DocutilsRenderer.generate_heading_target
        DocutilsRenderer.generate_heading_target = _with_english_address(target)
        app.connect("source-read", _translate, priority=100)  # before other extensions add to the page
        app.connect("doctree-read", _note_what_is_english)
        app.connect("env-get-outdated", _changed_catalogues)
        app.connect("build-finished", _finish, priority=990)  # when every extension has changed the pages
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    sys.exit(int(bool(build(fresh="--changed" not in sys.argv))))
