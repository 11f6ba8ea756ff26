"""Checks of chapter 08: right answers of every kind pass, each wrong one meets the question that fits it."""

import re

import numpy as np
import pytest
import torch

from attention_src import checks
from attention_src.patches import patchify as from_the_package


def five_axes(image, p):
    H, W, C = image.shape
    return image.reshape(H // p, p, W // p, p, C).swapaxes(1, 2).reshape(-1, p * p * C)


def loops(image, p):
    H, W, _ = image.shape
    return np.array([image[i : i + p, j : j + p].ravel() for i in range(0, H, p) for j in range(0, W, p)])


def einsum(image, p):
    H, W, C = image.shape
    return np.einsum("ipjqc->ijpqc", image.reshape(H // p, p, W // p, p, C)).reshape(-1, p * p * C)


def in_torch(image, p):
    cut = torch.tensor(image).unfold(0, p, p).unfold(1, p, p)  # (H/p, W/p, C, p, p)
    return cut.permute(0, 1, 3, 4, 2).flatten(2).flatten(0, 1)


@pytest.mark.parametrize("answer", [five_axes, loops, einsum, in_torch, from_the_package])
@pytest.mark.parametrize("seed", [0, 3])
def test_a_right_patchify_passes(answer, seed, capsys):
    checks.patchify(answer, seed)
    checks.mended_patchify(answer, "draw", seed)
    assert capsys.readouterr().out.count("Right: ") == 3


def through(*axes):
    """Patches whose five axes (patch row, row, patch column, column, colour) are put in another order."""

    def answer(image, p):
        H, W, C = image.shape
        cut = image.reshape(H // p, p, W // p, p, C)
        return cut.transpose(axes).reshape(H // p * (W // p), p * p * C)

    return answer


WRONG = {
    "strips": (through(0, 1, 2, 3, 4), "a strip of a row"),
    "down columns": (through(2, 0, 1, 3, 4), "along rows or down columns"),
    "columns within": (through(0, 2, 3, 1, 4), "run along its rows"),
    "colours apart": (through(0, 2, 4, 1, 3), "colours of one pixel"),
    "everything turned": (through(2, 0, 3, 1, 4), "numbered pixels"),
    "backwards": (lambda image, p: five_axes(image, p)[::-1], "numbered pixels"),
    "still square": (lambda image, p: five_axes(image, p).reshape(-1, p, p, image.shape[2]), "has shape"),
    "one colour too few": (lambda image, p: five_axes(image, p)[:, 1:], "has shape"),
    "transposed": (lambda image, p: five_axes(image, p).T, "has shape"),
    "nothing": (lambda image, p: None, "returned None"),
    "an error": (lambda image, p: image.reshape(p, p, p), "raised ValueError"),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("check", [checks.patchify, lambda answer: checks.mended_patchify(answer, "draw")])
def test_a_wrong_patchify_meets_the_question_that_fits_it(check, name):
    answer, question = WRONG[name]
    with pytest.raises(checks.Wrong, match=re.escape(question)):
        check(answer)


@pytest.mark.parametrize(
    ("numbers", "question"),
    [
        ((576, 768, 332929), "class token is left out"),
        ((24, 768, 332929), "along one side"),
        ((257, 768, 332929), "number or their size"),
        ((256, 768, 332929), "number or their size"),
        ((197, 768, 332929), "224 pixels"),
        ((5, 768, 332929), "along one side"),
        ((577, 256, 332929), "How many colours"),
        ((577, 16, 332929), "only one side"),
        ((577, 5, 332929), "how many numbers a pixel"),
        ((577, 768, 331776), "neither asks nor answers"),
        ((577, 768, 577), "each token compute"),
        ((577, 768, 577 * 768), "Between what"),
        ((577, 768, 5), "How many pairs"),
    ],
)
def test_a_wrong_number_is_told_what_it_forgets(numbers, question):
    with pytest.raises(checks.Wrong, match=re.escape(question)):
        checks.patch_numbers(*numbers)


def test_only_the_right_test_is_accepted_for_the_bug():
    for named, reason in {"shape": "right shape", "sum": "dealt out", "loss": "falls", "size": "none of"}.items():
        with pytest.raises(checks.Wrong, match=reason):
            checks.mended_patchify(five_axes, named)


def test_the_right_numbers_pass_and_the_stubs_are_not_attempted(capsys):
    checks.patch_numbers(577, 768, 332929)
    assert capsys.readouterr().out.startswith("Right: ")

    def stub(image, p):
        raise NotImplementedError

    for attempt in (
        (checks.patchify, stub),
        (checks.mended_patchify, five_axes, ...),
        (checks.patch_numbers, 577, ..., ...),
    ):
        with pytest.raises(checks.NotAttempted):
            attempt[0](*attempt[1:])
