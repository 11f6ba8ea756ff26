"""What a check says: English templates with values, which become sentences here and nowhere else.

So messages can be compared without reading them, and another language needs translations of the templates alone
(`_language`).
"""

import re
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from traceback import walk_tb

import numpy as np

from ._language import translate

RIGHT = "Right: {what}"
INNARDS = re.compile("<.+>|a value of type")  # of Python, or of the grader, which no student has written
listener = ContextVar("listener", default=print)  # called with what is said of a right answer
exercise = ContextVar("exercise", default="")  # the title of the one that is checked, where a cell checks several
remarks = ContextVar("remarks")  # a list of what else is to be said of it
calls = ContextVar("calls")  # a list that grows by one with each call of the student's function


class Part:
    """A template in English and the values of its {fields}; a value may be a part again.

    What a student wrote, or what their function raised, is a value and never a template.
    """

    def __init__(self, template, /, **values):
        self.template, self.values = template, values

    def __str__(self):
        template = translate(self.template)
        return template.format(**self.values) if self.values else template


def as_part(text):
    return Part(text) if isinstance(text, str) else text


def describe(value):
    """What a student wrote in place of a number or a name: as Python writes it, or in words what it is."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, type):
        return Part("the class {name}", name=value.__name__[:60])
    if callable(value):
        return Part("the function {name}", name=getattr(value, "__name__", type(value).__name__)[:60])
    if isinstance(shape := getattr(value, "shape", None), tuple):
        return Part("an array of shape {shape}", shape=tuple(shape))
    text = repr(value)
    plain = value is None or isinstance(value, str | int | float | complex | list | tuple | dict | set)
    if isinstance(value, str) or (plain and not INNARDS.search(text)):
        return text if len(text) <= 60 else f"{text[:60]}…"
    return Part("a value of type {kind}", kind=type(value).__name__)


class _Message(Exception):
    """What was seen, what was expected, and a question: parts, or str for templates without fields; each optional."""

    opening = "{message}"
    share = 0  # of the exercise, which holds all the same
    for_person = False  # might somebody who reads the answer find that it is right?

    def __init__(self, seen=None, expected=None, question=None):
        super().__init__()
        self.seen, self.expected, self.question = map(as_part, (seen, expected, question))

    def parts(self):
        """Return {'seen': part, 'expected': part, 'question': part} without those that are missing."""
        return {name: part for name in ("seen", "expected", "question") if (part := getattr(self, name))}

    def __str__(self):
        known = self.parts()
        both = "{seen}; expected {expected}" if self.seen else "Expected {expected}"
        fact = str(Part(both if self.expected else "{seen}" if self.seen else "", **known))
        if fact and fact[-1] not in ".?!":
            fact += "."
        return f"{fact} {known.get('question', '')}".strip()

    def open(self):
        """Return the message with its opening, as a notebook shows it."""
        return str(Part(self.opening, message=self))

    def _render_traceback_(self):
        return [self.open()]


class Wrong(_Message, AssertionError):
    """The answer was asked and failed; its parts `seen`, `expected` and `question`, each optional, make the message."""

    opening = "Not yet. {message}"
    counts = True  # as one of the wrong answers after which more is told
    asked = None  # (check, answers, options), once a check has raised it
    reached = ()  # how far the check got: how often it called the function, and in which lines it stopped

    def __init__(self, seen=None, expected=None, question=None, nearer=()):
        super().__init__(seen, expected, question)
        self.nearer = nearer  # what else is told somebody who is wrong again, one after the other

    def _render_traceback_(self):
        return ["\n\n".join([self.open(), *(more["wrong"](self) if self.asked else [])])]


class NotAttempted(_Message):
    """The stub is as it was handed out."""

    opening = "Not attempted yet: {message}"


more = {}  # what is said in addition where a person learns: `_again` has both, for "wrong" and for "right"


@contextmanager
def collecting(messages):
    """Append to a list what the checks within say of right answers, in place of printing it."""
    token = listener.set(messages.append)
    try:
        yield
    finally:
        listener.reset(token)


@contextmanager
def half():
    """Let half of the points stand if what is checked within is wrong or missing, because the function is right."""
    try:
        yield
    except _Message as reply:
        reply.share = 1 / 2
        wrong, missing = "Your function is right. {message}", "Your function is right, but {message}"
        reply.opening = wrong if isinstance(reply, Wrong) else missing
        raise


def remark(message):
    """Add a remark to a right answer, at no cost in points. For a wrong answer, the remark is the reason it gets."""
    if (remarked := remarks.get(None)) is not None:
        remarked.append(message)


def hold_back(check):
    """Let a check say at its end what is right and what is remarked, and nothing of either if it raises."""

    @wraps(check)
    def checked(*answers, **options):
        said, remarked, called = [], [], []
        tokens = remarks.set(remarked), calls.set(called)
        try:
            with collecting(said):
                check(*answers, **options)
        except Wrong as reply:
            reached = len(called), *(line for _, line in walk_tb(reply.__traceback__))
            reply = remarked[0] if remarked and not reply.share else reply
            reply.asked, reply.reached = (check, answers, options), reached
            reply.__traceback__ = None  # whose lines tell a learner nothing
            raise reply from None
        finally:
            remarks.reset(tokens[0])
            calls.reset(tokens[1])
        for message in [*said, *(Part("One remark: {message}", message=message) for message in remarked[:1])]:
            listener.get()(message)
        more["right"](check.__name__)

    return checked


def say_right(what, **values):
    """Say that an answer is right, with a template and the values of its fields."""
    listener.get()(Part(RIGHT, what=Part(what, **values)))


def before_handing_in(name, exercises):
    """Run the checks of a notebook, {title: function}; say which are open, how to hand in, and under what file name."""
    for title, check in exercises.items():
        exercise.set(title)
        try:
            check()
        except Exception as reason:
            print(Part("{title} is still open. {reason}", title=title, reason=reason))
    exercise.set("")
    print(Part("Choose File, Download, .ipynb. Name it {name}.", name=name))
