"""RESTORE: which cell of a submission answers which exercise, what is the student's own, and what is odd about it.

An answer is known by the cell's id, then by nbgrader's name for it, then by the names it defines, then by likeness.
Whatever is less than certain becomes a note, for whoever grades; a note marked for a person stands at the top.
"""

import difflib
import re
from dataclasses import dataclass, field

from book import names
from book.chapter import grade_id

from .read import Unreadable, find_marks, find_other_chapter, normalise

MOST_NOTES = 200
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


def restore(cells, release, exercises):
    """Return a Restored for the cells of a submission. Raises Unreadable if nothing in them is of this chapter.

    Own is every code cell that is not, word for word, one of the chapter: those run from the chapter itself.
    """
    if other := find_other_chapter(cells, release):
        raise Unreadable(f"this is chapter {other}, not the one that was asked for")
    from_chapter = {normalise(cell.source) for cell in release.cells}
    ids = {grade_id(cell): cell.id for cell in release.cells if grade_id(cell)}
    restored, taken = Restored([]), set()
    for exercise in exercises:
        for cell in cells:
            if cell.kind != "code" and normalise(cell.source) not in from_chapter:
                _turn_into_code(cell, exercise, ids[exercise.name], restored)
    code = [cell for cell in cells if cell.kind == "code" and cell.source.strip()]
    own = [cell for cell in code if normalise(cell.source) not in from_chapter]
    restored.own = [cell.source for cell in own]
    for exercise in exercises:
        _find_answer(exercise, own, ids[exercise.name], taken, restored)
    if not restored.answers and not restored.doubtful and not find_marks(cells) & find_marks(release.cells):
        raise Unreadable("nothing in this notebook is of this chapter")
    return restored


def _turn_into_code(cell, exercise, cell_id, restored):
    """An answer that has become text is code again; what is no code is for a person."""
    source = "\n".join(line for line in cell.source.splitlines() if not line.startswith("```"))
    parses, marked = names.parses(source), cell.id == cell_id or cell.grade_id == exercise.name
    is_answer = marked or (parses and _defines_answer(source, exercise))
    if not is_answer or normalise(source) == normalise(exercise.stub):
        return
    if parses:
        cell.kind, cell.source = "code", source
        restored.note("the answer stood in a text cell; it was run", exercise.name)
    else:
        restored.doubtful.add(exercise.name)
        restored.note("text stands in the answer's cell, which is no code", exercise.name, person=True)


def _find_answer(exercise, own, cell_id, taken, restored):
    """Find the cell that answers an exercise, by the first mark that any cell has."""
    free = [cell for cell in own if cell not in taken]
    tests = (
        lambda cell: cell.id == cell_id,
        lambda cell: cell.grade_id == exercise.name,
        lambda cell: _defines_answer(cell.source, exercise),
        lambda cell: bool(difflib.get_close_matches(cell.source, [exercise.stub], 1, ALIKE)),
    )
    for test in tests:
        if matches := [*filter(test, free)]:
            if test is tests[-1]:
                restored.note("the answer was found by likeness", exercise.name, person=True)
            if len({normalise(cell.source) for cell in matches}) > 1:
                restored.note(f"{len(matches)} different answers; the last one counts", exercise.name, person=True)
            taken.update(matches)
            restored.answers[exercise.name] = own.index(matches[-1])
            return


def _defines_answer(source, exercise):
    """Does a cell bind a name that the checks ask for? Of one that does not parse, its functions are known."""
    functions = re.findall(r"^(?:def|class)[ \t]+(\w+)", source, re.M)
    bound, _ = names.bound_and_used(names.python_only(source))
    return not {*functions, *bound}.isdisjoint(exercise.asked)
