"""Attention beside other implementations, in time and memory: the proof `benchmark`, about ten minutes.

All of a kind are timed in turn, round after round, so that whatever else the machine does meets all alike, and
medians are compared. Peaks of memory are of the whole process, each taken in a process of its own. A recorder would
slow down what is timed, so each implementation of ours runs once more for the fingerprint, on a few tokens.
"""

import multiprocessing
import re
import resource
import time
from importlib.util import find_spec
from pathlib import Path
from runpy import run_path
from statistics import median

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from tqdm import tqdm

from attention_src import blockwise_attention, scaled_dot_product_attention
from attention_src.layers import MultiHeadAttention

from .engine import Runner, pause
from .requirements import install

D_MODEL, HEADS, D_HEAD, BLOCK, THREADS = 256, 4, 64, 1024, 2
SIZES = [2**power for power in range(7, 14)]
LONG = [16384, 32768, 65536]
SECONDS = 3.0  # how long all rounds of one implementation at one size may take together, but for the least number
LEAST, MOST = 4, 80
TWINS, WIDE, WARM_UP, ROUNDS = "MultiHeadAttention with torch's weights", 512, 3, 25
LIMITS = {  # what we promise for any machine: what is measured, and the most that it may be
    ("blockwise_attention (ours)", "forward", SIZES[-1], "ratio"): 2.5,  # times as long as torch's fused function
    (TWINS, "forward + backward", 512, "ratio"): 0.95,  # times as long as nn.MultiheadAttention
    ("blockwise_attention (ours)", "forward", LONG[-1], "whole process MiB"): 512,
}


def ours():
    layer = MultiHeadAttention(D_MODEL, HEADS)
    return lambda tokens: layer(tokens)[0]


def torch_layer():
    layer = nn.MultiheadAttention(D_MODEL, HEADS, batch_first=True)
    return lambda tokens: layer(tokens, tokens, tokens, need_weights=False)[0]


def x_transformers(flash):
    from x_transformers.x_transformers import Attention

    return Attention(D_MODEL, dim_head=D_HEAD, heads=HEADS, flash=flash)


def vit_pytorch():
    (folder,) = find_spec("vit_pytorch").submodule_search_locations  # the package itself asks for torchvision
    return run_path(f"{folder}/vit.py")["Attention"](D_MODEL, HEADS, D_HEAD)


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
    """Return a batch of one text for a layer; one head for a function."""
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
    """Return the times (rounds, implementations) of all at one size, in turn; each round begins with another one."""
    given = [(attend, tokens(name, n)) for name, attend in built.items()]
    warm = max(seconds(way, *pair) for pair in given)
    times = np.empty((min(MOST, max(LEAST, int(SECONDS / warm))), len(given)))
    for r, i in np.ndindex(times.shape):
        i = (r + i) % len(given)
        times[r, i] = seconds(way, *given[i])
    return times


def peaks(name, way, sizes):
    """MiB that the process needs at most, above what it had before, for growing sizes."""
    torch.set_num_threads(THREADS)
    attend = (LAYERS | FUNCTIONS)[name]()
    WAYS[way](attend, tokens(name, 16))
    before, found = peak(), []
    for n in sizes:
        WAYS[way](attend, tokens(name, n))
        found.append(peak() - before)
    return found, peak()


def peak():
    """Return the peak memory of this process in MiB; Linux's `getrusage` also counts what started the process."""
    status = Path("/proc/self/status")
    if status.is_file():
        return int(re.search(r"VmHWM:\s+(\d+)", status.read_text())[1]) / 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def compare_same_weights():
    """Return how many times as long as torch's layer ours takes, and how far apart their outputs are."""
    ours, theirs = MultiHeadAttention(WIDE, 8), nn.MultiheadAttention(WIDE, 8, batch_first=True)
    thirds = zip(theirs.in_proj_weight.chunk(3), theirs.in_proj_bias.chunk(3), strict=True)
    for own, (weight, bias) in zip((ours.query_proj, ours.key_proj, ours.value_proj), thirds, strict=True):
        own.load_state_dict({"weight": weight, "bias": bias})
    ours.out_proj.load_state_dict(theirs.out_proj.state_dict())
    pair = (lambda x: ours(x)[0], lambda x: theirs(x, x, x, need_weights=False)[0])
    given = torch.randn(8, 512, WIDE)
    apart = (pair[0](given) - pair[1](given)).abs().max().item()
    rounds = [[seconds(both_ways, attend, given) for attend in pair] for _ in range(WARM_UP + ROUNDS)][WARM_UP:]
    own, theirs = (median(times) for times in zip(*rounds, strict=True))
    return {"name": TWINS, "way": "forward + backward", "n": 512, "ratio": own / theirs, "largest difference": apart}


def run():
    """Measure all without the recorder, then run what is ours with it; return the rows."""
    with pause():
        install("benchmark")
        rows = measure()
    both_ways(ours(), tokens(next(iter(LAYERS)), SIZES[0]))
    for name in FUNCTIONS:
        if "ours" in name:
            forward(FUNCTIONS[name](), tokens(name, SIZES[0]))
    return rows


def measure():
    """Measure all; return rows: seconds at each size and how many times as long as the first, MiB at each size."""
    torch.manual_seed(0)
    torch.set_num_threads(THREADS)
    kinds = [*((way, LAYERS) for way in WAYS), ("forward", FUNCTIONS)]
    jobs = [(name, way, SIZES) for way, names in kinds for name in names]
    rows = [compare_same_weights()]
    for name, way, sizes in tqdm([*jobs, ("blockwise_attention (ours)", "forward", LONG)], desc="memory"):
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            found, whole = pool.apply(peaks, (name, way, sizes))
        rows += [{"name": name, "way": way, "n": n, "MiB": mib} for n, mib in zip(sizes, found, strict=True)]
        rows[-1]["whole process MiB"] = whole
    for way, names in tqdm(kinds, desc="time"):
        built = {name: make() for name, make in names.items()}
        for n in SIZES:
            times = time_together(built, WAYS[way], n)
            for i, name in enumerate(names):
                ratio = {"seconds": median(times[:, i]), "ratio": median(times[:, i] / times[:, 0])}
                rows.append({"name": name, "way": way, "n": n, **ratio})
    return rows


def list_problems(rows):
    """Yield what is worse than we promise for any machine, texts."""
    for (name, way, n, what), most in LIMITS.items():
        if (seen := read_value(rows, name, way, n, what)) > most:
            yield f"{name}, {way}, n = {n:,}: the {what} is {seen:.2f}, more than {most}"


def read_value(rows, name, way, n, what):
    (found,) = (row[what] for row in rows if (row["name"], row["way"], row["n"]) == (name, way, n) and what in row)
    return found


TOO_MUCH = [{"name": name, "way": way, "n": n, what: 1.2 * most} for (name, way, n, what), most in LIMITS.items()]
RUNNER = Runner(run, list_problems, TOO_MUCH, is_exact=False)
