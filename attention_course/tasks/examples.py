"""What every text task shares: an example, the numbers of its characters, and how an answer is marked."""

from typing import NamedTuple

import numpy as np

from attention_src.models import PAD, START


class Example(NamedTuple):
    """A source text, the target text it should become, and where each target character comes from.

    ``alignment[t]`` is the set of source positions from which character t of the target can be read; it is empty for
    a character that no source character stands for, such as the hyphens of a date.

    Attributes
    ----------
    source : str
    target : str
    alignment : tuple of sets of int, one set for each character of the target
    """

    source: str
    target: str
    alignment: tuple


class Vocabulary:
    """Give every character a number. 0 is padding and 1 is the start; the characters follow in their own order.

    The `texts` are an iterable of str in which every character occurs at least once; TypeError if one is not a string.

    >>> vocabulary = Vocabulary(["cab"])
    >>> numbers, lengths = vocabulary.encode(["abc", "c"])
    >>> numbers
    array([[2, 3, 4],
           [4, 0, 0]])
    >>> vocabulary.decode(numbers)
    ['abc', 'c']
    """

    def __init__(self, texts):
        self.characters = "".join(sorted(set().union(*texts)))
        self._number = {character: number for number, character in enumerate(self.characters, START + 1)}

    def __len__(self):
        return START + 1 + len(self.characters)

    def encode(self, texts):
        """Return the numbers of the characters, (texts, longest), filled up with padding, and the length of each text.

        TypeError if `texts` is one string instead of a list of them; ValueError if there is no text, a text is empty,
        or it has a character that has no number.
        """
        if isinstance(texts, str):
            raise TypeError(f"texts is the string {texts!r}; expected a list of strings")
        if len(texts) == 0:
            raise ValueError("texts is empty; expected at least one text")
        lengths = np.array([len(text) for text in texts])
        numbers = np.full((len(texts), lengths.max()), PAD)
        for row, text in enumerate(texts):
            numbers[row, : len(text)] = self._numbers(row, text)
        return numbers, lengths

    def _numbers(self, row, text):
        if not text:
            raise ValueError(f"text {row} is empty; expected at least one character")
        for position, character in enumerate(text):
            if character not in self._number:
                where = f"{character!r} at position {position} of text {row}, {text!r}"
                raise ValueError(f"{where}, is unknown; known are {self.characters!r}")
        return [self._number[character] for character in text]

    def decode(self, numbers):
        """Return the texts, a list of str, of numbers (texts, longest); padding and start have no character."""
        characters = ["", "", *self.characters]
        return ["".join(characters[number] for number in row) for row in np.asarray(numbers)]


def exact_match(answers, examples):
    """Return the share (float) of examples whose answer is right in every character; errors as in `alignment_score`.

    The `answers` are a list of str, `examples` a list of Example. Anything after the end of a shorter target is not
    marked, because nobody told the decoder where to stop.

    >>> exact_match(["ba", "xy"], [Example("ab", "ba", ({1}, {0})), Example("cd", "dc", ({1}, {0}))])
    0.5
    """
    _check_pairs("answers", answers, examples)
    right = [answer[: len(e.target)] == e.target for answer, e in zip(answers, examples, strict=True)]
    return sum(right) / len(right)


def alignment_score(weights, examples):
    """Return the share (float) of target characters whose largest weight lies on a true source position.

    The `weights` (examples, n, m) have a row for each target character and a column for each source character;
    `examples` is a list of Example. Target characters without a true position are left out. It raises ValueError if
    there are not as many matrices of weights as examples, or none.

    >>> weights = np.array([[[0.1, 0.9], [0.2, 0.8]]])
    >>> alignment_score(weights, [Example("ab", "ba", ({1}, {0}))])
    0.5
    """
    _check_pairs("weights", weights, examples)
    largest = np.asarray(weights).argmax(-1)
    hits = [
        position in truth
        for row, example in zip(largest, examples, strict=True)
        for position, truth in zip(row, example.alignment, strict=False)  # the rows of padding come last
        if truth
    ]
    if not hits:
        raise ValueError("no character of the examples has a true position; expected at least one")
    return sum(hits) / len(hits)


def _check_pairs(name, given, examples):
    if len(given) != len(examples) or not examples:
        raise ValueError(f"{len(given)} {name} for {len(examples)} examples; expected one each, and at least one")
