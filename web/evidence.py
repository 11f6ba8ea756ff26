"""The evidence page, made from the stored results: for each claim a card with a strip of dots, then what was refuted.

Chapters lead to their part of the page at the end of their summary. A card has the claim's name as its id.
"""

import re
import tomllib
from bisect import bisect
from html import escape
from itertools import accumulate
from math import floor, log10

from docutils import nodes
from matplotlib.ticker import MaxNLocator
from mdit_py_plugins.anchors.index import slugify
from sphinx import addnodes

from book.catalogue import rewrite_notebook, translations
from book.chapter import CHAPTERS, ROOT, TRANSLATED, one_line, prose, read, title
from evidence import claims, engine, planted
from evidence.claims import Level, Series, format_range
from web.align import align, split

PAGE, CLAIMS_MARK, REFUTED_MARK = "pages/evidence", "<!-- made: claims -->", "<!-- made: refuted -->"
PLANTED = re.compile(r"\{\{ planted (.*?) \}\}")  # a kind of false sentence
NAMES, PAGES_OWN = ("Result:", "Baseline:", "For comparison:", "Best possible:"), "This page:"
SIGNS = ("result", "baseline", "rival", "best")
CONDITIONS = {  # how a column of the cases is said, by default its value alone
    "rate": "learning rate {1}",
    "steps": "{1} steps",
    "heads": "{1} heads",
    "d": "d = {1}",
    "d_k": "d_k = {1}",
    "n": "n = {1}",
    "size": "scores of size {1}",
    "scale": "weights scaled by {1}",
    "adam": "Adam: {1}",
    "frozen": "frozen: {1}",
}
LINK = "How the claims of this chapter were tested"
WIDTH, INSET, RADIUS = 320, 4, 3  # of a strip, free at its ends, of a dot
SPACING, HIGHEST, MOST_DOTS = 7, 63, 60  # of stacked dots, of a whole stack, of a series
LOWEST, MOST_STEPS = 16, 6  # of a strip of one row of dots, within an axis
VALUES = {"None": "as usual", "True": "yes", "False": "no"}


def name_claim(path, claim):
    """Return the name of a claim of a chapter, the id of its card, which changes only with its sentence."""
    words = re.findall("[a-z0-9]+", claim.sentence.lower())
    return "-".join([f"ch{path.stem[:2]}", *words[:9]])


def find_section(notebook, sentence):
    """Return the last heading before a sentence."""
    heading = ""
    for source in prose(notebook):
        for part in re.split(r"^(?=#{1,3} )", source, flags=re.MULTILINE):
            if part.startswith("#"):
                heading = part.partition("\n")[0].lstrip("# ")
            if one_line(sentence) in one_line(part):
                return heading
    return heading


def thin(values):
    """Return the numbers in order, or 60 quantiles of them if there are more, with the smallest and the largest."""
    ordered = sorted(values)
    if len(ordered) <= MOST_DOTS:
        return ordered
    return [ordered[round(i * (len(ordered) - 1) / (MOST_DOTS - 1))] for i in range(MOST_DOTS)]


def choose_ticks(values):
    """Return evenly spaced round numbers from below all values to above them, from 0 on if all values are the same."""
    low, high = min(values), max(values)
    if low == high:
        low, high = (min(low, 0), max(high, 0)) if low else (0, 1)
    return MaxNLocator(MOST_STEPS, steps=[1, 2, 5, 10]).tick_values(low, high).tolist()


def format_tick(tick, step):
    """Return a tick with as many digits as the step to the next one needs."""
    digits = max(0, -floor(log10(step) + 1e-9))
    return (f"{tick:.0e}" if digits > 5 and tick else f"{tick:,.{digits if digits < 6 else 0}f}").replace("-", "−")


def stack(places):
    """Return the level of each dot, given its place, in order: the lowest on which it covers no other dot."""
    ends, levels = [], []
    for place in places:
        level = next((i for i, end in enumerate(ends) if place - end >= 2 * RADIUS), len(ends))
        ends[level : level + 1] = [place]
        levels.append(level)
    return levels


