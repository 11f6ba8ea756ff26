"""Whose is a file? How platforms name what they hand over, and whom a name means.

A platform's own number or an exact id decides first, then a whole name; a part of a name does not count. What could be
two people's is nobody's, and both are named.
"""

import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import PurePosixPath

import yaml

from ..roster import comparable, slug

PLATFORMS = [  # the first that fits tells who
    re.compile(r"(?:^|/)(?P<who>[^/]+?)_(?P<number>\d+)_assignsubmission_[a-z]+(_|/|$)"),  # Moodle: Jane Doe_1_…_file
    re.compile(r"(?:^|/)(?P<who>[^_/]+)(?P<late>_LATE)?_(?P<number>\d\d+)_\d\d+_[^/]*$"),  # Canvas: doejane_12_345_x-1
    re.compile(r"_(?P<who>[^_/]+)_attempt_(?P<when>\d{4}-[\d-]+\d)[^/]*$"),  # Blackboard: HW 1_jdoe_attempt_2026-01-…_x
    re.compile(r"(?:^|/)\d+-\d+ ?- (?P<who>[^/]+?) ?- (?P<when>\w+ \d+, \d{4} \d+ [AP]M)(/| -)"),  # Brightspace
]
GRADESCOPE = re.compile(r"(?:^|/)(?P<folder>submission_(?P<number>\d+))/")
RUBY = re.compile(rb"!ruby/\S+|^([ -]*):(?=\w+:)", re.M)  # its kinds of values in YAML, and keys like :name:
NOISE = r"copy of|copie de|kopie von|사본|\(\d+\)|-\d+$|- ?copy(\d*)|\.(ipynb|txt|json|zip)\b"
USUAL = {f"hw{n}" for n in range(20)} | set(
    "and answer answers assignment assignments attention attempt by chapter class copy done draft ex exercise "
    "exercises file final finished homework hw kap lab my new notebook of project python real solution solutions "
    "solved submission submit submitted task tasks the updated v version week work 과제 숙제 제출 최종".split()
)
CERTAIN = 5  # characters of an id with digits in it that no other word has by chance


@dataclass
class Owner:
    """Whose a file is: one student or a group; nobody, when it names none or several who cannot be told apart."""

    students: list = field(default_factory=list)
    candidates: set = field(default_factory=set)
    late: str = ""  # what the platform wrote of the time
    number: str = ""  # the platform's own number of the student or the submission


def _owner(people, *about):
    """The Owner for a group of people, each given as the students who it can be."""
    if all(len(keys) == 1 for keys in people):
        return Owner([*dict.fromkeys(key for keys in people for key in keys)], set(), *about)
    return Owner([], set().union(*people), *about)


