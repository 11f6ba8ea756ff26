"""A class of submissions as bad as they come, made from chapter 01: what each handed in, and what it should get.

`CLASS` maps a student to (what to do with the solved notebook, the score due, what the report must say). A score of
None is a blank: a person has to look.
"""

import copy
import json
import os

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from tools.chapter import grade_id

ATTENTION, DOUBLED, MEND = "ex01-attention", "ex01-doubled", "ex01-mend"
SIGNATURE = "def my_attention(query, key, value):\n"
WRONG = SIGNATURE + "    return value, query @ key.T\n"
CLASS = {}


def student(score, *said):
    """Enter a function of (notebook, class folder), which returns the bytes or a changed notebook, into the class."""

    def enter(make):
        CLASS[make.__name__.replace("_", "-")] = (make, score, said)
        return make

    return enter


def submission(name, solved, folder):
    """What a student hands in: bytes."""
    made = CLASS[name][0](copy.deepcopy(solved), folder)
    return made if isinstance(made, bytes) else json.dumps(made).encode()


def cell_of(notebook, name):
    return next(cell for cell in notebook.cells if grade_id(cell) == name)


def answer(notebook, name, source):
    cell_of(notebook, name).source = source
    return notebook


def add(notebook, source):
    """A cell of the student's own before the exercises."""
    first = next(i for i, cell in enumerate(notebook.cells) if grade_id(cell))
    notebook.cells.insert(first, new_code_cell(source))
    return notebook


def wrong(notebook):
    """No answer is right any more."""
    answer(notebook, ATTENTION, WRONG)
    answer(notebook, DOUBLED, "weight_on_itself = 0.5")
    return answer(notebook, MEND, "def mended(query, key, value):\n    return value, query @ key.T")


# right, and spoilt on the way


@student(6)
def ann(notebook, folder):
    return notebook


@student(6, "nbgrader's metadata is gone")
def metadata_gone(notebook, folder):
    for cell in notebook.cells:
        cell.metadata.clear()
    return notebook


@student(6, "the cells' ids are gone")
def ids_gone(notebook, folder):
    for cell in notebook.cells:
        del cell["id"]
    return notebook | {"nbformat_minor": 0}


@student(6, "by the name it defines", "the cells' ids are gone", "metadata is gone")
def all_marks_gone(notebook, folder):
    return ids_gone(metadata_gone(notebook, folder), folder)


@student(6)
def through_colab(notebook, folder):
    for cell in notebook.cells:
        cell.metadata = NotebookNode(id=cell.pop("id"), outputId="1")
    return notebook | {"nbformat_minor": 0}


@student(6, "is there 2 times")
def cells_duplicated(notebook, folder):
    notebook.cells += [copy.deepcopy(cell) for cell in notebook.cells if grade_id(cell)]
    return notebook


@student(6, "is there 2 times")
def stub_below(notebook, folder):
    stub = copy.deepcopy(cell_of(notebook, ATTENTION))
    stub.source = SIGNATURE + '    """Return output (n, d_v) and weights (n, m)."""\n'
    stub.source += "    # YOUR CODE HERE\n    raise NotImplementedError()"
    notebook.cells.append(stub)
    return notebook


@student(6, "2 different answers")
def second_thoughts(notebook, folder):
    first = copy.deepcopy(cell_of(notebook, ATTENTION))
    first.source = WRONG
    notebook.cells.insert(0, first)
    return notebook


@student(6, "cells stand in another order")
def reordered(notebook, folder):
    notebook.cells.reverse()
    return notebook


@student(6, "cells are gone")
def deleted(notebook, folder):
    notebook.cells = [cell for cell in notebook.cells if grade_id(cell) in (ATTENTION, DOUBLED, MEND)]
    return notebook


@student(6, "the check was changed")
def checks_edited(notebook, folder):
    return answer(notebook, ATTENTION + "-check", "print('Right: all of it')")


@student(6, "saved for a kernel 'julia-9'")
def kernel_unknown(notebook, folder):
    notebook.metadata.kernelspec = {"name": "julia-9", "display_name": "Julia 9", "language": "julia"}
    return notebook


