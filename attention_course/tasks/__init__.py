"""Data whose right answer and alignment are known, and real names. Nothing is downloaded; every draw has a seed.

Each function whose name ends in `examples`, but for `name_examples`, draws `num_train` examples to learn from and
`num_test` others to ask about. What is asked about, be it a day, a sentence or a scene, is never learned from. A number
that is not an integer raises TypeError. One that is too small raises ValueError, and so does asking for more than half
of all possible examples where they are drawn at random, since that would take long.
"""

# ruff: noqa: F401
from .bank import BANK_WORDS, Askings, bank_examples
from .dates import date_examples
from .digits import Digits, digit_examples
from .examples import PAD, START, Example, Vocabulary, alignment_score, exact_match
from .football import Football, football_examples
from .grammar import Grammar, grammar_examples
from .grounding import Scenes, draw_scenes, scene_examples
from .korean import Sentences, korean_examples, write_sentence
from .names import name_examples
from .retrieval import Lookup, Pairs, lookup_examples, pair_examples, share_attended
from .reversal import reversal_examples
from .words import ONE_MEANING, STAND_INS, WHY, two_senses, who_sat_where
