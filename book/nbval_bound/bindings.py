"""Numbers in the sentences of a notebook, and the comment that binds each of them to an expression.

python -m nbval_bound.bindings NOTEBOOK ...     list the numbers that are exempt or unbound, and what is wrong

In the book's own repository, where the plugin is not installed, the module is `book.nbval_bound.bindings`.
"""

import ast
import json
import re
import sys
import tokenize
from decimal import ROUND_HALF_EVEN, Context, Decimal
from math import isfinite
from pathlib import Path
from typing import NamedTuple

from .words import find_sentences, find_unquoted, list_parts, match_conditions

COMMENT = re.compile(r"\s*<!--\s*(?P<end>end:)?(?P<code>(?:(?!-->).)*)-->\s*\Z", re.S)
DIGITS = r"\d+(?:,\d{3})*"
PERCENT = re.compile(rf"(?<![\w.,])(?P<number>[-−]?{DIGITS}(?:\.\d+)?)(?:\s|&nbsp;|\\,)?(?:\\?[%％]|per cent|percent)")
DECIMAL = re.compile(rf"(?<![^\W_])(?<!\.)(?P<number>[-−]?{DIGITS}\.\d+(?:[eE][-−+]?\d+)?)(?![\w.]*\d)")
# a link to a source, the tag of an equation, an HTML tag: a number in these needs no expression
EXEMPT = re.compile(r"\[[^]]*\]\([^)]*\)|\\tag\{[^}]*\}|[Ee]quations? \(\d+\.\d+\)|</?[a-zA-Z][^>]*>")
# in these a whole number is no result, either: code, formulas, chapters, the points and minutes of an exercise
NOT_PROSE = re.compile(
    rf"{EXEMPT.pattern}|```.*?```|`[^`]*`|\$\$.*?\$\$|\$[^$]*\$|^\*\*\d.*?\)|[Cc]hapters? \d+", re.S | re.M
)
SENTENCE = re.compile(r"(?<=[.!?])[*_)\"”]*\s+|\n\n+|\n(?=[-*>|#])")
ASK = "repr((lambda v: float(v.item() if hasattr(v, 'item') else v))({}))"


class Number(NamedTuple):
    """A decimal or a percentage in a text: its place, its digits as they are written, and the sentence around it."""

    start: int
    end: int
    text: str
    is_percent: bool
    sentence: str

    @property
    def value(self):
        """The number that the text states, a percentage divided by 100."""
        return float(self.text.replace(",", "").replace("−", "-")) / (100 if self.is_percent else 1)

    def write(self, value):
        """Return the value as the text would write it: as many decimals, the same minus, percentages times 100.

        >>> find_numbers("It takes 33 % or −0.33 of it.")[0].write(0.3302)
        '33'
        """
        if not isfinite(value):
            return str(value)
        mantissa, mark, exponent = self._parts
        places = len(mantissa.partition(".")[2])
        exact = Decimal(value) * (100 if self.is_percent else 1)
        exact = exact.scaleb(-int(exponent.replace("−", "-"))) if exponent else exact
        rounded = exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_EVEN, Context(400))
        written = f"{rounded:,}" if "," in self.text else f"{rounded}"
        written = written.replace("-", "−" if "−" in self.text or "-" not in self.text else "-")
        return written + mark + exponent

    @property
    def _parts(self):
        """The number before and behind its `e`, or `E`, and that letter."""
        return re.fullmatch("([^eE]*)([eE]?)(.*)", self.text).groups()

    def agrees(self, value):
        """Return whether the text shows this value. A value halfway between two texts agrees with both."""
        mantissa, _, exponent = self._parts
        step = Decimal(1).scaleb(int(exponent.replace("−", "-") or 0) - len(mantissa.partition(".")[2]))
        step = float(step) / (100 if self.is_percent else 1)
        nearby = (value, value + 1e-9 * step, value - 1e-9 * step)
        return any(_digits(self.write(near)) == _digits(self.text) for near in nearby)


def _digits(text):
    """Return a number's text without what only typesetting decides, such as the kind of minus or the sign of zero."""
    plain = text.replace("−", "-").replace(",", "")
    return plain if re.search("[1-9]", re.split("[eE]", plain)[0]) else plain.lstrip("-")


