"""The plugin on a small notebook that is nobody's book: what passes, what fails, and what the failures say."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from nbformat import write
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from .bindings import find_numbers, list_problems, rewrite, take_apart

SETUP = "share, loss = 2 / 3, -0.5\nrows = [1, 2, 3]\nprint(rows)"
PRINTED = "[1, 2, 3]\n"


def code(source, text="", n=1):
    outputs = [new_output("stream", text=text)] if text else []
    return new_code_cell(source, execution_count=n, outputs=outputs)


RIGHT = """It takes 0.667 of it, or 67 %.\n\n<!-- share, share -->
At 67 ％ or 67&nbsp;% is _0.67_ by one.\n\n<!-- share,\r\n share, {'a;b': share}['a;b']; len(';') == 1 -->
$w = 0.67$ and 67\\,\\% and 66.7 per cent and 6.67E-1.\n\n<!-- share, share, share, share -->
The loss is −0.5; four rows? No, three of 0.67.\n\n<!-- loss, share; len(rows) == 3;
  "three", rows[0] < 2 and
  rows[1] == 3 - 1 -->
The opening promises 7.25.\n\n<!-- end: later -->
See [28.4 BLEU](https://example.org/1.2), equation (2.1), $$x \\tag{1.2}$$ with 2.13.0 and 3 heads.
Somebody says 0.9, which is wrong.\n\n<!-- None -->"""
WRONG = {
    "It takes 0.333, and keeps 0.667.\n\n<!-- share, 1 - share -->": "says 0.333, but share gives 0.667",
    "It takes 0.668 of it.\n\n<!-- share -->": "'It takes 0.668 of it.'",
    "It takes 66 %.\n\n<!-- share -->": "says 66, but share gives 67",
    "The loss is 0.5.\n\n<!-- loss -->": "says 0.5, but loss gives −0.5",
    "There are four rows of 0.67.\n\n<!-- share; len(rows) == 4 -->": "the condition len(rows) == 4 is False",
    "There are three rows.\n\n<!-- ; Trueness == 3 -->": "the condition Trueness == 3 is an error, NameError",
    "There are three.\n\n<!-- ; rows = 3 -->": "not a list of Python expressions: <!-- ; rows = 3 --> (rows = 3 is a",
    "Three rows.\n\n<!-- ; 'rows' -->": "the condition 'rows' computes nothing",
    "Three rows.\n\n<!-- ; rows[0] < 2 -->": "the condition rows[0] < 2 quotes no word for what it computes",
    "Seven rows. There are three.\n\n<!-- ; 'rows', len(rows) == 3 -->": "'Seven rows.'\n    does not say '3' there",
    "It takes 0.67, and 0.33.\n\n<!-- share -->": "2 numbers (0.67, 0.33), but 1 expressions",
    "It takes 0.67.": "1 numbers (0.67), but 0 expressions",
    "It takes 0.67.\n\n<!-- 0.67 -->": "only repeats it",
    "It takes 0.67.\n\n<!-- sahre -->": "NameError",
    "It takes 0.67.\n\n<!-- share, -> -->": "not a list of Python expressions",
    "It takes 0.67.\n\n<!-- share * float('inf') -->": "says 0.67, but share * float('inf') gives inf (inf)",
    "It takes 0.67.\n\n<!-- share * float('nan') -->": "says 0.67, but share * float('nan') gives nan (nan)",
    "It takes 67 %.\n\n<!-- share * 1e308 -->": "says 67, but share * 1e+308 gives 6666",
    "It takes 0.67.\n\n<!-- share # and\n; rows == 4 -->": "(# hides all that follows)",
    "It takes 1.5e−3.\n\n<!-- share / 1000 -->": "says 1.5e−3, but share / 1000 gives 0.7e−3",
    "It takes 0.67.\n\n<!-- __import__('os')._exit(share > 0) -->": "the kernel has stopped",
}


DRAW = "import random\nrandom.seed(1)"
FIGURE = new_output("display_data", data={"application/vnd.plotly.v1+json": {"x": [1, 2.5], "name": "a"}})
SHOW = "from IPython.display import display\ndisplay(" + repr(dict(FIGURE.data)) + ", raw=True)"
NOTEBOOKS = {
    "right": [*map(new_markdown_cell, re.split(r"\n(?!\n|<| )", RIGHT)), code("later = 7.25")],
    "wrong": [*map(new_markdown_cell, WRONG)],
    "figure": [new_code_cell(SHOW, execution_count=2, outputs=[FIGURE])],
    "trace": [code(DRAW), new_markdown_cell("It takes 0.67.\n\n<!-- share -->")],
}
NOTEBOOKS["trace"].append(code("print(random.randint(0, 9))", "2\n", 2))


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Run all notebooks; return for each which tests passed and which failed, and the report."""
    folder = tmp_path_factory.mktemp("notebooks")
    for name, cells in NOTEBOOKS.items():
        write(new_notebook(cells=[code(SETUP, PRINTED), *cells]), folder / f"{name}.ipynb")
    options = f"--nbval --nbval-current-env -rA -p no:cacheprovider -p {__package__}.plugin".split()
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[__package__.count(".") + 1])}
    command = [sys.executable, "-m", "pytest", *options]
    said = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True).stdout
    found = {(kind, name): [] for kind in ("PASSED", "FAILED") for name in NOTEBOOKS}
    for kind, name, test in re.findall(r"^(PASSED|FAILED) (\w+).ipynb::(.+?)(?: - .*)?$", said, re.M):
        found[kind, name].append(test)
    return {name: (found["PASSED", name], found["FAILED", name], said) for name in NOTEBOOKS}


