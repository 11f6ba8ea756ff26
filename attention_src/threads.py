"""How many threads torch may use, for a while."""

from contextlib import contextmanager

import torch

from ._validation import as_integer

__all__ = ["limit_threads"]


@contextmanager
def limit_threads(number=1):
    """Let torch compute on this many threads, for a while; afterwards on as many as before, however the block ended.

    The book's networks are so small that threads spend more time waiting for each other than computing, above all when
    another program works on the same machine. Written above a function, ``@limit_threads()`` does this for each call.

    Parameters
    ----------
    number : int

    Returns
    -------
    context manager

    Raises
    ------
    ValueError
        `number` is below 1.

    Examples
    --------
    >>> before = torch.get_num_threads()
    >>> with limit_threads():
    ...     torch.get_num_threads()
    1
    >>> torch.get_num_threads() == before
    True
    """
    number = as_integer("number", number, 1)
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(number)
        yield
    finally:
        torch.set_num_threads(before)