def read_number(text):
    """Return the value of a number as a chapter writes it.

    >>> read_number("−0.5"), read_number("2,517"), read_number("71%")
    (-0.5, 2517.0, 0.71)
    """
    plain = text.replace("−", "-").replace(",", "")
    return float(plain.rstrip("%")) / (100 if plain.endswith("%") else 1)


def short(number):
    """Return a coordinate with one digit behind the point, none if it is 0."""
    return f"{number:.1f}".removesuffix(".0")


def draw_dots(places, bottom, kind):
    """Return circles, stacked from the bottom up, and where the highest ends; a high stack is pressed together."""
    levels = stack(places)
    spacing = min(SPACING, HIGHEST / max(levels, default=1)) if max(levels) else 0
    heights = [bottom - RADIUS - level * spacing for level in levels]
    pairs = zip(places, heights, strict=True)
    circles = "".join(f'<circle cx="{short(x)}" cy="{short(y)}" r="{RADIUS}"/>' for x, y in pairs)
    return f'<g class="{kind}">{circles}</g>', min(heights) - RADIUS


def speak(language):
    """Return a function that says the texts of claims in a language, those without a translation in English."""
    known = translations("site") | translations("claims") if language == TRANSLATED else {}
    return lambda text: known.get(text, text)


def say_range(values, say):
    """Return the range of some numbers in words, in the language that `say` speaks."""
    low, *high = format_range(values).split(" to ")
    return say("{1} to {2}").replace("{1}", low).replace("{2}", high[0]) if high else low


def find_series(claim):
    """Return (sign, name, series) for what a strip shows, in the order of its legend."""
    named = zip(SIGNS, NAMES, (claim.shows, claim.baseline, claim.rival, claim.best), strict=True)
    return [
        (sign if sign != "baseline" or not isinstance(one, Level) else "level", name, one)
        for sign, name, one in named
        if one
    ]


def say_condition(condition, say):
    """Return a condition, pairs of a column and its value, in words.

    >>> say_condition((("rate", 0.0025), ("kind", "additive")), str)
    'learning rate 0.0025, additive'
    """
    values = {name: say(VALUES.get(str(value), str(value))) for name, value in condition if value is not None}
    said = (say(CONDITIONS.get(name, "{1}")).replace("{1}", value) for name, value in values.items())
    return ", ".join(filter(None, said))


def write_ranges(one, rows, factors, say):
    """Return the range of a series in words, or that of each of its conditions."""
    found = one.conditions(rows, factors)
    ranges = {say_condition(condition, say): say_range(values, say) for condition, values in found.items()}
    return "; ".join(f"{condition}: {values}" if condition else values for condition, values in ranges.items())


def describe(claim, rows, factors, say=str):
    """Return a strip in words: each series, what it is for and its range, and the page's own number."""
    named = ((f"{say(name)} {say(one.label)}", one) for _, name, one in find_series(claim))
    words = [f"{label}, {write_ranges(one, rows, factors, say)}." for label, one in named]
    if claim.page:
        words.insert(1, f"{say(PAGES_OWN)} {claim.page}.")
    return re.sub("[*`$]", "", " ".join(words))


