"""How a check draws the sizes of its trials, calls a student's function, and says that it failed or gave no numbers."""

import re
import sys
from contextlib import contextmanager
from contextvars import ContextVar
from copy import deepcopy
from functools import partial, reduce
from itertools import combinations_with_replacement, islice
from math import prod
from unittest.mock import patch

import numpy as np

from ._message import NotAttempted, Part, Wrong, calls, describe, remark

watcher = ContextVar("watcher", default=None)  # calls the function instead, on small sizes: `_again.Watch`


def name_shapes(**arguments):
    """Return 'query of shape (2, 4), p = 2' as a part; functions are left out."""
    given = [
        Part("{name} of shape {shape}", name=name, shape=tuple(x.shape))
        if hasattr(x, "shape")
        else Part("{name} = {value}", name=name, value=x)
        for name, x in arguments.items()
        if not callable(x)
    ]
    return reduce(lambda first, second: Part("{first}, {second}", first=first, second=second), given)


def ask(answer, /, **arguments):
    """Call a student's function on copies of the arguments and return its one result, as NumPy.

    Raises NotAttempted for the stub, and Wrong for a function that raises, returns nothing, several results or no
    numbers. A function that changes its arguments meets a remark.
    """
    got = call(answer, arguments)
    if isinstance(got, tuple):
        raise Wrong(Part("There are {number} results", number=len(got)), "one", "Which of the results was asked for?")
    return as_numpy(got)


def ask_for_two(names, answer, /, **arguments):
    """Like `ask`, for a function with two results; `names` says which."""
    return ask_for(2, names, answer, **arguments)


def ask_for(count, names, answer, /, **arguments):
    """Like `ask`, for a function with two or three results; `names` says which."""
    got = call(answer, arguments)
    if not (isinstance(got, (tuple, list)) and len(got) == count):
        few = "{function} does not return two results" if count == 2 else "{function} does not return three results"
        seen = Part(few, function=_name(answer))
        raise Wrong(seen, Part("{names}", names=names), "How many results does your function return?")
    return tuple(map(as_numpy, got))


PACKAGE = re.compile(r"[/\\]attention_src[/\\]")


def watch(answer, /, **arguments):
    """Call a student's function; return the functions of attention_src that it calls, and whether it meets NaN.

    In the sandbox the other side watches, and leaves on the function what it saw in the last call.
    """
    met = []
    with note_package() as called, note_nan(met):
        call(answer, {name: watch_array(x, met) for name, x in arguments.items()} if IN_BROWSER else arguments)
    return called | set(getattr(answer, "called", ())), bool(met) or getattr(answer, "met_nan", False)


