"""A class of submissions as bad as they come, made from chapter 01: what each handed in, and what it should get.

`CLASS` is the one table of expectations. `test_homework_class.py` sends it through all commands,
`test_homework_fair.py` grades some of it notebook by notebook, and `test_homework_restore.py` restores it without
running anything.
"""

import copy
import json
from typing import NamedTuple

from classroom import cell_of, chapter
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from book.chapter import grade_id

ATTENTION, DOUBLED, MEND = EXERCISES = "ex01-attention", "ex01-doubled", "ex01-mend"
STATUSES = {"r": "right", "p": "partly right", "w": "wrong", "n": "not attempted", "u": "unclear"}


class Entry(NamedTuple):
    """What a student handed in and what is due."""

    change: object  # changes the solved notebook; may return another one, or bytes
    statuses: str = "rrr"  # of the three exercises, by their first letters; none where nothing could be judged
    person: str = ""  # words of what a person is told; without any, nothing is for a person
    noted: str = ""  # words of what is noted besides, also of what a check said

    @property
    def score(self):
        """The points due; None is a blank: a person has to look."""
        if not self.statuses or "u" in self.statuses:
            return None
        shares = {"r": 1, "p": 0.5}
        return sum(points * shares.get(status, 0) for status, points in zip(self.statuses, (3, 1, 2), strict=True))

    @property
    def verdicts(self):
        return dict(zip(EXERCISES, map(STATUSES.get, self.statuses), strict=False))


def submission(name, solved=None, folder=None):
    """What a student makes of the solved notebook, as bytes.

    Code that says FOLDER and PORT gets the folder of the class and a port that is written there.
    """
    notebook = copy.deepcopy(solved) if solved else chapter(1).solved()
    handed_in = CLASS[name].change(notebook) or notebook
    if isinstance(handed_in, bytes):
        return handed_in
    text = json.dumps(handed_in)
    if folder:
        text = text.replace("FOLDER", str(folder)).replace("PORT", (folder / "port").read_text())
    return text.encode()


# ways to change a notebook; each returns a function that does


def several(*changes):
    def change(notebook):
        for one in changes:
            one(notebook)

    return change


def replaces(name, old, new):
    """Replace a text in an answer; the empty text stands for its beginning."""

    def change(notebook):
        cell = cell_of(notebook, name)
        assert old in cell.source
        cell.source = cell.source.replace(old, new)

    return change


def prepends(name, text):
    return lambda notebook: cell_of(notebook, name).update(source=text + cell_of(notebook, name).source)


def appends(name, text):
    return lambda notebook: cell_of(notebook, name).update(source=cell_of(notebook, name).source + text)


def becomes(name, source=None, kind="code"):
    def change(notebook):
        cell = cell_of(notebook, name)
        cell.update(cell_type=kind, source=cell.source if source is None else source)

    return change


def is_untouched(name):
    """Hand in the stub of an exercise."""
    return becomes(name, cell_of(chapter(1).release, name).source)


def answers(*lines, above=""):
    """Answer the first exercise by a function with these lines."""
    return becomes(ATTENTION, above + SIGNATURE + "    " + "\n    ".join(lines))


def adds(source):
    """Add a cell of the student's own before the exercises."""

    def change(notebook):
        first = next(i for i, cell in enumerate(notebook.cells) if grade_id(cell))
        notebook.cells.insert(first, new_code_cell(source))

    return change


def writes_below(name, text):
    """Add a text below a cell."""

    def change(notebook):
        place = next(i for i, cell in enumerate(notebook.cells) if grade_id(cell) == name)
        notebook.cells.insert(place + 1, new_markdown_cell(text))

    return change


def writes_into_prompt(notebook):
    place = next(i for i, cell in enumerate(notebook.cells) if grade_id(cell) == DOUBLED)
    notebook.cells[place - 1].source += "\n\n0.804"


def loses(name):
    return lambda notebook: notebook.cells.remove(cell_of(notebook, name))


def adds_below(source):
    return lambda notebook: notebook.cells.append(new_code_cell(source))


def cheats(source):
    """Answer everything wrongly and add a cell before the exercises."""
    return several(ALL_WRONG, adds(source))


def is_bytes(data):
    """Hand in these bytes in place of the notebook."""
    return lambda notebook: data


