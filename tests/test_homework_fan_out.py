"""Many at once: whatever happens to a worker on the way, every submission is graded once."""

import os
import signal
import time

import psutil
import pytest
from classroom import collect_class, needs_sandbox, notebook, solved, start_homework, statuses

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


@pytest.fixture
def cluster():
    """The address of a scheduler, and the process of one of its two workers."""
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        yield cluster.scheduler_address, psutil.Process(next(iter(client.run(os.getpid).values())))


@needs_sandbox
@pytest.mark.slow
def test_a_worker_dies_on_the_way_and_every_submission_is_graded_once(course, cluster):
    address, worker = cluster
    grading = start_homework("grade", "01", "--course", course, "--dask", address)
    end = time.monotonic() + 600
    while not worker.children():  # a sandbox is open: the worker is in the middle of a submission
        assert time.monotonic() < end, "no submission reached it"
        time.sleep(0.01)
    worker.kill()
    printed, _ = grading.communicate(timeout=600)
    assert "8 graded now, 0 before; 0 for a person" in printed
    first = {name: statuses(result)["ex01-attention"] for name, result in read_results(course, STEM).items()}
    assert first == {name: "not attempted" if i % 2 else "right" for i, name in enumerate(STUDENTS)}


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
