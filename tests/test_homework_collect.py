"""Whatever a platform, a mail or Colab made of its name: a notebook finds its student, or a person is asked."""

import io
import json
import os
import zipfile
from datetime import datetime

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from homework import collecting
from homework.chapter import Unclear
from homework.collecting import collect, store, whose
from homework.roster import read_roster, slug

STEM = "01_definition"
ROSTER = """id,name,email,number
jdoe,Jane Doe,jane.doe@example.org,40017
mk,Müller-Kühn Max,max@example.org,40018
sy,김서연,seoyeon@example.org,40019
li,Li,li@example.org,17
"""


def bytes_of(text="x = 1"):
    return json.dumps(new_notebook(cells=[new_code_cell(text, id="a")])).encode()


def archive(path, names, when=(2026, 1, 2, 10, 0, 0)):
    """A zip archive of notebooks; each hour later than the one before."""
    with zipfile.ZipFile(path, "w") as made:
        for hour, (name, data) in enumerate(names.items()):
            made.writestr(zipfile.ZipInfo(name, (*when[:3], when[3] + hour, 0, 0)), data)
    return path


@pytest.fixture
def roster(tmp_path):
    (tmp_path / "roster.csv").write_text(ROSTER, "utf-8")
    return read_roster(tmp_path / "roster.csv")


@pytest.mark.parametrize(
    ("path", "student"),
    [
        ("doejane_12345_678910_01_definition.ipynb", "doejane"),
        ("doejane_LATE_12345_678910_01_definition-2.ipynb", "doejane"),
        ("Jane Doe_123456_assignsubmission_file_/01_definition.ipynb", "jane-doe"),
        ("Jane Doe_123456_assignsubmission_file_01_definition.ipynb", "jane-doe"),
        ("Homework 1_jdoe_attempt_2026-01-31-10-00-00_01_definition.ipynb", "jdoe"),
        ("jane/01_definition.ipynb", "jane"),
        ("chapter 1/jane/Copy of 01_definition.ipynb", "jane"),
        ("jane.ipynb", "jane"),
        ("01_definition_jane doe (1).ipynb", "jane-doe"),
        ("Copy of 01_definition - Jane.ipynb", "jane"),
        ("eve_12345_678911_ann_attempt_2026-01-01-10-00-00_x.ipynb", "eve"),
        ("HW_eve_attempt_2026-01-01-10-00-00_ann_attempt_2026-01-01.ipynb", "eve"),
        ("김서연_12345_assignsubmission_file_/x.ipynb", "김서연"),
        ("Copy of 01_definition.ipynb", None),
        ("01_definition (2).ipynb", None),
    ],
)
def test_without_a_roster_the_name_is_read_from_the_path(path, student):
    assert whose((path,), {}, STEM) == student


@pytest.mark.parametrize(
    ("path", "student"),
    [
        ("doejane_12345_678910_01_definition.ipynb", "jdoe"),
        ("Jane DOE_9_assignsubmission_file_/x.ipynb", "jdoe"),
        ("jane.doe.ipynb", "jdoe"),
        ("40018.ipynb", "mk"),
        ("Max Muller-Kuhn.ipynb", "mk"),
        ("김서연 01_definition.ipynb", "sy"),
        ("homework_17.ipynb", "li"),
        ("homework_117.ipynb", None),
        ("01_definition.ipynb", None),
        ("somebody else.ipynb", None),
        ("jane doe and seoyeon.ipynb", None),
    ],
)
def test_with_a_roster_exactly_one_of_its_students_is_meant(roster, path, student):
    assert whose((path,), roster, STEM) == student


def test_one_students_file_cannot_be_called_anothers():
    roster = {"ann": {"annlee"}, "joann": {"joannlee"}, "li": {"li"}}
    names = ("annlee_12345_678911_joannlee.ipynb", "joannlee_12_34_annlee.ipynb", "li_12_34_annlee.ipynb", "li/x.ipynb")
    assert [whose((name,), roster, STEM) for name in names] == ["ann", "joann", "li", None]
    assert whose(("annlee and joannlee.ipynb",), roster, STEM) is None
    assert whose(("all.zip", "annlee_12_34_my.zip", "joannlee.ipynb"), roster, STEM) == "ann"


def test_what_is_in_an_archive_was_named_by_whoever_handed_it_in(tmp_path):
    inner = io.BytesIO()
    archive(inner, {"ann_12345_678910_x.ipynb": bytes_of()})
    for name in ("ann", "bob", "cyd"):
        (tmp_path / "in" / name).mkdir(parents=True)
        (tmp_path / "in" / name / "homework.zip").write_bytes(inner.getvalue())
    assert list(collect(tmp_path / "in", STEM)) == ["ann", "bob", "cyd"]


