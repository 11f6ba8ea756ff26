"""False sentences, planted by a seeded program into what chapters say of their results: how many do the tests catch?

`python -m evidence.planted` prints the share by kind, `python -m evidence.planted 04` what nobody catches in chapter 4.

No kernel is needed: on the page as it is, every condition holds and every number is the value of its expression, or the
tests of the chapters fail. So a planted sentence is caught if its cell then has a problem, another number, or no longer
the sentence of a claim.
"""

import random
import re
import sys
from functools import cache
from itertools import pairwise

from book.chapter import CHAPTERS, one_line, read
from book.nbval_bound.bindings import find_numbers, list_problems, sentence_around, take_apart
from book.nbval_bound.words import COUNTS, find_sentences
from evidence import claims

SEED = 49
# a sentence that asks, or says what somebody does; a paragraph that explains a term or tells what a paper says
NO_RESULT = re.compile(
    r"\?|\b(?:we|you|your|let's|chapter)\b|^(?:\(|(?:Read|Here|Suppose|Take|Now|Drag)\b)", re.IGNORECASE
)
EXPLAINS = re.compile(r"\*\*[a-z]|\]\(http|^\||^> ")
# what the cell before has shown ends at a heading, a prediction, a formula or a step or method that is named in bold
END = re.compile(r"^#+ |^\$\$|^<details|^\*\*[A-Z][\w ]*(?:: \w+)?\.\*\*", re.MULTILINE)
LEFT_OUT = re.compile(r"\$\$.*?\$\$|\$[^$]*\$|\]\([^)]*\)|</?[a-z][^>]*>|`[^`]*`|[Cc]hapters? \d+", re.DOTALL)
ITALIC = re.compile(r"(?<![*\w])\*([^*\n]+)\*(?![*\w])|`([^`\n]+)`")
WHOLE = re.compile(r"(?<![\w.,−-])\d{1,3}(?![\w.,]*\d| ?%|\w)")
VECTOR = re.compile(r"(?<=\()[-−]?\d+(?:, [-−]?\d+)+(?=\))|(?<![\w.])\d{1,3}(?:,\d{3})+(?!\.\d)")
NAMES = [word for word, n in COUNTS.items() if 1 < n < 21]
TURNED = (
    "larger smaller, largest smallest, more less, above below, higher lower, highest lowest, longer shorter, "
    "longest shortest, rises falls, rose fell, best worst, better worse, wider narrower, stronger weaker, "
    "grows shrinks, faster slower"
)
TURN = {one: other for pair in TURNED.split(", ") for one, other in (pair.split(), pair.split()[::-1])} | {
    "fewer": "more"
}
ALL = {"all": "most", "every": "hardly any", "each": "hardly any", "none": "all", "no": "every", "most": "few"}
ALL |= {"both": "neither", "half": "twice", "twice": "half", "always": "never", "never": "always"}
ALL |= {"nothing": "everything", "everything": "nothing"}


def find_results(chapter):
    """Yield (source, end) for each Markdown cell behind a code cell: up to its end it says what the code has shown."""
    previous = None
    for cell in read(chapter).cells:
        if re.search("^## Exercises", cell.source, re.MULTILINE):
            return
        if cell.cell_type == "markdown" and previous == "code":
            new = END.search(cell.source)
            yield cell.source, new.start() if new else len(take_apart(cell.source).text)
        previous = cell.cell_type


def hide(found):
    return " " * len(found[0])


def exchange(text, one, other):
    """Return a text with what stands at two spans exchanged, the first of which comes first."""
    (a, b), (c, d) = one, other
    return text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]


def replace_all(text, matches, choose):
    """Yield the text with each match replaced by one that is wrong, as it is written: capital letters stay."""
    for found in matches:
        wrong = choose(found[0])
        if wrong:
            wrong = wrong.capitalize() if found[0][0].isupper() else wrong
            yield text[: found.start()] + wrong + text[found.end() :]


