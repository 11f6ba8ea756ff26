"""Grading one submission: its code runs in the sandbox, the checks run here and reach the answers through the pipe.

A check cell never runs beside the student's code. So what the code prints, patches or forges changes no score: it can
only make its own functions return other numbers.
"""

import time
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from math import inf

import nbformat
from nbformat.v4 import new_output

from attention_src import checks
from attention_src.checks import Part
from tools import names
from tools.chapter import code, grade_id

from . import checking, oddities, sandbox
from .chapter import exercises
from .restore import notebook, other_chapter, restore
from .sandbox import Died, Session, untrusted
from .submission import Unreadable, printable, read

CHAPTER_SECONDS = 300  # for the chapter's own code, which may train
MOST_DEATHS = 8  # of a student's sandbox; then a person has to look
TOTAL = 10  # all cells of a student together may take so many times as long as one
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
    unsafe: bool = False


@dataclass
class Verdict:
    """What a check says of an answer."""

    status: str  # right, wrong, not attempted, unclear
    message: str
    parts: dict = field(default_factory=dict)  # of the message, as plain data

    @classmethod
    def of(cls, status, message):
        """The verdict with what a check said."""
        parts = {name: _data(part) for name, part in message.parts().items()}
        return cls(status, printable(str(message))[:2000], parts)

    def output(self):
        """The same as the output of the check's cell, from which nbgrader takes the points."""
        if self.status == "right":
            return new_output("stream", text=self.message + "\n")
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
    if not task.unsafe:
        sandbox.need()
    start, result = time.monotonic(), {"student": task.student, "exercises": {}, "notes": [], "notebook": None}
    try:
        result |= _graded(task)
    except Unreadable as reason:
        result["unjudged"] = str(reason)
    except Exception as error:
        result["unjudged"] = f"grading stopped with {type(error).__name__}: {printable(str(error))[:300]}"
    return result | {"seconds": round(time.monotonic() - start, 2)}


def _graded(task):
    source, release = (nbformat.from_dict(notebook) for notebook in (task.source, task.release))
    (cells, about), tasks = read(task.data), exercises(source, release)
    if other := other_chapter(cells, release):
        raise Unreadable(f"this is chapter {other}, not the one that was asked for")
    restored = restore(cells, release, tasks)
    for text in about:
        restored.note(text)
    grading = Grading(task, restored, tasks, source)
    grading.run()
    return {
        "exercises": {name: asdict(verdict) for name, verdict in grading.verdicts.items()},
        "answers": {name: restored.own[place] for name, place in restored.answers.items()},
        "notes": [asdict(note) for note in restored.notes],
        "notebook": notebook(release, restored, tasks, grading.verdicts),
    }


class Grading:
    """One submission on its way through as many sandboxes as it kills."""

    def __init__(self, task, restored, tasks, source):
        self.task, self.restored, self.tasks = task, restored, tasks
        self.verdicts, self.skipped, self.errors, self.settled = {}, set(), {}, set()
        self.spent, self.ran = 0.0, set()
        own = [names.python_only(cell) for cell in restored.own]
        wanted = set().union(*(names.bound_and_used(cell)[1] for cell in own))
        given = [cell.source for cell in code(source) if not grade_id(cell)]
        self.own, self.chapter = own, names.needed(given, wanted)
        self.package = names.package_names([*given, *own])

    def run(self):
        """Run until every exercise has a verdict: a cell that kills the sandbox is left out of the next one."""
        for _ in range(MOST_DEATHS):
            with Session(seconds=self.task.seconds, unsafe=self.task.unsafe) as session:
                try:
                    self._attempt(session)
                    break
                except Died:
                    continue
        else:
            self.restored.note("stopped again and again; what is unclear was not judged", person=True)
        for exercise in self.tasks:
            self.verdicts.setdefault(exercise.name, Verdict("unclear", "The notebook stopped again and again."))
            oddities.note(self.restored, exercise, self.package)

    def _attempt(self, session):
        try:
            reply = session.ask("run", source=self.chapter, name="chapter", seconds=CHAPTER_SECONDS)
        except Died as death:
            raise RuntimeError(f"the sandbox ended before any student code ran ({death.how})") from None
        if "raised" in reply:
            raise RuntimeError(f"the chapter's own code raised {reply['raised']}: {reply['message']}")
        for exercise in self.tasks:
            session.ask("run", source=exercise.stub, name="stub")
        session.ask("remember")
        for place in range(len(self.own)):
            if self.spent > TOTAL * self.task.seconds:
                self.restored.note("took too long in all; its last cells were not run", person=True)
                break
            if place not in self.skipped:
                self._run_cell(session, place)
                self._judge_all(session, lambda e, place=place: self.restored.answers.get(e.name) == place)
        self._judge_all(session, lambda e: True)
        with suppress(Died):
            oddities.note_changes(self.restored, session.ask("changes"))

    def _run_cell(self, session, place):
        what, start = f"cell {place + 1} of the student's own", time.monotonic()
        self.ran.add(place)
        try:
            reply = session.ask("run", source=self.own[place], name=f"cell {place + 1}")
            with untrusted():
                oddities.heed(self.restored, reply)
                error, text = (printable(reply.get(name, ""))[:500] for name in ("raised", "message"))
            if error == "MemoryError":
                raise Died("memory")
        except Died as death:
            end = self._end(death)
            self.skipped.add(place)
            self.errors[place] = Part("It {end}", end=end)
            self.restored.note(f"{what} {end}", person=True)
            raise
        finally:
            self.spent += time.monotonic() - start
        if error and error != "NotImplementedError":
            self.errors[place] = Part("{error}: {text}" if text else "{error}", error=error, text=text)
            strange = place in self.restored.answers.values() and error in ("SyntaxError", "NameError")
            self.restored.note(f"{what} stopped with {self.errors[place]}", person=strange)

    def _end(self, death):
        return Part(DEATHS[death.how], seconds=self.task.seconds)

    def _judge_all(self, session, asked):
        """Judge the exercises that are asked for and not yet settled."""
        for exercise in self.tasks:
            if exercise.name not in self.settled and asked(exercise):
                self.verdicts[exercise.name] = self._judge(session, exercise)
                if self.verdicts[exercise.name].status == "right":
                    self.settled.add(exercise.name)

    def _judge(self, session, exercise):
        session.deadline = time.monotonic() + TOTAL * self.task.seconds
        try:
            said = checking.check(session, exercise, self.task.seeds, self.restored)
            return Verdict("right", "\n".join(map(str, said)))
        except checks.NotAttempted as reason:
            place = self.restored.answers.get(exercise.name)
            if place in self.errors:
                return Verdict.of(
                    "wrong", checks.Wrong(Part("Your cell did not run. {error}", error=self.errors[place]))
                )
            if place is not None and place not in self.ran:
                return Verdict("unclear", "The cells before it took too long, so yours was not run.")
            return Verdict.of("not attempted", reason)
        except checks.Wrong as reason:
            return Verdict.of("wrong", reason)
        except Died as death:
            self.settled.add(exercise.name)
            message = checks.Wrong(Part("Your function {end}", end=self._end(death)))
            self.verdicts[exercise.name] = Verdict.of("wrong", message)
            self.restored.note(str(message), exercise.name, person=True)
            raise
        except Exception as error:
            form, kind = "The check could not judge this: {error}: {text}", type(error).__name__
            verdict = Verdict.of("unclear", checks.Wrong(Part(form, error=kind, text=str(error)[:500])))
            self.restored.note(verdict.message, exercise.name, person=True)
            return verdict
        finally:
            session.deadline = inf
