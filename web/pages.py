"""The addresses that pages give to search engines, link previews and readers, and where their buttons lead.

They follow from `repository.url` in `_config.yml`. While it says OWNER the site has no address: there are no launch
buttons, no "suggest an edit", no canonical address, no card and no sitemap, rather than broken ones.
"""

import html
import re
import shutil
import subprocess
from pathlib import Path
from urllib.parse import urlencode

import yaml

from web.assets import after_build

PUBLISHED = {"repository_branch": "gh-pages", "path_to_docs": "_sources"}  # where the student copies are


def site_address(repository):
    """Return where GitHub shows the pages of a repository; an empty text for a repository that is not there."""
    found = re.fullmatch(r"https://github\.com/([^/]+)/([^/]+)", repository)
    if not found or found[1] == "OWNER":
        return ""
    host = f"{found[1].lower()}.github.io"
    return f"https://{host}/" if found[2].lower() == host else f"https://{host}/{found[2]}/"


def edition(root):
    """Return the version and date of the book, which CITATION.cff has."""
    citation = yaml.safe_load((root / "CITATION.cff").read_text("utf-8"))
    return f"{citation['version']} of {citation['date-released']}"


def _find_home(app, config):
    options = config.html_theme_options
    options["extra_footer"] += f'<p class="edition">Edition {edition(Path(app.srcdir))}</p>'
    if "/OWNER/" in options["repository_url"]:
        options["launch_buttons"] = {}
    else:
        options["use_edit_page_button"] = True
        config.html_baseurl = config.html_baseurl or site_address(options["repository_url"])
    config.ogp_site_name, config.ogp_site_url = config.html_title, config.html_baseurl
    config.ogp_image = "_static/card.png" if config.html_baseurl else None


def _launch_the_published(app):
    """Let the launch buttons open the student copies. Edits, whose address is settled by now, stay where they were."""
    app.config.html_theme_options.update(PUBLISHED)
    app.sitemap_links.put(("", None))  # the address of the front page


def _settle_address(app, pagename, templatename, context, doctree):
    """Correct the address that sphinxext-opengraph gives, write roots as signs, and add the date of the last change."""
    if doctree is None:
        return
    if pagename == app.config.root_doc:
        context["pageurl"] = app.config.html_baseurl
    address = f'<meta property="og:url" content="{context["pageurl"]}" />' if app.config.html_baseurl else ""
    metatags = re.sub('<meta property="og:url".*/>', address, context["metatags"])
    context["metatags"] = re.sub(r"\\sqrt\{(\w+)\}", r" √\1", metatags)
    context["last_updated"] = last_change(Path(app.env.doc2path(pagename)))


def _offer_reports(app, pagename, templatename, context, doctree):
    """Let each section offer an issue that says which passage of which edition it is about."""
    repository = app.config.html_theme_options["repository_url"]
    if doctree is None or "/OWNER/" in repository:
        return

    def with_report(found):
        section = html.unescape(re.sub("<[^>]*>", "", found[1]))
        about = [f"Page: {pagename}", f"Section: {section}", f"Edition: {edition(Path(app.srcdir))}"]
        body = "\n".join([*about, "", "What is wrong or unclear?", ""])
        address = f"{repository}/issues/new?{urlencode({'title': f'{pagename}: {section}', 'body': body})}"
        return f'{found[0]}<a class="report" href="{html.escape(address)}">Report this passage</a>'

    context["body"] = re.sub(r'(?s)<h2>((?:(?!</h2>).)*?)<a class="headerlink".*?</h2>', with_report, context["body"])


def last_change(path):
    """Return the date of the file's last commit, an empty text where there is no history of it."""
    if not shutil.which("git"):
        return ""
    command = ["git", "log", "-1", "--format=%cs", "--", path.name]
    return subprocess.run(command, cwd=path.parent, capture_output=True, text=True).stdout.strip()


def _copy_front_page(app, out):
    """Make the front page the site's index, instead of a page that only leads there."""
    shutil.copy(out / f"{app.config.root_doc}.html", out / "index.html")


def setup(app):
    app.connect("config-inited", _find_home)
    app.connect("builder-inited", _launch_the_published, priority=900)  # after the theme has settled where edits go
    app.connect("html-page-context", _settle_address, priority=600)  # after sphinxext-opengraph
    app.connect("html-page-context", _offer_reports)
    after_build(app, _copy_front_page, both=True, priority=900)  # after the last change to the front page
