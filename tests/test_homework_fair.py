"""No right answer gets 0 without a person, and nobody is accused: what is done to a solved copy, what comes of it.

`make test` tries a few cases; all of them are part of the proof `class`.
"""

import pytest
from classroom import Chapter, cell_of, needs_sandbox, statuses
from nbformat.v4 import new_code_cell, new_notebook

DEPENDS_ON = ("homework/", "attention_src/", "chapters/01")
pytestmark = needs_sandbox
ATTENTION, DOUBLED, MEND = "ex01-attention", "ex01-doubled", "ex01-mend"
CHAPTER = Chapter()
SCALED = "query @ key.T / np.sqrt(key.shape[-1])"
TORCH = f"w = torch.softmax(torch.tensor({SCALED}), -1).numpy()"
SCIPY = f"w = softmax({SCALED}, axis=-1)"
PACKAGE = "return getattr(a, 'scaled_dot_' + 'product_attention')(query, key, value)"


def changed(name, old, new):
    """Replace a text in an answer; the empty text stands for its beginning."""

    def change(notebook):
        cell = cell_of(notebook, name)
        assert old in cell.source
        cell.source = cell.source.replace(old, new, 1)

    return change


def before(name, text):
    return changed(name, "", text)


def after(name, text):
    def change(notebook):
        cell_of(notebook, name).source += text

    return change


def answers(*lines, above=""):
    """Answer the first exercise by a function with these lines."""

    def change(notebook):
        body = "\n    ".join(["def my_attention(query, key, value):", *lines])
        cell_of(notebook, ATTENTION).source = above + body

    return change


def adds(text):
    """A cell before the exercises, or with + one after them."""
    return lambda notebook: notebook.cells.insert(
        len(notebook.cells) if text[0] == "+" else notebook.cells.index(cell_of(notebook, ATTENTION)),
        new_code_cell(text.lstrip("+")),
    )


def becomes(kind, name=ATTENTION):
    return lambda notebook: cell_of(notebook, name).update(cell_type=kind)


def several(*changes):
    def change(notebook):
        for one in changes:
            one(notebook)

    return change


def untouched(name):
    def change(notebook):
        cell_of(notebook, name).source = cell_of(CHAPTER.release, name).source

    return change


