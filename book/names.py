"""Which names a piece of code binds and which it uses: what of a chapter an answer needs, and whose work it calls."""

import ast
import copy
import re
import symtable
from functools import cache

UNPARSED = (SyntaxError, ValueError, RecursionError, MemoryError)  # of what is no Python, or too much of it
MAGIC = re.compile(r"%%?[a-z]|!|\?")  # %pip, %%time, !ls, ?f
TIMED = re.compile(r"%time(it)? (?!-)")  # and behind it the statement
AWAIT = re.compile(r"\bawait\s")  # which a notebook allows outside of functions
RESULT = re.compile(r"(\w+ = )[!%].*")  # of a command


@cache
def python_only(source):
    """Return the source without what only IPython understands, so that Python can read it."""
    return source if parses(source) else "\n".join(map(_without_magic, source.split("\n")))


def parses(source):
    try:
        ast.parse(source)
        return True
    except UNPARSED:
        return False


def _without_magic(line):
    code = line.lstrip()
    indent = line[: len(line) - len(code)]
    if TIMED.match(code):
        return indent + TIMED.sub("", code, count=1)
    if RESULT.fullmatch(code):
        return indent + RESULT.sub(r"\1[]", code)
    asks = code.rstrip().endswith("?") and "#" not in code
    return indent + "pass" if MAGIC.match(code) or asks else line


def bound_and_used(source):
    """Return two sets of names: those the code binds at its top level, and those it takes from there."""
    try:
        top = symtable.symtable(AWAIT.sub("", source), "cell", "exec")
    except UNPARSED:
        return set(), set()
    bound = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    return bound, {symbol.get_name() for symbol in top.get_symbols() if symbol.is_referenced()} | globals_of(top)


def globals_of(table):
    """Names that functions and classes within a table take from the top level."""
    found = set()
    for inner in table.get_children():
        found |= {symbol.get_name() for symbol in inner.get_symbols() if symbol.is_global()} | globals_of(inner)
    return found


@cache
def statements(source):
    """(text, whether it stands beside an import, bound, used) of each top-level statement, one import a statement."""
    return [(text, beside, *bound_and_used(text)) for text, beside in _statements(source)]


def _statements(source):
    nodes = ast.parse(python_only(source)).body
    beside = any(isinstance(node, ast.Import | ast.ImportFrom) for node in nodes)
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                one = ast.Import([alias]) if isinstance(node, ast.Import) else copy.copy(node)
                one.names = [alias]
                yield ast.unparse(one), False
        else:
            yield ast.unparse(node), beside


def needed(sources, wanted):
    """Return the statements of a chapter's cells that bind the wanted names, and what those statements need in turn.

    A call beside an import (`np.set_printoptions`, `torch.set_default_dtype`) is kept when its module is.
    """
    parts = [part for source in sources for part in statements(source)]
    wanted, kept, bound_by_kept = set(wanted), set(), set()
    growing = True
    while growing:
        growing = False
        for i, (_, beside, bound, used) in enumerate(parts):
            setting = beside and not bound and used and used <= bound_by_kept
            if i not in kept and (bound & wanted or setting):
                kept, wanted, bound_by_kept, growing = kept | {i}, wanted | used, bound_by_kept | bound, True
    return "\n".join(parts[i][0] for i in sorted(kept))


@cache
def definitions(source):
    """Return the imports, functions, classes and assignments of a cell, and what sets something up; no loops."""
    return "\n".join(map(ast.unparse, filter(is_definition, ast.parse(python_only(source)).body)))


def is_definition(statement):
    """Return whether a statement defines something, or sets something up (`torch.set_default_dtype(...)`)."""
    kinds = ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef | ast.Assign
    is_setting = isinstance(statement, ast.Expr) and ast.unparse(statement).startswith(("np.set_", "torch.set_"))
    return isinstance(statement, kinds) or is_setting


def package_names(sources):
    """Map each name that the sources import from the package to the name it has there."""
    found = {}
    for source in sources:
        try:
            nodes = ast.walk(ast.parse(python_only(source)))
        except UNPARSED:
            continue
        for node in nodes:
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "attention_src":
                found |= {alias.asname or alias.name: alias.name for alias in node.names}
    return found