def draw_strip(claim, rows, factors=(), say=str):
    """Return an SVG of one axis with a strip for each condition, a dot for each run, and the page's own run marked.

    Baselines are hollow dots or a dashed line, rivals are crosses, and a bound is a line. `say` speaks the language
    of the page; `factors` are the columns that make conditions.
    """
    series = find_series(claim)
    own = [read_number(claim.page)] if claim.page else []
    ticks = choose_ticks([value for _, _, one in series for value in one.values(rows)] + own)
    per_unit = (WIDTH - 2 * INSET) / (ticks[-1] - ticks[0])

    def place(values):
        return [INSET + (value - ticks[0]) * per_unit for value in values]

    found = [(sign, one.conditions(rows, factors)) for sign, _, one in series if isinstance(one, Series)]
    together = [pair for pair in found if pair[1].keys() == found[0][1].keys()]  # under one heading for each condition
    strips = [(condition, [(sign, some[condition]) for sign, some in together]) for condition in found[0][1]]
    for sign, some in found:
        strips += [(condition, [(sign, some[condition])]) for condition in some if (sign, some) not in together]
    parts, top = [], 0
    for condition, pairs in reversed(strips):
        for sign, values in reversed(pairs):
            dots, highest = draw_dots(place(thin(values)), top - 3, sign)
            if own and (condition, sign) == (strips[0][0], "result"):
                dots += f'<path class="page" d="M{short(place(own)[0])} {short(top - 1)}l-4 6h8z"/>'
            parts, top = [dots, *parts], highest
        if words := escape(say_condition(condition, say)):
            parts.insert(0, f'<text x="{INSET - RADIUS}" y="{short(top - 4)}">{words}</text>')
            top -= 16
    lines = [(sign, place([one.value])[0]) for sign, _, one in series if isinstance(one, Level)]
    top = min(top - 3, -LOWEST)
    drawn = "".join(f'<path class="{sign}" d="M{short(x)} 0V{short(top)}"/>' for sign, x in lines)
    axis = f"M{INSET} 0H{WIDTH - INSET}" + "".join(f"M{short(x)} 0v4" for x in place(ticks))
    first, last = (format_tick(tick, ticks[1] - ticks[0]) for tick in (ticks[0], ticks[-1]))
    return (
        f'<svg viewBox="0 {short(top)} {WIDTH} {short(18 - top)}" role="img"'
        f' aria-label="{escape(describe(claim, rows, factors, say))}">'
        f'<path class="axis" d="{axis}"/>{drawn}{"".join(parts)}'
        f'<text x="{INSET - RADIUS}" y="15">{first}</text>'
        f'<text x="{WIDTH - INSET + RADIUS}" y="15" text-anchor="end">{last}</text></svg>'
    )


def write_legend(claim, rows, factors=(), say=str):
    """Return a line for each series of a strip: its sign, its label, its ranges and how many values are drawn."""
    for i, (sign, name, one) in enumerate(find_series(claim)):
        most = max(map(len, one.conditions(rows, factors).values()))
        drawn = say("({1} of {2} drawn)").replace("{1}", str(MOST_DOTS)).replace("{2}", str(most))
        drawn = f" {drawn}" if most > MOST_DOTS else ""
        yield f'<b class="sign-{sign}">{name}</b> {say(one.label)}, {write_ranges(one, rows, factors, say)}{drawn}\n'
        if i == 0 and claim.page:
            yield f'<b class="sign-page">{PAGES_OWN}</b> {claim.page}\n'


def write_card(path, notebook, claim, sentence, say):
    """Return a claim as Markdown: its sentence in the page's language, the strip, and what would refute it."""
    rows, factors = engine.load(f"ch{path.stem[:2]}-{claim.experiment}")["rows"], claims.find_factors(path, claim)
    heading = find_section(notebook, claim.sentence)
    address = f"../chapters/{path.name}#{slugify(heading)}"
    return "\n".join(
        [
            f'<div class="claim" id="{name_claim(path, claim)}">\n',
            f"“{one_line(sentence)}” [{heading}]({address})\n",
            f'<figure class="strip">\n{draw_strip(claim, rows, factors, say)}\n<figcaption>\n',
            *write_legend(claim, rows, factors, say),
            "</figcaption>\n</figure>\n",
            f"<b>Varied:</b> {say(claim.varied)}\n",
            f"{say(claim.wrong_if)}\n",
            *(["<b>The stored result refutes it.</b>\n"] if not claim.holds(rows) else []),
            "</div>\n",
        ]
    )


