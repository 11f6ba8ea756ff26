"""Scores against loops, gradients against finite differences, and every refusal word by word."""

import numpy as np
import pytest
import torch
from reference import (
    BATCH,
    D_Q,
    HEADS,
    D,
    H,
    M,
    N,
    both_libraries,
    each,
    loop_additive,
    loop_dot,
    loop_general,
    loop_scaled,
    loop_tanh,
    odd_versions,
    random,
    refuses,
    same,
)

from attention_src.scores import additive_score, dot_score, general_score, scaled_dot_score, tanh_score

SCORES = {
    dot_score: (loop_dot, {"query": (N, D), "key": (M, D)}),
    scaled_dot_score: (loop_scaled, {"query": (N, D), "key": (M, D)}),
    general_score: (loop_general, {"query": (N, D_Q), "key": (M, D), "w": (D_Q, D)}),
    tanh_score: (loop_tanh, {"query": (N, H), "key": (M, H), "v": (H,)}),
    additive_score: (
        loop_additive,
        {"query": (N, D_Q), "key": (M, D), "w_query": (D_Q, H), "w_key": (D, H), "v": (H,)},
    ),
}
every_score = pytest.mark.parametrize("score", SCORES, ids=lambda score: score.__name__)


def made(score, query=(), key=(), seed=0):
    """The loop of a score and its arguments, with these axes before the last two of query and key."""
    loop, shapes = SCORES[score]
    shapes = shapes | {"query": (*query, *shapes["query"]), "key": (*key, *shapes["key"])}
    return loop, dict(zip(shapes, random(*shapes.values(), seed=seed), strict=True))


@both_libraries
@every_score
def test_a_score_is_what_the_loops_say(score, array):
    loop, arguments = made(score)
    got = score(**{name: array(a) for name, a in arguments.items()})
    same(got, loop(**arguments))
    assert type(got) is type(array(1.0)[None])


@both_libraries
@every_score
@pytest.mark.parametrize("query, key", [((BATCH,), (BATCH,)), ((BATCH, 1), (HEADS,)), ((), (HEADS, BATCH)), ((1,), ())])
def test_leading_axes_broadcast(score, array, query, key):
    loop, arguments = made(score, query, key)
    q, k, *parameters = arguments.values()
    expected = each(lambda q, k: loop(q, k, *parameters), q, k)
    same(score(*map(array, (q, k, *parameters))), expected)


@every_score
def test_gradients_are_those_of_finite_differences(score):
    _, arguments = made(score, query=(BATCH, 1), key=(HEADS,))
    assert torch.autograd.gradcheck(
        score, [torch.tensor(a, requires_grad=True) for a in arguments.values()], fast_mode=True
    )


@both_libraries
@every_score
def test_inputs_are_never_modified(score, array):
    _, arguments = made(score)
    given = [array(a) for a in arguments.values()]
    score(*given)
    for before, after in zip(arguments.values(), given, strict=True):
        same(after, before, tolerance=0)


def test_a_division_by_the_root_of_the_length_brings_the_variance_back_to_one():
    query, key = random((500, 256), (400, 256))
    assert dot_score(query, key).var() == pytest.approx(256, rel=0.02)
    assert scaled_dot_score(query, key).var() == pytest.approx(1, rel=0.02)


def test_a_general_score_with_the_identity_is_the_dot_product():
    query, key = random((N, D), (M, D))
    same(general_score(query, key, np.eye(D)), dot_score(query, key))


def test_an_additive_score_is_never_larger_than_the_sum_of_the_sizes_of_v():
    _, arguments = made(additive_score)
    arguments["query"] *= 1e4
    assert abs(additive_score(**arguments)).max() <= abs(arguments["v"]).sum()


@both_libraries
@every_score
def test_integers_are_taken_as_real_numbers(score, array):
    _, arguments = made(score)
    whole = {name: np.round(3 * a).astype(int) for name, a in arguments.items()}
    default = array(0.5).dtype
    expected = score(**{name: array(a.astype(str(default).removeprefix("torch."))) for name, a in whole.items()})
    got = score(**{name: array(a) for name, a in whole.items()})
    assert got.dtype == default
    same(got, expected, tolerance=0)


@both_libraries
@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
@every_score
def test_integers_take_the_dtype_of_the_other_arguments(score, kind, array):
    _, arguments = made(score)
    given = {name: array(a.astype(kind)) for name, a in arguments.items()}
    given["query"] = array(np.ones(arguments["query"].shape, int))
    assert score(**given).dtype == given["key"].dtype


@every_score
@pytest.mark.parametrize("half", [torch.float16, torch.bfloat16])
def test_half_precision_is_rounded_once_at_the_end(score, half):
    _, arguments = made(score)
    rough = {name: torch.tensor(a).to(half) for name, a in arguments.items()}
    exact = score(**{name: a.float() for name, a in rough.items()})
    got = score(**rough)
    assert got.dtype == half
    assert torch.equal(got, exact.to(half))
    if half == torch.float16:
        same(score(**{name: a.numpy() for name, a in rough.items()}), got, tolerance=1e-3)


