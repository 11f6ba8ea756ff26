"""Claims of chapter 11: what attention costs in multiplications, in bytes and in reading, and what makes it cheaper."""

import numpy as np
import torch

from attention_src import blockwise_attention, causal_mask, scaled_dot_product_attention, softmax, window_mask
from tools.claims import SEEDS, Claim, Experiment, Fell, grid, spread


def numbers(seed, low, high, count):
    """Random whole numbers of this seed."""
    return [int(n) for n in np.random.default_rng(seed).integers(low, high, count)]


def apart(a, b):
    return float(abs(np.asarray(a) - np.asarray(b)).max())


def formulas(book, seed, draw):
    """The counts of the page at random lengths and widths."""
    n, d, width = numbers([seed, draw], 3, 60, 3)
    group = numbers([seed, draw, 1], 1, 6, 2)[1]
    total, projections = book.counted(n, d)
    attention, rest = book.saved(n, max(n, d))
    ratio, texts = 1 / group, numbers([seed, draw, 2], 1, 200, 1)[0]
    level, shared = (2 * n * d * r / ((10 + 2 * r) * d * d + 2 * n * d) for r in (ratio, ratio / 2))
    short = min(n, d)
    return {
        "counted": (total - projections) / (2 * book.work(n, d)[0]), "projections": projections / (8 * n * d * d),
        "half_by_width": book.as_many(d, 1) / d, "all_by_width": book.as_many(d, 2) / d,
        "causal_later": round(book.as_many(d, 2, True) / book.as_many(d, 2), 4),
        "pairs_off": float(window_mask(n + width, width, ahead=0).sum()
                           - ((n + width) * (width + 1) - width * (width + 1) / 2)),
        "attention_saved": round(attention / (attention + rest), 4),
        "alone": round(book.reads(1, 1.0, n, d), 9), "above_level": book.reads(texts, ratio, n, d) > level,
        "at_last": round(book.reads(10**7, ratio, n, d) / level, 4), "shared": round(shared / level, 4),
        "of_order": round(book.reads(texts, 1.0, short, d) / (short / d + 1 / texts), 4),
    }  # fmt: skip