class Layout:
    """The folder or archive as one platform laid it out, for a chapter and a roster, which may be empty."""

    def __init__(self, stem, roster, metadata=b"", repositories=()):
        self.stem, self.roster, self.known, self.ids = stem, roster, defaultdict(set), defaultdict(set)
        for key, student in roster.items():
            for known in student.known:
                self.known[known].add(key)
            for known in student.ids:
                self.ids[known].add(key)
        self.usual = USUAL | {comparable(word) for word in re.split("[_-]", stem)}
        self.submissions = _read_submissions(metadata)
        words = {name: name.split("-") for name in repositories}  # `assignment-user`: what all begin with is no user
        columns = zip(*(parts[:-1] for parts in words.values()), strict=False)
        shared = len([*takewhile(lambda column: len({*column}) == 1, columns)]) if len(words) > 1 else 0
        self.repositories = {name: "-".join(parts[shared:]) for name, parts in words.items()}

    def owner(self, levels):
        """Return the Owner of a file; what is in an archive was named by whoever handed it in: the outermost rules."""
        for level in levels:
            owner = self._platform(level) or self._plain(level)
            if owner.students or owner.candidates or owner.number:
                return owner
        return Owner()

    def _platform(self, level):
        if (match := GRADESCOPE.search(level)) and match["folder"] in self.submissions:
            submitters, when = self.submissions[match["folder"]]
            people = [self._person(who.get("name"), [who.get("sid"), who.get("email")]) for who in submitters]
            if self.roster and (by_number := self.ids.get(match["number"])):
                people = [by_number]
            first = submitters[0].get("email") or submitters[0].get("sid") or match["number"]
            return _owner(people, when, slug(str(first)) if len(people) == 1 else "")
        for match in filter(None, (pattern.search(level) for pattern in PLATFORMS)):
            parts = {"late": "", "when": "", "number": ""} | {k: v for k, v in match.groupdict().items() if v}
            late = "late, says Canvas" if parts["late"] else parts["when"]
            return _owner([self._person(parts["who"], [parts["number"]])], late, parts["number"])
        return None

    def _person(self, name, ids):
        """The students whom a platform's name and ids mean; without a roster the name itself."""
        if not self.roster:
            return {slug(name or "")} - {""}
        by_id = set().union(*(self.ids.get(comparable(str(one)), set()) for one in ids if one))
        by_name = self.known.get(comparable(name or ""), set())
        return by_id & by_name or by_id | by_name

    def _plain(self, level):
        """Whom the folders and the name of a file mean."""
        parts = PurePosixPath(unicodedata.normalize("NFC", level)).parts
        if len(parts) > 1 and parts[0] in self.repositories:
            parts = (self.repositories[parts[0]],)
        if self.roster or not parts:
            return _owner(next(([keys] for part in parts if (keys := self._named(part))), []))
        who = parts[-2] if len(parts) > 1 else re.sub(f"{re.escape(self.stem)}|{NOISE}", " ", parts[-1], flags=re.I)
        nobody = len(parts) == 1 and {*self._words(who)} <= self.usual
        return Owner([slug(who)] if slug(who) and not nobody else [])

    def _words(self, text):
        text = re.sub(NOISE, " ", unicodedata.normalize("NFC", text), flags=re.I)
        text = re.sub(re.escape(self.stem), " ", text, flags=re.I)
        return [comparable(word) for word in re.findall(r"[^\W_]+", text)]

    def _named(self, text):
        """The students whom a name of a file or a folder means."""
        words = self._words(text)
        spans = [(i, j) for i in range(len(words)) for j in range(i + 1, min(len(words), i + 8) + 1)]
        matches = {span: joined for span in spans if (joined := "".join(words[slice(*span)])) in self.known}
        number = str(int(self.stem.split("_")[0]))
        for i, j in [*matches]:  # within a longer one, the chapter's number, or a small number beside words: no name
            longer = any(a <= i and j <= b and (a, b) != (i, j) for a, b in matches)
            small = j == i + 1 and words[i].isdigit() and len(words[i]) < 4 and len(words) > 1
            if longer or small or words[i:j] in ([number], [number.zfill(2)]):
                del matches[i, j]
        covered = {place for i, j in matches for place in range(i, j)}
        rest = {word for place, word in enumerate(words) if place not in covered} - self.usual
        if not all(re.fullmatch(r"v?\d{1,3}", word) for word in rest):
            # it also means somebody else, so only an exact id counts
            matches = {s: j for s, j in matches.items() if len(j) >= CERTAIN and any(c.isdigit() for c in j)}
        people = [self.known[joined] for joined in matches.values()]
        return set.intersection(*people) or set.union(*people) if people else set()


def _read_submissions(metadata):
    """{folder: (submitters, when)} of Gradescope's `submission_metadata.yml`."""
    submissions = {}
    try:
        for folder, about in (yaml.safe_load(RUBY.sub(rb"\1", metadata)) or {}).items():
            created = about.get("created_at", "")
            when = created.get("time") or created.get("utc") if isinstance(created, dict) else created
            if about.get("submitters"):
                submissions[folder] = (about["submitters"], str(when))
    except (yaml.YAMLError, AttributeError, TypeError):
        return {}
    return submissions
