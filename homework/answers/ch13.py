"""Answers to the exercises of chapter 13."""

import re
from collections import Counter
from itertools import pairwise

import numpy as np

from attention_course import checks
from attention_course.machine import loop, tokenize
from attention_course.novel import learn_merges

from . import Exercise


def merge_in_place(text, merges):
    pieces = list(text)
    for pair in merges:
        i = 0
        while i < len(pieces) - 1:
            if (pieces[i], pieces[i + 1]) == tuple(pair):
                pieces[i : i + 2] = ["".join(pair)]
            i += 1
    return pieces


def between_marks(text, merges):
    marked = "|" + "|".join(text) + "|"
    for first, second in merges:
        marked = re.sub(rf"(?<=\|){first}\|{second}(?=\|)", first + second, marked)
    return marked.strip("|").split("|")


def greedy(text, merges):
    """The longest piece that fits, whatever comes first."""
    known, pieces, place = sorted({"".join(pair) for pair in merges}, key=len, reverse=True), [], 0
    while place < len(text):
        pieces.append(next((one for one in known if text.startswith(one, place)), text[place]))
        place += len(pieces[-1])
    return pieces


def first_place_alone(text, merges):
    pieces = [*text]
    for pair in merges:
        for i, both in enumerate(pairwise(pieces)):
            if both == tuple(pair):
                pieces[i : i + 2] = ["".join(pair)]
                break
    return pieces


TOKENIZED = {"the part": tokenize, "in place": merge_in_place, "between marks": between_marks}
NOT_TOKENIZED = {
    "letters": lambda text, merges: [*text],
    "letters alone are joined": lambda text, merges: tokenize(
        text, [pair for pair in merges if len("".join(pair)) < 3]
    ),
    "the last merge first": lambda text, merges: tokenize(text, [*merges][::-1]),
    "the first merge alone": lambda text, merges: tokenize(text, [*merges][:1]),
    "the first place alone": first_place_alone,
    "the longest piece first": greedy,
    "words": lambda text, merges: text.split(),
    "merges three times": lambda text, merges: tokenize(text, [*merges] * 3),
    "a text": lambda text, merges: "|".join(tokenize(text, merges)),
    "the last piece is lost": lambda text, merges: tokenize(text, merges)[:-1],
    "sorted": lambda text, merges: sorted(tokenize(text, merges)),
    "each piece once": lambda text, merges: [*dict.fromkeys(tokenize(text, merges))],
    "nothing": lambda text, merges: None,
}


def recursive_loop(next_chances, draw, start, stop, most):
    if most == 0 or (number := draw(next_chances(start))) == stop:
        return []
    return [number, *recursive_loop(next_chances, draw, number, stop, most - 1)]


def make_loop(keeps_start=False, keeps_stop=False, most_at_all=None, moves_on=True, asks=True, more=0):
    """The loop with something left out."""

    def answer(next_chances, draw, start, stop, most):
        numbers, number, chances = [start] * keeps_start, start, None
        for _ in range((most_at_all or most) + more):
            if asks or chances is None:
                chances = next_chances(number)
            drawn = draw(chances)
            if drawn == stop:
                return numbers + [stop] * keeps_stop
            numbers.append(drawn)
            number = drawn if moves_on else start
        return numbers

    return answer


def draw_first(next_chances, draw, start, stop, most):
    numbers, number = [], draw(next_chances(start))
    while number != stop and len(numbers) < most:
        numbers.append(number)
        number = draw(next_chances(number))
    return numbers


LOOPED = {"the part": loop, "recursively": recursive_loop, "a for loop": make_loop()}
NOT_LOOPED = {
    "keeps the start": make_loop(keeps_start=True),
    "keeps the stop": make_loop(keeps_stop=True),
    "always asks after the start": make_loop(moves_on=False),
    "asks once": make_loop(asks=False),
    "one too many": make_loop(more=1),
    "one too few": make_loop(more=-1),
    "has no end but the stop": make_loop(most_at_all=10**6),
    "ignores the stop": lambda chances, draw, start, stop, most: loop(chances, draw, start, -1, most),
    "begins with the stop": lambda chances, draw, start, stop, most: loop(chances, draw, stop, stop, most),
    "draws one that nobody needs": draw_first,
    "forgets the last": lambda *given: loop(*given)[:-1],
    "a text": lambda *given: " ".join(map(str, loop(*given))),
    "nothing": lambda *given: None,
}


