"""The tests of the chapters can fail: a digit, a figure, a number in a sentence, a formula of the package."""

import ast
import os
import re
import shutil
import subprocess
import sys

import pytest
from nbformat import write
from nbformat.v4 import new_code_cell, new_notebook, new_output

from attention_course import plots
from book.chapter import CHAPTERS, ROOT

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


@pytest.mark.slow
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
