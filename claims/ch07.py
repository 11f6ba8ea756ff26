"""Claims of chapter 7: where the norm stands, how far a gradient travels, who waits, and a race on dates."""

import numpy as np
import torch

from attention_src.layers import EncoderBlock
from tools.claims import SEEDS, Claim, Experiment, Fell, grid, most, spreads, where


def rounded(row):
    return {name: round(float(value), 4) for name, value in row.items()}


def sizes_of(seed, draw):
    """A random generator, and a width and a number of heads that divides it."""
    random = np.random.default_rng([seed, draw])
    heads = int(random.integers(1, 5))
    return random, heads * int(random.integers(2, 9)), heads


def any_norm(d):
    """A norm that has learned something: its scale and shift are random."""
    norm = torch.nn.LayerNorm(d)
    torch.nn.init.normal_(norm.weight, 1, 0.3), torch.nn.init.normal_(norm.bias, 0, 0.3)
    return norm


def two_stacks(book, d, heads, depth, x):
    """The stack with norms on the stream and one at its end; the post-norm stack with the same norms, on normed x."""
    blocks, norms = [EncoderBlock(d, heads, 2 * d) for _ in range(depth)], [any_norm(d) for _ in range(2 * depth + 1)]
    streamed, post = x, norms[0](x)
    for k, block in enumerate(blocks):
        block.norms = torch.nn.ModuleList(norms[2 * k : 2 * k + 2])
        streamed = book.through(block, streamed, "on the stream")
        block.norms = torch.nn.ModuleList(norms[2 * k + 1 : 2 * k + 3])
        post = book.through(block, post, "post-norm")
    return norms[-1](streamed), post


@torch.no_grad()
def exact(book, seed, draw):
    """Identities on random sizes and values: gaps that should be 0."""
    random, d, heads = sizes_of(seed, draw)
    torch.manual_seed(seed + draw)
    n, depth = int(random.integers(2, 9)), int(random.integers(1, 13))
    normed = book.norm(random.normal(size=(n, d + 2)) * random.choice([0.01, 1, 100]) + random.normal())
    block, x = EncoderBlock(d, heads, 4 * d), torch.randn(n, d)
    streamed, post = two_stacks(book, d, heads, depth, x)
    changed = x.clone()
    changed[0] = torch.randn(d)
    silent = EncoderBlock(d, heads, 2 * d)
    for last in (silent.attend.out_proj, silent.feed_forward[2]):
        torch.nn.init.zeros_(last.weight), torch.nn.init.zeros_(last.bias)
    moved = {kind: (book.through(silent, x, kind) - x).abs().max() for kind in ("pre-norm", "post-norm", "other")}
    work = {length: book.multiplications(length, d) for length in (d - 1, d, d + 1, 1, 50 * d)}
    ratio = {length: count["attention layer"] / count["recurrent layer"] for length, count in work.items()}
    fed = (block.feed_forward(changed) - block.feed_forward(x)).abs().amax(-1)
    return rounded({
        "mean": np.abs(normed.mean(-1)).max(), "sd": np.abs(normed.std(-1) - 1).max(),
        "same": (streamed - post).abs().max(), "fed_moved": (fed > 0).sum(),
        "attended_moved": ((block(changed)[0] - block(x)[0]).abs().amax(-1) > 0).sum() / n,
        "pre": moved["pre-norm"], "post": moved["post-norm"], "stream": moved["other"],
        "below": ratio[d - 1], "at": ratio[d], "above": ratio[d + 1],
        "least_block": min(count["block"] / count["recurrent layer"] for count in work.values()),
    })  # fmt: skip


def deep(book, seed, depth):
    """The last losses of the three kinds of stack, at the page's rate."""
    kinds = {"pre": "pre-norm", "post": "post-norm", "stream": "on the stream"}
    return rounded({name: np.mean(book.losses(kind, depth, seed)[-5:]) for name, kind in kinds.items()})


def rates(book, seed, rate):
    """The last loss of 30 post-norm blocks at another rate."""
    return rounded({"post": np.mean(book.losses("post-norm", 30, seed, rate)[-5:])})


