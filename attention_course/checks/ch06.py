"""Checks of chapter 06, several questions at once."""

import numpy as np

from attention_src.attention import scaled_dot_product_attention
from attention_src.scores import scaled_dot_score

from ._ask import ask, ask_for_two, draw_from, draw_sizes, name_shapes
from ._attention import NAMES, about_nan, about_sums, about_weights
from ._compare import check_number, find_question, need_close, need_finite, need_order, need_rows_sum_to_one, need_shape
from ._message import Part, Wrong, half, say_right

# n, d_model, num_heads; then d_k and d_v, unless both are d_model / num_heads; in the first d_k is a fourth size
SIZES = [(5, 12, 3), (3, 8, 2, 5, 6), (2, 6, 1), (4, 8, 4), (1, 6, 2, 4, 3), (8, 8, 2), (11, 12, 4, 3, 5)]
LEFT = "When do you remove a hidden key, and what is left of its score?"


def _fit(n, d_model, num_heads, *lengths):
    d_k = lengths[0] if lengths else d_model // num_heads
    return d_model % num_heads == 0 and d_k not in (n, num_heads) and d_k * num_heads != d_model * bool(lengths)


def _cut(a, num_heads):
    return a.reshape(len(a), num_heads, -1).transpose(1, 0, 2)


