"""Whatever name a platform, a mail or Colab gave it: a notebook finds its student, or a person is asked.

`owners.toml` is the table of names, by rosters, `archives.toml` that of folders and archives; add rows there.
"""

import io
import json
import os
import re
import tomllib
import unicodedata
import zipfile
from datetime import datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from homework import collect as collecting
from homework.chapter import Unclear
from homework.collect import collect, files, store
from homework.collect.layouts import Layout
from homework.roster import read_roster, slug

STEM, NEXT = "01_definition", "02_softmax_and_scaling"
CLASSES, TABLES = (
    tomllib.loads((Path(__file__).parent / f"{name}.toml").read_text("utf-8")) for name in ("owners", "archives")
)
KOREANS = CLASSES["korean"]["roster"]
TWO = CLASSES["two"]["roster"]


def read_students(text):
    """The students of a roster with this text, or these bytes."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "roster.csv")
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_roster(path) if text else {}


def write_notebook(text="x = 1"):
    return json.dumps(new_notebook(cells=[new_code_cell(text, id="a")])).encode()


def write_zip(files):
    """An archive of {path: content}, each an hour later than the one before: see `archives.toml`."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for hour, (name, content) in enumerate(files.items()):
            data = write_zip(content) if isinstance(content, dict) else content
            data = write_notebook(data) if isinstance(data, str) and name.endswith(".ipynb") else data
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 2, 10 + hour, 0, 0)), data)
    return made.getvalue()


def collect_archive(folder, names, roster=None):
    (folder / "all.zip").write_bytes(write_zip(names))
    return collect(folder / "all.zip", STEM, roster)


@cache
def make_layout(name, form="NFC", clones=()):
    stem = NEXT if CLASSES[name].get("next_chapter") else STEM
    return Layout(stem, read_students(unicodedata.normalize(form, CLASSES[name]["roster"])), repositories=clones)


def find_owner(layout, path):
    """Whose a path is, as `owners.toml` writes it."""
    owner = layout.owner((path,))
    return owner.students[0] if owner.students else sorted(owner.candidates)


FORMS = ("NFC", "NFD", "NFKC", "NFKD")


def list_rows():
    """Each row of the tables in all forms that Unicode has of its letters and of those in its roster."""
    for name, about in CLASSES.items():
        for path, who in about.get("owners", {}).items():
            written = {unicodedata.normalize(form, path + about["roster"]): form for form in reversed(FORMS)}
            yield from (pytest.param(name, path, who, form, id=f"{path}-{form}") for form in written.values())


CLONES = [(name, clones) for name in CLASSES for clones in CLASSES[name].get("clones", [])]


@pytest.mark.parametrize(("name", "path", "who", "form"), [*list_rows()])
def test_the_name_of_a_file_tells_whose_it_is_or_that_nobody_knows(name, path, who, form):
    found = find_owner(make_layout(name, form), unicodedata.normalize(form, path))
    assert found == (who if isinstance(who, str) else sorted(who))


@pytest.mark.parametrize(("name", "clones"), CLONES)
def test_a_clone_is_its_users(name, clones):
    layout = make_layout(name, clones=tuple(clones))
    assert {clone: find_owner(layout, f"{clone}/hw.ipynb") for clone in clones} == clones


KOREAN_FILE = "최수빈 과제.ipynb"
MANGLED = [KOREAN_FILE.encode(code).decode(read) for code in ("utf-8", "euc_kr") for read in ("cp437", "latin-1")]
MANGLED += [quote(KOREAN_FILE), "".join(c if c.isascii() else f"#U{ord(c):04x}" for c in KOREAN_FILE)]
LEGIBLE = ["Müller", "Ääri", "100%", "50%de", "José Núñez", "#Unit 1", "a%2Fb"]


@pytest.mark.parametrize("packed", MANGLED)
def test_a_name_that_a_zip_has_mangled_is_read(tmp_path, packed):
    assert files.repair_name(packed) == KOREAN_FILE
    assert list(collect_archive(tmp_path, {packed: "1"}, read_students(KOREANS))) == ["20261001"]


@pytest.mark.parametrize("name", LEGIBLE)
def test_a_name_that_is_legible_stays(name):
    assert files.repair_name(name + ".ipynb") == name + ".ipynb"


@pytest.mark.parametrize("code", ["utf-8", "utf-8-sig", "cp949", "utf-16"])
def test_a_korean_roster_is_read_as_excel_saves_it(code):
    roster = read_students(KOREANS.encode(code))
    assert [*roster][:2] == ["20261001", "20261002"] and "subin" in roster["20261001"].ids
    assert roster["20261006"].known >= {"남궁민수", "민수남궁", "namgungminsu", "minsunamgung"}


