"""What chapter 4 says of heads, ties and positions and holds for any numbers, by algebra."""

import numpy as np
import torch

from attention_course.tasks import lookup_examples

USES = ("Heads", "tensors", "on_a_circle", "order_matters")
MANY = {"d": 12, "scale": 4.0, "starts": 100}  # heads with random matrices and weights that are far from equal


def count_right_looks(heads, examples, book):
    """Return in how many of the five tokens of each sequence the largest weight is on the right one."""
    tokens, _, wanted = book.tensors(examples)
    with torch.no_grad():
        return (heads(tokens)[1].argmax(-1) == wanted).sum(-1)


def count_negated_patterns(heads, examples, book):
    """Return how many of the eight patterns of the bits that a token asks for it answers with their negative."""
    tokens, _, wanted = book.tensors(examples)
    patterns = torch.cartesian_prod(*[torch.tensor([-1.0, 1.0])] * 3).double()
    count = 0
    for pattern in patterns:
        tokens[range(len(tokens)), wanted[:, 0].long(), -3:] = pattern
        with torch.no_grad():
            output, _ = heads(tokens)
        count += (output[:, :, 0] * -pattern > 0).all(-1).long()
    return count


def test_two_numbers_tell_any_number_of_names_apart(book, random):
    for n in random.integers(3, 400, size=20):
        weights = book.on_a_circle(n, 10)
        assert np.array_equal(weights.argmax(1), np.arange(n))
        assert book.on_a_circle(n, 10 * n**2)[0, 0] > 0.95
        assert np.linalg.matrix_rank(np.log(weights) - np.log(weights).mean(1, keepdims=True)) == 2


def test_with_one_matrix_for_queries_and_keys_at_most_four_looks_of_five_are_right(book, random):
    _, examples = lookup_examples(2, 1000, seed=int(random.integers(100)))
    assert count_right_looks(book.Heads("Q = K", **MANY), examples, book).max() < 5
    assert count_right_looks(book.Heads("free", **MANY), examples, book).max() == 5
    spiral = book.Heads("Q = K", d=2, starts=1)  # each name is twice as long as the one before, and turned by 45°
    angles = torch.pi / 4 * torch.arange(5)
    spiral.w[0].data[0, :5] = 2.0 ** torch.arange(5)[:, None] * torch.stack([angles.cos(), angles.sin()], dim=1)
    spiral.w[0].data[0, 5:] = 0
    assert count_right_looks(spiral, examples, book).max() == 4


def test_without_w_v_at_most_one_of_the_eight_patterns_comes_out_negated(book, random):
    _, examples = lookup_examples(2, 50, seed=int(random.integers(100)))
    assert count_negated_patterns(book.Heads("no V", **MANY), examples, book).max() == 1
    assert count_negated_patterns(book.Heads("free", **MANY), examples, book).max() > 1


def test_order_does_not_reach_the_output_unless_positions_bring_it_in(book, random):
    X = random.normal(size=(4, 6))
    assert book.order_matters(X, "none") < 1e-12
    assert min(book.order_matters(X, way) for way in ("sinusoidal", "rotary", "ALiBi")) > 1e-3