# the first exercise, the third, and words of what a person is told; without words nothing is for a person
FAIR = {
    "as it is": (lambda _: None, "right", "right", None),
    "renamed": (changed(ATTENTION, "my_attention", "attention"), "right", "right", None),
    "far renamed": (changed(ATTENTION, "my_attention", "f"), "right", "right", None),
    "mistyped": (changed(ATTENTION, "my_attention", "my_atention"), "right", "right", None),
    "mistyped elsewhere": (
        several(adds(f"+def my_atention(query, key, value):\n    {PACKAGE[:0]}return 1, 2"), untouched(ATTENTION)),
        "wrong",
        "right",
        "may stand under the name my_atention",
    ),
    "alone under a far name": (
        several(adds("+def solution(query, key, value):\n    return 1, 2"), untouched(ATTENTION)),
        "unclear",
        "right",
        "is it solution?",
    ),
    "number renamed": (changed(DOUBLED, "weight_on_itself", "weight_on_itsself"), "right", "right", None),
    "wrong is mended in place": (changed(MEND, "mended", "wrong"), "right", "right", None),
    "a helper is no answer": (
        several(
            adds("def helper(query, key, value):\n    return 1"), after(ATTENTION, "\nhelper(1, 2, 3)"), untouched(MEND)
        ),
        "right",
        "not attempted",
        None,
    ),
    "pandas": (before(ATTENTION, "import pandas as pd\n"), "right", "right", None),
    "pandas above math": (
        several(adds("import pandas\nimport math"), changed(ATTENTION, "np.sqrt", "math.sqrt")),
        "right",
        "right",
        None,
    ),
    "pandas used above math": (
        several(
            adds("import pandas\npandas.set_option('a', 1)\nimport math"), changed(ATTENTION, "np.sqrt", "math.sqrt")
        ),
        "unclear",
        "right",
        "is not there",
    ),
    "scipy's softmax": (
        answers(SCIPY, "return w @ value, w", above="from scipy.special import softmax\n"),
        "unclear",
        "right",
        "scipy.special.softmax is not here",
    ),
    "scipy inside": (
        answers("from scipy.special import softmax", SCIPY, "return w @ value, w"),
        "unclear",
        "right",
        "not here",
    ),
    "einops": (before(ATTENTION, "!pip install einops\nimport einops\n"), "right", "right", None),
    "text": (becomes("markdown"), "right", "right", None),
    "raw text": (becomes("raw"), "right", "right", None),
    "words in the answer's cell": (
        several(before(ATTENTION, "I would say that\n"), becomes("markdown")),
        "unclear",
        "right",
        "no code",
    ),
    "below the exception": (
        changed(ATTENTION, "    scores", "    raise NotImplementedError()\n    scores"),
        "unclear",
        "right",
        "still rules",
    ),
    "begun": (answers("scores = query @ key.T", "raise NotImplementedError()"), "not attempted", "right", None),
    "a comment": (answers("# later", "raise NotImplementedError()"), "not attempted", "right", None),
    "command": (before(ATTENTION, "x = !ls\n"), "right", "right", None),
    "await": (before(ATTENTION, "import asyncio\nawait asyncio.sleep(0)\n"), "right", "right", None),
    "magic": (before(ATTENTION, "%%time\n"), "right", "right", None),
    "an extra check": (adds("+checks.attention(my_attention)"), "right", "right", None),
    "the check in the answer": (
        after(ATTENTION, "\nfrom attention_course import checks\nchecks.attention(my_attention)"),
        "right",
        "right",
        None,
    ),
    "the check is edited": (after(ATTENTION + "-check", "\nchecks.attention(my_attention)"), "right", "right", None),
    "prints a score": (adds("print('score:', 3, 'Right: 3 / 3 points')"), "right", "right", None),
    "PyTorch": (answers(TORCH, "return w @ value, w"), "right", "right", "calls PyTorch, which the prompt asks"),
    "the package": (
        answers("return scaled_dot_product_attention(query, key, value)"),
        "right",
        "right",
        "calls scaled_dot_product_attention",
    ),
    "the package in disguise": (
        answers(PACKAGE, above="import attention_src as a\n"),
        "right",
        "right",
        "calls scaled",
    ),
    "unseen": (
        answers("sys.setprofile(None)", PACKAGE, above="import sys\nimport attention_src as a\n"),
        "right",
        "right",
        "could not be seen which functions",
    ),
    "not named": (changed(MEND, '"uneven"', "..."), "right", "partly right", None),
    "the name is gone": (changed(MEND, 'caught_by = "uneven"', ""), "right", "partly right", None),
    "named wrong": (changed(MEND, '"uneven"', '"rows"'), "right", "partly right", None),
    "named, not mended": (answers("return 1, 2"), "wrong", "right", None),
}
QUICK = ("as it is", "mistyped", "scipy inside", "words in the answer's cell", "below the exception", "named wrong")


@pytest.mark.parametrize(
    "case", [case if case in QUICK else pytest.param(case, marks=pytest.mark.slow) for case in FAIR]
)
def test_what_was_written_is_judged_or_for_a_person(case):
    change, first, third, words = FAIR[case]
    notebook = CHAPTER.solved()
    change(notebook)
    result = CHAPTER.graded(notebook)
    assert statuses(result) == {ATTENTION: first, DOUBLED: "right", MEND: third}, result["notes"]
    told = [note["text"] for note in result["notes"] if note["person"]]
    assert bool(told) == bool(words) and all(words in text for text in told[-1:]), told
    assert not any(word in str(result["notes"]) for word in ("cheat", "changed (to", "looks like"))


def test_a_part_that_holds_has_its_points():
    notebook = CHAPTER.solved()
    changed(MEND, '"uneven"', '"rows"')(notebook)
    result = CHAPTER.graded(notebook)
    assert result["exercises"][MEND]["share"] == 0.5
    output = cell_of(result["notebook"], MEND + "-check").outputs[0]
    assert output["data"]["text/plain"] == "1"  # of 2; nbgrader reads the points from there


def test_a_notebook_of_something_else_is_blank():
    result = CHAPTER.graded(new_notebook(cells=[new_code_cell("print('my thesis')")]))
    assert result["exercises"] == {} and result["unjudged"] == "nothing in this notebook is of this chapter"


def test_an_untouched_copy_is_not_attempted_and_nothing_is_noted():
    result = CHAPTER.graded(CHAPTER.release)
    assert set(statuses(result).values()) == {"not attempted"} and result["notes"] == []
