"""Giving a submission its form back: which cell is which answer, what is the student's own, what is odd about it.

An answer is known by the cell's id, then by nbgrader's name for it, then by the names it defines, then by likeness.
Whatever is less than certain becomes a note, for whoever grades; a note marked for a person stands at the top.
"""

import ast
import copy
import difflib
from dataclasses import dataclass, field
from functools import cache

from nbformat.v4 import new_code_cell

from book import names
from book.chapter import CHAPTERS, code, grade_id, read

from ..chapter import defined

MOST_NOTES = 200
SPELT = 0.7  # of difflib's ratio, for names
ALIKE = 0.6  # of difflib's ratio; a stub with one line filled in has more


@dataclass
class Note:
    text: str
    person: bool = False  # should a person look?
    exercise: str | None = None


@dataclass
class Restored:
    """The student's own cells in their order, which of them answers which exercise, and notes."""

    own: list[str]
    answers: dict[str, int] = field(default_factory=dict)  # exercise -> place in `own`
    notes: list[Note] = field(default_factory=list)
    doubtful: set[str] = field(default_factory=set)  # exercises in which something was written that nobody could run

    def note(self, text, exercise=None, *, person=False):
        if (new := Note(text, person, exercise)) not in self.notes and len(self.notes) < MOST_NOTES:
            self.notes.append(new)


def same(source):
    """A source as it is compared: without the white space that editors change."""
    return "\n".join(line.rstrip() for line in source.strip().splitlines())


def restore(cells, release, exercises):
    """Return a Restored for the cells of a submission.

    Own is every code cell that is not, word for word, one of the chapter: those run from the chapter itself.
    """
    given = {same(cell.source) for cell in release.cells}
    ids = {grade_id(cell): cell.id for cell in release.cells if grade_id(cell)}
    restored = Restored([])
    for exercise in exercises:
        for cell in cells:
            if cell.kind != "code" and same(cell.source) not in given:
                _as_code(cell, exercise, ids, restored)
    own = [cell for cell in cells if cell.kind == "code" and cell.source.strip() and same(cell.source) not in given]
    restored.own, taken = [cell.source for cell in own], set()
    for exercise in exercises:
        _find(exercise, own, ids, taken, restored)
    return restored


def _as_code(cell, exercise, ids, restored):
    """An answer that has become text is code again; what is no code is for a person."""
    source = "\n".join(line for line in cell.source.splitlines() if not line.startswith("```"))
    runs, marked = names.parses(source), cell.id == ids[exercise.name] or cell.grade_id == exercise.name
    meant = marked or (runs and defined(source) & set(exercise.asked))
    if not meant or same(source) == same(exercise.stub):
        return
    if runs:
        cell.kind, cell.source = "code", source
        restored.note("the answer stood in a text cell; it was run", exercise.name)
    else:
        restored.doubtful.add(exercise.name)
        restored.note("text stands in the answer's cell, which is no code", exercise.name, person=True)


def _find(exercise, own, ids, taken, restored):
    """Find the cell that answers an exercise."""
    free = [cell for cell in own if cell not in taken]
    ways = {
        "id": lambda cell: cell.id == ids[exercise.name],
        "nbgrader's name": lambda cell: cell.grade_id == exercise.name,
        "the name it defines": lambda cell: bool(defined(cell.source) & set(exercise.asked)),
        "likeness": lambda cell: bool(difflib.get_close_matches(cell.source, [exercise.stub], 1, ALIKE)),
    }
    for way, fits in ways.items():
        if found := [*filter(fits, free)]:
            if way == "likeness":
                restored.note("the answer was found by likeness", exercise.name, person=True)
            if len({same(cell.source) for cell in found}) > 1:
                restored.note(f"{len(found)} different answers; the last one counts", exercise.name, person=True)
            taken.update(found)
            restored.answers[exercise.name] = own.index(found[-1])
            return


def notebook(release, restored, exercises, verdicts):
    """Return the notebook that nbgrader grades: the chapter's form, the student's code, the outcome of each check."""
    made, checks = copy.deepcopy(release), {exercise.check_name: exercise for exercise in exercises}
    for cell in code(made):
        cell.outputs, cell.execution_count = [], None
        if grade_id(cell) in restored.answers:
            cell.source = restored.own[restored.answers[grade_id(cell)]]
        if exercise := checks.get(grade_id(cell)):
            cell.outputs = [verdicts[exercise.name].output(exercise.points)]
    first = next(i for i, cell in enumerate(made.cells) if grade_id(cell))
    others = [source for i, source in enumerate(restored.own) if i not in restored.answers.values()]
    made.cells[first:first] = [new_code_cell(f"# added or changed by the student\n{source}") for source in others]
    return made


def near(exercise, restored, exercises):
    """Return names under which the answer may stand, the likeliest first: of its own cell, spelt alike, alone.

    The last ones, which only take the same arguments, are too far off to give points for.
    """
    asked, wanted = {name for one in exercises for name in one.asked}, exercise.asked[0]
    known = [names.bound_and_used(names.python_only(source)) for source in restored.own]
    bound, used = (set().union(*(cell[i] for cell in known)) for i in (0, 1))
    functions = {name: given for source in restored.own for name, given in parameters(source).items()}
    given, place = parameters(exercise.stub).get(wanted), restored.answers.get(exercise.name)
    own = known[place][0] - asked if place is not None else set()
    own = {name for name in own if (name in functions) == (given is not None)}
    alike = {*difflib.get_close_matches(wanted, bound - asked, len(bound) + 1, SPELT)} - own
    far = {name for name, its in functions.items() if its == given} - asked - used - own - alike
    return [*sorted(own), *sorted(alike)], sorted(far)


def parameters(source):
    """{function: names of its parameters} of a cell."""
    body = tree.body if (tree := _tree(source)) else []
    return {node.name: [a.arg for a in node.args.args] for node in body if isinstance(node, ast.FunctionDef)}


def touched(stub, source):
    """Was more than a comment or a docstring changed, so that something stands where the stub's exception was?"""
    given, tree = _tree(stub), _tree(source)
    if not given or not tree:
        return True
    bodies = [node.body for node in ast.walk(tree) if isinstance(getattr(node, "body", None), list)]
    # the exception may stand below what was begun, not above
    above = any(isinstance(line, ast.Raise) for body in bodies for line in body[:-1])
    gone = not any(isinstance(node, ast.Raise) for node in ast.walk(tree))
    return ast.dump(given) != ast.dump(tree) and (above or gone)


def _tree(source):
    """The code as it is compared, without docstrings; None of what is no Python."""
    try:
        tree = names.parse(source)
    except names.UNPARSED:
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and len(node.body) > 1 and ast.get_docstring(node) is not None:
            del node.body[0]
    return tree


@cache
def _marks_of_book():
    """The cells of every chapter, by id and by source."""
    return {path.stem: _marks(read(path).cells) for path in CHAPTERS}


def _marks(cells):
    return {cell.id for cell in cells} | {same(cell.source) for cell in cells}


def other_chapter(cells, release):
    """Name the chapter a submission was made from if it is not this one; nothing if it is of none."""
    marks = _marks(cells)
    here = len(marks & _marks(release.cells))
    if here >= 0.3 * len(release.cells):
        return None
    shared = {stem: len(marks & theirs) for stem, theirs in _marks_of_book().items()}
    best = max(shared, key=shared.get)
    return best if shared[best] > here + 3 else None


def is_of(cells, release):
    """Has a submission anything of the chapter?"""
    return bool(_marks(cells) & _marks(release.cells))
