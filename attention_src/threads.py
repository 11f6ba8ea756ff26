"""Limit how many threads torch uses."""

from contextlib import contextmanager

import torch

from ._validation import as_integer

__all__ = ["limit_threads"]


@contextmanager
def limit_threads(number=1):
    """Limit torch to this many threads inside the block, and restore the previous number however the block ends.

    The book's networks are so small that threads spend more time waiting for each other than computing, above all when
    another program runs on the same machine. As a decorator, ``@limit_threads()`` does this for each call. ValueError
    if `number` is below 1.

    Parameters
    ----------
    number : int

    Returns
    -------
    context manager

    Examples
    --------
    >>> with limit_threads():
    ...     torch.get_num_threads()
    1
    """
    number = as_integer("number", number, 1)
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(number)
        yield
    finally:
        torch.set_num_threads(before)
