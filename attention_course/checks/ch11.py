"""Checks of chapter 11, what attention costs."""

import numpy as np

from attention_src.weights import softmax

from ._ask import ask, draw_from, draw_sizes
from ._compare import check_number, find_question, need_finite, need_shape
from ._message import Part, Wrong, half, say_right

POWERS = "Which number do you raise to the power of a score?"
OVERFLOW = "What is the largest power of e in your code, and do you need it?"
KINDS = {  # of trials: number of scores, and of numbers in a value
    "scores that fall": (7, 2),
    "scores that rise": (7, 3),
    "scores in any order": (7, 1),
    "equal scores": (4, 2),
    "one score": (1, 5),
    "many scores": (12, 11),
}


def _trials(seed):
    """How to name a trial, scores (m,) and values (m, d): rising, falling, equal, huge and hugely negative scores."""
    random = draw_from(seed)
    for kind, (m, d) in zip(KINDS, draw_sizes(KINDS.values(), seed), strict=True):
        scores = random.normal(size=m) * 3
        ordered = {"scores that fall": np.sort(scores)[::-1], "scores that rise": np.sort(scores)}
        yield kind, np.ones(m) if kind == "equal scores" else ordered.get(kind, scores), random.normal(size=(m, d))
    yield "huge scores", np.array([0.0, 1000.0, 999.0]), random.normal(size=(3, 2))
    yield "hugely negative scores", np.array([-30000.0, -31000.0, -29999.0]), random.normal(size=(3, 2))


def _known(scores, values):
    """Outputs of known mistakes, with the question that leads from each."""
    largest, total, mixed = -np.inf, 0.0, 0.0
    unshrunk_sum, unshrunk_mix = 0.0, 0.0
    for score, value in zip(scores, values, strict=True):
        new = max(largest, score)
        shrink, exponential = np.exp(largest - new), np.exp(score - new)
        total, mixed = total * shrink + exponential, mixed * shrink + exponential * value
        unshrunk_sum, unshrunk_mix = unshrunk_sum + exponential, unshrunk_mix + exponential * value
        largest = new
    factor = "When a larger score arrives, by what factor is everything accumulated so far too large?"
    return (
        (unshrunk_mix / total, "You shrink the sum when a larger score arrives. What else was accumulated before?"),
        (mixed / unshrunk_sum, "You shrink the mixture when a larger score arrives. What else was accumulated before?"),
        (unshrunk_mix / unshrunk_sum, factor),
        (mixed, "What do you divide the mixture by at the end?"),
        (values.mean(axis=0), "Every value has the same weight in yours. Where do the scores come in?"),
        (values[scores.argmax()], "Only the value with the largest score is left. What share do the others get?"),
        (scores @ values, "What must you do to a score before it becomes a weight?"),
        (values[-1], "Only the last value is left. What has become of the earlier ones?"),
        (softmax(scores * np.log(2)) @ values, POWERS),
    )


class _Once:
    """An iterator that notes when it is read again after its end."""

    def __init__(self, pairs):
        self.pairs, self.ended, self.again = iter(pairs), False, False

    def __iter__(self):
        return self

    def __next__(self):
        try:
            return next(self.pairs)
        except StopIteration:
            self.ended, self.again = True, self.ended
            raise


def _parts(seed):
    """How to name a trial, and the scores (m,) and values (m, d) of each computer."""
    random = draw_from(seed)
    (several, most, d), (many, few, wide) = draw_sizes([(3, 5, 4), (12, 4, 11)], seed)
    for kind, parts in {
        "two computers": ([1.0, 0.0], [2.0, 3.0, -1.0]),
        "the largest score first": ([4.0, 1.0, 0.0], [2.0, 2.0]),
        "equal scores": ([1.0] * 4, [1.0]),
        "several computers": [random.normal(size=m) * 3 for m in random.integers(1, most + 1, several)],
        "many computers": [random.normal(size=m) * 3 for m in random.integers(1, few + 1, many)],
        "one computer": ([-2.0, 1.0],),
        "a computer without a key": ([], [1.0, 2.0], [0.5]),
        "huge scores": ([0.0, 1000.0], [999.0]),
        "hugely negative scores": ([-30000.0], [-30001.0, -29999.0]),
    }.items():
        width = wide if kind == "many computers" else d
        yield kind, [(np.array(scores), random.normal(size=(len(scores), width))) for scores in parts]


def _kept(scores, values):
    """What the online softmax keeps of them: the largest score, the sum, and the mixture (d,), not divided."""
    largest = scores.max(initial=-np.inf)
    raised = np.exp(scores - largest)
    return largest, raised.sum(), raised @ values


