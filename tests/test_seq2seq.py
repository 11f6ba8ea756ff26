"""The recurrent encoder–decoder of chapter 03: which state asks, and that padding and order matter as they should."""

from types import SimpleNamespace

import pytest
import torch
from reference import fill_randomly, random, refuses, same

from attention_course.tasks import PAD, START
from attention_src.layers import AdditiveAttention
from attention_src.models.seq2seq import KINDS, Seq2Seq

SIZES = {"num_source": 11, "num_target": 9, "d_embed": 5, "d_encoder": 6, "d_decoder": 8}
SOURCE = torch.tensor([[3, 4, 5, 6, 7, 8, 9], [10, 9, 2, PAD, PAD, PAD, PAD]])
LENGTHS = torch.tensor([7, 3])
TARGET = torch.tensor([[2, 3, 4, 5], [6, 7, 8, 2]])
WITH = [kind for kind in KINDS if kind]


def build(kind, cell="gru"):
    """A network whose two states differ in length where the score can compare such."""
    torch.manual_seed(0)
    return Seq2Seq(**SIZES | {"d_decoder": 6 if kind == "dot" else 8}, attention=kind, cell=cell).double()


def step(model, states, state):
    """The first step of the decoder, which looks at these states: logits, its next state, weights."""
    memory = SimpleNamespace(states=states, keys=model.decoder.keys(states), mask=None)
    return model.decoder.step(torch.tensor([START]), state, memory)


@pytest.mark.parametrize("cell", ["gru", "lstm"])
@pytest.mark.parametrize("kind", KINDS)
def test_shapes_and_a_gradient_for_every_parameter(kind, cell):
    model = build(kind, cell)
    logits, weights = model(SOURCE, TARGET, LENGTHS)
    assert logits.shape == (2, 4, 9)
    assert weights is None if kind is None else weights.shape == (2, 4, 7)
    logits.square().sum().backward()
    assert [name for name, p in model.named_parameters() if p.grad is None or not p.grad.any()] == []


