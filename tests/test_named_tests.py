"""Where an exercise asks which test shows a fault, the right one does, and the three others do not."""

import numpy as np
import pytest

from attention_src import scaled_dot_product_attention
from attention_src import softmax as right_softmax
from tools.answers import EXERCISES, cost, definition, projection


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


def stays(answer, shift):
    (scores,) = arrays((6, 6))
    with np.errstate(all="ignore"):
        return np.allclose(answer(scores + shift), answer(scores))


def exchanges(head):
    X, *W = arrays((6, 6), (6, 3), (6, 3), (6, 3))
    order = [1, 0, 2, 3, 4, 5]
    return np.allclose(head(X[order], *W)[0], head(X, *W)[0][order])


def same_head(head):
    given = arrays((5, 7), (7, 3), (7, 3), (7, 2))
    return np.allclose(head(*given)[1], projection.plain(*given)[1])


TESTS = {  # exercise: (a function with the fault in question, the tests by name)
    "ex01-mend": (
        definition.part(lambda q, k, v: q @ k.T / np.sqrt(len(k))),
        {
            "shape": lambda f: f(*arrays((4, 3), (4, 3), (4, 2)))[0].shape == (4, 2),
            "rows": lambda f: sums_to_one(f(*arrays((4, 3), (4, 3), (4, 2)))[1]),
            "square": lambda f: equals(f, (4, 4), (4, 4), (4, 4)),
            "uneven": lambda f: equals(f, (2, 3), (5, 3), (5, 4)),
        },
    ),
    "ex02-mend": (
        lambda scores: definition.divided(np.exp(scores - scores.max())),
        {
            "single": lambda f: np.allclose(f(arrays((1, 6))[0]), right_softmax(arrays((1, 6))[0])),
            "sums": lambda f: sums_to_one(f(arrays((6, 6))[0])),
            "shift": lambda f: stays(f, 1000.0),
            "apart": lambda f: stays(f, 1000.0 * np.eye(6)[:, :1]),
        },
    ),
    "ex04-mend": (
        projection.head(lambda Q, K, X: Q @ K.T / np.sqrt(X.shape[1])),
        {
            "rows": lambda f: sums_to_one(f(*arrays((5, 7), (7, 3), (7, 3), (7, 2)))[1]),
            "shape": lambda f: f(*arrays((5, 7), (7, 3), (7, 3), (7, 2)))[0].shape == (5, 2),
            "order": exchanges,
            "equal": same_head,
        },
    ),
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


def test_what_the_wrong_function_of_chapter_11_returns_is_what_is_asked_for():
    pairs = zip([1.0, 2.0, 3.0], [10.0, 20.0, 30.0], strict=True)
    assert round(cost.online(shrink_mix=False)(pairs), 1) == EXERCISES["ex11-mend"].named
