"""A small decoder that writes, put together from parts, each of which can be exchanged for a function of the reader's.

It needs NumPy alone, and the few lines of each part are those of the chapter that builds it, so that the machine can be
saved as one file. The tests compare it with the same network made of the layers of `attention_src`.

`write` works letter by letter and remembers keys and values, so it needs no mask. `read` takes whole texts at once.
Where weights have `merges`, a letter stands for a piece of several.
"""

from functools import partial
from math import erf, inf, sqrt
from pathlib import Path

import numpy as np

__all__ = ["Machine"]  # the rest are its parts

#: The numbers of the padding behind a text, and of the start before it.
PAD, START = 0, 1


def softmax(scores, temperature=1.0):
    """Chapter 2: turn the last axis of scores into weights that sum to 1, the more even the hotter."""
    raised = np.exp((scores - scores.max(axis=-1, keepdims=True)) / temperature)
    return raised / raised.sum(axis=-1, keepdims=True)


def attention(query, key, value, *, softmax=softmax):
    """Chapter 1: return what n queries find among m keys, (n, d_v), and the weights, (n, m)."""
    weights = softmax(query @ key.T / sqrt(key.shape[-1]))
    return weights @ value, weights


def projections(x, w_q, w_k, w_v):
    """Chapter 4: return queries, keys and values, a row for each row of x."""
    return x @ w_q, x @ w_k, x @ w_v


def mask(lengths, n):
    """Chapter 5: say for each text who may look at whom, (texts, n, n) bool: not ahead, and not at padding."""
    key = np.arange(n)
    return (key <= key[:, None]) & (key < np.asarray(lengths)[:, None, None])


def heads(x, w_q, w_k, w_v, w_o, num_heads, mask=None, *, projections=projections, softmax=softmax):
    """Chapter 6: split, attend, join, project; return the output (n, d_model) and the weights (num_heads, n, n)."""
    wide = projections(x, w_q, w_k, w_v)
    query, key, value = (part.reshape(len(x), num_heads, -1).swapaxes(0, 1) for part in wide)
    scores = query @ key.mT / sqrt(key.shape[-1])
    weights = softmax(scores if mask is None else np.where(mask, scores, -inf))
    return (weights @ value).swapaxes(0, 1).reshape(len(x), -1) @ w_o, weights


def block(x, attend, feed_forward, norm_1, norm_2):
    """Chapter 7: two sub-layers, each of which adds something to the stream."""
    x = x + attend(norm_1(x))
    return x + feed_forward(norm_2(x))


def loss(logits, words, lengths):
    """Chapter 9: return the surprise of each word but the first, 0 where there is padding, and their mean."""
    logits, words = logits[:, :-1], words[:, 1:]
    logits = logits - logits.max(axis=-1, keepdims=True)
    logs = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    counts = np.arange(words.shape[1]) < np.asarray(lengths)[:, None] - 1
    surprise = np.where(counts, -np.take_along_axis(logs, words[..., None], axis=-1)[..., 0], 0.0)
    return surprise, surprise.sum() / counts.sum()


def merge(largest, total, mixed):
    """Chapter 11: join what k parts of the memory have found, (k,), (k,) and (k, d_v), into one output, (d_v,)."""
    shrink = np.exp(largest - largest.max())
    return shrink @ mixed / (shrink @ total)


def tokenize(text, merges):
    """Chapter 13: cut a text into pieces: its letters, joined pair by pair in the order of `merges`."""
    pieces = list(text)
    for first, second in merges:
        joined = []
        for piece in pieces:
            if joined and (joined[-1], piece) == (first, second):
                joined[-1] += piece
            else:
                joined.append(piece)
        pieces = joined
    return pieces


def loop(next_chances, draw, start, stop, most):
    """Chapter 13: draw the next number from its chances until it is `stop` or there are `most`; return the numbers."""
    numbers, number = [], start
    while len(numbers) < most and (number := draw(next_chances(number))) != stop:
        numbers.append(number)
    return numbers


#: The parts of the machine, by name.
PARTS = {f.__name__: f for f in (attention, softmax, projections, mask, heads, block, loss, merge, tokenize, loop)}
USES = {"attention": ["softmax"], "heads": ["projections", "softmax"]}  # parts that the package's own parts call


def normalize(x, scale, shift):
    """Bring each row to mean 0 and standard deviation 1, then scale and shift it."""
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5) * scale + shift


def feed_forward(x, w_1, b_1, w_2, b_2):
    """Pass each row by itself through one hidden layer with GELU, x Φ(x)."""
    hidden = x @ w_1 + b_1
    return hidden * (1 + np.vectorize(erf)(hidden / sqrt(2))) / 2 @ w_2 + b_2


