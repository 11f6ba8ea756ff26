"""Turn a picture into a sequence of square patches, each a row of numbers, and back."""

from ._validation import as_integer, check_axes, namespace


def patchify(images, patch_size):
    """Cut pictures into square patches, row by row, and lay the numbers of each patch end to end.

    Dosovitskiy et al. (2020), section 3.1: the x_p of equation (1), before the projection. TypeError if the images are
    no array, ValueError if they have fewer than three axes or `patch_size` does not divide H and W.

    Parameters
    ----------
    images : (..., H, W, C)
    patch_size : int, side of a patch in pixels; it divides H and W

    Returns
    -------
    (..., H/p · W/p, p · p · C)
        In the dtype of the images; within a patch row by row, the C numbers of a pixel side by side.

    Examples
    --------
    >>> import numpy as np
    >>> patchify(np.arange(8).reshape(2, 4, 1), 2)
    array([[0, 1, 4, 5],
           [2, 3, 6, 7]])
    """
    xp, p = namespace(images=images), as_integer("patch_size", patch_size, 1)
    check_axes(3, "(..., H, W, C)", images=images)
    *leading, height, width, channels = images.shape
    _check_whole_patches(height, width, p)

    cut = xp.reshape(images, (*leading, height // p, p, width // p, p, channels))
    return xp.reshape(_swap_axes(xp, cut), (*leading, height // p * (width // p), p * p * channels))


def unpatchify(patches, patch_size, height, width):
    """Put the patches of a picture together again: what `patchify` takes apart.

    Parameters
    ----------
    patches : (..., H/p · W/p, p · p · C)
    patch_size : int, side of a patch in pixels
    height : int, in pixels
    width : int, in pixels

    Returns
    -------
    (..., H, W, C)

    Raises
    ------
    TypeError, ValueError
        As `patchify`; also if there are not so many patches, or their length is not a multiple of p · p.

    Examples
    --------
    >>> import numpy as np
    >>> unpatchify(np.array([[0, 1, 4, 5], [2, 3, 6, 7]]), 2, height=2, width=4)[..., 0]
    array([[0, 1, 2, 3],
           [4, 5, 6, 7]])
    """
    xp, p = namespace(patches=patches), as_integer("patch_size", patch_size, 1)
    height, width = as_integer("height", height, 1), as_integer("width", width, 1)
    check_axes(2, "(..., patches, numbers)", patches=patches)
    _check_whole_patches(height, width, p)
    *leading, count, numbers = patches.shape
    rows, columns = height // p, width // p
    if count != rows * columns or numbers % (p * p):
        expected = f"(..., {rows * columns}, {p * p} · channels)"
        raise ValueError(f"patches has shape {tuple(patches.shape)}; expected {expected}")

    cut = xp.reshape(patches, (*leading, rows, columns, p, p, numbers // (p * p)))
    return xp.reshape(_swap_axes(xp, cut), (*leading, height, width, numbers // (p * p)))


def _swap_axes(xp, cut):
    """Exchange the third and the fourth axis from the end: rows within a patch with patches within a row."""
    last = cut.ndim - 1
    return xp.permute_dims(cut, (*range(last - 3), last - 2, last - 3, last - 1, last))


def _check_whole_patches(height, width, p):
    if height % p or width % p:
        raise ValueError(f"patch_size is {p}, the picture {height} × {width}; expected a number that divides both")
