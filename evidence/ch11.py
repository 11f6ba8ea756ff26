"""Evidence for chapter 11: which keys a cache may keep, and how memory grows with and without the table of weights."""

import numpy as np
import torch

from attention_src import scaled_dot_product_attention
from evidence.claims import SEEDS, Claim, Experiment, Level, Series, all_rows, grid, round_numbers


def measure_moves(book, seed, n):
    """Return how far keys of the second layer move when a token arrives, with and without a causal mask."""
    random = np.random.default_rng([seed, n])
    w, x = random.normal(size=(3, 8, 8)) / 8**0.5, random.normal(size=(n, 8))
    return {"causal": bool(book.moved(x, w, True) < 1e-12)} | round_numbers({"open": book.moved(x, w, False)})


def count_kept(function, n, d):
    """Return the bytes that PyTorch keeps for the way back, each storage once."""
    found = {}

    def pack(tensor):
        found[tensor.untyped_storage().data_ptr()] = tensor, tensor.untyped_storage().nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        function(*torch.randn(3, n, d).requires_grad_().unbind())
    return sum(size for _, size in found.values())


def measure_memory(book, seed, d, size):
    """Return the factors by which memory grows when a long text, or a short one, doubles once more."""
    torch.manual_seed(seed)
    n = 16 * size
    blocks, plain = book.by_blocks(size), scaled_dot_product_attention
    book.peak(blocks, 2 * n, d)  # what a process's first call loads is not what is asked
    peaks = {m: book.peak(blocks, m, d) for m in (size, 2 * size, n, 2 * n)}
    row = {
        "blocks": peaks[2 * n] / peaks[n],
        "short": peaks[2 * size] / peaks[size],
        "plain": book.peak(plain, 2 * n, d) / book.peak(plain, n, d),
        "tokens": peaks[2 * n] / (2 * n * d * 20),
        "kept_blocks": count_kept(blocks, 2 * n, d) / count_kept(blocks, n, d),
        "kept_plain": count_kept(plain, 2 * n, d) / count_kept(plain, n, d),
    }
    return round_numbers(row, 2)


EXPERIMENTS = {
    "cached": Experiment(measure_moves, ("moved",), grid(seed=SEEDS, n=[5, 20, 80])),
    "memory": Experiment(measure_memory, ("peak", "by_blocks"), grid(seed=SEEDS, d=[8, 32], size=[48])),
}

GROWTH = "5 seeds; 8 and 32 numbers per token"
IN_BLOCKS = "factor by which the peak with blocks grows when a long text doubles"

CLAIMS = [
    Claim(
        "From the second layer on the cache needs a mask that hides each new token from all earlier ones, as the "
        "causal mask does.",
        "cached",
        "5 seeds; 5, 20 and 80 tokens",
        all_rows(lambda row: row["causal"] and row["open"] > 1e-3),
        refuted_if="for some seed and number of tokens, an earlier key moves by at least 1e-12 with a causal "
        "mask, or no earlier key moves by more than 0.001 without a mask.",
        refuting_rows=[{"causal": True, "open": 0.0}],
        shows=Series("open", "how far a key moves without a mask when a token arrives"),
        baseline=Level(0, "with a causal mask"),
    ),
    Claim(
        "For the table the factor tends to 4, for the blocks to 2.",
        "memory",
        GROWTH,
        all_rows(lambda row: 3.6 < row["plain"] < 4.1 and 1.8 < row["blocks"] < 2.1),
        refuted_if="in some run, doubling a long text multiplies the peak of memory by at most 3.6 or at least "
        "4.1 with the table, or by at most 1.8 or at least 2.1 with blocks.",
        refuting_rows=[{"plain": 4.0, "blocks": 1.0}],
        shows=Series("blocks", IN_BLOCKS),
        baseline=Series("plain", "the same with the whole table"),
    ),
    Claim(
        "In short texts it is a good part of the memory, so the first factors of its line are smaller.",
        "memory",
        GROWTH,
        all_rows(lambda row: row["short"] < row["blocks"] - 0.1),
        refuted_if="in some run, the factor for a text of one block is at most 0.1 below the factor for a long text.",
        refuting_rows=[{"short": 2.0, "blocks": 2.0}],
        shows=Series("short", "factor by which the peak with blocks grows when a text of one block doubles"),
        baseline=Series("blocks", IN_BLOCKS),
    ),
    Claim(
        "In long texts they are nearly all of the memory.",
        "memory",
        GROWTH,
        all_rows(lambda row: row["tokens"] < 1.25),
        refuted_if="in some run, the peak of memory with blocks is at least 1.25 times what the tokens of a long "
        "text take.",
        refuting_rows=[{"tokens": 4.0}],
        shows=Series("tokens", "peak of memory with blocks, relative to what the tokens take"),
        baseline=Level(1 + 2 * 16 * 48 / (5 * 32), "the tokens and one table, with 32 numbers per token"),
        best=Level(1, "the tokens alone"),
    ),
    Claim(
        "what is kept grows nearly fourfold when $n$ doubles.",
        "memory",
        GROWTH,
        all_rows(lambda row: 3.5 < row["kept_blocks"] < 4.1 and 3.5 < row["kept_plain"] < 4.1),
        refuted_if="in some run, doubling a long text multiplies what PyTorch keeps for gradients by at most 3.5 "
        "or at least 4.1, with blocks or with the table.",
        refuting_rows=[{"kept_blocks": 2.0, "kept_plain": 4.0}],
        shows=Series("kept_blocks", "factor by which what PyTorch keeps for gradients grows with blocks"),
        baseline=Series("kept_plain", "the same with the whole table"),
        best=Level(2, "if only the tokens were kept"),
    ),
]
