"""Checks of chapter 03, learning to align."""

from math import log, sqrt

import numpy as np

from attention_src.attention import attention
from attention_src.scores import additive_score as right_additive_score
from attention_src.scores import general_score
from attention_src.weights import softmax

from ._ask import ask, ask_for_two, name_shapes
from ._compare import check_prediction, need_close, need_order, need_rows_sum_to_one, need_shape
from ._message import Wrong, say_right


def additive_score(answer, seed=0):
    """Check a student's ``answer(query, key, w_query, w_key, v) -> scores (n, m)``.

    Parameters
    ----------
    answer : function of query (n, d_q), key (m, d_k), w_query (d_q, h), w_key (d_k, h), v (h,)
    """
    random = np.random.default_rng(seed)
    for n, m, d_q, d_k, h in ((2, 3, 4, 4, 6), (1, 4, 3, 2, 5), (5, 2, 3, 4, 1)):
        sizes = {"query": (n, d_q), "key": (m, d_k), "w_query": (d_q, h), "w_key": (d_k, h), "v": (h,)}
        arguments = {name: random.normal(size=size) for name, size in sizes.items()}
        got, right = ask(answer, **arguments), right_additive_score(**arguments)
        need_shape("the result", got, right.shape, name_shapes(**arguments), "Who has a row: a query, or a key?")
        question = "Take one query and one key: project both, add, squash. What is left for v to read?"
        need_close("scores", got, right, question, _known_scores(right, **arguments))
    say_right("the scores hold for one query and several, and for lengths that all differ.")


def _known_scores(right, query, key, w_query, w_key, v):
    """Known wrong additive scores, with the question that leads from each to the mistake behind it."""
    q, k = (query @ w_query)[:, None], (key @ w_key)[None]
    exchanged = right_additive_score(query, key, w_key, w_query, v) if w_query.shape == w_key.shape else None
    return (
        ((q + k) @ v, "What stands between the sum of the projections and v?"),
        (np.tanh((q + k) @ v), "Is it the sum that is squashed, or what v has read from it?"),
        ((np.tanh(q) + np.tanh(k)) @ v, "Which comes first in equation (3.3): adding, or squashing?"),
        (np.tanh(q * k) @ v, "What does *additive* say of the two projections?"),
        (np.tanh(q - k) @ v, "What does *additive* say of the two projections?"),
        (q[:, 0] @ k[0].T, "This score multiplies query and key. What does *additive* say?"),
        ((1 / (1 + np.exp(-q - k))) @ v, "Which function squashes in equation (3.3)?"),
        (np.maximum(q + k, 0) @ v, "Which function squashes in equation (3.3)?"),
        (softmax(right), "These sum to 1. Were scores asked for, or weights?"),
        (exchanged, "Which of the two matrices belongs to the query?"),
    )


def decoder_step(answer, seed=0):
    """Check a student's ``answer(s, H, W_c) -> (s_tilde, weights)``, one step of Luong's decoder with the dot score.

    Parameters
    ----------
    answer : function of s (d,), H (m, d), W_c (2d, d)
    """
    random = np.random.default_rng(seed)
    names = "(s_tilde, weights)"
    for m, d in ((4, 3), (2, 5), (7, 4)):
        s, H, W_c = random.normal(size=d), random.normal(size=(m, d)), random.normal(size=(2 * d, d))
        given, got = name_shapes(s=s, H=H, W_c=W_c), ask_for_two(names, answer, s=s, H=H, W_c=W_c)
        (s_tilde, weights), right = got, softmax(H @ s)
        c = right @ H
        expected = np.tanh(np.concatenate([c, s]) @ W_c)
        need_order(names, got, (expected, right))
        need_shape("weights", weights, (m,), given, "How many words does the decoder look at?")
        need_rows_sum_to_one(weights, given, "Which of the four steps makes a distribution of the scores?")
        scaled = ((softmax(H @ s / sqrt(d)), "By what does Luong's dot score divide?"),)
        need_close("weights", weights, right, "Which state is compared with which?", scaled)
        need_shape("s_tilde", s_tilde, (d,), given, "How many numbers has W_c for each number of a state?")
        question = "Write down the numbers of the worked example before they meet W_c. Are they yours?"
        need_close("s_tilde", s_tilde, expected, question, _known_states(s, H, W_c, c, right))
    say_right("weights and s tilde hold for three sizes.")


