"""How a check asks an answer, compares, and speaks."""

from copy import deepcopy

import numpy as np


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


def ask(answer, **arguments):
    """Call a student's function on copies of the arguments and return what it returns, as NumPy.

    Raises
    ------
    NotAttempted
        The function is the stub.
    Wrong
        It raises, returns nothing, or changes its arguments.
    """
    name = getattr(answer, "__name__", "your function")
    if not callable(answer):
        raise Wrong(f"The check needs a function and was given {type(answer).__name__} {answer!r}.")
    given = deepcopy(arguments)
    try:
        got = answer(*given.values())
    except NotImplementedError:
        raise NotAttempted(f"{name} still raises NotImplementedError.") from None
    except Exception as error:
        raise Wrong(f"With {shapes(**arguments)}, {name} raised {type(error).__name__}: {error}") from error
    if got is None:
        raise Wrong(f"{name} returned None. Does it end with a return?")
    for key, value in arguments.items():
        if not callable(value) and not np.array_equal(value, given[key], equal_nan=True):
            raise Wrong(
                f"{name} changed its argument {key}. Where does it write into an array that the caller still needs?"
            )
    return tuple(map(as_numpy, got)) if isinstance(got, tuple) else as_numpy(got)


def as_numpy(array):
    """Accept NumPy arrays, torch tensors and numbers as an answer."""
    return np.asarray(array.detach().numpy() if hasattr(array, "detach") else array)


def need_shape(name, got, expected, arguments):
    """Raise Wrong unless the array has the expected shape."""
    if got.shape != expected:
        raise Wrong(f"With {arguments}, {name} has shape {got.shape}; expected {expected}. Which axis should remain?")


def need_finite(name, got, arguments):
    """Raise Wrong if the array has NaN or infinity, which here means that exp overflowed."""
    if not np.isfinite(got).all():
        raise Wrong(f"With {arguments}, {name} has NaN or infinity. What does exp do to a score of 1000?")


def need_rows_sum_to_one(weights, arguments):
    """Raise Wrong, naming the first row, unless every row of weights sums to 1."""
    sums = weights.sum(axis=-1)
    for index in np.argwhere(np.abs(sums - 1) > 1e-5)[:1]:
        place, total = tuple(map(int, index)), sums[tuple(index)]
        seen = f"With {arguments}, row {place[-1] + 1 if place else 1} of the weights sums to {total:.2f}, not 1."
        if np.allclose(weights.sum(axis=-2), 1):
            raise Wrong(f"{seen} The columns do sum to 1: which axis did you normalise?")
        raise Wrong(f"{seen} By what is each row divided?")


def need_close(name, got, expected, hint):
    """Raise Wrong, naming the first place, where two arrays differ."""
    apart = np.argwhere(~np.isclose(got, expected, rtol=1e-5, atol=1e-7))
    if len(apart):
        place = tuple(map(int, apart[0]))
        raise Wrong(f"{name}{list(place)} is {got[place]:.4f}; expected {expected[place]:.4f}. {hint}")


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
        number = round(float(answer), digits)
    except (TypeError, ValueError):
        raise Wrong(f"{answer!r} is no number; expected one rounded to {digits} decimals.") from None
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
    if caught_by in reasons:
        raise Wrong(f"Not {caught_by!r}: {reasons[caught_by]}")
    if caught_by != right:
        raise Wrong(f"{caught_by!r} is none of the four {kind}s; expected one of {[*reasons, right]}.")


def passed(what):
    print(f"Right: {what}")
