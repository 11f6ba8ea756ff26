"""How pytest tests the chapters: nbval compares each output, and `tools/nbval_bound` each number in a sentence."""

import tempfile
from pathlib import Path
from uuid import uuid4

import nbval.kernel

pytest_plugins = ["pytester", "tools.nbval_bound.plugin"]


def _start_kernel_without_ports(start=nbval.kernel.KernelManager, **settings):
    """Reach kernels by files: a port found free may be taken, say by a browser's test, before its kernel listens."""
    return start(transport="ipc", ip=str(Path(tempfile.gettempdir()) / f"kernel-{uuid4().hex[:8]}"), **settings)


nbval.kernel.KernelManager = _start_kernel_without_ports
