"""What a check adds for a learner whom its message has not helped, and the solution to compare with in the end.

The first time there is the message alone, the second time a smaller case, from the third on what each line of the
function gave there. It begins anew when the check gets further than ever before. All is counted in memory, when a
notebook or a page shows the message; grading shows none.
"""

import ast
import inspect
import re
import sys
from base64 import b64decode
from contextlib import redirect_stdout
from html import escape
from io import StringIO
from json import loads
from textwrap import dedent
from types import FunctionType

import numpy as np

from ._ask import watcher
from ._message import Part, Wrong, collecting, describe, exercise, listener, more

ENOUGH, LAST = 5, 3  # different answers after which a solution may be read, and the last message that says more
MOST_SHOWN = 12  # names of a trace, and numbers of an array of which more than its first row is shown
NOTE, RESULT = "<note>", re.compile(r"result(\[\d\])?$")  # what a function calls by no name of its own
MODULES, LOAD, PARTS = {"np", "math"}, ast.Load(), (ast.BinOp, ast.Call, ast.Compare, ast.Subscript)
runs = {}  # {check: [how far it has got, how often it has stopped since, the different answers]}
solutions = {}  # {check: code}, where a notebook brings them


class Watch:
    """Calls a student's function on small arguments, and notes them and what its lines compute and bind to names."""

    def __init__(self, turn):  # which of the small sizes comes first, or None for the sizes as they are written
        self.turn, self.turns, self.sizes, self.given, self.bound = turn, 1, 1, {}, {}

    def __call__(self, answer, given):
        code, before = getattr(inspect.unwrap(answer), "__code__", None), sys.gettrace()
        # a formula says what a function of x gives, a Part what kind of function it is
        named = {f"{name}(x)" if type(getattr(x, "by_hand", None)) is str else name: x for name, x in given.items()}
        self.given, self.bound = {name: text for name, value in named.items() if (text := show(value))}, {}
        answer = let_note(answer, code, self.note)
        followed = code, getattr(answer, "__code__", None)

        def follow(frame, *_):
            if frame.f_code not in followed:
                return None
            for name, value in frame.f_locals.items():
                if name not in code.co_varnames[: code.co_argcount]:
                    self.bound.setdefault(name, value)  # an array may be filled meanwhile
            return follow

        sys.settrace(follow)
        try:
            got = answer(*given.values())
        finally:
            sys.settrace(before)
        self.bound |= {f"result[{i}]": one for i, one in enumerate(got)} if isinstance(got, tuple) else {"result": got}
        return got

    def note(self, text, value, *sides):
        """Return a part of a line, computed from its sides if it has any, and note what it gives the first time."""
        try:
            value = value(*sides) if sides else value
        except (ValueError, RuntimeError):
            first, second = map(np.shape, sides)
            self.bound[text] = Part("shapes {first} and {second}, which don't fit", first=first, second=second)
            raise
        if not isinstance(value, bool):
            self.bound.setdefault(text, value)
        return value

    def list_bound(self):
        """Return {name or text: what it is} of the first few; parts give way to what has a name, if there is a lot."""
        shown = {name: str(one) if isinstance(one, Part) else show(one) for name, one in self.bound.items()}
        named = {name: text for name, text in shown.items() if text and (RESULT.match(name) or name.isidentifier())}
        kept = {name: text for name, text in shown.items() if text and (name in named or text not in named.values())}
        return dict([*(named if len(kept) > MOST_SHOWN else kept).items()][:MOST_SHOWN])


class Noting(ast.NodeTransformer):
    """Lets the parts of an expression be noted when they are computed: a @ b becomes note("a @ b", lambda …, a, b)."""

    def visit(self, node):
        text, names = ast.unparse(node), {one.id for one in ast.walk(node) if isinstance(one, ast.Name)} - MODULES
        part = isinstance(node, PARTS) and isinstance(getattr(node, "ctx", LOAD), ast.Load)
        node = self.generic_visit(node)
        if not part or not names or re.fullmatch(r"\w+\.shape\[[-\d]*\]", text):
            return node
        computed = [node]
        if isinstance(node, ast.BinOp):
            a, b = (ast.Name(name, LOAD) for name in "ab")
            both = ast.arguments([], [ast.arg("a"), ast.arg("b")], None, [], [], None, [])
            computed = [ast.Lambda(both, ast.BinOp(a, node.op, b)), node.left, node.right]
        return ast.copy_location(ast.Call(ast.Name(NOTE, LOAD), [ast.Constant(text), *computed], []), node)


def let_note(answer, code, note):
    """Return a student's function as it is, but its expressions call `note`; itself, if it can't be read."""
    try:
        tree = ast.parse(dedent(inspect.getsource(answer)))
        named = [one for one in ast.walk(tree) if getattr(one, "name", "<lambda>") == code.co_name]
        [found] = [one for one in named if isinstance(one, ast.FunctionDef | ast.Lambda)]
        whole = ast.Expression(found) if isinstance(found, ast.Lambda) else ast.Module([found], [])
        whole = ast.increment_lineno(ast.fix_missing_locations(Noting().visit(whole)), code.co_firstlineno - 1)
        compiled = compile(whole, code.co_filename, "eval" if isinstance(found, ast.Lambda) else "exec")
        [new] = [one for one in compiled.co_consts if getattr(one, "co_name", "") == code.co_name]
        around = answer.__globals__ | inspect.getclosurevars(answer).nonlocals | {NOTE: note}
        noting = FunctionType(new, around, code.co_name, answer.__defaults__)
        noting.__kwdefaults__ = answer.__kwdefaults__
        return noting
    except (OSError, TypeError, ValueError, AttributeError, SyntaxError):
        return answer


