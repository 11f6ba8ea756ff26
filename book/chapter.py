"""How programs read a chapter: its cells, exercises, printed texts and figures, and the table of contents.

The tests, the homework, the site's extensions and the tools all read chapters through this module.
"""

import ast
import json
import re
from base64 import b64encode
from dataclasses import dataclass
from pathlib import Path

import nbformat

from book import names
from book.nbval_bound.bindings import without_bindings

ROOT = Path(__file__).parent.parent
TRANSLATED = "ko"  # the language of the other edition
CHAPTERS = sorted((ROOT / "chapters").glob("*.ipynb"))
RUNNING = [*CHAPTERS, ROOT / "pages" / "warm_up.ipynb"]  # on the site, cell by cell
SOLUTION = re.compile(r"^([ \t]*)### BEGIN SOLUTION\n(.*?)### END SOLUTION", re.MULTILINE | re.DOTALL)
TITLE = re.compile(  # of an exercise, in its prompt, in either language
    r"^\*\*(\d+\. (?:\w+ it|써 보기|예측하기|찾아내기|설계하기))\*\*", re.MULTILINE
)
LANGUAGE = re.compile(r'ATTENTION_LANG", "(\w+)"')  # as set_language writes it
HAND_IN = "-hand-in"  # of the id of the last cell of a student copy
STUB = r"\1# YOUR CODE HERE\n\1raise NotImplementedError()"


def pages():
    """Return the names of all pages in the order of the table of contents, the front page first."""
    from sphinx_external_toc.parsing import parse_toc_yaml  # not there where homework alone is installed

    contents = parse_toc_yaml(ROOT / "_toc.yml")

    def names(page):  # with those that stand below it
        return [page, *(name for child in contents[page].child_files() for name in names(child))]

    return names(contents.root.docname)


def find_path(number):
    """Return the path of the chapter with this number, such as "05"; raises StopIteration if there is none."""
    return next(path for path in CHAPTERS if path.stem.startswith(f"{number}_"))


def page_of(path):
    """Return the name of a notebook's page, as the table of contents and the catalogues have it."""
    return path.absolute().relative_to(ROOT).with_suffix("").as_posix()


def read(path):
    return nbformat.read(path, as_version=4)


def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def prose(notebook):
    """Return the Markdown of a notebook as readers see it, cell by cell."""
    return [without_bindings(cell.source) for cell in notebook.cells if cell.cell_type == "markdown"]


def definitions(notebook):
    """Return the definitions of a chapter, cell by cell, without its exercises and the cell that installs."""
    return [names.definitions(cell.source) for cell in code(notebook)[1:] if not grade_id(cell)]


def title(notebook):
    return notebook.cells[0].source.partition("\n")[0].removeprefix("# ")


def one_line(text):
    """Return the text with single spaces and without line breaks or the marks of a quotation."""
    return " ".join(re.sub(r"^> ?", "", text, flags=re.MULTILINE).split())


def language(sources):
    """Return the language in which a notebook asks its checks to answer, None if its install cell names none."""
    return next((found[1] for source in sources if (found := LANGUAGE.search(source))), None)


def tags(cell):
    return cell.metadata.get("tags", [])


def grade_id(cell):
    """nbgrader's name for a cell of an exercise, None for any other cell."""
    return cell.metadata.get("nbgrader", {}).get("grade_id")


def is_solution(cell):
    return cell.metadata.get("nbgrader", {}).get("solution", False)


def is_check(cell):
    return cell.metadata.get("nbgrader", {}).get("grade", False)


@dataclass
class Exercise:
    """The two cells of an exercise: where the answer goes, and the check."""

    solution: nbformat.NotebookNode
    check: nbformat.NotebookNode

    @property
    def name(self):
        return grade_id(self.solution)

    @property
    def points(self):
        return self.check.metadata.nbgrader.points


def exercises(notebook):
    """Return the exercises in order: each cell for a solution with the check that follows it."""
    graded = [cell for cell in notebook.cells if grade_id(cell)]
    return [Exercise(*pair) for pair in zip(graded[::2], graded[1::2], strict=True)]


