"""Bahdanau's attention: a score from a small network."""

from functools import partial
from math import sqrt

import torch
from torch import nn

from .._validation import as_integer, check_axes, check_dtype, check_equal, prepare_attention, zero_hidden
from ..attention import attention
from ..scores import tanh_score


def _draw_matrix(*shape):
    """Return a parameter drawn uniformly between −1/√rows and 1/√rows, as `torch.nn.Linear` does."""
    bound = 1 / sqrt(shape[0])
    return nn.Parameter(torch.empty(shape).uniform_(-bound, bound))


class AdditiveAttention(nn.Module):
    """Attend by `additive_score`, the attention of Bahdanau et al. (2014), appendix A.1.2.

    ``softmax(v · tanh(q W_q + k W_k))`` mixes the values. In the paper's letters the query is the decoder's previous
    state s_{i-1}, W_q is W_a, W_k is U_a, and keys and values are both the encoder's states h_1 … h_m. TypeError if a
    length is not an integer, ValueError if it is less than 1.

    Parameters
    ----------
    d_query : int, length of a query
    d_key : int, length of a key
    d_hidden : int, length to which both are projected

    Examples
    --------
    >>> layer = AdditiveAttention(d_query=3, d_key=4, d_hidden=5)
    >>> output, weights = layer(torch.ones(2, 1, 3), torch.ones(2, 6, 4))
    >>> output.shape, weights.shape
    (torch.Size([2, 1, 4]), torch.Size([2, 1, 6]))
    """

    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        d_hidden = as_integer("d_hidden", d_hidden, 1)
        self.w_query = _draw_matrix(as_integer("d_query", d_query, 1), d_hidden)
        self.w_key = _draw_matrix(as_integer("d_key", d_key, 1), d_hidden)
        self.v = _draw_matrix(d_hidden)

    def project(self, key):
        """Return key W_k, (..., m, d_key) -> (..., m, d_hidden): the part that does not depend on a query."""
        self._check("m", key=key)
        return key @ self.w_key

    def attend(self, query, projected, value, mask=None):
        """Do what `forward` does, with the keys that `project` returned, (..., m, d_hidden)."""
        self._check("n", query=query)
        return attention(query @ self.w_query, projected, value, mask, score=partial(tanh_score, v=self.v))

    def forward(self, query, key, value=None, mask=None):
        """Mix the values, the keys if left out, for each query; return output (..., n, d_v) and weights (..., n, m).

        Arguments and errors are those of `attention`, with queries (..., n, d_query) and keys (..., m, d_key) in the
        dtype of the layer.
        """
        value = key if value is None else value
        self._check("m", key=key), self._check("n", query=query)
        prepare_attention(query, key, value, mask, None)  # only to check that they fit each other
        query, key, value = zero_hidden(torch, mask, query, key, value)  # before a projection meets NaN
        return self.attend(query, self.project(key), value, mask)

    def _check(self, rows, **vectors):
        """Raise unless the queries or keys have the dtype and the length of the matrix that projects them."""
        (name,) = vectors
        matrix = getattr(self, f"w_{name}")
        check_dtype(matrix.dtype, **vectors)
        check_axes(2, f"(..., {rows}, d_{name}), one row for each {name}", **vectors)
        reason = f"w_{name} needs a row for each number of a {name}"
        check_equal((-1, -2), reason, **vectors, **{f"w_{name}": matrix})