class Machine:
    """A trained decoder whose parts are functions: those above, or the ones it is given by name.

    The `weights` are 'names', 'prose' or a dict of arrays as `machine_names.npz` has them. ValueError for a part that
    is none. Blocks and heads are counted from 1.

    >>> len(Machine().write(count=3))
    3
    >>> [surprise.shape for surprise in Machine().read(["ada", "grace"])]
    [(4,), (6,)]
    >>> prose = Machine("prose")
    >>> prose.write(count=1, begin="Call me Ishmael")[0].startswith("Call me Ishmael")
    True
    >>> [surprise.shape for surprise in prose.read(["the whale"])], prose.look("the whale").shape
    ([(3,)], (4, 4, 4, 4))
    """

    def __init__(self, weights="names", **parts):
        if unknown := parts.keys() - PARTS.keys():
            raise ValueError(f"{', '.join(sorted(unknown))}: expected parts among {', '.join(PARTS)}")
        self.weights = load_weights(weights) if isinstance(weights, str) else weights
        self.tokens, self.merges = self.weights["tokens"].tolist(), self.weights["merges"].tolist()
        self.num_heads, self.stop = int(self.weights["num_heads"]), int(self.weights["stop"])
        self.longest = len(self.weights["places"]) - 1  # of a text, after the start
        self.halves = "merge" in parts  # whether a query asks two halves of the memory, one by one
        self.parts, self.given = {**PARTS, **parts}, parts
        for name in USES.keys() - parts.keys():
            self.parts[name] = partial(PARTS[name], **{used: self.parts[used] for used in USES[name]})
        self.at = {}  # what is being computed: the text so far, the block, the head

    def write(self, count=8, seed=0, temperature=1.0, begin=""):
        """Return so many texts, which begin as is asked, and of which each further letter is drawn from its chances.

        ValueError for a beginning that it cannot read.
        """
        begun = self._number(begin) if begin else []
        random = np.random.default_rng(seed)

        def draw(chances):
            total = np.cumsum(chances)
            return min(int(np.searchsorted(total, random.random() * total[-1], side="right")), len(total) - 1)

        return [self._write_one(draw, temperature, begun) for _ in range(count)]

    def _write_one(self, draw, temperature, begun=()):
        memory, so_far = {}, []
        *before, start = START, *begun

        def next_chances(number):
            so_far.append(number)
            self.at = {"text": "".join(self.tokens[n] for n in so_far), "letter": len(so_far)}
            return self.parts["softmax"](self.step(number, len(so_far) - 1, memory), temperature)

        for number in before:
            next_chances(number)
        numbers = self.parts["loop"](next_chances, draw, start, self.stop, self.longest - len(begun))
        return "".join(self.tokens[number] for number in (*begun, *numbers))

    def guess(self, text="", most=8, temperature=1.0):
        """Return the likeliest letters to come after a text, each with its chance: a list of pairs."""
        numbers = np.array([[START, *self._number(text)]])
        chances = self.parts["softmax"](self.score(numbers, [numbers.size])[0, -1], temperature)
        return [(self.tokens[n], float(chances[n])) for n in np.argsort(-chances)[:most]]

    def look(self, text):
        """Return how much each letter of a text looks at each, START first: weights (blocks, heads, n, n)."""
        numbers, found = np.array([[START, *self._number(text)]]), []
        self.score(numbers, [numbers.size], found)
        return np.array(found)

    def without(self, block, head):
        """Return a machine with the same parts, in which the head of that block adds nothing to the stream.

        ValueError if there is no such block or head.
        """
        if not (1 <= block <= self.count_blocks() and 1 <= head <= self.num_heads):
            raise ValueError(f"block {block}, head {head}: there are {self.count_blocks()} and {self.num_heads}")
        name = f"{block - 1}.w_o"
        w_o = self.weights[name].copy()
        np.split(w_o, self.num_heads)[head - 1][...] = 0
        return type(self)(self.weights | {name: w_o}, **self.given)

    def step(self, number, place, memory):
        """Return the scores of what comes after this number, and keep its keys and values in the memory."""
        x = (self.weights["letters"][number] + self.weights["places"][place])[None]
        for index in range(self.count_blocks()):
            self.at["block"] = index + 1
            x = self._block(index, x, lambda y, index=index: self._ask_memory(y, index, place, memory))
        self.at.pop("block", None)
        return self._name(x)[0]

    def _ask_memory(self, x, index, place, memory):
        """Let one token ask, in every head, itself and all that came before it."""
        outputs = []
        for head in range(self.num_heads):
            self.at["head"] = head + 1
            query, *kept = self.parts["projections"](x, *self._matrices(index, head))
            for before, row in zip(memory.setdefault((index, head), ([], [])), kept, strict=True):
                before[place:] = [row.reshape(-1)]
            outputs.append(self._look(query, *map(np.array, memory[index, head])))
        self.at.pop("head", None)
        return np.concatenate(outputs, axis=-1) @ self.weights[f"{index}.w_o"]

    def _look(self, query, key, value):
        if not self.halves:
            return self.parts["attention"](query, key, value)[0]
        half = len(key) // 2
        found = [keep(query, key[part], value[part]) for part in (slice(half), slice(half, None))]
        return self.parts["merge"](*map(np.array, zip(*found, strict=True)))[None]

    def read(self, texts):
        """Return the surprise of each letter of each text, and of its end if it has one: a list of arrays."""
        self.at = {}
        words, lengths = self.encode(texts)
        surprise, _ = self.parts["loss"](self.score(words, lengths), words, lengths)
        return [row[: length - 1] for row, length in zip(surprise, lengths, strict=True)]

    def encode(self, texts):
        """Return texts as numbers, START first and PAD behind, (texts, n), and the lengths without padding.

        ValueError for a text that is too long or has an unknown letter.
        """
        rows = [[START, *self._number(text), *[self.stop] * (self.stop > PAD)] for text in texts]
        lengths = np.array([len(row) for row in rows])
        return np.array([row + [PAD] * (max(lengths) - len(row)) for row in rows]), lengths

    def _number(self, text):
        pieces, most = self.parts["tokenize"](text, self.merges), self.longest - (self.stop > PAD)
        if unknown := [piece for piece in pieces if not piece or piece not in self.tokens]:
            letters = "".join(token for token in self.tokens if len(token) == 1)
            raise ValueError(f"{text!r} has {unknown[0]!r}; the machine knows {letters!r}")
        if len(pieces) > most:
            raise ValueError(f"{text!r} is too long; the machine reads at most {most} letters")
        return [*map(self.tokens.index, pieces)]

    def score(self, words, lengths, weights=None):
        """Return the scores of what comes after each word of each text, (texts, n, tokens).

        A list of `weights` grows by those of the heads in each block of each text, (num_heads, n, n).
        """
        may_look, scores = self.parts["mask"](lengths, words.shape[1]), []
        for text, seen in enumerate(may_look):
            x = self.weights["letters"][words[text]] + self.weights["places"][: words.shape[1]]
            self.at = {"text": "".join(self.tokens[number] for number in words[text])}
            for index in range(self.count_blocks()):
                self.at["block"] = index + 1
                matrices = *self._matrices(index), self.weights[f"{index}.w_o"], self.num_heads, seen
                x = self._block(index, x, lambda y, matrices=matrices: self._ask_all(y, matrices, weights))
            scores.append(self._name(x))
        self.at = {}
        return np.array(scores)

    def _ask_all(self, x, matrices, found):
        output, weights = self.parts["heads"](x, *matrices)
        if found is not None:
            found.append(weights)
        return output

    def _block(self, index, x, attend):
        norms = [self._bind(normalize, f"{index}.norm_{which}", "scale", "shift") for which in (1, 2)]
        feed = self._bind(feed_forward, f"{index}", "w_1", "b_1", "w_2", "b_2")
        return self.parts["block"](x, attend, feed, *norms)

    def _name(self, x):
        x = self._bind(normalize, "norm", "scale", "shift")(x)
        return x @ self.weights["name.w"] + self.weights["name.b"]

    def _bind(self, function, prefix, *names):
        given = [self.weights[f"{prefix}.{name}"] for name in names]
        return lambda x: function(x, *given)

    def _matrices(self, index, head=None):
        """Return w_q, w_k and w_v of a block, or the columns of one head."""
        wide = [self.weights[f"{index}.w_{which}"] for which in "qkv"]
        return wide if head is None else [np.split(w, self.num_heads, axis=1)[head] for w in wide]

    def count_blocks(self):
        return sum(name.endswith(".w_o") for name in self.weights)


def keep(query, key, value):
    """Return what a query keeps of some keys: its largest score, the sum, and the mixture that is not divided yet."""
    scores = (query @ key.T)[0] / sqrt(query.shape[-1])
    largest = scores.max(initial=-inf)
    raised = np.exp(scores - largest)
    return largest, raised.sum(), raised @ value


HERE = Path(__file__)  # with machine_names.npz and machine_prose.npz beside it, written by `python -m evidence.machine`


def load_weights(name):
    """Return stored weights, half precision made float64, as a dict of arrays."""
    with np.load(HERE.with_name(f"machine_{name}.npz")) as file:
        return {key: file[key].astype(float) if file[key].dtype == "float16" else file[key] for key in file.files}
