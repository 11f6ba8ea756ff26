"""The checks of an exercise, out here, and the answers as they meet them: numbers, or functions in the sandbox."""

import builtins
from inspect import signature

from attention_src import checks

from . import oddities, wire
from .sandbox import Died, untrusted
from .submission import printable


def check(session, exercise, seeds, restored):
    """Run the checks with the visible seed and then with the secret ones; return what they say on the page.

    Raises
    ------
    checks.NotAttempted, checks.Wrong
        What the checks say of an answer that does not hold.
    """
    said = []
    for call in exercise.calls:
        function, found = getattr(checks, call.check), _answers(session, exercise, call.arguments, restored)
        with checks.collecting(said):
            function(*found, **call.options)
        with checks.collecting([]):  # what holds for the secret seeds too is no news
            for seed in seeds if "seed" in signature(function).parameters else ():
                _hidden(function, found, call.options | {"seed": seed}, exercise, restored)
    return said


def _hidden(function, found, options, exercise, restored):
    try:
        function(*found, **options)
    except checks.Wrong as reason:
        restored.note("holds for the visible check's numbers and for no others", exercise.name)
        seen = checks.Part("The check on the page passes. With other numbers: {seen}", seen=reason.seen)
        raise checks.Wrong(seen, reason.expected, reason.question) from None


def _answers(session, exercise, asked, restored):
    """What the student bound to the names that a check asks for."""
    found = _bound(session, asked, lambda reply: oddities.heed(restored, reply, exercise))
    if missing := [name for name in asked if name not in found]:
        raise checks.Wrong(checks.Part("No cell defines {names}", names=", ".join(missing)), None, "Was it renamed?")
    return [found[name] for name in asked]


def _bound(session, asked, heed):
    """Return {name: answer} of the names that are bound; `heed` is told what each call of a function was like."""
    found = session.ask("names", names=asked)
    with untrusted():
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
        with untrusted():
            heed(reply)
            error, got = (_exception(reply), None) if "raised" in reply else (None, wire.decode(reply["result"]))
            for position, value in reply.get("changed", {}).items():
                arguments[int(position)][...] = wire.decode(value)
        if error:
            raise error
        return got

    answer.__name__ = printable(str(called))[:60] or name
    return answer


def _exception(reply):
    """The exception that the student's function raised, as far as it has a name here."""
    kind, message = getattr(builtins, reply["raised"], None), printable(reply["message"])
    if reply["raised"] == "MemoryError":
        raise Died("memory")
    if reply["raised"] == "Wrong":  # of a check which the student's function calls
        return checks.Wrong(checks.Part("{text}", text=message))
    if not (isinstance(kind, type) and issubclass(kind, Exception)):
        kind = type(reply["raised"] if reply["raised"].isidentifier() else "Error", (Exception,), {})
    try:
        return kind(message)
    except TypeError:  # UnicodeDecodeError and its like want more than a message
        return RuntimeError(message)
