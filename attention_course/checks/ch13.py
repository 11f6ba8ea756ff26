"""Checks of chapter 13, a machine that writes.

The module of the novel is imported where it is used: on a page, loading it fetches two megabytes, and every page loads
this one.
"""

from collections import Counter
from functools import cache
from itertools import chain, pairwise, repeat

import numpy as np

from ..machine import Machine
from ..machine import loop as right_loop
from ..machine import tokenize as right_tokenize
from ._ask import ask, call, draw_sizes, name_shapes
from ._compare import find_question, need_finite, need_rows_sum_to_one, need_shape
from ._message import Part, Wrong, say_right

PIECES = [(3, 1), (6, 2), (8, 3), (1, 2), (14, 4), (12, 7)]  # letters of a text, merges
WORDS = [(2, 1), (4, 3), (1, 2), (12, 5), (11, 9)]  # words, merges
NUMBERS = [(4, 3), (1, 2), (13, 5), (12, 14)]  # pieces of a text, pieces that there are
LETTERS = 100_000, 20_000  # of the novel, to count and to read
TOO_MANY = 60  # draws, after which a loop is taken to have no end


def _need_list(got, kind, what):
    """Return a list with the items as Python's own; raise Wrong unless all of them are of one kind."""
    if isinstance(got, list | tuple | np.ndarray):
        got = [item.item() if isinstance(item, np.generic) else item for item in got]
        if all(isinstance(item, kind) for item in got):
            return got
    raise Wrong(Part("A result has type {kind}", kind=type(got).__name__), what, "What does your function return?")


def _need_same(got, right, given, name, known, question):
    """Raise Wrong unless two lists are equal; the question of a known wrong one is asked if it is that."""
    if got != right:
        asked = next((its_question for wrong, its_question in known if wrong == got), question)
        seen = Part("With {given}, {name} are {got}", given=given, name=Part(name), got=got)
        raise Wrong(seen, Part("{right}", right=right), asked)


def pieces(answer, seed=0):
    """Check a student's ``answer(text, merges) -> pieces``: a str and a list of pairs of str, and a list of str."""
    for text, merges in _texts(seed):
        got = call(answer, {"text": text, "merges": list(merges)})
        got, right = _need_list(got, str, "a list of pieces of text"), right_tokenize(text, merges)
        given = name_shapes(text=repr(text), merges=merges)
        if "".join(got) != text:
            seen = Part("With {given}, your pieces make {text} when they are joined", given=given, text="".join(got))
            raise Wrong(seen, Part("{right}", right=text), "Which letters get lost, or come twice or elsewhere?")
        known = (
            ([*text], "Where does a pair of pieces become one piece?"),
            (_join_letters(text, merges), "Which pieces does the second merge meet: letters, or those of the first?"),
            (right_tokenize(text, merges[::-1]), "Which of the merges comes first?"),
            (right_tokenize(text, merges[:1]), "What do the merges after the first join?"),
            (_join_once(text, merges), "How often can a pair stand in one text?"),
            (right_tokenize(text, merges * 3), "How often is each merge carried out?"),
        )
        _need_same(got, right, given, "the pieces", known, "Carry out the first merge by hand. Where do you differ?")
    say_right("texts of a single letter, pairs that overlap and merges of merges are cut correctly.")


def _texts(seed):
    """Texts and merges, each of which joins neighbours of that text, but for the last one."""
    from ..novel import join

    random = np.random.default_rng([seed, 13])
    yield "aaaaa", [("a", "a"), ("aa", "a")]
    yield "abc", [("ab", "c"), ("a", "b")]
    for letters, count in draw_sizes(PIECES, seed):
        text = "".join(random.choice([*"abn"], letters))
        merges, parts = [], [*text]
        for _ in range(count):
            place = int(random.integers(max(1, len(parts) - 1)))
            pair = tuple(parts[place : place + 2]) if len(parts) > 1 else ("a", "b")
            merges.append(pair)
            parts = join(parts, pair)
        yield text, [*merges, ("n", "a"), ("b", "x")]


def _join_letters(text, merges):
    """The mistake of looking for pairs of letters alone."""
    return right_tokenize(text, [pair for pair in merges if len("".join(pair)) == 2])


