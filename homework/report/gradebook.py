"""nbgrader's part: it makes the student copies and keeps the grades, in `gradebook.db` of the course folder.

Its own execution of notebooks is left out: a submission comes to it with its checks already answered.
"""

import logging
import os
import shutil
import sys
import warnings
from typing import NamedTuple

import nbformat
from nbgrader import preprocessors as steps
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import Autograde, GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from sqlalchemy.exc import SAWarning
from traitlets.config import Config

from book.chapter import code, grade_id, read

STUDENT_COPY = [steps.LockCells, steps.ClearSolutions, steps.CheckCellMetadata, steps.ComputeChecksums, steps.SaveCells]


def _settings(course, stem):
    warnings.simplefilter("ignore", SAWarning)  # nbgrader's own, at every new submission
    logging.getLogger("traitlets").setLevel(logging.ERROR)
    here = os.path.dirname(sys.executable)
    if here not in os.get_exec_path():  # nbgrader starts `alembic`, which was installed beside this Python
        os.environ["PATH"] = here + os.pathsep + os.environ.get("PATH", "")
    config = Config()
    config.CourseDirectory.root, config.CourseDirectory.course_id = str(course.resolve()), "attention"
    config.CourseDirectory.assignment_id = stem
    config.GenerateAssignment.preprocessors = STUDENT_COPY
    config.Autograde.sanitize_preprocessors = [steps.OverwriteCells]
    config.Autograde.autograde_preprocessors = [steps.SaveAutoGrades, steps.CheckCellMetadata]
    return {"coursedir": CourseDirectory(config=config), "config": config}


def release(course, path):
    """Make the student copy of a chapter and enter its exercises in the gradebook; return where the copy is."""
    notebook, source = read(path), course / "source" / path.stem / path.name
    for cell in filter(grade_id, code(notebook)):  # what the others printed stays for the student
        cell.update(outputs=[], execution_count=None)
    source.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, source)
    GenerateAssignment(force=True, **_settings(course, path.stem)).start()
    return course / "release" / path.stem / path.name


def record(course, stem, unclear, graded_now=None):
    """Score what lies in `submitted`, its checks answered; forget whoever has nothing any more.

    `unclear` is {student: names of the check cells that nobody could judge}: they have no score and wait in the
    formgrader. What a person has given stands, and waits there once more if the submission was graded now.
    """
    before = scores(course, stem)
    for student in before.keys() - unclear.keys():
        with open_gradebook(course) as book:
            book.remove_submission(stem, student)
        for kind in ("submitted", "autograded"):
            shutil.rmtree(course / kind / student / stem, ignore_errors=True)
    if unclear:
        Autograde(force=True, **_settings(course, stem)).start()
    with open_gradebook(course) as book:
        for submission in book.assignment_submissions(stem) if unclear else ():
            student = submission.student.id
            again = graded_now is None or student in graded_now
            for grade in [grade for sheet in submission.notebooks for grade in sheet.grades]:
                given = before.get(student, {}).get(grade.name)
                if grade.name in unclear.get(student, ()):
                    grade.auto_score = None
                by_person = grade.manual_score is not None
                grade.needs_manual_grade = (again or given.waits) if by_person and given else grade.auto_score is None
        book.db.commit()


def open_gradebook(course):
    return Gradebook(f"sqlite:///{course.resolve() / 'gradebook.db'}", "attention")


class Given(NamedTuple):
    """The points for an exercise: who gave them, with what comment, and whether a person has to look."""

    points: float
    by_person: bool
    comment: str = ""
    waits: bool = False


def scores(course, stem):
    """Return {student: {name of the check's cell: Given}}."""
    with open_gradebook(course) as book:
        try:
            submissions = book.assignment_submissions(stem)
        except MissingEntry:
            return {}
        return {
            submission.student.id: {
                grade.name: Given(
                    grade.score, grade.manual_score is not None, comments.get(grade.name, ""), grade.needs_manual_grade
                )
                for sheet in submission.notebooks
                for comments in [{f"{one.name}-check": one.manual_comment or "" for one in sheet.comments}]
                for grade in sheet.grades
            }
            for submission in submissions
        }
