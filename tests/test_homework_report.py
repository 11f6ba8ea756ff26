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
from attention_course.checks import NotAttempted, Part, Wrong
from homework import grade as grading
from homework import report
from homework.chapter import Call, Exercise, read_exercises
from homework.grade import batch, judge, run
from homework.grade.judge import Verdict
from homework.grade.restore import Restored
from homework.grade.write import write_notebook
from homework.report import gradebook, tables
from homework.roster import read_roster

STEM, NAMES = "01_definition", ("ex01-attention", "ex01-doubled", "ex01-mend")
UNCLEAR = {"odd": {"ex01-doubled-check"}}  # whose answers nobody can judge
TITLES = ["1. Write it", "2. Predict it", "3. Find it"]


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    course = tmp_path_factory.mktemp("class")
    release(course, "01")
    return course


def judge_as(course, *statuses):
    """A notebook for nbgrader, and the result it goes with."""
    source, release = (notebook(course, kind, STEM) for kind in ("source", "release"))
    shares, pairs = {"right": 1, "partly right": 0.5}, zip(NAMES, statuses, strict=True)
    verdicts = {name: Verdict(status, f"{name} is {status}", share=shares.get(status, 0)) for name, status in pairs}
    result = {"exercises": {name: vars(verdict) for name, verdict in verdicts.items()}, "notes": []}
    return write_notebook(release, Restored([]), read_exercises(source, release), verdicts), result


def record(course, notebooks):
    for name, book in notebooks.items():
        path = course / "submitted" / name / STEM / f"{STEM}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(book, path)
    gradebook.record(course, STEM, {name: UNCLEAR.get(name, set()) for name in notebooks})


def entry(name, **about):
    return {"name": name, "file": f"{name}.ipynb", "sent": None, "late": "", "notes": []} | about


def table(course, folder, results, collected=None, roster=()):
    collected = collected or {name: entry(name) for name in results}
    report.write(folder, notebook(course, "release", STEM), collected, results, gradebook.scores(course, STEM), roster)
    return {row["student"]: [row[name] for name in (*TITLES, "total")] for row in rows(folder / "scores.csv")}


def rows(path):
    with path.open(newline="", encoding="utf-8-sig") as lines:
        return [*csv.DictReader(lines)]


def test_the_points_are_nbgraders_and_what_is_unclear_is_blank(course, tmp_path):
    students = {
        "all": judge_as(course, "right", "right", "right"),
        "some": judge_as(course, "right", "not attempted", "wrong"),
        "odd": judge_as(course, "right", "unclear", "wrong"),
        "half": judge_as(course, "wrong", "right", "partly right"),
    }
    record(course, {name: book for name, (book, _) in students.items()})
    results = {name: result for name, (_, result) in students.items()}
    results["none"] = {"exercises": {}, "notes": [], "unjudged": "the file is empty"}
    assert table(course, tmp_path, results) == {
        "all": ["3", "1", "2", "6"],
        "some": ["3", "0", "0", "3"],
        "odd": ["3", "", "0", ""],
        "half": ["0", "1", "1", "2"],
        "none": ["", "", "", ""],
    }


def test_points_that_a_person_gave_stand_after_grading_again(course, tmp_path):
    book, result = judge_as(course, "right", "unclear", "wrong")
    record(course, {"odd": book})
    with gradebook.open_gradebook(course) as kept:
        kept.find_grade("ex01-doubled-check", STEM, STEM, "odd").manual_score = 0.5
        kept.db.commit()
    record(course, {"odd": book})
    assert table(course, tmp_path, {"odd": result}) == {"odd": ["3", "0.5", "0", "3.5"]}


def give(course, student, check, points, comment=None):
    """Settle an exercise as a person does in the formgrader, where it waits."""
    with gradebook.open_gradebook(course) as kept:
        grade = kept.find_grade(check, STEM, STEM, student)
        assert grade.needs_manual_grade and grade.auto_score is None
        grade.manual_score, grade.needs_manual_grade = points, False
        if comment:
            kept.find_comment(check.removesuffix("-check"), STEM, STEM, student).manual_comment = comment
        kept.db.commit()


def waiting(course):
    """Those whom the formgrader lists as waiting for a person."""
    with gradebook.open_gradebook(course) as kept:
        return {one.student.id for one in kept.assignment_submissions(STEM) if one.needs_manual_grade}


