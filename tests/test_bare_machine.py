"""A machine with Python, make and git alone: what the packages bring works there, and without it tests are skipped."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from classroom import needs_sandbox

from book import programs
from book.chapter import ROOT
from book.programs import NO_CHROMIUM, find

LACKING = "libnss3 libnssutil3 libnspr4 libplc4 libplds4 libsoftokn3 libfreebl3"
PRINT = """
from playwright.sync_api import sync_playwright
from book.programs import start_chromium
with sync_playwright() as playwright:
    tab = start_chromium(playwright).new_page()
    tab.set_content("letters")
    print(b"OpenSans" in tab.pdf())
"""
needs_packages = pytest.mark.skipif(
    not programs.CHROMIUM.is_dir() or sys.platform != "linux" or not find("chromium"), reason=NO_CHROMIUM
)


@needs_packages
@pytest.mark.parametrize(("name", "version"), [("bwrap", "bubblewrap 0.11"), ("chromium", "Chromium 153")])
def test_the_systems_program_is_taken_then_the_packages_and_none_if_there_is_none(name, version, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert subprocess.check_output([find(name), "--version"], env={}, text=True).startswith(version)
    (tmp_path / name).touch(0o755)
    assert find(name) == str(tmp_path / name)
    monkeypatch.setenv("WITHOUT", f"docker {name}")
    assert find(name) is None
    monkeypatch.delenv("WITHOUT")
    (tmp_path / name).unlink()
    monkeypatch.setattr(programs, "find_spec", lambda package: None)
    monkeypatch.setattr(programs.platform, "machine", lambda: "riscv64")
    assert find(name) is None


@pytest.mark.slow
@needs_sandbox
@needs_packages
def test_chromium_brings_the_libraries_and_the_letters_that_a_system_lacks():
    files = [file for name in LACKING.split() for file in Path("/usr").glob(f"lib*/**/{name}.so")]
    hide = [word for file in files for word in ("--ro-bind", "/dev/null", file)]
    hide += [
        word for fonts in ("/etc/fonts", "/usr/share/fonts") if os.path.isdir(fonts) for word in ("--tmpfs", fonts)
    ]
    command = [find("bwrap"), "--dev-bind", "/", "/", *hide, sys.executable, "-c", PRINT]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/nowhere"}
    assert subprocess.check_output(command, env=environment, text=True) == "True\n"


def run_tests(*tests, **environment):
    """Run tests as `make test` does; return its exit status and the last line, or more if it fails."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NEEDS_")}
    command = [sys.executable, "-m", "pytest", "-m", "not slow", "-n", "3", *tests]
    done = subprocess.run(command, cwd=ROOT, env=kept | environment, capture_output=True, text=True)
    return done.returncode, done.stdout.splitlines()[-1] if done.returncode == 0 else done.stdout[-3000:]


@pytest.mark.slow
def test_where_there_is_neither_tests_are_skipped_and_the_last_line_says_what_they_need():
    tests = ["tests/test_figures_saved.py", *(ROOT / "tests").glob("test_homework_*.py")]
    code, line = run_tests(*tests, WITHOUT="bwrap docker podman chromium")
    assert code == 0, line
    found = {what: int(number) for number, what in re.findall(r"(\d+) need (a sandbox|Chromium|root)[^()]* \(", line)}
    assert found["a sandbox"] >= 50 and found["Chromium"] == 1  # a user who isn't root may lack that as well
    assert line.startswith(f"{sum(found.values())} skipped: ") and line.count(" need ") == len(found)
    assert run_tests("tests/test_masks.py") == (0, "Nothing was skipped.")
