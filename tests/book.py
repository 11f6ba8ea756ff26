"""What tests ask of the book as a whole: its chapters, their words, their outputs."""

import re
from pathlib import Path

import nbformat

ROOT = Path(__file__).parent.parent
CHAPTERS = sorted((ROOT / "chapters").glob("*.ipynb"))


def read(path):
    return nbformat.read(path, as_version=4)


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
