"""What some results need besides the lock, in a file each."""

import subprocess
import sys
from pathlib import Path


def install(name):
    """Install the packages that a result needs, without what these ask for: the lock has it or nobody needs it."""
    file = Path(__file__).parent / f"{name}.txt"
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "-r", file], check=True)
