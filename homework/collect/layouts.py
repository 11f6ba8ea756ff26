"""Whose is a file? How platforms name what they hand over, and whom a name means.

A platform's own number decides first, then an exact id, then a whole name; a part of a name does not count. A number
that can be a date is an id only beside its student's name. What could be two people's is nobody's, and both are named.
"""

import posixpath
import re
import tomllib
import unicodedata
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import yaml
from dateutil import parser

from book.chapter import ROOT, TRANSLATED, page_of, read, title

from ..chapter import ASSIGNMENTS
from ..roster import HANGUL, comparable, exact, slug

WORDS = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))
ATTEMPT, PART = WORDS["attempt"], "(?:(?! -|/).)"  # the second: a letter of what stands between hyphens
MOODLE, CANVAS, BLACKBOARD, BRIGHTSPACE = PLATFORMS = [  # the first that finds somebody tells who
    re.compile(r"(?:^|/)(?P<who>[^/]+?)_(?P<number>\d+)_assignsubmission_[a-z]+(_|/|$)"),  # Jane Doe_1_…_file
    re.compile(r"(?:^|/)(?P<who>[^_/]+)(?P<late>_LATE)?_(?P<number>\d\d+)_\d\d+_[^/]*$"),  # doejane_12_345_x-1
    # HW 1_jdoe_attempt_2026-01-… and 12-34 - Jane Doe - Jan 5, 2026 1046 AM, in several languages
    re.compile(rf"(?:^|/)(?P<who>[^/]*?_[^/]+?)_(?i:{ATTEMPT})_(?P<when>\d{{4}}-[\d-]+\d)[^/]*$"),
    re.compile(rf"(?:^|/)\d+-\d+ ?- (?P<who>[^/]+?) ?- (?P<when>{PART}*?(?<!\d)\d{{4}}{PART}*?\d{PART}*?)(/| -|$)"),
]
CLOCK = re.compile(r"\b(\d\d?)(?: ?[.:h] ?)?(\d\d) ?(?:([ap])\.? ?m\.?)?$", re.I)  # 1046 AM, 10.46 a.m., 10 h 46
GRADESCOPE = re.compile(r"(?:^|/)(?P<folder>submission_(?P<number>\d+))/")
EXPORTED = re.compile(r"(?:assignment_\d+_export/)?(submission_\d+)/")  # without its list
RUBY = re.compile(rb"!ruby/\S+|^([ -]*):(?=\w+:)", re.M)  # its kinds of values in YAML, and keys like :name:
JOINED, NOISE, USUAL = WORDS["joining"], re.compile("|".join(WORDS["added"]), re.I), {*WORDS["usual"].split()}
MONTHS = [tuple(names.split()) for names in WORDS["months"]]
ENDING = re.compile(f"{JOINED}|{WORDS['ending']}|님{JOINED}")  # of a Korean word, after a name
CERTAIN = 5  # characters of an id with digits in it that no other word has by chance
WHOLE = re.compile("[가-힣]{3,}")  # a Korean name in one word; many a word of two syllables is also a name
DATE = re.compile(r"20\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])")  # eight digits that a file's name has by itself
MONTH_AND_DAY = re.compile(r"20\d\d (0?[1-9]|1[0-2]) (0?[1-9]|[12]\d|3[01])( |$)")
GLUED = re.compile(r"(?:[^\W\d]{2,})?(\d{5,})(?:[^\W\d]{2,}\d{0,2})?")  # a number in one word with letters
TIME = re.compile(r"([01]\d|2[0-3])[0-5]\d([0-5]\d)?")  # after a date
COUNTED = re.compile(r"(v|ch|hw|week|ex|untitled)?\d{1,3}")  # words that name nobody beside a name


