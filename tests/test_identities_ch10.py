"""What chapter 10 says of its bugs and detectors and holds for any numbers: by algebra, or by construction."""

import numpy as np
import pytest
import torch

from attention_course.machine import PARTS, Machine
from attention_course.museum.exhibits import EXHIBITS, STRANGERS, UNLABELLED, caught
from attention_course.museum.planted import FAULTS, accuse, plant
from attention_src import causal_mask

USES = ("layer", "first_places", "along_the_batch", "over_queries", "last_key_spared")


def draw_network(seed, n):
    random = np.random.default_rng(seed)
    return {"w": random.normal(size=(3, 16, 16)), "place": random.normal(size=(64, 16))}, random.normal(size=(3, n, 16))


@pytest.mark.parametrize("n", [4, 6, 8])
def test_with_positions_along_the_batch_a_letter_is_told_which_letters_came_before_and_not_in_which_order(book, n):
    net, tokens = draw_network(n, n)
    swapped = tokens[:, [1, 0, *range(2, n)]]

    def find_change(add_places):
        one, other = (book.layer(net, add_places(net["place"], x))[0][:, 2:] for x in (tokens, swapped))
        return abs(one - other).max()

    assert find_change(book.along_the_batch) < 1e-12
    assert find_change(book.first_places) > 1e-3


@pytest.mark.parametrize("n", [4, 5, 7])
def test_over_the_queries_the_last_key_gives_all_its_weight_to_the_last_query(book, n):
    net, tokens = draw_network(n, n)
    weights = book.layer(net, tokens, book.over_queries)[1]
    np.testing.assert_allclose(weights.sum(axis=-2), 1)
    np.testing.assert_allclose(weights[:, -1, -1], 1)
    spared = book.layer(net, tokens, book.last_key_spared)[1]
    np.testing.assert_array_equal(spared[..., :-1], weights[..., :-1])
    assert not spared[..., -1].any()


NAMES = ["ada", "rosalind"]


@pytest.mark.parametrize("case", range(1, len(FAULTS) + 1))
def test_a_planted_fault_spoils_the_part_that_it_was_given_and_one_question_shows_it(case, capsys):
    name, _ = FAULTS[case - 1]
    healthy, faulty, called = Machine(), None, []

    def own(*given):
        called.append(name)
        return PARTS[name](*given)

    faulty = plant(case, **{name: own})
    assert faulty.write(3) == healthy.write(3)  # the fault is in what only reading needs
    apart = [abs(one - other).max() for one, other in zip(faulty.read(NAMES), healthy.read(NAMES), strict=True)]
    assert called and max(apart) > 0.01
    accuse(case, name)
    accuse(case, "softmax")
    assert capsys.readouterr().out == f"Yes, it is in {name}.\nsoftmax does what it should.\n"


def test_there_is_no_sixth_case():
    with pytest.raises(ValueError, match="expected 1 to 5"):
        plant(6)


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