def equal(book, seed, scale):
    """How far the ways of computing the same are apart, on random scores, sizes and orders."""
    random = np.random.default_rng(seed)
    n, d, size = 40 + seed % 17, 3 + seed % 5, 3 + seed % 11
    scores, values = random.normal(size=n) * scale, random.normal(size=n)
    right, order = softmax(scores) @ values, random.permutation(n)
    q, k, v = random.normal(size=(3, n, d)) * scale**0.5
    causal = causal_mask(n)
    plain, _ = scaled_dot_product_attention(q, k, v, causal)
    small = [a.astype("float32") for a in (q, k, v)]
    rough = blockwise_attention(*small, causal, block_size=size)
    triangle, done = book.causal_blocks(q, k, v, size)
    rows = -(-n // size)
    kv_heads, group = 1 + seed % 3, 2 + seed % 2
    queries = random.normal(size=(kv_heads * group, n, d))
    shared = random.normal(size=(2, kv_heads, n, d))
    copies = [a.repeat(group, axis=0) for a in shared]
    with np.errstate(invalid="ignore"):
        first = book.online([-np.inf, *scores], [0.0, *values])
    hidden = np.array([[False, *[True] * n]])
    packaged = blockwise_attention(np.ones((1, 1)), np.ones((n + 1, 1)), np.ones((n + 1, 1)), hidden, block_size=1)
    return {
        "online": apart(book.online(scores, values), right) < 1e-12,
        "shuffled": apart(book.online(scores[order], values[order]), right) < 1e-12,
        "by_hand": apart(book.one_query(q[-1], k, v, size), plain[-1]) < 1e-12,
        "blocks": apart(blockwise_attention(q, k, v, causal, block_size=size), plain) < 1e-12,
        "rough": apart(rough, plain) < 1e-4, "not_exact": apart(rough, plain) > 1e-12,
        "first_is_nan": bool(np.isnan(first)), "package_finite": bool(np.isfinite(packaged).all()),
        "triangle": apart(triangle, plain) < 1e-12, "rows_off": done - rows * (rows + 1) // 2,
        "grouped": apart(book.grouped(queries, *shared), scaled_dot_product_attention(queries, *copies)[0]) < 1e-12,
    }  # fmt: skip


def cached(book, seed, n):
    """The cache's output, and how far keys of the second layer move with and without a mask."""
    random = np.random.default_rng([seed, n])
    w, x = random.normal(size=(3, 8, 8)) / 8**0.5, random.normal(size=(n, 8))
    return {
        "same": apart(book.one_layer(x, w), book.with_cache(x, w)) < 1e-12,
        "causal": bool(book.moved(x, w, True) < 1e-12),
        "open": round(float(book.moved(x, w, False)), 4),
        "first_layer": apart((x @ w[1])[:-1], x[:-1] @ w[1]) < 1e-12,
    }


def kept(function, n, d):
    """The bytes that PyTorch keeps for the way back, each storage once."""
    found = {}

    def pack(tensor):
        found[tensor.untyped_storage().data_ptr()] = tensor, tensor.untyped_storage().nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        function(*torch.randn(3, n, d).requires_grad_().unbind())
    return sum(size for _, size in found.values())


def memory(book, seed, d, size):
    """The factors by which memory grows when the longest text doubles once more."""
    torch.manual_seed(seed)
    n = 16 * size
    blocks, plain = book.by_blocks(size), scaled_dot_product_attention
    book.peak(blocks, 2 * n, d)  # what a process's first call loads is not what is asked
    peaks = {m: book.peak(blocks, m, d) for m in (size, 2 * size, n, 2 * n)}
    return {
        "blocks": round(peaks[2 * n] / peaks[n], 2), "short": round(peaks[2 * size] / peaks[size], 2),
        "plain": round(book.peak(plain, 2 * n, d) / book.peak(plain, n, d), 2),
        "tokens": round(peaks[2 * n] / (2 * n * d * 20), 2),
        "kept_blocks": round(kept(blocks, 2 * n, d) / kept(blocks, n, d), 2),
        "kept_plain": round(kept(plain, 2 * n, d) / kept(plain, n, d), 2),
    }  # fmt: skip


EXPERIMENTS = {
    "formulas": Experiment(formulas, ("counted", "work", "as_many", "saved", "reads"), grid(seed=SEEDS, draw=range(4))),
    "equal": Experiment(
        equal, ("online", "one_query", "causal_blocks", "grouped"), grid(seed=SEEDS, scale=[0.25, 1, 4, 16])
    ),
    "cached": Experiment(cached, ("one_layer", "with_cache", "moved"), grid(seed=SEEDS, n=[5, 20, 80])),
    "memory": Experiment(memory, ("peak", "by_blocks"), grid(seed=SEEDS, d=[8, 32], size=[48])),
}


def every(name):
    """Whether all rows say yes."""
    return lambda rows: all(row[name] for row in rows)


def always(name, value):
    return lambda rows: all(row[name] == value for row in rows)


def count(name):
    return lambda rows: f"in {sum(map(bool, (row[name] for row in rows)))} of {len(rows)} draws"


def seen(name, digits=2):
    return lambda rows: spread(rows, name, digits)


SIZES = "5 seeds, 4 random lengths and widths each"
DRAWS = "5 seeds with other sizes, scores × ¼ to × 16"
LENGTHS = "5 seeds, 5, 20 and 80 tokens"
GROWTH = "5 seeds, 8 and 32 numbers a token"

CLAIMS = [
    Claim("PyTorch counts the matrix products `@` as the formulas do.", "formulas", SIZES,
          lambda rows: all(row["counted"] == row["projections"] == 1 for row in rows),
          [{"above_level": False, "at_last": 2.0, "shared": 2.0, "of_order": 2.0, "alone": 0.5,
            "attention_saved": 0.3, "pairs_off": 3.0,
            "causal_later": 1.4, "half_by_width": 2.0, "all_by_width": 8.0, "counted": 1.5,
            "projections": 1.0}], seen("counted", 3)),
    Claim("At $n = 2d$ scores and mixing take as many multiplications as the projections, at $n = 6d$ as many as "
          "everything else in the block.", "formulas", SIZES,
          lambda rows: all((row["half_by_width"], row["all_by_width"]) == (2, 6) for row in rows),
          [{"half_by_width": 2.0, "all_by_width": 8.0}], seen("all_by_width", 0)),
    Claim("Whoever computes only that half meets the same point at nearly twice the length", "formulas", SIZES,
          lambda rows: all(1.9 < row["causal_later"] <= 2 for row in rows),
          [{"causal_later": 1.4}], seen("causal_later", 3), "1, no gain"),
    Claim("So in a text of at least $w$ tokens, $n(w+1) - w(w+1)/2$ pairs are left of $n^2$.", "formulas", SIZES,
          always("pairs_off", 0), [{"pairs_off": 3.0}], seen("pairs_off", 0)),
    Claim("Up to $d$ tokens, more than nine tenths of what it saves are projections and networks of old tokens, "
          "if the empty half of the table is not computed.",
          "formulas", SIZES,
          lambda rows: all(row["attention_saved"] < 0.1 for row in rows),
          [{"attention_saved": 0.3}], lambda rows: f"attention {spread(rows, 'attention_saved', 3)} of it"),
    Claim("For one text and $r = 1$ the ratio is 1: a number is read for each multiplication.", "formulas", SIZES,
          always("alone", 1), [{"alone": 0.5}], seen("alone", 3)),
    Claim("But here each text reads its own cache, so the first line levels off.", "formulas", SIZES,
          lambda rows: all(row["above_level"] and abs(row["at_last"] - 1) < 0.01 for row in rows),
          [{"above_level": True, "at_last": 0.5, "shared": 1.2, "of_order": 0.1}],
          lambda rows: f"ten million texts: {spread(rows, 'at_last', 3)} of 2ndr / ((10 + 2r)d² + 2nd)"),
    Claim("Sharing keys lowers that level.", "formulas", SIZES, lambda rows: all(row["shared"] < 1 for row in rows),
          [{"shared": 1.2}], lambda rows: f"half as many heads: {spread(rows, 'shared')} of it"),
    Claim("So the ratio lies between $2/14 = 1/7$ and $12/12 = 1$ times $n/d + 1/b$.",
          "formulas", SIZES, lambda rows: all(1 / 7 <= row["of_order"] <= 1 for row in rows),
          [{"of_order": 0.1}], seen("of_order")),
    Claim("In 64-bit numbers, in short texts with values of about 1, we found no difference above 1e-12, in any order "
          "of the scores that we tried.", "equal", DRAWS,
          lambda rows: all(row["online"] and row["shuffled"] for row in rows),
          [{"grouped": False, "triangle": True, "rows_off": 4, "blocks": True,
            "by_hand": True, "rough": False, "not_exact": True, "package_finite": False,
            "first_is_nan": False, "online": True, "shuffled": False}], count("shuffled")),
    Claim("if it comes first, $-\\infty - (-\\infty)$ gives NaN", "equal", DRAWS, every("first_is_nan"),
          [{"first_is_nan": False}], count("first_is_nan")),
    Claim("Until a finite score has come, the package subtracts 0 instead of the largest.", "equal", DRAWS,
          every("package_finite"), [{"package_finite": False}], count("package_finite")),
    Claim("Without rounding that is exact, and in a computer it rounds as every sum does.", "equal", DRAWS,
          lambda rows: all(row["blocks"] and row["by_hand"] and row["rough"] and row["not_exact"] for row in rows),
          [{"blocks": True, "by_hand": True, "rough": False, "not_exact": True}],
          lambda rows: f"64 bits below 1e-12 {count('blocks')(rows)}, 32 bits below 1e-4 {count('rough')(rows)}"),
    Claim("With $m$ rows of blocks it is $m(m+1)/2$ of $m^2$, nearer and nearer to half.", "equal", DRAWS,
          lambda rows: all(row["triangle"] and row["rows_off"] == 0 for row in rows),
          [{"triangle": True, "rows_off": 4}], seen("rows_off", 0)),
    Claim("The output is the same as with each head of keys and values copied for its four heads of queries.", "equal",
          DRAWS + ", 1 to 3 heads of keys for 2 or 3 queries each", every("grouped"), [{"grouped": False}],
          count("grouped")),
    Claim("The cache gives the same output, with 1,275 scores.", "cached", LENGTHS, every("same"),
          [{"causal": True, "open": 0.0, "first_layer": False, "same": False}], count("same")),
    Claim("In the first layer a key is made from its own token alone, so it stays the same, with or without a mask.",
          "cached", LENGTHS, every("first_layer"), [{"first_layer": False}], count("first_layer")),
    Claim("From the second layer on the cache needs a mask that hides each new token from all earlier ones, as the "
          "causal mask does.", "cached", LENGTHS,
          lambda rows: all(row["causal"] and row["open"] > 1e-3 for row in rows),
          [{"causal": True, "open": 0.0}], lambda rows: f"moved {spread(rows, 'open', 3)} without a mask, 0 with it"),
    Claim("For the table the factor tends to 4, for the blocks to 2.", "memory", GROWTH,
          lambda rows: all(3.6 < row["plain"] < 4.1 and 1.8 < row["blocks"] < 2.1 for row in rows),
          [{"kept_blocks": 2.0, "kept_plain": 4.0, "tokens": 4.0, "short": 2.0, "blocks": 1.0, "plain": 4.0}],
          lambda rows: f"table {spread(rows, 'plain')}, blocks {spread(rows, 'blocks')}"),
    Claim("In short texts it is a good part of the memory, so the first factors of its line are smaller.", "memory",
          GROWTH, lambda rows: all(row["short"] < row["blocks"] - 0.1 for row in rows),
          [{"short": 2.0, "blocks": 2.0}], seen("short")),
    Claim("In long texts they are nearly all of the memory.", "memory", GROWTH,
          lambda rows: all(row["tokens"] < 1.25 for row in rows), [{"tokens": 4.0}],
          lambda rows: f"peak {spread(rows, 'tokens')} times the tokens", "1, the tokens alone"),
    Claim("what is kept grows nearly fourfold when $n$ doubles.", "memory", GROWTH,
          lambda rows: all(3.5 < row[name] < 4.1 for row in rows for name in ("kept_blocks", "kept_plain")),
          [{"kept_blocks": 2.0, "kept_plain": 4.0}], seen("kept_blocks")),
]  # fmt: skip

SETTLED = {
    "(Several heads share the $d$ numbers, so the count stays.)": "derived",
    "Positions added to the tokens must not change with a new one, either.": "derived",
    "A window allows linear work.": "derived",
    "It counts an addition for each multiplication.": "computed",
    "For $d = 4096$ that is a text of 24,576 tokens.": "computed",
    "at $n = 2048$ only 0.08 of the multiplications are scores and mixing": "computed",
    "while queries, keys, values and outputs fit into 64 MiB together": "computed",
    "the tables of one layer take 16 times the memory of its tokens": "computed",
    "At the third step *both* old terms shrink by one multiplication": "computed",
    "The third line is how": "cited",
    "A block fits into the card's small fast memory": "cited",
    "For the gradients of training it computes each block a second time": "cited",
    "A token costs no more than 65 pairs, however long the text": "derived",
    "Without a cache, each step runs the whole text so far again: 22,100 scores": "computed",
    "For every token the cache holds a key and a value in every layer and every head": "derived",
    "Half a MiB for each token of a 7B model": "computed",
    "Mistral's 32 heads of queries share 8 heads of keys and values": "computed",
    "and the cache shrinks in proportion": "computed",
    "[Shazeer's reason](https://arxiv.org/abs/1911.02150) was *reading*": "cited",
    "With $r = 1$ the ratio is $(12/b + 2n/d) / (12 + 2n/d)$.": "derived",
    "The plain way holds three tables at once, of 64 MiB each for 4,096 tokens.": "computed",
    "Without gradients the table is no obstacle then.": "computed",
    "A Transformer block reads its matrices once for all texts": "derived",
    "a single shared head [can lose quality](https://arxiv.org/abs/2305.13245)": "cited",
}

FELL = [
    Fell("In 64-bit numbers we found no difference above 1e-12", "20,000 values of about 1,000: 1.3e-12",
         "with values of about 1, we found no difference above 1e-12"),
    Fell("From the second layer on the cache needs a causal mask", "a sliding window, and a beginning that is open to "
         "itself, keep the keys of layer 2 as well", "a mask that hides each new token from all earlier ones"),
    Fell("Four times for the table, hardly anything for the blocks", "with inputs counted, and 2n = 32 blocks: 1.9 to "
         "2.0", "For the table the factor tends to 4, for the blocks to 2."),
    Fell("saves memory only without them", "with gradients ours grows fourfold, as the table does",
         "what is kept grows nearly fourfold when $n$ doubles."),
    Fell("1,275 scores in place of the 42,925", "half of the 42,925 is the empty half of the table",
         "22,100 scores, or 42,925 if the empty half of the causal table is computed, too."),
    Fell("never change, since a causal mask lets nothing later reach them", "in one layer they stay without a mask",
         "From the second layer on the cache needs a mask that hides each new token from all earlier ones"),
    Fell("So $n = 65{,}536$ is no obstacle", "memory only; twice the text takes four times the scores",
         "Without gradients the table is no obstacle then. The multiplications still are"),
    Fell("Memory is no obstacle for long texts then.", "one head was measured, without gradients; with them what is "
         "kept grows fourfold, and the cache of 4,096 tokens takes ten GiB",
         "Without gradients the table is no obstacle then."),
    Fell("so its numbers are the same on any machine", "bytes are measured at run time, and rounding depends on the "
         "machine", "so its numbers hardly depend on the machine"),
    Fell("What it gains there is traffic", "it saves reading and writing",
         "the table is never written to the large slow memory and read back"),
    Fell("since softmax takes time too", "a page that measures no seconds cannot say so",
         "The page measures no seconds"),
    Fell(
        "Without gradients, memory then grows with $n$",
        "with a stored mask of $n \\times n$ twice the text takes 3.96 times the memory",
        "without a mask of $n^2$ numbers",
    ),
    Fell(
        "So $n(w+1) - w(w+1)/2$ pairs are left",
        "not in a text of fewer than $w$ tokens",
        "in a text of at least $w$ tokens",
    ),
    Fell(
        '[Mistral 7B](https://arxiv.org/abs/2310.06825) looks back like this',
        'later versions of the model have no window',
        '[Mistral 7B](https://arxiv.org/abs/2310.06825) first looked back like this',
    ),
    Fell("In 64-bit numbers, with values of about 1, we found no difference above 1e-12",
         "equal scores and values of 1.1: 2e-13 at 10,000, 1.8e-12 at 100,000",
         "in short texts with values of about 1"),
    Fell("It also needs positions that no new token changes.",
         "counted from the end they change with every token; with rotary, applied on reading, and ALiBi the cached run "
         "agrees to 1e-15, added to the tokens not",
         "Positions added to the tokens must not change with a new one, either."),
    Fell("without gradients and without a mask (a table, too)",
         "with a mask of one row the memory still doubles with n",
         "without a mask of $n^2$ numbers"),
    Fell("A window makes the work linear.", "as a mask alone it does not: PyTorch's count grows fourfold as n doubles",
         "A window allows linear work."),
]  # fmt: skip
