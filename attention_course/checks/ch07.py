"""Checks of chapter 07, the block that became the standard."""

from itertools import combinations

import numpy as np

from ._ask import ask, by_hand, draw_sizes, name_shapes, take_turns
from ._compare import check_number, need_close, need_shape
from ._message import Part, half, say_right

SIZES = [(3, 4), (1, 6), (5, 2), (6, 1), (3, 3), (12, 13)]  # n, d
ROWS = [(1.0, 3.0), (1.0, 9.0), (-6.0, -2.0)]  # to be worked out by hand, as are these parts
BY_HAND = {
    "attend": by_hand("-2 * x", lambda x: -2 * x),
    "feed_forward": by_hand("1 - 3 * x", lambda x: 1 - 3 * x),
    "norm_1": by_hand("(x - x.mean()) / x.std()", lambda x: (x - x.mean()) / (x.std() or 1)),
    "norm_2": by_hand("3 * norm_1(x)", lambda x: 3 * (x - x.mean()) / (x.std() or 1)),
}


def _trials(seed):
    """Tokens and the parts of a block: of awkward sizes, or to be worked out by hand if small cases are asked for."""
    if rows := take_turns(ROWS):
        yield from ((np.array([row]), BY_HAND) for row in rows)
        return
    random = np.random.default_rng(seed)
    for n, d in draw_sizes(SIZES, seed):
        yield random.normal(size=(n, d)), _parts(random, n, d)


def _parts(random, n, d):
    """Two sub-layers and two norms, all different, as functions of (n, d)."""
    mix, inside, first, second = (random.normal(size=size) for size in ((n, n), (d, d), d, d))
    return {
        "attend": lambda x: mix @ x,
        "feed_forward": lambda x: np.cos(x @ inside),
        "norm_1": lambda x: first * x / (1 + abs(x)),
        "norm_2": lambda x: second * np.tanh(x),
    }


def _on_the_stream(x, attend, feed_forward, norm_1, norm_2):
    x = norm_1(x)
    x = norm_2(x + attend(x))
    return x + feed_forward(x)


def _pre_norm(x, attend, feed_forward, norm_1, norm_2):
    half = x + attend(norm_1(x))
    return half + feed_forward(norm_2(half))


def _post_norm(x, attend, feed_forward, norm_1, norm_2):
    x = norm_1(x + attend(x))
    return norm_2(x + feed_forward(x))


def _without_sums(x, attend, feed_forward, norm_1, norm_2):
    return feed_forward(norm_2(attend(norm_1(x))))


CALLED = ["the block of the exercise", "a pre-norm block", "a post-norm block", "a block without any sum"]
BLOCKS = [*map(by_hand, map(Part, CALLED), [_on_the_stream, _pre_norm, _post_norm, _without_sums])]


def _known_orders(x, attend, feed_forward, norm_1, norm_2):
    """Outputs of known wrong orders with the question that leads from each."""
    parts = attend, feed_forward, norm_1, norm_2
    half, stream, alone = x + attend(norm_1(x)), norm_1(x) + attend(norm_1(x)), _without_sums(x, *parts)
    return (
        (_post_norm(x, *parts), "That is post-norm. What does equation (7.1) normalise?"),
        (_on_the_stream(x, *parts), "If both sub-layers return zeros, does x come out as it went in?"),
        (alone, "What bypasses the sub-layers?"),
        (x + alone, "What does the feed-forward network add its result to?"),
        (attend(norm_1(x)) + alone, "What bypasses attention?"),
        (feed_forward(norm_2(half)), "What bypasses the feed-forward network?"),
        (_pre_norm(x, feed_forward, attend, norm_2, norm_1), "Which of the two sub-layers comes first?"),
        (half + feed_forward(norm_2(x)), "Does the second sub-layer read what the first has written?"),
        (x + attend(x) + feed_forward(x + attend(x)), "Where are the norms?"),
        (half + feed_forward(norm_1(half)), "Each sub-layer has its own norm. Which one belongs to the second?"),
        (half, "Attention is right. What comes after it?"),
        (_pre_norm(x, attend, feed_forward, norm_2, norm_1), "Which of the two norms belongs to attention?"),
        (stream + feed_forward(norm_2(stream)), "What do you add attention's result to, x or the normalised x?"),
    )


