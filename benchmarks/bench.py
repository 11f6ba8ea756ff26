"""Attention beside other implementations, in time and memory: `make bench`, about ten minutes; writes `benchmark.md`.

All of a kind are timed in turn, round after round, so that whatever else the machine does meets all alike, and
medians are compared. Peaks of memory are of the whole process, each taken in a process of its own.
"""

import datetime
import importlib.util
import multiprocessing
import os
import platform
import resource
import sys
import time
from importlib.metadata import version
from pathlib import Path
from statistics import median

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from tqdm import tqdm

from attention_src import blockwise_attention, plots, scaled_dot_product_attention
from attention_src.layers import MultiHeadAttention

ROOT = Path(__file__).parents[1]
D_MODEL, HEADS, D_HEAD, BLOCK, THREADS = 256, 4, 64, 640, 2
SIZES = [2**power for power in range(7, 14)]
LONG = [8192, 16384, 32768, 65536]
SECONDS = 3.0  # how long all rounds of one implementation at one size may take together, but for the least number
LEAST, MOST = 4, 80


def from_file(package, module):
    """Load one module of a package without what the package itself imports: vit_pytorch asks for torchvision."""
    place = Path(importlib.util.find_spec(package).submodule_search_locations[0]) / f"{module}.py"
    spec = importlib.util.spec_from_file_location(f"{package}_{module}", place)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def ours():
    layer = MultiHeadAttention(D_MODEL, HEADS)
    return lambda tokens: layer(tokens)[0]


def torch_layer():
    layer = nn.MultiheadAttention(D_MODEL, HEADS, batch_first=True)
    return lambda tokens: layer(tokens, tokens, tokens, need_weights=False)[0]


def x_transformers(flash):
    from x_transformers.x_transformers import Attention

    layer = Attention(D_MODEL, dim_head=D_HEAD, heads=HEADS, flash=flash)

    def attend(tokens):
        output = layer(tokens)
        return output[0] if isinstance(output, tuple) else output

    return attend


def vit_pytorch():
    return from_file("vit_pytorch", "vit").Attention(D_MODEL, HEADS, D_HEAD)


LAYERS = {
    "MultiHeadAttention (ours)": ours,
    "nn.MultiheadAttention": torch_layer,
    "x-transformers": lambda: x_transformers(False),
    "x-transformers, flash": lambda: x_transformers(True),
    "vit-pytorch": vit_pytorch,
}
FUNCTIONS = {
    "F.scaled_dot_product_attention": lambda: lambda q: F.scaled_dot_product_attention(q, q, q),
    "blockwise_attention (ours)": lambda: lambda q: blockwise_attention(q, q, q, block_size=BLOCK),
    "scaled_dot_product_attention (ours)": lambda: lambda q: scaled_dot_product_attention(q, q, q)[0],
}


def tokens(name, n):
    """A batch of one text for a layer; one head for a function."""
    return torch.randn(1, n, D_MODEL) if name in LAYERS else torch.randn(1, 1, n, D_HEAD)


def forward(attend, x):
    with torch.no_grad():
        attend(x)


def both_ways(attend, x):
    x.requires_grad_()
    attend(x).sum().backward()
    x.grad = None


WAYS = {"forward": forward, "forward + backward": both_ways}


def seconds(way, attend, x):
    start = time.perf_counter()
    way(attend, x)
    return time.perf_counter() - start


def time_together(built, way, n):
    """The times (rounds, implementations) of all at one size, in turn; each round begins with another one."""
    given = [(attend, tokens(name, n)) for name, attend in built.items()]
    warm = max(seconds(way, *pair) for pair in given)
    times = np.empty((min(MOST, max(LEAST, int(SECONDS / warm))), len(given)))
    for r, i in np.ndindex(times.shape):
        i = (r + i) % len(given)
        times[r, i] = seconds(way, *given[i])
    return times


def peaks(job):
    """MiB that the process needs at most, above what it had before, for growing sizes."""
    name, way, sizes = job
    torch.set_num_threads(THREADS)
    attend = (LAYERS | FUNCTIONS)[name]()
    WAYS[way](attend, tokens(name, 16))
    before, found = peak(), []
    for n in sizes:
        WAYS[way](attend, tokens(name, n))
        found.append(peak() - before)
    return found, peak()


def peak():
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / 2**20 if sys.platform == "darwin" else most / 2**10


def exponent(sizes, values):
    """The slope of log value against log n over the three largest sizes, where the start no longer counts."""
    return np.polyfit(np.log(sizes[-3:]), np.log(values[-3:]), 1)[0]


