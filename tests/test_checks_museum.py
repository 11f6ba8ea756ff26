"""The check of chapter 10, and its table: our own checks let no exhibit of the museum through."""

import re

import numpy as np
import pytest
import torch

from attention_src import causal_mask, checks, scaled_dot_product_attention
from attention_src.exhibits import EXHIBITS


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", EXHIBITS)
def test_no_exhibit_passes_our_checks_and_each_differs_from_attention(name):
    refused = []
    for check in (checks.attention, checks.masked_attention):
        try:
            check(EXHIBITS[name])
        except checks.Wrong:
            refused.append(check)
    assert refused


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", EXHIBITS)
def test_every_exhibit_runs_and_has_the_right_shapes(name):
    q, k, v = np.random.default_rng(0).normal(size=(3, 5, 4))
    for mask in (None, causal_mask(5)):
        output, weights = EXHIBITS[name](q, k, v, mask)
        assert (output.shape, weights.shape) == ((5, 4), (5, 5))


def test_there_are_twenty_exhibits_and_more_and_attention_is_none_of_them():
    assert len(EXHIBITS) >= 20
    checks.attention(scaled_dot_product_attention)
    checks.masked_attention(scaled_dot_product_attention)


@pytest.mark.parametrize(
    "answer",
    [
        lambda table, x: x + table[: x.shape[1]],
        lambda table, x: x + table[None, np.arange(x.shape[1])],
        lambda table, x: np.stack([sentence + table[: len(sentence)] for sentence in x]),
        lambda table, x: torch.tensor(x) + torch.tensor(table)[: x.shape[1]],
    ],
)
def test_right_places_pass(answer, capsys):
    checks.mended_places(answer)
    assert capsys.readouterr().out.startswith("Right: ")


@pytest.mark.parametrize(
    ("answer", "question"),
    [
        (lambda table, x: x + table[: x.shape[0], None], "Along which axis"),
        (lambda table, x: x + table[0], "Along which axis"),
        (lambda table, x: x, "Along which axis"),
        (lambda table, x: x + table[: x.shape[0], None] + table[: x.shape[1]], "another sentence"),
        (lambda table, x: x + table[1 : 1 + x.shape[1]], "first token"),
        (lambda table, x: x + table[: x.shape[1]][::-1], "first token"),
        (lambda table, x: x - table[: x.shape[1]], "first token"),
        (lambda table, x: x * table[: x.shape[1]], "another sentence"),
        (lambda table, x: (x + table[: x.shape[1]])[0], "has shape"),
        (lambda table, x: None, "returned None"),
    ],
)
def test_wrong_places_meet_the_question_that_fits_them(answer, question):
    with pytest.raises(checks.Wrong, match=re.escape(question)):
        checks.mended_places(answer)


def test_the_untouched_stub_is_not_attempted():
    def stub(table, x):
        raise NotImplementedError

    with pytest.raises(checks.NotAttempted):
        checks.mended_places(stub)
