"""Checks of chapter 03, learning to align."""

from math import log, sqrt

import numpy as np

from attention_src.attention import attention
from attention_src.scores import additive_score as right_additive_score
from attention_src.scores import general_score
from attention_src.weights import softmax

from ._ask import ask, ask_for_own_lines, ask_for_two, draw_from, draw_sizes, name_shapes
from ._compare import check_number, need_close, need_order, need_rows_sum_to_one, need_shape
from ._message import Part, Wrong, half, say_right

SIZES = [(2, 3, 4, 4, 6), (1, 4, 3, 2, 5), (5, 2, 3, 4, 1), (3, 1, 2, 5, 4), (11, 13, 12, 10, 14)]  # n, m, d_q, d_k, h
MENDED = [(2, 5), (4, 3), (1, 4), (3, 3), (12, 14)]  # m, d; as handed out it fails at m > d
PLACES = [(15,), (9,), (5,), (2,), (1,)]  # m
STEPS = [(4, 3), (2, 5), (7, 4), (1, 3), (3, 3), (12, 11)]  # m, d


def additive_score(answer, seed=0):
    """Check a student's ``answer(query, key, w_query, w_key, v) -> scores (n, m)``.

    The shapes are query (n, d_q), key (m, d_k), w_query (d_q, h), w_key (d_k, h) and v (h,).
    """
    random = draw_from(seed)
    for n, m, d_q, d_k, h in draw_sizes(SIZES, seed):
        sizes = {"query": (n, d_q), "key": (m, d_k), "w_query": (d_q, h), "w_key": (d_k, h), "v": (h,)}
        arguments = {name: random.normal(size=size) / round(size[0] ** 0.5) for name, size in sizes.items()}
        got, right = ask(answer, **arguments), right_additive_score(**arguments)
        need_shape("the result", got, right.shape, name_shapes(**arguments), "Does each query have a row, or each key?")
        question = "Take one query and one key, project both, add them and squash the sum. What is left for v to read?"
        need_close("scores", got, right, question, _known_scores(right, **arguments))
    ask_for_own_lines(answer, **arguments)
    say_right("the scores are correct for one query and for several, and when all lengths differ.")


def _known_scores(right, query, key, w_query, w_key, v):
    """Known wrong additive scores, with the question that leads from each to the mistake behind it."""
    q, k = (query @ w_query)[:, None], (key @ w_key)[None]
    exchanged = right_additive_score(query, key, w_key, w_query, v) if w_query.shape == w_key.shape else None
    return (
        ((q + k) @ v, "What comes between the sum of the projections and v?"),
        (np.tanh((q + k) @ v), "Do you squash the sum, or what v reads from it?"),
        ((np.tanh(q) + np.tanh(k)) @ v, "Which comes first in equation (3.3): adding, or squashing?"),
        (np.tanh(q * k) @ v, "What does *additive* say about the two projections?"),
        (np.tanh(q - k) @ v, "What does *additive* say about the two projections?"),
        (q[:, 0] @ k[0].T, "This score multiplies query and key. What does *additive* say instead?"),
        ((1 / (1 + np.exp(-q - k))) @ v, "Which function does the squashing in equation (3.3)?"),
        (np.maximum(q + k, 0) @ v, "Which function does the squashing in equation (3.3)?"),
        (softmax(right), "These sum to 1. Does the exercise ask for scores, or for weights?"),
        (exchanged, "Which of the two matrices belongs to the query?"),
    )


def decoder_step(answer, seed=0):
    """Check a student's ``answer(s, H, W_c) -> (s_tilde, weights)``, one step of Luong's decoder with the dot score.

    The shapes are s (d,), H (m, d) and W_c (2d, d).
    """
    random = draw_from(seed)
    names = "(s_tilde, weights)"
    for m, d in draw_sizes(STEPS, seed):
        s, H, W_c = random.normal(size=d), random.normal(size=(m, d)), random.normal(size=(2 * d, d)) / round(d**0.5)
        given, got = name_shapes(s=s, H=H, W_c=W_c), ask_for_two(names, answer, s=s, H=H, W_c=W_c)
        (s_tilde, weights), right = got, softmax(H @ s)
        c = right @ H
        expected = np.tanh(np.concatenate([c, s]) @ W_c)
        need_order(names, got, (expected, right))
        need_shape("weights", weights, (m,), given, "How many words does the decoder attend to?")
        need_rows_sum_to_one(weights, given, "Which of the four steps turns the scores into a distribution?")
        scaled = ((softmax(H @ s / sqrt(d)), "What does Luong's dot score divide by?"),)
        need_close("weights", weights, right, "Which state is compared with which?", scaled)
        need_shape("s_tilde", s_tilde, (d,), given, "W_c takes 2d numbers. How many does it give back?")
        question = "In the worked example, write down the numbers that W_c is applied to. Do yours agree?"
        need_close("s_tilde", s_tilde, expected, question, _known_states(s, H, W_c, c, right))
    say_right("weights and s_tilde are correct for {number} sizes.", number=len(STEPS))


