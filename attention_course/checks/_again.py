"""What a check adds for a learner whom its message has not helped, and the solution to compare with in the end.

The first time there is the message alone, the second time in a row a smaller case, from the third on what each line of
the function gave there. All is counted in memory, when a notebook or a page shows the message; grading shows none.
"""

import sys
from base64 import b64decode
from contextlib import redirect_stdout
from html import escape
from io import StringIO
from json import loads

import numpy as np

from ._ask import watcher
from ._message import Part, Wrong, collecting, listener, more

ENOUGH, SOON = 5, 3  # different answers after which a solution may be read, and messages after which that is said
MOST_SHOWN = 8  # names of a trace, and numbers in a row of what is shown
runs = {}  # {check: [the message it gave last, how often in a row, how many it gave, the different answers]}
solutions = {}  # {check: code}, where a notebook brings them


class Watch:
    """Calls a student's function on small arguments, and notes them and what its lines bind to names."""

    def __init__(self, smallest_first):
        self.smallest_first, self.given, self.bound = smallest_first, {}, {}

    def __call__(self, answer, given):
        code, before = getattr(answer, "__code__", None), sys.gettrace()
        self.given = {name: text for name, value in given.items() if (text := show(value))}
        self.bound, first = {}, {}

        def note(frame, event, result):
            if frame.f_code is not code:
                return None
            for name, value in frame.f_locals.items():
                if name not in code.co_varnames[: code.co_argcount] and value is first.setdefault(name, value):
                    self.bound |= {name: text} if (text := show(value)) else {}  # an array may be filled meanwhile
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


def show(value):
    """Return a number or a small array or list as text, or None.

    >>> show([1 / 3, 0]), show(print)
    ('[0.333 0.   ]', None)
    """
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


def find_smaller_case(check, answers, options, question):
    """Run a check on small sizes; return (watch, reply) of the case that fails, if possible with the same question."""
    found = None
    for smallest_first in (True, False):
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


def say_more(reply):
    """Count that a message is shown; return what is to be added to it: texts."""
    check, answers, options = reply.asked
    last, times, number, tried = runs.get(check.__name__, ("", 0, 0, set()))
    times = times + 1 if str(reply) == last else 1
    tried = tried | {tuple(getattr(answer, "__code__", None) or repr(answer) for answer in answers)}
    runs[check.__name__] = [str(reply), times, number + 1, tried]
    more = []
    if times > 1 and reply.hint and str(reply.hint) != str(reply.question):
        more.append(str(reply.hint))
    if times > 1 and any(map(callable, answers)) and not reply.share:
        found = find_smaller_case(check, answers, options, str(reply.question))
        if found is None:
            more.append(str(Part("With small arrays your function is right. What is special about the case above?")))
        elif found[0].given:
            smaller = str(found[1]) != str(reply)
            more.append(
                str(Part("Once more, with a smaller case:" if smaller else "These are the numbers of this case:"))
            )
            more += [list_values(found[0].given), *[str(found[1])] * smaller]
            bound = dict([*found[0].bound.items()][:MOST_SHOWN])
            if times > 2 and bound:
                more += [str(Part("There your function gives, line by line:")), list_values(bound)]
                more.append(str(Part("Which of these is the first that you would not get by hand?")))
    if check.__name__ in solutions and number + 1 >= SOON and len(tried) < ENOUGH:
        soon = (
            "You can open one solution here once yours is right or you have tried five different answers. "
            "So far: {tried}."
        )
        more.append(str(Part(soon, tried=len(tried))))
    offer(check.__name__)
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