def show(value):
    """Return a number, a text or a small array or list as text, the first row of a larger one, or None.

    >>> show([1 / 3, 0]), show(["an", "a"]), show(print), show(np.eye(4))
    ('[0.3333 0.    ]', "['an', 'a']", None, '[1. 0. 0. 0.], the first row of an array of shape (4, 4)')
    """
    if callable(value):
        return str(getattr(value, "by_hand", "")) or None
    if isinstance(value, str | dict) or (isinstance(value, list) and value and isinstance(value[0], str | tuple)):
        return repr(value)
    try:
        array = np.asarray(value.detach().numpy() if hasattr(value, "detach") else value)
    except (ValueError, TypeError, RuntimeError):
        return None  # rows of different length
    if array.dtype.kind not in "biuf" or not (isinstance(value, float | int | list | tuple) or hasattr(value, "shape")):
        return None
    large = array.ndim > 1 and array.size > MOST_SHOWN
    first = array.reshape(-1, array.shape[-1])[0] if large else array
    text = np.array2string(first, precision=4, suppress_small=True, threshold=MOST_SHOWN, edgeitems=3)
    return str(Part("{row}, the first row of {array}", row=text, array=describe(array))) if large else text


def find_smaller_case(check, answers, options, question, turn=0):
    """Run a check on small sizes; return (watch, reply) of the case that fails, if possible with the same question.

    Each of the sizes comes first in turn, the smallest before the others.
    """
    found = None
    while True:
        token, passed = watcher.set(watch := Watch(turn)), False
        try:
            with collecting([]), redirect_stdout(StringIO()), np.errstate(all="ignore"):
                check(*answers, **options)
                passed = True
        except Wrong as reply:
            if str(reply.question) == question:
                return watch, reply
            found = found or (watch, reply)
        except Exception:
            pass  # not attempted in this case, or an error of the check's own
        finally:
            watcher.reset(token)
        if turn is None:
            return found
        turn += watch.sizes if passed else 1
        if turn >= watch.turns:
            return found


def list_values(names):
    return "\n".join(f"{name} = {value}".replace("\n", "\n" + " " * (len(name) + 3)) for name, value in names.items())


def show_numbers(reply, times):
    """Return what is shown of a function whose check gives a message for the second time or more: a case, its lines."""
    check, answers, options = reply.asked
    found, more = find_smaller_case(check, answers, options, str(reply.question)), []
    if found is None:
        more = [str(Part("With small arrays your function is right. What is special about the case above?"))]
        found = find_smaller_case(check, answers, options, str(reply.question), None) if times >= LAST else None
    if found is None or not found[0].given:
        return more
    watch, smaller = found[0], str(found[1]) != str(reply)
    more.append(str(Part("Once more, with a smaller case:" if smaller else "These are the numbers of this case:")))
    more += [list_values(watch.given), *[str(found[1])] * smaller]
    nothing = watch.bound.get("result", 0) is None
    bound = watch.list_bound() if times >= LAST or nothing else {}
    if bound:
        more += [str(Part("There your function gives, line by line:")), list_values(bound)]
    if nothing:
        more += [str(Part("It returns none of them. Which of them should come after return?"))] * bool(bound)
    elif any(not RESULT.match(name) for name in bound):
        more.append(str(Part("Which of these is the first that you would not get by hand?")))
    elif bound:
        more.append(str(Part("Give each step a name, and run the check again: it then shows what each of them is.")))
    return more


def say_more(reply):
    """Count that a message is shown; return what is to be added to it: texts."""
    if hasattr(reply, "told"):  # a notebook asks once more, for its history
        return reply.told
    check, answers, _ = reply.asked
    best, times, tried = runs.get(check.__name__, ((), 0, set()))
    times = (0 if reply.reached > best else times) + reply.counts
    tried = tried | {tuple(getattr(answer, "__code__", None) or repr(answer) for answer in answers)}
    runs[check.__name__] = [max(best, reply.reached), times, tried]
    more = [str(one) for one in reply.nearer[: times - 1]]
    if times > 1 and any(map(callable, answers)) and not reply.share:
        more += show_numbers(reply, times)
    if times >= LAST and reply.counts:
        more.append(str(Part("These are all the hints that this check has.")))
    if times >= LAST and check.__name__ in solutions and len(tried) < ENOUGH:
        soon = (
            "You can open one solution here once yours is right or you have tried five different answers. "
            "So far, since the kernel was started: {tried}."
        )
        more.append(str(Part(soon, tried=len(tried))))
    offer(check.__name__)
    reply.told = more
    return more


def count_success(check):
    """Count that a check was passed where a learner sees it, and offer the solution."""
    if listener.get() is print:
        runs[check] = [(), 0, set(range(ENOUGH))]
        offer(check)


def take_solutions(packed):
    """Take {check: code of a solution}, JSON in base64, so that nobody reads one by accident."""
    solutions.update(loads(b64decode(packed)))


def offer(check):
    """Show a folded solution below a cell of a notebook that brings one, after success or ENOUGH answers."""
    if check in solutions and len(runs[check][-1]) >= ENOUGH:
        from IPython import get_ipython
        from IPython.display import HTML, display

        title, code, shell = str(Part("One solution, to compare with yours")), escape(solutions[check]), get_ipython()
        title = f"{exercise.get()}: {title}" if exercise.get() else title

        def show_below(*_):
            if shell:
                shell.events.unregister("post_run_cell", show_below)
            display(HTML(f"<details><summary>{title}</summary><pre>{code}</pre></details>"))

        if shell:  # which shows the message only when the cell has ended
            shell.events.register("post_run_cell", show_below)
        else:
            show_below()


more.update(wrong=say_more, right=count_success)