@dataclass
class Owner:
    """Whose a file is: one student or a group; nobody, when it names none or several who cannot be told apart."""

    students: list = field(default_factory=list)
    candidates: set = field(default_factory=set)
    late: str = ""  # what the platform wrote of the time
    number: str = ""  # the platform's own number of the student or the submission
    perhaps: set = field(default_factory=set)  # whose whole name is there, among words that nobody knows

    @property
    def names_somebody(self):
        return bool(self.students or self.candidates)


class Match(NamedTuple):
    """What one name of a file or a folder says."""

    students: set = frozenset()  # to whom it refers
    sure: bool = False
    perhaps: set = frozenset()  # whose whole name occurs
    dated: set = frozenset()  # whose id may be a date


class Found(NamedTuple):
    """Neighbouring words of a name, from the place `start` on, that are somebody's name or id."""

    start: int
    words: list
    students: set

    @property
    def places(self):
        return {*range(self.start, self.start + len(self.words))}

    @property
    def text(self):
        return "".join(self.words)

    @property
    def is_certain_id(self):
        return len(self.text) >= CERTAIN and bool(re.search(r"\d", self.text))


def _join(found):
    return set().union(*(one.students for one in found))


def _owner(people, *about):
    """The Owner for a group of people, each given as the students who it can be."""
    if all(len(keys) == 1 for keys in people):
        return Owner([*dict.fromkeys(key for keys in people for key in keys)], set(), *about)
    return Owner([], set().union(*people), *about)


def read_time(text):
    """Return the time that a platform writes; the first there is where it writes none."""
    try:
        if re.fullmatch(r"\d{4}(-\d+){5}", text):
            return datetime(*map(int, text.split("-")))
        text = CLOCK.sub(lambda match: f"{match[1]}:{match[2]} {match[3] or ''}", unicodedata.normalize("NFKC", text))
        text = re.sub(r"[^\W\d]+\.?", _read_month, re.sub("[년월年月] ?", "-", re.sub("[일日]", " ", text)))
        return parser.parse(text).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return datetime.min


def _read_month(match):
    """A word of a date, that for a month in English."""
    word = comparable(match[0])
    return next((one[0] for one in MONTHS if word.startswith(one)), "" if word == "de" else match[0])


