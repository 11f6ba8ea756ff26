"""Answers to the exercises of chapter 03."""

import numpy as np

from attention_course import checks
from attention_src import additive_score, dot_score, softmax
from attention_src.attention import attention

from . import Exercise


def loops(query, key, w_query, w_key, v):
    return np.array([[v @ np.tanh(q @ w_query + k @ w_key) for k in key] for q in query])


def project(combine):
    """A score from the two projections, given an axis for the other's places, and v."""

    def answer(query, key, w_query, w_key, v):
        return combine((query @ w_query)[:, None], (key @ w_key)[None], v)

    return answer


WRONG_SCORES = {
    "no tanh": project(lambda q, k, v: (q + k) @ v),
    "tanh after v": project(lambda q, k, v: np.tanh((q + k) @ v)),
    "tanh of each": project(lambda q, k, v: (np.tanh(q) + np.tanh(k)) @ v),
    "multiplied": project(lambda q, k, v: np.tanh(q * k) @ v),
    "dot product of the projections": project(lambda q, k, v: q[:, 0] @ k[0].T),
    "sigmoid": project(lambda q, k, v: 1 / (1 + np.exp(-q - k)) @ v),
    "weights": lambda *given: softmax(additive_score(*given)),
    "matrices exchanged": lambda query, key, w_query, w_key, v: additive_score(query, key, w_key, w_query, v),
    "keys in rows": lambda *given: additive_score(*given).T,
    "no sum over v": project(lambda q, k, v: np.tanh(q + k) * v),
    "keys after the eighth ignored": lambda *given: additive_score(*given) * (np.arange(len(given[1])) < 8),
    "no new axis": lambda q, k, w_q, w_k, v: np.tanh(q @ w_q + k @ w_k) @ v,
}


def step_halves(s, H, W_c):
    raised = np.exp(H @ s)
    weights = raised / raised.sum()
    above, below = np.split(W_c, 2)
    return np.tanh(sum(w * h for w, h in zip(weights, H, strict=True)) @ above + s @ below), weights


def step_package(s, H, W_c):
    context, weights = attention(s[None], H, H, score=dot_score)
    return np.tanh(np.hstack([context[0], s]) @ W_c), weights[0]


def take_step(weigh=None, join=None, squash=np.tanh):
    """A decoder step with one part exchanged: weigh(s, H), join(c, s, H, weights), squash."""

    def answer(s, H, W_c):
        weights = weigh(s, H) if weigh else softmax(H @ s)
        c = weights @ H
        return squash((join(c, s, H, weights) if join else np.concatenate([c, s])) @ W_c), weights

    return answer


def join(*parts):
    return np.concatenate(parts)


step = take_step()
WRONG_STEPS = {
    "scaled": take_step(lambda s, H: softmax(H @ s / len(s) ** 0.5)),
    "no softmax": take_step(lambda s, H: H @ s),
    "states among themselves": take_step(lambda s, H: softmax(H @ H[0])),
    "weights over the numbers of a state": take_step(lambda s, H: softmax(s)),
    "words after the eighth ignored": take_step(lambda s, H: softmax(H @ s, np.arange(len(H)) < 8)),
    "the weight of a single word doubled": take_step(lambda s, H: softmax(H @ s) * (2 if len(H) == 1 else 1)),
    "state first": take_step(join=lambda c, s, H, w: join(s, c)),
    "no tanh": take_step(squash=lambda x: x),
    "softmax for tanh": take_step(squash=softmax),
    "the context alone": lambda s, H, W_c: (np.tanh(softmax(H @ s) @ H @ W_c[: len(s)]), softmax(H @ s)),
    "the state alone": lambda s, H, W_c: (np.tanh(s @ W_c[len(s) :]), softmax(H @ s)),
    "the context is returned": lambda s, H, W_c: (softmax(H @ s) @ H, softmax(H @ s)),
    "the best word alone": take_step(join=lambda c, s, H, w: join(H[w.argmax()], s)),
    "the mean of all words": take_step(join=lambda c, s, H, w: join(H.mean(0), s)),
    "halved": take_step(squash=lambda x: np.tanh(x) / 2),
    "W_c from the other side": lambda s, H, W_c: (np.tanh(W_c @ s), softmax(H @ s)),
    "weights in a column": lambda s, H, W_c: (step(s, H, W_c)[0], softmax(H @ s)[:, None]),
}


