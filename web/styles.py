"""One style for all pages, without the rules for what no page has: a third of what theme and extensions bring.

A page is not painted before its styles have come, and on a phone each file and each kilobyte of them is waited for.
"""

import hashlib
import re

from attention_course import plots

FONTS = """<script>
if (location.protocol !== "file:") // for which browsers load no fonts ahead
  for (const name of ["serif", "serif-italic", "sans"]) {{ // of the first screen, which would move if they came later
    const href = `{up}_static/fonts/${{name}}.woff2`;
    const font = {{ rel: "preload", as: "font", type: "font/woff2", crossOrigin: "", href }};
    document.head.append(Object.assign(document.createElement("link"), font));
  }}
</script>
"""
LINK = re.compile(r'<link (?=[^>]*rel="stylesheet")[^>]*href="((?:\.\./)*)(_static/[^"?]+\.css)[^"]*"[^>]*>\s*')
PLAIN = re.compile(r'<span class="(?:n|nn|p|w)">([^<]*)</span>')  # of code, in the colour of the text
NAMES = re.compile(r"""(?s)\b(?:class|id)=(?:["'][^"'>]*|[^\s"'>]*)|<script\b.*?</script>""")
WORD = re.compile(r"[\w-]+")
STRING = r"""(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')"""
COMMENT = re.compile(rf"({STRING})|/\*.*?\*/|@charset[^;]*;", re.DOTALL)
RULE = re.compile(rf"([^{{}};]*)\{{((?:{STRING}|[^{{}}])*)\}}")  # the innermost ones, also within a group
EMPTY_GROUP = re.compile(r"@(?:media|supports|layer|container)[^{};]*\{\s*\}")


def _is_used(selector, words):
    """Return whether the classes and ids that a selector asks for are on some page or in some script."""
    asked = re.sub(r"\[[^]]*\]", "", selector)
    while asked != (asked := re.sub(r"\([^()]*\)", "", asked)):
        pass
    return {name.replace("\\", "") for name in re.findall(r"[.#]((?:[\w-]|\\.)+)", asked)} <= words


def list_words(page):
    """Return the classes and ids of a page, and the words of its scripts, which may add some."""
    return set(WORD.findall(" ".join(NAMES.findall(page))))


def purge(style, words):
    """Return the style without comments and without rules for classes and ids that are not among the words."""

    def keep_used(rule):
        selectors = [one for one in re.split(r",(?![^(\[]*[)\]])", rule[1].strip()) if _is_used(one, words)]
        return f"{','.join(selectors)}{{{rule[2]}}}\n" if selectors else ""

    style = RULE.sub(keep_used, COMMENT.sub(r"\1", style))
    while style != (style := EMPTY_GROUP.sub("", style)):
        pass
    return style


def _absolute(style, folder):
    """Return the style with its addresses, which are relative to its own folder, relative to `_static`."""
    address = r"url\((['\"]?)(?!data:|#|/|https?:)([^)'\"]+)"
    return re.sub(address, lambda found: f"url({found[1]}{folder}{found[2]}", style)


def _read(path):
    """Return a style, with those that it imports in their places."""
    text = path.read_text("utf-8")
    return re.sub('@import "([^"]+)";', lambda found: _read(path.parent / found[1]), text)


def write_style(out):
    """Join and purge the styles of all pages; let each load the result alone, without elements of no colour."""
    pages = {page: page.read_text("utf-8") for page in out.rglob("*.html") if "_static" not in page.parts}
    lists = [[found[2] for found in LINK.finditer(text)] for text in pages.values()]
    names = dict.fromkeys(name for one in sorted(lists, key=len, reverse=True) for name in one)
    scripts = [path.read_text("utf-8", "replace") for path in (out / "_static").rglob("*.js")]
    words = list_words("\n".join(pages.values())).union(*map(WORD.findall, scripts))
    parts = [_absolute(_read(out / name), re.sub("^_static/|[^/]*$", "", name)) for name in names]
    tokens = [f"--{name}: {colour};" for name, colour in plots.TOKENS.items()]  # as the figures have them
    style = f':root,html[data-theme="light"]{{{"".join(tokens)}}}\n' + purge("\n".join(parts), words)
    of_data = "".join(token for token in tokens if not token.startswith(("--ink", "--muted", "--line", "--paper")))
    style += f"@media print{{html[data-theme]{{{of_data}}}}}\n"  # on paper also where the screen is dark
    (out / "_static" / "site.css").write_text(style, "utf-8")
    digest = hashlib.sha256(style.encode()).hexdigest()[:8]
    for page, text in pages.items():
        if first := LINK.search(text):
            link = f'<link href="{first[1]}_static/site.css?v={digest}" rel="stylesheet"/>\n'
            link += FONTS.format(up=first[1])
            text = LINK.sub("", text[: first.start()] + "\0" + text[first.end() :]).replace("\0", link)
            page.write_text(PLAIN.sub(r"\1", text), "utf-8")
