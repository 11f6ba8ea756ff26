"""Answers to the exercises of chapter 07."""

import numpy as np
import torch

from attention_src import checks

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


def into(x, attend):
    x += attend(x)
    return x


WRONG = {
    "post-norm": (
        post_norm,
        "That is post-norm",
        "The figure of the 2017 paper is remembered; most models since then norm first.",
    ),
    "norm on the stream": (
        on_the_stream,
        "come out as it went in",
        "“Norm first” is done to the stream itself. What is read is normed, never what runs past.",
    ),
    "first norm on the stream": (half_on_the_stream, "added to: x, or its norm"),
    "no sums": (lambda x, a, f, m, n: f(n(a(m(x)))), "What runs past the sub-layers"),
    "the second sum takes the first x": (lambda x, a, f, m, n: x + f(n(a(m(x)))), "To what does the feed-forward"),
    "no sum at attention": (lambda x, a, f, m, n: a(m(x)) + f(n(a(m(x)))), "What runs past attention"),
    "no sum at the end": (lambda x, a, f, m, n: f(n(x + a(m(x)))), "What runs past the feed-forward network"),
    "other order": (lambda x, a, f, m, n: two_lines(x, f, a, n, m), "comes first"),
    "side by side": (
        lambda x, a, f, m, n: x + a(m(x)) + f(n(x)),
        "read what the first has written",
        "Both sub-layers were given the x that came in. Some models do so on purpose; equation (7.1) does not.",
    ),
    "no norms": (lambda x, a, f, m, n: x + a(x) + f(x + a(x)), "Where are the norms"),
    "one norm twice": (lambda x, a, f, m, n: two_lines(x, a, f, m, m), "a norm of its own"),
    "norms exchanged": (lambda x, a, f, m, n: two_lines(x, a, f, n, m), "belongs to attention"),
    "attention alone": (lambda x, a, f, m, n: x + a(m(x)), "What comes after it"),
    "half of it": (lambda x, a, f, m, n: two_lines(x, a, f, m, n) / 2, "where does it write"),
    "a row": (lambda x, a, f, m, n: two_lines(x, a, f, m, n)[0], "takes tokens and gives tokens"),
    "writes into x": (lambda x, a, f, m, n: into(x, a), {"argument": "x"}),
}
FULL = 4 * (256**2 + 256) + 2 * 256 * 1024 + 1024 + 256 + 4 * 256
WRITE = Exercise(checks.pre_norm_block, "S001-2", RIGHT, WRONG, results=1)

EXERCISES = {
    "ex07-block": WRITE,
    "ex07-count": Exercise(
        checks.block_parameters,
        "S001-2",
        {"whole": (FULL,), "as a float": (float(FULL),), "NumPy": (np.int64(FULL),), "torch": (torch.tensor(FULL),)},
        {
            "1,024 too few": ((FULL - 1024,), "1,024 are missing"),
            "no biases, no norms": ((4 * 256**2 + 2 * 256 * 1024,), "biases and norms", "Only matrices are counted."),
            "half a norm": ((FULL - 512,), "besides its scale"),
            "no last bias": ((FULL - 256,), "narrow", "The second bias is given the length of the first, or left out."),
            "three matrices": ((FULL - 256**2,), "mixes the heads", "W_o is the matrix that is forgotten."),
            "three matrices and biases": ((FULL - 256**2 - 256,), "mixes the heads"),
            "times the heads": ((FULL + 3 * 4 * (256**2 + 256),), "depend on heads"),
            "one wide matrix": ((FULL - 256 * 1024,), "one matrix"),
            "attention alone": ((4 * (256**2 + 256),), "What comes after it"),
            "1": ((1,), "shape of each part"),
        },
        formula=lambda d_model, num_heads, d_ff: (
            4 * (d_model + 1) * d_model + (d_model + 1) * d_ff + (d_ff + 1) * d_model + 2 * 2 * d_model,
        ),
    ),
    "ex07-mend": Exercise(
        checks.mended_block,
        "S001-2",
        RIGHT,
        {
            "as handed out": (on_the_stream, "come out as it went in"),
            "only the second norm mended": (
                half_on_the_stream,
                "added to: x, or its norm",
                "One of the two norms was seen on the stream, and the search ended there.",
            ),
            "made post-norm": (post_norm, "That is post-norm"),
            "norms taken out": (lambda x, a, f, m, n: x + a(x) + f(x + a(x)), "Where are the norms"),
        },
        named="zero",
        names=("shape", "loss", "count", "size"),
        like=WRITE,
    ),
}
