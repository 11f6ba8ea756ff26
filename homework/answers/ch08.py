"""Answers to the exercises of chapter 08."""

import numpy as np
import torch

from attention_course import checks
from attention_src.patches import patchify as from_the_package
from attention_src.patches import unpatchify

from . import Exercise


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
    pieces = torch.tensor(image).unfold(0, p, p).unfold(1, p, p)  # (H/p, W/p, C, p, p)
    return pieces.permute(0, 1, 3, 4, 2).flatten(2).flatten(0, 1)


RIGHT = {"five axes": five_axes, "loops": loops, "einsum": einsum, "torch": in_torch, "the package": from_the_package}


def reorder(*axes):
    """Patches whose five axes (patch row, row, patch column, column, colour) are put in another order."""

    def answer(image, p):
        H, W, C = image.shape
        cut = image.reshape(H // p, p, W // p, p, C)
        return cut.transpose(axes).reshape(H // p * (W // p), p * p * C)

    return answer


WRONG = {
    "strips": (reorder(0, 1, 2, 3, 4), "must change places"),
    "counted down columns": (reorder(2, 0, 1, 3, 4), "along rows or down columns"),
    "columns within a patch": (reorder(0, 2, 3, 1, 4), "run along its rows"),
    "colours apart": (reorder(0, 2, 4, 1, 3), "colours of one pixel"),
    "everything turned": (reorder(2, 0, 3, 1, 4), "numbered pixels"),
    "backwards": (lambda image, p: five_axes(image, p)[::-1], "numbered pixels"),
    "patches not laid flat": (lambda image, p: five_axes(image, p).reshape(-1, p, p, image.shape[2]), "many patches"),
    "one number too few": (lambda image, p: five_axes(image, p)[:, 1:], "How many patches"),
    "transposed": (lambda image, p: five_axes(image, p).T, "How many patches"),
    "square pictures only": (lambda image, p: five_axes(image[: image.shape[1]], p), "How many patches"),
    "height and width exchanged": (lambda image, p: five_axes(image.swapaxes(0, 1), p), "numbered pixels"),
    "an error": (lambda image, p: image.reshape(p, p, p, p, p, p), {"error": "ValueError"}),
}
WRITE = Exercise(checks.patchify, "S001-17", RIGHT, WRONG, results=1)


def back(patches, p, H, W):
    cut = patches.reshape(H // p, W // p, p, p, -1)
    return cut.swapaxes(1, 2).reshape(H, W, -1)


def back_by_loops(patches, p, H, W):
    image = np.zeros((H, W, patches.shape[1] // p**2))
    for k, patch in enumerate(patches):
        i, j = divmod(k, W // p)
        image[i * p : i * p + p, j * p : j * p + p] = patch.reshape(p, p, -1)
    return image


def back_in_torch(patches, p, H, W):
    cut = torch.tensor(patches).reshape(H // p, W // p, p, p, -1)
    return cut.permute(0, 2, 1, 3, 4).reshape(H, W, -1)


def reorder_back(*axes):
    """Pictures put together from five axes (patch row, patch column, row, column, colour) in another order."""

    def answer(patches, p, H, W):
        return patches.reshape(H // p, W // p, p, p, -1).transpose(axes).reshape(H, W, -1)

    return answer


EXERCISES = {
    "ex08-patchify": WRITE,
    "ex08-count": Exercise(
        checks.patch_numbers,
        "S001-17",
        {"whole": (577, 768, 332929), "as floats": (577.0, 768, 577**2), "torch": (torch.tensor(577), 768, 332929)},
        {
            "576 tokens": ((576, 768, 332929), "leave out the class token"),
            "24 tokens": ((24, 768, 332929), "along one side"),
            "25 tokens": ((25, 768, 332929), "along one side"),
            "256 tokens": ((256, 768, 332929), "number, or their size"),
            "257 tokens": ((257, 768, 332929), "number, or their size"),
            "197 tokens": ((197, 768, 332929), "224 pixels"),
            "a token for each pixel": ((384**2 + 1, 768, 332929), "What is a patch for"),
            "5 tokens": ((5, 768, 332929), "fit along one side"),
            "256 numbers": ((577, 256, 332929), "How many colours"),
            "16 numbers": ((577, 16, 332929), "only one side"),
            "48 numbers": ((577, 48, 332929), "only one side"),
            "the whole picture": ((577, 384**2 * 3, 332929), "the whole picture"),
            "5 numbers": ((577, 5, 332929), "does a pixel have"),
            "576² weights": ((577, 768, 331776), "out of the table"),
            "577 weights": ((577, 768, 577), "each token compute"),
            "577 · 768 weights": ((577, 768, 577 * 768), "a weight connect"),
            "three tables": ((577, 768, 577**2 * 3), "each colour"),
            "5 weights": ((577, 768, 5), "How many pairs"),
        },
        formula=lambda size, patch: ((size // patch) ** 2 + 1, patch * patch * 3, ((size // patch) ** 2 + 1) ** 2),
    ),
    "ex08-mend": Exercise(
        checks.mended_unpatchify,
        "S001-17",
        {"five axes": back, "loops": back_by_loops, "torch": back_in_torch, "the package": unpatchify},
        {
            "as handed out": (lambda patches, p, H, W: patches.reshape(H, W, -1), "Where does patch 2 go"),
            "the wrong axes exchanged": (reorder_back(2, 0, 1, 3, 4), "Where does patch 2 go"),
            "columns within a patch": (reorder_back(0, 3, 1, 2, 4), "Where does patch 2 go"),
            "height and width exchanged": (lambda patches, p, H, W: back(patches, p, W, H), "How many axes"),
            "upside down": (lambda *given: back(*given)[::-1], "Where does patch 2 go"),
            "colours lost": (lambda *given: back(*given)[..., 0], "How many axes"),
            "not put together": (lambda patches, *_: patches, "How many axes"),
            "an error": (lambda patches, p, H, W: patches.reshape(p, p, p, p, p, p, p), {"error": "ValueError"}),
        },
        named=(11, 12, 21, 22),
        names=((11, 12, 13, 14), (11, 13, 21, 23), (11, 13, 31, 33), (11, 21, 12, 22), (11, 12)),
    ),
}
