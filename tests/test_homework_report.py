"""Scores are nbgrader's; what could not be judged is blank; a person's points stand; alike messages are one."""

import csv
import json
import re
import zipfile

import nbformat
import pytest
from classroom import chapter, needs_sandbox, notebook, release
from nbformat.v4 import new_code_cell

from attention_course import checks
from attention_course.checks import Part, Wrong
from homework import report
from homework.chapter import read_exercises
from homework.grade import batch, judge, run
from homework.grade.judge import Verdict
from homework.grade.restore import Restored
from homework.grade.write import write_notebook
from homework.report import gradebook, tables
from homework.roster import read_roster

STEM, NAMES = "01_definition", ("ex01-attention", "ex01-doubled", "ex01-mend")
TITLES = ["1. Write it", "2. Predict it", "3. Find it"]
ALL_RIGHT, SOME_UNCLEAR = ("right", "right", "right"), ("right", "unclear", "wrong")
SHARES = {"right": 1, "partly right": 0.5}


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    course = tmp_path_factory.mktemp("class")
    release(course, "01")
    return course


class Report:
    """The report on a class whose verdicts are made up, as the instructor and the students read it."""

    def __init__(self, course, folder):
        self.course, self.folder = course, folder
        self.source, self.release = (notebook(course, kind, STEM) for kind in ("source", "release"))
        self.results, self.collected, self.unclear = {}, {}, {}

    def hand_in(self, name, statuses=None, about=(), **result):
        """Grade what somebody handed in: statuses of the exercises, or what the result says of a file without any."""
        entry = {"name": name, "file": f"{name}.ipynb", "sent": None, "late": "", "notes": []}
        self.collected[name] = entry | dict(about)
        verdicts = {}
        for exercise, status in zip(NAMES, statuses or (), strict=False):
            verdicts[exercise] = Verdict(status, f"{exercise} is {status}", share=SHARES.get(status, 0))
        exercises = {exercise: vars(verdict) for exercise, verdict in verdicts.items()}
        self.results[name] = {"student": name, "exercises": exercises, "notes": []} | result
        if statuses:
            path = self.course / "submitted" / name / STEM / f"{STEM}.ipynb"
            path.parent.mkdir(parents=True, exist_ok=True)
            exercises = read_exercises(self.source, self.release)
            nbformat.write(write_notebook(self.release, Restored([]), exercises, verdicts), path)
            self.unclear[name] = {f"{e}-check" for e, verdict in verdicts.items() if verdict.status == "unclear"}
        return self.results[name]

    def record(self, graded_now=None):
        gradebook.record(self.course, STEM, self.unclear, graded_now)

    def write(self, roster=()):
        """Write the report and return the rows of its scores."""
        given = gradebook.scores(self.course, STEM)
        report.write(self.folder, self.release, self.collected, self.results, given, roster)
        with (self.folder / "scores.csv").open(newline="", encoding="utf-8-sig") as lines:
            return {row["student"]: row for row in csv.DictReader(lines)}

    def read(self, page="index"):
        return (self.folder / f"{page}.html").read_text()

    def give(self, student, exercise, points, comment):
        """Settle an exercise as a person does in the formgrader, where it waits."""
        with gradebook.open_gradebook(self.course) as kept:
            grade = kept.find_grade(f"{exercise}-check", STEM, STEM, student)
            assert grade.needs_manual_grade and grade.auto_score is None
            grade.manual_score, grade.needs_manual_grade = points, False
            kept.find_comment(exercise, STEM, STEM, student).manual_comment = comment
            kept.db.commit()

    @property
    def waiting(self):
        """Those whom the formgrader lists as waiting for a person."""
        with gradebook.open_gradebook(self.course) as kept:
            return {one.student.id for one in kept.assignment_submissions(STEM) if one.needs_manual_grade}


@pytest.fixture
def desk(course, tmp_path):
    desk = Report(course, tmp_path)
    desk.record()  # which forgets those of other tests
    return desk


