"""The published encoder as the cells of chapter 12 use it: a text goes in, and what the model makes of it comes out."""

from attention_src.models.published import FILES, verified_folder

from .encoder import encode, read_vocabulary, read_weights, tokenize

__all__ = ["open_model"]


def open_model():
    """Return a function that reads a text, and the weights it reads with.

    Returns
    -------
    read : function of a str, of `off`, `zero` and `hide` as `attention_course.encoder.encode` has them, and of `weights`
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
    folder = verified_folder()
    weights, numbers = read_weights(folder / FILES[2]), read_vocabulary(folder / FILES[1])
    tokens = sorted(numbers, key=numbers.get)

    def read(text, weights=weights, **changes):
        ids = tokenize(text, numbers)
        return {"tokens": [tokens[i] for i in ids]} | encode(ids, weights, **changes)

    return read, weights
