"""The one training loop of the book: any model, any batches, any loss."""

import sys

import torch
from tqdm import tqdm

from attention_src._validation import as_integer
from attention_src.threads import limit_threads


class Minibatches:
    """Draw so many random batches of rows from tensors of equal length: what `fit` goes through.

    Parameters
    ----------
    *tensors : torch.Tensor, (rows, ...); ValueError if there is none, or if they have different numbers of rows
    batch_size : int
    steps : int, number of batches

    Examples
    --------
    >>> batches = Minibatches(torch.zeros(10, 4), torch.zeros(10), batch_size=3, steps=2)
    >>> [(inputs.shape, targets.shape) for inputs, targets in batches]
    [(torch.Size([3, 4]), torch.Size([3])), (torch.Size([3, 4]), torch.Size([3]))]
    """

    def __init__(self, *tensors, batch_size, steps):
        rows = {len(tensor) for tensor in tensors}
        if len(rows) != 1 or rows == {0}:
            raise ValueError(f"tensors have {[len(t) for t in tensors]} rows; expected one number, at least 1")
        self.tensors = tensors
        self.batch_size = as_integer("batch_size", batch_size, 1)
        self.steps = as_integer("steps", steps, 1)

    def __len__(self):
        return self.steps

    def __iter__(self):
        for _ in range(self.steps):
            rows = torch.randint(len(self.tensors[0]), (self.batch_size,))
            yield tuple(tensor[rows] for tensor in self.tensors)


def _someone_watches():
    """Whether a person sees a progress bar: at a terminal, or in a notebook whose cells could ask them a question.

    A notebook that is executed by a program cannot ask, and its stored outputs are to hold no bar.
    """
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if hasattr(shell, "kernel"):
        return shell.kernel.get_parent()["content"].get("allow_stdin", False)
    return sys.stderr.isatty()


def fit(model, batches, loss, *, learning_rate=3e-3, seed=0):
    """Change the model's parameters, batch by batch, so that the loss falls, and return the loss of every step.

    Adam (Kingma and Ba 2014); the learning rate rises to `learning_rate` and falls to 0 again. An interruption (Ctrl-C,
    or the stop button of a notebook) ends the training and keeps what was learned so far. While it trains, torch
    computes on one thread (`limit_threads`). The losses are a list of float. It raises ValueError if there is no batch
    or the loss is not finite.

    Parameters
    ----------
    model : torch.nn.Module, trained in place and left in evaluation mode
    batches : iterable with a length, one step for each batch
    loss : function of model and batch that returns the number to make small
    learning_rate : float, its peak
    seed : int, from which the batches of `Minibatches` and the model's dropout are drawn; torch's own random numbers
        go on afterwards as if nothing had happened

    Examples
    --------
    >>> model = torch.nn.Linear(1, 1, bias=False)
    >>> batches = Minibatches(torch.ones(5, 1), batch_size=2, steps=300)
    >>> history = fit(model, batches, lambda model, batch: (model(*batch) - 3).square().mean(), learning_rate=0.1)
    >>> len(history), round(model.weight.item(), 2)
    (300, 3.0)
    """
    if len(batches) == 0:
        raise ValueError("batches is empty; expected at least one batch")
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, learning_rate, total_steps=len(batches))
    history = []
    model.train()
    watched = _someone_watches()
    with limit_threads(), torch.random.fork_rng(devices=[]), tqdm(batches, disable=not watched, leave=False) as bar:
        torch.manual_seed(seed)
        try:
            for batch in bar:
                optimizer.zero_grad()
                value = loss(model, batch)
                if not torch.isfinite(value):
                    raise ValueError(f"the loss is {value.item()} at step {len(history) + 1}; expected a finite number")
                value.backward()
                optimizer.step()
                schedule.step()
                history.append(value.item())
        except KeyboardInterrupt:
            pass
    model.eval()
    return history
