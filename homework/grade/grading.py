"""Grading one submission: its code runs in the sandbox, the checks run here and reach the answers through a line.

A check cell never runs beside the student's code. So what the code prints, patches or forges changes no score: it can
only make its own functions return other numbers. Nothing is 0 in silence: what was written and cannot be judged is for
a person.
"""

import os
import re
import time
from dataclasses import asdict, dataclass, field
from math import inf

import nbformat
import psutil
from nbformat.v4 import new_output

from attention_course import checks
from attention_course.checks import Part
from book import names
from book.chapter import code, is_solution, language

from .. import release as releasing
from ..chapter import exercises
from . import checking, sandbox
from .checking import Missing
from .restore import is_of, near, notebook, other_chapter, restore, touched
from .sandbox import Died, Session, untrusted
from .submission import Unreadable, printable, read

CHAPTER_SECONDS = 300  # for the chapter's own code, which may train
MOST_DEATHS, MOST_ABSENT = 8, 30  # of a student's sandbox, then a person has to look; modules that are not here
TOTAL, LEAST = 3, 60  # all of a student's code may take so many times as long as one cell, or so many seconds
COSTLY = ("SyntaxError", "NameError", "ModuleNotFoundError")  # in an answer's cell: a person looks
DEATHS = {
    "time": "had not ended after {seconds:g} s. Which of its loops has no end?",
    "gone": "ended the whole process.",
    "garbled": "disturbed the line to the check.",
    "memory": "used up the memory.",
}


@dataclass
class Task:
    """What grading one submission needs, as plain data that can travel to another machine."""

    student: str
    data: bytes
    source: dict  # the chapter with its solutions
    release: dict  # the student copy, with the student's own numbers if there are any
    seeds: list[int]
    seconds: float
    kind: str | None = None  # of sandbox; by itself the best there is


@dataclass
class Verdict:
    """What a check says of an answer."""

    status: str  # right, partly right, wrong, not attempted, unclear
    message: str
    parts: dict = field(default_factory=dict)  # of the message, as plain data
    share: float = 0  # of the points

    @classmethod
    def of(cls, status, message):
        """The verdict with what a check said."""
        parts = {name: _data(part) for name, part in message.parts().items()}
        return cls("partly right" if message.share else status, printable(str(message))[:2000], parts, message.share)

    def output(self, points):
        """The same as the output of the check's cell, from which nbgrader takes the points."""
        if self.status == "right":
            return new_output("stream", text=self.message + "\n")
        if self.share:
            return new_output("execute_result", {"text/plain": f"{self.share * points:g}"}, execution_count=1)
        return new_output("error", ename=self.status, evalue=self.message, traceback=[self.message])


def _data(value):
    """A part of a message as data that every file can hold."""
    if isinstance(value, Part):
        return {"template": value.template, "values": {name: _data(v) for name, v in value.values.items()}}
    return printable(value)[:2000] if isinstance(value, str) else value


def grade(task):
    """Grade a submission and return plain data: verdicts, notes, and a notebook for nbgrader.

    Whatever goes wrong becomes an `unjudged` reason for a person to read; only a missing sandbox is raised.
    """
    task.kind = task.kind or sandbox.chosen()
    start, result = time.monotonic(), {"student": task.student, "exercises": {}, "notes": [], "notebook": None}
    try:
        result |= _graded(task)
    except Unreadable as reason:
        result["unjudged"] = str(reason)
    except Exception as error:
        result["unjudged"] = f"grading stopped with {type(error).__name__}: {printable(str(error))[:300]}"
        result["again"] = True
    return result | {"seconds": round(time.monotonic() - start, 2)}


