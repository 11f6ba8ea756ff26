"""The roster of a class: its students, and what a file's name may say of each."""

import csv
import itertools
import re
import unicodedata
from collections import Counter

from .chapter import Unclear


def comparable(text):
    """Text as names are compared: small letters and digits, no accents, no signs."""
    text = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in text if letter.isalnum())


def slug(text):
    """A name that can be a folder's: letters and digits of any script, joined by hyphens."""
    return "-".join(re.findall(r"\w+", unicodedata.normalize("NFC", text).casefold().replace("_", " ")))[:60]


def read_roster(path):
    """Return {student: what a file's name may say of them} from a CSV whose first column is the student's id."""
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise Unclear(f"{path} is not in UTF-8; save it again as “CSV UTF-8”.") from None
    header, *rows = list(csv.reader(lines, delimiter=_delimiter(lines))) or [[]]
    rows = [[value.strip() for value in row] for row in rows if any(row)]
    if not rows:
        raise Unclear(f"{path} has {len(lines)} lines; expected a header and a line for each student.")
    if any("@" in value or value.strip().isdigit() for value in header):
        raise Unclear(f"{path} begins with {lines[0]!r}; expected a header, such as id,name,email.")
    students = {}
    for row in rows:
        if (student := slug(row[0])) in students:
            raise Unclear(f"{path} has {student!r} twice, at last for {row[0]!r}; expected an id for each student.")
        students[student] = _known(header, row)
    often = Counter(name for known in students.values() for name in known)
    return {student: {name for name in known if often[name] == 1} for student, known in students.items()}


def _delimiter(lines):
    return max(",;\t", key=(lines or [""])[0].count)


def _known(header, row):
    """Names that a file may bear: every value in each turn of its words, and given and family name from two columns."""
    known, values = set(), [value.split("@")[0] for value in row]
    columns = list(zip(header, values, strict=False))
    parts = [comparable(value) for name, value in columns if _is_part(name)]
    for name, value in columns:
        words = [comparable(word) for word in re.split(r"[\s,;]+", value)]
        if re.fullmatch("[가-힣]{2,4}", value):  # family name first, in one word; platforms also turn it round
            words = [comparable(value[0]), comparable(value[1:])]
        if not _is_part(name):
            known |= {"".join(words[i:] + words[:i]) for i in range(len(words))} | {"".join(reversed(words))}
    return {name for name in known | set(map("".join, itertools.permutations(parts, 2))) if name}


def _is_part(name):
    return re.search(r"first|last|given|family|surname|^성$", name, re.I)


def one_of(roster, text, numbers):
    """The student whom a path, as plain text and as the numbers in it, names; a name within a longer one is none."""
    named = {student for student, known in roster.items() if known & numbers}
    for name, student in sorted(((n, s) for s, known in roster.items() for n in known), key=lambda pair: -len(pair[0])):
        long = len(name) > 2 or (len(name) == 2 and not name.isascii())
        if name == text or (long and not name.isdigit() and name in text):
            named.add(student)
            text = text.replace(name, " ")
    return named.pop() if len(named) == 1 else None
