"""Runs the cells of a page: what they print and draw, and the names that they leave to the cells below.

It knows nothing of browsers. `worker.js` gives it a chain of cells, the last of which was asked for; those before it
run only as far as nobody has run the same chain already.
"""

import ast
import builtins
import copy
import hashlib
import importlib
import io
import json
import linecache
import random
import re
import sys
import traceback
import types
import warnings
from contextlib import redirect_stderr, redirect_stdout

import numpy as np

import attention_course
from book.names import find_bound_and_used, imported_names, read_symbols, split_import

MOST_TEXT = 200_000  # characters that a cell may print
MOST_KEPT = 120  # snapshots
LONG = 500  # entries of a list
LARGE = 1_000_000  # bytes of an array
DRAWING = "attention_course.plots"


class MissingModule:
    """Stands for what an import would have brought if PyTorch were here; whatever uses it is told so."""

    def __init__(self, name):
        self.__dict__["absent"] = name

    def _refuse(self, *_, **__):
        raise ImportError(f"{self.absent} needs PyTorch, which does not run in a browser", name="torch")

    __getattr__ = __call__ = __iter__ = __len__ = __getitem__ = _refuse

    def __deepcopy__(self, memo):
        return self


class DeferredDrawing:
    """Stands for a drawing, and for whatever is done with it, as long as Matplotlib is not here."""

    made = 0

    def __init__(self):
        DeferredDrawing.made += 1

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return DeferredDrawing()

    def __call__(self, *_, **__):
        return DeferredDrawing()

    def __deepcopy__(self, memo):
        return self


class DeferredDrawingModule(types.ModuleType):
    """Stands for the module that draws, which would import Matplotlib."""

    def __getattr__(self, name):
        return DeferredDrawing() if not name.startswith("__") else super().__getattribute__(name)


class Text(io.StringIO):
    """What a cell prints, up to a limit."""

    def write(self, text):
        if self.tell() > MOST_TEXT:
            raise RuntimeError(f"more than {MOST_TEXT:,} characters were printed")
        return super().write(text)


def find_changed(source):
    """Every name of the page that some code binds, or whose value it may change: x = 1, x[0] = 1, x.append(1)."""
    (top, *_), (_, known) = read_symbols(source), find_bound_and_used(source)
    names = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_assigned() or symbol.is_namespace()}
    for part in ast.walk(ast.parse(source)):
        touched = part.func if isinstance(part, ast.Call) else part
        if part is touched and isinstance(getattr(part, "ctx", None), ast.Load):
            continue
        while isinstance(touched, ast.Attribute | ast.Subscript):
            touched = touched.value
            if isinstance(touched, ast.Name) and touched.id in known:
                names.add(touched.id)
    return names


def find_names(source):
    """The names that some code uses and those that it may change, modules left out; None for what is no Python.

    Numbers drawn from NumPy's own generator count as a name, and "*" says that everything may come out otherwise.
    """
    try:
        (_, uses), changes, tree = find_bound_and_used(source), find_changed(source), ast.parse(source)
    except SyntaxError:
        return None
    brought = {
        alias.asname or alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
    }
    hidden = {"np.random"} if re.search(r"np\.random\.(?!default_rng)", source) else set()
    everything = {"*"} if "set_printoptions" in source else set()
    modules = brought | {"np", "torch", "plots", "checks"}
    return {"uses": sorted((uses - modules) | hidden), "changes": sorted((changes - modules) | hidden | everything)}


def call_with_json(function, value):
    """Call a function with the value that some JSON says, and return what it gives as JSON, in ASCII."""
    return json.dumps(function(json.loads(value)))


