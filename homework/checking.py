"""The checks of an exercise, out here, and the answers as they meet them: numbers, or functions in the sandbox."""

import builtins
from inspect import signature

from attention_src import checks
from attention_src.checks._report import heard_by

from . import oddities, wire
from .sandbox import Died, doubting
from .submission import printable


def check(session, exercise, seeds, restored):
    """Run the checks with the visible seed and then with the secret ones; return what they say on the page.

    Raises
    ------
    checks.NotAttempted, checks.Wrong
        What the checks say of an answer that does not hold.
    """
    said, unheard = [], []
    for call in exercise.calls:
        function, found = getattr(checks, call.check), _answers(session, exercise, call.arguments, restored)
        with heard_by(said):
            function(*found, **call.options)
        with heard_by(unheard):
            for seed in seeds if "seed" in signature(function).parameters else ():
                _hidden(function, found, call.options | {"seed": seed}, exercise, restored)
    return said


def _hidden(function, found, options, exercise, restored):
    try:
        function(*found, **options)
    except checks.Wrong as reason:
        restored.note("holds for the visible check's numbers and for no others", exercise.name)
        raise checks.Wrong(f"The check on the page passes. With other numbers: {reason}") from None


def _answers(session, exercise, asked, restored):
    """What the student bound to the names that a check asks for."""
    found = _bound(session, asked, lambda reply: oddities.heed(restored, reply, exercise))
    if missing := [name for name in asked if name not in found]:
        raise checks.Wrong(f"No cell defines {' or '.join(missing)}. Was it renamed?")
    return [found[name] for name in asked]


def _bound(session, asked, heed):
    """Return {name: answer} of the names that are bound; `heed` is told what each call of a function was like."""
    found = session.ask("names", names=asked)
    with doubting():
        return {
            name: wire.decode(found[name], lambda called, name=name: _function(session, name, called, heed))
            for name in asked
            if name in found
        }


def _function(session, name, called, heed):
    """Return a function that calls the student's: arrays go in, arrays come out, and changed arguments are changed."""

    def answer(*arguments):
        functions = []
        given = [wire.encode(a, lambda f: functions.append(f) or len(functions) - 1) for a in arguments]
        reply = session.ask("call", functions, name=name, arguments=given)
        with doubting():
            heed(reply)
            error, got = (_exception(reply), None) if "raised" in reply else (None, wire.decode(reply["result"]))
            for place, value in reply.get("changed", {}).items():
                arguments[int(place)][...] = wire.decode(value)
        if error:
            raise error
        return got

    answer.__name__ = printable(str(called))[:60] or name
    return answer


def _exception(reply):
    """The exception that the student's function raised, as far as it has a name here."""
    kind = checks.Wrong if reply["raised"] == "Wrong" else getattr(builtins, reply["raised"], None)
    if reply["raised"] == "MemoryError":
        raise Died("memory")
    if not (isinstance(kind, type) and issubclass(kind, Exception)):
        kind = type(reply["raised"] if reply["raised"].isidentifier() else "Error", (Exception,), {})
    try:
        return kind(printable(reply["message"]))
    except TypeError:  # UnicodeDecodeError and its like want more than a message
        return RuntimeError(printable(reply["message"]))
