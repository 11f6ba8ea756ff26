"""Every place that names the repository agrees with `_config.yml`, and the README's table has every folder."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from book import repository
from book.chapter import ROOT
from web import binder as book_binder

FORK = "https://github.com/nobody/moved-here"  # no address that a copy has already
BAD = ["", "you/your-fork", "git@github.com:you/your-fork.git", "http://github.com/you/your-fork", "ftp://a.org/book"]
BAD += [f"https://github.com/you{rest}" for rest in ("", "/your-fork/tree/main", "/your fork", '/"fork"')]


def list_places():
    return [path for files in repository.PLACES for path in ROOT.glob(files)]


@pytest.fixture
def book(tmp_path):
    """A copy of the files that name the repository."""
    for path in list_places():
        copy = tmp_path / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    return tmp_path


def read_all(book):
    return {path: path.read_bytes() for path in book.rglob("*") if path.is_file()}


def list_files():
    """Return the files of the book, without those of the tests."""
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    return [ROOT / name for name in done.stdout.splitlines() if not name.startswith("tests/")]


def test_every_place_names_the_same_repository_and_no_other_file_does():
    address = repository.find_address()
    owner, hosts = address.split("/")[-2], r"github\.com|github\.io|mybinder\.org/v2/gh|githubusercontent\.com"
    named = re.compile(rf"(?:https://)?(?:{hosts})/(?:{owner}|OWNER)/[\w.-]+|{re.escape(address)}")
    texts = {path: path.read_text("utf-8", errors="replace") for path in filter(Path.is_file, list_files())}
    texts = {path: text for path, text in texts.items() if re.search(rf"{hosts}|{re.escape(address)}", text)}
    found = {path: {*named.findall(text)} for path, text in texts.items() if named.search(text)}
    assert found == {path: {address} for path in list_places()}


def test_a_move_writes_every_place_and_a_move_back_restores_every_byte(book):
    before, home = read_all(book), repository.find_address(book)
    assert set(repository.move(FORK, book)) == {*before}
    assert repository.find_address(book) == FORK and not [p for p, data in read_all(book).items() if data == before[p]]
    repository.move(home, book)
    assert read_all(book) == before


@pytest.mark.parametrize("url", [f"{FORK}/", f"{FORK}.git", f" {FORK}\n"])
def test_the_address_is_taken_as_a_browser_or_a_clone_button_gives_it(url):
    assert repository.check_address(url) == FORK


@pytest.mark.parametrize("url", BAD)
def test_a_bad_address_is_named_and_changes_nothing(book, url):
    before = read_all(book)
    with pytest.raises(ValueError, match=re.escape(f"URL is {url!r}; expected an address such as https://")):
        repository.move(url, book)
    assert read_all(book) == before


def test_the_command_says_what_was_wrong_and_fails():
    command = [sys.executable, ROOT / "book" / "repository.py", BAD[2]]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.startswith(f"Nothing was changed. URL is {BAD[2]!r}; expected")


def test_the_readme_has_every_folder():
    folders = {f"`{path.relative_to(ROOT).parts[0]}/`" for path in list_files() if path.parent != ROOT} | {"`tests/`"}
    rows = re.findall(r"^\| (`.+/`) \|", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert folders - {folder for row in rows for folder in row.split(", ")} == set() and len(rows) > 5


def test_binder_gets_the_pinned_versions_and_the_package_of_the_repository():
    cpu_only, *pins, package = book_binder.requirements(ROOT, FORK).splitlines()
    assert cpu_only.endswith("/whl/cpu") and package == f"attention-src @ git+{FORK}"
    chapters = {"array-api-compat", "matplotlib", "numpy", "torch", "tqdm"}
    published_model = {"huggingface-hub", "safetensors", "tokenizers"}
    assert {pin.split("==")[0] for pin in pins} == chapters | published_model
    assert {*pins} < {*(ROOT / "requirements-dev.txt").read_text().splitlines()}
