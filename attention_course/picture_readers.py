"""Two small Transformers that chapter 8 has trained to read pictures: their weights, and one block by NumPy alone.

One answers in which direction the goal lies in a drawn scene, the other which digit somebody has written. Both cut a
picture into patches and have one block with two heads. A token is what a patch looks like plus the position that it has
learned for its place, and the class token comes first.
"""

import base64
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np

from attention_src import scaled_dot_product_attention
from attention_src.patches import patchify

from .trained import load_groups

__all__ = ["Reading", "load_picture_readers", "make_tokens", "pack_weights", "read", "take_weights"]

FILE = Path(__file__).with_suffix(".npz")  # written by `python -m evidence.ch08`
HEADS, FINDER = 2, 1  #: heads of the network for scenes, and the one (from 0) that finds the goal
erf = np.vectorize(math.erf, otypes=[float])


class Reading(NamedTuple):
    """What one token of each picture has read.

    Attributes
    ----------
    answers : (num,) int, the class with the largest logit
    logits : (num, classes)
    weights : (num, heads, tokens), how much of each token every head took
    stream : (num, d_model), the token when it leaves the block, from which the answer is read
    """

    answers: np.ndarray
    logits: np.ndarray
    weights: np.ndarray
    stream: np.ndarray


def load_picture_readers():
    """Return the weights of both networks, {"scenes" or "digits": {name of a parameter: array}}.

    >>> load_picture_readers()["scenes"]["positions"].shape
    (26, 32)
    """
    return load_groups(FILE)


def take_weights(model):
    """Return the parameters of `model`, a torch.nn.Module, as {name: array}, matrices as ``X @ W`` needs them.

    >>> import torch
    >>> take_weights(torch.nn.Linear(2, 3))["weight"].shape
    (2, 3)
    """
    state = {name: p.detach().numpy() for name, p in model.named_parameters()}
    return {name: p.T if name.endswith("weight") and p.ndim == 2 else p for name, p in state.items()}


def pack_weights(net):
    """Write the weights of a network, the dict `net`, as text for a page: {name: 16-bit floats in base 64}.

    >>> pack_weights({"head.bias": np.array([1, -2])})
    {'head.bias': 'ADwAwA=='}
    """
    return {name: base64.b64encode(array.astype("<f2").tobytes()).decode() for name, array in net.items()}


def make_tokens(net, images):
    """Cut pictures into patches and project each; return the two parts of a token, its look and its position.

    Parameters
    ----------
    net : dict, the weights of a network as `load_picture_readers` returns them
    images : (num, H, W, colours)

    Returns
    -------
    looks : (num, tokens, d_model), the class token first, then the patches row by row
    positions : (tokens, d_model)

    Examples
    --------
    >>> looks, positions = make_tokens(load_picture_readers()["digits"], np.zeros((3, 8, 8, 1)))
    >>> looks.shape, positions.shape
    ((3, 17, 32), (17, 32))
    """
    patch_size = math.isqrt(len(net["embed.weight"]) // images.shape[-1])
    patches = patchify(np.asarray(images, dtype=float), patch_size) @ net["embed.weight"] + net["embed.bias"]
    first = np.broadcast_to(net["class_token"], (len(images), 1, patches.shape[-1]))
    return np.concatenate([first, patches], axis=1), net["positions"]


def read(net, tokens, at, keys=None, values=None, mask=None, off=()):
    """Let one token of each picture attend to all of them, and read the answer from it.

    Parameters
    ----------
    net : dict, the weights of a network
    tokens : (num, tokens, d_model), looks plus positions
    at : int or (num,) int, the token that asks
    keys, values : (num, tokens, d_model), from which keys or values are made instead
    mask : (num, tokens) bool, which tokens it can see
    off : list of int, heads that bring back nothing

    Returns
    -------
    Reading

    Examples
    --------
    >>> net = load_picture_readers()["digits"]
    >>> looks, positions = make_tokens(net, np.zeros((3, 8, 8, 1)))
    >>> read(net, looks + positions, at=0).weights.sum(axis=-1).round(9).tolist()
    [[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]
    """
    block, attend = "blocks.0", "blocks.0.attend"
    asking = tokens[np.arange(len(tokens)), at][:, None]

    def project(x, part):
        return x @ net[f"{part}.weight"] + net[f"{part}.bias"]

    def split(x, part):
        x = project(_normalise(net, f"{block}.norms.0", x), f"{attend}.{part}_proj")
        return x.reshape(*x.shape[:2], HEADS, -1).swapaxes(1, 2)

    mixed, weights = scaled_dot_product_attention(
        split(asking, "query"),
        split(tokens if keys is None else keys, "key"),
        split(tokens if values is None else values, "value"),
        None if mask is None else mask[:, None, None],
    )
    mixed[:, list(off)] = 0
    x = asking + project(mixed.swapaxes(1, 2).reshape(asking.shape), f"{attend}.out_proj")
    hidden = project(_normalise(net, f"{block}.norms.1", x), f"{block}.feed_forward.0")
    x = x + project(hidden * (1 + erf(hidden / math.sqrt(2))) / 2, f"{block}.feed_forward.2")  # GELU
    stream = _normalise(net, "norm", x)[:, 0]
    logits = project(stream, "head")
    return Reading(logits.argmax(axis=-1), logits, weights[:, :, 0], stream)


def _normalise(net, name, x):
    """Layer normalisation."""
    apart = x - x.mean(axis=-1, keepdims=True)
    spread = np.sqrt((apart**2).mean(axis=-1, keepdims=True) + 1e-5)
    return apart / spread * net[f"{name}.weight"] + net[f"{name}.bias"]
