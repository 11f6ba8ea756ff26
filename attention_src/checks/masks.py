"""Checks of chapter 05, who asks and who answers."""

import numpy as np

from ..attention import scaled_dot_product_attention
from ..masks import causal_mask, padding_mask
from ._report import (
    Wrong,
    ask,
    choose,
    need_close,
    need_finite,
    need_named,
    need_rows_sum_to_one,
    need_shape,
    passed,
    shapes,
)


def decoder_mask(answer, seed=0):
    """Check a student's ``answer(lengths, n) -> bool (batch, n, n)``, the mask of a decoder, True = may look.

    Parameters
    ----------
    answer : function of lengths (batch,) int and n int
    seed : int, where the trials come from

    Raises
    ------
    NotAttempted
        The function is the stub.
    Wrong
        A trial fails; the message says which and how.
    """
    random = np.random.default_rng(seed)
    for n, batch in ((4, 2), (5, 3), (1, 2), (7, 1)):
        lengths = random.integers(1, n + 1, size=batch)
        lengths[0], lengths[-1] = n, max(n - 2, 1)
        got, right = ask(answer, lengths=lengths, n=n), causal_mask(n) & padding_mask(lengths, n)
        given = f"lengths {lengths.tolist()} and n = {n}"
        need_shape("the mask", got, right.shape, given)
        if got.dtype != bool:
            raise Wrong(f"The mask has dtype {got.dtype}; expected bool. What does a comparison give?")
        if not np.array_equal(got, right):
            place = tuple(map(int, np.argwhere(got != right)[0]))
            seen = f"With {given}, sentence {place[0]}, query {place[1]}, key {place[2]} is {got[place]}."
            raise Wrong(f"{seen} {_about_mask(got, right, lengths)}")
    passed("who may look at whom, for four batches; nobody sees the future or the filling.")


def _about_mask(got, right, lengths):
    """The question that leads from a known wrong mask to what it forgets."""
    n = right.shape[-1]
    causal, filled = causal_mask(n), padding_mask(lengths, n)
    known = (
        (~right, "True means *may look*. What does yours mean?"),
        (np.broadcast_to(causal, right.shape), "Is key 2 of a sentence of two words (keys 0 and 1) a word?"),
        (np.broadcast_to(filled, right.shape), "May query 0 look at key 1, which comes after it?"),
        (causal.T & filled, "Which of i and j is the one that looks, and which is looked at?"),
        (causal & (np.arange(n) <= lengths[:, None, None]), "Counting from 0, which is the last key of two words?"),
        (np.tri(n, k=-1, dtype=bool) & filled, "May a token look at itself? j ≤ i says so."),
        (causal & filled.swapaxes(-1, -2), "Is it the asker or the answerer that must be a word?"),
        (causal | filled, "Both conditions must hold. Which sign says so?"),
    )
    for wrong, question in known:
        if np.array_equal(got, wrong):
            return question
    return "Is j ≤ i there, and is j less than the length?"


def who_may_look(cross, causal, react):
    """Check what a decoder may see: 4 source words in 6 places, 5 written words, source word 2 changes.

    Parameters
    ----------
    cross, causal : int, cells that are True in the mask of the cross-attention, and in the causal mask
    react : int, written words that may react to the change

    Raises
    ------
    NotAttempted, Wrong
    """
    seen = {
        5 * 6: "the filling may be looked at. Is a filled place a word?",
        5 * 5: "the written words look at themselves. Who supplies the keys in cross-attention?",
        4 * 4: "the source looks at itself. Who asks in cross-attention?",
        4 * 6: "the source looks at its own places. Who asks in cross-attention?",
        4 + 3 + 2 + 1: "the causal mask lay over the source. Is the source not whole before the first word is written?",
        1 + 2 + 3 + 4 + 4: "the causal mask lay over the source. Is the source not whole before a word is written?",
    }
    choose(cross, 5 * 4, seen, digits=0, hint="How many ask, and at how many words may each of them look?")
    seen = {
        5 * 5: "there is no mask. May word 1 look at word 2?",
        5 * 4: "everybody looks at all but one word. How many words may word 1 look at, how many word 2?",
        4 + 3 + 2 + 1: "no word looks at itself. What is on the diagonal of a causal mask?",
        6 + 5 + 4 + 3 + 2 + 1: "six words are written. How many are there?",
    }
    choose(causal, 5 + 4 + 3 + 2 + 1, seen, digits=0, hint="How many words may word 1 look at, how many word 2?")
    seen = {
        4: "only words from the second on may see source word 2. Over which table does the causal mask lie?",
        3: "only words after the second may see source word 2. Over which table does the causal mask lie?",
        1: "written word 2 alone belongs to source word 2. Who may look at whom in cross-attention?",
        0: "nobody looks at the source. Who supplies the keys in cross-attention?",
        6: "the filled place counts as a written word. How many words are written?",
    }
    choose(react, 5, seen, digits=0, hint="Which written words may look at source word 2?")
    passed("the masks and the reach of a source word: the causal mask lies over the written words alone.")