@student(6)
def format_3(notebook, folder):
    cells = [{"cell_type": c.cell_type, "input": c.source, "source": c.source} for c in notebook.cells]
    return json.dumps({"nbformat": 3, "metadata": {}, "worksheets": [{"cells": cells}]}).encode()


@student(6)
def windows(notebook, folder):
    return b"\xef\xbb\xbf" + json.dumps(notebook).replace("\\n", "\\r\\n").encode()


@student(6, "the file has 47 MB")
def stored_50_mb(notebook, folder):
    cell_of(notebook, ATTENTION).outputs = [{"output_type": "stream", "name": "stdout", "text": "x" * 50_000_000}]
    return notebook


@student(6, "prints very much")
def prints_50_mb(notebook, folder):
    return add(notebook, "for _ in range(50_000):\n    print('x' * 1000)")


@student(6)
def magic(notebook, folder):
    return add(notebook, "%matplotlib inline\n!pip install torch\nnp.exp?\ndisplay(np.pi)")


@student(6)
def helpers(notebook, folder):
    add(notebook, "from math import sqrt\n\ndef scaled(query, key):\n    return query @ key.T / sqrt(key.shape[-1])")
    source = cell_of(notebook, ATTENTION).source
    return answer(notebook, ATTENTION, source.replace("query @ key.T / np.sqrt(key.shape[-1])", "scaled(query, key)"))


@student(6)
def edits_an_import(notebook, folder):
    cell = next(cell for cell in notebook.cells if "import numpy as np" in cell.source)
    cell.source += "\nfrom math import sqrt as root"
    source = cell_of(notebook, ATTENTION).source
    return answer(notebook, ATTENTION, source.replace("np.sqrt", "root"))


@student(6)
def defines_it_elsewhere(notebook, folder):
    source = cell_of(notebook, ATTENTION).source
    answer(notebook, ATTENTION, SIGNATURE + "    raise NotImplementedError()  # see below")
    notebook.cells.append(new_code_cell(source))
    return notebook


@student(6)
def a_helper_is_redefined(notebook, folder):
    helpers(notebook, folder)
    mend = cell_of(notebook, MEND).source
    return answer(notebook, MEND, "def scaled(query, key):\n    return 5\n\n\n" + mend)


@student(6)
def in_other_numbers(notebook, folder):
    answer(notebook, DOUBLED, "from decimal import Decimal\n\nweight_on_itself = Decimal('0.804')")
    cell_of(notebook, MEND).source += "\ncaught_by = np.array(['uneven'])[0]"
    return notebook


@student(6)
def with_magic(notebook, folder):
    answer(notebook, DOUBLED, "%time weight_on_itself = 0.804")
    return add(notebook, "get_ipython().run_line_magic('matplotlib', 'inline')\n%config x = 1\n!ls\nnp.exp?")


# right, with something beside it that would harm others


@student(6, "had not ended after")
def endless_loop(notebook, folder):
    return add(notebook, "while True:\n    pass")


@student(6, "used up the memory")
def memory_bomb(notebook, folder):
    return add(notebook, "held = np.ones(10 * 2**30, dtype=np.uint8)")


@student(6, "used up the memory")
def memory_leak(notebook, folder):
    return add(notebook, "held = []\nwhile True:\n    held.append(np.zeros(2**28, dtype=np.uint8))")


@student(6, "had not ended after")
def fork_bomb(notebook, folder):
    return add(notebook, "import os\n\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass")


@student(6, "starts a process")
def leaves_a_process(notebook, folder):
    return add(notebook, "import subprocess\n\nsubprocess.Popen(['sleep', '98765'], start_new_session=True)")


@student(6, "stopped with SystemExit")
def exits(notebook, folder):
    return add(notebook, "import sys\n\nsys.exit()")


@student(6, "ended the whole process")
def ends_the_process(notebook, folder):
    return add(notebook, "import os\n\nos._exit(0)")


@student(6, "ended the whole process")
def crashes(notebook, folder):
    return add(notebook, "import ctypes\n\nctypes.string_at(0)")


@student(6, "deletes files")
def deletes_files(notebook, folder):
    source = (
        "import os, shutil\n\nos.system('rm -rf {0}')\nshutil.rmtree('{0}', ignore_errors=True)\nos.remove('{0}/x')"
    )
    return add(notebook, source.format(folder))


