"""What chapter 10 says of its bugs and detectors and holds for any numbers: by algebra, or by construction."""

import numpy as np
import pytest
import torch

from attention_course.museum import detectors
from attention_course.museum.exhibits import EXHIBITS, STRANGERS, caught
from attention_src import causal_mask, scaled_dot_product_attention, softmax
from attention_src.positions import alibi_bias

ATTENDS = ("over_queries", "after", "across", "viewed", "opposite", "blind")
PLACES = ("right_attention", "right_places", "along_the_batch")
SEEDS = range(20)


USES = ("Bench", *ATTENDS, *PLACES)


@pytest.fixture(params=SEEDS)
def seed(request):
    torch.manual_seed(request.param)
    return request.param


@pytest.fixture
def tokens(seed):
    """Three sentences of 4, 6 or 8 tokens of 16 numbers."""
    return torch.randn(3, 4 + seed % 3 * 2, 16, dtype=torch.float64)


def find_reactions(model, x):
    return detectors.reactions(lambda x: model.layer(x)[0], x) > 1e-9


def test_the_sound_network_reacts_as_its_mask_says_and_its_rows_sum_to_one(book, tokens):
    sound = book.Bench()
    assert (find_reactions(sound, tokens) == causal_mask(tokens.shape[1])).all()
    assert detectors.rows_off_one(sound.layer(tokens)[1]) < 1e-9
    assert detectors.batch_leak(lambda x: sound.layer(x)[0], tokens) == 0


def test_a_softmax_over_the_queries_is_seen_in_the_rows(book, tokens):
    _, weights = book.Bench(attend=book.over_queries).layer(tokens)
    assert detectors.rows_off_one(weights) > 0.01
    torch.testing.assert_close(weights.sum(-2), torch.ones_like(weights[:, 0]))


def test_positions_along_the_batch_leave_the_order_without_effect_and_right_ones_do_not(book, tokens):
    model = book.Bench()

    def find_effect(add_places):
        def attend(x):
            return book.right_attention(*(add_places(model.place, x) @ w for w in model.w), None)[0]

        return detectors.order_effect(attend, tokens)

    assert find_effect(book.along_the_batch) < 1e-9
    assert find_effect(book.right_places) > 0.1


def test_with_positions_along_the_batch_a_letter_is_told_which_letters_came_before_and_not_in_which_order(book, tokens):
    model, n = book.Bench(), tokens.shape[1]
    swapped = tokens[:, [1, 0, *range(2, n)]]

    def find_change(add_places):
        one, other = (model.layer(add_places(model.place, x))[0][:, 2:] for x in (tokens, swapped))
        return (one - other).abs().max()

    assert find_change(book.along_the_batch) < 1e-12
    assert find_change(book.right_places) > 1e-3


def test_distances_alone_go_unnoticed_by_the_reversed_order_and_not_by_an_exchange(seed):
    random = np.random.default_rng(seed)
    n, d = random.choice(np.arange(3, 12), size=2, replace=False)
    word, swap = random.normal(size=(n, d)), np.r_[1, 0, 2:n]
    bias = 64 * alibi_bias(1, int(n))[0]

    def attend(x):
        return scaled_dot_product_attention(x, x, x, bias=bias)[0]

    assert detectors.order_effect(attend, word) < 1e-9
    assert abs(attend(word[swap])[swap] - attend(word)).max() > 1e-6


def test_attention_across_the_batch_leaks_and_no_token_reacts_to_another_of_its_sentence(book, tokens):
    mixed = book.Bench(attend=book.across)
    assert detectors.batch_leak(lambda x: mixed.layer(x)[0], tokens) > 0.01
    assert (find_reactions(mixed, tokens) == np.eye(tokens.shape[1])).all()


def test_with_view_the_two_halves_of_a_sentence_never_react_to_each_other(book, tokens):
    n = tokens.shape[1]
    half = np.arange(n) < n // 2
    reacts = find_reactions(book.Bench(attend=book.viewed), tokens)
    assert (reacts == causal_mask(n) & (half[:, None] == half)).all()
    assert (~reacts[range(1, n), range(n - 1)]).sum() == 1  # letters before that are out of sight


def test_with_the_opposite_mask_tokens_react_to_later_tokens_and_never_to_earlier_ones(book, tokens):
    reacts = find_reactions(book.Bench(attend=book.opposite), tokens)
    assert (reacts | np.tri(len(reacts), dtype=bool)).all()
    assert not np.tril(reacts, -1).any()


def test_with_a_mask_after_the_softmax_all_react_to_all_and_all_rows_but_the_last_sum_to_less_than_one(book, tokens):
    leaky = book.Bench(attend=book.after)
    sums = leaky.layer(tokens)[1].sum(-1)
    assert find_reactions(leaky, tokens).all()
    assert (sums[:, :-1] < 1).all()
    torch.testing.assert_close(sums[:, -1], torch.ones_like(sums[:, -1]))


def test_weights_of_the_query_alone_never_react_to_a_key(book, tokens):
    n = tokens.shape[1]
    visible = torch.ones(n, n, dtype=torch.bool)
    moved = detectors.reactions(lambda keys: book.blind(tokens, keys, keys, visible)[1], tokens)
    assert (moved == 0).all()


def test_larger_scores_raise_the_surprise_and_smaller_ones_lower_it(seed):
    random = np.random.default_rng(seed)
    n, m, d = random.choice(np.arange(2, 40), size=3, replace=False)
    q, k = random.normal(size=(n, d)), random.normal(size=(m, d))
    surprises = [-np.log(softmax(q @ k.T / divisor)).mean() for divisor in (1e9, d, d**0.5, 1)]
    above = [detectors.start_above_chance(surprise, int(m)) for surprise in surprises]
    assert -1e-9 < above[0] < above[1] < above[2] < above[3]


def list_missed(found, check):
    return [name for name, row in found.items() if not row[check]]


@pytest.mark.parametrize("draw", [*range(5), *range(100, 105)])
def test_which_check_catches_which_version_does_not_depend_on_the_numbers_drawn(draw):
    found = {name: caught(wrong, draw) for name, wrong in EXHIBITS.items()}
    mask_bugs = [name for name in EXHIBITS if "mask" in name]
    caught_by = {check: len(found) - len(list_missed(found, check)) for check in found["not scaled"]}
    assert caught_by == {"shape": 0, "uneven": 8, "random": 19, "masked": 25, "detect": 14, "ours": 26}
    assert len(mask_bugs) == 6 and {*mask_bugs} <= {*list_missed(found, "random")}
    assert list_missed(found, "masked") == ["the maximum forgotten"]
    assert {*mask_bugs}.isdisjoint(list_missed(found, "detect"))
    strangers = {name: caught(wrong, draw) for name, wrong in STRANGERS.items()}
    assert list_missed(strangers, "ours") == ["1e-6 added to the sum", "32 bits inside"]
    assert list_missed(strangers, "detect") == []
