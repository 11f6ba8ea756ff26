"""Collecting: from a folder or a platform's archive of files named anyhow to one notebook for each student."""

import re
import zipfile
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import count

from ..chapter import Unclear, find_chapter, number_of
from ..course import read_collected, read_json, read_students, write_file, write_json
from ..roster import has_names, slug, tell_apart
from .files import read_files, read_metadata
from .layouts import Layout, read_time

LIST, MOST_NOTES = "collected.json", 20


@dataclass
class Collected:
    """What one student handed in: the file that counts first."""

    files: list = field(default_factory=list)
    late: str = ""
    number: str = ""  # the platform's own
    notes: list[str] = field(default_factory=list)
    nobody: bool = False  # is it not known whose it is?

    def put_newest_first(self, stem):
        """Put the file that counts first, with a note where another notebook of the chapter differs from it."""
        self.files.sort(key=lambda file: _rank(file, stem), reverse=True)
        first, *others = self.files
        for file in self.files:
            if file.left_out:
                self.notes.append(f"{file.path!r} is left out, or part of it: {file.left_out}")
        for other in others:
            if other.data != first.data and _rank(other, stem)[:3] == _rank(first, stem)[:3]:
                self.notes.append(f"two files: {first.path!r} counts, the newest; {other.path!r} is kept")
        del self.notes[MOST_NOTES:]


def command(chapter, place, course, roster, environment):
    """Sort what came back into one notebook for each student."""
    stem = find_chapter(chapter).stem
    folder = course / "collected" / stem
    students = read_students(course, roster)
    collected = collect(place, stem, students, read_json(folder / LIST))
    listed = store(collected, folder, students)
    new = sum(not about.nobody for about in collected.values())
    labels = tell_apart({name: student.name for name, student in students.items()})
    missing = [labels[name] for name in students if not listed[name]["file"]]
    names = ": " + ", ".join(missing) if 0 < len(missing) <= MOST_NOTES else ""
    rest = f"; of the roster, {len(missing)} have handed in nothing{names}" if students else ""
    print(f"Files of {new} students{rest}.")
    if students and not has_names(students):
        columns = ", ".join(next(iter(students.values())).row)
        print(f"No column of the roster was read as names, only as ids: {columns}. Call the one with names “name”.")
    print_open_questions(stem, listed)


def print_open_questions(stem, listed):
    """Name the files of which nobody knows whose they are, and how to settle it."""
    unknown = [(name, about) for name, about in listed.items() if about["nobody"]]
    for name, about in unknown:
        print(f"{name}: {about['notes'][0]['text']}")
    if unknown:
        print(f"Whose are they? python -m homework assign {unknown[0][0]} STUDENT {number_of(stem)}")


def assign(name, student, chapter, course, environment):
    """Assign a file whose owner is unknown to a student."""
    stems = [find_chapter(chapter).stem] if chapter else [path.name for path in (course / "collected").glob("*")]
    stems = [stem for stem in stems if read_collected(course, stem).get(name, {}).get("nobody")]
    if len(stems) != 1:
        problem = f"{name!r} is open in {', '.join(stems)}" if stems else f"No file is called {name!r}"
        raise Unclear(f"{problem}; expected a name that `collect` printed, and the chapter if there are several.")
    folder, students = course / "collected" / stems[0], read_students(course)
    who = _find_student(student, stems[0], students) if students else slug(student)
    listed = read_json(folder / LIST)
    moved = listed.pop(name)
    about = _entry(who, students) | listed.get(who, {})
    if about["assigned"] and not {*moved["files"].values()} <= {*about["files"].values()}:
        raise Unclear(
            f"{about['file']!r} was assigned to {about['name']} before, and {moved['file']!r} is another file. "
            "Only one can count: delete the other from what you collected, and collect again."
        )
    if about["file"]:
        text = f"two files: {moved['file']!r} counts, which was assigned; {about['file']!r} is kept"
        about["notes"] = [*about["notes"], {"text": text, "person": True}]
    old = sorted(folder.glob(f"{name}.*ipynb"))  # the first of them last
    for file in old:  # what a person assigns counts; what was there is kept
        first, taken = folder / f"{who}.ipynb", len([*folder.glob(f"{who}.*ipynb")])
        if first.exists():
            write_file(folder / f"{who}.{taken + 1}.ipynb", first.read_bytes())
        write_file(first, file.read_bytes())
    about |= {"file": moved["file"], "sent": moved["sent"], "files": about["files"] | moved["files"], "assigned": True}
    listed[who] = about
    write_json(folder / LIST, listed)
    for file in old:
        file.unlink()
    print(f"{moved['file']!r} is {about['name']}'s. Then: python -m homework grade {number_of(stems[0])}")


def _find_student(named, stem, students):
    """The key of the one student of the roster whom an id or a whole name means."""
    owner = Layout(stem, students).owner((f"{named}.ipynb",))
    keys = [named] if named in students else owner.students[:1] or sorted(owner.candidates)
    if not keys:
        raise Unclear(f"The roster has nobody called {named!r}; expected an id or a whole name.")
    if len(keys) > 1:
        raise Unclear(f"{named!r} can be {_list_people(keys, students)}; expected the id of one.")
    return keys[0]


def _list_people(keys, roster):
    return " or ".join(f"{key} ({roster[key].name})" if key in roster else key for key in sorted(keys))