@both_libraries
def test_a_dot_product_that_overflows_half_precision_is_scaled_before_it_is_rounded(array):
    eighties = array(np.full((1, 16), 80, np.float16))
    assert scaled_dot_score(eighties, eighties).tolist() == [[25600.0]]  # 102,400 / 4; the largest float16 is 65,504


@both_libraries
def test_different_precisions_meet_in_the_higher(array):
    query, key = random((N, D), (M, D))
    assert scaled_dot_score(array(query.astype("float32")), array(key)).dtype == array(0.5 * key).dtype
    assert scaled_dot_score(torch.ones(1, 2).half(), torch.ones(1, 2).bfloat16()).dtype == torch.float32


@both_libraries
@every_score
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_none_spoils_only_its_own_row_or_column(score, array, bad):
    _, arguments = made(score)
    clean = score(**arguments)
    for name, place in ("query", np.s_[2, :]), ("key", np.s_[:, 2]):
        spoilt = arguments[name].copy()
        spoilt[2] = bad
        with np.errstate(invalid="ignore"):
            got = np.asarray(score(**{key: array(a) for key, a in (arguments | {name: spoilt}).items()}))
        assert not np.isclose(got[place], clean[place]).any()
        got[place] = clean[place]
        same(got, clean)


@both_libraries
@every_score
def test_odd_input_is_refused_by_name(score, array):
    _, arguments = made(score)
    for given, error, message in odd_versions(array, arguments):
        with refuses(error, message):
            score(**given)


@both_libraries
@every_score
@pytest.mark.parametrize("name", ["query", "key"])
def test_a_single_vector_is_not_a_row_of_vectors(score, array, name):
    _, arguments = made(score)
    arguments[name] = arguments[name][0]
    shape = arguments[name].shape
    with refuses(ValueError, f"{name} has shape {shape}; expected (..., rows, d), one row for each query or key"):
        score(*map(array, arguments.values()))


@both_libraries
@every_score
def test_leading_axes_that_do_not_broadcast_are_refused(score, array):
    _, arguments = made(score, query=(BATCH, 1), key=(HEADS, HEADS))
    arguments["query"] = np.concatenate([arguments["query"]] * 2, axis=1)
    q, k = arguments["query"].shape, arguments["key"].shape
    why = f"the axes before the last two do not broadcast, got {q[:2]} and {k[:2]}"
    with refuses(ValueError, f"query {q} and key {k}: {why}"):
        score(*map(array, arguments.values()))


LENGTHS = "the dot product needs vectors of equal length"
V = "v needs a number for each column of w_query"


@both_libraries
@pytest.mark.parametrize(
    "score, changed, message",
    [
        (dot_score, {"key": (M, 3)}, f"query (5, 4) and key (7, 3): {LENGTHS}, got 4 and 3"),
        (scaled_dot_score, {"query": (N, 3)}, f"query (5, 3) and key (7, 4): {LENGTHS}, got 3 and 4"),
        (
            general_score,
            {"w": (D, D_Q)},
            "query (5, 8) and w (4, 8): w needs a row for each number of a query, got 8 and 4",
        ),
        (
            general_score,
            {"w": (8, 3)},
            "key (7, 4) and w (8, 3): w needs a column for each number of a key, got 4 and 3",
        ),
        (general_score, {"w": (8,)}, "w has shape (8,); expected (d_q, d_k)"),
        (general_score, {"w": (2, 8, 4)}, "w has shape (2, 8, 4); expected (d_q, d_k)"),
        (
            additive_score,
            {"w_query": (3, H)},
            "query (5, 8) and w_query (3, 9): w_query needs a row for each number of a query, got 8 and 3",
        ),
        (
            additive_score,
            {"w_key": (3, H)},
            "key (7, 4) and w_key (3, 9): w_key needs a row for each number of a key, got 4 and 3",
        ),
        (
            additive_score,
            {"w_key": (D, 3)},
            "w_query (8, 9) and w_key (4, 3): both must lead to the same length h, got 9 and 3",
        ),
        (additive_score, {"w_query": (D_Q,)}, "w_query has shape (8,); expected (d, h)"),
        (additive_score, {"w_key": (2, D, H)}, "w_key has shape (2, 4, 9); expected (d, h)"),
        (additive_score, {"v": (3,)}, f"w_query (8, 9) and v (3,): {V}, got 9 and 3"),
        (
            tanh_score,
            {"key": (M, 3)},
            "query (5, 9) and key (7, 3): query and key must be projected to the same length h, got 9 and 3",
        ),
        (tanh_score, {"v": (3,)}, "query (5, 9) and v (3,): v needs a number for each column of query, got 9 and 3"),
        (tanh_score, {"v": (H, H)}, "v has shape (9, 9); expected (h,)"),
        (additive_score, {"v": (3, D)}, "v has shape (3, 4); expected (h,)"),
        (additive_score, {"v": (H, H)}, "v has shape (9, 9); expected (h,)"),
    ],
)
def test_shapes_that_do_not_fit_are_named(score, changed, message, array):
    shapes = SCORES[score][1] | changed
    with refuses(ValueError, message):
        score(*map(array, random(*shapes.values())))
