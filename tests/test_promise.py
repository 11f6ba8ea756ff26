"""The tests of the chapters can fail: a digit, a figure, a bitmap, an output that was never compared."""

import ast
import os
import shutil
import subprocess
import sys

import pytest
from nbformat import write
from nbformat.v4 import new_code_cell, new_notebook, new_output

from attention_src import plots
from tools.chapter import CHAPTERS, ROOT

FIGURE = "from attention_src import plots\nplots.grid([[0.25, 0.75]])"


@pytest.fixture
def run(pytester, monkeypatch):
    """Store a notebook of two cells with the outputs that its code really gives, spoil it, run it as chapters are."""
    picture = plots.grid([[0.25, 0.75]])
    shown = {"image/svg+xml": picture.svg, "text/plain": repr(picture)}
    shutil.copy(ROOT / "conftest.py", pytester.path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # for the plugins of conftest.py

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


def along_queries(call):
    call.keywords = [ast.keyword(word.arg, ast.Constant(-2)) if word.arg == "axis" else word for word in call.keywords]
    return call


def zeros(call):
    return ast.parse(f"xp.zeros_like({ast.unparse(call.args[0])}[..., :1])", mode="eval").body


def a_little_more(product):
    product.right = ast.BinOp(product.right, ast.Add(), ast.Constant(0.01))
    return product


SABOTAGE = {  # module, what is changed in it, how
    "no square root of d": ("scores", "sqrt", lambda call: ast.Constant(1.0)),
    "d instead of its root": ("scores", "sqrt", lambda call: call.args[0]),
    "softmax over the queries": ("weights", "xp.sum", along_queries),
    "the maximum forgotten": ("weights", "xp.max", zeros),
    "the wrong matrix mixed": ("attention", ast.MatMult, a_little_more),
}


def spoil(path, where, change):
    """Change every call of a function, or every use of an operator, in a Python file; return how many there were."""
    found = []

    class Spoil(ast.NodeTransformer):
        def generic_visit(self, node):
            super().generic_visit(node)
            called = isinstance(node, ast.Call) and ast.unparse(node.func) == where
            operated = isinstance(node, ast.BinOp) and not isinstance(where, str) and isinstance(node.op, where)
            if called or operated:
                found.append(node)
                return change(node)
            return node

    path.write_text(ast.unparse(ast.fix_missing_locations(Spoil().visit(ast.parse(path.read_text())))))
    return len(found)


@pytest.mark.proof
@pytest.mark.parametrize("fault", SABOTAGE)
def test_a_changed_formula_fails_a_chapter_by_name(fault, tmp_path):
    """Copy the package, change one thing in it, and run chapter 01 against the copy."""
    module, where, change = SABOTAGE[fault]
    shutil.copytree(ROOT / "attention_src", tmp_path / "attention_src")
    assert spoil(tmp_path / "attention_src" / f"{module}.py", where, change), f"{module} has no {where} to change"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", ROOT, CHAPTERS[0]]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 1, f"the chapter did not notice: {done.stdout[-2000:]}"
    assert "01_definition.ipynb::Cell" in done.stdout
