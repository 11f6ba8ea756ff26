"""Checks of chapter 10, a museum of silent bugs."""

import numpy as np

from attention_src.attention import scaled_dot_product_attention

from ._ask import ask, draw_from, draw_sizes, name_shapes
from ._compare import FEEDBACK, need_close, need_shape, read_name
from ._message import NotAttempted, Part, Wrong, describe, say_right

PLACES = [(2, 5, 3, 9), (6, 4, 2, 8), (1, 3, 4, 9), (4, 4, 3, 9), (3, 1, 2, 4), (10, 12, 11, 15)]  # batch, n, d, rows
LAYERS = [(4, 3), (5, 2), (3, 4), (10, 1)]  # n, d; few tokens, since every pair of them is exchanged


def mended_places(answer, seed=0):
    """Check a student's ``answer(table, x) -> (batch, n, d)``, tokens with vectors of positions, counted from the end.

    The shapes are table (many, d) and x (batch, n, d).
    """
    random = draw_from(seed)
    for batch, n, d, many in draw_sizes(PLACES, seed, lambda batch, n, d, many: many > n + 1):
        table, x = random.normal(size=(many, d)), random.normal(size=(batch, n, d))
        got, given = ask(answer, table=table, x=x), name_shapes(table=table, x=x)
        question = "Every token of every sentence gets a vector: how many are there?"
        need_shape("the result", got, x.shape, given, question)
        added, right = got - x, table[:n][::-1]
        alone, same = np.allclose(got, right, atol=1e-5), np.allclose(added, added[:, :1], atol=1e-5) and n > 1
        differs = not np.allclose(added, added[:1], atol=1e-5)
        varies = "the same position gets different vectors in different sentences"
        mistakes = (
            (np.allclose(added, 0, atol=1e-5), "x comes back unchanged", "What should have been added to it?"),
            (alone, "the result has only the vectors of the positions", "Where are the tokens themselves?"),
            (same, "all tokens of a sentence get the same vector", "Along which axis do you count?"),
            (differs, varies, "What should the vector depend on?"),
        )
        for is_there, seen, question in mistakes:
            if is_there:
                raise Wrong(Part("With {given}, {seen}", given=given, seen=Part(seen)), question=question)
        whole = x + table[::-1][:n]
        known = (
            (x - right, "Did you add the vectors, or subtract them?"),
            (x + table[1 : n + 1][::-1], "Counting starts at 0. Which row of the table belongs to the last token?"),
            (x + table[:n], "This counts from the first token. Which token gets row 0?"),
            (whole, "You reversed the whole table. How many of its rows do n tokens need, and which ones?"),
        )
        question = "Which row of the table belongs to the last token, and which to the one before it?"
        need_close("result", got, x + right, question, known)
    say_right("every position has its own vector, which is the same in every sentence.")


def _layers(random, n, d):
    """(what it knows of positions, layer) of several layers of n tokens; of two opposite signs, so that abs matters."""
    w_query, w_key, w_value, last = (random.normal(size=size) for size in ((d, d), (d, d), (d, d), d))
    distance = -2.0 * abs(np.subtract.outer(np.arange(n), np.arange(n)))

    def attend(x, bias=None):
        return scaled_dot_product_attention(x @ w_query, x @ w_key, x @ w_value, bias=bias)[0]

    yield "a layer without positions", attend
    end = last * (np.arange(n) == n - 1)[:, None]
    yield "a layer that knows only the last position", lambda x: attend(x + end)
    yield "a layer that knows distances but not directions", lambda x: attend(x, distance)
    yield "the same layer with its sign reversed", lambda x: -attend(x, distance)


def _effects(layer, x):
    """The effect of every pair, and known wrong results with the question that leads from each."""
    n, straight = len(x), layer(x)
    pairs = [(i, j) for j in range(n) for i in range(j)]
    effects, left = {}, {}
    for i, j in pairs:
        order = np.arange(n)
        order[[i, j]] = j, i
        effects[i, j], left[i, j] = layer(x[order])[order] - straight, layer(x[order]) - straight
    apart = {pair: abs(effect).max() for pair, effect in effects.items()}
    which, kept = (
        "Which pairs of tokens do you exchange?",
        "Do you keep the largest effect of all pairs, or something else?",
    )
    none = "A result of 0 says that no exchange matters. What does this layer return for x with two rows exchanged?"
    return max(apart.values()), (
        (0.0, none),
        (max(abs(effect).max() for effect in left.values()), "The tokens changed places. Where are their outputs now?"),
        (abs(layer(x[::-1])[::-1] - straight).max(), "You reverse all the tokens. How many should move at once?"),
        (apart[0, 1], which),
        (apart[n - 2, n - 1], which),
        (apart[0, n - 1], which),
        (max(apart[i, i + 1] for i in range(n - 1)), which),
        (max(effect.max() for effect in effects.values()), "What happens to a negative difference?"),
        (np.mean([*apart.values()]), kept),
        (sum(apart.values()), kept),
    )


