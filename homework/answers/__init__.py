"""Right and wrong answers to every exercise, by name.

`tests/test_checks.py` puts them to the checks. What each wrong answer is asked is in `homework/wrong_answers.md`,
which `tools/instructors_page.py` writes and `tests/test_instructors.py` compares. Functions are in chNN.py; predicted
numbers and names, what a usual answer reveals, and which items an exercise serves in exercises.toml.
"""

import json
import tomllib
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field, replace
from importlib import import_module
from itertools import chain
from pathlib import Path
from pkgutil import iter_modules

import numpy as np
import torch


def watch(answer, see):
    """The answer, or None if `see` of the sizes that it is given is False: shapes, lengths of iterators, numbers."""

    def small(*given):
        given = [[*one] if isinstance(one, Iterator) else one for one in given]
        shapes = [getattr(one, "shape", (len(one) if isinstance(one, list | str | dict) else one,)) for one in given]
        if not see([tuple(size for size in shape if isinstance(size, int | float)) for shape in shapes]):
            return None
        return answer(*(iter(one) if isinstance(one, list) else one for one in given))

    return small


def convert(answer, give, give_back):
    """The answer, which converts the arrays it is given, and its results."""

    def converted(*given):
        got = answer(*(give(one) if isinstance(one, np.ndarray) else one for one in given))
        return tuple(map(give_back, got)) if isinstance(got, tuple) else give_back(got)

    return converted


def scribble(answer):
    """The answer, which spoils the arrays it was given once it has its results."""

    def scribbling(*given):
        got = deepcopy(answer(*given))
        for one in given:
            if isinstance(one, np.ndarray):
                one[...] = 0
        return got

    return scribbling


def stub(*_):
    raise NotImplementedError


@dataclass(frozen=True)
class Exercise:
    """The check of an exercise and the answers that it must accept and refuse.

    An answer is a function that returns `results` results, or a tuple of predicted numbers. Where the exercise also
    asks for the name of a test, or for what it prints, `named` is the right one and `names` are others, perhaps with
    words of the message that each must meet. `like` is an exercise whose wrong answers must also be refused here.
    `formula` gives the numbers that are right for a student's own inputs.
    """

    check: object
    right: dict = field(default_factory=dict)
    wrong: dict = field(default_factory=dict)
    results: int = 0
    named: str | float | tuple = ""
    names: tuple | dict = ()
    like: "Exercise | None" = None
    formula: object = None
    serves: str = ""  # items of the list of what the source notes say, instructors_page.ITEMS
    reveals: dict = field(default_factory=dict)  # what some wrong answers reveal about the student

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
        """Return {name: arguments of the check}, with what the first right answer may return instead of arrays."""
        right = dict(self.right)
        if callable(self.first):
            right["lists"] = convert(self.first, np.array, lambda result: np.asarray(result).tolist())
            right["torch tensors"] = convert(
                self.first,
                lambda given: torch.tensor(given).numpy(),
                lambda got: got if isinstance(got, list) else torch.as_tensor(got),
            )
            right["writes into its arguments"] = scribble(self.first)
        return {name: self.arguments(answer) for name, answer in right.items()}

    def list_wrong(self):
        """Return {name: answer}, with those that every exercise of the kind must refuse."""
        wrong = dict(self.wrong)
        if self.formula:
            wrong["a word"] = (*self.first[:-1], "many")
        if callable(self.first):
            # which no trial may leave out
            wrong["nothing above size 9"] = watch(self.first, lambda shapes: all(size <= 9 for size in chain(*shapes)))
        if self.results:
            wrong["nothing"] = lambda *_: None
        if self.results == 1:
            wrong["two results"] = lambda *given: (self.first(*given), 1)
        if self.results == 2:
            wrong["one result"] = lambda *given: self.first(*given)[0]
            wrong["weights first"] = lambda *given: self.first(*given)[::-1]
        return wrong

    def list_refused(self):
        """Return {name: arguments of the check}, wrong names of tests among them."""
        refused = {name: self.arguments(answer) for name, answer in self.list_wrong().items()}
        return refused | {f"names “{name}”": self.arguments(self.first, name) for name in self.names}

    def list_untouched(self):
        """Return what the check is given as long as something is left to do."""
        if isinstance(self.first, tuple):
            return [(*self.first[:i], *[...] * (len(self.first) - i)) for i in range(len(self.first))]
        return [self.arguments(stub, ...), *([(self.first, ...)] if self.named else [])]


def to_tuple(value):
    return tuple(value) if isinstance(value, list) else value


def add_data(exercise, right=None, wrong=(), named="", names=(), **others):
    """Return the exercise with its part of exercises.toml."""
    if right:
        given = {"as asked for": tuple(right)}
        given |= {kind.__name__: tuple(map(kind, right)) for kind in (float, np.float64, torch.tensor)}
        given["all decimals"] = exercise.formula(**exercise.check.__wrapped__.__kwdefaults__)
        exercise = replace(exercise, right=given)
    wrong = {name: tuple(one) if isinstance(one, list) else (exercise.first, one) for name, one in dict(wrong).items()}
    names = {json.loads(name): names[name] for name in names} if isinstance(names, dict) else [*map(to_tuple, names)]
    return replace(exercise, wrong=exercise.wrong | wrong, named=to_tuple(named), names=names, **others)


DATA = tomllib.loads((Path(__file__).parent / "exercises.toml").read_text("utf-8"))
EXERCISES = {
    name: add_data(exercise, **DATA[name])
    for chapter in iter_modules(__path__)
    for name, exercise in import_module(f"{__name__}.{chapter.name}").EXERCISES.items()
}