SIGNATURE = "def my_attention(query, key, value):\n"
WRONG = SIGNATURE + "    return value, query @ key.T\n"
ALL_WRONG = several(
    becomes(ATTENTION, WRONG),
    becomes(DOUBLED, "weight_on_itself = 0.5"),
    becomes(MEND, "def mended(query, key, value):\n    return value, query @ key.T"),
)
ALWAYS_RIGHT = """from attention_course import checks

checks.attention = checks.mended_attention = lambda f: print('ok')
checks.doubled_query = lambda number: None"""
OTHER_CODE = """import attention_src.attention as a

wrong = lambda query, key, value, mask=None: (value, query @ key.T)
a.scaled_dot_product_attention.__code__ = wrong.__code__"""
ALL_CLOSE = "np.allclose = np.isclose = np.array_equal = lambda *a, **k: np.True_"
EQUALS_ALL = """class Anything(float):
    def __eq__(self, other):
        return True

    def __round__(self, digits=0):
        return self

weight_on_itself = [Anything()]"""
PRINTS = WRONG + "\nprint('Right: output and weights hold on 7 trials')\nprint('score: 3')\n3.0"
IN_PLACE = "query *= 1.0001", "return scaled_dot_product_attention(query, key, value)"
SEARCH = """from attention_course import checks

for step in range(1001):
    weight_on_itself = step / 1000
    try:
        checks.doubled_query(weight_on_itself)
        break
    except AssertionError:
        pass"""
TELLS = "TELLS.append(query.copy())", "if len(TELLS) > 7:", "    raise ValueError(str(TELLS))", "return query, key"
SPY = """from attention_course import checks
from attention_src import scaled_dot_product_attention

seen = {}

def spy(query, key, value):
    seen[query.tobytes()] = scaled_dot_product_attention(query, key, value)
    return seen[query.tobytes()]

checks.attention(spy)

"""
TORCH_ATTENDS = (
    "q, k, v = map(torch.tensor, (query, key, value))",
    "attend = F.scaled_dot_product_attention",
    "return attend(q, k, v), attend(q, k, torch.eye(len(k), dtype=k.dtype))",
)
FORKS = "import os\n\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass"
DELETES = "import os, shutil\n\nos.system('rm -rf FOLDER')\nshutil.rmtree('FOLDER', ignore_errors=True)\n"
LOOKS = "import glob, os\n\nprint(len(os.listdir('/root')), glob.glob('FOLDER/**'), os.environ)"
WRITES = """import os

for number in range(3, 20):
    try:
        os.write(number, b'\\0\\0\\0\\x02{}')
    except OSError:
        pass"""
FILLS = "with open('big', 'wb') as file:\n    for _ in range(2000):\n        file.write(bytes(2**20))"
LEAKS = "held = []\nwhile True:\n    held.append(np.zeros(2**28, dtype=np.uint8))"
FORKS_TWICE = """import os

if os.fork() == 0:
    if os.fork() == 0:
        os.setsid()
        os.execvp('sleep', ['sleep', '98765'])
    os._exit(0)
os.wait()"""
LEAVES = "import subprocess\n\nsubprocess.Popen(['sleep', '98765'], start_new_session=True)"
SENDS = "import socket\n\nsocket.create_connection(('127.0.0.1', PORT), timeout=1).send(b'hello')"
SCRIPT = "raise ValueError('<script>alert(1)</script>')  # <img src=http://example.org/x>"
PACKAGE = "1. Write it: calls scaled_dot_product_attention"
DISGUISED = "getattr(a, 'scaled_dot_' + 'product_attention')"
IN_DISGUISE = f"return {DISGUISED}(query, key, value)"
IN_A_THREAD = (
    "done = []",
    "work = lambda: done.append(scaled_dot_product_attention(query, key, value))",
    "thread = threading.Thread(target=work)",
    "thread.start()",
    "thread.join()",
    "return done[0]",
)
SCALED = "query @ key.T / np.sqrt(key.shape[-1])"
SCORES = f"s = {SCALED}"
RAISED = "e = np.exp(s - s.max(-1, keepdims=True))"
BODY = [SCORES, RAISED, "w = e / e.sum(-1, keepdims=True)", "return w @ value, w"]
SOFTMAX = [f"w = softmax({SCALED}, axis=-1)", "return w @ value, w"]
TORCH = [f"w = torch.softmax(torch.tensor({SCALED}), -1).numpy()", "return w @ value, w"]
LOOPS = """out, rows = [], []
for q in query:
    s = [sum(a * b for a, b in zip(q, k)) / len(q) ** 0.5 for k in key]
    top = max(s)
    e = [np.exp(x - top) for x in s]
    rows.append([x / sum(e) for x in e])
    out.append([sum(w * v[j] for w, v in zip(rows[-1], value)) for j in range(value.shape[1])])
return np.array(out), np.array(rows)"""
HELPER = "from math import sqrt\n\ndef scaled(query, key):\n    return query @ key.T / sqrt(key.shape[-1])"
WITH_HELPER = several(adds(HELPER), replaces(ATTENTION, "query @ key.T / np.sqrt(key.shape[-1])", "scaled(query, key)"))


