"""A chapter and an exercise made of the template are green in a copy of the book, and a spoiled chapter is not."""

import shutil
import subprocess
import sys
from os import environ

import pytest

from book.chapter import ROOT

CHAPTER, EXERCISE = "noise_and_keys", "mix_the_values"
JUDGES = [f"tests/test_{name}.py" for name in "structure checks claims instructors pages translations".split()]
JUDGES += [f"chapters/14_{CHAPTER}.ipynb", "tests/test_errata.py"]
CHOSEN = f"14 or 01_definition or {CHAPTER} or {EXERCISE} or With or every or unique or exercises_of"
CHOSEN += " or counted or item"
FAULTS = {  # what is planted: a file, what it says, what it says then, what the name of a failing test has
    "number": ("chapters/14_{}.ipynb", "keeps 0.670", "keeps 0.671", "chapters/14_"),
    "choice": ("chapters/14_{}.ipynb", "choice right", "choice", "test_structure.py"),
    "alternative text": ("chapters/14_{}.ipynb", '"alt": "A grid', '"was": "A grid', "test_structure.py"),
    "claim": ("evidence/ch14.py", "With a little noise, most", "With a little noise, all", "test_claims.py"),
    "lesson": (
        "pages/instructors.md",
        "| What does noise do? | 20",
        "| What does noise do? | 21",
        "test_instructors.py",
    ),
    "question": ("homework/wrong_answers.md", "by what else do you divide", "by what more", "test_what_is_counted"),
    "check": ("attention_course/checks/ch14.py", "to which value?", "to which value.", "squared weights"),
}


def run(book, *command):
    """Run a module in a copy of the book, with the packages of that copy; return its exit code and what it says."""
    variables = environ | {"PYTHONPATH": str(book), "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-m", *command], cwd=book, env=variables, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def judge(book):
    """Run there what judges a chapter and its exercises."""
    return run(book, "pytest", "-q", "-p", "no:cacheprovider", "-k", CHOSEN, *JUDGES)


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """A copy of the book with a chapter 14, and with one exercise more in chapter 1."""
    book = tmp_path_factory.mktemp("book")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    files = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, files.split("\0")):
        (book / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, book / name)
    for what in (("chapter", "14", CHAPTER), ("exercise", "01", EXERCISE)):
        code, said = run(book, "tools.add", *what)
        assert code == 0, said[-3000:]
    return book


@pytest.mark.slow
def test_what_the_template_adds_is_green_and_each_planted_fault_is_found(book):
    code, said = judge(book)
    assert code == 0, said[-3000:]
    for name, old, new, _ in FAULTS.values():
        path = book / name.format(CHAPTER)
        text = path.read_text("utf-8")
        assert old in text, old
        path.write_text(text.replace(old, new, 1), "utf-8")
    _, said = judge(book)
    failed = [line for line in said.splitlines() if line.startswith("FAILED")]
    assert [fault for fault, (*_, test) in FAULTS.items() if not any(test in line for line in failed)] == [], said[
        -3000:
    ]
    assert not any(EXERCISE in line for line in failed)  # what was not spoiled stays green
