"""The Korean edition: the same pages, with the translations of `locale/ko` put in where a page is read.

`python -m web.korean` builds it beside the English edition, in `_build/html/ko/`, with Sphinx's language set to
Korean. It has the headings' English addresses, and takes figures, styles and scripts from the English edition.
"""

import json
import os
import re
import shutil
import sys
import tomllib

import nbformat
from docutils import nodes
from markdown_it.tree import SyntaxTreeNode
from myst_parser.mdit_to_docutils.base import DocutilsRenderer
from sphinx.search import SearchLanguage

from book.catalogue import (
    ENGLISH,
    FOLDER,
    headings,
    make_page_translator,
    make_translator,
    rewrite,
    rewrite_alternatives,
    rewrite_notebook,
    site_words,
    translate_copy,
    translations,
)
from book.chapter import CHAPTERS, ROOT, TRANSLATED, read
from web.assets import after_build, change_pages
from web.marks import SIGN, carry_signs
from web.search import write_index
from web.styles import LINK, PLAIN

OUT = ROOT / "_build" / TRANSLATED / "html"  # as Sphinx makes it
ENGLISH_SITE = ROOT / "_build" / "html"
SCRIPT = ROOT / "web" / "words.js"
OF_ITS_OWN = ("language_data.js", "translations.js", "copybutton.js", "words.js")  # not those of the English pages
KNOWN = tomllib.loads((FOLDER / "site.toml").read_text("utf-8"))
NOTES, PARTICLES = KNOWN["notes"], "|".join(KNOWN["search"]["particles"].split())
NOTE = '<p class="untranslated">{words}</p>'
SHARED = re.compile(rf'(="|import\("\./)((?:\.\./)*)(?=_images/|_static/(?!{"|".join(map(re.escape, OF_ITS_OWN))}))')
WORDS = re.compile(
    r"(?s)<(script|style|pre|code|svg|math)\b.*?</\1>|(?<=>)[^<>]+(?=<)"
    r'|(?<= title=")[^"]+|(?<= aria-label=")[^"]+|(?<= placeholder=")[^"]+|(?<= data-bs-title=")[^"]+'
)
SWITCH = (
    '<a class="btn btn-sm language" lang="{language}" hreflang="{language}" href="{address}"'
    """ onclick="this.hash = document.querySelector('.page-toc .nav-link.active')?.hash || location.hash">{name}</a>"""
)
CANONICAL = re.compile(r'<link (?=[^>]*rel="canonical")[^>]*href="([^"]*)"')
BUTTONS = '<div class="article-header-buttons">'
EMPHASIS = re.compile(r"\*(.+?)\*")
WORD_JOINER = "\u2060"
LOOSE = re.compile("([])’”–])(?=[가-힣])")  # a mark, and a particle that belongs to the word before it
english_headings = {}  # of the page that is being read, by what stands in their places


class Korean(SearchLanguage):
    """Words without their particles, all of them: 어텐션은 and 어텐션에서는 are found as 어텐션."""

    lang, language_name = TRANSLATED, "Korean"
    endings = re.compile(f"(?<=.)(?:{PARTICLES})$")
    js_stemmer_code = f"""
var Stemmer = function() {{
  this.stemWord = function(w) {{
    for (let before; before !== w; ) [before, w] = [w, w.replace(/(.)(?:{PARTICLES})$/, "$1")];
    return w;
  }};
}};
"""

    def stem(self, word):
        word, before = word.lower(), ""
        while before != word:
            before, word = word, self.endings.sub("", word)
        return word


def _translate(app, docname, source):
    """Replace the text of a page by its translations, and note how many messages have none."""
    known, missing = translations(docname), set()
    english_headings.clear()

    def say(message, kind, place=None):
        bare = SIGN.sub("", message)
        missing.update({bare} - known.keys())
        if kind == "heading" and message in known:
            english_headings[known[message]] = message
        translation = known.get(bare)
        return translation and carry_signs(message, translation)

    if app.env.doc2path(docname).endswith(".ipynb"):
        notebook = rewrite_notebook(nbformat.reads(source[0], as_version=4), say)
        source[0] = nbformat.writes(rewrite_alternatives(notebook, say))
    else:
        source[0] = rewrite(source[0], say)
    app.env.metadata[docname]["untranslated"] = len(missing)


def _with_english_address(original):
    """Give a translated heading the ids that the English one has, so that addresses lead to both editions."""

    def generate_heading_target(self, token, level, node, title_node):
        if english := english_headings.get(token.children[0].content):
            [token] = SyntaxTreeNode(self.md.parse(f"# {english}", {})).children
            title_node = nodes.title()
            with self.current_node_context(title_node):
                self.render_children(token)
        return original(self, token, level, node, title_node)

    return generate_heading_target


