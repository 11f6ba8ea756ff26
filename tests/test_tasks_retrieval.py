"""Key–value retrieval and ordered pairs: that the answers are right, and what theory says of them."""

from itertools import product

import numpy as np
import pytest

from attention_course.tasks import Pairs, lookup_examples, pair_examples

# Key–value retrieval


def test_the_answer_to_a_token_is_the_opposite_of_the_bits_under_the_name_it_asks_for():
    n, bits = 6, 2
    for part in lookup_examples(40, 10, n, bits):
        for tokens, answers, wanted in zip(*part, strict=True):
            carried = {int(token[:n].argmax()): (place, token[2 * n :]) for place, token in enumerate(tokens)}
            for token, answer, place in zip(tokens, answers, wanted, strict=True):
                where, there = carried[int(token[n : 2 * n].argmax())]
                assert where == place
                np.testing.assert_array_equal(answer, -there)


@pytest.mark.parametrize("n", [3, 4, 7])
def test_who_asks_for_whom_is_one_walk_through_all_tokens(n):
    part, _ = lookup_examples(50, 0, n, 2)
    for wanted in part.wanted:
        walk = [0]
        while len(walk) < n:
            walk.append(int(wanted[walk[-1]]))
        assert sorted(walk) == list(range(n))
        assert wanted[walk[-1]] == 0


# Ordered pairs


def test_the_answer_is_the_bits_under_the_two_names_in_the_order_asked():
    for part in pair_examples(80, 20, 6):
        for asked, names, bits, answers, places in zip(*part, strict=True):
            assert sorted(names) == list(range(6))
            assert [names[place] for place in places] == list(asked)
            assert [bits[place] for place in places] == list(answers)
            assert asked[0] != asked[1]
            assert set(bits) <= {0, 1}


def test_each_question_comes_four_times_with_the_four_pairs_and_nothing_else_changed():
    train, test = pair_examples(80, 40, 4)
    for part in (train, test):
        fours = Pairs(*(array.reshape(-1, 4, *array.shape[1:]) for array in part))
        for asked, names, bits, answers, places in zip(*fours, strict=True):
            for same in (asked, names, places):
                assert (same == same[0]).all()
            others = np.setdiff1d(np.arange(4), places[0])
            assert (bits[:, others] == bits[0, others]).all()
            assert sorted(map(tuple, answers)) == [*product((0, 1), repeat=2)]
