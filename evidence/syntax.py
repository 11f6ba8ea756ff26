"""What the definitions of a file say: digests of their syntax, and what each of them names in other files."""

import ast
import hashlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from book.chapter import ROOT, code, definitions, read
from book.names import imported_names, parse

FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
SCOPES = FUNCTIONS | ast.Lambda | ast.ClassDef | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


class Part(NamedTuple):
    """A definition of a file: its digest, the names that it uses, its kind, and from where it is imported, if it is."""

    digest: str
    names: frozenset = frozenset()
    is_function: bool = False
    lambdas: frozenset = frozenset()  # the lines of those that are in a value
    module: str = ""
    attribute: str = ""


def digest(content):
    """Return a short digest of bytes, a text, or syntax, in which docstrings and comments count for nothing."""
    content = content if isinstance(content, str | bytes) else repr(_as_lists(content))
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()[:16]


def _as_lists(node):
    """Return syntax as nested lists, the same for every version of Python that has no new syntax in it."""
    if isinstance(node, list):
        return [_as_lists(part) for part in node]
    if not isinstance(node, ast.AST):
        return node
    fields = {name: value for name, value in ast.iter_fields(node) if value is not None and value != []}
    if isinstance(node, FUNCTIONS | ast.ClassDef | ast.Module) and _is_text(fields.get("body", [None])[0]):
        fields["body"] = node.body[1:] or [ast.Pass()]
    return [type(node).__name__, *([name, _as_lists(value)] for name, value in fields.items())]


def _is_text(node):
    return isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str)


@cache
def parts(path):
    """Return {name: Part} of a file, by its path in the repository; {} if there is none.

    "Class.method" is a method, and "Class" the class without its methods' bodies; "" is what has an effect when the
    file is loaded, decorators included; "*" is the whole file, and all of a file that is neither Python nor a notebook.
    """
    file, found, effects = ROOT / path, {}, []
    if file.suffix not in (".py", ".ipynb"):
        return {"*": Part(digest(file.read_bytes()))} if file.is_file() else {}
    if not file.is_file():
        return {}
    whole = tree = ast.parse(file.read_text("utf-8")) if file.suffix == ".py" else None
    if not tree:
        whole = [parse(cell.source) for cell in code(read(file))]
        tree = ast.parse("\n".join(definitions(read(file))))
    package = path.split("/")[:-1]
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            for name, module, attribute in imported_names(node, package):
                found.setdefault(name, []).append((ast.Constant([module, attribute]), module, attribute))
            continue
        bound = _bound_by([node])
        is_value = bound and isinstance(node, ast.Assign | ast.AnnAssign)  # x = 1, not x.a = 1
        if isinstance(node, FUNCTIONS | ast.ClassDef):
            effects += node.decorator_list
        elif not (is_value or _is_text(node) or ast.unparse(node).startswith("if __name__ ==")):
            effects.append(node)
        if isinstance(node, ast.ClassDef):
            for method in (part for part in node.body if isinstance(part, FUNCTIONS)):
                found.setdefault(f"{node.name}.{method.name}", []).append((method, "", ""))
            body = [ast.Constant(part.name) if isinstance(part, FUNCTIONS) else part for part in node.body]
            node = ast.ClassDef(node.name, node.bases, node.keywords, body, node.decorator_list)
        for name in bound:
            found.setdefault(name, []).append((node, "", ""))
    made = {name: _part(entries) for name, entries in found.items()}
    return made | {"": Part(digest(effects), _names(effects)), "*": Part(digest(whole))}


def _part(entries):
    """Return the part that some (syntax, module, attribute) make together: a name may be defined more than once."""
    nodes, is_function = [entry[0] for entry in entries], all(isinstance(entry[0], FUNCTIONS) for entry in entries)
    inner = [] if is_function else [part for node in nodes for part in ast.walk(node)]
    lambdas = frozenset(part.lineno for part in inner if isinstance(part, ast.Lambda))
    return Part(digest(nodes), _names(nodes), is_function, lambdas, *entries[-1][1:])


def _names(nodes):
    """Return the names that some syntax uses, with the attributes behind them: "np", "plots.grid"."""
    found = set()
    for node in nodes:
        used = {name for part in ast.walk(node) if (name := _dotted(part))}
        local = _locals(node) if isinstance(node, FUNCTIONS) else set()
        found |= {name for name in used if name.partition(".")[0] not in local}
    return frozenset(found)


def _locals(function):
    """Return the names that are local to a function: its arguments, and what its own body binds."""
    known = function.args
    every = [*known.posonlyargs, *known.args, *known.kwonlyargs, known.vararg, known.kwarg]
    outer = {name for part in ast.walk(function) if isinstance(part, ast.Global) for name in part.names}
    return ({argument.arg for argument in every if argument} | _bound_by(function.body)) - outer


def _bound_by(nodes):
    """Return the names that statements bind in their own scope, not those of comprehensions and functions in them."""
    waiting, bound = [*nodes], set()
    while waiting:
        node = waiting.pop()
        bound |= {name for name, _, _ in imported_names(node)}
        bound |= {node.name} if isinstance(node, FUNCTIONS | ast.ClassDef) else set()
        bound |= {node.id} if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else set()
        waiting += [] if isinstance(node, SCOPES) else ast.iter_child_nodes(node)
    return bound


def _dotted(node):
    if isinstance(node, ast.Attribute):
        return (inner := _dotted(node.value)) and f"{inner}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else None


@cache
def module_path(name):
    """Return the path in the repository of a module, None for any other name."""
    place = ROOT.joinpath(*name.split("."))
    found = next(filter(Path.is_file, (place.with_suffix(".py"), place / "__init__.py")), None) if name else None
    return found and found.relative_to(ROOT).as_posix()


def resolve(path, name):
    """Yield (path, name) of every definition on the way from a name in a file to what it stands for."""
    first, _, rest = name.partition(".")
    if first not in parts(path) or not first:
        return
    yield path, first
    module, attribute = parts(path)[first].module, parts(path)[first].attribute
    if inner := module_path(f"{module}.{attribute}" if attribute else module):  # it is a module
        yield from resolve(inner, rest)
    elif outer := module_path(module):
        yield from resolve(outer, f"{attribute}.{rest}" if rest else attribute)


def add_named(executed):
    """Return {path: {name: digest}} of these definitions, and of all but functions that they name, transitively."""
    found, waiting = set(), list(executed)
    while waiting:
        path, name = waiting.pop()
        if (path, name) not in found and name in parts(path):
            found.add((path, name))
            for used in parts(path)[name].names | ({name.partition(".")[0]} if "." in name else set()):
                waiting += [at for at in resolve(path, used) if not parts(at[0])[at[1]].is_function]
    paths = sorted({path for path, _ in found})
    return {at: {name: parts(at)[name].digest for path, name in sorted(found) if path == at} for at in paths}
