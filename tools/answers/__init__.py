"""Right and wrong answers to every exercise, by name.

`tests/test_checks.py` puts them to the checks, `tools/instructors_page.py` prints them in the instructors' page.
A wrong answer stands with words of the question that it must meet and, where it is a usual one, with what it reveals
about whoever gave it.
"""

from dataclasses import dataclass, field
from typing import NamedTuple


class Fault(NamedTuple):
    answer: object
    question: str
    reveals: str = ""


def stub(*_):
    raise NotImplementedError


@dataclass(frozen=True)
class Exercise:
    """The check of an exercise and the answers that it must accept and refuse.

    An answer is a function, or a tuple of predicted numbers. Where the exercise also asks for the name of a test,
    `named` is the right one and `names` maps each of the others to words of its reason. `like` is an exercise whose
    wrong answers must be refused here, too. `formula` gives the numbers that are right for a student's own inputs.
    """

    check: object
    serves: str  # items of the list of what the source notes say, instructors_page.ITEMS
    right: dict
    wrong: dict
    named: str = ""
    names: dict = field(default_factory=dict)
    like: "Exercise | None" = None
    formula: object = None

    def arguments(self, answer, named=None):
        """The answer as the check takes it."""
        if isinstance(answer, tuple):
            return answer
        return (answer, named or self.named) if self.named else (answer,)

    def accepted(self):
        return {name: self.arguments(answer) for name, answer in self.right.items()}

    def refused(self):
        """Name -> (arguments, words of the question, what it reveals), the wrong names of tests among them."""
        first = next(iter(self.right.values()))
        faults = {name: Fault(*fault) for name, fault in self.wrong.items()}
        faults = {name: fault._replace(answer=self.arguments(fault.answer)) for name, fault in faults.items()}
        for name, reason in self.names.items():
            faults[f"names “{name}”"] = Fault(self.arguments(first, name), reason)
        return faults

    def untouched(self):
        """What the check is given as long as something is left to do."""
        first = next(iter(self.right.values()))
        if isinstance(first, tuple):
            return [(*first[:i], *[...] * (len(first) - i)) for i in range(len(first))]
        return [self.arguments(stub, ...), *([(first, ...)] if self.named else [])]


from . import (  # noqa: E402  the modules need Exercise
    alignment,
    blocks,
    cost,
    definition,
    heads,
    learning,
    masks,
    museum,
    pictures,
    projection,
    softmax,
)

CHAPTERS = (definition, softmax, alignment, projection, masks, heads, blocks, pictures, learning, museum, cost)
EXERCISES = {name: exercise for chapter in CHAPTERS for name, exercise in chapter.EXERCISES.items()}
