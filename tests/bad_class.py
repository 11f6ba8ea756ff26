"""A class of submissions as bad as they come, made from chapter 01: what each handed in, and what it should get.

`CLASS` maps a student to (what to do with the solved notebook, the score due, what the report must say). A score of
None is a blank: a person has to look. `LAYOUTS` are the ways in which platforms hand a class over, and the rosters that
they export.
"""

import copy
import json
import os
import re

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from book.chapter import grade_id

ATTENTION, DOUBLED, MEND = "ex01-attention", "ex01-doubled", "ex01-mend"
SIGNATURE = "def my_attention(query, key, value):\n"
WRONG = SIGNATURE + "    return value, query @ key.T\n"


def student(score, *said):
    """Enter a function of the notebook, which returns bytes or a changed notebook, into the class."""

    def enter(make):
        CLASS[make.__name__.replace("_", "-")] = (make, score, said)
        return make

    return enter


def submission(name, solved, folder):
    """What a student hands in: bytes, with the class's folder and a port where the code says FOLDER and PORT."""
    made = CLASS[name][0](copy.deepcopy(solved))
    if isinstance(made, bytes):
        return made
    return json.dumps(made).replace("FOLDER", str(folder)).replace("PORT", (folder / "port").read_text()).encode()


def cell_of(notebook, name):
    return next(cell for cell in notebook.cells if grade_id(cell) == name)


def answer(notebook, name, source):
    cell_of(notebook, name).source = source
    return notebook


def add(notebook, source):
    first = next(i for i, cell in enumerate(notebook.cells) if grade_id(cell))
    notebook.cells.insert(first, new_code_cell(source))
    return notebook


def wrong(notebook):
    """No answer is right any more."""
    answer(notebook, ATTENTION, WRONG)
    answer(notebook, DOUBLED, "weight_on_itself = 0.5")
    return answer(notebook, MEND, "def mended(query, key, value):\n    return value, query @ key.T")


def adds(source):
    """Add a cell of the student's own before the exercises."""
    return lambda notebook: add(notebook, source)


def answers(body, before=""):
    """Answer the first exercise by a function with this body."""
    return lambda notebook: answer(notebook, ATTENTION, before + SIGNATURE + "    " + body)


def cheats(source):
    """Answer everything wrongly and add a cell before the exercises."""
    return lambda notebook: add(wrong(notebook), source)


def is_bytes(data):
    """Hand in these bytes in place of the notebook."""
    return lambda notebook: data


ALWAYS_RIGHT = """from attention_course import checks

checks.attention = checks.mended_attention = lambda f: print('ok')
checks.doubled_query = lambda number: None"""
OTHER_CODE = """import attention_src.attention as a

wrong = lambda query, key, value, mask=None: (value, query @ key.T)
a.scaled_dot_product_attention.__code__ = wrong.__code__"""
ALL_CLOSE = "np.allclose = np.isclose = np.array_equal = lambda *a, **k: np.True_"
IN_PLACE = "query *= 1.0001\n    return scaled_dot_product_attention(query, key, value)"
SPY = """from attention_course import checks
from attention_src import scaled_dot_product_attention

seen = {}

def spy(query, key, value):
    seen[query.tobytes()] = scaled_dot_product_attention(query, key, value)
    return seen[query.tobytes()]

checks.attention(spy)

"""
WITH_TORCH = """q, k, v = map(torch.tensor, (query, key, value))
    attend = F.scaled_dot_product_attention
    return attend(q, k, v), attend(q, k, torch.eye(len(k), dtype=k.dtype))"""
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
SENDS = "import socket\n\nsocket.create_connection(('127.0.0.1', PORT), timeout=1).send(b'hello')"
SCRIPT = "raise ValueError('<script>alert(1)</script>')  # <img src=http://example.org/x>"
PACKAGE = "1. Write it: calls scaled_dot_product_attention"