def find_numbers(text):
    """Return the decimals and percentages of a Markdown text in reading order.

    >>> [number.text for number in find_numbers("From 0.5 to 67 %, see [the paper, 28.4](https://example.org/1.2).")]
    ['0.5', '67']
    """
    masked = EXEMPT.sub(lambda found: " " * len(found[0]), text)
    percents = [*PERCENT.finditer(masked)]
    for found in percents:
        masked = masked[: found.start()] + " " * len(found[0]) + masked[found.end() :]
    found = [(one.start("number"), one["number"], True) for one in percents]
    found += [(one.start("number"), one["number"], False) for one in DECIMAL.finditer(masked)]
    return [
        Number(start, start + len(number), number, percent, sentence_around(text, start))
        for start, number, percent in sorted(found)
    ]


def sentence_around(text, place):
    """Return the sentence of a text that contains a place, on one line."""
    breaks = [found.end() for found in SENTENCE.finditer(text)]
    start = max((end for end in breaks if end <= place), default=0)
    end = min((end for end in breaks if end > place), default=len(text))
    return " ".join(text[start:end].split())


class Bound(NamedTuple):
    """A Markdown cell taken apart: its text, the expressions for its numbers, conditions, and when to evaluate them."""

    text: str
    expressions: list
    conditions: list
    at_end: bool
    comment: str  # as it is in the cell, with the blank line before it

    @property
    def numbers(self):
        return find_numbers(self.text)


def _expression(statement):
    if not isinstance(statement, ast.Expr):  # such as n = 3, where n == 3 was meant
        raise SyntaxError(f"{ast.unparse(statement)} is a statement")
    return statement.value


def take_apart(source):
    """Return a Markdown cell's text and what its last comment says.

    Raises ValueError, which quotes the comment, if that is not a list of Python expressions.
    """
    found = COMMENT.search(source)
    if not found:
        return Bound(source, [], [], False, "")
    code = " ".join(found["code"].splitlines()).strip()
    try:
        if any(token.type == tokenize.COMMENT for token in tokenize.generate_tokens(iter([code]).__next__)):
            raise SyntaxError("# hides all that follows")
        parts = [*map(_expression, ast.parse(f"(){code}" if code.startswith(";") else code).body)]
    except (SyntaxError, tokenize.TokenError) as error:
        raise ValueError(f"not a list of Python expressions: {found[0].strip()} ({error})") from None
    first = parts[0] if parts else ast.Tuple([])
    expressions = first.elts if isinstance(first, ast.Tuple) else [first]
    written = [[ast.unparse(node) for node in nodes] for nodes in (expressions, parts[1:])]
    return Bound(source[: found.start()], *written, bool(found["end"]), found[0])


def without_bindings(source):
    """Return a Markdown cell as readers see it, without the comment that binds its numbers.

    >>> without_bindings("*The* keeps 0.670. \\n\\n<!-- weights[0, 0] -->")
    '*The* keeps 0.670.'
    """
    bound = take_apart(source)
    return bound.text.rstrip() if bound.comment else source


def is_typed(expression):
    """Return whether an expression only repeats a number, so that it could never disagree with the sentence."""
    nodes = [*ast.walk(ast.parse(expression, mode="eval"))]
    has_name = any(isinstance(node, ast.Name) for node in nodes)
    constants = [node.value for node in nodes if isinstance(node, ast.Constant)]
    return not has_name and (len(constants) < 2 or any(isinstance(value, float) for value in constants))


def list_problems(source):
    """Return what is wrong with the comment of a Markdown cell, without running anything: texts."""
    try:
        bound = take_apart(source)
    except ValueError as error:
        return [str(error)]
    numbers, expressions = bound.numbers, bound.expressions
    if len(numbers) != len(expressions):
        shown = ", ".join(number.text for number in numbers)
        return [
            f"{len(numbers)} numbers ({shown}), but {len(expressions)} expressions:\n"
            f"    {(numbers[0].sentence if numbers else sentence_around(bound.text, 0))!r}"
        ]
    problems, _ = match_conditions(bound.text, bound.conditions)
    empty = [condition for condition in bound.conditions if not list_parts(condition)]
    silent = [(condition, lack) for condition in bound.conditions if (lack := find_unquoted(condition))]
    return (
        problems
        + [f"the condition {condition} computes nothing" for condition in empty]
        + [f"the condition {condition} quotes no word for {unquoted}" for condition, unquoted in silent]
        + [
            f"{number.text} is bound to {expression}, which only repeats it:\n    {number.sentence!r}"
            for number, expression in zip(numbers, expressions, strict=True)
            if expression != "None" and is_typed(expression)
        ]
    )


