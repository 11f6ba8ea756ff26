"""Checks of chapter 05, who asks and who answers."""

import numpy as np

from attention_src.attention import scaled_dot_product_attention
from attention_src.masks import causal_mask, padding_mask

from ._ask import ask, ask_for_own_lines, ask_for_two, draw_from, draw_sizes, name_shapes, watch
from ._attention import NAMES, are_apart, need_attention
from ._compare import check_number, find_question, name_entry, need_close, need_shape
from ._message import Part, Wrong, half, say_right

BATCHES = [(4, 2), (5, 3), (1, 2), (7, 1), (12, 4)]  # n, batch


def decoder_mask(answer, seed=0):
    """Check a student's ``answer(lengths, n) -> bool (batch, n, n)``, the mask of a decoder, True = may look.

    The lengths (batch,) are int, and so is n.
    """
    random = draw_from(seed)
    for n, batch in draw_sizes(BATCHES, seed):
        lengths = random.integers(1, n + 1, size=batch)
        lengths[0], lengths[-1] = n, max(n - 2, 1)
        got, right = ask(answer, lengths=lengths, n=n), causal_mask(n) & padding_mask(lengths, n)
        given = Part("lengths {lengths} and n = {n}", lengths=lengths.tolist(), n=n)
        need_shape("the mask", got, right.shape, given)
        if got.dtype != bool:
            seen = Part("The mask has dtype {dtype}", dtype=got.dtype.name)
            raise Wrong(seen, "bool", "What dtype does a comparison return?")
        if not np.array_equal(got, right):
            index = np.argwhere(got != right)[0]  # sentence, query, key
            seen = {"given": given, "entry": name_entry("mask", index), "value": bool(got[tuple(index)])}
            raise Wrong(Part("With {given}, {entry} is {value}", **seen), question=_about_mask(got, right, lengths))
    ask_for_own_lines(answer, lengths=lengths, n=n)
    message = "the mask is correct for {number} batches, and no query sees the future or the padding."
    say_right(message, number=len(BATCHES))


def _about_mask(got, right, lengths):
    """The question that leads from a known wrong mask to what it forgets."""
    n = right.shape[-1]
    causal, filled = causal_mask(n), padding_mask(lengths, n)
    known = (
        (~right, "True means *may look*. What does True mean in yours?"),
        (np.broadcast_to(causal, right.shape), "In a sentence of two words (keys 0 and 1), is key 2 a word?"),
        (np.broadcast_to(filled, right.shape), "May query 0 look at key 1, which comes after it?"),
        (causal.T & filled, "Which of i and j is the query, and which is the key?"),
        (causal & (np.arange(n) <= lengths[:, None, None]), "Counting from 0, which is the last key of two words?"),
        (np.tri(n, k=-1, dtype=bool) & filled, "The condition is j ≤ i. May a token look at itself?"),
        (causal & filled.swapaxes(-1, -2), "Which of the two must be a word, the query or the key?"),
        (causal | filled, "Both conditions must hold. Which operator says that?"),
    )
    return find_question(got, known, "Is j ≤ i there, and is j less than the length?")


