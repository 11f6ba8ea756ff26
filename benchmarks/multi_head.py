"""Our `MultiHeadAttention` against torch's, forward and backward, side by side: `python benchmarks/multi_head.py`.

Both hold the same weights and take the same tokens. The two are timed in turn, so that whatever else the machine does
meets both alike, and the medians are compared.
"""

import time
from statistics import median

import torch
from torch import nn

from attention_src.layers import MultiHeadAttention

BATCH, N, D_MODEL, HEADS, THREADS = 8, 512, 512, 8, 2
WARM_UP, ROUNDS = 3, 25


def twins():
    """Our layer and torch's, with the same weights."""
    ours, theirs = MultiHeadAttention(D_MODEL, HEADS), nn.MultiheadAttention(D_MODEL, HEADS, batch_first=True)
    thirds = zip(theirs.in_proj_weight.chunk(3), theirs.in_proj_bias.chunk(3), strict=True)
    with torch.no_grad():
        for own, (weight, bias) in zip((ours.query_proj, ours.key_proj, ours.value_proj), thirds, strict=True):
            own.weight.copy_(weight)
            own.bias.copy_(bias)
    ours.out_proj.load_state_dict(theirs.out_proj.state_dict())
    return ours, theirs


def seconds(attend, tokens, pull):
    """The time of one forward pass and of one backward pass from the gradient `pull`."""
    start = time.perf_counter()
    output, _ = attend(tokens)
    output.backward(pull)
    return time.perf_counter() - start


def main():
    torch.manual_seed(0)
    torch.set_num_threads(THREADS)
    own, other = twins()
    tokens = torch.randn(BATCH, N, D_MODEL, requires_grad=True)
    pull = torch.randn_like(tokens)
    pair = own, lambda x: other(x, x, x, need_weights=False)
    difference = (pair[0](tokens)[0] - pair[1](tokens)[0]).abs().max()
    rounds = [[seconds(attend, tokens, pull) for attend in pair] for _ in range(WARM_UP + ROUNDS)][WARM_UP:]
    ours, theirs = (median(times) for times in zip(*rounds, strict=True))
    print(f"batch {BATCH}, n {N}, d_model {D_MODEL}, {HEADS} heads, {THREADS} threads, median of {ROUNDS} rounds")
    print(f"ours {1000 * ours:.1f} ms, torch's {1000 * theirs:.1f} ms, ratio {ours / theirs:.3f}")
    print(f"largest difference of the outputs {difference:.1e}")


if __name__ == "__main__":
    main()
