"""Grading many submissions at once: over processes of this machine, or over the machines of a Dask cluster."""

from concurrent.futures.process import BrokenProcessPool
from importlib.util import find_spec

from joblib import Parallel, delayed, parallel_config
from tqdm import tqdm

from ..chapter import Unclear
from .grading import grade


def graded(tasks, jobs=1, dask=None):
    """Yield the result of each submission as it arrives, once, whatever happens to the workers on the way.

    Dask gives a dead worker's submissions to the others. A broken pool is made anew, and what is left goes through it
    one by one: what ends its process again is left to a person.
    """
    if dask and not find_spec("distributed"):
        raise Unclear("--dask needs the extra for clusters: pip install --constraint requirements-dev.txt -e '.[dask]'")
    place = {"backend": "dask", "scheduler_host": dask} if dask else {"n_jobs": jobs}
    done, batches = set(), [tasks]
    with parallel_config(**place), tqdm(total=len(tasks), disable=None) as bar:
        for batch in batches:
            try:
                for result in Parallel(return_as="generator_unordered", batch_size=1)(map(delayed(grade), batch)):
                    done.add(result["student"])
                    yield result
                    bar.update()
            except Exception as death:
                if not isinstance(death, BrokenProcessPool) and type(death).__name__ != "KilledWorker":  # Dask's
                    raise
                if len(batch) > 1:
                    batches += [[task] for task in batch if task.student not in done]
                else:
                    why = f"it ended the process that graded it: {type(death).__name__}"
                    empty = {"student": batch[0].student, "exercises": {}, "notes": [], "seconds": 0}
                    yield empty | {"unjudged": why, "again": True}
