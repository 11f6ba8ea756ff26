"""The catalogues of the Korean edition: `python -m tools.translate` refreshes them, `--check [PAGE ...]` reads them.

Refreshing keeps a translation as long as its English is the same. Where the English has changed, the old translation
stays in the catalogue as fuzzy, for the translator to look at, and the page shows English. A check compares each
message with its translation, and counts what is not translated.
"""

import argparse
import re
import sys
import tomllib
from calendar import month_name
from collections import Counter, defaultdict
from difflib import get_close_matches
from functools import cache
from itertools import chain, combinations

import polib

from book.catalogue import (
    FOLDER,
    find_catalogue,
    find_source,
    inline,
    list_translatable,
    plain,
    rewrite,
    rewrite_alternatives,
    rewrite_notebook,
    templates,
    words_of_the_site,
)
from book.chapter import ROOT, read
from evidence import claims, engine
from web.evidence import CONDITIONS, VALUES
from web.glossary import PAGE, read_rows

NUMBER = re.compile(r"(?<![\w)\]])[−-]?\d+(?:[.,]\d+)*|\d+(?:[.,]\d+)*")
MONTHS = list(month_name)  # of a date, such as 5 May 2026
NAME = re.compile("[a-z]{2,}")
WITH_FINAL, WITH_RIEUL = "013678", "178"  # digits that end in a consonant as they are read aloud, in ㄹ
QUOTED_KOREAN = re.compile(r'<span lang="ko">.*?</span>')  # the source notes' own words, in which terms are theirs
PARTICLES = {"은": "는", "이": "가", "을": "를", "과": "와", "으로": "로"}  # after a consonant, after a vowel
ENDS = "|".join(sorted({*PARTICLES, *PARTICLES.values()}, key=len, reverse=True))
WORDS = tomllib.loads((FOLDER / "words.toml").read_text("utf-8"))
SIZE = re.compile("크기(?:가|는)? 1(?![0-9])")  # of numbers; wrong where the English has the standard deviation
DEVIATION = re.compile("standard deviation|size 1(?![0-9])")
ALSO = re.compile(r"(?<=\*\*)\([^)]*\)| · [^·<]+(?=[^<>]*</span>)")  # behind a term: what else it is called
QUOTED = re.compile(f"{QUOTED_KOREAN.pattern}|“[^”]*”")  # what the source notes say stays as they say it


def messages(page):
    """Return the messages of a page: {message: [(kind, place), ...]}; a place is the id of a cell, or a heading."""
    if list_words := {"site": words_of_the_site, "claims": words_of_claims, "checks": templates}.get(page):
        return {text: [("text", place)] for text, place in list_words()}
    found, path, heading = defaultdict(list), find_source(page), ""

    def note(message, kind, place=None):
        nonlocal heading
        heading = message if kind == "heading" else heading
        found[message].append((kind, place or heading))

    if path.suffix == ".ipynb":
        rewrite_alternatives(rewrite_notebook(read(path), note), note)
    else:
        rewrite(path.read_text("utf-8"), note)
    return dict(found)


def words_of_claims():
    """Yield what the cards of claims say besides their sentences, each with its chapter."""
    general = ("{1} to {2}", "({1} of {2} drawn)", *filter(None, CONDITIONS.values()), *VALUES.values())
    yield from ((text, "each card") for text in general)
    for path, module in claims.modules().items():
        for claim in module.CLAIMS:
            series = [one for one in (claim.shows, claim.baseline, claim.best, claim.rival) if one]
            rows = engine.load(f"ch{path.stem[:2]}-{claim.experiment}")["rows"]
            conditions = [one.conditions(rows, claims.find_factors(path, claim)) for one in series]
            values = [value for found in conditions for condition in found for _, value in condition]
            texts = [one.label for one in series] + [value for value in values if isinstance(value, str)]
            yield from ((text, path.stem) for text in (*texts, claim.varied, claim.wrong_if))


def refresh(page, folder=FOLDER):
    """Write the catalogue of a page anew, in the order of the page."""
    path = find_catalogue(page, folder)
    old = polib.pofile(str(path), wrapwidth=0) if path.is_file() else []
    known = {entry.msgid: entry for entry in old}
    found = messages(page)
    left = {text: entry for text, entry in known.items() if text not in found and entry.msgstr}
    new = polib.POFile(wrapwidth=0)
    new.metadata = {"Language": "ko", "Content-Type": "text/plain; charset=UTF-8", "Content-Transfer-Encoding": "8bit"}
    for text, uses in found.items():
        entry = polib.POEntry(msgid=text, occurrences=[(place, "") for _, place in uses])
        entry.comment = ", ".join(dict.fromkeys(kind for kind, _ in uses))
        if kept := known.get(text):
            entry.msgstr, entry.tcomment = kept.msgstr, kept.tcomment
            entry.flags, entry.previous_msgid = kept.flags, kept.previous_msgid
        elif near := get_close_matches(text, left, n=1, cutoff=0.7):
            entry.msgstr, entry.flags, entry.previous_msgid = left.pop(near[0]).msgstr, ["fuzzy"], near[0]
        new.append(entry)
    for entry in left.values():
        entry.obsolete, entry.occurrences = True, []
        new.append(entry)
    path.parent.mkdir(parents=True, exist_ok=True)
    new.save(str(path))
    return new


