"""The page runs: what a chapter needs in order to run its cells in the reader's browser, from the site's own files.

Into `_static/live/` of the site go the files of `web/live/`, Pyodide, which npm brings, the packages as they are,
`book/names.py`, which reads what names a cell binds and uses, and two lists: what has to be loaded, with sizes and
hashes, and which cells were seen to give their stored text (`web/live/running_pages.py`). No registry has NumPy and
Matplotlib for a browser, so their wheels are in `web/live/`; they are those of Pyodide's lock.
"""

import gzip
import hashlib
import importlib.util
import io
import json
import re
import shutil
import zipfile
from pathlib import Path

from attention_course import novel
from book.chapter import ROOT, RUNNING, TRANSLATED, code, is_check, page_of, read
from web.assets import package
from web.live.running_pages import find_offered_cells

SOURCE = ROOT / "web" / "live"
ENGLISH_SITE = ROOT / "_build" / "html"
TYPES = {".mjs": "text/javascript", ".js": "text/javascript", ".wasm": "application/wasm", ".json": "application/json"}
RUNTIME = ["pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip"]  # of npm's package
WHEELS = {"python": ["numpy"], "drawing": ["matplotlib", "contourpy", "kiwisolver", "pillow"]}
MODULES = {  # pure Python, in the lock's versions
    "python": [
        "attention_src",
        "attention_course",
        "array_api_compat",
        "book.names",
        SOURCE / "attention_live.py",
        SOURCE / "attention_bench.py",
    ],
    "drawing": ["cycler", "dateutil", "packaging", "pyparsing"],
}
KINDS = (".py", ".po", ".toml", ".npz", ".txt")  # what of a module is packed
BESIDE = (novel.FILE, novel.TRAINING, novel.WEIGHTS)  # what chapter 13 alone asks for
BUTTON = "Run this page ({python:.0f} MB, figures {drawing:.0f} MB more)"
BLANK = "blank notebook (.ipynb)"
BAR = """
<div class="d-print-none pst-js-only" data-live="bar" data-instruments="{instruments}" data-exercises="{exercises}">
<button type="button" class="btn btn-sm btn-outline-primary" data-live="start">{button}</button>
<span data-live="status" data-state="idle" role="status">{words}</span>
</div>"""


def read_lock():
    """Return the list of packages that Pyodide was made with, from npm's package."""
    return json.loads((package("pyodide") / "pyodide-lock.json").read_text("utf-8"))


def find_wheel(name, known):
    """Return the path of a package's wheel; raise ValueError unless it is the one that Pyodide was made with."""
    path = SOURCE / known["packages"][name]["file_name"]
    if hashlib.sha256(path.read_bytes()).hexdigest() != known["packages"][name]["sha256"]:
        raise ValueError(f"{path} is not the file of Pyodide's lock")
    return path


def zip_modules(modules):
    """Return an archive of modules as they are installed here, with the same bytes on every run."""
    found = {}
    for module in modules:
        path, outer = Path(module), 0
        if not path.is_absolute():
            spec, outer = importlib.util.find_spec(module), module.count(".")
            path = Path(spec.submodule_search_locations[0] if spec.submodule_search_locations else spec.origin)
        inside = sorted({file for kind in KINDS for file in path.rglob(f"*{kind}")} - {*BESIDE})
        for file in inside if path.is_dir() else [path]:
            found[file.relative_to(path.parents[outer]).as_posix()] = file.read_bytes()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in found.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED, 9)
    return out.getvalue()


