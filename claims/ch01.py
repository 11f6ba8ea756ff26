"""Chapter 1: what attention computes."""

import numpy as np

from tools.claims import SEEDS, Claim, Experiment, Fell, grid, spread, where

DRAWS = 50  # random inputs in each case; a row holds the worst of them


def furthest(a, b):
    return float(np.abs(np.asarray(a) - np.asarray(b)).max())


def formula(book, seed, n, m, d):
    """Attention on random queries, keys and values: every identity that the page states, its worst case."""
    random, worst = np.random.default_rng([seed, n, m, d]), {}
    for _ in range(DRAWS):
        for name, value in identities(book, random, n, m, d).items():
            worst[name] = max(worst.get(name, -np.inf), value)
    return {name: round(float(value), 12) for name, value in worst.items()}


def identities(book, random, n, m, d):
    q, k, v = random.normal(size=(n, d)), random.normal(size=(m, d)), random.normal(size=(m, 3))
    output, weights = book.scaled_dot_product_attention(q, k, v)
    scores, order = q @ k.T / np.sqrt(d), random.permutation(m)
    moved, _ = book.scaled_dot_product_attention(q, k[order], v[order])
    _, other = book.scaled_dot_product_attention(q, k, v * random.normal(size=(m, 3)) * 100)
    tensors = [book.torch.tensor(x) for x in (q, k, v)]
    sharp, mean = book.softmax(1e9 * scores), book.softmax(0 * scores)
    down, flatter = book.softmax(scores.T).T, book.softmax(scores / random.uniform(1.1, 10))
    return {
        "rows": furthest(book.softmax(10 * scores).sum(axis=1), 1),
        "ratio": furthest(weights[:, :1] / weights / np.exp(scores[:, :1] - scores), 1),
        "loops": furthest(book.by_loops(q, k, v, np.sqrt(d)), output),
        "pytorch": furthest(book.F.scaled_dot_product_attention(*tensors), output),
        "order": furthest(moved, output),
        "values": furthest(other, weights),
        "line": furthest(v[0] + weights[:, 1:2] * (v[1] - v[0]), output) if m == 2 else 0.0,
        "shape": float(output.shape != (n, 3) or weights.shape != (n, m) or down.shape != weights.shape),
        "range": max((output - v.max(axis=0)).max(), (v.min(axis=0) - output).max(), 0.0),
        "sharper": float((flatter.max(axis=1) >= weights.max(axis=1)).any()),
        "average": furthest(mean @ v, v.mean(axis=0)),
        "lookup": furthest(sharp @ v, v[scores.argmax(axis=1)]),
    }


def words(book, seed, n, d, size):
    """Self-attention on random words as in the example: on themselves, not scaled."""
    random, seen = np.random.default_rng([seed, n, d]), []
    for _ in range(4 * DRAWS):
        x = size * random.normal(size=(n, d))
        unit = x / np.linalg.norm(x, axis=1, keepdims=True)
        weights, apart = book.softmax(x @ x.T), np.linalg.norm(x[:, None] - x, axis=-1)
        moved = np.linalg.norm((weights @ x)[:, None] - weights @ x, axis=-1)
        most = [(book.softmax(y @ y.T).argmax(axis=1) == np.arange(n)).mean() for y in (x, unit)]
        longer = np.corrcoef(np.linalg.norm(x, axis=1), weights.mean(axis=0))[0, 1]
        seen.append([(moved > apart + 1e-9).any(), *most, longer])
    names = ("some pair further apart", "at itself", "at itself, length 1", "length with column mean")
    return {name: round(float(value), 3) for name, value in zip(names, np.mean(seen, axis=0), strict=True)}


def axis(book, seed, n, size):
    """Softmax down the columns: by how much some row misses the sum of 1, the least and the most over the draws."""
    random = np.random.default_rng([seed, n])
    scores = size * random.normal(size=(DRAWS, n, n))
    wrong = np.swapaxes(book.softmax(np.swapaxes(scores, -1, -2)), -1, -2)
    missed = np.abs(wrong.sum(axis=-1) - 1).max(axis=-1)
    return {"least": round(float(missed.min()), 4), "most": round(float(missed.max()), 4)}


