"""Models with parameters to learn, in torch, which chapters 3, 7, 8 and 12 train or open: a module each."""

__all__ = ["PAD", "START"]

#: The number that fills up a row of characters; no character has it.
PAD = 0
#: The number that a decoder is given before the first character.
START = 1