def solutions(notebook):
    """Return the code between the marks of each solution."""
    return [region for cell in code(notebook) for _, region in SOLUTION.findall(cell.source)]


def strip_comments(notebook):
    """Return the notebook, changed in place, without the comments that bind its numbers."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = without_bindings(cell.source)
    return notebook


def make_student_copy(notebook):
    """Return the notebook with a stub for each solution, changed in place, its exercises without outputs."""
    strip_comments(notebook)
    for cell in filter(grade_id, notebook.cells):
        cell.source = SOLUTION.sub(STUB, cell.source)
        if cell.cell_type == "code":
            cell.update(outputs=[], execution_count=None)
    return notebook


def add_last_cell(copy, stem):
    """Return the student copy of a chapter, changed in place, with a last cell for whoever is about to hand it in."""
    copy.cells.append(nbformat.v4.new_code_cell(last_cell(copy, stem), id=stem[:2] + HAND_IN))
    return copy


def add_solutions(copy, chapter):
    """Return a student copy, changed in place, whose first cell hands the checks the solutions to compare with.

    Only the public site's copies get this, and only after the check. A class's are made without it.
    """
    found = {}
    for exercise in exercises(chapter):
        *_, check = re.findall(r"checks\.(\w+)\(", exercise.check.source)
        found[check] = re.sub(r"[ \t]*### (BEGIN|END) SOLUTION\n?", "", exercise.solution.source).rstrip()
    packed = b64encode(json.dumps(found).encode()).decode()
    first = next(cell for cell in copy.cells if "remove-cell" in tags(cell))
    first.source += f'\n\nfrom attention_course import checks\n\nchecks.take_solutions("{packed}")'
    return copy


def last_cell(copy, stem):
    """Return the code that runs all checks, lists what is open and says how to hand in."""
    titles, listed = iter(TITLE.findall("\n".join(prose(copy)))), []
    for cell in filter(is_check, copy.cells):
        calls = [ast.unparse(node) for node in ast.parse(cell.source).body if isinstance(node, ast.Expr)]
        listed.append(f"    {next(titles, grade_id(cell))!r}: lambda: {', '.join(calls)},")
    return "\n".join(
        [
            "# Before you hand in: run all cells once more, this one last.",
            "from attention_course import checks",
            "",
            f'checks.before_handing_in("YOUR_NAME_{stem}.ipynb", {{',
            *listed,
            "})",
        ]
    )


def fold_answers(notebook):
    """Return the notebook, changed in place, with the answers to its predictions cleared or folded."""
    for cell in strip_comments(notebook).cells:
        if "answer" in tags(cell) and cell.cell_type == "code":
            cell.outputs = []
        elif "answer" in tags(cell):
            cell.source = f"<details>\n<summary>What it showed</summary>\n\n{cell.source}\n\n</details>"
    return notebook


def set_language(notebook, name):
    """Return the notebook, changed in place: it names its language, and its install cell asks the checks for it."""
    notebook.metadata["language"] = name
    for cell in notebook.cells:
        if "remove-cell" in tags(cell):
            cell.source += (
                f'\n\nimport os\n\nos.environ.setdefault("ATTENTION_LANG", "{name}")  # in which checks answer'
            )
    return notebook


def fill_in_answers(student, chapter):
    """Return the student copy with the answers typed in, changed in place: each stub replaced by its solution."""
    known = {cell.id: cell.source for cell in filter(is_solution, chapter.cells)}
    for cell in student.cells:
        cell.source = known.get(cell.id, cell.source)
    return student


def mime(output):
    return output.get("data", {})


def is_figure(cell):
    return any("image/svg+xml" in mime(output) for output in cell.outputs)


def read_output(output):
    """Return what a reader sees of one output as text: a stream, a repr, or the labels of a figure."""
    if svg := mime(output).get("image/svg+xml"):
        return "\n".join(re.findall(r"<text[^>]*>([^<]*)</text>", svg))
    return output.get("text", "") + mime(output).get("text/plain", "")


def read_outputs(cell):
    """Return what a reader sees of all outputs of a cell as text, with an ASCII minus."""
    return "\n".join(map(read_output, cell.outputs)).replace("−", "-")
