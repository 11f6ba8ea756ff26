"""A sandbox for one student's code: asked through a line, it answers in time or not at all.

Inside runs `inside.py`. Whatever it answers is a value to be judged, never code, and never a score.
"""

import json
import os
import platform
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from functools import cache, partial
from math import inf
from pathlib import Path

import numpy as np
import psutil

from book.programs import find

from . import walls, wire
from .walls import HERE, LIMITS, PACKAGES

PATIENCE, LOOK = 2, 0.2  # times as long on the clock as on the processor; seconds between two looks
MOST_GIVEN = 4096  # numbers that student code may hand to a function of a check, which computes out here
MALFORMED = (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError, OverflowError, MemoryError)
ENGINES = ("docker", "podman")
WAY = "on Linux apt install bubblewrap or make grader; on macOS, or where AppArmor forbids it, start Docker or Podman"
DEATHS = {  # what is said of code that ended its sandbox
    "time": "had not ended after {seconds:g} s. Which of its loops has no end?",
    "gone": "ended the whole process.",
    "garbled": "sent something through its connection to the check that the check could not read.",
    "memory": "used up the memory.",
}


class NoSandbox(Exception):
    """There is no way to run student code safely on this machine."""


class Died(BaseException):
    """The sandbox ended, or had to be ended; no check may take this for an error of the answer.

    `how` is a key of DEATHS, or "late" when the time for all of a student's code was over.
    """

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
def find_obstacle(kind):
    """Say why there is no such sandbox on this machine; an empty string means that there is one, and it works."""
    if not find("bwrap" if kind == "bubblewrap" else kind):
        return f"{kind} is not installed"
    if kind == "bubblewrap" and platform.machine() not in walls.MACHINES:
        return f"bubblewrap has no filter for {platform.machine()}"
    try:
        with Session(seconds=60, kind=kind) as session:
            try:
                reply = session.ask("run", source="import numpy, attention_course.checks", name="cell")
                return f"in {kind} Python raises {reply['raised']}: {reply['message']}" if "raised" in reply else ""
            except Died:
                session.errors.seek(0)
                obstacle = session.errors.read(500).decode(errors="replace")
    except OSError as error:
        obstacle = str(error)
    build = f" (its image is made by: {kind} {walls.BUILD})" if kind in ENGINES else ""
    return f"{kind} cannot start here: {obstacle.strip() or 'Python does not answer'}{build}"


@cache
def choose_kind():
    """The kind of sandbox that works here. Raises NoSandbox, with the reasons and the way out, where there is none."""
    reasons = []
    for kind in ("bubblewrap", *ENGINES):
        if not (reason := find_obstacle(kind)):
            return kind
        reasons.append(reason)
    raise NoSandbox(
        f"Student code is not run without a sandbox, and there is none: {'; '.join(reasons)}. For one, {WAY}. "
        "`--unsafe` runs it as you, with your files and your network: for notebooks of your own only."
    )


def describe():
    """Return one line on where student code runs."""
    if choose_kind() == "bubblewrap":
        if not (group := walls.memory_group()):
            return f"in bubblewrap. There is no control group here: each process has {LIMITS['RLIMIT_AS'] // 2**30} GB."
        group.rmdir()
    return f"in {choose_kind()}, with {walls.MEMORY // 2**30} GB of memory in all."


def end_processes(user):
    """End what a user has left running, also what has no parent any more; what forks meanwhile, in another round."""
    for _ in range(100):
        processes = [process for process in psutil.process_iter(["uids", "status"]) if process.info["uids"]]
        left = [p for p in processes if p.info["uids"].real == user and p.info["status"] != psutil.STATUS_ZOMBIE]
        if not left:
            return
        for process in left:
            with suppress(psutil.Error):
                process.kill()


