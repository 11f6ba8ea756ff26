"""Checks of chapter 10, a museum of silent bugs."""

import numpy as np

from ._report import Part, Wrong, ask, need_close, need_shape, passed, question_for, shapes


def mended_places(answer, seed=0):
    """Check a student's ``answer(table, x) -> (batch, n, d)``, tokens with the vectors of their places added.

    Parameters
    ----------
    answer : function of table (many, d) and x (batch, n, d)
    seed : int, where the trials come from
    """
    random = np.random.default_rng(seed)
    for batch, n, d in ((2, 5, 3), (6, 4, 2), (1, 3, 4), (4, 4, 3)):
        table, x = random.normal(size=(9, d)), random.normal(size=(batch, n, d))
        got, given = ask(answer, table=table, x=x), shapes(table=table, x=x)
        need_shape(
            "the result", got, x.shape, given, "Every token of every sentence gets a vector: how many are there?"
        )
        added = got - x
        faults = (
            (np.allclose(added, 0, atol=1e-5), "x comes back as it was", "What was to be added to it?"),
            (
                np.allclose(got, table[:n], atol=1e-5),
                "these are the vectors of the positions alone",
                "Where are the tokens themselves?",
            ),
            (
                np.allclose(added, added[:, :1], atol=1e-5) and n > 1,
                "all tokens of a sentence get the same vector",
                "Along which axis do you count?",
            ),
            (
                not np.allclose(added, added[:1], atol=1e-5),
                "the same position gets another vector in another sentence",
                "What does it depend on?",
            ),
        )
        for found, seen, question in faults:
            if found:
                raise Wrong(Part("With {given}, {seen}", given=given, seen=Part(seen)), question=question)
        known = (
            (x - table[:n], "Were the vectors added, or taken away?"),
            (x + table[1 : n + 1], "Counting starts at 0. Which row of the table belongs to the first token?"),
        )
        need_close(
            "result",
            got,
            x + table[:n],
            question_for(got, known, "Which row of the table belongs to the first token, and which to the second?"),
        )
    passed("every place has its own vector, the same in every sentence.")
