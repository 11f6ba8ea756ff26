"""The tests of the chapters can fail: a digit, a figure, an output that is missing or that nobody compares."""

import random
import re
import shutil

import pytest
from nbformat import write
from nbformat.v4 import new_code_cell, new_notebook, new_output

from attention_course import plots
from book.chapter import ROOT
from evidence import planted

WORDS = 'print("0.670 0.330")'
FIGURE = "from attention_course import plots\nplots.grid([[0.25, 0.75]])"
BITMAP = {"image/png": "iVBORw0KGgo="}
SHOW = f"from IPython.display import display\ndisplay({BITMAP}, raw=True)"


def cell(source, *output, **shown):
    return new_code_cell(source, execution_count=1, outputs=[new_output(kind, **shown) for kind in output])


def figure(text):
    """A cell with a figure in which the text stands where 0.75 belongs."""
    picture = plots.grid([[0.25, 0.75]])
    data = {"image/svg+xml": picture.svg.replace("0.75", text), "text/plain": repr(picture)}
    return cell(FIGURE, "execute_result", data=data, execution_count=1)


@pytest.mark.always
def test_a_notebook_passes_as_it_is_and_each_fault_fails_the_cell_it_is_in(pytester, monkeypatch):
    """A digit, a figure, a missing output; and an output that nobody compares fails the test of teeth."""
    honest = [cell(WORDS, "stream", text="0.670 0.330\n"), figure("0.75")]
    spoiled = [cell(WORDS, "stream", text="0.670 0.331\n"), figure("0.76"), cell(WORDS)]
    write(new_notebook(cells=honest), pytester.path / "honest.ipynb")
    write(new_notebook(cells=[*spoiled, cell(SHOW, "display_data", data=BITMAP)]), pytester.path / "page.ipynb")
    shutil.copy(ROOT / "conftest.py", pytester.path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # for the plugins of conftest.py
    said = str(pytester.runpytest_subprocess("--nbval", "--nbval-current-env", "-rA").stdout)
    teeth = "every tampered output fails"
    good = ["honest.ipynb::Cell 0", "honest.ipynb::Cell 1", f"honest.ipynb::{teeth}", "page.ipynb::Cell 3"]
    bad = ["page.ipynb::Cell 0", "page.ipynb::Cell 1", "page.ipynb::Cell 2", f"page.ipynb::{teeth}"]
    assert (re.findall(r"^PASSED (.+)", said, re.M), re.findall(r"^FAILED (.+?) - ", said, re.M)) == (good, bad)
    assert "changed, and nobody noticed:\nCell 3: output 1, image/png\n" in said


LEAST = {  # the share that README and About promise, of so many at least
    "decimals exchanged": (1, 150),
    "digit of a decimal": (1, 250),
    "count": (0.9, 250),
    "vector or long number": (0.9, 15),
    "names exchanged": (0.9, 50),
    "comparison turned": (0.9, 100),
    "all, none, most": (0.9, 300),
    "cause and effect": (0.9, 40),
}
TOLD = "*Ann* gets more than *Bob*, because all five have 0.25 or 0.5 of (4, 6).\n\n<!-- a, b; n == 5 -->"
CAUGHT = {"decimals exchanged": [True], "digit of a decimal": [True, True], "count": [True]}
CAUGHT |= {kind: [False] for kind in [*LEAST][3:]}  # since nothing binds these here


def test_false_sentences_are_planted_of_each_kind_and_judged():
    text = TOLD.partition("\n")[0] + "\n"
    found = {}
    for kind, wrong in planted.plant(text, random.Random(1)):
        whole = wrong + TOLD[len(text) :]
        found.setdefault(kind, []).append((wrong, planted.is_caught(TOLD, whole, [])))
    assert {kind: [caught for _, caught in some] for kind, some in found.items()} == CAUGHT, found
    assert planted.is_caught(TOLD, TOLD.replace("more", "less"), ["*Ann* gets more"])  # the sentence of a claim


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "least"), LEAST.items())
def test_as_many_false_sentences_are_caught_as_ever(kind, least):
    caught, tried = planted.count()[kind]
    assert tried >= least[1] and caught / tried >= least[0], (caught, tried)
    shares = {path.stem: planted.count([path]).get(kind, (0, 0)) for path in planted.CHAPTERS}
    assert [name for name, (caught, tried) in shares.items() if tried - caught > max(1, tried * 0.2)] == []
