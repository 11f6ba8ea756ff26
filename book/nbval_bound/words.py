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
    return [ast.unparse(part) for part in _take_apart(condition) if not isinstance(part, ast.Constant)]


def _take_apart(condition):
    node = ast.parse(condition, mode="eval").body
    return node.elts if isinstance(node, ast.Tuple) else [node]


def list_demands(condition):
    """Return what the sentence of a condition has to say, in this order: words that stand side by side, and numbers.

    >>> list_demands("'The cat', words[i] == 'sat', a > b, x.tolist() == [4, 2], y == 3 * len(x) and k in range(5)")
    [['the', 'cat'], ['sat'], [Fraction(4, 1)], [Fraction(2, 1)], [Fraction(3, 1)], [Fraction(0, 1)], [Fraction(4, 1)]]
    """
    return [demand for part in _take_apart(condition) for demand in _demand(part)]


def _demand(node):
    match node:
        case ast.Constant(value=str()):
            return _read_literal(node)
        case ast.BoolOp(values=parts):
            return [demand for part in parts for demand in _demand(part)]
        case (
            ast.Call(func=ast.Attribute(value=inner, attr="all"), args=[])
            | ast.Call(func=ast.Name("all"), args=[ast.GeneratorExp(elt=inner) | inner])
        ):
            return _demand(inner)
        case ast.Compare(_, [ast.In()], [among]):
            return _read_literal(among)
        case ast.Compare(left, signs, rest) if all(isinstance(sign, ast.Eq) for sign in signs):
            sides = [left, *rest]
            products = [side for side in sides if isinstance(side, ast.BinOp) and isinstance(side.op, ast.Mult)]
            factors = [part for side in products if _is_computed(side) for part in (side.left, side.right)]
            said, times = ([one for part in some for one in _read_literal(part)] for some in (sides, factors))
            return said or times
    return []


def _read_literal(node):
    """Return what a literal demands; nothing if anything else is in it, such as a name or True."""
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        found = [_read_literal(part) for part in node.elts]
        return [demand for one in found for demand in one] if all(found) else []
    match node:
        case ast.Constant(value=str(text)):
            return [words] if (words := [_plain(found) for found in TOKEN.finditer(text)]) else []
        case ast.Constant(value=int(number) | float(number)) if not isinstance(number, bool):
            return [[Fraction(number).limit_denominator(10**6)]]
        case ast.UnaryOp(ast.USub(), inner):
            return [[-number] for [number] in _read_literal(inner)]
        case ast.BinOp(ast.Constant(above), ast.Div(), ast.Constant(below)):
            return [[Fraction(above, below)]]
        case ast.Call(func=ast.Name("range"), args=[*start, ast.Constant(int(end))]):
            return [*(_read_literal(start[0]) if start else [[Fraction(0)]]), [Fraction(end - 1)]]
    return []


def find_unquoted(condition):
    """Return what a condition computes and doesn't quote a word of its sentence for, or None.

    >>> find_unquoted("'The cat has more', a > b"), find_unquoted("'more', a > b"), find_unquoted("'All', not x.any()")
    (None, 'what is compared', '0 (no, none, nothing …)')
    >>> find_unquoted("a > 0.9"), find_unquoted("x == 5")
    ('what it computes', None)
    """
    parts = _take_apart(condition)
    quoted = [_read(found) for part in parts if _is_text(part) for found in TOKEN.finditer(part.value)]
    for kind in map(_kind, parts):
        if kind is not None and not any(kind in token.meanings for token in quoted):
            return f"{kind} ({', '.join(CALLED[kind].split()[:3])} …)"
        if kind in SIGNS.values() and len(quoted) < 3:
            return "what is compared"
    return None if list_demands(condition) else "what it computes"


def _is_computed(node):
    return any(isinstance(part, ast.Name) for part in ast.walk(node))


def _is_text(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _kind(node):
    """Return what a sentence must have a word of the table for, if anything: a sign, "all", or 0."""
    match node:
        case ast.Call(func=ast.Attribute(attr="all"), args=[]) | ast.Call(func=ast.Name("all")):
            return "all"
        case ast.UnaryOp(ast.Not(), ast.Call(func=ast.Attribute(attr="any") | ast.Name("any"))):
            return Fraction(0)
        case ast.Compare(left, [sign, *_], rest) if type(sign) in SIGNS:
            return SIGNS[type(sign)] if all(map(_is_computed, [left, *rest])) else None
    return None


def match_conditions(text, conditions):
    """Look in a text for what its conditions say, in reading order, each in one sentence.

    Returns
    -------
    problems : list of str, each with a sentence and what it doesn't say
    bound : set of int, the places of the words and numbers that some condition demands
    """
    sentences = [(sentence, tokens) for sentence, tokens in find_sentences(text) if tokens] or [("", [])]
    demanding = [(condition, demands) for condition in conditions if (demands := list_demands(condition))]
    ways = [(0, 0, ())]  # how many conditions go unsaid, where the last one begins, and the places of each
    for _, demands in demanding:
        found = [
            (*way, next((places for said, places in _match(sentences, demands, way[1]) if said == len(demands)), None))
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
            said, _ = next(_match([("", tokens)], demands, start))
            missing = " ".join(map(str, demands[min(said, len(demands) - 1)]))
            problems.append(f"{sentence!r}\n    does not say {missing!r} there, as the condition {condition} does")
    return problems, bound


def _likeness(tokens, demands, bound):
    """Return how well a sentence fits a condition that it contradicts: by what it has, and what stands in its place."""
    return sum(
        1
        if any(demand in token.meanings for token in tokens)
        else isinstance(demand, Fraction) and any(token.is_number and token.start not in bound for token in tokens) / 2
        for demands_together in demands
        for demand in demands_together
    )


def _match(sentences, demands, start):
    """Yield for each sentence how many of the demands it meets in this order, and the places of their words."""
    for _, tokens in sentences:
        first = next((i for i, token in enumerate(tokens) if token.start >= start), len(tokens))
        said, places = 0, []
        for together in demands:
            spans = (tokens[i : i + len(together)] for i in range(first, len(tokens) - len(together) + 1))
            found = next((span for span in spans if _says(span, together)), None)
            if not found:
                break
            first = tokens.index(found[-1]) + 1
            said, places = said + 1, places + [token.start for token in found]
        yield said, places


def _says(tokens, demands):
    return all(demand in token.meanings for token, demand in zip(tokens, demands, strict=True))