EXPERIMENTS = {
    "formula": Experiment(
        formula,
        ("by_loops", "scaled_dot_product_attention", "softmax", "torch", "F"),
        grid(seed=SEEDS, n=[1, 4], m=[2, 5, 30], d=[2, 16]),
    ),
    "words": Experiment(
        words,
        ("softmax",),
        grid(seed=SEEDS, n=[6], d=[3], size=[0.5, 1, 2]) + grid(seed=SEEDS, n=[3, 20], d=[3], size=[1]),
    ),
    "axis": Experiment(axis, ("softmax",), grid(seed=SEEDS, n=[8, 32], size=[0.003, 1, 4])),
}

SIZES = "5 seeds, 50 random inputs each at 12 sizes: 1 and 4 queries, 2 to 30 keys, 2 and 16 numbers"
WORDS = "5 seeds, 200 random sets each of 3, 6 and 20 words of 3 numbers of size 1, of 6 also of size 0.5 and 2"
AXES = "5 seeds, 50 grids each of 8 and 32 words, scores of size 0.003, 1 and 4"


def exact(sentence, name):
    """A claim that holds at every size but for the rounding of 64-bit numbers."""
    return Claim(
        sentence,
        "formula",
        SIZES,
        lambda rows: all(row[name] == 0 for row in rows),
        [{name: 0.1}],
        lambda rows: f"no difference in 12 decimals; largest {max(row[name] for row in rows):.12f}",
    )


CLAIMS = [
    exact("The weights are computed without the values.", "values"),
    exact("Without rounding the row then adds up to 1, whatever the scores.", "rows"),
    exact("The ratio of the two weights is $e$ raised to the *gap* between their scaled scores", "ratio"),
    exact("The ratio of two weights is $e$ raised to the gap of the scores that softmax is given.", "ratio"),
    exact(
        "It lies on the straight line between the two parcels (dotted). *cat*'s weight says how far along this"
        " line it lies, counted from *The*'s parcel.",
        "line",
    ),
    exact("**The weights choose a point between them.**", "line"),
    exact("Nothing in the formula asks for $n = m$.", "shape"),
    exact("The grid keeps its shape and no error is raised.", "shape"),
    exact("gives what we computed by hand, and so does PyTorch.", "pytorch"),
    exact("This is equation (1.1), one number at a time.", "loops"),
    exact(
        "Without rounding, whatever weights softmax gives, the smallest number of a column cannot fall and the largest "
        "cannot rise.",
        "range",
    ),
    exact(
        "dividing all scores by a number above 1 makes a row's largest weight smaller, unless the scores are equal",
        "sharper",
    ),
    exact("Times 0, every weight is one sixth: the plain average.", "average"),
    exact("attention comes near both extremes", "lookup"),
    exact("Without a mask (chapter 5), shuffle keys together with values: the output does not change.", "order"),
    Claim(
        "One line shows the fault: *sum the rows*.",
        "axis",
        AXES,
        lambda rows: all(row["least"] > 0.05 for row in rows if row["size"] >= 1),
        [{"size": 1, "least": 0.0, "most": 1.0}],
        lambda rows: (
            f"some row missed 1 by at least {min(row['least'] for row in rows if row['size'] >= 1):.2f} in every grid"
        ),
        "0 for the right axis",
    ),
    Claim(
        "where all scores of a square grid are nearly equal, wrong rows sum to nearly 1 too",
        "axis",
        AXES,
        lambda rows: all(row["most"] < 0.02 for row in where(rows, size=0.003)),
        [{"size": 0.003, "least": 0.0, "most": 0.2}],
        lambda rows: f"with scores of size 0.003, by at most {max(row['most'] for row in where(rows, size=0.003)):.3f}",
        "0 for the right axis",
    ),
    Claim(
        "In most sets of six we drew with `random.normal(size=(6, 3))` and weighed likewise, some pair moved apart.",
        "words",
        WORDS,
        lambda rows: all(row["some pair further apart"] > 0.5 for row in where(rows, n=6, size=1)),
        [{"n": 6, "size": 1, "some pair further apart": 0.4}],
        lambda rows: "; ".join(
            f"size {size}: in {spread(where(rows, n=6, size=size), 'some pair further apart')} of the sets"
            for size in (0.5, 1, 2)
        ),
    ),
    Claim(
        "Bring all six vectors to length 1 and only the direction is left; then each word looks most at itself",
        "words",
        WORDS,
        lambda rows: all(row["at itself, length 1"] == 1 and row["at itself"] < 1 for row in rows),
        [{"at itself, length 1": 0.99, "at itself": 0.7}, {"at itself, length 1": 1.0, "at itself": 1.0}],
        lambda rows: f"at length 1 all; as they are {spread(rows, 'at itself')}",
        lambda rows: f"{min(1 / row['n'] for row in rows):.2f} to {max(1 / row['n'] for row in rows):.2f} by chance",
        "1",
    ),
]

