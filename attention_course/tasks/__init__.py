"""Data of the chapters: generated, so that the right answer is known, or real names. Nothing is downloaded."""

from .dates import date_examples
from .examples import PAD, START, Example, Vocabulary, alignment_score, exact_match
from .football import Football, football_examples
from .grammar import Grammar, grammar_examples
from .grounding import Scenes, draw_scenes, scene_examples
from .korean import Sentences, korean_examples, write_sentence
from .names import name_examples
from .retrieval import Lookup, Pairs, lookup_examples, pair_examples
from .reversal import reversal_examples
from .words import WHY, two_senses, who_sat_where

__all__ = [
    "PAD",
    "START",
    "WHY",
    "Example",
    "Football",
    "Grammar",
    "Lookup",
    "Pairs",
    "Scenes",
    "Sentences",
    "Vocabulary",
    "alignment_score",
    "date_examples",
    "draw_scenes",
    "exact_match",
    "football_examples",
    "grammar_examples",
    "korean_examples",
    "lookup_examples",
    "name_examples",
    "pair_examples",
    "reversal_examples",
    "scene_examples",
    "two_senses",
    "who_sat_where",
    "write_sentence",
]
