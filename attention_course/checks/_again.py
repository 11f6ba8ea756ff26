"""What a check adds for a learner whom its message has not helped, and the solution to compare with in the end.

The first time there is the message alone, the second time in a row a smaller case, from the third on what each line of
the function gave there. All is counted in memory, when a notebook or a page shows the message; grading shows none.
"""

import ast
import inspect
import sys
from base64 import b64decode
from contextlib import redirect_stdout
from html import escape
from io import StringIO
from json import loads
from textwrap import dedent

import numpy as np

from ._ask import watcher
from ._message import Part, Wrong, collecting, listener, more

ENOUGH, SOON = 5, 3  # different answers after which a solution may be read, and messages after which that is said
MOST_SHOWN = 8  # names of a trace, and numbers in a row of what is shown
MODULES = ("np", "math")  # whose functions change nothing, so that parts that call them can be tried out
runs = {}  # {check: [the message it gave last, how often in a row, how many it gave, the different answers]}
solutions = {}  # {check: code}, where a notebook brings them


class Watch:
    """Calls a student's function on small arguments, and notes them and what its lines bind to names."""

    def __init__(self, smallest_first):  # or None, for the sizes as they are written
        self.smallest_first, self.given, self.bound = smallest_first, {}, {}

    def __call__(self, answer, given):
        code, before = getattr(answer, "__code__", None), sys.gettrace()
        self.given = {name: text for name, value in given.items() if (text := show(value))}
        self.bound, first, parts = {}, {}, list_parts(code)

        def note(frame, event, result):
            if frame.f_code is not code:
                return None
            for name, value in frame.f_locals.items():
                if name not in code.co_varnames[: code.co_argcount] and value is first.setdefault(name, value):
                    self.bound |= {name: text} if (text := show(value)) else {}  # an array may be filled meanwhile
            for part in parts.pop(frame.f_lineno, ()) if event == "line" else ():
                text, fits = try_out(part, frame)
                self.bound |= {ast.unparse(part): text} if text else {}
                if not fits:
                    break
            if event == "return":
                results = {f"result[{i}]": one for i, one in enumerate(result)} if isinstance(result, tuple) else {}
                shown = {name: show(one) for name, one in (results or {"result": result}).items()}
                self.bound |= {name: text for name, text in shown.items() if text}
            return note

        sys.settrace(note)
        try:
            return answer(*given.values())
        finally:
            sys.settrace(before)


def list_parts(code):
    """Return {line: what is computed there within a longer expression, by operators and NumPy, in its order}."""
    try:
        tree = ast.parse(dedent(inspect.getsource(code)))
    except (OSError, TypeError, SyntaxError):
        return {}
    found = {}
    for line in (one for one in ast.walk(tree) if isinstance(one, ast.Assign | ast.Return) and one.value):
        bare = {line.value} if isinstance(line, ast.Assign) else set()  # whose value has a name of its own
        inner = [one for one in ast.walk(line.value) if one not in bare and is_plain(one)]
        found[line.lineno + code.co_firstlineno - 1] = sorted(
            inner, key=lambda one: (one.end_lineno, one.end_col_offset, -one.lineno, -one.col_offset)
        )
    return found


def is_plain(part):
    """Whether a part is computed from names by operators and functions of a module alone: (a @ b.T) / np.sqrt(3)."""
    inside = [*ast.walk(part)]
    calls = [one.func for one in inside if isinstance(one, ast.Call)]
    known = all(isinstance(call, ast.Attribute) and getattr(call.value, "id", "") in MODULES for call in calls)
    named = any(isinstance(one, ast.Name) and one.id not in MODULES for one in inside)
    others = any(isinstance(one, ast.Lambda | ast.comprehension | ast.NamedExpr | ast.Await) for one in inside)
    return isinstance(part, ast.BinOp | ast.Call) and known and named and not others


def try_out(part, frame):
    """Return what an expression gives where a line begins, or the shapes in it, as text or None; and if they fit."""

    def value_of(one):
        return eval(compile(ast.Expression(one), "<part>", "eval"), frame.f_globals, frame.f_locals)

    try:
        return show(value_of(part)), True
    except Exception:
        pass
    try:
        shapes = [np.shape(value_of(side)) for side in (part.left, part.right)]
    except Exception:
        return None, False
    return str(Part("shapes {first} and {second}, which don't fit", first=shapes[0], second=shapes[1])), False


