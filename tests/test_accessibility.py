"""Whether everybody can read every page: axe-core and Lighthouse, in light on a desk and in the dark on a phone."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from book.chapter import pages
from book.programs import find

pytestmark = pytest.mark.slow

NODE_MODULES = Path(sys.prefix) / "node_modules"
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
LEAST = {"performance": 95, "accessibility": 100, "best-practices": 100, "seo": 100}  # scores of Lighthouse
CAN_BE_SCROLLED = "[...document.querySelectorAll('pre')].every(e => e.scrollWidth <= e.clientWidth || e.tabIndex === 0)"
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 320, "height": 800}


def find_violations(tab):
    """Return what axe-core finds on a page against WCAG 2.2 AA, hints unfolded, a line for each element."""
    tab.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
    tab.wait_for_function(CAN_BE_SCROLLED)
    tab.add_script_tag(path=NODE_MODULES / "axe-core" / "axe.min.js")
    found = tab.evaluate("tags => axe.run({runOnly: {type: 'tag', values: tags}})", WCAG)["violations"]
    return [f"{rule['id']}: {node['html'][:200]} {node['failureSummary']}" for rule in found for node in rule["nodes"]]


def open_and_find_violations(browser, url, screen, scheme):
    context = browser.new_context(viewport=screen, color_scheme=scheme, reduced_motion="reduce")
    tab = context.new_page()
    tab.goto(url)
    found = find_violations(tab)
    context.close()
    return found


@pytest.mark.parametrize(("screen", "scheme"), [(DESK, "light"), (PHONE, "dark")], ids=["desk", "phone"])
@pytest.mark.parametrize("page", [*pages(), "search", "genindex"])
def test_axe_finds_nothing(browser, address, page, screen, scheme):
    assert open_and_find_violations(browser, f"{address}{page}.html", screen, scheme) == []


def test_axe_would_find_pale_letters(browser, tmp_path):
    page = tmp_path / "pale.html"
    page.write_text('<html lang="en"><title>Pale</title><p style="color: #aaa">letters</p></html>')
    found = open_and_find_violations(browser, page.as_uri(), DESK, "light")
    assert [line.partition(":")[0] for line in found] == ["color-contrast"]


def measure_by_lighthouse(url, profile, report):
    """Return Lighthouse's scores of a page."""
    options = [f"--only-categories={','.join(LEAST)}", "--quiet", "--output=json", f"--output-path={report}"]
    options += ["--preset=desktop"] if profile == "desktop" else []  # its own profile is a phone, slowed down
    options.append("--skip-audits=link-text")  # START, a name in code with a link, is no call to "start"
    command = [NODE_MODULES / ".bin" / "lighthouse", url, *options, "--chrome-flags=--headless=new --no-sandbox"]
    subprocess.run(command, env={**os.environ, "CHROME_PATH": find("chromium")}, check=True)
    found = json.loads(report.read_text())["categories"]
    return {kind: round(100 * result["score"]) for kind, result in found.items()}


@pytest.mark.usefixtures("browser")
@pytest.mark.parametrize("profile", ["desktop", "mobile"])
@pytest.mark.parametrize("page", ["intro", "a chapter", "pages/machine"])
def test_lighthouse_has_nothing_to_add(site, address, profile, page, tmp_path):
    """The best of three: what else the machine does can only cost points."""
    heaviest = max((site / "chapters").glob("*.html"), key=lambda page: page.stat().st_size).stem
    chapter = heaviest if profile == "desktop" else "05_self_and_cross_attention"
    name = page.replace("a chapter", f"chapters/{chapter}")
    for _ in range(3):
        scores = measure_by_lighthouse(f"{address}{name}.html", profile, tmp_path / "report.json")
        too_low = {kind: score for kind, score in scores.items() if score < LEAST[kind]}
        if not too_low:
            break
    assert (scores.keys(), too_low) == (LEAST.keys(), {})
