"""What runs the cells of a page: order, snapshots, errors, what needs PyTorch; and what the site hands out for it."""

import hashlib
import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_notebook

import attention_course
from book.chapter import CHAPTERS, ROOT, RUNNING, code, find_path, is_check, read
from web import live
from web.live.running_pages import get_browser_result, get_stored_result, run_cells

MOST_MB = 9.5  # until Python is ready, as they are sent


@pytest.fixture(autouse=True)
def _printing():
    """Cells that say how numbers are printed say it in this Python: whatever runs after these tests must not see it."""
    with np.printoptions():
        yield


@pytest.fixture
def page(monkeypatch):
    """The state of a page, in this Python; torch is hidden from it."""
    monkeypatch.syspath_prepend(live.SOURCE)
    monkeypatch.setitem(sys.modules, "attention_live", None)
    del sys.modules["attention_live"]
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setitem(sys.modules, "attention_course.plots", sys.modules.get("attention_course.plots"))
    monkeypatch.setattr(attention_course, "plots", None, raising=False)
    import attention_live

    return attention_live.Page()


def cells(*sources, how=()):
    """A chain of cells, numbered from 1; `how` says how some of them run, by number."""
    how = dict(how)
    return [{"n": n, "source": source, "how": how.get(n, "whole")} for n, source in enumerate(sources, start=1)]


def last_result(found):
    """Return what the last cell of a chain gave, as text, and the numbers of all cells that ran."""
    return get_browser_result(found["results"][-1]["outputs"])[0], [result["n"] for result in found["results"]]


def test_the_worker_is_answered_in_ascii(page):
    from attention_live import call_with_json

    answer = call_with_json(page.run, json.dumps(cells("print('÷ √ 한 𝟙')")))
    assert answer.isascii() and last_result(json.loads(answer)) == ("÷ √ 한 𝟙", [1])


def test_a_cell_runs_those_above_it_once_and_an_error_stops_what_stands_below(page):
    assert last_result(page.run(cells("x = 2", "y = x * 3", "print(y)"))) == ("6", [1, 2, 3])
    assert last_result(page.run(cells("x = 2", "y = x * 3", "print(y + 1)"))) == ("7", [3])
    assert last_result(page.run(cells("x = 2", "y = x / 0", "print(y)")))[1] == [2]
    assert last_result(page.run(cells("x = 2", "y = x * 4", "print(y + 1)"))) == ("9", [2, 3])


def test_a_second_run_draws_the_same_random_numbers(page):
    chain = cells("import numpy as np\nr = np.random.default_rng(0)", "print(r.normal(), np.random.random())")
    assert last_result(page.run(chain)) == (*last_result(page.run(chain))[:1], [1, 2])


def test_a_run_leaves_no_trace_in_what_stands_above(page):
    chain = cells("x = [1]\ny = x", "x.append(2)\nprint(y)")
    assert last_result(page.run(chain))[0] == last_result(page.run(chain))[0] == "[1, 2]"
    assert last_result(page.run(cells("x = [1]\ny = x", "print(x is y)")))[0] == "True"


def test_a_function_that_comes_back_has_the_source_that_it_was_made_of(page):
    for source in ("def f():\n    return 1", "def f():\n    return 2", "def f():\n    return 1"):
        chain = cells(source, "import inspect\nprint(inspect.getsource(f), f())")
        assert last_result(page.run(chain))[0].split() == [*source.split(), source[-1]]


def test_long_lists_of_examples_are_kept_apart_without_copying_each(page):
    start = "x = [('a', [i]) for i in range(1000)]\ny = {'all': x}"
    assert last_result(page.run(cells(start, "x.append(1)\nprint(len(x), y['all'] is x)")))[0] == "1001 True"
    assert last_result(page.run(cells(start, "print(len(x), y['all'] is x)")))[0] == "1000 True"
    before = page.names["x"][0]
    page.run(cells(start, "print(x[0])"))
    assert page.names["x"][0] is before


def test_a_large_array_is_kept_once_as_long_as_no_cell_changes_it(page):
    start = ["import numpy as np\nx = np.zeros(200_000)\ny = x", "z = 1", "x = x.copy()", "x[0] = 5\nprint(y[0])"]
    assert last_result(page.run(cells(*start)))[0] == "0.0"
    copies = [[state[0][name] for name in "xy"] for state, _ in page.kept.values()]
    assert len({id(x) for x, _ in copies}) == 2 and len({id(y) for _, y in copies[:2]}) == 1
    assert last_result(page.run(cells(*start[:2], "print(x[0], x is y)")))[0] == "0.0 True"
    lacking = cells("import torch\ny = torch.ones(1)", start[0], "print(y[0])", how={1: "part"})
    assert last_result(page.run(lacking))[0] == "0.0"


def test_a_function_sees_names_that_are_bound_after_it(page):
    chain = cells("def f():\n    return later", "later = 1", "print(f())")
    assert last_result(page.run(chain))[0] == "1"
    assert last_result(page.run(cells(chain[0]["source"], "later = 2", "print(f())")))[0] == "2"


