"""Where an exercise asks which test shows a fault, the right one does, and the three others do not."""

import numpy as np
import pytest

from attention_course.museum.exhibits import EXHIBITS
from attention_src import scaled_dot_product_attention
from homework.answers import EXERCISES
from homework.answers import ch01 as definition
from homework.answers import ch02 as softmax
from homework.answers import ch03 as alignment
from homework.answers import ch04 as projection
from homework.answers import ch05 as masks
from homework.answers import ch11 as cost
from homework.answers import ch12 as real


def arrays(*shapes):
    random = np.random.default_rng(0)
    return [random.normal(size=shape) for shape in shapes]


def equals(answer, *sizes):
    """Whether the answer equals attention, if only it runs."""
    try:
        return np.allclose(answer(*arrays(*sizes))[1], scaled_dot_product_attention(*arrays(*sizes))[1])
    except ValueError:
        return False


def sums_to_one(weights):
    return np.allclose(weights.sum(axis=-1), 1)


TESTS = {  # exercise: (a function with the fault in question, the tests by name)
    "ex01-mend": (
        EXHIBITS["scaled by the root of n"],
        {
            "shape": lambda f: f(*arrays((4, 3), (4, 3), (4, 2)))[0].shape == (4, 2),
            "rows": lambda f: sums_to_one(f(*arrays((4, 3), (4, 3), (4, 2)))[1]),
            "square": lambda f: equals(f, (4, 4), (4, 4), (4, 4)),
            "uneven": lambda f: equals(f, (2, 3), (5, 3), (5, 4)),
        },
    )
}


@pytest.mark.parametrize("name", TESTS)
def test_only_the_right_name_is_that_of_a_test_which_shows_the_fault(name):
    faulty, tests = TESTS[name]
    assert [test for test, passes in tests.items() if not passes(faulty)] == [EXERCISES[name].named]
    assert set(tests) - {EXERCISES[name].named} <= set(EXERCISES[name].names)
    assert all(passes(answer) for passes in tests.values() for answer in EXERCISES[name].right.values())


def test_the_first_fault_of_chapter_1_shows_in_the_rows_and_the_second_does_not():
    assert not sums_to_one(definition.as_handed_out(*arrays((4, 4), (4, 4), (4, 4)))[1])
    assert not equals(definition.as_handed_out, (2, 3), (5, 3), (5, 4))


def test_what_the_wrong_function_of_chapter_2_makes_of_two_rows_is_what_is_asked_for():
    rows = softmax.as_handed_out(np.log([[1, 1], [4, 4]])).sum(axis=-1)
    assert np.allclose(rows, (0.625, EXERCISES["ex02-mend"].named)) and 0.625 in EXERCISES["ex02-mend"].names


def test_what_the_wrong_functions_of_chapters_3_to_6_print_is_what_is_asked_for():
    s, W, added = np.array([np.log(3), 0]), np.eye(2), np.array([[0.0, 1], [0, 0]])
    wrong, mended = (f(s, added, W)[0] - f(s, 0 * added, W)[0] for f in (alignment.as_handed_out, alignment.general))
    assert np.allclose((wrong, mended), [(0, EXERCISES["ex03-mend"].named), (0, 0.5)])
    X, W_q, W_k, W_v = np.eye(2, 100), np.zeros((100, 25)), np.ones((100, 25)), np.eye(100, 3)
    W_q[0] = 40 / 25  # a product of 40, a score of 8
    ratio = [np.log(f(X, W_q, W_k, W_v)[1]) for f in (projection.plain, projection.as_handed_out)]
    assert np.allclose(ratio[0], ratio[1])  # equal keys: only the sizes count here
    W_k[1] = 0
    right, wrong = (np.log(f(X, W_q, W_k, W_v)[1][0]) for f in (projection.plain, projection.as_handed_out))
    assert np.allclose((right[0] - right[1], wrong[0] - wrong[1]), (8, EXERCISES["ex04-mend"].named))
    query, key = arrays((3, 2), (3, 2))
    other, mask = key + np.array([[0], [0], [1]]), np.tri(3, dtype=bool)
    once, again = (masks.as_handed_out(query, k, k, mask)[0] for k in (key, other))
    assert (abs(once - again).max(axis=-1) > 1e-9).sum() == EXERCISES["ex05-mend"].named
    numbered = np.repeat(np.arange(4)[:, None], 6, axis=1)
    assert numbered.reshape(2, len(numbered), -1)[1, 0, 0] == EXERCISES["ex06-split"].named


def test_what_the_wrong_function_of_chapter_11_returns_is_what_is_asked_for():
    pairs = zip([1.0, 2.0, 3.0], [10.0, 20.0, 30.0], strict=True)
    assert round(cost.online(shrink_mix=False)(pairs), 1) == EXERCISES["ex11-mend"].named


def test_what_a_test_prints_of_the_wrong_block_of_chapter_12_is_what_is_asked_for():
    def norm(x):
        return (x - x.mean(axis=-1, keepdims=True)) / x.std(axis=-1, keepdims=True)

    parts = np.zeros_like, norm, lambda x: x, norm
    square = [(block(*arrays((3, 5)), *parts) ** 2).mean(axis=-1) for block in (real.published, real.as_handed_out)]
    assert np.allclose(square[0], 1) and np.allclose(square[1], EXERCISES["ex12-mend"].named)