@pytest.mark.parametrize("one", TABLES["names"], ids=lambda one: one["name"])
def test_a_korean_name_is_written_family_name_first_and_in_one_word(one):
    assert [student.name for student in read_students(one["roster"]).values()] == [one["name"]]


OF_IDS = ["Student ID", "student_id", "StudentID", "Student Number", "Student No.", "NetID", "Matrikelnummer"]


@pytest.mark.parametrize("header", [*OF_IDS, "학생번호", "로그인", "아이디", "교번"])
@pytest.mark.parametrize("before", ["No,Full name,{}\n1,", "이름,{}\n", "출석부,,\n,,\n번호,성명,{}\n1,"])
def test_the_column_of_ids_is_found_by_its_title_below_other_rows_too(header, before):
    first = before.format(header)
    lines = first + "Ann Lee,20210001.0\n" + first.rpartition("\n")[2] + "Ann Lee,20210002.0\n"
    assert [*read_students(lines)] == ["20210001", "20210002"]


@pytest.mark.parametrize("one", TABLES["refused"], ids=lambda one: one["because"])
def test_a_roster_that_cannot_be_read_is_refused(one):
    with pytest.raises(Unclear, match=re.escape(one["because"])):
        read_students(one["roster"].encode(one.get("code", "utf-8")))


@pytest.mark.parametrize("one", TABLES["one"].values(), ids=TABLES["one"])
def test_each_student_has_their_files_and_the_one_that_counts_is_first(tmp_path, one):
    roster = read_students(CLASSES[one["roster"]]["roster"]) if "roster" in one else {}
    collected = collect_archive(tmp_path, one["files"], roster)
    assert {student: [file.path for file in about.files] for student, about in collected.items()} == one["whose"]
    assert max(about.late for about in collected.values()).startswith(one.get("late", ""))
    assert one.get("noted", "") in "; ".join(note for about in collected.values() for note in about.notes)


def test_in_a_folder_the_time_of_a_file_decides_and_then_the_number_of_the_try(tmp_path):
    for name, day in (("jo_12_800_x", 2), ("jo_12_900_x", 1), ("al_34_1000_x", 1), ("al_34_900_x", 1)):
        (tmp_path / f"{name}.ipynb").write_bytes(write_notebook(name))
        os.utime(tmp_path / f"{name}.ipynb", (datetime(2026, 1, day).timestamp(),) * 2)
    collected = collect(tmp_path, STEM)
    assert [collected[name].files[0].path for name in ("jo", "al")] == ["jo_12_800_x.ipynb", "al_34_1000_x.ipynb"]


def test_an_archive_has_one_budget_for_all_within_it_and_what_is_left_out_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MOST_BYTES", 10_000)
    monkeypatch.setattr(files, "MOST_FILES", 30)
    large, many = {"large.ipynb": bytes(6000)}, {f"{n}.ipynb": b"x" for n in range(13)}
    inner = {
        "jo_11_21_x.zip": {f"{n}.zip": large for n in range(3)},
        "al_12_31_x.zip": {f"{n}.zip": many for n in range(8)},
    }
    collected = collect_archive(tmp_path, inner)
    assert sum(len(file.data) for file in collected["jo"].files) <= 10_000 and len(collected["al"].files) <= 31
    for name in ("jo", "al"):
        assert any("left out" in note for note in collected[name].notes)


def test_a_list_of_gradescopes_that_is_too_large_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "LARGEST", 1000)
    metadata = "submission_11:\n  :submitters:\n  - :name: Jane Doe\n"
    for text, who in ((metadata, "jane-doe"), (metadata + "#" * 1000, "submission-11")):
        names = {
            "assignment_1_export/submission_metadata.yml": text,
            "assignment_1_export/submission_11/01_definition.ipynb": "11",
        }
        assert list(collect_archive(tmp_path, names)) == [who]


def test_a_clones_own_list_names_nobody_else(tmp_path):
    (tmp_path / "hw-jane" / ".git").mkdir(parents=True)
    (tmp_path / "hw-jane" / "submission_5").mkdir()
    (tmp_path / "hw-jane" / "submission_5" / "x.ipynb").write_bytes(write_notebook())
    (tmp_path / "hw-jane" / "submission_metadata.yml").write_text("submission_5: {submitters: [{name: Bo Li}]}")
    assert list(collect(tmp_path, STEM)) == ["hw-jane"]


