"""Train the writer of prose that the machine holds: half an hour, once. The result `prose` repeats its first steps.

python -m evidence.prose     train, and write the weights in half precision, and how they were found
"""

import json
import time
from collections import Counter
from functools import cache
from itertools import chain

import numpy as np
import torch

from attention_course.machine import HERE, START, Machine
from attention_course.novel import FILE, TRAINING, cut_pieces, cut_words, learn_merges, read_novel, read_training

from .engine import Runner, environment, versions
from .machine import count_numbers, digest, make_writer, put_weights, take_weights

PIECES, CONTEXT = 512, 128
SHAPE = {"d": 128, "num_blocks": 4, "num_heads": 4}
STEPS, RATE, DECAY, DROPOUT, BATCH = 2400, 3e-3, 0.1, 0.1, 32
LOOKS = (0, 25, 100, 250, 500, 750, 1000, 1250, 1500, 1750, 2000, 2200, 2400)
AGAIN = 100  # steps that the result repeats
BEGIN = "Captain Ahab"
FILE_OF_PROSE = HERE.with_name("machine_prose.npz")


class ProseTask:
    """The novel in pieces: windows that begin with START, half of them at any word, half at a sentence."""

    def __init__(self, merges=None):
        self.texts = read_novel()
        letters = sorted({*chain(*self.texts)})
        self.merges = merges or learn_merges(Counter(cut_words(self.texts[0])), PIECES - 2 - len(letters))
        self.tokens = ["", "", *dict.fromkeys([*letters, *map("".join, self.merges)])]
        self.number = {token: number for number, token in enumerate(self.tokens)}
        self.to_train, self.held_out = map(self._open, self.texts)

    @cache  # noqa: B019, for the lifetime of the task
    def encode(self, word):
        """Return the numbers of the pieces of a word."""
        return [self.number[piece] for piece in cut_pieces(word, self.merges)]

    def _open(self, text):
        """Return the pieces of a text, and the places after its words, with each word as it opens a text."""
        stream, starts, sentences, before = [], [], [], "\n"
        for word in cut_words(text):
            stream += self.encode(word)
            if word[-1].isalpha():
                starts.append((len(stream), word.lstrip()))
                if before[-1] in "\n.!?" or before in ('."', '!"', '?"'):
                    sentences.append(starts[-1])
            before = word
        return np.array(stream), starts, sentences

    def windows(self, part, starts):
        """Return texts of the context's length and one piece more, from such starts on, (k, CONTEXT + 1)."""
        rows = [np.r_[START, self.encode(word), part[0][place : place + CONTEXT]] for place, word in starts]
        return torch.tensor(np.array([row[: CONTEXT + 1] for row in rows if len(row) > CONTEXT]))

    def draw(self, random):
        """Return a batch of windows to train on."""
        kinds = self.to_train[1:]
        return self.windows(self.to_train, [kinds[i % 2][random.integers(len(kinds[i % 2]))] for i in range(BATCH)])

    def cut(self, part):
        """Return all of a part, window after window: each begins with the first word after the one before it."""
        starts, chosen, end = part[1], [], 0
        for place, word in starts:
            if place - len(self.encode(word)) >= end:
                chosen.append((place, word))
                end = place - len(self.encode(word)) + CONTEXT
        return self.windows(part, chosen)

    @torch.no_grad()
    def score(self, writer, windows):
        """Return the loss of a letter."""
        total = sum(self.loss(writer, batch).item() * len(batch) for batch in windows.split(64))
        letters = sum(len(self.tokens[number]) for number in windows.flatten().tolist())
        return total * CONTEXT / letters

    @staticmethod
    def loss(writer, windows):
        """Return the mean loss of a piece."""
        return torch.nn.functional.cross_entropy(writer(windows[:, :-1]).flatten(0, 1), windows[:, 1:].flatten())


def make_prose_writer(seed=0):
    """Return a writer of prose that reads with the very vectors that it names with, and has dropout."""
    writer = make_writer(PIECES, CONTEXT, seed, **SHAPE)
    writer.name.weight = writer.read.weight
    with torch.no_grad():
        for table in (writer.read.weight, writer.place):
            table.mul_(0.05 / table.std())
    for layer in chain.from_iterable((block.attend.out_proj, block.feed_forward) for block in writer.blocks):
        layer.register_forward_hook(lambda layer, _, out: torch.nn.functional.dropout(out, DROPOUT, layer.training))
    return writer


