"""Fetching what lies under a name: the tasks that tell why there are three projections, and why several heads.

`lookup_examples` is key–value retrieval in one sequence whose tokens all ask; `pair_examples` asks for two things at
once, in an order.
"""

from itertools import product
from math import factorial
from typing import NamedTuple

import numpy as np

from attention_src._validation import as_integer

from .sampling import check_counts, draw_different_rows, shuffle_rows, split

__all__ = ["Lookup", "Pairs", "lookup_examples", "pair_examples"]


class Lookup(NamedTuple):
    """Sequences of tokens each of which asks for another one; every array has a row for each sequence.

    Attributes
    ----------
    tokens : (num, n, n + n + num_bits) float32
        Of each token: its own name (one of n numbers is 1), the name it asks for, and its bits, each −1 or 1.
    answers : (num, n, num_bits) float32
        What each token is to say: the opposite of the bits of the token it asks for.
    wanted : (num, n) int, at which place the token stands that each token asks for
    """

    tokens: np.ndarray
    answers: np.ndarray
    wanted: np.ndarray


def lookup_examples(num_train, num_test, num_tokens=5, num_bits=3, seed=0):
    """Draw sequences whose tokens ask for each other in a circle: each is asked for by one, and asks for another.

    The circle is one walk through all tokens, in a new order for every sequence. The answer to a token is the negative,
    as in photography, of what the token it asks for carries: what is handed over is not what is there.

    Return train and test, both Lookup, of `num_train` and `num_test` sequences; the counts, `num_bits` and `seed` are
    int. The int `num_tokens` is at least 3, so that no token asks for the one that asks for it.

    >>> train, _ = lookup_examples(num_train=1, num_test=0, num_tokens=3, num_bits=2)
    >>> train.tokens[0].astype(int)
    array([[ 0,  0,  1,  0,  1,  0, -1, -1],
           [ 0,  1,  0,  1,  0,  0, -1,  1],
           [ 1,  0,  0,  0,  0,  1,  1,  1]])
    >>> train.wanted[0], train.answers[0].astype(int).tolist()
    (array([1, 2, 0]), [[1, -1], [-1, -1], [1, 1]])
    """
    num_train, num_test = check_counts(num_train, num_test)
    n, num_bits = as_integer("num_tokens", num_tokens, 3), as_integer("num_bits", num_bits, 1)
    generator = np.random.default_rng(seed)

    def draw(count):
        walk, wanted = shuffle_rows(generator, count, n), np.empty((count, n), int)
        np.put_along_axis(wanted, walk, np.roll(walk, -1, axis=1), axis=1)
        return np.hstack([shuffle_rows(generator, count, n), wanted, generator.integers(2, size=(count, n * num_bits))])

    possible = factorial(n) * factorial(n - 1) * 2 ** (n * num_bits)
    names, wanted, bits = np.split(draw_different_rows(draw, num_train + num_test, possible), [n, 2 * n], axis=1)
    bits = (2 * bits - 1).reshape(-1, n, num_bits).astype(np.float32)
    names = np.eye(n, dtype=np.float32)[names]
    asked, carried = (np.take_along_axis(x, wanted[..., None], axis=1) for x in (names, bits))
    return split(Lookup(np.concatenate([names, asked, bits], axis=-1), -carried, wanted), num_train)


def share_attended(weights, wanted):
    """Count whom the tokens of `lookup_examples` attend to, by weights (..., num, n, n) and places `wanted` (num, n).

    Return three shares (...): of tokens that give themselves the largest weight; and, where the token itself is left
    out, of tokens that give it to the one that they ask for, and to the one that asks for them. ValueError if the
    shapes do not fit each other.

    >>> itself, asked, asker = share_attended([[[0.5, 0.3, 0.2], [0.1, 0.2, 0.7], [0.0, 0.4, 0.6]]], [[1, 2, 0]])
    >>> round(float(itself), 2), round(float(asked), 2), round(float(asker), 2)
    (0.67, 0.67, 0.33)
    """
    weights, wanted = np.asarray(weights), np.asarray(wanted)
    n = wanted.shape[-1]
    if weights.shape[-3:] != (*wanted.shape, n):
        raise ValueError(f"weights {weights.shape} and wanted {wanted.shape}; expected (..., num, n, n) and (num, n)")
    itself = weights.argmax(axis=-1) == np.arange(n)
    first_other = np.where(np.eye(n, dtype=bool), -1, weights).argmax(axis=-1)
    asker = wanted.argsort(axis=-1)
    return tuple(x.mean(axis=(-2, -1)) for x in (itself, first_other == wanted, first_other == asker))


class Pairs(NamedTuple):
    """Questions for two names, asked of a sequence of named bits; every array has a row for each question.

    Attributes
    ----------
    asked : (num, 2) int, the two names in the order in which they are asked for
    names : (num, n) int, the name at each place
    bits : (num, n) int, the bit at each place
    answers : (num, 2) float32, the bit under the first name and the bit under the second
    places : (num, 2) int, where the two names stand
    """

    asked: np.ndarray
    names: np.ndarray
    bits: np.ndarray
    answers: np.ndarray
    places: np.ndarray


def pair_examples(num_train, num_test, num_tokens=5, seed=0):
    """Draw questions whose answer is an ordered pair, to be read from two places.

    Each question comes four times in a row, with the four pairs of bits that can lie under the two names and everything
    else unchanged. So no answer is more frequent than another, whatever the question.

    If names are the keys and bits the values, and the answers are the signs of two numbers computed from the output by
    a matrix and a bias, then one head answers at most three of the four rightly. Its weights do not depend on the bits,
    so what it mixes, seen as the bits change, lies on a line; two signs change at two points of that line, and cut it
    into three parts, each with one answer.

    Return train and test, both Pairs, of `num_train` and `num_test` questions; ValueError if one of the counts is no
    multiple of 4. The counts, `num_tokens` and `seed` are int.

    >>> train, _ = pair_examples(num_train=4, num_test=0, num_tokens=3)
    >>> train.names[0], train.asked[0], train.places[0]
    (array([0, 2, 1]), array([2, 1]), array([1, 2]))
    >>> train.bits
    array([[1, 0, 0],
           [1, 0, 1],
           [1, 1, 0],
           [1, 1, 1]])
    """
    num_train, num_test = check_counts(num_train, num_test)
    for name, number in (("num_train", num_train), ("num_test", num_test)):
        if number % 4:
            raise ValueError(f"{name} is {number}; expected a multiple of 4, the pairs that two bits can be")
    n, generator = as_integer("num_tokens", num_tokens, 2), np.random.default_rng(seed)

    def draw(count):
        bits, places = generator.integers(2, size=(count, n)), shuffle_rows(generator, count, n)[:, :2]
        np.put_along_axis(bits, places, 0, axis=1)
        return np.hstack([shuffle_rows(generator, count, n), bits, places])

    possible = factorial(n) * n * (n - 1) * 2 ** (n - 2)
    questions = draw_different_rows(draw, (num_train + num_test) // 4, possible)
    names, bits, places = np.split(np.repeat(questions, 4, axis=0), [n, 2 * n], axis=1)
    answers = np.tile([*product((0, 1), repeat=2)], (len(questions), 1))
    np.put_along_axis(bits, places, answers, axis=1)
    asked = np.take_along_axis(names, places, axis=1)
    return split(Pairs(asked, names, bits, answers.astype(np.float32), places), num_train)
