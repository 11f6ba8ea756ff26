"""A sandbox for one student's code: asked through a pipe, it answers in time or not at all.

Inside runs `inside.py`. Whatever it answers is a value to be judged, never code, and never a score.
"""

import json
import os
import platform
import secrets
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from functools import cache
from math import inf
from pathlib import Path

import numpy as np
import psutil

from . import walls, wire
from .walls import HERE, LIMITS, PACKAGE

PATIENCE, LOOK = 2, 0.2  # times as long on the clock as on the processor; seconds between two looks
MOST_GIVEN = 4096  # numbers that student code may hand to a function of a check, which computes out here
MALFORMED = (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError, OverflowError, MemoryError)
KINDS = ("bubblewrap", "docker", "podman")


class NoSandbox(Exception):
    """There is no way to run student code safely on this machine."""


class Died(BaseException):
    """The sandbox ended, or had to be ended; no check may take this for an error of the answer."""

    def __init__(self, how):
        super().__init__(how)
        self.how = how


@contextmanager
def untrusted():
    """Whatever does not fit in an answer from the sandbox is taken for a disturbance of the line."""
    try:
        yield
    except MALFORMED:
        raise Died("garbled") from None


@cache
def why_not(kind):
    """Say why there is no such sandbox on this machine; an empty string means that there is one, and it works."""
    if missing := walls.lacks(kind):
        return missing
    try:
        with Session(seconds=60, kind=kind) as session:
            try:
                reply, said = session.ask("run", source="import numpy, attention_src.checks", name="cell"), ""
            except Died:
                reply, said = None, session.said()
    except OSError as error:
        reply, said = None, str(error)
    if "raised" in (reply or {}):
        return f"in {kind} Python raises {reply['raised']}: {reply['message']}"
    build = f" (its image is made by: {kind} {walls.BUILD})" if kind != "bubblewrap" else ""
    return "" if reply is not None else f"{kind} cannot start here: {said.strip() or 'Python does not answer'}{build}"


@cache
def chosen():
    """The kind of sandbox that works here. Raises NoSandbox, with the reasons and the way out, where there is none."""
    reasons = []
    for kind in KINDS:
        if not (reason := why_not(kind)):
            return kind
        reasons.append(reason)
    way = "On Linux: apt install bubblewrap. On macOS, or where AppArmor forbids it: start Docker or Podman"
    raise NoSandbox(
        f"Student code is not run without a sandbox, and there is none: {'; '.join(reasons)}. {way}. "
        "`--unsafe` runs it as you, with your files and your network: for notebooks of your own only."
    )


def told():
    """One line on where student code runs."""
    total = walls.MEMORY // 2**30
    if chosen() == "bubblewrap" and not walls.memory_groups():
        return f"in bubblewrap. There is no control group here: each process has {LIMITS['RLIMIT_AS'] // 2**30} GB."
    return f"in {chosen()}, with {total} GB of memory in all."


