"""Which cells of a chapter run in the reader's browser: those that were seen there to give exactly the stored text.

`make evidence NAMES='page-*'` runs every cell of every chapter in headless Chromium, in the runtime that the site has
(`write_runtime`), with the solutions of the exercises, and stores what it saw. A cell that prints or draws anything
else than the chapter stores is not offered, and none of a chapter that has changed since.

What a browser executes is recorded by running the same cells once more in this Python, without PyTorch.
"""

import re
import sys
import threading
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory

from book.chapter import CHAPTERS, ROOT, code, is_check, is_solution, mime, read, tags
from book.programs import start_chromium
from evidence.engine import Runner, list_changes, load, pause

WARM_UP = [{"n": 0, "source": "from attention_course import plots\nplots.grid([[1]])", "how": "whole"}]
A_TIME = "what it prints is a time"
IN_CHECK = "its check needs PyTorch"
ASK = """([chain, most]) => new Promise((resolve) => {
  const end = setTimeout(() => {
    worker.terminate();
    window.worker = null;
    resolve(null);
  }, most * 1000);
  window.worker ??= new Worker("worker.js", {type: "module"});
  worker.onmessage = ({data}) => {
    if (!["done", "broken", "failed"].includes(data.type)) return;
    clearTimeout(end);
    resolve(data.type === "done" ? data.results : [{error: data.text, outputs: [], needs: []}]);
  };
  worker.postMessage({id: 1, chain});
})"""


class Files(SimpleHTTPRequestHandler):
    """Serves files, and prints nothing."""

    def log_message(self, *arguments):
        pass


@contextmanager
def serve(folder, handler=Files):
    """Serve a folder on a free port, and give the address of that server."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def get_stored_result(cell):
    """Return what a chapter stores of a cell: its text, and the labels of its figures."""
    text, labels = "", []
    for output in cell.outputs:
        data = mime(output)
        if "image/svg+xml" in data:
            labels.append(list_labels(data["image/svg+xml"]))
        else:
            text += output.get("text") or data.get("text/plain", "")
    return text.strip(), labels


def get_browser_result(outputs):
    """Return the text and labels of what a browser gave."""
    text = "".join(output["text"] for output in outputs if output["kind"] in ("text", "value"))
    errors = [output["text"] for output in outputs if output["kind"] == "error"]
    labels = [list_labels(output["svg"]) for output in outputs if output["kind"] == "svg"]
    return "\n".join([text.strip(), *errors]).strip(), labels


def list_labels(svg):
    """Return the labels of a figure, sorted, because versions of Matplotlib draw them in different orders."""
    return sorted(re.findall(r"<text[^>]*>([^<]*)</text>", svg))


def run(path, write_runtime):
    """Run a chapter in Chromium; return a row for each of its code cells: its id, and how it runs on the page.

    'whole': offered; 'alone': offered, and no cell below needs it; 'part': not offered, for some of it needs PyTorch;
    'no': not offered. `why` says what was seen.
    """
    with pause():
        rows, chains = run_in_browser(path, write_runtime)
    run_here(chains)
    return rows


def run_here(chains):
    """Run the cells that are offered in this Python, as the browser did, so that what they execute is recorded."""
    sys.path.insert(0, str(ROOT / "web" / "live"))
    sys.modules["torch"] = None  # as in a browser
    from attention_live import Page

    page = Page()
    page.draw()
    for chain in chains:
        page.run(chain)


def run_in_browser(path, write_runtime):
    """Return the rows of a chapter, and for each cell that runs the chain of cells that ends with it."""
    from playwright.sync_api import sync_playwright

    with TemporaryDirectory() as folder, serve(folder) as address, sync_playwright() as playwright:
        write_runtime(Path(folder))
        (Path(folder) / "index.html").write_text("<!doctype html><title>cells</title>")
        tab = start_chromium(playwright).new_page()
        tab.goto(address)
        return run_cells(partial(ask, tab), read(path))


def ask(tab, chain, most=300):
    return tab.evaluate(ASK, [chain, most])


def run_cells(ask, notebook):
    """Run the cells of a notebook in turn, each with those above that may be offered; return rows and chains."""
    ask(WARM_UP)
    rows, chain, chains = [], [], []
    for n, cell in enumerate(code(notebook), start=1):
        if "remove-cell" in tags(cell):
            continue
        entry = {"n": n, "source": cell.source.rstrip(), "how": "answer" if is_solution(cell) else "whole"}
        how, why = judge(cell, ask([*chain, entry]))
        chains.append([*chain, entry])
        if how == "part":
            chains[-1] = [*chain, entry | {"how": "part"}]
            if broken := ask(chains[-1])[-1]["error"]:
                how, why = "no", f"without what needs PyTorch it ends with {broken}"
            else:
                chain.append(entry | {"how": "part"})
        elif how == "whole":
            chain.append(entry)
        elif is_check(cell):
            chain.append(entry | {"how": "imports"})
        if how == "no":
            chains.pop()
        rows.append({"cell": cell.id, "how": how, "why": why})
    return rows, chains


def judge(cell, results):
    """Return how a cell may run on the page and, if it may not, why."""
    if results is None:
        return "no", "it did not end"
    last = results[-1]
    if last["needs"]:
        return "part", f"it needs {', '.join(last['needs'])}"
    if "nbval-ignore-output" in tags(cell):
        return "no", A_TIME
    if "No module named 'torch'" in get_browser_result(last["outputs"])[0]:
        return "no", IN_CHECK  # whose own code, not that of the cell, trains
    if last["error"]:
        return "no", (get_browser_result(last["outputs"])[0].strip() or last["error"]).splitlines()[-1][:200]
    if get_browser_result(last["outputs"]) != get_stored_result(cell):
        return "no", "it gives something else than is stored"
    return ("alone" if "instrument" in tags(cell) or is_check(cell) else "whole"), ""


def list_problems(rows):
    """Yield what is wrong with the rows: no cell of the chapter runs, or one broke for a reason of its own."""
    if not any(row["how"] in ("whole", "alone") for row in rows):
        yield "no cell of it runs"
    for row in rows:
        if row["how"] == "no" and row["why"] not in (A_TIME, IN_CHECK):
            yield f"{row['cell']}: {row['why']}"


def runner(path, write_runtime=None):
    """Return what makes the result of a chapter, by a function that writes what a browser needs into a folder."""
    files = (path.relative_to(ROOT).as_posix(), "web/live/attention_live.py", "web/live/worker.js")
    refuting = [{"cell": "x", "how": "no", "why": "it broke"}]
    return Runner(partial(run, path, write_runtime), list_problems, refuting, files=files)


def name_result(path):
    """Return the name of the result of a page: that of a chapter has its number."""
    return f"page-{path.stem[:2]}" if path in CHAPTERS else f"page-{path.stem}"


def find_offered_cells(path):
    """Return {id of a cell: how it runs on the page}, empty for a page whose result is stale."""
    name = name_result(path)
    return {} if list_changes(name, runner(path)) else {row["cell"]: row["how"] for row in load(name)["rows"]}
