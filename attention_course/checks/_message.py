"""What a check says: English templates with values, which become sentences here and nowhere else.

So messages can be compared without reading them, and another language needs translations of the templates alone
(`_language`).
"""

from contextlib import contextmanager
from contextvars import ContextVar

from ._language import translate

RIGHT = "Right: {what}"
listener = ContextVar("listener", default=print)  # called with what is said of a right answer


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


class _Message(Exception):
    """What was seen, what was expected, and a question: parts, or str for templates without fields; each optional."""

    opening = "{message}"
    share = 0  # of the exercise, which holds all the same

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

    def _render_traceback_(self):
        return [str(Part(self.opening, message=self))]


class Wrong(_Message, AssertionError):
    """The answer was asked and failed; its parts `seen`, `expected` and `question`, each optional, make the message."""

    opening = "Not yet. {message}"


class NotAttempted(_Message):
    """The stub is as it was handed out."""

    opening = "Not attempted yet: {message}"


@contextmanager
def collecting(messages):
    """Append to a list what the checks within say of right answers, in place of printing it."""
    token = listener.set(messages.append)
    try:
        yield
    finally:
        listener.reset(token)


@contextmanager
def hold_back():
    """Say what the checks within have to say of right answers after the last of them, and nothing if one raises."""
    messages = []
    with collecting(messages):
        yield
    for message in messages:
        listener.get()(message)


def say_right(what, **values):
    """Say that an answer is right, with a template and the values of its fields."""
    listener.get()(Part(RIGHT, what=Part(what, **values)))


def before_handing_in(name, exercises):
    """Run the checks of a notebook, {title: function}; say which are open, how to hand in, and under what file name."""
    for title, check in exercises.items():
        try:
            check()
        except Exception as reason:
            print(Part("{title} is still open. {reason}", title=title, reason=reason))
    print(Part("Choose File, Download, .ipynb. Name it {name}.", name=name))
