"""Checks of chapter 04, one input and three roles."""

import numpy as np

from attention_src.attention import scaled_dot_product_attention

from ..tasks.retrieval import lookup_examples, share_attended
from ._ask import as_numpy, ask_for, ask_for_two, draw_from, draw_sizes, name_shapes
from ._attention import NAMES, are_apart, need_attention
from ._compare import check_number, list_nearer, need_close, need_shape
from ._message import NotAttempted, Part, Wrong, half, say_right

# n, d_model, d_k, d_v; first all different
SIZES = [(5, 7, 3, 2), (1, 3, 2, 4), (5, 3, 7, 2), (3, 4, 4, 4), (4, 6, 3, 3), (5, 5, 5, 5), (11, 13, 12, 10)]


def _trials(seed):
    """Tokens and three matrices of awkward sizes, the last with scores that overflow exp."""
    random = draw_from(seed)
    for n, d_model, d_k, d_v in draw_sizes(SIZES, seed, are_apart):
        sizes = {"X": (n, d_model), "W_q": (d_model, d_k), "W_k": (d_model, d_k), "W_v": (d_model, d_v)}
        scales = {"X": 1.5} | dict.fromkeys(("W_q", "W_k", "W_v"), 1 / round(d_model**0.5))
        yield {name: scales[name] * random.normal(size=size) for name, size in sizes.items()}
    yield {"X": np.eye(4, 5), "W_q": 10000 * np.eye(5, 4), "W_k": np.eye(5, 4), "W_v": random.normal(size=(5, 2))}


TOKEN = 13  # five numbers for a token's name, five for the name that it asks for, three bits


def _need_matrices(matrices):
    """Return the three matrices as NumPy after checking that they are matrices that fit a token and each other."""
    if any(matrix is ... or matrix is None for matrix in matrices.values()):
        raise NotAttempted("there are not three matrices yet")
    matrices = {name: as_numpy(matrix).astype(float) for name, matrix in matrices.items()}
    for name, matrix in matrices.items():
        if matrix.ndim != 2 or len(matrix) != TOKEN:
            seen = Part("{name} has shape {shape}", name=name, shape=matrix.shape)
            raise Wrong(seen, Part("{rows} rows", rows=TOKEN), "How many numbers does a token have?")
        if not np.isfinite(matrix).all():
            seen = Part("{name} has NaN or infinity", name=name)
            raise Wrong(seen, question="Which entry did you not mean to be so?")
    W_q, W_k, W_v = matrices.values()
    if W_q.shape != W_k.shape:
        seen = Part("{shapes}", shapes=name_shapes(W_q=W_q, W_k=W_k))
        raise Wrong(seen, "two matrices of one shape", "How long must a query be to meet a key?")
    if W_v.shape[1] != 3:
        seen = Part("{name} has shape {shape}", name="W_v", shape=W_v.shape)
        raise Wrong(seen, "3 columns", "How many bits does the answer have?")
    return W_q, W_k, W_v


def _ask_about_weights(weights, wanted):
    """The question that leads from weights that miss the token that is asked for to the mistake."""
    itself, asked, asker = share_attended(weights, wanted)
    if np.ptp(weights) < 1e-3:
        return "All weights are equal. Which numbers of a query can meet a number of a key that is not 0?"
    if asker > 0.99 > asked:
        return "The largest weights are on the token that asks. Which name should the query show, and which the key?"
    if itself > 0.99:
        return "Each token attends most to itself. Which of its two names does its query show?"
    if asked > 0.99 and itself < 0.01:
        return "The largest weight is on the right token. By how much must its score exceed the others for 0.9?"
    if asked > 0.99:
        return "Of the others, each token prefers the right one. What else does its key or query contain?"
    return "Take one token: which numbers does its query contain, and with which key does it have the largest product?"


