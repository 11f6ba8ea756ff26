"""Imports go one way, from a higher layer of ARCHITECTURE.md to a lower one, and never in a circle."""

import ast
import re
from functools import cache
from graphlib import CycleError, TopologicalSorter

from book.chapter import CHAPTERS, ROOT, code, read
from book.names import imported_names

PAGE = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
ROWS = re.findall(r"^\| ((?:`\w+/` ?)+)\|", PAGE, re.M)  # from the highest
LAYERS = [re.findall(r"\w+", row) for row in reversed(ROWS)]
HEIGHT = {folder: height for height, folders in enumerate(LAYERS) for folder in folders}


@cache
def read_sources():
    """Return {path in the repository: text} of every Python file of the layers, and of the code of each chapter."""
    files = [file for folder in HEIGHT for file in sorted((ROOT / folder).rglob("*.py"))]
    texts = {file: file.read_text("utf-8") for file in files}
    texts |= {path: "\n".join(cell.source for cell in code(read(path))[1:]) for path in CHAPTERS}  # the first installs
    return {path.relative_to(ROOT).as_posix(): text for path, text in texts.items()}


@cache
def list_imports(path, source):
    """Return what a file imports, anywhere in it: (module, attribute)."""
    package, found = path.split("/")[:-1], []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [(alias.name, "") for alias in node.names]
        else:
            found += [(module, attribute) for _, module, attribute in imported_names(node, package)]
    return found


def list_imported_files(path, sources):
    """Return the files among the sources that one of them imports."""
    found = set()
    for module, attribute in list_imports(path, sources[path]):
        names = (f"{module}.{attribute}", module)  # what is imported is a module, or something in one
        files = [name.replace(".", "/") + end for name in names for end in (".py", "/__init__.py")]
        found.add(next((file for file in files if file in sources), path))
    return found - {path}


def list_problems(sources):
    """Yield each import of a higher or a neighbouring folder, and a circle of files if there is any."""
    imported = {path: list_imported_files(path, sources) for path in sources}
    for path, files in imported.items():
        folder = path.partition("/")[0]
        for file in sorted(files):
            other = file.partition("/")[0]
            if other != folder and HEIGHT[other] >= HEIGHT[folder]:
                yield f"{path} imports {file}"
    try:
        TopologicalSorter(imported).prepare()
    except CycleError as error:
        yield f"a circle: {' < '.join(error.args[1])}"


def test_no_import_goes_upwards_or_in_a_circle():
    assert {*HEIGHT} == {path.parent.name for path in ROOT.glob("*/__init__.py")} | {"chapters", "tests"}
    assert [*list_problems(read_sources())] == []