class Page:
    """The state of one page."""

    def __init__(self):
        self.names = {"__name__": "__main__", "__builtins__": builtins}
        self.kept, self.last = {}, {}
        self.drawing, self.tell = False, None
        sys.modules[DRAWING] = attention_course.plots = DeferredDrawingModule(DRAWING)
        self.start = self._snapshot()

    def draw(self):
        """Matplotlib is here: begin again with the module that draws."""
        if not self.drawing:
            del sys.modules[DRAWING], attention_course.plots
            importlib.import_module(DRAWING)
            # Pyodide's Matplotlib 3.8 warns in other words than those that the module silences
            warnings.filterwarnings("ignore", message="Glyph .* missing from current font")
            self.drawing = True
            self.kept.clear()

    def run(self, chain):
        """Run the last cell of a chain, and before it those of the others that have not run.

        Each cell is a dict of its number `n`, its `source`, and `how` it runs: 'whole'; 'part', leaving out the
        statements that need PyTorch; 'imports', nothing else of it; or 'answer', to an exercise, which may fail and
        stops only its own check.

        Returns `results`, a dict for each cell that ran, and `draw`: whether Matplotlib has to come first.
        """
        keys, digest = [], hashlib.sha1()
        for cell in chain:
            digest.update(repr((cell["n"], cell["source"], cell["how"])).encode())
            keys.append(digest.hexdigest())
            lines = cell["source"].splitlines(keepends=True)  # also of a cell that isn't run again, whose names return
            linecache.cache[f"<cell {cell['n']}>"] = (len(cell["source"]), None, lines, f"<cell {cell['n']}>")
        last = len(chain) - 1
        first = next((i + 1 for i in range(last - 1, -1, -1) if keys[i] in self.kept), 0)
        state, failed = self.kept[keys[first - 1]] if first else (self.start, None)
        self._restore(state)
        results = []
        if first == last and failed and failed["stops"]:
            return {"results": [failed], "draw": False}
        for i in range(first, last + 1):
            if self.tell:  # set by `worker.js`
                self.tell(chain[i]["n"])
            result = self._run(chain[i], asked=i == last)
            results.append(result)
            if result["draw"]:
                return {"results": [], "draw": True}
            answer = chain[i]["how"] == "answer"
            result["stops"] = bool(result["error"]) and not (answer and (i < last - 1 or result["unwritten"]))
            failed = result if answer and result["error"] else None
            self.kept[keys[i]] = self._snapshot(), failed
            if result["stops"] and i < last:
                if not answer:
                    del self.kept[keys[i]]
                break
        for key in [*self.kept][:-MOST_KEPT]:
            del self.kept[key]
        return {"results": results, "draw": False}

    def _run(self, cell, asked):
        name = f"<cell {cell['n']}>"
        held = any(isinstance(self.names.get(name), DeferredDrawing) for name in find_bound_and_used(cell["source"])[1])
        text, value, error, skipped, made = Text(), None, None, [], DeferredDrawing.made
        with redirect_stdout(text), redirect_stderr(text), warnings.catch_warnings():
            try:
                value = self._execute(cell["source"], name, cell["how"], skipped)
                shown = None if value is None or isinstance(value, DeferredDrawing) else show_value(value)
            except BaseException as raised:  # a reader's `raise SystemExit` ends the cell, not the page
                error, shown = raised, None
        missing = isinstance(error, ImportError) and (error.name or "").partition(".")[0] in ("matplotlib", "PIL")
        failed = missing or (error is not None and DeferredDrawing.made > made)
        waits = not self.drawing and (isinstance(value, DeferredDrawing) or failed or held)
        outputs = [{"kind": "text", "text": text.getvalue()}] if text.getvalue() else []
        outputs += [shown] if shown else []
        outputs += [{"kind": "error", **explain(error, name)}] if error else []
        return {
            "n": cell["n"],
            "outputs": outputs,
            "error": type(error).__name__ if error else "",
            "unwritten": isinstance(error, NotImplementedError),
            "later": waits,
            "draw": waits and (asked or failed or held),
            "skipped": len(skipped),
            "needs": self._find_missing(cell["source"]),
        }

    def _find_missing(self, source):
        """What of some code is not here without PyTorch, also within functions."""
        _, used = find_bound_and_used(source)
        return sorted(name for name in used if isinstance(self.names.get(name), MissingModule))

    def _execute(self, source, name, how, skipped):
        """Execute a cell and return the value of its last line, if that is an expression.

        In part, leave out what needs PyTorch, append it to `skipped`, and forget the names that it would have changed.
        """
        value = None
        body = ast.parse(source, name).body
        if how == "imports":
            body = [statement for statement in body if split_import(statement)]
        for i, statement in enumerate(body):
            if singles := split_import(statement):
                for single in singles:
                    self._import(single, name)
                continue
            if how == "part" and self._find_missing(ast.unparse(statement)):
                skipped.append(statement)
                for lost in find_changed(ast.unparse(statement)):
                    if not isinstance(self.names.get(lost), types.ModuleType):
                        self.names[lost] = MissingModule(lost)
                continue
            if i == len(body) - 1 and isinstance(statement, ast.Expr) and not source.rstrip().endswith(";"):
                value = eval(compile(ast.Expression(statement.value), name, "eval"), self.names)
            else:
                exec(compile(ast.Module([statement], []), name, "exec"), self.names)
        return value

    def _import(self, statement, name):
        try:
            exec(compile(ast.Module([statement], []), name, "exec"), self.names)
        except ImportError as error:
            if (error.name or "").partition(".")[0] != "torch":
                raise
            [(bound, *_)] = imported_names(statement)
            self.names[bound] = MissingModule(bound)

    def _snapshot(self):
        self.last = copy_names(self.names, find_unchanged(self.names, self.last))
        return self.last, np.get_printoptions(), np.random.get_state(), random.getstate()

    def _restore(self, state):
        self.last, printing, numbers, others = state
        self.names.clear()
        self.names.update(copy_names(self.last))
        np.set_printoptions(**printing)
        np.random.set_state(numbers)
        random.setstate(others)


