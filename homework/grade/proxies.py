"""The student's answers as a check meets them out here: numbers, or functions that run in the sandbox."""

import builtins
import re
from functools import partial

import numpy as np

from attention_course import checks

from . import wire
from .read import printable
from .sandbox import Died, untrusted

MOST_USED = 50
SHORTCUTS = {
    "torch": "calls PyTorch, which the prompt asks to do without",
    "scaled_dot_product_attention": "calls scaled_dot_product_attention of attention_src or torch",
    "threads": "runs in threads, so that it could not be seen which functions it calls",
    "sys.setprofile": "calls sys.setprofile, so that it could not be seen which functions it calls",
}


# kinds of errors for want of a file, the network, somebody's input, a screen or a package, those that only their module
# shows, and what is said of missing devices and other versions
NOT_HERE = {"OSError", "EOFError", "ImportError", "SubprocessError", "OperationalError", "TclError"}
FROM_MODULES = {"KeyError": "os", "Error": "locale"}  # of os.environ, and for want of a language
DEVICE = re.compile(r"cuda|nvidia|\b(mps|gpu|tpu|xpu|xla|hip|internet)\b|start new thread|version_", re.I)


class NotHere(BaseException):
    """The answer uses what is not on this machine; no check may take this for an error of the answer."""


def is_not_here(reply):
    """Did code raise an error that it need not raise on the student's machine?"""
    with untrusted():
        kinds = {*map(str, reply.get("kinds", ())[:50])}
        said = f"{reply['message']}\n{reply.get('code')}"
        device = kinds & {"RuntimeError", "AssertionError"} and DEVICE.search(said)
        return bool(kinds & NOT_HERE or any({*pair} <= kinds for pair in FROM_MODULES.items()) or device)


def find_answers(session, exercise, asked, restored, renamed):
    """Return what the student bound to each name, or the stub's own value if nothing is bound."""
    actual = [renamed.get(name, name) for name in asked]
    bound = session.ask("names", names=actual)
    answers = []
    with untrusted():
        for name, own_name in zip(asked, actual, strict=True):
            if own_name in bound:
                call = partial(_function, session, own_name, partial(_note_shortcuts, exercise, restored))
                answers.append(_unwrap_single(wire.decode(bound[own_name], call)))
            else:
                answers.append(_stub(name) if f"def {name}(" in exercise.stub else ...)
    return answers


def _unwrap_single(answer):
    """A number or a word out of a list, a tuple, a set or an array that holds nothing else."""
    if isinstance(answer, np.ndarray):
        return answer.item() if answer.size == 1 else answer
    if isinstance(answer, list | tuple | set) and len(answer) == 1:
        (only,) = answer
        return answer if callable(only) else _unwrap_single(only)
    return answer


def _note_shortcuts(exercise, restored, used):
    """Note which library functions the answer uses that the model solution doesn't."""
    names = map(str, used[:MOST_USED])
    used = {name if name in SHORTCUTS else name.split(".")[0] for name in names} - exercise.allowed
    for name in sorted(used - ({"torch"} - exercise.forbidden)):
        text = SHORTCUTS.get(name, f"calls {printable(name)[:60]} of attention_src")
        matters = exercise.forbidden if name in SHORTCUTS else "package" in exercise.forbidden
        restored.note(text, exercise.name, person=bool(matters))


def _stub(name):
    """The function as it was handed out."""

    def stub(*_):
        raise NotImplementedError

    stub.__name__ = name
    return stub


def _function(session, name, note_shortcuts, shown_name):
    """Return a function that calls the student's: arrays go in, arrays come out, and changed arguments are changed."""

    def answer(*arguments):
        functions = []
        encoded = [wire.encode(a, lambda f: functions.append(f) or len(functions) - 1) for a in arguments]
        reply = session.ask("call", functions, name=name, arguments=encoded)
        with untrusted():
            note_shortcuts(reply["used"])
            answer.called, answer.met_nan = reply["used"], reply.get("met_nan") is True
            if "raised" not in reply:
                for position, value in reply["changed"].items():
                    arguments[int(position)][...] = wire.decode(value)
                return wire.decode(reply["result"])
            error = _exception(reply)
        raise error

    answer.__name__ = printable(str(shown_name))[:60] or name
    return answer


def _exception(reply):
    """The exception that the student's function raised, as far as it has a name here."""
    kind, message = getattr(builtins, reply["raised"], None), printable(reply["message"])
    if reply["raised"] == "MemoryError":
        raise Died("memory")
    if is_not_here(reply):
        missing = "a module" if reply["raised"] == "ModuleNotFoundError" else "something"
        raise NotHere(f"uses {missing} that is not here: {message}")
    if reply["raised"] == "Wrong":  # of a check which the student's function calls
        return checks.Wrong(checks.Part("{text}", text=message))
    if not (isinstance(kind, type) and issubclass(kind, Exception)):
        kind = type(reply["raised"] if reply["raised"].isidentifier() else "Error", (Exception,), {})
    try:
        return kind(message)
    except TypeError:  # UnicodeDecodeError and its like want more than a message
        return RuntimeError(message)