def write_chapter(path, module, sentences=None, say=str):
    """Return the part of the page for one chapter, with the sentences of its claims as the page's language has them."""
    number, notebook = path.stem[:2], read(path)
    sentences = sentences or [claim.sentence for claim in module.CLAIMS]
    pairs = zip(module.CLAIMS, sentences, strict=True)
    cards = (write_card(path, notebook, claim, sentence, say) for claim, sentence in pairs)
    return "\n".join([f"(evidence-{number})=\n## {int(number)}. {title(notebook)}\n", *cards])


def write_refuted(path, entries):
    """Return what was refuted of a chapter, as a list that is folded."""
    items = (
        f"- “{entry['sentence']}”\\\n  <b>Seen:</b> {entry['seen']}\\\n  <b>Now:</b> {entry['now']}\n"
        for entry in entries
    )
    summary = f"<summary>{int(path.stem[:2])}. {title(read(path))} <span>({len(entries)})</span></summary>"
    return "\n".join(['<details class="refuted">', f"{summary}\n", *items, "</details>\n"])


def translate_sentences(path, entries):
    """Return the sentence of each claim as the translated chapter has it, in English where it has none."""
    known, said = translations(f"chapters/{path.stem}"), {}
    wanted = [one_line(claim.sentence) for claim in entries]

    def note(message, *_):
        english = one_line(message)
        for number, sentence in enumerate(wanted):
            start = english.find(sentence)
            if start >= 0 and message in known and number not in said:
                original, translation = split(english), split(known[message])
                ends = list(accumulate(map(len, original)))
                first, last = bisect(ends, start), bisect(ends, start + len(sentence) - 1)
                places = sorted({i for place in align(original, translation)[first : last + 1] for i in place})
                words = "".join(translation[i] for i in places).strip()
                said[number] = words.replace("**", "") if words.count("**") % 2 else words

    rewrite_notebook(read(path), note)
    return [said.get(number, claim.sentence) for number, claim in enumerate(entries)]


def write_shares(kind):
    """Return a cell of a table: the share of false sentences of a kind that are caught."""
    caught, tried = planted.count()[kind]
    return f"{caught / tried:.0%} ({caught}/{tried})"


def _make_page(app, docname, source):
    if docname == PAGE:
        refuted = tomllib.loads((ROOT / "evidence" / "refuted.toml").read_text("utf-8"))
        lists = (write_refuted(path, some) for path in CHAPTERS if (some := refuted.get(f"ch{path.stem[:2]}")))
        say, translated = speak(app.config.language), app.config.language == TRANSLATED
        chapters = (
            write_chapter(path, module, translate_sentences(path, module.CLAIMS) if translated else None, say)
            for path, module in claims.modules().items()
        )
        for mark, parts in ((CLAIMS_MARK, chapters), (REFUTED_MARK, lists)):
            source[0] = source[0].replace(mark, "\n".join(parts))
        source[0] = PLANTED.sub(lambda found: write_shares(found[1]), source[0])


def _link_page(app, doctree):
    """End the summary of a chapter with a link to its part of the page."""
    name = app.env.docname.removeprefix("chapters/")
    if name not in {path.stem for path in claims.modules()}:
        return
    for part in doctree.findall(nodes.section):
        if "summary" in part["ids"]:
            target = {"refdomain": "std", "reftype": "ref", "refdoc": app.env.docname, "refwarn": True}
            words = nodes.inline("", LINK)
            link = addnodes.pending_xref("", words, reftarget=f"evidence-{name[:2]}", refexplicit=True, **target)
            part += nodes.paragraph("", "", link)


def _know_headings(app, doctree):
    """Make the headings of a notebook known to links from other pages; MyST does so for Markdown pages alone."""
    slugs = app.env.metadata[app.env.docname].setdefault("myst_slugs", {})
    for part in doctree.findall(nodes.section):
        heading = part.next_node(nodes.title).astext()
        [name, *_] = [*part["names"], *part["dupnames"], heading]  # a translated heading keeps its English name
        slugs.setdefault(slugify(name), (part.line, part["ids"][0], heading))


def setup(app):
    app.connect("source-read", _make_page)
    app.connect("doctree-read", _link_page)
    app.connect("doctree-read", _know_headings)
