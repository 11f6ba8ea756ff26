"""The reference page of the two packages, made from their docstrings, and its links to the chapters.

Every name links the chapters that use it or, if none does, those that use what is built on it. Both are computed from
the code of the chapters and the packages. The links from the code of a chapter to this page are sphinx-codeautolink's.
"""

import ast
import importlib
import pkgutil
import re
from functools import cache
from pathlib import Path

from sphinx.pycode import ModuleAnalyzer

import attention_course
import attention_src
from book.chapter import CHAPTERS, code, exercises, read, read_outputs
from book.names import is_of_packages, package_imports, parse, python_only

PACKAGES = (attention_src, attention_course)
MODULES = [package.__name__ for package in PACKAGES] + [
    module.name for package in PACKAGES for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
]
SHAPE = re.compile(r"\((?:[\w./ ·+-]+,)+(?: [\w./ ·+-]+)?\)")


def find_uses(source, imports=None):
    """Return the names of the packages that a piece of code uses, each under the name of the module that defines it.

    `plots.grid` counts as that, and not as `plots` as well. `imports` says what was imported under which name; by
    default that is what the code itself imports.
    """
    tree = parse(source)
    known, used = imports or package_imports(tree), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in known:
            imported = known[node.value.id]
            used.add(f"{imported}.{node.attr}" if imported in MODULES else imported)
        elif isinstance(node, ast.Name) and node.id in known and known[node.id] not in MODULES:
            used.add(known[node.id])
    return {find_entry(name) for name in used}


@cache
def find_entry(name):
    """Return the name under which the page has what is imported as `name`: that of the module that defines it.

    `attention_src.softmax` is `attention_src.weights.softmax`. A constant does not know its module, so we look for the
    one with a comment on it that begins with ``#:``. What a private module defines belongs to its package.
    """
    module, _, short = name.rpartition(".")
    value = getattr(importlib.import_module(module), short)
    defined = getattr(value, "__module__", None) if callable(value) else None
    if defined is None:
        defined = next((place for place in [module, *MODULES] if _documents(place, short, value)), module)
    return f"{_public(defined)}.{short}"


def _public(module):
    """Return the module, or the package that a private module belongs to."""
    return re.sub(r"\._\w+$", "", module)


def _documents(module, short, value):
    """Return whether a module comments on a constant, which is the same one."""
    commented = ("", short) in ModuleAnalyzer.for_module(module).find_attr_docs()
    return commented and getattr(importlib.import_module(module), short) is value


def find_users():
    """Return, for each function and class of the packages, those that mention it in their code."""
    found = {}
    for module in map(importlib.import_module, MODULES):
        for part in ast.parse(Path(module.__file__).read_text("utf-8")).body:
            nodes = list(ast.walk(part))
            words, known = {node.id for node in nodes if isinstance(node, ast.Name)}, dict(vars(module))
            for node in nodes:
                if isinstance(node, ast.ImportFrom) and node.level:  # inside a function, if what it imports is large
                    source = importlib.import_module("." * node.level + (node.module or ""), module.__package__)
                    known |= {name.asname or name.name: getattr(source, name.name) for name in node.names}
            for word in words if isinstance(part, ast.FunctionDef | ast.ClassDef) else ():
                defined = getattr(known.get(word), "__module__", None) or ""
                if is_of_packages(defined):
                    user = f"{_public(module.__name__)}.{part.name}"
                    found.setdefault(f"{_public(defined)}.{word}", set()).add(user)
    return found


def find_chapters(name, chapters_using, users, seen=()):
    """Return the chapters that use the name; if none does, the chapters of what is built on it, and so on upwards."""
    if name in chapters_using or name in seen:
        return chapters_using.get(name, set())
    above = (find_chapters(user, chapters_using, users, (*seen, name)) for user in users.get(name, ()))
    return set().union(*above)


def _join_code(notebook):
    """Return the code of a notebook as Python, its magics read cell by cell, since IPython is given no more at once."""
    return "\n".join(python_only(cell.source) for cell in code(notebook))


def list_chapters_using():
    """Return the names of the chapters that use each name of the packages themselves."""
    found = {}
    for path in CHAPTERS:
        for name in find_uses(_join_code(read(path))):
            found.setdefault(name, set()).add(path.stem)
    return found


def _read_chapters(app):
    """Note the chapters that use each name, the names that are built on it, and for each check its call and output."""
    app.chapters_using, app.package_users, app.calls = list_chapters_using(), find_users(), {}
    for notebook in map(read, CHAPTERS):
        imports = package_imports(parse(_join_code(notebook)))
        for check in (exercise.check for exercise in exercises(notebook)):
            for name in find_uses(check.source, imports):
                app.calls.setdefault(name, (check.source, read_outputs(check)))


def mark_shapes(lines):
    """Return the lines of a docstring with shapes set as code, each below its name, for napoleon to read."""
    section, marked = "", []
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if following.startswith("---"):
            line = section = line.replace("Attributes", "Parameters")  # a named tuple is made from its fields
        if section in ("Parameters", "Returns"):
            item = re.fullmatch(r"(\*?\w[\w, ]*) : (.+)", line)
            line = SHAPE.sub(r"``\g<0>``", item[2] if item else line)
            if item:
                marked.append(f"``{item[1]}``" if section == "Returns" else item[1])
                line = f"    {line}{'.' if following.startswith(' ') else ''}"
        marked.append(line)
    return marked


def _mark_shapes(app, what, name, thing, options, lines):
    lines[:] = mark_shapes(lines)


def _skip_fields(app, what, name, thing, skip, options):
    """Leave out the fields of a named tuple, because its docstring describes them."""
    return True if type(thing).__name__ == "_tuplegetter" else None


def _link_chapters(app, what, name, thing, options, lines):
    """End the entry of a check with its call in the chapter, and that of any name with links to its chapters."""
    if what == "module":
        return
    if name in app.calls:
        source, output = app.calls[name]
        call = [f"{'...' if line[0] in ' )' else '>>>'} {line}" for line in source.splitlines() if line]
        lines += ["", ".. rubric:: Examples", "", *call, *output.splitlines(), ""]
    if chapters := sorted(find_chapters(name, app.chapters_using, app.package_users)):
        lines += ["", "In the chapters: " + ", ".join(f":doc:`/chapters/{chapter}`" for chapter in chapters) + "."]


def _resolve_short_name(app, env, node, shown):
    """Resolve a name that a docstring mentions without its module, if just one function or class has it.

    Checks don't count, since many of them are named after the function that they judge.
    """
    if node.get("refdomain") != "py" or "." in node["reftarget"]:
        return None
    domain, ending = env.get_domain("py"), f".{node['reftarget']}"
    kinds = {name: entry.objtype for name, entry in domain.objects.items() if name.endswith(ending)}
    checks = {name for name in kinds if name.startswith("attention_course.checks.")}
    found = [name for name in kinds.keys() - checks if kinds[name] in ("function", "class")]
    if len(found) == 1:
        return domain.resolve_xref(env, node["refdoc"], app.builder, "obj", *found, node, shown)


def setup(app):
    app.connect("builder-inited", _read_chapters)
    app.connect("autodoc-skip-member", _skip_fields)
    app.connect("autodoc-process-docstring", _mark_shapes, priority=400)  # before napoleon
    app.connect("autodoc-process-docstring", _link_chapters, priority=600)  # after it
    app.connect("missing-reference", _resolve_short_name)
