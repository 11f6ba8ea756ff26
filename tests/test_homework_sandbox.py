"""The walls around student code, one by one; and that without walls nothing is run unless it is asked for by name."""

import json
import os
import platform
import re
import signal
import sys
import time
import tomllib
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from classroom import by_itself, chapter, collect_class, homework, needs_root, needs_sandbox, solved, start_homework
from nbformat.v4 import new_code_cell

from book.chapter import ROOT
from homework import report
from homework.chapter import Unclear
from homework.grade import batch, sandbox, walls, wire
from homework.grade.sandbox import Died, Session

STEM = "01_definition"
TABLES = tomllib.loads((ROOT / "tests" / "sandbox.toml").read_text("utf-8"))


@pytest.fixture(scope="module")
def session():
    with Session(seconds=30) as session:
        yield session


KEEP = "kept = []\n\ndef print(*values):\n    kept.append(' '.join(map(str, values)))\n\n"


def run(session, *lines):
    """What the lines print inside, or the exception they raise."""
    reply = session.ask("run", source=KEEP + "\n".join(lines), name="cell 1")
    return reply.get("raised") or "\n".join(wire.decode(session.ask("names", names=["kept"])["kept"]))


@pytest.fixture
def looked_for_anew():
    """What is known of the sandboxes of this machine is forgotten, before and after."""
    for known in (sandbox.choose_kind, sandbox.find_obstacle):
        known.cache_clear()
    yield
    for known in (sandbox.choose_kind, sandbox.find_obstacle):
        known.cache_clear()


@needs_sandbox
@pytest.mark.parametrize("what", TABLES["refused"])
def test_student_code_is_refused(session, what):
    source, error = TABLES["refused"][what]
    assert re.fullmatch(error, run(session, source.replace("FILE", __file__).replace("PREFIX", sys.prefix)))


@needs_root
def test_where_only_the_user_is_another_the_network_is_closed_too():
    with Session(seconds=30, kind="user") as session:
        for family in ("AF_INET", "AF_INET6"):
            assert run(session, f"import socket; socket.socket(socket.{family})") == "PermissionError"
        assert run(session, "import asyncio; asyncio.run(asyncio.sleep(0)); print('fine')") == "fine"


@needs_sandbox
@pytest.mark.parametrize("what", TABLES["calls"])
def test_the_kernel_refuses(session, what):
    column, _, _, clone = walls.MACHINES[platform.machine()]
    call = TABLES["calls"][what].format(keyctl=walls.CALLS["keyctl"][column], clone=clone)
    assert run(session, f"import ctypes; print(ctypes.CDLL(None).{call})") == "-1"


@needs_sandbox
def test_nothing_of_the_machine_is_seen(session):
    run(session, "import os, socket")
    assert run(session, "print([name for _, name in socket.if_nameindex()])") == "['lo']"
    assert int(run(session, "print(len([name for name in os.listdir('/proc') if name.isdigit()]))")) <= 3
    assert run(session, "print('ATTENTION_SEED' in os.environ, os.getuid() == 0)") == "False False"
    *files, passwords = run(session, "print(*os.listdir('/tmp'), os.path.exists('/etc/passwd'))").split()
    ways = {path.parts[2] for path in (ROOT, Path(sys.prefix), Path(sys.base_prefix)) if path.parts[1] == "tmp"}
    assert not {*files} & {*os.listdir("/tmp")} - ways and passwords == "False"


@needs_sandbox
def test_processes_are_counted():
    with Session(seconds=30) as session:
        fork = ["import os, time", "children = 0", "while True:", "    if os.fork() == 0:", "        time.sleep(60)"]
        assert run(session, *fork, "    children += 1") in ("BlockingIOError", "OSError")
        assert int(run(session, "print(children)")) < walls.LIMITS["RLIMIT_NPROC"]


@needs_sandbox
@pytest.mark.parametrize(("source", "how"), TABLES["ends"].values(), ids=TABLES["ends"])
def test_what_ends_a_sandbox_is_known(source, how):
    with Session(seconds=30) as session:
        calls, seconds = "def f" in source, 0.5 if "time" in how else None
        session.ask("run", source=source if calls else "pass", name="cell 1")
        with pytest.raises(Died, match=how):
            if calls:
                given = [wire.encode(abs, lambda f: 0)]
                session.ask("call", [lambda x: x @ x.T], name="f", arguments=given, seconds=seconds)
            session.ask("run", source=source, name="cell 2", seconds=seconds)


@needs_sandbox
def test_functions_cross_in_both_directions(session):
    for name, given in (("f", "lambda y: 2 * y"), ("g", "fails")):
        run(session, f"def {name}(block, x):", f"    return block(x, {given})")
    run(session, "def fails(y):", "    raise KeyError(y.sum())")
    given = [{"function": 0}, wire.encode(np.ones(3))]
    reply = session.ask("call", [lambda x, function: function(x + 1) + 1], name="f", arguments=given)
    assert wire.decode(reply["result"]).tolist() == [5, 5, 5]
    assert session.ask("call", [lambda x, function: function(x)], name="g", arguments=given)["raised"] == "KeyError"


