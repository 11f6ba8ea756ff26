"""A changed model is as before when the change ends: at the last line, by an error, and by the stop button."""

import pytest
import torch

from attention_course.interventions import overwrite, replace_attribute
from book.chapter import CHAPTERS, code, read

ENDINGS = [None, KeyboardInterrupt, ValueError]


@pytest.fixture
def model():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.LayerNorm(4), torch.nn.ReLU(), torch.nn.Linear(4, 2))


def snapshot(model):
    """Everything that a change could leave behind: numbers, parts, hooks and attributes."""
    numbers = {name: value.clone() for name, value in model.state_dict().items()}
    own = [{name: value for name, value in vars(part).items() if name[0] != "_"} for part in model.modules()]
    hooks = [len(part._forward_hooks) for part in model.modules()]
    return numbers, list(map(id, model.modules())), list(map(id, model.parameters())), own, hooks


def same(one, other):
    numbers = one[0].keys() == other[0].keys() and all(torch.equal(one[0][name], other[0][name]) for name in one[0])
    return numbers and one[1:] == other[1:]


CHANGES = {
    "a number": lambda model: replace_attribute([model[1]], "eps", 0.5),
    "a module": lambda model: replace_attribute([model], "2", torch.nn.Identity()),
    "a parameter": lambda model: replace_attribute([model[0]], "weight", torch.nn.Parameter(torch.ones(4, 3))),
    "a method": lambda model: replace_attribute([model[2], model[3]], "forward", lambda x: x[:, :2]),
    "some columns": lambda model: overwrite(model[3].weight[:, :2], 0),
    "a whole tensor": lambda model: overwrite(model[0].bias, torch.arange(4.0)),
    "an output": lambda model: model[0].register_forward_hook(lambda module, given, made: made + model[0].bias),
}


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_has_an_effect_and_ends_with_its_block(model, change, ending):
    before, x = snapshot(model), torch.tensor([[0.5, -0.2, 3.0]])
    expected = model(x)
    try:
        with change(model):
            assert not torch.allclose(model(x), expected) and not same(snapshot(model), before)
            if ending:
                raise ending
    except (KeyboardInterrupt, ValueError) as end:
        assert type(end) is ending
    assert same(snapshot(model), before) and torch.equal(model(x), expected)


@pytest.mark.parametrize("value", [0, torch.ones(4, 2)])
def test_gradients_still_flow_after_a_change(model, value):
    with overwrite(model[0].weight[:, 1:], value):
        pass
    model(torch.ones(1, 3)).sum().backward()
    assert model[0].weight.grad.shape == (4, 3)


UNFIT = {AttributeError: lambda model: replace_attribute([model[1], model[2]], "eps", 0.5)}  # which a ReLU has not
UNFIT[RuntimeError] = lambda model: overwrite(model[0].weight, torch.ones(3, 4))


@pytest.mark.parametrize("error, change", UNFIT.items())
def test_a_change_that_does_not_fit_changes_nothing(model, error, change):
    before = snapshot(model)
    with pytest.raises(error), change(model):
        pytest.fail("the block was entered")
    assert same(snapshot(model), before)


def test_no_chapter_writes_a_change_and_its_undoing_itself():
    own = ("@contextmanager", ".remove()", "setattr(")
    found = [(path.stem, word) for path in CHAPTERS for cell in code(read(path)) for word in own if word in cell.source]
    assert found == []
