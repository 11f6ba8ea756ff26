"""The Transformer: its parts in order, and what depends on what."""

import torch
from reference import fill_randomly, same

from attention_src.masks import causal_mask, padding_mask
from attention_src.models import START
from attention_src.models.transformer import Transformer

BATCH, M, N, SOURCES, TARGETS, D, HEADS, D_FF = 3, 7, 5, 13, 11, 8, 2, 9
LENGTHS = torch.tensor([7, 2, 5])


def make_model():
    return fill_randomly(Transformer(SOURCES, TARGETS, D, HEADS, D_FF, longest=10), std=0.5).eval()


def make_batch():
    generator = torch.Generator().manual_seed(0)
    source = torch.randint(2, SOURCES, (BATCH, M), generator=generator)
    source[~padding_mask(LENGTHS, M)[:, 0]] = 0
    return source, torch.randint(2, TARGETS, (BATCH, N), generator=generator)


def test_it_is_its_parts_in_order():
    model, (source, target) = make_model(), make_batch()
    x = model.read(source) + model.place[0, :M]
    x, own = model.encoder(x, padding_mask(LENGTHS, M), need_weights=True)
    before = torch.cat([torch.full((BATCH, 1), START), target[:, :-1]], dim=1)
    y = model.write(before) + model.place[1, :N]
    memory = model.norms[0](x)
    y, others = model.decoder(y, memory, causal_mask(N, like=y), padding_mask(LENGTHS, M), need_weights=True)
    logits, weights = model(source, target, LENGTHS, need_weights=True)
    same(logits, model.name(model.norms[1](y)))
    assert all(torch.equal(*pair) for pair in zip(weights, (own, *others), strict=True))
    assert model(source, target, LENGTHS)[1] is None
    same(model(source, target, LENGTHS)[0], logits)


@torch.no_grad()
def test_a_character_depends_on_those_before_it_and_on_no_padding():
    model, (source, target) = make_model(), make_batch()
    logits, _ = model(source, target, LENGTHS)
    for place in range(N):
        other = target.clone()
        other[:, place] = (target[:, place] + 1) % TARGETS
        reacts = (model(source, other, LENGTHS)[0] - logits).abs().amax((0, 2)) > 1e-12
        assert (reacts == (torch.arange(N) > place)).all()
    padded = source.clone()
    padded[1, 2:] = 5
    same(model(padded, target, LENGTHS)[0], logits)


def test_what_it_generates_is_the_most_likely_after_what_it_generated():
    model, (source, _) = make_model(), make_batch()
    written = model.generate(source, N, LENGTHS)
    logits, _ = model(source, written, LENGTHS)
    assert written.shape == (BATCH, N) and torch.equal(logits.argmax(-1), written)
