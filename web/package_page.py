"""The reference page of the two packages, made from their docstrings, and its links to the chapters.

Every name links the chapters that use it or, if none does, those that use what is built on it. Both are computed from
the code of chapters and package. The links from the code of a chapter to this page are made by sphinx-codeautolink.
"""

import re

from book.chapter import CHAPTERS, code, exercises, printed, read
from book.names import package_imports, parse
from web.package_uses import chapters_of, home, users, uses

SHAPE = re.compile(r"\((?:[\w./ ·+-]+,)+(?: [\w./ ·+-]+)?\)")


def _read_chapters(app):
    """Note for each name the chapters that use it and the names built on it, for each check its call and output."""
    app.chapters_using, app.package_users, app.calls = {}, users(), {}
    for path in CHAPTERS:
        notebook = read(path)
        tree = parse("\n".join(cell.source for cell in code(notebook)))
        for name in map(home, uses(tree)):
            app.chapters_using.setdefault(name, set()).add(f"chapters/{path.stem}")
        for check in (exercise.check for exercise in exercises(notebook)):
            for name in uses(parse(check.source), package_imports(tree)):
                app.calls.setdefault(home(name), (check.source, printed(check)))


def mark_shapes(app, what, name, thing, options, lines):
    """Set the shapes in a docstring as code, each behind its name, before napoleon reads the docstring."""
    section, marked = "", []
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if following.startswith("---"):
            line = section = line.replace("Attributes", "Parameters")  # a named tuple is made from its fields
        if section in ("Parameters", "Returns"):
            item = re.fullmatch(r"(\*?\w[\w, ]*) : (.+)", line)
            shaped = SHAPE.sub(r"``\g<0>``", item[2] if item else line)
            if item:
                marked.append(f"``{item[1]}``" if section == "Returns" else item[1])
                line = f"    {shaped}{'.' if following.startswith(' ') else ''}"
            else:
                line = shaped
        marked.append(line)
    lines[:] = marked


def _skip_fields(app, what, name, thing, skip, options):
    """Leave out the fields of a named tuple, which its docstring has."""
    return True if type(thing).__name__ == "_tuplegetter" else None


def _link_chapters(app, what, name, thing, options, lines):
    """End the entry of a check with its call in the chapter, and that of any name with links to its chapters."""
    if what == "module":
        return
    if name in app.calls:
        source, said = app.calls[name]
        call = [f"{'...' if line[0] in ' )' else '>>>'} {line}" for line in source.splitlines() if line]
        lines += ["", ".. rubric:: Examples", "", *call, *said.splitlines(), ""]
    chapters = sorted(chapters_of(name, app.chapters_using, app.package_users))
    if chapters:
        lines += ["", "In the chapters: " + ", ".join(f":doc:`/{chapter}`" for chapter in chapters) + "."]


def _find_elsewhere(app, env, node, shown):
    """Resolve a name that a docstring mentions without its module, if one function or class of the formulas has it."""
    if node.get("refdomain") != "py" or "." in node["reftarget"]:
        return None
    python, ending = env.get_domain("py"), f".{node['reftarget']}"
    found = [name for name, entry in python.objects.items() if name.endswith(ending) and _is_formula(name, entry)]
    if len(found) != 1:
        return None
    return python.resolve_xref(env, node["refdoc"], app.builder, "obj", found[0], node, shown)


def _is_formula(name, entry):
    return entry.objtype in ("function", "class") and not name.startswith("attention_course.checks.")


def _settle(app, config):
    config.default_role = "py:obj"  # what stands between single backticks in a docstring is a name
    config.autodoc_member_order = "bysource"
    config.add_module_names = False
    config.html_domain_indices = False  # the page itself lists the modules
    config.autodoc_typehints = "none"  # what a parameter is stands beside its name
    config.napoleon_use_rtype = False
    config.toc_object_entries_show_parents = "hide"


def setup(app):
    for extension in ("autodoc", "napoleon", "viewcode"):
        app.setup_extension(f"sphinx.ext.{extension}")
    app.connect("config-inited", _settle)
    app.connect("builder-inited", _read_chapters)
    app.connect("autodoc-skip-member", _skip_fields)
    app.connect("autodoc-process-docstring", mark_shapes, priority=400)  # before napoleon
    app.connect("autodoc-process-docstring", _link_chapters, priority=600)  # after it
    app.connect("missing-reference", _find_elsewhere)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
