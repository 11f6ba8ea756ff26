"""Run notebooks with another Python, each alone in a folder: `python -m tools.elsewhere [--python P] [NAME.ipynb ...]`.

Prints for each the seconds it took beside another one, the processor seconds of its install cell, and the peak memory
of its kernel; stops at the first cell that fails. Linux only.
"""

import argparse
import json
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from tqdm import tqdm

from book.chapter import CHAPTERS

TELL = """
import resource
children = resource.getrusage(resource.RUSAGE_CHILDREN)
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(children.ru_utime + children.ru_stime, int(peak) / 1024)
"""


class Run(NamedTuple):
    """What a notebook took: in all, for what its cells called, which is pip, and of memory."""

    seconds: float
    install_seconds: float
    peak_mib: float


def _kernel(python, folder):
    """Return a manager of kernels that run in another Python."""
    spec = {"argv": [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"], "display_name": "elsewhere"}
    (folder / "elsewhere").mkdir()
    (folder / "elsewhere" / "kernel.json").write_text(json.dumps({**spec, "language": "python"}))
    return AsyncKernelManager(kernel_name="elsewhere", kernel_spec_manager=KernelSpecManager(kernel_dirs=[str(folder)]))


def run(path, python=sys.executable):
    """Run a notebook to its end in a folder that holds nothing else, and return what it took.

    Raises
    ------
    nbclient.exceptions.CellExecutionError
        If a cell fails.
    """
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.append(nbformat.v4.new_code_cell(TELL))
    with TemporaryDirectory() as folder, TemporaryDirectory() as kernels:
        nbformat.write(notebook, Path(folder) / "chapter.ipynb")
        settings = {"timeout": 900, "coalesce_streams": True, "resources": {"metadata": {"path": folder}}}
        start = time.perf_counter()
        NotebookClient(notebook, km=_kernel(python, Path(kernels)), **settings).execute()
    told = notebook.cells[-1].outputs[0].text.split()
    return Run(time.perf_counter() - start, *map(float, told))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("notebooks", nargs="*", type=Path, default=CHAPTERS)
    asked = parser.parse_args()
    print(f"{'notebook':32} {'seconds':>8} {'install':>8} {'peak MiB':>9}")
    with ProcessPoolExecutor(2) as pool:
        runs = pool.map(partial(run, python=asked.python), asked.notebooks)
        for path, took in zip(asked.notebooks, tqdm(runs, total=len(asked.notebooks), leave=False), strict=True):
            tqdm.write(f"{path.stem:32} {took.seconds:8.1f} {took.install_seconds:8.1f} {took.peak_mib:9.0f}")
