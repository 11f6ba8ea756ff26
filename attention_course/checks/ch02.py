"""Checks of chapter 02, why softmax, why √d_k."""

from itertools import cycle
from math import exp, inf, log, log2, log10

import numpy as np

from attention_src.weights import softmax as right_softmax

from ._ask import ask, ask_for_two, draw_from, draw_sizes, name_shapes
from ._attention import LAST, about_nan, about_sums, lacks_the_last
from ._compare import check_number, need_close, need_finite, need_rows_sum_to_one, need_shape
from ._message import Part, Wrong, half, say_right

STEPS, CLOSE = 12, 0.02  # of a training that is compared, and how far apart two courses may end, for Adam's ε
SCORE = "A score is a product of a query and a key. If each is divided by the same number, what is the score?"
FAR = 1000.0 * np.eye(3, 4)  # scores so far from the others of their row that only the largest can be subtracted
SHAPES = [(4, 4), (2, 5), (1, 7), (3, 1), (2, 3, 4), (2, 1, 3, 2), (4,), (12, 13)]


def _trials(seed):
    """Random scores of awkward shapes, the last ones so large that exp overflows or so small that it vanishes."""
    random = draw_from(seed)
    for shape in draw_sizes(SHAPES, seed, lambda *sizes: sizes != (2, 2)):
        yield random.normal(size=shape) * 3
    yield random.normal(size=(3, 4)) + np.array([[1000.0], [-1000.0], [0.0]])


def _compare(answer, scores, temperature=None):
    arguments = {"scores": scores} if temperature is None else {"scores": scores, "temperature": temperature}
    given, heat = name_shapes(**arguments), temperature or 1
    weights, right = ask(answer, **arguments), right_softmax(scores / heat)
    need_shape("the result", weights, scores.shape, given, "Does a softmax change the shape of a table?")
    hidden = np.isneginf(scores)
    if not np.isfinite(weights).all() and hidden.any():
        seen = Part("With {given} and scores of −∞, weights has NaN or infinity", given=given)
        raise Wrong(seen, question="What does exp make of −∞, and what do you compute with −∞ before or after that?")
    need_finite("weights", weights, given, about_nan(weights, scores / heat))
    need_rows_sum_to_one(weights, given, about_sums(np.where(hidden, 0, scores / heat)))
    hint = "What is the ratio of two weights in this row, and what is the gap between their scores?"
    if np.allclose(weights, right_softmax(right), atol=1e-6):
        hint = "How many times do you raise e to a score and divide?"
    known = [
        (right_softmax(np.where(hidden, 0, scores) / heat), "Which weight should a score of −∞ get?"),
        (right_softmax(scores), "These are the weights for T = 1. Where does the temperature enter?"),
        (right_softmax(np.where(hidden, scores, scores * heat)), "Does a hot softmax choose, or spread?"),
        (right_softmax(scores / heat**2), "How often do you divide by the temperature?"),
    ]
    need_close("weights", weights, right, LAST if lacks_the_last(weights, right) else hint, known if heat != 1 else ())


def softmax(answer, seed=0):
    """Check a student's ``answer(scores, temperature=1) -> weights``, a stable softmax over the last axis.

    The scores are (..., n, m); some are −∞, though never all of a row.
    """
    random = draw_from([seed, 1])
    for scores in (*_trials(seed), FAR):
        _compare(answer, scores)
    for scores, temperature in zip((*_trials(seed), FAR), cycle((0.5, 1, 3.0, 0.01))):
        _compare(answer, scores, temperature)
        hidden = random.random(scores.shape) < 0.4
        hidden[..., -1] = False  # of no row are all scores −∞
        _compare(answer, np.where(hidden, -inf, scores), temperature)
    say_right("rows sum to 1 at every temperature, and neither a score of −∞ nor a gap of 100,000 causes trouble.")