def reach(book, seed):
    """Reactions at a distance: means over five starts, and how they fall."""
    starts = range(10 * seed, 10 * seed + 5)
    curves = {name: book.curve(kind, starts) for name, kind in
              (("gru", "recurrent"), ("attention", "attention"), ("open", "held open"))}  # fmt: skip
    row = {f"{name}_left": values[-1] / values[0] for name, values in curves.items()}
    gru, steps = np.log(curves["gru"]), np.diff(book.lengths)
    factors = np.exp(np.diff(gru) / steps)  # for each token, between two lengths
    row |= {"least_factor": factors.min(), "largest_factor": factors.max(), "gru_64": curves["gru"][-1]}
    return {name: float(f"{value:.3g}") for name, value in row.items()}


def waiting(book, seed, draw):
    """The chains of both layers at three lengths, in random sizes."""
    torch.manual_seed(seed + draw)
    random, d, heads = sizes_of(seed, draw)
    n = int(random.integers(2, 20))
    chains = [book.chains(length, d, heads) for length in (n, n + 1, 2 * n)]
    return {
        "n": n, "a_token": chains[1][0] - chains[0][0], "n_tokens": chains[2][0] - chains[0][0],
        "attention": max(chain for _, chain in chains) - min(chain for _, chain in chains),
    }  # fmt: skip


def race(book, seed, kind, rate):
    """Dates right after 100 steps."""
    model = book.train(book.made(kind, seed), rate, seed=seed)
    return rounded({"right": book.right(book.write(model, *book.test[:2]))})


def ends(book, seed):
    """Train to the end; take the source away; look ahead; hand parts over to a network with another start."""
    model = book.train(book.made("Transformer", seed), 1e-2, steps=600, seed=seed)
    numbers, lengths, targets = book.test
    common = book.data[2].mode(dim=0).values.expand(len(targets), -1)
    parts = {"nothing": "nothing", "positions": "positions", "shuffled": "positions, shuffled",
             "rest": "all but the positions"}  # fmt: skip
    got = {name: book.handed(model, what, seed + 50) for name, what in parts.items()}
    others = book.write(model, numbers.roll(1, dims=0), lengths.roll(1))
    before = book.shifted(targets)[:20]
    ahead, behind = 0.0, 1.0
    with torch.no_grad():
        memory = model.encode(numbers[:20], lengths[:20])
        plain = model.decode(before, *memory)
        for place in range(10):
            changed = before.clone()
            changed[:, place] = before[:, place] % 10 + 2
            moved = (model.decode(changed, *memory) - plain).abs().amax(-1)
            ahead = max(ahead, float(moved[:, :place].max()) if place else 0.0)
            behind = min(behind, float(moved[:, place:].amin()))
        one = torch.cat([model.decode(before[:, : t + 1], *memory)[:, -1:] for t in range(10)], dim=1)
    calls = []
    for part in (model.encoder, model.decoder):
        part.register_forward_hook(lambda part, *_: calls.append(part))
    written = book.write(model, numbers, lengths)
    return rounded({
        "right": book.right(written), "common": book.right(common), "others": book.right(others), **got,
        "ahead": ahead, "behind": behind > 0, "one_pass": (one - plain).abs().max(),
        "encoder_runs": calls.count(model.encoder), "decoder_runs": calls.count(model.decoder),
    })  # fmt: skip


DATES = ("made", "train", "write", "right", "test")
EXPERIMENTS = {
    "exact": Experiment(exact, ("norm", "through", "multiplications"), grid(seed=SEEDS, draw=range(10))),
    "deep": Experiment(deep, ("losses",), grid(seed=SEEDS, depth=[2, 30])),
    "rates": Experiment(rates, ("losses",), grid(seed=SEEDS, rate=[2.5e-3, 4e-2])),
    "reach": Experiment(reach, ("curve", "lengths"), grid(seed=SEEDS)),
    "waiting": Experiment(waiting, ("chains",), grid(seed=SEEDS, draw=range(6))),
    "race": Experiment(
        race,
        DATES,
        [
            *grid(seed=SEEDS, kind=["Transformer"], rate=[5e-3, 1e-2, 2e-2, 4e-2, 8e-2]),
            *grid(seed=SEEDS, kind=["recurrent"], rate=[5e-3, 4e-2, 8e-2]),
        ],
    ),
    "ends": Experiment(ends, (*DATES, "handed", "shifted", "data"), grid(seed=SEEDS)),
}


