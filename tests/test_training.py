"""The one training loop: it learns, repeats itself, stays silent where nobody watches, and keeps what it learned."""

import math
from contextlib import nullcontext

import pytest
import torch

from attention_course.training import Minibatches, fit
from attention_src.models.bert import minilm
from attention_src.models.seq2seq import Seq2Seq
from attention_src.threads import limit_threads


def line():
    torch.manual_seed(0)
    return torch.nn.Linear(3, 1)


def batches(steps=200):
    torch.manual_seed(1)
    inputs = torch.randn(50, 3)
    return Minibatches(inputs, inputs.sum(1, keepdim=True), batch_size=8, steps=steps)


def loss(model, batch):
    inputs, targets = batch
    return (model(inputs) - targets).square().mean()


def test_it_learns_returns_the_loss_of_every_step_and_prints_nothing_where_nobody_watches(capsys):
    model = line()
    history = fit(model, batches(), loss, learning_rate=0.1)
    assert capsys.readouterr() == ("", "")
    assert len(history) == 200 and history[-1] < 1e-3 < history[0]
    assert torch.allclose(model.weight, torch.ones(1, 3), atol=0.05)


def test_a_seed_repeats_the_run_and_another_does_not():
    runs = [fit(line(), batches(), loss, seed=seed) for seed in (5, 5, 6)]
    assert runs[0] == runs[1] != runs[2]


def test_torchs_own_random_numbers_go_on_as_if_nothing_had_happened():
    model, prepared = line(), batches(20)
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    fit(model, prepared, loss)
    assert torch.equal(torch.rand(3), expected)


@pytest.fixture
def three_threads():
    """Torch with a number of threads that no test below would set by accident."""
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("ending", [None, KeyboardInterrupt, ArithmeticError])
def test_however_a_training_ends_it_keeps_what_was_learned_and_gives_the_other_threads_back(three_threads, ending):
    model, seen = line(), []
    before = model.weight.clone()

    def count(model, batch):
        seen.append(torch.get_num_threads())
        if ending and len(seen) == 4:
            raise ending
        return loss(model, batch)

    with pytest.raises(ArithmeticError) if ending is ArithmeticError else nullcontext():
        assert len(fit(model, batches(5), count)) == (3 if ending else 5) and not model.training
    assert not torch.equal(model.weight, before)
    assert seen == [1] * (4 if ending else 5) and torch.get_num_threads() == 3


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: fit(line(), batches(5), lambda *given: loss(*given) * math.nan), "loss is nan at step 1"),
        (lambda: fit(line(), [], loss), "batches"),
        (lambda: limit_threads(0).__enter__(), "number"),
        (lambda: Minibatches(batch_size=2, steps=1), "rows"),
        (lambda: Minibatches(torch.ones(3), torch.ones(4), batch_size=2, steps=1), "rows"),
        (lambda: Minibatches(torch.ones(0), batch_size=2, steps=1), "rows"),
    ],
)
def test_what_cannot_be_trained_is_refused(three_threads, call, message):
    with pytest.raises(ValueError, match=message):
        call()
    assert torch.get_num_threads() == 3


def test_a_model_that_writes_or_reads_a_sentence_does_so_on_one_thread(three_threads):
    seen = []

    def note(module, given, made):
        seen.append(torch.get_num_threads())

    writer = Seq2Seq(6, 5, d_embed=4, d_encoder=6, d_decoder=8)
    with writer.encoder.register_forward_hook(note):
        writer.generate(torch.full((2, 3), 2), 4)
    reader = minilm()
    with reader.blocks[0].register_forward_hook(note):
        reader("a bank")
    assert seen == [1, 1] and torch.get_num_threads() == 3