def _trials(seed):
    """(what the layer knows, layer, x, right effect, known wrong ones), of which no mistake is right every time."""
    random, sizes = draw_from(seed), draw_sizes(LAYERS, seed, lambda n, d: n < 6 or 9 < n < 12)
    while True:
        trials = []
        for n, d in sizes:
            x, layers = random.normal(size=(n, d)), [*_layers(random, n, d)]
            some = layers[2:3] if n > 9 else layers  # many tokens have very many pairs
            trials += [(kind, layer, x, *_effects(layer, x)) for kind, layer in some]
        rights = [right for *_, right, _ in trials]
        mistakes = zip(*(known for *_, known in trials), strict=True)
        if not any(_close([value for value, _ in mistake], rights).all() for mistake in mistakes):
            return trials


def _close(got, right):
    return np.isclose(got, right, rtol=1e-4, atol=1e-5)


def exchange_effect(answer, seed=0):
    """Check a student's ``answer(layer, x) -> number``, the largest effect of exchanging two tokens.

    The layer is a function of (n, d), and x is (n, d). The question is that of the known mistake which gives all of the
    student's numbers, whichever is wrong first.
    """
    trials, numbers, names = _trials(seed), [], []
    for kind, layer, x, _, _ in trials:
        numbers.append(ask(answer, layer=layer, x=x))
        names.append(Part("{kind} and {shapes}", kind=Part(kind), shapes=name_shapes(x=x)))
        question = "The exercise asks for one number. Which effects is it the largest of?"
        need_shape("the result", numbers[-1], (), names[-1], question)
    mistakes = zip(*(known for *_, known in trials), strict=True)
    known = [([value for value, _ in mistake], mistake[0][1]) for mistake in mistakes]
    for (_, _, _, right, _), got, given in zip(trials, numbers, names, strict=True):
        if not _close(got, right):
            seen = Part("With {given}, the result is {number:.4f}", given=given, number=float(got))
            otherwise = "What does the layer return for x, and what for x with two rows exchanged?"
            question = next((question for values, question in known if _close(numbers, values).all()), otherwise)
            raise Wrong(seen, Part("{number:.4f}", number=float(right)), question)
    say_right("the effect is 0 without positions, and your function detects positions in every other layer we tried.")


SYMPTOMS, ASKS, PROGRAMS, BUGS = (FEEDBACK[name] for name in ("symptoms", "asks", "programs", "bugs"))


def _check_diagnoses(answers, right, words, says):
    """Compare what was named for each case with what is right, and say what the named one asks or would show."""
    for (name, (expected, clue)), answer in zip(right.items(), answers, strict=True):
        if answer is None or answer is ...:
            raise NotAttempted(Part("nothing is named for {symptom} yet", symptom=name))
        if read_name(answer) not in words:
            names = Part("one of {names}", names=[*words])
            raise Wrong(Part("{symptom} is {answer}", symptom=name, answer=describe(answer)), names)
        if (answer := read_name(answer)) != expected:
            seen = Part(says, symptom=name, answer=answer, asks=Part(words[answer]))
            other = next(word for word in words if word not in (answer, expected))
            nearer = [Part("It is one of {names}.", names=sorted([expected, other]))]
            nearer.append(Wrong(Part(says, symptom=name, answer="…", asks=Part(words[expected]))))
            raise Wrong(seen, None, clue, nearer)


def symptoms(a, b, c, d):
    """Check which detector is named for each of the four symptoms of chapter 10.

    Each is a str, the name of a function of `attention_course.museum.detectors`, in capitals or not.
    """
    named = [getattr(answer, "__name__", answer) for answer in (a, b, c, d)]
    _check_diagnoses(named, SYMPTOMS, ASKS, "{symptom}: {answer} asks {asks}")
    say_right("each symptom is matched with its detector.")


def programs(a, b, c):
    """Check which bug is named for each of the three programs of chapter 10.

    Each is a str, a key of `BUGS`, in capitals or not.
    """
    _check_diagnoses((a, b, c), PROGRAMS, BUGS, "{symptom}: with “{answer}”, {asks}")
    say_right("each program is matched with its bug.")
