"""Peak memory of `blockwise_attention` against what the plain form holds: `python -m tests.memory` prints the table."""

import time
import tracemalloc

import numpy as np

from attention_src.attention import blockwise_attention

FEATURES = 8


def peak_bytes(n, m, block_size):
    """The most memory NumPy holds at once while n queries attend to m keys, without the inputs themselves."""
    generator = np.random.default_rng(0)
    query, key, value = (generator.normal(size=(rows, FEATURES)) for rows in (n, m, m))
    blockwise_attention(query[:1], key[:1], value[:1], block_size=1)  # what is imported on first use is not counted
    tracemalloc.start()
    try:
        blockwise_attention(query, key, value, block_size=block_size)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def table():
    """Print n = m, the bytes of n × m weights in float64, and the measured peak, from 1,024 to 65,536."""
    print(f"{'n = m':>8} {'n × m weights':>16} {'blockwise peak':>16} {'seconds':>8}")
    for n in (2**power for power in range(10, 17)):
        start = time.perf_counter()
        peak = peak_bytes(n, n, block_size=512)
        print(f"{n:8,} {8 * n * n / 2**20:12,.0f} MiB {peak / 2**20:12,.1f} MiB {time.perf_counter() - start:8.1f}")


if __name__ == "__main__":
    table()
