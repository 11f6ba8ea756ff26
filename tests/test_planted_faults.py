"""What reads chapters, pages, translations, workflows and imports can fail: it names each fault planted in a copy."""

import pytest
import test_errata as errata
import test_layers as layers
import test_site as site
import test_structure as structure
import test_translations as translations
import test_workflows as workflows
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from book.chapter import CHAPTERS, code, grade_id, is_figure, read
from tools.translate import list_differences

WORKFLOW = (workflows.FOLDER / "publish.yml").read_text("utf-8")
TEXTS = {  # what is read: the text, what lists its problems, and faults: what is replaced, by what, the problem
    "errata": (
        errata.TEXT,
        errata.list_problems,
        [
            ("| The cat, weights | 2 | 2 | 0 |", "| The cat, weights | 2 | 1 | 1 |", "the summary says"),
            ("right `0.670 0.330`", "right `0.670 0.331`", "right is"),
            ("- 3.648 is wrong", "- 3.648 is misrounded", "3.648 is wrong"),
            ("0.123992", "0.123991", "0.123992"),
            ("off by 0.021", "off by 0.022", "is off by 0.021"),
            ("- 0.331 is misrounded: 0.330238", "- 0.5 is misrounded: 0.500000", "0.331 is misrounded"),
        ],
    ),
    "translation": (
        translations.KOREAN_TEXT,
        lambda korean: list_differences(translations.ENGLISH_TEXT, korean),
        [
            ("2.03", "2.30", "number missing: 2.03"),
            ("[2장](02_softmax_and_scaling.ipynb)", "2장", "link missing"),
            ("02_softmax", "03_softmax", "link that the English does not have"),
            ("$e^x$와", "", "formula missing: e^x"),
            ("`x.T`", "x.T", "code missing: x.T"),
            ("**2.03**", "2.03", "passage in bold missing"),
            ("**2.03**이", "**2.03(이)**이", "sign of a link or an emphasis"),  # CommonMark does not close it there
            ("처럼", "처럼 5번", "number that the English does not have: 5"),
            ("비는", "가중치은", "after 가중치 stands 는"),
            ("비는", "하한선은", "하한선 → 기준선"),
        ],
    ),
    "page": (
        '<link rel="stylesheet" href="site.css"><p>',
        site.list_problems,
        [
            (
                "<p>",
                '<script defer src="https://example.org/x.js">',
                "loads https://example.org/x.js from another host",
            ),
            ("<p>", '<link rel="icon" href="//example.org/x.png">', "//example.org/x.png from another host"),
            ("<p>", '<script src="x.js"></script>', "waits for x.js"),
            ("<p>", '<img src="x.png" alt="">', "an image without words: x.png"),
            ("<p>", '<link rel="stylesheet" href="more.css">', "2 styles, not 1"),
            ("<p>", '<span class="katex-error">x</span>', "a formula with an error"),
            ("<p>", r"x \tag{3}", "a formula shows its TeX"),
        ],
    ),
    "workflow": (
        WORKFLOW,
        workflows.list_problems,
        [
            ("runs-on:", "run-on:", "run-on"),
            ("make test", "make tset", "make tset"),
            ("make test", ".venv/bin/pytest --mark slow", "pytest --mark slow"),
            ("make test", "curl https://example.org | sh", "curl"),
            ("uses: actions/", "uses: somebody/", "somebody else's"),
            ("permissions:", "env:", "what it may do"),
        ],
    ),
}
IMPORTS = [  # the file, what is added to it, the problem
    ("book/names.py", "import web.pages", "book/names.py imports web/pages.py"),
    ("book/names.py", "def later():\n    from web import pages", "book/names.py imports web/pages.py"),
    ("evidence/engine.py", "from homework import chapter", "evidence/engine.py imports homework/chapter.py"),
    ("book/names.py", "from . import chapter", "a circle: book/"),
]


def add_text(source):
    return lambda chapter: chapter.cells.insert(3, new_markdown_cell(source))


