"""Names that a piece of code binds, imports and uses, and the statements of a chapter on which such names depend."""

import ast
import copy
import re
import symtable
from functools import cache

PACKAGES = ("attention_src", "attention_course")
UNPARSED = (SyntaxError, ValueError, RecursionError, MemoryError)  # of what is no Python, or too much of it
CELL_MAGIC = re.compile(r"(\s*%%(\w+|!).*\n?)+")  # the last of them
TIMING = {"time", "timeit", "prun", "memit", "mprun"}  # magics of a line, behind which a statement stands
OPTIONS = re.compile(r"(-[\w-]+( \d+)?\s+)*")  # of such a magic
OTHER = """! bash cmd file html HTML javascript js latex markdown perl pypy python python2 python3 ruby script sh
svg SVG sx system writefile""".split()  # magics of a cell in which no code of this notebook stands
LINES = re.compile(r"^[ \t]*[%!?]|=[ \t]*[%!]|\?[ \t]*$", re.M)  # that may be magic
MOST, LONGEST = 40, 20_000  # such lines and characters of a cell, of which IPython reads all again after each


@cache
def python_only(source):
    """Return the source without what only IPython understands, so that Python can read it."""
    if parses(source) or len(source) > LONGEST or len(LINES.findall(source)) > MOST:
        return source
    if magic := CELL_MAGIC.match(source):
        return "pass" if magic[2] in OTHER else "pass\n" + python_only(source[magic.end() :])
    from IPython.core.inputtransformer2 import TransformerManager  # the page's Python has none

    try:
        source = TransformerManager().transform_cell(source)
        return ast.unparse(ast.fix_missing_locations(WithoutMagic().visit(ast.parse(source))))
    except (*UNPARSED, RuntimeError):
        return source


def parses(source):
    try:
        ast.parse(source)
        return True
    except UNPARSED:
        return False


def parse(source):
    """Return the syntax of a cell, without what only IPython understands."""
    return ast.parse(python_only(source))


class WithoutMagic(ast.NodeTransformer):
    """Code in which the calls that IPython makes of magics are what they run, or nothing."""

    def visit_Expr(self, node):
        if (statement := _find_timed(node.value)) is None:
            return node
        return ast.parse(statement if parses(statement) else "").body or ast.Pass()

    def visit_Assign(self, node):
        if (statement := _find_timed(node.value)) is not None:
            node.value = ast.parse(statement or "[]", mode="eval").body
        return node

    visit_AnnAssign = visit_Assign


def _find_timed(node):
    """Return the statement behind a magic that times it, empty for other magics, None for what is no magic."""
    match node:
        case ast.Call(ast.Attribute(ast.Call(ast.Name("get_ipython")), kind), arguments):
            magic, *behind = [argument.value for argument in arguments if isinstance(argument, ast.Constant)]
            timed = kind == "run_line_magic" and magic in TIMING and behind
            return OPTIONS.sub("", behind[0], count=1) if timed else ""
    return None


class SpelledOut(ast.NodeTransformer):
    """Code in a form in which the tables of symbols are the same in every Python, and x += 1 uses x.

    Comprehensions become generators: from Python 3.12, the tables count the variables of a comprehension to the code
    around it. What is awaited at the top level stands there as it is.
    """

    def visit_Await(self, node):
        return self.generic_visit(node).value

    def visit_AsyncWith(self, node):
        return ast.With(**vars(self.generic_visit(node)))

    def visit_AsyncFor(self, node):
        return ast.For(**vars(self.generic_visit(node)))

    def visit_comprehension(self, node):
        node.is_async = 0
        return self.generic_visit(node)

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
        top, *inner = read_symbols(source)
    except UNPARSED:
        return set(), set()
    bound = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    used = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_referenced()}
    return bound, used | {symbol.get_name() for table in inner for symbol in table.get_symbols() if symbol.is_global()}


def find_bound_from(source, line):
    """Return two sets of names: those a cell binds or changes from a line on, by its functions too, and imports."""
    try:
        nodes = ast.parse(source).body
    except UNPARSED:  # perhaps of another Python
        return {*re.findall(r"^(?:async def|def|class|(?=\w+[ \t]*=[^=]))[ \t]*(\w+)", source, re.M)}, set()
    below = [node for node in nodes if node.end_lineno >= line]
    bound, used = find_bound_and_used(ast.unparse(ast.Module(below, [])))
    called = [node for node in nodes if isinstance(node, ast.FunctionDef) and node.name in used]
    changing = below + [node for one in called for node in ast.walk(one) if isinstance(node, ast.stmt)]
    # `x[0] = 1`, `x.y = 1`, `x.update(y)`, `global x`
    starts = (re.match(r"(\w+)[.\[]|global (\w+)", ast.unparse(node)) for node in changing)
    imported = {name for node in below for name, _, _ in imported_names(node)}
    return bound.union(start[1] or start[2] for start in starts if start), imported


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