def test_what_a_person_gave_is_said_and_no_person_is_needed_any_more(course, tmp_path):
    record(course, {})
    book, result = judge_as(course, "right", "unclear", "wrong")
    result["notes"] = [{"text": "uses a module that is not here", "person": True, "exercise": "ex01-doubled"}]
    record(course, {"odd": book})
    assert waiting(course) == {"odd"}
    collected = {"odd": entry("Ann Lee", file="x.ipynb")}
    table(course, tmp_path, {"odd": result}, collected)
    assert rows(tmp_path / "scores.csv")[0]["needs a person"] == "2. Predict it: uses a module that is not here"
    give(course, "odd", "ex01-doubled-check", 0.5, "Right idea; <b>round</b> later.")
    table(course, tmp_path, {"odd": result}, collected)
    page, of_class = ((tmp_path / path).read_text() for path in ("students/odd.html", "index.html"))
    assert "<h2>2. Predict it: a person gave 0.5 of 1</h2>" in page and "will look" not in page
    assert "Right idea; &lt;b&gt;round&lt;/b&gt; later." in page and "3.5 of 6 points" in page
    row = rows(tmp_path / "scores.csv")[0]
    assert (row["needs a person"], row["total"]) == ("", "3.5") and "<p>Nobody.</p>" in of_class
    gradebook.record(course, STEM, {"odd": UNCLEAR["odd"]}, graded_now=set())  # somebody else was late
    assert waiting(course) == set()
    record(course, {"odd": book})  # handed in or graded again
    assert waiting(course) == {"odd"}
    table(course, tmp_path, {"odd": result}, collected)
    row = rows(tmp_path / "scores.csv")[0]
    assert (row["needs a person"], row["total"]) == ("2. Predict it: graded again since a person gave 0.5", "3.5")


def test_a_file_that_nobody_could_judge_can_be_settled_in_the_formgrader(course, tmp_path):
    release = notebook(course, "release", STEM)
    record(course, {})
    result = {"student": "pdf", "exercises": {}, "notes": [], "unjudged": "not a notebook: a PDF"}
    batch._keep(course, STEM, release, dict(result), "digest")
    checks = [f"{name}-check" for name in NAMES]
    gradebook.record(course, STEM, {"pdf": {*checks}})
    assert waiting(course) == {"pdf"}
    graded = nbformat.read(course / "autograded" / "pdf" / STEM / f"{STEM}.ipynb", 4)
    assert "nobody could judge: not a notebook: a PDF" in graded.cells[0].source
    assert table(course, tmp_path, {"pdf": result}) == {"pdf": ["", "", "", ""]}
    assert rows(tmp_path / "scores.csv")[0]["needs a person"] == "not a notebook: a PDF"
    for check, points in zip(checks, (3, 1, 1), strict=True):
        give(course, "pdf", check, points, "Read on paper.")
    assert table(course, tmp_path, {"pdf": result}) == {"pdf": ["3", "1", "1", "5"]}
    assert rows(tmp_path / "scores.csv")[0]["needs a person"] == ""
    page = (tmp_path / "students/pdf.html").read_text()
    assert "5 of 6 points" in page and page.count("Read on paper.") == 3 and "no score yet" not in page


ENGLISH = re.compile(r"[A-Za-z]{3,}")
STATUSES = ("right", "wrong", "partly right", "not attempted", "unclear")


@pytest.mark.parametrize("statuses", [STATUSES[:3], STATUSES[2:], None, "stopped"])
def test_the_page_of_a_korean_notebook_is_in_korean(course, tmp_path, statuses):
    """Whatever was said of it, given by a person or not; the title and the exercises too."""
    if statuses and statuses != "stopped":
        book, result = judge_as(course, *statuses)
        record(course, {"sb": book})
        for verdict in result["exercises"].values():
            verdict["message"] = "합이 1이 아니에요."
    else:
        result = {"exercises": {}, "notes": [], "unjudged": "not a notebook", "unreadable": statuses is None}
    result["language"] = "ko"
    table(course, tmp_path, {"sb": result}, {"sb": entry("최수빈", file="x.ipynb")})
    page = (tmp_path / "students/sb.html").read_text()
    assert '<html lang="ko">' in page and "어텐션은 무엇을 계산할까" in page
    assert ("1. 써 보기: 3점 중 3점" in page) == (statuses == STATUSES[:3])
    text = re.sub(r"<style>.*?</style>|<[^>]+>", " ", page, flags=re.S)
    assert ENGLISH.findall(text) == []
    assert ("읽을 수 없었어요" in page, "끝까지 채점하지 못했어요" in page) == (statuses is None, statuses == "stopped")


