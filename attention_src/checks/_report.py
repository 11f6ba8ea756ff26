"""How a check asks an answer, compares, and speaks."""

from contextlib import contextmanager
from contextvars import ContextVar
from copy import deepcopy

import numpy as np

listener = ContextVar("listener", default=print)  # who hears that an answer holds: the page, or who grades


class Wrong(AssertionError):
    """The answer was asked and failed; the message says what was seen, what was expected, and asks a question."""

    def _render_traceback_(self):
        return [f"Not yet. {self}"]


class NotAttempted(Exception):
    """The stub is as it was handed out."""

    def _render_traceback_(self):
        return [f"Not attempted yet: {self}"]


def shapes(**arrays):
    """Return 'query (2, 4), key (5, 4)'; a plain number is given as it is, a function left out."""
    said = {name: tuple(x.shape) if hasattr(x, "shape") else x for name, x in arrays.items() if not callable(x)}
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
        raise Wrong(f"Expected one result and got {len(got)}. Which of them was asked for?")
    return as_numpy(got)


def ask_two(names, answer, /, **arguments):
    """Like `ask`, for a function with two results; `names` says which."""
    got = _call(answer, arguments)
    if not (isinstance(got, (tuple, list)) and len(got) == 2):
        raise Wrong(f"Expected two results, {names}. How many does your function return?")
    return tuple(map(as_numpy, got))


def _call(answer, arguments):
    name = getattr(answer, "__name__", "your function")
    if not callable(answer):
        raise Wrong(f"The check needs a function and was given {type(answer).__name__} {answer!r}.")
    given = deepcopy(arguments)
    try:
        got = answer(*given.values())
    except Wrong:
        raise
    except Exception as error:
        if isinstance(error, NotImplementedError) and not str(error):  # the stub's; torch's has a text
            raise NotAttempted(f"{name} still raises NotImplementedError.") from None
        raise Wrong(f"With {shapes(**arguments)}, {name} raised {type(error).__name__}: {error}") from error
    if got is None:
        raise Wrong(f"{name} returned None. Does it end with a return?")
    for key, value in arguments.items():
        if not callable(value) and not np.array_equal(value, given[key], equal_nan=True):
            raise Wrong(
                f"{name} changed its argument {key}. Where does it write into an array that the caller still needs?"
            )
    return got


def as_numpy(got):
    """Accept NumPy arrays, torch tensors, numbers and lists of numbers as an answer."""
    try:
        array = np.asarray(got.detach().cpu().numpy() if hasattr(got, "detach") else got)
        if array.dtype.kind in "biuf":
            return array
    except (ValueError, TypeError, RuntimeError):
        pass  # rows of different length, or tensors in a list
    raise Wrong(f"Expected an array of numbers and got {type(got).__name__}. Could np.array make a table of it?")


def entry(name, place):
    """The place in an array as Python writes it, counted from 0: 'weights[1]', 'weights[0, 2]'."""
    return f"{name}{list(map(int, place))}" if len(place) else name


def need_order(names, got, expected):
    """Raise Wrong if two results come in the wrong order, as their shapes tell."""
    if got[0].shape == expected[1].shape != expected[0].shape == got[1].shape:
        raise Wrong(f"Expected {names}, in this order. Which of the two comes first in yours?")


def need_shape(name, got, expected, arguments, hint="Which axis should remain?"):
    """Raise Wrong unless the array has the expected shape."""
    if got.shape != expected:
        raise Wrong(f"With {arguments}, {name} has shape {got.shape}; expected {expected}. {hint}")


def need_finite(name, got, arguments, hint):
    """Raise Wrong if the array has NaN or infinity, which here mostly means that exp overflowed."""
    if not np.isfinite(got).all():
        raise Wrong(f"With {arguments}, {name} has NaN or infinity. {hint}")


def need_rows_sum_to_one(weights, arguments, hint="By what is each row divided?", where=True):
    """Raise Wrong, naming the first row, unless every row of weights (of those in `where`) sums to 1."""
    sums = weights.sum(axis=-1)
    for place in np.argwhere((np.abs(sums - 1) > 1e-4) & where)[:1]:
        seen = f"With {arguments}, {entry('weights', place)} sums to {sums[tuple(place)]:.4g}, not 1."
        if weights.ndim > 1 and np.allclose(weights.sum(axis=-2), 1):
            raise Wrong(f"{seen} The columns do sum to 1: which axis did you normalise?")
        raise Wrong(f"{seen} {hint}")


def need_close(name, got, expected, hint):
    """Raise Wrong, naming the first place, where two arrays differ by more than 32-bit numbers explain."""
    for place in np.argwhere(~np.isclose(got, expected, rtol=1e-4, atol=1e-5))[:1]:
        seen, right = f"{got[tuple(place)]:.4f}", f"{expected[tuple(place)]:.4f}"
        if seen == right:
            hint = "They differ in a later digit. Is yours rounded, or held in 16 bits?"
        raise Wrong(f"{entry(name, place)} is {seen}; expected {right}. {hint}")


def question_for(got, known, otherwise):
    """The question that belongs to the first of the known wrong results which equals what was got."""
    return next((q for wrong, q in known if np.shape(wrong) == np.shape(got) and np.allclose(got, wrong)), otherwise)


def choose(
    answer, right, reasons, *, digits, hint="What is the gap between the two scores, and what is e raised to it?"
):
    """Compare a predicted number with the right one, both rounded, and say why a known wrong one is wrong.

    Raises
    ------
    NotAttempted
        The answer is None or Ellipsis.
    Wrong
        The answer is no number, or not the right one; `reasons` maps known wrong numbers to what they forget, and
        `hint` is the question for any other.
    """
    if answer is None or answer is ...:
        raise NotAttempted("there is no number yet.")
    try:
        number = float(answer.detach() if hasattr(answer, "detach") else answer)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        wanted = f"one rounded to {digits} decimals" if digits else "a whole number"
        raise Wrong(f"{answer!r} is no number; expected {wanted}.") from None
    number = round(number, digits) if digits else int(number) if number.is_integer() else number
    if number == round(right, digits):
        return
    for value, reason in reasons.items():
        if number == round(value, digits):
            raise Wrong(f"{number} is what comes out if {reason}")
    raise Wrong(f"{number} is not it. {hint}")


def need_named(caught_by, right, reasons, kind="test"):
    """Compare the name of a test, or a sign, with the right one, and say why another would not have shown the mistake.

    Raises
    ------
    NotAttempted
        Nothing is named.
    Wrong
        Another one is named; `reasons` maps each of the wrong names to what it would not have seen.
    """
    if caught_by is ... or caught_by is None:
        raise NotAttempted(f"the function is mended; no {kind} is named yet.")
    if isinstance(caught_by, str) and caught_by in reasons:
        raise Wrong(f"Not {caught_by!r}: {reasons[caught_by]}")
    if not isinstance(caught_by, str) or caught_by != right:
        raise Wrong(f"{caught_by!r} is none of the four {kind}s; expected one of {sorted([*reasons, right])}.")


@contextmanager
def heard_by(said):
    """Append what the checks within say to a list, in place of printing it."""
    token = listener.set(said.append)
    try:
        yield
    finally:
        listener.reset(token)


@contextmanager
def all_or_nothing():
    """Let be heard that an answer holds only if all the checks within pass."""
    said = []
    with heard_by(said):
        yield
    for text in said:
        listener.get()(text)


def passed(what):
    listener.get()(f"Right: {what}")
