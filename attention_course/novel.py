"""A novel in the public domain, cut into words and pieces: what the machine of chapter 13 has read."""

import bz2
import json
import re
import sys
from collections import Counter
from itertools import pairwise

from .machine import HERE

FILE = HERE.with_name("novel.txt.bz2")  # with its source and licence
TRAINING = HERE.with_name("machine_prose.json")  # written with the weights by `python -m evidence.prose`
WEIGHTS = HERE.with_name("machine_prose.npz")
WORD = re.compile(r" ?[A-Za-z]+| ?[^A-Za-z\s]+|\s")  # with the space before it


if sys.platform == "emscripten":  # in a browser these files lie beside the page, and only who loads this asks for them
    from .published import fetch

    for path in (FILE, TRAINING, WEIGHTS):
        path.write_bytes(fetch(path.name, folder="prose"))


def read_novel():
    """Return Melville's *Moby-Dick*, a line for each paragraph: the nine tenths that are trained on, and the last one.

    >>> to_train, held_out = read_novel()
    >>> to_train[:15], len(held_out) / len(to_train + held_out) < 0.1
    ('Call me Ishmael', True)
    """
    lines = bz2.decompress(FILE.read_bytes()).decode("utf-8").splitlines(keepends=True)
    text = "".join(line for line in lines if not line.startswith("#"))
    cut = text.index("\n", len(text) * 9 // 10) + 1
    return text[:cut], text[cut:]


def cut_words(text):
    """Return the words of a text, each with the space before it, and its other marks: joined, they are the text.

    >>> cut_words("Ahab's leg, or—\\n")
    ['Ahab', "'", 's', ' leg', ',', ' or', '—', '\\n']
    """
    return WORD.findall(text)


def learn_merges(words, count):
    """Return `count` pairs of pieces to join, in order: each time those that most often stand side by side.

    The words are a dict, how often each occurs. Of pairs that are equally frequent, the one that comes first is taken.

    >>> learn_merges({"low": 5, "lower": 2, "newest": 6}, 3)
    [('w', 'e'), ('l', 'o'), ('n', 'e')]
    """
    pieces, merges = {word: [*word] for word in words}, []
    while len(merges) < count:
        pairs = Counter()
        for word, parts in pieces.items():
            for pair in pairwise(parts):
                pairs[pair] += words[word]
        if not pairs:
            break
        merges.append(best := max(pairs, key=pairs.get))
        joined = "".join(best)
        for word, parts in pieces.items():
            if joined in word:
                pieces[word] = join(parts, best)
    return merges


def cut_pieces(text, merges):
    """Return the pieces into which `tokenize` cuts a text with these merges, each kind of word only once.

    >>> cut_pieces("the thaw", [("t", "h"), ("th", "e"), (" ", "th")])
    ['the', ' th', 'a', 'w']
    """
    known = {}
    for word in (words := cut_words(text)):
        if word not in known:
            pieces = [*word]
            for pair in merges:
                if "".join(pair) in word:
                    pieces = join(pieces, tuple(pair))
            known[word] = pieces
    return [piece for word in words for piece in known[word]]


def join(pieces, pair):
    """Return pieces in which each such pair of neighbours, from the left, has become one."""
    joined = []
    for piece in pieces:
        if joined and (joined[-1], piece) == pair:
            joined[-1] += piece
        else:
            joined.append(piece)
    return joined


def find_copied(text, source):
    """Return the longest passage of a text that stands in a source, letter by letter.

    >>> find_copied("the white whale sang", "a whale sank in the white sea")
    'the white '
    """
    longest = ""
    for start in range(len(text)):
        while start + len(longest) < len(text) and text[start : start + len(longest) + 1] in source:
            longest = text[start : start + len(longest) + 1]
    return longest


def read_training():
    """Return how the machine learned to write prose: a row for each look at it, with what it wrote after a beginning.

    >>> read_training()[0]["steps"]
    0
    """
    return json.loads(TRAINING.read_text("utf-8"))["rows"]
