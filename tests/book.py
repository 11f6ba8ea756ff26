"""What tests ask of the book as a whole: its chapters, their words, their outputs."""

import re
import subprocess
import sys
from pathlib import Path

import nbformat

ROOT = Path(__file__).parent.parent
CHAPTERS = sorted((ROOT / "chapters").glob("*.ipynb"))
PAGES = re.findall(r"(?:root|file): (\S+)", (ROOT / "_toc.yml").read_text())


def read(path):
    return nbformat.read(path, as_version=4)


def build_site(out, *options):
    """Build the site into a folder, by the command of the Makefile, and return the folder of its pages."""
    command = "jupyter-book build --all --warningiserror --keep-going --quiet --path-output".split()
    command = [Path(sys.executable).with_name(command[0]), *command[1:], out, *options, ROOT]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return out / "_build" / "html"


def prose(notebook):
    """The Markdown of a notebook, cell by cell."""
    return [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]


def alternatives(notebook):
    """The alternative texts of the figures."""
    return [cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "") for cell in code(notebook)]


def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def tags(cell):
    return cell.metadata.get("tags", [])


def mime(output):
    return output.get("data", {})


def is_figure(cell):
    return any("image/svg+xml" in mime(output) for output in cell.outputs)


def printed(cell):
    """What a reader sees of a cell's outputs as text: streams, reprs, and the words and numbers inside figures."""
    seen = []
    for output in cell.outputs:
        data = mime(output)
        if "image/svg+xml" in data:
            seen += re.findall(r"<text[^>]*>([^<]*)</text>", data["image/svg+xml"])
        else:
            seen += [
                output.get("text", ""),
                data.get("text/plain", ""),
                re.sub(r"<[^>]*>", " ", data.get("text/html", "")),
            ]
    return "\n".join(seen).replace("−", "-")
