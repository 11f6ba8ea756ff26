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

FORK = "https://github.com/you/your-fork"
BAD = [
    "",
    "you/your-fork",
    "git@github.com:you/your-fork.git",
    "https://github.com/you",
    "https://github.com/you/your-fork/tree/main",
    "https://github.com/you/your fork",
    'https://github.com/you/"fork"',
    "http://github.com/you/your-fork",
    "ftp://example.org/book",
]


@pytest.fixture
def book(tmp_path):
    """A copy of the files that name the repository."""
    for path, _, _ in repository.find_copies():
        copy = tmp_path / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    return tmp_path


def read_all(book):
    return {path: path.read_bytes() for path in book.rglob("*") if path.is_file()}


def read_addresses(book):
    return {match[1] for _, _, match in repository.find_copies(book)}


def list_files():
    """Return the files of the book, without those of the tests."""
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    return [ROOT / name for name in done.stdout.splitlines() if not name.startswith("tests/")]


def list_other_addresses(address, files):
    """Yield where a file has the address, or one that still says OWNER, outside the places that the command writes."""
    spans = {path: match.span(1) for path, _, match in repository.find_copies()}
    owner = address.split("/")[-2]
    named = re.compile(rf"(github\.com|github\.io|mybinder\.org/v2/gh|githubusercontent\.com)/({owner}|OWNER)/[\w.-]+")
    for path in filter(Path.is_file, files):
        for match in named.finditer(path.read_text("utf-8", errors="replace")):
            start, end = spans.get(path, (0, 0))
            if not start <= match.start() < end:
                yield f"{path.name}: {match.group()}"


def test_every_place_names_the_same_repository_and_no_other_file_does(tmp_path):
    (address,) = read_addresses(ROOT)
    assert [*list_other_addresses(address, list_files())] == []
    planted = tmp_path / "notes.md"
    planted.write_text("See https://github.com/OWNER/attention-by-the-numbers for more.")
    assert [*list_other_addresses(address, [planted])] == ["notes.md: github.com/OWNER/attention-by-the-numbers"]


def test_a_move_writes_every_place_and_a_move_back_restores_every_byte(book):
    before, (home,) = read_all(book), read_addresses(book)
    assert set(repository.move(FORK, book)) == {*before}
    assert read_addresses(book) == {FORK} and read_all(book) != before
    repository.move(home, book)
    assert read_all(book) == before


@pytest.mark.parametrize("url", [f"{FORK}/", f"{FORK}.git", f" {FORK}\n"])
def test_the_address_is_taken_as_a_browser_or_a_clone_button_gives_it(url):
    assert repository.check_address(url) == FORK


def need_refusal(book, url, message):
    before = read_all(book)
    with pytest.raises(ValueError, match=re.escape(message)):
        repository.move(url, book)
    assert read_all(book) == before


@pytest.mark.parametrize("url", BAD)
def test_a_bad_address_is_named_and_changes_nothing(book, url):
    need_refusal(book, url, f"URL is {url!r}; expected an address such as https://")


@pytest.mark.parametrize("times", [0, 2])
def test_a_place_that_is_gone_or_doubled_is_named_and_nothing_changes(book, times):
    citation = book / "CITATION.cff"
    citation.write_text(times * citation.read_text())
    need_refusal(book, FORK, f"CITATION.cff names the repository {times} times")


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
