"""The walls around student code, one by one; and that without walls nothing is run unless it is asked for by name."""

import json
import os
import sys
from pathlib import Path

import pytest
from classroom import homework, solved

from homework import desk, sandbox, wire
from homework.chapter import Unclear
from homework.sandbox import Died, Session, why_not
from tools.chapter import ROOT

STEM = "01_definition"
needs_sandbox = pytest.mark.skipif(bool(why_not()), reason=f"no sandbox: {why_not()}")


@pytest.fixture(scope="module")
def session():
    with Session(seconds=30) as session:
        yield session


def run(session, *lines):
    """What the lines print inside, or the exception they raise."""
    reply = session.ask("run", source="\n".join(lines), name="cell 1")
    return reply.get("raised") or reply["printed"].strip()


@needs_sandbox
def test_there_is_no_network(session):
    assert run(session, "import socket", "print([name for _, name in socket.if_nameindex()])") == "['lo']"
    assert run(session, "socket.create_connection(('192.0.2.1', 80), timeout=5)") == "OSError"


@needs_sandbox
def test_files_of_the_machine_are_not_there(session, tmp_path):
    (tmp_path / "grades.db").write_text("secret")
    assert run(session, f"open({str(tmp_path / 'grades.db')!r})") == "FileNotFoundError"
    *seen, passwords = run(session, "import os", "print(*os.listdir('/tmp'), os.path.exists('/etc/passwd'))").split()
    ways = {path.parts[2] for path in (ROOT, Path(sys.prefix), Path(sys.base_prefix)) if path.parts[1] == "tmp"}
    assert not {*seen} & {*os.listdir("/tmp")} - ways and passwords == "False"


@needs_sandbox
def test_nothing_can_be_written_but_a_little_in_its_own_folder(session):
    for path in ("/x", "/usr/x", "/grading/x", "/dev/x", os.path.join(sys.prefix, "x")):
        assert run(session, f"open({path!r}, 'w')") in ("OSError", "PermissionError")
    fill = ["made = 0", "for i in range(200):", "    open(f'/tmp/{i}', 'wb').write(bytes(2**20))", "    made = i"]
    assert run(session, *fill) == "OSError"
    assert int(run(session, "print(made)")) < 64


@needs_sandbox
def test_other_processes_and_the_environment_are_not_seen(session):
    assert int(run(session, "import os", "print(len([name for name in os.listdir('/proc') if name.isdigit()]))")) <= 3
    assert run(session, "print('ATTENTION_SEED' in os.environ, os.getuid() == 0)") == "False False"


@needs_sandbox
def test_ten_gigabytes_are_refused(session):
    assert run(session, "import numpy", "numpy.ones(10 * 2**30, dtype='uint8')") == "MemoryError"


@needs_sandbox
def test_processes_are_counted():
    with Session(seconds=30) as session:
        fork = ["import os, time", "children = 0", "while True:", "    if os.fork() == 0:", "        time.sleep(60)"]
        assert run(session, *fork, "    children += 1") in ("BlockingIOError", "OSError")
        assert int(run(session, "print(children)")) < sandbox.LIMITS["RLIMIT_NPROC"]


@needs_sandbox
@pytest.mark.parametrize(
    ("source", "how"),
    [
        ("while True: pass", "time"),
        ("import time; time.sleep(60)", "time"),
        ("import os; os._exit(1)", "gone"),
        ("import os; os.kill(os.getpid(), 9)", "gone"),
        ("import os; os.write(4, b'\\0\\0\\0\\1{')", "garbled"),
        ("import os; os.write(4, b'\\xff\\xff\\xff\\xff')", "garbled"),
        ("import os; os.write(4, b'\\0\\0\\0\\2{}')", "garbled"),
    ],
)
def test_what_ends_a_sandbox_is_known(source, how):
    with Session(seconds=2) as session, pytest.raises(Died, match=how):
        session.ask("run", source=source, name="cell 1")


@pytest.mark.parametrize(
    "malformed",
    [
        {"array": ["O", [1], "AAAAAAAAAAA="], "scalar": False},
        {"array": ["<U1", [1], "YQAAAA=="], "scalar": False},
        {"array": ["<f8", [10**12], ""], "scalar": False},
        {"array": ["<f8", [-1, 0], ""], "scalar": False},
        {"array": ["<f8"], "scalar": False},
        {"tuple": 3},
        {"function": "f"},
        {},
    ],
)
def test_a_value_that_is_none_is_taken_for_a_disturbance(malformed):
    with pytest.raises(Died, match="garbled"), sandbox.untrusted():
        wire.decode(malformed)


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A class of one, whose notebook is collected."""
    course = tmp_path_factory.mktemp("class")
    desk.release(["01"], course, None, {}, personal=False)
    (course / "in" / "ann").mkdir(parents=True)
    (course / "in" / "ann" / "x.ipynb").write_text(json.dumps(solved(course, STEM)))
    desk.collect("01", course / "in", course, None, {})
    return course


def test_without_a_sandbox_grading_refuses_and_says_why_and_what_to_do(course):
    said = homework("grade", "01", "--course", course, environment={"PATH": str(course)}, fails=True)
    assert "bubblewrap is not installed" in said and "apt install bubblewrap" in said and "--unsafe" in said
    assert not (course / "results").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script plays the part of bubblewrap")
def test_a_sandbox_that_cannot_start_is_no_sandbox(course, tmp_path):
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho no permission to make a namespace >&2\nexit 1\n")
    (tmp_path / "bwrap").chmod(0o755)
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    said = homework("grade", "01", "--course", course, environment=environment, fails=True)
    assert "bubblewrap cannot start here: no permission to make a namespace" in said


@pytest.mark.skipif(sys.platform == "win32", reason="the program inside uses limits that Windows has not")
def test_unsafe_grades_without_a_sandbox(course):
    homework("grade", "01", "--course", course, "--unsafe", environment={"PATH": str(course)})
    result = json.loads((course / "results" / STEM / "ann.json").read_text())
    assert {verdict["status"] for verdict in result["exercises"].values()} == {"right"}


def test_grading_without_the_secret_refuses_and_says_what_it_is(course):
    with pytest.raises(Unclear, match="ATTENTION_SEED is not set"):
        desk.grade("01", course, 1, None, 20, False, {}, personal=False)


def test_a_command_too_early_names_the_one_before(tmp_path):
    with pytest.raises(Unclear, match="python -m homework release 01"):
        desk.grade("01", tmp_path, 1, None, 20, False, {"ATTENTION_SEED": "x"}, personal=False)
    with pytest.raises(Unclear, match="python -m homework grade 01"):
        desk.report("01", tmp_path, {})
