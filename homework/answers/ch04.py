"""Answers to the exercises of chapter 04."""

import numpy as np
import torch

from attention_course import checks
from attention_course.museum._parts import exchange_part
from attention_src import scaled_dot_product_attention, softmax

from . import Exercise
from .ch01 import take_wrong


def plain(X, W_q, W_k, W_v):
    weights = softmax((X @ W_q) @ (X @ W_k).T / np.sqrt(W_k.shape[1]))
    return weights @ (X @ W_v), weights


def from_the_package(X, W_q, W_k, W_v):
    return scaled_dot_product_attention(X @ W_q, X @ W_k, X @ W_v)


def loops(X, W_q, W_k, W_v):
    weights = np.empty((len(X), len(X)))
    for i, x in enumerate(X):
        scores = np.array([(x @ W_q) @ (y @ W_k) for y in X]) / W_q.shape[1] ** 0.5
        raised = np.exp(scores - scores.max())
        weights[i] = raised / raised.sum()
    return np.array([sum(w * (x @ W_v) for w, x in zip(row, X, strict=True)) for row in weights]), weights


def in_torch(X, W_q, W_k, W_v):
    X, W_q, W_k, W_v = map(torch.tensor, (X, W_q, W_k, W_v))
    weights = torch.softmax(X @ (W_q @ W_k.T) @ X.T / W_k.shape[-1] ** 0.5, dim=-1)
    return weights @ X @ W_v, weights


RIGHT = {"in one": plain, "the package": from_the_package, "loops": loops, "torch, one matrix": in_torch}


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


def put_into_head(attend):
    """A head that attends in another way between the projections."""
    return lambda X, W_q, W_k, W_v: attend(X @ W_q, X @ W_k, X @ W_v)


SAME = ("not scaled", "scaled by the root of n", "scaled by d_k", "keys ask queries", "queries with queries")
SAME += ("keys with keys", "softmax over the queries", "softmax twice", "no softmax", "no maximum", "mixes by columns")
SAME += ("keys after the eighth ignored", "the weight of a single key doubled", "mixes the keys")
SAME += ("mixes the keys where values have their shape",)
WRONG = take_wrong(put_into_head, *SAME) | {
    "scaled by the root of d_model": (
        make_head(lambda Q, K, X: Q @ K.T / np.sqrt(X.shape[1])),
        "does one score have",
    ),
    "no projection": (
        make_head(lambda Q, K, X: X @ X.T / np.sqrt(X.shape[1])),
        "number of the key",
    ),
    "mixes the tokens": (make_head(mix=lambda weights, X: weights @ X), "the tokens, or their values"),
    "weights of one token alone": (lambda *given: (plain(*given)[0], plain(*given)[1][0]), "Which axis should remain"),
    "matrix transposed": (lambda X, W_q, W_k, W_v: X @ W_q.T, {"error": "ValueError"}),
    "writes into W_k": (in_place, {"argument": "W_k"}),
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


def on_a_circle(length):
    """Names as five directions of the plane: queries of this length, and keys of length 1."""
    angles = 2 * np.pi * np.arange(5) / 5
    names = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return design({5: length * names}, {0: names}, {10: -BITS}, wide=2)


ASKS, OFFERS, PASSES = {5: 10 * LETTERS}, {0: LETTERS}, {10: -BITS}
DESIGN = Exercise(
    checks.designed_head,
    "S001-10 S001-11 S002-20",
    {
        "copies": design(ASKS, OFFERS, PASSES),
        "the key is long": design({5: LETTERS}, {0: 20 * LETTERS}, PASSES),
        "two numbers": on_a_circle(40),
        "as lists": tuple(matrix.tolist() for matrix in design(ASKS, OFFERS, PASSES)),
        "in torch": tuple(map(torch.tensor, design({5: -30 * LETTERS}, {0: -LETTERS}, {10: -7 * BITS}, wide=8))),
    },
    {
        "bits with their own sign": (design(ASKS, OFFERS, {10: BITS}), "Which sign"),
        "names are passed on": (design(ASKS, OFFERS, {0: BITS}), "Which three"),
        "keys are passed on": (design(ASKS, OFFERS, {0: -LETTERS}, out=5), "How many bits"),
        "finds the one that asks": (design({0: 10 * LETTERS}, {5: LETTERS}, PASSES), "Which name should"),
        "finds itself": (design({0: 10 * LETTERS}, OFFERS, PASSES), "two names does its query"),
        "one matrix for both": (
            design({0: 4 * LETTERS, 5: 4 * LETTERS}, {0: 4 * LETTERS, 5: 4 * LETTERS}, PASSES),
            "two names does its query",
        ),
        "too quiet": (design({5: LETTERS}, OFFERS, PASSES), "By how much"),
        "zeros": (design({}, {}, PASSES), "All weights are equal"),
        "asks with the bits": (design({10: 10 * LETTERS[:3]}, OFFERS, PASSES), "Take one token"),
        "only three names": (design({5: 10 * LETTERS[:3]}, OFFERS, PASSES), "Take one token"),
        "twelve rows": (tuple(matrix[:12] for matrix in design(ASKS, OFFERS, PASSES)), "How many numbers does a token"),
        "transposed": (tuple(matrix.T for matrix in design(ASKS, OFFERS, PASSES)), "How many numbers does a token"),
        "queries longer than keys": (
            (design(ASKS, wide=6)[0], *design({}, OFFERS, PASSES)[1:]),
            "to meet a key",
        ),
        "not a number": ((np.full((13, 5), np.nan), *design(ASKS, OFFERS, PASSES)[1:]), "did you not mean"),
    },
)
EXERCISES = {
    "ex04-design": DESIGN,
    "ex04-count": Exercise(
        checks.numbers_and_rank,
        "S001-10 S002-20",
        {"whole numbers": (3600, 8), "as floats": (3600.0, np.int64(8)), "torch": (torch.tensor(3600), 8)},
        {
            "1600 numbers": ((1600, 8), "leave out W_v"),
            "2400 numbers": ((2400, 8), "as long as a key"),
            "6000 numbers": ((6000, 8), "as long as values"),
            "2800 numbers": ((2800, 8), "How many matrices"),
            "30000 numbers": ((30000, 8), "How many columns"),
            "1800 numbers": ((1800, 8), "grow with the number"),
            "123 numbers": ((123, 8), "the shape of each"),
            "rank 50": ((3600, 50), "score pass through"),
            "rank 100": ((3600, 100), "table's two factors"),
            "rank 20": ((3600, 20), "Which two matrices"),
            "rank 64": ((3600, 64), "multiply"),
            "rank 16": ((3600, 16), "add the ranks"),
            "rank 9": ((3600, 9), "what are their shapes"),
            "rank 8.4": ((3600, 8.4), "what are their shapes"),
        },
        formula=lambda d_model, d_k, d_v: (d_model * d_k * 2 + d_model * d_v, d_k),
    ),
    "ex04-mend": Exercise(
        checks.mended_head,
        "S001-10 S001-11 S002-10 S002-11 S003-7",
        RIGHT,
        WRONG
        | {
            "as handed out": (as_handed_out, "does one score have"),
            "only the root mended": WRONG["mixes the keys"],
            "only the values mended": (
                make_head(lambda Q, K, X: Q @ K.T / np.sqrt(X.shape[1])),
                "does one score have",
            ),
        }
        | take_wrong(put_into_head, "scaled by the root of d_v"),
        named=4,
        names={
            8: "is under the root",
            16: "Which of the two",
            2: "What are the square",
            40: "wrong head divide by",
            0.8: "before",
            5: "before",
        },
        results=2,
    ),
}
