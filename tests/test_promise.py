"""The tests of the chapters can fail: a digit, a figure, a bitmap, an output that was never compared."""

import os
import shutil
import subprocess
import sys

import pytest
from book import CHAPTERS, ROOT
from nbformat import write
from nbformat.v4 import new_code_cell, new_notebook, new_output

from attention_src import plots

FIGURE = "from attention_src import plots\nplots.grid([[0.25, 0.75]])"


@pytest.fixture
def run(pytester):
    """Store a notebook of two cells with the outputs that its code really gives, spoil it, run it as chapters are."""
    picture = plots.grid([[0.25, 0.75]])
    shown = {"image/svg+xml": picture.svg, "text/plain": repr(picture)}
    shutil.copy(ROOT / "conftest.py", pytester.path)

    def run(spoil):
        words = new_output("stream", text="0.670 0.330\n")
        figure = new_output("execute_result", data=dict(shown), execution_count=2)
        cells = [
            new_code_cell('print("0.670 0.330")', execution_count=1, outputs=[words]),
            new_code_cell(FIGURE, execution_count=2, outputs=[figure]),
        ]
        spoil(cells)
        write(new_notebook(cells=cells), pytester.path / "page.ipynb")
        return pytester.runpytest_subprocess("--nbval", "--nbval-current-env", "page.ipynb").parseoutcomes()

    return run


def test_an_honest_notebook_passes(run):
    assert run(lambda cells: None) == {"passed": 3}


def test_one_edited_digit_fails(run):
    assert run(lambda cells: cells[0].outputs[0].update(text="0.670 0.331\n"))["failed"] == 1


def test_a_swapped_figure_fails(run):
    def swap(cells):
        data = cells[1].outputs[0].data
        data["image/svg+xml"] = data["image/svg+xml"].replace("0.75", "0.76")

    assert run(swap)["failed"] == 1


def test_a_missing_output_fails(run):
    assert run(lambda cells: cells[1].outputs.clear())["failed"] == 1


def test_an_output_that_nobody_compares_fails_the_test_of_teeth(run):
    def bitmap(cells):
        png = "iVBORw0KGgo="
        show = 'from IPython.display import display\ndisplay({"image/png": "iVBORw0KGgo="}, raw=True)'
        cells.append(
            new_code_cell(show, execution_count=3, outputs=[new_output("display_data", data={"image/png": png})])
        )

    assert run(bitmap) == {"passed": 3, "failed": 1}


SABOTAGE = {
    "no square root of d": ("scores.py", "/ sqrt(query.shape[-1])", "/ 1.0"),
    "d instead of its root": ("scores.py", "/ sqrt(query.shape[-1])", "/ query.shape[-1]"),
    "softmax over the queries": ("weights.py", "xp.sum(exponentials, axis=-1", "xp.sum(raised, axis=-2"),
    "the maximum forgotten": ("weights.py", "exact - xp.where(largest == -inf, 0.0, largest)", "exact"),
    "the wrong matrix mixed": ("attention.py", "weights @ value, dtype", "weights @ (value + 0.01), dtype"),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", SABOTAGE)
def test_a_changed_formula_fails_a_chapter_by_name(fault, tmp_path):
    """Copy the package, change one thing in it, and run chapter 01 against the copy."""
    file, before, after = SABOTAGE[fault]
    shutil.copytree(ROOT / "attention_src", tmp_path / "attention_src")
    source = tmp_path / "attention_src" / file
    assert before in source.read_text(), f"{file} no longer says {before!r}: adapt SABOTAGE"
    source.write_text(source.read_text().replace(before, after))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", ROOT, CHAPTERS[0]]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True
    )
    assert done.returncode == 1, f"the chapter did not notice: {done.stdout[-2000:]}"
    assert "01_definition.ipynb::Cell" in done.stdout
