"""JUDGE: put each answer to the checks of its exercise and keep a verdict. Nothing is 0 in silence.

The checks run out here and reach the answers in the sandbox as values, so what the student's code prints, patches or
forges changes no score: it can only make its own functions return other numbers. What was written and cannot be judged
is for a person.
"""

import re
from dataclasses import dataclass, field
from inspect import signature

from attention_course import checks
from attention_course.checks import Part

from .likeness import find_likely_names, is_begun
from .proxies import NotHere, find_answers
from .read import printable
from .sandbox import DEATHS, Died


@dataclass
class Verdict:
    """What a check says of an answer."""

    status: str  # right, partly right, wrong, not attempted, unclear
    message: str
    parts: dict = field(default_factory=dict)  # of the message, as plain data
    share: float = 0  # of the points
    english: str = ""  # the message for whoever teaches

    @classmethod
    def from_message(cls, status, message):
        """The verdict with what a check said."""
        parts = {name: _as_data(part) for name, part in message.parts().items()}
        say, status = (message.open, "partly right") if message.share else (message.__str__, status)
        with checks.speaking("en"):
            english = printable(say())[:2000]
        return cls(status, printable(say())[:2000], parts, message.share, english)

    @classmethod
    def unclear(cls, seen):
        """The verdict on what a person has to judge."""
        return cls.from_message("unclear", checks.Wrong(seen))


def _as_data(value):
    """A part of a message, or a message in it, as data that every file can hold."""
    if isinstance(value, checks.Wrong | checks.NotAttempted):
        value = Part("", **value.parts())
    if isinstance(value, Part):
        return {"template": value.template, "values": {name: _as_data(v) for name, v in value.values.items()}}
    return printable(value)[:2000] if isinstance(value, str) else value


