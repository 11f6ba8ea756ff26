"""Grading many submissions at once: over processes of this machine, or over the machines of a Dask cluster."""

from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager

from joblib import Parallel, delayed, parallel_config
from tqdm import tqdm

from ..chapter import Unclear
from .grading import grade


def graded(tasks, jobs=1, dask=None):
    """Yield the result of each submission as it arrives, once, whatever happens to the workers on the way.

    Dask gives a dead worker's submissions to the others. A broken pool is made anew, and what is left goes through it
    one by one: what ends its process again is left to a person.
    """
    done = set()
    with _cluster(dask) if dask else parallel_config(n_jobs=jobs), tqdm(total=len(tasks), disable=None) as bar:
        for batch in _batches(tasks, done):
            try:
                for result in Parallel(return_as="generator_unordered", batch_size=1)(map(delayed(grade), batch)):
                    done.add(result["student"])
                    yield result
                    bar.update()
            except _deaths() as death:
                if len(batch) == 1:
                    done.add(batch[0].student)
                    yield _given_up(batch[0].student, death)


def _batches(tasks, done):
    """All tasks together, then each that has no result by itself."""
    yield tasks
    for task in tasks:
        if task.student not in done:
            yield [task]


def _given_up(student, death):
    reason = f"it ended the process that graded it: {type(death).__name__}"
    return {"student": student, "exercises": {}, "notes": [], "unjudged": reason, "seconds": 0, "again": True}


def _deaths():
    """The exceptions that say that a worker died."""
    try:
        from distributed import KilledWorker
    except ImportError:
        return BrokenProcessPool
    return BrokenProcessPool, KilledWorker


@contextmanager
def _cluster(address):
    try:
        from distributed import Client
    except ImportError:
        raise Unclear("--dask needs the package distributed: pip install distributed") from None
    with Client(address, timeout="30s"), parallel_config("dask"):
        yield