@contextmanager
def note_package():
    """Give a set that grows by the names of the functions of attention_src that are called within."""
    called, before = set(), sys.getprofile()

    def note(frame, event, _):
        if event == "call" and PACKAGE.search(frame.f_code.co_filename):
            called.add(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        yield called
    finally:
        sys.setprofile(None)
        getattr(before, "enable", partial(sys.setprofile, before))()  # a cProfile.Profile is no function


def ask_for_own_lines(answer, /, **arguments):
    """Remark of a function that it calls the package, where it is to do without; grading tells a person instead."""
    with note_package() as called:
        call(answer, arguments)
    if called and not hasattr(answer, "called"):  # which the other side of the sandbox has left there
        remark(
            Wrong("Your function calls attention_src", "your own lines", "What would you write without the package?")
        )


@contextmanager
def note_nan(met):
    """Append to a list whenever NumPy makes NaN of numbers, even where the student silences the warning."""
    errstate, others = np.errstate, ("divide", "over", "under")

    def keep_invalid(**settings):
        return errstate(**{kind: how for kind, how in settings.items() if kind in others})

    with (
        errstate(all="ignore", invalid="call", call=lambda *_: met.append(True)),
        patch.multiple(np, errstate=keep_invalid, seterr=lambda *_, **__: {}),
    ):
        yield


IN_BROWSER = sys.platform == "emscripten"  # where NumPy says nothing of NaN, since WebAssembly has no flags for it


def watch_array(array, met):
    """Return a view of an array; a list grows when NumPy makes NaN of it or of what is computed from it."""

    def note(got):
        if not isinstance(got, np.ndarray | np.floating):
            return got
        met.extend([True] * bool(np.isnan(np.asarray(got)).any()))
        return np.asarray(got).view(Watched)

    class Watched(np.ndarray):
        def __array_ufunc__(self, ufunc, method, *given, out=(), **options):
            given, out = (
                tuple(x.view(np.ndarray) if isinstance(x, Watched) else x for x in some) for some in (given, out)
            )
            return note(getattr(ufunc, method)(*given, **options, **({"out": out} if out else {})))

        def __array_function__(self, function, types, given, options):
            return note(super().__array_function__(function, types, given, options))

    return np.asarray(array).view(Watched)


def _name(answer):
    return getattr(answer, "__name__", "your function")


MISFIT = re.compile("broadcast|mismatch|must match|shapes? cannot|could not be aligned|not aligned")
MOST_TEXT = 300  # characters of what an exception says, which may hold the numbers of a hidden trial
MISFIT_ASKS = "Which two shapes meet in that line, and where would an axis of length 1 make them fit?"
PRODUCT = re.compile("matmul|mat1|dot product|not aligned")
PRODUCT_ASKS = "Which two shapes meet in that product? Its inner lengths must be equal, so which matrix comes first?"


def call(answer, arguments):
    """Return what a student's function returns for copies of the arguments; raises as `ask` does."""
    function = _name(answer)
    if not callable(answer):
        raise Wrong(Part("The check was given {answer}", answer=describe(answer)), "a function")
    given = deepcopy(arguments)
    calls.get([]).append(function)
    try:
        watch = watcher.get()
        got = watch(answer, given) if watch else answer(*given.values())
    except Wrong:
        raise
    except Exception as error:
        if isinstance(error, NotImplementedError) and not str(error):  # the stub's; torch's has a text
            raise NotAttempted(Part("{function} still raises NotImplementedError", function=function)) from None
        raised = {"function": function, "error": type(error).__name__, "text": str(error).strip()[:MOST_TEXT]}
        seen = Part("With {given}, {function} raised {error}: {text}", given=name_shapes(**arguments), **raised)
        question = PRODUCT_ASKS if PRODUCT.search(str(error)) else MISFIT_ASKS if MISFIT.search(str(error)) else None
        raise Wrong(seen, question=question) from error
    if got is None:
        seen = Part("{function} returned None", function=function)
        raise Wrong(seen, question="Does your function end with a return?")
    for name, value in arguments.items():
        numbers = np.asarray(value).dtype.kind in "biufc"  # not a function, a text
        if numbers and not np.array_equal(value, given[name], equal_nan=True):
            seen = Part("{function} changed its argument {argument}", function=function, argument=name)
            remark(Wrong(seen, question="Where does your function write into an array that the caller still needs?"))
    return got


def as_numpy(got):
    """Accept NumPy arrays, torch tensors, numbers and lists of numbers as an answer."""
    try:
        array = np.asarray(got.detach().cpu().numpy() if hasattr(got, "detach") else got)
        if array.dtype.kind in "biuf":
            return array
    except (ValueError, TypeError, RuntimeError):
        pass  # rows of different length, or tensors in a list
    seen = Part("A result has type {kind}", kind=type(got).__name__)
    raise Wrong(seen, "an array of numbers", "Can np.array turn it into a table?")


SMALL, LARGE = np.arange(2, 10), np.arange(10, 16)
TURNS = 8  # of small sizes, each of which comes first once


def draw_sizes(written, seed, fits=lambda *sizes: True):
    """Return a list of sizes for every trial, as they are written for seed 0 and drawn for any other seed.

    A size of 1 stays 1, one up to 9 is drawn from 2 to 9, and a larger one from 10 to 15. Equal sizes of a trial stay
    equal, and a larger one stays larger. So every seed has what the written sizes have, perhaps a single key or values
    as long as keys, while no answer can know the sizes. Sizes for which ``fits(*sizes)`` is False are drawn again.
    """
    if watch := _small():
        few = {new for sizes in written for new in _shrink(sizes, fits)}
        few = sorted(few, key=lambda sizes: (max(sizes), prod(sizes), sizes))
        watch.turns, watch.sizes = min(len(few), TURNS), len(written)
        return [few[(watch.turn + i) % len(few)] for i in range(len(written))]
    if seed == 0:
        return [tuple(sizes) for sizes in written]
    random = np.random.default_rng([seed, 2])
    return [_draw(sizes, random, fits) for sizes in written]


def _small():
    """The one who watches, if it is small cases that are asked for."""
    return watch if (watch := watcher.get()) and watch.turn is not None else None


class Coarse(np.random.Generator):
    """Draws numbers of one decimal, so that nothing is lost when they are shown."""

    def normal(self, *given, **options):
        return np.round(super().normal(*given, **options), 1) + 0.0  # which turns -0.0 into 0.0


def draw_from(seed):
    """Return the generator of this seed, as NumPy does, but a coarse one for small cases."""
    return (Coarse if _small() else np.random.Generator)(np.random.PCG64(seed))


def take_turns(cases):
    """Return the cases to be worked out by hand, another one first each time, if small ones are asked for."""
    if not (watch := _small()):
        return []
    watch.turns = watch.sizes = len(cases)
    return [*cases[watch.turn :], *cases[: watch.turn]]


def by_hand(text, function):
    """Return a function that is shown as this text to somebody who is to work it out."""
    function.by_hand = text
    return function


def _shrink(sizes, fits):
    """Return the smallest sizes that fit, in the same order: (2, 2, 2, 2), (2, 2, 2, 3) and so on for (6, 6, 5, 7)."""
    order = sorted({size for size in sizes if size > 1})
    every = combinations_with_replacement(range(2, 10), len(order))
    every = sorted(every, key=lambda some: (max(some, default=1), -len({*some})))
    tried = ({1: 1} | dict(zip(order, some, strict=True)) for some in every)
    small = (tuple(new[size] for size in sizes) for new in tried)
    return [*islice((new for new in small if fits(*new)), 3)] or [sizes]


def _draw(sizes, random, fits):
    values = sorted({size for size in sizes if size > 1})
    while True:
        drawn = {1: 1}
        for choices in (SMALL, LARGE):
            some = [value for value in values if (value in SMALL) == (choices is SMALL)]
            drawn |= zip(some, map(int, np.sort(random.choice(choices, len(some), replace=False))), strict=True)
        if fits(*(new := tuple(drawn[size] for size in sizes))):
            return new