def collect(place, stem, roster=None, listed=()):
    """Return {student: Collected}; `listed` is what an earlier collection knows, which a person may have settled."""
    if not place.is_dir() and not zipfile.is_zipfile(place):
        expected = "expected what the learning platform handed over"
        raise Unclear(f"{place} is neither a folder nor a zip archive; {expected}.")
    roster, listed, collected, unknown = roster or {}, dict(listed), {}, {}
    repositories = [path.parent.name for path in place.glob("*/.git")] if place.is_dir() else []
    layout = Layout(stem, roster, repositories)
    layout.read_submissions(read_metadata(place))
    settled = {
        (path, digest): name
        for name, about in sorted(listed.items(), key=lambda entry: not entry[1]["nobody"])
        for path, digest in about["files"].items()
    }

    notebooks = defaultdict(list)
    files = sorted(read_files(place), key=lambda file: not file.is_notebook)
    layout.read_files(files)
    for file in files:
        owner, earlier = layout.owner(file.levels), settled.get((file.path, file.digest))
        file.sent = read_time(owner.late)
        if not owner.students and earlier and not listed[earlier]["nobody"]:
            owner.students = [earlier]
        beside = notebooks[file.folder] if file.folder.strip("/") else []
        if file.is_notebook:
            notebooks[file.folder].append(file)
        elif not (owner.names_somebody or owner.perhaps) and len(beside) == 1:
            earlier = unknown.get(beside[0].path, earlier)  # to the only notebook of its folder, if that is nobody's
        names = [_tell_namesakes_apart(one, owner.number, collected, listed, roster) for one in owner.students]
        if not names:
            free = (name for name in map("unknown-{}".format, count(1)) if name not in {*listed, *collected})
            names = [unknown.setdefault(file.path, earlier or next(free))]
        for name in names:
            about = collected.setdefault(name, Collected(number=owner.number, nobody=not owner.students))
            about.files.append(file)
            about.late = max(about.late, owner.late, key=lambda text: (bool(text), read_time(text), text))
    for about in collected.values():
        about.put_newest_first(stem)
        if about.nobody:
            first = about.files[0]
            owner = layout.owner(first.levels)
            people = _list_people(owner.candidates or owner.perhaps, roster)
            who = f"can be {people}'s, so it was given to nobody" if owner.candidates else "names nobody"
            who += f" for certain, perhaps {people}" if people and not owner.candidates else ""
            others = ", ".join(repr(file.path) for file in about.files[1:])
            about.notes.insert(0, f"{first.path!r}{f' with {others}' if others else ''} {who}")
    return collected


def _tell_namesakes_apart(student, number, collected, listed, roster):
    """Two of one name are two people if the platform's number differs."""
    if roster or not number:
        return student
    known = collected[student].number if student in collected else listed.get(student, {}).get("number")
    return student if known in (None, "", number) else f"{student}-{number}"


def _rank(file, stem):
    """What decides between two files: a notebook, of this chapter, then the dates and the number of the try."""
    tries = [int(number) for number in re.findall(r"\d{1,18}", file.path)]
    marks = f"ex{number_of(stem)}-".encode()
    about = not file.left_out, file.is_notebook, marks in file.text
    return *about, file.sent, file.when, tries, file.path


def _entry(name, roster):
    about = {"name": roster[name].name if name in roster else name, "file": None, "sent": None, "late": "", "notes": []}
    return about | {"files": {}, "number": "", "nobody": False, "assigned": False}


def _place(name, place):
    """The name of a file of a student's: the first counts."""
    return f"{name}.{place}.ipynb" if place > 1 else f"{name}.ipynb"


def store(collected, folder, roster=()):
    """Write what was collected: `<student>.ipynb` counts, `<student>.2.ipynb` and so on are kept, and a list of all."""
    listed = {student: _entry(student, roster) for student in roster} | read_json(folder / LIST)
    for student, about in collected.items():
        for place, file in enumerate(about.files, start=1):
            write_file(folder / _place(student, place), file.data)
        first, assigned = about.files[0], listed.get(student, {}).get("assigned", False)
        listed[student] = _entry(student, roster) | {
            "file": first.path,
            "sent": first.levels[0],
            "late": about.late,
            "number": about.number,
            "notes": [{"text": text, "person": True} for text in about.notes],
            "nobody": about.nobody,
            "assigned": assigned and not about.nobody,
            "files": {file.path: file.digest for file in about.files},
        }
    _forget_ghosts(collected, listed, roster)
    write_json(folder / LIST, listed)
    kept = {_place(name, i + 1) for name, about in listed.items() for i in range(len(about["files"]))}
    for path in folder.glob("*.ipynb"):
        if path.name not in kept:
            path.unlink()
    return listed


def _forget_ghosts(collected, listed, roster):
    """Remove entries for files that have since been matched to a student."""
    new = {file.digest for about in collected.values() if not about.nobody for file in about.files}
    paths = {file.path for about in collected.values() for file in about.files}
    for name, about in [*listed.items()]:
        renamed = about["nobody"] and {*about["files"].values()} <= new
        replaced = roster and name not in roster and not about["nobody"] and {*about["files"]} <= paths
        if name not in collected and about["files"] and (renamed or replaced):
            del listed[name]