def as_handed_out(s, H, W):
    weights = softmax((s @ W)[: len(H)])
    return weights @ H, weights


def mend(weigh, mix=None):
    """The mended function of exercise 4 with weigh(s, H, W), and mix(weights, H, W) in place of the mixture."""

    def answer(s, H, W):
        weights = weigh(s, H, W)
        return (mix(weights, H, W) if mix else weights @ H), weights

    return answer


general = mend(lambda s, H, W: softmax(H @ (s @ W)))


def count(key=lambda k: (k, k**2), query=lambda c: (8 * c, -4), from_end=True):
    """Keys and a query from what they make of k and c."""

    def answer(m, c):
        k = np.arange(m)[::-1] if from_end else np.arange(m)
        return np.stack(key(k), axis=1), np.array(query(c))

    return answer


EXERCISES = {
    "ex03-additive": Exercise(
        checks.additive_score,
        {"axes": project(lambda q, k, v: np.tanh(q + k) @ v), "loops": loops, "the package": additive_score},
        WRONG_SCORES,
        results=1,
    ),
    "ex03-step": Exercise(
        checks.decoder_step,
        {"in one": step, "in halves": step_halves, "the package": step_package},
        WRONG_STEPS,
        results=2,
    ),
    "ex03-count": Exercise(
        checks.counting_keys,
        {
            "hill": count(),
            "shifted": count(lambda k: (k - 3, (k - 3) ** 2), lambda c: (16 * (c - 3), -8)),
            "circle": count(
                lambda k: (np.cos(np.pi * k / 16), np.sin(np.pi * k / 16)),
                lambda c: (400 * np.cos(np.pi * c / 16), 400 * np.sin(np.pi * c / 16)),
            ),
        },
        {
            "too flat": count(query=lambda c: (2 * c, -1)),
            "counted from the start": count(from_end=False),
            "a valley": count(query=lambda c: (-8 * c, 4)),
            "one number for the place": count(lambda k: (k, 0 * k), lambda c: (8 * c, 0)),
            "keys made for the query": lambda m, c: (
                np.stack([np.arange(m) == m - 1 - c, np.zeros(m)], 1) * 9.0,
                np.ones(2),
            ),
            "query told the length": lambda m, c: (
                np.stack([np.arange(m), np.arange(m) ** 2], 1),
                4.0 * np.array([2 * (m - 1 - c), -1]),
            ),
            "keys in columns": lambda m, c: (count()(m, c)[0].T, count()(m, c)[1]),
            "other way round": lambda m, c: count()(m, c)[::-1],
            "keys alone": lambda m, c: count()(m, c)[0],
            "with the square of c": lambda m, c: (count()(m, c)[0], np.array([8 * c, -4, -4 * c**2])),
        },
        results=2,
    ),
    "ex03-mend": Exercise(
        checks.looks_at_the_encoder,
        {
            "state first": general,
            "key first": mend(lambda s, H, W: softmax(H @ W.T @ s)),
            "loops": mend(lambda s, H, W: softmax(np.array([s @ W @ h for h in H]))),
        },
        {
            "as handed out": as_handed_out,
            "W from the other side": mend(lambda s, H, W: softmax(H @ W @ s)),
            "words after the eighth ignored": mend(lambda s, H, W: softmax(H @ (s @ W), np.arange(len(H)) < 8)),
            "the weight of a single word doubled": mend(
                lambda s, H, W: softmax(H @ (s @ W)) * (2 if len(H) == 1 else 1)
            ),
            "W left out": mend(lambda s, H, W: softmax(H @ s)),
            "scaled": mend(lambda s, H, W: softmax(H @ (s @ W) / len(s) ** 0.5)),
            "no softmax": mend(lambda s, H, W: H @ (s @ W)),
            "mixes W H": mend(lambda s, H, W: softmax(H @ (s @ W)), lambda w, H, W: w @ H @ W),
            "weights in a column": lambda *given: (general(*given)[0], general(*given)[1][:, None]),
        },
        results=2,
    ),
}
