"""A museum of wrong attention: functions that run, most of them with the right shape, and are not attention.

Each takes ``(query, key, value, mask=None)`` of NumPy arrays, all n × d in self-attention, and returns
``(output, weights)`` as `attention_src.scaled_dot_product_attention` does. Some of the mistakes were published in
teaching material, the others we collected; the code is ours. Nothing here is to be used.
"""

import numpy as np

from attention_src.attention import scaled_dot_product_attention
from attention_src.masks import causal_mask, window_mask
from attention_src.weights import softmax

from .. import checks
from ..checks import collecting
from . import detectors
from ._parts import exchange_part, exponentiate, mix_by, normalise, scale_dots, score_by, weigh_by

#: The functions, each under the name of its mistake.
EXHIBITS = {
    "not scaled": score_by(lambda q, k, v: q @ k.mT),
    "scaled by d": score_by(lambda q, k, v: q @ k.mT / q.shape[-1]),
    "scaled by the root of n": score_by(lambda q, k, v: q @ k.mT / np.sqrt(len(k))),
    "scaled the wrong way round": score_by(lambda q, k, v: q @ k.mT * np.sqrt(q.shape[-1])),
    "queries ask queries": score_by(lambda q, k, v: scale_dots(q, q)),
    "keys ask keys": score_by(lambda q, k, v: scale_dots(k, k)),
    "keys ask queries": score_by(lambda q, k, v: scale_dots(k, q)),
    "keys reshaped, not transposed": score_by(lambda q, k, v: q @ k.reshape(k.shape[::-1]) / np.sqrt(q.shape[-1])),
    "softmax over the queries": weigh_by(lambda s, mask: softmax(s.mT, mask.mT).mT),
    "softmax over everything": weigh_by(lambda s, mask: normalise(exponentiate(s, mask), axis=None)),
    "sum without keepdims": weigh_by(lambda s, mask: normalise(exponentiate(s, mask), keepdims=False)),
    "no softmax": weigh_by(lambda s, mask: np.where(mask, s, 0)),
    "softmax twice": weigh_by(lambda s, mask: softmax(softmax(s, mask), mask)),
    "powers of two": weigh_by(lambda s, mask: softmax(s * np.log(2), mask)),
    "the maximum forgotten": weigh_by(lambda s, mask: normalise(np.exp(s) * mask)),
    "sigmoid for softmax": weigh_by(lambda s, mask: mask / (1 + np.exp(-s))),
    "dropout left on": weigh_by(lambda s, mask: softmax(s, mask) * np.where(np.indices(s.shape).sum(0) % 3, 1.5, 0)),
    "mixes the keys": mix_by(lambda w, q, k, v: w @ k),
    "mixes the queries": mix_by(lambda w, q, k, v: w @ q),
    "mixes by columns": mix_by(lambda w, q, k, v: w.T @ v),
    "mask ignored": weigh_by(lambda s, mask: softmax(s)),
    "mask with the opposite meaning": weigh_by(lambda s, mask: softmax(s, ~mask) if not mask.all() else softmax(s)),
    "mask after the softmax": weigh_by(lambda s, mask: softmax(s) * mask),
    "mask multiplied into the scores": weigh_by(lambda s, mask: softmax(s * mask)),
    "mask of -1e-9": weigh_by(lambda s, mask: softmax(s - 1e-9 * ~mask)),
    "mask transposed": weigh_by(lambda s, mask: softmax(s, mask.mT)),
}


#: Four more: after a page of dmol.pub, after a tutorial of PyTorch, and two that a reader found our checks to miss.
STRANGERS = {
    "root of n, no keepdims": exchange_part(
        score=lambda q, k, v: q @ k.mT / np.sqrt(len(k)), weigh=lambda s, mask: normalise(np.exp(s), keepdims=False)
    ),
    "weights of the query alone": score_by(lambda q, k, v: np.resize(q, (len(q), len(k)))),
    "1e-6 added to the sum": weigh_by(lambda s, mask: (w := softmax(s, mask)) / (w.sum(axis=-1, keepdims=True) + 1e-6)),
    "32 bits inside": lambda *a: scaled_dot_product_attention(*(x.astype("float32") for x in a[:3]), *a[3:]),
}


def caught(wrong, seed=0):
    """Find out which of six ways of checking homework notice that a function is not attention.

    shape: the output's shape, with as many queries as keys; uneven: the same with four different sizes; random: the
    right output and weights on random numbers; masked: the same with a causal mask; detect: the detectors that apply to
    one function; ours: the checks of chapters 1 and 5.

    The function `wrong` takes (query, key, value, mask=None) and returns (output, weights); the random numbers come
    from the int `seed`. Return a dict of the name of each check: whether it notices.

    >>> caught(EXHIBITS["mask ignored"])["random"], caught(EXHIBITS["mask ignored"])["masked"]
    (False, True)
    """
    random = np.random.default_rng(seed)
    square = random.normal(size=(3, 5, 4))
    uneven = [random.normal(size=size) for size in ((3, 4), (5, 4), (5, 2))]
    with np.errstate(all="ignore"):
        return {
            "shape": _differs(wrong, square, None, _same_shape),
            "uneven": _differs(wrong, uneven, None, _same_shape),
            "random": _differs(wrong, square, None, np.allclose),
            "masked": _differs(wrong, square, causal_mask(5), np.allclose),
            "detect": _suspected(wrong, *square),
            "ours": _refused(checks.attention, wrong) or _refused(checks.masked_attention, wrong),
        }


def _same_shape(a, b):
    return a.shape == b.shape


def _differs(wrong, arrays, mask, alike):
    try:
        got = wrong(*arrays, mask)
    except ValueError:
        return True
    return not all(map(alike, got, scaled_dot_product_attention(*arrays, mask)))


def _suspected(wrong, query, key, value):
    """Whether rows, reactions or the effect of order say that something is wrong."""

    def layer(x, mask=None):
        return wrong(x @ query[:4] / 2, x @ key[:4] / 2, x, mask)[0]

    causal = causal_mask(len(query))
    rows = detectors.rows_off_one(wrong(query, key, value, causal)[1])
    order = detectors.order_effect(layer, value)
    seen = detectors.reactions(lambda x: layer(x, causal), value) > 1e-9
    return not (rows < 1e-9 and order < 1e-9 and (seen == causal).all())


def _refused(check, answer):
    with collecting([]):
        try:
            check(answer)
        except checks.Wrong:
            return True
    return False


_DICE = np.random.default_rng(0)


def _forgetful(query, key, value, mask):
    """Attention that loses two weights of five by chance, as dropout does in training."""
    weights = scaled_dot_product_attention(query, key, value, mask)[1]
    is_array = isinstance(weights, np.ndarray)
    chances = _DICE.random(weights.shape) if is_array else weights.detach().clone().uniform_()
    weights = weights * (chances > 0.4) / 0.6
    return weights @ value, weights


#: Three more, for arrays and for torch tensors, whose mistakes exercise 3 of chapter 10 asks for.
UNLABELLED = {
    "A": lambda q, k, v, mask: scaled_dot_product_attention(q, k, v, window_mask(q.shape[-2], 0, like=q)),
    "B": lambda q, k, v, mask: scaled_dot_product_attention(q, k, v),
    "C": _forgetful,
}
