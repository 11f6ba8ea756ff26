"""What an exercise's answer must satisfy, and what to tell whoever missed it: one function for each exercise.

A check raises `NotAttempted` for an untouched stub, `Wrong` with a message for an answer that fails, and prints one
line for an answer that holds. The trials come from a `seed`, so an answer cannot be typed in.
"""

from ._report import RIGHT, NotAttempted, Part, Wrong, collecting  # noqa: F401  three are for homework, not for chapters
from .alignment import additive_score, decoder_step, looks_at_the_encoder, step_numbers
from .blocks import block_parameters, mended_block, pre_norm_block
from .cost import cache_bytes, mended_online, online_softmax
from .definition import attention, doubled_query, mended_attention
from .heads import layer_numbers, multi_head, split_heads
from .learning import loss_numbers, mended_loss, next_token_loss
from .masks import decoder_mask, masked_attention, mended_mask, who_may_look
from .museum import mended_places
from .pictures import mended_patchify, patch_numbers, patchify
from .projection import head, mended_head, numbers_and_rank
from .softmax import mended_softmax, ratio_of_weights, softmax
from .symptoms import symptoms

__all__ = [
    "NotAttempted",
    "Wrong",
    "additive_score",
    "attention",
    "block_parameters",
    "cache_bytes",
    "decoder_mask",
    "decoder_step",
    "doubled_query",
    "head",
    "layer_numbers",
    "looks_at_the_encoder",
    "loss_numbers",
    "masked_attention",
    "mended_attention",
    "mended_block",
    "mended_head",
    "mended_loss",
    "mended_mask",
    "mended_online",
    "mended_patchify",
    "mended_places",
    "mended_softmax",
    "multi_head",
    "next_token_loss",
    "numbers_and_rank",
    "online_softmax",
    "patch_numbers",
    "patchify",
    "pre_norm_block",
    "ratio_of_weights",
    "softmax",
    "split_heads",
    "step_numbers",
    "symptoms",
    "who_may_look",
]