def _known_states(s, H, W_c, c, weights):
    """Known wrong s tilde, with the question that leads from each to the mistake behind it."""
    joined, best, d = np.concatenate([c, s]), H[weights.argmax()], len(s)
    return (
        (np.tanh(np.concatenate([s, c]) @ W_c), "Both halves are right. Which does equation (3.2) name first?"),
        (joined @ W_c, "What squashes the sum to numbers between −1 and 1?"),
        (softmax(joined @ W_c), "Which function squashes in equation (3.2)?"),
        (np.tanh(c @ W_c[:d]), "Where is the decoder's own state?"),
        (np.tanh(s @ W_c[d:]), "Where is what attention has fetched?"),
        (np.tanh(np.concatenate([best, s]) @ W_c), "What becomes of the words with the smaller weights?"),
        (np.tanh(np.concatenate([H.mean(axis=0), s]) @ W_c), "What are the weights for?"),
        (c, "That is the context. What does equation (3.2) do with it?"),
    )


GROWN = {
    0: ("nothing of the wrong function follows the encoder", "The weights stay. What do they mix?"),
    1 / 4: ("the weight is that of the second state", "Which state changes?"),
    1 / 2: ("the weights are those of the mended function", "From what are the wrong ones made?"),
    1: ("the state that changes has all the weight", "Which weights does softmax make of ln 3 and 0?"),
    log(3): ("the score passes on the change", "What does softmax make of ln 3 and 0?"),
    3: ("the exponential passes on the change", "By what does softmax divide it?"),
}


def looks_at_the_encoder(answer, printed, seed=0):
    """Check the mended attention of chapter 03, ``answer(s, H, W) -> (context, weights)``, and a test of the wrong one.

    Parameters
    ----------
    answer : function of s (d,), H (m, d), W (d, d)
    printed : float, how much the wrong context grows with the first of two states, at s W = (ln 3, 0), to two decimals
    """
    random = np.random.default_rng(seed)
    names = "(context, weights)"
    for m, d in ((2, 5), (4, 3)):
        s, H, W = random.normal(size=d), random.normal(size=(m, d)), random.normal(size=(d, d))
        given, got = name_shapes(s=s, H=H, W=W), ask_for_two(names, answer, s=s, H=H, W=W)
        output, right = attention(s[None], H, H, score=lambda query, key: general_score(query, key, W))  # noqa: B023
        context, weights = got
        need_order(names, got, (output[0], right[0]))
        need_shape("weights", weights, (m,), given, "How many words does the decoder look at?")
        _, changed = ask_for_two(names, answer, s=s, H=H[::-1], W=W)
        if np.allclose(weights, changed):
            seen = "All encoder states were exchanged and the weights stayed the same"
            raise Wrong(seen, question="From what are the weights computed?")
        need_rows_sum_to_one(weights, given, "What makes a distribution of the scores?")
        known = (
            (softmax(H @ W @ s), "W stands between the two. On which side of it stands the decoder's state?"),
            (softmax(H @ s), "W is learned. Where is it in your scores?"),
            (softmax(H @ (s @ W) / sqrt(d)), "By what does the general score divide?"),
        )
        need_close("weights", weights, right[0], "Between which two does W stand in the general score?", known)
        need_close("context", context, output[0], "The weights are right. What do they mix?")
    check_prediction(printed, 3 / 4, GROWN, "Which weights does softmax make of ln 3 and 0?", digits=2)
    say_right("the weights follow the encoder. Both contexts change with the source; by how much tells them apart.")


def step_numbers(scores, context, combine, *, words=7, size=5):
    """Check how many scores one step of Luong's decoder takes, how many numbers its context has, and how many W_c.

    Parameters
    ----------
    scores, context, combine : int, the answers
    words, size : int, words of the source and numbers of a state
    """
    counted = {
        size: ("the state is compared with itself, number by number", "With how many states is it compared?"),
        words * size: ("every number of a state has a score", "What does a dot product leave of them?"),
        1: ("one state is compared", "With how many?"),
    }
    check_prediction(scores, words, counted, "With how many states is the decoder's compared?")
    mixed = {
        words: ("the context has a number for each word", "What is summed, weights or states?"),
        words * size: ("the weighted states stand side by side", "What is done with them?"),
        2 * size: ("context and state are joined", "What is the context alone?"),
    }
    check_prediction(context, size, mixed, "What is summed, and how long is it?")
    joined = {
        size * size: ("W_c meets the context alone", "What is joined to it?"),
        2 * size: ("W_c gives one number", "How many has the state that comes out?"),
        4 * size * size: ("as many numbers come out as go in", "How long is a state?"),
        words * size: ("W_c grows with the sentence", "Is it not learned once, for all lengths?"),
    }
    check_prediction(combine, 2 * size * size, joined, "How many numbers go into W_c, and how many come out?")
    say_right("as many scores as words, a context as long as a state, whatever the sentence.")
