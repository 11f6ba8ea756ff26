"""The roster of a class, as a platform exports it: its students, and what names each of them.

Canvas's gradebook, Moodle's participants or grading worksheet, Google Classroom's grades, Gradescope's roster or
grades, an e-class's list in Korean, or any CSV whose first column is the student's id.
"""

import csv
import io
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field

from .chapter import Unclear

PARTS = re.compile(r"^(first|given|last|family|sur|fore).*name$|^surname$|^성$", re.I)
NAMES = re.compile(r"^(student|(full |display |student )?name|이름|성명|학생(명| ?이름)?)$", re.I)
ANY_NAME = re.compile(f"{PARTS.pattern}|{NAMES.pattern}", re.I)
KEYS = ["sis login id", "username", "sid", "id number", "sis user id", "학번", "아이디", "사용자 id"]  # best first
KEYS += ["email address", "email", "이메일 주소", "이메일", "id"]
IDS = re.compile(
    r"\bid\b|\bsid\b|login|user|e-?mail|number|identifier|github|account|submission|학번|번호|메일|아이디|계정|깃허브",
    re.I,
)
RUNNING = re.compile(r"^(no\.?|#|번호|순번|연번)$", re.I)  # numbers the lines of a list, and no student
NOBODY = re.compile(r"^\s*(points possible|student, test|test student|date|points|class average)\s*$", re.I)
EASTERN = re.compile("[가-힣一-鿿ぁ-ヿ]+")  # scripts in which the family name stands first, and no space after it
HANGUL = re.compile("[가-힣]")


def comparable(text):
    """Text as names are compared: small letters and digits, no accents, no signs, Korean in whole syllables."""
    text = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", "".join(letter for letter in text if letter.isalnum()))


def exact(text):
    """Text as ids are compared: with their signs."""
    return unicodedata.normalize("NFKC", text).casefold().strip()


def slug(text):
    """A name that can be a folder's: letters and digits of any script, joined by hyphens."""
    return "-".join(re.findall(r"\w+", unicodedata.normalize("NFC", text).casefold().replace("_", " ")))[:60]


@dataclass
class Student:
    name: str  # as people write it
    row: dict = field(default_factory=dict)  # of the roster
    known: set = field(default_factory=set)  # whole names in every order, and ids, as they are compared
    ids: set = field(default_factory=set)  # those of `known` that are ids
    exact: set = field(default_factory=set)  # the ids with their signs


def tell_apart(names):
    """{key: name}, with the key where several have the name."""
    often = Counter(names.values())
    return {key: f"{name} ({key})" if often[name] > 1 else name for key, name in names.items()}


def read_roster(path):
    """Return {key: Student}; the key, the student's best id, names their files."""
    text = _decode(path)
    first = text.partition("\n")[0]
    header, *rows = list(csv.reader(io.StringIO(text), delimiter=max(",;\t", key=first.count))) or [[]]
    header = [unicodedata.normalize("NFC", title).strip() for title in header]
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
            if value and (title == key or IDS.search(title)) and not ANY_NAME.match(title) and not RUNNING.match(title):
                ids |= {value, value.split("@")[0], value.removeprefix("Participant ")}
        known = {*map(comparable, ids)} - {""}
        students[student] = Student(name, row, known | _turns(name) - {""}, known, {*map(exact, ids)})
    return students


def _decode(path):
    """The text of the roster, in UTF-8, or in the code of a Korean Excel if a Korean header shows it."""
    data = path.read_bytes()
    for code in ("utf-8-sig", "cp949"):
        try:
            text = data.decode(code)
        except UnicodeDecodeError:
            continue
        titles = re.split(r"[,;\t]", text.partition("\n")[0])
        if code == "utf-8-sig" or any(HANGUL.search(title) and _says_who(title.strip()) for title in titles):
            return text
    raise Unclear(f"{path} is not in UTF-8; save it again as “CSV UTF-8”.")


def _says_who(title):
    return ANY_NAME.match(title) or IDS.search(title)


def _key(header, rows):
    """The column of the best id: the first, unless that is a name, a running number or empty for somebody."""
    first = next((title for title in header if not RUNNING.match(title)), None)
    if first and not ANY_NAME.match(first) and (first == header[0] or _says_who(first)):
        return first
    titles = {title.casefold(): title for title in header}
    for wanted in [titles[name] for name in KEYS if name in titles]:
        values = [row.get(wanted) for row in rows]
        if all(values) and len({*values}) == len(values):
            return wanted
    if not header:
        raise Unclear("The roster is empty; expected a header and a line for each student.")
    return header[0]


def _name(row):
    """The name as people write it: given name first, but in one word with the family name first in Korean."""
    parts = {title: value for title, value in row.items() if PARTS.match(title)}
    whole = next((value for title, value in row.items() if NAMES.match(title) and value), "")
    if len(parts) == 1 and whole:  # 성 and 이름
        family, given = *parts.values(), whole
    elif len(parts) == 2:
        titles = [*parts] if re.match(r"last|family|sur|성", next(iter(parts)), re.I) else [*parts][::-1]
        family, given = (parts[title] for title in titles)
    else:
        family, comma, given = whole.partition(",")
        if not comma:
            return whole
    family, given = family.strip(), given.strip()
    eastern = EASTERN.fullmatch(family) and EASTERN.fullmatch(given)
    return family + given if eastern else f"{given} {family}".strip()


def _turns(name):
    """A whole name in each turn of its words, and turned round; a name in brackets is another one."""
    turns = set()
    for one in re.split(r"[()\[\]（）]", name):
        words = [comparable(word) for word in re.split(r"[\s,]+", one) if word]
        turns |= {"".join(words[i:] + words[:i]) for i in range(len(words))} | {"".join(reversed(words))}
        if len(words) == 1 and EASTERN.fullmatch(words[0]) and len(words[0]) < 5:  # platforms turn it round
            turns |= {words[0][i:] + words[0][:i] for i in (1, 2)}
    return turns
