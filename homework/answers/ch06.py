"""Answers to the exercises of chapter 06."""

import numpy as np

from attention_course import checks
from attention_course.museum._parts import score_by, weigh_by
from attention_src import scaled_dot_product_attention, softmax

from . import Exercise
from .ch01 import take_some


def cut(a, num_heads):
    return a.reshape(len(a), num_heads, -1).swapaxes(0, 1)


def loop_over(split):
    """Multi-head attention head by head; split(X, W, num_heads) makes the queries, keys or values of all heads."""

    def answer(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
        parts = [split(X, W, num_heads) for W in (W_q, W_k, W_v)]
        heads = [scaled_dot_product_attention(*head, mask) for head in zip(*parts, strict=True)]
        return np.hstack([mixed for mixed, _ in heads]) @ W_o, np.stack([weights for _, weights in heads])

    return answer


loop = loop_over(lambda X, W, h: [X @ part for part in np.split(W, h, axis=1)])


def einsum(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    q, k, v = (np.einsum("nd,dhk->hnk", X, W.reshape(X.shape[1], num_heads, -1)) for W in (W_q, W_k, W_v))
    scores = np.einsum("hnk,hmk->hnm", q, k) / q.shape[-1] ** 0.5
    weights = softmax(scores if mask is None else np.where(mask, scores, -np.inf))
    return np.einsum("hnm,hmk,hko->no", weights, v, W_o.reshape(num_heads, -1, X.shape[1])), weights


def join_heads(mixed):
    return mixed.swapaxes(0, 1).reshape(mixed.shape[1], -1)


def make_layer(split=cut, attend=scaled_dot_product_attention, join=None):
    """Multi-head attention with one part exchanged: split(a, num_heads), attend(q, k, v, mask), join(mixed, W_o)."""

    def answer(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
        mixed, weights = attend(*(split(X @ W, num_heads) for W in (W_q, W_k, W_v)), mask)
        return (join(mixed, W_o) if join else join_heads(mixed) @ W_o), weights

    return answer


def scale_by(number):
    """Multi-head attention whose scores are divided by the root of another number, number(q)."""
    return make_layer(attend=score_by(lambda q, k, v: q @ k.mT / number(q) ** 0.5))


def one_big_head(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    mixed, weights = scaled_dot_product_attention(X @ W_q, X @ W_k, X @ W_v, mask)
    return mixed @ W_o, np.stack([weights] * num_heads)


def slice_tokens(X, W, num_heads):
    rows = zip(np.split(X, num_heads, axis=1), np.split(W, num_heads), strict=True)
    return [x @ np.split(part, num_heads, axis=1)[h] for h, (x, part) in enumerate(rows)]


def take_lengths_from_the_token(X, W, num_heads):
    d_k = X.shape[1] // num_heads
    return [(X @ W)[:, h * d_k : (h + 1) * d_k] for h in range(num_heads)]


def interleave(a, num_heads):
    return a.reshape(len(a), -1, num_heads).transpose(2, 0, 1)


WRONG = {
    "one reshape": make_layer(split=lambda a, h: a.reshape(h, len(a), -1)),
    "columns interleaved": make_layer(split=interleave),
    "scaled by the root of d_model": scale_by(lambda q: len(q) * q.shape[2]),
    "scaled by the root of n": scale_by(lambda q: q.shape[1]),
    "softmax over the heads": make_layer(attend=weigh_by(lambda s, mask: softmax(s.T).T)),
    "mask ignored": make_layer(attend=lambda q, k, v, mask: scaled_dot_product_attention(q, k, v)),
    "mask the other way round": make_layer(
        attend=weigh_by(lambda s, mask: softmax(s, ~mask if mask.sum() < mask.size else mask))
    ),
    "mask after the softmax": make_layer(attend=weigh_by(lambda s, mask: softmax(s) * mask)),
    "score times mask": make_layer(attend=weigh_by(lambda s, mask: softmax(s * mask))),
    "no mask taken": lambda X, W_q, W_k, W_v, W_o, num_heads: loop(X, W_q, W_k, W_v, W_o, num_heads),
    "d_k from the length of a token": loop_over(take_lengths_from_the_token),
    "W_o forgotten": make_layer(join=lambda m, W_o: join_heads(m)),
    "joined without exchange": make_layer(join=lambda m, W_o: m.reshape(m.shape[1], -1) @ W_o),
    "joined number by number": make_layer(join=lambda m, W_o: m.transpose(1, 2, 0).reshape(m.shape[1], -1) @ W_o),
    "heads not joined": make_layer(join=lambda m, W_o: m),
    "heads added": make_layer(join=lambda m, W_o: m.sum(0) @ W_o[: m.shape[-1]]),
    "W_o from the other side": make_layer(join=lambda m, W_o: join_heads(m) @ W_o.T),
    "every head sees all columns": one_big_head,
    "each head sees a slice of the token": loop_over(slice_tokens),
    "mean of the weights": lambda *given: (loop(*given)[0], loop(*given)[1].mean(0)),
}
SAME = ("not scaled", "keys ask queries", "softmax over the queries", "no maximum", "keys after the eighth ignored")
WRONG |= take_some(lambda attend: make_layer(attend=attend), *SAME, "the weight of a single key doubled")

EXERCISES = {
    "ex06-heads": Exercise(
        checks.multi_head,
        {"swapaxes": make_layer(), "a loop": loop, "einsum": einsum},
        WRONG,
        results=2,
    ),
    "ex06-count": Exercise(
        checks.layer_numbers,
        formula=lambda d_model, num_heads, tokens: (
            d_model // num_heads,
            4 * (d_model + 1) * d_model,
            num_heads * tokens * tokens,
        ),
    ),
    "ex06-split": Exercise(
        checks.split_heads,
        {
            "swapaxes": cut,
            "transpose": lambda a, h: a.reshape(len(a), h, -1).transpose(1, 0, 2),
            "split and stack": lambda a, h: np.stack(np.split(a, h, axis=1)),
        },
        {
            "as handed out": lambda a, h: a.reshape(h, len(a), -1),
            "not brought to the front": lambda a, h: a.reshape(len(a), h, -1),
            "heads backwards": lambda a, h: cut(a, h)[::-1],
            "tokens backwards": lambda a, h: cut(a[::-1], h),
            "columns interleaved": interleave,
            "columns backwards": lambda a, h: cut(a, h)[..., ::-1],
            "an error": lambda a, h: a.reshape(h, h, h, h, h),
        },
        results=1,
    ),
}
