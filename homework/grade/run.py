"""RUN: a student's cells in the sandbox, through as many sandboxes as they kill.

Each answer is judged as soon as its cell has run, while the names that it uses still have the values which the student
gave them above it.
"""

import ast
import os
import re
import time

import psutil

from attention_course.checks import Part
from book import names
from book.chapter import code, is_solution

from .proxies import is_not_here
from .read import printable
from .sandbox import DEATHS, Died, Session, untrusted

CHAPTER_SECONDS = 300  # for the chapter's own code, which may train
MOST_DEATHS, MOST_MISSING = 8, 30  # of a student's sandbox, then a person has to look; modules that are not here
TOTAL, LEAST = 2.75, 55  # all of a student's code may take so many times as long as one cell, or so many seconds
# in an answer's cell: a person looks
COSTLY = ("SyntaxError", "IndentationError", "TabError", "NameError", "ModuleNotFoundError")
HIDING = re.compile(r"^[ \t]*%(run|pylab|store|load)\b", re.M)  # what may bind names that are not in the code
MOST_READ = 20_000  # characters of all cells in which it is found out what an answer needs; in more, it may need all


def measure_load():
    """How many times as long everything takes because this machine has other work, too."""
    return max(1, psutil.getloadavg()[0] / (os.cpu_count() or 1))


def _texts(source):
    """The texts in a piece of code."""
    if not names.parses(source):
        return []
    return [node.value for node in ast.walk(ast.parse(source)) if isinstance(getattr(node, "value", None), str)]