def who_may_look(cross, causal, react, *, source=4, places=6, written=5):
    """Check what a decoder may see when source word 2 changes.

    Parameters
    ----------
    cross, causal : int, cells that are True in the mask of the cross-attention, and in the causal mask
    react : int, written words that may react to the change
    source, places, written : int, words of the source, positions it is padded to, words written
    """
    wrong = {
        "padding": written * places,
        "among_written": written**2,
        "among_source": source**2,
        "source_positions": source * places,
        "causal": (source * (source + 1) // 2, sum(min(i, source) for i in range(1, written + 1))),
    }
    check_number("mask_cross", cross, written * source, given={"source": source}, **wrong)
    wrong = {
        "no_mask": written**2,
        "all_but_one": written * (written - 1),
        "not_itself": written * (written - 1) // 2,
        "one_too_many": (written + 1) * (written + 2) // 2,
    }
    check_number("mask_causal", causal, written * (written + 1) // 2, **wrong)
    wrong = {"source": source, "padded": places, "from_second": written - 1, "after_second": written - 2}
    check_number("mask_react", react, written, given={"source": source}, **wrong, linked=1, nobody=0)
    say_right("the causal mask covers only the written words, so all of them may react to a source word.")


CAUSAL = "{given} and a causal mask"
PADDED = "{given} and a padding mask"
RAGGED = "{given} and a ragged mask"
LATE = "{given} and a causal mask that hides by far the largest score"
MASKED = {  # n, m, d_k, d_v: how to name a trial
    (3, 3, 2, 5): CAUSAL,
    (2, 5, 3, 1): PADDED,
    (4, 3, 5, 2): RAGGED,
    (5, 1, 3, 2): RAGGED,
    (1, 6, 4, 4): PADDED,
    (11, 13, 10, 12): RAGGED,
}


def _masked_trials(seed):
    """How to name a trial, queries, keys, values, mask: causal, padding, ragged; then huge scores, then low ones."""
    random = draw_from(seed)
    for form, (n, m, d_k, d_v) in zip(MASKED.values(), draw_sizes(MASKED, seed, are_apart), strict=True):
        ragged = random.random((n, m)) < 0.6
        ragged[:, 0] |= ~ragged.any(axis=-1)
        padded = np.repeat(padding_mask(max(m - 2, 1), m), n, axis=0)
        mask = causal_mask(n, m) if form == CAUSAL else padded if form == PADDED else ragged
        yield form, random.normal(size=(n, d_k)) * 2, random.normal(size=(m, d_k)), random.normal(size=(m, d_v)), mask
    apart, keys = np.array([[1000.0], [0.0], [-1000.0]]), np.array([[1.0], [0.9], [0.0], [0.7]])
    padded = np.repeat(padding_mask(3, 4), 3, axis=0)
    yield "{given}, huge scores and a padding mask", apart, keys, random.normal(size=(4, 2)), padded
    form, low = "{given}, hugely negative scores and a causal mask", np.full((2, 1), -1e6)
    yield form, low, np.ones((3, 1)), random.normal(size=(3, 2)), causal_mask(2, 3)
    yield LATE, np.eye(2), np.array([[0.0, 1.0], [1e6, 2.0]]), random.normal(size=(2, 3)), causal_mask(2)


def masked_attention(answer, seed=0):
    """Check a student's ``answer(query, key, value, mask) -> (output, weights)``, attention with a mask.

    The shapes are query (n, d_k), key (m, d_k), value (m, d_v) and mask (n, m), which is bool, True = may look.
    """
    for trial in _masked_trials(seed):
        _need_masked(answer, *trial)
    _, query, key, value, mask = next(_masked_trials(seed + 1))
    mask = mask.copy()
    mask[1] = False
    output, weights = ask_for_two(NAMES, answer, query=query, key=key, value=value, mask=mask)
    expected, right = scaled_dot_product_attention(query, key, value, mask)
    shapes = name_shapes(query=query, key=key, value=value)
    given = Part("{given} and a query with no visible keys", given=shapes)
    need_shape("weights", weights, right.shape, given)
    need_shape("output", output, expected.shape, given)
    if not np.allclose(np.nan_to_num(np.append(weights[1], output[1]), nan=9), 0):
        question = "What does softmax turn equally low scores into?"
        if np.isnan(weights[1]).any():
            question = "What is 0 / 0?"
        elif not weights[1].any():
            question = "What do weights of 0 fetch?"
        rows = {"weights": np.round(weights[1], 2).tolist(), "output": np.round(output[1], 2).tolist()}
        seen = Part("query[1] has no visible keys, but weights[1] is {weights} and output[1] is {output}", **rows)
        raise Wrong(seen, "zeros", question)
    need_close("weights", weights, right, "weights[1] has no visible keys. What happened to the other rows?")
    need_close("output", output, expected, "query[1] has no visible keys. What do the other queries fetch?")
    called, meets_nan = watch(answer, query=query, key=key, value=value, mask=mask)
    if meets_nan:
        seen = Part("With {given}, the results are right, but your function makes NaN on the way", given=given)
        raise Wrong(seen, question="You replace the NaN later. What is its gradient, if 0 × NaN is NaN?")
    if called and "museum" not in getattr(answer, "__module__", ""):  # whose exhibits are made of the package
        raise Wrong("Your function calls attention_src", "your own lines", "What would you write without the package?")
    say_right("output and weights are correct for causal, padding and ragged masks, huge scores, and no visible keys.")


def _need_masked(answer, form, query, key, value, mask):
    given = Part(form, given=name_shapes(query=query, key=key, value=value))
    got = ask_for_two(NAMES, answer, query=query, key=key, value=value, mask=mask)

    def need_nothing_forbidden(weights):
        forbidden = np.abs(weights * ~mask).sum(axis=-1)
        row = forbidden.argmax()
        if forbidden[row] > 1e-6:
            question = "Where do you apply the mask, and what is left of a hidden score?"
            if form == CAUSAL and np.abs(weights[row] * mask[row]).max() < 1e-6:  # huge scores outweigh a penalty
                question = "It sees *only* those keys. What does True mean in your mask?"
            elif mask.shape == mask.T.shape and np.abs(weights * ~mask.T).max() < 1e-6:
                question = "Which are the queries in your mask, its rows or its columns?"
            seen = {"given": given, "entry": name_entry("weights", [row]), "sum": float(forbidden[row])}
            raise Wrong(Part("With {given}, {entry} gives {sum:.4f} to hidden keys", **seen), question=question)

    need_attention(got, query, key, value, given, mask, late=form == LATE, forbidden=need_nothing_forbidden)


def mended_mask(answer, moved, seed=0):
    """Check the mended attention of chapter 05, and how many of three outputs of the wrong one see the last word.

    The `answer` is a function as for `masked_attention`, and every query has a visible key. The int `moved` counts the
    outputs of the wrong function that move if the last of three words changes, under a causal mask.
    """
    for trial in _masked_trials(seed):
        _need_masked(answer, *trial)
    with half():
        check_number("mended_mask", moved, 3, none=0, last=1, all_but_last=2)
    say_right(
        "it sees what the mask allows. In the wrong function all three outputs change, and the first two give it away."
    )
