"""The first chapter in Firefox: it runs, one choice opens all, and marks open their cards.

By Firefox's own protocol, for Playwright cannot drive the one that Debian packs.
"""

import json
import os
import shutil
import socket
import subprocess
import time

import pytest

from book.chapter import CHAPTERS, code, is_solution, read
from web.live.running_pages import find_offered_cells, get_stored_result, list_labels

pytestmark = pytest.mark.slow
SECONDS = 300  # for what a busy machine may do slowly
UNTIL = """const [wanted, state, resolve] = arguments;
const look = () => {
  const status = document.querySelector("[data-live=status]");
  if (status.dataset.state === state && status.textContent.startsWith(wanted)) resolve(status.textContent);
  else if (status.dataset.state === "failed") resolve(status.textContent);
  else setTimeout(look, 20);
};
look();"""
WRITE = """const [n, source] = arguments, editor = document.querySelector(`[data-live-cell="${n}"] [data-live=source]`);
editor.value = source;
editor.dispatchEvent(new Event("input"));"""
PRESS = "document.querySelector(arguments[0]).click();"
SHOWN = """const output = document.querySelector(`[data-live-cell="${arguments[0]}"] [data-live=output]`);
const figures = [...output.querySelectorAll("img")].map((image) => decodeURIComponent(image.src));
return [[...output.querySelectorAll("pre")].map((pre) => pre.textContent).join("\\n"), figures];"""
PARTS = """const frame = document.querySelector(".prediction:has(details.choice)");
const hidden = [...frame.querySelectorAll("details.answer > :not(summary)")].filter((part) => part.textContent.trim());
const options = [...frame.querySelectorAll("details.choice")];
return [
  hidden.filter((part) => part.checkVisibility({contentVisibilityAuto: true})).length, hidden.length,
  options.filter((option) => option.open && option.matches(".chosen")).length,
  options.filter((option) => option.open && option.matches(".right")).length,
];"""
OPTION = ".prediction details.choice:not(.right) summary"
CARD = """const card = document.getElementById(document.querySelector("button.mark").getAttribute("popovertarget"));
return [card.matches(":popover-open"), card.innerText.trim().length > 40];"""
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

    def run(self, script, *given):
        return self.ask("WebDriver:ExecuteScript", script=script, args=given)["value"]

    def wait(self, words, state="ready"):
        found = self.ask("WebDriver:ExecuteAsyncScript", script=UNTIL, args=[words, state])["value"]
        assert found.startswith(words), found

    def press(self, n, what):
        self.run(PRESS, f'[data-live-cell="{n}"] [data-live={what}]')

    def shown(self, n):
        """What a cell gives when it is run: its text, and the labels of its figures."""
        self.press(n, "run")
        self.wait(f"Cell {n}")
        text, figures = self.run(SHOWN, n)
        return text.strip(), [list_labels(figure) for figure in figures]

    def find(self, selector):
        return next(iter(self.ask("WebDriver:FindElement", using="css selector", value=selector)["value"].values()))

    def type(self, selector, keys):
        self.ask("WebDriver:ElementSendKeys", id=self.find(selector), text=keys)

    def click(self, selector):
        self.ask("WebDriver:ElementClick", id=self.find(selector))

    def close(self):
        self.stream.close()
        self.socket.close()
        self.process.terminate()
        self.process.wait()


@pytest.fixture(scope="module")
def firefox(tmp_path_factory):
    command = shutil.which("firefox") or shutil.which("firefox-esr")
    if not command:
        pytest.skip("there is no Firefox on the path")
    firefox = Firefox(command, tmp_path_factory.mktemp("firefox"))
    yield firefox
    firefox.close()


@pytest.fixture
def still(firefox, address):
    """The first chapter as a reader opens it for the first time."""
    firefox.ask("WebDriver:Navigate", url=f"{address}chapters/{CHAPTERS[0].stem}.html")
    firefox.run("localStorage.clear();")
    firefox.ask("WebDriver:Refresh")
    return firefox


@pytest.mark.parametrize("by", ["mouse", "keyboard"])
def test_one_choice_opens_all_that_its_frame_hides(still, by):
    shown, hidden, *_ = still.run(PARTS)
    assert hidden and not shown
    still.click(OPTION) if by == "mouse" else still.type(OPTION, ENTER)
    assert still.run(PARTS) == [hidden, hidden, 1, 1]


@pytest.mark.parametrize("by", ["mouse", "keyboard"])
def test_a_mark_opens_its_card_and_escape_closes_it(still, by):
    still.click(".predictions button")  # shows all results, behind one of which the first mark may be
    assert still.run(CARD)[0] is False
    still.click("button.mark") if by == "mouse" else still.type("button.mark", ENTER)
    assert still.run(CARD) == [True, True]
    still.type("button.mark", ESCAPE)
    assert still.run(CARD)[0] is False


@pytest.fixture(scope="module")
def page(firefox, address):
    """The first chapter, started."""
    firefox.ask("WebDriver:Navigate", url=f"{address}chapters/{CHAPTERS[0].stem}.html")
    firefox.run(PRESS, "[data-live=start]")
    firefox.wait("Ready")
    return firefox


def test_every_cell_gives_the_stored_text_and_labels(page):
    known = find_offered_cells(CHAPTERS[0])
    for n, cell in enumerate(code(read(CHAPTERS[0])), start=1):
        if known.get(cell.id) not in ("whole", "alone"):
            continue
        if is_solution(cell):
            page.run(WRITE, n, cell.source)
        else:
            assert page.shown(n) == get_stored_result(cell)


def test_an_endless_loop_is_stopped_and_the_page_goes_on(page):
    n, cell = next(
        (n, cell) for n, cell in enumerate(code(read(CHAPTERS[0])), start=1) if "shelves = np" in cell.source
    )
    page.run(WRITE, n, "while True:\n    pass")
    page.press(n, "run")
    page.wait("Running", "running")
    page.run(PRESS, "[data-live=stop]")
    page.wait("Ready")
    page.run(WRITE, n, cell.source)
    assert page.shown(n) == get_stored_result(cell)