def _note_what_is_english(app, doctree):
    """Say on top of a page how much of it is not translated."""
    name = app.env.docname
    number, title = app.env.metadata[name].get("untranslated"), doctree.next_node(nodes.title)
    words = NOTES["english_page"] if name in ENGLISH else NOTES["open"].format(number=number) if number else ""
    words += f" {NOTES['english_part']}" * (name == "pages/evidence")
    if title and words:
        title.parent.insert(1, nodes.raw("", NOTE.format(words=words.strip()), format="html"))
    image = doctree.next_node(nodes.image)
    if image and name == f"chapters/{CHAPTERS[0].stem}":
        while "cell" not in image["classes"]:
            image = image.parent
        note = nodes.raw("", NOTE.format(words=NOTES["figures"]), format="html")
        image.parent.insert(image.parent.index(image) + 1, note)


def _bind_particles(app, doctree):
    """Let no line begin with a particle, or with the dot between two things.

    Browsers break after a closing mark, even where the mark ends code or a link.
    """
    for text in list(doctree.findall(nodes.Text)):
        if not isinstance(text.parent, nodes.literal | nodes.FixedTextElement | nodes.math | nodes.raw):
            before = text.parent[text.parent.index(text) - 1] if text.parent.index(text) else None
            bound = LOOSE.sub(f"\\1{WORD_JOINER}", text).replace(" · ", "\N{NO-BREAK SPACE}· ")
            joined = before is not None and LOOSE.match(before.astext()[-1:] + text[:1])
            if joined or bound != text:
                text.parent.replace(text, nodes.Text(WORD_JOINER * bool(joined) + bound))


def _changed_catalogues(app, env, added, changed, removed):
    """Return the pages whose catalogue has changed since they were read."""
    paths = {name: FOLDER / f"{name}.po" for name in env.found_docs & env.all_docs.keys()}
    return [name for name, path in paths.items() if path.is_file() and path.stat().st_mtime > env.all_docs[name] / 1e6]


def _settle(app, config):
    """Translate the names that the configuration and the table of contents have."""
    say = site_words()
    for name in ("html_title", "nb_code_prompt_show", "nb_code_prompt_hide", "ogp_image_alt"):
        setattr(config, name, say(getattr(config, name)))
    config.ogp_site_name = config.html_title
    for document in config.external_site_map.values():
        for part in document.subtrees:
            part.caption = say(part.caption) if part.caption else part.caption
    if home := config.html_baseurl:
        config.html_baseurl = config.ogp_site_url = f"{home}{TRANSLATED}/"
        config.ogp_image = f"{home}{config.ogp_image}"


def _hand_out(app, out):
    """Translate what readers download: of a notebook its text alone; its checks answer in the same language."""
    sources = out / "_sources"
    for path in [*sources.rglob("*.ipynb"), *sources.rglob("*.md")]:
        page = path.relative_to(sources).with_suffix("").as_posix()
        if path.suffix == ".ipynb":
            nbformat.write(translate_copy(read(path), page), path)
        else:
            path.write_text(rewrite(path.read_text("utf-8"), make_page_translator(page)), "utf-8")


def words_for_scripts():
    """Return a script with what the other scripts say, in Korean: a function that they call if there is one."""
    return SCRIPT.read_text("utf-8").replace("KNOWN", json.dumps(translations("site"), ensure_ascii=False))


def _translate_scripts(static):
    """Let the scripts of Sphinx and of the copy buttons say what the catalogue has."""
    say = translations("site")
    known = {english: say[english] for english in KNOWN["scripts"]["search"] if english in say}
    text = json.dumps({"locale": TRANSLATED, "messages": known}, ensure_ascii=False)
    with (static / "translations.js").open("a", encoding="utf-8") as script:
        script.write(f"\nDocumentation.addTranslations({text});\n")
    known = {key: say.get(english, english) for key, english in KNOWN["scripts"]["copy"].items()}
    text, begin = (static / "copybutton.js").read_text("utf-8"), "const messages = {"
    added = f"{begin}\n  '{TRANSLATED}': {json.dumps(known, ensure_ascii=False)},"
    (static / "copybutton.js").write_text(text.replace(begin, added), "utf-8")


def _replace_once(path, old, new):
    """Put something in the place of a mark of a file, unless an earlier build has done so."""
    text = path.read_text("utf-8")
    path.write_text(text if new in text else text.replace(old, new, 1), "utf-8")


def _switch(page, language, name, address):
    """Put a link to the other edition of a page among its buttons."""
    _replace_once(page, BUTTONS, BUTTONS + SWITCH.format(language=language, name=name, address=address))


def tell_search_engines(english, korean, name):
    """Name both editions in the heads of a page that has an address."""
    if found := CANONICAL.search(korean.read_text("utf-8")):
        name = name if found[1].endswith(name) else ""  # the address of the front page is that of the site
        home = found[1].removesuffix(name).removesuffix(f"{TRANSLATED}/")
        links = "".join(
            f'<link rel="alternate" hreflang="{language}" href="{home}{folder}{name}">\n'
            for language, folder in (("en", ""), (TRANSLATED, f"{TRANSLATED}/"))
        )
        for page in (english, korean):
            _replace_once(page, "</head>", f"{links}</head>")


