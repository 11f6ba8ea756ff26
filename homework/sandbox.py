"""A sandbox for one student's code, made by bubblewrap: no network, no other files, limits on all it could use up.

Inside runs `inside.py`. It is asked through a pipe and answers through it, in time or not at all; whatever it answers
is a value to be judged, never code, and never a score.
"""

import json
import os
import secrets
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from functools import cache
from math import inf
from pathlib import Path

import psutil

import attention_src

from . import wire

HERE, PACKAGE = Path(__file__).parent, Path(attention_src.__file__).parent
INSIDE = [HERE / name for name in ("inside.py", "watch.py", "wire.py")]
DISK = 64 * 2**20
PATIENCE, LOOK = 2, 0.2  # times as long on the clock as on the processor; seconds between two looks
LIMITS = {
    "RLIMIT_AS": 2 * 2**30,  # bytes of memory, each process
    "RLIMIT_NPROC": 24,  # processes and threads
    "RLIMIT_FSIZE": DISK,
    "RLIMIT_NOFILE": 256,
    "RLIMIT_CORE": 0,
}
MALFORMED = (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError, OverflowError, MemoryError)


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


def bubblewrap():
    """The command that starts a program in the sandbox: a new root with Python, the package and nothing else."""
    command = ["bwrap", "--die-with-parent", "--new-session", "--unshare-ipc", "--unshare-pid", "--unshare-net"]
    command += ["--unshare-uts", "--hostname", "sandbox", "--unshare-cgroup-try"]
    if os.getuid() == 0:  # root's processes cannot be limited: `inside.py` becomes somebody else
        command += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        command += ["--unshare-user"]
    size = ["--size", str(DISK), "--perms", "1777", "--tmpfs"]
    command += ["--proc", "/proc", "--dev", "/dev", *size, "/dev/shm", "--remount-ro", "/dev", *size, "/tmp"]
    for path in ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/alternatives"):
        if os.path.islink(path):
            command += ["--symlink", os.readlink(path), path]
        elif os.path.exists(path):
            command += ["--ro-bind", path, path]
    grading = {path: Path("/grading", path.name) for path in (PACKAGE, *INSIDE)}
    for path, place in ({Path(prefix): Path(prefix) for prefix in (sys.base_prefix, sys.prefix)} | grading).items():
        for above in reversed(place.parents[:-1]):  # made by bubblewrap alone, they would be closed to others than root
            command += ["--dir", str(above)]
        command += ["--ro-bind", str(path), str(place)]
    return [*command, "--remount-ro", "/", "--chdir", "/tmp"]


def environment(home, books):
    """What student code may know of the machine; the secret seed is not among it."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    who = {"HOME": home, "TMPDIR": home, "USER": "student", "LOGNAME": "student"}
    return threads | who | {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "MPLBACKEND": "Agg", "PYTHONPATH": str(books)}


@cache
def why_not():
    """Say why there is no sandbox on this machine; an empty string means that there is one, and it works."""
    if not shutil.which("bwrap"):
        return "bubblewrap is not installed (on Debian and Ubuntu: apt install bubblewrap; it needs Linux)"
    done = subprocess.run([*bubblewrap(), "true"], capture_output=True, text=True, timeout=60)
    if done.returncode:
        return f"bubblewrap cannot start here: {done.stderr.strip() or done.returncode}"
    try:
        with Session(seconds=60) as session:
            reply = session.ask("run", source="import numpy, attention_src.checks", name="cell")
    except Died as death:
        return f"Python does not start in the sandbox ({death.how})"
    return f"in the sandbox Python raises {reply['raised']}: {reply['message']}" if "raised" in reply else ""


def need():
    """Raise NoSandbox, with the reason and the way out, where there is none."""
    if why_not():
        raise NoSandbox(
            f"Student code is not run without a sandbox, and there is none: {why_not()}. "
            "`--unsafe` runs it as you, with your files and your network: for notebooks of your own only."
        )


class Session:
    """A running sandbox. With `unsafe` the same program without walls or limits, but an end when time is up."""

    def __init__(self, *, seconds, unsafe=False):
        self.seconds, self.buffer, self.deadline = seconds, bytearray(), inf
        self.home = tempfile.TemporaryDirectory(prefix="homework-") if unsafe else None
        user = 2**30 + secrets.randbelow(2**30) if os.getuid() == 0 and not unsafe else None
        settings = json.dumps({"limits": {} if unsafe else LIMITS, "user": user})
        program = [sys.executable, str(HERE / "inside.py") if unsafe else "/grading/inside.py", settings]
        self.process = subprocess.Popen(
            program if unsafe else [*bubblewrap(), *program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,
            cwd=self.home.name if unsafe else None,
            env=environment(self.home.name, PACKAGE.parent) if unsafe else environment("/tmp", "/grading"),
        )
        os.set_blocking(self.process.stdin.fileno(), False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        if self.home:
            self.home.cleanup()

    def ask(self, do, functions=(), seconds=None, **message):
        """Ask for something and return the answer; meanwhile the student's code may call any of the functions.

        Raises
        ------
        Died
            The sandbox ended, what it says is garbled, or time is up: so many seconds of the processor, which a busy
            machine does not shorten, or `PATIENCE` times as many of the clock, for code that only sleeps.
        """
        clock = Clock(self.process.pid, seconds or self.seconds, self.deadline)
        self._send({"do": do, **message}, clock)
        while True:
            reply = self._receive(clock)
            with untrusted():
                if "done" in reply:
                    return reply["done"]
                function = functions[reply["callback"]]
                arguments = [wire.decode(argument) for argument in reply["arguments"]]
            self._send(_called(function, arguments), clock)

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
        self.pid, self.looked = pid, time.monotonic()
        self.end = min(self.looked + PATIENCE * seconds, deadline)
        self.most = self._used() + seconds

    def _used(self):
        """Seconds of the processor that the sandbox has used, with all processes in it."""
        try:
            first = psutil.Process(self.pid)
            return sum(sum(process.cpu_times()[:4]) for process in (first, *first.children(recursive=True)))
        except psutil.NoSuchProcess:  # one that has just ended: what reads from the sandbox will notice
            return 0.0

    def wait(self, readable, writable):
        """Wait until a pipe is ready; raise Died when time is up."""
        while True:
            ready = any(select.select(readable, writable, [], min(LOOK, max(0, self.end - time.monotonic()))))
            now = time.monotonic()
            if now >= self.looked + LOOK:
                self.looked = now
                if now >= self.end or self._used() > self.most:
                    raise Died("time")
            if ready:
                return


def _called(function, arguments):
    """Call a function of the check for the student's code; its exception goes back like a result."""
    try:
        return {"result": wire.encode(function(*arguments))}
    except Exception as error:
        return {"raised": type(error).__name__, "message": str(error)}
