"""The pages of the book as messages, and their translations put back in their places.

A message is one block of Markdown: a heading, a paragraph, an item of a list, a row of a table, the text of a
`<summary>`, an alternative text. Code, formulas that stand alone, addresses and ids are no messages, so that no
translation can change them. A catalogue is a file of gettext, `locale/ko/PAGE.po`; what it lacks stays English.
"""

import ast
import re
import tomllib
from functools import cache
from pathlib import Path

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from book.chapter import HAND_IN, ROOT, TRANSLATED, last_cell, pages, set_language
from book.nbval_bound.bindings import without_bindings

FOLDER = ROOT / "locale" / TRANSLATED
ENGLISH = ("pages/package",)  # pages that stay English
CHECKS = ROOT / "attention_course" / "checks"
SCRIPTS = [path for folder in ("live", "static", "pictures") for path in sorted((ROOT / "web" / folder).glob("*.js"))]
MARKDOWN = MarkdownIt("commonmark").use(dollarmath_plugin)

HTML = re.compile(r"\s*</?(?:details|summary|div|p|button|output|img)\b")
SAID_IN_HTML = re.compile(r'(?<=<summary>).+?(?=</summary>)|(?<=\balt=").+?(?=")|(?<=\baria-label=").+?(?=")')
KEPT = re.compile(r"\s*(?::[\w-]+:|\([\w-]+\)=$|:{3,}$|<!--)")  # options and ends of directives, targets, comments
DIRECTIVE = re.compile(r"(\s*(?:`{3,}|:{3,})\{[\w-]+\} ?)(.*)")  # behind colons stands its title
MARKED = re.compile(r"(\s*(?:#{1,6}|[-*+]|\d+\.|:) +)(\S.*)")  # a heading, an item of a list, a definition
LABEL = re.compile(r"\*\*[^*]+\*\*$")  # the first line of a callout
NO_WORDS = ("Enter", "Escape", "Tab", "True", "False", "Content-Type")
BY_HAND = "site"  # the place of words that extensions, the theme and scripts put together
BREAK = re.compile(r"\s*(?:$|`{3}|~{3}|\$\$|\||>)")


def inline(text):
    """Return the tokens of a piece of Markdown, in a row."""
    return MARKDOWN.parseInline(text)[0].children