def plant(text, dice):
    """Yield (kind, the text with one false sentence) for a text that states results."""
    plain = LEFT_OUT.sub(hide, text)
    numbers = find_numbers(text)
    for one, other in pairwise(numbers):
        if one.text != other.text and one.is_percent == other.is_percent:
            yield "decimals exchanged", exchange(text, (one.start, one.end), (other.start, other.end))
    for number in numbers:
        place = dice.choice([i for i in range(number.start, number.end) if text[i].isdigit()])
        digit = dice.choice([d for d in "0123456789" if d != text[place]])
        yield "digit of a decimal", text[:place] + digit + text[place + 1 :]
    words = re.finditer(rf"\b(?:{'|'.join(NAMES[1:])})\b(?! or |-)", plain, re.IGNORECASE)
    yield from (("count", one) for one in replace_all(text, words, lambda word: NAMES[NAMES.index(word.lower()) - 1]))
    counts = WHOLE.finditer(VECTOR.sub(hide, plain))
    yield from (("count", one) for one in replace_all(text, counts, lambda n: str(int(n) + dice.choice((1, 2)))))
    for found in VECTOR.finditer(plain):
        place = dice.choice([i for i in range(*found.span()) if text[i].isdigit()])
        digit = dice.choice([d for d in "123456789" if d != text[place]])
        yield "vector or long number", text[:place] + digit + text[place + 1 :]
    ends = [found.end() for found in re.finditer(r"[.!?][*_)\"”]*\s|\n", text)]
    for a, b in zip([0, *ends], [*ends, len(text)], strict=True):
        spans = [found.span() for found in ITALIC.finditer(text, a, b) if find_sentences(found[0])[0][1]]
        pairs = pairwise(spans)
        pairs = [(one, other) for one, other in pairs if text[slice(*one)] != text[slice(*other)]]
        yield from (("names exchanged", exchange(text, *pair)) for pair in pairs)
        because = re.search(r"(?<=, |. )because |, since ", text[a:b])
        if because:
            cut, end = a + because.start(), a + because.end()
            stop = b - (len(text[a:b]) - len(text[a:b].rstrip(" .\n")))
            yield "cause and effect", text[:a] + text[end:stop] + text[cut:end] + text[a:cut] + text[stop:]
    turned = re.finditer(rf"(?<!\bno )(?<!\bany )\b(?:{'|'.join(TURN)})\b", plain, re.IGNORECASE)
    yield from (("comparison turned", one) for one in replace_all(text, turned, lambda word: TURN[word.lower()]))
    every = re.finditer(rf"(?<!\bat )\b(?:{'|'.join(ALL)})\b(?! longer| more)", plain, re.IGNORECASE)
    yield from (("all, none, most", one) for one in replace_all(text, every, lambda word: ALL[word.lower()]))


def is_caught(source, planted, sentences):
    """Return whether a test fails on a cell with a false sentence."""
    before, bound = take_apart(source), take_apart(planted)
    if any(sentence in one_line(before.text) and sentence not in one_line(bound.text) for sentence in sentences):
        return True
    if list_problems(planted):
        return True
    return any(
        expression != "None" and not now.agrees(float(then.value))
        for then, now, expression in zip(before.numbers, bound.numbers, bound.expressions, strict=True)
    )


@cache
def plant_all(chapter):
    """Return (kind, sentence, is it caught) for each false sentence planted in a chapter."""
    dice, planted = random.Random(f"{SEED} {chapter.stem}"), []
    sentences = [one_line(claim.sentence) for claim in claims.modules()[chapter].CLAIMS]
    for source, end in find_results(chapter):
        for kind, text in plant(source[:end], dice):
            if text != source[:end]:
                place = next(i for i, (a, b) in enumerate(zip(source, text + "\0", strict=False)) if a != b)
                wrong = text + source[end:]
                paragraph = source[max(source.rfind("\n\n", 0, place), -2) + 2 :].partition("\n\n")[0]
                explains = NO_RESULT.search(sentence_around(source, place)) or EXPLAINS.search(paragraph)
                if "decimal" in kind or not explains:
                    planted.append((kind, sentence_around(wrong, place), is_caught(source, wrong, sentences)))
    return planted


def count(chapters=CHAPTERS):
    """Return {kind: (caught, planted)} over some chapters."""
    found = [one for chapter in chapters for one in plant_all(chapter)]
    return {
        kind: (sum(caught for k, _, caught in found if k == kind), sum(k == kind for k, *_ in found))
        for kind in dict.fromkeys(kind for kind, *_ in found)
    }


if __name__ == "__main__":
    chosen = [chapter for chapter in CHAPTERS if chapter.stem[:2] in sys.argv[1:]]
    for chapter in chosen:
        print(*(f"{kind}: {sentence}" for kind, sentence, caught in plant_all(chapter) if not caught), sep="\n")
    for kind, (caught, planted) in count(chosen or CHAPTERS).items():
        print(f"{kind:24}{caught:5} of {planted:5}  {caught / planted:.0%}")
