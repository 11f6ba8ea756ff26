"""What is odd about a submission that runs: it reaches for what is not its own, prints marks, lets the package work.

None of this changes a score. Code in the sandbox can hide from it; what cannot be hidden is that it gains nothing.
"""

import re

from attention_src import checks
from tools import names

from .submission import printable
from .wire import MOST_ODD, MOST_PRINTED

HOLDS = checks.RIGHT.partition("{")[0]  # how a check begins that passes
POINTS = re.compile(r"\b(?:score|points|grade|mark)s?\b[\"']?\s*[:=]\s*\d|\b\d+(?:\.\d+)?\s*/\s*\d+ points", re.I)


def heed(restored, reply, exercise=None):
    """Note what the sandbox reports of a cell, or of a call of an answer."""
    for doing in reply["odd"][:MOST_ODD]:
        restored.note(printable(str(doing))[:200], person=True)
    marks = [HOLDS for line in reply["printed"].splitlines() if line.startswith(HOLDS)]
    for mark in [*marks, *(found.group() for found in POINTS.finditer(reply["printed"]))][:1]:
        restored.note(f"prints {mark!r}, which looks like a mark; nothing printed counts", person=True)
    if len(reply["printed"]) >= MOST_PRINTED:
        restored.note("prints very much; only the beginning was kept")
    used = {str(name).split(".")[0] for name in reply.get("used", [])[:MOST_ODD]}
    if exercise:
        _note_shortcuts(restored, exercise, used - exercise.allowed)


def note_changes(restored, names):
    """Note what the student's code changed in modules that are not its own."""
    names = sorted({printable(str(name))[:100] for name in names}, key=len)
    if names:
        more = f" and {len(names) - 4} more" if len(names) > 4 else ""
        restored.note(f"changes {', '.join(names[:4])}{more}, which it should leave alone", person=True)


def note(restored, exercise, package):
    """Note whose work the functions in an answer's cell would do, as far as the cell itself shows it."""
    if exercise.name in restored.answers:
        used = names.used_in_functions(names.python_only(restored.own[restored.answers[exercise.name]]))
        own = set().union(*(names.bound_and_used(names.python_only(cell))[0] for cell in restored.own))
        used = {package[name] for name in used - own if name in package}
        _note_shortcuts(restored, exercise, used - exercise.allowed - {"checks", "plots"})


def _note_shortcuts(restored, exercise, used):
    for name in sorted(used):
        text = f"calls {printable(name)[:60]} of attention_src or torch, which the model solution does without"
        restored.note(text, exercise.name, person=True)