def plain(text):
    """Return what readers read of it, alternative texts too, without code, formulas and computed text."""
    read_aloud = (token.content for token in inline(text) if token.type in ("text", "image"))
    return re.sub(r"\{\{.*?\}\}", "", " ".join(read_aloud))


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
        translation = ask(message, kind)
        out.extend(raw if translation is None else [before + translation])

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
            quoted = rewrite(re.sub("^> ?", "", line, flags=re.MULTILINE), say)
            out.extend(f"> {one}".rstrip() for one in quoted.split("\n"))
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
    """Rewrite each Markdown cell; `say` is also given the id of the cell."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = rewrite(
                without_bindings(cell.source), lambda message, kind, cell=cell: say(message, kind, cell.id)
            )
    return notebook


def translate_copy(copy, page):
    """Return the student copy of a page in the other language, changed in place, with a last cell for its exercises."""
    rewrite_notebook(copy, make_page_translator(page))
    if copy.cells[-1].id.endswith(HAND_IN):
        copy.cells[-1].source = last_cell(copy, Path(page).name)
    return set_language(copy, TRANSLATED)


def rewrite_alternatives(notebook, say):
    """Rewrite the alternative texts of the figures."""
    for cell in notebook.cells:
        image = cell.metadata.get("mystnb", {}).get("image", {})
        if image.get("alt"):
            image["alt"] = say(image["alt"], "alternative", cell.id) or image["alt"]
    return notebook


def find_source(page):
    """Return the file of a page."""
    return next(path for end in (".ipynb", ".md") if (path := ROOT / f"{page}{end}").is_file())


def list_translatable():
    """Return the pages with a catalogue in the order of the contents, then what else has one."""
    return [*(page for page in pages() if page not in ENGLISH), "homework/machine", "site", "claims", "checks"]


def find_catalogue(page, folder=FOLDER):
    """Return the catalogue of a page; that of the checks is a part of the package."""
    return CHECKS / "locale" / TRANSLATED / "LC_MESSAGES" / "checks.po" if page == "checks" else folder / f"{page}.po"


def templates():
    """Yield the templates of the messages of checks, each with its file: the texts in it that have words.

    Grading passes on what checks say, so only its own parts count.
    """
    release = ROOT / "homework" / "release"
    machine = [CHECKS.parent / name for name in ("assembly.py", "my_machine.py", "museum/planted.py")]
    others = [*(ROOT / "homework" / "grade").glob("*.py"), release / "personal.py", *machine]
    for path in sorted([*CHECKS.glob("*.py"), *others]):
        nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
        if path.parent != CHECKS:
            outer = [
                node
                for node in nodes
                if ast.unparse(node).startswith(("Part(", "partial(Part, ", "checks.Part(", "DEATHS = "))
            ]
            nodes = [part for node in outer for part in ast.walk(node)]
        no_words = {node.value for node in nodes if isinstance(node, ast.Expr)}  # docstrings
        no_words |= {
            node.args[0] for node in nodes if isinstance(node, ast.Call) and "re.compile" in ast.unparse(node.func)
        }
        texts = [node.value for node in nodes if isinstance(node, ast.Constant) and node not in no_words]
        yield from ((text, path.stem) for text in texts if isinstance(text, str) and has_words(text))
    for table in tomllib.loads((CHECKS / "feedback.toml").read_text("utf-8")).values():
        texts = [text for said in table.values() for text in ([said] if isinstance(said, str) else said)]
        yield from ((text, "feedback") for text in texts if has_words(text))
    for options in tomllib.loads((release / "numbers.toml").read_text("utf-8")).values():
        yield options["sentence"], "numbers"


def has_words(template):
    """Return whether a text of the checks is a message for readers rather than a name."""
    return re.search(r"[A-Za-z]{2}[\w,;:’']* |^\{\w+\} \w", re.sub(r"\{[^{}]*\}", "", template))


def words_of_the_site():
    """Yield what the site says besides its pages, each with its place: scripts, contents, titles of English pages.

    What no program finds is added to the catalogue by hand, `locale/ko/site.po`, with the place `site`.
    """
    from sphinx_external_toc.parsing import parse_toc_yaml

    for path in SCRIPTS:
        for text in re.findall(r'"([^"\\\n]+)"|`([^`]+)`', path.read_text("utf-8")):
            numbers = iter(range(1, 10))
            text = re.sub(r"\$\{(?:[^{}]|\{[^{}]*\})*\}", lambda _, n=numbers: f"{{{next(n)}}}", "".join(text)).strip()
            if re.match("[A-Z][a-z]", text) and text not in NO_WORDS:
                yield text, path.relative_to(ROOT).as_posix()
    for part in parse_toc_yaml(ROOT / "_toc.yml").root.subtrees:
        yield part.caption, "_toc.yml"
    for page in ENGLISH:  # the contents name them, too
        yield re.search("(?m)^# (.+)", find_source(page).read_text("utf-8"))[1], page
    for entry in _entries(find_catalogue("site")):
        if (BY_HAND, "") in entry.occurrences:
            yield entry.msgid, BY_HAND


@cache
def _entries(path):
    import polib  # not needed by people who build the English edition alone

    return polib.pofile(str(path), wrapwidth=0) if path.is_file() else polib.POFile(wrapwidth=0)


def translations(page, folder=FOLDER):
    """Return {message: translation} of a page, without those that a translator has to look at again."""
    entries = _entries(find_catalogue(page, folder))
    return {entry.msgid: entry.msgstr for entry in entries if entry.translated()}


def headings(page):
    """Return {heading: translation} of a page."""
    entries, known = _entries(find_catalogue(page)), translations(page)
    return {entry.msgid: known[entry.msgid] for entry in entries if "heading" in entry.comment and entry.msgid in known}


def make_translator(known):
    """Return a function that translates texts; a message may have {1}, {2}, texts of any kind, and {#2}, a number."""
    forms = sorted((message for message in known if "{1}" in message), key=len, reverse=True)
    texts = [re.sub(r"\\\{\d\\\}", "(.+)", re.sub(r"\\\{\\#\d\\\}", r"(\\d+)", re.escape(form))) for form in forms]
    forms = [(re.compile(text), known[form]) for text, form in zip(texts, forms, strict=True)]

    def say(text):
        key = text.strip()
        translation = known.get(key)
        if translation is None and len(key) < 400:
            for form, words in forms:
                if found := form.fullmatch(key):
                    translation = re.sub(r"\{#?(\d)\}", lambda place, found=found: say(found[int(place[1])]), words)
                    break
        return text if translation is None else text.replace(key, translation)

    return say


@cache
def site_words():
    """Return the function that translates the site's own words."""
    return make_translator(translations("site"))


def make_page_translator(page):
    """Return the function that translates a message of a page, by its catalogue or by the site's."""
    known, site = translations(page), site_words()
    return lambda message, *where: known.get(message) or site(message)
