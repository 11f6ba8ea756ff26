"""A chapter prints the same with other numbers of threads and with another processor's instructions."""

import os
import subprocess
import sys

import pytest

from book.chapter import CHAPTERS, ROOT

ARITHMETIC = [{"OMP_NUM_THREADS": "4"}, {"OMP_NUM_THREADS": "2", "ATEN_CPU_CAPABILITY": "default"}]


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings", ARITHMETIC, ids=lambda settings: " ".join("=".join(pair) for pair in settings.items())
)
@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_holds_with_other_arithmetic(path, settings):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", path]
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive", **settings}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:]
