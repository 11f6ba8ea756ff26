"""The student's side of the sandbox: it runs cells and calls functions as the other side asks through a line.

`sandbox.py` starts it as a program, with `wire.py` beside it. Whatever runs here can forge every answer of this file,
so the other side takes nothing from it but values: no score is made here.
"""

import _thread
import ast
import asyncio
import builtins
import contextlib
import ctypes
import inspect
import json
import linecache
import os
import re
import resource
import struct
import sys
import traceback
import types

import numpy as np
from wire import decode, encode

PACKAGES, TORCH = re.compile(r"[/\\]attention_(src|course)[/\\]"), f"{os.sep}torch{os.sep}"
LIBRARY = re.compile(r"[/\\](site-packages|dist-packages|attention_src|attention_course)[/\\]")
CELL = re.compile("cell ")  # as `run` is told to name those of the student


def enter(limits, user, refused=""):
    """Set the limits and, when started by root, become a user who owns nothing, to whom the kernel refuses calls."""
    if limits:
        with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as score:
            score.write("1000")  # when memory runs out, this process goes first
    for name, most in limits.items():
        with contextlib.suppress(ValueError, OSError):  # a limit that this system does not have, or a stricter one
            resource.setrlimit(getattr(resource, name), (most, most))
    if user:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    if refused:
        instructions, prctl = ctypes.create_string_buffer(bytes.fromhex(refused)), ctypes.CDLL(None).prctl
        program = struct.pack("HP", len(refused) // 16, ctypes.addressof(instructions))  # each has 8 bytes
        prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS, without which only root may set a filter
        prctl(22, 2, program, 0, 0)  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER


def describe_error(error):
    """Describe an exception as the other side expects it, whatever its class does when it is printed."""
    try:
        message = str(error)[:2000]
    except Exception:
        message = ""
    frames = [*traceback.walk_tb(error.__traceback__)]
    file, line = next(((file, at) for frame, at in frames if CELL.match(file := frame.f_code.co_filename)), ("", 0))
    kinds = [kind.__name__ for kind in type(error).__mro__][:20]  # and the module in which it was raised
    kinds += [str(frame.f_globals.get("__name__")) for frame, _ in frames[-1:]]
    code = linecache.getline(file, line)[:500]
    return {"raised": type(error).__name__, "message": message, "kinds": kinds, "line": line, "code": code}


class MissingModule(types.ModuleType):
    """Stands for a module that is not here: it can be imported, and says what it is when it is used."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return MissingModule(f"{self.__name__}.{name}")

    def __call__(self, *_, **__):
        raise ModuleNotFoundError(f"{self.__name__} is not here")


IPYTHON = MissingModule("IPython")
vars(IPYTHON).update(run_line_magic=print, run_cell_magic=print, system=print, getoutput=lambda *_: [])


def _files(frame):
    """The files of a frame and of those that called it."""
    files = []
    while frame:
        files, frame = [*files, frame.f_code.co_filename], frame.f_back
    return files


class Watch:
    """Notes what an answer calls of the package and of torch, and whether it stops the noting: never for a score."""

    def __init__(self):
        self.used, self.armed = set(), False
        sys.addaudithook(self._audit)

    def _audit(self, event, _):
        if self.armed and event == "sys.setprofile":
            self.used.add("sys.setprofile")

    def __enter__(self):
        others = [_files(frame) for thread, frame in sys._current_frames().items() if thread != _thread.get_ident()]
        students = [any(map(CELL.match, files)) or not any(map(LIBRARY.search, files)) for files in others]
        self.used = {"threads"} if any(students) else set()  # only this thread is watched
        sys.setprofile(self._note)
        self.armed = True

    def __exit__(self, *_):
        self.armed = False
        sys.setprofile(None)

    def _note(self, frame, event, called):
        if event == "call":
            caller, file, name = frame.f_back, frame.f_code.co_filename, frame.f_code.co_qualname
        elif event == "c_call":
            owner = getattr(called, "__self__", None)
            owner = owner if isinstance(owner, type) else type(owner)
            module = getattr(called, "__module__", None) or owner.__module__
            caller, name = frame, getattr(called, "__name__", "")
            if module == "_thread" and name.startswith("start_"):
                first = next((file for file in _files(frame) if CELL.match(file) or LIBRARY.search(file)), "")
                self.used |= set() if LIBRARY.search(first) else {"threads"}  # a library has threads of its own
            file = TORCH if str(module).startswith("torch") else ""
        else:
            return
        calling_file = caller.f_code.co_filename if caller else ""
        if PACKAGES.search(calling_file) or TORCH in calling_file or name.startswith(("<module>", "note_nan")):
            return
        if PACKAGES.search(file):
            self.used.add(name)
        elif TORCH in file:
            self.used.update({"torch", name} & {"torch", "scaled_dot_product_attention"})


def answer_with_errors(do):
    """Let a method answer its outcome, an exception included, and what the last answer used of the package."""

    def answer(self, **message):
        process = os.getpid()
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__  # nothing printed counts: both lead nowhere
        try:
            reply = do(self, **message) or {}
        except BaseException as error:
            reply = describe_error(error)
        finally:
            if os.getpid() != process:  # a fork of the student's would read our line
                os._exit(0)
        return reply | {"used": sorted(self.watch.used)}

    return answer


class Student:
    """The line to the other side, the namespace of the notebook, and a method for each request."""

    def __init__(self):
        self.reader, self.writer = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):  # before student code can meet them
            os.dup2(nothing, stream)
        sys.stdin = sys.stdout  # so that whoever reads it learns that nobody answers, instead of an empty text
        self.watch = Watch()
        sys.modules["__main__"] = main = types.ModuleType("__main__")
        self.namespace = main.__dict__
        # also for `from IPython import get_ipython`; other libraries learn from it that there is no notebook
        sys.modules["IPython.core.getipython"] = shell = types.ModuleType("IPython.core.getipython")
        shell.get_ipython = lambda: IPYTHON if CELL.match(sys._getframe(1).f_code.co_filename) else None
        self.namespace["display"], self.namespace["get_ipython"] = print, shell.get_ipython

    @answer_with_errors
    def run(self, source, name):
        """Run a cell."""
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        code = compile(source, name, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        outcome = eval(code, self.namespace)
        if code.co_flags & inspect.CO_COROUTINE:
            asyncio.run(outcome)

    def stand_in(self, name):
        """Let a module that is not here be imported all the same."""
        sys.modules[name] = MissingModule(name)
        parent, _, last = name.rpartition(".")
        if parent in sys.modules:
            setattr(sys.modules[parent], last, sys.modules[name])

    def names(self, names):
        """Say what the names are bound to: a value, a function to be called by name, or nothing."""
        bound = {name: self.namespace[name] for name in names if name in self.namespace}
        return {name: encode(value, lambda f: getattr(f, "__name__", "your function")) for name, value in bound.items()}

    @answer_with_errors
    def call(self, name, arguments):
        """Call a function and answer its result and the arguments it changed."""
        self.lent, arguments = [], [decode(argument, self._callback) for argument in arguments]
        arrays = [(i, a, a.copy()) for i, a in enumerate(arguments) if isinstance(a, np.ndarray)]
        from attention_course.checks._ask import note_nan  # here, since a test may do without the package

        met = []
        with note_nan(met), self.watch:  # whatever a cell of the student's has set
            result = self.namespace[name](*arguments)
        changed = {i: encode(now) for i, now, then in arrays if not np.array_equal(now, then, equal_nan=True)}
        return {"result": encode(result), "changed": changed, "met_nan": bool(met)}

    @answer_with_errors
    def call_lent(self, index, arguments):
        """Call a function that the student's code gave to one of the other side's."""
        return {"result": encode(self.lent[index](*map(decode, arguments)))}

    def _callback(self, index):
        """A function of the other side, as one of the student's arguments."""

        def function(*arguments):
            lend = lambda f: self.lent.append(f) or len(self.lent) - 1  # noqa: E731
            self.send({"callback": index, "arguments": [encode(argument, lend) for argument in arguments]})
            while "do" in (reply := self.receive()):
                self.send({"done": self.answer(reply)})
            if "raised" in reply:
                kind = getattr(builtins, reply["raised"], None) or type(reply["raised"], (Exception,), {})
                raise kind(reply["message"])
            return decode(reply["result"])

        return function

    def send(self, message):
        self.writer.write(json.dumps(message).encode() + b"\n")
        self.writer.flush()

    def receive(self):
        if not (line := self.reader.readline()):
            os._exit(0)
        return json.loads(line)

    def answer(self, message):
        """Do what is asked for."""
        return getattr(self, message.pop("do"))(**message)


def main():
    enter(**json.loads(sys.argv[1]))
    student = Student()
    while True:
        student.send({"done": student.answer(student.receive())})


if __name__ == "__main__":
    main()