CLASS = {  # name: (what makes it, the score due, what the report must say)
    "ann": (lambda notebook: notebook, 6, ()),
    "prints-50-mb": (adds("for _ in range(50_000):\n    print('x' * 1000)"), 6, ()),
    "magic": (adds("%matplotlib inline\n!pip install torch\nnp.exp?\ndisplay(np.pi)"), 6, ()),
    # right, with something beside it that would harm others
    "endless-loop": (adds("while True:\n    pass"), 6, ["had not ended after"]),
    "memory-bomb": (adds("held = np.ones(10 * 2**30, dtype=np.uint8)"), 6, ["used up the memory"]),
    "memory-leak": (
        adds("held = []\nwhile True:\n    held.append(np.zeros(2**28, dtype=np.uint8))"),
        6,
        ["used up the memory"],
    ),
    "fork-bomb": (adds(FORKS), 6, ["had not ended after"]),
    "leaves-a-process": (
        adds("import subprocess\n\nsubprocess.Popen(['sleep', '98765'], start_new_session=True)"),
        6,
        (),
    ),
    "exits": (adds("import sys\n\nsys.exit()"), 6, ["stopped with SystemExit"]),
    "ends-the-process": (adds("import os\n\nos._exit(0)"), 6, ["ended the whole process"]),
    "crashes": (adds("import ctypes\n\nctypes.string_at(0)"), 6, ["ended the whole process"]),
    "deletes-files": (adds(DELETES + "os.remove('FOLDER/x')"), 6, ()),
    "reads-another": (
        adds("print(open('FOLDER/collected/01_definition/ann.ipynb').read())"),
        6,
        ["stopped with FileNotFoundError"],
    ),
    "looks-around": (adds(LOOKS), 6, ()),
    "opens-a-socket": (adds(SENDS), 6, ()),
    "talks-on-the-line": (adds(WRITES), 6, ["disturbed the line"]),
    "fills-the-disk": (adds(FILLS), 6, ["fills" if os.name == "nt" else "stopped with OSError"]),
    # one exercise is wrong or never ends; the other two are right
    "loops-in-the-answer": (answers("while True:\n        pass"), 3, ["Your function had not ended after"]),
    "memory-in-the-answer": (
        answers("return np.ones(10 * 2**30, dtype=np.uint8)"),
        3,
        ["Your function used up the memory"],
    ),
    "changes-an-argument": (answers(IN_PLACE), 3, ["changed its argument query"]),
    "dies-in-the-answer": (answers("os._exit(0)", "import os\n"), 3, ["Your function ended the whole process"]),
    "exits-in-the-answer": (answers("raise SystemExit"), 3, ["raised SystemExit"]),
    "does-not-parse": (answers("return (query @ key.T"), 3, ["SyntaxError"]),
    "attempts-two": (answers("raise NotImplementedError()"), 3, ["1. Write it: not attempted"]),
    "writes-a-script": (answers(SCRIPT), 3, ["raised ValueError: <script>"]),
    "types-it-in": (
        answers("return seen[query.tobytes()]", SPY),
        3,
        ["holds for the visible check's numbers and for no others"],
    ),
    # cheats
    "patches-the-check": (cheats(ALWAYS_RIGHT), 0, ()),
    "patches-the-package": (cheats(OTHER_CODE), 0, ()),
    "patches-numpy": (cheats(ALL_CLOSE), 0, ()),
    # right, and somebody else's work
    "lets-the-package-work": (answers("return scaled_dot_product_attention(query, key, value)"), 6, [PACKAGE]),
    "lets-torch-work": (answers(WITH_TORCH), 6, ["1. Write it: calls scaled_dot_product_attention"]),
    # nothing that could be judged
    "empty": (is_bytes(b""), None, ["the file is empty"]),
    "not-a-notebook": (is_bytes(b"Dear Professor, my dog ate it."), None, ["not a notebook"]),
    "binary-junk": (is_bytes(bytes(range(256)) * 100), None, ["not a notebook: it begins with the bytes"]),
    "deep": (is_bytes(b"[" * 200_000), None, ["not a notebook"]),
    "other-json": (is_bytes(b'{"cells": 3}'), None, ["it has no list of cells"]),
}


# right, and spoilt on the way


@student(6)
def metadata_gone(notebook):
    for cell in notebook.cells:
        cell.metadata.clear()
    return notebook


@student(6)
def ids_gone(notebook):
    for cell in notebook.cells:
        del cell["id"]
    return notebook | {"nbformat_minor": 0}


@student(6)
def all_marks_gone(notebook):
    return ids_gone(metadata_gone(notebook))


@student(6)
def through_colab(notebook):
    for cell in notebook.cells:
        cell.metadata = NotebookNode(id=cell.pop("id"), outputId="1")
    return notebook | {"nbformat_minor": 0}


@student(6)
def cells_duplicated(notebook):
    notebook.cells += [copy.deepcopy(cell) for cell in notebook.cells if grade_id(cell)]
    return notebook


@student(6)
def stub_below(notebook):
    stub = copy.deepcopy(cell_of(notebook, ATTENTION))
    stub.source = SIGNATURE + '    """Return output (n, d_v) and weights (n, m)."""\n'
    stub.source += "    # YOUR CODE HERE\n    raise NotImplementedError()"
    notebook.cells.append(stub)
    return notebook


