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

# titles of columns, as `plain` writes them
PARTS = re.compile(r"^(first|given|last|family|sur|fore).*name$|^성$")
NAMES = re.compile(r"^(student|(full |display |student )?name|이름|성명|학생(명| ?이름)?)$")
ANY_NAME = re.compile(f"{PARTS.pattern}|{NAMES.pattern}")
KEYS = ["sis login id", "username", "sid", "id number", "sis user id", "학번", "아이디", "사용자 id"]  # best first
KEYS += [f"student {what}" for what in ("id", "number", "no")] + ["studentid", "학생번호", "netid", "로그인", "login"]
KEYS += ["email address", "email", "이메일 주소", "이메일", "id"]
IDS = re.compile(
    r"(\b|student|net|u)id\b|\bsid\b|login|user|e-?mail|number|identifier|github|account|submission|matr[ií]|"
    r"\b(student|roll|id) no\b|학번|번호|메일|아이디|계정|깃허브|로그인|교번|사번",
)
RUNNING = re.compile(r"^(no|nr|#|번호|순번|연번)$")  # numbers the lines of a list, and no student
TITLE_ROWS = 20  # among so many rows a list has its header
NOBODY = re.compile(r"^\s*(points possible|student, test|test student|date|points|class average)\s*$", re.I)
EASTERN = re.compile("[가-힣一-鿿ぁ-ヿ]+")  # scripts in which the family name stands first, and no space after it
HANGUL = re.compile("[가-힣]")
LOST = re.compile(r"\w\?|\?\w|\ufffd")  # what a spreadsheet leaves of a letter that its encoding does not have
WITHOUT_ACCENT = str.maketrans(
    {"đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ł": "l", "ø": "o", "æ": "ae", "œ": "oe", "þ": "th"}
)


def comparable(text):
    """Text as names are compared: small letters and digits, no accents, no signs, Korean in whole syllables."""
    text = unicodedata.normalize("NFKD", text.casefold().translate(WITHOUT_ACCENT))
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


def has_names(students):
    """Does the roster have a column that is read as names?"""
    return any(ANY_NAME.match(plain(title)) for student in students.values() for title in student.row)


def tell_apart(names):
    """{key: name}, with the key where several have the name."""
    often = Counter(names.values())
    return {key: f"{name} ({key})" if often[name] > 1 else name for key, name in names.items()}


def plain(title):
    """The title of a column as titles are compared, without what stands in brackets."""
    title = re.sub(r"\s*\([^)]*\)$", "", unicodedata.normalize("NFC", title))
    return " ".join(title.casefold().replace("_", " ").split()).rstrip(".")


def read_roster(path):
    """Return {key: Student}; the key, the student's best id, names their files."""
    header, *rows = _find_table(path)
    # some spreadsheets write the number of a student as 20210001.0
    typed = [[re.sub(r"^(\d{4,})\.0$", r"\1", value.strip()) for value in row] for row in rows if any(row)]
    rows = [dict(zip(header, row, strict=False)) for row in typed]
    rows = [row for row in rows if not any(map(NOBODY.match, row.values()))]
    key = _key(header, rows)
    rows = [row for row in rows if row.get(key)]
    if not rows:
        raise Unclear(f"{path} has no line below its header; expected a header and a line for each student.")
    if lost := [name for name in map(_name, rows) if LOST.search(name)]:
        names = ", ".join(map(repr, lost[:20]))
        raise Unclear(f"{path}: letters in {names} were lost; save it again as “CSV UTF-8”, or retype these names.")
    students = {}
    for row in rows:
        name = _name(row)
        student = slug(row[key])
        if student in students or not student:
            raise Unclear(
                f"{path}: column {key!r} has the id {student!r} twice, the second time as {row[key]!r}; expected an id "
                f"for each student, in one of the columns {', '.join(header)}."
            )
        name, ids = name or row[key], set()
        for title, value in row.items():
            if value and (title == key or _is_id(title)):
                ids |= {value, value.split("@")[0], value.removeprefix("Participant ")}
        known = {*map(comparable, ids)} - {""}
        students[student] = Student(name, row, known | _turns(name) - {""}, known, {*map(exact, ids)})
    return students


def _find_table(path):
    """The rows of a roster from its header on, above which a list may have titles."""
    text = _decode(path)
    tables = [[*csv.reader(io.StringIO(text), delimiter=delimiter)] for delimiter in ",;\t"]
    begun = [table[place:] for place in range(TITLE_ROWS) for table in tables if place < len(table)]
    header, *rows = max(begun, key=lambda table: sum(map(_says_who, table[0])), default=[[]])  # the first of the best
    if not any(map(_says_who, header)) or any(map(str.isdigit, header)):
        first = text.strip().partition("\n")[0].strip()
        expected = "expected a header with a title for the ids or names, such as id,name,email or 학번,이름"
        raise Unclear(f"{path} begins with {first[:100]!r}; {expected}.")
    return [[unicodedata.normalize("NFC", title).strip() for title in header], *rows]


def _decode(path):
    """The text of the roster: in UTF-8, in Blackboard's UTF-16, or from a Korean Excel if a header shows it."""
    data = path.read_bytes()
    for code in ["utf-16"] if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ["utf-8-sig", "cp949"]:
        try:
            text = data.decode(code)
        except UnicodeDecodeError:
            continue
        titles = re.split(r"[,;\t\n]", "\n".join(text.splitlines()[:TITLE_ROWS]))
        if code != "cp949" or any(HANGUL.search(title) and _says_who(title) for title in titles):
            return text
    raise Unclear(f"{path} is not in UTF-8; save it again as “CSV UTF-8”.")


def _says_who(title):
    return "@" not in title and bool(ANY_NAME.match(plain(title)) or IDS.search(plain(title)))


def _is_id(title):
    title = plain(title)
    return bool(IDS.search(title)) and not ANY_NAME.match(title) and not RUNNING.match(title)


def _key(header, rows):
    """The column of the best id: the first, unless that is a name, a running number or empty for somebody."""
    first = next((title for title in header if not RUNNING.match(plain(title))), None)
    if first and not ANY_NAME.match(plain(first)) and (first == header[0] or _says_who(first)):
        return first
    titles = {plain(title): title for title in reversed(header)}
    best = [titles[name] for name in KEYS if name in titles] + [title for title in header if _is_id(title)]
    for wanted in best:
        values = [row.get(wanted) for row in rows]
        if all(values) and len({*values}) == len(values):
            return wanted
    return header[0]


def _name(row):
    """The name as people write it: given name first, but in one word with the family name first in Korean."""
    parts = {plain(title): value for title, value in row.items() if PARTS.match(plain(title))}
    whole = next((value for title, value in row.items() if NAMES.match(plain(title)) and value), "")
    if len(parts) == 1 and whole:  # 성 and 이름
        family, given = *parts.values(), whole
    elif len(parts) == 2:
        titles = [*parts] if re.match(r"last|family|sur|성", next(iter(parts))) else [*parts][::-1]
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
