"""Checks of chapter 03, learning to align."""

import numpy as np

from ..attention import attention
from ..scores import additive_score as right_additive_score
from ..scores import general_score
from ..weights import softmax
from ._report import Wrong, ask, need_close, need_named, need_rows_sum_to_one, need_shape, passed, shapes


def additive_score(answer, seed=0):
    """Check a student's ``answer(query, key, w_query, w_key, v) -> scores (n, m)``.

    Parameters
    ----------
    answer : function of query (n, d_q), key (m, d_k), w_query (d_q, h), w_key (d_k, h), v (h,)
    seed : int, where the trials come from

    Raises
    ------
    NotAttempted
        The function is the stub.
    Wrong
        A trial fails; the message says which and how.
    """
    random = np.random.default_rng(seed)
    for n, m, d_q, d_k, h in ((1, 4, 3, 2, 5), (2, 3, 4, 5, 6), (5, 2, 3, 3, 1)):
        sizes = {"query": (n, d_q), "key": (m, d_k), "w_query": (d_q, h), "w_key": (d_k, h), "v": (h,)}
        arguments = {name: random.normal(size=size) for name, size in sizes.items()}
        got, right = ask(answer, **arguments), right_additive_score(**arguments)
        need_shape("the scores", got, right.shape, shapes(**arguments))
        linear = (arguments["query"] @ arguments["w_query"])[:, None] + (arguments["key"] @ arguments["w_key"])[None]
        hint = "Take one query and one key: project both, add, squash. What is left for v to read?"
        if np.allclose(got, linear @ arguments["v"]):
            hint = "What stands between the sum of the projections and v?"
        need_close("scores", got, right, hint)
    passed("the scores hold for one query and several, and for lengths that all differ.")


def decoder_step(answer, seed=0):
    """Check a student's ``answer(s, H, W_c) -> (s_tilde, weights)``, one step of Luong's decoder with the dot score.

    Parameters
    ----------
    answer : function of s (d,), H (m, d), W_c (2d, d)
    seed : int, where the trials come from

    Raises
    ------
    NotAttempted, Wrong
        As `additive_score`.
    """
    random = np.random.default_rng(seed)
    for m, d in ((4, 3), (2, 5), (7, 4)):
        s, H, W_c = random.normal(size=d), random.normal(size=(m, d)), random.normal(size=(2 * d, d))
        given = shapes(s=s, H=H, W_c=W_c)
        s_tilde, weights = _pair(ask(answer, s=s, H=H, W_c=W_c), "s_tilde and the weights")
        right = softmax(H @ s)
        need_shape("weights", weights, (m,), given)
        need_rows_sum_to_one(weights[None], given)
        need_close("weights", weights, right, "Which state is compared with which, and is it scaled?")
        need_shape("s_tilde", s_tilde, (d,), given)
        hint = "Write down the six numbers of the worked example before they meet W_c."
        if np.allclose(s_tilde, np.tanh(np.concatenate([s, right @ H]) @ W_c)):
            hint = "Both halves are right. Which of the two does equation (3.2) name first?"
        elif np.allclose(s_tilde, np.concatenate([right @ H, s]) @ W_c):
            hint = "What squashes the sum to numbers between −1 and 1?"
        need_close("s_tilde", s_tilde, np.tanh(np.concatenate([right @ H, s]) @ W_c), hint)
    passed("weights and s tilde hold for three sizes.")


REASONS = {
    "rows": "a softmax sums to 1 whatever it is made of. Which test changes what the function should look at?",
    "shape": "the shapes of the wrong function are right. Which test changes what the function should look at?",
    "loss": "a loss falls as soon as anything learns. Which test changes what the function should look at?",
}


def looks_at_the_encoder(answer, caught_by, seed=0):
    """Check the mended attention of chapter 03, ``answer(s, H, W) -> (context, weights)``, and the test that was named.

    Parameters
    ----------
    answer : function of s (d,), H (m, d), W (d, d)
    caught_by : str, 'rows', 'shape', 'loss' or 'change'
    seed : int, where the trials come from

    Raises
    ------
    NotAttempted, Wrong
        As `additive_score`.
    """
    random = np.random.default_rng(seed)
    for m, d in ((4, 3), (2, 5)):
        s, H, W = random.normal(size=d), random.normal(size=(m, d)), random.normal(size=(d, d))
        given = shapes(s=s, H=H, W=W)
        context, weights = _pair(ask(answer, s=s, H=H, W=W), "the context and the weights")
        need_shape("weights", weights, (m,), given)
        _, changed = ask(answer, s=s, H=H + random.normal(size=H.shape), W=W)
        if np.allclose(weights, changed):
            raise Wrong("All encoder states were changed and the weights stayed the same. From what are they computed?")
        need_rows_sum_to_one(weights[None], given)
        output, right = attention(s[None], H, H, score=lambda query, key: general_score(query, key, W))  # noqa: B023
        need_close("weights", weights, right[0], "Between which two does W stand in the general score?")
        need_close("context", context, output[0], "The weights are right. What do they mix?")
    need_named(caught_by, "change", REASONS)
    passed("the weights follow the encoder, and a changed source would have shown that they did not.")


def _pair(got, names):
    if not (isinstance(got, tuple) and len(got) == 2):
        raise Wrong(f"Expected two results, {names}. How many does your function return?")
    return got