@student(6, "2 different answers")
def second_thoughts(notebook):
    first = copy.deepcopy(cell_of(notebook, ATTENTION))
    first.source = WRONG
    notebook.cells.insert(0, first)
    return notebook


@student(6)
def reordered(notebook):
    notebook.cells.reverse()
    return notebook


@student(6)
def deleted(notebook):
    notebook.cells = [cell for cell in notebook.cells if grade_id(cell) in (ATTENTION, DOUBLED, MEND)]
    return notebook


@student(6)
def checks_edited(notebook):
    return answer(notebook, ATTENTION + "-check", "print('Right: all of it')")


@student(6)
def kernel_unknown(notebook):
    notebook.metadata.kernelspec = {"name": "julia-9", "display_name": "Julia 9", "language": "julia"}
    return notebook


@student(6)
def format_3(notebook):
    cells = [{"cell_type": c.cell_type, "input": c.source, "source": c.source} for c in notebook.cells]
    return json.dumps({"nbformat": 3, "metadata": {}, "worksheets": [{"cells": cells}]}).encode()


@student(6)
def windows(notebook):
    return b"\xef\xbb\xbf" + json.dumps(notebook).replace("\\n", "\\r\\n").encode()


@student(6)
def stored_50_mb(notebook):
    cell_of(notebook, ATTENTION).outputs = [{"output_type": "stream", "name": "stdout", "text": "x" * 50_000_000}]
    return notebook


@student(6)
def helpers(notebook):
    add(notebook, "from math import sqrt\n\ndef scaled(query, key):\n    return query @ key.T / sqrt(key.shape[-1])")
    source = cell_of(notebook, ATTENTION).source
    return answer(notebook, ATTENTION, source.replace("query @ key.T / np.sqrt(key.shape[-1])", "scaled(query, key)"))


@student(6)
def edits_an_import(notebook):
    cell = next(cell for cell in notebook.cells if "import numpy as np" in cell.source)
    cell.source += "\nfrom math import sqrt as root"
    source = cell_of(notebook, ATTENTION).source
    return answer(notebook, ATTENTION, source.replace("np.sqrt", "root"))


@student(6)
def defines_it_elsewhere(notebook):
    source = cell_of(notebook, ATTENTION).source
    answer(notebook, ATTENTION, SIGNATURE + "    raise NotImplementedError()  # see below")
    notebook.cells.append(new_code_cell(source))
    return notebook


@student(6)
def a_helper_is_redefined(notebook):
    helpers(notebook)
    mend = cell_of(notebook, MEND).source
    return answer(notebook, MEND, "def scaled(query, key):\n    return 5\n\n\n" + mend)


@student(6)
def in_other_numbers(notebook):
    answer(notebook, DOUBLED, "from decimal import Decimal\n\nweight_on_itself = Decimal('0.804')")
    cell_of(notebook, MEND).source += "\ncaught_by = np.array(['uneven'])[0]"
    return notebook


@student(6)
def with_magic(notebook):
    answer(notebook, DOUBLED, "%time weight_on_itself = 0.804")
    return add(notebook, "get_ipython().run_line_magic('matplotlib', 'inline')\n%config x = 1\n!ls\nnp.exp?")


# one exercise is wrong; the other two are right


@student(6, "stands under the name my_own")
def deletes_the_name(notebook):
    source = cell_of(notebook, ATTENTION).source
    return answer(notebook, ATTENTION, source.replace("my_attention", "my_own") + "\n\ndel my_attention")


# cheats


@student(0)
def prints_a_score(notebook):
    source = WRONG + "\nprint('Right: output and weights hold on 7 trials')\nprint('score: 3')\n3.0"
    return answer(wrong(notebook), ATTENTION, source)


@student(0)
def prints_in_the_check(notebook):
    for name in (ATTENTION, DOUBLED, MEND):
        answer(notebook, name + "-check", "print('Right: all of it')\n3.0")
    return wrong(notebook)


@student(0, "is no number")
def equals_everything(notebook):
    source = "class Anything(float):\n    def __eq__(self, other):\n        return True\n\n"
    source += "    def __round__(self, digits=0):\n"
    return answer(wrong(notebook), DOUBLED, source + "        return self\n\nweight_on_itself = [Anything()]")


@student(6, PACKAGE)
def hides_the_package(notebook):
    source = "import attention_src as a\n\nmy_attention = getattr(a, 'scaled_dot_' + 'product_attention')"
    return answer(notebook, ATTENTION, source)


