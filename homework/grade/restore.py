"""RESTORE: which cell of a submission answers which exercise, what is the student's own, and what is odd about it.

An answer is known by the cell's id, then by nbgrader's name for it, then by the names it defines, then by likeness.
Whatever is less than certain becomes a note, for whoever grades, in English; one marked for a person stands at the top.
"""

import difflib
import re
from dataclasses import dataclass, field

from attention_course import checks
from book import names
from book.chapter import TRANSLATED, grade_id

from ..chapter import in_language
from .read import Unreadable, find_marks, find_other_chapter, normalise

MOST_NOTES = 200
FENCED = re.compile(r"^```[^\n]*\n(.*?)^```", re.M | re.S)  # code in a text
ANSWERS = re.compile(r"\d|=|```|\b(def|return|lambda)\b")  # of which a text that may be an answer has one
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
    texts: dict[str, str] = field(default_factory=dict)  # exercise -> what is written beside it and may be an answer

    def note(self, text, exercise=None, *, person=False):
        with checks.speaking("en"):
            text = str(text)
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
    known = {normalise(code) for cell in release.cells for code in FENCED.findall(cell.source)}
    for exercise in exercises:
        for cell in cells:
            if cell.kind != "code" and normalise(cell.source) not in from_chapter:
                _turn_into_code(cell, exercise, ids[exercise.name], restored, known)
    _find_texts(cells, release, exercises, restored)
    code = [cell for cell in cells if cell.kind == "code" and cell.source.strip()]
    own = [cell for cell in code if normalise(cell.source) not in from_chapter]
    restored.own = [cell.source for cell in own]
    for exercise in exercises:
        _find_answer(exercise, own, ids[exercise.name], taken, restored)
    if not restored.answers and not restored.doubtful and not find_marks(cells) & find_marks(release.cells):
        raise Unreadable("nothing in this notebook is of this chapter")
    return restored


def _turn_into_code(cell, exercise, cell_id, restored, known):
    """Turn an answer in a text cell back into code; leave anything else to a person."""
    fenced = [code for code in FENCED.findall(cell.source) if normalise(code) not in known]
    source = "\n".join(fenced) if fenced else FENCED.sub("", cell.source)
    parses, marked = names.parses(source), cell.id == cell_id or cell.grade_id == exercise.name
    is_answer = marked or (parses and _defines_answer(source, exercise))
    if not is_answer or normalise(source) == normalise(exercise.stub):
        return
    if parses:
        cell.kind, cell.source = "code", source
        restored.note("the answer stood in a text cell; it was run", exercise.name)
    else:
        restored.doubtful.add(exercise.name)
        restored.note("the answer's cell contains text that is not code", exercise.name, person=True)


def _find_texts(cells, release, exercises, restored):
    """Find what a student wrote into the text between the cells of two exercises, or below them all, of either."""
    known = _lines(release.cells)
    if _lines(cell for cell in cells if cell.kind != "code") <= known:
        return
    known |= _lines(in_language(release, "en").cells) | _lines(in_language(release, TRANSLATED).cells)
    marks = {}  # of a cell of the chapter -> its exercise, None for those that come before
    for cell in [cell for cell in release.cells if cell.cell_type == "code"]:
        name = (grade_id(cell) or "").removesuffix("-check")
        marks |= dict.fromkeys((cell.id, grade_id(cell), normalise(cell.source)), name or None)
    marks.pop(None, None)
    places = [next((marks[mark] for mark in _marks(cell) if mark in marks), ...) for cell in cells]
    every = [exercise.name for exercise in exercises]
    lost = [name for name in every if name not in places]
    for place, cell in enumerate(cells):
        own = "\n".join(line for line in cell.source.splitlines() if normalise(line) not in known)
        if cell.kind != "code" and ANSWERS.search(own):
            before = next((name for name in reversed(places[:place]) if name is not ...), None)
            after = next((name for name in places[place:] if name is not ...), None)
            below = not after and not {*every}.isdisjoint(places[:place])
            for name in every if below else {before, after, *lost} - {None}:
                restored.texts.setdefault(name, own.strip())


def _lines(cells):
    return {normalise(line) for cell in cells for line in cell.source.splitlines()}


def _marks(cell):
    return (cell.id, cell.grade_id, normalise(cell.source)) if cell.kind == "code" else ()


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
    bound, _ = names.find_bound_and_used(names.python_only(source))
    return not {*functions, *bound}.isdisjoint(exercise.asked)
