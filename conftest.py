"""How pytest tests the chapters: nbval compares each output, and `book/nbval_bound` each number in a sentence."""

import hashlib
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from uuid import uuid4

import nbval.kernel
import pytest

pytest_plugins = ["pytester", "book.nbval_bound.plugin"]


def _start_kernel_without_ports(start=nbval.kernel.KernelManager, **settings):
    """Reach kernels by files: a port found free may be taken, say by a browser's test, before its kernel listens."""
    return start(transport="ipc", ip=str(Path(tempfile.gettempdir()) / f"kernel-{uuid4().hex[:8]}"), **settings)


nbval.kernel.KernelManager = _start_kernel_without_ports


def pytest_addoption(parser):
    parser.addoption(
        "--one-in", type=int, help="of the tests that are chosen, run one in so many, as the commit decides"
    )


def pytest_collection_modifyitems(config, items):
    """Leave out all but a sample, case by case, so that it takes about as long each time and each has its turn.

    What is marked `always` is in every sample.
    """
    if share := config.getoption("--one-in"):
        head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=config.rootpath, capture_output=True, text=True).stdout
        names = [f"{head.strip()}{item.nodeid}" for item in items]
        chosen = [
            bool(item.get_closest_marker("always")) or int(hashlib.sha256(name.encode()).hexdigest(), 16) % share == 0
            for item, name in zip(items, names, strict=True)
        ]
        config.hook.pytest_deselected(items=[item for item, keep in zip(items, chosen, strict=True) if not keep])
        items[:] = [item for item, keep in zip(items, chosen, strict=True) if keep]


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    """Say in the very last line what was skipped, of how many tests, and what they need; reasons are worded for it."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter and not hasattr(config, "workerinput"):
        reasons = Counter(" ".join(report.longrepr[2].split()[1:]) for report in reporter.stats.get("skipped", ()))
        needs = ", ".join(f"{count} need {reason}" for reason, count in reasons.most_common())
        reporter.write_line(f"{reasons.total()} skipped: {needs}" if needs else "Nothing was skipped.")
