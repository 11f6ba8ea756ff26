"""What chapter 7 says of blocks, chains and passes and holds for any numbers, by algebra or by construction."""

from itertools import pairwise

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from attention_course.dates import DateTask
from attention_src.layers import EncoderBlock

USES = tuple(
    "scan_chain with_neighbours task pass_through Writer cut replace_path make_network Stack share_left".split()
)


@pytest.fixture(scope="module")
def task():
    return DateTask(num_train=100, num_held_out=20)


def test_pre_norm_and_a_skip_weight_of_1_are_the_two_blocks_of_the_package(book, random):
    heads = int(random.integers(1, 4))
    x = torch.randn(5, 4 * heads)
    for skip, norm_first in (("pre-norm", True), (1, False)):
        block = EncoderBlock(4 * heads, heads, 9, norm_first=norm_first)
        torch.testing.assert_close(book.pass_through(block, x, skip), block(x)[0])


def test_a_larger_skip_weight_leaves_more_of_the_stream(book, random):
    block, x = EncoderBlock(8, 2, 9), torch.randn(200, 8)
    x = x - x.mean(dim=-1, keepdim=True)
    kept = [torch.cosine_similarity(x, book.pass_through(block, x, skip), dim=-1).mean() for skip in (1, 2, 8, 1e6)]
    assert kept == sorted(kept) and kept[-1] > 1 - 1e-4


@pytest.mark.parametrize("skip", ["pre-norm", 1, 8])
def test_norms_alone_take_nothing_of_the_first_stream_and_a_skip_weight_of_0_takes_all(book, random, skip):
    """And only in pre-norm do silent sub-layers leave the stream itself alone."""
    seed = int(random.integers(99))
    stack = book.Stack(book.pass_through, skip, depth=3, seed=seed)
    for block in stack.blocks:
        for last in (block.attend.out_proj, block.feed_forward[2]):
            torch.nn.init.zeros_(last.weight), torch.nn.init.zeros_(last.bias)
    assert book.share_left(stack) == pytest.approx(1, rel=1e-4)
    x = torch.randn(5, 16)
    assert torch.equal(book.pass_through(stack.blocks[0], x, skip), x) == (skip == "pre-norm")
    assert book.share_left(book.Stack(book.pass_through, 0, depth=3, seed=seed)) == 0


@torch.no_grad()
def test_a_writer_sees_all_letters_before_and_none_after(book):
    model, before = book.Writer(11, d=8).eval(), torch.randint(11, (3, 12))
    logits = model(before)
    for place in range(12):
        changed = before.clone()
        changed[:, place] = (before[:, place] + 1) % 11
        reacts = (model(changed) - logits).abs().amax((0, 2)) > 1e-9
        assert (reacts == (torch.arange(12) >= place)).all()


@torch.no_grad()
def test_without_cross_attention_every_source_gives_the_same_date(book, task):
    model = book.make_network("Transformer", task).eval()
    for weight in model.parameters():
        weight.mul_(3)  # so that what is written depends on the source
    assert len(set(task.write(model))) > 1
    with book.cut(model, "cross-attention", "part"):
        assert len(set(task.write(model))) == 1
    with book.replace_path(model, "cross-attention", torch.zeros(20, 32)):
        written = task.write(model)
    with book.cut(model, "cross-attention", "path"):
        assert task.write(model) == written


def test_the_chain_of_a_scan_grows_with_the_logarithm_of_the_length(book):
    scans = [book.scan_chain(n) for n in (8, 16, 32, 64)]  # each also compares the scan with the loop
    assert len({later - earlier for earlier, later in pairwise(scans)}) == 1


@pytest.mark.parametrize(("n", "d"), [(5, 8), (64, 8)])
def test_a_block_multiplies_more_than_twice_as_often_as_a_gru(n, d):
    with FlopCounterMode(display=False) as counter:
        EncoderBlock(d, 2, 4 * d)(torch.randn(n, d), need_weights=True)
    assert counter.get_total_flops() / 2 == 12 * n * d**2 + 2 * n**2 * d  # a multiplication and an addition
    assert sum(p.numel() for p in torch.nn.GRU(d, d).parameters() if p.ndim == 2) == 6 * d**2


@torch.no_grad()
def test_neighbours_reach_one_place_at_equal_cost_and_sides_that_share_a_matrix_can_be_exchanged(book):
    x = torch.randn(1, 9, 32)
    for kind, size, reach, turns in (((1,), 33_437, 0, True), ((3,), 33_405, 1, False), ((3, False), 33_405, 1, True)):
        model, changed = book.with_neighbours(*kind), x.clone()
        changed[0, 4] += 1
        mix = model.read[1]
        reacts = (mix(changed) != mix(x)).any(-1)[0].nonzero().flatten().tolist()
        assert reacts == [*range(4 - reach, 5 + reach)] and sum(p.numel() for p in model.parameters()) == size
        assert torch.allclose(mix(x.flip(1)), mix(x).flip(1)) == turns