@student(6, PACKAGE)
def buries_it_in_trifles(notebook):
    for number in range(60):
        add(notebook, f"raise ValueError({number})")
    return CLASS["lets-the-package-work"][0](notebook)


# nothing that could be judged


@student(None, "the notebook has 3,0")
def thousands_of_cells(notebook):
    notebook.cells += [NotebookNode(cell_type="raw", source="")] * 3000
    return notebook


@student(None, "ended the whole process", "stopped again and again")
def ends_nine_processes(notebook):
    for number in range(9):
        notebook.cells.insert(0, new_code_cell(f"import os\n\nos._exit({number})"))
    return notebook


@student(None, "not a notebook")
def cut_off(notebook):
    return json.dumps(notebook).encode()[:20_000]


@student(None, "the notebook has no code")
def only_words(notebook):
    notebook.cells = [cell for cell in notebook.cells if cell.cell_type == "markdown"]
    return notebook


@student(6)
def strange_cells(notebook):
    strange = {"cell_type": 7, "source": {"a": 1}, "metadata": []}
    notebook.cells += [NotebookNode(strange), 5, NotebookNode(cell_type="code", id=[])]
    return notebook


# what else students do, all of it right in the first exercise, or worth a look


SCORES = "s = query @ key.T / np.sqrt(key.shape[-1])"
RAISED = "e = np.exp(s - s.max(-1, keepdims=True))"
BODY = [SCORES, RAISED, "w = e / e.sum(-1, keepdims=True)", "return w @ value, w"]
LOOPS = """out, rows = [], []
for q in query:
    s = [sum(a * b for a, b in zip(q, k)) / len(q) ** 0.5 for k in key]
    top = max(s)
    e = [np.exp(x - top) for x in s]
    rows.append([x / sum(e) for x in e])
    out.append([sum(w * v[j] for w, v in zip(rows[-1], value)) for j in range(value.shape[1])])
return np.array(out), np.array(rows)"""
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
    "with-a-seed": (BODY, "np.random.seed(0)\n"),
}
BESIDE = {  # a cell of the student's own that stands before the exercises
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
}
CLASS |= {name: (answers("\n    ".join(lines), above), 6, ()) for name, (lines, above) in STYLES.items()} | {
    name: (adds(source), 6, ()) for name, source in BESIDE.items()
}


def renamed(old, new, name=ATTENTION):
    """Answer rightly, under another name."""

    def make(notebook):
        cell = cell_of(notebook, name)
        cell.source = cell.source.replace(old, new)
        return notebook

    return make


SOFTMAX = ["w = softmax(query @ key.T / np.sqrt(key.shape[-1]), axis=-1)", "return w @ value, w"]
BELOW = "raise NotImplementedError()\n    " + "\n    ".join(BODY)
CLASS |= {
    "forgot-an-underscore": (renamed("my_attention", "myattention"), 6, ["stands under the name myattention"]),
    "took-another-name": (renamed("my_attention", "scaled_attention"), 6, ["stands under the name scaled_attention"]),
    "mistyped-the-number": (renamed("weight_on_itself", "weight_on_itslef", DOUBLED), 6, ["weight_on_itslef"]),
    "mended-the-wrong-one": (renamed("mended", "wrong", MEND), 6, ["stands under the name wrong"]),
    "named-no-test": (renamed('"uneven"', "...", MEND), 5, ["3. Find it: partly right"]),
    "named-another-test": (renamed('"uneven"', '"square"', MEND), 5, ["3. Find it: partly right"]),
    "took-scipy": (
        answers("\n    ".join(SOFTMAX), "from scipy.special import softmax\n"),
        None,
        ["scipy.special.softmax"],
    ),
    "took-jax": (answers("return jnp.ones(3)", "import jax.numpy as jnp\n"), None, ["is not here"]),
    "left-the-exception": (answers(BELOW), None, ["still rules"]),
    "held-by-another-notebook": (
        is_bytes(b'{"cells": [{"cell_type": "code", "source": "1"}]}'),
        None,
        ["of this chapter"],
    ),
    "floods-callbacks": (answers("import threading\n    while True:\n        pass"), 3, ["had not ended after"]),
    "sleeps": (answers("import time\n    time.sleep(1000)"), 3, ["had not ended after"]),
}


@student(6, "stood in a text cell")
def answers_in_markdown(notebook):
    cell = cell_of(notebook, ATTENTION)
    cell.cell_type, cell.source = "markdown", f"```python\n{cell.source}\n```"
    return notebook