def find_unchanged(names, last):
    """Map the ids of large arrays to the arrays in an earlier copy of the names that equal them, or memory fills up."""
    found = {}
    for name, value in names.items():
        before = last.get(name)
        arrays = isinstance(value, np.ndarray) and isinstance(before, np.ndarray) and value.nbytes > LARGE
        if arrays and value.dtype == before.dtype and not any(before is one for one in found.values()):
            if np.array_equal(before, value):
                found[id(value)] = before
    return found


def copy_names(names, known=()):
    """Names with copies of their values, arrays and random generators too; what cannot be copied is shared.

    So are figures, and the examples of a long list, tuples and the like: they would take seconds to copy. What is
    `known` by its id has a copy already.
    """
    memo = {id(module): module for module in [*sys.modules.values()]} | dict(known)
    long = [value for value in names.values() if isinstance(value, list | tuple) and len(value) > LONG]
    memo |= {id(value): value[:] for value in long if isinstance(value[0], tuple | str | int | float)}
    memo |= {id(value): value for value in names.values() if type(value).__module__ == DRAWING}
    found = {}
    for name, value in names.items():
        try:
            found[name] = copy.deepcopy(value, memo)
        except Exception:
            found[name] = value
    return found


def show_value(value):
    """What a notebook shows of the value of a cell's last line."""
    if hasattr(value, "_repr_svg_"):
        return {"kind": "svg", "svg": value._repr_svg_(), "text": repr(value)}
    return {"kind": "value", "text": repr(value)}


def explain(error, name):
    """What went wrong in one line, and the line of the reader's code where it did; a check explains itself."""
    if hasattr(error, "_render_traceback_"):
        return {"text": "\n".join(error._render_traceback_()), "lines": "", "said": True}
    last = traceback.format_exception_only(error)[-1].strip()
    if isinstance(error, SyntaxError):
        places = [(error.filename or name, error.lineno, (error.text or "").strip())]
    else:
        frames = traceback.extract_tb(error.__traceback__)
        places = [(frame.filename, frame.lineno, frame.line) for frame in frames if frame.filename.startswith("<cell")]
    lines = [f"{where.strip('<>')}, line {number}: {code}" for where, number, code in places[-3:][::-1]]
    return {"text": last, "lines": "\n".join(lines), "said": False}
