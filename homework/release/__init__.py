"""Releasing: the student copies of chapters, what stands in them, and copies with numbers of one's own."""

import re
import shutil
import subprocess
import sys
from copy import deepcopy
from hashlib import scrypt
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory

import nbformat
from tqdm import tqdm

from book.chapter import CHAPTERS, ROOT, TRANSLATED, add_last_cell, fold_answers, last_cell, page_of, read
from book.repository import find_address

from ..chapter import Unclear, find_chapter, language_of
from ..course import read_json, read_students, write_json
from . import personal

INSTALL = re.compile(r"(?P<indent>[ ]*)%pip install -q (?:\"attention_src(?P<extra>\[\w+\]) @ \S+|git\+\S+)")
FROM_FILE = [  # Colab opens a notebook alone, in a folder of its own
    "import os",
    "",
    'if not os.path.exists("WHEEL"):',
    '    print("This notebook came with the file WHEEL. Please choose it:")',
    "    from google.colab import files",
    "",
    "    files.upload()",
]
VERSION = re.compile(r"%pip install -q .*git\+[^\s\"]+@([0-9a-f]{7,40})")


def command(chapter, course, roster, environment, language="en", **options):
    """Make student copies in a language; with `personal` one for each student of the roster too."""
    from book.catalogue import translate_copy  # reads Markdown, as grading need not

    from ..report import gradebook  # loads nbgrader

    source = find_package(course, options["offline"])
    students = read_students(course, roster)
    for path in tqdm([find_chapter(number) for number in chapter] or CHAPTERS, unit="chapter", disable=None):
        released = course / "release" / path.stem / path.name
        first = language_of(read(released)) if released.exists() else language  # whose copies stay where they are
        plain = hand_out(read(gradebook.release(course, path)), path.stem, source)
        for copied in dict.fromkeys((first, language)):
            copy = translate_copy(deepcopy(plain), page_of(path)) if copied == TRANSLATED else plain
            place = released if copied == first else released.parent / copied / path.name
            place.parent.mkdir(exist_ok=True)
            nbformat.write(copy, place)
            if options["offline"]:
                shutil.copy(course / "release" / source, place.parent)
        if language != first:
            print(f"{released} was handed out in another language, and stays; the copy you asked for is {place}.")
        if options["personal"]:
            _release_personal(copy, course / "personal" / path.stem, course, students, environment)
    print(f"Student copies are in {course / 'release'}.")


def find_package(course, offline):
    """From where a student's copy installs the package: the book's repository at this commit, or a file beside it."""
    address = find_address()
    if offline:
        folder = course.resolve() / "release"
        with TemporaryDirectory() as copy:  # what a build leaves behind is no part of the repository
            for name in ("pyproject.toml", "README.md"):
                shutil.copy(ROOT / name, copy)
            for name in ("attention_src", "attention_course"):
                shutil.copytree(ROOT / name, Path(copy, name))
            build = ["pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, copy]
            subprocess.run([sys.executable, "-m", *map(str, build)], check=True)
        wheel = max(folder.glob("attention_src-*.whl"), key=lambda path: path.stat().st_mtime)
        print(f"Hand out {wheel.name} with each notebook: it is installed from the same folder, and Colab asks for it.")
        return wheel.name
    if "/OWNER/" in address:
        raise Unclear(
            f"The book's address still is {address}, from where no student can install its package. "
            "Give it its own with `make repository URL=…`, or take --offline, which packs it beside the copies."
        )
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    return f"git+{address}@{done.stdout.strip()}" if done.returncode == 0 else f"git+{address}"


def hand_out(copy, stem, package):
    """The student copy with its package pinned, the answers to its predictions folded, and its last cell."""

    def pin(match):
        extra = match["extra"] or ""
        if package.endswith(".whl"):
            lines = [*FROM_FILE, f'%pip install -q "{package}{extra}"' if extra else f"%pip install -q {package}"]
        else:
            lines = [f'%pip install -q "attention_src{extra} @ {package}"' if extra else f"%pip install -q {package}"]
        return "\n".join(match["indent"] + line if line else "" for line in lines).replace("WHEEL", package)

    for cell in copy.cells:
        cell.source = INSTALL.sub(pin, cell.source)
    return add_last_cell(fold_answers(copy), stem)


def find_version(cells):
    """The commit that an install cell names."""
    return next((match[1] for cell in cells if (match := VERSION.search(cell.source))), None)


def _release_personal(copy, folder, course, students, environment):
    secret = personal.secret_from(environment)
    if not students:
        raise Unclear("--personal needs --roster FILE: for whom are the numbers?")
    if not check_or_store_secret(course, secret):
        raise Unclear("ATTENTION_SEED is not the one with which this class's first own numbers were made.")
    folder.mkdir(parents=True, exist_ok=True)
    for student in students:
        own = personal.personalise(copy, secret, student)
        own.cells[-1].source = last_cell(own, folder.name)
        nbformat.write(own, folder / f"{student}.ipynb")


def check_or_store_secret(course, secret):
    """Return whether this is the secret of the class; the first is stored, as a slow, salted hash never handed out."""
    path, salt = course / "key.json", read_json(course / "key.json").get("salt") or token_hex(16)
    key = {"salt": salt, "hash": scrypt(secret.encode(), salt=salt.encode(), n=2**14, r=8, p=1).hex()}
    if not path.exists():
        write_json(path, key)
    return read_json(path) == key
