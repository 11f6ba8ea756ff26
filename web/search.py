"""What the search knows: which words mean the same, and how much each page is about each of its words.

Sphinx's index says only which pages have a word. Here it gets the weight of each word on each page, with which
`search.js` ranks what it finds, and the words that mean the same, from the glossary and `search.toml`.
"""

import re
import tomllib
from collections import Counter, defaultdict
from math import log

from docutils import nodes
from sphinx import addnodes
from sphinx.search import js_index

from book.chapter import ROOT
from web.assets import after_build
from web.glossary import PAGE, read_rows

FILE, SCRIPT = ROOT / "web" / "search.toml", ROOT / "web" / "search.js"
LONGEST = 4  # words of a phrase
TITLE, ABOUT, HEADING, BOLD, CODE = 4, 3.5, 2, 1, 0.1  # what a word counts there; in the text up to 1
HALF = 10  # so many of a page of average length count half of what any number of them does
AROUND = 0.5  # a page that is no chapter counts as much of one


def list_synonyms():
    """Return lists of words that mean the same; a word is in one list only, for lists that share a word are one."""
    rows = [[*words, *terms] for terms, words, _ in read_rows((ROOT / f"{PAGE}.md").read_text("utf-8")) if words]
    merged = []
    for words in [*tomllib.loads(FILE.read_text("utf-8"))["same"], *rows]:
        words = dict.fromkeys(word.lower() for word in words)
        shared = [one for one in merged if words.keys() & one.keys()]
        merged = [one for one in merged if one not in shared]
        merged.append({word: None for one in [*shared, words] for word in one})
    return [list(one) for one in merged]


class Terms:
    """Finds in a text what can be searched: its words, and phrases of several words that mean one thing.

    Sphinx's `language` splits a text and stems its words; the first of a list of synonyms stands for all of them.
    """

    def __init__(self, language, synonyms):
        self.language = language
        self.known = {tuple(self._stem(word)): group[0] for group in synonyms for word in group}

    def _stem(self, text):
        return [self.language.stem(word.lower()).lower() for word in self.language.split(text)]

    def find(self, text):
        """Return the terms of a text, of a phrase also its words."""
        words = self._stem(text)
        found = [self.known.get((word,), word) for word in words]
        for length in range(2, LONGEST + 1):
            phrases = zip(*(words[start:] for start in range(length)), strict=False)
            found += [self.known[phrase] for phrase in phrases if phrase in self.known]
        return found

    def find_whole(self, text):
        """Return the one term that a text is, without the words of a phrase; if it is none, its terms."""
        whole = self.known.get(tuple(self._stem(text)))
        return [whole] if whole else self.find(text)


def read_text(node):
    """Return the text of a block without formulas and without what HTML does not show."""
    if isinstance(node, nodes.raw):
        shown = re.sub(r"(?is)<(script|style|svg|button)\b.*?</\1>", "", node.astext())
        return re.sub("<[^<]+?>", " ", shown) if "html" in node.get("format", "") else ""
    if isinstance(node, nodes.math | nodes.math_block):
        return ""
    return node.astext() if isinstance(node, nodes.Text) else "".join(map(read_text, node.children))


def read_page(doctree):
    """Yield the blocks of a page, each with its kind: title, heading, bold, code or text."""
    kind = "title"
    for node in doctree.findall(nodes.TextElement):
        if isinstance(node, nodes.title):
            yield kind, read_text(node)
            kind = "heading"
        elif isinstance(node, nodes.strong | addnodes.desc_name):
            yield "bold", read_text(node)
        elif not isinstance(node.parent, nodes.TextElement):
            yield "code" if isinstance(node, nodes.literal_block) else "text", read_text(node)


def weigh(pages, terms, about):
    """Return how much each page is about each of its terms: {term: {page: weight}}.

    What is rare among the pages weighs more, so that of several words that were asked for no frequent one decides.
    `pages` has the blocks of each page, as `read_page` yields them, `about` what a page is about besides its title.
    """
    counts = {page: defaultdict(Counter) for page in pages}
    for page, blocks in pages.items():
        for kind, text in blocks:
            counts[page][kind].update(terms.find(text))
        for text in about.get(page, ()):
            counts[page]["about"].update(terms.find_whole(text))
    lengths = {page: count["text"].total() for page, count in counts.items()}
    average = max(1, sum(lengths.values()) / max(1, len(lengths)))
    weights = defaultdict(dict)
    for page, count in counts.items():
        half = HALF * (1 + 3 * lengths[page] / average) / 4
        for term in set().union(*count.values()):
            frequency = count["text"][term] + CODE * count["code"][term]
            places = ((TITLE, "title"), (ABOUT, "about"), (HEADING, "heading"), (BOLD, "bold"))
            weight = sum(points for points, kind in places if count[kind][term]) + frequency / (frequency + half)
            weights[term][page] = weight * (1 if page.startswith("chapters/") else AROUND)
    rarity = {term: log(1 + len(pages) / len(of_pages)) for term, of_pages in weights.items()}
    return {
        term: {page: weight * rarity[term] for page, weight in of_pages.items()} for term, of_pages in weights.items()
    }


def write_index(app, path, say=str):
    """Complete the index that Sphinx has written, and take out what `search.js` has no use for; `say` translates."""
    index = js_index.loads(path.read_text("utf-8"))
    env, synonyms = app.env, list_synonyms()
    places = {page: i for i, page in enumerate(index["docnames"])}
    pages = {page: list(read_page(env.get_doctree(page))) for page in places}
    about = tomllib.loads(FILE.read_text("utf-8"))["about"]
    weights = weigh(pages, Terms(app.builder.indexer.lang, synonyms), about)
    index |= {
        "weights": {
            term: [number for page, weight in of_pages.items() for number in (places[page], round(100 * weight))]
            for term, of_pages in weights.items()
        },
        "synonyms": synonyms,
        "titles": [say(title) for title in index["titles"]],
        "alltitles": {say(title): found for title, found in index["alltitles"].items()},
        "terms": {},
        "titleterms": {},
        "indexentries": {},
    }
    path.write_text(js_index.dumps(index), "utf-8")


def setup(app):
    app.connect("config-inited", lambda app, config: setattr(config, "html_search_scorer", str(SCRIPT)))
    # web.korean does it for the Korean edition, when it has put it in place
    after_build(app, lambda app, out: write_index(app, out / "searchindex.js"))