class Run:
    """The student's cells as they are run, and what came of each."""

    def __init__(self, source, restored, seconds, kind):
        self.restored, self.kind = restored, kind
        self.seconds, self.seconds_left = seconds, max(TOTAL * seconds, LEAST) * measure_load()
        self.started, self.skipped, self.errors = set(), set(), {}  # places of cells; place -> what a cell raised
        self.missing_modules, self.stops = [], {}  # place -> line on which a cell stopped, 0 if it is not known
        self.not_here = set()  # places of cells that stopped for want of what another machine may have
        self.cells = [names.python_only(cell) for cell in restored.own]
        self.symbols = [names.find_bound_and_used(cell) for cell in self.cells]
        used = set().union(*(used for _, used in self.symbols))
        if "exec" in used:  # a text may be code, and needs what code needs
            used |= set().union(*(names.find_bound_and_used(text)[1] for cell in self.cells for text in _texts(cell)))
        self.chapter = names.needed([cell.source for cell in code(source) if not is_solution(cell)], used)

    def run(self, judge):
        """Run until every exercise has a verdict: a cell that kills the sandbox is left out of the next one."""
        for _ in range(MOST_DEATHS):
            start = time.monotonic()
            with Session(seconds=self.seconds, kind=self.kind) as session:
                try:
                    self._prepare(session, judge.list_stubs())
                    start = start if self.skipped or judge.settled else time.monotonic()  # another one costs its start
                    session.deadline = start + self.seconds_left
                    for place in range(len(self.cells)):
                        if place not in self.skipped:
                            self._run_cell(session, place)
                            judge.judge_cell(session, place, self)
                    judge.judge_rest(session, self)
                    break
                except Died as death:
                    self.seconds_left -= time.monotonic() - start
                    if death.how == "time":  # whoever waits once waits less the next time: it is a minute in all
                        self.seconds = max(1, round(self.seconds / 3, 1))
                    if death.how == "late" or self.seconds_left <= 0:
                        self.restored.note("took too long in all; not everything was run", person=True)
                        break
        else:
            self.restored.note("stopped again and again; what is unclear was not judged", person=True)
        judge.leave_losses_to_person(self)

    def _prepare(self, session, stubs):
        """Run what the student's cells need of the chapter, stubs last."""
        try:
            reply = session.ask("run", source=self.chapter, name="chapter", seconds=CHAPTER_SECONDS)
        except Died as death:
            raise RuntimeError(f"the sandbox ended before any student code ran ({death.how})") from None
        if "raised" in reply:
            raise RuntimeError(f"the chapter's own code raised {reply['raised']}: {reply['message']}")
        for stub in stubs:
            session.ask("run", source=stub, name="chapter")
        for name in self.missing_modules:
            session.ask("stand_in", name=name)

    def _run_cell(self, session, place):
        """Run a cell, and note what it raised or that it ended the sandbox."""
        what, exercise = self._say_which(place)
        self.started.add(place)
        self.stops.pop(place, None)
        try:
            error, text, reply = self._run_without_missing_modules(session, place)
            if error == "MemoryError":
                raise Died("memory")
        except Died as death:
            if death.how != "late":
                end = Part(DEATHS[death.how], seconds=self.seconds)
                self.skipped.add(place)
                self.stops[place] = 0
                self.errors[place] = Part("It {end}", end=end)
                self.restored.note(Part("{what} {end}", what=what, end=end), exercise, person=True)
            raise
        if error and error not in ("NotImplementedError", "NotAttempted", "Wrong"):
            text = re.sub(r"\(cell \d+, line (\d+)\)$", r"(line \1)", text)  # of a SyntaxError
            self.errors[place] = Part("{error}: {text}" if text else "{error}", error=error, text=text)
            with untrusted():
                self.stops[place] = int(reply.get("line") or 0)
            self.not_here |= {place} if is_not_here(reply) else set()
            strange = place in self.restored.answers.values() and error in COSTLY
            note = Part("{what} stopped with {error}", what=what, error=self.errors[place])
            self.restored.note(note, exercise, person=strange)

    def find_loss(self, exercise, lacks):
        """Say which cell stopped before it made what an answer needs; None if there is none.

        If the answer's own cell stopped, that counts only where it need not have on the student's machine. `lacks` is
        the match of a NameError, in which the name stands: the code may bind it in a branch that was not taken here.
        """
        own, lost, ready = self.restored.answers.get(exercise.name), {}, names.find_bound_and_used(self.chapter)[0]
        for place, (cell, (bound, _)) in enumerate(zip(self.cells, self.symbols, strict=True)):
            gone, imported = set(), set()
            if place not in self.started or (place in self.stops and (place != own or place in self.not_here)):
                gone, imported = names.find_bound_from(cell, self.stops.get(place, 0))
            gone -= imported & ready
            ready |= bound - gone
            lost = {name: at for name, at in lost.items() if name not in bound} | dict.fromkeys(gone, place)
        if lost and (name := self._find_needed(exercise.asked, lost)):
            what, _ = self._say_which(lost[name])
            error = self.errors.get(lost[name], "too little time")
            text = "needs {name}, which is not there as it should be: {what} stopped with {error}"
            return Part(text, name=name[:60], what=what, error=error)
        hidden = any(place in self.stops and "import *" in cell for place, cell in enumerate(self.cells))
        hidden |= bool(self.missing_modules) or any(map(HIDING.search, self.restored.own))
        if lacks and (hidden or any(lacks[1] in bound for bound, _ in self.symbols)):
            return "needs a name that is not there, and what may have made it could not be run here"
        return None

    def _find_needed(self, asked, lost):
        """Return the first lost name that some names need, by the statements that bind them; None if there is none."""
        cells = [cell for cell in self.cells if names.parses(cell)]
        if sum(map(len, cells)) < MOST_READ:
            used = names.find_bound_and_used(names.needed(cells, asked))[1]
        else:
            used = set().union(*(used for _, used in self.symbols))
        return next((name for name in lost if name in used.union(asked)), None)

    def _say_which(self, place):
        """A cell of the student's own, so that whoever teaches finds it, and its exercise."""
        if exercise := next((name for name, answer in self.restored.answers.items() if answer == place), None):
            return "the answer's cell", exercise
        first = self.restored.own[place].strip().partition("\n")[0]
        return f"the student's own cell that begins with {printable(first)[:60]!r}", None

    def _run_without_missing_modules(self, session, place):
        """Run a cell, and again without each module that is not here; return the name and text of what it raised."""
        while True:
            reply = session.ask("run", source=self.cells[place], name=f"cell {place + 1}")
            with untrusted():
                error, text = (printable(reply.get(name, ""))[:500] for name in ("raised", "message"))
            match = re.match(r"No module named '([\w.]+)'", text) if error == "ModuleNotFoundError" else None
            if not match or match[1] in self.missing_modules or len(self.missing_modules) >= MOST_MISSING:
                return error, text, reply
            self.missing_modules.append(match[1])
            self.restored.note(f"imports {match[1].split('.')[0][:60]}, which is not here; it was run without")
            session.ask("stand_in", name=match[1])
