"""What chapter 9 says of losses, of vectors that are only drawn, of equal values and of overlaps: for any numbers."""

from itertools import combinations

import numpy as np
import pytest
import torch

from attention_course.tasks import grammar_examples
from attention_src import scaled_dot_product_attention

USES = ("loss", "overlap", "Next", "train", "cosines", "neighbours", "nearest_mean", "kind", "chance")
USES += ("allowed", "lowest", "by_words")


def draw_batch(random):
    """Return a number of words, sentences of such words, and their lengths."""
    count, width, num_words = random.permutation(np.arange(3, 30))[:3]
    words = torch.tensor(random.integers(num_words, size=(count, width)))
    return num_words, (words, torch.tensor(random.integers(2, width + 1, size=count)))


def test_a_model_without_any_idea_has_a_loss_of_ln_c(book, random):
    num_words, batch = draw_batch(random)
    level = torch.tensor(random.normal(size=(*batch[0].shape, 1)))[:, 1:]  # a number for all words of a place
    assert book.loss(lambda words: (level.expand(-1, -1, num_words), None), batch).item() == pytest.approx(
        np.log(num_words)
    )


def test_a_model_with_an_idea_has_another_loss(book, random):
    num_words, batch = draw_batch(random)
    logits = torch.nn.functional.one_hot(batch[0][:, 1:], num_words).double()  # each right word gets a little more
    assert book.loss(lambda words: (logits, None), batch).item() < np.log(num_words) - 0.1


def test_weights_on_equal_values_can_be_exchanged_without_changing_the_output(random):
    num_queries, num_keys, d, d_v = random.permutation(np.arange(3, 9))[:4]
    query, key, value = (random.normal(size=size) for size in ((num_queries, d), (num_keys, d), (num_keys, d_v)))
    one, other = random.permutation(num_keys)[:2]
    swapped = key.copy()
    swapped[[one, other]] = key[[other, one]]
    unequal, _ = scaled_dot_product_attention(query, key, value)
    assert abs(scaled_dot_product_attention(query, swapped, value)[0] - unequal).max() > 1e-3
    value[other] = value[one]
    output, weights = scaled_dot_product_attention(query, key, value)
    same_output, exchanged = scaled_dot_product_attention(query, swapped, value)
    np.testing.assert_allclose(exchanged[:, [one, other]], weights[:, [other, one]])
    assert abs(exchanged - weights).max() > 1e-3
    np.testing.assert_allclose(same_output, output)


def test_an_overlap_is_1_for_the_same_row_0_without_common_weight_and_between_them_otherwise(book, random):
    n, split = int(random.integers(4, 9)), int(random.integers(1, 4))
    p, q = torch.tensor(random.dirichlet(np.ones(n), size=(2, 50)))
    assert torch.allclose(book.overlap(p, p), torch.tensor(1.0, dtype=p.dtype))
    assert ((book.overlap(p, q) > 0) & (book.overlap(p, q) < 1)).all()
    torch.testing.assert_close(book.overlap(p, q), torch.minimum(p, q).sum(-1))
    left, right = p.clone(), q.clone()
    left[:, split:], right[:, :split] = 0, 0
    left, right = (rows / rows.sum(-1, keepdim=True) for rows in (left, right))
    assert torch.allclose(book.overlap(left, right), torch.tensor(0.0, dtype=p.dtype))


def test_which_of_drawn_vectors_has_which_role_is_chance_so_neighbour_and_probe_are_right_by_chance(book, random):
    v = random.normal(size=(len(book.kind), 32))
    alike = book.cosines(v)
    np.fill_diagonal(alike, -1)
    labels = [random.permutation(book.kind) for _ in range(400)]
    near = np.mean([(kind[alike.argmax(axis=1)] == kind).mean() for kind in labels])
    assert near == pytest.approx(book.chance, abs=0.02)
    assert np.mean([book.nearest_mean(v, kind) for kind in labels[:40]]) == pytest.approx(book.chance, abs=0.03)


def test_over_all_ways_to_number_eight_verbs_the_nearest_is_right_in_3_of_7_and_the_nearest_mean_less_than_half(
    book, random
):
    v = random.normal(size=(8, 32))
    alike = book.cosines(v)
    np.fill_diagonal(alike, -1)
    numbers = [np.isin(range(8), many) for many in combinations(range(8), 4)]
    assert np.mean([many[alike.argmax(axis=1)] == many for many in numbers]) == pytest.approx(3 / 7)
    assert np.mean([book.nearest_mean(v, many) for many in numbers]) < 0.5


def test_frozen_vectors_stay_as_they_were_drawn_and_at_most_three_in_ten_have_a_neighbour_of_their_role(book, random):
    seed, (given, _) = int(random.integers(1000)), grammar_examples(64, 2)
    torch.manual_seed(seed)
    drawn = book.Next(1.0)
    frozen, free = (book.train(seed, start=1.0, frozen=frozen, steps=3, given=given) for frozen in (True, False))
    assert torch.equal(frozen.word.weight, drawn.word.weight)
    assert not torch.equal(free.word.weight, drawn.word.weight)
    assert not torch.equal(frozen.out.weight, drawn.out.weight)
    assert book.neighbours(frozen) <= 0.3


def test_a_word_that_is_not_allowed_has_some_probability(book, random):
    _, asked = grammar_examples(2, 20, seed=int(random.integers(1000)))
    assert 0 < book.allowed(book.Next(), asked)[1] < 1


def test_counting_words_alone_stays_more_than_1_above_the_roles(book, random):
    sentences = grammar_examples(1000, 200, seed=int(random.integers(1000)))
    assert book.by_words(*sentences) > book.lowest(*sentences) + 1