def pre_norm_block(answer, seed=0):
    """Check a student's ``answer(x, attend, feed_forward, norm_1, norm_2) -> (n, d)``, a pre-norm encoder block.

    The answer takes x (n, d) and four functions of (n, d).
    """
    for x, parts in _trials(seed):
        got, right, known = ask(answer, x=x, **parts), _pre_norm(x, **parts), _known_orders(x, **parts)
        question = "A block takes tokens and returns tokens. How many?"
        need_shape("the result", got, right.shape, name_shapes(x=x), question)
        need_close("result", got, right, "What does each sub-layer read, and where does it write?", known)
    message = "norm, sub-layer and sum come twice, and the result is correct for {number} sizes and random sub-layers."
    say_right(message, number=len(SIZES))


def block_parameters(parameters, *, d_model=256, num_heads=4, d_ff=640):
    """Check the number of parameters of an encoder block, biases and two norms included.

    All arguments are int; `parameters` is the answer.
    """
    square, wide = d_model**2, d_model * d_ff
    attend = 4 * square + 4 * d_model
    full = attend + 2 * wide + d_ff + d_model + 4 * d_model
    bare, small = 4 * square + 2 * wide, (4 * d_model, d_ff, d_model, 2 * d_model, 2 * d_model)
    wrong = {  # of two with the same number, the later one is named
        "several": [full - sum(some) for number in (2, 3, 4) for some in combinations(small, number)],
        "no_hidden_bias": full - d_ff,
        "no_biases_or_norms": full - 4 * d_model,
        "no_feed_forward_biases": full - d_ff - d_model,
        "neither": bare,
        "half_a_norm": full - 2 * d_model,
        "no_last_bias": full - d_model,
        "equal_biases": (full - d_ff + d_model, full + d_ff - d_model),
        "three_matrices": (full - square, full - square - d_model, bare - square),
        "full_heads": (full + (num_heads - 1) * attend, bare + (num_heads - 1) * 4 * square),
        "one_wide_matrix": (full - wide, full - wide - d_model, full - wide - d_ff, bare - wide),
        "attention_alone": (attend, 4 * square, attend + 4 * d_model),
        "feed_forward_alone": (full - attend, full - attend - 4 * d_model, 2 * wide),
        "norms_too_many": (full + 2 * d_model, full + 4 * d_model),
        "usual_width": full + (4 * d_model - d_ff) * (2 * d_model + 1),
        "second_attention": (full + attend, full + attend + 2 * d_model),
    }
    fields = {"missing": 4 * d_model, "d_model": d_model, "d_ff": d_ff, "one": wide + d_ff}
    fields |= {"last": wide + d_model, "square": square + d_model, "heads": num_heads, "d_k": d_model // num_heads}
    check_number("block_parameters", parameters, full, given=fields, **wrong)
    say_right("attention, feed-forward network and norms are counted to the last parameter.")


def _zero_test(block, x, norm_1, norm_2):
    """The right result, and results of known slips with the question that leads from each."""
    out = block(x, np.zeros_like, np.zeros_like, norm_1, norm_2)
    change = np.abs(out - x)
    loud = block(x, lambda y: y, lambda y: y, norm_1, norm_2)
    known = (
        (change.sum(), "By how much does the number that changes most change?"),
        (change.mean(), "By how much does the number that changes most change?"),
        (change.min(), "Is that the largest change, or the smallest?"),
        ((out - x).max(), "What if a number becomes smaller?"),
        ((x - out).max(), "What if a number becomes larger?"),
        (np.abs(out.max() - x.max()), "Is the change in the largest number always the largest change?"),
        (np.abs(out).max(), "Is that the change, or the output?"),
        (np.abs(loud - x).max(), "What do silent sub-layers return: zeros, or what they were given?"),
        (np.square(out - x).max(), "Does the exercise ask for the change, or for its square?"),
        (float(not np.allclose(out, x)), "You say whether it changes. By how much does it change?"),
    )
    return change.max(), known


def zero_test(answer, printed, seed=0):
    """Check a student's test ``answer(block, x, norm_1, norm_2) -> number``, and what it prints for a wrong block.

    The block is a function as in `pre_norm_block`, x is (n, d), and the norms are functions of (n, d). The number is
    the largest change of x if both sub-layers return zeros. The int `printed` is what the test prints for the block of
    the exercise and x = (2, 6, 2, 6).
    """
    for x, parts in _trials(seed):
        norms = {name: parts[name] for name in ("norm_1", "norm_2")}
        for block in BLOCKS:
            got = ask(answer, block=block, x=x, **norms)
            right, known = _zero_test(block, x, **norms)
            question = "The largest change is one number. Which changes is it the largest of?"
            need_shape("the result", got, (), name_shapes(x=x), question)
            need_close("result", got, right, "If both sub-layers return zeros, how far is the output from x?", known)
    with half():
        wrong = {"no_norm": 0, "output": 1, "second_number": 3, "not_divided": 4, "zeros": 6}
        check_number("zero_test", printed, 5, **wrong)
    say_right("a norm on the stream shows, because x comes out changed. Here 6 becomes 1, a change of 5.")


def _kept(skip, added, layers):
    """What is left of the stream, and results of known slips with the question that leads from each."""
    length = np.sqrt(skip**2 + added**2)
    share, once = skip / length, skip**layers / np.sqrt(skip ** (2 * layers) + added**2)
    known = (
        (share, "That is what one sub-layer leaves. What does the second one leave of it?"),
        (share * layers, "Do the losses of several sub-layers add up or multiply?"),
        (1 - layers * (1 - share), "Do the losses of several sub-layers add up or multiply?"),
        ((skip / (skip + added)) ** layers, "How long is the sum of two vectors at right angles?"),
        (share ** (2 * layers), "Is that the share of the length, or of its square?"),
        ((added / length) ** layers, "Is that the share of the stream, or of what was added?"),
        ((1 / length) ** layers, "How long is the stream before the sum, if its skip weight is not 1?"),
        (1 - share**layers, "Is that what is left, or what is lost?"),
        (once, "When is the norm applied: once, or at each sub-layer?"),
    )
    return share**layers, known


def stream_kept(answer, smallest, seed=0):
    """Check a student's ``answer(skip, added, layers) -> share`` of the stream that is left, and a design made with it.

    The answer takes two positive floats and an int. The int `smallest` is the smallest whole skip weight that keeps
    half of the stream for added = 1 and 60 sub-layers.
    """
    random = np.random.default_rng(seed)
    for layers in (1, 2, int(random.integers(3, 40))):
        [(skip, added)] = take_turns([(3.0, 4.0)]) or [map(float, random.uniform([1, 0.2], [3, 0.9]))]
        got, (right, known) = ask(answer, skip=skip, added=added, layers=layers), _kept(skip, added, layers)
        question = "What is left is one number. Of what is it the share?"
        need_shape("the result", got, (), Part("skip weight {skip:.2f}", skip=skip), question)
        need_close("result", got, right, "What does one sub-layer leave of the stream, and what do several?", known)
    with half():
        wrong = {"post_norm": 1, "too_early": 6, "too_far": 8, "same_way": 87, "squares": 10}
        check_number("stream_kept", smallest, 7, given={"share": _kept(5.0, 1, 60)[0]}, **wrong)
    say_right("the losses multiply, and from a skip weight of 7 on at least half of the stream gets through.")
