"""Answers to the exercises of chapter 08."""

import numpy as np

from attention_course import checks
from attention_src.patches import patchify as from_the_package
from attention_src.patches import unpatchify

from . import Exercise


def loops(image, p):
    H, W, _ = image.shape
    return np.array([image[i : i + p, j : j + p].ravel() for i in range(0, H, p) for j in range(0, W, p)])


def reorder(*axes):
    """Patches whose five axes (patch row, row, patch column, column, colour) are put in another order."""

    def answer(image, p):
        H, W, C = image.shape
        cut = image.reshape(H // p, p, W // p, p, C)
        return cut.transpose(axes).reshape(H // p * (W // p), p * p * C)

    return answer


five_axes = reorder(0, 2, 1, 3, 4)
RIGHT = {"five axes": five_axes, "loops": loops, "the package": from_the_package}
WRONG = {
    "strips": reorder(0, 1, 2, 3, 4),
    "counted down columns": reorder(2, 0, 1, 3, 4),
    "columns within a patch": reorder(0, 2, 3, 1, 4),
    "colours apart": reorder(0, 2, 4, 1, 3),
    "patches not laid flat": lambda image, p: five_axes(image, p).reshape(-1, p, p, image.shape[2]),
    "square pictures only": lambda image, p: five_axes(image[: image.shape[1]], p),
    "height and width exchanged": lambda image, p: five_axes(image.swapaxes(0, 1), p),
    "an error": lambda image, p: image.reshape(p, p, p, p, p, p),
}
WRITE = Exercise(checks.patchify, RIGHT, WRONG, results=1)


def back_by_loops(patches, p, H, W):
    image = np.zeros((H, W, patches.shape[1] // p**2))
    for k, patch in enumerate(patches):
        i, j = divmod(k, W // p)
        image[i * p : i * p + p, j * p : j * p + p] = patch.reshape(p, p, -1)
    return image


def reorder_back(*axes):
    """Pictures put together from five axes (patch row, patch column, row, column, colour) in another order."""

    def answer(patches, p, H, W):
        return patches.reshape(H // p, W // p, p, p, -1).transpose(axes).reshape(H, W, -1)

    return answer


back = reorder_back(0, 2, 1, 3, 4)
EXERCISES = {
    "ex08-patchify": WRITE,
    "ex08-count": Exercise(
        checks.patch_numbers,
        formula=lambda size, patch: ((size // patch) ** 2 + 1, patch * patch * 3, ((size // patch) ** 2 + 1) ** 2),
    ),
    "ex08-mend": Exercise(
        checks.mended_unpatchify,
        {"five axes": back, "loops": back_by_loops, "the package": unpatchify},
        {
            "as handed out": lambda patches, p, H, W: patches.reshape(H, W, -1),
            "columns within a patch": reorder_back(0, 3, 1, 2, 4),
            "height and width exchanged": lambda patches, p, H, W: back(patches, p, W, H),
            "upside down": lambda *given: back(*given)[::-1],
            "colours lost": lambda *given: back(*given)[..., 0],
            "not put together": lambda patches, *_: patches,
            "an error": lambda patches, p, H, W: patches.reshape(p, p, p, p, p, p, p),
        },
    ),
}
