"""Collecting: from a folder or an LMS archive of files named anyhow to one notebook for each student."""

import io
import itertools
import json
import os
import re
import zipfile
import zlib
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePosixPath

from .chapter import Unclear
from .roster import comparable, one_of, slug

LARGEST = 200 * 2**20  # bytes of a file, and of all in an archive handed in; what is beyond is left out and named
LONGEST = 500  # characters of a path, of which a platform writes the beginning
JUNK = re.compile(r"(^|/)(__MACOSX|\.[^./][^/]*|Thumbs\.db)(/|$)")
STUDENT = [  # how learning platforms name what they hand over; the first that fits tells who
    re.compile(
        r"(?P<who>[^/]+?)_\d+_assignsubmission_\w+?_(/|[^/]*$)"
    ),  # Moodle: Jane Doe_123_assignsubmission_file_/x
    re.compile(r"(^|/)(?P<who>[^_/]+)(_LATE)?_\d\d+_\d\d+_[^/]*$"),  # Canvas: doejane_LATE_12_345_x-1
    re.compile(r"_(?P<who>[^_/]+)_attempt_\d{4}-[\d-]+[^/]*$"),  # Blackboard: HW 1_jdoe_attempt_2026-01-31-10-00-00_x
]
NOISE = r"copy of|copie de|kopie von|사본|\(\d+\)|-\d+$|- ?copy(\d*)|\.(ipynb|txt|json|zip)"


@dataclass
class File:
    """A file that was handed in: its path within the folder or archive, its bytes, and when it was written.

    `levels` are the path cut at each archive: what is in an archive was named by whoever handed it in.
    """

    levels: tuple[str, ...]
    data: bytes
    when: datetime

    @property
    def path(self):
        return "/".join([*(level.removesuffix(".zip") for level in self.levels[:-1]), self.levels[-1]])


@dataclass
class Collected:
    """What one student handed in: the file that counts first, and notes."""

    files: list[File] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def files_of(place):
    """Yield the files of a folder or archive; links are not followed, archives within it are opened."""
    if place.is_dir():
        for path in sorted(place.rglob("*")):
            name = os.fsencode(path.relative_to(place).as_posix()).decode("utf-8", "replace")[:LONGEST]
            if path.is_file() and not path.is_symlink() and not JUNK.search(name):
                data = path.read_bytes() if path.stat().st_size <= LARGEST else b""
                yield from _opened(File((name,), data, datetime.fromtimestamp(path.stat().st_mtime)), [LARGEST])
    elif zipfile.is_zipfile(place):
        for file in _unzipped(place, (), None):
            yield from _opened(file, [LARGEST])
    else:
        raise Unclear(
            f"{place} is neither a folder nor a zip archive; expected what the learning platform handed over."
        )


def _unzipped(place, under, left):
    """Yield the files of an archive; of one that was handed in, no more bytes than `left`, a list of one, allows."""
    with zipfile.ZipFile(place) as archive:
        for info in archive.infolist():
            if info.is_dir() or JUNK.search(info.filename):
                continue
            most = LARGEST if left is None else left[0]
            try:
                with archive.open(info) as member:
                    data = member.read(most + 1)
            except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError):  # broken, a password
                data = b""
            if left is not None:
                left[0] = max(0, left[0] - len(data) - 1000)  # many empty files are not free either
            yield File((*under, info.filename[:LONGEST]), data if len(data) <= most else b"", _when(info))


def _when(info):
    try:
        return datetime(*info.date_time)
    except ValueError:  # no date at all, which some tools write as month 0
        return datetime(1980, 1, 1)


def _opened(file, left):
    """The file itself, or the files in it if it is an archive."""
    stream = io.BytesIO(file.data)
    if not file.levels[-1].lower().endswith(".zip") or not zipfile.is_zipfile(stream):
        yield file
        return
    try:
        for inner in _unzipped(stream, file.levels, left):
            yield from _opened(inner, left)
    except zipfile.BadZipFile:
        yield file


def whose(levels, roster, stem):
    """Return the student whom the outermost level of a path names, or None; with a roster it is one of its students."""
    return next(filter(None, (_whose(level, roster, stem) for level in levels)), None)


def _whose(path, roster, stem):
    for pattern in STUDENT:
        if match := pattern.search(path):
            if not roster:
                return slug(match["who"]) or None
            if student := one_of(roster, comparable(match["who"]), set(re.findall(r"\d+", path))):
                return student
    if roster:
        return one_of(roster, comparable(path), set(re.findall(r"\d+", path)))
    parts = PurePosixPath(path).parts
    if len(parts) > 1:
        return slug(parts[-2]) or None
    return slug(re.sub(f"{re.escape(stem)}|{NOISE}", " ", PurePosixPath(path).name, flags=re.I)) or None


def looks_like_notebook(file):
    return file.path.lower().endswith(".ipynb") or (file.data.lstrip()[:1] == b"{" and b'"cells"' in file.data)


def _newest(file):
    """What decides between two files: notebook or not, date of the attempt, date of the file, number of the try."""
    attempt = re.search(r"_attempt_([\d-]+)", file.path)
    tries = [int(number) for number in re.findall(r"\d{1,18}", file.path)]
    return looks_like_notebook(file), attempt[1] if attempt else "", file.when, tries, file.path


def collect(place, stem, roster=None):
    """Return {student: Collected}; the newest notebook of each student comes first, and counts."""
    found = {}
    for number, file in enumerate(files_of(place), start=1):
        student = whose(file.levels, roster, stem)
        collected = found.setdefault(student or f"unknown-{number}", Collected())
        collected.files.append(file)
        if student is None:
            collected.notes.append(f"nobody is named by {file.path!r}: whose is it?")
    for collected in found.values():
        collected.files.sort(key=_newest, reverse=True)
        first, *others = collected.files
        for other in others:
            same = "the same text" if other.data == first.data else "another text"
            collected.notes.append(f"two files: {first.path!r} counts, the newest; {other.path!r} is kept ({same})")
    return found


def store(found, folder, roster=()):
    """Write what was collected: `<student>.ipynb` counts, `<student>.2.ipynb` and so on are kept, and a list of all."""
    folder.mkdir(parents=True, exist_ok=True)
    listed = folder / "collected.json"
    students = {student: {"file": None, "notes": []} for student in roster}
    students |= json.loads(listed.read_text("utf-8")) if listed.exists() else {}
    assigned = {file.path for collected in found.values() for file in collected.files}
    for name in [name for name in students if roster and name not in roster and students[name]["file"] in assigned]:
        del students[name]  # it was collected before, without the roster that says whose it is
        for old in folder.glob(f"{name}.*"):
            old.unlink()
    for student, collected in found.items():
        if student.startswith("unknown-") and student not in roster:
            student = _free(folder, student, collected.files[0].data)
        for old in folder.glob(f"{student}.*"):
            old.unlink()
        for place, file in enumerate(collected.files, start=1):
            name = f"{student}.{place}.ipynb" if place > 1 else f"{student}.ipynb"
            (folder / name).write_bytes(file.data)
        students[student] = {"file": collected.files[0].path, "notes": collected.notes}
    listed.write_text(json.dumps(students, ensure_ascii=False, indent=1), "utf-8")


def _free(folder, name, data):
    """A name under which a file that names nobody takes the place of no other, of an earlier collection."""
    tried = name
    for number in itertools.count(2):
        path = folder / f"{tried}.ipynb"
        if not path.exists() or path.read_bytes() == data:
            return tried
        tried = f"{name}-{number}"
