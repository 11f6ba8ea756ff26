"""Checks of chapter 10, a museum of silent bugs."""

import numpy as np

from ._report import Wrong, ask, need_close, need_shape, passed, shapes


def mended_places(answer, seed=0):
    """Check a student's ``answer(table, x) -> (batch, n, d)``, tokens with the vectors of their places added.

    Parameters
    ----------
    answer : function of table (many, d) and x (batch, n, d)
    seed : int, where the trials come from

    Raises
    ------
    NotAttempted
        The function is the stub.
    Wrong
        A trial fails; the message says which and how.
    """
    random = np.random.default_rng(seed)
    for batch, n, d in ((2, 5, 3), (6, 4, 2), (1, 3, 4), (4, 4, 3)):
        table, x = random.normal(size=(9, d)), random.normal(size=(batch, n, d))
        got, given = ask(answer, table=table, x=x), shapes(table=table, x=x)
        need_shape("the result", got, x.shape, given)
        added = got - x
        if np.allclose(added, added[:, :1]) and n > 1:
            raise Wrong(f"With {given}, all tokens of a sentence get the same vector. Along which axis do you count?")
        if not np.allclose(added, added[:1]):
            raise Wrong(
                f"With {given}, the same place gets another vector in another sentence. What does it depend on?"
            )
        need_close("the result", got, x + table[:n], "Which row of the table belongs to the first token?")
    passed("every place has its own vector, the same in every sentence.")
