"""Checks of chapter 08, a picture is a sequence of patches."""

import numpy as np

from attention_src.attention import scaled_dot_product_attention
from attention_src.patches import patchify as right_patchify

from ._ask import as_numpy, ask, ask_for_two, draw_from, draw_sizes, name_shapes
from ._attention import NAMES
from ._compare import check_number, find_question, list_nearer, need_close, need_order, need_rows_sum_to_one, need_shape
from ._message import NotAttempted, Part, Wrong, describe, half, say_right

# H, W, C, p
SIZES = [(4, 6, 1, 2), (6, 4, 3, 2), (9, 3, 2, 3), (2, 3, 4, 1), (8, 8, 3, 4), (10, 12, 11, 2), (1, 5, 2, 1)]


def _draw_images(seed):
    """Yield pictures (H, W, C), each with the p of its patches."""
    random = draw_from(seed)
    for *size, p in draw_sizes(SIZES, seed, lambda height, width, _, p: height % p == width % p == 0):
        yield random.normal(size=size), p


def patchify(answer, seed=0):
    """Check a student's ``answer(image, p)``, (H, W, C) -> (H/p · W/p, p · p · C), row by row, for an int p."""
    for image, p in _draw_images(seed):
        got, right = ask(answer, image=image, p=p), right_patchify(image, p)
        question = "How many patches are there, and how many numbers does each have?"
        need_shape("the result", got, right.shape, name_shapes(image=image, p=p), question)
        need_close("patches", got, right, _about_patches(got, image, p))
    message = "the patches are correct for {number} pictures that are tall, wide or square, in one to eleven colours."
    say_right(message, number=len(SIZES))


