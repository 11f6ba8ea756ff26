"""What reads chapters, pages, translations, workflows and imports can fail: it names each fault planted in a copy."""

import tomllib

import pytest
import test_errata as errata
import test_layers as layers
import test_site as site
import test_structure as structure
import test_translations as translations
import test_workflows as workflows
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from book.chapter import CHAPTERS, ROOT, code, grade_id, is_figure, read
from tools.translate import list_differences

FAULTS = tomllib.loads((ROOT / "tests" / "planted_faults.toml").read_text("utf-8"))
TEXTS = {  # what is read: the text, what lists its problems
    "errata": (errata.TEXT, errata.list_problems),
    "translation": (translations.KOREAN_TEXT, lambda korean: list_differences(translations.ENGLISH_TEXT, korean)),
    "page": ('<link rel="stylesheet" href="site.css"><p>', site.list_problems),
    "workflow": ((workflows.FOLDER / "publish.yml").read_text("utf-8"), workflows.list_problems),
}


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


ANSWER = """**Predict.** <details class="choice right" data-kind="bars"><summary>x</summary>

| A |
|---|
| 7 |

</details>"""
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
    "not one question and then a table": add_text(ANSWER),
    "nothing binds 7": add_text(ANSWER),
    "opens a section": lambda chapter: chapter.cells[0].metadata.update(tags=["answer"]),
    "solution region": change_exercise(lambda solution, check: solution.update(source="x")),
}


@pytest.mark.parametrize(
    ("what", "old", "new", "problem"), [(what, *fault) for what in TEXTS for fault in FAULTS[what]]
)
def test_a_fault_in_a_text_is_named(what, old, new, problem):
    text, list_problems = TEXTS[what]
    assert [*list_problems(text)] == [] and old in text
    assert any(problem in found for found in list_problems(text.replace(old, new, 1)))


@pytest.mark.parametrize("problem", CHAPTER)
def test_a_fault_in_a_chapter_is_named(problem):
    chapter = read(CHAPTERS[0])
    CHAPTER[problem](chapter)
    assert any(problem in found for found in structure.list_problems(chapter))


@pytest.mark.parametrize(("path", "planted", "problem"), FAULTS["imports"])
def test_an_import_that_goes_upwards_or_in_a_circle_is_named(path, planted, problem):
    sources = layers.read_sources()
    sources = sources | {path: f"{sources[path]}\n{planted}\n"}
    assert any(found.startswith(problem) for found in layers.list_problems(sources))