def test_a_broken_archive_stops_nobody_else(tmp_path):
    inner, broken = io.BytesIO(), io.BytesIO()
    archive(inner, {"work.ipynb": bytes_of()})
    with zipfile.ZipFile(broken, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("work.ipynb", bytes(range(256)) * 40)
    no_date = inner.getvalue().replace(bytes.fromhex("225c"), bytes(2))  # 2 January 2026
    (tmp_path / "in").mkdir()
    torn = bytearray(broken.getvalue())
    torn[60:90] = bytes(30)
    for name, data in ("ann.zip", no_date), ("bob.zip", bytes(torn)), ("cyd.zip", inner.getvalue()[:-9]):
        (tmp_path / "in" / name).write_bytes(data)
    os.close(os.open(os.fsencode(tmp_path / "in") + b"/jos\xe9.ipynb", os.O_CREAT))
    found = collect(tmp_path / "in", STEM)
    store(found, tmp_path / "out")
    assert found["ann"].files[0].data == bytes_of() and found["ann"].files[0].when == datetime(1980, 1, 1)
    assert found["bob"].files[0].data == b"" and len(found) == 4


def test_a_path_without_end_is_cut(tmp_path):
    (student,) = collect(archive(tmp_path / "all.zip", {"_1" * 30_000 + "/x.ipynb": bytes_of()}), STEM)
    assert 0 < len(student) <= 60


def test_an_archive_unpacks_to_no_more_than_a_file_may_have(tmp_path, monkeypatch):
    monkeypatch.setattr(collecting, "LARGEST", 10_000)
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as made:
        for number in range(9):
            made.writestr(f"{number}.ipynb", bytes(2000))
    found = collect(archive(tmp_path / "all.zip", {"jo.zip": inner.getvalue()}), STEM)
    assert 4000 < sum(len(file.data) for file in found["jo"].files) <= 10_000


def test_what_names_nobody_in_two_collections_is_kept_twice(tmp_path):
    for text in ("one", "two", "two"):
        store(collect(archive(tmp_path / "all.zip", {f"{STEM}.ipynb": bytes_of(text)}), STEM), tmp_path / "out")
    kept = sorted(path.name for path in (tmp_path / "out").glob("*.ipynb"))
    assert kept == ["unknown-1-2.ipynb", "unknown-1.ipynb"]


def test_the_newest_of_two_files_counts_and_the_other_is_kept_and_named(tmp_path):
    texts = {"doe_11_22_a.ipynb": "old", "doe_11_33_a-1.ipynb": "new", "doe_11_44_a.ipynb": "newest"}
    names = {name: bytes_of(text) for name, text in texts.items()}
    found = collect(archive(tmp_path / "all.zip", names), STEM)
    store(found, tmp_path / "out")
    assert "newest" in (tmp_path / "out" / "doe.ipynb").read_text()
    assert '"old"' in (tmp_path / "out" / "doe.3.ipynb").read_text()
    notes = json.loads((tmp_path / "out" / "collected.json").read_text())["doe"]["notes"]
    assert len(notes) == 2 and all("'doe_11_44_a.ipynb' counts, the newest" in note for note in notes)


@pytest.mark.parametrize("name, other", [("jo/a.ipynb", "jo/plot.png"), ("jo/a.json", "jo/b.pdf")])
def test_a_notebook_of_any_ending_counts_before_a_newer_file_that_is_none(tmp_path, name, other):
    found = collect(archive(tmp_path / "all.zip", {name: bytes_of(), other: b"none"}), STEM)
    assert found["jo"].files[0].path == name


def test_archives_in_the_archive_are_opened(tmp_path):
    inner = io.BytesIO()
    archive(inner, {"work/01_definition.ipynb": bytes_of()})
    name = "Jane Doe_1_assignsubmission_file_/homework.zip"
    found = collect(archive(tmp_path / "all.zip", {name: inner.getvalue()}), STEM)
    assert list(found) == ["jane-doe"] and found["jane-doe"].files[0].data == bytes_of()


def test_a_path_that_leaves_the_folder_leaves_nothing(tmp_path):
    names = {"../../x.ipynb": b"1", "/etc/x.ipynb": b"2", "..\\y/x.ipynb": b"3", "a/../../z/x.ipynb": b"4"}
    store(collect(archive(tmp_path / "all.zip", names), STEM), tmp_path / "out" / "deep")
    written = [path for path in tmp_path.rglob("*.ipynb")]
    assert {path.parent for path in written} == {tmp_path / "out" / "deep"}
    assert sorted(path.name for path in written) == ["etc.ipynb", "unknown-1.ipynb", "y.ipynb", "z.ipynb"]


def test_links_and_hidden_files_are_left_alone(tmp_path):
    (tmp_path / "in" / ".ipynb_checkpoints").mkdir(parents=True)
    (tmp_path / "in" / ".ipynb_checkpoints" / "jo.ipynb").write_bytes(bytes_of())
    (tmp_path / "exam.ipynb").write_bytes(bytes_of())
    (tmp_path / "in" / "link.ipynb").symlink_to(tmp_path / "exam.ipynb")
    (tmp_path / "in" / "jo.ipynb").write_bytes(bytes_of())
    assert list(collect(tmp_path / "in", STEM)) == ["jo"]


def test_in_a_folder_the_time_of_a_file_decides(tmp_path):
    for name, day in (("a", 2), ("b", 1)):
        path = tmp_path / "jo" / f"{name}.ipynb"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(bytes_of(name))
        os.utime(path, (datetime(2026, 1, day).timestamp(),) * 2)
    assert collect(tmp_path, STEM)["jo"].files[0].path == "jo/a.ipynb"


def test_who_handed_in_nothing_is_in_the_list_and_a_strange_file_is_for_a_person(tmp_path, roster):
    found = collect(archive(tmp_path / "all.zip", {"40017.ipynb": bytes_of(), "x.ipynb": bytes_of()}), STEM, roster)
    store(found, tmp_path / "out", roster)
    listed = json.loads((tmp_path / "out" / "collected.json").read_text())
    assert {name for name, about in listed.items() if not about["file"]} == {"mk", "sy", "li"}
    assert "nobody is named by 'x.ipynb'" in listed["unknown-2"]["notes"][0]


def test_collecting_again_adds_who_was_late_and_keeps_the_others(tmp_path):
    for when, students in (("1", "ab"), ("2", "bc")):
        files = {f"{student}.ipynb": bytes_of(when) for student in students}
        store(collect(archive(tmp_path / f"{when}.zip", files), STEM), tmp_path / "out")
    assert sorted(json.loads((tmp_path / "out" / "collected.json").read_text())) == ["a", "b", "c"]
    assert '"2"' in (tmp_path / "out" / "b.ipynb").read_text()


def test_a_place_that_is_neither_folder_nor_archive_is_refused(tmp_path):
    (tmp_path / "x.rar").write_bytes(b"Rar!")
    with pytest.raises(Unclear, match="neither a folder nor a zip archive"):
        collect(tmp_path / "x.rar", STEM)


@pytest.mark.parametrize(
    ("lines", "path", "student"),
    [
        ("id,name\na,김민수\nb,이서준", "민수 김_123_assignsubmission_file_/x.ipynb", "a"),
        ("id,name\na,García López José\nb,Kim", "José García López_123_assignsubmission_file_/x.ipynb", "a"),
        ("id,last name,first name\na,Kim,Minsu\nb,Kim,Jieun", "kimminsu_12345_678910_x.ipynb", "a"),
        ("id,last name,first name\na,Kim,Minsu\nb,Lee,Jieun", "kimcheolsu_12345_678910_x.ipynb", None),
        ("id;name\na;李明\nb;王芳", "李明_12345_678910_x.ipynb", "a"),
    ],
)
def test_names_are_known_in_every_order_and_a_family_name_alone_is_nobody(tmp_path, lines, path, student):
    (tmp_path / "roster.csv").write_text(lines, "utf-8")
    assert whose((path,), read_roster(tmp_path / "roster.csv"), STEM) == student


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("id,name\na,김민수".encode("cp949"), "not in UTF-8"),
        (b"a,Ann,ann@example.org\nb,Bob,bob@example.org", "expected a header"),
        (b"id,name\nj.doe,Jane\nj-doe,John\n", "'j-doe' twice, at last for 'j-doe'"),
        (b"id,name\n", "a line for each student"),
    ],
)
def test_a_roster_that_cannot_be_read_is_refused(tmp_path, data, message):
    (tmp_path / "roster.csv").write_bytes(data)
    with pytest.raises(Unclear, match=message):
        read_roster(tmp_path / "roster.csv")


