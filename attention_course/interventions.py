"""Change a part of a model for a while, to see what the model does without it.

Each change lasts as long as its ``with`` block, and is undone however the block ends: at its last line, by an error, or
by the stop button of a notebook. To change what a module returns, use torch's own hook, which also ends with its block:
``with module.register_forward_hook(function):``.
"""

from contextlib import contextmanager


@contextmanager
def replace_attribute(parts, name, value):
    """Give each of these parts of a model the same attribute inside a ``with`` block.

    Parameters
    ----------
    parts : list of objects, mostly torch.nn.Module
    name : str, of an attribute that every one of them has: a number, a method, a parameter, a module
        AttributeError if a part has no such attribute; then none is changed.
    value : what it is to be inside the ``with`` block

    Examples
    --------
    >>> import torch
    >>> norm = torch.nn.LayerNorm(4, eps=1e-5)
    >>> with replace_attribute([norm], "eps", 0.1):
    ...     print(norm.eps)
    0.1
    >>> norm.eps
    1e-05
    """
    before = [getattr(part, name) for part in parts]
    inherited = [name not in vars(part) and hasattr(type(part), name) for part in parts]  # as methods are, of a class
    try:
        for part in parts:
            setattr(part, name, value)
        yield
    finally:
        for part, old, of_class in zip(parts, before, inherited, strict=True):
            if of_class:
                vars(part).pop(name, None)
            else:
                setattr(part, name, old)


@contextmanager
def overwrite(tensor, value):
    """Put other numbers into a tensor inside a ``with`` block.

    The `tensor` is a parameter or a part of one, such as ``layer.weight[:, :8]``; `value` is a float or a tensor of the
    same shape. With any other shape nothing is changed, and it raises RuntimeError.

    >>> import torch
    >>> layer = torch.nn.Linear(2, 1, bias=False)
    >>> with overwrite(layer.weight[:, :1], 0):
    ...     bool(layer(torch.eye(2))[0] == 0)
    True
    """
    numbers = tensor.detach()  # the same numbers in memory, but no gradient follows what is done to them
    before = numbers.clone()
    try:
        numbers[...] = value
        yield
    finally:
        numbers[...] = before
