"""The built site, a server and a browser for the tests that look at pages.

What takes long to import is imported where it is used: the process that hands out the tests needs none of it.
"""

import gzip
import os
import re
import subprocess
import sys
import tomllib
from collections import ChainMap
from functools import cache
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock

from book.chapter import ROOT, TRANSLATED, find_path
from book.programs import NO_CHROMIUM, find, start_chromium
from web.built import is_current

SLOW = ChainMap(*tomllib.loads(Path(__file__).with_name("slow.toml").read_text("utf-8")).values())
TEXTS = {".html", ".css", ".js", ".svg"}  # what a server compresses


def pytest_itemcollected(item):
    name, _, case = item.name.partition("[")
    if not any(word in case for word in SLOW.get(f"{item.path.stem}.{name}", [""])):
        item.add_marker("slow")


def _build():
    """Build the site by the command of the Makefile."""
    command = "jupyter-book build --all --warningiserror --keep-going --quiet".split()
    command = [Path(sys.executable).with_name(command[0]), *command[1:], ROOT]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.fixture(scope="module", autouse=True)
def settings():
    """Put back what cells of chapters and experiments set: the default dtype of torch, and how NumPy prints."""
    import torch

    dtype, printing = torch.get_default_dtype(), np.get_printoptions()
    yield
    torch.set_default_dtype(dtype)
    np.set_printoptions(**printing)


@pytest.fixture(scope="module")
def book(request):
    """What the chapter defines under the names in USES of its test."""
    from evidence.claims import load_book

    number = request.module.__name__[-2:]
    return load_book(find_path(number), request.module.USES)


@pytest.fixture(params=range(5))
def random(request):
    """NumPy's generator, for each of five seeds; torch's is seeded with the same."""
    import torch

    torch.manual_seed(request.param)
    return np.random.default_rng(request.param)


@pytest.fixture(scope="session")
def site(tmp_path_factory, worker_id):
    """The built site. If it is not up to date, the first of several workers builds it, while the others wait."""
    base = tmp_path_factory.getbasetemp()
    ready = (base if worker_id == "master" else base.parent) / "site-is-ready"
    with FileLock(ready.with_suffix(".lock")):
        if not ready.exists():
            if not is_current(ROOT):
                _build()
            if not is_current(ROOT, TRANSLATED) or not (ROOT / "_build" / "html" / TRANSLATED).is_dir():
                subprocess.run([sys.executable, "-m", "web.korean"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
            ready.touch()
    return ROOT / "_build" / "html"


@pytest.fixture(scope="session")
def parse(site):
    """A function that parses a page of the site once, without what is drawn in its figures, which takes most time."""
    from bs4 import BeautifulSoup

    @cache
    def parse(name):
        text = (site / f"{name}.html").read_text("utf-8")
        return BeautifulSoup(re.sub(r"(?s)(<svg\b[^>]*>).*?</svg>", r"\1</svg>", text), "html.parser")

    return parse


@pytest.fixture(scope="session")
def address(site):
    """Where a file server shows the site, under a sub-path; it compresses texts for a browser that accepts it."""
    from web.live.running_pages import Files, serve

    compress = cache(lambda path, changed: gzip.compress(path.read_bytes(), compresslevel=6))

    class Compressed(Files):
        def send_head(self):
            path = Path(self.translate_path(self.path))
            if path.suffix not in TEXTS or not path.is_file() or "gzip" not in self.headers.get("Accept-Encoding", ""):
                return super().send_head()
            content = compress(path, path.stat().st_mtime_ns)
            self.send_response(200)
            self.send_header("Content-Type", self.guess_type(path))
            self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            return BytesIO(content)

    with serve(site.parent, Compressed) as address:
        yield f"{address}{site.name}/"


@pytest.fixture(scope="module")
def browser():
    """Headless Chromium; without it the tests are skipped, unless they are told that they need it, as .ci/run does."""
    if not find("chromium"):
        assert "NEEDS_CHROMIUM" not in os.environ, "there is no Chromium"
        pytest.skip(NO_CHROMIUM)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = start_chromium(playwright)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def desk(browser):
    """A tab for all tests of a file in turn: a new one for each would cost as much as the test."""
    tab = browser.new_page(reduced_motion="reduce")
    yield tab
    tab.close()


@pytest.fixture
def tab(desk):
    """That tab as if it were new; errors on its pages fail the test."""
    desk.set_viewport_size({"width": 1000, "height": 900})
    desk.mouse.move(0, 0)
    errors = []
    listeners = {
        "pageerror": lambda error: errors.append(str(error)),
        "console": lambda message: errors.append(message.text) if message.type == "error" else None,
    }
    for event, listener in listeners.items():
        desk.on(event, listener)
    yield desk
    desk.evaluate("localStorage.clear()")
    for event, listener in listeners.items():
        desk.remove_listener(event, listener)
    assert [error for error in errors if "favicon" not in error and "404" not in error] == []
