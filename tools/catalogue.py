"""The pages of the book as messages, and their translations put back in their places.

A message is one block of Markdown: a heading, a paragraph, an item of a list, a row of a table, the text of a
`<summary>`, an alternative text. Code, formulas that stand alone, addresses and ids are no messages, so that no
translation can change them. A catalogue is a file of gettext, `locale/ko/PAGE.po`; what it lacks stays English.
"""

import re
from collections import defaultdict
from functools import cache
from pathlib import Path

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from tools.chapter import ROOT, TRANSLATED, pages, read

FOLDER = ROOT / "locale" / TRANSLATED
ENGLISH = ("package", "wrong_answers")  # pages that stay English
MARKDOWN = MarkdownIt("commonmark").use(dollarmath_plugin)

HTML = re.compile(r"\s*</?(?:details|summary|div|p|button|output|img)\b")
SAID_IN_HTML = re.compile(r'(?<=<summary>).+?(?=</summary>)|(?<=\balt=").+?(?=")|(?<=\baria-label=").+?(?=")')
KEPT = re.compile(r"\s*(?::[\w-]+:|\([\w-]+\)=$|:{3,}$|<!--)")  # options and ends of directives, targets, comments
DIRECTIVE = re.compile(r"(\s*(?:`{3,}|:{3,})\{[\w-]+\} ?)(.*)")  # behind colons stands its title
MARKED = re.compile(r"(\s*(?:#{1,6}|[-*+]|\d+\.|:) +)(\S.*)")  # a heading, an item of a list, a definition
LABEL = re.compile(r"\*\*[^*]+\*\*$")  # the first line of a callout
BREAK = re.compile(r"\s*(?:$|`{3}|~{3}|\$\$|\||>)")


def inline(text):
    """The tokens of a piece of Markdown, in a row."""
    return MARKDOWN.parseInline(text)[0].children


def plain(text):
    """What is read of it, without code, formulas and what is computed."""
    return re.sub(r"\{\{.*?\}\}", "", " ".join(token.content for token in inline(text) if token.type == "text"))


def _one_line(lines):
    """Lines of a block as one, but for those that end on purpose."""
    return re.sub(r"\\ ", "\\\\\n", " ".join(line.strip() for line in lines))


def _interrupts(line):
    return any(found.match(line) for found in (BREAK, HTML, KEPT, DIRECTIVE, MARKED))


def rewrite(text, say):
    """Return Markdown with `say(message, kind)` in the place of each message; None leaves it as it is.

    The kinds are heading, title, item, row, quotation, choice, right choice, summary, alternative and text.
    """
    lines, out, open_directives = text.split("\n"), [], 0

    def ask(message, kind):
        return say(message, kind) if re.search(r"[^\W\d_]", plain(message)) else None

    def put(message, kind, before, raw):
        said = ask(message, kind)
        out.extend(raw if said is None else [before + said])

    while lines:
        line = lines.pop(0)
        if found := DIRECTIVE.match(line):
            open_directives += "`" in found[1]
            put(found[2] if ":" in found[1] else "", "title", found[1], [line])
        elif re.match(r"\s*(`{3}|~{3})", line):
            out.append(line)
            if open_directives:
                open_directives -= 1
                continue
            while lines and (out.append(lines.pop(0)) or not re.match(r"\s*(`{3}|~{3})", out[-1])):
                pass
        elif line.startswith("$$"):
            out.append(line)
            while out[-1].count("$$") < 2 and lines and (out.append(lines.pop(0)) or "$$" not in out[-1]):
                pass
        elif line.startswith(">"):
            while lines and lines[0].startswith(">"):
                line += "\n" + lines.pop(0)
            said = rewrite(re.sub("^> ?", "", line, flags=re.MULTILINE), say)
            out.extend(f"> {one}".rstrip() for one in said.split("\n"))
        elif HTML.match(line):
            kind = ("choice", "right choice")["right" in line] if 'class="choice' in line else "summary"
            kind = kind if "<summary>" in line else "alternative"
            out.append(SAID_IN_HTML.sub(lambda found, kind=kind: ask(found[0], kind) or found[0], line))
        elif line.startswith("|"):
            put(line, "row", "", [line])
        elif not line.strip() or KEPT.match(line):
            out.append(line)
        elif line.startswith("#") and (found := MARKED.match(line)):
            put(found[2], "heading", found[1], [line])
        else:
            raw, found = [line], MARKED.match(line)
            while lines and not LABEL.match(line) and not _interrupts(lines[0]):
                raw.append(lines.pop(0))
            before = found[1] if found else re.match(r"\s*", line)[0]
            message = _one_line([line[len(before) :], *raw[1:]])
            put(message, "item" if found else "text", before, raw)
    return "\n".join(out)


def rewrite_notebook(notebook, say):
    """Do so in each Markdown cell, and with `alternative` for what a figure shows; `say` is told the cell's id too."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = rewrite(cell.source, lambda message, kind, cell=cell: say(message, kind, cell.id))
        image = cell.metadata.get("mystnb", {}).get("image", {})
        if image.get("alt"):
            image["alt"] = say(image["alt"], "alternative", cell.id) or image["alt"]
    return notebook


def source(page):
    """The file of a page."""
    return next(path for end in (".ipynb", ".md") if (path := ROOT / f"{page}{end}").is_file())


def translatable():
    """The pages that have a catalogue, in the order of the contents."""
    return [page for page in pages() if page not in ENGLISH]


def messages(page):
    """The messages of a page: {message: [(kind, place), ...]}; a place is the id of a cell, or a heading."""
    found, path, heading = defaultdict(list), source(page), ""

    def note(message, kind, place=None):
        nonlocal heading
        heading = message if kind == "heading" else heading
        found[message].append((kind, place or heading))

    if path.suffix == ".ipynb":
        rewrite_notebook(read(path), note)
    else:
        rewrite(path.read_text("utf-8"), note)
    return dict(found)


@cache
def _entries(path):
    import polib  # not needed by who builds the English edition alone

    return polib.pofile(str(path), wrapwidth=0) if path.is_file() else polib.POFile(wrapwidth=0)


def translations(page, folder=FOLDER):
    """What the catalogue of a page has: {message: translation}, without those to be looked at again."""
    entries = _entries(Path(folder) / f"{page}.po")
    return {entry.msgid: entry.msgstr for entry in entries if entry.translated() and not entry.obsolete}