def join_sitemaps(english, korean):
    """Add the addresses of the Korean pages to the site map, if there is one."""
    if english.is_file() and korean.is_file():
        added = "".join(re.findall(r"(?s)<url>.*?</url>", korean.read_text("utf-8")))
        _replace_once(english, "</urlset>", f"{added}</urlset>")


def words_of_headings():
    """Return the headings of the chapters, with their translations."""
    return dict(pair for path in CHAPTERS for pair in headings(f"chapters/{path.stem}").items())


def join(out, english=ENGLISH_SITE):
    """Copy the pages into the English site, from where they take their figures, styles and scripts."""
    folder = english / TRANSLATED
    shutil.rmtree(folder, ignore_errors=True)
    shared = shutil.ignore_patterns("_images", "_static", ".buildinfo", ".nojekyll", "*.pickle", "*.doctree")
    shutil.copytree(out, folder, ignore=shared)
    (folder / "_static").mkdir()
    for name in OF_ITS_OWN[:-1]:
        shutil.copy(out / "_static" / name, folder / "_static")
    (folder / "_static" / "words.js").write_text(words_for_scripts(), "utf-8")
    _translate_scripts(folder / "_static")
    for image in (out / "_images").iterdir():  # those of a chapter that the English edition has not been built with
        if not (english / "_images" / image.name).exists():
            shutil.copy(image, english / "_images")
    change_pages(folder, out / "_static", out / "_images")
    style, say = LINK.search((english / "index.html").read_text("utf-8"))[0], site_words()
    of_chapters = words_of_headings()
    evidence = make_translator(of_chapters | translations("site"))  # that page names chapters and sections
    emphasised = [
        [EMPHASIS.sub(r"<em>\1</em>", words) for words in pair] for pair in of_chapters.items() if "*" in pair[0]
    ]
    for page in folder.rglob("*.html"):
        name = page.relative_to(folder)
        up = "../" * len(name.parents[:-1])
        head = style.replace("_static/", f"{up}_static/") + f'<script defer src="{up}_static/words.js"></script>\n'
        text = LINK.sub("\0", PLAIN.sub(r"\1", page.read_text("utf-8"))).replace("\0", head, 1).replace("\0", "")
        text = SHARED.sub(r"\1\2../", text)
        words = say
        if name.name == "evidence.html":
            words = evidence
            for heading, translated in emphasised:
                text = text.replace(f">{heading}</span></a>", f">{translated}</span></a>")
        text = WORDS.sub(lambda found, words=words: found[0] if found[0][0] == "<" else words(found[0]), text)
        page.write_text(text, "utf-8")
        _switch(page, "en", "English", f"{up}../{name.as_posix()}")
        if (english / name).is_file():
            _switch(english / name, TRANSLATED, "한국어", f"{up}{TRANSLATED}/{name.as_posix()}")
            tell_search_engines(english / name, page, name.as_posix())
    join_sitemaps(english / "sitemap.xml", folder / "sitemap.xml")


def _finish(app, out):
    join(out)
    say = make_translator(words_of_headings() | translations("site"))
    write_index(app, ENGLISH_SITE / TRANSLATED / "searchindex.js", say)


def build(fresh=True):
    """Build the Korean edition; with `fresh` all of it, otherwise what has changed since the last time."""
    from jupyter_book.sphinx import build_sphinx

    if fresh:
        shutil.rmtree(OUT.parent, ignore_errors=True)
    settings = {"language": TRANSLATED, "external_toc_path": str(ROOT / "_toc.yml"), "latex_individualpages": False}
    os.chdir(ROOT)
    options = {"noconfig": True, "path_config": ROOT / "_config.yml", "confoverrides": settings}
    return build_sphinx(ROOT, OUT, **options, warningiserror=True, keep_going=True, quiet=True)


def setup(app):
    if app.config.language == TRANSLATED:
        target = DocutilsRenderer.generate_heading_target
        DocutilsRenderer.generate_heading_target = _with_english_address(target)
        app.add_search_language(Korean)
        app.connect("config-inited", _settle, priority=950)  # when the table of contents has been read
        app.connect("source-read", _translate, priority=100)  # before other extensions add to the page
        app.connect("doctree-read", _note_what_is_english)
        app.connect("doctree-read", _bind_particles)
        app.connect("env-get-outdated", _changed_catalogues)
        launch = {"path_to_docs": f"{TRANSLATED}/_sources"}  # the launch buttons open the Korean copies
        app.connect("builder-inited", lambda app: app.config.html_theme_options.update(launch), priority=950)
        after_build(app, _hand_out, both=True, priority=600)  # when web.site has written the student copies
        after_build(app, _finish, both=True, priority=990)  # when every extension has changed the pages


if __name__ == "__main__":
    sys.exit(int(bool(build(fresh="--changed" not in sys.argv))))
