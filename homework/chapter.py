"""A chapter as an assignment: its exercises, what each check asks for, and what its model solution may use."""

import ast
import re
from dataclasses import dataclass, field

from attention_course import checks
from book import chapter, names
from book.chapter import CHAPTERS, ROOT, TITLE, TRANSLATED, page_of

ASSIGNMENTS = [*CHAPTERS, ROOT / "homework" / "machine.ipynb"]  # the last has exercises of several chapters

WITHOUT = {"package": re.compile("without the (book's )?package", re.I), "torch": re.compile("without PyTorch", re.I)}


class Unclear(Exception):
    """A command or a chapter that cannot be followed; the message says what there is and what was expected."""


@dataclass
class Call:
    """A call of a check in a check cell: `checks.NAME(ARGUMENTS, OPTION=...)`."""

    check: str
    arguments: list[str]
    options: dict = field(default_factory=dict)


@dataclass
class Exercise:
    """A solution cell and the check cell after it."""

    name: str
    check_name: str
    points: float
    stub: str
    calls: list[Call]
    allowed: set[str]  # of the package: what the model solution uses
    title: str = ""  # as the page has it: "1. Write it"
    forbidden: set[str] = field(default_factory=set)  # "package", "torch": what the prompt asks to do without

    @property
    def asked(self):
        """The names that the checks ask for."""
        return list(dict.fromkeys(name for call in self.calls for name in call.arguments))

    def is_unclear(self, result):
        """Does the result of grading leave it to a person?"""
        return result["exercises"].get(self.name, {}).get("status", "unclear") == "unclear"


def find_chapter(number):
    """Return the path of the chapter with this number or file name, or of another assignment."""
    paths = [path for path in ASSIGNMENTS if path.stem == number or number_of(path.stem) == number.zfill(2)]
    if not paths:
        there_are = ", ".join(number_of(path.stem) for path in ASSIGNMENTS)
        raise Unclear(f"There is no chapter {number!r}; expected one of {there_are}.")
    return paths[0]


def number_of(stem):
    """Return what a chapter is called in commands and in the names of its exercises: 01, or the file's name."""
    return stem.partition("_")[0]


def read_calls(source):
    """Read a check cell: an import, and calls of checks on names.

    Anything else would have to be run beside the student's code, where nothing it says can be trusted.
    """
    calls = []
    for node in ast.parse(source).body:
        match node:
            case ast.Import() | ast.ImportFrom():
                continue
            case ast.Expr(ast.Call(ast.Attribute(ast.Name("checks"), check), given, options)) if hasattr(checks, check):
                if all(isinstance(argument, ast.Name) for argument in given):
                    values = {option.arg: ast.literal_eval(option.value) for option in options}
                    calls.append(Call(check, [argument.id for argument in given], values))
                    continue
        raise Unclear(f"A check cell contains {ast.unparse(node)!r}; expected checks.NAME(name, ..., option=value).")
    return calls


def read_exercises(source, release):
    """Return the exercises of a chapter, from the chapter itself and its student copy."""
    package = names.package_names(cell.source for cell in chapter.code(source))
    exercises = []
    for solved, copy in zip(chapter.exercises(source), chapter.exercises(release), strict=True):
        title = TITLE.search(_find_prompt(release, copy))
        used = set().union(*names.find_bound_and_used(solved.solution.source))
        exercises.append(
            Exercise(
                name=solved.name,
                check_name=chapter.grade_id(solved.check),
                points=solved.points,
                stub=copy.solution.source,
                calls=read_calls(copy.check.source),
                allowed={package[name] for name in used if name in package},
                title=title[1] if title else solved.name,
                forbidden={kind for kind, said in WITHOUT.items() if said.search(_find_prompt(source, solved))},
            )
        )
    return exercises


def _find_prompt(notebook, exercise):
    """The text above the cell for the solution."""
    above = notebook.cells[: notebook.cells.index(exercise.solution)]
    return next((cell.source for cell in reversed(above) if TITLE.search(cell.source)), "")


def in_language(copy, wanted):
    """Return the student copy of a chapter in a language: the one that there is, or the chapter's own."""
    if wanted in (None, language_of(copy)):
        return copy
    path = find_chapter(chapter.exercises(copy)[0].name.partition("-")[0][2:])  # of ex01-attention
    own = chapter.make_student_copy(chapter.read(path))
    if wanted != TRANSLATED:
        return own
    from book.catalogue import translate_copy  # which reads Markdown, as most of grading need not

    return translate_copy(own, page_of(path))


def language_of(copy):
    return chapter.language(cell.source for cell in copy.cells) or "en"