def designed_head(W_q, W_k, W_v, seed=0):
    """Check matrices W_q, W_k (13, d_k) and W_v (13, 3) designed by hand for the task of `lookup_examples`.

    They are tried on 200 sequences drawn by the seed.
    """
    W_q, W_k, W_v = _need_matrices({"W_q": W_q, "W_k": W_k, "W_v": W_v})
    examples, _ = lookup_examples(200, 0, seed=seed)
    X = examples.tokens.astype(float)
    output, weights = scaled_dot_product_attention(X @ W_q, X @ W_k, X @ W_v)
    wanted, query, keys, values = int(examples.wanted[0, 0]), X[0, 0] @ W_q, X[0] @ W_k, X[0] @ W_v
    seen = {"scores": keys @ query / W_q.shape[1] ** 0.5, "output": output[0, 0], "answer": examples.answers[0, 0]}
    seen |= {"query": query, "key": keys[wanted], "value": values[wanted]}
    seen = {name: np.round(numbers, 2).tolist() for name, numbers in seen.items()}
    nearer = list_nearer("designed_head", wanted=wanted, **seen)
    on_asked = np.take_along_axis(weights, examples.wanted[..., None], axis=-1).min()
    if on_asked < 0.9:
        seen = Part("The asked token gets a weight of {weight:.2f} somewhere", weight=float(on_asked))
        raise Wrong(seen, "at least 0.9", _ask_about_weights(weights, examples.wanted), nearer)
    right = (np.sign(output) == examples.answers).mean()
    if right < 1:
        seen = Part("{share:.0%} of the signs are right", share=float(right))
        question = "Which three of a token's 13 numbers are its bits, and what should become of the other ten?"
        if (np.sign(output) == -examples.answers).all():
            question = "Which sign should a bit have when it comes out?"
        raise Wrong(seen, None, question, nearer)
    message = "all signs are right in 200 sequences, and the asked token always gets {weight:.2f} or more."
    say_right(message, weight=float(np.floor(100 * on_asked) / 100))


def mended_head(answer, wrong_score, seed=0):
    """Check the mended head of chapter 04, and what the wrong one makes of a score of 8, at d_model = 100, d_k = 25.

    The answer takes X (n, d_model), W_q and W_k (d_model, d_k), and W_v (d_model, d_v); `wrong_score` is a float, to
    one decimal.
    """
    for trial in _trials(seed):
        X, *matrices = trial.values()
        need_attention(ask_for_two(NAMES, answer, **trial), *(X @ W for W in matrices), name_shapes(**trial), tokens=X)
    with half():
        wrong = {"same_number": 8, "by_less": 16, "by_lengths": 2, "not_divided": 40, "by_both": 0.8}
        check_number("mended_head", wrong_score, 8 * 25**0.5 / 100**0.5, digits=1, **wrong)
    message = "output and weights are correct in all {trials} trials, with several sizes of d_model, d_k and d_v."
    say_right(message, trials=len(SIZES) + 1)


def projections(answer, seed=0):
    """Check a student's ``answer(X, W_q, W_k, W_v) -> (queries, keys, values)``, a row for each row of X.

    X is (n, d_model), W_q and W_k are (d_model, d_k), and W_v is (d_model, d_v).
    """
    names = ("queries", "keys", "values")
    for trial in _trials(seed):
        X, *matrices = trial.values()
        got, rights = ask_for(3, f"({', '.join(names)})", answer, **trial), [X @ W for W in matrices]
        for name, one, right in zip(names, got, rights, strict=True):
            which = "That is X @ {matrix}. Which matrix makes {name}?"
            others = [(X @ trial[W], Part(which, matrix=W, name=name)) for W in ("W_q", "W_k", "W_v")]
            question = "How long is a row of X times a matrix, and how many rows are there?"
            need_shape(name, one, right.shape, name_shapes(**trial), question)
            question = "Take one token and one column by hand: which numbers are multiplied?"
            need_close(name, one, right, question, others)
    say_right("queries, keys and values are correct in all {trials} trials.", trials=len(SIZES) + 1)


def numbers_and_rank(numbers, rank, *, d_model=100, d_k=8, d_v=20):
    """Check how many numbers the matrices of a head hold, and the largest rank of its score table for 50 tokens.

    All arguments are int; `numbers` and `rank` are the answers.
    """
    counts = {
        "no_values": 2 * d_model * d_k,
        "long_as_keys": 3 * d_model * d_k,
        "long_as_values": 3 * d_model * d_v,
        "one_for_both": d_model * (d_k + d_v),
        "square": 3 * d_model**2,
        "projections": 50 * (2 * d_k + d_v),
    }
    fields = {"d_model": d_model, "d_k": d_k, "one": d_model * d_k}
    check_number("head_numbers", numbers, d_model * (2 * d_k + d_v), given=fields, **counts)
    ranks = {"size_of_table": 50, "wide": d_model, "values": d_v, "multiplied": d_k**2, "added": 2 * d_k}
    check_number("head_rank", rank, d_k, **ranks)
    say_right("the matrices and the rank stay the same however many tokens there are.")
