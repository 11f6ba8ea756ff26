"""Many at once: whatever happens to a worker on the way, every submission is graded once."""

import os
import re
import signal
import subprocess
import sys
import time

import psutil
import pytest
from classroom import collect_class, needs_sandbox, notebook, solved, start_homework, statuses

from book.chapter import ROOT
from homework.course import read_results
from homework.grade import batch

STEM, STUDENTS = "01_definition", [f"student-{i:02}" for i in range(8)]


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A class of eight, every second one right, the others untouched."""

    def hand_in(course):
        right, untouched = solved(course, STEM), notebook(course, "release", STEM)
        return {name: untouched if i % 2 else right for i, name in enumerate(STUDENTS)}

    return collect_class(tmp_path_factory.mktemp("class"), hand_in)


EXPECTED = {name: "not attempted" if i % 2 else "right" for i, name in enumerate(STUDENTS)}


def start_module(*arguments):
    command = [sys.executable, "-m", *arguments]
    return subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, start_new_session=True)


@pytest.fixture
def cluster():
    """The address of a scheduler, and its two workers."""
    scheduler = start_module("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    address = next(m[1] for line in scheduler.stderr if (m := re.search(r"Scheduler at:\s+(tcp://\S+)", line)))
    settings = ["--nthreads", "1", "--no-dashboard", "--no-nanny"]
    workers = [start_module("distributed.cli.dask_worker", address, *settings) for _ in range(2)]
    try:
        yield address, workers
    finally:
        for process in [*workers, scheduler]:
            process.kill()
            process.wait()
            process.stderr.close()


def wait_for(what, seconds=600):
    end = time.monotonic() + seconds
    while not (got := what()):
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)
    return got


@needs_sandbox
@pytest.mark.slow
def test_a_worker_dies_on_the_way_and_every_submission_is_graded_once(course, cluster):
    address, workers = cluster
    grading = start_homework("grade", "01", "--course", course, "--dask", address)
    # a sandbox is open: the worker is in the middle of a submission
    wait_for(lambda: psutil.Process(workers[0].pid).children())
    os.killpg(workers[0].pid, signal.SIGKILL)
    assert workers[0].wait() == -signal.SIGKILL
    printed, _ = grading.communicate(timeout=600)
    assert "8 graded now, 0 before; 0 for a person" in printed
    first = {name: statuses(result)["ex01-attention"] for name, result in read_results(course, STEM).items()}
    assert first == EXPECTED


def test_what_kills_every_worker_is_left_to_a_person_and_the_others_are_graded(monkeypatch):
    def deadly(task):
        if task == "poison":
            os.kill(os.getpid(), signal.SIGKILL)
        return {"student": task, "notebook": None}

    class Task(str):
        student = property(lambda self: str(self))

    monkeypatch.setattr(batch, "grade", deadly)
    arrived = batch.grade_all([Task(name) for name in ("a", "poison", "b", "c", "d")], jobs=2)
    results = {result["student"]: result for result in arrived}
    assert sorted(results) == ["a", "b", "c", "d", "poison"]
    assert "ended the process that graded it" in results["poison"]["unjudged"]
    assert all("unjudged" not in results[name] for name in "abcd")
