"""Whose is a file? How platforms name what they hand over, and whom a name means.

A platform's own number or an exact id decides first, then a whole name; a part of a name is none. What could be two
people is nobody's, and both are named.
"""

import re
import unicodedata
from dataclasses import dataclass, field
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
NOISE = r"copy of|copie de|kopie von|사본|\(\d+\)|-\d+$|- ?copy(\d*)|\.(ipynb|txt|json|zip)\b"
USUAL = set(
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


class Layout:
    """The folder or archive as one platform laid it out, for a chapter and a roster, which may be empty."""

    def __init__(self, stem, roster, metadata=b"", repositories=()):
        self.stem, self.roster, self.known = stem, roster, {}
        for key, student in roster.items():
            for known in student.known:
                self.known.setdefault(known, set()).add(key)
        self.ids = {}
        for key, student in roster.items():
            for known in student.ids:
                self.ids.setdefault(known, set()).add(key)
        self.chapter_words = {comparable(word) for word in re.split("[_-]", stem)}
        self.submissions = _submissions(metadata)
        self.repositories = {name: name for name in repositories}
        if len(repositories) > 1:  # `assignment-user` of each: what all begin with is the assignment
            shared = _shared([name.split("-") for name in repositories])
            self.repositories = {name: "-".join(name.split("-")[shared:]) for name in repositories}

    def owner(self, levels):
        """Return the Owner of a file; what is in an archive was named by whoever handed it in: the outermost rules."""
        for level in levels:
            found = self._platform(level) or self._plain(level)
            if found.students or found.candidates or found.number:
                return found
        return Owner()

    def _platform(self, level):
        if (match := GRADESCOPE.search(level)) and match["folder"] in self.submissions:
            about = self.submissions[match["folder"]]
            found = [self._person(who.get("name"), [who.get("sid"), who.get("email")]) for who in about["submitters"]]
            if self.roster and (by_number := self.ids.get(match["number"])):
                found = [by_number]
            first = about["submitters"][0]
            number = slug(str(first.get("email") or first.get("sid") or match["number"])) if len(found) == 1 else ""
            if all(len(keys) == 1 for keys in found):
                return Owner([*dict.fromkeys(key for keys in found for key in keys)], set(), about["when"], number)
            return Owner([], set().union(*found), about["when"], number)
        for match in filter(None, (pattern.search(level) for pattern in PLATFORMS)):
            told = {"late": "", "when": "", "number": ""} | {k: v for k, v in match.groupdict().items() if v}
            late = "late, says Canvas" if told["late"] else told["when"]
            keys = self._person(told["who"], [told["number"]])
            return Owner([*keys] if len(keys) == 1 else [], keys if len(keys) > 1 else set(), late, told["number"])
        return None

    def _person(self, name, ids):
        """The students whom a platform's name and ids mean; without a roster the name itself."""
        if not self.roster:
            return {slug(name or "")} - {""}
        ids = {comparable(str(one)) for one in ids if one}
        by_id = set().union(*(self.ids.get(one, set()) for one in ids))
        by_name = self.known.get(comparable(name or ""), set())
        return by_id & by_name or by_id | by_name

    def _plain(self, level):
        """Whom the folders and the name of a file mean."""
        parts = PurePosixPath(unicodedata.normalize("NFC", level)).parts
        if not parts:
            return Owner()
        if len(parts) > 1 and parts[0] in self.repositories:
            parts = (self.repositories[parts[0]],)
        if self.roster:
            for part in parts:
                if keys := self._named(part):
                    return Owner([*keys]) if len(keys) == 1 else Owner([], keys)
            return Owner()
        who = parts[-2] if len(parts) > 1 else re.sub(f"{re.escape(self.stem)}|{NOISE}", " ", parts[-1], flags=re.I)
        if len(parts) == 1 and set(self._words(who)) <= self._usual(()):
            return Owner()
        return Owner([slug(who)] if slug(who) else [])

    def _words(self, text):
        text = re.sub(NOISE, " ", unicodedata.normalize("NFC", text), flags=re.I)
        text = re.sub(re.escape(self.stem), " ", text, flags=re.I)
        return [comparable(word) for word in re.findall(r"[^\W_]+", text)]

    def _usual(self, words):
        """Words that name nobody: of homework, of the chapter, small numbers."""
        numbers = {word for word in words if re.fullmatch(r"v?\d{1,3}", word)}
        return USUAL | self.chapter_words | {f"hw{n}" for n in range(20)} | numbers

    def _named(self, text):
        """The students whom a name of a file or a folder means."""
        words = self._words(text)
        spans = [(i, j) for i in range(len(words)) for j in range(i + 1, min(len(words), i + 8) + 1)]
        found = {span: self.known[joined] for span in spans if (joined := "".join(words[slice(*span)])) in self.known}
        number = str(int(self.stem.split("_")[0]))
        for i, j in [*found]:  # within a longer one, the chapter's number, or a small number beside words: no name
            longer = any(a <= i and j <= b and (a, b) != (i, j) for a, b in found)
            small = j == i + 1 and words[i].isdigit() and len(words[i]) < 4 and len(words) > 1
            if longer or small or words[i:j] in ([number], [number.zfill(2)]):
                del found[i, j]
        covered = {place for i, j in found for place in range(i, j)}
        rest = {word for place, word in enumerate(words) if place not in covered}
        if rest - self._usual(rest):  # it means somebody else, too: only an exact id can stand here
            joined = {span: "".join(words[slice(*span)]) for span in found}
            found = {s: found[s] for s, j in joined.items() if len(j) >= CERTAIN and any(c.isdigit() for c in j)}
        meant = [*found.values()]
        return set.intersection(*meant) or set.union(*meant) if meant else set()


def _shared(names):
    """How many first words all names share, leaving each at least one."""
    most = min(map(len, names)) - 1
    return next((i for i in range(most) if len({name[i] for name in names}) > 1), most)


class Lenient(yaml.SafeLoader):
    """Reads what Ruby wrote: its own kinds of values are taken for what they hold."""


Lenient.add_multi_constructor("!ruby", lambda loader, _, node: _plain_value(loader, node))


def _plain_value(loader, node):
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    return loader.construct_scalar(node) if isinstance(node, yaml.ScalarNode) else loader.construct_sequence(node)


def _submissions(metadata):
    """{folder: {'submitters': [...], 'when': text}} of Gradescope's `submission_metadata.yml`."""
    try:
        listed = _without_colons(yaml.load(metadata, Loader=Lenient)) or {}
        return {
            folder: {"submitters": about["submitters"], "when": _when(about.get("created_at", ""))}
            for folder, about in listed.items()
            if about.get("submitters")
        }
    except (yaml.YAMLError, AttributeError, TypeError, KeyError):
        return {}


def _without_colons(value):
    if isinstance(value, dict):
        return {str(key).lstrip(":"): _without_colons(inner) for key, inner in value.items()}
    return [_without_colons(inner) for inner in value] if isinstance(value, list) else value


def _when(created):
    return str(created.get("time") or created.get("utc")) if isinstance(created, dict) else str(created)