KINDS = ("pre", "post", "stream")


def all_of(condition):
    """A claim about every row."""
    return lambda rows: all(condition(row) for row in rows)


SAID = {  # what the page of claims calls a number
    "mean": "of the mean",
    "sd": "of the deviation",
    "same": "at most",
    "fed_moved": "always",
    "attended_moved": "always",
    "pre": "pre-norm",
    "post": "post-norm",
    "stream": "on the stream",
    "below": "below",
    "at": "at",
    "above": "above",
    "least_block": "the least of a block",
    "gru_left": "GRU",
    "attention_left": "attention",
    "open_left": "held open",
    "least_factor": "least",
    "largest_factor": "largest",
    "a_token": "operations a token:",
    "n_tokens": "for n tokens more:",
    "attention": "attention",
    "right": "right",
    "common": "right",
    "others": "right",
    "nothing": "nothing handed over",
    "positions": "positions",
    "shuffled": "shuffled positions",
    "rest": "all but the positions",
    "ahead": "at most",
    "one_pass": "at most",
    "encoder_runs": "runs of the encoder:",
    "decoder_runs": "of the decoder:",
    "gru_64": "GRU over 64 tokens",
}


def of(*names, digits=2, words="", **wanted):
    """The ranges of some numbers, over the rows that have these values."""
    return lambda rows: words + spreads(where(rows, **wanted), names, SAID, digits)


