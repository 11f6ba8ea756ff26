"""The claims of chapter 6, several heads: what was tried, what was seen, what fell."""

import numpy as np
import torch

from tools.claims import SEEDS, Claim, Experiment, Fell, around, grid, spread, where


def layers(book, seed, n, heads, d_k):
    """The ways to split and join, the parameters, and PyTorch's layer, for one size."""
    random, d = np.random.default_rng(seed), heads * d_k
    X, W_o = random.normal(size=(n, d)), random.normal(size=(d, d))
    W = random.normal(size=(3, heads, d, d_k))
    ways, mask = book.ways(n, heads), book.causal_mask(n)
    made = {name: book.multi_head(X, W, W_o, way) for name, way in ways.items()}
    free = {name: book.reacts(way, X, W, W_o) for name, way in ways.items()}
    masked = {name: book.reacts(way, X, W, W_o, mask) for name, way in ways.items()}
    far = {name: max((abs(i - j) for i, j in zip(*np.nonzero(table), strict=True)), default=0) for name, table in free.items()}
    ahead = {name: int(np.triu(table, 1).sum()) for name, table in masked.items()}
    output, _ = book.list_of_heads(X, W, W_o)
    counts = {sum(p.numel() for p in book.MultiHeadAttention(d, h).parameters()) for h in (1, heads)}
    gaps = book.largest_gaps(d, heads, n + 1, n + 2, seed)
    return {
        "as_list": bool(np.allclose(made["right"][0], output, rtol=0, atol=1e-10)),
        "slips_equal": sum(np.allclose(made[name][0], output, rtol=0, atol=1e-10) for name in made if name != "right"),
        "shape": all(out.shape == (n, d) for out, _ in made.values()),
        "sums": round(max(float(abs(w.sum(-1) - 1).max()) for _, w in made.values()), 9),
        "table": made["no swap"][1].shape == (n, heads, heads),
        "all_react": bool(free["right"].all()),
        "staircase": bool((masked["right"] == np.tril(np.ones((n, n)))).all()),
        "view_far": int(far["view(h, n, d)"]),
        "stretch": n // heads,
        "identity": bool((free["no swap"] == np.eye(n)).all()),
        "ahead": ahead["split wrong"],
        "counts": len(counts),
        "gap": round(max(gaps.values()), 9),
        "query_moves": round(float(min(abs(move).max() for move in book.query_moves(X, W[0]))), 4),
    }


def line(book, seed, width):
    """One head on random values: the best of random read-outs, and the lowest loss found without any symmetry."""
    random, four = np.random.default_rng(seed), book.four
    best, gap = 0.0, 0.0
    for _ in range(300):
        w, values = random.uniform(), random.normal(size=(2, width))
        x = sum(share * values[four[:, k]] for k, share in enumerate((w, 1 - w)))
        steep, cut = random.normal(size=(2, width, 200)), random.normal(size=(2, 200))
        bits = [(x @ steep[k] + cut[k] > 0) == four[:, k : k + 1] for k in (0, 1)]
        best = max(best, float((bits[0][:, :, None] & bits[1][:, None]).mean(0).max()))
    middle, rights = 0, []
    for w in random.uniform(0.55, 1, size=10):
        slope, shift = fitted(four @ [w, 1 - w] - 0.5, four[:, 1])
        x = four @ [w, 1 - w] - 0.5
        z = slope * x + shift
        gap = max(gap, abs(np.logaddexp(0, np.where(four[:, 1] > 0, -z, z)).mean() / 2 - book.lowest(w)))
        middle = max(middle, abs(shift))
        rights.append((((x > 0) == four[:, 1]) & ((x > -1e9) == 1) & ((four[:, 0] > 0) == (x > 1e9)) | ((x > 0) == four[:, 1])).mean())
    sure = [book.lowest(w) for w in np.sort(random.uniform(0.52, 1, size=20))]
    return {
        "best": best,
        "gap": round(float(gap), 4),
        "middle": round(float(middle), 4),
        "second_right": round(float(max(rights)), 4),
        "rising": bool((np.diff(sure) > 0).all()),
        "highest": round(float(max(sure)), 4),
        "flat": round(book.lowest(1.0) - book.lowest(0.99), 4),
    }


