"""Random letters to be written backwards: a task that is only memory, and whose alignment is the other diagonal."""

import numpy as np

from attention_src._validation import as_integer

from .examples import Example
from .sampling import check_counts

__all__ = ["reversal_examples"]

LETTERS = "abcdefgh"


def reverse(source):
    """Return the Example of a text and its reversal.

    >>> reverse("abc")
    Example(source='abc', target='cba', alignment=(frozenset({2}), frozenset({1}), frozenset({0})))
    """
    return Example(source, source[::-1], tuple(frozenset({position}) for position in reversed(range(len(source)))))


def reversal_examples(num_train, num_test, shortest, longest, seed=0):
    """Draw different texts of random letters, every length equally likely, each with its reversal.

    Return train and test, both lists of Example, of the lengths `num_train` and `num_test`. The texts have `shortest`
    to `longest` letters; all of these and `seed` are int. It raises ValueError if more than half of all texts of the
    shortest length would be needed.

    >>> train, test = reversal_examples(num_train=3, num_test=1, shortest=2, longest=4)
    >>> [(example.source, example.target) for example in train]
    [('fecc', 'ccef'), ('aa', 'aa'), ('gf', 'fg')]
    """
    count = sum(check_counts(num_train, num_test))
    longest = as_integer("longest", longest, as_integer("shortest", shortest, 1))
    per_length = count / (longest - shortest + 1)
    if per_length > len(LETTERS) ** shortest / 2:
        raise ValueError(
            f"num_train + num_test is {count}, {per_length:.0f} of each length; "
            f"expected at most half of the {len(LETTERS) ** shortest} texts of length {shortest}"
        )
    generator = np.random.default_rng(seed)
    texts = {}  # a dictionary keeps the order in which they were drawn
    while len(texts) < count:
        length = generator.integers(shortest, longest + 1)
        texts["".join(generator.choice(list(LETTERS), size=length))] = None
    examples = [reverse(text) for text in texts]
    return examples[:num_train], examples[num_train:]