def _right(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    """Output, weights and the heads before they are joined, (num_heads, n, d_v)."""
    heads, weights = scaled_dot_product_attention(*(_cut(X @ W, num_heads) for W in (W_q, W_k, W_v)), mask)
    return heads.swapaxes(0, 1).reshape(len(X), -1) @ W_o, weights, heads


def _trials(seed):
    """Tokens, wide matrices and numbers of heads, without and with a mask; the last scores overflow exp."""
    random = draw_from(seed)
    for n, d, num_heads, *lengths in draw_sizes(SIZES, seed, _fit):
        d_k, d_v = lengths or [d // num_heads] * 2
        X, W_q, W_k = (random.normal(size=size) for size in ((n, d), *[(d, num_heads * d_k)] * 2))
        W_v, W_o = random.normal(size=(d, num_heads * d_v)), random.normal(size=(num_heads * d_v, d))
        trial = X, *(W / d**0.5 for W in (W_q, W_k, W_v, W_o)), num_heads
        yield trial
        yield *trial, (random.random((n, n)) < 0.5) | np.eye(n, dtype=bool)
    huge = np.eye(3, 4), 3e4 * np.eye(4), np.eye(4), *random.normal(size=(2, 4, 4)), 2
    yield huge
    yield *huge, np.tri(3, dtype=bool)


def multi_head(answer, seed=0):
    """Check a student's ``answer(X, W_q, W_k, W_v, W_o, num_heads, mask=None) -> (output, weights)``.

    X is (n, d_model), W_q and W_k are (d_model, num_heads · d_k), W_v is (d_model, num_heads · d_v), W_o leads back to
    d_model, num_heads is an int, and the mask (n, n) bool, True = may look; every token may look at itself.
    """
    names = ("X", "W_q", "W_k", "W_v", "W_o", "num_heads", "mask")
    for trial in _trials(seed):
        arguments = dict(zip(names, trial, strict=False))
        shown = {name: arguments[name] for name in ("X", "W_q", "W_v", "num_heads", "mask") if name in arguments}
        given, got = name_shapes(**shown), ask_for_two(NAMES, answer, **arguments)
        (output, weights), (expected, right, heads) = got, _right(*trial)
        mask = arguments.get("mask")
        need_order(NAMES, got, (expected, right))
        question = "How many tables of weights does a layer have, and how large is each?"
        need_shape("weights", weights, right.shape, given, question)
        scores = scaled_dot_score(*(_cut(trial[0] @ W, trial[5]) for W in trial[1:3]))
        need_finite("weights", weights, given, about_nan(weights, scores))
        sums = about_sums(scores)
        if mask is not None:
            if (weights[:, ~mask] != 0).any():
                raise Wrong(Part("With {given}, a hidden key has a weight", given=given), question=LEFT)
            if np.allclose(weights, _right(*trial[:6])[1] * mask):
                sums = "Do you apply the mask before the softmax, or after?"
        need_rows_sum_to_one(weights, given, sums)
        need_close("weights", weights, right, _about_weights(weights, trial[:6], mask))
        question = "What happens to the heads once they have mixed their values?"
        need_shape("output", output, expected.shape, given, question)
        question = "The weights are right. What does each head mix, and how are the heads joined?"
        need_close("output", output, expected, question, _known_outputs(heads, trial))
    message = "output and the weights of every head are correct in all {trials} trials, with 1 to 4 heads."
    say_right(message, trials=2 * len(SIZES) + 2)


LABELLED = (
    "Draw the input with numbered entries. Which token does queries[0, 1], the second row of the first head, come from?"
)


def _about_weights(weights, trial, mask):
    """The question that leads from known wrong weights to the mistake behind them."""
    X, W_q, W_k, _, _, h = trial
    Q, K, n = X @ W_q, X @ W_k, len(X)
    d_k = Q.shape[-1] // h
    under = "Which length belongs under the root, that of a token or that of a head?"
    known = (
        (_cut(Q, h) / h**0.5, _cut(K, h), under),
        (_cut(Q, h) * (d_k / h) ** 0.5, _cut(K, h), under),
        (Q.reshape(h, n, -1), K.reshape(h, n, -1), LABELLED),
        (*(A.reshape(n, -1, h).transpose(2, 0, 1) for A in (Q, K)), "Which columns does the first head have?"),
        (Q, K, "All your heads have the same weights. Which columns does the first head have?"),
    )
    tables = ((scaled_dot_product_attention(q, k, k, mask)[1], question) for q, k, question in known)
    wrong = [(np.broadcast_to(table, weights.shape), question) for table, question in tables]
    by_hand = "Take the first head alone and work out one score by hand: which number is multiplied by which?"
    sizes = (n, X.shape[1])
    return find_question(weights, wrong, about_weights(weights, _cut(Q, h), _cut(K, h), mask, sizes, by_hand))


def _known_outputs(heads, trial):
    """Known wrong outputs, with the question that leads from each to the mistake behind it."""
    W_o, n = trial[4], heads.shape[1]
    joined = heads.swapaxes(0, 1).reshape(n, -1)
    known = [
        (joined, "You joined the heads correctly. What comes after that?"),
        (heads.reshape(n, -1) @ W_o, "In what order are the axes when you join the heads?"),
        (heads.transpose(1, 2, 0).reshape(n, -1) @ W_o, "In what order do the heads of one token come?"),
    ]
    if W_o.shape[0] == W_o.shape[1]:
        known.append((joined @ W_o.T, "On which side of W_o does a row vector go?"))
    return known


def layer_numbers(d_k, parameters, table_cells, *, d_model=768, num_heads=12, tokens=100):
    """Check the width of a head, the number of parameters of a layer with biases, and of weights it computes.

    All arguments are int; `d_k`, `parameters` and `table_cells` are the answers.
    """
    width, square, full = d_model // num_heads, d_model**2, 4 * d_model**2 + 4 * d_model
    fields = {"d_model": d_model, "half": d_model // 2, "tokens": tokens}
    check_number("layer_width", d_k, width, given=fields, whole_token=d_model, heads=num_heads)
    counts = {
        "no_biases": 4 * square,
        "no_mixing": 3 * square + 3 * d_model,
        "neither": 3 * square,
        "wide_heads": num_heads * full,
        "one_head": 4 * d_model * width,
    }
    check_number("layer_parameters", parameters, full, given=fields | {"one": square + d_model}, **counts)
    tables = {"one_table": tokens**2, "one_weight": num_heads * tokens, "long_weights": num_heads * tokens * width}
    check_number("layer_weights", table_cells, num_heads * tokens**2, given=fields | {"one": tokens**2}, **tables)
    say_right("the width and the parameters are fixed, and only the tables grow with the number of tokens.")


def split_heads(answer, token, seed=0):
    """Check the mended ``answer(a, num_heads)``, (n, d) -> (num_heads, n, d / num_heads), and a prediction.

    The int `token` is the one whose number the wrong function has first in head 2, of four tokens 0 to 3 of six numbers
    and two heads; num_heads is also an int.
    """
    random = draw_from(seed)
    for n, d, num_heads, *_ in draw_sizes(SIZES, seed, _fit):
        a = random.normal(size=(n, d))
        got, right = ask(answer, a=a, num_heads=num_heads), _cut(a, num_heads)
        given = name_shapes(a=a, num_heads=num_heads)
        question = "How many heads are there, how many tokens, and how many numbers in each?"
        need_shape("the result", got, right.shape, given, question)
        if np.allclose(got, a.reshape(num_heads, n, -1)) and not np.allclose(got, right):
            seen = Part("With {given}, result[0, 1] still contains numbers from token a[0]", given=given)
            raise Wrong(seen, question="What must you cut first?")
        apart = a.reshape(n, -1, num_heads).transpose(2, 0, 1)
        known = (
            (apart, "Are the columns of a head next to each other in a token?"),
            (right[::-1], "Which columns does the first head have, the first or the last?"),
            (right[:, ::-1], "In what order do the tokens appear in a head?"),
        )
        question = "The first head has the first columns of every token. Which ones does yours have?"
        need_close("result", got, right, question, known)
    with half():
        check_number("split_heads", token, 2, right=0, second=1, last=3)
    say_right("every head has its own columns of every token, and numbered tokens reveal the wrong split.")
