"""The published encoder as the cells of chapter 12 use it: a text goes in, and what the model makes of it comes out."""

import hashlib

from .encoder import encode, read_vocabulary, read_weights, tokenize

__all__ = ["open_model"]


def open_model():
    """Return a function that reads a text, and the weights it reads with.

    Returns
    -------
    read : function of a str, and of `off`, `zero` and `hide` as in `attention_course.encoder.encode`
        It returns what `encode` does, with the list of ``tokens``.
    weights : dict of arrays by their published names

    Raises
    ------
    ConnectionError, ValueError
        As `attention_src.models.bert.minilm` does: the file is nowhere, or it is not the published one.

    Examples
    --------
    >>> read, weights = open_model()
    >>> read("a bank")["tokens"]
    ['[CLS]', 'a', 'bank', '[SEP]']
    """
    from attention_src.models.bert import FILES, SHA256, published_folder

    folder = published_folder()
    content = (folder / FILES[2]).read_bytes()
    if (digest := hashlib.sha256(content).hexdigest()) != SHA256:
        raise ValueError(f"{folder / FILES[2]} has the sha256 {digest}; expected {SHA256}. Delete it and try again.")
    weights, numbers = read_weights(content), read_vocabulary(folder / FILES[1])
    tokens = sorted(numbers, key=numbers.get)

    def read(text, **changes):
        ids = tokenize(text, numbers)
        return {"tokens": [tokens[i] for i in ids]} | encode(ids, weights, **changes)

    return read, weights
