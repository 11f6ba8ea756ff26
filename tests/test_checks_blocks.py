"""Checks of chapter 07: right answers of every kind pass, each wrong one meets the question that fits it."""

import re

import pytest

from attention_src import checks


def two_lines(x, attend, feed_forward, norm_1, norm_2):
    x = x + attend(norm_1(x))
    return x + feed_forward(norm_2(x))


def named(x, attend, feed_forward, norm_1, norm_2):
    heard = attend(norm_1(x))
    thought = feed_forward(norm_2(heard + x))
    return thought + heard + x


def loop(x, attend, feed_forward, norm_1, norm_2):
    for norm, sublayer in ((norm_1, attend), (norm_2, feed_forward)):
        x = x + sublayer(norm(x))
    return x


@pytest.mark.parametrize("answer", [two_lines, named, loop])
@pytest.mark.parametrize("seed", [0, 8])
def test_a_right_block_passes(answer, seed, capsys):
    checks.pre_norm_block(answer, seed)
    checks.mended_block(answer, "zero", seed)
    assert capsys.readouterr().out.count("Right: ") == 3


def post_norm(x, attend, feed_forward, norm_1, norm_2):
    x = norm_1(x + attend(x))
    return norm_2(x + feed_forward(x))


def on_the_stream(x, attend, feed_forward, norm_1, norm_2):
    x = norm_1(x)
    x = x + attend(x)
    x = norm_2(x)
    return x + feed_forward(x)


def into(x, attend):
    x += attend(x)
    return x


WRONG = {
    "post-norm": (post_norm, "That is post-norm"),
    "norm on the stream": (on_the_stream, "come out as it went in"),
    "no sums": (lambda x, a, f, m, n: f(n(a(m(x)))), "What runs past the sub-layers"),
    "only the first x": (lambda x, a, f, m, n: x + f(n(a(m(x)))), "To what does the feed-forward network add"),
    "no sum at attention": (lambda x, a, f, m, n: a(m(x)) + f(n(a(m(x)))), "What runs past attention"),
    "no sum at the end": (lambda x, a, f, m, n: f(n(x + a(m(x)))), "What runs past the feed-forward network"),
    "other order": (lambda x, a, f, m, n: two_lines(x, f, a, n, m), "comes first"),
    "side by side": (lambda x, a, f, m, n: x + a(m(x)) + f(n(x)), "read what the first has written"),
    "no norms": (lambda x, a, f, m, n: x + a(x) + f(x + a(x)), "Where are the norms"),
    "one norm twice": (lambda x, a, f, m, n: two_lines(x, a, f, m, m), "a norm of its own"),
    "attention alone": (lambda x, a, f, m, n: x + a(m(x)), "What comes after it"),
    "half of it": (lambda x, a, f, m, n: two_lines(x, a, f, m, n) / 2, "where does it write"),
    "a row": (lambda x, a, f, m, n: two_lines(x, a, f, m, n)[0], "has shape"),
    "nothing": (lambda x, a, f, m, n: None, "returned None"),
    "writes into x": (lambda x, a, f, m, n: into(x, a), "changed its argument x"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_block_meets_the_question_that_fits_it(name):
    answer, question = WRONG[name]
    with pytest.raises(checks.Wrong, match=re.escape(question)):
        checks.pre_norm_block(answer)


FULL = 789_760


def test_the_right_number_of_parameters_passes(capsys):
    checks.block_parameters(FULL)
    assert capsys.readouterr().out.startswith("Right: ")


@pytest.mark.parametrize(
    ("number", "question"),
    [
        (FULL - 1024, "1,024 are missing"),
        (4 * 256**2 + 2 * 256 * 1024, "biases and norms"),
        (FULL - 512, "besides its scale"),
        (FULL - 256, "narrow"),
        (FULL - 256**2, "mixes the heads"),
        (FULL - 256**2 - 256, "mixes the heads"),
        (FULL + 3 * (4 * 256**2 + 1024), "depend on heads"),
        (FULL - 256 * 1024, "one matrix"),
        (1, "shape of each part"),
    ],
)
def test_a_wrong_number_of_parameters_is_told_what_it_forgets(number, question):
    with pytest.raises(checks.Wrong, match=re.escape(question)):
        checks.block_parameters(number)


def test_only_the_right_test_is_accepted_for_the_bug():
    for named_test, reason in {
        "shape": "shape is right",
        "loss": "alone",
        "count": "parameter",
        "size": "none of",
    }.items():
        with pytest.raises(checks.Wrong, match=reason):
            checks.mended_block(two_lines, named_test)
    with pytest.raises(checks.Wrong, match="come out as it went in"):
        checks.mended_block(on_the_stream, "zero")


def test_the_untouched_stubs_are_not_attempted():
    def stub(*_):
        raise NotImplementedError

    for attempt in (
        (checks.pre_norm_block, stub),
        (checks.mended_block, two_lines, ...),
        (checks.block_parameters, ...),
    ):
        with pytest.raises(checks.NotAttempted):
            attempt[0](*attempt[1:])
