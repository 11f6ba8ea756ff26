"""Build the blocks of a Transformer: attention and a small network, each with a path that leads past it.

There is no dropout, since the networks of the book are small and should print the same on every run.
"""

from torch import nn

from .._validation import as_integer, check_tokens
from .multi_head import MultiHeadAttention

ACTIVATIONS = {"gelu": nn.GELU, "relu": nn.ReLU}


class FeedForward(nn.Sequential):
    """Pass every token by itself through a network with one hidden layer: ``activation(x W_1 + b_1) W_2 + b_2``.

    Vaswani et al. (2017), section 3.3, with ReLU; GELU as in Dosovitskiy et al. (2020).

    Parameters
    ----------
    d_model : int, length of a token, before and after
    d_ff : int, length in between
    activation : str, 'gelu' or 'relu'

    Raises
    ------
    TypeError, ValueError
        A length is not an integer or less than 1, or the activation is neither of the two.

    Examples
    --------
    >>> import torch
    >>> FeedForward(d_model=4, d_ff=16)(torch.ones(2, 3, 4)).shape
    torch.Size([2, 3, 4])
    """

    def __init__(self, d_model, d_ff, activation="gelu"):
        d_model, d_ff = as_integer("d_model", d_model, 1), as_integer("d_ff", d_ff, 1)
        if activation not in ACTIVATIONS:
            raise ValueError(f"activation is {activation!r}; expected one of {[*ACTIVATIONS]}")
        super().__init__(nn.Linear(d_model, d_ff), ACTIVATIONS[activation](), nn.Linear(d_ff, d_model))


class _Block(nn.Module):
    """What both blocks share: a sub-layer, a path past it, and a norm before the sub-layer or after the sum."""

    def __init__(self, d_model, num_heads, d_ff, activation, norm_first, norm_eps, num_norms):
        super().__init__()
        d_model, self.norm_first = as_integer("d_model", d_model, 1), norm_first
        self.attend = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff, activation)
        self.norms = nn.ModuleList(nn.LayerNorm(d_model, norm_eps) for _ in range(num_norms))

    def _add_sublayer(self, x, norm, sublayer):
        """Return ``x + sublayer(norm(x))``, or ``norm(x + sublayer(x))`` if the norm comes last, and the weights."""
        out, weights = sublayer(norm(x) if self.norm_first else x)
        return (x + out, weights) if self.norm_first else (norm(x + out), weights)

    def _feed(self, x):
        return self.feed_forward(x), None


class EncoderBlock(_Block):
    """Let the tokens of a sequence ask each other, then compute something new from each by itself.

    ``x + Attention(Norm(x))``, then ``x + FeedForward(Norm(x))``: the norm comes first, as in most models since GPT-2;
    with ``norm_first=False`` it comes last, ``Norm(x + Attention(x))``, as in Vaswani et al. (2017), section 3.1.
    Layer normalisation is that of Ba et al. (2016). The same as `torch.nn.TransformerEncoderLayer` without dropout.
    Errors as in `FeedForward`; also if num_heads does not divide d_model.

    Parameters
    ----------
    d_model : int, length of a token
    num_heads : int
    d_ff : int, length of the hidden layer
    activation : str, 'gelu' or 'relu'
    norm_first : bool
    norm_eps : float, added to the variance in the layer normalisation
        PyTorch's own; published weights may need another: 1e-6 those of ViT, 1e-12 those of BERT.

    Examples
    --------
    >>> import torch
    >>> output, weights = EncoderBlock(8, 2, 32)(torch.ones(3, 5, 8), need_weights=True)
    >>> output.shape, weights.shape
    (torch.Size([3, 5, 8]), torch.Size([3, 2, 5, 5]))
    """

    def __init__(self, d_model, num_heads, d_ff, activation="gelu", norm_first=True, *, norm_eps=1e-5):
        super().__init__(d_model, num_heads, d_ff, activation, norm_first, norm_eps, num_norms=2)

    def forward(self, x, mask=None, need_weights=False):
        """Pass tokens (..., n, d_model) through the block; mask, weights and errors as in `MultiHeadAttention`."""
        check_tokens(self.attend.query_proj, x=x)
        first, second = self.norms
        x, weights = self._add_sublayer(x, first, lambda y: self.attend(y, mask=mask, need_weights=need_weights))
        return self._add_sublayer(x, second, self._feed)[0], weights


class DecoderBlock(_Block):
    """Let the tokens ask each other, then a second sequence, then compute something new from each by itself.

    Vaswani et al. (2017), section 3.1; the same as `torch.nn.TransformerDecoderLayer` without dropout. The caller
    supplies the causal mask.

    Parameters
    ----------
    d_model, num_heads, d_ff, activation, norm_first, norm_eps : as for `EncoderBlock`, with its errors

    Examples
    --------
    >>> import torch
    >>> output, _ = DecoderBlock(8, 2, 32)(torch.ones(3, 5, 8), torch.ones(3, 7, 8))
    >>> output.shape
    torch.Size([3, 5, 8])
    """

    def __init__(self, d_model, num_heads, d_ff, activation="gelu", norm_first=True, *, norm_eps=1e-5):
        super().__init__(d_model, num_heads, d_ff, activation, norm_first, norm_eps, num_norms=3)
        self.attend_memory = MultiHeadAttention(d_model, num_heads)

    def forward(self, x, memory, mask=None, memory_mask=None, need_weights=False):
        """Pass a decoder's tokens x (..., n, d_model) through the block, and the encoder's, memory (..., m, d_model).

        `mask` says which tokens may look at each other, `memory_mask` which may look at the memory, both with True =
        may look; masks and errors are as in `MultiHeadAttention`. Return the output (..., n, d_model) and a pair of
        weights, (..., num_heads, n, n) and (..., num_heads, n, m), or None if they are not needed.
        """
        check_tokens(self.attend.query_proj, x=x, memory=memory)
        first, second, third = self.norms
        x, own = self._add_sublayer(x, first, lambda y: self.attend(y, mask=mask, need_weights=need_weights))
        given = {"key": memory, "mask": memory_mask, "need_weights": need_weights}
        x, cross = self._add_sublayer(x, second, lambda y: self.attend_memory(y, **given))
        return self._add_sublayer(x, third, self._feed)[0], (own, cross) if need_weights else None
