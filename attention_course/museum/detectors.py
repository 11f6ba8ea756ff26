"""Six questions that tell a wrong layer from a right one without knowing the right answer.

Each returns a number to be read, or the table of who reacts to whom, and leaves the judgement to the reader, since a
decoder *must* not react to what comes later and an encoder must. Layers are functions of an array (..., n, d) that
return an array (..., n, d_out), NumPy or torch.
"""

from math import log

import numpy as np

from attention_src._validation import as_integer, check_axes, namespace


def _numpy(array):
    return np.asarray(array.detach() if hasattr(array, "detach") else array)


def _stream(seed):
    """Numbers that data from the same seed do not share, since a norm would hide a change that doubles its data."""
    return np.random.default_rng([seed, 1])


def _moved(layer, x, changed):
    """How far each number of the output moves when x becomes `changed`."""
    return abs(_numpy(layer(changed)) - _numpy(layer(x)))


def rows_off_one(weights):
    """Measure how far the rows of weights (..., n, m) are from summing to 1, at the worst.

    A row of zeros, for a query with no visible keys, counts as right. The result is a float, and NaN if a weight is
    NaN. Catches: the wrong axis, a forgotten ``keepdims``, a mask after the softmax.

    >>> rows_off_one(np.array([[0.7, 0.3], [0.5, 0.25], [0, 0]]))
    0.25
    """
    weights = _numpy(weights)
    return float(np.where(weights.any(axis=-1), abs(weights.sum(axis=-1) - 1), 0).max())


def start_above_chance(loss, num_classes):
    """Return by how much a classification loss before training is above that of a guess, ln C, as a float.

    The `loss` is the mean cross-entropy before training, in nats, and `num_classes` is the int C. Catches: logits that
    are too large from the start, as from tied embeddings or unscaled scores. If the result is far below 0, the answer
    is in the input.

    >>> round(start_above_chance(2.5, 10), 2)
    0.2
    """
    return float(loss) - log(as_integer("num_classes", num_classes, 1))


def parameter_count(module):
    """Count the numbers that a torch.nn.Module learns, each once, however often it is used; return an int.

    Catches: widths taken for each other, heads or layers that are missing, a layer outside the module's reach.

    >>> import torch
    >>> parameter_count(torch.nn.Linear(3, 5))
    20
    """
    return sum(parameter.numel() for parameter in module.parameters())


def order_effect(layer, x):
    """Measure how far the outputs are from being reversed as well when the tokens of x (..., n, d) are reversed.

    The `layer` is a function of (..., n, d), and the result the largest difference, a float. 0 is right for attention
    without positions or mask, and wrong for a model that should know where its tokens are. Catches: positions that are
    the same for all tokens; ``view`` without ``transpose``, for an odd number of tokens. It raises TypeError if x is no
    array, and ValueError if it has no rows.

    >>> order_effect(lambda x: x.cumsum(axis=-2), np.eye(3))
    1.0
    """
    xp = namespace(x=x)
    check_axes(2, "(..., n, d), one row for each token", x=x)
    straight, turned = _numpy(layer(x)), _numpy(layer(xp.flip(x, axis=-2)))
    return float(abs(np.flip(turned, axis=-2) - straight).max())


def reactions(layer, x, seed=0):
    """Measure who reacts to whom: how far output i moves when token j alone of x (..., n, d) is changed.

    The `layer` is a function of (..., n, d); the int `seed` draws the changes. The result (n_out, n) is a NumPy array,
    row i for output i, column j for token j, with the largest move over all other axes. Catches: a mask with the
    opposite meaning or none, a mask after the softmax, ``view`` without ``transpose``, a decoder that never looks at
    its source. It raises TypeError if x is no array, and ValueError if it has no rows.

    >>> reactions(lambda x: x.cumsum(axis=-2), np.eye(3)) > 0
    array([[ True, False, False],
           [ True,  True, False],
           [ True,  True,  True]])
    """
    xp, generator = namespace(x=x), _stream(seed)
    check_axes(2, "(..., n, d), one row for each token", x=x)
    n, d = x.shape[-2:]
    columns = []
    for j in range(n):
        change = np.zeros((n, d))
        change[j] = generator.normal(size=d)
        moved = _moved(layer, x, x + xp.asarray(change, dtype=x.dtype)).max(axis=-1)
        columns.append(moved.reshape(-1, moved.shape[-1]).max(axis=0))
    return np.stack(columns, axis=-1)


def batch_leak(layer, x, seed=0):
    """Measure how far the outputs of all other sequences of a batch move when the first one is changed.

    The `layer` is a function of (batch, ..., n, d), as x is; the int `seed` draws the change. The result is the largest
    move, a float, and anything but 0 is wrong. Catches: attention across the batch, statistics taken over it. It raises
    TypeError if x is no array, and ValueError if there are not two sequences.

    >>> batch_leak(lambda x: x - x.mean(axis=0), np.ones((2, 3, 1))) > 0
    True
    """
    xp = namespace(x=x)
    check_axes(3, "(batch, ..., n, d)", x=x)
    if x.shape[0] < 2:
        raise ValueError(f"x has shape {tuple(x.shape)}; expected at least two sequences, or none could leak")
    change = np.zeros(x.shape)
    change[0] = _stream(seed).normal(size=x.shape[1:])
    return float(_moved(layer, x, x + xp.asarray(change, dtype=x.dtype))[1:].max())
