"""Where an exercise asks which test shows a fault, or what the wrong function prints, the right answer is that."""

import numpy as np
from reference import random as draw

from attention_course.museum.exhibits import EXHIBITS
from attention_src import scaled_dot_product_attention
from homework.answers import EXERCISES, ch01, ch02, ch03, ch04, ch05, ch11, ch12


def is_attention(answer, *shapes):
    """Whether the answer runs and has the weights of attention."""
    try:
        return np.allclose(answer(*draw(*shapes))[1], scaled_dot_product_attention(*draw(*shapes))[1])
    except ValueError:
        return False


def sums_to_one(weights):
    return np.allclose(weights.sum(axis=-1), 1)


TESTS = {  # of exercise 3 of chapter 1
    "shape": lambda f: f(*draw((4, 3), (4, 3), (4, 2)))[0].shape == (4, 2),
    "rows": lambda f: sums_to_one(f(*draw((4, 3), (4, 3), (4, 2)))[1]),
    "square": lambda f: is_attention(f, (4, 4), (4, 4), (4, 4)),
    "uneven": lambda f: is_attention(f, (2, 3), (5, 3), (5, 4)),
}


def test_only_the_right_name_is_that_of_a_test_which_shows_both_faults_of_chapter_1():
    exercise = EXERCISES["ex01-mend"]
    assert [name for name, holds in TESTS.items() if not holds(EXHIBITS["scaled by the root of n"])] == [exercise.named]
    assert set(TESTS) <= {exercise.named, *exercise.names}
    assert all(holds(answer) for holds in TESTS.values() for answer in exercise.right.values())
    assert not TESTS["uneven"](ch01.as_handed_out)
    assert not sums_to_one(ch01.as_handed_out(*draw((4, 4), (4, 4), (4, 4)))[1])


def named(exercise):
    return EXERCISES[exercise].named


def test_what_the_wrong_function_of_chapter_2_makes_of_two_rows_is_what_is_asked_for():
    rows = ch02.as_handed_out(np.log([[1, 1], [4, 4]])).sum(axis=-1)
    assert np.allclose(rows, (0.625, named("ex02-mend"))) and 0.625 in EXERCISES["ex02-mend"].names


def test_how_much_the_contexts_of_chapter_3_grow_is_what_is_asked_for():
    s, W, added = np.array([np.log(3), 0]), np.eye(2), np.array([[0.0, 1], [0, 0]])
    wrong, mended = (f(s, added, W)[0] - f(s, 0 * added, W)[0] for f in (ch03.as_handed_out, ch03.general))
    assert np.allclose((wrong, mended), [(0, named("ex03-mend")), (0, 0.5)])


def test_what_the_wrong_head_of_chapter_4_makes_of_a_score_of_8_is_what_is_asked_for():
    X, W_q, W_k, W_v = np.eye(2, 100), np.zeros((100, 25)), np.ones((100, 25)), np.eye(100, 3)
    W_q[0] = 40 / 25  # a product of 40, a score of 8
    W_k[1] = 0
    right, wrong = (np.log(f(X, W_q, W_k, W_v)[1][0]) for f in (ch04.plain, ch04.as_handed_out))
    assert np.allclose((right[0] - right[1], wrong[0] - wrong[1]), (8, named("ex04-mend")))


def test_so_many_outputs_of_chapter_5_move_as_is_asked_for():
    query, key = draw((3, 2), (3, 2))
    changed, mask = key + np.array([[0], [0], [1]]), np.tri(3, dtype=bool)
    before, after = (ch05.as_handed_out(query, k, k, mask)[0] for k in (key, changed))
    assert (abs(before - after).max(axis=-1) > 1e-9).sum() == named("ex05-mend")


def test_the_token_that_comes_first_in_head_2_of_chapter_6_is_what_is_asked_for():
    numbered = np.repeat(np.arange(4)[:, None], 6, axis=1)
    assert numbered.reshape(2, len(numbered), -1)[1, 0, 0] == named("ex06-split")


def test_what_the_wrong_function_of_chapter_11_returns_is_what_is_asked_for():
    pairs = zip([1.0, 2.0, 3.0], [10.0, 20.0, 30.0], strict=True)
    assert round(ch11.make_online(shrink_mix=False)(pairs), 1) == named("ex11-mend")


def test_what_a_test_prints_of_the_wrong_block_of_chapter_12_is_what_is_asked_for():
    def norm(x):
        return (x - x.mean(axis=-1, keepdims=True)) / x.std(axis=-1, keepdims=True)

    parts = np.zeros_like, norm, lambda x: x, norm
    square = [(block(*draw((3, 5)), *parts) ** 2).mean(axis=-1) for block in (ch12.published, ch12.as_handed_out)]
    assert np.allclose(square[0], 1) and np.allclose(square[1], named("ex12-mend"))
