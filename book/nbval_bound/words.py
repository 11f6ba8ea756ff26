"""What a condition says, looked for in the sentence: names, counts, and one word for each comparison."""

import ast
import re
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

# what a sentence may call a sign or a number of a condition
CALLED = {
    ">": "more most larger largest greater greatest higher highest longer longest bigger biggest above over beyond "
    "exceeds exceed outnumber ahead wider widest further farther farthest stronger strongest harder sharper "
    "steeper deeper older rise rises rose risen grow grows grew grown increases increased gains later after "
    "atleast majority mostly first last better best worse worst faster slower",
    "<": "less least smaller smallest fewer fewest lower lowest shorter shortest below under behind narrower weaker "
    "weakest closer closest nearer nearest flatter easier shallower younger fall falls fell fallen shrink "
    "shrinks shrank drop drops dropped decreases loses lost earlier before atmost minority cheaper first last "
    "better best worse worst faster slower",
    "all": "all both each every everything everyone everywhere always any whole whatever whichever",
    Fraction(0): "no none nothing neither nobody nowhere never without",
    Fraction(1): "once single alone only same",
    Fraction(2): "twice both double doubles doubled doubling pair second",
    Fraction(1, 2): "half halves halved halfway",
    Fraction(1, 4): "quarter quarters fourth",
}
PARTS = {"halves": 2, "quarters": 4}
for n, word in enumerate("third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(), start=3):
    CALLED |= {Fraction(n): word, Fraction(1, n): CALLED.get(Fraction(1, n), "") + f" {word} {word}s"}
    PARTS[f"{word}s"] = n
ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
COUNTS = {word: n for n, word in enumerate(f"{ONES} eighteen nineteen".split())}
TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
COUNTS |= {word: 10 * n for n, word in enumerate(TENS.split(), start=2)}
SCALES = {"dozen": 12, "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
SIGNS = {ast.Gt: ">", ast.GtE: ">", ast.Lt: "<", ast.LtE: "<"}
ANY = "|".join([*COUNTS, *SCALES])
TOKEN = re.compile(
    r"(?P<numeral>(?<![\w.])[-−]?(?:\d+/\d+|(?:[1-9]\d{0,2}(?:(?:,|\{,\})\d{3})+|\d+)(?:\.\d+)?(?:e[-−+]?\d+)?))"
    rf"(?: (?P<scale>{'|'.join(SCALES)})\b)?"
    rf"|\b(?P<count>(?:{ANY})(?:[ -](?:{ANY}))*)(?: (?P<part>{'|'.join(PARTS)}))?\b|at least|at most|[^\W_]+",
    re.IGNORECASE,
)
BREAK = re.compile(r"(?<=[.!?])[*_)\"”]*\s+|\n\n+|\n(?=[-*>#])")  # between sentences; a table is one


class Token(NamedTuple):
    """A word or a number of a text: its place, its letters, and what it may mean: itself, a number, a sign."""

    start: int
    text: str
    meanings: set
    is_number: bool


OPPOSITE = {">": "last worse worst slower", "<": "first better best faster"}  # what a text says of the other sign alone


def find_sentences(text):
    """Return (sentence, its words and numbers) for each sentence of a Markdown text, without addresses and HTML tags.

    >>> [sorted(map(str, token.meanings)) for token in find_sentences("Thirty-two of 2,500, two thirds")[0][1]]
    [['32', 'thirty-two'], ['of'], ['2,500', '2500'], ['2', '2/3', 'two thirds']]
    """
    masked = re.sub(r"(?<=\])\([^)]*\)|</?[a-zA-Z][^>]*>", lambda found: " " * len(found[0]), text)
    places = [0, *(found.end() for found in BREAK.finditer(masked)), len(masked)]
    return [
        (" ".join(text[start:end].split()), [_read(found) for found in TOKEN.finditer(masked, start, end)])
        for start, end in pairwise(places)
    ]


def _read(found):
    """Return the token that was found, with everything it may mean."""
    word = _plain(found)
    meanings = {word} | {name for name, words in CALLED.items() if word in words.split()}
    meanings -= {sign for sign, words in OPPOSITE.items() if word in words.split()}
    if found["numeral"]:
        number = Fraction(re.sub(r"[,{}]", "", found["numeral"]).replace("−", "-"))
        meanings |= {number, number * SCALES.get((found["scale"] or "").lower(), 1)}
    elif found["count"]:
        total = 0
        for part in re.split("[ -]", found["count"].lower()):
            total = max(total, 1) * SCALES[part] if part in SCALES else total + COUNTS[part]
        meanings |= {Fraction(total), Fraction(total, PARTS.get((found["part"] or "").lower(), 1))}
    return Token(found.start(), found[0], meanings, bool(found["numeral"] or found["count"]))


def _plain(found):
    return found[0].lower().replace("at ", "at")


def list_parts(condition):
    """Return what is to be evaluated of a condition: all of it, or the parts of `"word", a > b` that aren't words.

    >>> list_parts("'The', a > b, 'cat'"), list_parts("(a, b) == (1, 2)")
    (['a > b'], ['(a, b) == (1, 2)'])
    """
    node = ast.parse(condition, mode="eval").body
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return [ast.unparse(part) for part in parts if not isinstance(part, ast.Constant)]


def list_demands(node):
    """Return what the sentence of a condition has to say, in this order: words, numbers, and signs for comparisons.

    >>> list_demands(ast.parse("('The', words[i] == 'cat', a > b, x.tolist() == [4, 2], all(rows))", mode="eval").body)
    ['the', 'cat', '>', Fraction(4, 1), Fraction(2, 1), 'all']
    """
    match node:
        case ast.Constant(value=str()):
            return _read_literal(node)
        case ast.Tuple(elts=parts) | ast.BoolOp(values=parts):
            return [demand for part in parts for demand in list_demands(part)]
        case (
            ast.Call(func=ast.Attribute(value=inner, attr="all"), args=[])
            | ast.Call(func=ast.Name("all"), args=[ast.GeneratorExp(elt=inner) | inner])
        ):
            return [*list_demands(inner), "all"]
        case ast.UnaryOp(ast.Not(), ast.Call(func=ast.Attribute(attr="any") | ast.Name("any"))):
            return [Fraction(0)]
        case ast.Compare(left, signs, rest):
            sides = [left, *rest]
            if all(isinstance(sign, ast.Eq) for sign in signs):
                return [demand for side in sides for demand in _read_literal(side)]
            computed = all(any(isinstance(part, ast.Name) for part in ast.walk(side)) for side in sides)
            return [SIGNS[type(signs[0])]] if computed and type(signs[0]) in SIGNS else []
    return []


def _read_literal(node):
    """Return the words and numbers of a literal as demands; none if anything else is in it, such as a name or True."""
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        found = [_read_literal(part) for part in node.elts]
        return [demand for one in found for demand in one] if all(found) else []
    match node:
        case ast.Constant(value=str(word)):
            return [_plain(found) for found in TOKEN.finditer(word)]
        case ast.Constant(value=int(number) | float(number)) if not isinstance(number, bool):
            return [Fraction(number).limit_denominator(10**6)]
        case ast.UnaryOp(ast.USub(), inner):
            return [-number for number in _read_literal(inner)]
        case ast.BinOp(ast.Constant(above), ast.Div(), ast.Constant(below)):
            return [Fraction(above, below)]
    return []


def match_conditions(text, conditions):
    """Look in a text for what its conditions say, in reading order, each in one sentence.

    Returns
    -------
    problems : list of str, each with a sentence and what it doesn't say
    bound : set of int, the places of the words and numbers that some condition demands
    """
    sentences = [(sentence, tokens) for sentence, tokens in find_sentences(text) if tokens] or [("", [])]
    demanding = [(one, list_demands(ast.parse(one, mode="eval").body)) for one in conditions]
    demanding = [(condition, demands) for condition, demands in demanding if demands]
    ways = [(0, 0, ())]  # how many conditions go unsaid, where the last one begins, and the places of each
    for _, demands in demanding:
        found = [
            (*way, next((p for p in _match(sentences, demands, way[1]) if len(p) == len(demands)), None))
            for way in ways
        ]
        ways = [(unsaid + 1, start, (*places, [])) for unsaid, start, places, _ in found]
        ways += [(unsaid, max(start, now[0]), (*places, now)) for unsaid, start, places, now in found if now]
        ways.sort()
        ways = [way for i, way in enumerate(ways) if all(way[1] < better[1] for better in ways[:i])]
    matched = ways[0][2]
    bound = {place for places in matched for place in places}
    problems = []
    for i, (condition, demands) in enumerate(demanding):
        if not matched[i]:
            start = max((places[0] for places in matched[:i] if places), default=0)
            end = next((places[0] for places in matched[i:] if places), len(text))
            between = [one for one in sentences if one[1] and one[1][-1].start >= start and one[1][0].start <= end]
            sentence, tokens = max(between, key=lambda one, demands=demands: _likeness(one[1], demands, bound))
            missing = demands[min(len(next(_match([("", tokens)], demands, start))), len(demands) - 1)]
            problems.append(f"{sentence!r}\n    does not say {_call(missing)}, as the condition {condition} does")
    return problems, bound


def _likeness(tokens, demands, bound):
    """Return how well a sentence fits a condition that it contradicts: by what it has, and what stands in its place."""
    rivals = [{">": {"<"}, "<": {">"}, "all": {Fraction(0)}, Fraction(0): {"all"}}.get(one, set()) for one in demands]
    return sum(
        1
        if any(demand in token.meanings for token in tokens)
        else any(
            rival & token.meanings or (isinstance(demand, Fraction) and token.is_number and token.start not in bound)
            for token in tokens
        )
        / 2
        for demand, rival in zip(demands, rivals, strict=True)
    )


def _match(sentences, demands, start):
    """Yield for each sentence the places of its words that meet the demands in this order, as far as it does."""
    for _, tokens in sentences:
        rest = iter([token for token in tokens if token.start >= start])
        places = []
        for demand in demands:
            among = tokens if demand == "all" else rest  # a word for all may be anywhere in the sentence
            place = next((token.start for token in among if demand in token.meanings), None)
            if place is None or tokens[-1].start < start:
                break
            places.append(place)
        yield places


def _call(demand):
    few = ", ".join(CALLED.get(demand, "").split()[:3])
    return f"{demand}" + (f" ({few} …)" if few else "")