@cache
def glossary():
    """Return {English term: its Korean word}, the first where the glossary has several."""
    rows = read_rows((ROOT / f"{PAGE}.md").read_text("utf-8"))
    return {term.lower(): words[0] for terms, words, _ in rows for term in terms if words}


def count_kept(text):
    """Count what a translation may not change, by what it is: {kind: Counter}."""
    tokens = inline(text)
    return {
        "formula": Counter(token.content for token in tokens if token.type == "math_inline"),
        "code": Counter(token.content for token in tokens if token.type == "code_inline"),
        "link": Counter(token.attrs["href"] for token in tokens if token.type == "link_open"),
        "image": Counter(token.attrs["src"] for token in tokens if token.type == "image"),
        "tag": Counter(re.sub(r'\balt="[^"]*"', "", token.content) for token in tokens if token.type == "html_inline"),
        "passage in bold": Counter("**" for token in tokens if token.type == "strong_open"),
        "emphasis": Counter("*" for token in tokens if token.type == "em_open"),
        "computed text": Counter(re.findall(r"\{\{.*?\}\}|\{[^{}]*\}", text)),
        "cell of the table": Counter("|" for _ in re.findall(r"(?<!\\)\|", text) if text.startswith("|")),
        "sign of a link or an emphasis": Counter(re.findall(r"[*`\[\]$]", plain(text))),
    }


def count_numbers(text):
    """Count the numbers in digits, outside of code and formulas."""
    return Counter(NUMBER.findall(plain(text).replace("−", "-")))


def count_numbers_in_words(text):
    """Count the numbers that a text has in words and that a translation may write in digits."""
    words = (
        word if word in WORDS["numbers"] else word.removesuffix("s") for word in re.findall("[a-z]+", text.lower())
    )
    months = re.findall(rf"\b({'|'.join(MONTHS[1:])}) \d", text)
    found = [number for word in words for number in WORDS["numbers"].get(word, ())] + list(map(MONTHS.index, months))
    return Counter(map(str, found))


def join_sorted(counter):
    return ", ".join(sorted(counter.elements()))


def list_wrong_particles(text):
    """Yield each particle that does not agree with the number or the term of the glossary before it."""
    nouns = "|".join(sorted(map(re.escape, glossary().values()), key=len, reverse=True))
    for found in re.finditer(rf"((?:(?<![가-힣])(?:{nouns}))|\d)({ENDS})(?![가-힣])", plain(text)):
        word, particle = found.groups()
        if (right := agree(word, particle)) != particle:
            yield f"{found[0]}: after {word} stands {right}"


def agree(word, particle):
    """Return the form of a particle that agrees with the Korean word or the digit before it.

    >>> agree("5", "이"), agree("0", "가"), agree("1", "으로")
    ('가', '이', '로')
    """
    final = (ord(word[-1]) - ord("가")) % 28 if "가" <= word[-1] else word in WITH_FINAL
    rieul = final == 8 or word in WITH_RIEUL
    for after_consonant, after_vowel in PARTICLES.items():
        if particle in (after_consonant, after_vowel):
            return after_consonant if final and not (rieul and after_vowel == "로") else after_vowel
    return particle


def list_old_terms(english, korean):
    """Yield each term of a translation that readers stumbled over, with the word that replaces it.

    >>> [*list_old_terms("", "**투영**(projection, 사영이라고도 해요)이에요. 노트는 “하한선”이라고 해요.")]
    []
    >>> [*list_old_terms("", '| rank | <span lang="ko">투영 · 사영</span> | 사영은 33 %예요. |')]
    ['사영 → 투영', '3 % → % right behind the digit']
    >>> [*list_old_terms("standard deviation 1", "이 채점기가 평균 0, 크기 1로 맞춰요.")]
    ['크기 1 → 표준편차 1']
    """
    korean = ALSO.sub("", korean)
    korean = korean if "| <span" in korean else QUOTED.sub("", korean)  # the glossary's words are ours
    for pattern, instead in WORDS["old_terms"].items():
        if found := re.search(pattern, korean):
            yield f"{found[0]} → {instead}"
    if DEVIATION.search(english) and (found := SIZE.search(korean)):
        yield f"{found[0]} → 표준편차 1"