def mended_softmax(answer, total, seed=0):
    """Check the mended softmax of chapter 02, of scores (..., n, m), and a sum of the wrong one.

    The wrong function is given the scores (0, 0) and (log 4, log 4), and the float `total` is the sum of its second
    row.
    """
    for scores in (*_trials(seed), FAR):
        _compare(answer, scores)
    with half():
        wrong = {"own_total": 1, "first_row": 0.625, "first_total": 4, "not_divided": 2}
        check_number("mended_softmax", total, 2.5, digits=2, **wrong)
    say_right("rows sum to 1 in every shape we tried.")


def temperature_for_ratio(answer, *, first=5 / 2, second=2, ratio=3):
    """Check the temperature at which the weight of a score `first` is `ratio` times that of a score `second`.

    All arguments are float, and `answer` is rounded to 2 decimals; the other three scores are 1/2, −1 and −6.
    """
    gap = first - second
    wrong = {
        "upside_down": log(ratio) / gap,
        "multiplied": gap * log(ratio),
        "ratio_for_gap": gap / ratio,
        "e_to_the_ratio": gap / exp(ratio),
        "base_2": gap / log2(ratio),
        "base_10": gap / log10(ratio),
        "gap_itself": gap,
        "scores_divided": first / second / ratio,
    }
    fields = {"ratio": ratio, "needed": log(ratio), "gap": gap}
    check_number("temperature_for_ratio", answer, gap / log(ratio), digits=2, given=fields, **wrong)
    say_right("the gap between the first two becomes the logarithm of the ratio, whatever the other scores are.")


def without_divisor(answer, seed=0):
    """Check a student's ``answer(c, rate) -> scale, rate`` by training with Adam: with a divisor, and with the two.

    The answer takes a divisor and a learning rate, both float.
    """
    random = draw_from([seed, 2])
    for c, rate in ((4.0, 0.01), (float(random.integers(10, 30)), 0.02), (1.0, 0.003)):
        given, results = name_shapes(c=c, rate=rate), ask_for_two("scale, rate", answer, c=c, rate=rate)
        for name, number in zip(("scale", "rate"), results, strict=True):
            if number.size != 1 or not np.isfinite(number).all() or number <= 0:
                seen = Part("{name} is {number}", name=Part(name), number=repr(number))
                raise Wrong(seen, "a number above 0", "Can it learn?")
        scale, new_rate = map(float, results)
        if np.isclose(new_rate, c**-0.5, rtol=1e-3) and scale < new_rate:
            both = f"{scale:.3g}, {new_rate:.3g}"
            seen = Part("With {given}, the two results are {results}", given=given, results=both)
            wanted = Part("{names}, in this order", names="scale, rate")
            raise Wrong(seen, wanted, "Which of the two do you return first?")
        _follow(c, rate, scale, new_rate, given, seed)
    say_right("with Adam the training takes the same course without the divisor.")


def _follow(c, rate, scale, new_rate, given, seed):
    """Raise Wrong unless a training with these two takes the course of the one with the divisor c."""
    import torch

    from attention_course.divisors import train_side_by_side

    both = {"d": 12, "steps": STEPS, "method": torch.optim.Adam, "seed": seed, "runs": 2}
    _, before, after = train_side_by_side(c, rate, **both)
    _, small_before, small_after = train_side_by_side(1, new_rate, scale=scale, **both)
    start = (small_before.norm() / before.norm()).item()
    if not np.isclose(start, c**-0.5, rtol=1e-3):
        question = "Both matrices get this factor. By how much does a score then change?"
        if not np.isclose(start, 1 / c, rtol=1e-3):
            question = SCORE
        seen = "With {given}, the scores at the start are {times:.3g} times those with the divisor"
        raise Wrong(Part(seen, given=given, times=start**2 * c), "1", question)
    moved, small_moved = (after - before) / c**0.5, small_after - small_before
    if (moved - small_moved).norm() > CLOSE * moved.norm():
        times = (small_moved.norm() / moved.norm()).item()
        question = "That is the rule of plain gradient descent. Does the size of a gradient decide how far Adam goes?"
        if not np.isclose(new_rate, rate / c, rtol=1e-3):
            question = "How long is a step of Adam, and how much shorter must it be for smaller matrices?"
        seen = Part("With {given}, the matrices move {times:.3g} times as far as they should", given=given, times=times)
        raise Wrong(seen, "1", question)