@pytest.mark.parametrize("cell", ["gru", "lstm"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_padded_source_gives_what_it_gives_alone(kind, cell):
    model = build(kind, cell)
    together, weights = model(SOURCE, TARGET, LENGTHS)
    alone, few = model(SOURCE[1:, :3], TARGET[1:])
    same(together[1:], alone)
    assert kind is None or ((weights[1, :, 3:] == 0).all() and same(weights[1:, :, :3], few) is None)


@pytest.mark.parametrize("cell", ["gru", "lstm"])
def test_the_decoder_starts_from_the_last_state_of_each_direction(cell):
    model = build(None, cell)
    states, start = model.encoder(SOURCE, LENGTHS)
    last = [torch.cat([h[length - 1, :3], h[0, 3:]]) for h, length in zip(states, LENGTHS, strict=True)]
    same(torch.cat(start, dim=-1), torch.tanh(model.encoder.bridge(torch.stack(last))))


@pytest.mark.parametrize("kind", WITH)
def test_with_the_state_held_still_the_weights_follow_the_memory(kind):
    """So they come from the states and not from the positions, as those of the published decoder of exercise 3 did."""
    model, order = build(kind), torch.tensor([4, 2, 0, 6, 1, 3, 5])
    states, state = model.encoder(SOURCE[:1], LENGTHS[:1])
    weights, permuted = (step(model, seen, state)[2] for seen in (states, states[:, order]))
    same(weights[..., order], permuted)


@pytest.mark.parametrize("kind, cell", [("additive", "gru"), ("additive", "lstm"), ("dot", "gru"), ("general", "gru")])
def test_bahdanau_asks_with_the_previous_state_and_luong_with_the_current_one(kind, cell):
    model = build(kind, cell)
    states, before = model.encoder(SOURCE[:1], LENGTHS[:1])
    _, after, weights = step(model, states, before)
    layer = model.decoder.attend if kind == "additive" else model.decoder
    score = {
        "additive": lambda s, h: torch.tanh(s @ layer.w_query + h @ layer.w_key) @ layer.v,
        "dot": lambda s, h: s @ h,
        "general": lambda s, h: s @ layer.w @ h,
    }[kind]
    early, late = (torch.stack([score(s[0][0], h) for h in states[0]]).softmax(-1) for s in (before, after))
    right, wrong = (early, late) if kind == "additive" else (late, early)
    same(weights[0, 0], right)
    assert not torch.allclose(right, wrong, atol=1e-6)


def test_luongs_character_is_read_from_context_and_state_in_this_order():
    model = build("dot")
    states, before = model.encoder(SOURCE[:1], LENGTHS[:1])
    logits, after, weights = step(model, states, before)
    joined = torch.cat([weights[:, 0] @ states[0], after[0]], dim=-1)
    right = torch.tanh(joined @ model.decoder.combine.weight.T) @ model.decoder.name.weight.T + model.decoder.name.bias
    same(logits, right)


@pytest.mark.parametrize("kind", KINDS)
def test_generating_is_teacher_forcing_with_its_own_characters(kind):
    model = build(kind)
    written, weights = model.generate(SOURCE, 4, LENGTHS)
    logits, seen = model(SOURCE, written, LENGTHS)
    assert torch.equal(logits.argmax(-1), written)
    assert kind is None or torch.allclose(weights, seen, atol=1e-12)


REFUSED = [
    (lambda: Seq2Seq(**SIZES, attention="local"), "attention is 'local'"),
    (lambda: Seq2Seq(**SIZES, cell="rnn"), "cell is 'rnn'"),
    (lambda: Seq2Seq(**SIZES | {"d_encoder": 7}), "d_encoder is 7"),
    (lambda: Seq2Seq(**SIZES, attention="dot"), "d_decoder 8 and d_encoder 6"),
    (lambda: build("additive")(SOURCE[:, :0], TARGET), r"source has shape \(2, 0\)"),
    (lambda: build("additive")(SOURCE[0], TARGET), r"source has shape \(7,\)"),
    (lambda: build("additive")(SOURCE, TARGET), "row 1 of source has padding among its first 7"),
    (lambda: build("additive")(SOURCE, TARGET, torch.tensor([7, 4])), "row 1 of source has padding among its first 4"),
    (lambda: build("additive")(SOURCE, TARGET, torch.tensor([7, 0])), "lengths has a 0"),
    (lambda: build("additive")(SOURCE, TARGET, torch.tensor([8, 3])), "expected 0 to m = 7"),
    (lambda: build("additive")(SOURCE, TARGET, [7]), r"source \(2, 7\) and lengths \(1,\): every source needs"),
    (lambda: build("additive")(SOURCE, TARGET, 7), r"lengths has shape \(\); expected \(batch,\)"),
]


@pytest.mark.parametrize("call, message", REFUSED)
def test_what_cannot_be_built_and_a_source_whose_padding_is_unclear_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_additive_attention_is_its_formula_in_loops():
    layer = fill_randomly(AdditiveAttention(3, 4, 5))
    query, key, value = (torch.tensor(a) for a in random((2, 3), (6, 4), (6, 7)))
    output, weights = layer(query, key, value)
    e = [[torch.tanh(q @ layer.w_query + k @ layer.w_key) @ layer.v for k in key] for q in query]
    same(weights, torch.softmax(torch.stack([torch.stack(row) for row in e]), -1))
    same(output, weights @ value)
    for once, again in zip(layer.attend(query, layer.project(key), value), (output, weights), strict=True):
        same(once, again, 0)
    same(layer(query, key)[0], layer(query, key, key)[0], 0)


@pytest.mark.parametrize("name, shape, length", [("query", (2, 3), 3), ("key", (5, 4), 4)])
def test_what_additive_attention_cannot_compare_is_refused_by_name(name, shape, length):
    layer, tokens = AdditiveAttention(3, 4, 5), {"query": torch.ones(2, 3), "key": torch.ones(5, 4)}
    needs = f"w_{name} needs a row for each number of a {name}, got 6 and {length}"
    with refuses(ValueError, f"{name} ({shape[0]}, 6) and w_{name} ({length}, 5): {needs}"):
        layer(**tokens | {name: torch.ones(shape[0], 6)})
    form = f"(..., {'n' if name == 'query' else 'm'}, d_{name}), one row for each {name}"
    with refuses(ValueError, f"{name} has shape ({length},); expected {form}"):
        layer(**tokens | {name: tokens[name][0]})
    with refuses(TypeError, f"{name} has dtype torch.float64; expected torch.float32, as the layer has"):
        layer(**tokens | {name: tokens[name].double()})
    for bad in (tokens[name].tolist(), tokens[name].numpy()):
        with refuses(TypeError, f"{name} is a {type(bad).__name__}; expected a torch tensor"):
            layer(**tokens | {name: bad})