def test_the_page_of_the_class_is_in_one_language_and_unknown_files_are_no_students(course, tmp_path):
    verdicts, message = {}, Wrong(Part("Your function {end}", end=Part("ended the whole process.")))
    for name in ("en", "ko"):
        with checks.speaking(name):
            verdicts[name] = Verdict.of("wrong", message)
    results = {}
    for name in ("en", "ko", "unknown-1"):
        book, results[name] = judge_as(course, "wrong", "right", "right")
        results[name]["exercises"]["ex01-attention"] = vars(verdicts.get(name, verdicts["ko"]))
        record(course, {name: book})
    results["ko-2"], results["pdf"] = (
        results["ko"],
        {"exercises": {}, "notes": [], "unjudged": "a PDF", "unreadable": True},
    )
    for name in ("en", "ko", "ko-2"):
        results[name] = results[name] | {"language": name[:2]}
    collected = {name: entry(name, nobody=name == "unknown-1") for name in results} | {"no": entry("no", file=None)}
    table(course, tmp_path, results, collected)
    page = (tmp_path / "index.html").read_text()
    assert "여러분" in verdicts["ko"].message and not re.search("[가-힣]", page + (tmp_path / "scores.csv").read_text())
    assert "여러분" in (tmp_path / "students/ko.html").read_text()
    assert "읽을 수 없었어요" in (tmp_path / "students/pdf.html").read_text()
    assert "<p>4 of 5 students handed something in. Of 1 more file it is not known whose it is." in page


def test_the_korean_page_has_words_of_its_own_for_all_that_a_page_says():
    english, korean = (report.PAGES.get_template(f"student{name}.html").blocks for name in ("", ".ko"))
    assert english.keys() - korean.keys() == {"main", "name"}


def test_namesakes_are_told_apart_on_the_page_of_the_class(course, tmp_path):
    book, result = judge_as(course, "right", "right", "right")
    record(course, {"20261003": book})
    collected = {
        "20261003": entry("김민준"),
        "20261004": entry("김민준", file=None),
        "20261001": entry("최수빈", file=None),
    }
    table(course, tmp_path, {"20261003": result}, collected)
    page = (tmp_path / "index.html").read_text()
    assert "김민준 (20261003)</a>" in page and "김민준 (20261004), 최수빈</p>" in page
    assert "20261003" not in (tmp_path / "students/20261003.html").read_text()


def test_who_has_no_notebook_any_more_is_forgotten(course):
    book, _ = judge_as(course, "right", "right", "right")
    record(course, {"ann": book, "ben": book})
    gradebook.record(course, STEM, {"ben": set()})
    assert list(gradebook.scores(course, STEM)) == ["ben"]
    assert not (course / "submitted" / "ann" / STEM).exists()


def test_messages_that_differ_in_numbers_only_are_one(course, tmp_path):
    results = {}
    parts = {
        "a": Part("{entry} sums to {sum}", entry=Part("weights{index}", index=[1]), sum=0.8),
        "b": Part("{entry} sums to {sum}", entry=Part("weights{index}", index=[2]), sum=6.61),
        "c": Part("{function} raised {error}: {text}", function="mine", error="KeyError", text="size 3"),
        "d": Part("{function} raised {error}: {text}", function="mine", error="KeyError", text="size {5}"),
        "e": Part("{function} raised {error}: {text}", function="mine", error="TypeError", text="size 3"),
    }
    for name, part in parts.items():
        results[name] = judge_as(course, "wrong", "right", "right")[1]
        verdict = vars(Verdict.of("wrong", Wrong(part, question="Which axis?")))
        results[name]["exercises"]["ex01-attention"] = json.loads(json.dumps(verdict))
    table(course, tmp_path, results)
    page = (tmp_path / "index.html").read_text()
    rows = re.findall(r'<td class="number">(\d)</td><td class="message">(.*)</td>', page)
    assert rows == [
        ("2", "weights[1] sums to 0.8. Which axis?"),
        ("2", "mine raised KeyError: size 3. Which axis?"),
        ("1", "mine raised TypeError: size 3. Which axis?"),
    ]


class FailingSession:
    """A sandbox whose one function raises an exception of this kind."""

    def __init__(self, kind, text):
        self.reply = {"raised": kind, "message": text, "used": []}

    def ask(self, do, *_, **__):
        return {"mine": {"function": "my {name}"}} if do == "names" else self.reply


@pytest.mark.parametrize("kind", ["Wrong", "ValueError", "{0}", "Exception"])
def test_what_a_student_wrote_travels_as_a_value_and_as_text_that_every_file_can_hold(kind):
    exercise = Exercise("ex01-attention", "", 1, "def mine():", [Call("attention", ["mine"])], set())
    with pytest.raises(Wrong) as refused:
        judge.check(FailingSession(kind, "{x} {0} \udc80 \x00 }"), exercise, [], Restored([]))
    verdict = Verdict.of("wrong", refused.value)
    assert "{x} {0} ?  }" in verdict.message and "{x}" not in verdict.parts["seen"]["template"]
    assert verdict.parts["seen"]["values"]["text"] == "{x} {0} ?  }"
    json.dumps(vars(verdict), ensure_ascii=False).encode()


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