def measure():
    """All times and peaks: {(kind, way): ({name: seconds}, {name: ratio to the first})}, {(name, way): MiB}, ..."""
    torch.manual_seed(0)
    torch.set_num_threads(THREADS)
    kinds = {("layers", way): LAYERS for way in WAYS} | {("functions", "forward"): FUNCTIONS}
    jobs = [(name, way, SIZES) for (_, way), names in kinds.items() for name in names]
    jobs.append(("blockwise_attention (ours)", "forward", LONG))
    memory, times, whole = {}, {}, 0
    with tqdm(total=len(jobs) + len(kinds) * len(SIZES)) as bar:
        for job in jobs:
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                memory[job[0], job[1], job[2][-1]], whole = pool.apply(peaks, [job])
            bar.update()
        for (kind, way), names in kinds.items():
            built, found = {name: make() for name, make in names.items()}, []
            for n in SIZES:
                found.append(time_together(built, WAYS[way], n))
                bar.update()
            times[kind, way] = found
    return times, memory, whole


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---|" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def short(x):
    return f"{x:,.0f}" if x >= 100 else f"{x:.3g}"


def time_table(names, found):
    """Milliseconds, and how many times as long as the first of the same round, in the median."""
    rows = []
    for i, name in enumerate(names):
        cells = [f"{short(1000 * median(r[:, i]))} ({median(r[:, i] / r[:, 0]):.2f})" for r in found]
        rows.append([name, *cells, f"{exponent(SIZES, [median(r[:, i]) for r in found]):.2f}"])
    return table(["ms (× the first)", *(f"n = {n:,}" for n in SIZES), "n to the"], rows)


def memory_table(names, way, memory):
    found = {name: memory[name, way, SIZES[-1]] for name in names}
    rows = [[n, *(f"{x:,.1f}" for x in xs), f"{exponent(SIZES, xs):.2f}"] for n, xs in found.items()]
    return table(["MiB", *(f"n = {n:,}" for n in SIZES), "n to the"], rows)


def figure(name, series, ylabel):
    drawn = plots.lines(SIZES, series, xlabel="n", ylabel=ylabel, logx=True, logy=True, digits=3)
    (ROOT / "_static" / name).write_text(drawn.svg, encoding="utf-8")


def page(times, memory, whole):
    """The page for the site's back matter."""
    packages = ("torch", "numpy", "x-transformers", "vit-pytorch")
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    way, long = "forward + backward", memory["blockwise_attention (ours)", "forward", LONG[-1]]
    row = ["MiB", *(f"{x:.0f}" for x in long), f"{exponent(LONG, long):.2f}"]
    figure(
        "benchmark_time.svg",
        {name: [median(r[:, i]) for r in times["layers", way]] for i, name in enumerate(LAYERS)},
        "seconds",
    )
    figure("benchmark_memory.svg", {name: memory[name, "forward", SIZES[-1]] for name in FUNCTIONS}, "MiB")
    return f"""# Benchmark

What stands here was measured once, on {datetime.date.today():%d %B %Y}, and no test compares it: another machine gives
other numbers. `make bench` measures again and writes this page.

{versions}, Python {platform.python_version()}, {platform.system()} on {platform.machine()}, {os.cpu_count()} cores, no
graphics card, {THREADS} threads, 32-bit numbers.

A number in brackets says how many times as long as the first row of its table: the median over rounds in which all ran
in turn. The last column is the exponent fitted over the three largest sizes: 1 grows with n, 2 with its square.

## Layers

A batch of one text, d_model = {D_MODEL}, {HEADS} heads of {D_HEAD}. vit-pytorch's layer includes a layer
normalisation; its projections of query, key and value, and those of x-transformers, have no biases.
Forward, without gradients:

{time_table(LAYERS, times["layers", "forward"])}
Forward and backward:

{time_table(LAYERS, times["layers", way])}
![Seconds forward and backward against n, both axes logarithmic, a line for each layer.](_static/benchmark_time.svg)

Peak of memory, above what the process had before, forward and backward:

{memory_table(LAYERS, way, memory)}
## Functions

One head of {D_HEAD} numbers, forward. The blocks have {BLOCK} queries and {BLOCK} keys.

{time_table(FUNCTIONS, times["functions", "forward"])}
Peak of memory, above what the process had before:

{memory_table(FUNCTIONS, "forward", memory)}
![Peak of memory against n, both axes logarithmic, a line for each function.](_static/benchmark_memory.svg)

`blockwise_attention` with more, and how much memory it needs above what the process had before. At the last the whole
process, torch included, needed {whole / 1024:.2f} GiB at most.

{table(["", *(f"n = {n:,}" for n in LONG), "n to the"], [row])}"""


if __name__ == "__main__":
    (ROOT / "benchmark.md").write_text(page(*measure()), encoding="utf-8")
