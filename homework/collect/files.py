"""The files of a folder or an archive, archives within it opened, within a budget for each student."""

import io
import os
import re
import zipfile
import zlib
from dataclasses import dataclass
from datetime import datetime

from ..chapter import Unclear

MOST_BYTES, MOST_FILES = 200 * 2**20, 200  # of one student, unpacked; what is beyond is left out and named
LARGEST = 60 * 2**20  # bytes of one file
LONGEST = 500  # characters of a path, of which a platform writes the beginning
METADATA = "submission_metadata.yml"  # Gradescope's
JUNK = re.compile(r"(^|/)(__MACOSX|\.[^./][^/]*|Thumbs\.db|submission_metadata\.yml)(/|$)")
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError)  # or with a password


@dataclass
class File:
    """A file that was handed in: its path within the folder or archive, its bytes, and when it was written.

    `levels` are the path cut at each archive: what is in an archive was named by whoever handed it in.
    """

    levels: tuple[str, ...]
    data: bytes
    when: datetime
    left_out: bool = False  # is it too large, or one too many?

    @property
    def path(self):
        return "/".join([*(level.removesuffix(".zip") for level in self.levels[:-1]), self.levels[-1]])


class Purse:
    """What one student may still unpack."""

    def __init__(self):
        self.bytes, self.files = MOST_BYTES, MOST_FILES

    def read(self, stream, levels, when):
        """Read a file as far as the budget goes."""
        most = min(LARGEST, self.bytes) if self.files > 0 else 0
        try:
            data = stream.read(most + 1)
        except BROKEN:
            data = b""
        self.bytes, self.files = max(0, self.bytes - len(data)), self.files - 1
        return File(levels, data, when) if len(data) <= most else File(levels, b"", when, left_out=True)


def metadata_of(place):
    """Gradescope's list of who handed in what, which stands at the top of its export."""
    if place.is_dir():
        found = next(iter([*place.glob(METADATA), *place.glob(f"*/{METADATA}")]), None)
        return found.read_bytes() if found else b""
    with zipfile.ZipFile(place) as archive:
        names = [name for name in archive.namelist() if name.endswith(METADATA) and name.count("/") < 2]
        return archive.read(names[0]) if names else b""


def files_of(place, whose):
    """Yield the files of a folder or archive; links are not followed. `whose` says of a path who pays for it."""
    purses = {}
    if place.is_dir():
        for path in sorted(place.rglob("*")):
            name = os.fsencode(path.relative_to(place).as_posix()).decode("utf-8", "replace")[:LONGEST]
            if path.is_file() and not path.is_symlink() and not JUNK.search(name):
                purse = purses.setdefault(whose(name), Purse())
                with path.open("rb") as stream:
                    file = purse.read(stream, (name,), datetime.fromtimestamp(path.stat().st_mtime))
                yield from _opened(file, purse)
    else:
        yield from _unzipped(place, (), lambda name: purses.setdefault(whose(name), Purse()))


def check_place(place):
    if not place.is_dir() and not zipfile.is_zipfile(place):
        expected = "expected what the learning platform handed over"
        raise Unclear(f"{place} is neither a folder nor a zip archive; {expected}.")


def _unzipped(place, under, purse_of):
    with zipfile.ZipFile(place) as archive:
        for info in archive.infolist():
            if info.is_dir() or JUNK.search(info.filename):
                continue
            name = info.filename[:LONGEST]
            purse = purse_of(name)
            if purse.files < 0:  # the first that was one too many has been named
                continue
            try:
                with archive.open(info) as member:
                    file = purse.read(member, (*under, name), _when(info))
            except BROKEN:
                file = File((*under, name), b"", _when(info))
            yield from _opened(file, purse)


def _when(info):
    try:
        return datetime(*info.date_time)
    except ValueError:  # no date at all, which some tools write as month 0
        return datetime(1980, 1, 1)


def _opened(file, purse):
    """The file itself, or the files in it if it is an archive."""
    stream = io.BytesIO(file.data)
    if not file.levels[-1].lower().endswith(".zip") or not zipfile.is_zipfile(stream):
        yield file
        return
    try:
        yield from _unzipped(stream, file.levels, lambda _: purse)
    except zipfile.BadZipFile:
        yield file