class Session:
    """A running sandbox of some kind: bubblewrap, docker, podman; or `user`, which only makes the program another user,
    for a machine that is thrown away; or `none`, which only ends it when time is up."""

    def __init__(self, *, seconds, kind=None):
        self.kind = kind = kind or choose_kind()
        self.seconds, self.deadline, self.group, self.buffer = seconds, inf, None, b""
        self.errors = tempfile.TemporaryFile()
        self.name, self.home = f"homework-{secrets.token_hex(6)}", tempfile.TemporaryDirectory(prefix="homework-")
        another = kind in ("bubblewrap", "user") and os.getuid() == 0
        self.user = user = 2**30 + secrets.randbelow(2**30) if another else None
        settings = {"limits": {} if kind == "none" else LIMITS, "user": user}
        if kind == "user" and platform.machine() in walls.MACHINES:  # no namespace closes the network to it
            settings["refused"] = walls.refused_calls(platform.machine(), families=(1,)).hex()
        self.line, theirs = socket.socketpair()
        self.line.settimeout(LOOK)
        with theirs, tempfile.TemporaryFile() as calls:
            command, environment = self._command(user, calls)
            self.process = subprocess.Popen(
                [*command, json.dumps(settings)],
                stdin=theirs,
                stdout=theirs,
                stderr=self.errors,
                start_new_session=True,
                pass_fds=[calls.fileno()] if kind == "bubblewrap" else [],
                cwd=self.home.name,
                env=environment,
            )

    def _command(self, user, calls):
        """Return the command that starts `inside.py` behind the walls of this kind, and its environment."""
        program = "/grading/inside.py"
        if self.kind == "bubblewrap":
            calls.write(walls.refused_calls(platform.machine()))
            calls.seek(0)
            self.group = walls.memory_group()
            command = walls.bubblewrap(calls.fileno(), self.group)
            return [*command, program], walls.environment("/tmp", "/grading")
        if self.kind in ENGINES:
            environment = {name: value for name, value in os.environ.items() if name != "ATTENTION_SEED"}
            return [*walls.container(self.kind, self.name), program], environment
        books = PACKAGES[0].parent
        if self.kind == "user":  # to whom the book's own folder is closed
            books = self.home.name
            for package in PACKAGES:
                shutil.copytree(package, Path(books, package.name))
            os.chown(self.home.name, user, user)
        return [sys.executable, str(HERE / "inside.py")], walls.environment(self.home.name, books)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        processes = psutil.Process(self.process.pid).children(recursive=True)
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        for process in processes:
            with suppress(psutil.Error):
                process.kill()
        if self.kind == "user":
            end_processes(self.user)
        if self.kind in ENGINES:
            subprocess.run([self.kind, "kill", self.name], capture_output=True, timeout=60)
        self.process.wait()
        self.line.close()
        self.errors.close()
        self.home.cleanup()
        for _ in range(100 if self.group else 0):  # until the last process in it is gone
            with suppress(OSError):
                self.group.rmdir()
                break
            time.sleep(0.01)

    def ask(self, do, functions=(), seconds=None, clock=None, **message):
        """Ask for something and return the answer; meanwhile the student's code may call any of the functions.

        Raises Died when the sandbox ended, what it says is garbled, or time is up: so many seconds of the processor,
        which a busy machine does not shorten, or `PATIENCE` times as many of the clock, for code that only sleeps.
        """
        clock = clock or Clock(self.process.pid, seconds or self.seconds, self.deadline)
        self._send({"do": do, **message}, clock)
        while True:
            reply = self._receive(clock)
            with untrusted():
                if "done" in reply:
                    return reply["done"]
                function = functions[reply["callback"]]
                lent = partial(self._make_lent_function, functions=functions, clock=clock)
                arguments = self._small(reply["arguments"], lent)
            try:
                answer = {"result": wire.encode(function(*arguments))}
            except Exception as error:
                answer = {"raised": type(error).__name__, "message": str(error)}
            self._send(answer, clock)

    def _make_lent_function(self, index, functions, clock):
        """A function of the student's that was given to one of the check's."""

        def function(*arguments):
            given = [wire.encode(argument) for argument in arguments]
            reply = self.ask("call_lent", functions, clock=clock, index=index, arguments=given)
            with untrusted():
                if "raised" not in reply:
                    return self._small([reply["result"]])[0]
                error = type(reply["raised"], (Exception,), {})(reply["message"])
            raise error

        return function

    def _small(self, values, function=None):
        """The values, if they are few numbers: a check computes with them out here."""
        values = [wire.decode(value, function) for value in values]
        if sum(np.size(value) for value in values) > MOST_GIVEN:
            raise Died("garbled")
        return values

    def _send(self, message, clock):
        data = memoryview(json.dumps(message).encode() + b"\n")
        while data:
            data = data[clock.retry(self.line.send, data) :]

    def _receive(self, clock):
        while b"\n" not in self.buffer:
            piece = clock.retry(self.line.recv, 2**17)
            if not piece:
                raise Died("gone")
            self.buffer += piece
            if len(self.buffer) > wire.LARGEST:
                raise Died("garbled")
        line, _, self.buffer = self.buffer.partition(b"\n")
        with untrusted():
            return json.loads(line)


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

    def retry(self, do, given):
        """Try to send or receive until it can be done; raise Died when time is up or nobody is there."""
        while True:
            now = time.monotonic()
            if now >= self.end:
                raise Died("late" if now >= self.deadline else "time")
            if now >= self.looked + LOOK:
                self.looked, used = now, self._used()
                self.most = self.most or used + self.seconds  # from the first look on: most questions end before it
                if used > self.most:
                    raise Died("time")
            try:
                return do(given)
            except TimeoutError:
                pass
            except ConnectionError:
                raise Died("gone") from None
