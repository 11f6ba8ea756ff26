"""How long the longest chain of operations is in which each one waits for the one before."""


def longest_chain(output):
    """Count the operations of the longest chain that leads to a tensor, as torch remembers them for the gradient.

    The `output` is a torch.Tensor that requires a gradient; the result is an int.

    >>> import torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> longest_chain(x + 1), longest_chain((x + 1) * (x + 2) * 3)
    (2, 4)
    """
    length, todo = {output.grad_fn: 1}, [output.grad_fn]
    for node in todo:
        for parent, _ in node.next_functions:
            if parent and length.get(parent, 0) <= length[node]:
                length[parent] = length[node] + 1
                todo.append(parent)
    return max(length.values())