def test_the_points_are_nbgraders_and_what_is_unclear_is_blank(desk):
    expected = {
        "all": (ALL_RIGHT, ["3", "1", "2", "6"]),
        "some": (("right", "not attempted", "wrong"), ["3", "0", "0", "3"]),
        "odd": (SOME_UNCLEAR, ["3", "", "0", ""]),
        "half": (("wrong", "right", "partly right"), ["0", "1", "1", "2"]),
        "none": (None, ["", "", "", ""]),
    }
    for name, (statuses, _) in expected.items():
        desk.hand_in(name, statuses, **({} if statuses else {"unjudged": "the file is empty"}))
    desk.record()
    for name, row in desk.write().items():
        assert [row[title] for title in (*TITLES, "total")] == expected[name][1]
    del desk.unclear["some"]  # who has no notebook any more is forgotten
    desk.record()
    assert {*gradebook.scores(desk.course, STEM)} == {"all", "odd", "half"}
    assert not (desk.course / "submitted" / "some" / STEM).exists()


def test_what_a_person_gave_is_said_and_no_person_is_needed_any_more(desk):
    note = {"text": "uses a module that is not here", "person": True, "exercise": "ex01-doubled"}
    desk.hand_in("odd", SOME_UNCLEAR, notes=[note])
    desk.record()
    assert desk.waiting == {"odd"}
    assert desk.write()["odd"]["needs a person"] == "2. Predict it: uses a module that is not here"
    desk.give("odd", "ex01-doubled", 0.5, "Right idea; <b>round</b> later.")
    row, page = desk.write()["odd"], desk.read("students/odd")
    assert "<h2>2. Predict it: a person gave 0.5 of 1</h2>" in page and "will look" not in page
    assert "Right idea; &lt;b&gt;round&lt;/b&gt; later." in page and "3.5 of 6 points" in page
    assert (row["needs a person"], row["total"]) == ("", "3.5") and "<p>Nobody.</p>" in desk.read()
    desk.record(graded_now=set())  # somebody else was late
    assert desk.waiting == set()
    desk.record()  # handed in or graded again
    assert desk.waiting == {"odd"}
    row = desk.write()["odd"]
    assert (row["needs a person"], row["total"]) == ("2. Predict it: graded again since a person gave 0.5", "3.5")


def test_a_file_that_nobody_could_judge_can_be_settled_in_the_formgrader(desk):
    result = desk.hand_in("pdf", unjudged="not a notebook: a PDF")
    batch._keep(desk.course, STEM, desk.release, dict(result), "digest")
    desk.unclear["pdf"] = {f"{name}-check" for name in NAMES}
    desk.record()
    assert desk.waiting == {"pdf"}
    graded = nbformat.read(desk.course / "autograded" / "pdf" / STEM / f"{STEM}.ipynb", 4)
    assert "nobody could judge: not a notebook: a PDF" in graded.cells[0].source
    row = desk.write()["pdf"]
    assert [row[name] for name in (*TITLES, "total")] == ["", "", "", ""]
    assert row["needs a person"] == "not a notebook: a PDF"
    for name, points in zip(NAMES, (3, 1, 1), strict=True):
        desk.give("pdf", name, points, "Read on paper.")
    row, page = desk.write()["pdf"], desk.read("students/pdf")
    assert [row[name] for name in (*TITLES, "total", "needs a person")] == ["3", "1", "1", "5", ""]
    assert "5 of 6 points" in page and page.count("Read on paper.") == 3 and "no score yet" not in page


