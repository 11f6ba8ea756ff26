"""Several attentions side by side, each with projections of its own."""

import torch
import torch.nn.functional as F
from torch import nn

from .._validation import as_integer, as_number, check_equal, check_head_pairs, check_tokens, zero_hidden
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
    num_kv_heads : int, number of heads of keys and values; it divides num_heads; num_heads if left out
        With fewer, num_heads / num_kv_heads neighbouring heads of queries share one: grouped queries, Ainslie et al.
        (2023). With 1, all do: Shazeer (2019).
    linear_bias : bool, whether the four projections add a bias
    rotate : function of queries or keys (..., num_heads, n, d_k) and their positions that turns them, such as `rotary`
        Its settings come with `functools.partial`. The positions are None unless `forward` is given some.
    scale : float, what the dot products are multiplied by; 1 / √d_k if left out

    Raises
    ------
    TypeError, ValueError
        A number is not an integer or less than 1, `scale` is not a number, d_k or d_v is left out and num_heads does
        not divide d_model, or num_kv_heads does not divide num_heads.

    Examples
    --------
    >>> layer = MultiHeadAttention(d_model=8, num_heads=2)
    >>> output, weights = layer(torch.ones(3, 5, 8), torch.ones(3, 7, 8), need_weights=True)
    >>> output.shape, weights.shape
    (torch.Size([3, 5, 8]), torch.Size([3, 2, 5, 7]))
    """

    def __init__(
        self, d_model, num_heads, d_k=None, d_v=None, *, num_kv_heads=None, linear_bias=True, rotate=None, scale=None
    ):
        super().__init__()
        d_model, self.num_heads = as_integer("d_model", d_model, 1), as_integer("num_heads", num_heads, 1)
        if d_model % self.num_heads and None in (d_k, d_v):
            raise ValueError(f"d_model is {d_model}; expected a multiple of num_heads = {num_heads}, or d_k and d_v")
        self.num_kv_heads = self.num_heads if num_kv_heads is None else as_integer("num_kv_heads", num_kv_heads, 1)
        if self.num_heads % self.num_kv_heads:
            raise ValueError(f"num_kv_heads is {num_kv_heads}; expected a divisor of num_heads = {num_heads}")
        d_k = d_model // self.num_heads if d_k is None else as_integer("d_k", d_k, 1)
        d_v = d_model // self.num_heads if d_v is None else as_integer("d_v", d_v, 1)
        self.rotate, self.scale = rotate, scale if scale is None else as_number("scale", scale)
        self.query_proj = nn.Linear(d_model, self.num_heads * d_k, bias=linear_bias)
        self.key_proj = nn.Linear(d_model, self.num_kv_heads * d_k, bias=linear_bias)
        self.value_proj = nn.Linear(d_model, self.num_kv_heads * d_v, bias=linear_bias)
        self.out_proj = nn.Linear(self.num_heads * d_v, d_model, bias=linear_bias)

    def forward(
        self, query, key=None, value=None, mask=None, need_weights=False,
        *, bias=None, positions=None, key_positions=None,
    ):  # fmt: skip
        """Mix the values, for each query, in every head by its own weights.

        Errors as in `scaled_dot_product_attention`; also if the tokens have another dtype than the layer or are not
        d_model long, or if positions are given to a layer made without `rotate`.

        Parameters
        ----------
        query : (..., n, d_model)
        key : (..., m, d_model); the queries if left out: self-attention
        value : (..., m, d_model); the keys if left out
        mask : (n, m), (..., n, m) or (..., num_heads, n, m) bool, True = may look
            It holds for all heads unless it has one axis more than the output, which then counts the heads. Any axis
            but m may be 1 long, one for all.
        need_weights : bool; without them torch's fused function is called, which never holds all weights at once
        bias : added to the scores, floating-point numbers in a shape as for `mask`
            For a batch, that of ALiBi is ``alibi_bias(num_heads, n, like=query)[None]``.
        positions : (n,) or (..., n), the positions of the queries, for `rotate`; 0 … n - 1 if left out
        key_positions : (m,) or (..., m), those of the keys; in self-attention those of the queries if left out

        Returns
        -------
        output : (..., n, d_model)
            For a query that may look nowhere it is the bias of `out_proj`. NaN and infinity in such a query, and in a
            key or value that no query may look at, count as 0, in gradients too; if even one query may, other queries
            also get NaN, as in `attention`.
        weights : (..., num_heads, n, m), or None if not needed
        """
        if key is None and key_positions is None:
            key_positions = positions
        key = query if key is None else key
        value = key if value is None else value
        mask, bias = self._check_inputs(query, key, value, mask, bias)
        seen = mask if mask is None or mask.ndim == 2 else mask.any(dim=-3)  # in at least one head
        query, key, value = zero_hidden(torch, seen, query, key, value)  # before a projection meets NaN

        query = self._split_heads(self.query_proj(query), self.num_heads)  # (..., num_heads, n, d_k)
        key = self._split_heads(self.key_proj(key), self.num_kv_heads)  # (..., num_heads, m, d_k)
        value = self._split_heads(self.value_proj(value), self.num_kv_heads)  # (..., num_heads, m, d_v)
        query, key = self._rotate("positions", query, positions), self._rotate("key_positions", key, key_positions)
        mixed, weights = self._attend(query, key, value, mask, bias, need_weights)  # (..., num_heads, n, d_v)
        output = self.out_proj(self._join_heads(mixed))  # (..., n, d_model)
        return output, weights

    def _split_heads(self, x, count):
        """Cut each row into `count` heads, repeated if shared: (..., n, count · d) -> (..., num_heads, n, d)."""
        x = x.unflatten(-1, (count, -1)).transpose(-3, -2)
        return x if count == self.num_heads else x.repeat_interleave(self.num_heads // count, dim=-3)

    def _join_heads(self, x):
        """Put the rows of all heads end to end: (..., num_heads, n, d_v) -> (..., n, num_heads · d_v)."""
        return x.transpose(-3, -2).flatten(-2)

    def _attend(self, query, key, value, mask, bias, need_weights):
        """Attend in all heads at once, with torch's fused function if the weights are not needed."""
        if need_weights:
            return scaled_dot_product_attention(query, key, value, mask, bias=bias, scale=self.scale)
        added = mask if bias is None else bias.to(query.dtype)
        if bias is not None and mask is not None:
            added = torch.where(mask, added, -torch.inf)
        return F.scaled_dot_product_attention(query, key, value, added, scale=self.scale), None

    def _rotate(self, name, x, positions):
        """Turn queries or keys (..., num_heads, n, d_k) by their positions, (n,) or (..., n), if the layer does so."""
        if self.rotate is None:
            if positions is not None:
                raise ValueError(f"{name} are given to a layer made without `rotate`")
            return x
        return self.rotate(x, positions if positions is None or positions.ndim == 1 else positions.unsqueeze(-2))

    def _check_inputs(self, query, key, value, mask, bias):
        """Check that all five fit each other, and return mask and bias with an axis for the heads."""
        check_tokens(self.query_proj, query=query, key=key, value=value)
        check_equal((-2, -2), "every key needs one value", key=key, value=value)
        leading = torch.broadcast_shapes(*(tokens.shape[:-2] for tokens in (query, key, value)))
        sizes = leading, self.num_heads, query.shape[-2], key.shape[-2]
        return check_head_pairs("mask", mask, *sizes), check_head_pairs("bias", bias, *sizes)
