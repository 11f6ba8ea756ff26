"""The page and the figures of the benchmark, made of its result: `python -m tools.benchmark_page` writes them."""

import re

import numpy as np

from attention_course import plots
from book.chapter import ROOT
from evidence.benchmark import BLOCK, D_HEAD, D_MODEL, FUNCTIONS, HEADS, LAYERS, LONG, SIZES, THREADS, TWINS, one
from evidence.engine import load

REQUIREMENTS = ROOT / "evidence" / "requirements" / "benchmark.txt"


def exponent(sizes, values):
    """Return the slope of log value against log n over the three largest sizes, where the start no longer counts."""
    return np.polyfit(np.log(sizes[-3:]), np.log(values[-3:]), 1)[0]


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---|" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def short(x):
    return f"{x:,.0f}" if x >= 100 else f"{x:.3g}"


def time_table(rows, names, way):
    """Return a table of milliseconds and how many times as long as the first of the same round, in the median."""
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
    """Return the two figures of the page: {name of the file: SVG}."""
    seconds = {name: [one(rows, name, "forward + backward", n, "seconds") for n in SIZES] for name in LAYERS}
    mib = {name: [one(rows, name, "forward", n, "MiB") for n in SIZES] for name in FUNCTIONS}
    mib = {name.replace("_attention", ""): found for name, found in mib.items()}  # or the legend is wider than the axes
    look = {"xlabel": "n", "logx": True, "logy": True, "digits": 3}
    made = {"benchmark_time.svg": (seconds, "seconds"), "benchmark_memory.svg": (mib, "MiB")}
    return {name: plots.lines(SIZES, series, ylabel=label, **look).svg for name, (series, label) in made.items()}


def page(result):
    """Return the page for the site's back matter, from the stored result."""
    rows, about, way = result["rows"], result["environment"], "forward + backward"
    versions = [f"{name} {result['versions'][name]}" for name in ("torch", "numpy")]
    versions += [line.replace("==", " ") for line in REQUIREMENTS.read_text().splitlines() if re.match("x-t|vit", line)]
    twins = one(rows, TWINS, way, 512, "ratio")
    whole = one(rows, "blockwise_attention (ours)", "forward", LONG[-1], "whole process MiB")
    return f"""# Benchmark

What stands here was measured once, and no test compares it: another machine gives other numbers. `make bench` measures
again, into `evidence/results/benchmark.json`, from which this page is made.

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
![Seconds forward and backward against n, on logarithmic axes, a line for each layer.](../web/static/benchmark_time.svg)

With torch's own weights in it, a batch of 8 texts of 512 tokens, d_model = 512 and 8 heads, `MultiHeadAttention` takes
{twins:.2f} times as long as `nn.MultiheadAttention`, forward and backward.

Peak of memory, above what the process had before, forward and backward:

{memory_table(rows, LAYERS, way)}
## Functions

One head of {D_HEAD} numbers, forward. The blocks have {BLOCK} queries and {BLOCK} keys.

{time_table(rows, FUNCTIONS, "forward")}
Peak of memory, above what the process had before:

{memory_table(rows, FUNCTIONS, "forward")}
![Peak of memory against n, both axes logarithmic, a line for each function.](../web/static/benchmark_memory.svg)

`blockwise_attention` with more, and how much memory it needs above what the process had before. At the last the whole
process, torch included, needed {whole / 1024:.2f} GiB at most.

{memory_table(rows, ["blockwise_attention (ours)"], "forward", LONG)}"""


if __name__ == "__main__":
    measured = load("benchmark")
    (ROOT / "pages" / "benchmark.md").write_text(page(measured), "utf-8")
    for name, svg in figures(measured["rows"]).items():
        (ROOT / "web" / "static" / name).write_text(svg, "utf-8")