class Layout:
    """The folder or archive as one platform laid it out, for a chapter and a roster, which may be empty."""

    def __init__(self, stem, roster, repositories=()):
        self.stem, self.roster = stem, roster
        self.known, self.ids, self.exact = (defaultdict(set) for _ in range(3))
        for key, student in roster.items():
            for kind in ("known", "ids", "exact"):
                for text in getattr(student, kind):
                    getattr(self, kind)[text].add(key)
        self.usual = USUAL | {comparable(word) for word in re.split("[_-]", stem)} | _title_words(stem)
        self.attached = {word for word in self.usual if len(word) > 1 and not ENDING.fullmatch(word)}  # to a name
        korean = "|".join(word for word in self.usual if len(word) > 1 and HANGUL.match(word))
        self.compound = re.compile(f"({korean})+")
        self.submissions = {}  # {folder: (submitters, when)}, from Gradescope's list
        self.repositories = {name: name.split("-") for name in repositories}  # `assignment-user`
        several = self.repositories.values() if len(self.repositories) > 1 else ()
        self.shared = _find_shared([words[:-1] for words in several])
        self.notebooks = {}  # {levels: the paths of the notebooks that lie below these levels}
        self.compared = {}  # {such paths: where they differ}

    def read_submissions(self, metadata):
        """Read Gradescope's `submission_metadata.yml`."""
        submissions = {}
        try:
            for folder, about in yaml.safe_load(RUBY.sub(rb"\1", metadata)).items():
                created = about.get("created_at", "")
                when = created.get("time") or created.get("utc") if isinstance(created, dict) else created
                if about.get("submitters"):
                    submissions[folder] = (about["submitters"], str(when or ""))
        except (yaml.YAMLError, AttributeError, TypeError):
            return
        self.submissions = submissions

    def read_files(self, files):
        """Read the paths of all files, which tell what the names of a platform or a class have in common."""
        for levels in {file.levels[: i + 1] for file in files if file.is_notebook for i in range(len(file.levels))}:
            self.notebooks.setdefault(levels[:-1], []).append(levels[-1])

    def owner(self, levels):
        """Return the Owner of a file; what is in an archive was named by whoever handed it in: the outermost rules."""
        perhaps = set()
        for place, level in enumerate(levels):
            beside = self.notebooks.get(levels[:place], [level])
            if owner := self._find_by_platform(level, beside):
                if not owner.names_somebody:  # the rest of the path, its student has named
                    found = self._find_by_path(level, beside)
                    owner.perhaps = found.perhaps.union(found.candidates, found.students)
                return owner
            owner = self._find_by_path(level, beside)
            if owner.names_somebody:
                return owner
            perhaps |= owner.perhaps
        return Owner(perhaps=perhaps)

    def _find_by_platform(self, level, beside):
        if (match := GRADESCOPE.search(level)) and match["folder"] in self.submissions:
            submitters, when = self.submissions[match["folder"]]
            people = [self._person(who.get("name"), [who.get("sid"), who.get("email")]) for who in submitters]
            if self.roster and (by_number := self.ids.get(match["number"])):
                people = [by_number]
            first = submitters[0].get("email") or submitters[0].get("sid") or match["number"]
            return _owner(people, when, slug(str(first)) if len(people) == 1 else "")
        nobody = None
        for match in filter(None, (pattern.search(level) for pattern in PLATFORMS)):
            parts = {"late": "", "when": "", "number": ""} | {k: v for k, v in match.groupdict().items() if v}
            if match.re is CANVAS and (
                {*self._words(parts["who"])} <= self.usual
                or (self.roster and DATE.fullmatch(parts["who"]))
                or (DATE.fullmatch(parts["number"]) and self.roster and not self._person(parts["who"], []))
            ):
                continue  # `과제_20261234_1_…` only looks like Canvas's, as does a date with a time
            late = "late, says Canvas" if parts["late"] else parts["when"]
            others = {other["who"] for path in beside if (other := match.re.search(path))}
            endings = _split_user(parts["who"], others) if match.re is BLACKBOARD else [parts["who"]]
            logins = [self.exact.get(exact(ending), set()) for ending in endings if not parts["number"]]
            keys = set().union(*logins) or self._person(endings[0], [parts["number"]])
            owner = _owner([keys], late, parts["number"])
            if not keys and match.re is MOODLE:
                owner = self._find_in_group(owner, parts["who"], others)
            if owner.names_somebody:
                return owner
            nobody = nobody or owner
        return nobody

    def _find_in_group(self, owner, who, others):
        """Find a student of Moodle before whose name that of a group stands, `Group A-Jane Doe`.

        Without a sign that it is a group's, it may be part of the name of somebody who is not in the roster.
        """
        parts = who.split("-")
        for place in range(1, len(parts)):
            group, name = "-".join(parts[:place]), "-".join(parts[place:])
            keys = self.known.get(comparable(name), set()) if " " in name.strip() or HANGUL.search(name) else set()
            if keys:
                cells = [value for key in keys for value in self.roster[key].row.values()]
                listed = exact(group) in {exact(one) for value in cells for one in (value, *re.split("[,;]", value))}
                together = any(other.startswith(f"{group}-") for other in others - {who})
                sure = len(keys) == 1 and (listed or together or not self._tells(group))
                return Owner([*keys], set(), owner.late, owner.number) if sure else Owner([], keys, "", owner.number)
        return owner

    def _person(self, name, ids):
        """The students whom a platform's name and ids mean; without a roster the name itself."""
        if not self.roster:
            return {slug(name or "")} - {""}
        by_id = set().union(*(self.exact.get(exact(str(one)), set()) for one in ids if one))
        by_id = by_id or set().union(*(self.ids.get(comparable(str(one)), set()) for one in ids if one))
        by_name = self.known.get(comparable(name or "")) or self._find_named(name or "")
        return by_id & by_name or by_id | by_name

    def _find_named(self, text):
        """Return the students a platform's name refers to; numbers in it are never dates."""
        match = self._match_name(text)
        return match.students & match.dated or match.students | match.dated

    def _find_by_path(self, level, beside):
        """Find the owner from folder and file names.

        The outermost name decides, unless it is Korean and only likely.
        """
        parts = PurePosixPath(unicodedata.normalize("NFKC", level)).parts
        if len(parts) > 1 and parts[0] in self.repositories:
            keys = self._find_by_clone(self.repositories[parts[0]])
            return _owner([keys] if keys else [])
        if self.roster:
            return self._match_path(parts)
        names = {name for part in self._find_names(level, beside) if (name := slug(part))}
        return Owner([*names]) if len(names) < 2 else Owner(candidates=names)

    def _match_path(self, parts):
        """Find the owner from the names on a path, the outermost first."""
        likely, perhaps, dated = set(), set(), set()
        for place, part in enumerate(parts):
            # a folder may be called by an id alone, even if that is a usual word like `copy`
            login = self.exact.get(exact(part)) if place < len(parts) - 1 else None
            match = Match(login, True) if login and not DATE.fullmatch(part) else self._match_name(part)
            likely, perhaps, dated = likely | match.students, perhaps | match.perhaps, dated | match.dated
            if match.students and match.sure:
                break
        if dated:  # what can be a date only tells those apart who are named, too
            return _owner([likely & dated]) if likely & dated else Owner(candidates=likely | dated)
        return _owner([likely]) if likely else Owner(perhaps=perhaps)

    def _find_names(self, level, beside):
        """Return what can be a student's name in a path if there is no roster.

        The level that differs between files tells whose they are: it is the name of one of the folders above them.
        Where none differs, that is the only folder or file whose name can be somebody's.
        """
        if match := EXPORTED.match(level):
            return [match[1]]
        *folders, file = _split_path(level)
        if (key := tuple(beside)) not in self.compared:
            self.compared[key] = self._compare(beside)
        paths, differing, weak = self.compared[key]
        if folders and differing:
            return [folders[place] for place in differing if place < len(folders)]
        while folders and not any(path[: len(folders)] == folders for path in paths):  # below any notebook
            folders.pop()
        own, telling = self._read_name(file), [*filter(self._tells, folders)]
        if telling:
            there = {self._read_name(name) for *above, name in paths if above == folders} - {""}
            return telling if len(there) < 2 else [*telling, own]
        if weak is not None and weak < len(folders):  # `1/x.ipynb` beside `2/x.ipynb`, but not beside `2/y.ipynb`
            same = {path[weak] for path in paths if len(path) > weak + 1 and self._read_name(path[-1]) == own}
            return [folders[weak], own] if not own or len(same) > 1 else [own]
        return [own]

    def _compare(self, beside):
        """Return paths, on which levels their folders' names differ, and on which they do and can be nobody's name."""
        paths, alike, weak = [_split_path(path) for path in beside if not self._find_by_platform(path, [])], {}, None
        for place, column in enumerate(zip(*(path[:-1] for path in paths if len(path) > 1), strict=False)):
            names = [*map(slug, column)]
            if len({*names}) > 1 and (any(map(self._tells, column)) or all(map(str.isdigit, column))):
                alike.setdefault(tuple(map(names.index, names)), place)  # of two that differ alike the outer one
            elif len({*names}) > 1 and weak is None:
                weak = place
        return paths, [*alike.values()], weak

    def _read_name(self, file):
        """Return the student's name in that of a file if there is no roster, empty if it has none."""
        who = NOISE.sub(" ", re.sub(re.escape(self.stem), " ", file, flags=re.I))
        nobody = not self._tells(who) and not who.strip().isdigit()
        if HANGUL.search(who):  # of Korean words the usual ones can go: none of them is a name
            words = [word for word in self._words(who) if not (word in self.usual and HANGUL.search(word))]
            who, nobody = " ".join(words) or who, nobody or all(word.isdigit() for word in words)
        return "" if nobody else who

    def _tells(self, text):
        """Can a name be somebody's? Not if everybody uses its words, also with a number or a letter: `Section B`."""
        words = self._words(text)
        rare = [w for w in words if not (COUNTED.fullmatch(w) or self._is_usual(w.rstrip("0123456789")))]
        return bool(rare) and (rare == words or any(len(word) > 1 for word in rare))

    def _find_by_clone(self, words):
        """Find the student of a cloned repository, whose name doesn't show where the assignment ends."""
        if not self.roster:
            return {slug("-".join(words[len(self.shared) :]))}
        endings = ["-".join(words[place:]) for place in range(len(self.shared) + 1) if self.shared]
        if keys := set().union(*(self.exact.get(exact(ending), set()) for ending in endings)):
            return keys
        known = {word for one in self.roster.values() for text in (one.name, *one.exact) for word in self._words(text)}
        common = {word for word in self.shared if comparable(word) not in known}
        return self._find_named("-".join(word for word in words if word not in common))

    def _words(self, text):
        """The words of a name as they are compared; between Korean and other letters a word ends."""
        text = unicodedata.normalize("NFKC", text)
        text = NOISE.sub(" ", re.sub(re.escape(self.stem), " ", text, flags=re.I))
        words = [comparable(word) for word in re.findall(r"[가-힣]+|[^\W_가-힣]+", text)]
        return [part for word in words for part in self._split_number(word)]

    def _split_number(self, word):
        """A word, in its parts if a student's number is one of them."""
        glued = GLUED.fullmatch(word)
        if not glued or word in self.known or glued[1] not in self.known:
            return [word]
        return re.findall(r"\d+|\D+", word)

    def _match_name(self, text):
        """Match the name of a file or a folder with the roster."""
        words = self._words(text)
        found = self._find_people(words)
        named = [one for one in found if not all(map(self._is_usual, one.words))]
        if found and not named:  # beside a name, `final` is no student
            return Match(perhaps=_join(found))
        dates = _find_dates(words)
        dated = [one for one in named if _is_date(one, words, dates)]
        named = [one for one in named if one not in dated]
        unknown = self._find_unknown(words, found, dates)
        sure, perhaps = all(map(COUNTED.fullmatch, unknown)), set()
        if not sure:  # it also means somebody else
            sure = any(one.is_certain_id for one in named)
            perhaps = _join(one for one in named if len(one.words) > 1 or HANGUL.match(one.text))
            named = _keep_likely(named, unknown)
        people = [one.students for one in named]
        students = (set.intersection(*people) or set.union(*people)) if people else set()
        return Match(students, sure, perhaps, _join(dated))

    def _find_people(self, words):
        """Find the words that are names or ids, without those that are part of a longer one, and without numbers.

        The chapter's number is no id, and neither is a small number beside words.
        """
        spans = [(i, j) for i in range(len(words)) for j in range(i + 1, min(len(words), i + 8) + 1)]
        found = [Found(i, words[i:j], keys) for i, j in spans if (keys := self._find_students(words[i:j]))]
        number = self.stem.split("_")[0]
        counted = {number, str(int(number)), *(word for word in words if len(word) < 4 and len(words) > 1)}
        found = [one for one in found if not (len(one.words) == 1 and one.text.isdigit() and one.text in counted)]
        return [one for one in found if not any(one.places < other.places for other in found)]

    def _find_unknown(self, words, found, dates):
        """Return the words that are nobody's, no date and not usual."""
        covered = set().union(*(one.places for one in found))
        for start, length in dates.items():
            end = start + length
            covered |= {*range(start, end + bool(TIME.fullmatch("".join(words[end : end + 1]))))}
        return [word for place, word in enumerate(words) if place not in covered and not self._is_usual(word)]

    def _is_usual(self, word):
        """Does everybody use this word, or these words written in one?"""
        return word in self.usual or bool(self.compound.fullmatch(word))

    def _find_students(self, words):
        """The students whom these words mean together; a single one that is somebody's exact id means nobody else."""
        if len(words) > 1:
            return self.known.get("".join(words), set())
        (word,) = words
        return self.exact.get(word) or self.known.get(word) or self._find_joined_names(word)

    def _find_joined_names(self, word):
        """The students of a Korean word that is no name alone: with an ending, with a usual word, or two joined names.

        After two syllables, which may be any word or begin somebody else's name, only a word of respect is an ending.
        """
        if not HANGUL.match(word):
            return set()
        splits = [(word[:i], word[i:]) for i in range(1, len(word))]
        cuts = [part for pair in splits for part, other in (pair, pair[::-1]) if other in self.attached]
        cuts += [
            name for name, ending in splits if ENDING.fullmatch(ending) and (WHOLE.fullmatch(name) or ending[0] == "님")
        ]
        for name, rest in splits:
            if (joined := re.match(JOINED, rest)) and name in self.known and rest[joined.end() :] in self.known:
                cuts += [name, rest[joined.end() :]]
        return set().union(*(self.known.get(cut, set()) for cut in cuts if HANGUL.match(cut)))