def show(value):
    """Return a number, a text or a small array or list as text, or None.

    >>> show([1 / 3, 0]), show(["an", "a"]), show(print)
    ('[0.333 0.   ]', "['an', 'a']", None)
    """
    if isinstance(value, str | dict) or (isinstance(value, list) and value and isinstance(value[0], str | tuple)):
        return repr(value)
    try:
        array = np.asarray(value.detach().numpy() if hasattr(value, "detach") else value)
    except (ValueError, TypeError, RuntimeError):
        return None  # rows of different length
    known = (array.dtype.kind in "biuf" and isinstance(value, float | int | list | tuple)) or hasattr(value, "shape")
    return (
        np.array2string(array, precision=3, suppress_small=True, threshold=MOST_SHOWN**2, edgeitems=2)
        if known
        else None
    )


def find_smaller_case(check, answers, options, question, orders=(True, False)):
    """Run a check on small sizes; return (watch, reply) of the case that fails, if possible with the same question."""
    found = None
    for smallest_first in orders:
        token = watcher.set(watch := Watch(smallest_first))
        try:
            with collecting([]), redirect_stdout(StringIO()):
                check(*answers, **options)
        except Wrong as reply:
            if found is None or str(reply.question) == question:
                found = watch, reply
            if str(reply.question) == question:
                break
        except Exception:
            pass  # not attempted in this case, or an error of the check's own
        finally:
            watcher.reset(token)
    return found


def list_values(names):
    return "\n".join(f"{name} = {value}".replace("\n", "\n" + " " * (len(name) + 3)) for name, value in names.items())


def show_numbers(reply, times):
    """Return what is shown of a function whose check gives a message for the second time or more: a case, its lines."""
    check, answers, options = reply.asked
    found, more = find_smaller_case(check, answers, options, str(reply.question)), []
    if found is None:
        more = [str(Part("With small arrays your function is right. What is special about the case above?"))]
        found = find_smaller_case(check, answers, options, str(reply.question), [None]) if times > 2 else None
    if found is None or not found[0].given:
        return more
    watch, smaller = found[0], str(found[1]) != str(reply)
    more.append(str(Part("Once more, with a smaller case:" if smaller else "These are the numbers of this case:")))
    more += [list_values(watch.given), *[str(found[1])] * smaller]
    if times > 2 and (bound := dict([*watch.bound.items()][:MOST_SHOWN])):
        more += [str(Part("There your function gives, line by line:")), list_values(bound)]
        if any(not name.startswith("result") for name in bound):
            more.append(str(Part("Which of these is the first that you would not get by hand?")))
    return more


def say_more(reply):
    """Count that a message is shown; return what is to be added to it: texts."""
    if hasattr(reply, "told"):  # a notebook asks once more, for its history
        return reply.told
    check, answers, _ = reply.asked
    last, times, number, tried = runs.get(check.__name__, ("", 0, 0, set()))
    what = "a number" if reply.nearer else str(reply)
    times = times + 1 if what == last else 1
    tried = tried | {tuple(getattr(answer, "__code__", None) or repr(answer) for answer in answers)}
    runs[check.__name__] = [what, times, number + 1, tried]
    hints = [reply.hint] if reply.hint and str(reply.hint) != str(reply.question) else []
    more = [str(hint) for hint in [*hints, *reply.nearer][: times - 1]]
    if times > 1 and any(map(callable, answers)) and not reply.share:
        more += show_numbers(reply, times)
    if check.__name__ in solutions and number + 1 >= SOON and len(tried) < ENOUGH:
        soon = (
            "You can open one solution here once yours is right or you have tried five different answers. "
            "So far: {tried}."
        )
        more.append(str(Part(soon, tried=len(tried))))
    offer(check.__name__)
    reply.told = more
    return more


def count_success(check):
    """Count that a check was passed where a learner sees it, and offer the solution."""
    if listener.get() is print:
        runs[check] = ["", 0, 0, set(range(ENOUGH))]
        offer(check)


def take_solutions(packed):
    """Take {check: code of a solution}, JSON in base64, so that nobody reads one by accident."""
    solutions.update(loads(b64decode(packed)))


def offer(check):
    """Show a folded solution below a cell of a notebook that brings one, after success or ENOUGH answers."""
    if check in solutions and len(runs[check][-1]) >= ENOUGH:
        from IPython import get_ipython
        from IPython.display import HTML, display

        title, code, shell = Part("One solution, to compare with yours"), escape(solutions[check]), get_ipython()

        def show_below(*_):
            if shell:
                shell.events.unregister("post_run_cell", show_below)
            display(HTML(f"<details><summary>{title}</summary><pre>{code}</pre></details>"))

        if shell:  # which shows the message only when the cell has ended
            shell.events.register("post_run_cell", show_below)
        else:
            show_below()


more.update(wrong=say_more, right=count_success)
