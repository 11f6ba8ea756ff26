"""Generated data whose right answer, and right alignment, is known. Nothing is downloaded; every task has a seed."""

from .dates import date_examples
from .examples import PAD, START, Example, Vocabulary, alignment_score, exact_match
from .reversal import reversal_examples

__all__ = [
    "PAD",
    "START",
    "Example",
    "Vocabulary",
    "alignment_score",
    "date_examples",
    "exact_match",
    "reversal_examples",
]
