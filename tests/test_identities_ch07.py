"""What chapter 7 says of blocks, chains and passes and holds for any numbers, by algebra or by construction."""

import numpy as np
import pytest
import torch

from attention_course.tasks import date_examples
from attention_src.layers import EncoderBlock

USES = ("norm", "through", "multiplications", "chains", "Transformer", "START", "write")


def draw_norm(d):
    """Return a norm with a scale and a shift as training might leave them."""
    norm = torch.nn.LayerNorm(d)
    torch.nn.init.normal_(norm.weight, 1, 0.3), torch.nn.init.normal_(norm.bias, 0, 0.3)
    return norm


@pytest.mark.parametrize("size", [0.01, 1, 100])
def test_what_a_sub_layer_reads_does_not_grow_with_the_stream(book, random, size):
    stream = size * random.normal(size=(3, 7)) + random.normal()
    normed = book.norm(stream)
    np.testing.assert_allclose(normed.mean(axis=-1), 0, atol=1e-9)
    np.testing.assert_allclose(normed.std(axis=-1), 1)


@pytest.mark.parametrize(("kind", "leaves"), [("pre-norm", True), ("post-norm", False), ("on the stream", False)])
def test_silent_sub_layers_leave_the_stream_alone_only_in_pre_norm(book, random, kind, leaves):
    heads = int(random.integers(1, 4))
    block, x = EncoderBlock(4 * heads, heads, 9), torch.randn(5, 4 * heads)
    for last in (block.attend.out_proj, block.feed_forward[2]):
        torch.nn.init.zeros_(last.weight), torch.nn.init.zeros_(last.bias)
    assert torch.equal(book.through(block, x, kind), x) == leaves


def pass_both_stacks(book, random, moves_last_norm):
    """Return what a post-norm stack gives, its last norm moved or not, and what one with norms on the stream gives."""
    heads, depth = random.integers([1, 2], [4, 7])
    d = 4 * int(heads)
    x, blocks = torch.randn(5, d), [EncoderBlock(d, int(heads), 9) for _ in range(depth)]
    norms = [draw_norm(d) for _ in range(2 * depth + 1)]  # the stack with norms on the stream has one at its end
    streamed, post = x, norms[0](x) if moves_last_norm else x
    for k, block in enumerate(blocks):
        block.norms = torch.nn.ModuleList(norms[2 * k : 2 * k + 2])
        streamed = book.through(block, streamed, "on the stream")
        block.norms = torch.nn.ModuleList(norms[2 * k + 1 : 2 * k + 3])
        post = book.through(block, post, "post-norm")
    return post, norms[-1](streamed)


def test_post_norm_with_its_last_norm_at_its_beginning_is_the_stack_with_norms_on_the_stream(book, random):
    torch.testing.assert_close(*pass_both_stacks(book, random, moves_last_norm=True))
    with pytest.raises(AssertionError):
        torch.testing.assert_close(*pass_both_stacks(book, random, moves_last_norm=False))


def test_the_recurrent_chain_grows_by_the_same_with_each_token_and_that_of_attention_does_not(book, random):
    heads, n = (int(x) for x in random.integers([1, 2], [5, 20]))
    recurrent, attention = np.transpose([book.chains(length, 3 * heads, heads) for length in (n, n + 1, 2 * n)])
    assert recurrent[1] > recurrent[0] and recurrent[2] - recurrent[0] == n * (recurrent[1] - recurrent[0])
    assert len(set(attention)) == 1


def test_attention_needs_fewer_multiplications_than_a_gru_below_n_equal_to_d_and_a_block_more_everywhere(book, random):
    d = int(random.integers(2, 700))
    for n in (1, d - 1, d, d + 1, 50 * d):
        gru, layer, block = book.multiplications(n, d).values()
        assert np.sign(layer - gru) == np.sign(n - d) and block > gru


@torch.no_grad()
def test_one_pass_gives_what_ten_passes_give_and_each_output_depends_on_all_before_it_alone(book, random):
    model = book.Transformer(13, 11).eval()
    source, lengths = torch.randint(13, (3, 7)), torch.tensor([7, 2, 5])
    before = torch.randint(2, 11, (3, 10))
    before[:, 0] = book.START
    memory = model.encode(source, lengths)
    outputs = model.decode(before, *memory)
    ten = [model.decode(before[:, : t + 1], *memory)[:, -1] for t in range(10)]
    torch.testing.assert_close(outputs, torch.stack(ten, dim=1))
    for place in range(10):
        changed = before.clone()
        changed[:, place] = (before[:, place] + 1) % 11
        reacts = (model.decode(changed, *memory) - outputs).abs().amax(-1) > 1e-12
        assert (reacts == (torch.arange(10) >= place)).all()


def test_a_date_is_written_from_its_source_alone_so_from_that_of_another_it_is_the_other_date(book, random):
    model, sources, lengths = book.Transformer(13, 11).eval(), torch.randint(13, (6, 7)), torch.randint(2, 8, (6,))
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(3)  # so that what is written depends on the source
        own, others = book.write(model, sources, lengths), book.write(model, sources.roll(1, 0), lengths.roll(1))
    assert torch.equal(others, own.roll(1, 0)) and len(own.unique(dim=0)) > 1


def test_hardly_any_two_neighbouring_dates_are_the_same(random):
    _, held_out = date_examples(2, 1000, seed=int(random.integers(100)))
    targets = np.array([example.target for example in held_out])
    assert (targets == np.roll(targets, 1)).mean() < 0.01