def write_runtime(folder):
    """Write all that a page loads once its button is pressed; return the bytes of each group."""
    shutil.copytree(SOURCE, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.whl", "*.py", "__pycache__"))
    known = read_lock()
    empty = json.dumps({"info": known["info"], "packages": {}}).encode()  # packages come as files, below
    contents = {name: (package("pyodide") / name).read_bytes() for name in RUNTIME} | {"pyodide-lock.json": empty}
    groups = {"python": list(contents), "drawing": []}
    for group in groups:
        wheels = [find_wheel(name, known) for name in WHEELS[group]]
        contents |= {path.name: path.read_bytes() for path in wheels} | {f"{group}.zip": zip_modules(MODULES[group])}
        groups[group] += [*(path.name for path in wheels), f"{group}.zip"]
    files = {}
    for name, content in contents.items():
        packed = Path(name).suffix in TYPES
        path = f"{name}.gz" if packed else name  # whether a server compresses is not left to it
        sent = gzip.compress(content, 9, mtime=0) if packed else content
        (folder / path).write_bytes(sent)
        digest, kind = hashlib.sha256(content).hexdigest(), TYPES.get(Path(name).suffix, "application/zip")
        files[name] = {"path": path, "bytes": len(sent), "sha256": digest, "type": kind}
    (folder / "prose").mkdir(exist_ok=True)
    for path in BESIDE:
        shutil.copy(path, folder / "prose")
    (folder / "runtime.json").write_text(json.dumps({"files": files, "groups": groups}), "utf-8")
    return sum_bytes(files, groups)


def sum_bytes(files, groups):
    """Return how many bytes are loaded until Python is ready, and how many more until it draws."""
    return {group: sum(files[name]["bytes"] for name in names) for group, names in groups.items()}


def describe_cells(cells, notebook):
    """Say beside the button of a page how many of its cells run, and what the others need; count its exercises."""
    runs = [name for name, how in cells.items() if how in ("whole", "alone")]
    checks = [cell.id for cell in code(notebook) if is_check(cell) and cell.id in runs]
    return len(checks), (
        f"Change the code, run it and save your own notebook, here in your browser: {len(runs)} of the {len(cells)} "
        f"cells{f', {len(checks)} exercises among them' if checks else ''}. "
        f"{'The other needs' if len(cells) - len(runs) == 1 else 'The others need'} PyTorch."
    )


def list_instruments(cells, notebook):
    """Return a digit for each cell with form fields, in their order: 1 if it runs, so that they are offered."""
    fields = [cell.id for cell in code(notebook) if "# @param" in cell.source]
    return "".join(str(int(cells.get(name) in ("whole", "alone"))) for name in fields)


def _write(app):
    if app.config.language == TRANSLATED:  # it runs what lies in the English edition
        folder = ENGLISH_SITE / "_static" / "live"
        app.live_cells = json.loads((folder / "cells.json").read_text("utf-8"))
        app.live_bytes = sum_bytes(**json.loads((folder / "runtime.json").read_text("utf-8")))
        return
    folder = Path(app.outdir) / "_static" / "live"
    found = {path: find_offered_cells(path) for path in RUNNING}
    app.live_cells = {page_of(path): cells for path, cells in found.items() if cells}
    app.live_bytes = write_runtime(folder)
    (folder / "cells.json").write_text(json.dumps(app.live_cells), "utf-8")


def _add_button(app, pagename, templatename, context, doctree):
    if pagename in getattr(app, "live_cells", ()):
        cells, notebook = app.live_cells[pagename], read(ROOT / f"{pagename}.ipynb")
        button = BUTTON.format(**{group: size / 2**20 for group, size in app.live_bytes.items()})
        exercises, words = describe_cells(cells, notebook)
        instruments = list_instruments(cells, notebook)
        bar = BAR.format(button=button, words=words, instruments=instruments, exercises=exercises)
        context["body"] = re.sub("</h1>", lambda end: end[0] + bar, context["body"], count=1)
        app.add_js_file("live/start.js", loading_method="defer")


def _name_the_blank_copy(app, pagename, templatename, context, doctree):
    """Tell the notebook among the downloads from the one with a reader's answers."""
    if pagename in getattr(app, "live_cells", ()):
        for entry in (entry for group in context["header_buttons"] for entry in group.get("buttons", ())):
            if entry.get("label") == "download-source-button":
                entry["text"] = BLANK


def setup(app):
    app.connect("builder-inited", _write)
    app.connect("html-page-context", _add_button)
    app.connect("html-page-context", _name_the_blank_copy, priority=600)  # after the theme has made the buttons