class Session:
    """A running sandbox of some kind: bubblewrap, docker, podman; or `user`, which only makes the program another user,
    for a machine that is thrown away; or `none`, which only ends it when time is up."""

    def __init__(self, *, seconds, kind=None):
        self.kind = kind = kind or chosen()
        self.seconds, self.buffer, self.deadline, self.group = seconds, bytearray(), inf, None
        self.name, bare = f"homework-{secrets.token_hex(6)}", kind in ("user", "none")
        self.home = tempfile.TemporaryDirectory(prefix="homework-") if bare else None
        self.errors = tempfile.TemporaryFile()
        another = kind in ("bubblewrap", "user") and os.getuid() == 0
        user = 2**30 + secrets.randbelow(2**30) if another else None
        if kind == "user":  # to whom the book's own folder is closed
            shutil.copytree(PACKAGE, Path(self.home.name, PACKAGE.name))
            os.chown(self.home.name, user, user)
        settings = json.dumps({"limits": {} if kind == "none" else LIMITS, "user": user})
        start, calls = self._start(kind)
        self.process = subprocess.Popen(
            [*start, str(HERE / "inside.py") if bare else "/grading/inside.py", settings],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            bufsize=0,
            start_new_session=True,
            pass_fds=[calls] if calls else [],
            cwd=self.home.name if bare else None,
            env=self._environment(bare),
        )
        if calls:
            os.close(calls)
        os.set_blocking(self.process.stdin.fileno(), False)

    def _start(self, kind):
        """The beginning of the command, and what it reads its filter from."""
        if kind != "bubblewrap":
            return [sys.executable] if self.home else walls.container(kind, self.name), None
        calls, writer = os.pipe()
        os.write(writer, walls.calls_refused(platform.machine()))
        os.close(writer)
        command, self.group = walls.grouped([*walls.bubblewrap(calls), sys.executable])
        return command, calls

    def _environment(self, bare):
        if self.kind in ("docker", "podman"):  # of the engine's command; the container has its own
            return {name: value for name, value in os.environ.items() if name != "ATTENTION_SEED"}
        if not bare:
            return walls.environment("/tmp", "/grading")
        return walls.environment(self.home.name, self.home.name if self.kind == "user" else PACKAGE.parent)

    def said(self):
        """What the command wrote that starts the sandbox."""
        self.errors.seek(0)
        return self.errors.read(500).decode(errors="replace")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        children = psutil.Process(self.process.pid).children(recursive=True) if self.kind in ("user", "none") else []
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        for child in children:
            with suppress(psutil.NoSuchProcess):
                child.kill()
        if self.kind in ("docker", "podman"):
            subprocess.run([self.kind, "kill", self.name], capture_output=True, timeout=60)
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        self.errors.close()
        if self.home:
            self.home.cleanup()
        for _ in range(100 if self.group else 0):  # until the last process in it is gone
            with suppress(OSError):
                self.group.rmdir()
                break
            time.sleep(0.01)

    def ask(self, do, functions=(), seconds=None, **message):
        """Ask for something and return the answer; meanwhile the student's code may call any of the functions.

        Raises
        ------
        Died
            The sandbox ended, what it says is garbled, or time is up: so many seconds of the processor, which a busy
            machine does not shorten, or `PATIENCE` times as many of the clock, for code that only sleeps.
        """
        clock = Clock(self.process.pid, seconds or self.seconds, self.deadline)
        return self._asked({"do": do, **message}, functions, clock)

    def _asked(self, message, functions, clock):
        self._send(message, clock)
        while True:
            reply = self._receive(clock)
            with untrusted():
                if "done" in reply:
                    return reply["done"]
                function = functions[reply["callback"]]
                arguments = self._small(reply["arguments"], lambda index: self._lent(index, functions, clock))
            self._send(_called(function, arguments), clock)

    def _lent(self, index, functions, clock):
        """A function of the student's that was given to one of the check's."""

        def function(*arguments):
            given = {"do": "given", "index": index, "arguments": [wire.encode(argument) for argument in arguments]}
            reply = self._asked(given, functions, clock)
            with untrusted():
                kind = type(reply["raised"], (Exception,), {}) if "raised" in reply else None
                got = kind(reply["message"]) if kind else self._small([reply["result"]])[0]
            if kind:
                raise got
            return got

        return function

    def _small(self, values, function=None):
        """The values, if they are few numbers: a check computes with them out here."""
        values = [wire.decode(value, function) for value in values]
        if sum(np.size(value) for value in values) > MOST_GIVEN:
            raise Died("garbled")
        return values

    def _send(self, message, clock):
        data = memoryview(wire.pack(message))
        while data:
            clock.wait([], [self.process.stdin])
            try:
                data = data[os.write(self.process.stdin.fileno(), data) :]
            except BrokenPipeError:
                raise Died("gone") from None

    def _receive(self, clock):
        length = wire.HEAD.unpack(self._read(wire.HEAD.size, clock))[0]
        if length > wire.LARGEST:
            raise Died("garbled")
        with untrusted():
            return json.loads(self._read(length, clock))

    def _read(self, length, clock):
        clock.look()
        while len(self.buffer) < length:
            clock.wait([self.process.stdout], [])
            piece = os.read(self.process.stdout.fileno(), 2**20)
            if not piece:
                raise Died("gone")
            self.buffer += piece
        data = bytes(self.buffer[:length])
        del self.buffer[:length]
        return data


class Clock:
    """The time that is left for one question: of the processor, and `PATIENCE` times as much of the clock."""

    def __init__(self, pid, seconds, deadline):
        self.pid, self.seconds, self.deadline, self.looked = pid, seconds, deadline, time.monotonic()
        self.end, self.most = min(self.looked + PATIENCE * seconds, deadline), None

    def _used(self):
        """Seconds of the processor that the sandbox has used, with all processes in it."""
        try:
            first = psutil.Process(self.pid)
            return sum(sum(process.cpu_times()[:4]) for process in (first, *first.children(recursive=True)))
        except psutil.NoSuchProcess:  # one that has just ended: what reads from the sandbox will notice
            return 0.0

    def look(self):
        """Raise Died when time is up."""
        now = time.monotonic()
        if now >= self.end:
            raise Died("late" if now >= self.deadline else "time")
        if now >= self.looked + LOOK:
            self.looked, used = now, self._used()
            self.most = self.most or used + self.seconds  # from the first look on: most questions end before it
            if used > self.most:
                raise Died("time")

    def wait(self, readable, writable):
        """Wait until a pipe is ready; raise Died when time is up."""
        while not any(select.select(readable, writable, [], min(LOOK, max(0, self.end - time.monotonic())))):
            self.look()
        self.look()


def _called(function, arguments):
    """Call a function of the check for the student's code; its exception goes back like a result."""
    try:
        return {"result": wire.encode(function(*arguments))}
    except Exception as error:
        return {"raised": type(error).__name__, "message": str(error)}