def _join_once(text, merges):
    """The mistake of carrying out each merge at the first place alone."""
    parts = [*text]
    for first, second in merges:
        for i in range(len(parts) - 1):
            if (parts[i], parts[i + 1]) == (first, second):
                parts[i : i + 2] = [first + second]
                break
    return parts


def loop(answer, seed=0):
    """Check a student's ``answer(next_chances, draw, start, stop, most) -> numbers``, a list of int.

    `next_chances` is a function of a number that returns chances, `draw` one of chances that returns a number.
    """
    for start, stop, most, drawn in _draws(seed):
        asked, given = [], name_shapes(start=start, stop=stop, most=most)
        about = Part("{given} and the draws {drawn}", given=given, drawn=drawn)
        draws = chain(drawn, repeat(start))

        def next_chances(number, asked=asked):
            asked.append(int(number))
            return np.array([len(asked), 0.5])

        def draw(chances, asked=asked, draws=draws, about=about):
            if len(asked) > TOO_MANY:
                raise Wrong(Part("With {given}, your loop has no end", given=about), question="What ends it?")
            if np.shape(chances) != (2,) or chances[0] != len(asked):
                seen = Part("With {given}, `draw` is not given what `next_chances` has just returned", given=about)
                raise Wrong(seen, question="Do you ask for new chances before each draw?")
            return next(draws)

        got = call(answer, {"next_chances": next_chances, "draw": draw, "start": start, "stop": stop, "most": most})
        got, script = _need_list(got, int, "a list of numbers"), iter(drawn)
        right = right_loop(lambda number: None, lambda _, script=script: next(script), start, stop, most)
        known = (
            ([start, *right], "Is the start a part of what is written?"),
            ([start, *right][:most], "Is the start a part of what is written?"),
            ([*right, stop], "Is the stop a part of what is written?"),
            (right[:-1], "What becomes of the number that was drawn last?"),
            (drawn[: len(got)], "What ends the loop, apart from `stop`?"),
        )
        _need_same(got, right, about, "the numbers", known, "Go through the draws one by one. When does it end?")
        expected = [start, *right][: len(right) + (len(right) < most)]
        question = "After which number are the next chances? And is one drawn that nobody needs?"
        _need_same(asked, expected, about, "the numbers given to `next_chances`", (), question)
    say_right("it asks after each number, ends at the stop or when there are enough, and draws none too many.")


def _draws(seed):
    """Starts, stops, how many numbers at most, and what is drawn: more than is needed, and more after the stop."""
    random = np.random.default_rng([seed, 14])
    for most, until in ((4, 2), (3, 5), (1, 4), (1, 0), (int(random.integers(10, 16)), 11), (5, 5), (6, 0)):
        start, stop = (1, 0) if most % 2 else (1, int(random.integers(2, 5)))
        drawn = random.integers(5, 40, most + 3).tolist()
        yield start, stop, most, [*drawn[:until], stop, *drawn[until:]]


def merges(answer, seed=0):
    """Check a student's ``answer(words, count) -> merges``: a dict {word: how often} and an int, and a list of pairs.

    Of pairs that are equally frequent the one that is met first is taken.
    """
    from ..novel import learn_merges

    for words, count in _counted_words(seed):
        got = _need_list(call(answer, {"words": dict(words), "count": count}), list | tuple, "a list of pairs")
        got, right = [tuple(map(str, pair)) for pair in got], learn_merges(words, count)
        given = name_shapes(words=words, count=count)
        pairs = Counter()
        for word, often in words.items():
            pairs.update(dict.fromkeys(pairwise(word), 0))
            for pair in pairwise(word):
                pairs[pair] += often
        known = (
            (
                learn_merges(dict.fromkeys(words, 1), count),
                "How often does a pair occur in a word that occurs twice?",
            ),
            ([pair for pair, _ in pairs.most_common(count)], "Are the pairs still the same once the first are joined?"),
            (learn_merges(words, count + 1), "How many pairs are asked for?"),
            (_learn_last(words, count), "Which of several pairs that are equally frequent is taken?"),
        )
        _need_same(got, right, given, "the merges", known, "Count the pairs by hand. Which is the first that differs?")
    say_right("pairs are counted anew after each merge, in every word as often as it occurs, until none is left.")


