"""Right and wrong answers to every exercise, by name.

`tests/test_checks.py` puts them to the checks, `tools/instructors_page.py` prints them in the instructors' page.
A wrong answer stands with words of the question that it must meet and, where it is a usual one, with what it reveals
about whoever gave it.
"""

from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import NamedTuple


class Fault(NamedTuple):
    answer: object
    told: str | dict  # words of the reason or the question, or values of what was seen
    reveals: str = ""


def stub(*_):
    raise NotImplementedError


@dataclass(frozen=True)
class Exercise:
    """The check of an exercise and the answers that it must accept and refuse.

    An answer is a function that returns `results` results, or a tuple of predicted numbers. Where the exercise also
    asks for the name of a test, or for what it prints, `named` is the right one and `names` are others (with what they
    are told). `like` is an exercise whose wrong
    answers must be refused here, too. `formula` gives the numbers that are right for a student's own inputs.
    """

    check: object
    serves: str  # items of the list of what the source notes say, instructors_page.ITEMS
    right: dict
    wrong: dict
    results: int = 0
    named: str | float = ""
    names: tuple | dict = ()
    like: "Exercise | None" = None
    formula: object = None

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

    def accepted(self):
        return {name: self.arguments(answer) for name, answer in self.right.items()}

    def faults(self):
        """The wrong answers, with those that any exercise of the kind must refuse."""
        malformed = {}
        if self.formula:
            malformed["a word"] = (*self.first[:-1], "many"), {"answer": "'many'"}
        if self.results:
            malformed["nothing"] = lambda *_: None, "end with a return"
        if self.results == 1:
            malformed["two results"] = lambda *given: (self.first(*given), 1), "Which of the results was asked for"
        if self.results == 2:
            malformed["one result"] = lambda *given: self.first(*given)[0], "How many results does your function return"
            malformed["weights first"] = lambda *given: self.first(*given)[::-1], "Which of the two comes first"
        return {name: Fault(*fault) for name, fault in (self.wrong | malformed).items()}

    def refused(self):
        """Name -> (arguments, what they are told, what they reveal), the wrong names of tests among them."""
        faults = {name: fault._replace(answer=self.arguments(fault.answer)) for name, fault in self.faults().items()}
        for name in self.names:
            told = self.names[name] if isinstance(self.names, dict) else {"named": repr(name)}
            faults[f"names “{name}”"] = Fault(self.arguments(self.first, name), told)
        return faults

    def untouched(self):
        """What the check is given as long as something is left to do."""
        if isinstance(self.first, tuple):
            return [(*self.first[:i], *[...] * (len(self.first) - i)) for i in range(len(self.first))]
        return [self.arguments(stub, ...), *([(self.first, ...)] if self.named else [])]


EXERCISES = {
    name: exercise
    for chapter in iter_modules(__path__)
    for name, exercise in import_module(f"{__name__}.{chapter.name}").EXERCISES.items()
}
