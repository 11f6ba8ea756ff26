"""Checks of chapter NN: name its subject here."""

import numpy as np

from ._ask import ask, draw_sizes, name_shapes
from ._compare import need_close, need_shape
from ._message import say_right

NAME_SIZES = [(2, 3, 4), (5, 4, 3), (3, 3, 3), (1, 4, 2), (3, 1, 2), (11, 12, 10)]  # n, m, d_v; first all different


def NAME(answer, seed=0):
    """Check a student's ``answer(weights, value) -> output``, the values mixed by their weights.

    Parameters
    ----------
    answer : function of weights (n, m), value (m, d_v)
    seed : int, where the trials come from
    """
    random = np.random.default_rng(seed)
    for n, m, d_v in draw_sizes(NAME_SIZES, seed):
        trial = {"weights": random.dirichlet(np.ones(m), size=n), "value": random.normal(size=(m, d_v))}
        weights, value = trial.values()
        given, output = name_shapes(**trial), ask(answer, **trial)
        need_shape("output", output, (n, d_v), given, "Which axis do the weights and the values share?")
        known = [
            (np.broadcast_to(value.mean(axis=0), (n, d_v)), "Where do your weights enter?"),
            (weights @ value / m, "The weights sum to 1: by what else do you divide?"),
            (value[weights.argmax(axis=1)], "What becomes of the smaller weights?"),
        ]
        need_close("output", output, weights @ value, "Which weight belongs to which value?", known)
    say_right("the output holds on {trials} trials with n, m and d_v of several sizes.", trials=len(NAME_SIZES))