def test_collecting_again_with_a_roster_leaves_nobody_twice(tmp_path, roster):
    names = {"Jane Doe_12_assignsubmission_file_/x.ipynb": bytes_of()}
    for known in ({}, roster):
        store(collect(archive(tmp_path / "all.zip", names), STEM, known), tmp_path / "out", known)
    assert set(json.loads((tmp_path / "out" / "collected.json").read_text())) == set(roster)
    assert [path.name for path in (tmp_path / "out").glob("*.ipynb")] == ["jdoe.ipynb"]


def test_the_later_attempt_counts_whatever_the_time_of_the_file(tmp_path):
    names = {f"HW_jo_attempt_2026-11-{day}-10-00-00_x.ipynb": bytes_of(day) for day in ("19", "18")}
    assert collect(archive(tmp_path / "all.zip", names), STEM)["jo"].files[0].data == bytes_of("19")
    (tmp_path / "in").mkdir()
    for number in (10, 9):
        path = tmp_path / "in" / f"jo_12345_{number}00_x.ipynb"
        path.write_bytes(bytes_of(str(number)))
        os.utime(path, (0, 0))
    assert collect(tmp_path / "in", STEM)["jo"].files[0].data == bytes_of("10")


def test_a_students_name_makes_a_safe_name_for_a_file():
    assert [slug(name) for name in ("../x", "Doe, Jane", "a/b\\c", "..")] == ["x", "doe-jane", "a-b-c", ""]
