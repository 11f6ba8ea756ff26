"""Three matrices for several heads side by side, and their training."""

import numpy as np
import pytest
import torch

from attention_course.heads import Projections, train_signs
from attention_course.tasks import share_attended


def test_matrices_follow_from_the_seed_and_leave_torchs_own_numbers_alone():
    torch.manual_seed(0)
    first, again, other = (Projections(6, 2, 3, seed=seed) for seed in (1, 1, 2))
    drawn = torch.rand(1)
    torch.manual_seed(0)
    assert torch.rand(1) == drawn
    assert torch.equal(first.W_q, again.W_q) and not torch.equal(first.W_q, other.W_q)
    assert abs(Projections(400, 50, 1, scale=3).W_k.std() * 20 - 3) < 0.05


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="d_model is 0"):
        Projections(0, 1, 1)
    with pytest.raises(ValueError, match="rows"):
        train_signs(Projections(4, 2, 1), None, np.ones((5, 3, 4)), np.ones((4, 3, 1)))
    with pytest.raises(ValueError, match="wanted"):
        share_attended(np.ones((4, 3, 3)), np.ones((5, 3), int))
