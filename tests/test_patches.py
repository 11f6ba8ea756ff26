"""Pictures cut into patches: against torch's unfold, there and back, and what is refused."""

import numpy as np
import pytest
import torch
from reference import both_libraries, random, refuses, same

from attention_src.patches import patchify, unpatchify

P, ROWS, COLUMNS, C, BATCH = 3, 2, 4, 5, 7
IMAGES = random((BATCH, ROWS * P, COLUMNS * P, C))[0]
PATCHES = ROWS * COLUMNS


@both_libraries
def test_patches_are_those_of_torchs_unfold_with_the_channels_last(array):
    unfolded = torch.nn.functional.unfold(torch.tensor(IMAGES).permute(0, 3, 1, 2), P, stride=P)  # (..., C · p · p, n)
    patches = patchify(array(IMAGES), P)
    assert type(patches) is type(array(IMAGES))
    same(patches, unfolded.mT.unflatten(-1, (C, P * P)).mT.flatten(-2))


@both_libraries
@pytest.mark.parametrize("shape", [(6, 12, 5), (1, 6, 12, 5), (3, 2, 6, 12, 1)])
def test_unpatchify_puts_together_what_patchify_took_apart(array, shape):
    images = array(np.arange(np.prod(shape)).reshape(shape))
    patches = patchify(images, P)
    assert patches.shape == (*shape[:-3], PATCHES, P * P * shape[-1])
    back = unpatchify(patches, P, shape[-3], shape[-2])
    assert back.dtype == patches.dtype == images.dtype
    same(back, images)


CUT = patchify(IMAGES, P)
DIVIDES = "expected a number that divides both"
LIBRARY = "expected a NumPy array or a torch tensor"


REFUSED = [
    (patchify, (IMAGES, 4), f"patch_size is 4, the picture 6 × 12; {DIVIDES}"),
    (patchify, (IMAGES[:, :, :8], P), f"patch_size is 3, the picture 6 × 8; {DIVIDES}"),
    (patchify, (IMAGES[0, :, :, 0], P), "images has shape (6, 12); expected (..., H, W, C)"),
    (patchify, (IMAGES.tolist(), P), f"images is a list; {LIBRARY}"),
    (unpatchify, (CUT[:, 1:], P, 6, 12), "patches has shape (7, 7, 45); expected (..., 8, 9 · channels)"),
    (unpatchify, (CUT[..., 1:], P, 6, 12), "patches has shape (7, 8, 44); expected (..., 8, 9 · channels)"),
    (unpatchify, (CUT, P, 6, 8), f"patch_size is 3, the picture 6 × 8; {DIVIDES}"),
    (unpatchify, (CUT[0, 0], P, 6, 12), "patches has shape (45,); expected (..., patches, numbers)"),
    (unpatchify, (CUT.tolist(), P, 6, 12), f"patches is a list; {LIBRARY}"),
]


@pytest.mark.parametrize("function, given, message", REFUSED)
def test_what_cannot_be_cut_or_put_together_is_refused(function, given, message):
    with refuses(TypeError if LIBRARY in message else ValueError, message):
        function(*given)
