"""Answers to the exercises of chapter 07."""

import numpy as np

from attention_course import checks
from attention_course.machine import block

from . import Exercise


def named(x, attend, feed_forward, norm_1, norm_2):
    heard = attend(norm_1(x))
    thought = feed_forward(norm_2(heard + x))
    return thought + heard + x


def loop(x, attend, feed_forward, norm_1, norm_2):
    for norm, sublayer in ((norm_1, attend), (norm_2, feed_forward)):
        x = x + sublayer(norm(x))
    return x


RIGHT = {"the part": block, "named parts": named, "a loop": loop}


def post_norm(x, attend, feed_forward, norm_1, norm_2):
    x = norm_1(x + attend(x))
    return norm_2(x + feed_forward(x))


def on_the_stream(x, attend, feed_forward, norm_1, norm_2):
    x = norm_1(x)
    x = x + attend(x)
    x = norm_2(x)
    return x + feed_forward(x)


def add_in_place(x, attend):
    x += attend(x)
    return x


WRONG = {
    "post-norm": post_norm,
    "norm on the stream": on_the_stream,
    "first norm on the stream": lambda x, a, f, m, n: (y := m(x) + a(m(x))) + f(n(y)),
    "no sums": lambda x, a, f, m, n: f(n(a(m(x)))),
    "the second sum takes the first x": lambda x, a, f, m, n: x + f(n(a(m(x)))),
    "no sum at attention": lambda x, a, f, m, n: a(m(x)) + f(n(a(m(x)))),
    "no sum at the end": lambda x, a, f, m, n: f(n(x + a(m(x)))),
    "other order": lambda x, a, f, m, n: block(x, f, a, n, m),
    "side by side": lambda x, a, f, m, n: x + a(m(x)) + f(n(x)),
    "no norms": lambda x, a, f, m, n: x + a(x) + f(x + a(x)),
    "one norm twice": lambda x, a, f, m, n: block(x, a, f, m, m),
    "norms exchanged": lambda x, a, f, m, n: block(x, a, f, n, m),
    "attention alone": lambda x, a, f, m, n: x + a(m(x)),
    "half of it": lambda x, a, f, m, n: block(x, a, f, m, n) / 2,
    "a row": lambda x, a, f, m, n: block(x, a, f, m, n)[0],
    "writes into x": lambda x, a, f, m, n: add_in_place(x, a),
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


WRITE = Exercise(checks.pre_norm_block, RIGHT, WRONG, results=1)

EXERCISES = {
    "ex07-block": WRITE,
    "ex07-count": Exercise(
        checks.block_parameters,
        formula=lambda d_model, num_heads, d_ff: (
            4 * (d_model + 1) * d_model + (d_model + 1) * d_ff + (d_ff + 1) * d_model + 2 * 2 * d_model,
        ),
    ),
    "ex07-zero": Exercise(
        checks.zero_test,
        {"zeros": measure_change(silent), "a number": measure_change(lambda y: 0), "NumPy": largest},
        {
            "sub-layers return what they are given": measure_change(lambda y: y),
            "sum": measure_change(silent, np.sum),
            "smallest": measure_change(silent, np.min),
            "without abs": lambda block, x, m, n: (block(x, silent, silent, m, n) - x).max(),
            "what comes out": lambda block, x, m, n: abs(block(x, silent, silent, m, n)).max(),
            "of each number": lambda block, x, m, n: abs(block(x, silent, silent, m, n) - x),
            "squared": lambda block, x, m, n: ((block(x, silent, silent, m, n) - x) ** 2).max(),
            "yes or no": lambda block, x, m, n: float(not np.allclose(block(x, silent, silent, m, n), x)),
        },
        results=1,
    ),
    "ex07-skip": Exercise(
        checks.stream_kept,
        {
            "a power": keep_share,
            "a loop": keep_in_a_loop,
            "an angle": lambda skip, added, layers: np.cos(np.arctan(added / skip)) ** layers,
        },
        {
            "one sub-layer": lambda skip, added, layers: skip / np.hypot(skip, added),
            "times the layers": lambda skip, added, layers: layers * skip / np.hypot(skip, added),
            "lengths added": lambda skip, added, layers: (skip / (skip + added)) ** layers,
            "squares": lambda skip, added, layers: (skip**2 / (skip**2 + added**2)) ** layers,
            "what was added": lambda skip, added, layers: (added / np.hypot(skip, added)) ** layers,
            "stream of length 1": lambda skip, added, layers: np.hypot(skip, added) ** -layers,
            "what is lost": lambda skip, added, layers: 1 - keep_share(skip, added, layers),
        },
        results=1,
    ),
}
