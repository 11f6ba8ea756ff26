"""A chapter as an assignment: its exercises, what each check asks for, and what its model solution may use."""

import ast
import re
from dataclasses import dataclass, field

from attention_course import checks
from book import chapter, names
from book.chapter import CHAPTERS, TITLE


class Unclear(Exception):
    """A command or a chapter that cannot be followed; the message says what was seen and what was expected."""


@dataclass
class Call:
    """A call of a check, as it stands in a check cell: `checks.NAME(ARGUMENTS, OPTION=...)`."""

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
    without_torch: bool = False  # does the prompt ask for that?

    @property
    def asked(self):
        """The names that the checks ask for."""
        return list(dict.fromkeys(name for call in self.calls for name in call.arguments))


def find(number):
    """Return the path of the chapter with this number or file name."""
    found = [path for path in CHAPTERS if path.stem == number or path.stem.split("_")[0] == number.zfill(2)]
    if not found:
        raise Unclear(f"There is no chapter {number!r}; expected one of {', '.join(p.stem[:2] for p in CHAPTERS)}.")
    return found[0]


def calls(source):
    """Read a check cell: an import, and calls of checks on names.

    Anything else would have to be run beside the student's code, where nothing it says can be trusted.
    """
    found = []
    for node in ast.parse(source).body:
        match node:
            case ast.Import() | ast.ImportFrom():
                continue
            case ast.Expr(ast.Call(ast.Attribute(ast.Name("checks"), check), given, options)) if hasattr(checks, check):
                if all(isinstance(argument, ast.Name) for argument in given):
                    values = {option.arg: ast.literal_eval(option.value) for option in options}
                    found.append(Call(check, [argument.id for argument in given], values))
                    continue
        raise Unclear(f"In a check cell stands {ast.unparse(node)!r}; expected checks.NAME(name, ..., option=value).")
    return found


def exercises(source, release):
    """Return the exercises of a chapter, from the chapter itself and its student copy."""
    package, found = names.package_names(cell.source for cell in chapter.code(source)), []
    for one, copy in zip(chapter.exercises(source), chapter.exercises(release), strict=True):
        above = release.cells[: release.cells.index(copy.solution)]
        prompt = next((cell.source for cell in reversed(above) if TITLE.search(cell.source)), "")
        title = match[1] if (match := TITLE.search(prompt)) else one.name
        used = set().union(*names.bound_and_used(one.solution.source))
        allowed = {package[name] for name in used if name in package}
        about = one.name, chapter.grade_id(one.check), one.points, copy.solution.source, calls(copy.check.source)
        found.append(Exercise(*about, allowed, title, "no PyTorch" in prompt))
    return found


def defined(source):
    """Names that a cell binds; of one that does not parse, those of its functions."""
    functions = re.findall(r"^(?:def|class)[ \t]+(\w+)", source, re.M)
    return names.bound_and_used(names.python_only(source))[0] | set(functions)