SETTLED = {
    "For vectors $a$ and $b$ of length 1, minus half the squared distance is $a \\cdot b - 1$.": "derived",
    "Softmax does not see the $-1$, which all scores of a row share": "derived",
    "so the weights are the same (`assert`)": "computed",
    "The column means now lie closer together.": "computed",
    "one shelf can weigh more than the others while all of them still count": "computed",
    "A score adds up $d_k$ products.": "derived",
    "they need not add up to 1": "computed",
    "About twice as much: 0.670 against 0.330, a ratio of 2.03.": "computed",
    "The first number is off because decimals were cut": "computed",
    "With a 9 in place of the 8 the second number lands next to the printed one.": "computed",
    "It attends to itself with 67 %, twice as much.": "computed",
    "The same list for *bank* went in, and two lists came out": "computed",
    "Only the neighbour differed.": "computed",
    "*cat*: half and half, for its two scores are equal.": "computed",
    "In one line, [Vaswani et al. (2017)](https://arxiv.org/abs/1706.03762) write": "cited",
    "[BERT](https://arxiv.org/abs/1810.04805)": "cited",
    "[GPT](https://arxiv.org/abs/2005.14165)": "cited",
    "[T5](https://arxiv.org/abs/1910.10683), [BART](https://arxiv.org/abs/1910.13461)": "cited",
    "The wrong rows add up to 0.830 and 1.170.": "computed",
    "it uses the words themselves as queries, keys and values, and does not scale": "cited",
    "[many real models cut rare words into pieces](https://arxiv.org/abs/1508.07909)": "cited",
    "their keys are almost the same": "computed",
    "The six run from 0.1082 to 0.2379.": "computed",
    "*journey*, by weight and by length": "computed",
    "Divided by $\\sqrt{3}$, *journey*'s weights lie closer together": "computed",
    "*journey* and *starts* stand out nearly all the way down": "computed",
    "They are also the two longest vectors.": "computed",
    "Each row is a weighted average of the rows of the second.": "derived",
    "Times 1000, *journey* has everything to three decimals, and the output is its value: a lookup.": "computed",
    "even times 100 the gap is 1.96 and *starts* keeps 0.123": "computed",
    "the output is already close to its value, for *starts* has nearly the same value": "computed",
    "Only two of the six do.": "computed",
    "(Among the six words the two longest vectors draw most, as *keys*.)": "computed",
    '"almost universally", says the paper on [Mamba](https://arxiv.org/abs/2312.00752), a model without it': "cited",
    "[Jamba](https://arxiv.org/abs/2403.19887) mixes both": "cited",
    "A [Transformer](https://arxiv.org/abs/1706.03762) is a stack of layers, each with self-attention": "cited",
    "Attention here is a weighted average of values, one for each query": "derived",
}