def test_a_container_has_the_same_walls():
    command = " ".join(map(str, walls.container("podman", "homework-1")))
    expected = "--network none", "--read-only", "--cap-drop ALL", "--security-opt no-new-privileges", "--pids-limit 24"
    assert [wall for wall in expected if wall not in command] == []
    assert command.startswith("podman run --rm --interactive --name homework-1 ") and "ATTENTION_SEED" not in command
    assert command.endswith("attention-grading python") and f"--memory {walls.MEMORY} " in command
    assert command.count("readonly") == len(walls.GRADING)


def test_without_bubblewrap_a_container_is_taken(monkeypatch):
    monkeypatch.setattr(sandbox, "find_obstacle", lambda kind: "" if kind == "podman" else f"no {kind}")
    assert sandbox.choose_kind.__wrapped__() == "podman"
    monkeypatch.setattr(sandbox, "find_obstacle", lambda kind: f"no {kind}")
    with pytest.raises(sandbox.NoSandbox, match=r"no bubblewrap; no docker; no podman.*apt install bubblewrap"):
        sandbox.choose_kind.__wrapped__()


def test_where_there_is_no_control_group_it_is_said(monkeypatch):
    monkeypatch.setattr(sandbox, "choose_kind", lambda: "bubblewrap")
    monkeypatch.setattr(walls, "memory_group", lambda: None)
    assert "no control group here: each process has 2 GB" in sandbox.describe()


@pytest.mark.parametrize("malformed", TABLES["malformed"].values(), ids=TABLES["malformed"])
def test_a_value_that_is_none_is_taken_for_a_disturbance(malformed):
    with pytest.raises(Died, match="garbled"), sandbox.untrusted():
        wire.decode(malformed)


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A class of three, whose notebooks are collected."""
    names, folder = ("ann", "ben", "cyd"), tmp_path_factory.mktemp("class")
    return collect_class(folder, lambda course: dict.fromkeys(names, solved(course, STEM)))


def result_times(course):
    return {path.stem: path.stat().st_mtime_ns for path in (course / "results" / STEM).glob("*.json")}


def test_without_a_sandbox_grading_refuses_and_says_why_and_what_to_do(course, looked_for_anew, monkeypatch):
    monkeypatch.setenv("WITHOUT", "bwrap docker podman")
    refusal = homework("grade", "01", "--course", course, fails=True)
    assert "bubblewrap is not installed" in refusal and "apt install bubblewrap" in refusal and "--unsafe" in refusal
    assert result_times(course) == {}


@pytest.mark.skipif(sys.platform == "win32", reason="a shell (WSL), whose script plays the part of bubblewrap")
def test_a_sandbox_that_cannot_start_is_no_sandbox(course, tmp_path, looked_for_anew, monkeypatch):
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho no permission to make a namespace >&2\nexit 1\n")
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    monkeypatch.delenv("WITHOUT", raising=False)
    refusal = homework("grade", "01", "--course", course, fails=True)
    assert "bubblewrap cannot start here: no permission to make a namespace" in refusal


@needs_sandbox
def test_after_a_kill_grading_goes_on_where_it_stopped(course):
    grading = start_homework("grade", "01", "--course", course)
    while not result_times(course) and grading.poll() is None:
        time.sleep(0.01)
    os.killpg(grading.pid, signal.SIGKILL)
    grading.communicate()
    before = result_times(course)
    assert 1 <= len(before) < 3
    printed = homework("grade", "01", "--course", course)
    assert f"{3 - len(before)} graded now, {len(before)} before; 0 for a person" in printed
    assert {name: result_times(course)[name] for name in before} == before and len(result_times(course)) == 3
    report.command("01", course, {})
    assert len([*(course / "report" / STEM / "students").iterdir()]) == 3


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process (WSL)")
def test_unsafe_shows_the_secret_to_nobody(course):
    with pytest.raises(Unclear, match="holds ATTENTION_SEED"), mock.patch.object(batch, "holds_secret", lambda _: True):
        batch.drop_secret({})
    spy = "import glob\nfound = [p for p in glob.glob('/proc/*/environ') if b'ATTENTION_SEED' in open(p, 'rb').read()]"
    notebook, file = chapter(1).solved(), course / "spy.ipynb"
    notebook.cells.insert(3, new_code_cell(f"{spy}\nassert not found, found"))
    file.write_text(json.dumps(notebook))
    summary = json.loads(by_itself("check", file, "--unsafe", "--json", WITHOUT="bwrap docker podman"))
    assert summary["points"] == 6


def test_a_command_too_early_names_the_one_before_and_one_without_the_secret_says_what_it_is(course, tmp_path):
    for place, environment, message in (
        (tmp_path, {"ATTENTION_SEED": "x"}, "python -m homework release 01"),
        (course, {}, "ATTENTION_SEED is not set"),
    ):
        with pytest.raises(Unclear, match=message):
            batch.command("01", place, 1, None, 20, False, False, environment, personal=False)
    with pytest.raises(Unclear, match="python -m homework grade 01"):
        report.command("01", tmp_path, {})
