"""The pytest plugin: a test for each Markdown cell that shows numbers, and one for the stored outputs of a notebook."""

import json
import re
import time
from contextlib import suppress
from copy import deepcopy
from queue import Empty

import nbval.plugin
import pytest

from .bindings import COMMENT, ask_kernel, compare, evaluate, has_numbers, list_problems, take_apart

FIGURE_NUMBERS = 40  # so many numbers of a figure are tampered with, evenly spread over its coordinates and texts


class SentenceItem(pytest.Item):
    """The test that the numbers of one Markdown cell are what their expressions give."""

    def __init__(self, *, source, **known):
        super().__init__(**known)
        self.source = source

    def runtest(self):
        wrong = list_problems(self.source)
        if not wrong:
            bound = take_apart(self.source)
            values, wrong = evaluate(bound, ask_kernel(self.parent.kernel.kc, self._reply))
            wrong = [*compare(bound, values), *wrong]
        if wrong:
            pytest.fail("\n".join(wrong), pytrace=False)

    def _reply(self, message_id):
        kernel, end = self.parent.kernel, time.monotonic() + 60
        while kernel.is_alive() and time.monotonic() < end:
            with suppress(Empty):
                message = kernel.get_message("shell", timeout=1)
                if message["parent_header"].get("msg_id") == message_id:
                    return message["content"]
        pytest.fail("the kernel has stopped, or doesn't answer", pytrace=False)

    def reportinfo(self):
        return self.path, 0, f"{self.parent.name}::{self.name}"


class TamperedItem(pytest.Item):
    """The test that every tampered copy of a notebook's stored outputs fails."""

    def runtest(self):
        if self.parent.timed_out:  # nbval then expects no more of the cells below
            pytest.fail("a cell ran out of time: no later cell was judged", pytrace=False)
        for cell in self.parent.code_items:
            cell.format_output_compare = lambda *given: None  # a difference is expected here: to word it takes longest
        unnoticed = [
            f"Cell {cell.cell_num}: {what}"
            for cell in self.parent.code_items
            if cell.options["check"] and cell.test_outputs is not None
            for what, outputs in tamper_outputs(nbval.plugin.coalesce_streams(cell.cell.outputs))
            if cell.compare_outputs(cell.test_outputs, outputs)
        ]
        if unnoticed:
            pytest.fail("changed, and nobody noticed:\n" + "\n".join(unnoticed), pytrace=False)

    reportinfo = SentenceItem.reportinfo


def tamper(text, most=None):
    """Yield copies of a text with one number changed in its last digit; without numbers, one that lacks a letter."""
    numbers = [*re.finditer(r"\d+(?:\.\d+)?", text)]
    step = max(1, len(numbers) // most) if most else 1
    for number in numbers[::step]:
        end = number.end()
        yield text[: end - 1] + str((int(text[end - 1]) + 1) % 10) + text[end:]
    if not numbers and text:
        yield text[:-1]


def tamper_value(value, most=None):
    """Yield tampered copies of a stored text, or of JSON such as a plotly figure, of which only numbers are changed."""
    if isinstance(value, str):
        yield from tamper(value, most)
    elif re.search(r"\d", text := json.dumps(value, ensure_ascii=False)):
        yield from map(json.loads, tamper(text, FIGURE_NUMBERS))


def tamper_outputs(outputs):
    """Yield (what was changed, outputs with that one change) for everything stored in the outputs of a cell."""
    for i, output in enumerate(outputs):
        holder = output.get("data", output)
        for key in [key for key in holder if key in ("text", "ename", "evalue") or "/" in key]:
            for changed in tamper_value(holder[key], FIGURE_NUMBERS if key.startswith("image/") else None):
                copy = deepcopy(outputs)
                copy[i].get("data", copy[i])[key] = changed
                yield f"output {i + 1}, {key}", copy


def _collect(self, collect=nbval.plugin.IPyNbFile.collect):
    """Collect a notebook's code cells as nbval does, its sentences between them, and the test of its outputs."""
    self.code_items = list(collect(self))
    code_items, at_end = iter(self.code_items), []
    for i, cell in enumerate(self.nb.cells):
        if cell.cell_type == "code":
            yield next(code_items)
        elif cell.cell_type == "markdown" and has_numbers(cell.source):
            item = SentenceItem.from_parent(self, name=f"Sentences of cell {i}", source=cell.source)
            found = COMMENT.search(cell.source)
            if found and found["end"]:
                at_end.append(item)
            else:
                yield item
    yield from at_end
    yield TamperedItem.from_parent(self, name="every tampered output fails")


nbval.plugin.IPyNbFile.collect = _collect