def test_a_students_page_is_for_the_student_alone_and_a_namesake_who_handed_in_nothing_is_listed_apart(desk):
    name = "Ann Lee_12_assignsubmission_file_/x.ipynb"
    about = {"name": "Ann Lee", "file": name, "sent": name, "late": "2026-01-05"}
    note = {"text": "calls the package", "person": True, "exercise": "ex01-mend"}
    desk.hand_in("ann", SOME_UNCLEAR, about, notes=[note], answers={"ex01-mend": "def mended(): ..."})
    desk.hand_in("ann-2", about={"name": "Ann Lee", "file": None})
    desk.record()
    row, page, of_class = desk.write()["ann"], desk.read("students/ann"), desk.read()
    for text in ("What attention computes", "Ann Lee", "1. Write it: 3 of 3, right", "2. Predict it: not judged yet"):
        assert text in page
    assert "def mended(): ..." in page
    assert not any(words in page for words in ("(ann", "ex01-mend:", "calls the package"))
    assert 'Ann Lee (ann)</a></td><td class="message person">3. Find it: calls the package' in of_class
    assert "Handed in nothing</h2>\n<p>Ann Lee (ann-2)</p>" in of_class
    assert [path.name for path in (desk.folder / "students").iterdir()] == ["ann.html"]
    with zipfile.ZipFile(desk.folder / "feedback.zip") as feedback:
        assert feedback.namelist() == ["Ann Lee_12_assignsubmission_file_/x.html"]
    assert (row["name"], row["late"], row["total"]) == ("Ann Lee", "2026-01-05", "")


STATUSES = ("right", "wrong", "partly right", "not attempted", "unclear")


@pytest.mark.parametrize("statuses", [STATUSES[:3], STATUSES[2:], None, "stopped"])
def test_the_page_of_a_korean_notebook_is_in_korean(desk, statuses):
    """Whatever was said of it, given by a person or not; the title and the exercises too."""
    about = {"name": "최수빈", "file": "x.ipynb"}
    if statuses in (None, "stopped"):
        desk.hand_in("sb", None, about, language="ko", unjudged="not a notebook", unreadable=statuses is None)
    else:
        for verdict in desk.hand_in("sb", statuses, about, language="ko")["exercises"].values():
            verdict["message"] = "합이 1이 아니에요."
    desk.record()
    desk.write()
    page = desk.read("students/sb")
    assert '<html lang="ko">' in page and "어텐션은 무엇을 계산할까" in page
    assert ("1. 써 보기: 3점 중 3점" in page) == (statuses == STATUSES[:3])
    assert re.findall(r"[A-Za-z]{3,}", re.sub(r"<style>.*?</style>|<[^>]+>", " ", page, flags=re.S)) == []
    assert ("읽을 수 없었어요" in page, "끝까지 채점하지 못했어요" in page) == (statuses is None, statuses == "stopped")


def test_the_korean_page_has_words_of_its_own_for_all_that_a_page_says():
    english, korean = (report.PAGES.get_template(f"student{name}.html").blocks for name in ("", ".ko"))
    assert english.keys() - korean.keys() == {"main", "name"}


def test_the_page_of_the_class_is_in_one_language_and_unknown_files_are_no_students(desk):
    message = Wrong(Part("Your function {end}", end=Part("ended the whole process.")))
    for name in ("en", "ko", "ko-2", "unknown-1"):
        language = "en" if name == "en" else "ko"
        result = desk.hand_in(name, ("wrong", "right", "right"), {"nobody": name == "unknown-1"})
        with checks.speaking(language):
            result["exercises"]["ex01-attention"] = vars(Verdict.from_message("wrong", message))
        result["language"] = language if name != "unknown-1" else None
    desk.hand_in("pdf", unjudged="a PDF", unreadable=True)
    desk.hand_in("no", about={"file": None})
    desk.record()
    desk.write()
    assert not re.search("[가-힣]", desk.read() + (desk.folder / "scores.csv").read_text())
    assert "여러분" in desk.read("students/ko") and "여러분" not in desk.read("students/en")
    assert "읽을 수 없었어요" in desk.read("students/pdf")
    assert "<p>4 of 5 students handed something in. Of 1 more file it is not known whose it is." in desk.read()


