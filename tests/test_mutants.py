"""The tests of the core reject its wrong versions."""

import mutants
import pytest


@pytest.mark.slow
def test_nearly_every_small_change_of_the_core_is_rejected():
    assert [*mutants.list_problems(mutants.run())] == []


def test_a_run_that_kills_too_few_has_problems():
    assert [*mutants.list_problems([{"of": 1000, "killed": 950}])] != []
