"""Sentences of which one word is known to mean one of two things, or to stand for one of two others.

The words before it are the same for both meanings, so neither they nor its position tell which is meant.
"""

import numpy as np

OPENINGS = (
    "the",
    "only the",
    "we talked about the",
    "he looked for a while at the",
    "she was standing near the",
    "they all went to the old",
    "i remember that the",
    "nobody knew that the",
    "in the end the",
    "this is the",
)
SENSES = {  # for each word, what may follow it in either sense
    "bank": {
        "money": (
            "raised the interest again",
            "gave him a loan",
            "kept all her savings",
            "closed her account",
            "sent a letter about money",
            "lost millions of dollars",
            "charged a fee for the card",
            "paid the salary late",
        ),
        "river": (
            "was covered with reeds",
            "had been washed away by the flood",
            "was full of fish and frogs",
            "was too steep to climb from the water",
            "where the boat was tied",
            "of the river was green",
            "had sand and shallow water",
            "along the stream was muddy",
        ),
    },
    "bat": {
        "animal": (
            "flew out of the cave",
            "hung upside down from the roof",
            "had sharp teeth and wings",
            "ate insects at night",
            "slept in the dark barn",
            "with the broken wing",
            "fed its young in the nest",
            "found the moth by its echo",
        ),
        "sport": (
            "was made of wood",
            "hit the ball over the fence",
            "broke when he swung it",
            "that the player was holding",
            "with the new grip",
            "lay next to the ball and the glove",
            "slipped out of the hands of the batter",
            "scored the winning run",
        ),
    },
    "match": {
        "fire": (
            "went out in the wind",
            "lit the candle at once",
            "burned his finger",
            "set the paper on fire",
            "was the last one in the box",
            "made a small flame",
            "was too wet to burn",
            "lit the stove",
        ),
        "sport": (
            "ended in a draw",
            "was won by the home team",
            "was watched by a large crowd",
            "lasted ninety minutes",
            "was decided by a late goal",
            "was stopped by the referee",
            "was lost in the second half",
            "was played in the rain",
        ),
    },
}
SITTERS = tuple("cat dog bird child horse teacher boy lion girl king queen mouse doctor baby wolf rabbit".split())
SEATS = tuple("mat rug table chair stone bed box car wall roof floor bench sofa boat hill pillow".split())
#: Ends of "because it was …" that suit one who sits, and those that suit a seat: {'sitter': 4 str, 'seat': 4 str}.
WHY = {"sitter": ("tired", "hungry", "sleepy", "old"), "seat": ("soft", "wooden", "clean", "broad")}


def two_senses(word, openings=5, endings=6, seed=0):
    """Return sentences with a word in each of its two senses, every opening with every ending.

    Parameters
    ----------
    word : str, 'bank', 'bat' or 'match'; ValueError with any other
    openings : int, how many beginnings, the same for both senses
    endings : int, how many endings for each sense; ValueError if there are not that many openings or endings
    seed : int, which ones are drawn

    Returns
    -------
    texts : list of 2 · endings · openings str
    senses : (len(texts),) of 0 and 1
    ends : (len(texts),) of int, the number of the ending within its sense

    Examples
    --------
    >>> two_senses("bank", openings=1, endings=1)[0]
    ['she was standing near the bank closed her account', 'she was standing near the bank where the boat was tied']
    """
    if word not in SENSES:
        raise ValueError(f"word is {word!r}; expected one of {[*SENSES]}")
    most = min(map(len, SENSES[word].values()))
    for name, asked, there in (("openings", openings, len(OPENINGS)), ("endings", endings, most)):
        if not 1 <= asked <= there:
            raise ValueError(f"{name} is {asked}; expected 1 to {there}")
    random = np.random.default_rng(seed)
    begin = [OPENINGS[i] for i in random.permutation(len(OPENINGS))[:openings]]
    texts, senses, ends = [], [], []
    for sense, possible in enumerate(SENSES[word].values()):
        for end, i in enumerate(random.permutation(len(possible))[:endings]):
            texts += [f"{start} {word} {possible[i]}" for start in begin]
            senses += [sense] * openings
            ends += [end] * openings
    return texts, np.array(senses), np.array(ends)


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
