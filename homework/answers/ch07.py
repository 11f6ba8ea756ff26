"""Answers to the exercises of chapter 07."""

import numpy as np
import torch

from attention_course import checks

from . import Exercise


def two_lines(x, attend, feed_forward, norm_1, norm_2):
    x = x + attend(norm_1(x))
    return x + feed_forward(norm_2(x))


def named(x, attend, feed_forward, norm_1, norm_2):
    heard = attend(norm_1(x))
    thought = feed_forward(norm_2(heard + x))
    return thought + heard + x


def loop(x, attend, feed_forward, norm_1, norm_2):
    for norm, sublayer in ((norm_1, attend), (norm_2, feed_forward)):
        x = x + sublayer(norm(x))
    return x


RIGHT = {"two lines": two_lines, "named parts": named, "a loop": loop}


def post_norm(x, attend, feed_forward, norm_1, norm_2):
    x = norm_1(x + attend(x))
    return norm_2(x + feed_forward(x))


def on_the_stream(x, attend, feed_forward, norm_1, norm_2):
    x = norm_1(x)
    x = x + attend(x)
    x = norm_2(x)
    return x + feed_forward(x)


def half_on_the_stream(x, attend, feed_forward, norm_1, norm_2):
    x = norm_1(x)
    x = x + attend(x)
    return x + feed_forward(norm_2(x))


def add_in_place(x, attend):
    x += attend(x)
    return x


WRONG = {
    "post-norm": (post_norm, "That is post-norm"),
    "norm on the stream": (on_the_stream, "come out as it went in"),
    "first norm on the stream": (half_on_the_stream, "the normalised x"),
    "no sums": (lambda x, a, f, m, n: f(n(a(m(x)))), "What bypasses the sub-layers"),
    "the second sum takes the first x": (
        lambda x, a, f, m, n: x + f(n(a(m(x)))),
        "add its result to",
    ),
    "no sum at attention": (lambda x, a, f, m, n: a(m(x)) + f(n(a(m(x)))), "What bypasses attention"),
    "no sum at the end": (lambda x, a, f, m, n: f(n(x + a(m(x)))), "bypasses the feed-forward network"),
    "other order": (lambda x, a, f, m, n: two_lines(x, f, a, n, m), "comes first"),
    "side by side": (lambda x, a, f, m, n: x + a(m(x)) + f(n(x)), "read what the first has written"),
    "no norms": (lambda x, a, f, m, n: x + a(x) + f(x + a(x)), "Where are the norms"),
    "one norm twice": (lambda x, a, f, m, n: two_lines(x, a, f, m, m), "Which one belongs"),
    "norms exchanged": (lambda x, a, f, m, n: two_lines(x, a, f, n, m), "belongs to attention"),
    "attention alone": (lambda x, a, f, m, n: x + a(m(x)), "What comes after it"),
    "half of it": (lambda x, a, f, m, n: two_lines(x, a, f, m, n) / 2, "where does it write"),
    "a row": (lambda x, a, f, m, n: two_lines(x, a, f, m, n)[0], "returns tokens. How many"),
    "writes into x": (lambda x, a, f, m, n: add_in_place(x, a), {"argument": "x"}),
}


def silent(y):
    return 0 * y


def measure_change(sublayer, over=np.max):
    """A test of the stream that gives both sub-layers this function and the changes to `over`."""

    def answer(block, x, norm_1, norm_2):
        return over(abs(block(x, sublayer, sublayer, norm_1, norm_2) - x))

    return answer


def largest(block, x, norm_1, norm_2):
    zeros = np.zeros(x.shape)
    return np.max(np.abs(np.subtract(x, block(x, lambda y: zeros, lambda y: zeros, norm_1, norm_2))))


def keep_share(skip, added, layers):
    return (skip / np.hypot(skip, added)) ** layers


def keep_in_a_loop(skip, added, layers):
    kept = 1.0
    for _ in range(layers):
        kept = kept * skip / (skip**2 + added**2) ** 0.5
    return kept


def keep_by_angle(skip, added, layers):
    return np.cos(np.arctan(added / skip)) ** layers


FULL = 4 * (256**2 + 256) + 2 * 256 * 640 + 640 + 256 + 4 * 256
WRITE = Exercise(checks.pre_norm_block, "S001-2", RIGHT, WRONG, results=1)

