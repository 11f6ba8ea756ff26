"""Checks of chapter 01, what attention computes."""

from math import exp, sqrt

from ._ask import ask_for_own_lines, ask_for_two, draw_from, draw_sizes, name_shapes
from ._attention import NAMES, are_apart, need_attention
from ._compare import check_number, need_named
from ._message import half, say_right

# n, m, d_k, d_v; first n = m, so that what is wrong in itself shows before what fails for n ≠ m only
SIZES = [(6, 6, 5, 3), (2, 7, 3, 4), (1, 2, 3, 1), (4, 3, 9, 2), (3, 7, 1, 5), (3, 1, 4, 2), (4, 6, 3, 3)]
SIZES += [(5, 5, 5, 5), (11, 13, 12, 10)]


def _trials(seed):
    """Queries, keys and values of awkward sizes, with scores for which exp is safe: chapter 2 shows when it is not."""
    random = draw_from(seed)
    for n, m, d_k, d_v in draw_sizes(SIZES, seed, are_apart):
        yield random.normal(size=(n, d_k)) * 2, random.normal(size=(m, d_k)) * 2, random.normal(size=(m, d_v))


def attention(answer, seed=0):
    """Check a student's ``answer(query, key, value) -> (output, weights)``, scaled dot-product attention without mask.

    The shapes are query (n, d_k), key (m, d_k) and value (m, d_v).
    """
    _need_attention(answer, seed)
    ask_for_own_lines(answer, **dict(zip(("query", "key", "value"), next(_trials(seed)), strict=True)))


def _need_attention(answer, seed):
    for query, key, value in _trials(seed):
        got = ask_for_two(NAMES, answer, query=query, key=key, value=value)
        need_attention(got, query, key, value, name_shapes(query=query, key=key, value=value))
    say_right("output and weights are correct in all {trials} trials, including n ≠ m.", trials=len(SIZES))


def mended_attention(answer, caught_by, seed=0):
    """Check the mended function of chapter 01, and the name of the test that shows both faults.

    The `answer` is a function as for `attention`, and `caught_by` is 'shape', 'rows', 'square' or 'uneven'.
    """
    _need_attention(answer, seed)
    with half():
        need_named(caught_by, "uneven", "mended_attention")


def doubled_query(answer, *, times=2):
    """Check the weight that *The* keeps for itself once its query is (times, 0) instead of (1, 0).

    The `answer` is a float, rounded to 3 decimals, and `times` is an int.
    """
    gap = times / sqrt(2)
    before = 1 / (1 + exp(-1 / sqrt(2)))
    wrong = {
        "old_weight": before,
        "not_scaled": 1 / (1 + exp(-times)),
        "divided_by_d_k": 1 / (1 + exp(-times / 2)),
        "swapped": 1 / (1 + exp(gap)),
        "in_proportion": times * before,
        "ratio": exp(gap),
        "score": gap,
    }
    fields = {"times": times, "gap": gap, "ratio": exp(gap)}
    check_number("doubled_query", answer, 1 / (1 + exp(-gap)), digits=3, given=fields, **wrong)
    if times == 2:
        say_right("the gap doubles, so the ratio of the weights is squared.")
    else:
        message = "the gap is {times} times as large, so the ratio of the weights is raised to the power {times}."
        say_right(message, times=times)
