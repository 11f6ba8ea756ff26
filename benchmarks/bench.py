"""Attention beside other implementations, in time and memory: the proof `benchmark`, about ten minutes.

All of a kind are timed in turn, round after round, so that whatever else the machine does meets all alike, and
medians are compared. Peaks of memory are of the whole process, each taken in a process of its own.
"""

import importlib.util
import json
import multiprocessing
import re
import resource
import sys
import time
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
REQUIREMENTS = ROOT / "benchmarks" / "requirements.txt"
D_MODEL, HEADS, D_HEAD, BLOCK, THREADS = 256, 4, 64, 640, 2
SIZES = [2**power for power in range(7, 14)]
LONG = [8192, 16384, 32768, 65536]
SECONDS = 3.0  # how long all rounds of one implementation at one size may take together, but for the least number
LEAST, MOST = 4, 80
MOST_TIMES_FUSED, LEAST_TIMES_OURS, MOST_MIB = 1.9, 0.95, 512  # what the proof asks


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
    """Measure all; return rows: seconds at each size and how many times as long as the first, MiB at each size."""
    torch.manual_seed(0)
    torch.set_num_threads(THREADS)
    kinds = {("layers", way): LAYERS for way in WAYS} | {("functions", "forward"): FUNCTIONS}
    jobs = [(name, way, SIZES) for (_, way), names in kinds.items() for name in names]
    jobs.append(("blockwise_attention (ours)", "forward", LONG))
    rows = []
    with tqdm(total=len(jobs) + len(kinds) * len(SIZES)) as bar:
        for name, way, sizes in jobs:
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                found, whole = pool.apply(peaks, [(name, way, sizes)])
            rows += [{"name": name, "way": way, "n": n, "MiB": mib} for n, mib in zip(sizes, found, strict=True)]
            rows[-1]["whole process MiB"] = whole
            bar.update()
        for (_, way), names in kinds.items():
            built = {name: make() for name, make in names.items()}
            for n in SIZES:
                times = time_together(built, WAYS[way], n)
                for i, name in enumerate(names):
                    ratio = {"seconds": median(times[:, i]), "ratio": median(times[:, i] / times[:, 0])}
                    rows.append({"name": name, "way": way, "n": n, **ratio})
                bar.update()
    return rows


def faults(rows):
    """What is worse than we promise, on any machine: texts."""
    blockwise = one(rows, "blockwise_attention (ours)", "forward", SIZES[-1], "ratio")
    if blockwise > MOST_TIMES_FUSED:
        yield f"blockwise_attention takes {blockwise:.2f} times as long as torch's fused function"
    layer = one(rows, "nn.MultiheadAttention", "forward + backward", SIZES[-1], "ratio")
    if layer < LEAST_TIMES_OURS:
        yield f"nn.MultiheadAttention takes {layer:.2f} times as long as MultiHeadAttention"
    whole = one(rows, "blockwise_attention (ours)", "forward", LONG[-1], "whole process MiB")
    if whole > MOST_MIB:
        yield f"{LONG[-1]:,} tokens need {whole:.0f} MiB"


TOO_SLOW = [  # rows that must not pass
    {"name": "blockwise_attention (ours)", "way": "forward", "n": SIZES[-1], "seconds": 3.0, "ratio": 3.0},
    {"name": "nn.MultiheadAttention", "way": "forward + backward", "n": SIZES[-1], "seconds": 1.0, "ratio": 0.5},
    {"name": "blockwise_attention (ours)", "way": "forward", "n": LONG[-1], "MiB": 600.0, "whole process MiB": 900.0},
]


def one(rows, name, way, n, what):
    (found,) = (row[what] for row in rows if (row["name"], row["way"], row["n"]) == (name, way, n) and what in row)
    return found


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---|" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def short(x):
    return f"{x:,.0f}" if x >= 100 else f"{x:.3g}"


