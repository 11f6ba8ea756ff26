"""WRITE: the result of grading a submission as plain data, with the notebook from which nbgrader takes the points."""

import copy
from dataclasses import asdict

from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from book.chapter import code, grade_id, is_check


def write_unjudged(release, reason):
    """Return a notebook by which nbgrader has an entry for a file that nobody could judge."""
    notebook = copy.deepcopy(release)
    for cell in code(notebook):
        failed = new_output("error", ename="unclear", evalue=reason, traceback=[reason])
        cell.update(outputs=[failed] if is_check(cell) else [], execution_count=None)
    said = f"**This is not what was handed in**, which nobody could judge: {reason}. That file is in `collected`."
    notebook.cells.insert(0, new_markdown_cell(said))
    return notebook


def write_result(release, restored, exercises, verdicts):
    """Return verdicts, answers, notes, and a notebook for nbgrader."""
    return {
        "exercises": {name: asdict(verdict) for name, verdict in verdicts.items()},
        "answers": {name: restored.own[place] for name, place in restored.answers.items()},
        "notes": [asdict(note) for note in restored.notes],
        "notebook": write_notebook(release, restored, exercises, verdicts),
    }


def write_notebook(release, restored, exercises, verdicts):
    """Return the notebook that nbgrader grades: the chapter's form, the student's code, the outcome of each check."""
    notebook, by_check = copy.deepcopy(release), {exercise.check_name: exercise for exercise in exercises}
    for cell in code(notebook):
        cell.outputs, cell.execution_count = [], None
        if grade_id(cell) in restored.answers:
            cell.source = restored.own[restored.answers[grade_id(cell)]]
        if exercise := by_check.get(grade_id(cell)):
            cell.outputs = [_output(verdicts[exercise.name], exercise.points)]
    first = next(i for i, cell in enumerate(notebook.cells) if grade_id(cell))
    others = [source for i, source in enumerate(restored.own) if i not in restored.answers.values()]
    notebook.cells[first:first] = [new_code_cell(f"# added or changed by the student\n{source}") for source in others]
    return notebook


def _output(verdict, points):
    """A verdict as the output of the check's cell, where nbgrader looks for points."""
    if verdict.status == "right":
        return new_output("stream", text=verdict.message + "\n")
    if verdict.share:
        return new_output("execute_result", {"text/plain": f"{verdict.share * points:g}"}, execution_count=1)
    return new_output("error", ename=verdict.status, evalue=verdict.message, traceback=[verdict.message])
