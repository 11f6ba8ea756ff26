"""Collecting: from a folder or a platform's archive of files named anyhow to one notebook for each student."""

import hashlib
import itertools
import json
import re
from dataclasses import dataclass, field

from ..chapter import Unclear, find
from ..course import read_collected, read_saved_roster, save_roster, written
from ..roster import slug
from .files import check_place, files_of, metadata_of
from .layouts import PLATFORMS, Layout

MOST_NOTES = 20


@dataclass
class Collected:
    """What one student handed in: the file that counts first."""

    files: list = field(default_factory=list)
    late: str = ""
    number: str = ""  # the platform's own
    notes: list[str] = field(default_factory=list)
    nobody: bool = False  # is it not known whose it is?


def command(chapter, place, course, roster, environment):
    """Sort what came back into one notebook for each student."""
    stem = find(chapter).stem
    folder = course / "collected" / stem
    students = save_roster(course, roster) if roster else read_saved_roster(course)
    found = collect(place, stem, students, _listed(folder))
    listed = store(found, folder, students)
    new = sum(not about.nobody for about in found.values())
    missing = [student.name for name, student in students.items() if not listed[name]["file"]]
    named = ": " + ", ".join(missing) if 0 < len(missing) <= MOST_NOTES else ""
    print(
        f"Files of {new} students"
        + (f"; of the roster, {len(missing)} have handed in nothing{named}." if students else ".")
    )
    open_questions(course, stem, listed)


def open_questions(course, stem, listed):
    """Name the files of which nobody knows whose they are, and how to settle it."""
    unknown = [(name, about) for name, about in listed.items() if about["nobody"]]
    for name, about in unknown:
        print(f"{name}: {about['notes'][0]['text']}")
    if unknown:
        print(f"Whose are they? python -m homework assign {unknown[0][0]} STUDENT {stem[:2]}")


def assign(name, student, chapter, course, environment):
    """Settle whose a file is that named nobody."""
    stems = [find(chapter).stem] if chapter else [path.name for path in (course / "collected").glob("*")]
    stems = [stem for stem in stems if read_collected(course, stem).get(name, {}).get("nobody")]
    if len(stems) != 1:
        seen = f"{name!r} is open in {', '.join(stems)}" if stems else f"No file is called {name!r}"
        raise Unclear(f"{seen}; expected a name that `collect` printed, and the chapter if there are several.")
    folder, students = course / "collected" / stems[0], read_saved_roster(course)
    keys = Layout(stems[0], students).owner((f"{student}.ipynb",)) if students else None
    who = student if student in students else (keys.students or [None])[0] if keys else slug(student)
    if not who:
        raise Unclear(f"The roster has nobody called {student!r}; expected an id or a whole name.")
    listed = _listed(folder)
    moved = listed.pop(name)
    about = listed.get(who) or _entry(who, students)
    old = sorted(folder.glob(f"{name}.*ipynb"))  # the first of them last
    for file in old:  # what a person assigns counts; what was there is kept
        first, taken = folder / f"{who}.ipynb", len([*folder.glob(f"{who}.*ipynb")])
        if first.exists():
            written(folder / f"{who}.{taken + 1}.ipynb", first.read_bytes())
        written(first, file.read_bytes())
    about |= {"file": moved["file"], "sent": moved["sent"], "files": about["files"] | moved["files"], "nobody": False}
    listed[who] = about
    _write(folder, listed)
    for file in old:
        file.unlink()
    print(f"{moved['file']!r} is {about['name']}'s. Then: python -m homework grade {stems[0][:2]}")


def collect(place, stem, roster=None, listed=()):
    """Return {student: Collected}; `listed` is what an earlier collection knows, which a person may have settled."""
    check_place(place)
    roster, found, payers = roster or {}, {}, {}
    repositories = [path.parent.name for path in place.glob("*/.git")] if place.is_dir() else []
    layout = Layout(stem, roster, metadata_of(place), repositories)
    settled = {
        (path, digest): student
        for student, about in dict(listed).items()
        if not about["nobody"]
        for path, digest in about["files"].items()
    }

    def whose(name):
        """Who pays for a path: its owner, or the folder or file that the platform made."""
        owner = layout.owner((name,))
        return payers.setdefault(name, (*owner.students, owner.number) if owner.students else name.split("/")[0])

    places = {}
    for file in files_of(place, whose):
        owner = layout.owner(file.levels)
        if not owner.students and (student := settled.get((file.path, digest(file.data)))):
            owner.students = [student]
        if owner.students:
            for student in owner.students:
                _add(found, _namesake(student, owner.number, found, listed, roster), file, owner)
        else:
            top = (file.levels[0], *sorted(owner.candidates))
            name = places.setdefault(top, _unknown(len(places), file, listed, found))
            _add(found, name, file, owner, nobody=True)
    for collected in found.values():
        _sort(collected, stem)
        if collected.nobody:
            first = layout.owner(collected.files[0].levels)
            told = " or ".join(f"{key} ({roster[key].name})" for key in sorted(first.candidates))
            who = f"can be {told}'s, so it was given to nobody" if told else "names nobody"
            collected.notes.insert(0, f"{collected.files[0].path!r} {who}")
    return found


