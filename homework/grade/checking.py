"""The checks of an exercise, out here, and the answers as they meet them: numbers, or functions in the sandbox."""

import builtins
from functools import partial
from inspect import signature

from attention_course import checks

from . import wire
from .sandbox import Died, untrusted
from .submission import printable

MOST_USED = 50
SHORTCUTS = {
    "torch": "calls PyTorch, which the prompt asks to do without",
    "scaled_dot_product_attention": "calls scaled_dot_product_attention of attention_src or torch",
    "sys.setprofile": "calls sys.setprofile, so that it could not be seen which functions it calls",
}


class Missing(BaseException):
    """The answer uses a module that is not here; no check may take this for an error of the answer."""


def check(session, exercise, seeds, restored, renamed=None):
    """Run the checks with the visible seed and then with the secret ones; return what they say on the page.

    `renamed` maps names that are asked for to those under which the student has them. Raises what the checks say of an
    answer that does not hold, checks.NotAttempted or checks.Wrong; its `share` is what holds all the same.
    """
    said, partly = [], None
    for call in exercise.calls:
        function = getattr(checks, call.check)
        found = _answers(session, exercise, call.arguments, restored, renamed or {})
        for seed in (None, *(seeds if "seed" in signature(function).parameters else ())):
            options = call.options | ({} if seed is None else {"seed": seed})
            try:
                with checks.collecting(said if seed is None else []):  # what holds for the secret seeds too is no news
                    function(*found, **options)
            except (checks.NotAttempted, checks.Wrong) as reason:
                if not reason.share:
                    raise reason if seed is None else _hidden(reason, exercise, restored) from None
                partly = partly or reason
    if partly:
        raise partly
    return said


def _hidden(reason, exercise, restored):
    """What is said of an answer that holds for the visible check alone."""
    restored.note("holds for the visible check's numbers and for no others", exercise.name)
    seen = checks.Part("The check on the page passes. With other numbers: {seen}", seen=reason.seen)
    return checks.Wrong(seen, reason.expected, reason.question)


def _answers(session, exercise, asked, restored, renamed):
    """What the student bound to the names that a check asks for; what the stub has for those that are not bound."""
    actual = [renamed.get(name, name) for name in asked]

    def heed(reply):
        told = map(str, reply["used"][:MOST_USED])
        used = {name if name in SHORTCUTS else name.split(".")[0] for name in told} - exercise.allowed
        for name in sorted(used - (set() if exercise.without_torch else {"torch"})):
            said = SHORTCUTS.get(name, f"calls {printable(name)[:60]} of attention_src")
            restored.note(said, exercise.name, person=True)

    found = session.ask("names", names=actual)
    answers = []
    with untrusted():
        for one, name in zip(asked, actual, strict=True):
            if name in found:
                answers.append(wire.decode(found[name], partial(_function, session, name, heed)))
            else:
                answers.append(_stub(one) if f"def {one}(" in exercise.stub else ...)
    return answers


def _stub(name):
    """The function as it was handed out."""

    def stub(*_):
        raise NotImplementedError

    stub.__name__ = name
    return stub


def _function(session, name, heed, called):
    """Return a function that calls the student's: arrays go in, arrays come out, and changed arguments are changed."""

    def answer(*arguments):
        functions = []
        given = [wire.encode(a, lambda f: functions.append(f) or len(functions) - 1) for a in arguments]
        reply = session.ask("call", functions, name=name, arguments=given)
        with untrusted():
            heed(reply)
            if "raised" not in reply:
                for position, value in reply["changed"].items():
                    arguments[int(position)][...] = wire.decode(value)
                return wire.decode(reply["result"])
            error = _exception(reply)
        raise error

    answer.__name__ = printable(str(called))[:60] or name
    return answer


def _exception(reply):
    """The exception that the student's function raised, as far as it has a name here."""
    kind, message = getattr(builtins, reply["raised"], None), printable(reply["message"])
    if reply["raised"] == "MemoryError":
        raise Died("memory")
    if reply["raised"] == "ModuleNotFoundError":
        raise Missing(message)
    if reply["raised"] == "Wrong":  # of a check which the student's function calls
        return checks.Wrong(checks.Part("{text}", text=message))
    if not (isinstance(kind, type) and issubclass(kind, Exception)):
        kind = type(reply["raised"] if reply["raised"].isidentifier() else "Error", (Exception,), {})
    try:
        return kind(message)
    except TypeError:  # UnicodeDecodeError and its like want more than a message
        return RuntimeError(message)
