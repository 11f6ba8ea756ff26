"""Answers to the exercises of chapter 12."""

import numpy as np
import torch

from attention_course import checks

from . import Exercise


def find_along(offset, mean=True):
    """The head with most weight on one diagonal."""

    def answer(weights):
        diagonals = np.diagonal(weights, offset, -2, -1)
        best = diagonals.mean(-1) if mean else diagonals.max(-1)
        return np.unravel_index(best.argmax(), best.shape)

    return answer


def loops(weights):
    best, found = -1.0, None
    for layer, heads in enumerate(weights):
        for head, table in enumerate(heads):
            mean = sum(table[i][i + 1] for i in range(len(table) - 1)) / (len(table) - 1)
            if mean > best:
                best, found = mean, (layer, head)
    return found


def in_torch(weights):
    mean = torch.as_tensor(weights).diagonal(1, -2, -1).mean(-1)
    return divmod(int(mean.argmax()), mean.shape[1])


def find_any_later(weights):
    mean = weights[..., 1:].mean((-2, -1))
    return np.unravel_index(mean.argmax(), mean.shape)


def published(x, attend, norm_1, feed, norm_2):
    x = norm_1(x + attend(x))
    return norm_2(x + feed(x))


def step_by_step(x, attend, norm_1, feed, norm_2):
    middle = norm_1(attend(x) + x)
    added = feed(middle)
    return norm_2(added + middle)


def as_handed_out(x, attend, norm_1, feed, norm_2):
    x = norm_1(x + attend(x))
    return x + norm_2(feed(x))


EXERCISES = {
    "ex12-next": Exercise(
        checks.next_head,
        {"diagonal": find_along(1), "loops": loops, "torch": in_torch},
        {
            "the token before": find_along(-1),
            "itself": find_along(0),
            "any token but the first": find_any_later,
            "the head first": lambda weights: find_along(1)(weights)[::-1],
            "the largest weight": find_along(1, mean=False),
            "the smallest mean": lambda weights: find_along(1)(-weights),
            "far from any": lambda weights: (99, 99),
            "one number": lambda weights: find_along(1)(weights)[0],
        },
    ),
    "ex12-missed": Exercise(
        checks.heads_missed_more,
        {
            "compared": lambda lost, layer, head: (lost[layer] > lost[layer, head]).sum(),
            "sorted": lambda lost, layer, head: int(np.argsort(-lost[layer]).tolist().index(head)),
            "a loop": lambda lost, layer, head: sum(one > lost[layer][head] for one in lost[layer]),
        },
        {
            "itself too": lambda lost, layer, head: (lost[layer] >= lost[layer, head]).sum(),
            "missed less": lambda lost, layer, head: (lost[layer] < lost[layer, head]).sum(),
            "all layers": lambda lost, layer, head: (lost > lost[layer, head]).sum(),
            "a column": lambda lost, layer, head: (lost[:, head] > lost[layer, head]).sum(),
            "all of them": lambda lost, layer, head: lost.shape[1],
            "which ones": lambda lost, layer, head: lost[layer] > lost[layer, head],
        },
        results=1,
    ),
    "ex12-mend": Exercise(
        checks.mended_published_block,
        {
            "two lines": published,
            "one line": lambda x, attend, a, feed, b: b((y := a(x + attend(x))) + feed(y)),
            "step by step": step_by_step,
        },
        {
            "as handed out": as_handed_out,
            "the same norm twice": lambda x, attend, a, feed, b: published(x, attend, a, feed, a),
            "no second norm": lambda x, attend, a, feed, b: (y := a(x + attend(x))) + feed(y),
            "before the network": lambda x, attend, a, feed, b: (y := a(x + attend(x))) + feed(b(y)),
            "no path past the network": lambda x, attend, a, feed, b: b(feed(a(x + attend(x)))),
            "no path past attention": lambda x, attend, a, feed, b: b((y := a(attend(x))) + feed(y)),
            "the norms first": lambda x, attend, a, feed, b: (y := x + attend(a(x))) + feed(b(y)),
        },
    ),
}
