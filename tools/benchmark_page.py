"""The page and the figures of the benchmark, made of its result: `python -m tools.benchmark_page` writes them."""

import re

import numpy as np

from attention_course import plots
from book.chapter import ROOT
from evidence.benchmark import BLOCK, D_HEAD, D_MODEL, FUNCTIONS, HEADS, LAYERS, LONG, SIZES, THREADS, TWINS, read_value
from evidence.engine import load
from tools.instructors_page import format_table

REQUIREMENTS = ROOT / "evidence" / "requirements" / "benchmark.txt"


def exponent(sizes, values):
    """Return the slope of log value against log n over the three largest sizes, where the start no longer counts."""
    return np.polyfit(np.log(sizes[-3:]), np.log(values[-3:]), 1)[0]


def short(x):
    return f"{x:,.0f}" if x >= 100 else f"{x:.3g}"


def time_table(rows, names, way):
    """Return a table of milliseconds and how many times as long as the first of the same round, in the median."""
    lines = []
    for name in names:
        times = [read_value(rows, name, way, n, "seconds") for n in SIZES]
        ratios = [read_value(rows, name, way, n, "ratio") for n in SIZES]
        cells = [f"{short(1000 * time)} ({ratio:.2f})" for time, ratio in zip(times, ratios, strict=True)]
        lines.append([name, *cells, f"{exponent(SIZES, times):.2f}"])
    return format_table(["ms (× the first)", *(f"n = {n:,}" for n in SIZES), "n to the"], lines) + "\n"


def memory_table(rows, names, way, sizes=SIZES):
    found = {name: [read_value(rows, name, way, n, "MiB") for n in sizes] for name in names}
    lines = [[name, *(f"{x:,.1f}" for x in mib), f"{exponent(sizes, mib):.2f}"] for name, mib in found.items()]
    return format_table(["MiB", *(f"n = {n:,}" for n in sizes), "n to the"], lines) + "\n"


def figures(rows):
    """Return the two figures of the page: {name of the file: SVG}."""
    seconds = {name: [read_value(rows, name, "forward + backward", n, "seconds") for n in SIZES] for name in LAYERS}
    mib = {name: [read_value(rows, name, "forward", n, "MiB") for n in SIZES] for name in FUNCTIONS}
    mib = {name.replace("_attention", ""): found for name, found in mib.items()}  # short, at the ends of the lines
    look = {"xlabel": "n", "logx": True, "logy": True, "digits": 3}
    curves = {"benchmark_time.svg": (seconds, "seconds"), "benchmark_memory.svg": (mib, "MiB")}
    return {name: plots.lines(SIZES, series, ylabel=label, **look).svg for name, (series, label) in curves.items()}


def page(result):
    """Return the page for the site's back matter, from the stored result."""
    rows, about, way = result["rows"], result["environment"], "forward + backward"
    versions = [f"{name} {result['versions'][name]}" for name in ("torch", "numpy")]
    versions += [line.replace("==", " ") for line in REQUIREMENTS.read_text().splitlines() if re.match("x-t|vit", line)]
    twins = read_value(rows, TWINS, way, 512, "ratio")
    whole = read_value(rows, "blockwise_attention (ours)", "forward", LONG[-1], "whole process MiB")
    return f"""# Benchmark

The numbers on this page were measured once on one machine, and no test compares them, because another machine would
give other numbers. `make bench` repeats the measurements and stores them in `evidence/results/benchmark.json`, from
which this page is made.

We measured with {", ".join(versions)} and Python {about["python"]}, on {about["system"]}, {about["machine"]}, with
{about["cores"]} cores, no graphics card, {THREADS} threads and 32-bit numbers.

A number in brackets compares a time with the first row of its table. It is the median over rounds in which all
candidates ran in turn. The last column is the exponent fitted to the three largest sizes, where 1 means growth with n
and 2 means growth with its square.

## Layers

Each layer gets a batch of one text, with d_model = {D_MODEL} and {HEADS} heads of {D_HEAD}. The layer of vit-pytorch
includes a layer normalisation. The query, key and value projections of vit-pytorch and of x-transformers have no
biases.
This table has the forward pass without gradients:

{time_table(rows, LAYERS, "forward")}
This one has the forward and backward passes:

{time_table(rows, LAYERS, way)}
![Seconds forward and backward against n on logarithmic axes, a line for each layer.](../web/static/benchmark_time.svg)

With torch's own weights, a batch of 8 texts of 512 tokens, d_model = 512 and 8 heads, `MultiHeadAttention` takes
{twins:.2f} times as long as `nn.MultiheadAttention` for the forward and backward passes.

Peak memory in the forward and backward passes, beyond what the process used before:

{memory_table(rows, LAYERS, way)}
## Functions

This table compares the forward pass of one head of {D_HEAD} numbers. The blocks have {BLOCK} queries and {BLOCK} keys.

{time_table(rows, FUNCTIONS, "forward")}
Peak memory, beyond what the process used before:

{memory_table(rows, FUNCTIONS, "forward")}
![Peak memory against n on logarithmic axes, with a line for each function.](../web/static/benchmark_memory.svg)

The last table shows `blockwise_attention` at larger sizes and how much memory it needs beyond what the process used
before. At the largest size the whole process, including torch, needed at most {whole / 1024:.2f} GiB.

{memory_table(rows, ["blockwise_attention (ours)"], "forward", LONG)}"""


if __name__ == "__main__":
    measured = load("benchmark")
    (ROOT / "pages" / "benchmark.md").write_text(page(measured), "utf-8")
    for name, svg in figures(measured["rows"]).items():
        (ROOT / "web" / "static" / name).write_text(svg, "utf-8")