def _graded(task):
    source, release = (nbformat.from_dict(notebook) for notebook in (task.source, task.release))
    cells, tasks = read(task.data), exercises(source, release)
    if other := other_chapter(cells, release):
        raise Unreadable(f"this is chapter {other}, not the one that was asked for")
    restored = restore(cells, release, tasks)
    if not restored.answers and not restored.doubtful and not is_of(cells, release):
        raise Unreadable("nothing in this notebook is of this chapter")
    theirs, ours = releasing.version(cells), releasing.version(release.cells)
    if theirs and ours and theirs != ours:
        restored.note(f"installs version {theirs[:10]} of the package; {ours[:10]} was handed out")
    grading = Grading(task, restored, tasks, source)
    with checks.speaking(language(cell.source for cell in cells)):
        grading.run()
    return {
        "exercises": {name: asdict(verdict) for name, verdict in grading.verdicts.items()},
        "answers": {name: restored.own[place] for name, place in restored.answers.items()},
        "notes": [asdict(note) for note in restored.notes],
        "notebook": notebook(release, restored, tasks, grading.verdicts),
    }


def _busy():
    """How many times as long everything takes because this machine has other work, too."""
    return max(1, psutil.getloadavg()[0] / (os.cpu_count() or 1))


class Grading:
    """One submission on its way through as many sandboxes as it kills."""

    def __init__(self, task, restored, tasks, source):
        self.task, self.restored, self.tasks = task, restored, tasks
        self.verdicts, self.skipped, self.errors, self.settled = {}, set(), {}, set()
        self.seconds, self.left = task.seconds, max(TOTAL * task.seconds, LEAST) * _busy()
        self.ran, self.absent = set(), []
        self.own = [names.python_only(cell) for cell in restored.own]
        wanted = set().union(*(names.bound_and_used(cell)[1] for cell in self.own))
        self.chapter = names.needed([cell.source for cell in code(source) if not is_solution(cell)], wanted)

    def run(self):
        """Run until every exercise has a verdict: a cell that kills the sandbox is left out of the next one."""
        for _ in range(MOST_DEATHS):
            with Session(seconds=self.seconds, kind=self.task.kind) as session:
                start = inf
                try:
                    self._prepare(session)
                    start = time.monotonic()
                    session.deadline = start + self.left
                    self._attempt(session)
                    break
                except Died as death:
                    self.left -= time.monotonic() - start
                    if death.how == "time":  # whoever waits once waits less the next time
                        self.seconds = max(1, self.seconds / 2)
                    if death.how == "late" or self.left <= 0:
                        self.restored.note("took too long in all; not everything was run", person=True)
                        break
        else:
            self.restored.note("stopped again and again; what is unclear was not judged", person=True)
        for exercise in self.tasks:
            self.verdicts.setdefault(exercise.name, Verdict("unclear", "The notebook did not run to its end."))

    def _prepare(self, session):
        """Run what the student's cells need of the chapter."""
        try:
            reply = session.ask("run", source=self.chapter, name="chapter", seconds=CHAPTER_SECONDS)
        except Died as death:
            raise RuntimeError(f"the sandbox ended before any student code ran ({death.how})") from None
        if "raised" in reply:
            raise RuntimeError(f"the chapter's own code raised {reply['raised']}: {reply['message']}")
        for name in self.absent:
            session.ask("absent", name=name)

    def _attempt(self, session):
        """Run the cells and judge each answer where it stands; at the end, judge what is not settled."""
        for place in (*range(len(self.own)), None):
            if place in self.skipped:
                continue
            if place is not None:
                self._run_cell(session, place)
            for exercise in self.tasks:
                if exercise.name in self.settled or place not in (None, self.restored.answers.get(exercise.name)):
                    continue
                verdict = self._judge(session, exercise)
                if verdict.status == "not attempted" and place is None:
                    verdict = self._elsewhere(session, exercise) or self._nothing(exercise, verdict)
                self.verdicts[exercise.name] = verdict
                if verdict.status == "right":
                    self.settled.add(exercise.name)

    def _run_cell(self, session, place):
        what = f"cell {place + 1} of the student's own"
        self.ran.add(place)
        try:
            error, text = self._ran(session, place)
            if error == "MemoryError":
                raise Died("memory")
        except Died as death:
            if death.how != "late":
                end = Part(DEATHS[death.how], seconds=self.seconds)
                self.skipped.add(place)
                self.errors[place] = Part("It {end}", end=end)
                self.restored.note(f"{what} {end}", person=True)
            raise
        if error and error not in ("NotImplementedError", "NotAttempted", "Wrong"):
            self.errors[place] = Part("{error}: {text}" if text else "{error}", error=error, text=text)
            strange = place in self.restored.answers.values() and error in COSTLY
            self.restored.note(f"{what} stopped with {self.errors[place]}", person=strange)

    def _ran(self, session, place):
        """Run a cell, and again without each module that is not here; what needs that is for a person."""
        while True:
            reply = session.ask("run", source=self.own[place], name=f"cell {place + 1}")
            with untrusted():
                error, text = (printable(reply.get(name, ""))[:500] for name in ("raised", "message"))
            found = re.match(r"No module named '([\w.]+)'", text) if error == "ModuleNotFoundError" else None
            if not found or found[1] in self.absent or len(self.absent) >= MOST_ABSENT:
                return error, text
            self.absent.append(found[1])
            self.restored.note(f"imports {found[1].split('.')[0][:60]}, which is not here; it was run without")
            session.ask("absent", name=found[1])

    def _judge(self, session, exercise, renamed=None):
        try:
            said = checking.check(session, exercise, self.task.seeds, self.restored, renamed)
            return Verdict("right", "\n".join(map(str, said)), share=1)
        except checks.NotAttempted as reason:
            return Verdict.of("not attempted", reason)
        except checks.Wrong as reason:
            verdict = Verdict.of("wrong", reason)
            if self.absent and "NameError" in verdict.message:
                seen = "what a missing module should have made is not there"
                return self._unclear(exercise, f"{seen}: {verdict.message}")
            return verdict
        except Missing as absent:
            return self._unclear(exercise, f"uses a module that is not here: {absent}")
        except Died as death:
            if death.how != "late":
                self.settled.add(exercise.name)
                end = Part(DEATHS[death.how], seconds=self.seconds)
                message = checks.Wrong(Part("Your function {end}", end=end))
                self.verdicts[exercise.name] = Verdict.of("wrong", message)
                self.restored.note(str(message), exercise.name, person=True)
            raise
        except Exception as error:
            form, kind = "The check could not judge this: {error}: {text}", type(error).__name__
            verdict = Verdict.of("unclear", checks.Wrong(Part(form, error=kind, text=str(error)[:500])))
            self.restored.note(verdict.message, exercise.name, person=True)
            return verdict

    def _elsewhere(self, session, exercise):
        """The verdict on an answer that stands under another name, if there is one that holds."""
        likely, far = near(exercise, self.restored, self.tasks)
        tried = []
        for name in likely[:5]:
            tried.append(self._judge(session, exercise, {exercise.asked[0]: name}))
            if tried[-1].share:
                self.restored.note(f"the answer stands under the name {name[:60]}, and counts", exercise.name)
                return tried[-1]
        attempts = [verdict for verdict in tried if verdict.status == "wrong"]
        if len(attempts) == 1 and not far:
            self.restored.note(f"the answer may stand under the name {likely[0][:60]}", exercise.name, person=True)
            return attempts[0]
        if attempts or far:
            found = ", ".join(name[:60] for name in [*likely, *far][:5])
            return self._unclear(exercise, f"nothing stands under the name that was asked for; is it {found}?")
        return None

    def _nothing(self, exercise, verdict):
        """What becomes of an answer that is not there: somebody may have begun one."""
        place = self.restored.answers.get(exercise.name)
        if place in self.errors:
            reason = checks.Wrong(Part("Your cell did not run. {error}", error=self.errors[place]))
            if "ModuleNotFoundError" in str(reason):
                return self._unclear(exercise, str(reason))
            return Verdict.of("wrong", reason)
        if place is not None and place not in self.ran:
            return Verdict("unclear", "The cells before it took too long, so yours was not run.")
        if exercise.name in self.restored.doubtful:
            return Verdict("unclear", "Something stands there that is no code.")
        if place is not None and touched(exercise.stub, self.restored.own[place]):
            return self._unclear(exercise, "something was written, and the stub's exception, or its …, still rules")
        return verdict

    def _unclear(self, exercise, reason):
        self.restored.note(reason, exercise.name, person=True)
        return Verdict("unclear", "Somebody will look at this answer.")