def _add(found, name, file, owner, *, nobody=False):
    about = found.setdefault(name, Collected(nobody=nobody, number=owner.number))
    about.files.append(file)
    about.late = max(about.late, owner.late)


def _namesake(student, number, found, listed, roster):
    """Two of one name are two people if the platform's number differs."""
    if roster or not number:
        return student
    known = found[student].number if student in found else dict(listed).get(student, {}).get("number")
    return student if known in (None, "", number) else f"{student}-{number}"


def _unknown(many, file, listed, found):
    """The name of a file that names nobody: the one that it had before, or a free one."""
    for name, about in dict(listed).items():
        if about["nobody"] and about["files"].get(file.path) == digest(file.data):
            return name
    names = (f"unknown-{number}" for number in itertools.count(many + 1))
    return next(name for name in names if name not in listed and name not in found)


def digest(data):
    return hashlib.sha256(data).hexdigest()


def looks_like_notebook(file):
    return file.path.lower().endswith(".ipynb") or (file.data.lstrip()[:1] == b"{" and b'"cells"' in file.data)


def _newest(file, stem):
    """What decides between two files: a notebook, of this chapter, then the dates and the number of the try."""
    attempt = PLATFORMS[2].search(file.path)
    tries = [int(number) for number in re.findall(r"\d{1,18}", file.path)]
    marks = f"ex{stem[:2]}-".encode()
    about = not file.left_out, looks_like_notebook(file), marks in file.data
    return *about, attempt["when"] if attempt else "", file.when, tries, file.path


def _sort(collected, stem):
    """The file that counts first; a note for a person where another notebook of the chapter differs from it."""
    collected.files.sort(key=lambda file: _newest(file, stem), reverse=True)
    first, *others = collected.files
    for file in collected.files:
        if file.left_out:
            collected.notes.append(f"{file.path!r} is left out, or part of it: too large, or too many files")
    for other in others:
        if other.data != first.data and _newest(other, stem)[:3] == _newest(first, stem)[:3]:
            collected.notes.append(f"two files: {first.path!r} counts, the newest; {other.path!r} is kept")
    del collected.notes[MOST_NOTES:]


def _entry(name, roster):
    about = {"name": roster[name].name if name in roster else name, "file": None, "sent": None, "late": "", "notes": []}
    return about | {"files": {}, "number": "", "nobody": False}


def _listed(folder):
    path = folder / "collected.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def _write(folder, listed):
    written(folder / "collected.json", json.dumps(listed, ensure_ascii=False, indent=1).encode())


def store(found, folder, roster=()):
    """Write what was collected: `<student>.ipynb` counts, `<student>.2.ipynb` and so on are kept, and a list of all."""
    folder.mkdir(parents=True, exist_ok=True)
    listed = {student: _entry(student, roster) for student in roster} | _listed(folder)
    for student, collected in found.items():
        for place, file in enumerate(collected.files, start=1):
            written(folder / (f"{student}.{place}.ipynb" if place > 1 else f"{student}.ipynb"), file.data)
        first = collected.files[0]
        about = {"file": first.path, "sent": first.levels[0], "late": collected.late, "number": collected.number}
        about |= {"notes": [{"text": text, "person": True} for text in collected.notes], "nobody": collected.nobody}
        files = {file.path: digest(file.data) for file in collected.files}
        listed[student] = _entry(student, roster) | about | {"files": files}
    _forget_ghosts(found, listed, roster)
    _write(folder, listed)
    kept = {
        f"{name}.{place}" if place > 1 else name
        for name, a in listed.items()
        for place in range(1, len(a["files"]) + 1)
    }
    for path in folder.glob("*.ipynb"):
        if path.stem not in kept:
            path.unlink()
    return listed


def _forget_ghosts(found, listed, roster):
    """A file that was collected before under another name, and now has its student, is there once."""
    new = {digest(file.data) for about in found.values() if not about.nobody for file in about.files}
    paths = {file.path for about in found.values() for file in about.files}
    for name, about in [*listed.items()]:
        renamed = about["nobody"] and {*about["files"].values()} <= new
        replaced = roster and name not in roster and not about["nobody"] and {*about["files"]} <= paths
        if name not in found and about["files"] and (renamed or replaced):
            del listed[name]