def _known_states(s, H, W_c, c, weights):
    """Known wrong s tilde, with the question that leads from each to the mistake behind it."""
    joined, best, d = np.concatenate([c, s]), H[weights.argmax()], len(s)
    return (
        (np.tanh(np.concatenate([s, c]) @ W_c), "Both halves are right. Which one comes first in equation (3.2)?"),
        (joined @ W_c, "What squashes the sum into numbers between −1 and 1?"),
        (softmax(joined @ W_c), "Which function does the squashing in equation (3.2)?"),
        (np.tanh(c @ W_c[:d]), "Where is the decoder's own state?"),
        (np.tanh(s @ W_c[d:]), "Where do you use what attention has fetched?"),
        (np.tanh(np.concatenate([best, s]) @ W_c), "What becomes of the words with the smaller weights?"),
        (np.tanh(np.concatenate([H.mean(axis=0), s]) @ W_c), "What do you use the weights for?"),
        (c, "That is the context. What does equation (3.2) do with it?"),
    )


def looks_at_the_encoder(answer, growth, seed=0):
    """Check the mended attention of chapter 03, ``answer(s, H, W) -> (context, weights)``, and a test of the wrong one.

    The shapes are s (d,), H (m, d) and W (d, d). The float `growth`, to two decimals, is how much the wrong context
    grows with the first of two states, at s W = (ln 3, 0).
    """
    random = draw_from(seed)
    names = "(context, weights)"
    for m, d in draw_sizes(MENDED, seed):
        s, H, W = random.normal(size=d), random.normal(size=(m, d)), random.normal(size=(d, d)) / round(d**0.5)
        given, got = name_shapes(s=s, H=H, W=W), ask_for_two(names, answer, s=s, H=H, W=W)
        output, right = attention(s[None], H, H, score=lambda query, key: general_score(query, key, W))  # noqa: B023
        context, weights = got
        need_order(names, got, (output[0], right[0]))
        need_shape("weights", weights, (m,), given, "How many words does the decoder attend to?")
        _, changed = ask_for_two(names, answer, s=s, H=H[::-1], W=W)
        if np.allclose(weights, changed) and not np.allclose(weights, weights[::-1]):
            seen = "The encoder states were reversed, but the weights stayed the same"
            raise Wrong(seen, question="What are the weights computed from?")
        need_rows_sum_to_one(weights, given, "What turns the scores into a distribution?")
        known = (
            (softmax(H @ W @ s), "W sits between the two. On which side of it is the decoder's state?"),
            (softmax(H @ s), "W is learned. Where does it appear in your scores?"),
            (softmax(H @ (s @ W) / sqrt(d)), "What does the general score divide by?"),
        )
        need_close("weights", weights, right[0], "Which two vectors does W connect in the general score?", known)
        need_close("context", context, output[0], "The weights are right. What do they mix?")
    with half():
        wrong = {"nothing": 0, "second_state": 1 / 4, "mended_weights": 1 / 2, "all_weight": 1}
        check_number("looks_at_the_encoder", growth, 3 / 4, digits=2, **wrong, score=log(3), exponential=3)
    say_right("the weights depend on the encoder. Both contexts change with the source, but by different amounts.")


def counting_keys(answer, seed=0):
    """Check ``answer(m, c) -> (keys, query)``, which find the place c before the last of m, by what they do together.

    For two int, the answer returns keys (m, 2), the same for all c, and a query (2,), the same for all m.
    """
    names = "(keys, query)"
    queries = {c: ask_for_two(names, answer, m=16, c=c)[1] for c in range(16)}
    for (m,) in draw_sizes(PLACES, seed, lambda m: m == 1 or m > 3):
        keys, _ = ask_for_two(names, answer, m=m, c=0)
        for c in sorted(range(m), key=lambda c: c != 1):  # first one that is neither end, nor the middle
            given, got = name_shapes(m=m, c=c), ask_for_two(names, answer, m=m, c=c)
            need_order(names, got, (np.zeros((m, 2)), np.zeros(2)))
            need_shape("keys", got[0], (m, 2), given, "How many places are there, and how long is a key?")
            need_shape("query", got[1], (2,), given, "How long is a key?")
            if not np.allclose(got[0], keys):
                raise Wrong(Part("With {given}, the keys differ from those for c = 0", given=given), question=LOOKED)
            if not np.allclose(got[1], queries[c]):
                raise Wrong(Part("With {given}, the query differs from the one for m = 16", given=given), question=TOLD)
            _need_place(softmax(got[0] @ got[1]), m, c, given)
    say_right("one query for each place finds it in texts of every length, and no key holds a letter.")


LOOKED = "A key is made before anybody asks. What can it know?"
TOLD = "The decoder isn't told how long the text is. From which end do you count?"


def _need_place(weights, m, c, given):
    """Require more than 0.9 at the place c before the last, or ask about where the weight is."""
    wanted, largest = m - 1 - c, int(weights.argmax())
    if weights[wanted] > 0.9:
        return
    seen = {"given": given, "weight": float(weights[wanted]), "wanted": wanted, "largest": largest}
    if largest == wanted:
        question = "The top of the hill is right, but the hill is too flat. What makes a softmax sharper?"
    elif largest == c:
        question = "That place is counted from the start. From which end does c count?"
    else:
        question = "Where does your hill have its top, and where its bottom?"
    text = "With {given}, row {wanted} of the keys gets {weight:.2f}, and the most is at row {largest}"
    raise Wrong(Part(text, **seen), "more than 0.9", question)