def most_common(words, count):
    merges = []
    for _ in range(count):
        pairs = Counter()
        for word, often in words.items():
            pairs.update({pair: 0 for pair in pairwise(tokenize(word, merges))})
            for pair in pairwise(tokenize(word, merges)):
                pairs[pair] += often
        merges += [pair for pair, _ in pairs.most_common(1)]
    return merges


def learn(weigh=lambda often: often, choose=lambda pairs: max(pairs, key=pairs.get), again=True, joins=tokenize):
    """The learning of merges with something left out."""

    def answer(words, count):
        merges, pairs = [], None
        for _ in range(count):
            if again or pairs is None:
                pairs = Counter()
                for word, often in words.items():
                    for pair in pairwise(joins(word, merges)):
                        pairs[pair] += weigh(often)
            if not pairs:
                break
            merges.append(best := choose(pairs))
            if not again:
                del pairs[best]
        return merges

    return answer


MERGED = {"the part": learn_merges, "most common": most_common, "from the start": learn()}
NOT_MERGED = {
    "each word once": learn(weigh=lambda often: 1),
    "the last of several": learn(choose=lambda pairs: max(reversed(pairs), key=pairs.get)),
    "by the alphabet": learn(choose=lambda pairs: min(pairs, key=lambda pair: (-pairs[pair], pair))),
    "the rarest": learn(choose=lambda pairs: min(pairs, key=pairs.get)),
    "not counted again": learn(again=False),
    "nothing is joined": learn(joins=lambda word, merges: [*word]),
    "joined at the first place alone": learn(joins=first_place_alone),
    "the longest pair": learn(choose=lambda pairs: max(pairs, key=lambda pair: (len("".join(pair)), pairs[pair]))),
    "one too few": lambda words, count: learn_merges(words, count - 1),
    "one too many": lambda words, count: learn_merges(words, count + 1),
    "joined texts": lambda words, count: ["".join(pair) for pair in learn_merges(words, count)],
    "a set": lambda words, count: {*learn_merges(words, count)},
    "nothing": lambda words, count: None,
}


def count_pairs(numbers, count):
    seen = np.zeros((count, count))
    np.add.at(seen, (numbers[:-1], numbers[1:]), 1)
    return seen, (np.bincount(numbers, minlength=count) + 1.0) / (len(numbers) + count)


def followers(numbers, count):
    seen, alone = count_pairs(numbers, count)
    different = (seen > 0).sum(axis=1, keepdims=True) + 1
    return (seen + different * alone) / (seen.sum(axis=1, keepdims=True) + different)


def share(numbers, count):
    seen, alone = count_pairs(numbers, count)
    total = seen.sum(axis=1, keepdims=True)
    return np.where(total > 0, 0.7 * seen / np.maximum(total, 1) + 0.3 * alone, alone)


def thirty(numbers, count):
    often = Counter(numbers.tolist())
    table = np.array([[30 * (1 + often[b]) / (len(numbers) + count) for b in range(count)]] * count)
    for before, after in pairwise(numbers):
        table[before, after] += 1
    return table / table.sum(axis=1, keepdims=True)


def add(number, turned=False, axis=1):
    def answer(numbers, count):
        seen, _ = count_pairs(numbers, count)
        table = (seen.T if turned else seen) + number
        return table / table.sum(axis=axis, keepdims=True)

    return answer


BASELINES = {"as many as followers": followers, "a share of each": share, "thirty of them": thirty}
NO_BASELINES = {
    "one is added": add(1),
    "a tenth is added": add(0.1),
    "hardly anything is added": add(1e-6),
    "nothing is added": add(0.0),
    "the piece before is ignored": lambda numbers, count: np.tile(count_pairs(numbers, count)[1], (count, 1)),
    "turned": lambda numbers, count: followers(numbers[::-1], count),
    "down the columns": add(1, axis=0),
    "not divided": lambda numbers, count: count_pairs(numbers, count)[0] + 1,
    "logarithms": lambda numbers, count: np.log(followers(numbers, count)),
    "all the same": lambda numbers, count: np.full((count, count), 1 / count),
    "a row too few": lambda numbers, count: followers(numbers, count)[1:],
    "a repetition is not counted": lambda numbers, count: add(0.1)(numbers[np.diff(numbers, append=-1) != 0], count),
}

EXERCISES = {
    "ex13-merges": Exercise(checks.merges, MERGED, NOT_MERGED),
    "ex13-tokenize": Exercise(checks.pieces, TOKENIZED, NOT_TOKENIZED),
    "ex13-loop": Exercise(checks.loop, LOOPED, NOT_LOOPED),
    "ex13-baseline": Exercise(checks.baseline, BASELINES, NO_BASELINES, results=1),
}