def test_right_sentences_pass(run):
    passed, failed, report = run["right"]
    assert failed == [] and len([name for name in passed if name.startswith("Sentences")]) == 6, report


def test_each_wrong_sentence_fails_and_is_named(run):
    _, failed, report = run["wrong"]
    assert failed == [f"Sentences of cell {i}" for i in range(1, len(WRONG) + 1)]
    assert [said for said in WRONG.values() if said not in report] == []


SAID = """Only three of the 2,500 take half of it, and *bank* takes more than *money*. Both rows have the sum 6.

| name | size |
|---|---|
| *Ann* | 2 |
| *Bob* | −4 |

Two thirds, 24 million and 1{,}024 stay below a half, and none of them is the largest. Twelve
times as many stay as a second row that takes four or six. Eighty rows are no result.

<!-- ; len(rows) == 3; total == 2_500; w[0] == 1 / 2; (words[0], words[1]) == ("bank", "money");
"bank takes more than money", w[0] > w[1]; "Both rows", (rows.sum(1) == 6).all();
table.tolist() == [["Ann", 2], ["Bob", -4]]; a == 2 / 3; b == 24_000_000 and c == 1024;
"stay below a half", a < b; "none of them is the largest", not x.any();
n == 12 * len(x), "stay as a second", w in (4, 6) -->"""
PLANTED = {
    "three": "four",
    "2,500": "2,510",
    "take half": "take a third",
    "*bank* takes more than *money*": "*money* takes more than *bank*",
    "more": "less",
    "Both": "No",
    "6": "7",
    "*Ann* | 2": "*Ann* | 3",
    "−4": "4",
    "Two": "Three",
    "24 million": "25 million",
    "1{,}024": "1{,}025",
    "below": "above",
    "none": "most",
    "largest": "smallest",
    "Twelve": "Eleven",
    "a second": "not a second",
    "four or six": "six or four",
}


@pytest.mark.parametrize("right", PLANTED)
def test_what_a_condition_says_is_looked_for_in_the_sentence(right):
    assert list_problems(SAID) == []
    assert list_problems(SAID.replace("Eighty", "Nine")) == []
    sentence, says = list_problems(SAID.replace(right, PLANTED[right], 1))[0].split("\n")
    assert "does not say" in says and PLANTED[right].split()[-1] in sentence


def test_json_outputs_are_tampered_with_too(run):
    """A plotly figure is stored as JSON."""
    passed, failed, report = run["figure"]
    assert failed == [] and len(passed) == 3, report


def test_expressions_leave_no_trace(run):
    """Neither counts nor the state of the kernel change: what is drawn after a sentence is drawn as without it."""
    passed, failed, report = run["trace"]
    assert failed == [] and len(passed) == 5, report


@pytest.mark.parametrize(
    ("source", "values", "now"),
    [
        ("From 0.50 to 7 %.\n\n<!-- a, b -->", [0.256, 0.0812], "From 0.26 to 8 %.\n\n<!-- a, b -->"),
        ("It is −0.5, not 0.25.\n\n<!-- a, None -->", [-1.25, None], "It is −1.2, not 0.25.\n\n<!-- a, None -->"),
        ("1,234.5 steps\n\n<!-- a -->", [98765.43], "98,765.4 steps\n\n<!-- a -->"),
        ("about 1.5e-3\n\n<!-- a -->", [0.00249], "about 2.5e-3\n\n<!-- a -->"),
        ("It is 0.670.\n\n<!-- a -->", [0.66995], "It is 0.670.\n\n<!-- a -->"),
    ],
)
def test_numbers_are_rewritten_as_the_text_writes_them(source, values, now):
    assert rewrite(take_apart(source), values)[0] == now


@pytest.mark.parametrize("text", ["version 2.13.0", "chapter 12, 3 heads", "[0.5](https://a.org)", "equation (2.1)"])
def test_what_is_no_result_needs_no_expression(text):
    assert find_numbers(text) == [] == list_problems(text)
