"""The first chapter in Firefox: it runs, one choice opens all, and marks open their cards.

By Firefox's own protocol, for Playwright cannot drive the one that Debian packs.
"""

import json
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from test_bench import BUSY, SENTENCES, round_model, write_place

from attention_course.machine import Machine
from book.chapter import CHAPTERS, code, is_solution, read
from web.live.running_pages import find_offered_cells, get_stored_result, list_labels, serve

pytestmark = pytest.mark.slow
SECONDS = 300  # for what a busy machine may do slowly
SCRIPTS = Path(__file__).with_name("firefox.js").read_text("utf-8")
OPTION = ".prediction details.choice:not(.right) summary"
ENTER, ESCAPE = "\ue007", "\ue00c"


class Firefox:
    """A headless Firefox with a profile of its own."""

    def __init__(self, command, profile):
        (profile / "user.js").write_text('user_pref("marionette.port", 0);\n')
        self.process = subprocess.Popen(
            [command, "--headless", "--marionette", "--no-remote", "--profile", profile],
            env={**os.environ, "HOME": str(profile)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        port, end = profile / "MarionetteActivePort", time.monotonic() + SECONDS
        while not (port.exists() and port.read_text()):
            assert time.monotonic() < end and self.process.poll() is None, "Firefox did not start"
            time.sleep(0.1)
        self.socket = socket.create_connection(("127.0.0.1", int(port.read_text())))
        self.stream = self.socket.makefile("rwb")
        self._receive()
        self.asked = 0
        self.ask("WebDriver:NewSession", capabilities={})
        self.ask("WebDriver:SetTimeouts", script=SECONDS * 1000, pageLoad=SECONDS * 1000)

    def _receive(self):
        length = b""
        while not length.endswith(b":"):
            length += self.stream.read(1)
        return json.loads(self.stream.read(int(length[:-1])))

    def ask(self, command, **given):
        self.asked += 1
        message = json.dumps([0, self.asked, command, given]).encode()
        self.stream.write(b"%d:%s" % (len(message), message))
        self.stream.flush()
        _, _, error, result = self._receive()
        assert error is None, error
        return result

    def run(self, name, *given, how="WebDriver:ExecuteScript"):
        """Call a function of firefox.js."""
        return self.ask(how, script=f"{SCRIPTS}\nreturn {name}(...arguments);", args=given)["value"]

    def wait(self, words, state="ready"):
        found = self.run("until", words, state, how="WebDriver:ExecuteAsyncScript")
        assert found.startswith(words), found

    def press(self, n, what):
        self.run("press", f'[data-live-cell="{n}"] [data-live={what}]')

    def shown(self, n):
        """What a cell gives when it is run: its text, and the labels of its figures."""
        self.press(n, "run")
        self.wait(f"Cell {n}")
        text, figures = self.run("shown", n)
        return text.strip(), [list_labels(figure) for figure in figures]

    def use(self, selector, keys=""):
        """Click an element, or type into it."""
        (found,) = self.ask("WebDriver:FindElement", using="css selector", value=selector)["value"].values()
        self.ask("WebDriver:ElementSendKeys" if keys else "WebDriver:ElementClick", id=found, text=keys)

    def close(self):
        self.stream.close()
        self.socket.close()
        self.process.terminate()
        self.process.wait()


@pytest.fixture(scope="module")
def firefox(tmp_path_factory):
    command = shutil.which("firefox") or shutil.which("firefox-esr")
    if not command:
        pytest.skip("Firefox (`apt-get install firefox-esr`)")
    firefox = Firefox(command, tmp_path_factory.mktemp("firefox"))
    yield firefox
    firefox.close()


@pytest.fixture
def still(firefox, address):
    """The first chapter as a reader opens it for the first time."""
    firefox.ask("WebDriver:Navigate", url=f"{address}chapters/{CHAPTERS[0].stem}.html")
    firefox.run("forget")
    firefox.ask("WebDriver:Refresh")
    return firefox


@pytest.mark.parametrize("keys", ["", ENTER], ids=["mouse", "keyboard"])
def test_one_choice_opens_all_that_its_frame_hides(still, keys):
    shown, hidden, *_ = still.run("choices")
    assert hidden and not shown
    still.use(OPTION, keys)
    assert still.run("choices") == [hidden, hidden, 1, 1]


@pytest.mark.parametrize("keys", ["", ENTER], ids=["mouse", "keyboard"])
def test_a_mark_opens_its_card_and_escape_closes_it(still, keys):
    still.use(".predictions button")  # shows all results, behind one of which the first mark may be
    assert still.run("card")[0] is False
    still.use("button.mark", keys)
    assert still.run("card") == [True, True]
    still.use("button.mark", ESCAPE)
    assert still.run("card")[0] is False


def test_the_machine_writes(firefox, address):
    firefox.ask("WebDriver:Navigate", url=f"{address}pages/machine.html")
    assert firefox.run("machine", how="WebDriver:ExecuteAsyncScript") == ", ".join(Machine().write(6))


@pytest.fixture(scope="module")
def page(firefox, address):
    """The first chapter, started."""
    firefox.ask("WebDriver:Navigate", url=f"{address}chapters/{CHAPTERS[0].stem}.html")
    firefox.run("press", "[data-live=start]")
    firefox.wait("Ready")
    return firefox


def test_every_cell_gives_the_stored_text_and_labels(page):
    known = find_offered_cells(CHAPTERS[0])
    for n, cell in enumerate(code(read(CHAPTERS[0])), start=1):
        if known.get(cell.id) not in ("whole", "alone"):
            continue
        if is_solution(cell):
            page.run("write", n, cell.source)
        else:
            assert page.shown(n) == get_stored_result(cell)


def test_an_endless_loop_is_stopped_and_the_page_goes_on(page):
    n, cell = next(
        (n, cell) for n, cell in enumerate(code(read(CHAPTERS[0])), start=1) if "shelves = np" in cell.source
    )
    page.run("write", n, "while True:\n    pass")
    page.press(n, "run")
    page.wait("Running", "running")
    page.run("press", "[data-live=stop]")
    page.wait("Ready")
    page.run("write", n, cell.source)
    assert page.shown(n) == get_stored_result(cell)


READ = f"""const [text, done] = arguments;
document.querySelector("textarea").value = text;
document.querySelector(".picture-read").click();
const wait = () => ({BUSY})() ? done([...document.querySelector("figure").maps]) : setTimeout(wait, 100);
wait();"""


def test_the_bench_of_chapter_12_reads_a_sentence(firefox, tmp_path):
    with serve(write_place(tmp_path / "bench")) as address:
        firefox.ask("WebDriver:Navigate", url=address)
        model = round_model()
        for text in (SENTENCES[0], SENTENCES[-4]):
            maps, right = firefox.ask("WebDriver:ExecuteAsyncScript", script=READ, args=[text])["value"], model(text)[2]
            assert abs(np.reshape(maps, right.shape) - right.numpy()).max() < 1e-4
