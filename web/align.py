"""Which sentences of a translation say what a sentence of the original says, by their lengths and what they share.

A translator joins and splits sentences, so that their numbers in a paragraph differ. As in Gale and Church (1993), the
two are cut into pairs of one or two sentences each whose lengths agree best; here numbers, formulas, code, links and
Latin words that a pair shares count as well.
"""

import re
from collections import Counter
from functools import cache
from math import sqrt

END = re.compile(r"(?<!\bal)[.!?][*_”’)\"]*(?=\s|$)")  # of a sentence; “et al.” is none
SHARED = re.compile(r"\$[^$]+\$|`[^`]+`|\]\([^)]+\)|\d+(?:[.,]\d+)*|\b[A-Za-z_]{2,}\b", re.ASCII)
PAIRS = {(1, 1): 0, (1, 2): 1, (2, 1): 1, (2, 2): 2, (1, 0): 3, (0, 1): 3}  # and what each costs


def split(text):
    """Return the sentences of a text, with the spaces before them.

    >>> split("One (or *two*.) Is it 1.5? Clark et al. say so")
    ['One (or *two*.)', ' Is it 1.5?', ' Clark et al. say so']
    """
    ends = [found.end() for found in END.finditer(text)]
    parts = [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True)]
    return [part for part in parts if part.strip()]


def _share(one, other):
    """Return how many numbers, formulas and links two texts have in common, less those that only one of them has."""
    there, here = (Counter(SHARED.findall(text)) for text in (one, other))
    there = Counter({what: number for what, number in there.items() if not what.isalpha() or what in here})
    here = Counter({what: number for what, number in here.items() if not what.isalpha() or what in there})
    return 2 * (there & here).total() - ((there - here) + (here - there)).total()


def align(original, translation):
    """Return for each sentence of the original the range of those of the translation that say the same.

    >>> align(["It is 0.5.", " So what?", " No more."], ["0.5예요.", " 그래서요? 없어요."])
    [range(0, 1), range(1, 2), range(1, 2)]
    """
    ratio = sum(map(len, translation)) / max(1, sum(map(len, original)))

    @cache
    def best(i, j):
        """Return the lowest cost of what begins at two sentences, and the pairs."""
        if (i, j) == (len(original), len(translation)):
            return 0, ()
        found = []
        for (n, m), cost in PAIRS.items():
            if i + n <= len(original) and j + m <= len(translation):
                one, other = "".join(original[i : i + n]), "".join(translation[j : j + m])
                cost += abs(len(one) * ratio - len(other)) / sqrt(len(one) * ratio + len(other) + 1)
                rest, pairs = best(i + n, j + m)
                found.append((cost - _share(one, other) + rest, ((n, range(j, j + m)), *pairs)))
        return min(found, key=lambda one: one[0]) if found else (float("inf"), ())

    return [places for n, places in best(0, 0)[1] for _ in range(n)]