def test_a_broken_archive_stops_nobody_else(tmp_path):
    inner, broken = write_zip({"work.ipynb": "x = 1"}), io.BytesIO()
    with zipfile.ZipFile(broken, "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("work.ipynb", bytes(range(256)) * 40)
    no_date = inner.replace(bytes.fromhex("225c"), bytes(2))  # 2 January 2026
    torn = broken.getvalue()[:60] + bytes(30) + broken.getvalue()[90:]
    (tmp_path / "in").mkdir()
    for name, data in ("ann.zip", no_date), ("bob.zip", torn), ("cyd.zip", inner[:-9]):
        (tmp_path / "in" / name).write_bytes(data)
    os.close(os.open(os.fsencode(tmp_path / "in") + b"/jos\xe9.ipynb", os.O_CREAT))
    collected = collect(tmp_path / "in", STEM)
    store(collected, tmp_path / "out")
    assert collected["ann"].files[0].data == write_notebook() and collected["ann"].files[0].when == datetime(1980, 1, 1)
    assert collected["bob"].files[0].data == b"" and len(collected) == 4


def test_a_path_that_leaves_the_folder_leaves_nothing_and_one_without_end_is_cut(tmp_path):
    names = {"../../x.ipynb": "1", "/etc/x.ipynb": "2", "..\\y/x.ipynb": "3", "a/../../z/x.ipynb": "4"}
    store(collect_archive(tmp_path, names | {"_ab" * 20_000 + "/x.ipynb": "5"}), tmp_path / "out" / "deep")
    written = [*tmp_path.rglob("*.ipynb")]
    assert {path.parent for path in written} == {tmp_path / "out" / "deep"}
    long, *others = sorted(path.stem for path in written)
    assert others == ["etc", "x", "y", "z"] and 0 < len(long) <= 60


def test_hidden_files_are_left_alone_and_what_is_no_file_is_named_and_not_opened(tmp_path):
    (tmp_path / "in" / ".ipynb_checkpoints").mkdir(parents=True)
    for name in ("exam.ipynb", "in/jo.ipynb", "in/.ipynb_checkpoints/jo.ipynb"):
        (tmp_path / name).write_bytes(write_notebook())
    (tmp_path / "in" / "link.ipynb").symlink_to(tmp_path / "exam.ipynb")
    os.mkfifo(tmp_path / "in" / "pipe.ipynb")
    zipped = zipfile.ZipInfo("linked.ipynb")
    zipped.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "in" / "al.zip", "w") as inner:
        inner.writestr(zipped, "/etc/passwd")
    collected = collect(tmp_path / "in", STEM)
    assert list(collected) == ["al", "jo", "link", "pipe"]
    for name, reason in (("link", "a link, which is not followed"), ("pipe", "not a file"), ("al", "a link")):
        assert collected[name].files[0].data == b"" and reason in collected[name].notes[0]
    assert collected["jo"].notes == []


def test_a_place_that_is_neither_folder_nor_archive_is_refused(tmp_path):
    (tmp_path / "x.rar").write_bytes(b"Rar!")
    with pytest.raises(Unclear, match="neither a folder nor a zip archive"):
        collect(tmp_path / "x.rar", STEM)


def test_a_students_name_makes_a_safe_name_for_a_file():
    assert [slug(name) for name in ("../x", "Doe, Jane", "a/b\\c", "..")] == ["x", "doe-jane", "a-b-c", ""]


class Desk:
    """The folder of a class, and what the commands say there."""

    def __init__(self, folder, capsys):
        self.folder, self.course, self.capsys = folder, folder / "class", capsys
        self.collected = self.course / "collected" / STEM

    def collect(self, names, roster=None):
        """Collect {path: code of a notebook} and return what is printed; the roster is kept for the next time."""
        (self.folder / "all.zip").write_bytes(write_zip(names))
        if roster:
            (self.folder / "roster.csv").write_text(roster, "utf-8")
        collecting.command("01", self.folder / "all.zip", self.course, roster and self.folder / "roster.csv", {})
        return self.capsys.readouterr().out

    def assign(self, name, student, refusal=None):
        if not refusal:
            return collecting.assign(name, student, "01", self.course, {})
        with pytest.raises(Unclear, match=refusal):
            collecting.assign(name, student, None, self.course, {})

    @property
    def listed(self):
        return json.loads((self.collected / "collected.json").read_text())

    def read(self, name):
        """The code of a notebook that is kept."""
        return json.loads((self.collected / f"{name}.ipynb").read_bytes())["cells"][0]["source"]

    @property
    def kept(self):
        names = [path.name.removesuffix(".ipynb") for path in self.collected.glob("*.ipynb")]
        return {name: self.read(name) for name in names}


