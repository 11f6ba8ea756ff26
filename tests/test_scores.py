"""What is true of one score or another; what they all promise is in `test_contract`."""

import numpy as np
import pytest
import torch
from reference import BATCH, D_Q, D, H, M, N, both_libraries, each, loop_tanh, random, refuses, same

from attention_src.scores import additive_score, dot_score, general_score, scaled_dot_score, tanh_score

PROJECTED = {"query": (N, H), "key": (M, H), "v": (H,)}
SHAPES = {
    dot_score: {"query": (N, D), "key": (M, D)},
    scaled_dot_score: {"query": (N, D), "key": (M, D)},
    general_score: {"query": (N, D_Q), "key": (M, D), "w": (D_Q, D)},
    additive_score: {"query": (N, D_Q), "key": (M, D), "w_query": (D_Q, H), "w_key": (D, H), "v": (H,)},
    tanh_score: PROJECTED,
}


def test_a_division_by_the_root_of_the_length_brings_the_variance_back_to_one():
    query, key = random((500, 256), (400, 256))
    assert dot_score(query, key).var() == pytest.approx(256, rel=0.02)
    assert scaled_dot_score(query, key).var() == pytest.approx(1, rel=0.02)


@both_libraries
def test_a_scale_replaces_the_root(array):
    query, key = map(array, random((N, D), (M, D)))
    same(scaled_dot_score(query, key, scale=3), 3 * dot_score(query, key))
    with refuses(TypeError, "scale is '2'; expected a real number"):
        scaled_dot_score(query, key, scale="2")


@both_libraries
def test_a_dot_product_that_overflows_half_precision_is_scaled_before_it_is_rounded(array):
    eighties = array(np.full((1, 16), 80, np.float16))
    assert scaled_dot_score(eighties, eighties).tolist() == [[25600.0]]  # 102,400 / 4; the largest float16 is 65,504


def test_the_two_half_precisions_meet_in_float32():
    assert scaled_dot_score(torch.ones(1, 2).half(), torch.ones(1, 2).bfloat16()).dtype == torch.float32


def test_a_general_score_with_the_identity_is_the_dot_product():
    query, key = random((N, D), (M, D))
    same(general_score(query, key, np.eye(D)), dot_score(query, key))


def test_an_additive_score_is_never_larger_than_the_sum_of_the_sizes_of_v():
    query, key, w_query, w_key, v = random((N, D_Q), (M, D), (D_Q, H), (D, H), (H,))
    assert abs(additive_score(1e4 * query, key, w_query, w_key, v)).max() <= abs(v).sum()


@both_libraries
def test_a_score_of_projected_queries_and_keys_is_what_the_loops_say(array):
    query, key, v = random((BATCH, N, H), (M, H), (H,))
    same(tanh_score(array(query), array(key), array(v)), each(lambda q, k: loop_tanh(q, k, v), query, key))
    half = [array(a.astype("float16")) for a in (query, key, v)]
    assert tanh_score(*half).dtype == half[0].dtype


@both_libraries
@pytest.mark.parametrize("score", SHAPES, ids=lambda score: score.__name__)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_nan_and_infinity_spoil_only_their_own_row_or_column(score, array, bad):
    arguments = dict(zip(SHAPES[score], random(*SHAPES[score].values()), strict=True))
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
@pytest.mark.parametrize(
    "changed, message",
    [
        (
            {"key": (M, 3)},
            "query (5, 9) and key (7, 3): query and key must be projected to the same length h, got 9 and 3",
        ),
        ({"v": (3,)}, "query (5, 9) and v (3,): v needs a number for each column of query, got 9 and 3"),
        ({"v": (H, H)}, "v has shape (9, 9); expected (h,)"),
    ],
)
def test_projected_shapes_that_do_not_fit_are_named(changed, message, array):
    with refuses(ValueError, message):
        tanh_score(*map(array, random(*(PROJECTED | changed).values())))