def time_table(rows, names, way):
    """Milliseconds, and how many times as long as the first of the same round, in the median."""
    made = []
    for name in names:
        times = [one(rows, name, way, n, "seconds") for n in SIZES]
        ratios = [one(rows, name, way, n, "ratio") for n in SIZES]
        cells = [f"{short(1000 * time)} ({ratio:.2f})" for time, ratio in zip(times, ratios, strict=True)]
        made.append([name, *cells, f"{exponent(SIZES, times):.2f}"])
    return table(["ms (× the first)", *(f"n = {n:,}" for n in SIZES), "n to the"], made)


def memory_table(rows, names, way, sizes=SIZES):
    found = {name: [one(rows, name, way, n, "MiB") for n in sizes] for name in names}
    made = [[name, *(f"{x:,.1f}" for x in mib), f"{exponent(sizes, mib):.2f}"] for name, mib in found.items()]
    return table(["MiB", *(f"n = {n:,}" for n in sizes), "n to the"], made)


def figures(rows):
    """The two figures of the page: {name of the file: SVG}."""
    seconds = {name: [one(rows, name, "forward + backward", n, "seconds") for n in SIZES] for name in LAYERS}
    mib = {name: [one(rows, name, "forward", n, "MiB") for n in SIZES] for name in FUNCTIONS}
    look = {"xlabel": "n", "logx": True, "logy": True, "digits": 3}
    made = {"benchmark_time.svg": (seconds, "seconds"), "benchmark_memory.svg": (mib, "MiB")}
    return {name: plots.lines(SIZES, series, ylabel=label, **look).svg for name, (series, label) in made.items()}


def page(proof):
    """The page for the site's back matter, from the committed proof."""
    rows, about, way = proof["rows"], proof["environment"], "forward + backward"
    versions = [f"{name} {proof['fingerprint'][name]}" for name in ("torch", "numpy")]
    versions += [line.replace("==", " ") for line in REQUIREMENTS.read_text().splitlines() if re.match("x-t|vit", line)]
    whole = one(rows, "blockwise_attention (ours)", "forward", LONG[-1], "whole process MiB")
    return f"""# Benchmark

What stands here was measured once, and no test compares it: another machine gives other numbers. `make bench` measures
again, into `proofs/benchmark.json`, from which this page is made.

{", ".join(versions)}, Python {about["python"]}, {about["system"]} on {about["machine"]}, {about["cores"]} cores, no
graphics card, {THREADS} threads, 32-bit numbers.

A number in brackets says how many times as long as the first row of its table: the median over rounds in which all ran
in turn. The last column is the exponent fitted over the three largest sizes: 1 grows with n, 2 with its square.

## Layers

A batch of one text, d_model = {D_MODEL}, {HEADS} heads of {D_HEAD}. vit-pytorch's layer includes a layer
normalisation; its projections of query, key and value, and those of x-transformers, have no biases.
Forward, without gradients:

{time_table(rows, LAYERS, "forward")}
Forward and backward:

{time_table(rows, LAYERS, way)}
![Seconds forward and backward against n, both axes logarithmic, a line for each layer.](_static/benchmark_time.svg)

Peak of memory, above what the process had before, forward and backward:

{memory_table(rows, LAYERS, way)}
## Functions

One head of {D_HEAD} numbers, forward. The blocks have {BLOCK} queries and {BLOCK} keys.

{time_table(rows, FUNCTIONS, "forward")}
Peak of memory, above what the process had before:

{memory_table(rows, FUNCTIONS, "forward")}
![Peak of memory against n, both axes logarithmic, a line for each function.](_static/benchmark_memory.svg)

`blockwise_attention` with more, and how much memory it needs above what the process had before. At the last the whole
process, torch included, needed {whole / 1024:.2f} GiB at most.

{memory_table(rows, ["blockwise_attention (ours)"], "forward", LONG)}"""


if __name__ == "__main__":
    measured = json.loads((ROOT / "proofs" / "benchmark.json").read_text("utf-8"))
    (ROOT / "benchmark.md").write_text(page(measured), "utf-8")
    for name, svg in figures(measured["rows"]).items():
        (ROOT / "_static" / name).write_text(svg, "utf-8")
