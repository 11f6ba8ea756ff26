"""The student's side of the sandbox: runs cells and calls functions as it is told through a pipe.

Started as a program by `sandbox.py`, with `wire.py` and `watch.py` beside it. Whatever runs here can forge whatever is
said here, so the other side takes nothing from it but values: no score is made here. What it reports of odd doings is
for flags only.
"""

import builtins
import copy
import io
import json
import linecache
import os
import resource
import sys
import types

import numpy as np
import watch
from wire import HEAD, MOST_ODD, MOST_PRINTED, decode, encode, pack

IPYTHON = types.SimpleNamespace(run_line_magic=print, run_cell_magic=print, system=print, getoutput=print)


class Capped(io.TextIOBase):
    """A stream that keeps the beginning of what is printed and forgets the rest."""

    def __init__(self):
        self.kept = ""

    def write(self, text):
        self.kept += text[: MOST_PRINTED - len(self.kept)]
        return len(text)


class Channel:
    """The pipe to the other side, taken over from standard input and output before student code can meet them."""

    def __init__(self):
        self.reader, self.writer = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)

    def send(self, message):
        self.writer.write(pack(message))
        self.writer.flush()

    def receive(self):
        head = self.reader.read(HEAD.size)
        if len(head) < HEAD.size:
            os._exit(0)
        return json.loads(self.reader.read(*HEAD.unpack(head)))


def enter(limits, user):
    """Set the limits and, when started by root, become a user who owns nothing."""
    if limits:
        with open("/proc/self/oom_score_adj", "w") as score:  # when memory runs out, this process goes first
            score.write("1000")
    for name, most in limits.items():
        resource.setrlimit(getattr(resource, name), (most, most))
    if user:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)


def said(error):
    """Describe an exception as the other side expects it, whatever its class does when it is printed."""
    try:
        message = str(error)[:2000]
    except Exception:
        message = ""
    return {"raised": type(error).__name__, "message": message}


class Student:
    """The namespace of the notebook, and what may be asked of it. Each public method answers one request."""

    def __init__(self, channel):
        self.channel, self.odd, self.watching = channel, set(), False
        sys.modules["__main__"] = main = types.ModuleType("__main__")
        self.namespace = main.__dict__
        self.namespace["display"], self.namespace["get_ipython"] = print, lambda: IPYTHON
        sys.addaudithook(self._watch)

    def _watch(self, event, arguments):
        if self.watching and event in watch.EVENTS and (doing := watch.odd(event, arguments, sys._getframe(1))):
            self.odd.add(doing)

    def _watched(self, do):
        """Do it with the streams caught, and answer what came of it, the exception included."""
        process, answer = os.getpid(), {}
        sys.stdout = sys.stderr = printed = Capped()
        self.watching = True
        try:
            answer = do() or {}
        except BaseException as error:
            answer = said(error)
        finally:
            self.watching = False
            if os.getpid() != process:  # a fork of the student's would read our pipe
                os._exit(0)
        return answer | {"printed": printed.kept, "odd": sorted(self.odd)[:MOST_ODD]}

    def run(self, source, name):
        """Run a cell."""
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        return self._watched(lambda: exec(compile(source, name, "exec"), self.namespace))

    def names(self, names):
        """Say what the names are bound to: a value, a function to be called by name, or nothing."""
        found = {name: self.namespace[name] for name in names if name in self.namespace}
        return {name: encode(value, lambda f: getattr(f, "__name__", "your function")) for name, value in found.items()}

    def call(self, name, arguments):
        """Call a function and answer its result, the arguments it changed and what it used of the package."""
        used = set()

        def do():
            given = [decode(argument, self._callback) for argument in arguments]
            before = copy.deepcopy([a if isinstance(a, np.ndarray) else None for a in given])
            try:
                sys.setprofile(lambda frame, event, called: watch.note(frame, event, called, used))
                got = self.namespace[name](*given)
            finally:
                sys.setprofile(None)
            changed = {
                i: encode(now)
                for i, (now, then) in enumerate(zip(given, before, strict=True))
                if then is not None and not np.array_equal(now, then, equal_nan=True)
            }
            return {"result": encode(got), "changed": changed}

        return self._watched(do) | {"used": sorted(used)}

    def _callback(self, index):
        """A function of the other side, as one of the student's arguments."""

        def function(*arguments):
            self.channel.send({"callback": index, "arguments": [encode(argument) for argument in arguments]})
            reply = self.channel.receive()
            if "raised" in reply:
                kind = getattr(builtins, reply["raised"], None) or type(reply["raised"], (Exception,), {})
                raise kind(reply["message"])
            return decode(reply["result"])

        return function

    def remember(self):
        """Remember what the modules hold, before the student's own cells run."""
        self.before = watch.modules()

    def changes(self):
        """Name what is no longer as remembered."""
        now = watch.modules()
        changed = [name for name, thing in self.before.items() if name in now and now[name] is not thing]
        return [name.removesuffix("'s code") for name in changed]


def main():
    enter(**json.loads(sys.argv[1]))
    channel = Channel()
    student = Student(channel)
    while True:
        message = channel.receive()
        channel.send({"done": getattr(student, message.pop("do"))(**message)})


if __name__ == "__main__":
    main()