def evaluate(bound, ask):
    """Evaluate a cell's expressions and conditions; return a value for each number, and what is wrong, texts.

    `ask` takes a list of Python sources and returns (is_ok, text) for each: the repr, or the error's message. A value
    is a float, None for an exempt number, or the message of an error.
    """
    open_numbers = [expression for expression in bound.expressions if expression != "None"]
    asked = [ASK.format(expression) for expression in open_numbers]
    answers = ask(asked + [f"repr(all([{', '.join(list_parts(condition))}]))" for condition in bound.conditions])
    numbers = (float(text.strip("'\"")) if is_ok else text for is_ok, text in answers[: len(asked)])
    values = [None if expression == "None" else next(numbers) for expression in bound.expressions]
    failed = [
        f"the condition {condition} is {text if is_ok else 'an error, ' + text}"
        for condition, (is_ok, text) in zip(bound.conditions, answers[len(asked) :], strict=True)
        if not (is_ok and text == "True")
    ]
    return values, failed


def compare(bound, values):
    """Return what a cell's sentences say that its expressions don't: texts with sentence, number and value."""
    for number, expression, value in zip(bound.numbers, bound.expressions, values, strict=True):
        if isinstance(value, str):
            yield f"{number.sentence!r}\n    {number.text} is bound to {expression}, which fails: {value}"
        elif value is not None and not number.agrees(value):
            gives = f"{number.write(value)} ({value:.6g})"
            yield f"{number.sentence!r}\n    says {number.text}, but {expression} gives {gives}"


def rewrite(bound, values):
    """Return the source of a cell with its numbers as the values are, and the sentences that have changed."""
    text, changed = bound.text, []
    for number, value in reversed([*zip(bound.numbers, values, strict=True)]):
        if isinstance(value, float) and isfinite(value) and not number.agrees(value):
            text = text[: number.start] + number.write(value) + text[number.end :]
            changed.insert(0, (number, number.write(value)))
    return text + bound.comment, changed


def ask_kernel(client, wait_for_reply):
    """Return a function that evaluates expressions in a kernel, silently: nothing is counted or printed.

    `client` sends, as jupyter_client does; `wait_for_reply(message_id)` returns the content of the reply.
    """

    def ask(expressions):
        named = {str(i): expression for i, expression in enumerate(expressions)}
        found = wait_for_reply(client.execute("", silent=True, user_expressions=named))["user_expressions"]
        return [
            (True, ast.literal_eval(one["data"]["text/plain"]))
            if one["status"] == "ok"
            else (False, f"{one['ename']}: {one['evalue']}")
            for one in (found[name] for name in named)
        ]

    return ask


def has_numbers(source):
    """Return whether a Markdown cell shows a number that needs an expression, or has a comment."""
    return bool(COMMENT.search(source) or find_numbers(source))


def list_unbound(bound):
    """Return (number, sentence) for each whole number or number word of a cell's prose that no condition demands.

    >>> list_unbound(take_apart("Three of 20 heads, [chapter 4](a.md), `k=5`, $d = 6$.<!-- ; heads == 3 -->"))
    [('20', 'Three of 20 heads, [chapter 4](a.md), `k=5`, $d = 6$.')]
    """
    _, places = match_conditions(bound.text, bound.conditions)
    places |= {place for number in bound.numbers for place in range(number.start, number.end)}
    places |= {place for found in NOT_PROSE.finditer(bound.text) for place in range(*found.span())}
    tokens = [token for _, tokens in find_sentences(bound.text) for token in tokens if token.is_number]
    return [
        (token.text, sentence_around(bound.text, token.start))
        for token in tokens
        if token.start not in places and token.text.lower() != "one"
    ]


def list_numbers(notebook):
    """Yield a line for each number of a notebook that is exempt or unbound, and for each problem of its comments."""
    sources = ("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown")
    for source in sources:
        problems = list_problems(source)
        yield from (f"PROBLEM {problem}" for problem in problems)
        if not problems:
            bound = take_apart(source)
            for number, expression in zip(bound.numbers, bound.expressions, strict=True):
                if expression == "None":
                    yield f"exempt  {number.text} in {number.sentence!r}"
            yield from (f"unbound {number} in {sentence!r}" for number, sentence in list_unbound(bound))


if __name__ == "__main__":
    for path in sys.argv[1:]:
        print(path, *list_numbers(json.loads(Path(path).read_text("utf-8"))), sep="\n  ")
