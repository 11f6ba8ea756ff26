"""What chapter 5 says of masks and holds for any numbers: by algebra, or by how floating-point numbers are rounded."""

import numpy as np
import pytest
import torch
from torch.nn import MultiheadAttention

from attention_course.tasks import scene_examples
from attention_src import causal_mask, softmax

USES = ("fused", "spoiled", "who_reacts", "who_sees", "trained", "report")
SEEDS = range(5)
Y = slice(4, 7)  # the written words among all tokens


def draw_scores(random):
    n = int(random.integers(3, 9))
    return 2 * random.normal(size=(n, n)), causal_mask(n)


def test_what_is_struck_out_after_the_softmax_depends_on_what_comes_next_and_before_it_does_not(random):
    scores, mask = draw_scores(random)
    raised = scores.copy()
    raised[:, -1] += 1
    assert ((softmax(raised) * mask)[:-1].sum(-1) < (softmax(scores) * mask)[:-1].sum(-1)).all()
    assert (softmax(raised, mask)[:-1] == softmax(scores, mask)[:-1]).all()


def test_rows_that_are_struck_out_and_divided_by_their_sums_are_those_that_were_masked_before(random):
    scores, mask = draw_scores(random)
    after = softmax(scores) * mask
    np.testing.assert_allclose(after / after.sum(-1, keepdims=True), softmax(scores, mask))


def test_dividing_gives_nan_where_a_forbidden_score_is_far_larger_and_masking_before_gives_all_weight(random):
    scores, mask = np.array([0, random.uniform(750, 5000)]), np.array([True, False])
    struck = softmax(scores) * mask
    assert struck.sum() == 0  # 0 / 0 is NaN
    assert softmax(scores, mask).tolist() == [1, 0]


def test_minus_1e9_makes_a_mean_of_a_row_that_may_look_nowhere_or_no_mask_at_all_or_nan(random):
    scores = torch.tensor(draw_scores(random)[0])
    equal = torch.full_like(scores, 1 / len(scores))
    torch.testing.assert_close(scores.masked_fill(scores.isfinite(), -1e9).softmax(-1), equal)
    torch.testing.assert_close((scores - 1e9).softmax(-1), scores.softmax(-1), rtol=1e-6, atol=0)
    large = scores.float().clip(-5, 5) * 6  # between −30 and 30
    torch.testing.assert_close((large - 1e9).softmax(-1), equal.float())
    assert (scores.half() - 1e9).softmax(-1).isnan().all()


def test_torchs_layer_takes_three_paths_for_a_row_that_may_look_nowhere(book, random):
    n, d = (int(x) for x in random.integers([3, 2], [9, 7]))
    x, seen = torch.tensor(random.normal(size=(1, n, d))), torch.tensor(random.random((n, n)) < 0.6)
    seen[0] = False
    layer = MultiheadAttention(d, 1, batch_first=True, dtype=torch.float64)
    torch.nn.init.normal_(layer.out_proj.bias)
    assert layer(x, x, x, attn_mask=~seen)[0][0, 0].isnan().all()
    torch.testing.assert_close(layer(x, x, x, attn_mask=~seen, need_weights=False)[0][0, 0], layer.out_proj.bias)
    assert (book.fused(x, x, x, seen)[0, 0] == 0).all()
    in_use = MultiheadAttention(2 * d, 2, batch_first=True, dtype=torch.float64).eval()
    pairs = x.repeat(1, 1, 2)
    with torch.no_grad():
        assert in_use(pairs, pairs, pairs, attn_mask=~seen, need_weights=False)[0][0, 0].isnan().all()


@pytest.mark.parametrize(
    "way, low, spoils",
    [
        ("fill", -np.inf, [False, False, True]),
        ("add", -np.inf, [True, True, True]),
        ("fill", -1e9, [False, False, False]),
        ("function", -np.inf, [False, False, False]),
    ],
)
def test_which_gradients_a_row_that_may_look_nowhere_spoils(book, way, low, spoils):
    for seed in SEEDS:
        assert book.spoiled(way, seed, low, n=2 + seed, d=6 - seed) == spoils


@pytest.mark.parametrize("seed", SEEDS)
def test_no_source_word_reacts_to_what_is_written_and_no_written_word_to_a_later_one(book, seed):
    reacts = book.who_reacts(causal_mask(3), seed)
    assert not reacts[:4, Y].any()
    assert not np.triu(reacts[Y, Y], 1).any()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_word_with_one_word_to_look_at_does_not_react_to_itself(book, seed):
    assert book.who_reacts(~causal_mask(3), seed)[5, 5] == 0


@pytest.mark.parametrize("mask", [causal_mask(3), ~causal_mask(3)], ids=["causal", "opposite"])
def test_who_sees_never_shows_more_than_the_mask(book, mask):
    seen = [book.who_sees(mask, seed) for seed in range(30)]
    assert not any((one > mask).any() for one in seen)
    assert np.array_equal(np.max(seen, axis=0), mask)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_network_that_reads_the_same_word_every_time_finds_a_third_at_most(book, seed):
    _, scenes = scene_examples(2, 40, seed=seed)
    found, weight, _, _ = book.report(book.trained(scenes, 0, seed, steps=0), scenes, 0)
    assert max(found, weight) <= 1 / 3 + 1e-9


@pytest.mark.parametrize("seed", SEEDS)
def test_a_network_that_reads_the_same_word_every_time_has_the_error_of_the_median_at_least(book, seed):
    _, scenes = scene_examples(2, 40, seed=seed)
    _, _, error, _ = book.report(book.trained(scenes, 0, seed, steps=20), scenes, 0)
    colours = scenes.colours.astype(float)
    median, mean = (of(colours, axis=1, keepdims=True) for of in (np.median, np.mean))
    assert abs(colours - median).mean() < min(error, abs(colours - mean).mean() - 0.01)
