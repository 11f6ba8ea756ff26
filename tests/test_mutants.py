"""The tests of the core reject its wrong versions."""

from collections import Counter

import mutants
import pytest


@pytest.mark.slow
def test_nearly_every_small_change_of_the_core_is_rejected():
    assert [*mutants.list_problems(*mutants.run())] == []


def test_a_run_that_kills_too_few_has_problems():
    survivors = {f"softmax_{i}": ("weights.softmax", "0.0", "1.0") for i in range(50)}
    few, unnamed, *fewer = mutants.list_problems(Counter(weights=1000), survivors)
    assert (
        few.startswith("49 of 98") and "softmax_49: no reason" in unnamed and len(fewer) == len(mutants.EQUIVALENT) - 1
    )
