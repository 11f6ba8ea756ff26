"""An evidence mark behind each sentence that other runs could contradict, and the card that it opens.

A mark is found by the sentence that a claim of the chapter quotes. It is put into the Markdown before translation, as a
sign that no text has, so that it goes where its sentence goes in either edition; it becomes a button in the page and is
in nothing that readers download, search or copy.
"""

import re
from html import escape

import nbformat
from docutils import nodes

from book.chapter import CHAPTERS
from evidence import claims, engine
from web.align import END as STOP
from web.align import align, split
from web.evidence import draw_strip, name_claim, speak, write_legend

BEGIN, END = "\ue200", "\ue201"
SIGN = re.compile(f"{BEGIN}(\\d+){END}")
DOTS = (
    '<svg viewBox="0 0 15 9" width="15" height="9" aria-hidden="true"><path d="M0 8.2h15" stroke="currentColor"/>'
    '<circle cx="3.5" cy="5" r="1.6"/><circle cx="8" cy="2" r="1.6"/><circle cx="12" cy="4.4" r="1.6"/></svg>'
)
BUTTON = (
    '<button type="button" class="mark" popovertarget="{id}" data-claim="{name}" aria-label="Evidence">{dots}</button>'
)
CARD = '<div class="card-of-evidence" id="{id}" popover></div>'
# a script opens it: folded, cards are short in a browser that shows them all
FOLD = "<details><summary>{summary}</summary>{card}</details>"


def put_signs(notebook, sentences):
    """Put the sign of each sentence, its number, where the sentence ends in the Markdown of a notebook.

    Raises ValueError if a sentence is not in the notebook.
    """
    places = {}  # (cell, place): signs
    for number, sentence in enumerate(sentences):
        pattern = re.compile(r"\s+(?:> ?)?".join(map(re.escape, sentence.split())))
        texts = ((cell, pattern.search(cell.source)) for cell in notebook.cells if cell.cell_type == "markdown")
        cell, found = next(((cell, found) for cell, found in texts if found), (None, None))
        if cell is None:
            raise ValueError(f"no sentence of the chapter is “{sentence}”; its claim quotes another one")
        closed = [one.start() for one in STOP.finditer(found[0]) if one.end() == len(found[0])]
        end = STOP.search(cell.source, found.start() + closed[0] if closed else found.end() - 1)
        place = len(cell.source[: end.end() if end else found.end()].rstrip("*"))  # behind a sign no star closes
        places.setdefault((cell.id, place), []).append(f"{BEGIN}{number}{END}")
    for cell in notebook.cells:
        here = ((place, signs) for (name, place), signs in places.items() if name == cell.id)
        for place, signs in sorted(here, reverse=True):
            cell.source = cell.source[:place] + "".join(signs) + cell.source[place:]
    return notebook


def carry_signs(message, translation):
    """Put the signs of a message after the translated sentences that correspond to the marked ones."""
    original, sentences = split(SIGN.sub("", message)), split(translation)
    places, signs = align(original, sentences), [""] * len(sentences)
    for found in SIGN.finditer(message):
        before = len(split(SIGN.sub("", message[: found.start()])))
        last = max((place.stop for place in places[: max(before, 1)]), default=0)
        signs[max(last, 1) - 1] += found[0]
    stars = [len(sentence) - len(sentence.rstrip("*")) for sentence in sentences]
    return "".join(
        sentence[: len(sentence) - count] + sign + "*" * count
        for sentence, sign, count in zip(sentences, signs, stars, strict=True)
    )


def find_claims(docname):
    """Return the path and the claims of a chapter, None for another page."""
    path = next((path for path in CHAPTERS if docname == f"chapters/{path.stem}"), None)
    return (path, claims.modules()[path].CLAIMS) if path in claims.modules() else None


def _put(app, docname, source):
    if known := find_claims(docname):
        notebook = nbformat.reads(source[0], as_version=4)
        source[0] = nbformat.writes(put_signs(notebook, [claim.sentence for claim in known[1]]))


def _card_of(docname, number):
    return f"card-{docname.removeprefix('chapters/')[:2]}-{number}"


def _make_buttons(app, doctree):
    """Turn the signs in a page's text into buttons, with an empty card behind the paragraph."""
    docname = app.env.docname
    if not (known := find_claims(docname)):
        return
    path, entries = known
    for text in [text for text in doctree.findall(nodes.Text) if SIGN.search(text)]:
        parts, cards, end = [], [], 0
        for found in SIGN.finditer(text):
            card, name = _card_of(docname, found[1]), name_claim(path, entries[int(found[1])])
            button = nodes.raw("", BUTTON.format(id=card, name=name, dots=DOTS), format="html")
            parts += [nodes.Text(text[end : found.start()]), button]
            cards.append(nodes.raw("", CARD.format(id=card), format="html"))
            end = found.end()
        block = text.parent
        text.parent.replace(text, [part for part in [*parts, nodes.Text(text[end:])] if part.astext()])
        while not isinstance(block, nodes.paragraph | nodes.title):
            block = block.parent
        place = block.parent.index(block) + 1
        block.parent[place:place] = cards


def write_card(path, claim, number, page, say=str):
    """Return the inside of a card: what was varied, the strip with its legend, what would have refuted the sentence."""
    rows = engine.load(f"ch{path.stem[:2]}-{claim.experiment}")["rows"]
    factors = claims.find_factors(path, claim)
    strip = draw_strip(claim, rows, factors, say)
    legend = "".join(f"<p>{line.strip()}</p>" for line in write_legend(claim, rows, factors, say))
    legend = re.sub(r"\*([^*]+)\*", r"<em>\1</em>", re.sub(r"\$([^$]+)\$", r"<i>\1</i>", legend))
    parts = [
        f"<p><b>Varied:</b> {_emphasise(say(claim.varied))}.</p>",
        f'<figure class="strip">{strip}<figcaption>{legend}</figcaption></figure>',
        f"<p>{_emphasise(say(claim.wrong_if))}</p>",
        f'<p><a href="{page}#{name_claim(path, claim)}">Claim {int(path.stem[:2])}.{number + 1}</a></p>',
    ]
    return "".join(parts)


def _emphasise(text):
    """Return Markdown of one line, with nothing but emphasis in it, as HTML."""
    return re.sub(r"\*([^*]+)\*", r"<em>\1</em>", escape(text))


def _fill_cards(app, pagename, templatename, context, doctree):
    """Fill the cards when the page is written, after it has been read for the search."""
    if known := find_claims(pagename):
        (path, entries), say = known, speak(app.config.language)
        page = app.builder.get_relative_uri(pagename, "pages/evidence")
        for number, claim in enumerate(entries):
            empty = CARD.format(id=_card_of(pagename, number))
            if empty in context["body"]:
                inside = FOLD.format(summary=say("Evidence"), card=write_card(path, claim, number, page, say))
                filled = empty.replace("></div>", f">{inside}</div>")
                context["body"] = context["body"].replace(empty, filled)


def setup(app):
    app.connect("source-read", _put, priority=100)  # before a page is translated
    app.connect("doctree-read", _make_buttons)
    app.connect("html-page-context", _fill_cards)
