"""The published encoder of chapter 12 in NumPy, with its tokenizer: what runs on the page, and the same in a notebook.

`attention_src.models.bert` has the model in torch. This is a second *model* of the same weights, and no second copy of
attention, which is `scaled_dot_product_attention`.
"""

import json
import unicodedata
from math import erf, sqrt

import numpy as np

from attention_src import scaled_dot_product_attention

__all__ = ["encode", "read_vocabulary", "read_weights", "tokenize"]

LAYERS, HEADS, EPSILON = 6, 12, 1e-12
WORDS = "embeddings.word_embeddings.weight"  # what the published file calls the word vectors
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")  # may stand in a text, and are taken as they are
LONGEST_WORD = 100  # a longer one is unknown
IDEOGRAPHS = (  # each of which is a word
    *((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F)),
    *((0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)),
)


# The network ----------------------------------------------------------------------------------------------------------


def encode(ids, weights, *, off=None, zero=(), hide=(), below=None):
    """Return what the published encoder makes of a text, whole or with something changed.

    Parameters
    ----------
    ids : list of n int, the tokens, as `tokenize` returns them
    weights : dict of arrays, as `read_weights` returns them
    off : (layer, head), a head that gives nothing, counted from 0
    zero : positions of tokens whose values are zero, in all heads of all layers
    hide : positions of tokens whose keys are hidden, in all heads of all layers
    below : (layer, n, 384) array, the first states of an earlier result, from where to go on

    Returns
    -------
    dict
        ``states`` (7, n, 384), the first of which the blocks are given; ``maps`` (layers, 12, n, n), the weights of
        each head; ``values`` (layers, 12, n, 32); ``outputs`` (layers, 12, n, 32), what each head takes with its
        weights; ``sentence`` (384,), of length 1. There are six layers, less those that `below` spares.

    Examples
    --------
    >>> from attention_src.models.published import published_folder
    >>> vocabulary = read_vocabulary(published_folder() / "tokenizer.json")
    >>> weights = read_weights(published_folder() / "model.safetensors")
    >>> encode(tokenize("a bank", vocabulary), weights, off=(4, 5))["maps"].shape
    (6, 12, 4, 4)
    """
    visible, n = np.ones((len(ids), len(ids)), dtype=bool), len(ids)
    visible[:, list(hide)] = False
    if below is None:
        x = weights[WORDS][ids].astype("float32") + weights["embeddings.position_embeddings.weight"][:n]
        x = normalize(x + weights["embeddings.token_type_embeddings.weight"][0], weights, "embeddings.LayerNorm")
        below = x[None]
    states, found = [*below], []
    for layer in range(len(states) - 1, LAYERS):
        heads = np.ones((HEADS, 1, 1), dtype="float32")
        if off and off[0] == layer:
            heads[off[1]] = 0
        x, *seen = block(states[-1], weights, f"encoder.layer.{layer}", visible, heads, list(zero))
        states.append(x)
        found.append(seen)
    maps, values, outputs = map(np.array, zip(*found, strict=True))
    mean = states[-1].mean(axis=0)
    sentence = mean / np.linalg.norm(mean)
    return {"states": np.array(states), "maps": maps, "values": values, "outputs": outputs, "sentence": sentence}


def block(x, weights, name, visible, heads, zero):
    """Return the states behind a block, (n, 384), and for each head its weights, values and output."""
    query, key, value = (split(project(x, weights, f"{name}.attention.self.{to}")) for to in ("query", "key", "value"))
    value[:, zero] = 0
    output, maps = scaled_dot_product_attention(query, key, value, visible)
    joined = (output * heads).swapaxes(0, 1).reshape(x.shape)
    x = x + project(joined, weights, f"{name}.attention.output.dense")
    x = normalize(x, weights, f"{name}.attention.output.LayerNorm")
    hidden = gelu(project(x, weights, f"{name}.intermediate.dense"))
    x = normalize(x + project(hidden, weights, f"{name}.output.dense"), weights, f"{name}.output.LayerNorm")
    return x, maps, value, output


def project(x, weights, name):
    return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def split(x):
    """Return (heads, n, 32): each head's own numbers of each token."""
    return x.reshape(len(x), HEADS, -1).swapaxes(0, 1)