def _known_merges(largest, total, mixed):
    """Outputs of known mistakes, with the question that leads from each; those of overflows are NaN."""
    gap, outputs, whole = largest - largest.max(), mixed / total[:, None], mixed.sum(axis=0)
    shrink = np.exp(gap)

    def merge(factor):
        return factor @ mixed / (factor @ total)

    return (
        (whole / total.sum(), "Each computer subtracted its own largest score. What makes their numbers comparable?"),
        (shrink @ mixed / total.sum(), "You rescaled the mixtures to one common maximum. What else must be rescaled?"),
        (whole / (shrink @ total), "You rescaled the sums to one common maximum. What else must be rescaled?"),
        (shrink @ mixed, "What do you divide the mixture by at the end?"),
        (outputs.mean(axis=0), "You give every computer the same share. Which two of its numbers determine its share?"),
        (softmax(largest) @ outputs, "Which number tells a computer with many keys from one with a single key?"),
        (outputs[largest.argmax()], "Only the computer with the largest score is left. What share do the others get?"),
        (merge(np.exp(-gap)), "Whose numbers must shrink, those with the smaller maximum or those with the larger?"),
        (merge(np.exp2(gap)), POWERS),
        (outputs.sum(axis=0), "Each output is already divided by its own sum. What must their total be divided by?"),
    )


def merged_parts(answer, seed=0):
    """Check a student's ``answer(largest, total, mixed) -> (d,)``, one output from what k computers kept.

    The shapes are (k,) for the largest scores and the sums, and (k, d) for the mixtures, which were not divided.
    """
    for kind, parts in _parts(seed):
        largest, total, mixed = map(np.array, zip(*(_kept(*part) for part in parts), strict=True))
        scores, values = (np.concatenate(of_all) for of_all in zip(*parts, strict=True))
        with np.errstate(all="ignore"):
            got, known = ask(answer, largest=largest, total=total, mixed=mixed), _known_merges(largest, total, mixed)
        question = "A computer without a key has a sum of 0 and a largest score of −∞. Where does the NaN come from?"
        question = OVERFLOW if total.all() else question
        _need_output(got, Part(kind), softmax(scores) @ values, question, known)
    say_right(
        "the parts merge into the right output for one, two and many computers, one without keys, and huge scores."
    )


def _need_output(got, kind, right, question, known):
    """Raise Wrong unless the output is the right one; the question is for NaN and infinity."""
    need_shape("the output", got, right.shape, kind, "How long is a mixture of values?")
    need_finite("the output", got, kind, question)
    if not np.allclose(got, right, rtol=1e-4, atol=1e-5):
        question = find_question(got, known, "What do you get for two scores, and for the same two in the other order?")
        seen = Part("With {given}, output[0] is {number:.4f}", given=kind, number=float(got[0]))
        raise Wrong(seen, Part("{number:.4f}", number=float(right[0])), question)


def _need_mixture(answer, kind, scores, values):
    """Raise Wrong unless the answer mixes the values of an iterator of pairs (score, value) that it reads only once."""
    pairs = _Once(zip(scores.copy(), values.copy(), strict=True))

    def read(scores, values):  # as `ask` calls it, which says the shapes of arrays
        return answer(pairs)

    read.__name__ = getattr(answer, "__name__", "read")
    try:
        got, right = ask(read if callable(answer) else answer, scores=scores, values=values), softmax(scores) @ values
        question = "Before the first score there is none. So what is the largest score so far?"
        question = OVERFLOW if scores.max() >= -500 else question
        _need_output(got, kind, right, question, _known(scores, values))
    except Wrong:
        if not pairs.again:
            raise
        seen = "`pairs` had reached its end and was read again"
        raise Wrong(seen, question="What must you keep while you read `pairs` once?") from None


def mended_online(answer, returned, seed=0):
    """Check the mended function of chapter 11, and what the wrong one returns for scores 1, 2, 3, values 10, 20, 30.

    The `answer` is a function of an iterator of pairs (score, value (d,)), which can be read only once, and it returns
    (d,). `returned` is a float, to one decimal.
    """
    scores, values = np.array([1.0, 2.0, 3.0]), np.array([10.0, 20.0, 30.0])
    total = np.exp(scores - 3).sum()
    wrong = {
        "mended": softmax(scores) @ values,
        "neither_shrinks": 20.0,
        "not_divided": 60.0,
        "bare_scores": np.exp(scores) @ values / total,
    }
    for kind, some_scores, some_values in _trials(seed):
        _need_mixture(answer, Part(kind), some_scores, some_values)
    with half():
        check_number("mended_online", returned, 60 / total, digits=1, given={"total": 1 + np.exp(-1)}, **wrong)
    say_right(
        "it is correct for rising, falling, equal, huge and hugely negative scores, and never reads `pairs` twice."
    )


def cache_bytes(all_heads, grouped_heads, *, layers=40, heads=40, kv_heads=8, width=128):
    """Check the bytes a token takes in the cache in 16-bit numbers, and with fewer heads of keys and values.

    All arguments are int; `all_heads` and `grouped_heads` are the answers, and each head has `width` numbers.
    """
    for number, stored, other in ((all_heads, heads, kv_heads), (grouped_heads, kv_heads, heads)):
        right = 2 * layers * stored * width * 2
        wrong = {
            "half": right / 2,
            "quarter": right / 4,
            "only_one": (right / layers, right / stored),
            "four_bytes": right * 2,
            "bits": right * 8,
            "other_question": right // stored * other,
        }
        check_number("cache_bytes", number, right, given={"width": width, "one": 2 * width}, **wrong)
    say_right("the cache holds a key and a value for every layer and every head of keys.")