EXERCISES = {
    "ex07-block": WRITE,
    "ex07-count": Exercise(
        checks.block_parameters,
        "S001-2",
        {"whole": (FULL,), "as a float": (float(FULL),), "NumPy": (np.int64(FULL),), "torch": (torch.tensor(FULL),)},
        {
            "1,024 too few": ((FULL - 1024,), "leave out 1,024 numbers"),
            "no hidden bias": ((FULL - 640,), "How many numbers does it have"),
            "no feed-forward biases": ((FULL - 640 - 256,), "How many numbers do its layers add"),
            "no biases, no norms": ((4 * 256**2 + 2 * 256 * 640,), "biases and the norms"),
            "half a norm": ((FULL - 512,), "besides its scale"),
            "no last bias": ((FULL - 256,), "How wide is the output"),
            "three matrices": ((FULL - 256**2,), "mixes the heads"),
            "three matrices and biases": ((FULL - 256**2 - 256,), "mixes the heads"),
            "times the heads": ((FULL + 3 * 4 * (256**2 + 256),), "Does the count depend"),
            "one wide matrix": ((FULL - 256 * 640,), "one matrix"),
            "attention alone": ((4 * (256**2 + 256),), "What comes after it"),
            "1": ((1,), "shape of each part"),
        },
        formula=lambda d_model, num_heads, d_ff: (
            4 * (d_model + 1) * d_model + (d_model + 1) * d_ff + (d_ff + 1) * d_model + 2 * 2 * d_model,
        ),
    ),
    "ex07-zero": Exercise(
        checks.zero_test,
        "S001-2",
        {"zeros": measure_change(silent), "a number": measure_change(lambda y: 0), "NumPy": largest},
        {
            "sub-layers return what they are given": (measure_change(lambda y: y), "zeros, or what they were given"),
            "sum": (measure_change(silent, np.sum), "changes most change"),
            "mean": (measure_change(silent, np.mean), "changes most change"),
            "smallest": (measure_change(silent, np.min), "or the smallest"),
            "without abs": (
                lambda block, x, m, n: (block(x, silent, silent, m, n) - x).max(),
                "What if a number becomes smaller",
            ),
            "what comes out": (
                lambda block, x, m, n: abs(block(x, silent, silent, m, n)).max(),
                "change, or the output",
            ),
            "of each number": (
                lambda block, x, m, n: abs(block(x, silent, silent, m, n) - x),
                "Which changes is",
            ),
            "squared": (lambda block, x, m, n: ((block(x, silent, silent, m, n) - x) ** 2).max(), "or its square"),
            "yes or no": (
                lambda block, x, m, n: float(not np.allclose(block(x, silent, silent, m, n), x)),
                "By how much",
            ),
            "prints 0": ((largest, 0), "Is that true of this block"),
            "prints 1": ((largest, 1), "What went in"),
            "prints 3": ((largest, 3), "change as much as 2"),
            "prints 4": ((largest, 4), "What does the norm divide by"),
            "prints 6": ((largest, 6), "What does a norm turn"),
            "prints 7": (
                (largest, 7),
                "second turn that into",
            ),
            "prints a word": ((largest, "five"), {"answer": "'five'"}),
        },
        results=1,
        named=5,
    ),
    "ex07-skip": Exercise(
        checks.stream_kept,
        "S001-2",
        {"a power": keep_share, "a loop": keep_in_a_loop, "an angle": keep_by_angle},
        {
            "one sub-layer": (lambda skip, added, layers: skip / np.hypot(skip, added), "second one leave of it"),
            "times the layers": (
                lambda skip, added, layers: layers * skip / np.hypot(skip, added),
                "add up or multiply",
            ),
            "losses added": (
                lambda skip, added, layers: 1 - layers * (1 - skip / np.hypot(skip, added)),
                "add up or multiply",
            ),
            "lengths added": (lambda skip, added, layers: (skip / (skip + added)) ** layers, "at right angles"),
            "squares": (
                lambda skip, added, layers: (skip**2 / (skip**2 + added**2)) ** layers,
                "or of its square",
            ),
            "what was added": (
                lambda skip, added, layers: (added / np.hypot(skip, added)) ** layers,
                "or of what was added",
            ),
            "stream of length 1": (lambda skip, added, layers: np.hypot(skip, added) ** -layers, "before the sum"),
            "what is lost": (lambda skip, added, layers: 1 - keep_share(skip, added, layers), "or what is lost"),
            "designs 1": ((keep_share, 1), "What is left of it after 60"),
            "designs 6": ((keep_share, 6), "give a half for 6"),
            "designs 8": ((keep_share, 8), "Would a smaller one do"),
            "designs 87": ((keep_share, 87), "at right angles"),
            "designs 10": ((keep_share, 10), "or of its square"),
            "designs 60": ((keep_share, 60), "skip weights 1, 2, 3"),
        },
        results=1,
        named=7,
    ),
}
