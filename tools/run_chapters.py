"""Run chapters and store their outputs in a form that diffs well: `python -m tools.run_chapters [NAME.ipynb ...]`.

A chapter whose run fails stays as it was.
"""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from tqdm import tqdm

from tools.chapter import CHAPTERS


def run(path):
    """Execute the notebook in its folder and write it back: whole streams, no times, no version of the kernel."""
    notebook = nbformat.read(path, as_version=4)
    settings = {"timeout": 600, "kernel_name": "python3", "record_timing": False, "coalesce_streams": True}
    NotebookClient(notebook, resources={"metadata": {"path": str(path.parent)}}, **settings).execute()
    notebook.metadata.pop("language_info", None)
    nbformat.write(notebook, path)


if __name__ == "__main__":
    for path in tqdm([Path(name) for name in sys.argv[1:]] or CHAPTERS, unit="chapter"):
        run(path)
