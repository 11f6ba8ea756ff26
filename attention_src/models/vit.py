"""The Vision Transformer: a picture read as a sequence of patches."""

import torch
from torch import nn

from .._validation import as_integer, check_dtype
from ..layers import EncoderBlock
from ..patches import patchify


class VisionTransformer(nn.Module):
    """Cut pictures into patches, let the patches ask each other, and read a class from a token of its own.

    Dosovitskiy et al. (2020), section 3.1: patches are projected to tokens, a learned class token is put before them,
    a learned position is added to each, and blocks with the norm first and a final norm follow.

    Parameters
    ----------
    image_size : int, side of the square pictures in pixels
    patch_size : int, side of a patch in pixels; it divides image_size
    num_classes : int
    d_model : int, length of a token
    num_layers : int, number of blocks
    num_heads : int
    d_ff : int, length of the hidden layer in each block
    in_channels : int, numbers of a pixel
    norm_eps : float, as for `EncoderBlock`

    Raises
    ------
    TypeError, ValueError
        A number is not an integer or less than 1, or patch_size does not divide image_size or num_heads d_model.

    Examples
    --------
    >>> model = VisionTransformer(8, 4, num_classes=10, d_model=12, num_layers=2, num_heads=3, d_ff=24)
    >>> logits, weights = model(torch.zeros(5, 8, 8, 3), need_weights=True)
    >>> logits.shape, weights.shape
    (torch.Size([5, 10]), torch.Size([5, 2, 3, 5, 5]))
    """

    def __init__(
        self, image_size, patch_size, num_classes, d_model, num_layers, num_heads, d_ff, in_channels=3, *, norm_eps=1e-5
    ):
        super().__init__()
        self.image_size = as_integer("image_size", image_size, 1)
        self.patch_size = as_integer("patch_size", patch_size, 1)
        self.in_channels = as_integer("in_channels", in_channels, 1)
        num_layers = as_integer("num_layers", num_layers, 1)
        if self.image_size % self.patch_size:
            raise ValueError(f"image_size is {image_size}; expected a multiple of patch_size = {patch_size}")
        patches = (self.image_size // self.patch_size) ** 2
        d_model, num_classes = as_integer("d_model", d_model, 1), as_integer("num_classes", num_classes, 1)
        self.embed = nn.Linear(self.patch_size**2 * self.in_channels, d_model)
        self.class_token = nn.Parameter(torch.zeros(d_model))
        self.positions = nn.Parameter(0.02 * torch.randn(1 + patches, d_model))
        self.blocks = nn.ModuleList(
            EncoderBlock(d_model, num_heads, d_ff, norm_eps=norm_eps) for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, norm_eps)
        self.head = nn.Linear(d_model, num_classes)

    def encode(self, images, need_weights=False):
        """Return what pictures (..., image_size, image_size, in_channels) have become, and the weights or None.

        The tokens are (..., 1 + patches, d_model), the class token first, then the patches row by row; the weights are
        (..., num_layers, num_heads, 1 + patches, 1 + patches). ValueError if the pictures have another size,
        TypeError if they have another dtype than the layer.
        """
        check_dtype(self.embed.weight.dtype, images=images)
        expected = (self.image_size, self.image_size, self.in_channels)
        if tuple(images.shape[-3:]) != expected:
            raise ValueError(f"images has shape {tuple(images.shape)}; expected (..., {', '.join(map(str, expected))})")
        patches = self.embed(patchify(images, self.patch_size))
        first = self.class_token.expand(*patches.shape[:-2], 1, -1)
        x, weights = torch.cat([first, patches], dim=-2) + self.positions, []
        for block in self.blocks:
            x, block_weights = block(x, need_weights=need_weights)
            weights.append(block_weights)
        return self.norm(x), torch.stack(weights, dim=-4) if need_weights else None

    def forward(self, images, need_weights=False):
        """Return logits (..., num_classes), and the weights; arguments, weights and errors are those of `encode`."""
        tokens, weights = self.encode(images, need_weights)
        return self.head(tokens[..., 0, :]), weights