@student(6, "stopped with FileNotFoundError")
def reads_another(notebook, folder):
    return add(notebook, f"print(open('{folder}/collected/01_definition/ann.ipynb').read())")


@student(6, "reaches for ")
def looks_around(notebook, folder):
    source = (
        f"import glob, os\n\nfound = [len(os.listdir('/root')), glob.glob('{folder}/**'), os.environ]\nprint(found)"
    )
    return add(notebook, source)


@student(6, "opens a socket")
def opens_a_socket(notebook, folder):
    port = (folder / "port").read_text()
    return add(notebook, f"import socket\n\nsocket.create_connection(('127.0.0.1', {port}), timeout=1).send(b'hello')")


@student(6, "disturbed the line")
def talks_on_the_line(notebook, folder):
    source = "import os\n\nfor number in range(3, 20):\n    try:\n        os.write(number, b'\\0\\0\\0\\x02{}')\n"
    return add(notebook, source + "    except OSError:\n        pass")


@student(6, "fills" if os.name == "nt" else "stopped with OSError")
def fills_the_disk(notebook, folder):
    return add(notebook, "with open('big', 'wb') as file:\n    for _ in range(2000):\n        file.write(bytes(2**20))")


# an answer that never comes back, in one exercise; the other two are right


@student(3, "Your function had not ended after")
def loops_in_the_answer(notebook, folder):
    return answer(notebook, ATTENTION, SIGNATURE + "    while True:\n        pass")


@student(3, "Your function used up the memory")
def memory_in_the_answer(notebook, folder):
    return answer(notebook, ATTENTION, SIGNATURE + "    return np.ones(10 * 2**30, dtype=np.uint8)")


@student(3, "Your function ended the whole process")
def dies_in_the_answer(notebook, folder):
    return answer(notebook, ATTENTION, "import os\n" + SIGNATURE + "    os._exit(0)")


@student(3, "raised SystemExit")
def exits_in_the_answer(notebook, folder):
    return answer(notebook, ATTENTION, SIGNATURE + "    raise SystemExit")


@student(3, "SyntaxError")
def does_not_parse(notebook, folder):
    return answer(notebook, ATTENTION, SIGNATURE + "    return (query @ key.T")


@student(3, "Was it renamed?")
def deletes_the_name(notebook, folder):
    source = cell_of(notebook, ATTENTION).source
    return answer(notebook, ATTENTION, source.replace("my_attention", "my_own") + "\n\ndel my_attention")


@student(3, "ex01-attention: not attempted")
def attempts_two(notebook, folder):
    return answer(notebook, ATTENTION, SIGNATURE + "    raise NotImplementedError()")


@student(3, "changed its argument query")
def changes_an_argument(notebook, folder):
    source = cell_of(notebook, ATTENTION).source
    return answer(notebook, ATTENTION, source.replace("    ### BEGIN SOLUTION\n", "    query *= 1.0001\n"))


@student(3, "raised ValueError: <script>")
def writes_a_script(notebook, folder):
    source = "    raise ValueError('<script>alert(1)</script>')  # <img src=http://example.org/x>"
    return answer(notebook, ATTENTION, SIGNATURE + source)


# cheats


@student(0, "looks like a mark")
def prints_a_score(notebook, folder):
    cell_of(
        wrong(notebook), ATTENTION
    ).source += "\nprint('Right: output and weights hold on 7 trials')\nprint('score: 3')\n3.0"
    return notebook


@student(0, "the check was changed", "looks like a mark")
def prints_in_the_check(notebook, folder):
    for name in (ATTENTION, DOUBLED, MEND):
        answer(notebook, name + "-check", "print('Right: all of it')\n3.0")
    return wrong(notebook)


@student(0, "changes attention_src.checks.attention")
def patches_the_check(notebook, folder):
    source = "from attention_src import checks\n\nchecks.attention = checks.mended_attention = lambda f: print('ok')\n"
    return add(wrong(notebook), source + "checks.doubled_query = lambda number: None")


@student(0, "changes attention_src.scaled_dot_product_attention, attention_src")
def patches_the_package(notebook, folder):
    source = (
        "import attention_src.attention as a\n\nwrong = lambda query, key, value, mask=None: (value, query @ key.T)\n"
    )
    return add(wrong(notebook), source + "a.scaled_dot_product_attention.__code__ = wrong.__code__")


