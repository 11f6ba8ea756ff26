"""Checks of chapter 12, a real model."""

import numpy as np

from ._ask import ask, ask_for_two, draw_from, draw_sizes, name_shapes
from ._compare import check_number, need_close, need_shape
from ._message import Part, Wrong, half, say_right

MAPS = [(4, 6, 5), (7, 5, 8), (3, 4, 11), (1, 12, 6)]  # layers, heads, n
LOSSES = [(3, 7), (4, 5), (2, 8), (1, 6), (11, 13)]  # layers, heads
BLOCKS = [(4, 6), (1, 5), (5, 3), (12, 11)]  # n, d


def _heads(weights):
    """The head that looks most at the next token, and those that known mistakes take for it."""
    diagonals = {k: np.diagonal(weights, k, -2, -1) for k in (-1, 0, 1)}
    found = {
        "right": diagonals[1].mean(-1),
        "Is the column of the previous token left or right of the diagonal?": diagonals[-1].mean(-1),
        "On which diagonal does a token attend to itself?": diagonals[0].mean(-1),
        "Which column belongs to the token after token i?": weights[..., 1:].mean((-2, -1)),
        "Is one large weight the same as a large mean?": diagonals[1].max(-1),
        "Which head has the smallest mean, and which the largest?": -diagonals[1].mean(-1),
    }
    found = {question: divmod(int(mean.argmax()), mean.shape[1]) for question, mean in found.items()}
    return found | {"Which of the two numbers comes first?": found["right"][::-1]}


def _maps(layers, heads, n, random):
    """Weights (layers, heads, n, n) for which every known mistake finds another head."""
    while True:
        weights = random.random((layers, heads, n, n)) + 1e-3
        weights /= weights.sum(-1, keepdims=True)
        found = _heads(weights)
        if len(set(found.values())) == len(found):
            return weights, found


def next_head(answer, seed=0):
    """Check which head looks at the next token.

    The `answer` is a function of weights (layers, heads, n, n), and returns the number of the layer and of the head.
    """
    random = draw_from(seed)
    for sizes in draw_sizes(MAPS, seed, lambda layers, heads, n: layers * heads >= 12 and n > 3):
        weights, heads = _maps(*sizes, random)
        got = ask_for_two("the layer and the head", answer, weights=weights)
        found = tuple(int(x) if x.size == 1 else -1 for x in got)
        if found != heads["right"]:
            hint = "In one table, which numbers are the weights that tokens give to the token after them?"
            question = next((question for question, head in heads.items() if head == found), hint)
            given = {"layers": weights.shape[0], "heads": weights.shape[1], "found": found}
            seen = Part("With {layers} layers of {heads} heads, the answer is {found}", **given)
            raise Wrong(seen, Part("{right}", right=heads["right"]), question)
    say_right("you found the head that attends to the next token.")


def heads_missed_more(answer, seed=0):
    """Check how many other heads of a layer are missed more than one.

    The `answer` is a function of losses (layers, heads), a layer and a head, and returns a whole number.
    """
    random = draw_from(seed)
    for sizes in draw_sizes(LOSSES, seed, lambda layers, heads: heads > 4):
        trial, right, known = _lose(*sizes, random)
        got = ask(answer, **trial)
        given = name_shapes(lost=trial["lost"])
        need_shape("the result", got, (), given, "How many numbers does the exercise ask for?")
        need_close("the result", got, np.array(right), "Which numbers do you compare?", known)
    say_right("that is how many heads of its layer are missed more.")


def _lose(layers, heads, random):
    """Losses and one head, for which every known mistake gives another number if there are several layers."""
    while True:
        lost, layer, head = random.random((layers, heads)), *map(int, random.integers((layers, heads)))
        mine = lost[layer, head]
        right = (lost[layer] > mine).sum()
        known = (
            ((lost[layer] >= mine).sum(), "Should a head be compared with itself?"),
            ((lost[layer] < mine).sum(), "Does a larger number mean that a head is missed more, or less?"),
            ((lost > mine).sum(), "Which heads are in the same layer?"),
            ((lost[:, head] > mine).sum(), "Is a layer a row of the table, or a column?"),
        )
        if layers == 1 or len({right, heads, *(number for number, _ in known)}) == len(known) + 2:
            return {"lost": lost, "layer": layer, "head": head}, right, known


def mended_published_block(answer, printed, seed=0):
    """Check the mended block of chapter 12, and what a test prints for the block as it was.

    The answer takes x (n, d) and four functions, attend, norm_1, feed and norm_2, and returns (n, d). In the test
    `attend` returns zeros, `feed` returns its input, and both norms are those of chapter 7. The test prints the mean
    square of a token that comes out, the float `printed`.
    """
    random = draw_from(seed)
    for n, d in draw_sizes(BLOCKS, seed, lambda _, d: d > 2):  # of two numbers a norm leaves nothing but signs
        _check_block(answer, n, d, random)
    with half():
        check_number("mended_published_block", printed, 4, second_norm=1, doubled=2, zeros=0)
    say_right("both norms come after their sums, as published.")


def _check_block(answer, n, d, random):
    x = random.normal(size=(n, d))
    mix, widen, one, two = (random.normal(size=(k, k)) for k in (n, d, d, d))
    attend, feed = (lambda y: mix @ y), (lambda y: np.tanh(y @ widen))
    norms = [lambda y, w=w: (y - y.mean(-1, keepdims=True)) / y.std(-1, keepdims=True) @ w for w in (one, two)]
    got = ask(answer, x=x, attend=attend, norm_1=norms[0], feed=feed, norm_2=norms[1])
    need_shape("the output", got, x.shape, name_shapes(x=x))
    first, last = norms
    middle = first(x + attend(x))
    known = (
        (middle + feed(middle), "Which of the two norms is not used?"),
        (first(middle + feed(middle)), "Both sums are followed by a norm. Is it the same one?"),
        (middle + last(feed(middle)), "What do you normalise, the sum or what the network adds?"),
        (middle + feed(last(middle)), "Does the norm come before the network, or after the sum?"),
        (last(feed(middle)), "Where is the path that bypasses the network?"),
        (x + attend(first(x)) + feed(last(x + attend(first(x)))), "Do the norms come first, or last?"),
        (last(first(x + attend(x) + feed(x))), "What does the network receive?"),
    )
    need_close("the output", got, last(middle + feed(middle)), "Which sums are followed by a norm?", known)
