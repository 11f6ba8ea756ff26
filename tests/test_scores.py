"""What is true of one score or another; what they all promise is in `test_contract`."""

import numpy as np
import pytest
import torch
from reference import D_Q, D, H, M, N, both_libraries, random, refuses, same

from attention_src.scores import additive_score, dot_score, general_score, scaled_dot_score


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
