"""Three matrices for several heads side by side, and their training."""

import numpy as np
import pytest
import torch

from attention_course.heads import Projections, train_signs
from attention_course.tasks import lookup_examples, share_attended
from attention_src import scaled_dot_product_attention


def answer(X, head):
    return scaled_dot_product_attention(X @ head.W_q, X @ head.W_k, X @ head.W_v)[0]


def test_each_head_projects_as_it_would_alone():
    head, X = Projections(6, 2, 3, heads=4), torch.randn(5, 7, 6)
    together = answer(X, head)
    for i in range(4):
        alone, _ = scaled_dot_product_attention(*(X @ W[i, 0] for W in (head.W_q, head.W_k, head.W_v)))
        torch.testing.assert_close(together[i], alone)


def test_matrices_follow_from_the_seed_and_leave_torchs_own_numbers_alone():
    torch.manual_seed(0)
    first, again, other = (Projections(6, 2, 3, seed=seed) for seed in (1, 1, 2))
    drawn = torch.rand(1)
    torch.manual_seed(0)
    assert torch.rand(1) == drawn
    assert torch.equal(first.W_q, again.W_q) and not torch.equal(first.W_q, other.W_q)
    assert abs(Projections(400, 50, 1, scale=3).W_k.std() * 20 - 3) < 0.05


def test_signs_are_learned_by_every_head():
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 3, 4))
    right = np.sign(X[:, :, :1])
    head = train_signs(Projections(4, 2, 1, heads=3), lambda X, head: X @ head.W_v, X, right, steps=300)
    said = torch.tensor(X, dtype=torch.float32) @ head.W_v
    assert (np.sign(said.detach().numpy()) == right).mean(axis=(1, 2, 3)).min() > 0.95
    with pytest.raises(ValueError, match="rows"):
        train_signs(head, answer, X, right[:-1])


@pytest.mark.parametrize(("sizes", "error"), [((0, 1, 1), ValueError), ((4, 1.5, 1), TypeError)])
def test_sizes_are_whole_numbers_from_1(sizes, error):
    with pytest.raises(error):
        Projections(*sizes)


def test_whom_tokens_attend_to_is_counted():
    _, examples = lookup_examples(2, 50)
    n = examples.wanted.shape[1]
    asked = np.eye(n)[examples.wanted]
    asker = asked.transpose(0, 2, 1)
    assert share_attended(asked + 2 * np.eye(n), examples.wanted) == (1, 1, 0)
    assert share_attended(asker + 0.1 * np.eye(n), examples.wanted) == (0, 0, 1)
    with pytest.raises(ValueError, match="wanted"):
        share_attended(asked[:-1], examples.wanted)
