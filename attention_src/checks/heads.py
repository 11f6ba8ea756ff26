"""Checks of chapter 06, several questions at once."""

import numpy as np

from ..attention import scaled_dot_product_attention
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

SIZES = [(3, 4, 2), (5, 6, 3), (2, 6, 1), (4, 8, 4)]  # n, d_model, num_heads


def _cut(a, num_heads):
    return a.reshape(len(a), num_heads, -1).swapaxes(0, 1)


def _right(X, W_q, W_k, W_v, W_o, num_heads):
    """Output, weights and the heads before they are joined, (num_heads, n, d_v)."""
    heads, weights = scaled_dot_product_attention(*(_cut(X @ W, num_heads) for W in (W_q, W_k, W_v)))
    return heads.swapaxes(0, 1).reshape(len(X), -1) @ W_o, weights, heads


def _trials(seed):
    """Tokens, wide matrices and numbers of heads, the last with scores that overflow exp."""
    random = np.random.default_rng(seed)
    for n, d, num_heads in SIZES:
        X, matrices = random.normal(size=(n, d)), random.normal(size=(4, d, d))
        yield (X, *matrices, num_heads)
    yield (np.eye(3, 4), 3e4 * np.eye(4), np.eye(4), *random.normal(size=(2, 4, 4)), 2)


def multi_head(answer, seed=0):
    """Check a student's ``answer(X, W_q, W_k, W_v, W_o, num_heads) -> (output, weights)``.

    Parameters
    ----------
    answer : function of X (n, d_model), four matrices (d_model, d_model), num_heads int
    seed : int, where the trials come from

    Raises
    ------
    NotAttempted
        The function is the stub.
    Wrong
        A trial fails; the message says which and how.
    """
    names = ("X", "W_q", "W_k", "W_v", "W_o", "num_heads")
    for trial in _trials(seed):
        arguments = dict(zip(names, trial, strict=True))
        given, got = shapes(X=trial[0], num_heads=trial[-1]), ask(answer, **arguments)
        if not (isinstance(got, tuple) and len(got) == 2):
            raise Wrong("Expected two results, (output, weights). How many does your function return?")
        (output, weights), (expected, right, heads) = got, _right(*trial)
        need_shape("weights", weights, right.shape, given)
        need_finite("weights", weights, given)
        need_rows_sum_to_one(weights, given)
        need_close("weights", weights, right, _about_weights(weights, trial))
        need_shape("output", output, expected.shape, given)
        need_close("output", output, expected, _about_output(output, heads, trial))
    passed(f"output and the weights of every head hold on {len(SIZES) + 1} trials with 1 to 4 heads.")


def _about_weights(weights, trial):
    """The question that leads from known wrong weights to the mistake behind them."""
    X, W_q, W_k, _, _, h = trial
    Q, K, n = X @ W_q, X @ W_k, len(X)
    d_k = Q.shape[-1] // h
    known = (
        (_cut(Q, h) / h**0.5, _cut(K, h), "Whose length is under the root, that of a token or that of a head?"),
        (_cut(Q, h) * d_k**0.5, _cut(K, h), "What stands between the scores and the softmax?"),
        (
            Q.reshape(h, n, -1),
            K.reshape(h, n, -1),
            "Which token is row 2 of head 1 made of? Draw it with labelled numbers.",
        ),
        (Q.reshape(n, -1, h).transpose(2, 0, 1), K.reshape(n, -1, h).transpose(2, 0, 1), "Which columns has head 1?"),
        (_cut(K, h), _cut(Q, h), "Who asks in row 1 of your weights?"),
    )
    for query, key, question in known:
        if np.allclose(weights, scaled_dot_product_attention(query, key, key)[1], atol=1e-6):
            return question
    return "Take the first head alone: which columns of W_q and W_k has it?"


def _about_output(output, heads, trial):
    """The question that leads from a known wrong output to the mistake behind it."""
    W_o, n = trial[4], heads.shape[1]
    known = (
        (heads.swapaxes(0, 1).reshape(n, -1), "The heads are joined rightly. What comes after that?"),
        (heads.reshape(n, -1) @ W_o, "In which order stand the axes when the heads are joined?"),
        (heads.transpose(1, 2, 0).reshape(n, -1) @ W_o, "In which order stand the heads of one token?"),
        (heads.swapaxes(0, 1).reshape(n, -1) @ W_o.T, "Row vectors meet W_o from which side?"),
    )
    for wrong, question in known:
        if np.allclose(output, wrong):
            return question
    return "The weights are right. What does each head mix, and how are the heads joined?"


def layer_numbers(d_k, parameters, table_cells):
    """Check d_k, the number of parameters and of weights of a layer: d_model 768, 12 heads, 100 tokens.

    Parameters
    ----------
    d_k, parameters, table_cells : int

    Raises
    ------
    NotAttempted, Wrong
    """
    widths = {
        768: "every head were as wide as a token. How are the 768 shared out?",
        12: "the number of heads is taken.",
    }
    choose(d_k, 64, widths, digits=0, hint="How are the 768 numbers shared out among the heads?")
    square = 768**2
    counts = {
        4 * square: "the biases are left out. How many has each of the four?",
        3 * square + 3 * 768: "the matrix that mixes the heads is left out. What is W_o for?",
        3 * square: "W_o and the biases are left out.",
        12
        * (4 * square + 4 * 768): "each head had matrices as wide as the whole layer. Does the number depend on heads?",
    }
    choose(
        parameters, 4 * square + 4 * 768, counts, digits=0, hint="Four matrices and four biases: what are their shapes?"
    )
    tables = {
        100**2: "all heads share one table. How many tables did the figure show for two heads?",
        12 * 100: "there is one weight for each token. How many does each token compute?",
    }
    choose(table_cells, 12 * 100**2, tables, digits=0, hint="How large is one table, and how many are there?")
    passed("width, parameters and tables; only the tables grow with the tokens.")


REASONS = {
    "shape": "the wrong function has the right shape. Which test would see that tokens are mixed?",
    "rows": "softmax sums to 1 whatever it is given. Which test would see that tokens are mixed?",
    "count": "no parameter is gained or lost. Which test would see that tokens are mixed?",
}


def split_heads(answer, caught_by, seed=0):
    """Check the mended ``answer(a, num_heads)``, (n, d) -> (num_heads, n, d / num_heads), and the test that was named.

    Parameters
    ----------
    answer : function of a (n, d) and num_heads int
    caught_by : str, 'shape', 'rows', 'count' or 'order'
    seed : int, where the trials come from

    Raises
    ------
    NotAttempted, Wrong
        As `multi_head`.
    """
    random = np.random.default_rng(seed)
    for n, d, num_heads in SIZES:
        a = random.normal(size=(n, d))
        got, right = ask(answer, a=a, num_heads=num_heads), _cut(a, num_heads)
        given = shapes(a=a, num_heads=num_heads)
        need_shape("the result", got, right.shape, given)
        if np.allclose(got, a.reshape(num_heads, n, -1)) and not np.allclose(got, right):
            raise Wrong(f"With {given}, row 2 of head 1 still holds numbers of token 1. What must be cut first?")
        need_close("the result", got, right, "Head 1 has the first columns of every token. Which has yours?")
    need_named(caught_by, "order", REASONS)
    passed("every head has its own columns of every token; exchanged tokens would have shown otherwise.")
