"""The reference page of `attention_src`, made from its docstrings, and the links between it and the chapters.

A chapter ends with links to what it uses of the package; on the reference page every name links the chapters that use
it, or, if none does, those that use what is built on it. Both are computed from the code of chapters and package.
"""

import re

from docutils import nodes
from sphinx import addnodes

from tools.chapter import CHAPTERS, code, exercises, printed, read
from tools.package_uses import PACKAGE, chapters_of, home, imports, python, users, uses

SHAPE = re.compile(r"\((?:[\w./ ·+-]+,)+(?: [\w./ ·+-]+)?\)")


def _read_chapters(app):
    """Note what each chapter uses and by which name; for each name its chapters; for each check how it is called."""
    app.chapter_uses, app.chapters_using, app.package_users, app.calls = {}, {}, users(), {}
    for path in CHAPTERS:
        notebook, chapter = read(path), f"chapters/{path.stem}"
        whole = python("\n".join(cell.source for cell in code(notebook)))
        app.chapter_uses[chapter] = {home(name): name for name in uses(whole)}
        for name in app.chapter_uses[chapter]:
            app.chapters_using.setdefault(name, set()).add(chapter)
        for check in (exercise.check for exercise in exercises(notebook)):
            for name in uses(python(check.source), imports(whole)):
                app.calls.setdefault(home(name), (check.source, printed(check)))


def _mark_shapes(app, what, name, thing, options, lines):
    """Set the shapes of a docstring as code, behind the name that has them; before napoleon reads it."""
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


def _link_reference(app, doctree):
    """End a chapter with links to the functions and classes that it uses; one without an entry fails the build."""
    names = app.chapter_uses.get(app.env.docname, {})
    used = {name: short for name, short in names.items() if not name.rpartition(".")[2].isupper()}
    if not used:
        return
    line = nodes.paragraph("", "In the reference of the package: ", classes=["package-links"])
    for name, imported in used.items():
        target = {"refdomain": "py", "reftype": "obj", "reftarget": name, "refdoc": app.env.docname}
        shown = nodes.literal("", imported.removeprefix(f"{PACKAGE}."))
        line += [addnodes.pending_xref("", shown, refwarn=True, refexplicit=True, **target), nodes.Text(", ")]
    line[-1] = nodes.Text(".")
    [*doctree.findall(nodes.section)][-1].append(line)


def _find_elsewhere(app, env, node, shown):
    """Resolve a name that a docstring mentions without its module, if one function or class of the formulas has it."""
    if node.get("refdomain") != "py" or "." in node["reftarget"] or node.get("refwarn"):
        return None
    python, ending = env.get_domain("py"), f".{node['reftarget']}"
    found = [name for name, entry in python.objects.items() if name.endswith(ending) and _is_formula(name, entry)]
    if len(found) != 1:
        return None
    return python.resolve_xref(env, node["refdoc"], app.builder, "obj", found[0], node, shown)


def _is_formula(name, entry):
    return entry.objtype in ("function", "class") and not name.startswith(f"{PACKAGE}.checks.")


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
    app.connect("autodoc-process-docstring", _mark_shapes, priority=400)  # before napoleon
    app.connect("autodoc-process-docstring", _link_chapters, priority=600)  # after it
    app.connect("doctree-read", _link_reference)
    app.connect("missing-reference", _find_elsewhere)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