def list_differences(english, korean):
    """Yield where a translation differs from its English though it may not: texts for the translator."""
    before, after = count_kept(english), count_kept(korean)
    for what in before:
        if gone := join_sorted(before[what] - after[what]):
            yield f"{what} missing: {gone}"
        if more := join_sorted(after[what] - before[what]):
            yield f"{what} that the English does not have: {more}"
    there, here = count_numbers(english), count_numbers(korean)
    if gone := join_sorted(there - here):
        yield f"number missing: {gone}"
    if more := join_sorted(here - there - count_numbers_in_words(plain(english))):
        yield f"number that the English does not have: {more}"
    if "\n\n" in korean or korean != korean.strip() or korean.count("\n") != english.count("\n"):
        yield "line breaks or spaces at the ends differ"
    if english.startswith("|") and 'lang="ko"' in english and english.split("|")[1:3] != korean.split("|")[1:3]:
        yield "the first two cells stay as they are"
    for term in re.findall(r"\*\*([^*]+)\*\*", QUOTED_KOREAN.sub("", english)):
        word = glossary().get(term.lower()) or glossary().get(term.lower().removesuffix("s"))
        if word and word not in korean:
            yield f"the glossary's word for {term} is {word}"
    yield from list_wrong_particles(korean)
    yield from list_old_terms(english, korean)


def rate_fit(english, korean):
    """Rate how well a translation fits a choice: by clues, numbers, names, and what no translation may change."""
    there, here = plain(english).lower(), plain(korean).lower()
    clues = [(bool(re.search(one, there)), bool(re.search(other, here))) for one, other in WORDS["clues"].items()]
    fits = sum(2 * (one and other) - (one != other) for one, other in clues)
    fits += 2 * (Counter(NAME.findall(there)) & Counter(NAME.findall(here))).total()
    before, after = (count_kept(text) | {"number": count_numbers(text)} for text in (english, korean))
    for what in before:
        differ = (before[what] - after[what]) + (after[what] - before[what])
        fits += 3 * (before[what] & after[what]).total() - 2 * differ.total()
    return fits


def pair_choices(catalogue):
    """Return every two translated choices, or summaries, of one cell."""
    cells = {}
    for entry in catalogue:
        if entry.translated() and re.search("choice|summary", entry.comment):
            for cell, _ in entry.occurrences:
                cells.setdefault(cell, []).append(entry)
    return chain.from_iterable(combinations(found, 2) for found in cells.values())


def list_exchanged_choices(catalogue):
    """Yield choices of one prediction whose translations fit better the other way round: (entry, text)."""
    for one, other in pair_choices(catalogue):
        as_it_is = rate_fit(one.msgid, one.msgstr) + rate_fit(other.msgid, other.msgstr)
        if as_it_is < rate_fit(one.msgid, other.msgstr) + rate_fit(other.msgid, one.msgstr):
            yield one, f"it seems to be exchanged with another choice: {other.msgstr}"


def list_problems(catalogue):
    """Yield the problems of a catalogue: (entry, text); two headings of a page must differ as well."""
    headings = {}
    yield from list_exchanged_choices(catalogue)
    for entry in catalogue:
        if entry.translated():
            yield from ((entry, problem) for problem in list_differences(entry.msgid, entry.msgstr))
            if "heading" in entry.comment and headings.setdefault(entry.msgstr, entry.msgid) != entry.msgid:
                yield entry, f"another heading has the same words: {headings[entry.msgstr]}"


def check(pages):
    """Print problems and counts; return whether there is a problem, and how many messages are not translated."""
    found, open_messages, all_messages = 0, 0, 0
    for page in pages:
        catalogue, name = polib.pofile(str(find_catalogue(page)), wrapwidth=0), find_catalogue(page).relative_to(ROOT)
        for entry, problem in list_problems(catalogue):
            found += 1
            print(f"{name}:{entry.linenum}: {problem}\n    {entry.msgid[:100]}\n    {entry.msgstr[:100]}")
        entries = [entry for entry in catalogue if not entry.obsolete]
        missing = sum(not entry.translated() for entry in entries)
        open_messages, all_messages = open_messages + missing, all_messages + len(entries)
        print(f"{page}: {missing} of {len(entries)} messages are not translated")
    print(f"{found} problems; {open_messages} of {all_messages} messages are not translated")
    return bool(found), open_messages


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="such as chapters/01_definition; all if none is named")
    parser.add_argument("--check", action="store_true", help="compare each message with its translation; write nothing")
    parser.add_argument("--complete", action="store_true", help="the same, and fail if a message is not translated")
    options = parser.parse_args()
    pages = options.pages or list_translatable()
    if not (options.check or options.complete):
        for page in pages:
            refresh(page)
    wrong, missing = check(pages)
    sys.exit(wrong or (options.complete and bool(missing)))


if __name__ == "__main__":
    main()