FELL = [
    Fell(
        "Whatever weights softmax gives, the smallest number of a column cannot fall and the largest cannot rise.",
        "six equal numbers 0.43 become 0.43 + 1.1e-16",
        "Without rounding, whatever weights softmax gives",
    ),
    Fell(
        "you get the printed number, apart from the early rounding",
        "With the early rounding 4.317, without it 4.312; the notes have 4.316.",
        "Nearly the printed number.",
    ),
    Fell(
        "where all scores are nearly equal, wrong rows sum to nearly 1 too",
        "Two queries and five keys with equal scores: the wrong rows sum to 2.5.",
        "Said of a square grid.",
    ),
    Fell(
        "keys of more numbers make larger scores",
        "A further 0 in every key changes no score.",
        "Said of random, independent numbers with mean 0.",
    ),
    Fell(
        "If the numbers are random, with mean 0, dividing by $\\sqrt{d_k}$ takes this growth out again",
        "With each key equal to its query, scores divided by the root still grow: a score is then a sum of squares.",
        "Independence is named.",
    ),
    Fell(
        "The weights say otherwise",
        "*The* gives *cat* 0.330 of its weight: that is attending.",
        "*The* attends to *cat* with 33 %, and to itself with 67 %.",
    ),
    Fell(
        "a word whose key fits many questions",
        "Column means: *journey* 0.216, *starts* 0.213. Cut to length 1: 0.180 and 0.180, and *with* has 0.175.",
        "*journey* and *starts* are the darkest columns, and the two longest vectors.",
    ),
    Fell(
        "A score also depends on where the other vector points and on its size",
        "Cut to length 1, all six words look most at themselves: direction alone cannot make a word look elsewhere.",
        "Both are named, and a cell takes the lengths away.",
    ),
    Fell(
        "Times 100, the weight of *journey* is 0.877 and the output is close to a lookup",
        "At a weight of 0.542 the output is as good as there, for the second word has nearly the same value.",
        "The weights show a lookup, the output alone does not: the dial goes to times 1000.",
    ),
    Fell(
        "so the words have moved towards each other",
        "In most random sets of six words of three numbers of size 1 some pair ends further apart.",
        "In each column the range cannot grow; a pair can.",
    ),
    Fell(
        "in more than a third of random sets of six words, some pair does",
        "It depends on the size of the numbers: in hardly any set at size 0.5, in nearly all at size 2.",
        "The call that draws the numbers is named; in most of its sets some pair does.",
    ),
    Fell(
        "One line shows it: *sum the rows*.",
        "With scores of size 0.003 wrong rows miss 1 by 0.005 at most.",
        "The line is to be tried on scores that differ.",
    ),
    Fell(
        "If they are not 1 something is wrong, most often the axis.",
        "How often it is the axis was never counted.",
        "Ask first along which axis softmax ran.",
    ),
    Fell(
        "If they are not 1, softmax did not run along them.",
        "A causal mask laid on the weights after a right softmax: rows of five words sum to 0.17 to 1.",
        "Softmax along the rows makes every sum 1; elsewhere the axis is asked for first.",
    ),
    Fell(
        "Try it on more than two words, with scores that differ",
        "Of random grids of three words with scores of size 4, three in a hundred miss 1 by less than 0.05; of eight"
        " words none of 5000.",
        "Try it on eight words or more, with random scores.",
    ),
    Fell(
        "Of random sets of six words, hardly any has such a pair",
        "For three numbers a word. With 16 numbers of size 2, scores are so large that only 26 in a hundred sets do.",
        "Said of the sets that one call draws.",
    ),
    Fell(
        "Dividing by $\\sqrt{d_k}$ takes this growth out again",
        "With mean 1 in place of 0, scores divided by the root still grow: 2.7 at 4 numbers, 32 at 1024.",
        "Said of random numbers with mean 0.",
    ),
    Fell(
        "Most are.", "How many language models are built on attention was never counted.", "Two that differ are named."
    ),
    Fell(
        "Put the queries in rows, and nothing in the code changes.",
        "with the code of one query, divided by the sum of the whole grid, two rows of weights sum to 0.427 and 0.573",
        "Each row is divided by its own sum, as `softmax` does.",
    ),
    Fell(
        "If the numbers are random and independent, with mean 0, scores grow with $d_k$",
        "with numbers whose size falls with $d_k$ the scores fall, too: 0.70, 0.25, 0.125, 0.062",
        "with mean 0 and a size that does not depend on $d_k$",
    ),
]