def fitted(x, bit, steps=50):
    """Slope and shift of the lowest loss of one bit, by Newton's method."""
    inputs, p = np.stack([x, np.ones(len(x))], axis=1), np.zeros(2)
    for _ in range(steps):
        chance = 1 / (1 + np.exp(-inputs @ p))
        curve = (inputs * (chance * (1 - chance))[:, None]).T @ inputs
        p = p - np.linalg.solve(curve + 1e-12 * np.eye(2), inputs.T @ (chance - bit))
    return p


def five(book, seed, adam, rate):
    """The problem of five numbers, early and late."""
    early, late = (book.small(steps, seed, rate, adam) for steps in (400, 12800))
    return {
        "near_early": round(float((early[0] > 0.9).mean()), 4),
        "left": round(float(((late[0] < 0.75) & (late[1] < 0.34)).mean()), 4),
        "share": round(float(max(early[2].max(), late[2].max())), 4),
        "fell": bool((late[1] <= early[1] + 1e-3).all()),
    }


def reader(book, seed, heads, bent, rate, steps):
    """A network trained: right answers, each bit, where it looks, and what is lost without each head."""
    torch.set_num_threads(1)
    model = book.train(heads, seed, steps, rate, book.bend if bent else None)
    share, good, _ = book.score(model)
    bits = sorted(good.double().mean(dim=0).tolist())
    torch.manual_seed(seed)
    seen = {"share": round(share, 2), "worse_bit": round(bits[0], 2), "better_bit": round(bits[1], 2)}
    seen["untrained"] = round(book.score(book.Reader(heads))[0], 2)
    weight, loss = book.end(model)
    seen |= {"weight": round(weight, 2), "loss": round(loss, 3), "lowest": round(book.lowest(min(weight, 1.0)), 3)}
    if heads == 1:
        return seen
    on = book.on_names(model).numpy()
    jobs, pure = on.argmax(axis=1), on.max(axis=1)
    lost = [book.without(model, [h]) for h in range(heads)]
    alone = [h for h in range(heads) if (jobs == jobs[h]).sum() == 1]
    ask, under = torch.tensor([[1, 3], [3, 1]]), torch.tensor([[0, 1, 0, 0, 0]])
    with torch.no_grad():
        logits, w = model(ask, torch.arange(5)[None], under)
    mean = w.mean(dim=1)
    answers = (logits > 0).tolist()
    return seen | {
        "jobs": len(set(jobs.tolist())),
        "purest": round(float(pure.min()), 2),
        "own_bit_without": round(max([lost[h].min() for h in alone], default=-1), 2),
        "other_bit_without": round(min([lost[h].max() for h in range(heads)]), 2),
        "missed": int(sum(bits.min() < 0.9 for bits in lost)),
        "alone": len(alone),
        "mean_differs": round(float(abs(mean[0] - mean[1]).max()), 2),
        "exchanged": answers == [[True, False], [False, True]],
    }


PAGE = {"bent": False, "rate": 0.01, "steps": 200}
TRIED = {"rate": [0.0025, 0.04], "steps": [800]}
SIZES = [(4, 2, 2), (6, 3, 2), (8, 4, 3), (12, 2, 4), (2, 2, 1)]
EXPERIMENTS = {
    "layers": Experiment(
        layers,
        ("ways", "multi_head", "reacts", "list_of_heads", "causal_mask", "MultiHeadAttention", "largest_gaps", "query_moves"),
        [{"seed": seed, "n": n, "heads": h, "d_k": d} for n, h, d in SIZES for seed in SEEDS],
    ),
    "line": Experiment(line, ("four", "lowest"), grid(seed=SEEDS, width=[1, 8])),
    "five": Experiment(
        five,
        ("small",),
        [
            {"seed": seed, "adam": adam, "rate": rate}
            for adam, rate in ((True, 0.005), (True, 0.02), (True, 0.08), (False, 1.0), (False, 4.0))
            for seed in SEEDS
        ],
    ),
    "reader": Experiment(
        reader,
        ("train", "score", "bend", "Reader", "end", "lowest", "on_names", "without"),
        around({"heads": 1, **PAGE}, **TRIED)
        + around({"heads": 2, **PAGE}, **TRIED)
        + around({"heads": 1, **PAGE, "bent": True}, rate=TRIED["rate"])
        + around({"heads": 4, **PAGE}),
    ),
}
CLAIMS = []
SETTLED = {}
FELL = []
