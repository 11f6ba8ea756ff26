"""Checks of chapter 07, the block that became the standard."""

import numpy as np

from ._report import Part, ask, choose, need_close, need_mended, need_shape, passed, question_for, shapes


def _parts(random, n, d):
    """Two sub-layers and two norms, all different, as functions of (n, d)."""
    mix, inside, first, second = (random.normal(size=size) for size in ((n, n), (d, d), d, d))
    norm_1 = lambda x: first * x / (1 + abs(x))  # noqa: E731
    norm_2 = lambda x: second * np.tanh(x)  # noqa: E731
    return {
        "attend": lambda x: mix @ x,
        "feed_forward": lambda x: np.cos(x @ inside),
        "norm_1": norm_1,
        "norm_2": norm_2,
    }


def _order(x, attend, feed_forward, norm_1, norm_2):
    """The right output, and outputs of known wrong orders with the question that leads from each."""
    right = x + attend(norm_1(x))
    half, right = right, right + feed_forward(norm_2(right))
    post = norm_1(x + attend(x))
    stream = norm_1(x) + attend(norm_1(x))
    swapped = x + feed_forward(norm_2(x))
    known = (
        (norm_2(post + feed_forward(post)), "That is post-norm. What does equation (7.1) give to the norm?"),
        (
            norm_2(stream) + feed_forward(norm_2(stream)),
            "If both sub-layers return zeros, does x come out as it went in?",
        ),
        (feed_forward(norm_2(attend(norm_1(x)))), "What runs past the sub-layers?"),
        (x + feed_forward(norm_2(attend(norm_1(x)))), "To what does the feed-forward network add?"),
        (attend(norm_1(x)) + feed_forward(norm_2(attend(norm_1(x)))), "What runs past attention?"),
        (feed_forward(norm_2(half)), "What runs past the feed-forward network?"),
        (swapped + attend(norm_1(swapped)), "Which of the two sub-layers comes first?"),
        (x + attend(norm_1(x)) + feed_forward(norm_2(x)), "Does the second sub-layer read what the first has written?"),
        (x + attend(x) + feed_forward(x + attend(x)), "Where are the norms?"),
        (half + feed_forward(norm_1(half)), "Each sub-layer has a norm of its own. Which is the second's?"),
        (half, "Attention is right. What comes after it?"),
        (
            x + attend(norm_2(x)) + feed_forward(norm_1(x + attend(norm_2(x)))),
            "Which of the two norms belongs to attention?",
        ),
        (
            norm_1(x) + attend(norm_1(x)) + feed_forward(norm_2(norm_1(x) + attend(norm_1(x)))),
            "What is attention's result added to: x, or its norm?",
        ),
    )
    return right, known


def pre_norm_block(answer, seed=0):
    """Check a student's ``answer(x, attend, feed_forward, norm_1, norm_2) -> (n, d)``, a pre-norm encoder block.

    Parameters
    ----------
    answer : function of x (n, d) and four functions of (n, d)
    seed : int, where the trials come from
    """
    random = np.random.default_rng(seed)
    for n, d in ((3, 4), (1, 6), (5, 2)):
        x, parts = random.normal(size=(n, d)), _parts(random, n, d)
        got, (right, known) = ask(answer, x=x, **parts), _order(x, **parts)
        need_shape("the result", got, right.shape, shapes(x=x), "A block takes tokens and gives tokens: how many?")
        need_close(
            "result", got, right, question_for(got, known, "What does each sub-layer read, and where does it write?")
        )
    passed("norm, sub-layer, sum, twice; for three sizes and sub-layers of all kinds.")


def block_parameters(parameters, *, d_model=256, num_heads=4, d_ff=1024):
    """Check the number of parameters of an encoder block, biases and two norms included.

    Parameters
    ----------
    parameters : int, the answer
    d_model, num_heads, d_ff : int
    """
    square, wide = d_model**2, d_model * d_ff
    attend = 4 * square + 4 * d_model
    full = attend + 2 * wide + d_ff + d_model + 4 * d_model
    lost = "{missing:,} are missing: the biases of attention, or the two norms"
    reasons = {
        full - d_ff: ("the bias of the hidden layer is left out", "How many has it?"),
        full - 4 * d_model: (Part(lost, missing=4 * d_model), "Which?"),
        4 * square + 2 * wide: ("biases and norms are left out", "How many biases are there?"),
        full - 2 * d_model: ("one norm is counted, or each has a scale alone", "What has a norm besides its scale?"),
        full - d_model: ("the bias of the last matrix is left out", "To what length does it narrow?"),
        full - square: ("attention has three matrices", "What mixes the heads?"),
        full - square - d_model: ("attention has three matrices", "What mixes the heads?"),
        full + (num_heads - 1) * attend: ("each head had full matrices", "Does the number depend on heads?"),
        full - wide: ("the feed-forward network has one matrix", "It widens; what else?"),
        attend: ("attention is counted alone", "What comes after it?"),
    }
    if d_ff == 4 * d_model:  # then 1,024 may be any of the three
        lost = "{missing:,} are missing: the biases of attention, that of the hidden layer, or the two norms"
        reasons[full - d_ff] = Part(lost, missing=d_ff), "Which?"
    choose(parameters, full, reasons, digits=0, hint="Attention, feed-forward, norms: what is the shape of each part?")
    passed("attention, feed-forward and norms, to the last parameter.")


REASONS = {
    "shape": ("every shape is right", "Which test looks at the stream itself?"),
    "loss": ("alone, the block learns", "Which test looks at the stream itself?"),
    "count": ("no parameter is gained or lost", "Which test looks at the stream itself?"),
}


def mended_block(answer, caught_by, seed=0):
    """Check the mended block of chapter 07, and the name of the test that shows the mistake.

    Parameters
    ----------
    answer : function as for `pre_norm_block`
    caught_by : str, 'shape', 'loss', 'zero' or 'count'
    seed : int, where the trials come from
    """
    need_mended(pre_norm_block, answer, seed, caught_by, "zero", REASONS)
    passed("the stream runs through untouched; two silent sub-layers would have shown that it did not.")