def _learn_last(words, count):
    """The mistake of taking the last of the most frequent pairs."""
    from ..novel import join

    parts, found = {word: [*word] for word in words}, []
    for _ in range(count):
        pairs = Counter()
        for word, its in parts.items():
            for pair in pairwise(its):
                pairs[pair] += words[word]
        if pairs:
            found.append(max(reversed(pairs), key=pairs.get))
            parts = {word: join(its, found[-1]) for word, its in parts.items()}
    return found


def _counted_words(seed):
    """Words with how often each occurs, some pairs equally often, and how many merges: at last more than there are."""
    random = np.random.default_rng([seed, 15])
    yield {"low": 5, "lower": 2, "newest": 6}, 4
    yield {"ab": 2, "cd": 2, "abcd": 1}, 3
    yield {"banana": 3}, 4
    for number, count in draw_sizes(WORDS, seed):
        words = {}
        while len(words) < number:
            words["".join(random.choice([*"hale"], int(random.integers(1, 6))))] = int(random.integers(1, 9))
        yield words, count
    yield {"aba": 3, "e": 9}, 12


def baseline(answer, seed=0):
    """Check a student's ``answer(numbers, count) -> chances``: which piece follows which, of a text's pieces (n,) int.

    The table (count, count) has a row for each piece, no chance of 0, and on a text that it has not seen a smaller loss
    than the best table that adds the same small number to every count.
    """
    random = np.random.default_rng([seed, 16])
    for n, count in draw_sizes(NUMBERS, seed):
        numbers = random.integers(count, size=n, dtype=np.intp)  # as `bincount` wants it, in a browser as well
        given = Part("{given}", given=name_shapes(numbers=numbers, count=count))
        _need_chances(ask(answer, numbers=numbers, count=count), count, given)
    counted, unseen, count = _novel_numbers(int(seed))
    table = ask(answer, numbers=counted, count=count)
    given = Part("a part of the novel")
    _need_chances(table, count, given)
    seen, before = np.zeros((count, count)), np.bincount(counted, minlength=count)
    np.add.at(seen, (counted[:-1], counted[1:]), 1)
    added = {e: (seen + e) / (seen + e).sum(axis=1, keepdims=True) for e in (0.02, 0.05, 0.1, 0.2, 0.5, 1)}
    reached, bound = _loss(table, unseen), min(_loss(one, unseen) for one in added.values())
    if reached >= bound:
        alone = np.tile((before + 1) / (len(counted) + count), (count, 1))
        turned = seen.T + 0.1
        known = (
            *(
                (one, "All pieces that never followed get the same chance here. Which are likelier?")
                for one in added.values()
            ),
            (alone, "Every row is the same. What does the piece before tell?"),
            (
                turned / turned.sum(axis=1, keepdims=True),
                "Does your row stand for the piece before or for the one after?",
            ),
        )
        question = "After a rare piece, what do you know of the next? And after a frequent one?"
        passage = Part("On pages that it has not seen, its loss of a piece is {loss:.3f}", loss=reached)
        raise Wrong(passage, Part("less than {bound:.3f}", bound=bound), find_question(table, known, question))
    say_right("on pages that it has not seen, its loss of a piece is {loss:.3f}.", loss=reached)


def _need_chances(table, count, given):
    need_shape("the table", table, (count, count), given, "How many pieces can come before, and how many after?")
    need_finite("the table", table, given, "What do you divide by for a piece that never occurs?")
    need_rows_sum_to_one(table, given)
    if table.min() <= 0:
        seen = Part("With {given}, some chances are {least:.2g}", given=given, least=float(table.min()))
        raise Wrong(seen, "more than 0", "How surprised is your table if that piece follows all the same?")


def _loss(table, numbers):
    return float(-np.log(table[numbers[:-1], numbers[1:]]).mean())


@cache
def _novel_numbers(seed):
    """Return the pieces of a part of the novel and of held-out pages as numbers, and how many pieces there are."""
    from ..novel import cut_pieces, read_novel

    machine, texts, random = Machine("prose"), read_novel(), np.random.default_rng([seed, 17])
    number, found = {token: i for i, token in enumerate(machine.tokens)}, []
    for text, length in zip(texts, LETTERS, strict=True):
        start = int(random.integers(len(text) - length)) if seed else 0
        found.append(np.array([number[piece] for piece in cut_pieces(text[start : start + length], machine.merges)]))
    return *found, len(machine.tokens)
