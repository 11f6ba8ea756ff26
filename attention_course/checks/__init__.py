"""The checks of the exercises, one function for each: what an answer must satisfy, and what to ask if it does not.

A check raises `NotAttempted` for an untouched stub, `Wrong` with a message for an answer that fails, and prints one
line for an answer that holds. The trials come from `seed`, so that an answer cannot be typed in.
"""

# ruff: noqa: F401
from ._again import take_solutions
from ._language import speaking
from ._machine import machine
from ._message import RIGHT, NotAttempted, Part, Wrong, before_handing_in, collecting, hold_back
from .ch01 import attention, doubled_query, mended_attention
from .ch02 import mended_softmax, softmax, temperature_for_ratio, without_divisor
from .ch03 import additive_score, counting_keys, decoder_step, looks_at_the_encoder
from .ch04 import designed_head, mended_head, numbers_and_rank, projections
from .ch05 import decoder_mask, masked_attention, mended_mask, who_may_look
from .ch06 import layer_numbers, multi_head, split_heads
from .ch07 import block_parameters, pre_norm_block, stream_kept, zero_test
from .ch08 import cut_arrow, false_position, mended_unpatchify, patch_numbers, patchify
from .ch09 import loss_numbers, mended_loss, next_token_loss
from .ch10 import exchange_effect, mended_places, programs, symptoms
from .ch11 import cache_bytes, mended_online, merged_parts
from .ch12 import heads_missed_more, mended_published_block, next_head
from .ch13 import baseline, loop, merges, pieces

CHECKS = {  # every function of a module without an underscore
    name: hold_back(thing)
    for name, thing in globals().items()
    if getattr(thing, "__module__", "").startswith(f"{__name__}.") and "._" not in thing.__module__
}
globals().update(CHECKS)
__all__ = ["NotAttempted", "Wrong", *CHECKS]
