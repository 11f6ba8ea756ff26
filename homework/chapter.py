"""A chapter as an assignment: its exercises, what each check asks for, and what its model solution may use."""

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path

from attention_src import checks

from . import names

ROOT = Path(__file__).parent.parent
CHAPTERS = sorted((ROOT / "chapters").glob("*.ipynb"))


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


def grade_id(cell):
    return cell.metadata.get("nbgrader", {}).get("grade_id")


def is_check(cell):
    return cell.metadata.get("nbgrader", {}).get("grade", False)


def calls(source):
    """Read a check cell: an import, and calls of checks on names.

    Anything else would have to be run beside the student's code, where nothing it says can be trusted.
    """
    found = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            continue
        call = getattr(node, "value", None)
        if not (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and ast.unparse(call.func.value) == "checks"
            and hasattr(checks, call.func.attr)
            and all(isinstance(argument, ast.Name) for argument in call.args)
        ):
            raise Unclear(
                f"In a check cell stands {ast.unparse(node)!r}; expected checks.NAME(name, ..., option=value)."
            )
        options = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
        found.append(Call(call.func.attr, [argument.id for argument in call.args], options))
    return found


def exercises(source, release):
    """Return the exercises of a chapter, from the chapter itself and its student copy."""
    package = names.package_names(cell.source for cell in source.cells if cell.cell_type == "code")
    graded = [cell for cell in source.cells if grade_id(cell)]
    copies = {grade_id(cell): cell.source for cell in release.cells if grade_id(cell)}
    found = []
    for solution, check in zip(graded[::2], graded[1::2], strict=True):
        used = set().union(*names.bound_and_used(solution.source))
        found.append(
            Exercise(
                name=grade_id(solution),
                check_name=grade_id(check),
                points=check.metadata.nbgrader.points,
                stub=copies[grade_id(solution)],
                calls=calls(copies[grade_id(check)]),
                allowed={package[name] for name in used if name in package},
            )
        )
    return found


def defined(source):
    """Names that a cell binds; of one that does not parse, those of its functions."""
    return names.bound_and_used(names.python_only(source))[0] | set(
        re.findall(r"^(?:def|class)[ \t]+(\w+)", source, re.M)
    )