def test_what_goes_wrong_in_grading_itself_is_for_a_person_and_costs_nobody_else(monkeypatch):
    monkeypatch.setattr(grading, "restore", lambda *_: 1 / 0)
    result = chapter(1).graded(chapter(1).solved(), kind="none")
    assert result["unjudged"] == "grading stopped with ZeroDivisionError: division by zero" and result["again"]


def test_a_students_page_is_for_the_student_alone_and_absentees_stand_apart(course, tmp_path):
    book, result = judge_as(course, "right", "unclear", "wrong")
    record(course, {"ann": book})
    result["notes"] = [{"text": "calls the package", "person": True, "exercise": "ex01-mend"}]
    result["answers"] = {"ex01-mend": "def mended(): ..."}
    name = "Ann Lee_12_assignsubmission_file_/x.ipynb"
    collected = {"ann": entry("Ann Lee", file=name, sent=name, late="2026-01-05"), "ben": entry("Ben Bo", file=None)}
    table(course, tmp_path, {"ann": result}, collected)
    page, of_class = ((tmp_path / path).read_text() for path in ("students/ann.html", "index.html"))
    for text in ("What attention computes", "Ann Lee", "1. Write it: 3 of 3, right", "2. Predict it: not judged yet"):
        assert text in page
    assert "ex01-mend:" not in page and "calls the package" not in page and "def mended(): ..." in page
    assert 'Ann Lee</a></td><td class="message person">3. Find it: calls the package' in of_class
    assert (
        re.search("Handed in nothing</h2>\n<p>Ben Bo</p>", of_class) and not (tmp_path / "students/ben.html").exists()
    )
    with zipfile.ZipFile(tmp_path / "feedback.zip") as feedback:
        assert feedback.namelist() == ["Ann Lee_12_assignsubmission_file_/x.html"]
    (row, _) = rows(tmp_path / "scores.csv")
    assert (row["name"], row["late"], row["total"]) == ("Ann Lee", "2026-01-05", "")


TITLE = "What attention computes"
CANVAS = 'Student,ID,SIS User ID,SIS Login ID,Section,Old (7)\n    Points Possible,,,,,9\n"Lee, Ann",501,u1,ann,S1,4\n'
SHEET = (
    "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Feedback comments\nParticipant 12,Ann,a@x,Sub,,6,\n"
)
PEOPLE = "First name,Last name,ID number,Email address\nAnn,Lee,A1,a@x.org\n"


@pytest.mark.parametrize(
    ("roster", "platform", "lines"),
    [
        (CANVAS, "canvas", ["    Points Possible,,,,,6", '"Lee, Ann",501,u1,ann,S1,6']),
        (CANVAS.replace("Old", TITLE), "canvas", ["    Points Possible,,,,,6", '"Lee, Ann",501,u1,ann,S1,6']),
        (SHEET, "moodle", ["Participant 12,Ann,a@x,Sub,6,6,"]),
        (PEOPLE, "moodle", ["Ann,Lee,A1,a@x.org,6"]),
    ],
)
def test_platforms_get_the_table_that_they_import(course, tmp_path, roster, platform, lines):
    (tmp_path / "roster.csv").write_text(roster)
    students = read_roster(tmp_path / "roster.csv")
    (key,) = students
    book, result = judge_as(course, "right", "right", "right")
    record(course, {key: book})
    table(course, tmp_path, {key: result}, roster=students)
    head, *rest = (tmp_path / f"scores-{platform}.csv").read_text().splitlines()
    assert rest == lines and (TITLE in head or "Grade" in head)
    assert (f"{TITLE} (7)" in head) == (f"{TITLE} (7)" in roster)  # a column that Canvas knows keeps its number


@pytest.mark.parametrize("sign", "=+-@＝\t")
@pytest.mark.parametrize("before", ["", "a; ", "a\r", "a\n"])
def test_no_cell_is_a_formula(sign, before):
    assert f"{before.rstrip(' ')}'" in tables.harmless(f"{before}{sign}1+1")
    assert tables.harmless("-2.5") == "-2.5"


def test_half_of_an_exercise_that_is_mended_and_not_named_holds():
    assert (Wrong("x").share, NotAttempted("x").share) == (0, 0)
    reason = NotAttempted("nothing is named yet")
    reason.share = 0.5
    assert Verdict.of("not attempted", reason).status == "partly right"
