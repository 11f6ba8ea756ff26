"""Which names of the two packages a piece of code uses, where each is defined, and what is built on what."""

import ast
import importlib
import pkgutil
import re
from functools import cache
from pathlib import Path

from sphinx.pycode import ModuleAnalyzer

import attention_course
import attention_src
from book.names import python_only

PACKAGES = (attention_src, attention_course)
MODULES = [package.__name__ for package in PACKAGES]
MODULES += [
    module.name for package in PACKAGES for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
]


def python(source):
    """Return the code of a cell, parsed, with a `pass` for each line that only IPython understands."""
    return ast.parse(python_only(source))


def is_of_the_book(name):
    """Say whether a dotted name is of one of the two packages."""
    return name.partition(".")[0] in MODULES


def imports(tree):
    """Return what is imported from the package under each name: {'plots': 'attention_course.plots', ...}."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    inside = [node for node in found if is_of_the_book(node.module)]
    return {alias.asname or alias.name: f"{node.module}.{alias.name}" for node in inside for alias in node.names}


def uses(tree, known=None):
    """Return the names of the package that the code uses, each under the dotted name by which it was imported.

    `plots.grid` counts as that, and not as `plots` too.

    Parameters
    ----------
    tree : ast.AST
    known : dict, what was imported under which name; by default by the code itself
    """
    known, used = known or imports(tree), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in known:
            imported = known[node.value.id]
            used.add(f"{imported}.{node.attr}" if imported in MODULES else imported)
        elif isinstance(node, ast.Name) and node.id in known and known[node.id] not in MODULES:
            used.add(known[node.id])
    return used


@cache
def home(name):
    """Return the name under which the page has what is imported as `name`: that of the module that defines it.

    `attention_src.softmax` is `attention_src.weights.softmax`. A constant does not know its module: it belongs to that
    with a comment on it which begins with ``#:``. What a private module defines belongs to its package.
    """
    module, _, short = name.rpartition(".")
    value = getattr(importlib.import_module(module), short)
    defined = getattr(value, "__module__", None) if callable(value) else None
    if defined is None:
        within = [place for place in MODULES if place == module or place.startswith(f"{module}.")]
        defined = next((place for place in within if ("", short) in _comments(place)), module)
    return f"{_public(defined)}.{short}"


def _public(module):
    """Return the module, or the package that a private module belongs to."""
    return re.sub(r"\._\w+$", "", module)


def _comments(module):
    return ModuleAnalyzer.for_module(module).find_attr_docs()


def users():
    """Return, for each function and class of the package, those that mention it in their code."""
    found = {}
    for module in map(importlib.import_module, MODULES):
        for part in ast.parse(Path(module.__file__).read_text("utf-8")).body:
            words = {node.id for node in ast.walk(part) if isinstance(node, ast.Name)}
            for word in words if isinstance(part, ast.FunctionDef | ast.ClassDef) else ():
                value = getattr(module, word, None)
                if is_of_the_book(getattr(value, "__module__", "")):
                    user = f"{_public(module.__name__)}.{part.name}"
                    found.setdefault(f"{_public(value.__module__)}.{word}", set()).add(user)
    return found


def chapters_of(name, direct, mentioned, seen=()):
    """Return the chapters that use the name; if none does, the chapters of what is built on it, and so on upwards."""
    if name in direct or name in seen:
        return direct.get(name, set())
    above = (chapters_of(user, direct, mentioned, (*seen, name)) for user in mentioned.get(name, ()))
    return set().union(*above)
