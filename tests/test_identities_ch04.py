"""What chapter 4 says of heads and ties and holds for any numbers, by algebra."""

import numpy as np
import torch

from attention_course.heads import Projections
from attention_course.tasks import lookup_examples
from attention_src.positions import rotary

USES = ("attend",)


def draw_heads():
    """A hundred heads with large random matrices, whose weights are far from equal."""
    return Projections(13, 12, 3, heads=100, scale=4.0).double()


def give_tokens(examples):
    return torch.tensor(examples.tokens).double()


def count_right_looks(head, tie, examples, book):
    """Return in how many of the five tokens of each sequence the largest weight is on the right one."""
    with torch.no_grad():
        weights = book.attend(give_tokens(examples), head, tie)[1]
    return (weights.argmax(-1) == torch.tensor(examples.wanted)).sum(-1)


def test_with_one_matrix_for_queries_and_keys_at_most_four_looks_of_five_are_right(book, random):
    _, examples = lookup_examples(2, 300, seed=int(random.integers(100)))
    assert count_right_looks(draw_heads(), "W_q = W_k", examples, book).max() < 5
    assert count_right_looks(draw_heads(), "free", examples, book).max() == 5


def test_a_product_of_clock_hands_does_not_tell_which_comes_first_unless_queries_and_keys_differ(random):
    """One list in all places, and one matrix or two: the scores of two places before and two places after."""
    x, both, other = np.repeat(random.normal(size=(1, 6)), 9, axis=0), *random.normal(size=(2, 6, 6))
    query, key, another = (rotary(x @ W, np.arange(9)) for W in (both, both, other))
    one_matrix, two_matrices = query @ key.T, another @ key.T
    np.testing.assert_allclose(one_matrix[4, 2], one_matrix[4, 6])
    assert abs(two_matrices[4, 2] - two_matrices[4, 6]) > 1e-3


def test_without_w_v_at_most_one_of_the_eight_patterns_comes_out_negated(book, random):
    _, examples = lookup_examples(2, 50, seed=int(random.integers(100)))
    counts = {}
    for tie in ("no W_v", "free"):
        head, tokens, counts[tie] = draw_heads(), give_tokens(examples), 0
        for pattern in torch.cartesian_prod(*[torch.tensor([-1.0, 1.0], dtype=torch.float64)] * 3):
            tokens[range(len(tokens)), examples.wanted[:, 0], -3:] = pattern
            with torch.no_grad():
                output, _ = book.attend(tokens, head, tie)
            counts[tie] += (output[:, :, 0] * -pattern > 0).all(-1).long()
    assert counts["no W_v"].max() == 1 and counts["free"].max() > 1


def test_with_w_k_equal_to_w_v_five_numbers_are_enough(book, random):
    _, examples = lookup_examples(2, 500, seed=int(random.integers(100)))
    angles = 2 * torch.pi / 5 * torch.arange(5).double()
    names = torch.stack([angles.cos(), angles.sin()], dim=1)
    head = Projections(13, 5, 3, heads=1).double()
    for W in (head.W_q, head.W_k):
        W.data.zero_()
    head.W_k.data[0, 0, 10:, :3] = -torch.eye(3).double()  # three for the bits
    head.W_k.data[0, 0, :5, 3:] = names  # two for the name
    head.W_q.data[0, 0, 5:10, 3:] = 20 * names
    with torch.no_grad():
        output, _ = book.attend(give_tokens(examples), head, "W_k = W_v")
    assert (output[..., :3] * torch.tensor(examples.answers) > 0).all()
