"""The roster of a class, as a platform exports it: its students, and what names each of them.

Canvas's gradebook, Moodle's participants or grading worksheet, Google Classroom's grades, Gradescope's roster or
grades, or any CSV whose first column is the student's id.
"""

import csv
import io
import re
import unicodedata
from dataclasses import dataclass, field

from .chapter import Unclear

PARTS = re.compile(r"^(first|given|last|family|sur|fore).*name$|^surname$|^성$", re.I)
NAMES = re.compile(r"^(student|(full |display |student )?name|이름|성명|학생)$", re.I)
ANY_NAME = re.compile(f"{PARTS.pattern}|{NAMES.pattern}", re.I)
KEYS = ["sis login id", "username", "sid", "id number", "sis user id", "email address", "email", "id"]  # best first
IDS = re.compile(r"\bid\b|\bsid\b|login|user|e-?mail|number|identifier|github|account|submission|학번|번호", re.I)
NOBODY = re.compile(r"^\s*(points possible|student, test|test student|date|points|class average)\s*$", re.I)


def comparable(text):
    """Text as names are compared: small letters and digits, no accents, no signs."""
    text = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in text if letter.isalnum())


def slug(text):
    """A name that can be a folder's: letters and digits of any script, joined by hyphens."""
    return "-".join(re.findall(r"\w+", unicodedata.normalize("NFC", text).casefold().replace("_", " ")))[:60]


@dataclass
class Student:
    name: str  # as people write it
    row: dict = field(default_factory=dict)  # of the roster
    known: set = field(default_factory=set)  # whole names in every order, and exact ids, as they are compared
    ids: set = field(default_factory=set)  # those of `known` that are ids


def read_roster(path):
    """Return {key: Student}; the key, the student's best id, names their files."""
    try:
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise Unclear(f"{path} is not in UTF-8; save it again as “CSV UTF-8”.") from None
    first = text.partition("\n")[0]
    header, *rows = list(csv.reader(io.StringIO(text), delimiter=max(",;\t", key=first.count))) or [[]]
    header = [title.strip() for title in header]
    rows = [dict(zip(header, map(str.strip, row), strict=False)) for row in rows if any(row)]
    if any("@" in title or title.isdigit() for title in header):
        raise Unclear(f"{path} begins with {first!r}; expected a header, such as id,name,email.")
    rows = [row for row in rows if not any(map(NOBODY.match, row.values()))]
    key = _key(header, rows)
    rows = [row for row in rows if row.get(key) or not key]
    if not rows:
        raise Unclear(f"{path} has {len(text.splitlines())} lines; expected a header and a line for each student.")
    students = {}
    for row in rows:
        name = _name(row)
        student = slug(row[key] if key else name)
        if student in students or not student:
            raise Unclear(f"{path} has {student!r} twice, at last for {row[key]!r}; expected an id for each student.")
        name, ids = name or row[key], set()
        for title, value in row.items():
            if value and (title == key or IDS.search(title)) and not ANY_NAME.match(title):
                ids |= {*map(comparable, (value, value.split("@")[0], value.removeprefix("Participant ")))}
        students[student] = Student(name, row, ids | _turns(name) - {""}, ids - {""})
    return students


def _key(header, rows):
    """The column of the best id: the first, unless that is a name or is empty for somebody."""
    if header and not ANY_NAME.match(header[0]):
        return header[0]
    titles = {title.casefold(): title for title in header}
    for wanted in [titles[name] for name in KEYS if name in titles]:
        values = [row.get(wanted) for row in rows]
        if all(values) and len({*values}) == len(values):
            return wanted
    if not header:
        raise Unclear("The roster is empty; expected a header and a line for each student.")
    return header[0]


def _name(row):
    """The name as people write it: given name first."""
    parts = [row[title] for title in row if PARTS.match(title)]
    given_first = re.match(r"first|given|fore", next(filter(PARTS.match, row), "first"), re.I)
    if len(parts) == 2:
        return " ".join(parts if given_first or not parts[0].isascii() else reversed(parts)).strip()
    whole = next((row[title] for title in row if NAMES.match(title) and row[title]), "")
    family, comma, given = whole.partition(", ")
    return f"{given} {family}" if comma else whole


def _turns(name):
    """A whole name in each turn of its words, and turned round."""
    words = [comparable(word) for word in re.split(r"[\s,]+", name) if word]
    if re.fullmatch("[가-힣]{2,4}", name):  # family name first, in one word; platforms also turn it round
        words = [comparable(name[0]), comparable(name[1:])]
    return {"".join(words[i:] + words[:i]) for i in range(len(words))} | {"".join(reversed(words))}