GUESS = float(np.log(8))
DRAWN = "5 seeds × 10 draws of sizes and values; untrained blocks"
STARTS = "5 starts with data of their own"
SAME_DATES = "5 starts, the page's dates"
CLAIMS = [
    Claim(
        "Sub-layers read it and add to it; they never replace it.",
        "exact",
        DRAWN + "; sub-layers that give zeros",
        all_of(lambda row: row["pre"] == 0),
        [{"pre": 1.2}],
        of("pre", digits=4, words="change of the stream: "),
        of("post", "stream"),
    ),
    Claim(
        "The **feed-forward** network works on each token alone:",
        "exact",
        DRAWN + "; one token changed",
        all_of(lambda row: row["fed_moved"] == 1 and row["attended_moved"] > 0.5),
        [{"fed_moved": 5, "attended_moved": 1}],
        of("fed_moved", digits=0, words="tokens whose result changed: "),
        of("attended_moved", digits=0, words="share of all tokens, where attention is in the block: "),
    ),
    Claim(
        "However large the stream has become, the numbers that a sub-layer reads do not grow with it.",
        "exact",
        DRAWN + ", × 0.01, 1, 100",
        all_of(lambda row: row["mean"] < 1e-3 and row["sd"] < 1e-3),
        [{"mean": 0.0, "sd": 99.0}],
        of("mean", "sd", digits=4, words="largest distance from mean 0 and standard deviation 1: "),
    ),
    Claim(
        "now it applies the same parts in the same order as the stack with the norms on the stream, "
        "and gives the same output.",
        "exact",
        DRAWN + ", 1 to 12 blocks, norms with random scales and shifts",
        all_of(lambda row: row["same"] < 1e-3),
        [{"same": 0.5}],
        of("same", digits=4, words="largest difference: "),
    ),
    Claim(
        "With 2 blocks all three get below two thirds of the loss of guessing.",
        "deep",
        STARTS,
        lambda rows: all(max(row[kind] for kind in KINDS) < GUESS * 2 / 3 for row in where(rows, depth=2)),
        [{"depth": 2, "pre": 0.1, "post": 2.0, "stream": 2.0}],
        of(*KINDS, depth=2),
        "guessing 2.08",
        "0",
    ),
    Claim(
        "With 30 blocks only pre-norm does, in these 50 steps. So it was with most of five other starts.",
        "deep",
        STARTS,
        lambda rows: most(
            where(rows, depth=30), lambda row: row["pre"] < GUESS * 2 / 3 <= min(row["post"], row["stream"])
        ),
        [{"depth": 30, "pre": 0.1, "post": 1.0, "stream": 2.0}],
        of(*KINDS, depth=30),
        "guessing 2.08",
        "0",
    ),
    Claim(
        "At a quarter of this rate, most of five other post-norm stacks began to learn: they came at least 0.1 below "
        "the loss of guessing.",
        "rates",
        STARTS + "; a quarter of the rate",
        lambda rows: most(where(rows, rate=2.5e-3), lambda row: row["post"] < GUESS - 0.1),
        [{"rate": 2.5e-3, "post": 2.08}],
        of("post", rate=2.5e-3),
        "guessing 2.08",
        "0",
    ),
    Claim(
        "At four times this rate none did.",
        "rates",
        STARTS + "; rate × 4",
        lambda rows: all(row["post"] > GUESS - 0.1 for row in where(rows, rate=4e-2)),
        [{"rate": 4e-2, "post": 1.5}],
        of("post", rate=4e-2),
        "guessing 2.08",
        "0",
    ),
    Claim(
        "Each token multiplies the GRU's reaction by about the same number below 1.",
        "reach",
        "5 × 5 starts, 2 to 64 tokens",
        all_of(lambda row: row["largest_factor"] < 1 and row["largest_factor"] < 1.35 * row["least_factor"]),
        [{"least_factor": 0.5, "largest_factor": 0.9}],
        of("least_factor", "largest_factor"),
        "1: nothing is lost",
    ),
    Claim(
        "Its reaction falls because the tokens share the weight: with 32 times as many, mostly to about one thirtieth.",
        "reach",
        "5 × 5 starts",
        lambda rows: most(rows, lambda row: 1 / 45 < row["attention_left"] < 1 / 20),
        [{"attention_left": 0.2}],
        of("attention_left", digits=3),
        "1/32 = 0.031, if the weights are equal",
    ),
    Claim(
        "*Held open* is the same recurrent network, and up to 64 tokens its reaction falls least of the three.",
        "reach",
        "5 × 5 starts",
        all_of(lambda row: row["open_left"] > row["attention_left"] > row["gru_left"]),
        [{"open_left": 0.01, "attention_left": 0.03, "gru_left": 1e-13}],
        of("open_left", "attention_left", "gru_left"),
        ceiling="1: nothing is lost",
    ),
    Claim(
        "The recurrent chain grows by the same number of operations with each token.",
        "waiting",
        "5 seeds × 6 draws of width, heads and length",
        all_of(lambda row: row["a_token"] > 0 and row["n_tokens"] == row["n"] * row["a_token"]),
        [{"a_token": 10, "n_tokens": 30, "n": 4}],
        of("a_token", digits=0),
    ),
    Claim(
        "The chain of attention does not grow.",
        "waiting",
        "5 seeds × 6 draws of width, heads and length",
        all_of(lambda row: row["attention"] == 0),
        [{"attention": 5}],
        of("attention", digits=0, words="growth when the tokens double: "),
    ),
    Claim(
        "Below that a bare layer of attention needs *fewer* multiplications than a GRU.",
        "exact",
        "50 widths",
        all_of(lambda row: row["below"] < 1 == row["at"] < row["above"]),
        [{"below": 1.1, "at": 1, "above": 0.9}],
        of("below", "at", "above", words="share of the GRU's, one token below d, at d, one above: "),
    ),
    Claim(
        "A whole block needs more at every length.",
        "exact",
        "50 widths, lengths 1 to 50 d",
        all_of(lambda row: row["least_block"] > 1),
        [{"least_block": 0.9}],
        of("least_block"),
        "1",
    ),
    Claim(
        "With five other starts, too, the recurrent network at the largest rate was ahead of the Transformer "
        "at each of the three.",
        "race",
        SAME_DATES + ", 3 rates for the Transformer, the largest for the recurrent network",
        lambda rows: (
            min(row["right"] for row in where(rows, kind="recurrent", rate=4e-2))
            > max(row["right"] for row in where(rows, kind="Transformer"))
        ),
        [{"kind": "recurrent", "rate": 0.04, "right": 0.6}, {"kind": "Transformer", "rate": 0.01, "right": 0.9}],
        lambda rows: "; ".join(f"{kind} {of('right', kind=kind)(rows)}" for kind in ("Transformer", "recurrent")),
        "0.00, the commonest characters",
        "1.00",
    ),
    Claim(
        "(At half the smallest rate, and at twice the largest, neither reaches its best.)",
        "race",
        SAME_DATES + ", rates × ½ and × 2 beyond the page's three",
        lambda rows: all(
            max(row["right"] for row in of_one if row["rate"] in (5e-3, 8e-2))
            < max(row["right"] for row in of_one if row["rate"] in (1e-2, 2e-2, 4e-2))
            for kind in ("Transformer", "recurrent")
            for seed in SEEDS
            for of_one in [where(rows, kind=kind, seed=seed)]
        ),
        [
            {"kind": kind, "rate": rate, "seed": seed, "right": rate}
            for kind in ("Transformer", "recurrent")
            for rate in (4e-2, 8e-2)
            for seed in SEEDS
        ],
        lambda rows: "; ".join(
            f"{kind} {of('right', kind=kind, rate=rate, words=f'at {rate} ')(rows)}"
            for kind in ("Transformer", "recurrent")
            for rate in (5e-3, 8e-2)
        ),
        "0.00, the commonest characters",
        "1.00",
    ),
    Claim(
        "With five other starts, too, at least nine dates in ten were right after 600 steps.",
        "ends",
        SAME_DATES,
        all_of(lambda row: row["right"] >= 0.9),
        [{"right": 0.5}],
        of("right"),
        of("common", words="commonest characters: "),
        "1.00",
    ),
    Claim(
        "Given the source of another date, the network writes hardly any date right,",
        "ends",
        SAME_DATES,
        all_of(lambda row: row["others"] <= 0.02 < 0.5 < row["right"]),
        [{"others": 0.3, "right": 1.0}],
        of("others"),
        of("common", words="commonest characters: "),
        of("right"),
    ),
    Claim(
        "With the causal mask **one** pass gives the loss of all ten characters.",
        "ends",
        SAME_DATES + "; 20 dates, ten passes of growing length beside one",
        all_of(lambda row: row["one_pass"] < 1e-3),
        [{"one_pass": 0.5}],
        of("one_pass", digits=4, words="largest difference: "),
    ),
    Claim(
        "We tried five trained networks on 20 dates: each output reacted to all characters before it and to none "
        "after it.",
        "ends",
        SAME_DATES + "; 20 dates, each character changed in turn",
        all_of(lambda row: row["ahead"] == 0 and row["behind"] == 1),
        [{"ahead": 0.3, "behind": 1}],
        of("ahead", digits=4, words="largest reaction to a later character: "),
    ),
    Claim(
        "To write ten characters it ran its encoder and its decoder this many times:",
        "ends",
        SAME_DATES,
        all_of(lambda row: (row["encoder_runs"], row["decoder_runs"]) == (1, 10)),
        [{"encoder_runs": 1, "decoder_runs": 1}],
        of("encoder_runs", "decoder_runs", digits=0),
    ),
    Claim(
        "With five other starts, all but the positions had the most right in each.",
        "ends",
        SAME_DATES,
        all_of(lambda row: row["rest"] > max(row["nothing"], row["positions"], row["shuffled"])),
        [{"rest": 0.1, "nothing": 0.2, "positions": 0.2, "shuffled": 0.2}],
        of("rest", "positions", "shuffled"),
        of("nothing"),
        of("right", words="after 600 steps "),
    ),
    Claim(
        "With most of five other starts, networks given the positions in their order had more right than networks "
        "given nothing, or the same vectors shuffled.",
        "ends",
        SAME_DATES,
        lambda rows: most(rows, lambda row: row["positions"] > max(row["nothing"], row["shuffled"])),
        [{"positions": 0.1, "nothing": 0.15, "shuffled": 0.18}],
        of("positions", "shuffled"),
        of("nothing"),
        of("rest"),
    ),
]
SETTLED = {
    "*cat* has larger numbers and comes out with numbers of the same size.": "computed",
    "At the end the stream holds what came in, plus what two sub-layers wrote.": "computed",
    "In both stacks every norm stands on the stream.": "derived",
    "find that post-norm starts with large gradients of the parameters near the output": "cited",
    "Attention reaches any token in *one* step.": "derived",
    "But the path still has one step for each token.": "derived",
    "Hence training can be parallel over positions": "derived",
    "Table 1 of the paper": "cited",
    "The two layers meet at $n = d$.": "derived",
    "the recurrent network is ahead": "computed",
    "All but the positions helps most.": "computed",
    "(BLEU scores translations, higher is better;": "cited",
    "do work in proportion to $n$": "cited",
    "Of the parameters of an encoder block as in the paper, attention has a third:": "computed",
}
FELL = [
    Fell(
        "Yes: with places that mean something it is as quick as the recurrent network",
        "100 steps after handing over, five starts: nothing 0.02 to 0.24, trained positions 0.13 to 0.30, "
        "the same shuffled 0.04 to 0.09, all but these 0.47 to 0.70",
        "All but the positions helps most.",
    ),
    Fell(
        "The trained positions do not help, in their order or shuffled.",
        "true for the start on the page; in five of five others the positions in their order helped",
        "With most of five other starts, networks given the positions in their order had more right",
    ),
    Fell(
        "which of the two learns the dates in fewer steps?",
        "one rate for both measures the rate: at 0.04 the Transformer has none, the recurrent network nearly all",
        "Compared at the best rate of each, the recurrent network is ahead.",
    ),
    Fell(
        "At a quarter of this rate and at four times it, too, post-norm never came below guessing by a tenth.",
        "30 post-norm blocks, 50 steps: 1.02 to 1.95 at a quarter of the rate, 2.08 to 2.11 at four times it",
        "At a quarter of this rate, most of five other post-norm stacks began to learn",
    ),
    Fell(
        "give the post-norm stack *normed* tokens, and its output equals that of the stack "
        "with the norms on the stream.",
        "true at the start; with learned scales and shifts the post-norm stack has one norm too many, at its end",
        "Its last norm is moved to its beginning.",
    ),
    Fell(
        "In both stacks every norm except the first stands right after a sum.",
        "the last norm of the post-norm stack stands right after a norm",
        "In both stacks every norm stands on the stream.",
    ),
    Fell(
        "and with it the Transformer learns nothing",
        "no date right, yet 0.58 of the characters (0.46 for a writer of the commonest), and a loss of 1.01 "
        "(1.23 if each place has its own frequencies)",
        "with it the Transformer writes hardly any date right",
    ),
    Fell(
        "a sub-layer reads numbers of size 1",
        "so at the start; in training the scale of the norm is learned, and decides",
        "the numbers that a sub-layer reads do not grow with it",
    ),
    Fell(
        "It reads in order from the start.",
        "offered as the reason why the recurrent network is ahead; nothing was tried for it",
        "At each of the three rates it is ahead.",
    ),
    Fell(
        "With 30 blocks only pre-norm gets below guessing by a tenth, in these 50 steps.",
        "two of five post-norm stacks came to 1.94 and 1.99, guessing is 2.08; pre-norm 0.41 to 0.95",
        "With 30 blocks only pre-norm does, in these 50 steps.",
    ),
    Fell(
        "multiplies the slope by something below 1: an ever steeper fall",
        "the factor of a token hardly changes between 2 and 64 tokens; the axis bends the line",
        "Each token multiplies the GRU's reaction by about the same number below 1.",
    ),
    Fell(
        "Attention reaches any distance in one step and lets nobody wait",
        "positions do not wait for each other; blocks wait for blocks, and writing goes character by character",
        "in training, no position waits for another",
    ),
    Fell(
        "A sentence is shorter than that, so for translation attention was also somewhat cheaper",
        "a bare layer needs 0.75 of a GRU at n = 128, d = 512; a block with its feed-forward network always more",
        "A whole block needs more at every length.",
    ),
    Fell(
        "The largest of the three rates is best for the recurrent network",
        "with one of three other starts the middle rate was, 0.87 against 0.82",
        "Here the largest of the three rates is best for the recurrent network",
    ),
    Fell(
        "in these 50 steps. So it was with five other starts.",
        "with one of ten more starts all three came below two thirds of the loss of guessing",
        "So it was with most of five other starts.",
    ),
    Fell(
        "with 32 times as many, to about one thirtieth",
        "to one sixteenth with one of ten more draws",
        "mostly to about one thirtieth",
    ),
]
