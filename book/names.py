"""Names that a piece of code binds, imports and uses, and the statements of a chapter on which such names depend."""

import ast
import copy
import re
import symtable
from functools import cache

PACKAGES = ("attention_src", "attention_course")
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


def parse(source):
    """Return the syntax of a cell, without what only IPython understands."""
    return ast.parse(python_only(source))


def _without_magic(line):
    code = line.lstrip()
    indent = line[: len(line) - len(code)]
    if TIMED.match(code):
        return indent + TIMED.sub("", code, count=1)
    if RESULT.fullmatch(code):
        return indent + RESULT.sub(r"\1[]", code)
    asks = code.rstrip().endswith("?") and "#" not in code
    return indent + "pass" if MAGIC.match(code) or asks else line


class SpelledOut(ast.NodeTransformer):
    """Code in a form in which the tables of symbols are the same in every Python, and x += 1 uses x.

    Comprehensions become generators: from Python 3.12, the tables count the variables of a comprehension to the code
    around it.
    """

    def visit_ListComp(self, node):
        self.generic_visit(node)
        return ast.GeneratorExp(node.elt, node.generators)

    visit_SetComp = visit_ListComp

    def visit_DictComp(self, node):
        self.generic_visit(node)
        return ast.GeneratorExp(ast.Tuple([node.key, node.value], ast.Load()), node.generators)

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        if not isinstance(node.target, ast.Name):
            return node
        return ast.Assign([node.target], ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value))


def read_symbols(source):
    """Return the tables of symbols of some code: its own, then those of the functions and classes within it."""
    tree = ast.fix_missing_locations(SpelledOut().visit(ast.parse(source)))
    tables = [symtable.symtable(ast.unparse(tree), "cell", "exec")]
    for table in tables:
        tables += table.get_children()
    return tables


def find_bound_and_used(source):
    """Return two sets of names: those the code binds at its top level, and those it takes from there."""
    try:
        top, *inner = read_symbols(AWAIT.sub("", source))
    except UNPARSED:
        return set(), set()
    bound = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    used = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_referenced()}
    return bound, used | {symbol.get_name() for table in inner for symbol in table.get_symbols() if symbol.is_global()}


@cache
def statements(source):
    """(text, whether it stands beside an import, bound, used) of each top-level statement, one import a statement."""
    return [(text, beside, *find_bound_and_used(text)) for text, beside in _statements(source)]


def _statements(source):
    nodes = parse(source).body
    beside = any(isinstance(node, ast.Import | ast.ImportFrom) for node in nodes)
    for node in nodes:
        for part in split_import(node) or [node]:
            yield ast.unparse(part), beside and part is node


def split_import(statement):
    """Return an import as imports of one name each; an empty list for any other statement."""
    singles = []
    for alias in statement.names if isinstance(statement, ast.Import | ast.ImportFrom) else ():
        singles.append(copy.copy(statement))
        singles[-1].names = [alias]
    return singles


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
    return "\n".join(map(ast.unparse, filter(is_definition, parse(source).body)))


def is_definition(statement):
    """Return whether a statement defines something, or sets something up (`torch.set_default_dtype(...)`)."""
    kinds = ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef | ast.Assign
    is_setting = isinstance(statement, ast.Expr) and ast.unparse(statement).startswith(("np.set_", "torch.set_"))
    return isinstance(statement, kinds) or is_setting


def imported_names(node, package=()):
    """Yield (name that is bound, module, attribute) for each name of an import, none for any other node.

    `package` is where the file lies, for imports that begin with dots: ("evidence",) for `evidence/engine.py`.

    >>> [*imported_names(ast.parse("import numpy as np, os.path").body[0])]
    [('np', 'numpy', ''), ('os', 'os', '')]
    >>> [*imported_names(ast.parse("from .engine import load as read").body[0], ("evidence",))]
    [('read', 'evidence.engine', 'load')]
    """
    if isinstance(node, ast.Import):
        for alias in node.names:
            first = alias.name.partition(".")[0]
            yield (alias.asname, alias.name, "") if alias.asname else (first, first, "")
    elif isinstance(node, ast.ImportFrom):
        above = package[: len(package) - node.level + 1] if node.level else ()
        module = ".".join([*above, *filter(None, [node.module])])
        yield from ((alias.asname or alias.name, module, alias.name) for alias in node.names)


def package_imports(tree):
    """Return what some code imports from the book's two packages: {"plots": "attention_course.plots", ...}."""
    found = [imported for node in ast.walk(tree) for imported in imported_names(node)]
    return {name: f"{module}.{attribute}" for name, module, attribute in found if attribute and is_of_packages(module)}


def is_of_packages(module):
    """Return whether a dotted name is that of one of the book's two packages or of something in them."""
    return module.partition(".")[0] in PACKAGES


def package_names(sources):
    """Map each name that the sources import from the book's packages to the name it has there.

    >>> package_names(["from attention_src import softmax as soft", "from attention_course import plots", "import os"])
    {'soft': 'softmax', 'plots': 'plots'}
    """
    found = {}
    for source in sources:
        try:
            imported = package_imports(parse(source))
        except UNPARSED:
            continue
        found |= {name: dotted.rpartition(".")[2] for name, dotted in imported.items()}
    return found