def test_numbers_are_printed_as_cells_above_say_and_the_last_value_is_shown_as_in_a_notebook(page):
    start = "import numpy as np\nnp.set_printoptions(precision=2)"
    page.run(cells(start, "np.set_printoptions(precision=5)\nprint(np.array([1 / 3]))"))
    assert last_result(page.run(cells(start, "print(np.array([1 / 3]))")))[0] == "[0.33]"
    for source, shown in ("print(1)\n'a'", "1\n'a'"), ("None", ""), ("1;", ""):
        assert last_result(page.run(cells(source)))[0] == shown


def test_an_error_says_what_and_where(page):
    for source, text, line in (
        ("x = 1\nx / 0", "ZeroDivisionError: division by zero", "line 2: x / 0"),
        ("def f():\n    return y\nf()", "NameError: name 'y' is not defined", "line 2: return y"),
        ("print('a'", "SyntaxError: '(' was never closed", "line 1: print('a'"),
        ("raise SystemExit(1)", "SystemExit: 1", "line 1: raise SystemExit(1)"),
    ):
        error = page.run(cells(source))["results"][0]["outputs"][-1]
        assert (error["text"], error["lines"].splitlines()[0]) == (text, f"cell 1, {line}")


CHECK = "from attention_course import checks\nchecks.doubled_query(number)"


ANSWERS = {"number = ...\nraise NotImplementedError()": "Not attempted yet", "number = 1": "Not yet."}
ANSWERS |= {"number = nothing": "NameError: name 'nothing'", "number =": "SyntaxError"}


@pytest.mark.parametrize(("answer", "begins"), ANSWERS.items())
def test_a_check_tells_what_became_of_the_answer(page, answer, begins):
    for _ in range(2):  # the second time from the snapshot
        assert last_result(page.run(cells(answer, CHECK, how={1: "answer"})))[0].startswith(begins)


def test_an_answer_that_fails_stops_no_other_exercise(page):
    chain = cells("a = b", "print('first')", "c = 1", "print(c)", how={1: "answer", 2: "imports", 3: "answer"})
    assert last_result(page.run(chain)) == ("1", [1, 2, 3, 4])


def test_what_needs_pytorch_is_left_out_and_what_it_made_is_not_mistaken(page):
    torch = "import torch\nfrom attention_course.training import fit\nx = 1"
    mixed = "x = 2\ny = [1]\ny.append(torch.ones(1))\nz = [torch.tensor(x) for x in (1, 2)]"
    found = page.run(cells(torch, mixed, "print(x)", how={2: "part"}))
    assert last_result(found)[0] == "2" and found["results"][1]["skipped"] == 2
    assert "y needs PyTorch" in last_result(page.run(cells(torch, mixed, "print(y[0])", how={2: "part"})))[0]
    assert page.run(cells(torch, "def f():\n    return torch"))["results"][-1]["needs"] == ["torch"]
    reads = "role = {1: 'verb'}\nfound = torch.ones(len(role[1]))"
    assert last_result(page.run(cells(torch, reads, "print(role[1])", how={2: "part"})))[0] == "verb"


def test_a_figure_waits_for_what_draws_it_and_a_text_does_not(page):
    start = "from attention_course import plots\nfigure = plots.grid([[1]])"
    assert last_result(page.run(cells(start, "print(1)")))[0] == "1"
    assert page.run(cells(start, "figure"))["draw"]
    page.draw()
    output = page.run(cells(start, "figure"))["results"][-1]["outputs"][0]
    assert output["kind"] == "svg" and output["text"] == "<picture: grid of 1 × 1>"


