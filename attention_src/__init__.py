"""Every formula of *Attention by the Numbers*, written once.

- **Formulas**, for NumPy arrays and torch tensors alike, in the order in which data passes through attention: `scores`
  compares queries with keys, `masks` says who may look at whom, `weights` turns scores into weights, `attention` mixes
  the values. `positions` says where tokens are, `patches` cuts pictures.
- **Layers and models** with parameters to learn, in torch: `layers`, and `models` that the chapters train or open.

What only the course needs, from plots to checks, is in its sister `attention_course`.

Importing this package never imports torch.
"""

from .attention import blockwise_attention, scaled_dot_product_attention
from .masks import causal_mask, padding_mask, window_mask
from .scores import additive_score, dot_score, general_score, scaled_dot_score
from .weights import relu_weights, sigmoid_weights, softmax

__all__ = [
    "additive_score", "blockwise_attention", "causal_mask", "dot_score", "general_score", "padding_mask",
    "relu_weights", "scaled_dot_product_attention", "scaled_dot_score", "sigmoid_weights", "softmax", "window_mask",
]  # fmt: skip