def test_messages_that_differ_in_numbers_only_are_one(desk):
    sums, raised = "{entry} sums to {sum}", "{function} raised {error}: {text}"
    parts = {
        "a": Part(sums, entry=Part("weights{index}", index=[1]), sum=0.8),
        "b": Part(sums, entry=Part("weights{index}", index=[2]), sum=6.61),
        "c": Part(raised, function="mine", error="KeyError", text="size 3"),
        "d": Part(raised, function="mine", error="KeyError", text="size {5}"),
        "e": Part(raised, function="mine", error="TypeError", text="size 3"),
    }
    for name, part in parts.items():
        verdict = vars(Verdict.from_message("wrong", Wrong(part, question="Which axis?")))
        desk.hand_in(name, ALL_RIGHT)["exercises"]["ex01-attention"] = json.loads(json.dumps(verdict))
    desk.write()
    assert re.findall(r'<td class="number">(\d)</td><td class="message">(.*)</td>', desk.read()) == [
        ("2", "weights[1] sums to 0.8. Which axis?"),
        ("2", "mine raised KeyError: size 3. Which axis?"),
        ("1", "mine raised TypeError: size 3. Which axis?"),
    ]


TITLE = "What attention computes"
CANVAS = 'Student,ID,SIS User ID,SIS Login ID,Section,Old (7)\n    Points Possible,,,,,9\n"Lee, Ann",501,u1,ann,S1,4\n'
SHEET = "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Feedback comments\nParticipant 12,Ann,a@x,S,,6,"
PEOPLE = "First name,Last name,ID number,Email address\nAnn,Lee,A1,a@x.org\n"


@pytest.mark.parametrize(
    ("roster", "platform", "lines"),
    [
        (CANVAS, "canvas", ["    Points Possible,,,,,6", '"Lee, Ann",501,u1,ann,S1,6']),
        (CANVAS.replace("Old", TITLE), "canvas", ["    Points Possible,,,,,6", '"Lee, Ann",501,u1,ann,S1,6']),
        (SHEET, "moodle", ["Participant 12,Ann,a@x,S,6,6,"]),
        (PEOPLE, "moodle", ["Ann,Lee,A1,a@x.org,6"]),
    ],
)
def test_platforms_get_the_table_that_they_import(desk, roster, platform, lines):
    (desk.folder / "roster.csv").write_text(roster)
    students = read_roster(desk.folder / "roster.csv")
    desk.hand_in(*students, ALL_RIGHT)
    desk.record()
    desk.write(students)
    head, *rest = (desk.folder / f"scores-{platform}.csv").read_text().splitlines()
    assert rest == lines and (TITLE in head or "Grade" in head)
    assert (f"{TITLE} (7)" in head) == (f"{TITLE} (7)" in roster)  # a column that Canvas knows keeps its number


@pytest.mark.parametrize("sign", "=+-@＝\t")
@pytest.mark.parametrize("before", ["", "a; ", "a\r", "a\n"])
def test_no_cell_is_a_formula(sign, before):
    assert f"{before.rstrip(' ')}'" in tables.escape_formula(f"{before}{sign}1+1")
    assert tables.escape_formula("-2.5") == "-2.5"


@needs_sandbox
def test_a_check_that_fails_by_itself_is_for_a_person(monkeypatch):
    def broken(answer):
        raise ZeroDivisionError("in the check")

    monkeypatch.setattr(judge.checks, "attention", broken)
    result = chapter(1).graded(chapter(1).solved())
    assert result["exercises"]["ex01-attention"]["status"] == "unclear"
    assert any(note["person"] and "ZeroDivisionError: in the check" in note["text"] for note in result["notes"])


@needs_sandbox
def test_a_notebook_that_takes_too_long_in_all_is_cut_short(monkeypatch):
    monkeypatch.setattr(run, "TOTAL", 0.1)
    monkeypatch.setattr(run, "LEAST", 1)
    monkeypatch.setattr(run, "measure_load", lambda: 1)
    submission = chapter(1).solved()
    submission.cells.insert(3, new_code_cell("import time\n\ntime.sleep(9)"))
    result = chapter(1).graded(submission)
    assert any(note["person"] and "took too long in all" in note["text"] for note in result["notes"])
    assert {verdict["status"] for verdict in result["exercises"].values()} == {"unclear"}