def _find_shared(rows):
    """What several rows of words have in common at their beginning."""
    columns = zip(*rows, strict=False)
    return [column[0] for column in takewhile(lambda column: len({*column}) == 1, columns)]


def _split_user(who, others):
    """What can be the user in Blackboard's `HW 1_j_doe`, the likeliest first; what differs between files is of it."""
    words = who.split("_")
    shared = len(_find_shared([words[:-1], *(other.split("_")[:-1] for other in others)]))
    first = next((place for place in range(1, shared + 1) if not COUNTED.fullmatch(words[place])), max(shared, 1))
    return ["_".join(words[place:]) for place in (first, *range(1, max(shared, 1) + 1))]


def _split_path(path):
    """The names of the folders on a path and of the file, without those that lead out of it."""
    return [part for part in posixpath.normpath(f"/{unicodedata.normalize('NFKC', path)}").split("/") if part]


def _keep_likely(named, unknown):
    """Keep what means a student even beside unknown words: an id with digits, or a whole name.

    A name in Latin letters is whole if it has several words and none of the unknown ones could belong to it.
    """
    alone = all(word.isdigit() or HANGUL.match(word) for word in unknown)
    latin = [one for one in named if alone and len(one.words) > 1 and not HANGUL.match(one.text)]
    return [one for one in named if one.is_certain_id or WHOLE.fullmatch(one.text) or one in latin]


def _is_date(found, words, dates):
    """Can what was found be a date, or part of one? Not after the Korean word for a student's number."""
    begins = found.start in dates and len(found.words) >= dates[found.start]
    return bool(begins or DATE.fullmatch(found.text)) and words[found.start - 1 : found.start] != ["학번"]


def _find_dates(words):
    """{place: number of words} of the dates in a name."""
    whole = {place: 1 for place, word in enumerate(words) if DATE.fullmatch(word)}
    parted = {place: 3 for place in range(len(words)) if MONTH_AND_DAY.match(" ".join(words[place : place + 3]))}
    return parted | whole


@cache
def _title_words(stem):
    """The words of the chapter's title, in both languages: none of them is somebody's name in a file's."""
    path = next((path for path in ASSIGNMENTS if path.stem == stem), None)
    titles = [title(read(path))] if path else []
    if path and (catalogue := ROOT / "locale" / TRANSLATED / f"{page_of(path)}.po").exists():
        message = rf'^msgid "{re.escape(titles[0])}"\nmsgstr "(.+)"'
        titles += re.findall(message, catalogue.read_text("utf-8"), re.M)
    return {comparable(word) for one in titles for word in re.findall(r"[^\W\d_]+", one)}
