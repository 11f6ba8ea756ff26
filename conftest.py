"""How pytest proves the chapters: nbval re-runs each cell and compares, and here each stored output must have teeth.

nbval compares what a cell prints now with what is stored. After the cells of a chapter one more test asks whether that
comparison could fail at all: it changes one number at a time in a copy of the stored outputs and requires that nbval
tells every changed copy from what the cell just printed. An output that nobody compares (a PNG, say) fails it.
"""

import re
import sys
import tempfile
from copy import deepcopy
from pathlib import Path
from uuid import uuid4

import jupyter_client.provisioning.local_provisioner as provisioner
import nbval.kernel
import nbval.plugin
import pytest

from tools import warm_kernel

pytest_plugins = ["pytester", "tools.remember"]

NUMBER = re.compile(r"\d+(?:\.\d+)?")
FIGURE_NUMBERS = 40  # so many numbers of a figure are changed, evenly spread over its coordinates, texts and colours


def tampered(text, most=None):
    """Yield copies of the text with one number changed in its last digit; without numbers, one that lacks a letter."""
    numbers = list(NUMBER.finditer(text))
    step = max(1, len(numbers) // most) if most else 1
    for number in numbers[::step]:
        end = number.end()
        yield text[: end - 1] + str((int(text[end - 1]) + 1) % 10) + text[end:]
    if not numbers and text:
        yield text[:-1]


def tampered_outputs(outputs):
    """Yield (what was changed, outputs with that one change) for every string stored in the outputs of a cell."""
    for i, output in enumerate(outputs):
        holder = output.get("data", output)
        for key in [key for key in holder if key in ("text", "ename", "evalue") or "/" in key]:
            for changed in tampered(holder[key], FIGURE_NUMBERS if key.startswith("image/") else None):
                copy = deepcopy(outputs)
                copy[i].get("data", copy[i])[key] = changed
                yield f"output {i + 1}, {key}", copy


class Teeth(pytest.Item):
    """The test that every tampered copy of a chapter's stored outputs fails."""

    def runtest(self):
        if (
            self.parent.timed_out
        ):  # nbval interrupts the cell and expects no more of those after it; that proves nothing
            pytest.fail("a cell ran out of time: no later cell was judged", pytrace=False)
        unnoticed = [
            f"Cell {cell.cell_num}: {what}"
            for cell in self.parent.cells
            if cell.options["check"] and cell.test_outputs is not None
            for what, outputs in tampered_outputs(nbval.plugin.coalesce_streams(cell.cell.outputs))
            if cell.compare_outputs(cell.test_outputs, outputs)
        ]
        if unnoticed:
            pytest.fail("changed, and nobody noticed:\n" + "\n".join(unnoticed), pytrace=False)

    def reportinfo(self):
        return self.path, 0, f"{self.parent.name}::{self.name}"


def _collect_with_teeth(self, collect=nbval.plugin.IPyNbFile.collect):
    self.cells = list(collect(self))
    yield from self.cells
    yield Teeth.from_parent(self, name="every tampered output fails")


def _kernel_without_ports(start=nbval.kernel.KernelManager, **settings):
    """Reach kernels by files: a port found free may be taken, say by a browser's test, before its kernel listens."""
    return start(transport="ipc", ip=str(Path(tempfile.gettempdir()) / f"kernel-{uuid4().hex[:8]}"), **settings)


nbval.plugin.IPyNbFile.collect = _collect_with_teeth
nbval.kernel.KernelManager = _kernel_without_ports


def _launched(command, cold=provisioner.launch_kernel, **settings):
    """Fork the kernels of this Python; those of others start as always."""
    return (warm_kernel.launch if command[0] == sys.executable else cold)(command, **settings)


provisioner.launch_kernel = _launched