@pytest.fixture
def desk(tmp_path, capsys):
    return Desk(tmp_path, capsys)


def test_a_person_settles_whose_a_file_is_and_collecting_again_knows_it(desk):
    names = {f"Copy of {STEM} ({n}).ipynb": str(n) for n in (1, 2)}
    printed = desk.collect(names, TWO)
    for words in ("Files of 0 students; of the roster, 2 have handed in nothing: ", "assign unknown-1 STUDENT 01"):
        assert words in printed
    desk.assign("unknown-2", "bo li")
    for _ in range(2):
        assert desk.kept == {"a2": "2", "unknown-1": "1"}
        assert {name for name, about in desk.listed.items() if about["file"]} == {*desk.kept}
        desk.collect(names)
    desk.assign("unknown-1", "Zoe", "nobody called 'Zoe'")
    both = r"'bo li, jane doe' can be a1 \(Jane Doe\) or a2 \(Bo Li\); expected the id of one"
    desk.assign("unknown-1", "bo li, jane doe", both)
    desk.assign("unknown-9", "A1", "No file is called 'unknown-9'")


def test_two_files_that_name_nobody_are_not_both_one_students(desk):
    names = {f"Copy of {STEM} ({n}).ipynb": str(n) for n in (1, 2)} | {"Bo Li.ipynb": "Bo"}
    desk.collect(names, TWO)
    desk.assign("unknown-1", "A1")
    for _ in range(2):
        desk.assign("unknown-2", "A1", r"was assigned to Jane Doe before, and 'Copy of")
        desk.collect(names)
    desk.assign("unknown-2", "Bo Li")
    (note,) = desk.listed["a2"]["notes"]
    assert "(2).ipynb' counts, which was assigned; 'Bo Li.ipynb' is kept" in note["text"] and note["person"]


def test_each_notebook_of_an_archive_that_names_nobody_is_asked_for_by_itself(desk):
    names = {"Section B/note that Cy Ott kept.ipynb": "3", "Section B/hw.ipynb": "1", "Section B/mine/hw.ipynb": "2"}
    inner = write_zip(names | {"Section B/mine/plot.png": b"png"})
    printed = desk.collect({"outer/Section B.zip": inner}, TWO + "A3,Cy Ott\n")
    assert "Cy Ott kept.ipynb' names nobody for certain, perhaps a3 (Cy Ott)\n" in printed
    assert "B/hw.ipynb' names nobody\n" in printed and "plot.png' names nobody\n" in printed
    listed = desk.listed.items()
    desk.assign(next(name for name, about in listed if (about["file"] or "").endswith("Section B/hw.ipynb")), "A1")
    assert desk.read("a1") == "1" and len(desk.listed["a1"]["files"]) == 1
    assert len([about for about in desk.listed.values() if about["nobody"]]) == 2


def test_who_handed_in_nothing_is_in_the_list_and_namesakes_are_told_apart(desk):
    assert "강산, 김민준 (20261003), 김민준 (20261004), 이진수" in desk.collect(
        {"최수빈.ipynb": "1", "x.ipynb": "2"}, KOREANS
    )
    assert [name for name, about in desk.listed.items() if about["file"]] == ["20261001", "unknown-1"]
    assert len(desk.listed) == 8
    assert desk.listed["unknown-1"]["notes"] == [{"text": "'x.ipynb' names nobody", "person": True}]


@pytest.mark.parametrize(("title", "said"), [("Full name", False), ("Apellidos y nombre", True)])
def test_a_roster_without_a_column_of_names_is_said_to_have_none(desk, title, said):
    printed = desk.collect({"Ann Lee.ipynb": "1"}, f"id,{title}\n1,Ann Lee\n")
    assert (f"only as ids: id, {title}." in printed) == said


@pytest.mark.parametrize("one", TABLES["several"].values(), ids=TABLES["several"])
def test_what_is_kept_of_collections_one_after_the_other(desk, one):
    for place, names in enumerate(one["files"]):
        desk.collect(names, CLASSES[one["roster"]]["roster"] if place == one.get("roster_at") else None)
    assert desk.kept == one["kept"]
    handed_in = {name: about for name, about in desk.listed.items() if about["file"]}
    assert {*handed_in} == {name.partition(".")[0] for name in one["kept"]}
    notes = [note["text"] for about in handed_in.values() if not about["nobody"] for note in about["notes"]]
    assert notes == one.get("notes", [])
