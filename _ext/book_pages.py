"""What a page says about itself to search engines, link previews and readers, and where its buttons lead.

Addresses need a home: `repository.url` in `_config.yml`. While it says OWNER there is none, and so there are no launch
buttons, no "suggest an edit", no canonical address, no sitemap: nothing rather than something broken.
"""

import html
import re
import shutil
import subprocess
import textwrap
from pathlib import Path

from docutils import nodes

PUBLISHED = {"repository_branch": "gh-pages", "path_to_docs": "_sources"}  # where the student copies are


def site_address(repository):
    """Return where GitHub shows the pages of a repository; an empty text for a repository that is not there."""
    found = re.fullmatch(r"https://github\.com/([^/]+)/([^/]+)", repository)
    if not found or found[1] == "OWNER":
        return ""
    host = f"{found[1].lower()}.github.io"
    return f"https://{host}/" if found[2].lower() == host else f"https://{host}/{found[2]}/"


def _find_home(app, config):
    options = config.html_theme_options
    if "/OWNER/" in options["repository_url"]:
        options["launch_buttons"] = {}
    else:
        options["use_edit_page_button"] = True
        config.html_baseurl = config.html_baseurl or site_address(options["repository_url"])


def _launch_the_published(app):
    """Let the launch buttons open the student copies. Edits, whose address is settled by now, stay where they were."""
    app.config.html_theme_options.update(PUBLISHED)


def description(doctree):
    """Return the first sentences of a page, at most 160 characters."""
    text = next(part for part in doctree.findall(nodes.paragraph) if isinstance(part.parent, nodes.section)).astext()
    text = re.sub(r"\\sqrt\{(\w+)\}", r"√\1", " ".join(text.split()))
    return textwrap.shorten(text, 160, placeholder=" …")


def _meta(name, content):
    kind = "property" if name.startswith("og:") else "name"
    return f'\n    <meta {kind}="{name}" content="{html.escape(content)}" />'


def _describe(app, pagename, templatename, context, doctree):
    """Add description and preview to the page, its address if it has one, and the date of its last change."""
    if doctree is None:
        return
    title, text = app.env.titles[pagename].astext(), description(doctree)
    tags = {"description": text, "og:title": title, "og:description": text, "og:site_name": app.config.html_title}
    tags |= {"og:type": "website" if pagename == app.config.root_doc else "article"}
    if app.config.html_baseurl:
        if pagename == app.config.root_doc:
            context["pageurl"] = app.config.html_baseurl
        tags |= {"og:url": context["pageurl"], "og:image": f"{app.config.html_baseurl}_static/card.png"}
        tags |= {"og:image:alt": f"{app.config.html_title}: a grid of attention weights"}
        tags |= {"twitter:card": "summary_large_image"}
    context["metatags"] += "".join(_meta(*tag) for tag in tags.items())
    context["last_updated"] = last_change(Path(app.env.doc2path(pagename)))


def last_change(path):
    """Return the date of the file's last commit, an empty text where there is no history of it."""
    if not shutil.which("git"):
        return ""
    command = ["git", "log", "-1", "--format=%cs", "--", path.name]
    return subprocess.run(command, cwd=path.parent, capture_output=True, text=True).stdout.strip()


def _finish(app, exception):
    """Make the front page the site's index, instead of a page that only leads there, and list all pages."""
    if exception or app.builder.format != "html":
        return
    out, root = Path(app.outdir), app.config.root_doc
    shutil.copy(out / f"{root}.html", out / "index.html")
    if app.config.html_baseurl:
        pages = ["" if name == root else app.builder.get_target_uri(name) for name in sorted(app.env.found_docs)]
        entries = "".join(f"  <url><loc>{app.config.html_baseurl}{page}</loc></url>\n" for page in pages)
        head = '<?xml version="1.0" encoding="utf-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        (out / "sitemap.xml").write_text(f"{head}{entries}</urlset>\n", "utf-8")


def setup(app):
    app.connect("config-inited", _find_home)
    app.connect("builder-inited", _launch_the_published, priority=900)  # after the theme has settled where edits go
    app.connect("html-page-context", _describe)
    app.connect("build-finished", _finish, priority=900)  # after the last change to the front page
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