def _about_patches(got, image, p):
    """The question that leads from known wrong patches to the mistake behind them."""
    height, width, channels = image.shape
    cut = image.reshape(height // p, p, width // p, p, channels)
    known = (
        (image, "Your patch 1 is a strip from one row of pixels. Which two axes must change places?"),
        (cut.transpose(2, 0, 1, 3, 4), "Are the patches counted along rows or down columns?"),
        (cut.transpose(0, 2, 3, 1, 4), "Within a patch, do the numbers run along its rows or down its columns?"),
        (cut.transpose(0, 2, 4, 1, 3), "Within a patch, are the colours of one pixel next to each other?"),
    )
    flat = ((wrong.reshape(got.shape), question) for wrong, question in known)
    return find_question(got, flat, "Try it on the picture of 4 × 4 numbered pixels. What is your patch 1?")


def patch_numbers(tokens, numbers, weights, *, size=384, patch=16):
    """Check the tokens, the numbers of a patch and the weights of a head, for a square picture in colour.

    All arguments are int; `tokens`, `numbers` and `weights` are the answers, `size` and `patch` are pixels along a
    side.
    """
    side, length = size // patch, patch**2 * 3
    right = side**2 + 1
    wrong = {
        "other_picture": 197,
        "no_class_token": side**2,
        "one_side": (side, side + 1),
        "title": (patch**2, patch**2 + 1),
        "pixels": size**2 + 1,
    }
    fields = {"patch": patch, "side": side, "pixels": patch**2, "tokens": right}
    check_number("patch_tokens", tokens, right, given=fields, **wrong)
    wrong = {"one_colour": patch**2, "one_side": (patch, patch * 3), "whole_picture": size**2 * 3}
    check_number("patch_length", numbers, length, given=fields, **wrong)
    wrong = {"no_class_token": side**4, "one_weight": right, "long_weights": right * length, "colours": right**2 * 3}
    check_number("patch_weights", weights, right**2, given=fields, **wrong)
    say_right("you counted the tokens, the numbers and the weights.")


PICTURE = np.array([[10 * row + column for column in range(1, 5)] for row in range(1, 5)])
ROWS = {
    (11, 12, 13, 14): ("that is the first row of the correct picture", "Which numbers come first in the patches?"),
    (11, 13, 21, 23): ("that takes numbers from two patches in turn", "In what order does reshape take the numbers?"),
    (11, 13, 31, 33): ("that takes one number from each patch", "In what order does reshape take the numbers?"),
}


def mended_unpatchify(answer, first_row, seed=0):
    """Check the mended inverse of patchify of chapter 08, and what the wrong one put into the first row of a picture.

    The `answer` is a function of patches (H/p · W/p, p · p · C), p, H and W that returns the picture (H, W, C). The
    four numbers of `first_row` are the first row that the wrong function makes of the picture of 4 × 4 numbered pixels.
    """
    for image, p in _draw_images(seed):
        given = {"patches": right_patchify(image, p), "p": p, "H": image.shape[0], "W": image.shape[1]}
        got = ask(answer, **given)
        need_shape("the picture", got, image.shape, name_shapes(**given), "How many axes does a picture have?")
        need_close("picture", got, image, "Run it on the picture of 4 × 4 numbered pixels. Where does patch 2 go?")
    with half():
        _need_row(first_row)
    say_right("{number} pictures come back whole, whether tall, wide or square.", number=len(SIZES))
    say_right(
        "here the wrong function lays each patch out in a row, because it takes the numbers in the order they come."
    )


def _need_row(first_row):
    """Compare four predicted numbers with the first row of what a plain reshape makes of the patches."""
    if first_row is ... or first_row is None or ... in np.atleast_1d(np.array(first_row, dtype=object)):
        raise NotAttempted("the row is not predicted yet")
    got, right = as_numpy(first_row), right_patchify(PICTURE[..., None], 2)[0]
    nearer = list_nearer("first_row")
    if got.shape != (4,):
        raise Wrong(Part("The row is {named}", named=describe(first_row)), "four numbers", None, nearer)
    if not np.array_equal(got, right):
        row = tuple(got.tolist())
        hint = "Run the wrong function on the patches of the numbered picture. What does it print?"
        reason, question = ROWS.get(row, ("that is not what it prints", hint))
        raise Wrong(Part("Not {named}: {reason}", named=str(row), reason=Part(reason)), None, question, nearer)


# n, d_model, d_k, d_v
TOKENS = [(4, 5, 3, 2), (3, 2, 2, 2), (2, 3, 1, 4), (6, 4, 3, 1), (11, 3, 2, 5)]


def false_position(answer, seed=0):
    """Check attention whose values are made of tokens of which two have swapped their positions.

    The `answer` is a function of looks and positions, both (n, d_model), W_q and W_k (d_model, d_k), W_v (d_model,
    d_v), and the patches one and other, different ints below n. It returns the output (n, d_v).
    """
    random = draw_from(seed)
    for n, d, d_k, d_v in draw_sizes(TOKENS, seed):
        looks, positions = random.normal(size=(2, n, d))
        W_q, W_k, W_v = (random.normal(size=(d, width)) for width in (d_k, d_k, d_v))
        one, other = map(int, random.permutation(n)[:2])
        given = {"looks": looks, "positions": positions, "W_q": W_q, "W_k": W_k, "W_v": W_v, "one": one, "other": other}
        got, order = ask(answer, **given), np.arange(n)
        order[[one, other]] = other, one
        right = looks + positions
        told, moved, mixed = looks + positions[order], looks[order] + positions, right[order]

        def attend(asking=right, keys=right, values=right, matrices=(W_q, W_k, W_v)):
            return scaled_dot_product_attention(
                *(x @ W for x, W in zip((asking, keys, values), matrices, strict=True))
            )[0]

        expected = attend(values=told)
        shown = name_shapes(**{name: given[name] for name in ("looks", "W_k", "W_v", "one", "other")})
        need_shape(
            "the result", got, expected.shape, shown, "How many tokens ask, and how many numbers does a value have?"
        )
        known = (
            (attend(), "That is the output without any swap. From which tokens do you make the values?"),
            (attend(keys=told), "You swapped where keys are made. What did the exercise ask for?"),
            (attend(keys=told, values=told), "You swapped in keys and values. Which of the two was to be left alone?"),
            (
                attend(told, told, told),
                "You swapped for queries, keys and values. Which of them were to be left alone?",
            ),
            (attend(values=moved), "The looks have changed places. What was to be swapped?"),
            (attend(values=mixed), "The whole tokens have changed places. Which part of a token was to be swapped?"),
            (attend()[order], "You swapped rows of the output. Where does the lie have to be told?"),
        )
        need_close(
            "result", got, expected, "Make queries, keys and values of tokens first. Which tokens are which?", known
        )
    say_right("the values follow the lie in all {number} trials, and queries and keys don't.", number=len(TOKENS))


def cut_arrow(answer, share, seed=0):
    """Check attention in which one query cannot see one key, and a prediction.

    The `answer` is a function of query (n, d_k), key (m, d_k), value (m, d_v) and the ints i and j, a query and a key
    that it cannot see; m is at least 2. It returns the output (n, d_v) and the weights (n, m). The `share` is what the
    second of the weights 0.5, 0.3 and 0.2 becomes when the first is cut.
    """
    random = draw_from(seed)
    for m, d_k, d_v, n in draw_sizes(TOKENS, seed):
        query, key, value = (random.normal(size=size) for size in ((n, d_k), (m, d_k), (m, d_v)))
        i, j = int(random.integers(n)), int(random.integers(m))
        mask = np.ones((n, m), dtype=bool)
        mask[i, j] = False
        given = name_shapes(query=query, key=key, i=i, j=j)
        got = output, weights = ask_for_two(NAMES, answer, query=query, key=key, value=value, i=i, j=j)
        expected, right = scaled_dot_product_attention(query, key, value, mask)
        whole = scaled_dot_product_attention(query, key, value)[1]
        need_order(NAMES, got, (expected, right))
        need_shape("weights", weights, right.shape, given)
        column = scaled_dot_product_attention(query, key, value, np.broadcast_to(np.arange(m) != j, (n, m)))[1]
        need_rows_sum_to_one(weights, given, "Do you cut the arrow before the softmax, or after?")
        known = (
            (whole, "Nothing is cut. Whose weight on what was to be 0?"),
            (column, "How many queries can't see key j?"),
        )
        question = "Which score do you change, and to what, so that its weight is 0?"
        need_close("weights", weights, right, question, known)
        need_shape("output", output, expected.shape, given, "How many numbers does a value have?")
        need_close("output", output, expected, "The weights are right. Which weights do you mix with?")
    with half():
        check_number("cut_arrow", share, 0.6, 2, unchanged=0.3, shared=0.5, halved=0.55)
    say_right("one arrow is cut in all {number} trials, and the other queries don't notice.", number=len(TOKENS))
