"""Answers to the exercises of chapter 04."""

import numpy as np
import torch

from attention_course import checks
from attention_course.machine import projections
from attention_course.museum._parts import exchange_part
from attention_src import softmax

from . import Exercise, ch01


def put_into_head(attend):
    """A head that attends in another way between the projections."""
    return lambda X, W_q, W_k, W_v: attend(X @ W_q, X @ W_k, X @ W_v)


RIGHT = ch01.take_some(put_into_head, "the part", "torch, 32 bits", "the package")
plain = RIGHT["the part"]


def make_head(score=None, mix=None):
    """A head with one part exchanged: score(Q, K, X), mix(weights, X)."""

    def answer(X, W_q, W_k, W_v):
        part = exchange_part(
            score=score and (lambda q, k, v: score(q, k, X)), mix=mix and (lambda weights, q, k, v: mix(weights, X))
        )
        return part(X @ W_q, X @ W_k, X @ W_v)

    return answer


def in_place(X, W_q, W_k, W_v):
    W_k /= np.sqrt(W_k.shape[1])
    return plain(X, W_q, W_k, W_v)


SAME = ("not scaled", "scaled by the root of n", "scaled by d_k", "keys ask queries", "queries ask queries")
SAME += ("keys ask keys", "softmax over the queries", "softmax twice", "no softmax", "no maximum", "mixes by columns")
SAME += ("keys after the eighth ignored", "the weight of a single key doubled", "mixes the keys")
SAME += ("scaled by the root of d_v",)
WRONG = ch01.take_some(put_into_head, *SAME) | {
    "no projection": make_head(lambda Q, K, X: X @ X.T / np.sqrt(X.shape[1])),
    "mixes the tokens": make_head(mix=lambda weights, X: weights @ X),
    "weights of one token alone": lambda *given: (plain(*given)[0], plain(*given)[1][0]),
    "matrix transposed": lambda X, W_q, W_k, W_v: X @ W_q.T,
    "writes into W_k": in_place,
}


def as_handed_out(X, W_q, W_k, W_v):
    Q, K = X @ W_q, X @ W_k
    weights = softmax(Q @ K.T / np.sqrt(X.shape[1]))
    return weights @ K, weights


LETTERS, BITS = np.eye(5), np.eye(3)


def design(asks=(), offers=(), passes=(), *, wide=5, out=3):
    """Three matrices of zeros but for blocks, each {first row: block}."""
    matrices = np.zeros((13, wide)), np.zeros((13, wide)), np.zeros((13, out))
    for matrix, blocks in zip(matrices, (asks, offers, passes), strict=True):
        for row, block in dict(blocks).items():
            matrix[row : row + len(block), : block.shape[1]] = block
    return matrices


ASKS, OFFERS, PASSES = {5: 10 * LETTERS}, {0: LETTERS}, {10: -BITS}
DESIGN = Exercise(
    checks.designed_head,
    {
        "copies": design(ASKS, OFFERS, PASSES),
        "as lists": tuple(matrix.tolist() for matrix in design(ASKS, OFFERS, PASSES)),
        "in torch": tuple(map(torch.tensor, design({5: -30 * LETTERS}, {0: -LETTERS}, {10: -7 * BITS}, wide=8))),
    },
    {
        "bits with their own sign": design(ASKS, OFFERS, {10: BITS}),
        "names are passed on": design(ASKS, OFFERS, {0: BITS}),
        "keys are passed on": design(ASKS, OFFERS, {0: -LETTERS}, out=5),
        "finds the one that asks": design({0: 10 * LETTERS}, {5: LETTERS}, PASSES),
        "finds itself": design({0: 10 * LETTERS}, OFFERS, PASSES),
        "one matrix for both": design({0: 4 * LETTERS, 5: 4 * LETTERS}, {0: 4 * LETTERS, 5: 4 * LETTERS}, PASSES),
        "too quiet": design({5: LETTERS}, OFFERS, PASSES),
        "zeros": design({}, {}, PASSES),
        "asks with the bits": design({10: 10 * LETTERS[:3]}, OFFERS, PASSES),
        "twelve rows": tuple(matrix[:12] for matrix in design(ASKS, OFFERS, PASSES)),
        "queries longer than keys": (design(ASKS, wide=6)[0], *design({}, OFFERS, PASSES)[1:]),
        "not a number": (np.full((13, 5), np.nan), *design(ASKS, OFFERS, PASSES)[1:]),
    },
)


PROJECT = Exercise(
    checks.projections,
    {
        "the part": projections,
        "rows one by one": lambda X, *matrices: tuple(np.array([x @ W for x in X]) for W in matrices),
        "one wide matrix": lambda X, W_q, W_k, W_v: tuple(
            np.split(X @ np.hstack([W_q, W_k, W_v]), np.cumsum([W_q.shape[1], W_k.shape[1]]), axis=1)
        ),
        "torch": lambda *given: tuple(torch.tensor(given[0]) @ torch.tensor(W) for W in given[1:]),
    },
    {
        "queries and keys exchanged": lambda X, W_q, W_k, W_v: projections(X, W_k, W_q, W_v),
        "values from the keys' matrix": lambda X, W_q, W_k, W_v: projections(X, W_q, W_k, W_k),
        "keys from the queries' matrix": lambda X, W_q, W_k, W_v: projections(X, W_q, W_q, W_v),
        "values are the tokens": lambda X, W_q, W_k, W_v: (X @ W_q, X @ W_k, X),
        "values of the queries": lambda X, W_q, W_k, W_v: (X @ W_q, X @ W_k, X @ W_q @ W_k.T @ W_v),
        "values first": lambda X, W_q, W_k, W_v: projections(X, W_v, W_q, W_k),
        "queries scaled": lambda X, W_q, W_k, W_v: (X @ W_q / np.sqrt(W_q.shape[1]), X @ W_k, X @ W_v),
        "scores in place of queries": lambda X, W_q, W_k, W_v: (X @ W_q @ (X @ W_k).T, X @ W_k, X @ W_v),
        "the first token alone": lambda X, *matrices: projections(X[0], *matrices),
        "keys transposed": lambda X, W_q, W_k, W_v: (X @ W_q, (X @ W_k).T, X @ W_v),
        "only two": lambda X, W_q, W_k, W_v: (X @ W_q, X @ W_k),
    },
)
EXERCISES = {
    "ex04-design": DESIGN,
    "ex04-count": Exercise(
        checks.numbers_and_rank,
        formula=lambda d_model, d_k, d_v: (d_model * d_k * 2 + d_model * d_v, d_k),
    ),
    "ex04-mend": Exercise(
        checks.mended_head,
        RIGHT,
        WRONG
        | {
            "as handed out": as_handed_out,
            "only the root mended": WRONG["mixes the keys"],
            "only the values mended": make_head(lambda Q, K, X: Q @ K.T / np.sqrt(X.shape[1])),
        },
        results=2,
    ),
    "ex04-project": PROJECT,
}
