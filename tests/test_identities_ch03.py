"""What chapter 3 says of scores and networks and holds for any numbers, before or after any training.

Shapes, the mask, and what each score asks of its states are tested in test_contract.py and test_seq2seq.py.
"""

import pytest
import torch

from attention_course.alignment import RewriteTask, build_network, place_from_end, read_keys, use_keys
from attention_course.tasks import reversal_examples

COMPARING = ("additive", "general", "additive_luong", "general_early", "additive_told", "general_told")
BLIND = ("from_start", "from_end")
TASK = RewriteTask(*reversal_examples(50, 0, 3, 8, seed=2))  # characters from 2 to 9


USES = ("train",)


def network(kind):
    """Return an untrained network in float64 for texts such as `draw_texts` draws."""
    return build_network(kind, TASK, 48).double()


def draw_texts(random, longest, places):
    """Draw six sources, from 3 characters to the longest, their lengths, and six targets."""
    lengths = torch.tensor([3, longest, *random.integers(3, longest + 1, size=4)])
    numbers, target = (torch.tensor(random.integers(2, 9, size=(6, n))) for n in (places, 5))
    return numbers * (torch.arange(places) < lengths[:, None]), lengths, target


@pytest.mark.parametrize("kind", COMPARING + BLIND)
def test_keys_of_another_text_change_only_who_compares_and_shuffled_states_only_who_counts(random, kind):
    numbers, lengths, target = draw_texts(random, 9, 9)
    lengths[:], numbers[numbers == 0] = 9, 2
    model, order = network(kind), torch.tensor(random.permutation(9))
    written, weights = model(numbers, target, lengths)
    with use_keys(model, read_keys(model, (numbers, lengths)).roll(1, dims=0)):
        _, others = model(numbers, target, lengths)
    assert torch.equal(weights, others) == (kind in BLIND)
    with model.encoder.register_forward_hook(lambda module, given, made: (made[0][:, order], made[1])):
        shuffled, _ = model(numbers, target, lengths)
    assert torch.allclose(written, shuffled, atol=1e-12) == (kind in COMPARING)


def test_a_query_makes_a_hill_with_its_top_at_any_place_out_of_a_place_and_its_square():
    keys = place_from_end(torch.ones(1, 30, 4))[0].double()
    for c in range(30):
        weights = torch.softmax(keys @ torch.tensor([16.0 * c, -64, 0, 0], dtype=torch.double), 0)
        assert weights.argmax() == 29 - c and weights.max() > 0.9


def test_changing_the_first_character_changes_every_state_of_an_untrained_encoder(random):
    numbers, lengths, _ = draw_texts(random, 10, 12)
    changed = numbers.clone()
    changed[:, 0] = (numbers[:, 0] - 1) % 7 + 2
    encoder = network("general").encoder
    moved = (encoder(numbers, lengths)[0] != encoder(changed, lengths)[0]).any(-1)
    assert torch.equal(moved, numbers > 0)


def test_training_never_changes_the_column_of_a_place_that_no_text_reaches(book):
    model = book.train("from_start", TASK, steps=3, seed=5)
    torch.manual_seed(5)
    changed = (model.decoder.w != network("from_start").decoder.w).any(0)
    assert changed[:8].all() and not changed[8:].any()


@pytest.mark.parametrize("kind", COMPARING)
def test_only_a_query_in_luongs_order_or_told_has_read_the_character_just_written(random, kind):
    numbers, lengths, target = draw_texts(random, 9, 12)
    other = target.clone()
    other[:, 2] = (target[:, 2] - 1) % 7 + 2
    model = network(kind)
    (_, before), (_, after) = model(numbers, target, lengths), model(numbers, other, lengths)
    assert torch.equal(before[:, :3], after[:, :3]) and not torch.equal(before[:, 4], after[:, 4])
    assert torch.equal(before[:, 3], after[:, 3]) == (kind in ("additive", "general_early"))