class Judge:
    """The verdicts on one submission, of which a later one replaces an earlier one until the answer is settled."""

    def __init__(self, restored, exercises, seeds):
        self.restored, self.exercises, self.seeds = restored, exercises, seeds
        self.settled = set()  # exercises that are right, or whose answer ended its sandbox
        self.verdicts = {e.name: Verdict.unclear(Part("The notebook did not run to its end.")) for e in exercises}

    def judge_cell(self, session, place, run):
        """Judge the answers that stand in a cell which has just been run."""
        for exercise in self.exercises:
            if exercise.name not in self.settled and place == self.restored.answers.get(exercise.name):
                self._keep(exercise, self._judge(session, exercise, run))

    def judge_rest(self, session, run):
        """Judge what is not settled when all cells have run, also under other names."""
        for exercise in self.exercises:
            if exercise.name not in self.settled:
                verdict = self._judge(session, exercise, run)
                if verdict.status == "not attempted":
                    verdict = self._judge_elsewhere(session, exercise, run) or self._explain(exercise, verdict, run)
                self._keep(exercise, verdict)

    def leave_losses_to_person(self, run):
        """Where an answer depends on what a cell did not come to make, the answer may be right on another machine."""
        for exercise in self.exercises:
            verdict = self.verdicts[exercise.name]
            if exercise.name not in self.settled and verdict.status != "unclear":
                if reason := run.find_loss(exercise, re.search(r"NameError: .*?'(\w+)'", verdict.english)):
                    self._keep(exercise, self._leave_to_person(exercise, reason))

    def list_stubs(self):
        """The stubs of functions that are not written yet and that another exercise uses."""
        asked = [name for exercise in self.exercises for name in exercise.asked]
        unanswered = [exercise for exercise in self.exercises if exercise.name not in self.restored.answers]
        return [exercise.stub for exercise in unanswered if asked.count(exercise.asked[0]) > 1]

    def _keep(self, exercise, verdict):
        self.verdicts[exercise.name] = verdict
        if verdict.status == "right":
            self.settled.add(exercise.name)

    def _judge(self, session, exercise, run, renamed=None):
        """Return what the checks say of an answer as it is in the sandbox now."""
        try:
            messages = check(session, exercise, self.seeds, self.restored, renamed)
            return Verdict("right", "\n".join(map(str, messages)), share=1)
        except checks.NotAttempted as reason:
            if reason.share and exercise.name in self.restored.texts:
                self.restored.note(self._text_beside(exercise), exercise.name, person=True)
            return Verdict.from_message("not attempted", reason)
        except checks.Wrong as reason:
            verdict = Verdict.from_message("wrong", reason)
            if reason.for_person:
                return self._leave_to_person(exercise, reason)
            return verdict
        except NotHere as missing:
            return self._leave_to_person(exercise, str(missing))
        except Died as death:
            if death.how != "late":
                self.settled.add(exercise.name)
                end = Part(DEATHS[death.how], seconds=run.seconds)
                message = checks.Wrong(Part("Your function {end}", end=end))
                self.verdicts[exercise.name] = Verdict.from_message("wrong", message)
                self.restored.note(message, exercise.name, person=True)
            raise
        except Exception as error:
            form, kind = "The check could not judge this: {error}: {text}", type(error).__name__
            message = checks.Wrong(Part(form, error=kind, text=str(error)[:500]))
            self.restored.note(message, exercise.name, person=True)
            return Verdict.from_message("unclear", message)

    def _judge_elsewhere(self, session, exercise, run):
        """The verdict on an answer that stands under another name, if there is one that holds."""
        likely, far = find_likely_names(exercise, self.restored, self.exercises)
        verdicts = []
        for name in likely[:5]:
            verdicts.append(self._judge(session, exercise, run, {exercise.asked[0]: name}))
            if verdicts[-1].share:
                self.restored.note(f"the answer stands under the name {name[:60]}, and counts", exercise.name)
                return verdicts[-1]
        attempts = [verdict for verdict in verdicts if verdict.status == "wrong"]
        if len(attempts) == 1 and not far:
            self.restored.note(f"the answer may stand under the name {likely[0][:60]}", exercise.name, person=True)
            return attempts[0]
        if attempts or far:
            candidates = ", ".join(name[:60] for name in [*likely, *far][:5])
            return self._leave_to_person(
                exercise, f"nothing stands under the name that was asked for; is it {candidates}?"
            )
        return None

    def _explain(self, exercise, verdict, run):
        """Return the verdict on a missing answer, which may have been begun."""
        place = self.restored.answers.get(exercise.name)
        if place in run.errors:
            return Verdict.from_message(
                "wrong", checks.Wrong(Part("Your cell did not run. {error}", error=run.errors[place]))
            )
        if place is not None and place not in run.started:
            return Verdict.unclear(Part("The cells before it took too long, so yours was not run."))
        if exercise.name in self.restored.doubtful:
            return Verdict.unclear(Part("What is there is not code."))
        if place is not None and is_begun(exercise.stub, self.restored.own[place]):
            reason = "an answer was begun, but the stub's exception or … is still there"
            return self._leave_to_person(exercise, reason)
        if exercise.name in self.restored.texts:
            return self._leave_to_person(exercise, self._text_beside(exercise))
        return verdict

    def _text_beside(self, exercise):
        return f"the text beside it may be an answer: {printable(self.restored.texts[exercise.name])[:200]}"

    def _leave_to_person(self, exercise, reason):
        self.restored.note(reason, exercise.name, person=True)
        return Verdict.unclear(Part("Whoever teaches you will look at this answer."))


def check(session, exercise, seeds, restored, renamed=None):
    """Run the checks with the visible seed and then with the secret ones; return what they say on the page.

    `renamed` maps names that are asked for to those under which the student has them. Raises what the checks say of an
    answer that does not hold, checks.NotAttempted or checks.Wrong; its `share` is what holds all the same.
    """
    messages, partly = [], None
    for call in exercise.calls:
        function = getattr(checks, call.check)
        answers = find_answers(session, exercise, call.arguments, restored, renamed or {})
        for seed in (None, *(seeds if "seed" in signature(function).parameters else ())):
            options = call.options | ({} if seed is None else {"seed": seed})
            try:
                # what holds for the secret seeds too is no news
                with checks.collecting(messages if seed is None else []):
                    function(*answers, **options)
            except (checks.NotAttempted, checks.Wrong) as reason:
                if not reason.share:
                    raise reason if seed is None else _explain_hidden(reason, exercise, restored) from None
                partly = partly or reason
    if partly:
        raise partly
    return messages


def _explain_hidden(reason, exercise, restored):
    """What is said of an answer that holds for the visible check alone."""
    restored.note("holds for the visible check's numbers and for no others", exercise.name)
    seen = Part("The check on the page passes. With other numbers: {seen}", seen=reason.seen)
    return checks.Wrong(seen, reason.expected, reason.question)
