"""The published encoder as the cells of chapter 12 use it: a text goes in, and what the model makes of it comes out."""

import hashlib
import json
import sys

import numpy as np

from attention_src.models.published import FILES, verified_folder

from .encoder import WORDS, encode, read_vocabulary, read_weights, tokenize

__all__ = ["open_model"]

BLOCKS, VOCABULARY, ROWS = "blocks.safetensors", "vocabulary.txt", "words-"  # what web/model.py writes beside a page


def open_model():
    """Return a function that reads a text, and the weights it reads with.

    The weights are rounded to half precision, so that a cell gives the same everywhere: in a browser they come so from
    beside the page, and word vectors as they are needed.

    Returns
    -------
    read : function of a str, of `off`, `zero` and `hide` as in `attention_course.encoder.encode`, and of `weights`
        It returns what `encode` does, with the list of ``tokens``.
    weights : dict of arrays by their published names

    Raises
    ------
    ConnectionError, ValueError
        The file is nowhere, or it is not the published one.

    Examples
    --------
    >>> read, weights = open_model()
    >>> read("a bank")["tokens"]
    ['[CLS]', 'a', 'bank', '[SEP]']
    """
    if sys.platform == "emscripten":
        weights, numbers = _open_beside_page()
    else:
        folder = verified_folder()
        weights, numbers = _round(read_weights(folder / FILES[2])), read_vocabulary(folder / FILES[1])
    tokens = sorted(numbers, key=numbers.get)

    def read(text, weights=weights, **changes):
        ids = tokenize(text, numbers)
        return {"tokens": [tokens[i] for i in ids]} | encode(ids, weights, **changes)

    return read, weights


def _round(weights):
    return {name: array.astype("float16").astype("float32") for name, array in weights.items()}


def _open_beside_page():
    listed = json.loads(fetch("model.json"))
    weights = read_weights(fetch(BLOCKS, listed)) | {WORDS: _Rows(listed)}
    return weights, {token: i for i, token in enumerate(fetch(VOCABULARY, listed).decode().split("\n"))}


def fetch(name, listed=None, folder="../model"):
    """Return the bytes of a file beside the page, once it has come and has its hash."""
    from js import XMLHttpRequest  # of Pyodide; in a worker it may wait

    request = XMLHttpRequest.new()
    request.open("GET", f"{folder}/{name}", False)
    request.responseType = "arraybuffer"
    request.send()
    if request.status != 200:
        raise ConnectionError(f"{name} of the model could not be loaded: {request.status}")
    content = request.response.to_bytes()
    if listed and hashlib.sha256(content).hexdigest() != listed[name]["sha256"]:
        raise ValueError(f"{name} of the model arrived damaged. Run the cell again.")
    return content


class _Rows:
    """Word vectors, which come in files of so many rows each, once somebody asks for them."""

    def __init__(self, listed):
        self.listed, self.files = listed, {}
        self.names = sorted(name for name in listed if name.startswith(ROWS))
        self.height = listed[self.names[0]]["bytes"] // (2 * 384)

    def __getitem__(self, ids):
        for i in {number // self.height for number in ids} - self.files.keys():
            self.files[i] = np.frombuffer(fetch(self.names[i], self.listed), "<f2").reshape(-1, 384)
        return np.array([self.files[i // self.height][i % self.height] for i in ids])
