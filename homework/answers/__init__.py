"""Right and wrong answers to every exercise, by name.

`tests/test_checks.py` puts them to the checks, `tools/instructors_page.py` prints them for instructors, together with
what a usual wrong answer reveals about whoever gave it (reveals.toml).
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import chain
from pathlib import Path
from pkgutil import iter_modules
from typing import NamedTuple


def up_to_nine(answer):
    """The answer, but None for an argument with a size above 9, which no trial may leave out."""

    def small(*given):
        given = [[*one] if isinstance(one, Iterator) else one for one in given]
        sizes = [getattr(one, "shape", ()) or (len(one) if isinstance(one, list) else one,) for one in given]
        if any(isinstance(size, int | float) and size > 9 for size in chain(*sizes)):
            return None
        return answer(*(iter(one) if isinstance(one, list) else one for one in given))

    return small


class WrongAnswer(NamedTuple):
    answer: object  # as Exercise.right has it, or all arguments of the check
    message: str | dict  # words of the reason or the question that it must meet, or values of what was seen
    reveals: str = ""


def stub(*_):
    raise NotImplementedError


@dataclass(frozen=True)
class Exercise:
    """The check of an exercise and the answers that it must accept and refuse.

    An answer is a function that returns `results` results, or a tuple of predicted numbers. Where the exercise also
    asks for the name of a test, or for what it prints, `named` is the right one and `names` are others with the message
    that each must meet. `like` is an exercise whose wrong answers must also be refused here. `formula` gives the
    numbers that are right for a student's own inputs.
    """

    check: object
    serves: str  # items of the list of what the source notes say, instructors_page.ITEMS
    right: dict
    wrong: dict
    results: int = 0
    named: str | float | tuple = ""
    names: tuple | dict = ()
    like: "Exercise | None" = None
    formula: object = None
    reveals: dict | None = None

    @property
    def first(self):
        return next(iter(self.right.values()))

    def arguments(self, answer, named=None):
        """The answer as the check takes it."""
        if isinstance(answer, tuple):
            return answer
        if self.named == "":
            return (answer,)
        return answer, self.named if named is None else named

    def list_accepted(self):
        """Return {name: arguments of the check}."""
        return {name: self.arguments(answer) for name, answer in self.right.items()}

    def list_wrong(self):
        """Return {name: WrongAnswer}, with those that every exercise of the kind must refuse."""
        wrong = dict(self.wrong)
        if self.formula:
            wrong["a word"] = (*self.first[:-1], "many"), {"answer": "'many'"}
        if callable(self.first):
            wrong["nothing above size 9"] = (up_to_nine(self.first), {"function": "small"})
        if self.results:
            wrong["nothing"] = lambda *_: None, "end with a return"
        if self.results == 1:
            wrong["two results"] = lambda *given: (self.first(*given), 1), "Which of the results was asked for"
        if self.results == 2:
            wrong["one result"] = lambda *given: self.first(*given)[0], "How many results does your function return"
            wrong["weights first"] = lambda *given: self.first(*given)[::-1], "you return first"
        reveals = self.reveals or {}
        return {name: WrongAnswer(*answer, reveals.get(name, "")) for name, answer in wrong.items()}

    def list_refused(self):
        """Return {name: WrongAnswer}, wrong names of tests among them, with the arguments of the check for answers."""
        refused = {
            name: wrong._replace(answer=self.arguments(wrong.answer)) for name, wrong in self.list_wrong().items()
        }
        for name in self.names:
            message = self.names[name] if isinstance(self.names, dict) else {"named": repr(name)}
            refused[f"names “{name}”"] = WrongAnswer(self.arguments(self.first, name), message)
        return refused

    def list_untouched(self):
        """Return what the check is given as long as something is left to do."""
        if isinstance(self.first, tuple):
            return [(*self.first[:i], *[...] * (len(self.first) - i)) for i in range(len(self.first))]
        return [self.arguments(stub, ...), *([(self.first, ...)] if self.named else [])]


REVEALS = tomllib.loads((Path(__file__).parent / "reveals.toml").read_text("utf-8"))
EXERCISES = {
    name: replace(exercise, reveals=REVEALS.get(name))
    for chapter in iter_modules(__path__)
    for name, exercise in import_module(f"{__name__}.{chapter.name}").EXERCISES.items()
}