def _masked_trials(seed):
    """Queries, keys, values and masks: causal, padded, ragged, one row that may look nowhere, huge scores."""
    random = np.random.default_rng(seed)
    for n, m, d_k, d_v, kind in ((3, 3, 2, 4, "causal"), (2, 5, 3, 1, "padding"), (4, 3, 5, 2, "any")):
        mask = {"causal": causal_mask(n, m), "padding": np.repeat(padding_mask(3, m), n, axis=0)}.get(kind)
        if mask is None:
            mask = random.random((n, m)) < 0.6
            mask[:, 0] |= ~mask.any(axis=-1)
        yield kind, random.normal(size=(n, d_k)) * 2, random.normal(size=(m, d_k)), random.normal(size=(m, d_v)), mask
    yield "huge scores", 3000.0 * np.eye(4)[:3], np.eye(4), random.normal(size=(4, 2)), causal_mask(3, 4)
    low = -3000.0 * np.ones((2, 1))
    yield "hugely negative scores", low, np.ones((3, 1)), random.normal(size=(3, 2)), causal_mask(2, 3)


def masked_attention(answer, seed=0):
    """Check a student's ``answer(query, key, value, mask) -> (output, weights)``, attention with a mask.

    Parameters
    ----------
    answer : function of query (n, d_k), key (m, d_k), value (m, d_v), mask (n, m) bool, True = may look
    seed : int, where the trials come from

    Raises
    ------
    NotAttempted, Wrong
        As `decoder_mask`.
    """
    for kind, *trial in _masked_trials(seed):
        _need_masked(answer, kind, *trial)
    kind, query, key, value, mask = next(_masked_trials(seed + 1))
    mask = mask.copy()
    mask[1] = False
    output, weights = _pair(ask(answer, query=query, key=key, value=value, mask=mask))
    if not np.allclose(np.nan_to_num(np.append(weights[1], output[1]), nan=9), 0):
        raise Wrong(f"Row 1 may look nowhere; its weights are {weights[1]} and not zeros. By what is it divided?")
    need_close(
        "weights", weights, scaled_dot_product_attention(query, key, value, mask)[1], "What did the other rows do?"
    )
    passed("output and weights hold for causal, padding and ragged masks, huge scores, and a row that sees nothing.")


def _need_masked(answer, kind, query, key, value, mask):
    given = f"{shapes(query=query, key=key, value=value)} and a {kind} mask"
    output, weights = _pair(ask(answer, query=query, key=key, value=value, mask=mask))
    expected, right = scaled_dot_product_attention(query, key, value, mask)
    need_shape("weights", weights, right.shape, given)
    need_finite("weights", weights, given)
    if np.abs(weights[~mask]).max(initial=0) > 1e-6:
        forbidden = np.abs(weights * ~mask).sum(axis=-1)
        row = int(forbidden.argmax())
        seen = f"With {given}, row {row} gives {forbidden[row]:.2f} of its weight to keys it may not look at."
        if np.abs(weights[mask]).max(initial=0) < 1e-6:
            raise Wrong(f"{seen} It sees those *only*: what does True mean in your mask?")
        raise Wrong(f"{seen} Where is the mask used, and what is left of a forbidden score?")
    plain = scaled_dot_product_attention(query, key, value)[1] * mask
    if np.allclose(weights, plain) and not np.allclose(plain, right):
        sums = weights.sum(axis=-1)
        raise Wrong(
            f"With {given}, row 0 of the weights sums to {sums[0]:.2f}, not 1. Is the mask used before the softmax?"
        )
    need_rows_sum_to_one(weights, given)
    need_close(
        "weights", weights, right, "The mask is right. How do the scores come about, and by what are they divided?"
    )
    need_shape("output", output, expected.shape, given)
    need_close("output", output, expected, "The weights are right. What do they mix?")


REASONS = {
    "rows": "the rows of the wrong function sum to 1. Which test changes something and sees who reacts?",
    "shape": "every shape of the wrong function is right. Which test changes something and sees who reacts?",
    "loss": "the loss falls, astonishingly far: it sees what it should foretell. Which test shows that?",
}


def mended_mask(answer, caught_by, seed=0):
    """Check the mended attention of chapter 05, and the name of the test that would have caught it.

    Parameters
    ----------
    answer : function as for `masked_attention`; no row may look nowhere
    caught_by : str, 'rows', 'shape', 'loss' or 'change'
    seed : int, where the trials come from

    Raises
    ------
    NotAttempted, Wrong
        As `decoder_mask`.
    """
    for kind, *trial in _masked_trials(seed):
        _need_masked(answer, kind, *trial)
    need_named(caught_by, "change", REASONS)
    passed("it looks where it may, and a changed last token would have shown that it did not.")


def _pair(got):
    if not (isinstance(got, tuple) and len(got) == 2):
        raise Wrong("Expected two results, (output, weights). How many does your function return?")
    return got
