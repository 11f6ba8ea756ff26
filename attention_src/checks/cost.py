"""Checks of chapter 11, what attention costs."""

from functools import wraps

import numpy as np

from ..weights import softmax
from ._report import Wrong, ask, choose, need_shape, passed


def _trials(seed):
    """Names, scores (m,) and values (m, d): rising, falling, equal, huge and hugely negative scores."""
    random = np.random.default_rng(seed)
    some = random.normal(size=7) * 3
    yield "scores that fall", np.sort(some)[::-1], random.normal(size=(7, 2))
    yield "scores that rise", np.sort(some), random.normal(size=(7, 3))
    yield "scores in any order", some, random.normal(size=(7, 1))
    yield "equal scores", np.ones(4), random.normal(size=(4, 2))
    yield "one score", np.array([-2.0]), random.normal(size=(1, 5))
    yield "huge scores", np.array([900.0, 1000.0, 999.0]), random.normal(size=(3, 2))
    yield "hugely negative scores", np.array([-999.0, -1000.0, -900.0]), random.normal(size=(3, 2))


def _known(scores, values):
    """Outputs of known mistakes, with the question that leads from each."""
    largest, total, mixed = -np.inf, 0.0, 0.0
    unshrunk_sum, unshrunk_mix = 0.0, 0.0
    for score, value in zip(scores, values, strict=True):
        new = max(largest, score)
        shrink, raised = np.exp(largest - new), np.exp(score - new)
        total, mixed = total * shrink + raised, mixed * shrink + raised * value
        unshrunk_sum, unshrunk_mix = unshrunk_sum + raised, unshrunk_mix + raised * value
        largest = new
    return (
        (unshrunk_mix / total, "The sum shrinks when the largest grows. What else was collected before?"),
        (mixed / unshrunk_sum, "The output shrinks when the largest grows. What else was collected before?"),
        (unshrunk_mix / unshrunk_sum, "A larger score arrives: how much too large is what was collected before?"),
        (mixed, "By what is the mixture divided at the end?"),
        (values.mean(axis=0), "Every value has the same weight in yours. Where do the scores enter?"),
        (values[scores.argmax()], "Only the value of the largest score is left. What is the share of the others?"),
    )


def online_softmax(answer, seed=0):
    """Check a student's ``answer(pairs) -> (d,)``, softmax weights times values in one pass.

    Parameters
    ----------
    answer : function of an iterator of pairs (score, value (d,)), which can be read only once
    seed : int, where the trials come from

    Raises
    ------
    NotAttempted
        The function is the stub.
    Wrong
        A trial fails; the message says which and how.
    """
    for kind, scores, values in _trials(seed):

        @wraps(answer)
        def once(scores, values):
            return answer(zip(scores, values, strict=True))

        got, right = ask(once if callable(answer) else answer, scores=scores, values=values), softmax(scores) @ values
        need_shape("the output", got, right.shape, f"{kind}, values of {values.shape[1]} numbers")
        if not np.isfinite(got).all():
            raise Wrong(f"With {kind} the output is {got}. What is the largest power of e in it, and is it needed?")
        if not np.allclose(got, right):
            question = next((q for wrong, q in _known(scores, values) if np.allclose(got, wrong)), "")
            hint = question or "Do it by hand for two scores, and again in the other order."
            raise Wrong(f"With {kind} the first number is {got[0]:.4f}; expected {right[0]:.4f}. {hint}")
    passed("rising, falling, equal, huge and hugely negative scores, each read once.")


def mended_online(answer, seed=0):
    """Check the mended function of chapter 11; like `online_softmax`."""
    online_softmax(answer, seed)


def cache_bytes(all_heads, grouped_heads):
    """Check the bytes a token takes in the cache: 40 layers, 40 heads of 128, two bytes; and with 8 heads of keys.

    Parameters
    ----------
    all_heads, grouped_heads : int

    Raises
    ------
    NotAttempted, Wrong
    """
    for number, heads in ((all_heads, 40), (grouped_heads, 8)):
        right = 2 * 40 * heads * 128 * 2
        reasons = {
            right / 2: "keys or values, or a byte of each number, are left out. What is stored, and in how many bytes?",
            right / 4: "one byte and keys alone are counted.",
            right / 40: "only one layer is counted. Does each have a cache of its own?",
            right / heads: "only one head is counted.",
            right * 2: "the numbers take four bytes. How many bits have they?",
            2
            * 40
            * 128
            * 2
            * (48 - heads): "it is the answer to the other question. How many heads of keys are there?",
        }
        choose(number, right, reasons, digits=0, hint="Keys and values, layers, heads, numbers in each, bytes in each?")
    passed("a key and a value in every layer and every head of keys.")
