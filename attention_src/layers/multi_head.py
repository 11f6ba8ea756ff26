"""Several attentions side by side, each with projections of its own."""

import torch
import torch.nn.functional as F
from torch import nn

from .._arrays import namespace, need_broadcast, need_equal, whole
from ..attention import scaled_dot_product_attention


class MultiHeadAttention(nn.Module):
    """Ask several questions at once: project, attend in every head by itself, put the heads end to end, project.

    ``Concat(head_1, …, head_h) W_o`` with ``head_i = Attention(Q W_q,i, K W_k,i, V W_v,i)``, Vaswani et al. (2017),
    section 3.2.2. `query_proj`, `key_proj` and `value_proj` hold the matrices of all heads side by side, head by head;
    they are the three thirds of `in_proj_weight` and `in_proj_bias` in `torch.nn.MultiheadAttention`, and `out_proj`
    has the same name there. So weights can be copied either way.

    Parameters
    ----------
    d_model : int, length of a token, before and after
    num_heads : int
    d_k : int, length of a query and of a key in one head; d_model / num_heads if left out
    d_v : int, length of a value in one head; d_model / num_heads if left out

    Raises
    ------
    TypeError
        A number is not an integer.
    ValueError
        A number is less than 1, or d_k or d_v is left out and num_heads does not divide d_model.

    Examples
    --------
    >>> layer = MultiHeadAttention(d_model=8, num_heads=2)
    >>> output, weights = layer(torch.ones(3, 5, 8), torch.ones(3, 7, 8), need_weights=True)
    >>> output.shape, weights.shape
    (torch.Size([3, 5, 8]), torch.Size([3, 2, 5, 7]))
    """

    def __init__(self, d_model, num_heads, d_k=None, d_v=None):
        super().__init__()
        d_model, self.num_heads = whole("d_model", d_model, 1), whole("num_heads", num_heads, 1)
        if d_model % self.num_heads and None in (d_k, d_v):
            raise ValueError(f"d_model is {d_model}; expected a multiple of num_heads = {num_heads}, or d_k and d_v")
        each = d_model // self.num_heads
        keys = self.num_heads * (each if d_k is None else whole("d_k", d_k, 1))
        values = self.num_heads * (each if d_v is None else whole("d_v", d_v, 1))
        self.query_proj = nn.Linear(d_model, keys)
        self.key_proj = nn.Linear(d_model, keys)
        self.value_proj = nn.Linear(d_model, values)
        self.out_proj = nn.Linear(values, d_model)

    def forward(self, query, key=None, value=None, mask=None, need_weights=False):
        """Mix the values, for each query, in every head by its own weights.

        Parameters
        ----------
        query : (..., n, d_model)
        key : (..., m, d_model); the queries if left out: self-attention
        value : (..., m, d_model); the keys if left out
        mask : (n, m), (..., n, m) or (..., num_heads, n, m) bool, True = may look
            It holds for all heads unless it has one axis more than the output, which then counts the heads. Any axis
            but m may be 1 long, one for all.
        need_weights : bool; without them torch's fused function is called, which never holds all weights at once

        Returns
        -------
        output : (..., n, d_model)
            For a query that may look nowhere it is the bias of `out_proj`.
        weights : (..., num_heads, n, m), or None if not needed

        Raises
        ------
        TypeError
            An argument is not a torch tensor, the tokens are not floating-point numbers, or the mask is not boolean.
        ValueError
            A token is not d_model long, keys and values are not equally many, the axes before the last two do not
            broadcast, the mask does not fit, or an axis is empty.
        """
        key = query if key is None else key
        value = key if value is None else value
        _need_tokens(self.out_proj.out_features, query=query, key=key, value=value)
        need_equal((-2, -2), "every key needs one value", key=key, value=value)
        mask = self._with_heads(mask, query, key, value)
        query, key, value = self.query_proj(query), self.key_proj(key), self.value_proj(value)
        query, key, value = self._heads(query), self._heads(key), self._heads(value)  # (..., num_heads, n or m, d)
        if need_weights:
            mixed, weights = scaled_dot_product_attention(query, key, value, mask)
        else:
            mixed, weights = F.scaled_dot_product_attention(query, key, value, mask), None
        return self.out_proj(mixed.transpose(-3, -2).flatten(-2)), weights

    def _heads(self, x):
        """Cut each row into a piece for each head: (..., n, num_heads · d) -> (..., num_heads, n, d)."""
        return x.unflatten(-1, (self.num_heads, -1)).transpose(-3, -2)

    def _with_heads(self, mask, query, key, value):
        """Return the mask with an axis for the heads, after checking that it fits."""
        if mask is None:
            return None
        leading = torch.broadcast_shapes(*(tokens.shape[:-2] for tokens in (query, key, value)))
        n, m = query.shape[-2], key.shape[-2]
        without, within = (*leading, n, m), (*leading, self.num_heads, n, m)
        _need_mask(mask, (n, m), without, within)
        return mask if mask.ndim in (2, len(within)) else mask.unsqueeze(-3)


def _need_tokens(d_model, **arrays):
    """Raise unless each array is a torch tensor of real tokens (..., rows, d_model) and all of them fit each other."""
    for name, array in arrays.items():
        if not torch.is_tensor(array):
            raise TypeError(f"{name} is a {type(array).__name__}; expected a torch tensor")
        if not array.is_floating_point():
            raise TypeError(f"{name} has dtype {array.dtype}; expected floating-point numbers, as the layer has them")
        if array.ndim < 2 or array.shape[-1] != d_model:
            raise ValueError(f"{name} has shape {tuple(array.shape)}; expected (..., rows, d_model = {d_model})")
    namespace(**arrays)
    need_broadcast(**arrays)


def _need_mask(mask, *forms):
    """Raise unless the mask is boolean and has one of these shapes; any axis but the last may be 1 instead."""
    if not torch.is_tensor(mask):
        raise TypeError(f"mask is a {type(mask).__name__}; expected a torch tensor")
    if mask.dtype != torch.bool:
        raise TypeError(f"mask has dtype {mask.dtype}; expected booleans, True = may look")
    if not any(_fits(tuple(mask.shape), form) for form in forms):
        expected = " or ".join(map(str, dict.fromkeys(forms)))
        raise ValueError(f"mask has shape {tuple(mask.shape)}; expected {expected}; any axis but the last may be 1")


def _fits(shape, form):
    same = len(shape) == len(form) and shape[-1] == form[-1]
    return same and all(axis in (1, wanted) for axis, wanted in zip(shape, form, strict=True))
