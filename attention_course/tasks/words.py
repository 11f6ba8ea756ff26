"""Sentences of which one word is known to mean one of two things, or to stand for one of two others.

The words before it are the same for both meanings, so neither they nor its position tell which is meant.
"""

import numpy as np

OPENINGS = (
    "we talked about the",
    "she was standing near the",
    "they all went to the old",
    "he looked for a while at the",
    "in the end we saw the",
    "i still remember the",
    "nobody had noticed the",
    "they came too late to the",
)
ENDINGS = {  # for each word pairs of what may follow it, first in the one sense, then in the other, built alike
    "bank": (
        ("where she kept her savings", "where she tied her boat"),
        ("and paid the debt", "and crossed the stream"),
        ("where he borrowed some cash", "where he caught some fish"),
        ("with angry investors", "with muddy reeds"),
        ("that was closed after the financial crisis", "that was closed after the spring flood"),
        ("because of the high interest", "because of the high water"),
        ("where the clerk counted coins", "where the duck built nests"),
        ("that raised its fees", "that rose from the lake"),
    ),
    "bat": (
        ("with the broken wing", "with the broken grip"),
        ("that flew through the cave", "that hit the ball hard"),
        ("and the owl", "and the glove"),
        ("which ate the moths", "which won the game"),
        ("after it left the roof", "after it scored the run"),
        ("near the nest", "near the pitcher"),
        ("because of its ears", "because of its swing"),
        ("that slept all winter", "that he swung twice"),
    ),
    "match": (
        ("that lit the stove", "that ended in a draw"),
        ("and the candle", "and the referee"),
        ("with the flame", "with the players"),
        ("because of the smoke", "because of the goal"),
        ("before the fire", "before the season"),
        ("that was still burning", "that was won easily"),
        ("near the gas", "near the stadium"),
        ("after the spark", "after the kickoff"),
    ),
}
#: Words of one meaning that stand for either sense of a word: {word: two tuples of str}.
STAND_INS = {
    "bank": (("company", "firm", "fund", "office"), ("shore", "coast", "cliff", "beach")),
    "bat": (("bird", "owl", "mouse"), ("club", "stick", "ball")),
    "match": (("candle", "lamp", "torch"), ("game", "race", "contest")),
}
#: Other words of one meaning; the last six have to do with money or water.
ONE_MEANING = tuple("tree letter house door dog table car school market shop lake river broker account".split())
SITTERS = tuple("cat dog bird child horse teacher boy lion girl king queen mouse doctor baby wolf rabbit".split())
SEATS = tuple("mat rug table chair stone bed box car wall roof floor bench sofa boat hill pillow".split())
#: Ends of "because it was …" that suit one who sits, and those that suit a seat: {'sitter': 4 str, 'seat': 4 str}.
WHY = {"sitter": ("tired", "hungry", "sleepy", "old"), "seat": ("soft", "wooden", "clean", "broad")}


def two_senses(word, like="bank", openings=1, endings=8, seed=0):
    """Return sentences with a word in the place of one of two senses, every opening with every ending.

    Parameters
    ----------
    word : str, which may be any word
    like : str, 'bank', 'bat' or 'match', whose endings they are; ValueError with any other
    openings : int, how many beginnings, the same for both senses
    endings : int, how many pairs of endings; ValueError if there are not that many openings or endings
    seed : int, which ones are drawn

    Returns
    -------
    texts : list of 2 · endings · openings str
    senses : (len(texts),) of 0 and 1
    pairs : (len(texts),) of int, the number of the pair of endings

    Examples
    --------
    >>> two_senses("tree", endings=1)[0][0]
    'they all went to the old tree where the clerk counted coins'
    """
    if like not in ENDINGS:
        raise ValueError(f"like is {like!r}; expected one of {[*ENDINGS]}")
    for name, asked, there in (("openings", openings, len(OPENINGS)), ("endings", endings, len(ENDINGS[like]))):
        if not 1 <= asked <= there:
            raise ValueError(f"{name} is {asked}; expected 1 to {there}")
    random = np.random.default_rng(seed)
    begin = [OPENINGS[i] for i in random.permutation(len(OPENINGS))[:openings]]
    drawn = [ENDINGS[like][i] for i in random.permutation(len(ENDINGS[like]))[:endings]]
    senses, pairs, _ = (index.ravel() for index in np.indices((2, endings, openings)))
    return [f"{start} {word} {pair[sense]}" for sense in (0, 1) for pair in drawn for start in begin], senses, pairs


def who_sat_where(n, seed=0):
    """Return n pairs of somebody who sits and a place to sit on, all different.

    The result is a list of n (sitter, seat, another sitter, another seat), drawn by the int `seed`. It raises
    ValueError if n is less than 1 or more than 8, since half of the words are kept for partners in an exchange.

    >>> who_sat_where(2)
    [('bird', 'table', 'wolf', 'wall'), ('mouse', 'bench', 'doctor', 'floor')]
    """
    if not 1 <= n <= 8:
        raise ValueError(f"n is {n}; expected 1 to 8")
    random = np.random.default_rng(seed)
    sitters, seats = ([words[i] for i in random.permutation(16)] for words in (SITTERS, SEATS))
    return [(sitters[i], seats[i], sitters[8 + i], seats[8 + i]) for i in range(n)]
