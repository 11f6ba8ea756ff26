"""How a check asks an answer, compares, and speaks.

What it says is made of parts, English templates with values, which become sentences here and nowhere else. So messages
can be compared without reading them, and another language needs a translation of the templates alone (`_language`).
"""

import re
from contextlib import contextmanager
from contextvars import ContextVar
from copy import deepcopy

import numpy as np

from ._language import translated

RIGHT = "Right: {what}"
listener = ContextVar("listener", default=print)  # what is told that an answer holds: the page, or who grades


class Part:
    """A template in English and the values of its {fields}; a value may be a part again.

    What a student wrote, or what their function raised, is a value and never a template.
    """

    def __init__(self, template, /, **values):
        self.template, self.values = template, values

    def __str__(self):
        template = translated(self.template)
        return template.format(**self.values) if self.values else template


def _part(said):
    return Part(said) if isinstance(said, str) else said


class _Message(Exception):
    """What was seen, what was expected, and a question: parts, or str for templates without fields; each optional."""

    opening = "{message}"
    share = 0  # of the exercise, which holds all the same

    def __init__(self, seen=None, expected=None, question=None):
        super().__init__()
        self.seen, self.expected, self.question = map(_part, (seen, expected, question))

    def parts(self):
        """Return {'seen': part, 'expected': part, 'question': part} without those that are missing."""
        return {name: said for name in ("seen", "expected", "question") if (said := getattr(self, name))}

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


def shapes(**arguments):
    """Return 'query (2, 4), key (5, 4)'; a plain number is given as it is, a function left out."""
    said = {name: tuple(x.shape) if hasattr(x, "shape") else x for name, x in arguments.items() if not callable(x)}
    return ", ".join(f"{name} {form}" for name, form in said.items())


def ask(answer, /, **arguments):
    """Call a student's function on copies of the arguments and return its one result, as NumPy.

    Raises
    ------
    NotAttempted
        The function is the stub.
    Wrong
        It raises, returns nothing, several results or no numbers, or changes its arguments.
    """
    got = _call(answer, arguments)
    if isinstance(got, tuple):
        raise Wrong(Part("There are {number} results", number=len(got)), "one", "Which of the results was asked for?")
    return as_numpy(got)


def ask_two(names, answer, /, **arguments):
    """Like `ask`, for a function with two results; `names` says which."""
    got = _call(answer, arguments)
    if not (isinstance(got, (tuple, list)) and len(got) == 2):
        seen = Part("{function} does not return two results", function=_name(answer))
        raise Wrong(seen, Part("{names}", names=names), "How many results does your function return?")
    return tuple(map(as_numpy, got))


def _name(answer):
    return getattr(answer, "__name__", "your function")


MISFIT = re.compile("broadcast|mismatch|must match|shapes? cannot|could not be aligned|not aligned")
MISFIT_ASKS = "Which two shapes meet in that line, and where would an axis of length 1 make them fit?"


def _call(answer, arguments):
    function = _name(answer)
    if not callable(answer):
        got = Part("The check was given {kind} {answer}", kind=type(answer).__name__, answer=repr(answer))
        raise Wrong(got, "a function")
    given = deepcopy(arguments)
    try:
        got = answer(*given.values())
    except Wrong:
        raise
    except Exception as error:
        if isinstance(error, NotImplementedError) and not str(error):  # the stub's; torch's has a text
            raise NotAttempted(Part("{function} still raises NotImplementedError", function=function)) from None
        raised = {"function": function, "error": type(error).__name__, "text": str(error).strip()}
        seen = Part("With {given}, {function} raised {error}: {text}", given=shapes(**arguments), **raised)
        raise Wrong(seen, question=MISFIT_ASKS if MISFIT.search(str(error)) else None) from error
    if got is None:
        seen = Part("{function} returned None", function=function)
        raise Wrong(seen, question="Does your function end with a return?")
    for name, value in arguments.items():
        if not callable(value) and not np.array_equal(value, given[name], equal_nan=True):
            seen = Part("{function} changed its argument {argument}", function=function, argument=name)
            raise Wrong(seen, question="Where does your function write into an array that the caller still needs?")
    return got


def as_numpy(got):
    """Accept NumPy arrays, torch tensors, numbers and lists of numbers as an answer."""
    try:
        array = np.asarray(got.detach().cpu().numpy() if hasattr(got, "detach") else got)
        if array.dtype.kind in "biuf":
            return array
    except (ValueError, TypeError, RuntimeError):
        pass  # rows of different length, or tensors in a list
    seen = Part("A result has the type {kind}", kind=type(got).__name__)
    raise Wrong(seen, "an array of numbers", "Could np.array make a table of it?")


def entry(name, index):
    """The position in an array as Python writes it, counted from 0: 'weights[1]', 'weights[0, 2]'."""
    return Part("{name}{index}", name=name, index=[*map(int, index)]) if len(index) else Part(name)


def need_order(names, got, expected):
    """Raise Wrong if two results come in the wrong order, as their shapes tell."""
    if got[0].shape == expected[1].shape != expected[0].shape == got[1].shape:
        seen = "The shapes are those of the two results exchanged"
        raise Wrong(seen, Part("{names}, in this order", names=names), "Which of the two comes first in yours?")


