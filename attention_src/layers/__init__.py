"""Attention with parameters to learn. Every layer holds its matrices and calls the formulas of the package."""

from .additive import AdditiveAttention
from .blocks import DecoderBlock, EncoderBlock, FeedForward
from .multi_head import MultiHeadAttention

__all__ = ["AdditiveAttention", "DecoderBlock", "EncoderBlock", "FeedForward", "MultiHeadAttention"]
