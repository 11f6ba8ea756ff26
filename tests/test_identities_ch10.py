"""What chapter 10 says of its bugs and detectors and holds for any numbers: by algebra, or by construction."""

import pytest
import torch

from attention_course.museum.exhibits import EXHIBITS, STRANGERS, UNLABELLED, caught
from attention_src import causal_mask

USES = ("Bench", "right_places", "along_the_batch")


@pytest.mark.parametrize("n", [4, 6, 8])
def test_with_positions_along_the_batch_a_letter_is_told_which_letters_came_before_and_not_in_which_order(book, n):
    torch.manual_seed(n)
    model, tokens = book.Bench(), torch.randn(3, n, 16, dtype=torch.float64)
    swapped = tokens[:, [1, 0, *range(2, n)]]

    def find_change(add_places):
        one, other = (model.layer(add_places(model.place, x))[0][:, 2:] for x in (tokens, swapped))
        return (one - other).abs().max()

    assert find_change(book.along_the_batch) < 1e-12
    assert find_change(book.right_places) > 1e-3


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


def test_the_three_without_names_have_the_mistakes_that_are_asked_for():
    q, k, v = torch.randn(3, 2, 5, 4, generator=torch.Generator().manual_seed(0))
    mask = causal_mask(5, like=q)
    weights = {name: attend(q, k, v, mask)[1] for name, attend in UNLABELLED.items()}
    assert torch.equal(weights["A"], torch.eye(5).expand(2, 5, 5))
    assert (weights["B"] > 0).all() and torch.allclose(weights["B"].sum(-1), torch.ones(2, 5))
    assert not torch.equal(UNLABELLED["C"](q, k, v, mask)[1], weights["C"]) and (weights["C"][:, ~mask] == 0).all()
