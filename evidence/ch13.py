"""Evidence for chapter 13: what each head of the writer of prose carries, what it copies, and what tables reach."""

from copy import deepcopy
from functools import cache

import numpy as np
import torch

from attention_course.machine import START, Machine
from attention_course.ngrams import NGram
from attention_course.novel import cut_words, find_copied, read_novel
from attention_src.masks import causal_mask

from .claims import SEEDS, Experiment, grid, round_numbers
from .machine import make_writer, put_weights
from .prose import CONTEXT, PIECES, SHAPE, ProseTask

HEADS = [{"block": 0, "head": 0}, *grid(block=[1, 2, 3, 4], head=[1, 2, 3, 4])]  # none, then each
REPEATED = 40  # random pieces, which come twice
NAMES = ["Starbuck", "Stubb", "Flask", "Queequeg", "Tashtego", "Daggoo", "Bildad", "Peleg", "Ishmael", "Fedallah"]
NEW = ["Harlow", "Benton", "Mildred", "Captain Sorrel", "Doctor Wendell", "Ottoline", "Ramsgate", "Pelworth"]
SENTENCES = [
    "The boat lay still upon the water. {} looked at the whale. Nobody spoke a word. Then at last",
    '"I see him," said {}, and the men stood up to look. The wind was fair, and the sea was calm. "There," said',
    "In the morning I went on deck with {}, and the sun was rising. We had not long been there when",
    "It was {} who held the line that day. The other men were asleep below, and so the ship was left to",
]
TEMPERATURES = [0.5, 0.8, 1.0, 1.3]
PAGES, STRETCH = 4, 20  # pages of a seed; letters of a stretch


@cache
def load():
    """Return the machine, the task with its pieces, and the writer in torch that computes the same."""
    machine = Machine("prose")
    writer = put_weights(machine.weights, make_writer(PIECES, CONTEXT, **SHAPE)).float().eval()
    return machine, ProseTask([tuple(pair) for pair in machine.merges]), writer


def switch_off(writer, block, head):
    """Return the writer without a head; both are counted from 1, and 0 is none."""
    writer = deepcopy(writer)
    if block:
        table = writer.blocks[block - 1].attend.out_proj.weight.data
        table.chunk(SHAPE["num_heads"], dim=1)[head - 1].zero_()
    return writer


@torch.no_grad()
def measure_heads(book, block, head):
    """Return the loss of held-out text, and the surprise of pieces that come twice, first and again, with a head off.

    The pieces are random or those of held-out text. And how much the head gives, when they come again, to the piece
    after the same one, and to the one just before.
    """
    _, task, writer = load()
    without, held_out = switch_off(writer, block, head), task.cut(task.held_out)
    row = {"held_out": task.score(without, held_out[::2])}
    random = torch.tensor(np.random.default_rng(0).integers(2, PIECES, size=(64, REPEATED)))
    for kind, pieces in (("random", random), ("text", held_out[::6, 1 : REPEATED + 1])):
        texts = torch.cat([torch.full((len(pieces), 1), START), pieces, pieces], dim=1)
        logs = without(texts).log_softmax(dim=-1)[:, :-1]
        surprise = -logs.gather(2, texts[:, 1:, None])[..., 0].unflatten(1, (2, REPEATED)).mean(dim=(0, 2))
        row |= {f"{kind}_first": surprise[0], f"{kind}_again": surprise[1]}
        if block:
            x, looked = writer.read(texts) + writer.place[: texts.shape[1]], None
            for layer in writer.blocks[:block]:
                x, looked = layer(x, causal_mask(texts.shape[1], like=x), need_weights=True)
            place, weights = torch.arange(REPEATED + 1, 2 * REPEATED), looked[:, head - 1]
            row[f"{kind}_after_same"] = weights[:, place, place - REPEATED + 1].mean()
            row[f"{kind}_just_before"] = weights[:, place, place - 1].mean()
    return round_numbers(row)


@torch.no_grad()
def measure_names(book, block, head, known):
    """Return the chance of a name where the sentence before has it, and where that has another, with a head off."""
    machine, _, writer = load()
    writer, names = switch_off(writer, block, head), NAMES if known else NEW
    logs = np.empty((len(SENTENCES), len(names), len(names)))
    for i, sentence in enumerate(SENTENCES):
        for j, said in enumerate(names):
            texts = [sentence.format(said), *(f"{sentence.format(said)} {name}" for name in names)]
            words, lengths = machine.encode(texts)
            scores = writer(torch.tensor(words)).log_softmax(dim=-1)[:, :-1]
            each = scores.gather(2, torch.tensor(words)[:, 1:, None])[..., 0].numpy()
            logs[i, j] = [each[k, lengths[0] - 1 : lengths[k] - 1].sum() for k in range(1, len(texts))]
    same, other = logs[:, np.eye(len(names), dtype=bool)], logs[:, ~np.eye(len(names), dtype=bool)]
    return round_numbers(
        {"gain": same.mean() - other.mean(), "same": np.exp(same).mean(), "other": np.exp(other).mean()}, 5
    )


@cache
def read_words():
    to_train, held_out = read_novel()
    return to_train, held_out, {word.strip() for word in cut_words(to_train)}


def measure_pages(book, seed, temperature):
    """Return of some pages, written or at temperature 0 held out, what stands in the text that was trained on."""
    to_train, held_out, known = read_words()
    if temperature:
        pages = load()[0].write(PAGES, seed=seed, temperature=temperature)
    else:
        starts = np.random.default_rng(seed).integers(len(held_out) - 400, size=PAGES)
        pages = [held_out[start : start + 300] for start in starts]
    words = [word.strip() for page in pages for word in cut_words(page)[1:-1] if word.strip().isalpha()]
    parts = [page[i : i + STRETCH] for page in pages for i in range(0, len(page) - STRETCH, 5)]
    again = [page[i : i + STRETCH] in page[i + 1 :] for page in pages for i in range(0, len(page) - STRETCH, 5)]
    row = {
        "longest": np.mean([len(find_copied(page, to_train)) for page in pages]),
        "stretches": np.mean([part in to_train for part in parts]),
        "words": np.mean([word in known for word in words]),
        "again": np.mean(again),
    }
    return round_numbers(row)


def measure_tables(book, order):
    """Return the loss of a letter of held-out text with a table of pieces, and with the network (order 0)."""
    _, task, writer = load()
    model = NGram(torch.tensor(task.to_train[0])[None], PIECES, order) if order else writer
    return round_numbers({"held_out": task.score(model, task.cut(task.held_out)[::2])})


EXPERIMENTS = {
    "heads": Experiment(measure_heads, (), HEADS),
    "names": Experiment(measure_names, (), [{**one, "known": known} for known in (True, False) for one in HEADS]),
    "pages": Experiment(measure_pages, (), grid(temperature=[0, *TEMPERATURES], seed=SEEDS)),
    "tables": Experiment(measure_tables, (), grid(order=[0, 1, 2, 3])),
}
CLAIMS = []
