"""How a check compares what a student's function returned, or what a student predicted, with what is right."""

import tomllib
from pathlib import Path

import numpy as np

from ._message import NotAttempted, Part, Wrong, as_part, describe


def name_entry(name, index):
    """The position in an array as Python writes it, counted from 0: 'weights[1]', 'weights[0, 2]'."""
    return Part("{name}{index}", name=name, index=[*map(int, index)]) if len(index) else Part(name)


def need_order(names, got, expected):
    """Raise Wrong if two results come in the wrong order, as their shapes tell."""
    if got[0].shape == expected[1].shape != expected[0].shape == got[1].shape:
        seen = "The two results have each other's shapes"
        raise Wrong(seen, Part("{names}, in this order", names=names), "Which of the two do you return first?")


def need_shape(name, got, expected, given, question="Which axis should remain?"):
    """Raise Wrong unless the array has the expected shape."""
    if got.shape != expected:
        seen = Part("With {given}, {name} has shape {shape}", given=given, name=Part(name), shape=got.shape)
        raise Wrong(seen, Part("{shape}", shape=expected), question)


def need_finite(name, got, given, question):
    """Raise Wrong if the array has NaN or infinity, which here mostly means that exp overflowed."""
    if not np.isfinite(got).all():
        raise Wrong(Part("With {given}, {name} has NaN or infinity", given=given, name=Part(name)), question=question)


def need_rows_sum_to_one(weights, given, question="What do you divide each row by?", where=True):
    """Raise Wrong, naming the first row, unless every row of weights (of those in `where`) sums to 1."""
    sums = weights.sum(axis=-1)
    for index in np.argwhere((np.abs(sums - 1) > 1e-4) & where)[:1]:
        seen = {"given": given, "entry": name_entry("weights", index), "sum": float(sums[tuple(index)])}
        if weights.ndim > 1 and np.allclose(weights.sum(axis=-2), 1):
            question = "The columns do sum to 1: which axis did you normalise?"
        raise Wrong(Part("With {given}, {entry} sums to {sum:.4g}, not 1", **seen), question=question)


def need_close(name, got, expected, question, known=()):
    """Raise Wrong, naming the first position, where two arrays differ by more than 32-bit numbers explain.

    Both are NumPy arrays or NumPy numbers. `question` is asked unless one of the `known` wrong results, each with a
    question of its own, equals what was got.
    """
    for index in np.argwhere(~np.isclose(got, expected, rtol=1e-4, atol=1e-5))[:1]:
        both = [float(array[tuple(index)]) for array in (got, expected)]
        alike = f"{both[0]:.4f}" == f"{both[1]:.4f}"
        number, right = (Part("{number:.6g}" if alike else "{number:.4f}", number=one) for one in both)
        seen = Part("{entry} is {number}", entry=name_entry(name, index), number=number)
        if alike and np.allclose(got, expected, rtol=0.01, atol=1e-3):
            question = "They differ in a later digit. Did you round yours, or store it in 16 bits?"
        raise Wrong(seen, right, find_question(got, known, question))


def find_question(got, known, otherwise):
    """The question that belongs to the first of the known wrong results which equals what was got."""
    return next((q for wrong, q in known if np.shape(wrong) == np.shape(got) and np.allclose(got, wrong)), otherwise)


FEEDBACK = tomllib.loads((Path(__file__).parent / "feedback.toml").read_text("utf-8"))


def check_number(table, answer, right, /, digits=0, given=None, **wrong):
    """Compare a predicted number with the right one, and say of a known wrong one what feedback.toml says of it.

    `wrong` gives the number, or several, of each mistake of this table there, `given` the fields of its templates.
    """
    texts = {name: [said] if isinstance(said, str) else said for name, said in FEEDBACK[table].items()}
    parts = {name: [Part(text, **given or {}) if "{" in text else Part(text) for text in texts[name]] for name in texts}
    reasons = {number: parts[name] for name, numbers in wrong.items() for number in np.atleast_1d(numbers).tolist()}
    check_prediction(answer, right, reasons, [*parts["hint"], *parts["step"]], digits)


def check_prediction(answer, right, reasons, helps, digits=0):
    """Compare a predicted number with the right one, both rounded to so many digits; a prediction may have more.

    `reasons` maps known wrong numbers to what gives them, which completes "you get it if you …", a question, and
    perhaps a step on the way. Of the `helps`, the first is the question for any other number, and the second the step.
    Raises NotAttempted for None or Ellipsis, and Wrong for anything else that is not the right number.
    """
    if answer is None or answer is ...:
        raise NotAttempted("there is no number yet")
    hint, *step = map(as_part, helps)
    wanted = Part("one rounded to {digits} decimals", digits=digits) if digits else "a whole number"
    try:
        number = float(answer.detach() if hasattr(answer, "detach") else answer)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        reply = Wrong(Part("You gave {answer}, which is not a number", answer=describe(answer)), wanted)
        if isinstance(answer, (tuple, list)) and len(answer) == 1:
            reply.question = Part("Is there a comma after your number?")
        reply.for_person = isinstance(answer, str | tuple | list) and any(map(str.isdigit, str(answer)))
        reply.nearer = [hint, *step]
        raise reply from None
    if digits and abs(number - right) < 0.5 * 10**-digits:  # more decimals than asked for
        return
    number = round(number, digits) if digits else int(number) if number.is_integer() else number
    if number == round(right, digits):
        return
    known = next((said for value, said in reasons.items() if number == round(value, digits)), None)
    reason, question, *own = known or (None, hint)
    side = Part("Your number is too small." if number < right else "Your number is too large.")
    nearer = [side if str(question) == str(hint) else hint, *(own or step)]
    reply = Wrong(Part("{number} is not the answer", number=number), None, question, nearer)
    if known:
        reply.seen = Part("{number} is what you get if you {reason}", number=number, reason=reason)
    elif number in {round(right, fewer) for fewer in range(1, digits)}:
        reply = Wrong(Part("{number} is right as far as it goes", number=number), wanted)
        reply.counts = False  # no mistake
    raise reply


def list_nearer(table, **fields):
    """Return what feedback.toml has for somebody who is wrong again."""
    return [Part(text, **fields) for text in FEEDBACK[table].values() if isinstance(text, str)]


def need_named(named, right, table):
    """Compare the name of a test with the right one, and say why another would not have shown the mistake.

    In this table of feedback.toml each wrong name has what its test does not see, and a question. Capitals and blanks
    around a name do not count. Raises NotAttempted if nothing is named.
    """
    nearer = list_nearer(table)
    reasons = {name: said for name, said in FEEDBACK[table].items() if not isinstance(said, str)}
    if named is ... or named is None:
        raise NotAttempted("no test is named yet")
    name = read_name(named)
    if name == right:
        return
    if name not in reasons:
        seen = Part("You gave {named}, which is not one of the names", named=describe(named))
        raise Wrong(seen, Part("one of {names}", names=sorted([*reasons, right])), nearer=nearer)
    reason, question = reasons[name]
    raise Wrong(Part("Not {named}: {reason}", named=repr(name), reason=as_part(reason)), None, question, nearer)


def read_name(answer):
    """A name as it is compared, without capitals and the blanks around it; "" for what is no text."""
    return answer.strip().lower() if isinstance(answer, str) else ""