def normalize(x, weights, name):
    """Bring each row to mean 0 and standard deviation 1, then scale and shift it."""
    centred = x - x.mean(axis=-1, keepdims=True)
    unit = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + EPSILON)
    return unit * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def gelu(x):
    """x Φ(x), where Φ is the normal distribution."""
    return x * (1 + np.vectorize(erf, otypes=["float32"])(x / sqrt(2))) / 2


def read_weights(file):
    """Return the arrays of a file of the kind safetensors, in float32, by the names that it gives them: a dict.

    `file` is its path or its bytes: a length of eight bytes, then so many bytes of JSON, then the numbers.
    Word vectors in half precision stay so, for there are thirty thousand and a text needs few. ValueError for bytes
    that are cut off, or numbers of another kind than F32 and F16.
    """
    content = file if isinstance(file, bytes | bytearray | memoryview) else memoryview(_read(file))
    try:
        begin = 8 + int.from_bytes(content[:8], "little")
        described, arrays = json.loads(bytes(content[8:begin])), {}
        described.pop("__metadata__", None)
        for name, about in described.items():
            start, end = about["data_offsets"]
            kind = {"F32": "<f4", "F16": "<f2", "I64": "<i8"}[about["dtype"]]
            numbers = np.frombuffer(content[begin + start : begin + end], kind).reshape(about["shape"])
            arrays[name] = numbers if name == WORDS or kind == "<i8" else numbers.astype("float32", copy=False)
    except (ValueError, KeyError) as error:
        raise ValueError(f"these are no weights, or not all of them: {error}") from error
    return arrays


def _read(path):
    with open(path, "rb") as file:
        return file.read()


# The tokenizer --------------------------------------------------------------------------------------------------------


def read_vocabulary(path):
    """Return the tokens that the published `tokenizer.json`, at this `path`, knows, as {token: its number}."""
    return json.loads(_read(path))["model"]["vocab"]


def tokenize(text, vocabulary):
    """Return the numbers of a text's tokens, that of [CLS] first and that of [SEP] last: WordPiece, Wu et al. (2016).

    The `vocabulary` is a dict, as `read_vocabulary` returns it. A word is the longest token that it begins with, then
    the longest one, written with ##, that the rest begins with, and so on; a word for which this fails is one token,
    [UNK].

    >>> vocabulary = {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "bank": 3, "##s": 4, "!": 5}
    >>> tokenize("Banks! Börse?", vocabulary)
    [1, 3, 4, 5, 0, 0, 2]
    """
    numbers = [vocabulary["[CLS]"]]
    for part in _split_special(text):
        words = [part] if part in SPECIAL else find_words(part)
        numbers += [number for word in words for number in find_pieces(word, vocabulary)]
    return [*numbers, vocabulary["[SEP]"]]


def _split_special(text):
    """Yield the parts of a text, each of which is one of `SPECIAL` or has none of them."""
    while found := [(text.index(token), token) for token in SPECIAL if token in text]:
        place, token = min(found)
        yield from (text[:place], token)
        text = text[place + len(token) :]
    yield text


def find_words(text):
    """Return the words of a text in lower case and without accents; a mark of punctuation is a word, and so is 字."""
    spaced = "".join(map(_clean, text))
    bare = (c for c in unicodedata.normalize("NFD", spaced) if unicodedata.category(c) != "Mn")
    lower = "".join(c.lower() for c in bare)
    return "".join(f" {c} " if _is_punctuation(c) else c for c in lower).split()


def _clean(c):
    """Return what stands for a character: a space for every kind of space, nothing for what has no shape."""
    if c in "\t\n\r" or (c.isspace() and unicodedata.category(c) != "Cc"):
        return " "
    if c == "\ufffd" or unicodedata.category(c) in ("Cc", "Cf", "Co", "Cs"):
        return ""
    return f" {c} " if any(first <= ord(c) <= last for first, last in IDEOGRAPHS) else c


def _is_punctuation(c):
    return c in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~" or unicodedata.category(c)[0] == "P"


def find_pieces(word, vocabulary):
    """Return the numbers of a word's tokens."""
    pieces, start = [], 0
    while start < len(word) <= LONGEST_WORD:
        prefix = "##" if start else ""
        end = next((end for end in range(len(word), start, -1) if prefix + word[start:end] in vocabulary), None)
        if end is None:
            break
        pieces.append(vocabulary[prefix + word[start:end]])
        start = end
    return pieces if start == len(word) else [vocabulary["[UNK]"]]
