"""The published encoder on the reader's own words: what chapter 12's picture asks of it, one question after the other.

It knows nothing of browsers. `web/model.py` makes its weights; `worker.js` gives it those that have arrived.
"""

import os

import numpy as np

from attention_course.encoder import WORDS, encode, read_weights, tokenize
from attention_course.published import ROWS

MOST = 64  # tokens; what comes after them is cut off
SHARD = 64  # rows of word vectors in a file
DIGITS = 6


class Bench:
    """The model, with the word vectors that have come so far, and the sentence that was read last."""

    def __init__(self, blocks, vocabulary):
        self.weights = read_weights(blocks)
        with open(vocabulary, encoding="utf-8") as file:
            self.tokens = file.read().split("\n")
        os.remove(blocks)  # in a browser a file lies in the memory
        self.numbers = {token: number for number, token in enumerate(self.tokens)}
        self.weights[WORDS] = np.zeros((len(self.tokens), 384), "float16")
        self.here, self.ids, self.whole, self.maps = set(), None, None, b""

    def cut(self, text):
        """Return a text's tokens, at most `MOST`, how many there would be, and which word vectors are missing."""
        ids = tokenize(text, self.numbers)
        kept = ids if len(ids) <= MOST else [*ids[: MOST - 1], ids[-1]]
        missing = [(name_shard(i), i) for i in sorted({number // SHARD for number in kept} - self.here)]
        return {"ids": kept, "tokens": [self.tokens[i] for i in kept], "all": len(ids), "missing": missing}

    def add(self, missing):
        """Take the word vectors of a file, one of those that `cut` calls missing."""
        file, shard = missing
        rows = np.fromfile(file, "<f2").reshape(-1, 384)
        self.weights[WORDS][SHARD * shard : SHARD * shard + len(rows)] = rows
        os.remove(file)
        self.here.add(shard)

    def read(self, asked):
        """Read the tokens `ids`, or those read last, with `off`, `zero` and `hide` as `encode` has them.

        Return how far the sentence has moved from the unchanged one, 1 − cosine, and, unless only that is asked for
        (`brief`), how long on average that is which each head takes; the maps then wait in `maps`, in float32.
        """
        if (ids := asked.get("ids", self.ids)) != self.ids:
            self.whole = encode(ids, self.weights)
            self.ids = ids
        off, changed = asked.get("off"), {name: asked.get(name, []) for name in ("zero", "hide")}
        below = self.whole["states"][: off[0] + 1] if off and not any(changed.values()) else None
        found = self.whole
        if off or any(changed.values()):
            found = encode(self.ids, self.weights, off=off, below=below, **changed)
        moved = round(float(1 - self.whole["sentence"] @ found["sentence"]), DIGITS)
        if asked.get("brief"):
            return {"moved": moved}
        spared = len(self.whole["maps"]) - len(found["maps"])  # layers below the head, which are as they were
        maps, outputs = (np.concatenate([self.whole[name][:spared], found[name]]) for name in ("maps", "outputs"))
        self.maps = maps.astype("<f4").tobytes()
        lengths = np.linalg.norm(outputs, axis=-1).mean(axis=-1)
        return {"moved": moved, "lengths": lengths.astype(float).round(DIGITS).tolist()}


def name_shard(number):
    return f"{ROWS}{number:03}.f16"
