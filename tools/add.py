"""Add a chapter or an exercise from the template: `python -m tools.add chapter 14 NAME`, `... exercise 07 NAME`.

NAME is a word in snake_case. It names the notebook, and the exercise and its check, which must be new in the book.
What is added is green as it is: replace it step by step. The files of the template are in `tools/template`.
"""

import argparse
import re
import subprocess
import sys

import nbformat

from book.chapter import CHAPTERS, ROOT, find_path, grade_id, read

TEMPLATE = ROOT / "tools" / "template"
IMPORT = re.compile(r"^(?:from|import) .+\n(?:[ )].*\n)*", re.MULTILINE)


def fill(text, number, name):
    """Return a text of the template with the number and the name of what is added."""
    title = name.replace("_", " ").capitalize()
    text = text.replace("chapter NN", f"chapter {int(number)}").replace("Chapter NN", f"Chapter {int(number)}")
    return text.replace("TITLE", title).replace("NN", number).replace("NAME", name)


def read_template(number, name):
    """Return the template notebook with the install cell of chapter 1, whose address a fork changes."""
    notebook = nbformat.reads(fill((TEMPLATE / "chapter.ipynb").read_text("utf-8"), number, name), as_version=4)
    notebook.cells[1].source = read(CHAPTERS[0]).cells[1].source
    return notebook


def insert_after(path, pattern, text):
    """Insert a text into a file after the last place where the pattern matches."""
    old = path.read_text("utf-8")
    end = [found.end() for found in re.finditer(pattern, old, re.MULTILINE)][-1]
    path.write_text(old[:end] + text + old[end:], "utf-8")


def append(path, template, number, name):
    """Append a file of the template."""
    with path.open("a", encoding="utf-8") as file:
        file.write(fill((TEMPLATE / template).read_text("utf-8"), number, name))


def add_module(path, template, number, name):
    """Write a module of the template; if it is there, add the imports and what follows them."""
    text = fill((TEMPLATE / template).read_text("utf-8"), number, name)
    if not path.exists():
        return path.write_text(text, "utf-8")
    end = [found.end() for found in IMPORT.finditer(text)][-1]
    path.write_text(path.read_text("utf-8") + text[end:].replace("\nEXERCISES = {}\n", ""), "utf-8")
    insert_after(path, r"\A(?s:.*?)^(?=import |from )", "".join(IMPORT.findall(text)))


def add_check(number, name):
    """Add the check of an exercise, and its right and wrong answers."""
    checks, answers = ROOT / "attention_course" / "checks", ROOT / "homework" / "answers"
    add_module(checks / f"ch{number}.py", "checks.py", number, name)
    add_module(answers / f"ch{number}.py", "answers.py", number, name)
    append(answers / "exercises.toml", "exercises.toml", number, name)
    insert_after(checks / "__init__.py", r"^from \.ch\d\d import .+\n", f"from .ch{number} import {name}\n")
    paths = [checks / f"ch{number}.py", answers / f"ch{number}.py", checks / "__init__.py"]
    for command in (["check", "--fix", "--select", "I", "--quiet"], ["format", "--quiet"]):
        subprocess.run([sys.executable, "-m", "ruff", *command, *paths], check=True)


def add_exercise(number, name):
    """Add an exercise to a chapter, behind its last one."""
    path = find_path(number)
    notebook, cells = read(path), read_template(number, name).cells
    first = next(i for i, cell in enumerate(cells) if cell.id == f"{number}-{name}")
    graded = [i for i, cell in enumerate(notebook.cells) if grade_id(cell)]
    cells[first].source = cells[first].source.replace("**1.", f"**{len(graded) // 2 + 1}.")
    notebook.cells[graded[-1] + 1 : graded[-1] + 1] = cells[first : first + 3]
    nbformat.write(notebook, path)
    add_check(number, name)
    return path


def add_chapter(number, name):
    """Add a chapter with its exercise, experiment and lesson plan, and enter it where chapters are listed."""
    path = ROOT / "chapters" / f"{number}_{name}.ipynb"
    nbformat.write(read_template(number, name), path)
    add_check(number, name)
    add_module(ROOT / "evidence" / f"ch{number}.py", "evidence.py", number, name)
    insert_after(ROOT / "_toc.yml", r"^ +- file: chapters/.+\n", f"      - file: chapters/{path.stem}\n")
    automodule = f"\n\n.. automodule:: attention_course.checks.ch{number}\n   :members:"
    insert_after(ROOT / "pages/package.md", r"attention_course\.checks\.ch\d\d\n   :members:", automodule)
    append(ROOT / "homework" / "answers" / "exam.toml", "exam.toml", number, name)
    lessons = fill((TEMPLATE / "lessons.md").read_text("utf-8"), number, name)
    insert_after(ROOT / "pages/instructors.md", r"^### Chapter \d+\n(?s:.*?)(?=^##)", lessons)
    return path


def main():
    parser = argparse.ArgumentParser(prog="python -m tools.add", description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=("chapter", "exercise"))
    parser.add_argument("number", help="of the chapter, two digits")
    parser.add_argument("name", help="a word in snake_case")
    asked = parser.parse_args()
    exists = any(path.stem.startswith(f"{asked.number}_") for path in CHAPTERS)
    if not re.fullmatch(r"\d\d", asked.number) or not re.fullmatch(r"[a-z]\w*", asked.name):
        parser.error("expected two digits and a word in snake_case")
    if exists == (asked.what == "chapter"):
        parser.error(f"chapter {asked.number} {'is there already' if exists else 'does not exist'}")
    if re.search(rf"\b{asked.name}\b", (ROOT / "attention_course/checks/__init__.py").read_text("utf-8")):
        parser.error(f"there is a check {asked.name!r} already")
    path = {"chapter": add_chapter, "exercise": add_exercise}[asked.what](asked.number, asked.name)
    run = [["tools.run_chapters", path], ["tools.instructors_page"], ["tools.translate", f"chapters/{path.stem}"]]
    if asked.what == "chapter":
        run.insert(1, ["tools.evidence", f"ch{asked.number}-*"])
    for command in run:  # each reads the chapters anew
        if subprocess.run([sys.executable, "-m", *command], cwd=ROOT).returncode:
            sys.exit(f"Everything was added, but `python -m {' '.join(map(str, command))}` failed, as it says above.")


if __name__ == "__main__":
    main()