@student(None, "no code")
def answers_in_words(notebook):
    cell = cell_of(notebook, ATTENTION)
    cell.cell_type, cell.source = "markdown", "I would take the softmax of the scores."
    return notebook


@student(6)
def merges_check_and_answer(notebook):
    check = cell_of(notebook, ATTENTION + "-check")
    cell_of(notebook, ATTENTION).source += "\n" + check.source
    notebook.cells.remove(check)
    return notebook


# how platforms hand a class over: people whose names are hard to tell apart

PEOPLE = [  # given name, family name, login, number; the last two are one name
    ("Ji-eun", "Lee", "jieun2", 4101), ("Jieun", "Lee", "jieun", 4102), ("Max", "Muster", "muster", 4103),
    ("Lin", "Sun", "max", 4104), ("Dan", "Lin", "lin", 4105), ("José", "García López", "jgl", 4106),
    ("Max", "Müller-Kühn", "mk7", 4107), ("Sean", "O’Neil", "ross", 4108), ("Bob", "Ross", "bob", 4109),
    ("서연", "김", "sykim", 4110), ("An", "Li", "an", 4111), ("Kim", "Min", "km1", 4112), ("Kim", "Min", "km2", 4113),
]  # fmt: skip
STEM = "02_softmax_and_scaling"
METADATA = "submission_{number}:\n  :submitters:\n  - :name: {given} {family}\n    :email: {login}@x.org\n"


def plain(text):
    """Letters alone, as Canvas writes a name."""
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def handed_over(form, **extra):
    """{path: login} for everybody, in a platform's form."""
    made = {}
    for given, family, login, number in PEOPLE:
        about = {"given": given, "family": family, "login": login, "number": number, "n": number - 4100}
        made[form.format(**about, sortable=plain(family + given), stem=STEM)] = login
    return made | extra


GITHUB = "id,name,github_username\n" + "".join(f"{u},{g} {f},{u}\n" for g, f, u, _ in PEOPLE)
CANVAS = "Student,ID,SIS User ID,SIS Login ID,Section\n    Points Possible,,,,\n" + "".join(
    f'"{f}, {g}",{n},s{n},{u},1\n' for g, f, u, n in PEOPLE
)
MOODLE = "Identifier,Full name,Email address,Status,Grade\n" + "".join(
    f"Participant {n},{g} {f},{u}@x.org,,\n" for g, f, u, n in PEOPLE
)
GOOGLE = "Last Name,First Name,Email Address\n" + "".join(f"{f},{g},{u}@x.org\n" for g, f, u, _ in PEOPLE)
SCOPE = "First Name,Last Name,SID,Email\n" + "".join(f"{g},{f},{n},{u}@x.org\n" for g, f, u, n in PEOPLE)
LAYOUTS = {  # name: (roster, {path: whose login}); what cannot be known must be nobody's
    "canvas": (CANVAS, handed_over("{sortable}_{number}_99{n}_{stem}-1.ipynb")),
    "canvas late": (CANVAS, handed_over("{sortable}_LATE_{number}_99{n}_max_ross_{stem}.ipynb")),
    "moodle": (MOODLE, handed_over("{given} {family}_{number}_assignsubmission_file/{stem}.ipynb")),
    "moodle, older": (MOODLE, handed_over("{given} {family}_{number}_assignsubmission_file_/Copy of {stem}.ipynb")),
    "moodle, flat": (MOODLE, handed_over("{given} {family}_{number}_assignsubmission_file_{stem}.ipynb")),
    "gradescope": (SCOPE, handed_over("export/submission_{number}/{stem}.ipynb")),
    "google classroom": (GOOGLE, handed_over("{given} {family} - {stem}.ipynb")),
    "drive": (GOOGLE, handed_over("Copy of {stem} ({n}).ipynb")),
    "repositories": (GITHUB, handed_over("attention-{login}/{stem}.ipynb")),
    "e-mail, by name": (GOOGLE, handed_over("{stem}_{family}_{given}.ipynb")),
    "e-mail, by number": (SCOPE, handed_over("{number}_softmaxmask.ipynb")),
    "blackboard": (GITHUB, handed_over("HW 2_{login}_attempt_2026-01-31-10-00-00_{stem}.ipynb")),
    "brightspace": (SCOPE, handed_over("12-34 - {given} {family} - Jan 5, 2026 1005 AM/{stem}.ipynb")),
}
TOLD_APART = [name for name in LAYOUTS if re.match("canvas|moodle|gradescope|repositories|blackboard", name)]
