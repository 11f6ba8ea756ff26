"""One style for all pages, without the rules for what no page has: a tenth of what the theme and extensions bring.

A page is not painted before its styles have come, and on a phone each file and each kilobyte of them is waited for.
"""

import hashlib
import re

TOKEN = re.compile(r"""/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|url\([^)'"]*\)|[{};]|[^{};"'/u]+|.""", re.DOTALL)
LINK = re.compile(r'<link (?=[^>]*rel="stylesheet")[^>]*href="((?:\.\./)*)(_static/[^"?]+\.css)[^"]*"[^>]*>\s*')
PLAIN = re.compile(r'<span class="(?:n|nn|p|w)">([^<]*)</span>')  # of code, in the colour of the text
GROUPS = ("@media", "@supports", "@layer", "@container")


def _blocks(tokens):
    """Yield each statement of a style as its head and its body, which is None for one without braces."""
    head = ""
    for token in tokens:
        if token == ";":
            yield head.strip(), None
            head = ""
        elif token == "{":
            body, depth = [], 1
            for token in tokens:
                depth += (token == "{") - (token == "}")
                if not depth:
                    break
                body.append(token)
            yield head.strip(), body
            head = ""
        else:
            head += token


def _is_used(selector, words):
    """Whether the classes and ids that a selector asks for are on some page or in some script."""
    asked = re.sub(r"\[[^]]*\]", "", selector)
    while asked != (asked := re.sub(r"\([^()]*\)", "", asked)):
        pass
    return {name.replace("\\", "") for name in re.findall(r"[.#]((?:[\w-]|\\.)+)", asked)} <= words


def purged(style, words):
    """Return the style without comments and without rules for classes and ids that are not among the words."""
    return _purged((token for token in TOKEN.findall(style) if not token.startswith("/*")), words)


def _purged(tokens, words):
    kept = []
    for head, body in _blocks(iter(tokens)):
        if body is None:
            kept += [f"{head};"] if head and not head.startswith("@charset") else []
        elif head.startswith(GROUPS):
            inner = _purged(body, words)
            kept += [f"{head}{{{inner}}}"] if inner else []
        elif head.startswith("@"):
            kept.append(f"{head}{{{''.join(body)}}}")
        else:
            selectors = [one for one in re.split(r",(?![^(\[]*[)\]])", head) if _is_used(one, words)]
            kept += [f"{','.join(selectors)}{{{''.join(body)}}}"] if selectors else []
    return "\n".join(kept)


def _absolute(style, folder):
    """The style with its addresses, which are seen from its own folder, seen from `_static`."""
    address = r"url\((['\"]?)(?!data:|#|/|https?:)([^)'\"]+)"
    return re.sub(address, lambda found: f"url({found[1]}{folder}{found[2]}", style)


def _read(path):
    """A style, with those that it imports in their places."""
    text = path.read_text("utf-8")
    return re.sub('@import "([^"]+)";', lambda found: _read(path.parent / found[1]), text)


def write(out):
    """Join and purge the styles of all pages; let each load the result alone, without elements of no colour."""
    pages = {page: page.read_text("utf-8") for page in out.rglob("*.html") if "_static" not in page.parts}
    lists = [[found[2] for found in LINK.finditer(text)] for text in pages.values()]
    names = dict.fromkeys(name for one in sorted(lists, key=len, reverse=True) for name in one)
    scripts = [path.read_text("utf-8", "replace") for path in (out / "_static").rglob("*.js")]
    words = set(re.findall(r"[\w-]+", "\n".join([*pages.values(), *scripts])))
    parts = [_absolute(_read(out / name), re.sub("^_static/|[^/]*$", "", name)) for name in names]
    style = purged("\n".join(parts), words)
    (out / "_static" / "site.css").write_text(style, "utf-8")
    digest = hashlib.sha256(style.encode()).hexdigest()[:8]
    for page, text in pages.items():
        if first := LINK.search(text):
            link = f'<link href="{first[1]}_static/site.css?v={digest}" rel="stylesheet"/>\n'
            text = LINK.sub("", text[: first.start()] + "\0" + text[first.end() :]).replace("\0", link)
            page.write_text(PLAIN.sub(r"\1", text), "utf-8")
