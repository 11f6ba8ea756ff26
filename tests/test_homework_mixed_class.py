"""A class of 60, half Korean, in twelve layouts: no file goes to a wrong student, and few are unknown.

`mixed_class.toml` has the students, their rosters and how their files are named.
"""

import re
import tomllib
import unicodedata
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import quote

import pytest
from test_homework_collect import write_zip

from homework.collect import collect
from homework.roster import read_roster

STEM = "01_definition"
TABLE = tomllib.loads((Path(__file__).parent / "mixed_class.toml").read_text("utf-8"))
LAYOUTS = TABLE["layouts"]
MOST_UNKNOWN = 2  # of 60, without those that could be several people's and were refused


def make_people():
    """Everybody, with all that the forms of the table say of a student, and a small notebook that says whose it is."""
    texts = f"{TABLE['koreans']}, {TABLE['others']}".replace("\n", " ").split(",")
    for place, text in enumerate(texts, start=1):
        family, given = (word.replace("_", " ") for word in text.split())
        turned, korean, number = f"{given} {family}", "가" <= family[0] <= "힣", 20_260_000 + 37 * place
        yield SimpleNamespace(
            family=family,
            given=given,
            turned=turned,
            name=family + given if korean else turned,
            plain="".join(letter for letter in (family + given).casefold() if letter.isalnum()),
            login=TABLE["logins"].get(turned, f"u{place:02}{'k' if korean else 'x'}"),
            number=number,
            canvas=number - 20_260_000 + 700,
            n=place,
            stem=STEM,
            notebook=f'{{"cells": [{{"cell_type": "code", "source": "{number}"}}]}}'.encode(),
        )


PEOPLE = [*make_people()]
NAMESAKES = [one for one in PEOPLE if sum(other.name == one.name for other in PEOPLE) > 1]


def mangle(name):
    """A name as Korean Windows packs it, in EUC-KR, and others unpack it; it keeps no accents."""
    plain = re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFKD", name))
    return unicodedata.normalize("NFC", plain).encode("euc_kr", "replace").decode("cp437")


WAYS = {form: partial(unicodedata.normalize, form) for form in ("NFC", "NFD")} | {"windows": mangle, "escaped": quote}


def write_files(folder, layout, notebooks):
    """Write the roster and everybody's files as a platform lays them out; return the folder for `collect`."""
    layout = LAYOUTS.get(layout.get("like"), {}) | layout
    header, row = TABLE["rosters"][layout["roster"]]
    lines = [header, *(row.format_map(vars(person)) for person in PEOPLE)]
    (folder / "roster.csv").write_text("\n".join(lines) + "\n", "utf-8")
    write_name = WAYS[layout.get("name_as", "NFC")]
    files = {}
    for place, (person, data) in enumerate(zip(PEOPLE, notebooks, strict=True)):
        if own := layout.get("own_zip"):
            data = write_zip({own.format_map(vars(person)): data})
        for form, text in layout.get("beside", {}).items():
            name = form.format_map(vars(person))
            files[name] = files.get(name, b"") + text.format_map(vars(person)).encode()
        files[write_name(layout["files"][place % len(layout["files"])].format_map(vars(person)))] = data
    for name, data in files.items():
        path = folder / "all" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder / "all"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_file_goes_to_a_wrong_student_and_few_are_unknown(tmp_path, layout):
    place = write_files(tmp_path, LAYOUTS[layout], [person.notebook for person in PEOPLE])
    roster = read_roster(tmp_path / "roster.csv")
    assert len(roster) == len(PEOPLE) == 60
    keys = {person.notebook: key for person, key in zip(PEOPLE, roster, strict=True)}
    found, unknown, refused = set(), [], []
    for key, about in collect(place, STEM, roster).items():
        for file in about.files:
            right = keys.get(file.data)
            if not right:
                assert file.path.endswith((".yml", "HEAD")), file.path
            elif not about.nobody:
                assert key == right, (file.path, key)
                found.add(key)
            elif "can be" in about.notes[0]:
                assert f"{right} (" in about.notes[0], about.notes[0]
                refused.append(file.path)
            else:
                unknown.append(file.path)
    assert len(found) + len(refused) + len(unknown) == 60
    assert len(unknown) <= MOST_UNKNOWN and len(refused) <= len(NAMESAKES) + 4, (unknown, refused)