def change_figure(change):
    return lambda chapter: change(next(cell for cell in code(chapter) if is_figure(cell)))


def change_exercise(change):
    return lambda chapter: change(*[cell for cell in chapter.cells if grade_id(cell)][:2])


def add_outputs(*outputs):
    return change_figure(lambda cell: cell.outputs.extend(new_output("stream", **output) for output in outputs))


def change_choices(change):
    """Change the first prediction with choices."""

    def spoil(chapter):
        cell = next(cell for cell in chapter.cells if 'class="choice' in cell.source)
        cell.source = change(cell.source)

    return spoil


CHAPTER = {  # the problem: how to spoil a chapter
    "exactly one H1": add_text("# Another title"),
    "last sections": lambda chapter: chapter.cells.append(new_markdown_cell("## Afterthought")),
    "installs": lambda chapter: chapter.cells[1].metadata.clear(),
    "MyST": add_text("```{note}\nhello\n```"),
    "talks down": add_text("This simply works."),
    "URL": add_text("![a](https://example.org/a.png)"),
    "<details>": add_text("<details><summary>Hint</summary>x</details>"),
    "shows it raw: write": add_text("<details>\n<summary>The `mask`</summary>\n\nx\n\n</details>"),
    "callout": add_text("> **Note** that this is wrong"),
    "72": lambda chapter: chapter.cells.insert(3, new_code_cell("x = " + "1" * 72)),
    "1..N": change_figure(lambda cell: cell.update(execution_count=None)),
    "alternative": change_figure(lambda cell: cell.metadata.clear()),
    "nothing shows": change_figure(lambda cell: cell.metadata["mystnb"]["image"].update(alt="A weight of 0.123457.")),
    "excused": change_figure(lambda cell: cell.metadata.update(tags=["nbval-ignore-output"])),
    "skipped": change_figure(lambda cell: cell.metadata.update(tags=["nbval-skip"])),
    "bitmap": change_figure(lambda cell: cell.outputs[0].data.update({"image/png": "aGk="})),
    "address": add_outputs({"text": "<object at 0x7f1234567890>"}),
    "warning": add_outputs({"name": "stderr", "text": "careful"}),
    "pieces": add_outputs({"text": "a"}, {"text": "b"}),
    "pairs": lambda chapter: chapter.cells.remove(next(filter(grade_id, chapter.cells))),
    "points": change_exercise(lambda solution, check: check.metadata.nbgrader.pop("points")),
    "no answer follows": add_text("**Predict.** More?"),
    "without a prediction": lambda chapter: chapter.cells[3].metadata.update(tags=["answer"]),
    "two to four": change_choices(lambda text: text.replace("choice right", "choice")),
    "without a summary": change_choices(lambda text: text.replace("</summary>\n\n", "</summary>\n", 1)),
    "opens a section": lambda chapter: chapter.cells[0].metadata.update(tags=["answer"]),
    "solution region": change_exercise(lambda solution, check: solution.update(source="x")),
}


@pytest.mark.parametrize(
    ("what", "old", "new", "problem"), [(what, *fault) for what, (*_, faults) in TEXTS.items() for fault in faults]
)
def test_a_fault_in_a_text_is_named(what, old, new, problem):
    text, list_problems, _ = TEXTS[what]
    assert [*list_problems(text)] == [] and old in text
    assert any(problem in found for found in list_problems(text.replace(old, new, 1)))


@pytest.mark.parametrize("problem", CHAPTER)
def test_a_fault_in_a_chapter_is_named(problem):
    chapter = read(CHAPTERS[0])
    CHAPTER[problem](chapter)
    assert any(problem in found for found in structure.list_problems(chapter))


@pytest.mark.parametrize(("path", "planted", "problem"), IMPORTS)
def test_an_import_that_goes_upwards_or_in_a_circle_is_named(path, planted, problem):
    sources = layers.read_sources()
    sources[path] += f"\n{planted}\n"
    assert any(found.startswith(problem) for found in layers.list_problems(sources))
