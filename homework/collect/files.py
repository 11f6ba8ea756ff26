"""The files of a folder or an archive, archives within it opened, within a budget for each."""

import io
import os
import re
import stat
import unicodedata
import zipfile
import zlib
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from hashlib import sha256
from urllib.parse import unquote_to_bytes

from ..roster import HANGUL

MOST_BYTES, MOST_FILES = 200 * 2**20, 200  # of one archive that was handed in; what is beyond is left out and named
LARGEST = 60 * 2**20  # bytes of one file
LONGEST = 500  # characters of a path, of which a platform writes the beginning
METADATA = re.compile(r"(assignment_\d+_export/)?submission_metadata\.yml")  # Gradescope's
JUNK = re.compile(
    r"(^|/)(__MACOSX|\.[^./][^/]*|Thumbs\.db|submission_metadata\.yml|README(\.(?!ipynb)\w+)?)(/|$)|^index\.html$"
)
ESCAPED = re.compile(r"(?:[^%]|%(?!2F|0)[0-9A-F]{2})+", re.I)  # as browsers write a name, but for a slash
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError)  # or with a password


@dataclass
class File:
    """A file that was handed in: its path within the folder or archive, its bytes, and when it was written.

    `levels` are the path cut at each archive: what is in an archive was named by whoever handed it in.
    """

    levels: tuple[str, ...]
    data: bytes
    when: datetime
    left_out: str = ""  # why, if it is: too large, one too many, no file at all
    sent: datetime = datetime.min  # as the platform says

    @property
    def path(self):
        return "/".join([*(level.removesuffix(".zip") for level in self.levels[:-1]), self.levels[-1]])

    @property
    def folder(self):
        return self.path.rpartition("/")[0]

    @property
    def is_notebook(self):
        return self.path.lower().endswith(".ipynb") or (self.text[:1] == b"{" and b'"cells"' in self.text)

    @property
    def text(self):
        """The bytes as they are searched for marks, of a file in UTF-16 too."""
        data = self.data[2:] if self.data[:2] in (b"\xff\xfe", b"\xfe\xff") else self.data
        return data.replace(b"\0", b"").lstrip()

    @property
    def digest(self):
        return sha256(self.data).hexdigest()


class UnpackBudget:
    """What may still be unpacked of what a student handed in."""

    def __init__(self):
        self.bytes, self.files = MOST_BYTES, MOST_FILES

    def read(self, opened, levels, when):
        """Read a file as far as the budget goes; `opened` opens it, or says why it is not opened."""
        if isinstance(opened, str):
            self.files -= 1
            return File(levels, b"", when, left_out=opened)
        most = min(LARGEST, self.bytes) if self.files > 0 else 0
        try:
            with opened() as stream:
                data = stream.read(most + 1)
        except BROKEN:
            data = b""
        self.bytes, self.files = max(0, self.bytes - len(data)), self.files - 1
        return (
            File(levels, data, when) if len(data) <= most else File(levels, b"", when, "too large, or too many files")
        )


def read_metadata(place):
    """Return Gradescope's list of who handed in what, from the top of its export or from the folder that it makes.

    A list elsewhere is ignored, because a student could have put any name into it.
    """
    for name, opened, when in _entries(place):
        if METADATA.fullmatch(name):
            return UnpackBudget().read(opened, (name,), when).data
    return b""


def read_files(place, under=(), budget=None):
    """Yield the files of a folder or archive; links are not followed. An archive within it has a budget of its own."""
    for name, opened, when in _entries(place):
        if JUNK.search(name):
            continue
        left = budget or UnpackBudget()
        if left.files < 0:  # the first that was one too many has been named
            return
        file = left.read(opened, (*under, name[:LONGEST]), when)
        stream = io.BytesIO(file.data)
        try:
            if name.lower().endswith(".zip") and zipfile.is_zipfile(stream):
                yield from read_files(stream, file.levels, left)
            else:
                yield file
        except zipfile.BadZipFile:
            yield file


def _entries(place):
    """(path, how to open it or why not, when it was written) of each file in a folder or archive."""
    if not isinstance(place, io.BytesIO) and place.is_dir():
        for path in sorted(place.rglob("*")):
            if not path.is_dir() or path.is_symlink():
                name = os.fsencode(path.relative_to(place).as_posix()).decode("utf-8", "replace")
                about = path.lstat()
                opened = _why_not(about.st_mode) or partial(path.open, "rb")
                yield repair_name(name), opened, datetime.fromtimestamp(about.st_mtime)
        return
    with zipfile.ZipFile(place) as archive:
        for info in archive.infolist():
            name = repair_name(info.filename).replace("\\", "/")  # as old programs of Windows write it
            if not name.endswith("/"):
                yield name, _why_not(info.external_attr >> 16) or partial(archive.open, info), _when(info)


def _why_not(mode):
    """Why something in a folder or archive is not opened."""
    if stat.S_ISLNK(mode):
        return "a link, which is not followed"
    return "not a file that can be read" if stat.S_IFMT(mode) and not stat.S_ISREG(mode) else ""


def repair_name(name):
    """A file's name with the letters that it had, where a tool has packed or unpacked it in another code.

    What is not in UTF-8 Python reads in the code of old PCs, and browsers and unzip write escapes.
    """
    certain = (
        lambda: unquote_to_bytes(name).decode() if ESCAPED.fullmatch(name) else name,
        *(partial(lambda code: name.encode(code).decode(), code) for code in ("cp437", "latin-1", "cp1252")),
    )
    likely = (  # if it makes more than one Korean syllable
        lambda: re.sub(r"#U([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), name),
        *(partial(lambda code: name.encode(code).decode("euc_kr"), code) for code in ("cp437", "latin-1")),
    )
    for way in (*certain, *likely):
        with suppress(UnicodeError):
            read = way()
            if read != name and (way in certain or len(HANGUL.findall(unicodedata.normalize("NFC", read))) > 1):
                return read
    return name


def _when(info):
    try:
        return datetime(*info.date_time)
    except ValueError:  # no date at all, which some tools write as month 0
        return datetime(1980, 1, 1)