def test_what_imports_matplotlib_itself_brings_it(page, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.image", None)
    assert page.run(cells("import matplotlib.image", "print(1)"))["draw"]


def test_names_tell_what_hangs_on_what(page):
    from attention_live import find_names

    for source, uses, changes in (
        ("import numpy as np\ny = [np.sqrt(x) for x in data]\ny[0] = 1", "data y", "y"),
        ("print(y[0], y.size)", "print y", ""),
        ("y = [k for k in data]", "data", "y"),
        ("k = 1\nprint([k + j for j in x])", "k print x", "k"),
        ("y = {k: 1 for k in a}, [k + 1 for j in b]", "a b k", "y"),
        ("x += 1\ndef f():\n    total = 0\n    total += 1", "x", "f x"),
        ("def f():\n    return later", "later", "f"),
    ):
        assert find_names(source) == {"uses": uses.split(), "changes": changes.split()}
    assert find_names("y[0].append(1)")["changes"] == ["y"] == find_names("del y.size")["changes"]
    assert find_names("random.normal()")["changes"] == ["random"]
    assert "np.random" in find_names("np.random.seed(0)")["changes"]
    assert "*" in find_names("np.set_printoptions(precision=3)")["changes"] and find_names("1 +") is None


def test_endless_printing_ends(page):
    assert "characters were printed" in last_result(page.run(cells("while True:\n    print('again' * 100)")))[0]


def test_cells_are_judged_by_what_is_stored(page):
    """The first chapter in this Python: what a browser gives, `make evidence NAMES='page-*'` sees."""

    def ask(chain):
        found = page.run(chain)
        if found["draw"]:
            page.draw()
            return ask(chain)
        return found["results"]

    notebook = read(CHAPTERS[0])
    spoiled = next(cell for cell in notebook.cells if "shelves = np" in cell.source)
    spoiled.outputs[0].text = get_stored_result(spoiled)[0].replace("60", "61")
    rows = {row["cell"]: row["how"] for row in run_cells(ask, notebook)[0]}
    assert rows.pop(spoiled.id) == "no" and "no" not in rows.values()
    assert list(rows.values()).count("whole") > 15


def test_a_cell_that_breaks_without_pytorch_is_not_offered(page):
    """What stands below would stop at it."""
    broken = "import torch\nx = [1]\ndef f():\n    return len(x)", "x = torch.ones(1)\nprint(f())"
    notebook = new_notebook(cells=[new_code_cell(source, id=f"c{n}") for n, source in enumerate(broken)])
    assert [row["how"] for row in run_cells(lambda chain: page.run(chain)["results"], notebook)[0]] == ["whole", "no"]


@pytest.fixture(scope="module")
def runtime(tmp_path_factory):
    folder = tmp_path_factory.mktemp("live")
    return folder, live.write_runtime(folder)


def test_what_is_loaded_has_the_hashes_of_its_list_and_weighs_little(runtime):
    folder, weight = runtime
    listed = json.loads((folder / "runtime.json").read_text())
    files = listed["files"]
    assert weight["python"] == sum((folder / files[name]["path"]).stat().st_size for name in listed["groups"]["python"])
    assert weight["python"] <= MOST_MB * 2**20
    assert {name for group in listed["groups"].values() for name in group} == files.keys()
    wheel = next(name for name in files if name.startswith("numpy"))
    assert hashlib.sha256((folder / files[wheel]["path"]).read_bytes()).hexdigest() == files[wheel]["sha256"]


def test_the_archives_are_the_same_on_every_run():
    assert live.zip_modules(live.MODULES["python"]) == live.zip_modules(live.MODULES["python"])


def test_the_reader_of_names_is_packed_and_needs_nothing_but_python(tmp_path):
    zipfile.ZipFile(io.BytesIO(live.zip_modules(live.MODULES["python"]))).extractall(tmp_path)
    command = [sys.executable, "-S", "-c", "import book.names; print(book.names.__file__)"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.stdout.strip() == str(tmp_path / "book" / "names.py"), done.stderr


def test_a_page_says_what_will_run_before_it_loads_anything():
    notebook = read(find_path("12"))
    cells = {cell.id: "alone" if is_check(cell) else "part" for cell in code(notebook)}
    _, some = live.describe_cells(cells, notebook)
    _, one = live.describe_cells({"warm-02": "whole"}, read(RUNNING[-1]))
    assert some.endswith(f"3 of the {len(cells)} cells, 3 exercises among them. The others need PyTorch.")
    assert one.endswith("1 of the 1 cells. The others need PyTorch.")


def test_a_wheel_that_is_not_pyodides_is_refused(monkeypatch, tmp_path):
    known = live.read_lock()
    name = known["packages"]["numpy"]["file_name"]
    (tmp_path / name).write_bytes((live.SOURCE / name).read_bytes() + b"!")
    monkeypatch.setattr(live, "SOURCE", tmp_path)
    with pytest.raises(ValueError, match="is not the file of Pyodide's lock"):
        live.find_wheel("numpy", known)


OPEN = """const { open } = await import("./web/live/carry.js");
const data = await new Response((await import("node:stream")).Readable.toWeb(process.stdin)).blob();
process.stdout.write(JSON.stringify(await open(data).catch(() => null)));"""
FILES = {
    "utf-16-be": ("x = '−'", {"worksheets": [{}, {"cells": [{"cell_type": "code", "input": "x = '−'"}]}]}),
    "cp949": ("# 제 답\nx = 1", {"cells": [None, {"cell_type": "code", "source": "# 제 답\r\nx = 1"}]}),
    "latin-1": ("name = 'José'", {"cells": [{"source": "name = 'José'"}]}),
    "utf-8": (None, [1]),
}


@pytest.mark.parametrize("encoding", FILES)
def test_a_notebook_that_is_loaded_is_read_in_any_code_and_form_that_the_grader_reads(encoding):
    source, notebook = FILES[encoding]
    data = json.dumps(notebook, ensure_ascii=False).encode(encoding)
    command = [Path(sys.executable).with_name("node"), "--input-type=module", "--eval", OPEN]
    found = json.loads(subprocess.run(command, cwd=ROOT, input=data, capture_output=True, check=True).stdout)
    assert [cell["source"] for cell in found or ()] == [source] * bool(source)