def need_shape(name, got, expected, given, question="Which axis should remain?"):
    """Raise Wrong unless the array has the expected shape."""
    if got.shape != expected:
        seen = Part("With {given}, {name} has shape {shape}", given=given, name=Part(name), shape=got.shape)
        raise Wrong(seen, Part("{shape}", shape=expected), question)


def need_finite(name, got, given, question):
    """Raise Wrong if the array has NaN or infinity, which here mostly means that exp overflowed."""
    if not np.isfinite(got).all():
        raise Wrong(Part("With {given}, {name} has NaN or infinity", given=given, name=Part(name)), question=question)


def need_rows_sum_to_one(weights, given, question="By what is each row divided?", where=True):
    """Raise Wrong, naming the first row, unless every row of weights (of those in `where`) sums to 1."""
    sums = weights.sum(axis=-1)
    for index in np.argwhere((np.abs(sums - 1) > 1e-4) & where)[:1]:
        seen = {"given": given, "entry": entry("weights", index), "sum": float(sums[tuple(index)])}
        if weights.ndim > 1 and np.allclose(weights.sum(axis=-2), 1):
            question = "The columns do sum to 1: which axis did you normalise?"
        raise Wrong(Part("With {given}, {entry} sums to {sum:.4g}, not 1", **seen), question=question)


def need_close(name, got, expected, question, known=()):
    """Raise Wrong, naming the first position, where two arrays differ by more than 32-bit numbers explain.

    `question` is asked unless one of the `known` wrong results, each with a question of its own, equals what was got.
    """
    for index in np.argwhere(~np.isclose(got, expected, rtol=1e-4, atol=1e-5))[:1]:
        number, right = (Part("{number:.4f}", number=float(array[tuple(index)])) for array in (got, expected))
        seen = Part("{entry} is {number}", entry=entry(name, index), number=number)
        if str(number) == str(right):
            raise Wrong(seen, right, "They differ in a later digit. Is yours rounded, or held in 16 bits?")
        raise Wrong(seen, right, question_for(got, known, question))


def question_for(got, known, otherwise):
    """The question that belongs to the first of the known wrong results which equals what was got."""
    return next((q for wrong, q in known if np.shape(wrong) == np.shape(got) and np.allclose(got, wrong)), otherwise)


def choose(answer, right, reasons, *, digits, hint):
    """Compare a predicted number with the right one, both rounded, and say why a known wrong one is wrong.

    Raises
    ------
    NotAttempted
        The answer is None or Ellipsis.
    Wrong
        The answer is no number, or not the right one; `reasons` maps known wrong numbers to what they forget and the
        question for it, and `hint` is the question for any other.
    """
    if answer is None or answer is ...:
        raise NotAttempted("there is no number yet")
    try:
        number = float(answer.detach() if hasattr(answer, "detach") else answer)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        wanted = Part("one rounded to {digits} decimals", digits=digits) if digits else "a whole number"
        raise Wrong(Part("{answer} is no number", answer=repr(answer)), wanted) from None
    if digits and abs(number - right) < 0.5 * 10**-digits:  # more decimals than asked for
        return
    number = round(number, digits) if digits else int(number) if number.is_integer() else number
    if number == round(right, digits):
        return
    for value, (reason, question) in reasons.items():
        if number == round(value, digits):
            seen = Part("{number} is what comes out if {reason}", number=number, reason=_part(reason))
            raise Wrong(seen, question=question)
    raise Wrong(Part("{number} is not it", number=number), question=hint)


def need_named(named, right, reasons):
    """Compare the name of a test, or a sign, with the right one, and say why another would not have shown the mistake.

    It is asked last, when the mended function holds, and that is half of the exercise.

    Raises
    ------
    NotAttempted
        Nothing is named.
    Wrong
        Another one is named; `reasons` maps each of the wrong names to what it would not have seen, and a question.
    """
    if isinstance(named, str) and named == right:
        return
    if named is ... or named is None:
        fault = NotAttempted("the function is mended; nothing is named yet")
    elif isinstance(named, str) and named in reasons:
        reason, question = reasons[named]
        fault = Wrong(Part("Not {named}: {reason}", named=repr(named), reason=_part(reason)), question=question)
    else:
        choice = Part("one of {names}", names=sorted([*reasons, right]))
        fault = Wrong(Part("{named} is none of the four names", named=repr(named)), choice)
    fault.share = 1 / 2
    raise fault


def need_mended(check, answer, seed, named, right, reasons):
    """Check a mended function and the name of what shows its fault; nothing is said to be right unless both are."""
    held = []
    with collecting(held):
        check(answer, seed)
    need_named(named, right, reasons)
    for said in held:
        listener.get()(said)


@contextmanager
def collecting(held):
    """Append to a list what the checks within say of answers that hold, in place of printing it."""
    token = listener.set(held.append)
    try:
        yield
    finally:
        listener.reset(token)


def passed(what, **values):
    """Say that an answer holds, with a template and the values of its fields."""
    listener.get()(Part(RIGHT, what=Part(what, **values)))


def before_handing_in(name, exercises):
    """Run the checks of a notebook, {title: function}; say which are open, how to hand in, and under what file name."""
    for title, check in exercises.items():
        try:
            check()
        except Exception as reason:
            print(Part("{title} is open. {reason}", title=title, reason=reason))
    print(Part("File, Download, .ipynb. Name it {name}.", name=name))