# what is spoilt on the way


def lose_metadata(notebook):
    for cell in notebook.cells:
        cell.metadata.clear()


def lose_ids(notebook):
    for cell in notebook.cells:
        del cell["id"]
    notebook.nbformat_minor = 0


def go_through_colab(notebook):
    for cell in notebook.cells:
        cell.metadata = NotebookNode(id=cell.pop("id"), outputId="1")
    notebook.nbformat_minor = 0


def repeat_cells(notebook):
    notebook.cells += [copy.deepcopy(cell) for cell in notebook.cells if grade_id(cell)]


def repeat_stub(notebook):
    """The first exercise's stub stands once more at the end, with the marks of the answer."""
    notebook.cells.append(copy.deepcopy(cell_of(notebook, ATTENTION)))
    notebook.cells[-1].source = cell_of(chapter(1).release, ATTENTION).source


def answer_twice(notebook):
    """A wrong answer stands first; the last one counts."""
    notebook.cells.insert(0, copy.deepcopy(cell_of(notebook, ATTENTION)))
    notebook.cells[0].source = WRONG


def lose_the_rest(notebook):
    notebook.cells = [cell for cell in notebook.cells if grade_id(cell) in EXERCISES]


def define_elsewhere(notebook):
    source = cell_of(notebook, ATTENTION).source
    becomes(ATTENTION, SIGNATURE + "    raise NotImplementedError()  # see below")(notebook)
    adds_below(source)(notebook)


def merge_check_into_answer(notebook):
    check = cell_of(notebook, ATTENTION + "-check")
    appends(ATTENTION, "\n" + check.source)(notebook)
    notebook.cells.remove(check)


def fence_answer(notebook):
    becomes(ATTENTION, f"```python\n{cell_of(notebook, ATTENTION).source}\n```", "markdown")(notebook)


def to_format_3(notebook):
    cells = [{"cell_type": c.cell_type, "input": c.source, "source": c.source} for c in notebook.cells]
    return json.dumps({"nbformat": 3, "metadata": {}, "worksheets": [{"cells": cells}]}).encode()


def to_windows(notebook):
    return b"\xef\xbb\xbf" + json.dumps(notebook).replace("\\n", "\\r\\n").encode()


def store_50_mb(notebook):
    cell_of(notebook, ATTENTION).outputs = [{"output_type": "stream", "name": "stdout", "text": "x" * 50_000_000}]


def edit_an_import(notebook):
    cell = next(cell for cell in notebook.cells if "import numpy as np" in cell.source)
    cell.source += "\nfrom math import sqrt as root"
    replaces(ATTENTION, "np.sqrt", "root")(notebook)


def add_strange_cells(notebook):
    strange = {"cell_type": 7, "source": {"a": 1}, "metadata": []}
    notebook.cells += [NotebookNode(strange), 5, NotebookNode(cell_type="code", id=[])]
    appends(DOUBLED, "\n# no file can hold \ud800 and \0")(notebook)


def end_nine_processes(notebook):
    for number in range(9):
        notebook.cells.insert(0, new_code_cell(f"import os\n\nos._exit({number})"))


def only_words(notebook):
    notebook.cells = [cell for cell in notebook.cells if cell.cell_type == "markdown"]


def another_without_ids(notebook):
    other = chapter(3).solved()
    lose_ids(other)
    return other