def train(task, until=STEPS):
    """Yield at each of the LOOKS what the writer has learned: a row, and the writer itself."""
    writer, random, start = make_prose_writer(), np.random.default_rng(0), time.monotonic()
    tables, others = ([one for one in writer.parameters() if (one.ndim > 1) == table] for table in (True, False))
    groups = [{"params": tables, "weight_decay": DECAY}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, RATE, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=STEPS, pct_start=0.08)
    held_out, seen = task.cut(task.held_out), task.cut(task.to_train)[::16]
    for step in range(until + 1):
        if step in LOOKS:
            losses = [round(task.score(writer.eval(), windows), 4) for windows in (seen, held_out)]
            seconds = round(time.monotonic() - start)
            yield {"steps": step, "seconds": seconds, "trained_loss": losses[0], "held_out_loss": losses[1]}, writer
        if step == until:
            return
        optimizer.zero_grad()
        loss = task.loss(writer.train(), task.draw(random))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(writer.parameters(), 1.0)
        optimizer.step()
        schedule.step()


def store(task, looks):
    """Write the weights of the smallest held-out loss, and of each look a row with what the writer writes."""
    rows, best = [], 9.0
    for row, writer in looks:
        weights = take_weights(writer, task.tokens, task.merges)
        machine = Machine(
            {name: array.astype(float) if array.dtype == "float16" else array for name, array in weights.items()}
        )
        rows.append(row | {"sample": machine.write(1, temperature=0.8, begin=BEGIN)[0]})
        print(rows[-1], flush=True)
        if row["held_out_loss"] < best:
            best = row["held_out_loss"]
            np.savez_compressed(FILE_OF_PROSE, **weights)
        about = {"environment": environment(), "versions": versions(), "text": digest(FILE.read_bytes()), "rows": rows}
        TRAINING.write_text(json.dumps(about, indent=1, ensure_ascii=False) + "\n", "utf-8")


def run():
    """Return the stored rows, those of the first steps again, and one for what is stored: loss, text and weights."""
    torch.set_num_threads(1)
    machine = Machine("prose")
    task = ProseTask([tuple(pair) for pair in machine.merges])
    again = [{name: row[name] for name in ("steps", "held_out_loss")} for row, _ in train(task, AGAIN)]
    writer = put_weights(machine.weights, make_writer(PIECES, CONTEXT, **SHAPE)).float()
    stored = {"held_out_loss": round(task.score(writer, task.cut(task.held_out)), 4), "text": digest(FILE.read_bytes())}
    stored |= {"weights": digest(FILE_OF_PROSE.read_bytes()), "numbers": count_numbers(machine)}
    return [*({"first": True} | row for row in read_training()), *({"again": True} | row for row in again), stored]


def list_problems(rows):
    """Yield what does not fit: the first steps are as stored, and the weights are those of the smallest loss."""
    *looks, stored = rows
    first = {row["steps"]: row["held_out_loss"] for row in looks if "first" in row}
    for row in looks:
        if "again" in row and abs(row["held_out_loss"] - first[row["steps"]]) > 0.02:
            yield f"after {row['steps']} steps the loss is {row['held_out_loss']}, and was {first[row['steps']]}"
    if abs(min(first.values()) - stored["held_out_loss"]) > 0.005:
        yield f"the stored weights have a loss of {stored['held_out_loss']}, the best was {min(first.values())}"
    for what, file in (("text", FILE), ("weights", FILE_OF_PROSE)):
        if stored[what] != digest(file.read_bytes()):
            yield f"{file.name} is not the file that was used"


RUNNER = Runner(
    run,
    list_problems,
    [
        {"first": True, "steps": 100, "held_out_loss": 2.0},
        {"again": True, "steps": 100, "held_out_loss": 2.1},
        {"held_out_loss": 1.9, "text": "", "weights": "", "numbers": 0},
    ],
)

if __name__ == "__main__":
    torch.set_num_threads(1)
    task = ProseTask()
    store(task, train(task))
