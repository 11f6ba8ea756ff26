"""A class of 60, half Korean, in ten layouts: no wrong student, few unknown, no right answer at 0 without a person.

`make test` collects it from every layout, `make test-slow` grades it.
"""

import copy
import csv
import re

import pytest
from bad_class import CLASS, submission
from classroom import by_itself, chapter, needs_sandbox, release
from mixed_class import BY_NUMBER, HANDED_IN, LAYOUTS, NAMESAKES, PEOPLE, STEM, write_zip

from book.catalogue import translated_copy
from homework.collect import collect
from homework.roster import read_roster

MOST_UNKNOWN = 2  # of 60, without those that could be several people's and were refused


def write_files(folder, files, packed):
    """Write {path: bytes} to a folder, or as one archive; return the place for `collect`."""
    if packed:
        (folder / "all.zip").write_bytes(write_zip(files, packed == "Windows"))
        return folder / "all.zip"
    for name, data in files.items():
        path = folder / "all" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder / "all"


def show(person):
    """A small notebook that says whose it is."""
    return f'{{"cells": [{{"cell_type": "code", "source": "{person.number}"}}]}}'.encode()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_file_goes_to_a_wrong_student_and_few_are_unknown(tmp_path, layout, record_property):
    text, make, packed = LAYOUTS[layout]
    (tmp_path / "roster.csv").write_text(text, "utf-8")
    roster, place = read_roster(tmp_path / "roster.csv"), write_files(tmp_path, make(show), packed)
    assert len(roster) == len(PEOPLE) == 60
    whose = {show(person): person for person in PEOPLE}
    keys = dict(zip(PEOPLE, roster, strict=True))
    found, unknown, refused = set(), [], []
    for key, about in collect(place, STEM, roster).items():
        for file in about.files:
            person = whose.get(file.data)
            if not person:
                assert file.path.endswith((".yml", "HEAD")), file.path
            elif not about.nobody:
                assert key == keys[person], (file.path, key)
                found.add(person)
            elif "can be" in about.notes[0]:
                assert f"{keys[person]} (" in about.notes[0], about.notes[0]
                refused.append(file.path)
            else:
                unknown.append(file.path)
    record_property("found", f"{len(found)} of 60, {len(refused)} refused, {len(unknown)} unknown")
    print(layout, len(found), "refused:", refused, "unknown:", unknown)
    assert len(found) + len(refused) + len(unknown) == 60
    assert len(unknown) <= MOST_UNKNOWN and len(refused) <= len(NAMESAKES) + 4, (unknown, refused)


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """The class after release, collect, grade and report; every Korean student hands in a Korean notebook."""
    course, place = tmp_path_factory.mktemp("class"), tmp_path_factory.mktemp("handed-in")
    (place / "roster.csv").write_text(BY_NUMBER, "utf-8")
    release(course, "01")
    english = chapter(1).solved()
    korean = translated_copy(copy.deepcopy(english), f"chapters/{STEM}")
    written = {p: submission(HANDED_IN[p], korean if p.is_korean else english) for p in PEOPLE}
    files = LAYOUTS["e-class"][1](lambda person: written[person])
    by_itself(
        "collect", "01", write_files(place, files, "Windows"), "--course", course, "--roster", place / "roster.csv"
    )
    by_itself("grade", "01", "--course", course, "--jobs", 2, "--timeout", 8)
    by_itself("report", "01", "--course", course)
    return course


@pytest.fixture(scope="module")
def rows(course):
    with (course / "report" / STEM / "scores.csv").open(newline="", encoding="utf-8-sig") as lines:
        return {row["student"]: row for row in csv.DictReader(lines)}


def find_row(rows, person):
    """A person's row; of an unknown file, the one of unknown-n, whose file names the person."""
    row = rows[str(person.number)]
    names = person.name, str(person.number)  # of which the number may be a date
    return row if row["file"] else next(row for row in rows.values() if any(name in row["file"] for name in names))


@needs_sandbox
@pytest.mark.slow
@pytest.mark.parametrize("person", PEOPLE, ids=lambda person: f"{HANDED_IN[person]}-{person.login}")
def test_no_right_answer_is_at_0_without_a_person_and_no_wrong_one_has_points(rows, person):
    entry, row = CLASS[HANDED_IN[person]], find_row(rows, person)
    titles = [title for title in row if re.match(r"\d\. ", title)]
    for status, title in zip(entry.statuses, titles, strict=False):
        if status == "r":
            assert row[title] not in ("0", "") or row["needs a person"], (title, row)
        if status == "w":
            assert row[title] in ("0", ""), (title, row)
    if not entry.statuses:
        assert row["total"] == "" and row["needs a person"], row


@needs_sandbox
@pytest.mark.slow
def test_the_page_of_a_korean_notebook_is_in_korean_but_for_code(course):
    pages = [course / "report" / STEM / "students" / f"{person.number}.html" for person in PEOPLE if person.is_korean]
    read = [page.read_text() for page in pages if page.exists()]
    korean = [page for page in read if '<html lang="ko">' in page]
    assert len(korean) >= 20
    for page in korean:
        own = re.sub(r"<style>.*?</style>|<pre>.*?</pre>|<p class=\"message\">.*?</p>", "", page, flags=re.S)
        assert re.findall(r"[A-Za-z]{3,}", re.sub(r"<[^>]+>", " ", own)) == []
        for message in re.findall(r'<p class="message">(.*?)</p>', page, flags=re.S):
            assert re.search("[가-힣]", message), message