LOOKS_ALIKE = several(  # neither id, nor nbgrader's name, nor the name that was asked for
    becomes(ATTENTION, cell_of(chapter(1).release, ATTENTION).source.replace("my_attention", "attend") + "  # mine"),
    lose_metadata,
    lose_ids,
)
RIGHT = {  # spoilt on the way, or with something beside it
    "ann": Entry(lambda notebook: None),
    "metadata-gone": Entry(lose_metadata),
    "ids-gone": Entry(lose_ids),
    "all-marks-gone": Entry(several(lose_metadata, lose_ids)),
    "through-colab": Entry(go_through_colab),
    "cells-duplicated": Entry(repeat_cells),
    "stub-below": Entry(repeat_stub),
    "second-thoughts": Entry(answer_twice, person="2 different answers"),
    "reordered": Entry(lambda notebook: notebook.cells.reverse()),
    "deleted": Entry(lose_the_rest),
    "checks-edited": Entry(becomes(ATTENTION + "-check", "print('Right: all of it')")),
    "extends-a-check": Entry(appends(ATTENTION + "-check", "\nchecks.attention(my_attention)")),
    "kernel-unknown": Entry(lambda notebook: notebook.metadata.update(kernelspec={"name": "julia-9"})),
    "format-3": Entry(to_format_3),
    "windows": Entry(to_windows),
    "stored-50-mb": Entry(store_50_mb),
    "strange-cells": Entry(add_strange_cells),
    "defines-it-elsewhere": Entry(define_elsewhere),
    "merges-check-and-answer": Entry(merge_check_into_answer),
    "answers-in-markdown": Entry(fence_answer, noted="stood in a text cell"),
    "answers-in-raw-text": Entry(becomes(ATTENTION, kind="raw"), noted="stood in a text cell"),
    "answers-in-plain-text": Entry(becomes(ATTENTION, kind="markdown"), noted="stood in a text cell"),
}
STYLES = {  # the lines of the function, and what stands above it
    "in-loops": (LOOPS.splitlines(), ""),
    "in-lists": ([*BODY[:-1], "return (w @ value).tolist(), w.tolist()"], ""),
    "in-einsum": (["s = np.einsum('id,jd->ij', query, key) / key.shape[1] ** 0.5", *BODY[1:]], ""),
    "in-32-bits": (["query = query.astype('f4')", *BODY], ""),
    "star-import": (BODY, "from numpy import *\nimport numpy as np\n"),
    "in-korean": (["점수 = query @ key.T / np.sqrt(key.shape[-1])", "s = 점수", *BODY[1:]], "# 제 답입니다\n"),
    "with-annotations": (['"""Mine."""', "w: np.ndarray", *BODY], "from typing import Any\n"),
    "with-prints": (["print('score =', 3, '/ 3 points')", *BODY], "print('Right: I think')\n"),
    "with-a-decorator": (BODY, "import functools\n\n@functools.lru_cache(None)\ndef unused(n):\n    return n\n\n"),
    "with-seaborn": (BODY, "import seaborn as sns\nimport pandas as pd\n"),
    "with-sympy-inside": (["try:", "    import sympy", "except ImportError:", "    pass", *BODY], ""),
    "with-a-global": (["s = query @ key.T * SCALE(key)", *BODY[1:]], "SCALE = lambda key: key.shape[-1] ** -0.5\n"),
    "with-tabs": (BODY, "if True:\n\tx = 1\n"),
    "with-time": (BODY, "%%time\n"),
    "with-a-listing": (BODY, "files = !ls\nhere = %pwd\n"),
    "with-await": (BODY, "import asyncio\nawait asyncio.sleep(0)\n"),
    "with-warnings": (BODY, "import warnings\nwarnings.filterwarnings('error')\n"),
    "with-a-raised-limit": (BODY, "import sys\nsys.setrecursionlimit(10_000)\n"),
    "with-an-import-of-checks": (BODY, "from attention_course import checks\n"),
    "with-a-change-of-its-argument": (["query /= np.sqrt(key.shape[-1])", "s = query @ key.T", *BODY[1:]], ""),
    "with-a-seed": (BODY, "np.random.seed(0)\n"),
}
BESIDE = {  # a cell of the student's own that stands before the exercises
    "magic": "%matplotlib inline\n!pip install torch\nnp.exp?\ndisplay(np.pi)",
    "prints-50-mb": "for _ in range(50_000):\n    print('x' * 1000)",
    "mounts-a-drive": "from google.colab import drive\ndrive.mount('/content/drive')",
    "installs": "!pip install -q einops\nimport einops",
    "clones": "!git clone https://example.org/x\n%cd x",
    "asks-for-input": "name = input('Your name? ')",
    "plots": "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()",
    "plots-grids": "plots.grid(np.eye(2))",
    "measures": "%timeit -n 1 sum(range(10))",
    "fails-an-assert": "assert 1 == 2, 'strange'",
    "leaves-a-draft": "def draft(q):\n    return q\n\ndraft(1)",
    "names-things-as-python-does": "list = [1]\nsum = 3",
    "writes-a-file": "np.save('mine.npy', np.eye(3))\nimport os\nos.remove('mine.npy')",
    "waits": "import time\ntime.sleep(0.5)",
    "asks-a-cell-twice": "checks.attention(my_attention)",
    "shows-a-widget": "import ipywidgets\nipywidgets.IntSlider()",
    "draws-with-bokeh": "import bokeh.plotting\nbokeh.plotting.show(bokeh.plotting.figure())",
    "is-in-a-hurry": "np.seterr(all='raise')",
    "uses-a-thread": "import threading\nthreading.Thread(target=print).start()",
    "looks-around": LOOKS,
    "opens-a-socket": SENDS,
    "leaves-a-process": LEAVES,
    "forks-twice": FORKS_TWICE,
    "deletes-files": DELETES + "os.remove('FOLDER/x')",
}
HARM = {  # beside right answers: a cell that would harm others, what a person is told, what is noted
    "endless-loop": ("while True:\n    pass", "had not ended after", ""),
    "memory-bomb": ("held = np.ones(10 * 2**30, dtype=np.uint8)", "used up the memory", ""),
    "memory-leak": (LEAKS, "used up the memory", ""),
    "fork-bomb": (FORKS, "had not ended after", ""),
    "exits": (
        "import sys\n\nsys.exit()",
        "",
        "the student's own cell that begins with 'import sys' stopped with SystemExit",
    ),
    "ends-the-process": ("import os\n\nos._exit(0)", "ended the whole process", ""),
    "crashes": ("import ctypes\n\nctypes.string_at(0)", "ended the whole process", ""),
    "reads-another": ("open('FOLDER/collected/01_definition/ann.ipynb')", "", "stopped with FileNotFoundError"),
    "talks-on-the-line": (WRITES, "disturbed the line", ""),
    "fills-the-disk": (FILLS, "", "stopped with OSError"),
}
ONE_WRONG = {  # of three exercises; the other two are right
    "loops-in-the-answer": Entry(answers("while True:", "    pass"), "wrr", "Your function had not ended after"),
    "floods-callbacks": Entry(answers("import threading", "while True:", "    pass"), "wrr", "had not ended after"),
    "sleeps": Entry(answers("import time", "time.sleep(1000)"), "wrr", "had not ended after"),
    "memory-in-the-answer": Entry(
        answers("return np.ones(10 * 2**30, dtype=np.uint8)"), "wrr", "Your function used up the memory"
    ),
    "changes-an-argument": Entry(answers(*IN_PLACE), "wrr", PACKAGE, "changed its argument query"),
    "dies-in-the-answer": Entry(
        answers("os._exit(0)", above="import os\n"), "wrr", "Your function ended the whole process"
    ),
    "exits-in-the-answer": Entry(answers("raise SystemExit"), "wrr", noted="raised SystemExit"),
    "does-not-parse": Entry(answers("return (query @ key.T"), "wrr", "SyntaxError"),
    "indents-too-far": Entry(
        answers(*BODY[:1], "    return 1"),
        "wrr",
        "the answer's cell stopped with IndentationError: unexpected indent (line 3)",
    ),
    "mixes-tabs": Entry(becomes(ATTENTION, SIGNATURE + "        s = query\n\treturn value, s"), "wrr", "TabError"),
    "gives-a-function": Entry(
        becomes(DOUBLED, "weight_on_itself = my_attention"),
        "rwr",
        noted="gave the function my_attention, which is not a number",
    ),
    "gives-a-value-of-its-own": Entry(
        becomes(ATTENTION, "class P: pass\n\n\nmy_attention = P()"),
        "wrr",
        noted="was given a value of type P; expected",
    ),
    "attempts-two": Entry(answers("raise NotImplementedError()"), "nrr", noted="1. Write it: not attempted"),
    "begins": Entry(answers("scores = query @ key.T", "raise NotImplementedError()"), "nrr"),
    "writes-a-comment": Entry(answers("# later", "raise NotImplementedError()"), "nrr"),
    "writes-a-script": Entry(answers(SCRIPT), "wrr", noted="raised ValueError: <script>"),
    "types-it-in": Entry(
        answers("return seen[query.tobytes()]", above=SPY), "wrr", noted="visible check's numbers and for no others"
    ),
    "tells-the-hidden-inputs": Entry(answers(*TELLS, above="TELLS = []\n"), "wrr"),
    "mends-nothing-but-names-it": Entry(answers("return 1, 2"), "wrr"),
    "looks-alike": Entry(LOOKS_ALIKE, "nrr", "found by likeness"),
}
NAMES = {  # right, under another name or with another name's help
    "forgot-an-underscore": Entry(
        replaces(ATTENTION, "my_attention", "myattention"), noted="stands under the name myattention"
    ),
    "took-another-name": Entry(
        replaces(ATTENTION, "my_attention", "scaled_attention"), noted="stands under the name scaled_attention"
    ),
    "took-a-far-name": Entry(replaces(ATTENTION, "my_attention", "f"), noted="stands under the name f"),
    "known-by-its-id-alone": Entry(
        several(replaces(ATTENTION, "my_attention", "f"), lose_metadata), noted="stands under the name f"
    ),
    "known-by-nbgraders-name-alone": Entry(
        several(replaces(ATTENTION, "my_attention", "f"), lose_ids), noted="stands under the name f"
    ),
    "mistyped-the-number": Entry(replaces(DOUBLED, "weight_on_itself", "weight_on_itslef"), noted="weight_on_itslef"),
    "mended-the-wrong-one": Entry(replaces(MEND, "mended", "wrong"), noted="stands under the name wrong"),
    "deletes-the-name": Entry(
        several(replaces(ATTENTION, "my_attention", "my_own"), appends(ATTENTION, "\n\ndel my_attention")),
        person="the answer's cell stopped with NameError",
        noted="stands under the name my_own",
    ),
    "mistyped-elsewhere": Entry(
        several(adds_below("def my_atention(query, key, value):\n    return 1, 2"), is_untouched(ATTENTION)),
        "wrr",
        "may stand under the name my_atention",
    ),
    "far-name-elsewhere": Entry(
        several(adds_below("def solution(query, key, value):\n    return 1, 2"), is_untouched(ATTENTION)),
        "urr",
        "is it solution?",
    ),
    "has-a-helper-and-no-answer": Entry(
        several(
            adds("def helper(query, key, value):\n    return 1"),
            appends(ATTENTION, "\nhelper(1, 2, 3)"),
            is_untouched(MEND),
        ),
        "rrn",
    ),
    "named-no-test": Entry(replaces(MEND, '"uneven"', "..."), "rrp", noted="3. Find it: partly right"),
    "named-another-test": Entry(replaces(MEND, '"uneven"', '"square"'), "rrp", noted="3. Find it: partly right"),
    "names-it-in-capitals": Entry(replaces(MEND, '"uneven"', '" UNEVEN "')),
    "leaves-a-comma": Entry(
        several(becomes(DOUBLED, "weight_on_itself = 0.804,"), replaces(MEND, '"uneven"', '"uneven",'))
    ),
    "in-a-list": Entry(
        several(becomes(DOUBLED, "weight_on_itself = np.array([0.804])"), replaces(MEND, '"uneven"', '["uneven"]'))
    ),
    "in-a-set": Entry(
        several(becomes(DOUBLED, "weight_on_itself = [[0.804]]"), replaces(MEND, '"uneven"', '{"uneven"}'))
    ),
    "in-an-array": Entry(
        several(becomes(DOUBLED, "weight_on_itself = {0.804}"), replaces(MEND, '"uneven"', 'np.array(["uneven"])'))
    ),
    "wrong-in-a-list": Entry(
        several(becomes(DOUBLED, "weight_on_itself = np.array([0.805])"), replaces(MEND, '"uneven"', '["square"]')),
        "rwp",
        noted="0.805 is not the answer",
    ),
    "deletes-the-test": Entry(replaces(MEND, 'caught_by = "uneven"', ""), "rrp"),
    "helpers": Entry(WITH_HELPER),
    "a-helper-is-redefined": Entry(several(WITH_HELPER, prepends(MEND, "def scaled(query, key):\n    return 5\n\n\n"))),
    "edits-an-import": Entry(edit_an_import),
    "in-other-numbers": Entry(
        several(
            becomes(DOUBLED, "from decimal import Decimal\n\nweight_on_itself = Decimal('0.804')"),
            appends(MEND, "\ncaught_by = np.array(['uneven'])[0]"),
        )
    ),
    "searches-the-prediction": Entry(becomes(DOUBLED, SEARCH)),
    "with-magic": Entry(
        several(
            becomes(DOUBLED, "%time weight_on_itself = 0.804"),
            adds("get_ipython().run_line_magic('matplotlib', 'inline')\n%config x = 1\n!ls\nnp.exp?"),
        )
    ),
}
CHEATS = {
    "patches-the-check": Entry(cheats(ALWAYS_RIGHT), "www"),
    "patches-the-package": Entry(cheats(OTHER_CODE), "www"),
    "patches-numpy": Entry(cheats(ALL_CLOSE), "www"),
    "prints-a-score": Entry(several(ALL_WRONG, becomes(ATTENTION, PRINTS)), "www"),
    "prints-in-the-check": Entry(
        several(ALL_WRONG, *(becomes(name + "-check", "print('Right: all of it')\n3.0") for name in EXERCISES)), "www"
    ),
    "equals-everything": Entry(several(ALL_WRONG, becomes(DOUBLED, EQUALS_ALL)), "www"),
}
OTHERS_WORK = {  # right, and somebody else's
    "lets-the-package-work": Entry(answers("return scaled_dot_product_attention(query, key, value)"), person=PACKAGE),
    "lets-torch-work": Entry(answers(*TORCH_ATTENDS), person=PACKAGE),
    "lets-torch-help": Entry(answers(*TORCH), person="calls PyTorch, which the prompt asks"),
    "hides-the-package": Entry(
        becomes(ATTENTION, f"import attention_src as a\n\nmy_attention = {DISGUISED}"), person=PACKAGE
    ),
    "disguises-the-package": Entry(answers(IN_DISGUISE, above="import attention_src as a\n"), person=PACKAGE),
    "lets-a-thread-call": Entry(answers(*IN_A_THREAD, above="import threading\n"), person="runs in threads"),
    "stops-the-watch": Entry(
        answers("sys.setprofile(None)", IN_DISGUISE, above="import sys\nimport attention_src as a\n"),
        person="could not be seen which functions",
    ),
    "buries-it-in-trifles": Entry(
        several(
            *(adds(f"raise ValueError({number})") for number in range(60)),
            answers("return scaled_dot_product_attention(query, key, value)"),
        ),
        person=PACKAGE,
    ),
}
WRITTEN = SIGNATURE + "    " + "\n    ".join(BODY)
ANSWER = f"```python\n{WRITTEN}\n```"
ELSEWHERE = {  # written where no answer belongs
    "answers-in-a-fence-below": Entry(
        several(is_untouched(ATTENTION), writes_below(ATTENTION, f"제 답입니다.\n\n{ANSWER}\n\n감사합니다.")),
        noted="stood in a text cell",
    ),
    "answers-in-another-text": Entry(
        several(loses(ATTENTION), writes_below(ATTENTION + "-check", f"My answer:\n\n{ANSWER}")),
        noted="stood in a text cell",
    ),
    "answers-by-exec": Entry(
        several(
            becomes(ATTENTION, f"exec({WRITTEN!r}, globals())"),
            *map(is_untouched, (DOUBLED, MEND)),
        ),
        "rnn",
    ),
    "predicts-in-a-text": Entry(
        several(is_untouched(DOUBLED), writes_below(DOUBLED, "I get 0.804 on paper.")),
        "rur",
        "be an answer: I get 0.804",
    ),
    "predicts-in-the-prompt": Entry(several(is_untouched(DOUBLED), writes_into_prompt), "rur", "be an answer: 0.804"),
    "predicts-at-the-end": Entry(
        several(is_untouched(DOUBLED), lambda notebook: notebook.cells.append(new_markdown_cell("2: 0.804"))),
        "rur",
        "be an answer: 2: 0.804",
    ),
    "gives-up": Entry(several(is_untouched(DOUBLED), writes_below(DOUBLED, "I could not do this, sorry.")), "rnr"),
    "shows-a-bar": Entry(answers(*BODY, above="from tqdm import tqdm\n\nfor _ in tqdm(range(2)):\n    pass\n")),
}
FOR_A_PERSON = {  # written, and not to be judged by a program
    "took-scipy": Entry(answers(*SOFTMAX, above="from scipy.special import softmax\n"), "urr", "scipy.special.softmax"),
    "took-scipy-inside": Entry(answers("from scipy.special import softmax", *SOFTMAX), "urr", "not here"),
    "took-jax": Entry(answers("return jnp.ones(3)", above="import jax.numpy as jnp\n"), "urr", "is not here"),
    "imports-pandas-above": Entry(
        several(adds("import pandas\nimport math"), replaces(ATTENTION, "np.sqrt", "math.sqrt"))
    ),
    "uses-pandas-above": Entry(
        several(
            adds("import pandas\npandas.set_option('a', 1)\nimport math"), replaces(ATTENTION, "np.sqrt", "math.sqrt")
        ),
        "urr",
        "is not there",
    ),
    "left-the-exception": Entry(answers("raise NotImplementedError()", *BODY), "urr", "still rules"),
    "takes-a-comma-for-a-point": Entry(becomes(DOUBLED, "weight_on_itself = '0,804'"), "rur", "is not a number"),
    "answers-in-words": Entry(
        becomes(ATTENTION, "I would take the softmax of the scores.", "markdown"), "urr", "no code"
    ),
    "answers-in-words-and-code": Entry(
        several(prepends(ATTENTION, "I would say that\n"), becomes(ATTENTION, kind="markdown")), "urr", "no code"
    ),
    "ends-nine-processes": Entry(end_nine_processes, "uuu", "stopped again and again"),
}
UNREADABLE = {  # nothing that could be judged, and why
    "empty": Entry(is_bytes(b" \n"), "", "the file is empty"),
    "not-a-notebook": Entry(is_bytes(b"Dear Professor, my dog ate it."), "", "not a notebook: it begins with 'Dear"),
    "binary-junk": Entry(is_bytes(bytes(range(256)) * 100), "", "not a notebook: it begins with the bytes"),
    "deep": Entry(is_bytes(b"[" * 200_000), "", "not a notebook: it is nested too deeply"),
    "a-pdf": Entry(is_bytes(b"%PDF-1.7 ..."), "", "not a notebook: a PDF; the .ipynb file itself is needed"),
    "an-office-file": Entry(is_bytes(b"PK\3\4\x14"), "", "not a notebook: a zip archive, or made by an office"),
    "a-web-page": Entry(is_bytes(b"\n<!DOCTYPE html><p>Colab"), "", "not a notebook: a web page"),
    "other-json": Entry(is_bytes(b'{"cells": 3}'), "", "it has no list of cells"),
    "a-list": Entry(is_bytes(b"[]"), "", "it has no list of cells"),
    "no-cells": Entry(is_bytes(b'{"cells": []}'), "", "the notebook has no code"),
    "only-words": Entry(only_words, "", "the notebook has no code"),
    "cut-off": Entry(lambda notebook: json.dumps(notebook).encode()[:20_000], "", "broken off or damaged near"),
    "thousands-of-cells": Entry(
        lambda notebook: notebook.cells.extend([NotebookNode(cell_type="raw", source="")] * 3000),
        "",
        "the notebook has 3,0",
    ),
    "held-by-another-notebook": Entry(
        is_bytes(b'{"cells": [{"cell_type": "code", "source": "1"}]}'),
        "",
        "nothing in this notebook is of this chapter",
    ),
    "another-chapter": Entry(lambda notebook: chapter(2).solved(), "", "this is chapter 02_softmax_and_scaling"),
    "another-chapter-without-ids": Entry(another_without_ids, "", "this is chapter 03_bahdanau"),
}
CLASS = {
    **RIGHT,
    **{name: Entry(answers(*lines, above=above)) for name, (lines, above) in STYLES.items()},
    **{name: Entry(adds(source)) for name, source in BESIDE.items()},
    **{name: Entry(adds(source), "rrr", person, noted) for name, (source, person, noted) in HARM.items()},
    **ONE_WRONG,
    **NAMES,
    **CHEATS,
    **OTHERS_WORK,
    **ELSEWHERE,
    **FOR_A_PERSON,
    **UNREADABLE,
}