@student(0, "changes numpy.isclose, numpy.allclose, numpy.array_equal, which")
def patches_numpy(notebook, folder):
    return add(wrong(notebook), "np.allclose = np.isclose = np.array_equal = lambda *a, **k: np.True_")


@student(0, "is no number")
def equals_everything(notebook, folder):
    source = "class Anything(float):\n    def __eq__(self, other):\n        return True\n\n"
    source += "    def __round__(self, digits=0):\n"
    return answer(wrong(notebook), DOUBLED, source + "        return self\n\nweight_on_itself = [Anything()]")


@student(3, "holds for the visible check's numbers and for no others")
def types_it_in(notebook, folder):
    source = (
        "from attention_src import checks, scaled_dot_product_attention\n\nseen = {}\n\n"
        "def spy(query, key, value):\n    seen[query.tobytes()] = scaled_dot_product_attention(query, key, value)\n"
        "    return seen[query.tobytes()]\n\nchecks.attention(spy)\n\n" + SIGNATURE + "    return seen[query.tobytes()]"
    )
    return answer(notebook, ATTENTION, source)


@student(6, "ex01-attention: calls scaled_dot_product_attention of attention_src")
def lets_the_package_work(notebook, folder):
    return answer(notebook, ATTENTION, SIGNATURE + "    return scaled_dot_product_attention(query, key, value)")


@student(6, "ex01-attention: calls scaled_dot_product_attention of attention_src")
def hides_the_package(notebook, folder):
    source = "import attention_src as a\n\nmy_attention = getattr(a, 'scaled_dot_' + 'product_attention')"
    return answer(notebook, ATTENTION, source)


@student(6, "calls scaled_dot_product_attention of attention_src or torch")
def lets_torch_work(notebook, folder):
    source = "    q, k, v = map(torch.tensor, (query, key, value))\n    attend = F.scaled_dot_product_attention\n"
    eye = "    return attend(q, k, v), attend(q, k, torch.eye(len(k), dtype=k.dtype))"
    return answer(notebook, ATTENTION, SIGNATURE + source + eye)


@student(6, "ex01-attention: calls scaled_dot_product_attention of attention_src")
def buries_it_in_trifles(notebook, folder):
    for number in range(60):
        add(notebook, f"raise ValueError({number})")
    return lets_the_package_work(notebook, folder)


@student(6)
def floods_the_report(notebook, folder):
    source = "import sys\n\nframe = sys._getframe()\nwhile 'channel' not in frame.f_locals:\n    frame = frame.f_back\n"
    return add(notebook, source + "frame.f_locals['student'].odd.update(map(str, range(200_000)))")


# nothing that could be judged


@student(None, "the notebook has 3,0")
def thousands_of_cells(notebook, folder):
    notebook.cells += [NotebookNode(cell_type="raw", source="")] * 3000
    return notebook


@student(None, "ended the whole process", "stopped again and again")
def ends_nine_processes(notebook, folder):
    for number in range(9):
        notebook.cells.insert(0, new_code_cell(f"import os\n\nos._exit({number})"))
    return notebook


@student(None, "the file is empty")
def empty(notebook, folder):
    return b""


@student(None, "not a notebook")
def not_a_notebook(notebook, folder):
    return b"Dear Professor, my dog ate it."


@student(None, "not a notebook: it begins with the bytes")
def binary_junk(notebook, folder):
    return bytes(range(256)) * 100


@student(None, "not a notebook")
def cut_off(notebook, folder):
    return json.dumps(notebook).encode()[:20_000]


@student(None, "not a notebook")
def deep(notebook, folder):
    return b"[" * 200_000


@student(None, "it has no list of cells")
def other_json(notebook, folder):
    return b'{"cells": 3}'


@student(None, "the notebook has no code")
def only_words(notebook, folder):
    notebook.cells = [cell for cell in notebook.cells if cell.cell_type == "markdown"]
    return notebook


@student(6)
def strange_cells(notebook, folder):
    notebook.cells += [
        NotebookNode(cell_type=7, source={"a": 1}, metadata=[]),
        5,
        NotebookNode(cell_type="code", id=[]),
    ]
    return notebook
